# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Batched decompression (cuMemBatchDecompressAsync), by software instead of Blackwell's engine."""

from __future__ import annotations

import ctypes

from cuda.cpu.abi import (
    CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
    CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
    CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
    CUmemDecompressParams,
)
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device.device_attribute import FIXED
from cuda.cpu.driver.memory.copy import NO_INDEX
from cuda.cpu.driver.stream import stream as streams

ALGORITHMS = (
    CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
    CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
    CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
)
LONGEST = FIXED["MEM_DECOMPRESS_MAXIMUM_LENGTH"]


def _room(name: str, pointer: int) -> int:
    """Return how many bytes there are from an address on."""
    record = address.find(pointer)
    if record is None:
        raise invalid(f"{name} is 0x{pointer:x}, which is no memory of CUDA's")
    return record.start + record.size - pointer


def _checked(name: str, given: CUmemDecompressParams) -> tuple[int, int, int, int, int, int]:
    """Return an operation as the native queue takes it."""
    if given.algo not in ALGORITHMS:
        raise invalid(f"{name}.algo is {given.algo}, no CUmemDecompressAlgorithm that the device has")
    if any(given.padding):
        raise invalid(f"{name}.padding must be zeros")
    source, target, written = given.src or 0, given.dst or 0, given.dstActBytes or 0
    there = _room(f"{name}.src", source)
    if not 0 < given.srcNumBytes <= min(there, LONGEST):
        raise invalid(f"{name}.srcNumBytes is {given.srcNumBytes}, must be 1 to {min(there, LONGEST)}")
    if _room(f"{name}.dstActBytes", written) < ctypes.sizeof(ctypes.c_uint32):
        raise invalid(f"{name}.dstActBytes has no room for 4 bytes")
    return source, given.srcNumBytes, target, min(_room(f"{name}.dst", target), 2**32 - 1), written, given.algo


def cuMemBatchDecompressAsync(paramsArray: int, count: int, flags: int, stream: int) -> int:
    """Decompress in the stream's order; for damaged data, dstActBytes is the number of valid bytes."""
    name = "cuMemBatchDecompressAsync"
    found = streams.find(stream)
    if not paramsArray or not count or flags:
        raise invalid(f"{name}: paramsArray is NULL, count is 0, or flags is not 0")
    streams.refuse_capture(name, found)
    given = (CUmemDecompressParams * count).from_address(paramsArray)
    found.queue_after_waits().decompress([_checked(f"{name}: paramsArray[{i}]", each) for i, each in enumerate(given)])
    return NO_INDEX
