# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Multicast objects: addresses backed by memory of several devices, for the `multimem` instructions of PTX.

An object is a file as long as the memory, which is mapped as memory is. At the start of every granule of it stands a
table of the addresses that are bound to the granule (runtime/texture/tensor.h: struct cpu_multimem); the rest is never
touched.
Mappings are read-only: ordinary accesses to such addresses mean nothing (PTX manual 8.2.3).
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

from cuda.cpu.abi import (
    CU_MEM_ACCESS_FLAGS_PROT_NONE,
    CU_MEM_ALLOCATION_TYPE_PINNED,
    CUDA_ERROR_NOT_SUPPORTED,
    CUmemAllocationProp,
    CUmulticastObjectProp,
)
from cuda.cpu.driver.base import address, once, shared_file
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.memory import virtual_memory
from cuda.cpu.driver.memory.virtual_memory import GRANULARITY, Mapping, Memory, memories
from cuda.cpu.runtime.abi import number

KIND = number("MULTIMEM")
READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
MOST_DEVICES = (mmap.PAGESIZE - 8) // 8  # that a table has room for


class Binding:
    """Memory of a device at an offset of an object. `base` is where the host has it."""

    def __init__(self, offset: int, size: int, base: int, memory: Memory | None, view: int = 0) -> None:
        self.offset = offset
        self.size = size
        self.base = base
        self.memory = memory
        self.view = view
        if memory is not None:
            with once.counting:
                memory.mapped += 1

    def close(self) -> None:
        if self.memory is not None:
            if self.view:
                shared_file.libc.munmap(self.view, self.memory.size)
            with once.counting:
                self.memory.mapped -= 1
            self.memory.drop()


class ObjectMapping(Mapping):
    """An object at an address: what it holds are tables, which nobody may write, nor copy as if they were data."""

    def set_access(self) -> None:
        most = max(self.access.values(), default=CU_MEM_ACCESS_FLAGS_PROT_NONE)
        shared_file.libc.mprotect(self.start, self.size, mmap.PROT_READ if most else shared_file.NONE)


class Multicast(Memory):
    """A multicast object: its devices, and what each has bound."""

    mapping = ObjectMapping

    def __init__(self, count: int, size: int) -> None:
        self.count = count
        self.size = size
        self.devices: list[int] = []
        self.bindings: dict[int, list[Binding]] = {}
        self.descriptor = shared_file.make("multicast", size)
        self.tables = shared_file.map_at(0, size, READ_WRITE, mmap.MAP_SHARED, self.descriptor)
        self.properties = CUmemAllocationProp(type=CU_MEM_ALLOCATION_TYPE_PINNED)
        self.device = devices.find(0)
        self.handles, self.mapped = 1, 0
        self.handle = memories.add(self)

    def drop(self) -> None:
        if not self.handles:
            memories.pop(self.handle, None)
            if not self.mapped:
                for bound in self.bindings.values():
                    for each in bound:
                        each.close()
                shared_file.libc.munmap(self.tables, self.size)
                os.close(self.descriptor)

    def write_tables(self, offset: int, size: int) -> None:
        """Write the tables of a range anew, the count last: kernels may read them."""
        for start in range(offset, offset + size, GRANULARITY):
            bases = [
                each.base + start - each.offset
                for number in self.devices
                for each in self.bindings[number]
                if each.offset <= start < each.offset + each.size
            ]
            table = (ctypes.c_uint64 * (1 + len(bases))).from_address(self.tables + start)
            for index, base in enumerate(bases, 1):
                table[index] = base
            table[0] = KIND | len(bases) << 32


def _find(handle: int) -> Multicast:
    found = memories.find(handle)
    if not isinstance(found, Multicast):
        raise invalid(f"0x{handle:x} is memory, no multicast object")
    return found


def _properties(name: str, ptr: int) -> Any:
    """Return the checked CUmulticastObjectProp at `ptr`."""
    devices.check_started()
    if not ptr:
        raise invalid(f"{name}: prop is NULL")
    given = CUmulticastObjectProp.from_address(ptr)
    if not 1 <= given.numDevices <= MOST_DEVICES or given.flags:
        raise invalid(
            f"{name}: numDevices is {given.numDevices}, must be 1 to {MOST_DEVICES}; flags is {given.flags}, must be 0"
        )
    if given.handleTypes:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED, f"{name}: handleTypes is {given.handleTypes}; objects are not exported"
        )
    return given


def cuMulticastGetGranularity(prop: int, option: int) -> int:
    name = "cuMulticastGetGranularity"
    _properties(name, prop)
    if option not in (0, 1):
        raise invalid(f"{name}: {option} is no CUmulticastGranularity_flags")
    return GRANULARITY


def cuMulticastCreate(prop: int) -> int:
    name = "cuMulticastCreate"
    given = _properties(name, prop)
    _check(name, "size", given.size)
    return Multicast(given.numDevices, given.size).handle


def cuMulticastAddDevice(mcHandle: int, dev: int) -> None:
    name, found = "cuMulticastAddDevice", _find(mcHandle)
    number = devices.find(dev).ordinal
    if number in found.devices or len(found.devices) == found.count:
        raise invalid(f"{name}: device {number} is there already, or all {found.count} devices are")
    found.devices.append(number)
    found.bindings[number] = []


def _check(name: str, parameter: str, value: int, *, least: int = 1) -> None:
    if value < least or value % GRANULARITY:
        raise invalid(f"{name}: {parameter} is {value}, must be a multiple of the granularity, {GRANULARITY}")


def _bind(name: str, handle: int, number: int, offset: int, size: int, flags: int) -> tuple[Multicast, list[Binding]]:
    """Return the object, and what the device has bound; the range is free."""
    found = _find(handle)
    _check(name, "size", size)
    _check(name, "mcOffset", offset, least=0)
    if flags or offset + size > found.size:
        raise invalid(f"{name}: flags is {flags}, must be 0, or {size} bytes at {offset} are beyond {found.size}")
    if len(found.devices) < found.count:
        raise invalid(
            f"{name}: {len(found.devices)} of {found.count} devices are added: add all before memory is bound"
        )
    if number not in found.bindings:
        raise invalid(f"{name}: the memory is of device {number}, which was not added to the object")
    bound = found.bindings[number]
    if any(each.offset < offset + size and offset < each.offset + each.size for each in bound):
        raise invalid(f"{name}: device {number} has memory bound in the range already")
    return found, bound


def cuMulticastBindMem(mcHandle: int, mcOffset: int, memHandle: int, memOffset: int, size: int, flags: int) -> None:
    of = memories.find(memHandle).device.ordinal
    cuMulticastBindMem_v2(mcHandle, of, mcOffset, memHandle, memOffset, size, flags)


def cuMulticastBindMem_v2(
    mcHandle: int, dev: int, mcOffset: int, memHandle: int, memOffset: int, size: int, flags: int
) -> None:
    """Bind memory that cuMemCreate has made."""
    name, given = "cuMulticastBindMem", memories.find(memHandle)
    found, bound = _bind(name, mcHandle, dev, mcOffset, size, flags)
    _check(name, "memOffset", memOffset, least=0)
    if isinstance(given, Multicast) or given.device.ordinal != dev or memOffset + size > given.size:
        raise invalid(f"{name}: {size} bytes at {memOffset} are beyond the memory, or it is not of device {dev}")
    view = shared_file.map_at(0, given.size, READ_WRITE, mmap.MAP_SHARED, given.descriptor)
    bound.append(Binding(mcOffset, size, view + memOffset, given, view))
    found.write_tables(mcOffset, size)


def _owner(name: str, pointer: int, size: int) -> tuple[int, Memory | None]:
    """Return the device of memory at an address, and the memory if cuMemMap has put it there."""
    record = address.check(name, pointer, size, device=True)
    if record is None:
        raise invalid(f"{name}: no memory of a device is at 0x{pointer:x}")
    if isinstance(record.keeper, Mapping):
        if pointer + size > record.start + record.size:
            raise invalid(f"{name}: {size} bytes at 0x{pointer:x} are more than one mapping")
        return record.keeper.memory.device.ordinal, record.keeper.memory
    return record.device.ordinal, None


def cuMulticastBindAddr(mcHandle: int, mcOffset: int, memptr: int, size: int, flags: int) -> None:
    of, _ = _owner("cuMulticastBindAddr", memptr, size)
    cuMulticastBindAddr_v2(mcHandle, of, mcOffset, memptr, size, flags)


def cuMulticastBindAddr_v2(mcHandle: int, dev: int, mcOffset: int, memptr: int, size: int, flags: int) -> None:
    """Bind memory by its address."""
    name = "cuMulticastBindAddr"
    found, bound = _bind(name, mcHandle, dev, mcOffset, size, flags)
    of, memory = _owner(name, memptr, size)
    if of != dev:
        raise invalid(f"{name}: the memory at 0x{memptr:x} is of device {of}, not of {dev}")
    bound.append(Binding(mcOffset, size, memptr, memory))
    found.write_tables(mcOffset, size)


def cuMulticastUnbind(mcHandle: int, dev: int, mcOffset: int, size: int) -> None:
    """Take back what was bound, once nothing that is queued can use it any more."""
    found = _find(mcHandle)
    bound = found.bindings.get(dev, [])
    chosen = next((each for each in bound if (each.offset, each.size) == (mcOffset, size)), None)
    if chosen is None:
        raise invalid(f"cuMulticastUnbind: device {dev} has not bound {size} bytes at {mcOffset} in one call")
    virtual_memory.wait_for_all()
    bound.remove(chosen)
    found.write_tables(mcOffset, size)
    chosen.close()
