# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of module loading and linking (CUjit_option): log buffers; most others have no effect on a CPU."""

from __future__ import annotations

import ctypes
import time

from cuda.cpu.abi import (
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
    CU_JIT_GLOBAL_SYMBOL_COUNT,
    CU_JIT_GLOBAL_SYMBOL_NAMES,
    CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_NUM_OPTIONS,
    CU_JIT_WALL_TIME,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.driver.base.error import CudaError, invalid

UNSUPPORTED = (CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES, CU_JIT_GLOBAL_SYMBOL_COUNT)
LOGS = (
    (CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES),
    (CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
)


class Options:
    """The options of one call: two parallel arrays of the caller's, some of whose values are outputs."""

    def __init__(self, name: str, count: int, options: int, values: int) -> None:
        if count and not (options and values):
            raise invalid(f"{name}: {count} options, but an array of them is NULL")
        numbers = (ctypes.c_int * count).from_address(options) if count else ()
        self.value_ptrs = {number: values + 8 * i for i, number in enumerate(numbers)}
        self.start = time.perf_counter()
        for number in self.value_ptrs:
            if not 0 <= number < CU_JIT_NUM_OPTIONS:
                raise invalid(f"{name}: {number} is no CUjit_option")
            if number in UNSUPPORTED:
                raise CudaError(
                    CUDA_ERROR_NOT_SUPPORTED, f"{name}: the CPU device takes no CU_JIT_GLOBAL_SYMBOL options"
                )

    def value(self, option: int) -> int:
        """Return the value as an integer; unsigned ints are cast to void* in the array."""
        return ctypes.c_uint64.from_address(self.value_ptrs[option]).value if option in self.value_ptrs else 0

    def finish(self, error: str = "", info: str = "") -> None:
        """Write the logs, how long they are, and the time since the options were read (ms, a float)."""
        for (buffer, size), text in zip(LOGS, (info, error), strict=True):
            out_ptr, room = self.value(buffer), self.value(size) & 0xFFFFFFFF
            if out_ptr and room:
                data = text.encode()[: room - 1] + b"\0"
                ctypes.memmove(out_ptr, data, len(data))
                ctypes.c_uint64.from_address(self.value_ptrs[size]).value = len(data) if text else 0
        if CU_JIT_WALL_TIME in self.value_ptrs:
            passed = (time.perf_counter() - self.start) * 1000
            ctypes.c_float.from_address(self.value_ptrs[CU_JIT_WALL_TIME]).value = passed
