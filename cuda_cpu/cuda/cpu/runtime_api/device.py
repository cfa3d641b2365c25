# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices of the runtime API: each thread's device, whose primary context becomes current lazily."""

from __future__ import annotations

import ctypes
import threading

from cuda.cpu.abi import CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, context_setting, primary
from cuda.cpu.driver.device import device as devices
from cuda.cpu.runtime_abi import cudaDeviceMask, cudaInitDeviceFlagsAreValid

_thread = threading.local()
_lock = threading.Lock()
_retained: dict[int, int] = {}  # ordinal -> primary context


def ensure_devices() -> None:
    devices.cuInit(0)


def ensure_context() -> None:
    """Make a context current, unless one is: also one that the driver API has made."""
    ensure_devices()
    if not context.stack():
        context.cuCtxSetCurrent(primary_context(default_device()))


def primary_context(ordinal: int) -> int:
    """Return a device's primary context, retained once for the whole process."""
    ensure_devices()
    with _lock:
        if ordinal not in _retained:
            _retained[ordinal] = primary.cuDevicePrimaryCtxRetain(ordinal)
        return _retained[ordinal]


def cudaSetDevice(device: int) -> None:
    context.cuCtxSetCurrent(primary_context(device))
    _thread.device = device


def cudaGetDevice() -> int:
    """Return the thread's device, also where a kernel has failed on it: cudaDeviceReset comes next then."""
    ensure_devices()
    found = context.stack()
    return found[-1].device.ordinal if found else default_device()


_valid: list[int] = []  # what cudaSetValidDevices has set


def default_device() -> int:
    """Return the device of a thread that has no context: what it has set, else the first valid one."""
    return getattr(_thread, "device", _valid[0] if _valid else 0)


def cudaSetValidDevices(device_arr: int, len_: int) -> None:
    """Set which device threads begin with: the first of a list; an empty one is the list of all."""
    if len_ < 0 or (len_ and not device_arr):
        raise invalid(f"cudaSetValidDevices: len is {len_}, or device_arr NULL")
    ensure_devices()
    listed = list((ctypes.c_int * len_).from_address(device_arr)) if len_ else []
    for ordinal in listed:
        devices.find(ordinal)
    _valid[:] = listed


def cudaInitDevice(device: int, deviceFlags: int, flags: int) -> None:
    if flags & ~cudaInitDeviceFlagsAreValid:
        raise invalid(f"cudaInitDevice: flags is {flags}, must be 0 or cudaInitDeviceFlagsAreValid")
    ensure_devices()
    if flags:
        primary.cuDevicePrimaryCtxSetFlags(device, deviceFlags)
    primary_context(device)


def cudaDeviceReset() -> None:
    """Give back all that the device's primary context owns; the next call that needs it finds it empty."""
    primary.cuDevicePrimaryCtxReset(cudaGetDevice())


def cudaSetDeviceFlags(flags: int) -> None:
    if flags & ~cudaDeviceMask:
        raise invalid(f"cudaSetDeviceFlags: flags 0x{flags:x} has bits that are no cudaDevice flag")
    primary.cuDevicePrimaryCtxSetFlags(cudaGetDevice(), flags)


def cudaGetDeviceFlags() -> int:
    return primary.cuDevicePrimaryCtxGetState(cudaGetDevice())[0]


def cudaDeviceEnablePeerAccess(peerDevice: int, flags: int) -> None:
    ensure_context()
    _check_other("cudaDeviceEnablePeerAccess", peerDevice, CUDA_ERROR_INVALID_DEVICE)
    context_setting.cuCtxEnablePeerAccess(primary_context(peerDevice), flags)


def cudaDeviceDisablePeerAccess(peerDevice: int) -> None:
    ensure_context()
    _check_other("cudaDeviceDisablePeerAccess", peerDevice, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
    context_setting.cuCtxDisablePeerAccess(primary_context(peerDevice))


def _check_other(name: str, peer: int, status: int) -> None:
    if peer == cudaGetDevice():
        raise CudaError(status, f"{name}: {peer} is the current device, which is no peer of itself")
