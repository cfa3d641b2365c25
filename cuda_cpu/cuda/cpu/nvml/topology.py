# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Topology of CPU devices, which all share the processors and the memory."""

from __future__ import annotations

import ctypes
import os

from cuda.cpu.abi import CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
from cuda.cpu.driver.device import device
from cuda.cpu.nvml import base, machine
from cuda.cpu.nvml.sensors import known
from cuda.cpu.nvml.status import INSUFFICIENT_SIZE, INVALID_ARGUMENT, OPERATING_SYSTEM, failure
from cuda.cpu.nvml.structures import AddressingMode, PciInfo, PciInfoExt
from cuda.cpu.signals import own

_LEVELS = (0, 10, 20, 30, 40, 50)  # nvmlGpuTopologyLevel_t
_SCOPES = (0, 1)  # nvmlAffinityScope_t
_P2P_NVLINK, _P2P_LAST = 2, 4  # nvmlGpuP2PCapsIndex_t
_P2P_OK, _P2P_NOT_SUPPORTED = 0, 5  # nvmlGpuP2PStatus_t
_ADDRESSES_BY_HOST_PAGE_TABLES = 2  # NVML_DEVICE_ADDRESSING_MODE_ATS
_PROCESSOR, _OTHER = 0x0B, 0x80  # class and subclass of the PCI Code and ID Assignment Specification

_cores: set[int] = set()


def cores() -> set[int]:
    """Return the processors that kernels run on: those in the process's affinity mask at the first query."""
    if not _cores:
        _cores.update(os.sched_getaffinity(0))
    return _cores


def nvmlDeviceOnSameBoard(handle: int, other: int) -> int:
    base.find(handle), base.find(other)
    return 1


def nvmlDeviceGetTopologyCommonAncestor(handle: int, other: int) -> int:
    base.find(handle), base.find(other)
    return 0  # NVML_TOPOLOGY_INTERNAL


def nvmlDeviceGetP2PStatus(handle: int, other: int, index: int) -> int:
    name = "nvmlDeviceGetP2PStatus"
    if base.find(handle) is base.find(other):
        raise failure(INVALID_ARGUMENT, f"{name}: the devices are one device")
    if not 0 <= index <= _P2P_LAST:
        raise failure(INVALID_ARGUMENT, f"{name}: {index} is not an nvmlGpuP2PCapsIndex_t")
    return _P2P_NOT_SUPPORTED if index == _P2P_NVLINK else _P2P_OK


def _give_handles(name: str, found: list[device.Device], count: int, address: int) -> None:
    """Write handles; a count of 0 queries their number."""
    number = ctypes.c_uint.from_address(base.output(name, count))
    room, number.value = number.value, len(found)
    if not room or not found:
        return
    if room < len(found):
        raise failure(INSUFFICIENT_SIZE, f"{name}: there are {len(found)} devices, room for {room}")
    handles = (ctypes.c_uint64 * len(found))(*[each.ordinal + 1 for each in found])
    ctypes.memmove(base.output(name, address), handles, ctypes.sizeof(handles))


def nvmlDeviceGetTopologyNearestGpus(handle: int, level: int, count: int, address: int) -> None:
    """Give all other devices: no level is nearer than theirs."""
    name = "nvmlDeviceGetTopologyNearestGpus"
    of = base.find(handle)
    if level not in _LEVELS:
        raise failure(INVALID_ARGUMENT, f"{name}: {level} is not an nvmlGpuTopologyLevel_t")
    _give_handles(name, [each for each in base.devices() if each is not of], count, address)


def nvmlSystemGetTopologyGpuSet(core: int, count: int, address: int) -> None:
    """Give the devices that run kernels on a processor: all of them, or none."""
    name = "nvmlSystemGetTopologyGpuSet"
    base.check()
    if core > max(machine.online_cores() or cores()):
        raise failure(INVALID_ARGUMENT, f"{name}: there is no processor {core}")
    _give_handles(name, base.devices() if core in cores() else [], count, address)


def nvmlDeviceGetCpuAffinity(handle: int, words: int, address: int) -> None:
    base.find(handle)
    base.give_bits("nvmlDeviceGetCpuAffinity", cores(), words, address)


def _check_scope(name: str, scope: int) -> None:
    if scope not in _SCOPES:
        raise failure(INVALID_ARGUMENT, f"{name}: {scope} is not an nvmlAffinityScope_t")


def nvmlDeviceGetCpuAffinityWithinScope(handle: int, words: int, address: int, scope: int) -> None:
    name = "nvmlDeviceGetCpuAffinityWithinScope"
    base.find(handle)
    _check_scope(name, scope)
    base.give_bits(name, cores(), words, address)


def nvmlDeviceGetMemoryAffinity(handle: int, words: int, address: int, scope: int) -> None:
    name = "nvmlDeviceGetMemoryAffinity"
    base.find(handle)
    _check_scope(name, scope)
    base.give_bits(name, known(name, machine.memory_nodes(), "the NUMA nodes of its memory"), words, address)


def nvmlDeviceGetNumaNodeId(handle: int) -> int:
    """Return the NUMA node of the device's memory, where it is one node."""
    base.find(handle)
    nodes = machine.memory_nodes() or set()
    only = next(iter(nodes)) if len(nodes) == 1 else None
    return known("nvmlDeviceGetNumaNodeId", only, "a single NUMA node for the device's memory")


def _run_on(name: str, wanted: set[int]) -> None:
    try:
        os.sched_setaffinity(0, wanted)
    except own(OSError) as error:
        raise failure(OPERATING_SYSTEM, f"{name}: {error}") from None


def nvmlDeviceSetCpuAffinity(handle: int) -> None:
    """Let the calling thread run on the device's processors only."""
    base.find(handle)
    _run_on("nvmlDeviceSetCpuAffinity", cores())


def nvmlDeviceClearCpuAffinity(handle: int) -> None:
    """Let the calling thread run on all processors that are on; Linux leaves out those that the process may not use."""
    base.find(handle)
    cores()  # known from before
    _run_on("nvmlDeviceClearCpuAffinity", machine.online_cores() or cores())


def nvmlDeviceGetAddressingMode(handle: int, address: int) -> None:
    """Give ATS if kernels may use any memory of the process, none if they may not (memcheck)."""
    of = base.find(handle)
    given = base.versioned("nvmlDeviceGetAddressingMode", AddressingMode, address)
    shared = of.attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES]
    given.value = _ADDRESSES_BY_HOST_PAGE_TABLES if shared else 0


def _bus_id(of: device.Device) -> bytes:
    return f"{device.PCI_DOMAIN:08X}:{of.ordinal:02X}:00.0".encode()


def nvmlDeviceGetPciInfo(handle: int, address: int) -> None:
    of = base.find(handle)
    given = base.structure("nvmlDeviceGetPciInfo", PciInfo, address)
    ctypes.memset(address, 0, ctypes.sizeof(given))
    given.domain, given.bus = device.PCI_DOMAIN, of.ordinal
    given.busIdLegacy, given.busId = device.pci_bus_id(of).encode(), _bus_id(of)


def nvmlDeviceGetPciInfoExt(handle: int, address: int) -> None:
    of = base.find(handle)
    given = base.versioned("nvmlDeviceGetPciInfoExt", PciInfoExt, address)
    version = given.version
    ctypes.memset(address, 0, ctypes.sizeof(given))
    given.version, given.domain, given.bus, given.busId = version, device.PCI_DOMAIN, of.ordinal, _bus_id(of)
    given.baseClass, given.subClass = _PROCESSOR, _OTHER


def nvmlDeviceIsMigDeviceHandle(handle: int) -> int:
    base.find(handle)
    return 0


def nvmlDeviceGetMaxMigDeviceCount(handle: int) -> int:
    """Return 0: a CPU device is not divided."""
    base.find(handle)
    return 0
