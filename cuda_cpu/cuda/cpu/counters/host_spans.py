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
from typing import NamedTuple

from cuda.cpu.counters.spans import Span
from cuda.cpu.signals import own

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "entry", "libcuda.so.1")  # cuda.cpu.library_path()
NVTX = "NVTX_INJECTION64_PATH"  # the library that NVTX opens at a program's first use of it
HEAD = struct.Struct("=qqQIIII")  # struct shell_span
CALL, RANGE, MARK = "driver call", "NVTX range", "NVTX mark"
CATEGORIES = (CALL, RANGE, MARK)
NAME_OF_THREAD = 3
MEMORY = "memory call"
ALLOCATES = ("cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemPool", "cuMemCreate", "cuMemRelease")


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(LIBRARY)
    except own(OSError):  # not built
        return None
    library.cuda_cpu_spans_take.restype = ctypes.c_size_t
    library.cuda_cpu_spans_take.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    return library


def switch(on: bool) -> None:
    """Begin or end to record. Ranges are recorded if NVTX was not used before, by the same library, without this."""
    if on:
        os.environ.setdefault(NVTX, LIBRARY)
    if (library := _library()) is not None:
        library.cuda_cpu_spans_switch(int(on))


class Names(NamedTuple):
    """The names that the program gives by NVTX; the last one counts."""

    threads: dict[int, str]  # by the number of the operating system
    categories: dict[tuple[str, int], str]  # by domain and number


def take() -> list[Span]:
    """Remove and return what was recorded."""
    threads = {each.native_id: each.name for each in threading.enumerate() if each.native_id is not None}
    given = names()
    threads |= given.threads
    found = []
    for each in _records(_copied(names=False)):
        category = CATEGORIES[each.kind]
        if category == CALL and each.name.startswith(ALLOCATES):
            category = MEMORY
        group = given.categories.get((each.domain, each.category), str(each.category)) if each.category else ""
        thread = threads.get(each.thread, f"thread {each.thread}")
        found.append(Span(each.name, category, thread, each.begin, each.end, each.domain, group))
    return found


def names() -> Names:
    """Return all names that the program has given."""
    found = Names({}, {})
    for each in _records(_copied(names=True)):
        if each.kind == NAME_OF_THREAD:
            found.threads[each.thread] = each.name
        else:
            found.categories[each.domain, each.category] = each.name
    return found


def _copied(*, names: bool) -> bytes:
    library = _library()
    if library is None:
        return b""
    size = library.cuda_cpu_spans_take(names, None, 0)
    room = ctypes.create_string_buffer(size or 1)
    taken = library.cuda_cpu_spans_take(names, room, size)
    return room.raw[:taken]


class _Record(NamedTuple):
    begin: int
    end: int
    thread: int
    kind: int
    category: int
    domain: str
    name: str


def _records(data: bytes) -> Iterator[_Record]:
    at = 0
    while at < len(data):
        begin, end, thread, kind, domain_size, name_size, category = HEAD.unpack_from(data, at)
        at += HEAD.size
        domain = data[at : at + domain_size].decode("utf-8", "replace")
        name = data[at + domain_size : at + domain_size + name_size].decode("utf-8", "replace")
        at += domain_size + name_size
        yield _Record(begin, end, thread, kind, category, domain, name)
