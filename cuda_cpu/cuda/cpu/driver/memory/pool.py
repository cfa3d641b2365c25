# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory pools and stream-ordered allocation (cuMemAllocAsync).

An allocation has its address at once and its memory too. What is freed stays with the pool: the same stream may have it
again at once, another one when the free has had its turn. What a pool holds beyond its release threshold goes back to
the device when a stream, an event or a context is synchronized, and whenever the device has no memory left.
"""

from __future__ import annotations

import ctypes
import time
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
from cuda.cpu.check import state
from cuda.cpu.counters import spans
from cuda.cpu.driver.base import address, capture_state, once, written
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.block import Block, Blocks, capacity_for
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.memory import memory, pool_file
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime import _runtime

pools = Table("memory pool")

HOST_LOCATIONS = (CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)

SWITCHES = (
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
)
WIDE_ATTRIBUTES = (
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_MAX_POOL_SIZE,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH,
)  # cuuint64_t; the others are int


class Pool:
    def __init__(
        self, kind: int, location: tuple[int, int], max_size: int, owner: devices.Device | None, handle_types: int = 0
    ) -> None:
        self.shared: pool_file.PoolFile | None = None  # where the memory lies that other processes may map
        self.device = owner  # the default pool's; it cannot be destroyed
        self.exported = False  # to other processes
        self.access: dict[int, int] = {}
        self.closed = False
        self.used = self.used_high = 0
        self.blocks = Blocks()
        self.blocks.changed = self.record_size
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
                of = None if self.on_host else devices.find(number)
                self.shared = pool_file.PoolFile(self.values[CU_MEMPOOL_ATTR_ALLOCATION_TYPE], (kind, number), of)
        return self.shared

    def allocate(self, size: int, stream: streams.Stream, name: str) -> int:
        if size <= 0:
            raise invalid(f"{name}: the size is {size}, must be at least 1")
        self.check_limit(size, name)
        capacity = capacity_for(size)
        block = self.blocks.take(
            capacity,
            stream,
            opportunistic=bool(self.values[CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC]),
            internal=bool(self.values[CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES]),
        )
        record = self.record(block or self.reserve(capacity, stream, name), size, stream)
        self.count(size)
        address.add(record)
        if state.order is not None:
            state.order.changed(record, "allocation", stream.queue_after_waits())
        if record.kind is Kind.DEVICE:
            written.begin_unwritten(record, stream)
        return record.start

    def count(self, size: int) -> None:
        with self.blocks.lock:
            self.used += size
            self.used_high = max(self.used_high, self.used)
            if spans.active:
                self.record_size()

    def record_size(self) -> None:
        where = "the host" if self.on_host else f"device {self.values[CU_MEMPOOL_ATTR_LOCATION_ID]}"
        now = time.monotonic_ns()
        spans.pool_sizes.append(spans.PoolSize(now, self.handle, where, self.used, self.blocks.reserved))

    def check_limit(self, size: int, name: str) -> None:
        limit = self.values[CU_MEMPOOL_ATTR_MAX_POOL_SIZE]
        if limit and self.used + size > limit:
            raise CudaError(
                CUDA_ERROR_OUT_OF_MEMORY,
                f"{name}: {size} bytes requested of a pool with {limit - self.used} of {limit} left",
            )

    def reserve(self, capacity: int, stream: streams.Stream, name: str) -> Block:
        """Return a new block."""
        arena: Any = self.file() if self.handle_types else memory.host_arena() if self.on_host else None
        if self.on_host:
            try:
                return self.blocks.add(arena, arena.allocate(capacity), capacity)
            except MemoryError:
                raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"{name}: the system has no {capacity} bytes left") from None
        of = devices.find(self.values[CU_MEMPOOL_ATTR_LOCATION_ID])
        return self.blocks.add(arena or of.arena, memory.reserve(stream.context, capacity, name, of, arena), capacity)

    def record(self, block: Block, size: int, stream: streams.Stream) -> Allocation:
        managed = self.values[CU_MEMPOOL_ATTR_ALLOCATION_TYPE] == CU_MEM_ALLOCATION_TYPE_MANAGED
        kind = Kind.MANAGED if managed else Kind.HOST if self.on_host else Kind.DEVICE
        record = Allocation(block.address_for(size), size, kind, stream.context, block.arena)
        record.pool = record.keeper = self
        record.origin = "cuMemAllocAsync"
        record.block = block
        if not self.on_host:
            record.device = devices.find(self.values[CU_MEMPOOL_ATTR_LOCATION_ID])
        return record

    def take_back(self, record: Allocation, stream: streams.Stream | None) -> None:
        self.count(-record.size)
        self.blocks.keep(record.block, stream)
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
    """Return the default pool of a location and a type of allocation."""
    owner = devices.find(location[1] if location[0] == CU_MEM_LOCATION_TYPE_DEVICE else 0)
    return once.made(_defaults, (kind, *location), lambda: Pool(kind, location, 0, owner))


def current_of(kind: int, location: tuple[int, int]) -> Pool:
    return _current.get((kind, *location)) or default_of(kind, location)


def _of_device(ordinal: int) -> tuple[int, int, int]:
    return CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, devices.find(ordinal).ordinal


def find_open(handle: int) -> Pool:
    pool = pools.find(handle)
    if pool.closed:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"memory pool 0x{handle:x} was destroyed")
    return pool


def cuDeviceGetDefaultMemPool(dev: int) -> int:
    kind, location_type, location_id = _of_device(dev)
    return default_of(kind, (location_type, location_id)).handle


def cuDeviceGetMemPool(dev: int) -> int:
    kind, location_type, location_id = _of_device(dev)
    return current_of(kind, (location_type, location_id)).handle


def cuDeviceSetMemPool(dev: int, pool: int) -> None:
    key, found = _of_device(dev), find_open(pool)
    if (found.values[CU_MEMPOOL_ATTR_LOCATION_TYPE], found.values[CU_MEMPOOL_ATTR_LOCATION_ID]) != key[1:]:
        raise invalid(f"cuDeviceSetMemPool: the pool is not on device {dev}")
    _current[key] = found


def location_of(name: str, given: Any) -> tuple[int, int]:
    """Check a CUmemLocation and return its type and id."""
    if given.type == CU_MEM_LOCATION_TYPE_DEVICE:
        return given.type, devices.find(given.id).ordinal
    if given.type in HOST_LOCATIONS:
        return given.type, given.id if given.type == CU_MEM_LOCATION_TYPE_HOST_NUMA else 0
    raise invalid(f"{name}: location type {given.type} is neither a device nor the host")


def made_at(name: str, given: Any, kind: int) -> tuple[int, int]:
    """As `location_of`, for memory to be made: the one locality domain of a device is the device."""
    if given.type != CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN or kind == CU_MEM_ALLOCATION_TYPE_MANAGED:
        return location_of(name, given)
    localized = given.localized
    if localized.localityDomainId:
        raise invalid(f"{name}: localityDomainId is {localized.localityDomainId}, a CPU device has one domain, 0")
    return CU_MEM_LOCATION_TYPE_DEVICE, devices.find(localized.deviceId).ordinal


def _key(name: str, ptr: int, kind: int) -> tuple[int, int, int]:
    devices.check_started()
    if not ptr or kind not in (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED):
        raise invalid(f"{name}: location is NULL, or {kind} is no CUmemAllocationType")
    location = CUmemLocation.from_address(ptr)
    if location.type == 0 and kind == CU_MEM_ALLOCATION_TYPE_MANAGED:
        return kind, CU_MEM_LOCATION_TYPE_DEVICE, 0  # managed memory without a preferred location
    return kind, *made_at(name, location, kind)


def cuMemGetDefaultMemPool(location: int, type_: int) -> int:
    kind, location_type, location_id = _key("cuMemGetDefaultMemPool", location, type_)
    return default_of(kind, (location_type, location_id)).handle


def cuMemGetMemPool(location: int, type_: int) -> int:
    kind, location_type, location_id = _key("cuMemGetMemPool", location, type_)
    return current_of(kind, (location_type, location_id)).handle


def cuMemSetMemPool(location: int, type_: int, pool: int) -> None:
    _current[_key("cuMemSetMemPool", location, type_)] = find_open(pool)


def cuMemPoolCreate(poolProps: int) -> int:
    name = "cuMemPoolCreate"
    devices.check_started()
    if not poolProps:
        raise invalid(f"{name}: poolProps is NULL")
    given = CUmemPoolProps.from_address(poolProps)
    if given.allocType not in (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED):
        raise invalid(f"{name}: allocType is {given.allocType}")
    if given.handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED,
            f"{name}: handleTypes is {given.handleTypes}; pools of the CPU device are shared by POSIX file descriptors",
        )
    if given.location.type == 0 and given.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED:
        location = CU_MEM_LOCATION_TYPE_DEVICE, 0  # managed memory without a preferred location
    else:
        location = made_at(name, given.location, given.allocType)
    return Pool(given.allocType, location, given.maxSize, None, given.handleTypes).handle


def cuMemPoolDestroy(pool: int) -> None:
    """Close a pool to new allocations; those it has made stay valid until they are freed."""
    found = find_open(pool)
    if found.device is not None:
        raise invalid("cuMemPoolDestroy: a default pool cannot be destroyed")
    with once.lock:
        find_open(pool)
        found.closed = True
    found.blocks.threshold = 0
    found.blocks.release(0)
    found.end()
    for key in [key for key, current in _current.items() if current is found]:
        del _current[key]


def cuMemPoolTrimTo(pool: int, minBytesToKeep: int) -> None:
    """Give back what is not in use until at most `minBytesToKeep` bytes are reserved."""
    find_open(pool).blocks.release(minBytesToKeep)


def _type_of(name: str, which: int, value_ptr: int) -> Any:
    """Return the C type of an attribute's value, which is at `value_ptr`."""
    if not value_ptr:
        raise invalid(f"{name}: value is NULL")
    return ctypes.c_uint64 if which in WIDE_ATTRIBUTES else ctypes.c_int


def cuMemPoolGetAttribute(pool: int, attr: int, value: int) -> None:
    capture_state.check_safe("cuMemPoolGetAttribute")
    found = find_open(pool)
    kind = _type_of("cuMemPoolGetAttribute", attr, value)
    values = found.values | {
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: found.blocks.threshold,
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: found.blocks.reserved,
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: found.blocks.high,
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT: found.used,
        CU_MEMPOOL_ATTR_USED_MEM_HIGH: found.used_high,
    }
    if attr not in values:
        raise invalid(f"cuMemPoolGetAttribute: {attr} is no CUmemPool_attribute")
    kind.from_address(value).value = values[attr]


def cuMemPoolSetAttribute(pool: int, attr: int, value: int) -> None:
    found = find_open(pool)
    wanted = _type_of("cuMemPoolSetAttribute", attr, value).from_address(value).value
    if attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH and wanted == 0:
        found.used_high = found.used
    elif attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH and wanted == 0:
        found.blocks.high = found.blocks.reserved
    elif attr == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        found.blocks.threshold = wanted
        _runtime.set_deferred_work(True)
    elif attr in SWITCHES:
        found.values[attr] = wanted
    else:
        raise invalid(f"cuMemPoolSetAttribute: attribute {attr} cannot be set to {wanted}")


ACCESS = (CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)


def cuMemPoolSetAccess(pool: int, map_: int, count: int) -> None:
    """Remember who may reach the pool's memory. Nothing is closed to anybody: all devices share one memory."""
    found = find_open(pool)
    if not map_ or not count:
        raise invalid("cuMemPoolSetAccess: map is NULL or count is 0")
    wanted = {}
    for given in (CUmemAccessDesc * count).from_address(map_):
        kind, ordinal = location_of("cuMemPoolSetAccess", given.location)
        if given.flags not in ACCESS:
            raise invalid(f"cuMemPoolSetAccess: {given.flags} is no CUmemAccess_flags")
        if kind == CU_MEM_LOCATION_TYPE_DEVICE:
            if found.is_on(ordinal) and given.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE:
                raise invalid("cuMemPoolSetAccess: the device that the memory is on cannot lose its access")
            wanted[ordinal] = given.flags
    found.access.update(wanted)


def cuMemPoolGetAccess(memPool: int, location: int) -> int:
    pool = find_open(memPool)
    if not location:
        raise invalid("cuMemPoolGetAccess: location is NULL")
    _, ordinal = location_of("cuMemPoolGetAccess", CUmemLocation.from_address(location))
    before = CU_MEM_ACCESS_FLAGS_PROT_READWRITE if pool.is_on(ordinal) else CU_MEM_ACCESS_FLAGS_PROT_NONE
    return pool.access.get(ordinal, before)


def cuMemAllocAsync(bytesize: int, hStream: int) -> int:
    stream = streams.find(hStream)
    if stream.capture is not None:
        return stream.capture.allocate(stream, bytesize)
    capture_state.check_safe("cuMemAllocAsync")
    key = _of_device(stream.context.device.ordinal)
    return current_of(key[0], key[1:]).allocate(bytesize, stream, "cuMemAllocAsync")


def cuMemAllocFromPoolAsync(bytesize: int, pool: int, hStream: int) -> int:
    found, stream = find_open(pool), streams.find(hStream)
    if stream.capture is not None:
        return stream.capture.allocate(stream, bytesize)
    capture_state.check_safe("cuMemAllocFromPoolAsync")
    return found.allocate(bytesize, stream, "cuMemAllocFromPoolAsync")


def cuMemFreeAsync(dptr: int, hStream: int) -> None:
    capturing = streams.find(hStream) if capture_state.active else None
    if capturing is not None and capturing.capture is not None:
        capturing.capture.free(capturing, dptr)
        return
    record = memory.find_freeable("cuMemFreeAsync", dptr)
    if record.context.error == CUDA_ERROR_DEINITIALIZED:
        memory.release(record)
    else:
        stream = streams.find(hStream)
        queue = stream.queue_after_waits()
        if not address.remove(record, stream):
            raise address.gone("cuMemFreeAsync", record)
        if state.order is not None:
            state.order.changed(record, "free", queue)
        record.give_back(stream)


def forget_after_fork() -> None:
    pools.clear()
    _defaults.clear()
    _current.clear()
