# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory pools and allocation in stream order.

An allocation has its address at once and its memory too. What is freed stays with the pool: the same stream may have it
again at once, another one when the free has had its turn. What a pool holds beyond its release threshold goes back to
the device when a stream, an event or a context is synchronized, and whenever the device has no memory left.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_MEM_ACCESS_FLAGS_PROT_NONE,
    CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_ALLOCATION_TYPE_PINNED,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN,
    CU_MEM_LOCATION_TYPE_HOST,
    CU_MEM_LOCATION_TYPE_HOST_NUMA,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
    CU_MEMPOOL_ATTR_ALLOCATION_TYPE,
    CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES,
    CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED,
    CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID,
    CU_MEMPOOL_ATTR_LOCATION_ID,
    CU_MEMPOOL_ATTR_LOCATION_TYPE,
    CU_MEMPOOL_ATTR_MAX_POOL_SIZE,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH,
    CUDA_ERROR_DEINITIALIZED,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUmemAccessDesc,
    CUmemLocation,
    CUmemPoolProps,
)
from cuda.cpu.driver.base import address, capture_state, once
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.block import Block, Blocks, capacity_for
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device
from cuda.cpu.driver.memory import memory, pool_file
from cuda.cpu.driver.stream import stream
from cuda.cpu.runtime import _runtime

pools = Table("memory pool")

HOST_LOCATIONS = (CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)

SWITCHES = (
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
)
WIDE = (
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_MAX_POOL_SIZE,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH,
)  # cuuint64_t; the others are int


class Pool:
    def __init__(
        self, kind: int, location: tuple[int, int], max_size: int, owner: device.Device | None, handle_types: int = 0
    ) -> None:
        self.shared: pool_file.PoolFile | None = None  # where the memory lies that other processes may map
        self.device = owner  # the default pool's; it cannot be destroyed
        self.exported = False  # to other processes
        self.access: dict[int, int] = {}
        self.closed = False
        self.used = self.used_high = 0
        self.blocks = Blocks()
        self.values = dict.fromkeys(SWITCHES, 1) | {
            CU_MEMPOOL_ATTR_ALLOCATION_TYPE: kind,
            CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES: handle_types,
            CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID: -1,  # all of them
            CU_MEMPOOL_ATTR_LOCATION_TYPE: location[0],
            CU_MEMPOOL_ATTR_LOCATION_ID: location[1],
            CU_MEMPOOL_ATTR_MAX_POOL_SIZE: max_size,
            CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED: 1,
        }
        self.handle = pools.add(self)

    @property
    def on_host(self) -> bool:
        return self.values[CU_MEMPOOL_ATTR_LOCATION_TYPE] in HOST_LOCATIONS

    @property
    def handle_types(self) -> int:
        return self.values[CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES]

    def is_on(self, ordinal: int) -> bool:
        return not self.on_host and ordinal == self.values[CU_MEMPOOL_ATTR_LOCATION_ID]

    def file(self) -> pool_file.PoolFile:
        """Return the file of a pool that can be exported."""
        with once.lock:
            if self.shared is None:
                kind, number = self.values[CU_MEMPOOL_ATTR_LOCATION_TYPE], self.values[CU_MEMPOOL_ATTR_LOCATION_ID]
                of = None if self.on_host else device.find(number)
                self.shared = pool_file.PoolFile(self.values[CU_MEMPOOL_ATTR_ALLOCATION_TYPE], (kind, number), of)
        return self.shared

    def allocate(self, size: int, line: stream.Stream, name: str) -> int:
        if size <= 0:
            raise invalid(f"{name}: the size is {size}, must be at least 1")
        self.check_limit(size, name)
        capacity = capacity_for(size)
        block = self.blocks.take(
            capacity,
            line,
            opportunistic=bool(self.values[CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC]),
            internal=bool(self.values[CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES]),
        )
        record = self.record(block or self.reserve(capacity, line, name), size, line)
        self.used += size
        self.used_high = max(self.used_high, self.used)
        address.add(record)
        return record.start

    def check_limit(self, size: int, name: str) -> None:
        limit = self.values[CU_MEMPOOL_ATTR_MAX_POOL_SIZE]
        if limit and self.used + size > limit:
            raise CudaError(
                CUDA_ERROR_OUT_OF_MEMORY,
                f"{name}: {size} bytes asked of a pool with {limit - self.used} of {limit} left",
            )

    def reserve(self, capacity: int, line: stream.Stream, name: str) -> Block:
        """Return a new block."""
        arena = self.file() if self.handle_types else memory.host_arena() if self.on_host else None
        if self.on_host:
            try:
                return self.blocks.add(arena, arena.allocate(capacity), capacity)
            except MemoryError:
                raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"{name}: the system has no {capacity} bytes left") from None
        of = device.find(self.values[CU_MEMPOOL_ATTR_LOCATION_ID])
        return self.blocks.add(arena or of.arena, memory.reserve(line.context, capacity, name, of, arena), capacity)

    def record(self, block: Block, size: int, line: stream.Stream) -> Allocation:
        managed = self.values[CU_MEMPOOL_ATTR_ALLOCATION_TYPE] == CU_MEM_ALLOCATION_TYPE_MANAGED
        kind = Kind.MANAGED if managed else Kind.HOST if self.on_host else Kind.DEVICE
        record = Allocation(block.place(size), size, kind, line.context, block.arena)
        record.pool = record.keeper = self
        record.origin = "cuMemAllocAsync"
        record.block = block
        if not self.on_host:
            record.device = device.find(self.values[CU_MEMPOOL_ATTR_LOCATION_ID])
        return record

    def take_back(self, record: Allocation, line: stream.Stream | None) -> None:
        self.used -= record.size
        self.blocks.keep(record.block, line)
        if self.closed:
            self.blocks.release(0)
            self.end()

    def end(self) -> None:
        """Forget a closed pool once nothing is in use; the file of its memory goes with its last block."""
        if not self.used:
            pools.pop(self.handle, None)
            if self.shared is not None:
                self.shared.close()


_defaults: dict[tuple[int, int, int], Pool] = {}
_current: dict[tuple[int, int, int], Pool] = {}


def default_of(kind: int, location: tuple[int, int]) -> Pool:
    """Return the default pool of a place and a type of allocation."""
    owner = device.find(location[1] if location[0] == CU_MEM_LOCATION_TYPE_DEVICE else 0)
    return once.made(_defaults, (kind, *location), lambda: Pool(kind, location, 0, owner))


def current_of(kind: int, location: tuple[int, int]) -> Pool:
    return _current.get((kind, *location)) or default_of(kind, location)


def _of_device(ordinal: int) -> tuple[int, int, int]:
    return CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, device.find(ordinal).ordinal


def find_open(handle: int) -> Pool:
    pool = pools.find(handle)
    if pool.closed:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"memory pool 0x{handle:x} was destroyed")
    return pool


def cuDeviceGetDefaultMemPool(ordinal: int) -> int:
    kind, *location = _of_device(ordinal)
    return default_of(kind, tuple(location)).handle


def cuDeviceGetMemPool(ordinal: int) -> int:
    kind, *location = _of_device(ordinal)
    return current_of(kind, tuple(location)).handle


def cuDeviceSetMemPool(ordinal: int, handle: int) -> None:
    key, pool = _of_device(ordinal), find_open(handle)
    if (pool.values[CU_MEMPOOL_ATTR_LOCATION_TYPE], pool.values[CU_MEMPOOL_ATTR_LOCATION_ID]) != key[1:]:
        raise invalid(f"cuDeviceSetMemPool: the pool is not on device {ordinal}")
    _current[key] = pool


def location_of(name: str, given: Any) -> tuple[int, int]:
    """Check a CUmemLocation and return its type and id."""
    if given.type == CU_MEM_LOCATION_TYPE_DEVICE:
        return given.type, device.find(given.id).ordinal
    if given.type in HOST_LOCATIONS:
        return given.type, given.id if given.type == CU_MEM_LOCATION_TYPE_HOST_NUMA else 0
    raise invalid(f"{name}: location type {given.type} is neither a device nor the host")


def made_at(name: str, given: Any, kind: int) -> tuple[int, int]:
    """As `location_of`, for memory to be made: the one locality domain of a device is the device."""
    if given.type != CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN or kind == CU_MEM_ALLOCATION_TYPE_MANAGED:
        return location_of(name, given)
    place = given.localized
    if place.localityDomainId:
        raise invalid(f"{name}: localityDomainId is {place.localityDomainId}, a CPU device has one domain, 0")
    return CU_MEM_LOCATION_TYPE_DEVICE, device.find(place.deviceId).ordinal


def _key(name: str, place: int, kind: int) -> tuple[int, int, int]:
    device.check_started()
    if not place or kind not in (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED):
        raise invalid(f"{name}: location is NULL, or {kind} is no CUmemAllocationType")
    location = CUmemLocation.from_address(place)
    if location.type == 0 and kind == CU_MEM_ALLOCATION_TYPE_MANAGED:
        return kind, CU_MEM_LOCATION_TYPE_DEVICE, 0  # managed memory without a preferred place
    return kind, *made_at(name, location, kind)


def cuMemGetDefaultMemPool(place: int, kind: int) -> int:
    _, *location = _key("cuMemGetDefaultMemPool", place, kind)
    return default_of(kind, tuple(location)).handle


def cuMemGetMemPool(place: int, kind: int) -> int:
    _, *location = _key("cuMemGetMemPool", place, kind)
    return current_of(kind, tuple(location)).handle


def cuMemSetMemPool(place: int, kind: int, handle: int) -> None:
    _current[_key("cuMemSetMemPool", place, kind)] = find_open(handle)


def cuMemPoolCreate(place: int) -> int:
    name = "cuMemPoolCreate"
    device.check_started()
    if not place:
        raise invalid(f"{name}: poolProps is NULL")
    given = CUmemPoolProps.from_address(place)
    if given.allocType not in (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED):
        raise invalid(f"{name}: allocType is {given.allocType}")
    if given.handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED,
            f"{name}: handleTypes is {given.handleTypes}; pools of the CPU device are shared by POSIX file descriptors",
        )
    if given.location.type == 0 and given.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED:
        location = CU_MEM_LOCATION_TYPE_DEVICE, 0  # managed memory without a preferred place
    else:
        location = made_at(name, given.location, given.allocType)
    return Pool(given.allocType, location, given.maxSize, None, given.handleTypes).handle


def cuMemPoolDestroy(handle: int) -> None:
    """Close a pool to new allocations; those it has made stay valid until they are freed."""
    pool = find_open(handle)
    if pool.device is not None:
        raise invalid("cuMemPoolDestroy: a default pool cannot be destroyed")
    with once.lock:
        find_open(handle)
        pool.closed = True
    pool.blocks.threshold = 0
    pool.blocks.release(0)
    pool.end()
    for key in [key for key, current in _current.items() if current is pool]:
        del _current[key]


def cuMemPoolTrimTo(handle: int, keep: int) -> None:
    """Give back what is not in use until at most `keep` bytes are reserved."""
    find_open(handle).blocks.release(keep)


def _type_of(name: str, which: int, place: int) -> Any:
    """Return the C type of an attribute's value, which is at `place`."""
    if not place:
        raise invalid(f"{name}: value is NULL")
    return ctypes.c_uint64 if which in WIDE else ctypes.c_int


def cuMemPoolGetAttribute(handle: int, which: int, place: int) -> None:
    pool = find_open(handle)
    kind = _type_of("cuMemPoolGetAttribute", which, place)
    values = pool.values | {
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool.blocks.threshold,
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: pool.blocks.reserved,
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: pool.blocks.high,
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT: pool.used,
        CU_MEMPOOL_ATTR_USED_MEM_HIGH: pool.used_high,
    }
    if which not in values:
        raise invalid(f"cuMemPoolGetAttribute: {which} is no CUmemPool_attribute")
    kind.from_address(place).value = values[which]


def cuMemPoolSetAttribute(handle: int, which: int, place: int) -> None:
    pool = find_open(handle)
    value = _type_of("cuMemPoolSetAttribute", which, place).from_address(place).value
    if which == CU_MEMPOOL_ATTR_USED_MEM_HIGH and value == 0:
        pool.used_high = pool.used
    elif which == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH and value == 0:
        pool.blocks.high = pool.blocks.reserved
    elif which == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool.blocks.threshold = value
        _runtime.set_chores(True)
    elif which in SWITCHES:
        pool.values[which] = value
    else:
        raise invalid(f"cuMemPoolSetAttribute: attribute {which} cannot be set to {value}")


ACCESS = (CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)


def cuMemPoolSetAccess(handle: int, place: int, count: int) -> None:
    """Remember who may reach the pool's memory. Nothing is closed to anybody: all devices share one memory."""
    pool = find_open(handle)
    if not place or not count:
        raise invalid("cuMemPoolSetAccess: map is NULL or count is 0")
    wanted = {}
    for given in (CUmemAccessDesc * count).from_address(place):
        kind, ordinal = location_of("cuMemPoolSetAccess", given.location)
        if given.flags not in ACCESS:
            raise invalid(f"cuMemPoolSetAccess: {given.flags} is no CUmemAccess_flags")
        if kind == CU_MEM_LOCATION_TYPE_DEVICE:
            if pool.is_on(ordinal) and given.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE:
                raise invalid("cuMemPoolSetAccess: the device that the memory is on cannot lose its access")
            wanted[ordinal] = given.flags
    pool.access.update(wanted)


def cuMemPoolGetAccess(handle: int, place: int) -> int:
    pool = find_open(handle)
    if not place:
        raise invalid("cuMemPoolGetAccess: location is NULL")
    _, ordinal = location_of("cuMemPoolGetAccess", CUmemLocation.from_address(place))
    before = CU_MEM_ACCESS_FLAGS_PROT_READWRITE if pool.is_on(ordinal) else CU_MEM_ACCESS_FLAGS_PROT_NONE
    return pool.access.get(ordinal, before)


def cuMemAllocAsync(size: int, where: int) -> int:
    line = stream.find(where)
    if line.capture is not None:
        return line.capture.allocate(line, size)
    key = _of_device(line.context.device.ordinal)
    return current_of(key[0], key[1:]).allocate(size, line, "cuMemAllocAsync")


def cuMemAllocFromPoolAsync(size: int, handle: int, where: int) -> int:
    pool, line = find_open(handle), stream.find(where)
    if line.capture is not None:
        return line.capture.allocate(line, size)
    return pool.allocate(size, line, "cuMemAllocFromPoolAsync")


def cuMemFreeAsync(pointer: int, where: int) -> None:
    capturing = stream.find(where) if capture_state.active else None
    if capturing is not None and capturing.capture is not None:
        capturing.capture.free(capturing, pointer)
        return
    record = memory.find_freeable("cuMemFreeAsync", pointer)
    if record.context.error == CUDA_ERROR_DEINITIALIZED:
        memory.release(record)
    else:
        line = stream.find(where)
        line.ready()
        if not address.remove(record, line):
            raise address.gone("cuMemFreeAsync", record)
        record.give_back(line)


def forget_after_fork() -> None:
    pools.clear()
    _defaults.clear()
    _current.clear()
