# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The programs that `python -m cuda.cpu cc` starts: clang and the linker."""

from __future__ import annotations

import itertools
import os
import platform
import shlex
import shutil
import subprocess
import sys

from cuda.core._program._clang._find import find

_CXX_LIBRARIES = ("g++", "c++")  # linkers that know the system's C++ library


class Tools:
    """The clang in use, with the options that let it find the headers of the host, and the linker."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.clang, self.version = find()
        zig = os.path.basename(self.clang[0]) == "zig"
        target = f"{platform.machine()}-linux-gnu"
        system = next(filter(None, map(shutil.which, _CXX_LIBRARIES)), None)
        if not zig:
            self.host, self.linker = [], [*self.clang, "--driver-mode=g++"]
        elif system:
            resources = os.path.join(os.path.dirname(self.clang[0]), "lib")
            self.host, self.linker = [f"--target={target}", "-resource-dir", resources], [system]
        else:  # the C and C++ libraries of the package ziglang
            # The runtime library needs the C library that it was built with: that of this system.
            self.linker = [self.clang[0], "c++", "-target", f"{target}.{platform.libc_ver()[1]}"]
            self.host = [f"--target={target}", *_header_options(self.linker)]

    def run(self, arguments: list[str], **variables: str) -> None:
        """Run a tool, whose messages go to standard error.

        Raises
        ------
        ToolError
            It failed.
        """
        if self.verbose:
            print(shlex.join(arguments), file=sys.stderr)
        status = subprocess.run(arguments, env=variables or os.environ).returncode
        if status:
            raise ToolError(status, arguments[0])


class ToolError(Exception):
    def __init__(self, status: int, name: str) -> None:
        super().__init__(f"{name} was ended by signal {-status}" if status < 0 else "")


def _header_options(command: list[str]) -> list[str]:
    """Return the folders and macros with which a command compiles C++, as its own description of a call says."""
    done = subprocess.run(
        [*command, "-###", "-c", "-x", "c++", os.devnull], capture_output=True, text=True, env=os.environ
    )
    call = next((line for line in done.stderr.splitlines() if '"-cc1"' in line), "")
    words = shlex.split(call)
    found = ["-nostdlibinc", "-nobuiltininc"]
    for option, value in itertools.pairwise(words):
        if option in ("-isystem", "-D"):
            found += [option, value]
    return found
