# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML for CPU devices: functions named as in nvml.h, which libnvidia-ml.so.1 beside this file calls.

Devices are those of the driver; a handle is the ordinal and one. What a processor has no equal of (fans, ECC, NVLink)
answers NVML_ERROR_NOT_SUPPORTED, without coming here.
"""

from __future__ import annotations

import ctypes
import os
import re
import uuid
from collections.abc import Sequence

import cuda.cpu
from cuda.cpu.abi import CUDA_VERSION
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device
from cuda.cpu.nvml import base, processes
from cuda.cpu.nvml.base import find
from cuda.cpu.nvml.events import (
    nvmlDeviceGetSupportedEventTypes,
    nvmlDeviceRegisterEvents,
    nvmlEventSetCreate,
    nvmlEventSetFree,
    nvmlEventSetWait,
    nvmlSystemEventSetCreate,
    nvmlSystemEventSetFree,
    nvmlSystemEventSetWait,
    nvmlSystemRegisterEvents,
)
from cuda.cpu.nvml.fields import (
    nvmlDeviceClearFieldValues,
    nvmlDeviceGetFieldValues,
    nvmlDeviceGetTotalEnergyConsumption,
)
from cuda.cpu.nvml.sensors import (
    nvmlDeviceGetAutoBoostedClocksEnabled,
    nvmlDeviceGetClock,
    nvmlDeviceGetClockInfo,
    nvmlDeviceGetDynamicPstatesInfo,
    nvmlDeviceGetMarginTemperature,
    nvmlDeviceGetMaxClockInfo,
    nvmlDeviceGetMaxCustomerBoostClock,
    nvmlDeviceGetMinMaxClockOfPState,
    nvmlDeviceGetTemperature,
    nvmlDeviceGetTemperatureThreshold,
    nvmlDeviceGetTemperatureV,
    nvmlDeviceGetThermalSettings,
    nvmlDeviceGetUtilizationRates,
)
from cuda.cpu.nvml.status import INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_FOUND, failure
from cuda.cpu.nvml.structures import Memory, Memory2, PciInfo, ProcessInfo, ProcessInfo1, Utilization
from cuda.cpu.nvml.topology import (
    nvmlDeviceClearCpuAffinity,
    nvmlDeviceGetAddressingMode,
    nvmlDeviceGetCpuAffinity,
    nvmlDeviceGetCpuAffinityWithinScope,
    nvmlDeviceGetMaxMigDeviceCount,
    nvmlDeviceGetMemoryAffinity,
    nvmlDeviceGetNumaNodeId,
    nvmlDeviceGetP2PStatus,
    nvmlDeviceGetPciInfo,
    nvmlDeviceGetPciInfoExt,
    nvmlDeviceGetTopologyCommonAncestor,
    nvmlDeviceGetTopologyNearestGpus,
    nvmlDeviceIsMigDeviceHandle,
    nvmlDeviceOnSameBoard,
    nvmlDeviceSetCpuAffinity,
    nvmlSystemGetTopologyGpuSet,
)

__all__ = [
    "Memory",
    "Memory2",
    "PciInfo",
    "ProcessInfo",
    "ProcessInfo1",
    "Utilization",
    "nvmlDeviceClearCpuAffinity",
    "nvmlDeviceClearFieldValues",
    "nvmlDeviceGetAddressingMode",
    "nvmlDeviceGetArchitecture",
    "nvmlDeviceGetAutoBoostedClocksEnabled",
    "nvmlDeviceGetBrand",
    "nvmlDeviceGetClock",
    "nvmlDeviceGetClockInfo",
    "nvmlDeviceGetComputeMode",
    "nvmlDeviceGetComputeRunningProcesses",
    "nvmlDeviceGetComputeRunningProcesses_v1",
    "nvmlDeviceGetCount",
    "nvmlDeviceGetCpuAffinity",
    "nvmlDeviceGetCpuAffinityWithinScope",
    "nvmlDeviceGetCudaComputeCapability",
    "nvmlDeviceGetDisplayMode",
    "nvmlDeviceGetDynamicPstatesInfo",
    "nvmlDeviceGetFieldValues",
    "nvmlDeviceGetGraphicsRunningProcesses",
    "nvmlDeviceGetHandleByIndex",
    "nvmlDeviceGetHandleByPciBusId",
    "nvmlDeviceGetHandleByUUID",
    "nvmlDeviceGetIndex",
    "nvmlDeviceGetMarginTemperature",
    "nvmlDeviceGetMaxClockInfo",
    "nvmlDeviceGetMaxCustomerBoostClock",
    "nvmlDeviceGetMaxMigDeviceCount",
    "nvmlDeviceGetMemoryAffinity",
    "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetMemoryInfo_v2",
    "nvmlDeviceGetMinMaxClockOfPState",
    "nvmlDeviceGetMultiGpuBoard",
    "nvmlDeviceGetName",
    "nvmlDeviceGetNumGpuCores",
    "nvmlDeviceGetNumaNodeId",
    "nvmlDeviceGetP2PStatus",
    "nvmlDeviceGetPciInfo",
    "nvmlDeviceGetPciInfoExt",
    "nvmlDeviceGetPersistenceMode",
    "nvmlDeviceGetSupportedEventTypes",
    "nvmlDeviceGetTemperature",
    "nvmlDeviceGetTemperatureThreshold",
    "nvmlDeviceGetTemperatureV",
    "nvmlDeviceGetThermalSettings",
    "nvmlDeviceGetTopologyCommonAncestor",
    "nvmlDeviceGetTopologyNearestGpus",
    "nvmlDeviceGetTotalEnergyConsumption",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceIsMigDeviceHandle",
    "nvmlDeviceOnSameBoard",
    "nvmlDeviceRegisterEvents",
    "nvmlDeviceSetCpuAffinity",
    "nvmlEventSetCreate",
    "nvmlEventSetFree",
    "nvmlEventSetWait",
    "nvmlInit",
    "nvmlInitWithFlags",
    "nvmlShutdown",
    "nvmlSystemEventSetCreate",
    "nvmlSystemEventSetFree",
    "nvmlSystemEventSetWait",
    "nvmlSystemGetCudaDriverVersion",
    "nvmlSystemGetDriverVersion",
    "nvmlSystemGetNVMLVersion",
    "nvmlSystemGetProcessName",
    "nvmlSystemGetTopologyGpuSet",
    "nvmlSystemRegisterEvents",
    "nvmlUnitGetCount",
]

NOT_AVAILABLE = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE, -1
NO_INSTANCE = 2**32 - 1
ARCHITECTURE_UNKNOWN = 2**32 - 1  # NVML_DEVICE_ARCH_UNKNOWN


def nvmlInit() -> None:
    base.begin()


def nvmlInitWithFlags(flags: int) -> None:
    if flags & ~3:  # NVML_INIT_FLAG_NO_GPUS, NVML_INIT_FLAG_NO_ATTACH
        raise failure(INVALID_ARGUMENT, f"nvmlInitWithFlags: flags 0x{flags:x} are not NVML_INIT_FLAG_s")
    base.begin()


def nvmlShutdown() -> None:
    base.end()


def _version() -> str:
    """Return the numbers of the distribution's version: programs read those of a driver as integers."""
    found = re.match(r"\d+(?:\.\d+)*", cuda.cpu.__version__)
    return found[0] if found else "0"


def nvmlSystemGetDriverVersion(address: int, length: int) -> None:
    """Give the version of the distribution that the CPU device is part of."""
    base.check()
    base.give_text("nvmlSystemGetDriverVersion", _version(), address, length)


def nvmlSystemGetNVMLVersion(address: int, length: int) -> None:
    """Give the CUDA version whose interface this has, and that of the distribution."""
    major, minor = CUDA_VERSION // 1000, CUDA_VERSION % 1000 // 10
    base.give_text("nvmlSystemGetNVMLVersion", f"{major}.{minor}.{_version()}", address, length)


def nvmlSystemGetCudaDriverVersion() -> int:
    return CUDA_VERSION


def nvmlSystemGetProcessName(process: int, address: int, length: int) -> None:
    base.check()
    name = processes.name_of(process)
    if not name:
        raise failure(NOT_FOUND, f"nvmlSystemGetProcessName: there is no process {process}")
    base.give_text("nvmlSystemGetProcessName", name, address, length)


def nvmlUnitGetCount() -> int:
    base.check()
    return 0


def nvmlDeviceGetCount() -> int:
    base.check()
    return len(base.devices())


def nvmlDeviceGetHandleByIndex(index: int) -> int:
    base.check()
    if index >= len(base.devices()):
        raise failure(INVALID_ARGUMENT, f"nvmlDeviceGetHandleByIndex: index is {index} of {len(base.devices())}")
    return index + 1


def nvmlDeviceGetHandleByUUID(text: bytes | None) -> int:
    base.check()
    for of in base.devices():
        if text is not None and text.decode(errors="replace") == _uuid(of):
            return of.ordinal + 1
    raise failure(NOT_FOUND, f"nvmlDeviceGetHandleByUUID: no CPU device has the UUID {text!r}")


def nvmlDeviceGetHandleByPciBusId(text: bytes | None) -> int:
    base.check()
    try:
        return device.cuDeviceGetByPCIBusId(text) + 1
    except CudaError as error:
        raise failure(NOT_FOUND, str(error.args[1])) from None


def nvmlDeviceGetName(handle: int, address: int, length: int) -> None:
    base.give_text("nvmlDeviceGetName", find(handle).name, address, length)


def _uuid(of: device.Device) -> str:
    return f"GPU-{uuid.UUID(bytes=of.uuid)}"


def nvmlDeviceGetUUID(handle: int, address: int, length: int) -> None:
    base.give_text("nvmlDeviceGetUUID", _uuid(find(handle)), address, length)


def nvmlDeviceGetIndex(handle: int) -> int:
    return find(handle).ordinal


def nvmlDeviceGetBrand(handle: int) -> int:
    find(handle)
    return 0  # NVML_BRAND_UNKNOWN


def nvmlDeviceGetArchitecture(handle: int) -> int:
    find(handle)
    return ARCHITECTURE_UNKNOWN


def nvmlDeviceGetNumGpuCores(handle: int) -> int:
    return find(handle).cores


def nvmlDeviceGetComputeMode(handle: int) -> int:
    find(handle)
    return 0  # NVML_COMPUTEMODE_DEFAULT


def nvmlDeviceGetPersistenceMode(handle: int) -> int:
    find(handle)
    return 0  # the device ends with its process


def nvmlDeviceGetDisplayMode(handle: int) -> int:
    find(handle)
    return 0


def nvmlDeviceGetMultiGpuBoard(handle: int) -> int:
    find(handle)
    return 0


def nvmlDeviceGetCudaComputeCapability(handle: int) -> tuple[int, int]:
    return find(handle).capability


def _used(of: device.Device) -> int:
    """Return how much of a device's memory this process has; each process has devices of its own."""
    return of.arena.used + of.mapped if "arena" in vars(of) else of.mapped


def nvmlDeviceGetMemoryInfo(handle: int, address: int) -> None:
    """Give the memory. The host maps all of it, so that nvmlDeviceGetBAR1MemoryInfo gives the same."""
    of = find(handle)
    given = base.structure("nvmlDeviceGetMemoryInfo", Memory, address)
    given.total, given.used = of.memory, _used(of)
    given.free = max(of.memory - given.used, 0)


def nvmlDeviceGetMemoryInfo_v2(handle: int, address: int) -> None:
    of = find(handle)
    given = base.versioned("nvmlDeviceGetMemoryInfo_v2", Memory2, address, 2)
    given.total, given.reserved, given.used = of.memory, 0, _used(of)
    given.free = max(of.memory - given.used, 0)


def _give_list(
    name: str, count: int, address: int, kind: type[ctypes.Structure], rows: Sequence[tuple[int, ...]]
) -> None:
    number = ctypes.c_uint.from_address(base.output(name, count))
    room, number.value = number.value, len(rows)
    if room < len(rows):
        raise failure(INSUFFICIENT_SIZE, f"{name}: there are {len(rows)} processes, room for {room}")
    if rows:
        (kind * len(rows)).from_address(base.output(name, address))[:] = [kind(*row) for row in rows]


def _processes(of: device.Device) -> list[tuple[int, int]]:
    return [
        (process, _used(of) if process == os.getpid() else NOT_AVAILABLE) for process in processes.using_the_device()
    ]


def nvmlDeviceGetComputeRunningProcesses_v1(handle: int, count: int, address: int) -> None:
    rows = _processes(find(handle))
    _give_list("nvmlDeviceGetComputeRunningProcesses", count, address, ProcessInfo1, list(rows))


def nvmlDeviceGetComputeRunningProcesses(handle: int, count: int, address: int) -> None:
    rows = [(*row, NO_INSTANCE, NO_INSTANCE) for row in _processes(find(handle))]
    _give_list("nvmlDeviceGetComputeRunningProcesses_v3", count, address, ProcessInfo, rows)


def nvmlDeviceGetGraphicsRunningProcesses(handle: int, count: int, address: int) -> None:
    find(handle)
    _give_list("nvmlDeviceGetGraphicsRunningProcesses", count, address, ProcessInfo, [])
