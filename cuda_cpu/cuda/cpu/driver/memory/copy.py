# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linear copies between host and device memory, and batches of them.

Device memory has host addresses, so every kind of copy is one operation. The kinds differ in what is checked and in
what waits: with ordinary (pageable) host memory the call returns when that memory may be changed again, as the API
promises.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import CUmemcpyAttributes
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, capture_state
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.memory import memory
from cuda.cpu.driver.stream import stream as streams

SYNC = -1  # instead of a stream handle: the legacy stream, and the caller waits


def copy(
    name: str, target: int, source: int, size: int, stream_handle: int, *, to_device: bool, from_device: bool
) -> None:
    """Copy `size` bytes in stream `stream_handle`."""
    if not size:
        streams.find(0 if stream_handle == SYNC else stream_handle)
        return
    to = address.check(f"{name}: the destination", target, size, device=to_device)
    of = address.check(f"{name}: the source", source, size, device=from_device)
    if to is not None and to.read_only:
        raise invalid(f"{name}: the destination is mapped with CU_MEM_ACCESS_FLAGS_PROT_READ")
    stream = streams.find(0 if stream_handle == SYNC else stream_handle)
    if stream_handle == SYNC:
        capture_state.check_safe(name)
    queue = stream.queue_after_waits()
    if state.order is not None and stream.capture is None:
        for start, known, writes in ((source, of, False), (target, to, True)):
            if known is None:
                state.order.copies(queue, start, size, writes=writes)
    if stream.capture is not None:
        queue.copy(target, source, size)
    elif stream_handle != SYNC and to is not None and of is None and not queue.is_idle():
        stage(queue, target, source, size)
    else:
        queue.copy(target, source, size)
        # Copies within the device never wait: what is queued may need the caller to go on.
        ends = [end is None or (stream_handle == SYNC and end.kind.on_host) for end in (to, of)]
        if any(ends):
            wait.for_queues(stream.context, [queue], own=True, promised=stream_handle == SYNC)


def stage(queue: Any, target: int, source: int, size: int) -> None:
    """Copy from pageable memory into the queue's order without waiting: by way of memory of our own."""
    arena = memory.host_arena()
    between = arena.allocate(size)
    ctypes.memmove(between, source, size)
    queue.copy(target, between, size)
    queue.free(arena, between)


def cuMemcpy(dst: int, src: int, ByteCount: int) -> None:
    copy("cuMemcpy", dst, src, ByteCount, SYNC, to_device=False, from_device=False)


def cuMemcpyHtoD(dstDevice: int, srcHost: int, ByteCount: int) -> None:
    copy("cuMemcpyHtoD", dstDevice, srcHost, ByteCount, SYNC, to_device=True, from_device=False)


def cuMemcpyDtoH(dstHost: int, srcDevice: int, ByteCount: int) -> None:
    copy("cuMemcpyDtoH", dstHost, srcDevice, ByteCount, SYNC, to_device=False, from_device=True)


def cuMemcpyDtoD(dstDevice: int, srcDevice: int, ByteCount: int) -> None:
    copy("cuMemcpyDtoD", dstDevice, srcDevice, ByteCount, SYNC, to_device=True, from_device=True)


def cuMemcpyAsync(dst: int, src: int, ByteCount: int, hStream: int) -> None:
    copy("cuMemcpyAsync", dst, src, ByteCount, hStream, to_device=False, from_device=False)


def cuMemcpyHtoDAsync(dstDevice: int, srcHost: int, ByteCount: int, hStream: int) -> None:
    copy("cuMemcpyHtoDAsync", dstDevice, srcHost, ByteCount, hStream, to_device=True, from_device=False)


def cuMemcpyDtoHAsync(dstHost: int, srcDevice: int, ByteCount: int, hStream: int) -> None:
    copy("cuMemcpyDtoHAsync", dstHost, srcDevice, ByteCount, hStream, to_device=False, from_device=True)


def cuMemcpyDtoDAsync(dstDevice: int, srcDevice: int, ByteCount: int, hStream: int) -> None:
    copy("cuMemcpyDtoDAsync", dstDevice, srcDevice, ByteCount, hStream, to_device=True, from_device=True)


def cuMemcpyPeer(dstDevice: int, dstContext: int, srcDevice: int, srcContext: int, ByteCount: int) -> None:
    context.find(dstContext), context.find(srcContext)
    copy("cuMemcpyPeer", dstDevice, srcDevice, ByteCount, SYNC, to_device=True, from_device=True)


def cuMemcpyPeerAsync(
    dstDevice: int, dstContext: int, srcDevice: int, srcContext: int, ByteCount: int, hStream: int
) -> None:
    context.find(dstContext), context.find(srcContext)
    copy("cuMemcpyPeerAsync", dstDevice, srcDevice, ByteCount, hStream, to_device=True, from_device=True)


SOURCE_ORDERS = (1, 2, 3)  # CUmemcpySrcAccessOrder: in stream order, before the call returns, at any time


def cuMemcpyBatchAsync(
    dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, hStream: int
) -> None:
    """Copy many ranges. All are queued in order; a source is read no later than the caller allows."""
    name = "cuMemcpyBatchAsync"
    if hStream in (0, streams.LEGACY):
        raise invalid(f"{name}: hStream must not be the legacy default stream")
    if not (dsts and srcs and sizes and count and attrs and attrsIdxs and 0 < numAttrs <= count):
        raise invalid(f"{name}: no array may be NULL or empty, and numAttrs at most count")
    for i in range(numAttrs):
        order = (CUmemcpyAttributes * numAttrs).from_address(attrs)[i].srcAccessOrder
        if order not in SOURCE_ORDERS:
            raise invalid(f"{name}: attrs[{i}].srcAccessOrder is {order}")
    values = [(ctypes.c_uint64 * count).from_address(array) for array in (dsts, srcs, sizes)]
    for target, source, size in zip(*values, strict=True):
        copy(name, target, source, size, hStream, to_device=False, from_device=False)


NO_INDEX = 2**64 - 1  # SIZE_MAX: no entry of a batch is to blame


def cuMemcpyBatchAsync_v1(
    dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, hStream: int
) -> int:
    cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream)
    return NO_INDEX


def cuMemcpyWithAttributesAsync(dst: int, src: int, size: int, attr: int, hStream: int) -> None:
    order = CUmemcpyAttributes.from_address(attr).srcAccessOrder if attr else 0
    if order not in SOURCE_ORDERS:
        raise invalid(f"cuMemcpyWithAttributesAsync: srcAccessOrder is {order}, or attr NULL")
    copy("cuMemcpyWithAttributesAsync", dst, src, size, hStream, to_device=False, from_device=False)
