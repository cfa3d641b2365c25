# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run compiled programs (ELF executables) on the CPU device: checks of the program, environment variables.

The dynamic loader finds our libcuda.so.1 and libcudart.so.13 in a folder that LD_LIBRARY_PATH names first. At the first
call of either, it loads libpython and programs/embed/libcuda_cpu_python.so, which starts an interpreter
(entry/embedded.c).
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from typing import Any

from cuda.cpu.compile import machines

MAGIC = b"\x7fELF"
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH = 1, 5, 15, 29

# The soname of our libcudart: the one that nvcc of CUDA 13 links.
RUNTIME = "libcudart.so.13"

PYTHON, LIBRARY = "CUDA_CPU_PYTHON", "CUDA_CPU_LIBPYTHON"

# Code that another interpreter runs: prints the result of `about`.
_PROBE = (
    "import json, sys, sysconfig; print(json.dumps([sys.executable, *sys.version_info[:2], sys.abiflags, "
    "sys.base_prefix, *map(sysconfig.get_config_var, ('INSTSONAME', 'LIBDIR', 'MULTIARCH'))]))"
)


class MachineCodeError(Exception):
    """A program cannot be run; the message says why."""


def is_machine_code(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == MAGIC


def _segments(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield type, offset in the file, address and size of each segment (Elf64_Phdr)."""
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", data, table + i * size)
        yield kind, offset, address, in_file


def dynamic(data: bytes) -> dict[int, list[str]]:
    """Return the DT_NEEDED, DT_RPATH and DT_RUNPATH entries of a program by tag."""
    segments = list(_segments(data))
    entries, table = [], 0
    for kind, offset, _, size in segments:
        if kind == PT_DYNAMIC:
            for tag, value in struct.iter_unpack("<QQ", data[offset : offset + size - size % 16]):
                if tag in (DT_NEEDED, DT_RPATH, DT_RUNPATH):
                    entries.append((tag, value))
                elif tag == DT_STRTAB:
                    table = value
    found: dict[int, list[str]] = {DT_NEEDED: [], DT_RPATH: [], DT_RUNPATH: []}
    for kind, offset, address, size in segments:
        if kind == PT_LOAD and address <= table < address + size:
            for tag, name_offset in entries:
                start = offset + table - address + name_offset
                found[tag].append(data[start : data.index(b"\0", start)].decode("utf-8", "replace"))
    return found


def before_ours(path: pathlib.Path, found: dict[int, list[str]]) -> str | None:
    """Return the library that a program finds before ours: in its RPATH, which comes before LD_LIBRARY_PATH."""
    folders = [] if found[DT_RUNPATH] else [entry for paths in found[DT_RPATH] for entry in paths.split(":")]
    for folder in folders:
        for name in (RUNTIME, "libcuda.so.1"):
            library = os.path.join(re.sub(r"\$(ORIGIN|\{ORIGIN\})", str(path.parent), folder), name)
            if name in found[DT_NEEDED] and os.path.exists(library):
                return library
    return None


def check(path: pathlib.Path) -> None:
    """Raise an error unless a file is a program that can run on the CPU device.

    Raises
    ------
    MachineCodeError
        It is not a program, is for another machine, is linked statically, or needs another version of libcudart.
    """
    data = path.read_bytes()
    try:
        machine = machines.host()
        if data[4] != 2 or struct.unpack_from("<H", data, 18)[0] != machine.elf:
            raise MachineCodeError(f"{path} is for another machine than this one, {machine.name}")
        if PT_INTERP not in {kind for kind, *_ in _segments(data)}:
            raise MachineCodeError(
                f"{path} is a library, or a program that is linked statically: it loads no libraries"
            )
        found = dynamic(data)
    except (struct.error, IndexError, ValueError):
        raise MachineCodeError(f"{path} is damaged: its ELF headers lead out of the file") from None
    runtimes = [name for name in found[DT_NEEDED] if name.startswith("libcudart.so")]
    if any(name != RUNTIME for name in runtimes):
        raise MachineCodeError(
            f"{path} needs {', '.join(runtimes)}; the CPU device has {RUNTIME}: compile it with nvcc of CUDA 13"
        )
    if first := before_ours(path, found):
        raise MachineCodeError(
            f"{path} finds {first} before that of the CPU device, by its RPATH: link it without, or with "
            "-Xlinker --enable-new-dtags, or patchelf --remove-rpath it"
        )


def about(python: str | None) -> list[Any]:
    """Return the path of an interpreter (None: this one), and its settings for the location of libpython."""
    if python is None:
        config = map(sysconfig.get_config_var, ("INSTSONAME", "LIBDIR", "MULTIARCH"))
        return [sys.executable, *sys.version_info[:2], sys.abiflags, sys.base_prefix, *config]
    answer = subprocess.run([python, "-I", "-c", _PROBE], capture_output=True, text=True, check=True).stdout
    return json.loads(answer)


def python_library(python: str | None) -> tuple[str, str]:
    """Return the path of an interpreter and that of its library.

    Raises
    ------
    MachineCodeError
        The interpreter has no shared library.
    """
    executable, major, minor, flags, base, soname, folder, machine = about(python)
    name = f"libpython{major}.{minor}{flags}.so.1.0"
    names = [each for each in (soname, name) if each and ".so" in each]
    for directory in (folder, f"{folder}/{machine}", f"{base}/lib", f"{base}/lib64", f"/usr/lib/{machine}"):
        for each in names:
            if directory and os.path.exists(found := os.path.join(directory, each)):
                return executable, found
    raise MachineCodeError(
        f"programs that are machine code need Python as a library, {name}, and {executable} has none: install it "
        f"(Debian, Ubuntu: libpython{major}.{minor}), or use a Python that was built with --enable-shared"
    )


def name_python(variables: dict[str, str], python: str | None) -> None:
    """Set the environment variables by which a program without Python, or its child processes, find it."""
    variables[PYTHON], variables[LIBRARY] = python_library(python)


def extend(variables: dict[str, str], folder: pathlib.Path, python: str | None) -> None:
    """Add our libraries, first in LD_LIBRARY_PATH, and the location of Python to a program's environment."""
    name_python(variables, python)
    search = variables.get("LD_LIBRARY_PATH", "")
    variables["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder / "lib"), *([search] if search else [])])
