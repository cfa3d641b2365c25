# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory that nodes of a graph allocate and free.

Its address is fixed when the node is made, so its memory is set apart from then on, until the graph and what was
instantiated from it are destroyed. In between a launch makes it live and a free, in a graph or in a stream, ends that.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
    CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
    CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
    CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_ALLOCATION_TYPE_PINNED,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST,
    CU_MEM_LOCATION_TYPE_HOST_NUMA,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_MEM_ALLOC_NODE_PARAMS,
    CUDA_MEM_FREE_NODE_PARAMS,
)
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.block import Block, capacity_for
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.graph.graph_work import Work
from cuda.cpu.driver.memory import memory

CURRENT = {CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
           CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT}  # fmt: skip

HOST_LOCATIONS = (CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)

_counts: dict[int, dict[int, int]] = {}  # of each device: what cuDeviceGetGraphMemAttribute answers


def counts_of(of: devices.Device) -> dict[int, int]:
    return _counts.setdefault(of.ordinal, dict.fromkeys((*CURRENT, *CURRENT.values()), 0))


def _count(of: devices.Device, high: int, change: int) -> None:
    counts = counts_of(of)
    counts[CURRENT[high]] += change
    counts[high] = max(counts[high], counts[CURRENT[high]])


class GraphMemory:
    """An allocation of a graph. `live` is whether a launch has made it and nothing has freed it yet."""

    def __init__(self, owner: context.Context, size: int, of: devices.Device, kind: Kind) -> None:
        capacity = capacity_for(size)
        block = Block(of.arena, memory.reserve(owner, capacity, "a memory allocation node", of), capacity)
        self.record = Allocation(block.address_for(size), size, kind, owner, of.arena)
        self.record.origin = "a memory allocation node"
        self.record.block, self.record.keeper, self.record.device = block, self, of
        self.live = False
        self.freed_by: Any = None  # the node of its graph that frees it
        self.holders: set[Any] = set()  # graphs and executable graphs
        self.exec: Any = None  # the one that may launch it
        _count(of, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, capacity)
        address.add(self.record)

    def set_live(self, live: bool) -> None:
        if live is not self.live:
            size = self.record.size
            _count(self.record.device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, size if live else -size)
            self.live = live

    def take_back(self, record: Allocation, stream: Any) -> None:
        """End what a launch began; the table of addresses no longer has the record."""
        self.set_live(False)
        if not record.context.usable:
            self.holders.clear()
        if self.holders:
            address.add(record)
        else:
            self._end(stream)

    def leave(self, holder: Any) -> None:
        """Let a graph go; without any left, the memory goes unless it is live."""
        if holder in self.holders:
            self.holders.remove(holder)
            if not self.holders and not self.live and address.remove(self.record):
                self._end(None)

    def _end(self, stream: Any) -> None:
        block = self.record.block
        _count(self.record.device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, -block.capacity)
        if stream is None:
            for queue in self.record.context.queues():
                queue.wait(-1)
            block.arena.free(block.start)
        else:
            stream.queue_after_waits().free(block.arena, block.start)


class MemoryWork(Work):
    """Allocate or free."""

    def __init__(self, memory_of: GraphMemory, params: Any, kind: int) -> None:
        super().__init__(kind, params, (), memory_of.record.context)
        self.memory = memory_of

    def run(self, stream: Any, queue: Any) -> None:
        self.memory.set_live(self.kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC)


def allocation(name: str, graph: Any, given: Any) -> MemoryWork:
    """Make the work of a CUDA_MEM_ALLOC_NODE_PARAMS, and store the address there."""
    owner, properties = context.current(), given.poolProps
    if graph.parent is not None:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: a graph within a graph cannot allocate memory")
    managed, location = properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED, properties.location
    if not (managed or properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED) or properties.handleTypes:
        raise invalid(f"{name}: allocType must be CU_MEM_ALLOCATION_TYPE_PINNED or _MANAGED, and handleTypes 0")
    on_host = location.type in HOST_LOCATIONS
    if not on_host and location.type != CU_MEM_LOCATION_TYPE_DEVICE:
        raise invalid(f"{name}: location.type is {location.type}, must be of a device or of the host")
    kind = Kind.MANAGED if managed else Kind.HOST if on_host else Kind.DEVICE
    made = GraphMemory(owner, given.bytesize, owner.device if on_host else devices.find(location.id), kind)
    made.holders.add(graph)
    graph.memories.append(made)
    given.dptr = made.record.start
    return MemoryWork(made, type(given).from_buffer_copy(given), CU_GRAPH_NODE_TYPE_MEM_ALLOC)


def allocation_of(graph: Any, size: int, owner: context.Context) -> MemoryWork:
    """Make the work of a cuMemAllocAsync that is captured."""
    given = CUDA_MEM_ALLOC_NODE_PARAMS(bytesize=size)
    given.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED
    given.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE
    given.poolProps.location.id = owner.device.ordinal
    return allocation("cuMemAllocAsync", graph, given)


def free(name: str, pointer: int) -> MemoryWork:
    record = address.exact(pointer)
    if record is None or not isinstance(record.keeper, GraphMemory):
        raise invalid(f"{name}: 0x{pointer:x} is not memory that a node of a graph allocates")
    if record.keeper.freed_by is not None:
        raise invalid(f"{name}: another node frees 0x{pointer:x}")
    work = MemoryWork(record.keeper, CUDA_MEM_FREE_NODE_PARAMS(pointer), CU_GRAPH_NODE_TYPE_MEM_FREE)
    record.keeper.freed_by = work
    return work


def cuDeviceGetGraphMemAttribute(device: int, attr: int, value: int) -> None:
    counts = counts_of(devices.find(device))
    if attr not in counts or not value:
        raise invalid(f"cuDeviceGetGraphMemAttribute: {attr} is no CUgraphMem_attribute, or value is NULL")
    ctypes.c_uint64.from_address(value).value = counts[attr]


def cuDeviceSetGraphMemAttribute(device: int, attr: int, value: int) -> None:
    counts = counts_of(devices.find(device))
    if attr not in CURRENT or not value or ctypes.c_uint64.from_address(value).value:
        raise invalid(f"cuDeviceSetGraphMemAttribute: attribute {attr} cannot be set; high marks can, to 0")
    counts[attr] = counts[CURRENT[attr]]


def cuDeviceGraphMemTrim(device: int) -> None:
    """Do nothing, successfully: memory that no graph needs any more is given back at once."""
    devices.find(device)


def forget_after_fork() -> None:
    _counts.clear()
