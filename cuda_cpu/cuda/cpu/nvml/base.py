# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML's initialisation state, device handles, and access to output pointers and structures."""

from __future__ import annotations

import ctypes
import os
from typing import TypeVar

from cuda.cpu.abi import CUDA_ERROR_NO_DEVICE
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device
from cuda.cpu.nvml import processes
from cuda.cpu.nvml.status import (
    ARGUMENT_VERSION_MISMATCH,
    INSUFFICIENT_SIZE,
    INVALID_ARGUMENT,
    NOT_SUPPORTED,
    UNINITIALIZED,
    failure,
)

Kind = TypeVar("Kind", bound=ctypes.Structure)

_initialized = 0
_load: processes.Load | None = None


def begin() -> None:
    """Count one more user of the library; the first starts the devices."""
    global _initialized, _load
    try:
        device.cuInit(0)
    except CudaError as error:
        if error.status != CUDA_ERROR_NO_DEVICE:  # a system without devices is one, too
            raise
    _initialized += 1
    _load = _load or processes.Load()


def end() -> None:
    """Count one user less."""
    global _initialized
    check()
    _initialized -= 1


def check() -> None:
    """Raise UNINITIALIZED before nvmlInit."""
    if not _initialized:
        raise failure(UNINITIALIZED, "call nvmlInit first")


def load_percent() -> int:
    """Return how busy the processor was since the last call."""
    check()
    assert _load is not None
    found = _load.percent()
    if found is None:
        raise failure(NOT_SUPPORTED, "this system does not report how busy the processor is")
    return found


def devices() -> list[device.Device]:
    return device.all_devices() if device.is_started() else []


def find(handle: int) -> device.Device:
    """Return the device of a handle."""
    check()
    if not 0 < handle <= len(devices()):
        raise failure(INVALID_ARGUMENT, f"0x{handle:x} is not an nvmlDevice_t of a CPU device")
    return devices()[handle - 1]


def output(name: str, address: int) -> int:
    """Return the address of an output, which must not be NULL."""
    if not address:
        raise failure(INVALID_ARGUMENT, f"{name}: an output is NULL")
    return address


def structure(name: str, kind: type[Kind], address: int) -> Kind:
    """Return the structure at an address."""
    return kind.from_address(output(name, address))


def versioned(name: str, kind: type[Kind], address: int, version: int = 1) -> Kind:
    """Return the structure at an address; its first field must be NVML_STRUCT_VERSION."""
    given = structure(name, kind, address)
    wanted = ctypes.sizeof(kind) | version << 24
    if given.version != wanted:
        message = f"{name}: version is 0x{given.version:x}, must be 0x{wanted:x}"
        raise failure(ARGUMENT_VERSION_MISMATCH, message)
    return given


def give_text(name: str, text: str, address: int, length: int) -> None:
    """Write a text with its NUL."""
    data = text.encode() + b"\0"
    output(name, address)
    if length < len(data):
        raise failure(INSUFFICIENT_SIZE, f"{name}: the buffer has {length} bytes, {len(data)} are needed")
    ctypes.memmove(address, data, len(data))


def give_bits(name: str, numbers: set[int], words: int, address: int) -> None:
    """Write a set of numbers as bits of 64-bit words; numbers beyond the words are left out, as NVML does."""
    if not words:
        raise failure(INVALID_ARGUMENT, f"{name}: the size of the set is 0")
    array = (ctypes.c_uint64 * words).from_address(output(name, address))
    array[:] = [0] * words
    for number in numbers:
        if number < words * 64:
            array[number // 64] |= 1 << number % 64


def _forget_after_fork() -> None:
    global _initialized
    _initialized = 0


os.register_at_fork(after_in_child=_forget_after_fork)
