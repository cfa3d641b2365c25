# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stream memory operations: waits for values and writes of values (cuStreamWaitValue32)."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_STREAM_MEM_OP_BARRIER,
    CU_STREAM_MEM_OP_WAIT_VALUE_32,
    CU_STREAM_MEM_OP_WAIT_VALUE_64,
    CU_STREAM_MEM_OP_WRITE_VALUE_32,
    CU_STREAM_MEM_OP_WRITE_VALUE_64,
    CU_STREAM_WAIT_VALUE_FLUSH,
    CU_STREAM_WAIT_VALUE_NOR,
    CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER,
    CUDA_ERROR_NOT_SUPPORTED,
    CUstreamBatchMemOpParams,
)
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.stream import stream as streams


def _check(name: str, pointer: int, width: int, flags: int, known: int) -> None:
    if pointer % width:
        raise invalid(f"{name}: address 0x{pointer:x} is not aligned to {width} bytes")
    address.check(f"{name}: addr", pointer, width, device=True)
    if flags & CU_STREAM_WAIT_VALUE_FLUSH and known != CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: CU_STREAM_WAIT_VALUE_FLUSH needs remote writes to flush")
    if flags & ~known:
        raise invalid(f"{name}: flags 0x{flags:x} are unknown")


def _wait(name: str, stream: Any, pointer: int, value: int, flags: int, width: int) -> None:
    _check(name, pointer, width, flags, CU_STREAM_WAIT_VALUE_NOR)
    stream.queue_after_waits().wait_value(pointer, value & ((1 << 8 * width) - 1), width, flags)


def _write(name: str, stream: Any, pointer: int, value: int, flags: int, width: int) -> None:
    _check(name, pointer, width, flags, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
    stream.queue_after_waits().write_value(pointer, value & ((1 << 8 * width) - 1), width)


def cuStreamWaitValue32(stream: int, addr: int, value: int, flags: int) -> None:
    _wait("cuStreamWaitValue32", streams.find(stream), addr, value, flags, 4)


def cuStreamWaitValue64(stream: int, addr: int, value: int, flags: int) -> None:
    _wait("cuStreamWaitValue64", streams.find(stream), addr, value, flags, 8)


def cuStreamWriteValue32(stream: int, addr: int, value: int, flags: int) -> None:
    _write("cuStreamWriteValue32", streams.find(stream), addr, value, flags, 4)


def cuStreamWriteValue64(stream: int, addr: int, value: int, flags: int) -> None:
    _write("cuStreamWriteValue64", streams.find(stream), addr, value, flags, 8)


# operation -> what does it, the member of the union that holds its arguments, width
_OPERATIONS = {
    CU_STREAM_MEM_OP_WAIT_VALUE_32: (_wait, "waitValue", 4),
    CU_STREAM_MEM_OP_WAIT_VALUE_64: (_wait, "waitValue", 8),
    CU_STREAM_MEM_OP_WRITE_VALUE_32: (_write, "writeValue", 4),
    CU_STREAM_MEM_OP_WRITE_VALUE_64: (_write, "writeValue", 8),
}


def cuStreamBatchMemOp(stream: int, count: int, paramArray: int, flags: int) -> None:
    queue_batch("cuStreamBatchMemOp", streams.find(stream), count, paramArray, flags)


def queue_batch(name: str, stream: Any, count: int, operations: int, flags: int) -> None:
    """Put the operations in the queue of stream `stream`."""
    if flags or count > 256 or (count and not operations):
        raise invalid(f"{name}: flags must be 0 and count at most 256")
    size = ctypes.sizeof(CUstreamBatchMemOpParams)
    for i in range(count):
        given = CUstreamBatchMemOpParams.from_address(operations + i * size)
        if given.operation == CU_STREAM_MEM_OP_BARRIER:
            continue  # commands of a queue run in order, each seen by the next
        if given.operation not in _OPERATIONS:
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: operation {given.operation} of entry {i}")
        act, member, width = _OPERATIONS[given.operation]
        arguments = getattr(given, member)
        act(name, stream, arguments.address or 0, arguments.value64, arguments.flags, width)
