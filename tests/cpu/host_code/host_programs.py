# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers for host code tests: build a fatbin, compile a program with gcc or nvcc, and run it on the CPU device."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

from cuda.cpu.programs import machine_code

HERE = pathlib.Path(__file__).parent

PTX = """.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 cell = 10;
.visible .global .attribute(.managed) .align 4 .u32 managed = 77;
.visible .entry add(.param .u32 value) {
    .reg .u32 %r<2>;
    .reg .u64 %rd<1>;
    ld.param.u32 %r0, [value];
    mov.u64 %rd0, cell;
    atom.global.add.u32 %r1, [%rd0], %r0;
    ret;
}
.visible .entry crash(.param .u32 value) {
    .reg .u32 %r<1>;
    .reg .u64 %rd<1>;
    mov.u64 %rd0, 64;
    st.global.u32 [%rd0], 1;
    ret;
}
"""


def entry(kind: int, arch: int, content: bytes) -> bytes:
    """Return one uncompressed image of a fatbin: see cuda.cpu.ptx.image.fatbin."""
    padded = content.ljust(-(-len(content) // 8) * 8, b"\0")
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), 0, 0, 0, 8, arch, 0, 0, 0, 0, 0) + padded


def fatbin(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def array(name: str, data: bytes) -> str:
    numbers = ", ".join(map(str, struct.unpack(f"<{len(data) // 8}Q", data)))
    return f"static const unsigned long long {name}[] = {{{numbers}}};\n"


def image(*linked: bytes, data: bytes) -> str:
    """Return the text of image.h, which defines IMAGE (a fatbin) and LINKED (the fatbins that it was linked from)."""
    text = array("IMAGE", data)
    for i, each in enumerate(linked):
        text += array(f"PART{i}", each)
    if linked:
        parts = ", ".join(f"PART{i}" for i in range(len(linked)))
        text += f"static const void *LINKED[] = {{{parts}, 0}};\n#define LINKED LINKED\n"
    return text


def c_compiler() -> str:
    found = shutil.which("gcc") or shutil.which("cc")
    if found is None:
        pytest.skip("there is no C compiler")
    return found


def compile_c(folder: pathlib.Path, source: str, header: str, library: str, *options: str) -> pathlib.Path:
    """Compile a program and link it to a stub library of that name, whose functions are empty.

    In a stub of libcudart, as in NVIDIA's library, the symbols are versioned.
    """
    folder.mkdir(exist_ok=True)
    (folder / "image.h").write_text(header)
    text = (HERE / source).read_text()
    names = re.findall(r"^extern [^(]*?(\w+)\(", text, re.MULTILINE)
    (folder / "empty.c").write_text("".join(f"void {name}(void) {{}}\n" for name in names))
    (folder / "versions").write_text(f"{library} {{ global: *; }};\n")
    version = [f"-Wl,--version-script={folder / 'versions'}"] if "cudart" in library else []
    shared = ["-shared", "-fPIC", f"-Wl,-soname,{library}", *version, "-o", str(folder / library)]
    subprocess.run([c_compiler(), *shared, str(folder / "empty.c")], check=True)
    program = folder / pathlib.Path(source).stem
    inputs = [str(HERE / source), str(folder / library)]
    subprocess.run(
        [c_compiler(), "-O1", "-Wall", "-Werror", f"-I{folder}", "-o", str(program), *inputs, *options], check=True
    )
    (folder / library).unlink()
    return program


def environment(variables: dict[str, str]) -> dict[str, str]:
    """Return the environment for a program: without CUDA_CPU_LOG, since log messages would be in its output."""
    return {name: value for name, value in os.environ.items() if name != "CUDA_CPU_LOG"} | variables


def run(program: pathlib.Path, *arguments: str, options: tuple[str, ...] = (), command: str = "run", **variables: str):
    """Run a program with `python -m cuda.cpu run`, or another command."""
    try:
        machine_code.python_library(None)
    except machine_code.MachineCodeError as error:
        pytest.skip(str(error))
    words = [sys.executable, "-m", "cuda.cpu", command, *options, str(program), *arguments]
    return subprocess.run(words, capture_output=True, text=True, env=environment(variables), timeout=100)
