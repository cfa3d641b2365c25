# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs for a debugger of kernels on the CPU device, or for core dumps: see `cuda.cpu.debug`.

They are compiled with -G unless their options say how, to PTX, which has the names and locations of variables; a cubin
has not. Their lines are those of the Python file with the literal that holds the program, or of a file with its text.
"""

from __future__ import annotations

import copy
import hashlib
import os
from typing import TYPE_CHECKING

from cuda.core._program import _diagnostics

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

VARIABLE, FOLDER = "CUDA_CPU_DEBUG", "CUDA_CPU_DEBUG_FOLDER"
CORE = "CUDA_ENABLE_COREDUMP_ON_EXCEPTION"


def active() -> bool:
    """Return whether kernels on the CPU device are compiled for a debugger."""
    value = os.environ.get(VARIABLE, "")
    if value != "1" and (value or os.environ.get(CORE) != "1"):
        return False
    from cuda.bindings import _loader

    return bool(_loader.is_cpu())


def prepared(code: bytes, name: str, options: ProgramOptions) -> tuple[bytes, ProgramOptions]:
    """Return a C++ program with the lines and options for a debugger."""
    if options.debug is None and options.lineinfo is None:
        options = copy.copy(options)
        options.debug = True
    if os.path.isfile(name):
        return code, options
    text = code.decode(errors="replace")
    path, line = _diagnostics.find_literal(text) or (_file_of(text, name), 1)
    if not path:
        return code, options
    quoted = os.path.abspath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{quoted}"\n'.encode() + code, options


def _file_of(text: str, name: str) -> str:
    """Return the path of a file with the program, in the folder of the debugger's session; "" if there is none."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return ""
    base = os.path.basename(name) or "program"
    path = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest()[:12], base)
    if not os.path.splitext(base)[1]:
        path += ".cu"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path
