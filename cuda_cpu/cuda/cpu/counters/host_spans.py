# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""When driver calls and NVTX ranges began and ended: libcuda.so.1 records them (entry/spans.c, entry/nvtx.c)."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import threading
from collections.abc import Iterator

from cuda.cpu.counters.spans import Span
from cuda.cpu.signals import own

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "entry", "libcuda.so.1")  # cuda.cpu.library_path()
NVTX = "NVTX_INJECTION64_PATH"  # the library that NVTX opens at a program's first use of it
HEAD = struct.Struct("=qqQIIII")  # struct shell_span
CALL, RANGE, MARK = "driver call", "NVTX range", "NVTX mark"
CATEGORIES = (CALL, RANGE, MARK)
MEMORY = "memory call"
ALLOCATES = ("cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemPool", "cuMemCreate", "cuMemRelease")


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(LIBRARY)
    except own(OSError):  # not built
        return None
    library.cuda_cpu_spans_take.restype = ctypes.c_size_t
    library.cuda_cpu_spans_take.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return library


def switch(on: bool) -> None:
    """Begin or end to record. Ranges are recorded if NVTX was not used before, by the same library, without this."""
    if on:
        os.environ.setdefault(NVTX, LIBRARY)
    if (library := _library()) is not None:
        library.cuda_cpu_spans_switch(int(on))


def take() -> list[Span]:
    """Remove and return what was recorded."""
    library = _library()
    if library is None:
        return []
    size = library.cuda_cpu_spans_take(None, 0)
    room = ctypes.create_string_buffer(size or 1)
    taken = library.cuda_cpu_spans_take(room, size)
    threads = {each.native_id: each.name for each in threading.enumerate()}
    return list(_spans(room.raw[:taken], threads))


def _spans(data: bytes, threads: dict[int | None, str]) -> Iterator[Span]:
    at = 0
    while at < len(data):
        begin, end, thread, kind, domain_size, name_size, _ = HEAD.unpack_from(data, at)
        at += HEAD.size
        domain = data[at : at + domain_size].decode("utf-8", "replace")
        name = data[at + domain_size : at + domain_size + name_size].decode("utf-8", "replace")
        at += domain_size + name_size
        category = CATEGORIES[kind]
        if category == CALL and name.startswith(ALLOCATES):
            category = MEMORY
        yield Span(name, category, threads.get(thread, f"thread {thread}"), begin, end, domain)
