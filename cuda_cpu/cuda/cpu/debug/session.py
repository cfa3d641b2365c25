# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu debug SCRIPT`: run a program in gdb or lldb, with kernels compiled for debuggers."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping

from cuda.cpu.debug import VARIABLE, core
from cuda.cpu.debug.sources import FOLDER
from cuda.cpu.programs import run

COMMANDS = pathlib.Path(__file__).with_name("gdb_commands.py")
SETTINGS = """\
set breakpoint pending on
set debuginfod enabled off
set print thread-events off
"""


class DebugError(Exception):
    """A program cannot be debugged; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--gdb", dest="debugger", action="store_const", const="gdb", help="use gdb (the default)")
    which.add_argument("--lldb", dest="debugger", action="store_const", const="lldb", help="use lldb")
    parser.set_defaults(debugger="gdb")
    parser.add_argument("--core", metavar="FILE", help="open a core dump instead of running a program")
    parser.add_argument("--batch", action="store_true", help="end the debugger behind the commands")
    parser.add_argument(
        "-x", dest="files", action="append", default=[], metavar="FILE", help="run the debugger's commands in a file"
    )
    parser.add_argument(
        "-ex", dest="lines", action="append", default=[], metavar="COMMAND", help="run a command of the debugger"
    )


def find(name: str) -> str:
    """Return the path of a debugger.

    Raises
    ------
    DebugError
        It is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise DebugError(f"{name} is not installed: apt-get install {name}")
    return found


def program(given: argparse.Namespace, chosen: dict[str, str]) -> int:
    """Run a program in a debugger, with the chosen variables, and return the debugger's exit status.

    Raises
    ------
    DebugError, RunError
        The debugger, or the program, does not exist.
    """
    path = find(given.debugger)
    if given.core is not None:
        return _open_core(given, path)
    if given.script is None:
        raise DebugError("give a program, or --core FILE")
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-debug-") as folder:
        variables = {VARIABLE: "1", FOLDER: folder, "CUDA_CPU_WORKERS": os.environ.get("CUDA_CPU_WORKERS", "1")}

        def command(own: list[str], environment: Mapping[str, str]) -> list[str]:
            file = pathlib.Path(folder, "commands")
            file.write_text(_commands(given.debugger, environment))
            return [path, *_options(given, str(file)), *own]

        return run.program(
            given.python, given.script, given.arguments, kind=given.kind, variables=variables | chosen, under=command
        )


def _open_core(given: argparse.Namespace, debugger: str) -> int:
    """Open a core dump in gdb: a copy of it, in which the selected lane is written."""
    if given.debugger != "gdb":
        raise DebugError("core dumps are opened by gdb alone")
    try:
        data = pathlib.Path(given.core).read_bytes()
        description, objects = core.read(data)
    except (OSError, ValueError, struct.error) as error:
        raise DebugError(f"{given.core} cannot be read as a core dump of the CPU device: {error}") from None
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-debug-") as folder:
        copy = pathlib.Path(folder, "core")
        copy.write_bytes(data)
        lines = [f"core-file {copy}"]
        for number, each in enumerate(objects):
            file = pathlib.Path(folder, f"kernel{number}.o")
            file.write_bytes(each)
            lines.append(f"add-symbol-file {file} {core.code_address(each):#x}")
        file = pathlib.Path(folder, "commands")
        lines += [f"source {COMMANDS}", "cuda", "frame"]
        file.write_text("set confirm off\nset debuginfod enabled off\n" + "\n".join(lines) + "\n")
        print(description)
        return run.wait(subprocess.Popen([debugger, *_gdb_options(given, str(file))]))


def _commands(debugger: str, environment: Mapping[str, str]) -> str:
    """Return what the debugger executes first: the program gets an environment that the debugger itself must not have.

    gdb has a Python of its own, which our search paths would confuse.
    """
    changed = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    if debugger == "lldb":
        return "".join(f"settings set target.env-vars {name}={_quoted(value)}\n" for name, value in changed.items())
    return SETTINGS + "".join(f"set environment {name} {value}\n" for name, value in changed.items())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _options(given: argparse.Namespace, file: str) -> list[str]:
    if given.debugger == "lldb":
        first = ["-s", file, "-O", "settings set plugin.jit-loader.gdb.enable on"]
        more = [word for each in given.files for word in ("-s", each)]
        more += [word for each in given.lines for word in ("-o", each)]
        return [*first, *more, *(["--batch"] if given.batch else []), "--"]
    return [*_gdb_options(given, file, str(COMMANDS)), "--args"]


def _gdb_options(given: argparse.Namespace, *files: str) -> list[str]:
    options = ["-q", *(["-batch"] if given.batch else [])]
    options += [word for each in (*files, *given.files) for word in ("-x", each)]
    return options + [word for each in given.lines for word in ("-ex", each)]
