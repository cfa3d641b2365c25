# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory that ends at an unreadable page, so that reads out of bounds raise a signal."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from collections.abc import Iterator

import numpy as np

_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)


class Guarded:
    """A copy of bytes that ends just before an unreadable page; `address` is that of the first byte."""

    def __init__(self, data: bytes) -> None:
        self._size = -(-max(len(data), 1) // _PAGE) * _PAGE
        self._memory = mmap.mmap(-1, self._size + _PAGE)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        assert _libc.mprotect(ctypes.c_void_p(self._base + self._size), ctypes.c_size_t(_PAGE), 0) == 0
        self.address = self._base + self._size - len(data)
        ctypes.memmove(self.address, data, len(data))

    def __enter__(self) -> Guarded:
        return self

    def __exit__(self, *_: object) -> None:
        _libc.mprotect(ctypes.c_void_p(self._base + self._size), ctypes.c_size_t(_PAGE), 3)


@contextlib.contextmanager
def closed_pages() -> Iterator[tuple[np.ndarray, int]]:
    """Give a page, as bytes, and its address; the pages before and behind it cannot be accessed."""
    memory = mmap.mmap(-1, 3 * _PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (0, 2):
        assert _libc.mprotect(ctypes.c_void_p(start + page * _PAGE), ctypes.c_size_t(_PAGE), 0) == 0
    yield np.frombuffer(memory, np.uint8)[_PAGE : 2 * _PAGE], start + _PAGE
