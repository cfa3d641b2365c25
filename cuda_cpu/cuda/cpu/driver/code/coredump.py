# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of core dumps (cuCoredumpSetAttribute): whether a fault writes one, and the name of its file."""

from __future__ import annotations

import ctypes

from cuda.cpu import debug
from cuda.cpu.abi import CU_COREDUMP_ENABLE_ON_EXCEPTION, CU_COREDUMP_FILE, CUDA_ERROR_NOT_SUPPORTED
from cuda.cpu.debug import core
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.code import profiling
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device import device as devices

MOST_TEXT = 1023  # bytes of a file's name


def _check(name: str, attrib: int, value: int, size: int) -> None:
    if attrib not in (CU_COREDUMP_ENABLE_ON_EXCEPTION, CU_COREDUMP_FILE):
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED,
            f"{name}: attrib is {attrib}; the CPU device has CU_COREDUMP_ENABLE_ON_EXCEPTION and CU_COREDUMP_FILE",
        )
    if not size or (not value and name.startswith("cuCoredumpSet")):
        raise invalid(f"{name}: {'value' if size else 'size'} is NULL")


def _get(name: str, attrib: int, value: int, size: int, of: int) -> None:
    _check(name, attrib, value, size)
    text = core.pattern(of).encode()[:MOST_TEXT] + b"\0"
    data = text if attrib == CU_COREDUMP_FILE else bytes([debug.core_is_wanted(of)])
    room = ctypes.c_size_t.from_address(size)
    if value and room.value < len(data):
        raise invalid(f"{name}: size is {room.value}, the value needs {len(data)} bytes")
    if value:
        ctypes.memmove(value, data, len(data))
    room.value = len(data)


def _set(name: str, attrib: int, value: int, size: int, of: int) -> None:
    _check(name, attrib, value, size)
    count = ctypes.c_size_t.from_address(size).value
    if attrib == CU_COREDUMP_FILE:
        text = ctypes.string_at(value, min(count, MOST_TEXT + 1)).partition(b"\0")[0]
        if len(text) > MOST_TEXT:
            raise invalid(f"{name}: the name of the file has more than {MOST_TEXT} bytes")
        debug.files[of] = text.decode(errors="surrogateescape")
        return
    if count < 1:
        raise invalid(f"{name}: size is 0, the value needs 1 byte")
    before = debug.active()
    debug.enabled[of] = ctypes.c_bool.from_address(value).value
    if debug.active() != before:  # kernels for core dumps are other code
        profiling.synchronize()
        profiling.reload()


def cuCoredumpGetAttribute(attrib: int, value: int, size: int) -> None:
    _get("cuCoredumpGetAttribute", attrib, value, size, context.current().id)


def cuCoredumpGetAttributeGlobal(attrib: int, value: int, size: int) -> None:
    devices.check_started()
    _get("cuCoredumpGetAttributeGlobal", attrib, value, size, debug.ALL)


def cuCoredumpSetAttribute(attrib: int, value: int, size: int) -> None:
    _set("cuCoredumpSetAttribute", attrib, value, size, context.current().id)


def cuCoredumpSetAttributeGlobal(attrib: int, value: int, size: int) -> None:
    """Set an attribute of all contexts that have no value of their own."""
    devices.check_started()
    _set("cuCoredumpSetAttributeGlobal", attrib, value, size, debug.ALL)
