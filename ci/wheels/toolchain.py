# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interpreters and the cross compiler: zig's clang, which links against any glibc version of both machines."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")
MACHINES = ("x86_64", "aarch64")
GLIBC = (2, 28)  # manylinux_2_28: Debian 10, Ubuntu 18.10, RHEL 8 and newer

QUERY = """
import json, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2] + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""),
    "release": "%d.%d.%d" % sys.version_info[:3],
    "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
    "include": sysconfig.get_path("include"),
}))
"""


class WheelError(Exception):
    """A message for the person who runs the command."""


@dataclass(frozen=True)
class Interpreter:
    """A CPython of this machine; its headers serve both machines (see `check_headers`)."""

    path: str
    version: str  # "3.14t": free-threaded
    release: str
    suffix: str  # of extension modules
    include: str


def ask(path: str) -> Interpreter:
    done = subprocess.run([path, "-c", QUERY], capture_output=True, text=True)
    if done.returncode != 0:
        raise WheelError(f"{path} does not run: {done.stderr.strip()[-200:]}")
    return Interpreter(path=path, **json.loads(done.stdout))


def candidates(version: str) -> Iterator[str]:
    """Yield the paths of Pythons of a version: those given in WHEEL_PYTHONS, those of pyenv, those on PATH."""
    yield from filter(None, os.environ.get("WHEEL_PYTHONS", "").split(os.pathsep))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    number, threaded = version.rstrip("t"), version.endswith("t")
    for folder in sorted(pyenv.glob(f"{number}.*"), reverse=True):
        if folder.name.endswith("t") == threaded:
            yield str(folder / "bin" / "python")
    if found := shutil.which(f"python{version}"):
        yield found


def find_interpreter(version: str, targets: list[Compiler]) -> tuple[Interpreter | None, list[str]]:
    """Return the first Python of a version whose headers serve all targets, and why others do not."""
    reasons = []
    for path in candidates(version):
        try:
            found = ask(path)
            if found.version != version:
                continue
            for target in targets:
                check_headers(found, target)
        except (WheelError, OSError) as error:
            reasons.append(str(error))
            continue
        return found, reasons
    return None, reasons


@dataclass(frozen=True)
class Compiler:
    """The command that compiles for a machine."""

    machine: str
    command: str
    folder: pathlib.Path

    def environment(self, python: Interpreter) -> dict[str, str]:
        """Return the settings with which setuptools builds for this machine and not for its own."""
        own = re.sub(r"(x86_64|aarch64)(?=-linux-gnu)", self.machine, python.suffix)
        return {
            "CC": self.command,
            "LDSHARED": f"{self.command} -shared",
            "CFLAGS": " ".join(header_options(python, self.folder)),
            "LDFLAGS": "",
            "_PYTHON_HOST_PLATFORM": f"linux-{self.machine}",
            "SETUPTOOLS_EXT_SUFFIX": own,
        }


def make_compiler(machine: str, folder: pathlib.Path) -> Compiler:
    """Write the program that setuptools calls as C compiler into `folder`."""
    import ziglang

    zig = pathlib.Path(ziglang.__file__).parent / "zig"
    program = folder / f"{machine}-cc"
    target = f"{machine}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    # Paths of the build must not get into the files, nor change them: __FILE__, and the cache of another build.
    program.write_text(
        "#!/bin/sh\n"
        f"ZIG_GLOBAL_CACHE_DIR={folder}/cache ZIG_LOCAL_CACHE_DIR={folder}/cache \\\n"
        f'exec {zig} cc -target {target} "-ffile-prefix-map=$PWD=." "$@"\n'
    )
    program.chmod(0o755)
    return Compiler(machine, str(program), folder)


def header_options(python: Interpreter, folder: pathlib.Path) -> list[str]:
    """Return compiler options that make Debian's headers serve both machines.

    Debian's pyconfig.h includes <MACHINE-linux-gnu/python3.X/pyconfig.h>. Both machines get that of this machine.
    """
    header = pathlib.Path(python.include) / "pyconfig.h"
    if pyconfig(python) == header:
        return []
    options = folder / f"include-{python.version}"
    for machine in MACHINES:
        copy = options / f"{machine}-linux-gnu" / header.parent.name / header.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pyconfig(python), copy)
    return [f"-I{options}"]


def pyconfig(python: Interpreter) -> pathlib.Path:
    """Return the file with the definitions."""
    include = pathlib.Path(python.include)
    own = include.parent / f"{os.uname().machine}-linux-gnu" / include.name / "pyconfig.h"
    return own if own.exists() else include / "pyconfig.h"


def check_headers(python: Interpreter, compiler: Compiler) -> None:
    """Raise WheelError if the sizes in Python's pyconfig.h are not those of the target's types.

    CPython's headers differ between machines in pyconfig.h only. In Debian's python3.11-dev and python3.14-dev,
    those of arm64 and amd64 differ in HAVE_GCC_ASM_FOR_X64 and _X87, HAVE_USABLE_WCHAR_T, PY_SUPPORT_TIER, _Py_HACL_*,
    which only the interpreter reads.
    """
    header = pyconfig(python)
    if not header.exists():
        raise WheelError(f"{python.path} has no headers: {header} is missing")
    options = [f"-I{python.include}", *header_options(python, compiler.folder)]
    done = compile_only(compiler, options, "\n".join(["#include <Python.h>", *assertions(header.read_text())]))
    if done.returncode != 0:
        raise WheelError(
            f"the headers of {python.path} do not serve {compiler.machine}: {done.stderr.strip().splitlines()[0]}"
        )


def assertions(pyconfig: str) -> list[str]:
    """Return C lines that compare the sizes and alignments of pyconfig.h with the compiler's."""
    types = {"VOID_P": "void *", "_BOOL": "_Bool", "FPOS_T": "fpos_t", "PID_T": "pid_t", "MAX_ALIGN_T": "max_align_t"}
    types |= {"PTHREAD_KEY_T": "pthread_key_t", "PTHREAD_T": "pthread_t"}
    lines = ["#include <pthread.h>", "#include <stddef.h>", "#include <stdio.h>", "#include <wchar.h>"]
    for kind, name in re.findall(r"^#\s*define (SIZEOF|ALIGNOF)_(\w+) \d+$", pyconfig, re.MULTILINE):
        type_ = types.get(name) or (name.lower() if name.endswith("_T") else name.lower().replace("_", " "))
        operator = "sizeof" if kind == "SIZEOF" else "_Alignof"
        lines.append(f'_Static_assert({kind}_{name} == {operator}({type_}), "{kind}_{name}");')
    return lines


def compile_only(compiler: Compiler, options: list[str], source: str) -> subprocess.CompletedProcess[str]:
    command = [compiler.command, *options, "-x", "c", "-c", "-o", os.devnull, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True)


def sums(files: Iterable[pathlib.Path]) -> str:
    """Return lines in the format of `sha256sum --check`."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(files))


def require(*modules: str) -> None:
    """Raise WheelError naming the packages that the command needs."""
    import importlib.util

    if missing := [name for name in modules if importlib.util.find_spec(name) is None]:
        raise WheelError(f"{sys.executable} lacks {', '.join(missing)}: pip install -r ci/wheels/requirements.txt")
