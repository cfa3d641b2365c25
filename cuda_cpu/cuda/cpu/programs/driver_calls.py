# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver's C interface, for the adapters of other packages."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

library = ctypes.CDLL("libcuda.so.1")


class DriverError(RuntimeError):
    """A call of the driver failed."""


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver.

    Raises
    ------
    DriverError
        The function does not return CUDA_SUCCESS.
    """
    status = getattr(library, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        library.cuGetErrorName(status, ctypes.byref(text))
        raise DriverError(f"{name} returned {(text.value or b'an unknown status').decode()}")


def returned(kind: Any, name: str, *arguments: Any) -> Any:
    """Call a function whose first parameter is an output, and return that."""
    result = kind()
    call(name, ctypes.byref(result), *arguments)
    return result.value


def value(argument: Any) -> Any:
    """Return the number of an argument that is a number or an object of ctypes."""
    return getattr(argument, "value", argument)


def address(argument: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(value(argument))


@contextlib.contextmanager
def current(context: Any = None) -> Iterator[None]:
    """Make a context current. None: the one that is, or that of device 0 if none is."""
    if context is None:
        context = returned(ctypes.c_void_p, "cuCtxGetCurrent") or returned(
            ctypes.c_void_p, "cuDevicePrimaryCtxRetain", 0
        )
    call("cuCtxPushCurrent_v2", address(context))
    try:
        yield
    finally:
        returned(ctypes.c_void_p, "cuCtxPopCurrent_v2")


@contextlib.contextmanager
def while_capturing() -> Iterator[None]:
    """Allow this thread what a capture forbids, such as allocations; it does not become part of the graph."""
    mode = ctypes.c_int(2)  # CU_STREAM_CAPTURE_MODE_RELAXED
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    try:
        yield
    finally:
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
