# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whole CUDA C++ programs, with host code: `python -m cuda.cpu cc program.cu -o program`.

clang compiles each file twice: for the device to PTX, which becomes a fatbin, then for the host, with the code that
registers the fatbin. The program is linked with the runtime library that the caller names.
"""

from __future__ import annotations

import itertools
import os
import platform
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from cuda.core._errors import ClangError
from cuda.core._program._clang import _openmp
from cuda.core._program._clang._attributes import ANNOTATIONS, with_attributes
from cuda.core._program._clang._cccl import folder_options
from cuda.core._program._clang._find import ENVIRONMENT, find, headers
from cuda.core._program._clang._managed import has_managed, with_managed
from cuda.core._program._clang._ptx_version import version_options, without_toolkit
from cuda.core._program._clang._units import UNITS, unit_assembly, unit_options, unit_ptx
from cuda.core._program._clang._whole_options import Command, UsageError, parse

USAGE = """usage: python -m cuda.cpu cc FILE... [-o PROGRAM] [OPTION]...

Compile a CUDA C++ program with its host code by clang, and link it with the CPU device's runtime library.
Files: .cu, .cpp (.cc, .cxx: host code only), .c, .o, .a, .so.

  -o FILE, -c, -ptx, -fatbin         the output; compile only; PTX only; a fatbin with the PTX only
  -rdc=true, -dc                     device code that uses functions and variables of other files; with -c
  -arch=sm_NN                        the device's architecture, by default sm_75
  -O0 ... -O3, -std=c++NN, -D, -U, -I, -isystem, -include, -w, -W...   for host and device; by default -O3, C++17
  -G, -lineinfo, -use_fast_math, -ftz=, -prec-div=, -prec-sqrt=, -fmad=   device code, as with nvcc
  -g, -f..., -Xcompiler OPTION,...   host code; with -fopenmp, OpenMP
  -L, -l, -shared, -pthread, -Wl,OPTION, -Xlinker OPTION   the linker
  -default-stream=legacy|per-thread
  -v                                 print the commands
"""
_HOST_ONLY = (".cpp", ".cc", ".cxx", ".C")
_LINKED = (".o", ".a", ".so")
_FIRST = ("-include", os.path.join(headers(), "cuda_runtime.h"))  # before those that the user includes
_REGISTRATION = re.compile(rb"^\t\.(?:quad|xword)\t__cuda_module_ctor\n", re.MULTILINE)
_CXX_LIBRARIES = ("g++", "c++")  # linkers that know the system's C++ library


class _Tools:
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
            raise _ToolError(status, arguments[0])


class _ToolError(Exception):
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
        _check(command)
        with tempfile.TemporaryDirectory(prefix="cuda-cpu-cc-") as work:
            _build(command, _Tools(command.verbose), work, libraries, environment)
    except (UsageError, ClangError, OSError) as error:
        print(f"python -m cuda.cpu cc: {error}", file=sys.stderr)
        return 1 if getattr(error, "name", "") == "CLANG_ERROR_COMPILATION" else 2
    except _ToolError as error:
        if text := str(error):
            print(f"python -m cuda.cpu cc: {text}", file=sys.stderr)
        return 1
    return 0


def _check(command: Command) -> None:
    if not command.inputs:
        raise UsageError("no input file; -h lists the options")
    for path in command.inputs:
        kind = os.path.splitext(path)[1]
        if kind not in (".cu", ".c", *_HOST_ONLY, *_LINKED) and ".so." not in path:
            raise UsageError(f"{path}: not a .cu, .cpp, .c, .o, .a or .so file")
        if not os.path.isfile(path):
            raise UsageError(f"there is no file {path}")
        if command.output and os.path.realpath(path) == os.path.realpath(command.output):
            raise UsageError(f"-o {command.output} would overwrite an input file")
    sources = [path for path in command.inputs if not path.endswith(_LINKED) and ".so." not in path]
    if command.stop and command.output and len(sources) > 1:
        raise UsageError(f"{command.stop} with -o needs exactly one source file")


def _add_openmp(command: Command) -> None:
    """Add the options with which host code is compiled and linked with OpenMP."""
    named = [option[2:] for option in command.link if option.startswith("-L")]
    found = _openmp.find(list(_folders(command.both)), named)
    if found is None:
        raise UsageError(_openmp.MISSING)
    header, library = found
    command.both += ["-idirafter", os.path.dirname(header)]  # the folder may have headers of another clang
    command.host.append("-fopenmp")
    command.link = [option for option in command.link if option not in _openmp.NAMES]
    command.link += [library, f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}", "-pthread"]


def _build(command: Command, tools: _Tools, work: str, libraries: list[str], environment: dict[str, str]) -> None:
    if command.openmp:
        _add_openmp(command)
    objects = []
    for index, path in enumerate(command.inputs):
        stem, kind = os.path.splitext(path)
        if kind in _LINKED or ".so." in path:
            objects.append(path)
            continue
        suffix = {"-c": ".o", "-ptx": ".ptx", "-fatbin": ".fatbin"}.get(command.stop)
        output = command.output or os.path.basename(stem) + suffix if suffix else os.path.join(work, f"{index}.o")
        _compile(command, tools, path, kind, output, os.path.join(work, str(index)))
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


def _compile(command: Command, tools: _Tools, path: str, kind: str, output: str, work: str) -> None:
    if kind == ".c":
        tools.run([*tools.clang, *tools.host, *_of_c(command), "-c", path, "-o", output], **ENVIRONMENT)
        return
    # 12.0 selects the functions that launches are made of.
    common = [
        *tools.clang, *tools.host, "-x", "cuda", f"--cuda-gpu-arch={command.arch}", "-nocudainc", "-nocudalib",
        "--no-default-config", "-fdeclspec", "-Xclang", "-target-sdk-version=12.0",
        *without_toolkit(), "-I", headers(), "-D__OPEN_CUDA_PROGRAM__", "-std=c++17", "-O3",
        *folder_options(_folders(command.both)), *(() if kind in _HOST_ONLY else _FIRST), *command.both,
        *(unit_options(path, [*command.both, *command.device, *command.host]) if command.relocatable else ()),
    ]  # fmt: skip
    # Kernels are parsed for the host, too: with the same functions of the device headers.
    # Overflow of integers wraps: nvcc does not optimise host code unless told to, and programs rely on that.
    for_host = ["--cuda-host-only", "-fwrapv", f"-D__OPEN_CUDA_ARCH={_number(command.arch)}0"]
    if kind in _HOST_ONLY:
        tools.run([*common, *for_host, *command.host, "-c", path, "-o", output], **ENVIRONMENT)
        return
    ptx = output if command.stop == "-ptx" else f"{work}.ptx"
    quiet = [] if command.stop in ("-ptx", "-fatbin") else ["-w"]  # warnings come from the second compilation
    version = version_options(tools.version, command.arch)
    for_device = [*common, "--cuda-device-only", *version, *quiet, *command.device, path]
    tools.run([*for_device, "-S", "-o", ptx], **ENVIRONMENT)
    _finish(tools, for_device, ptx, f"{work}.ll", command.relocatable)
    if command.stop == "-ptx":
        return
    image = output if command.stop == "-fatbin" else f"{work}.fatbin"
    with open(ptx, "rb") as file, open(image, "wb") as made:
        code = file.read()
        made.write(fatbin(code, command.arch))
    if command.stop == "-fatbin":
        return
    include = ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", image]
    assembly = f"{work}.s"
    for_host = [*common, *for_host, *include, *command.host]
    if has_managed(code.decode()):
        source = _managed(command, tools, [*for_host, path], code.decode(), f"{work}.host.ll")
    else:
        source = [*for_host, path]
    tools.run([*source, "-S", "-o", assembly], **ENVIRONMENT)
    with open(assembly, "r+b") as file:
        text = registered_first(file.read())
        text = unit_assembly(text, code.decode()) if command.relocatable else text
        file.seek(0)
        file.write(text)
        file.truncate()
    tools.run([*tools.clang, *tools.host, "-x", "assembler", "-c", assembly, "-o", output], **ENVIRONMENT)


def _folders(options: list[str]) -> Iterator[str]:
    """Yield the folders to include from that options name."""
    for option, following in itertools.zip_longest(options, options[1:], fillvalue=""):
        if option.startswith("-I"):
            yield option[2:]
        elif option == "-isystem":
            yield following


def _managed(command: Command, tools: _Tools, for_host: list[str], ptx: str, ir: str) -> list[str]:
    """Write the LLVM IR of host code with managed variables, and return what compiles it further."""
    quiet = "-Wno-unused-command-line-argument"  # which options of host code matter for LLVM IR is clang's to know
    tools.run([*for_host, quiet, *ANNOTATIONS, "-o", ir], **ENVIRONMENT)
    with open(ir, "r+") as file:
        text = with_managed(file.read(), ptx)
        file.seek(0)
        file.write(text)
        file.truncate()
    level = [option for option in command.both if option.startswith("-O")]
    return [*tools.clang, *tools.host, "-O3", *level, *command.host, quiet, "-x", "ir", ir]


def _finish(tools: _Tools, for_device: list[str], ptx: str, ir: str, relocatable: bool) -> None:
    """Add the attributes that clang does not translate to a file of PTX; `ir` is for clang's LLVM IR."""

    def annotations() -> str:
        tools.run([*for_device, "-w", *ANNOTATIONS, "-o", ir], **ENVIRONMENT)
        with open(ir) as file:
            return file.read()

    with open(ptx, "r+") as file:
        text = file.read()
        changed = with_attributes(text, annotations)
        changed = unit_ptx(changed) if relocatable else changed
        if changed != text:
            file.seek(0)
            file.write(changed)
            file.truncate()


def registered_first(assembly: bytes) -> bytes:
    """Let a program register its code before other initialisation, which may launch kernels; clang does so later."""
    found = _REGISTRATION.search(assembly)
    if found is None:
        return assembly
    section = b'\t.section\t.init_array.00101,"aw",@init_array\n\t.p2align\t3\n'
    return _REGISTRATION.sub(b"", assembly) + section + found[0]


def _of_c(command: Command) -> list[str]:
    """Return the options of a compilation of C."""
    return [
        "-x",
        "c",
        "-O3",
        *(each for each in command.both if not each.startswith(("-std=", "-fgpu"))),
        *command.host,
    ]


def _number(arch: str) -> int:
    return int("".join(filter(str.isdigit, arch)))


def fatbin(ptx: bytes, arch: str) -> bytes:
    """Return a fatbin with one PTX, not compressed."""
    text = ptx + b"\0"
    padded = text.ljust(-(-len(text) // 8) * 8, b"\0")
    # Kind (PTX), version, size of this header, size of the content, three fields of compression, version 8.0 of PTX,
    # architecture, and fields that are 0 where the content is not compressed.
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(padded), 0, 0, 0, 8, _number(arch), 0, 0, 0, 0, 0) + padded
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
