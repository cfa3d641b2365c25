# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile one file of a whole program to an object, PTX or a fatbin."""

from __future__ import annotations

import itertools
import os
import re
import struct
from collections.abc import Iterator

from cuda.core._program._clang._attributes import ANNOTATIONS, with_attributes, with_register_limit
from cuda.core._program._clang._cccl import folder_options
from cuda.core._program._clang._find import ENVIRONMENT, headers
from cuda.core._program._clang._managed import has_managed, with_managed
from cuda.core._program._clang._ptx_version import version_options, without_toolkit
from cuda.core._program._clang._units import unit_assembly, unit_options, unit_ptx
from cuda.core._program._clang._whole_options import Command
from cuda.core._program._clang._whole_tools import Tools

HOST_ONLY = (".cpp", ".cc", ".cxx", ".C")
_FIRST = ("-include", os.path.join(headers(), "cuda_runtime.h"))  # before those that the user includes
_REGISTRATION = re.compile(rb"^\t\.(?:quad|xword)\t__cuda_module_ctor\n", re.MULTILINE)


def _common(command: Command, tools: Tools, path: str, kind: str) -> list[str]:
    """Return the beginning of both compilations of a file of C++."""
    # 12.0 selects the functions that launches are made of.
    return [
        *tools.clang, *tools.host, "-x", "cuda", f"--cuda-gpu-arch={command.arch}", "-nocudainc", "-nocudalib",
        "--no-default-config", "-fdeclspec", "-Xclang", "-target-sdk-version=12.0",
        *without_toolkit(), "-I", headers(), "-D__OPEN_CUDA_PROGRAM__", "-std=c++17", "-O3",
        *folder_options(folders(command.both)), *(() if kind in HOST_ONLY else _FIRST), *command.both,
        *(unit_options(path, [*command.both, *command.device, *command.host]) if command.relocatable else ()),
    ]  # fmt: skip


def _for_host(command: Command) -> list[str]:
    # Kernels are parsed for the host, too: with the same functions of the device headers.
    # Overflow of integers wraps: nvcc does not optimise host code unless told to, and programs rely on that.
    return ["--cuda-host-only", "-fwrapv", f"-D__OPEN_CUDA_ARCH={_number(command.arch)}0"]


def output_path(command: Command, path: str, suffix: str) -> str:
    """Return the path of the output for a source file, if -o does not name it."""
    return os.path.join(command.folder, os.path.splitext(os.path.basename(path))[0] + suffix)


def preprocess(command: Command, tools: Tools, path: str, kind: str) -> None:
    """Write what -E, -M or -MM asks for."""
    common = [*_common(command, tools, path, kind), *_for_host(command), *command.host]
    options = [*tools.clang, *tools.host, *_of_c(command)] if kind == ".c" else common
    output = ["-o", command.output] if command.output else []
    target = ["-MT", output_path(command, path, ".o")] if command.folder and command.stop != "-E" else []
    tools.run([*options, command.stop, *command.dependencies, *target, path, *output], **ENVIRONMENT)


def _dependencies(command: Command, path: str, output: str) -> list[str]:
    """Return the options with which a compilation for the host writes the file's rule for make."""
    given = command.dependencies
    if not {"-MD", "-MMD"} & set(given):
        return []
    stem = os.path.splitext(output if command.stop else output_path(command, path, ".o"))[0]
    target = [] if {"-MT", "-MQ"} & set(given) else ["-MT", output if command.stop else f"{stem}.o"]
    return [*given, *target, *([] if "-MF" in given else ["-MF", f"{stem}.d"])]


def compile_file(command: Command, tools: Tools, path: str, kind: str, output: str, work: str) -> None:
    rule = _dependencies(command, path, output)
    if kind == ".c":
        tools.run([*tools.clang, *tools.host, *_of_c(command), *rule, "-c", path, "-o", output], **ENVIRONMENT)
        return
    common, for_host = _common(command, tools, path, kind), [*_for_host(command), *rule]
    if kind in HOST_ONLY:
        tools.run([*common, *for_host, *command.host, "-c", path, "-o", output], **ENVIRONMENT)
        return
    ptx = output if command.stop == "-ptx" else f"{work}.ptx"
    quiet = [] if command.stop in ("-ptx", "-fatbin") else ["-w"]  # warnings come from the second compilation
    version = version_options(tools.version, command.arch)
    for_device = [*common, "--cuda-device-only", *version, *quiet, *command.device, path]
    tools.run([*for_device, "-S", "-o", ptx], **ENVIRONMENT)
    _finish(command, tools, for_device, ptx, f"{work}.ll")
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
    quiet = ["-Wa,--no-warn"]  # clang's files for debuggers have checksums of some sources only
    tools.run([*tools.clang, *tools.host, *quiet, "-x", "assembler", "-c", assembly, "-o", output], **ENVIRONMENT)


def folders(options: list[str]) -> Iterator[str]:
    """Yield the folders to include from that options name."""
    for option, following in itertools.zip_longest(options, options[1:], fillvalue=""):
        if option.startswith("-I"):
            yield option[2:]
        elif option == "-isystem":
            yield following


def _managed(command: Command, tools: Tools, for_host: list[str], ptx: str, ir: str) -> list[str]:
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


def _finish(command: Command, tools: Tools, for_device: list[str], ptx: str, ir: str) -> None:
    """Add to a file of PTX what clang does not translate: attributes, the limit of registers; `ir` is for LLVM IR."""

    def annotations() -> str:
        tools.run([*for_device, "-w", *ANNOTATIONS, "-o", ir], **ENVIRONMENT)
        with open(ir) as file:
            return file.read()

    with open(ptx, "r+") as file:
        text = file.read()
        changed = with_attributes(text, annotations)
        changed = with_register_limit(changed, command.registers) if command.registers else changed
        changed = unit_ptx(changed) if command.relocatable else changed
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
