# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Address reservations and physical memory mapped to them, for one buffer of a VirtualMemoryResource."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver
from cuda.core._utils._call import call
from cuda.core.typing import (
    VirtualMemoryAccessType,
    VirtualMemoryAllocationType,
    VirtualMemoryGranularityType,
    VirtualMemoryHandleType,
    VirtualMemoryLocationType,
)

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._memory._virtual_memory_resource import VirtualMemoryResourceOptions

_HANDLES = driver.CUmemAllocationHandleType
_PLACES = driver.CUmemLocationType
_HANDLE_TYPES = {
    None: _HANDLES.CU_MEM_HANDLE_TYPE_NONE,
    VirtualMemoryHandleType.POSIX_FD: _HANDLES.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    VirtualMemoryHandleType.FABRIC: _HANDLES.CU_MEM_HANDLE_TYPE_FABRIC,
}
_ALLOCATION_TYPES = {
    VirtualMemoryAllocationType.PINNED: driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED,
    VirtualMemoryAllocationType.MANAGED: driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_MANAGED,
}
_LOCATION_TYPES = {
    VirtualMemoryLocationType.DEVICE: _PLACES.CU_MEM_LOCATION_TYPE_DEVICE,
    VirtualMemoryLocationType.HOST: _PLACES.CU_MEM_LOCATION_TYPE_HOST,
    VirtualMemoryLocationType.HOST_NUMA: _PLACES.CU_MEM_LOCATION_TYPE_HOST_NUMA,
    VirtualMemoryLocationType.HOST_NUMA_CURRENT: _PLACES.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
}
_GRANULARITIES = {
    VirtualMemoryGranularityType.MINIMUM: driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM,
    VirtualMemoryGranularityType.RECOMMENDED: (
        driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
    ),
}
_ACCESSES = {
    VirtualMemoryAccessType.READ_WRITE: driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    VirtualMemoryAccessType.READ: driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READ,
}


def _location(kind: Any, number: int) -> driver.CUmemLocation:
    where = driver.CUmemLocation()
    where.type = kind
    where.id = number
    return where


def _own_location(device: Device, config: VirtualMemoryResourceOptions) -> driver.CUmemLocation:
    numbers = {
        VirtualMemoryLocationType.DEVICE: device.device_id,
        VirtualMemoryLocationType.HOST_NUMA: max(int(device.properties.host_numa_id), 0),
    }
    kind = VirtualMemoryLocationType(config.location_type)
    return _location(_LOCATION_TYPES[kind], numbers.get(kind, 0))


def _properties(device: Device, config: VirtualMemoryResourceOptions) -> driver.CUmemAllocationProp:
    properties = driver.CUmemAllocationProp()
    properties.type = _ALLOCATION_TYPES[VirtualMemoryAllocationType(config.allocation_type)]
    properties.location = _own_location(device, config)
    kind = None if config.handle_type is None else VirtualMemoryHandleType(config.handle_type)
    properties.requestedHandleTypes = _HANDLE_TYPES[kind]
    properties.allocFlags.gpuDirectRDMACapable = int(config.gpu_direct_rdma)
    return properties


def granularity_of(device: Device, config: VirtualMemoryResourceOptions) -> int:
    """Return the allocation granularity in bytes."""
    which = _GRANULARITIES[VirtualMemoryGranularityType(config.granularity)]
    return call(driver.cuMemGetAllocationGranularity, _properties(device, config), which)


def _accesses(device: Device, config: VirtualMemoryResourceOptions) -> list[driver.CUmemAccessDesc]:
    """Return the access rights to the memory: of the device, of the host if it is host memory, and of peers."""
    own = VirtualMemoryAccessType(config.self_access)
    wanted = {device.device_id: own}
    for peer in config.peers:
        wanted.setdefault(int(peer), VirtualMemoryAccessType(config.peer_access))
    locations = [(_location(_PLACES.CU_MEM_LOCATION_TYPE_DEVICE, number), kind) for number, kind in wanted.items()]
    if config.location_type != VirtualMemoryLocationType.DEVICE:
        locations.append((_own_location(device, config), own))
    accesses = []
    for location, kind in locations:
        access = driver.CUmemAccessDesc()
        access.location = location
        access.flags = _ACCESSES[kind]
        accesses.append(access)
    return accesses


class Pieces:
    """A contiguous address range to which several physical allocations are mapped."""

    def __init__(self, device: Device, config: VirtualMemoryResourceOptions) -> None:
        self.device = device
        self.config = config
        self.start = 0
        self.size = 0
        self.reserved: list[tuple[int, int]] = []  # address and size
        self.mapped: list[tuple[Any, int]] = []  # handle and size, in the order of addresses

    def grow(
        self,
        size: int,
        config: VirtualMemoryResourceOptions | None = None,
        before_moving: Callable[[], None] = lambda: None,
    ) -> None:
        """Grow to `size` bytes, rounded up to the granularity; on failure nothing changes."""
        config = config or self.config
        step = granularity_of(self.device, config)
        size = -(-size // step) * step
        extra = size - self.size
        handle = call(driver.cuMemCreate, extra, _properties(self.device, config), 0)
        try:
            if not (self.size and self._extend(handle, extra, config)):
                if self.size:
                    before_moving()
                self._move(handle, extra, max(step, config.addr_align or 0), config)
        except BaseException:
            driver.cuMemRelease(handle)
            raise
        self.mapped.append((handle, extra))
        self.size = size
        self.config = config

    def _extend(self, handle: Any, extra: int, config: VirtualMemoryResourceOptions) -> bool:
        """Map memory directly after the present range; return False if those addresses are taken."""
        end = self.start + self.size
        status, address = driver.cuMemAddressReserve(extra, 0, end, 0)
        if status != driver.CUresult.CUDA_SUCCESS:
            return False
        if int(address) != end:
            call(driver.cuMemAddressFree, address, extra)
            return False
        mapped: list[tuple[int, int]] = []
        try:
            self._map(end, [(handle, extra)], mapped)
            self._open(self.start, self.size + extra, config)
        except BaseException:
            _unmap(mapped)
            driver.cuMemAddressFree(end, extra)
            raise
        self.reserved.append((end, extra))
        return True

    def _move(self, handle: Any, extra: int, align: int, config: VirtualMemoryResourceOptions) -> None:
        """Map the present and the new memory at a new address range, and release the old one."""
        size = self.size + extra
        hint = 0 if self.size else config.addr_hint or 0
        start = int(call(driver.cuMemAddressReserve, size, align, hint, 0))
        mapped: list[tuple[int, int]] = []
        try:
            self._map(start, [*self.mapped, (handle, extra)], mapped)
            self._open(start, size, config)
        except BaseException:
            _unmap(mapped)
            driver.cuMemAddressFree(start, size)
            raise
        self._give_up_addresses()
        self.start, self.reserved = start, [(start, size)]

    def _map(self, start: int, pieces: list[tuple[Any, int]], mapped: list[tuple[int, int]]) -> None:
        for handle, size in pieces:
            call(driver.cuMemMap, start, size, 0, handle, 0)
            mapped.append((start, size))
            start += size

    def _open(self, start: int, size: int, config: VirtualMemoryResourceOptions) -> None:
        accesses = _accesses(self.device, config)
        call(driver.cuMemSetAccess, start, size, accesses, len(accesses))

    def _give_up_addresses(self) -> None:
        start = self.start
        for _, size in self.mapped:
            call(driver.cuMemUnmap, start, size)
            start += size
        for address, size in self.reserved:
            call(driver.cuMemAddressFree, address, size)

    def release(self) -> None:
        """Unmap and release the memory, and free the addresses."""
        self._give_up_addresses()
        for handle, _ in self.mapped:
            call(driver.cuMemRelease, handle)
        self.mapped, self.reserved, self.start, self.size = [], [], 0, 0


def _unmap(mapped: list[tuple[int, int]]) -> None:
    for start, size in mapped:
        driver.cuMemUnmap(start, size)
