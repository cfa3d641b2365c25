# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices: number, names, UUIDs, PCI addresses and peer access (attributes: device_attribute.py)."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import re
from typing import Any

from cuda.cpu import check
from cuda.cpu.abi import (
    CU_ATOMIC_CAPABILITY_REDUCTION,
    CU_ATOMIC_CAPABILITY_SCALAR_32,
    CU_ATOMIC_CAPABILITY_SCALAR_64,
    CU_ATOMIC_CAPABILITY_SIGNED,
    CU_ATOMIC_CAPABILITY_UNSIGNED,
    CU_ATOMIC_OPERATION_AND,
    CU_ATOMIC_OPERATION_CAS,
    CU_ATOMIC_OPERATION_EXCHANGE,
    CU_ATOMIC_OPERATION_FLOAT_ADD,
    CU_ATOMIC_OPERATION_FLOAT_MAX,
    CU_ATOMIC_OPERATION_FLOAT_MIN,
    CU_ATOMIC_OPERATION_INTEGER_ADD,
    CU_ATOMIC_OPERATION_INTEGER_DECREMENT,
    CU_ATOMIC_OPERATION_INTEGER_INCREMENT,
    CU_ATOMIC_OPERATION_INTEGER_MAX,
    CU_ATOMIC_OPERATION_INTEGER_MIN,
    CU_ATOMIC_OPERATION_OR,
    CU_ATOMIC_OPERATION_XOR,
    CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED,
    CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
    CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
    CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED,
    CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK,
    CU_EXEC_AFFINITY_TYPE_SM_COUNT,
    CUDA_ERROR_INVALID_DEVICE,
    CUDA_ERROR_NO_DEVICE,
    CUDA_ERROR_NOT_INITIALIZED,
    CUDA_VERSION,
    CUdevprop,
)
from cuda.cpu.driver.base import address, host_memory, once
from cuda.cpu.driver.base.error import FORKED, CudaError, invalid
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.ptx import targets
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

MOST_MEMORY = 8 << 40  # four times that is a quarter of a process's address space
PCI_DOMAIN = 0xFFFF  # no machine numbers a PCI domain so: ours cannot be taken for a real card


class Device:
    """One CPU device: a name, an amount of memory and a compute capability."""

    def __init__(self, ordinal: int, memory: int, capability: tuple[int, int], cores: int) -> None:
        self.ordinal = ordinal
        self.memory = memory
        self.capability = capability
        self.cores = cores
        self._arena: dict[int, Any] = {}
        self.mapped = 0  # bytes of memory outside of the arena (cuMemCreate)
        self.name = f"CPU device ({cpu_name()}, {cores} core{'s' if cores != 1 else ''})"
        self.attributes = device_attribute.values(self)

    @functools.cached_property
    def arena(self):
        """The address range of the device's memory, reserved at first use."""
        return once.made(self._arena, 0, self._reserve)

    def _reserve(self):
        return host_memory.reserve(self.memory, _runtime.Arena)

    @functools.cached_property
    def uuid(self) -> bytes:
        return machine_uuid(self.ordinal)


_devices: list[Device] = []
_forked = False


def read(path: str) -> str:
    """Return what a file says, "" if it is not there."""
    try:
        with open(path) as file:
            return file.read()
    except own(OSError):
        return ""


def cpu_name() -> str:
    """Return the processor's name as the kernel reports it, without clock rates and trademarks."""
    text = read("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    name = found[1] if found else os.uname().machine
    name = re.sub(r"\((R|TM|r|tm)\)|\bCPU\b|\b\d+-Core Processor\b|\bProcessor\b|@.*", "", name)
    return " ".join(name.split()) or os.uname().machine


def machine_uuid(ordinal: int) -> bytes:
    """Return 16 bytes that stay the same for this machine and ordinal (a hash: the machine's own id is private)."""
    import hashlib  # OpenSSL behind it: not at every start

    machine = read("/etc/machine-id").strip() or os.uname().nodename
    digest = bytearray(hashlib.sha256(f"cuda.cpu device {ordinal} of {machine}".encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80  # RFC 9562: version 8, a value of our own making
    digest[8] = digest[8] & 0x3F | 0x80
    return bytes(digest)


def parse_size(name: str, text: str) -> int:
    """Return the bytes of "512M", "4G", "4GiB" or a plain number."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** ("KMGT".find(match[2].upper()) + 1 if match[2] else 0)) if match else 0
    if not 1 << 20 <= size <= MOST_MEMORY:
        raise invalid(f"{name} is {text!r}: give a size from 1M to 8T, such as 512M or 4G")
    return size & ~0xFFFF


def _setting(name: str, default: str, pattern: str, wanted: str) -> str:
    text = os.environ.get(name, default)
    if not re.fullmatch(pattern, text):
        raise invalid(f"{name} is {text!r}: give {wanted}")
    return text


def start() -> None:
    """Make the devices that the environment variables specify."""
    from cuda.cpu.compile import jit

    count = int(_setting("CUDA_CPU_DEVICES", "1", r"[0-9]|[1-5][0-9]|6[0-4]", "the number of devices, 0 to 64"))
    text = _setting("CUDA_CPU_CAPABILITY", "9.0", targets.CAPABILITY, targets.CAPABILITIES)
    memory = os.environ.get("CUDA_CPU_MEMORY")
    size = parse_size("CUDA_CPU_MEMORY", memory) if memory else host_memory.physical() & ~0xFFFF
    major, minor = text.split(".")
    try:
        jit.check_settings()
        if check.chosen():
            address.watch()
    except ValueError as error:
        raise invalid(str(error)) from None
    if "CUDA_CPU_WORKERS" in os.environ:
        wanted = _setting("CUDA_CPU_WORKERS", "", r"[1-9][0-9]{0,2}|10[01][0-9]|102[0-4]", "1 to 1024 threads")
        _runtime.set_workers(int(wanted))
    _devices[:] = [Device(i, size, (int(major), int(minor)), _runtime.workers()) for i in range(count)]
    for device in _devices:
        for attribute, value in device.attributes.items():
            _runtime.set_attribute(device.ordinal, attribute, value)


_started = False


def cuInit(Flags: int) -> None:
    global _started
    if Flags != 0:
        raise invalid(f"cuInit: Flags is {Flags}, must be 0")
    if _forked:
        raise CudaError(CUDA_ERROR_NOT_INITIALIZED, FORKED)
    with once.lock:
        if not _started:
            start()
            if not _devices:
                raise CudaError(CUDA_ERROR_NO_DEVICE, "there is no device: CUDA_CPU_DEVICES is 0")
            _started = True


def is_started() -> bool:
    return _started


def check_started() -> None:
    if not _started:
        raise CudaError(CUDA_ERROR_NOT_INITIALIZED, FORKED if _forked else "call cuInit(0) first")


def all_devices() -> list[Device]:
    check_started()
    return _devices


def find(ordinal: int) -> Device:
    """Return the device with this ordinal (a CUdevice is the ordinal)."""
    check_started()
    if not 0 <= ordinal < len(_devices):
        raise CudaError(
            CUDA_ERROR_INVALID_DEVICE, f"device {ordinal} of {len(_devices)}: set CUDA_CPU_DEVICES for more"
        )
    return _devices[ordinal]


def forget_after_fork() -> None:
    """Leave a forked child without devices: the threads that serve them did not come along."""
    global _forked, _started
    _forked = _forked or _started
    _started = False
    _devices.clear()


def cuDriverGetVersion() -> int:
    return CUDA_VERSION


def cuDeviceGetCount() -> int:
    return len(all_devices())


def cuDeviceGet(ordinal: int) -> int:
    return find(ordinal).ordinal


def _write_text(address: int, capacity: int, text: str, function: str) -> None:
    """Write `text` with its NUL, cut to `capacity` bytes, as the char* outputs of the API want it."""
    if not address or capacity <= 0:
        raise invalid(f"{function}: the buffer is NULL or its length {capacity} is not positive")
    data = text.encode()[: capacity - 1] + b"\0"
    ctypes.memmove(address, data, len(data))


def cuDeviceGetName(name: int, len_: int, dev: int) -> None:
    _write_text(name, len_, find(dev).name, "cuDeviceGetName")


def cuDeviceGetUuid(uuid: int, dev: int) -> None:
    data = find(dev).uuid
    if not uuid:
        raise invalid("cuDeviceGetUuid: uuid is NULL")
    ctypes.memmove(uuid, data, 16)


def cuDeviceGetLuid(luid: int, dev: int) -> int:
    """Write the 8-byte locally unique id (of our own making: Linux has none) and return the device node mask."""
    data = find(dev).uuid[8:]
    if not luid:
        raise invalid("cuDeviceGetLuid: luid is NULL")
    ctypes.memmove(luid, data, 8)
    return 1


def cuDeviceTotalMem(dev: int) -> int:
    return find(dev).memory


def cuDeviceGetAttribute(attrib: int, dev: int) -> int:
    value = find(dev).attributes.get(attrib)
    if value is None:
        raise invalid(f"cuDeviceGetAttribute: {attrib} is no CUdevice_attribute")
    return value


def cuDeviceComputeCapability(dev: int) -> tuple[int, int]:
    return find(dev).capability


def cuDeviceGetProperties(prop: int, dev: int) -> None:
    attributes = find(dev).attributes
    if not prop:
        raise invalid("cuDeviceGetProperties: prop is NULL")
    properties = CUdevprop.from_address(prop)
    for name, numbers in device_attribute.LEGACY_PROPERTIES.items():
        if len(numbers) == 1:
            setattr(properties, name, attributes[numbers[0]])
        else:
            getattr(properties, name)[:] = [attributes[number] for number in numbers]


def cuDeviceGetExecAffinitySupport(type_: int, dev: int) -> int:
    find(dev)
    if type_ != CU_EXEC_AFFINITY_TYPE_SM_COUNT:
        raise invalid(f"cuDeviceGetExecAffinitySupport: {type_} is no CUexecAffinityType")
    return 1


def pci_bus_id(device: Device) -> str:
    return f"{PCI_DOMAIN:04X}:{device.ordinal:02X}:00.0"


def cuDeviceGetPCIBusId(pciBusId: int, len_: int, dev: int) -> None:
    _write_text(pciBusId, len_, pci_bus_id(find(dev)), "cuDeviceGetPCIBusId")


def cuDeviceGetByPCIBusId(pciBusId: bytes | None) -> int:
    """Return the device of "domain:bus:device.function", "domain:bus:device" or "bus:device.function"."""
    match = re.fullmatch(rb"(?:([0-9a-fA-F]+):)?([0-9a-fA-F]+):([0-9a-fA-F]+)(?:\.([0-9a-fA-F]+))?", pciBusId or b"")
    if match is None:
        raise invalid(f"cuDeviceGetByPCIBusId: {pciBusId!r} is no PCI bus id such as FFFF:00:00.0")
    domain, bus, slot, function = (int(part, 16) if part else 0 for part in match.groups())
    if domain == PCI_DOMAIN and slot == function == 0 and bus < len(all_devices()):
        return bus
    raise CudaError(CUDA_ERROR_INVALID_DEVICE, f"cuDeviceGetByPCIBusId: no CPU device has the PCI bus id {pciBusId!r}")


def cuDeviceCanAccessPeer(dev: int, peerDev: int) -> int:
    return int(find(dev) is not find(peerDev))


# All devices are the same memory: each may reach the others' at full speed, atomics included.
PEER_ATTRIBUTES = {
    CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: 0,
    CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED: 1,
    CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: 1,
    CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED: 0,  # CUDA arrays
    CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: 0,
}


def cuDeviceGetP2PAttribute(attrib: int, srcDevice: int, dstDevice: int) -> int:
    if find(srcDevice) is find(dstDevice):
        raise CudaError(
            CUDA_ERROR_INVALID_DEVICE, "cuDeviceGetP2PAttribute: source and destination are the same device"
        )
    if attrib not in PEER_ATTRIBUTES:
        raise invalid(f"cuDeviceGetP2PAttribute: {attrib} is no CUdevice_P2PAttribute")
    return PEER_ATTRIBUTES[attrib]


# What one atomic operation of a kernel can work on, on any memory that the processor reaches.
_WORDS = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64
_UNSIGNED = CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | _WORDS
_BOTH = CU_ATOMIC_CAPABILITY_SIGNED | _UNSIGNED
ATOMICS = {
    CU_ATOMIC_OPERATION_INTEGER_ADD: _BOTH,
    CU_ATOMIC_OPERATION_INTEGER_MIN: _BOTH,
    CU_ATOMIC_OPERATION_INTEGER_MAX: _BOTH,
    CU_ATOMIC_OPERATION_INTEGER_INCREMENT: _UNSIGNED & ~CU_ATOMIC_CAPABILITY_SCALAR_64,
    CU_ATOMIC_OPERATION_INTEGER_DECREMENT: _UNSIGNED & ~CU_ATOMIC_CAPABILITY_SCALAR_64,
    CU_ATOMIC_OPERATION_AND: _UNSIGNED,
    CU_ATOMIC_OPERATION_OR: _UNSIGNED,
    CU_ATOMIC_OPERATION_XOR: _UNSIGNED,
    CU_ATOMIC_OPERATION_EXCHANGE: CU_ATOMIC_CAPABILITY_UNSIGNED | _WORDS,
    CU_ATOMIC_OPERATION_CAS: CU_ATOMIC_CAPABILITY_UNSIGNED | _WORDS,
    CU_ATOMIC_OPERATION_FLOAT_ADD: CU_ATOMIC_CAPABILITY_REDUCTION | _WORDS,
    CU_ATOMIC_OPERATION_FLOAT_MIN: 0,  # PTX has them for pairs of halves only
    CU_ATOMIC_OPERATION_FLOAT_MAX: 0,
}


def _give_atomics(name: str, out_ptr: int, operations: int, count: int) -> None:
    if not (out_ptr and operations and count):
        raise invalid(f"{name}: an array is NULL or count 0")
    requested = (ctypes.c_uint * count).from_address(operations)
    unknown = next((operation for operation in requested if operation not in ATOMICS), None)
    if unknown is not None:
        raise invalid(f"{name}: {unknown} is no CUatomicOperation")
    (ctypes.c_uint * count).from_address(out_ptr)[:] = [ATOMICS[operation] for operation in requested]


def cuDeviceGetHostAtomicCapabilities(capabilities: int, operations: int, count: int, dev: int) -> None:
    find(dev)
    _give_atomics("cuDeviceGetHostAtomicCapabilities", capabilities, operations, count)


def cuDeviceGetP2PAtomicCapabilities(
    capabilities: int, operations: int, count: int, srcDevice: int, dstDevice: int
) -> None:
    name = "cuDeviceGetP2PAtomicCapabilities"
    if find(srcDevice) is find(dstDevice):
        raise CudaError(CUDA_ERROR_INVALID_DEVICE, f"{name}: source and destination are the same device")
    _give_atomics(name, capabilities, operations, count)


_notified = itertools.count(1)
_callbacks: dict[int, tuple[int, int]] = {}


def cuDeviceRegisterAsyncNotification(device: int, callbackFunc: int, userData: int) -> int:
    """Accept a callback for news of the device, of which the CPU device never has any."""
    find(device)
    if not callbackFunc:
        raise invalid("cuDeviceRegisterAsyncNotification: callbackFunc is NULL")
    handle = next(_notified)
    _callbacks[handle] = (device, callbackFunc)
    return handle


def cuDeviceUnregisterAsyncNotification(device: int, callback: int) -> None:
    if _callbacks.get(callback, (-1, 0))[0] != find(device).ordinal:
        raise invalid(f"cuDeviceUnregisterAsyncNotification: {callback} was not registered for device {device}")
    del _callbacks[callback]
