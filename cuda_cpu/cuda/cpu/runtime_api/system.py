# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Versions, and addresses of driver functions."""

from __future__ import annotations

import ctypes
import functools
import pathlib

from cuda.cpu import runtime_abi as abi
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.runtime_api.device import ensure_devices


def cudaRuntimeGetVersion() -> int:
    return abi.CUDART_VERSION


@functools.cache
def driver_library() -> ctypes.CDLL:
    return ctypes.CDLL(str(pathlib.Path(__file__).parents[1] / "entry" / "libcuda.so.1"))


def cudaGetDriverEntryPointByVersion(symbol: bytes | None, cudaVersion: int, flags: int) -> tuple[int, int]:
    """Return address and cudaDriverEntryPointQueryResult of a driver function; the address is 0 where there is none."""
    ensure_devices()
    if symbol is None:
        raise invalid("cudaGetDriverEntryPoint: symbol is NULL")
    function, found = ctypes.c_void_p(), ctypes.c_int()
    get_proc_address = driver_library().cuGetProcAddress_v2
    status = get_proc_address(symbol, ctypes.byref(function), cudaVersion, ctypes.c_uint64(flags), ctypes.byref(found))
    if status:
        raise CudaError(status, f"cudaGetDriverEntryPoint: no version {cudaVersion} or flags {flags}")
    return function.value or 0, found.value


def cudaGetDriverEntryPoint(symbol: bytes | None, flags: int) -> tuple[int, int]:
    return cudaGetDriverEntryPointByVersion(symbol, abi.CUDART_VERSION, flags)
