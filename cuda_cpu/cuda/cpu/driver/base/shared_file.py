# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Anonymous memory files (memfd) that other processes map, for shared allocations, pools and events.

They have no name in any folder, so that nothing is left behind however a process ends. Another process gets the
descriptor from this one, or opens it in /proc by the numbers of process and descriptor, as a user may with their own.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import struct

from cuda.cpu.abi import (
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_MAP_FAILED,
    CUDA_ERROR_OPERATING_SYSTEM,
    CUDA_ERROR_OUT_OF_MEMORY,
)
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

PREFIX = "cuda-cpu"
PAGE = mmap.PAGESIZE

# MAP_FIXED, MAP_NORESERVE and MAP_FIXED_NOREPLACE of Linux, which Python's mmap does not name
FIXED, NORESERVE, FREE_ONLY = 0x10, 0x4000, 0x100000
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
NONE = 0  # PROT_NONE

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_FAILED = ctypes.c_void_p(-1).value


def make(kind: str, size: int) -> int:
    """Return the descriptor of a new file of zeros; `what` is part of its name."""
    try:
        descriptor = os.memfd_create(f"{PREFIX}-{kind}")
        os.fchmod(descriptor, 0o600)
        os.ftruncate(descriptor, size)
    except own(OSError) as error:
        raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"a file of {size} bytes in memory: {error.strerror}") from None
    return descriptor


def duplicate(descriptor: int) -> int:
    """Return a new descriptor of the file, for another process."""
    _runtime.share_memory()
    return os.dup(descriptor)


def name_of(descriptor: int) -> str:
    """Return the `what` of a file that `make` has made, in any process; "" for others."""
    try:
        found = re.match(rf"/memfd:{PREFIX}-(.*?)(?: \(deleted\))?$", os.readlink(f"/proc/self/fd/{descriptor}"))
    except own(OSError):
        check_proc()
        found = None
    return found[1] if found else ""


def check_proc() -> None:
    """Raise an error where there is no /proc, by which processes reach each other's files."""
    if not os.path.isdir("/proc/self/fd"):
        raise CudaError(CUDA_ERROR_OPERATING_SYSTEM, "sharing between processes needs /proc, which is not mounted here")


def map_at(start: int, size: int, protection: int, flags: int, descriptor: int = -1, offset: int = 0) -> int:
    found = libc.mmap(start, size, protection, flags, descriptor, offset)
    if found in (None, _FAILED):
        raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"mapping {size} bytes: {os.strerror(ctypes.get_errno())}")
    return found


def map_aligned(size: int, alignment: int, protection: int) -> int:
    """Map memory of the process's own at a multiple of `alignment`."""
    found = map_at(0, size + alignment, protection, PRIVATE)
    start = -(-found // alignment) * alignment
    for begin, end in ((found, start), (start + size, found + size + alignment)):
        if begin < end:
            libc.munmap(begin, end - begin)
    return start


class View:
    """A part of a file, mapped between two pages that nobody can reach."""

    def __init__(self, descriptor: int, offset: int, size: int) -> None:
        first = offset // PAGE * PAGE
        length = -(-(offset + size - first) // PAGE) * PAGE
        if first + length > -(-os.fstat(descriptor).st_size // PAGE) * PAGE:  # it would end the process to reach it
            raise CudaError(CUDA_ERROR_MAP_FAILED, f"{size} bytes at {offset} are beyond the end of what was exported")
        self.base = map_at(0, length + 2 * PAGE, NONE, PRIVATE)
        self.length = length + 2 * PAGE
        try:
            mapped = self.base + PAGE
            map_at(mapped, length, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | FIXED, descriptor, first)
        except CudaError:
            self.close()
            raise
        _runtime.share_memory()
        self.start = mapped + offset - first

    def close(self) -> None:
        libc.munmap(self.base, self.length)


# What a handle of the CUDA API (64 bytes) holds: kind, process, descriptor, inode, offset, size, the device's id.
_LAYOUT = struct.Struct("<8sIiQQQ16s")
HANDLE_BYTES = 64


def handle(kind: bytes, descriptor: int, offset: int, size: int, uuid: bytes) -> bytes:
    """Return what another process of the user needs to open a file of this one."""
    _runtime.share_memory()
    inode = os.fstat(descriptor).st_ino
    return _LAYOUT.pack(kind, os.getpid(), descriptor, inode, offset, size, uuid).ljust(HANDLE_BYTES, b"\0")


def open_handle(name: str, kind: bytes, data: bytes) -> tuple[int, int, int, bytes]:
    """Return a new descriptor of the file that a handle means, offset, size and the device's id."""
    found, process, number, inode, offset, size, uuid = _LAYOUT.unpack_from(data)
    if found != kind:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"{name}: the handle was not made for this by a CPU device")
    if process == os.getpid():
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, f"{name}: the handle is of this process: use what it was made from")
    try:
        descriptor = os.open(f"/proc/{process}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    except own(PermissionError):
        raise CudaError(
            CUDA_ERROR_OPERATING_SYSTEM, f"{name}: process {process} is of another user, or must not be looked into"
        ) from None
    except own(OSError):
        check_proc()
        descriptor = -1
    if descriptor < 0 or os.fstat(descriptor).st_ino != inode or not name_of(descriptor):
        if descriptor >= 0:
            os.close(descriptor)
        raise CudaError(
            CUDA_ERROR_MAP_FAILED, f"{name}: what process {process} exported is gone: freed, or the process has ended"
        )
    return descriptor, offset, size, uuid
