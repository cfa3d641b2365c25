# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Virtual memory management (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess).

Memory is an anonymous file, so that it can be mapped more than once, and exported to other processes by its descriptor.
What is mapped is out of reach until cuMemSetAccess; then the table of addresses knows it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
from typing import Any

from cuda.cpu.abi import (
    CU_MEM_ACCESS_FLAGS_PROT_NONE,
    CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ALLOCATION_TYPE_PINNED,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUmemAccessDesc,
    CUmemAllocationProp,
    CUmemLocation,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, once, shared_file
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.memory import pool

GRANULARITY = 2 << 20  # as on GPUs

# Where ranges lie that nobody wants elsewhere: the system puts nothing there by itself, and handle.py gives no such
# handles. Each has room behind it, so that a range next to it can be had when it is to grow.
SPACE, SPACE_END = 0x3800_0000_0000, 0x4000_0000_0000
LEAST_ROOM = 1 << 30

memories = Table("memory allocation")
_ranges: dict[int, int] = {}  # reserved: start -> size
_mappings: dict[int, Mapping] = {}


class Memory:
    """Physical memory: alive while a handle or a mapping refers to it."""

    mapping: type[Mapping]  # what it becomes at an address

    def __init__(self, descriptor: int, size: int, properties: Any, of: devices.Device) -> None:
        self.descriptor = descriptor
        self.size = size
        self.properties = properties
        self.device = of
        self.handles, self.mapped = 1, 0
        with once.counting:
            of.mapped += size
        self.handle = memories.add(self)

    def drop(self) -> None:
        if self.handles:
            return
        memories.pop(self.handle, None)
        with once.counting:
            if self.mapped or self.descriptor < 0:
                return
            descriptor, self.descriptor = self.descriptor, -1
            self.device.mapped -= self.size
        os.close(descriptor)


class Mapping:
    """Memory at an address. `live` keeps cuMemFree away from it."""

    live = False

    def __init__(self, start: int, size: int, memory: Memory) -> None:
        self.start = start
        self.size = size
        self.memory = memory
        self.access: dict[tuple[int, int], int] = {}
        self.handle_types = memory.properties.requestedHandleTypes
        self.record: Allocation | None = None
        with once.counting:
            memory.mapped += 1

    def set_access(self) -> None:
        """Let the processor allow what any device may do, and the table of addresses know it."""
        most = max(self.access.values(), default=CU_MEM_ACCESS_FLAGS_PROT_NONE)
        shared_file.libc.mprotect(
            self.start, self.size, most
        )  # PROT_READ is 1 and PROT_WRITE 2, as in CUmemAccess_flags
        self.forget()
        if most:
            record = Allocation(self.start, self.size, Kind.DEVICE, None)
            record.origin = "cuMemMap"
            record.device, record.keeper = self.memory.device, self
            record.read_only = most == CU_MEM_ACCESS_FLAGS_PROT_READ
            self.record = record
            address.add(record)

    def forget(self) -> None:
        if self.record is not None:
            address.remove(self.record)
            self.record = None


Memory.mapping = Mapping


def _map(start: int, size: int, flags: int, descriptor: int = -1) -> int:
    return shared_file.map_at(start, size, shared_file.NONE, flags, descriptor)


def _check_size(name: str, size: int) -> None:
    if size <= 0 or size % GRANULARITY:
        raise invalid(f"{name}: the size is {size}, must be a multiple of the granularity, {GRANULARITY}")


def _properties(name: str, ptr: int) -> Any:
    """Return the checked CUmemAllocationProp at `ptr`."""
    if not ptr:
        raise invalid(f"{name}: prop is NULL")
    given = CUmemAllocationProp.from_address(ptr)
    if given.type != CU_MEM_ALLOCATION_TYPE_PINNED:
        raise invalid(f"{name}: type is {given.type}, must be CU_MEM_ALLOCATION_TYPE_PINNED")
    if given.requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED,
            f"{name}: requestedHandleTypes is {given.requestedHandleTypes}; only POSIX file descriptors are there",
        )
    given = CUmemAllocationProp.from_buffer_copy(given)
    given.location.type, given.location.id = pool.made_at(name, given.location, given.type)
    return given


def cuMemGetAllocationGranularity(prop: int, option: int) -> int:
    devices.check_started()
    _properties("cuMemGetAllocationGranularity", prop)
    if option not in (0, 1):
        raise invalid(f"cuMemGetAllocationGranularity: {option} is no CUmemAllocationGranularity_flags")
    return GRANULARITY


@once.alone
def cuMemAddressReserve(size: int, alignment: int, addr: int, flags: int) -> int:
    """Reserve a range of addresses, at `addr` if that is free."""
    name = "cuMemAddressReserve"
    devices.check_started()
    _check_size(name, size)
    if flags or alignment & (alignment - 1):
        raise invalid(f"{name}: flags is {flags}, must be 0, or alignment {alignment} is no power of two")
    alignment = max(alignment, GRANULARITY)
    start = _map_there(_up(addr, alignment), size) if 0 < addr < address.PROCESS_END else 0
    start = start or _map_there(_behind_others(alignment), size)
    start = start or shared_file.map_aligned(size, alignment, shared_file.NONE)
    _ranges[start] = size
    if state.active:
        state.stacks().handles.note(start)
    return start


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def _behind_others(alignment: int) -> int:
    """Return an address in our part of the space with room in front of it for the ranges that lie there to grow."""
    ends = [(at + size, size) for at, size in _ranges.items() if SPACE <= at < SPACE_END]
    return max((_up(end + max(16 * size, LEAST_ROOM), alignment) for end, size in ends), default=_up(SPACE, alignment))


def _map_there(start: int, size: int) -> int:
    """Return `start` if all of the range is free, else 0."""
    try:
        found = _map(start, size, shared_file.PRIVATE | shared_file.FREE_ONLY)
    except CudaError:
        return 0
    if found != start:  # Linux before 4.17 does not know MAP_FIXED_NOREPLACE
        shared_file.libc.munmap(found, size)
        return 0
    return start


def report_leaks() -> None:
    """Record physical memory that the program has not released, and reserved ranges, when it ends."""
    physical = [each.handle for each in list(memories.values()) if each.handles]
    state.leaks(
        (),
        (
            ("physical_memory", "released", physical, "warning"),
            ("address_range", "freed", list(_ranges), "info"),
        ),
    )


@once.alone
def cuMemAddressFree(ptr: int, size: int) -> None:
    if _ranges.get(ptr) != size:
        raise invalid(f"cuMemAddressFree: no range of {size} bytes is reserved at 0x{ptr:x}")
    if any(ptr <= at < ptr + size for at in _mappings):
        raise invalid("cuMemAddressFree: memory is mapped in the range")
    del _ranges[ptr]
    shared_file.libc.munmap(ptr, size)


def cuMemCreate(size: int, prop: int, flags: int) -> int:
    name = "cuMemCreate"
    devices.check_started()
    given = _properties(name, prop)
    _check_size(name, size)
    if flags:
        raise invalid(f"{name}: flags is {flags}, must be 0")
    of = devices.find(given.location.id if given.location.type == CU_MEM_LOCATION_TYPE_DEVICE else 0)
    if of.arena.used + of.mapped + size > of.memory:
        raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"{name}: {size} bytes requested of a device of {of.memory}")
    descriptor = shared_file.make(f"{given.location.type}-{given.location.id}", size)
    return Memory(descriptor, size, given, of).handle


@once.alone
def cuMemRelease(handle: int) -> None:
    memory = memories.find(handle)
    memory.handles -= 1
    memory.drop()


def mapping_of(name: str, pointer: int) -> Mapping:
    """Return the mapping that holds an address."""
    mapping = next((each for at, each in _mappings.items() if at <= pointer < at + each.size), None)
    if mapping is None:
        raise invalid(f"{name}: nothing is mapped at 0x{pointer:x}")
    return mapping


@once.alone
def cuMemRetainAllocationHandle(addr: int) -> int:
    mapping = mapping_of("cuMemRetainAllocationHandle", addr)
    memory = mapping.memory
    memory.handles += 1
    memories[memory.handle] = memory
    return memory.handle


def cuMemGetAllocationPropertiesFromHandle(prop: int, handle: int) -> None:
    memory = memories.find(handle)
    if not prop:
        raise invalid("cuMemGetAllocationPropertiesFromHandle: prop is NULL")
    ctypes.memmove(prop, ctypes.addressof(memory.properties), ctypes.sizeof(memory.properties))


@once.alone
def cuMemMap(ptr: int, size: int, offset: int, handle: int, flags: int) -> None:
    name, memory = "cuMemMap", memories.find(handle)
    if offset or flags or size != memory.size or ptr % GRANULARITY:
        raise invalid(
            f"{name}: offset {offset} and flags {flags} must be 0, size {size} that of the memory, {memory.size}, "
            f"and ptr 0x{ptr:x} a multiple of {GRANULARITY}"
        )
    if not any(at <= ptr and ptr + size <= at + room for at, room in _ranges.items()):
        raise invalid(f"{name}: the range is not within one that cuMemAddressReserve has returned")
    if any(at < ptr + size and ptr < at + each.size for at, each in _mappings.items()):
        raise invalid(f"{name}: memory is mapped in the range already")
    _map(ptr, size, mmap.MAP_SHARED | shared_file.FIXED, memory.descriptor)
    _mappings[ptr] = memory.mapping(ptr, size, memory)


@once.alone
def _covered(name: str, start: int, size: int) -> list[Mapping]:
    """Return the mappings that make up a range."""
    found, at = [], start
    while at < start + size and at in _mappings:
        found.append(_mappings[at])
        at += _mappings[at].size
    if at != start + size or not found:
        raise invalid(f"{name}: {size} bytes at 0x{start:x} are not complete, adjacent mappings")
    return found


def wait_for_all() -> None:
    """Wait until all that is queued in any context is done."""
    for owner in list(context.contexts.values()):
        for queue in owner.queues():
            if not queue.is_idle():
                wait.until(owner, queue.wait)


def cuMemUnmap(ptr: int, size: int) -> None:
    """Unmap memory once nothing that is queued can use it any more."""
    _covered("cuMemUnmap", ptr, size)
    wait_for_all()
    with once.lock:
        for mapping in _covered("cuMemUnmap", ptr, size):
            mapping.forget()
            _map(mapping.start, mapping.size, shared_file.PRIVATE | shared_file.FIXED)
            del _mappings[mapping.start]
            with once.counting:
                mapping.memory.mapped -= 1
            mapping.memory.drop()


@once.alone
def cuMemSetAccess(ptr: int, size: int, desc: int, count: int) -> None:
    name = "cuMemSetAccess"
    found = _covered(name, ptr, size)
    if not desc or not count:
        raise invalid(f"{name}: desc is NULL or count is 0")
    given = []
    for each in (CUmemAccessDesc * count).from_address(desc):
        if each.flags not in pool.ACCESS:
            raise invalid(f"{name}: {each.flags} is no CUmemAccess_flags")
        given.append((pool.location_of(name, each.location), each.flags))
    for mapping in found:
        mapping.access.update(given)
        mapping.set_access()


def cuMemGetAccess(location: int, ptr: int) -> int:
    name = "cuMemGetAccess"
    if not location:
        raise invalid(f"{name}: location is NULL")
    given = pool.location_of(name, CUmemLocation.from_address(location))
    return mapping_of(name, ptr).access.get(given, CU_MEM_ACCESS_FLAGS_PROT_NONE)


def _check_type(name: str, kind: int) -> None:
    if kind != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED, f"{name}: handle type {kind}; the CPU device shares POSIX file descriptors"
        )


def cuMemExportToShareableHandle(shareableHandle: int, handle: int, handleType: int, flags: int) -> None:
    """Store a new file descriptor, which the caller closes."""
    name, memory = "cuMemExportToShareableHandle", memories.find(handle)
    _check_type(name, handleType)
    if flags or not shareableHandle or not memory.properties.requestedHandleTypes & handleType:
        raise invalid(f"{name}: flags is {flags}, must be 0, or the memory was not made with this handle type")
    ctypes.c_int.from_address(shareableHandle).value = shared_file.duplicate(memory.descriptor)


def cuMemImportFromShareableHandle(osHandle: int, shHandleType: int) -> int:
    """Return a handle to memory of another process by a file descriptor, which stays the caller's."""
    name = "cuMemImportFromShareableHandle"
    devices.check_started()
    _check_type(name, shHandleType)
    file = re.fullmatch(r"(\d+)-(\d+)", shared_file.name_of(osHandle))
    if file is None:
        raise invalid(f"{name}: {osHandle} is no file descriptor of memory that the CPU device has exported")
    given = CUmemAllocationProp(type=CU_MEM_ALLOCATION_TYPE_PINNED, requestedHandleTypes=shHandleType)
    given.location.type, given.location.id = map(int, file.groups())
    of = devices.find(given.location.id if given.location.type == CU_MEM_LOCATION_TYPE_DEVICE else 0)
    return Memory(shared_file.duplicate(osHandle), os.fstat(osHandle).st_size, given, of).handle


def forget_after_fork() -> None:
    for table in (memories, _ranges, _mappings):
        table.clear()
