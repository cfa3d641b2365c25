# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Export and import of memory pools by file descriptor, and of pointers to their allocations."""

from __future__ import annotations

import ctypes
import os
import re
import struct
from typing import Any, NoReturn

from cuda.cpu.abi import (
    CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEMPOOL_ATTR_ALLOCATION_TYPE,
    CU_MEMPOOL_ATTR_LOCATION_ID,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, shared_file, written
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.memory.pool import Pool, find_open, pools

_LAYOUT = struct.Struct("<8sQQQ")  # of a CUmemPoolPtrExportData: kind, the file's inode, offset, size
_KIND = b"CPU-PTR1"
_DATA_BYTES = 64


class ImportedPool(Pool):
    """A pool of another process: no source of memory, only the way to what that process allocates."""

    def __init__(self, kind: int, location: tuple[int, int], descriptor: int) -> None:
        super().__init__(kind, location, 0, None)
        self.descriptor = descriptor
        self.inode = os.fstat(descriptor).st_ino

    def allocate(self, size: int, stream: Any, name: str) -> NoReturn:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: nothing can be allocated from an imported pool")

    def import_pointer(self, offset: int, size: int, owner: context.Context) -> int:
        view = shared_file.View(self.descriptor, offset, size)
        managed = self.values[CU_MEMPOOL_ATTR_ALLOCATION_TYPE] == CU_MEM_ALLOCATION_TYPE_MANAGED
        kind = Kind.HOST if self.on_host else Kind.MANAGED if managed else Kind.DEVICE
        record = Allocation(view.start, size, kind, owner)
        record.origin = "cuMemPoolImportPointer"
        record.pool, record.block, record.keeper = self, view, self
        if not self.on_host:
            record.device = devices.find(self.values[CU_MEMPOOL_ATTR_LOCATION_ID])
        self.count(size)
        address.add(record)
        state.imported(record.tag, self.inode, offset)
        return record.start

    def take_back(self, record: Allocation, stream: Any) -> None:
        self.count(-record.size)
        if stream is None:
            record.block.close()
        else:
            stream.queue_after_waits().unmap(record.block.base, record.block.length)
        if self.closed:
            self.end()

    def end(self) -> None:
        if not self.used:
            pools.pop(self.handle, None)
            os.close(self.descriptor)


def _check_type(name: str, kind: int, flags: int) -> None:
    if kind != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED, f"{name}: handle type {kind}; the CPU device shares POSIX file descriptors"
        )
    if flags:
        raise invalid(f"{name}: flags is {flags}, must be 0")


def cuMemPoolExportToShareableHandle(handle_out: int, pool: int, handleType: int, flags: int) -> None:
    """Store a new file descriptor, which the caller closes."""
    name, found = "cuMemPoolExportToShareableHandle", find_open(pool)
    _check_type(name, handleType, flags)
    if not handle_out or not found.handle_types & handleType:
        raise invalid(f"{name}: handle_out is NULL, or the pool was not made with this handle type")
    ctypes.c_int.from_address(handle_out).value = shared_file.duplicate(found.file().descriptor)
    found.exported = True


def cuMemPoolImportFromShareableHandle(handle: int, handleType: int, flags: int) -> int:
    """Return a pool of another process by a file descriptor, which stays the caller's."""
    name = "cuMemPoolImportFromShareableHandle"
    devices.check_started()
    _check_type(name, handleType, flags)
    found = re.fullmatch(r"pool-(\d+)-(\d+)-(-?\d+)", shared_file.name_of(handle))
    if found is None:
        raise invalid(f"{name}: {handle} is no file descriptor of a pool that a CPU device has exported")
    allocation, *location = map(int, found.groups())
    if location[0] == CU_MEM_LOCATION_TYPE_DEVICE:
        devices.find(location[1])
    return ImportedPool(allocation, (location[0], location[1]), shared_file.duplicate(handle)).handle


def cuMemPoolExportPointer(shareData_out: int, ptr: int) -> None:
    """Store what another process needs, beside the pool, to reach an allocation."""
    name, record = "cuMemPoolExportPointer", address.exact(ptr)
    if not shareData_out or record is None or record.pool is None or not record.pool.exported:
        raise invalid(f"{name}: shareData_out is NULL, or 0x{ptr:x} is no allocation of a pool that was exported")
    written.share(record)
    file = record.pool.file()
    inode, offset = os.fstat(file.descriptor).st_ino, ptr - file.base
    state.exported(record.tag, inode, offset)
    data = _LAYOUT.pack(_KIND, inode, offset, record.size)
    ctypes.memmove(shareData_out, data.ljust(_DATA_BYTES, b"\0"), _DATA_BYTES)


def cuMemPoolImportPointer(pool: int, shareData: int) -> int:
    """Map an allocation of the process that has exported the pool."""
    name, found = "cuMemPoolImportPointer", find_open(pool)
    owner = context.current()
    if not isinstance(found, ImportedPool) or not shareData:
        raise invalid(f"{name}: the pool was not imported, or shareData is NULL")
    kind, inode, offset, size = _LAYOUT.unpack_from(ctypes.string_at(shareData, _DATA_BYTES))
    if kind != _KIND or inode != found.inode:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"{name}: shareData is not of an allocation of this pool")
    return found.import_pointer(offset, size, owner)
