# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reads from addresses that may be invalid, by system calls that fail where nothing is mapped."""

from __future__ import annotations

import ctypes
import os

from cuda.cpu.ptx.error import PtxError

MOST = 1 << 31  # bytes of one image
_PAGE = 4096
_STEP = 1 << 20
_ADDRESSES = 1 << 64

_libc = ctypes.CDLL(None, use_errno=True)
for _name in ("process_vm_readv", "write", "read"):
    getattr(_libc, _name).restype = ctypes.c_ssize_t


class _Range(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def read(address: int, size: int, name: str) -> bytes:
    """Return a copy of `size` bytes at an address.

    Raises
    ------
    PtxError
        They cannot be read, or `size` is larger than any image.
    """
    if size > MOST:
        raise PtxError(f"{name} is to have {size} bytes at 0x{address:x}, more than the {MOST} that are supported")
    found = bytearray()
    while len(found) < size:  # in steps, so that no buffer is allocated for a wrong size
        part = _copied(address + len(found), min(size - len(found), _STEP))
        if not part:
            raise PtxError(
                f"{name} is to have {size} bytes at 0x{address:x}, of which only {len(found)} can be read from memory"
            )
        found += part
    return bytes(found)


def read_text(address: int) -> bytes:
    """Return a copy of the bytes before the next NUL."""
    found, step = bytearray(), _PAGE
    while len(found) <= MOST:
        start = address + len(found)
        part = _copied(start, step - start % _PAGE)
        end = part.find(b"\0")
        if end >= 0:
            return bytes(found + part[:end])
        if not part:
            raise PtxError(f"the text at 0x{address:x} does not end in NUL: memory ends after {len(found)} bytes of it")
        found += part
        step = min(2 * step, _STEP)
    raise PtxError(f"the text at 0x{address:x} has no NUL in {MOST} bytes")


def _copied(address: int, size: int) -> bytes:
    """Return the readable prefix of a range: at least up to the end of its first page, else b""."""
    if not 0 < address <= _ADDRESSES - size:
        return b""
    buffer = ctypes.create_string_buffer(size)
    for end in (size, min(size, _PAGE - address % _PAGE)):
        count = _transfer(ctypes.addressof(buffer), address, end)
        if count > 0:
            return buffer.raw[:count]
    return b""


def _transfer(to: int, address: int, size: int) -> int:
    """Copy by a system call; return the number of bytes copied."""
    target, source = _Range(to, size), _Range(address, size)
    count = _libc.process_vm_readv(os.getpid(), ctypes.byref(target), 1, ctypes.byref(source), 1, 0)
    return count if count > 0 or ctypes.get_errno() == 14 else _through_pipe(to, address, size)  # EFAULT


def _through_pipe(to: int, address: int, size: int) -> int:
    """Copy where process_vm_readv is not permitted: at most a page, as a pipe holds at least 4 KiB without blocking."""
    size = min(size, _PAGE)
    reader, writer = os.pipe()
    try:
        count = _libc.write(writer, ctypes.c_void_p(address), ctypes.c_size_t(size))
        return _libc.read(reader, ctypes.c_void_p(to), ctypes.c_size_t(count)) if count > 0 else 0
    finally:
        os.close(reader)
        os.close(writer)
