# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML for CPU devices: functions named as in nvml.h, which libnvidia-ml.so.1 beside this file calls.

Devices are those of the driver; a handle is the ordinal and one. What a processor has no equal of (fans, ECC, NVLink)
answers NVML_ERROR_NOT_SUPPORTED, without coming here.
"""

from __future__ import annotations

import ctypes
import os
import uuid

import cuda.cpu
from cuda.cpu.abi import CUDA_ERROR_NO_DEVICE, CUDA_VERSION
from cuda.cpu.driver import device, device_attribute
from cuda.cpu.driver.error import CudaError
from cuda.cpu.nvml import processes
from cuda.cpu.nvml.status import (
    ARGUMENT_VERSION_MISMATCH,
    INSUFFICIENT_SIZE,
    INVALID_ARGUMENT,
    NOT_FOUND,
    NOT_SUPPORTED,
    UNINITIALIZED,
    failure,
)

_initialized = 0
_load: processes.Load | None = None


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("total", "free", "used")]


class Memory2(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64) for name in ("total", "reserved", "free", "used")
    ]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint32), ("memory", ctypes.c_uint32)]


class PciInfo(ctypes.Structure):
    _fields_ = [
        ("busIdLegacy", ctypes.c_char * 16),
        *((name, ctypes.c_uint32) for name in ("domain", "bus", "device", "pciDeviceId", "pciSubSystemId")),
        ("busId", ctypes.c_char * 32),
    ]


class ProcessInfo1(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint32), ("usedGpuMemory", ctypes.c_uint64)]


class ProcessInfo(ctypes.Structure):
    _fields_ = [
        *ProcessInfo1._fields_,
        ("gpuInstanceId", ctypes.c_uint32),
        ("computeInstanceId", ctypes.c_uint32),
    ]


NOT_AVAILABLE = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE, -1
NO_INSTANCE = 2**32 - 1
ARCHITECTURE_UNKNOWN = 2**32 - 1  # NVML_DEVICE_ARCH_UNKNOWN


def nvmlInit() -> None:
    global _initialized, _load
    try:
        device.cuInit(0)
    except CudaError as error:
        if error.status != CUDA_ERROR_NO_DEVICE:  # a system without devices is one, too
            raise
    _initialized += 1
    _load = _load or processes.Load()


def nvmlInitWithFlags(flags: int) -> None:
    if flags & ~3:  # NVML_INIT_FLAG_NO_GPUS, NVML_INIT_FLAG_NO_ATTACH
        raise failure(INVALID_ARGUMENT, f"nvmlInitWithFlags: flags 0x{flags:x} are not NVML_INIT_FLAG_s")
    nvmlInit()


def nvmlShutdown() -> None:
    global _initialized
    _check()
    _initialized -= 1


def _check() -> None:
    if not _initialized:
        raise failure(UNINITIALIZED, "call nvmlInit first")


def _devices() -> list[device.Device]:
    return device.devices() if device.is_started() else []


def _find(handle: int) -> device.Device:
    _check()
    if not 0 < handle <= len(_devices()):
        raise failure(INVALID_ARGUMENT, f"0x{handle:x} is no nvmlDevice_t of a CPU device")
    return _devices()[handle - 1]


def _place(name: str, address: int) -> int:
    if not address:
        raise failure(INVALID_ARGUMENT, f"{name}: an output is NULL")
    return address


def _give_text(name: str, text: str, address: int, length: int) -> None:
    data = text.encode() + b"\0"
    _place(name, address)
    if length < len(data):
        raise failure(INSUFFICIENT_SIZE, f"{name}: the buffer has {length} bytes, {len(data)} are needed")
    ctypes.memmove(address, data, len(data))


def nvmlSystemGetDriverVersion(address: int, length: int) -> None:
    """Give the version of the distribution that the CPU device is part of."""
    _check()
    _give_text("nvmlSystemGetDriverVersion", cuda.cpu.__version__, address, length)


def nvmlSystemGetNVMLVersion(address: int, length: int) -> None:
    """Give the CUDA version whose interface this has, and that of the distribution."""
    major, minor = CUDA_VERSION // 1000, CUDA_VERSION % 1000 // 10
    _give_text("nvmlSystemGetNVMLVersion", f"{major}.{minor}.{cuda.cpu.__version__}", address, length)


def nvmlSystemGetCudaDriverVersion() -> int:
    return CUDA_VERSION


def nvmlSystemGetProcessName(process: int, address: int, length: int) -> None:
    _check()
    name = processes.name_of(process)
    if not name:
        raise failure(NOT_FOUND, f"nvmlSystemGetProcessName: there is no process {process}")
    _give_text("nvmlSystemGetProcessName", name, address, length)


def nvmlUnitGetCount() -> int:
    _check()
    return 0


def nvmlDeviceGetCount() -> int:
    _check()
    return len(_devices())


def nvmlDeviceGetHandleByIndex(index: int) -> int:
    _check()
    if index >= len(_devices()):
        raise failure(INVALID_ARGUMENT, f"nvmlDeviceGetHandleByIndex: index is {index} of {len(_devices())}")
    return index + 1


def nvmlDeviceGetHandleByUUID(text: bytes | None) -> int:
    _check()
    for of in _devices():
        if text is not None and text.decode(errors="replace") == _uuid(of):
            return of.ordinal + 1
    raise failure(NOT_FOUND, f"nvmlDeviceGetHandleByUUID: no CPU device has the UUID {text!r}")


def nvmlDeviceGetHandleByPciBusId(text: bytes | None) -> int:
    _check()
    try:
        return device.cuDeviceGetByPCIBusId(text) + 1
    except CudaError as error:
        raise failure(NOT_FOUND, str(error.args[1])) from None


def nvmlDeviceGetName(handle: int, address: int, length: int) -> None:
    _give_text("nvmlDeviceGetName", _find(handle).name, address, length)


def _uuid(of: device.Device) -> str:
    return f"GPU-{uuid.UUID(bytes=of.uuid)}"


def nvmlDeviceGetUUID(handle: int, address: int, length: int) -> None:
    _give_text("nvmlDeviceGetUUID", _uuid(_find(handle)), address, length)


def nvmlDeviceGetIndex(handle: int) -> int:
    return _find(handle).ordinal


def nvmlDeviceGetBrand(handle: int) -> int:
    _find(handle)
    return 0  # NVML_BRAND_UNKNOWN


def nvmlDeviceGetArchitecture(handle: int) -> int:
    _find(handle)
    return ARCHITECTURE_UNKNOWN


def nvmlDeviceGetNumGpuCores(handle: int) -> int:
    return _find(handle).cores


def nvmlDeviceGetComputeMode(handle: int) -> int:
    _find(handle)
    return 0  # NVML_COMPUTEMODE_DEFAULT


def nvmlDeviceGetPersistenceMode(handle: int) -> int:
    _find(handle)
    return 0  # the device ends with its process


def nvmlDeviceGetDisplayMode(handle: int) -> int:
    _find(handle)
    return 0


def nvmlDeviceGetMultiGpuBoard(handle: int) -> int:
    _find(handle)
    return 0


def nvmlDeviceGetCudaComputeCapability(handle: int) -> tuple[int, int]:
    return _find(handle).capability


def nvmlDeviceGetMaxClockInfo(handle: int, kind: int) -> int:
    """Return MHz. The processor's clock stands for those of graphics and multiprocessors."""
    _find(handle)
    if kind not in (0, 1):  # NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM
        raise failure(NOT_SUPPORTED, f"nvmlDeviceGetMaxClockInfo: no clock of type {kind} is known")
    return device_attribute.clock_rate_khz() // 1000


def nvmlDeviceGetClockInfo(handle: int, kind: int) -> int:
    """Return what the cores run at now, on average, in MHz."""
    greatest = nvmlDeviceGetMaxClockInfo(handle, kind)
    rates = [
        float(line.partition(":")[2])
        for line in device.read("/proc/cpuinfo").splitlines()
        if line.startswith("cpu MHz")
    ]
    return round(sum(rates) / len(rates)) if rates else greatest


def nvmlDeviceOnSameBoard(handle: int, other: int) -> int:
    _find(handle), _find(other)
    return 1


def nvmlDeviceGetTopologyCommonAncestor(handle: int, other: int) -> int:
    _find(handle), _find(other)
    return 0  # NVML_TOPOLOGY_INTERNAL


def nvmlDeviceGetP2PStatus(handle: int, other: int, index: int) -> int:
    if _find(handle) is _find(other) or not 0 <= index <= 4:
        raise failure(
            INVALID_ARGUMENT, f"nvmlDeviceGetP2PStatus: one device twice, or {index} is no nvmlGpuP2PCapsIndex_t"
        )
    return 0 if index != 2 else 3  # NVML_P2P_STATUS_OK; NVLink: ..._NOT_SUPPORTED


def nvmlDeviceGetCpuAffinity(handle: int, words: int, address: int) -> None:
    """Give the cores that kernels may run on: those of this process."""
    _find(handle)
    cores = os.sched_getaffinity(0)
    if words * 64 <= max(cores):
        raise failure(INSUFFICIENT_SIZE, f"nvmlDeviceGetCpuAffinity: core {max(cores)} is beyond {words} words")
    array = (ctypes.c_uint64 * words).from_address(_place("nvmlDeviceGetCpuAffinity", address))
    array[:] = [0] * words
    for core in cores:
        array[core // 64] |= 1 << core % 64


def _used(of: device.Device) -> int:
    """Return how much of a device's memory this process has; each process has devices of its own."""
    return of.arena.used + of.mapped if "arena" in vars(of) else of.mapped


def nvmlDeviceGetMemoryInfo(handle: int, address: int) -> None:
    of = _find(handle)
    given = Memory.from_address(_place("nvmlDeviceGetMemoryInfo", address))
    given.total, given.used = of.memory, _used(of)
    given.free = max(of.memory - given.used, 0)


def nvmlDeviceGetMemoryInfo_v2(handle: int, address: int) -> None:
    of = _find(handle)
    given = Memory2.from_address(_place("nvmlDeviceGetMemoryInfo_v2", address))
    wanted = ctypes.sizeof(Memory2) | 2 << 24  # nvmlMemory_v2
    if given.version != wanted:
        raise failure(
            ARGUMENT_VERSION_MISMATCH,
            f"nvmlDeviceGetMemoryInfo_v2: version is 0x{given.version:x}, must be 0x{wanted:x}",
        )
    given.total, given.reserved, given.used = of.memory, 0, _used(of)
    given.free = max(of.memory - given.used, 0)


def nvmlDeviceGetUtilizationRates(handle: int, address: int) -> None:
    """Give how busy the processor was, with whatever program, since the last call; of its memory that is not known."""
    _find(handle)
    given = Utilization.from_address(_place("nvmlDeviceGetUtilizationRates", address))
    assert _load is not None
    given.gpu, given.memory = _load.percent(), 0


def nvmlDeviceGetPciInfo(handle: int, address: int) -> None:
    of = _find(handle)
    given = PciInfo.from_address(_place("nvmlDeviceGetPciInfo", address))
    ctypes.memset(address, 0, ctypes.sizeof(given))
    given.domain, given.bus = device.PCI_DOMAIN, of.ordinal
    given.busIdLegacy = device.pci_bus_id(of).encode()
    given.busId = f"{device.PCI_DOMAIN:08X}:{of.ordinal:02X}:00.0".encode()


def _give_list(name: str, count: int, address: int, kind: type[ctypes.Structure], rows: list[tuple[int, ...]]) -> None:
    number = ctypes.c_uint.from_address(_place(name, count))
    room, number.value = number.value, len(rows)
    if room < len(rows):
        raise failure(INSUFFICIENT_SIZE, f"{name}: there are {len(rows)} processes, room for {room}")
    if rows:
        (kind * len(rows)).from_address(_place(name, address))[:] = [kind(*row) for row in rows]


def _processes(of: device.Device) -> list[tuple[int, int]]:
    return [
        (process, _used(of) if process == os.getpid() else NOT_AVAILABLE) for process in processes.using_the_device()
    ]


def nvmlDeviceGetComputeRunningProcesses_v1(handle: int, count: int, address: int) -> None:
    rows = _processes(_find(handle))
    _give_list("nvmlDeviceGetComputeRunningProcesses", count, address, ProcessInfo1, list(rows))


def nvmlDeviceGetComputeRunningProcesses(handle: int, count: int, address: int) -> None:
    rows = [(*row, NO_INSTANCE, NO_INSTANCE) for row in _processes(_find(handle))]
    _give_list("nvmlDeviceGetComputeRunningProcesses_v3", count, address, ProcessInfo, rows)


def nvmlDeviceGetGraphicsRunningProcesses(handle: int, count: int, address: int) -> None:
    _find(handle)
    _give_list("nvmlDeviceGetGraphicsRunningProcesses", count, address, ProcessInfo, [])


def _forget_after_fork() -> None:
    global _initialized
    _initialized = 0


os.register_at_fork(after_in_child=_forget_after_fork)
