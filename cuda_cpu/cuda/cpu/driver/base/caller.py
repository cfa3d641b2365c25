# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the library that calls libcuda.so.1 (the next one on the stack), to name it in messages."""

from __future__ import annotations

import ctypes

MOST_FRAMES = 100


class _SymbolInfo(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = (
        ("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p),
    )  # fmt: skip


def library() -> str:
    """Return the path of the library, "" if it is unknown (C libraries without backtrace)."""
    process = ctypes.CDLL(None)
    try:
        backtrace, dladdr = process.backtrace, process.dladdr
    except AttributeError:
        return ""
    frames = (ctypes.c_void_p * MOST_FRAMES)()
    below = False
    for frame in frames[: backtrace(frames, MOST_FRAMES)]:
        info = _SymbolInfo()
        path = (dladdr(ctypes.c_void_p(frame), ctypes.byref(info)) and info.file) or b""
        if path.endswith(b"/libcuda.so.1"):
            below = True
        elif below:
            return path.decode(errors="replace")
    return ""
