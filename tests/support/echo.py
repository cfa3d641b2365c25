# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build and use an echo library: a fake C library of an API that records the arguments of each call."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shlex
import subprocess

MAX_ARGS, MAX_MEMORY = 24, 4096  # as in echo.h
HERE = pathlib.Path(__file__).parent


class Argument(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("raw", ctypes.c_ubyte * 512),
        ("memory_size", ctypes.c_size_t),
        ("memory", ctypes.c_ubyte * MAX_MEMORY),
    ]


class Record(ctypes.Structure):
    _fields_ = [("symbol", ctypes.c_char_p), ("count", ctypes.c_size_t), ("arguments", Argument * MAX_ARGS)]


def compile_c(source: str, library: pathlib.Path, *flags: str) -> pathlib.Path:
    """Compile C text into a shared library and return its path."""
    path = library.with_suffix(".c")
    path.write_text(source)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [*compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-w", f"-I{HERE}", *flags, str(path)]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library


class Echo:
    """An open echo library."""

    def __init__(self, path: str | os.PathLike):
        self.library = ctypes.CDLL(str(path))
        self.record = Record.in_dll(self.library, "echo_record")

    def set_status(self, status: int) -> None:
        ctypes.c_int.in_dll(self.library, "echo_status").value = status

    def hide(self, symbol: str | None) -> None:
        """Let cuGetProcAddress not find a symbol."""
        self.hidden = symbol.encode() if symbol else None
        ctypes.c_char_p.in_dll(self.library, "echo_hidden").value = self.hidden

    def raw(self, k: int) -> bytes:
        """Return argument `k` as C received it."""
        argument = self.record.arguments[k]
        return bytes(argument.raw[: argument.size])

    def memory(self, k: int) -> bytes:
        """Return what argument `k` pointed to."""
        argument = self.record.arguments[k]
        return bytes(argument.memory[: argument.memory_size])


def pattern(k: int, size: int) -> bytes:
    """Return what an echo library writes through argument `k`."""
    return bytes(0x81 + (5 * k + 3 * j) % 0x6F for j in range(size))
