# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of other programs by a file descriptor: that of cuMemExportToShareableHandle, or of any file of memory."""

from __future__ import annotations

import os
from typing import Any

from cuda.cpu.abi import (
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    CUDA_EXTERNAL_MEMORY_DEDICATED,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array.array_shape import Shape
from cuda.cpu.driver.base import address, shared_file
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context
from cuda.cpu.signals import own

memories = Table("external memory")


class ExternalMemory:
    """A file of memory, whose descriptor is ours from the import on."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.descriptor = descriptor
        self.size = size
        self.handle = memories.add(self)

    def map(self, name: str, offset: int, size: int) -> Allocation:
        """Return the record of a part of it, which is mapped until that is freed."""
        if not size or offset + size > self.size:
            raise invalid(f"{name}: {size} bytes from offset {offset} on, the memory has {self.size}")
        owner = context.current()
        view = shared_file.View(self.descriptor, offset, size)
        record = Allocation(view.start, size, Kind.DEVICE, owner)
        record.origin = "cuExternalMemoryGetMappedBuffer"
        record.keeper = Mapped(view)
        address.add(record)
        return record


class Mapped:
    """A mapping, which goes on without what was imported."""

    def __init__(self, view: shared_file.View) -> None:
        self.view = view

    def take_back(self, record: Allocation, stream: Any) -> None:
        if stream is None:
            self.view.close()
        else:
            stream.queue_after_waits().unmap(self.view.base, self.view.length)


def _given(name: str, structure: Any, ptr: int) -> Any:
    if not ptr:
        raise invalid(f"{name}: the descriptor is NULL")
    return structure.from_address(ptr)


def cuImportExternalMemory(memHandleDesc: int) -> int:
    """Take a file descriptor; it belongs to the driver from then on."""
    name = "cuImportExternalMemory"
    context.current()
    given = _given(name, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, memHandleDesc)
    if given.type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD:
        text = f"{name}: handles of type {given.type} are not supported, only opaque file descriptors"
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, text)
    if given.flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED:
        raise invalid(f"{name}: flags is {given.flags}, must be 0 or CUDA_EXTERNAL_MEMORY_DEDICATED")
    try:
        there = os.fstat(given.handle.fd).st_size
    except own(OSError) as error:
        raise invalid(f"{name}: fd {given.handle.fd}: {error.strerror}") from None
    if not 0 < given.size <= there:
        raise invalid(f"{name}: size is {given.size}, the file behind fd {given.handle.fd} has {there} bytes")
    return ExternalMemory(given.handle.fd, given.size).handle


def cuExternalMemoryGetMappedBuffer(extMem: int, bufferDesc: int) -> int:
    name = "cuExternalMemoryGetMappedBuffer"
    found, given = memories.find(extMem), _given(name, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, bufferDesc)
    if given.flags:
        raise invalid(f"{name}: flags is {given.flags}, must be 0")
    return found.map(name, given.offset, given.size).start


def cuExternalMemoryGetMappedMipmappedArray(extMem: int, mipmapDesc: int) -> int:
    name = "cuExternalMemoryGetMappedMipmappedArray"
    found, given = memories.find(extMem), _given(name, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, mipmapDesc)
    of = given.arrayDesc
    shape = Shape(of.Width, of.Height, of.Depth, of.Format, of.NumChannels, of.Flags)
    return mipmapped(name, found, given.offset, shape, given.numLevels)


def mipmapped(name: str, found: ExternalMemory, offset: int, shape: Shape, levels: int) -> int:
    """Map levels that lie as those of a mipmapped array of this device do."""
    if offset % arrays.ALIGNMENT or shape.sparse or shape.deferred:
        text = f"offset is {offset}, must be a multiple of {arrays.ALIGNMENT}, or the array is sparse or deferred"
        raise invalid(f"{name}: {text}")
    return arrays.make_mipmapped(name, shape, levels, lambda size: found.map(name, offset, size)).handle


def cuDestroyExternalMemory(extMem: int) -> None:
    """Let the file go; what is mapped stays until it is freed."""
    found = memories.take(extMem)
    os.close(found.descriptor)


def forget_after_fork() -> None:
    memories.clear()
