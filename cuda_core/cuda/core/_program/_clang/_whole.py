# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whole CUDA C++ programs, with host code: `python -m cuda.cpu cc program.cu -o program`.

clang compiles each file twice: for the device to PTX, which becomes a fatbin, then for the host, with the code that
registers the fatbin. The program is linked with the runtime library that the caller names.
"""

from __future__ import annotations

import os
import sys
import tempfile

from cuda.core._errors import ClangError
from cuda.core._program._clang import _openmp
from cuda.core._program._clang._find import ENVIRONMENT, find
from cuda.core._program._clang._units import UNITS
from cuda.core._program._clang._whole_file import HOST_ONLY, compile_file, folders, output_path, preprocess
from cuda.core._program._clang._whole_options import Command, parse
from cuda.core._program._clang._whole_tools import ToolError, Tools
from cuda.core._program._clang._whole_words import UsageError

USAGE = """usage: python -m cuda.cpu cc FILE... [-o PROGRAM] [OPTION]...

Compile a CUDA C++ program with its host code by clang, and link it with the CPU device's runtime library.
Files: .cu, .cpp (.cc, .cxx: host code only), .c, .o, .a, .so.

  -o FILE, -odir FOLDER              the output; the folder of outputs without -o
  -c, -ptx, -fatbin                  compile only; PTX only; a fatbin with the PTX only
  -E, -M, -MM                        preprocess only; print rules for make
  -MD, -MMD, -MF, -MT, -MP           write rules for make
  -x cu|c++|c                        the language of all files
  -optf FILE                         more options, which the file contains
  -rdc=true, -dc                     device code that uses functions and variables of other files; with -c
  -arch=sm_NN, -gencode              the device's architecture, by default sm_75
  -O0 ... -O3, -std=c++NN, -D, -U, -I, -isystem, -include, -w, -W...   for host and device; by default -O3, C++17
  -Werror[=KIND], -fmax-errors, -ftemplate-depth                       messages of host and device code
  -G, -lineinfo, -use_fast_math, -ftz=, -prec-div=, -prec-sqrt=, -fmad=, -maxrregcount=   device code, as with nvcc
  -g, -pg, -noeh, -f..., -Xcompiler OPTION,...   host code; with -fopenmp, OpenMP
  -forward-unknown-to-host-compiler  other options are for host code; ...-linker, for the linker
  -L, -l, -shared, -pthread, -Wl,OPTION, -Xlinker OPTION   the linker
  -default-stream=legacy|per-thread
  -v, -V                             print the commands; the version of clang
"""
_LINKED = (".o", ".a", ".so")


def main(arguments: list[str], libraries: list[str], environment: dict[str, str]) -> int:
    """Compile and link as a command line says, and return the exit status.

    Parameters
    ----------
    arguments : list of str
        The command line.
    libraries : list of str
        Paths of the runtime library, and of the driver's library.
    environment : dict
        Variables that the libraries need; the program sets those that are not set.
    """
    try:
        command = parse(arguments)
        if command.help:
            print(USAGE, end="")
            return 0
        if command.version:
            print(find()[1].splitlines()[0])
            return 0
        _check(command)
        with tempfile.TemporaryDirectory(prefix="cuda-cpu-cc-") as work:
            _build(command, Tools(command.verbose), work, libraries, environment)
    except (UsageError, ClangError, OSError) as error:
        print(f"python -m cuda.cpu cc: {error}", file=sys.stderr)
        return 1 if getattr(error, "name", "") == "CLANG_ERROR_COMPILATION" else 2
    except ToolError as error:
        if text := str(error):
            print(f"python -m cuda.cpu cc: {text}", file=sys.stderr)
        return 1
    return 0


def _kind(command: Command, path: str) -> str:
    """Return the extension that says what a file is; libraries may have versions behind theirs."""
    kind = ".so" if ".so." in path else os.path.splitext(path)[1]
    return command.language or kind if kind not in _LINKED else kind


def _check(command: Command) -> None:
    if not command.inputs:
        raise UsageError("no input file; -h lists the options")
    for path in command.inputs:
        kind = _kind(command, path)
        if kind not in (".cu", ".c", *HOST_ONLY, *_LINKED):
            raise UsageError(f"{path}: not a .cu, .cpp, .c, .o, .a or .so file")
        if not os.path.isfile(path):
            raise UsageError(f"there is no file {path}")
        if command.output and os.path.realpath(path) == os.path.realpath(command.output):
            raise UsageError(f"-o {command.output} would overwrite an input file")
    sources = [path for path in command.inputs if _kind(command, path) not in _LINKED]
    if command.stop and command.output and len(sources) > 1:
        raise UsageError(f"{command.stop} with -o needs exactly one source file")


def _add_openmp(command: Command) -> None:
    """Add the options with which host code is compiled and linked with OpenMP."""
    named = [option[2:] for option in command.link if option.startswith("-L")]
    found = _openmp.find(list(folders(command.both)), named)
    if found is None:
        raise UsageError(_openmp.MISSING)
    header, library = found
    command.both += ["-idirafter", os.path.dirname(header)]  # the folder may have headers of another clang
    command.host.append("-fopenmp")
    command.link = [option for option in command.link if option not in _openmp.NAMES]
    command.link += [library, f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}", "-pthread"]


def _build(command: Command, tools: Tools, work: str, libraries: list[str], environment: dict[str, str]) -> None:
    if command.openmp:
        _add_openmp(command)
    objects = []
    for index, path in enumerate(command.inputs):
        kind = _kind(command, path)
        if kind in _LINKED:
            objects.append(path)
            continue
        if command.stop in ("-E", "-M", "-MM"):
            preprocess(command, tools, path, kind)
            continue
        output = os.path.join(work, f"{index}.o")
        if suffix := {"-c": ".o", "-ptx": ".ptx", "-fatbin": ".fatbin"}.get(command.stop):
            output = command.output or output_path(command, path, suffix)
        compile_file(command, tools, path, kind, output, os.path.join(work, str(index)))
        objects.append(output)
    if command.stop:
        return
    start = os.path.join(work, "environment.c")
    with open(start, "w") as file:
        file.write(_environment(environment))
    tools.run([*tools.clang, *tools.host, "-x", "c", "-c", start, "-fPIC", "-o", f"{start}.o"], **ENVIRONMENT)
    objects += [f"{start}.o", *command.link, "-Wl,--as-needed", *libraries, "-Wl,--no-as-needed"]
    paths = [f"-Wl,-rpath,{os.path.dirname(path)}" for path in libraries]
    tools.run([*tools.linker, *objects, *paths, "-lm", "-ldl", "-o", command.output or "a.out"])


def _environment(variables: dict[str, str]) -> str:
    """Return C that runs before other initialisation: sets variables that are not set, and registers units."""

    def quoted(text: str) -> str:
        return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'

    lines = [f"    setenv({quoted(name)}, {quoted(value)}, 0);\n" for name, value in variables.items()]
    return (
        f"{UNITS}\nextern int setenv(const char *, const char *, int);\n"
        f"__attribute__((constructor(101))) static void set_environment(void) {{\n{''.join(lines)}}}\n"
    )
