# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The limits of a context (cuCtxSetLimit): their defaults, and those that affect the CPU device."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
    CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
    CU_LIMIT_MALLOC_HEAP_SIZE,
    CU_LIMIT_MAX,
    CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
    CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
    CU_LIMIT_PRINTF_FIFO_SIZE,
    CU_LIMIT_STACK_SIZE,
    CUDA_ERROR_UNSUPPORTED_LIMIT,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.runtime import _runtime

DEFAULTS = {
    CU_LIMIT_STACK_SIZE: 1024,  # per thread, as on a GPU
    CU_LIMIT_PRINTF_FIFO_SIZE: 1 << 20,
    CU_LIMIT_MALLOC_HEAP_SIZE: 8 << 20,
    CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: 2048,
    CU_LIMIT_MAX_L2_FETCH_GRANULARITY: 64,
    CU_LIMIT_PERSISTING_L2_CACHE_SIZE: 0,
}

# Largest values; larger ones are rejected.
GREATEST = {CU_LIMIT_STACK_SIZE: 512 << 10, CU_LIMIT_MAX_L2_FETCH_GRANULARITY: 128}

# Limits of the native runtime, which serves all contexts of the process; the others are remembered only.
HEEDED = {
    CU_LIMIT_STACK_SIZE: _runtime.set_stack_size,
    CU_LIMIT_PRINTF_FIFO_SIZE: _runtime.set_printf_size,
    CU_LIMIT_MALLOC_HEAP_SIZE: _runtime.set_heap_size,
}


def _check(which: int) -> None:
    if which == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH or CU_LIMIT_PERSISTING_L2_CACHE_SIZE < which < CU_LIMIT_MAX:
        raise CudaError(CUDA_ERROR_UNSUPPORTED_LIMIT, f"CUlimit {which} does not exist on the CPU device")
    if which not in DEFAULTS:
        raise invalid(f"{which} is no CUlimit")


def set_value(context: Any, which: int, value: int) -> None:
    _check(which)
    greatest = GREATEST.get(which, context.device.memory)
    if value > greatest:
        raise invalid(f"cuCtxSetLimit: {value} is above the greatest value, {greatest}")
    if which == CU_LIMIT_PRINTF_FIFO_SIZE and _runtime.printf_count() != context.printed:
        raise invalid("cuCtxSetLimit: a kernel has printed already: the size of its FIFO is set before that")
    if which in HEEDED:
        try:
            HEEDED[which](value)
        except RuntimeError as error:  # the heap is in use: the driver API has no better status for "too late"
            raise invalid(f"cuCtxSetLimit: {error}") from None
    context.limits[which] = value
    if context.device_runtime is not None:
        context.device_runtime.set_limit(which, value)


def restore() -> None:
    """Begin again with what serves all contexts, now that there is none: its sizes, and the heap of kernels."""
    state.heap_leaks()
    _runtime.reset_heap()
    for which, set_size in HEEDED.items():
        set_size(DEFAULTS[which])


def get_value(context: Any, which: int) -> int:
    _check(which)
    return context.limits[which]
