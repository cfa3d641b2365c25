# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inter-process memory and event handles (cuIpcGetMemHandle, cuIpcGetEventHandle).

Device memory is not shared from the start: the first handle of an allocation moves its pages into a file, once nothing
that is queued uses them. Its address stays. What was exported lives on in the processes that have opened it.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from typing import Any

from cuda.cpu.abi import (
    CU_EVENT_DISABLE_TIMING,
    CU_EVENT_INTERPROCESS,
    CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_MAP_FAILED,
    CUDA_ERROR_OPERATING_SYSTEM,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, capture_state, once, shared_file, written
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.stream import event as events
from cuda.cpu.signals import own

_moving = threading.Lock()  # around the first handle of an allocation, which waits for the device

MEMORY, EVENT = b"CPU-MEM1", b"CPU-EVT1"  # the kinds of handles


class Exported:
    """Takes back an allocation that lies in a file."""

    def __init__(self, descriptor: int, offset: int) -> None:
        self.descriptor = descriptor
        self.offset = offset

    def take_back(self, record: Allocation, stream: Any) -> None:
        if stream is None:
            record.arena.free(record.start)
        else:
            stream.queue_after_waits().free(record.arena, record.start)
        os.close(self.descriptor)


def can_export(record: Allocation) -> bool:
    """Return whether an allocation is device memory of cuMemAlloc."""
    return record.kind is Kind.DEVICE and record.arena is not None and record.pool is None


def _all_queues() -> list[tuple[context.Context, Any]]:
    return [(owner, queue) for owner in list(context.contexts.values()) for queue in owner.queues()]


def _move_to_file(record: Allocation) -> Exported:
    descriptor = shared_file.make("memory", 0)
    offset = None
    try:
        while offset is None:
            for owner, queue in _all_queues():
                if not queue.is_idle():
                    wait.until(owner, queue.wait)
            offset = record.arena.share(record.start, descriptor)
            if offset is None:
                time.sleep(0)  # another thread has queued work
    except own(OSError) as error:
        raise CudaError(CUDA_ERROR_OPERATING_SYSTEM, f"cuIpcGetMemHandle: {error.strerror}") from None
    finally:
        if offset is None:
            os.close(descriptor)
    return Exported(descriptor, offset)


def cuIpcGetMemHandle(pHandle: int, dptr: int) -> None:
    name = "cuIpcGetMemHandle"
    context.current()
    record = address.exact(dptr)
    if not pHandle or record is None or not can_export(record):
        raise invalid(f"{name}: pHandle is NULL, or 0x{dptr:x} is not the start of memory that cuMemAlloc returned")
    with _moving:
        if record.keeper is None:
            capture_state.check_safe(name)
            record.keeper = _move_to_file(record)
            written.share(record)
    keeper = record.keeper
    state.exported(record.tag, os.fstat(keeper.descriptor).st_ino, keeper.offset)
    data = shared_file.handle(MEMORY, keeper.descriptor, keeper.offset, record.size, record.device.uuid)
    ctypes.memmove(pHandle, data, len(data))


class Opened:
    """Memory of another process in a context of ours."""

    live = False  # cuMemFree leaves it alone

    def __init__(self, key: tuple[Any, bytes], view: shared_file.View) -> None:
        self.key = key
        self.view = view
        self.count = 1

    def take_back(self, record: Allocation, stream: Any) -> None:
        _opened.pop(self.key, None)
        self.view.close()


_opened: dict[tuple[Any, bytes], Allocation] = {}


def cuIpcOpenMemHandle(handle: bytes, Flags: int) -> int:
    """Map memory of another process; once more in the same context it is the same mapping, to be closed as often."""
    name = "cuIpcOpenMemHandle"
    owner = context.current()
    if Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS:
        raise invalid(f"{name}: Flags is {Flags}, must be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS")
    with once.counting:
        known = _opened.get((owner, handle))
        if known is not None and known.keeper.count:
            known.keeper.count += 1
            return known.start
    descriptor, offset, size, uuid = shared_file.open_handle(name, MEMORY, handle)
    try:
        of = next((each for each in devices.all_devices() if each.uuid == uuid), None)
        if of is None:
            raise CudaError(CUDA_ERROR_MAP_FAILED, f"{name}: the memory is of a device that this process does not have")
        view = shared_file.View(descriptor, offset, size)
        inode = os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)
    record = Allocation(view.start, size, Kind.DEVICE, owner)
    record.origin = "cuIpcOpenMemHandle"
    record.device, record.keeper = of, Opened((owner, handle), view)
    _opened[owner, handle] = record
    address.add(record)
    state.imported(record.tag, inode, offset)
    return record.start


def cuIpcCloseMemHandle(dptr: int) -> None:
    name = "cuIpcCloseMemHandle"
    owner = context.current()
    record = address.exact(dptr)
    if record is None or not isinstance(record.keeper, Opened) or record.context is not owner:
        raise invalid(f"{name}: 0x{dptr:x} is not what cuIpcOpenMemHandle returned in this context")
    with once.counting:
        record.keeper.count -= 1
        if record.keeper.count:
            return
    for each, queue in _all_queues():
        if not queue.is_idle():
            wait.until(each, queue.wait)
    if not address.remove(record):
        raise address.gone(name, record)
    record.give_back()


def cuIpcGetEventHandle(pHandle: int, event: int) -> None:
    found = events.find(event)
    if not pHandle or found.descriptor is None:
        raise CudaError(
            CUDA_ERROR_INVALID_HANDLE,
            "cuIpcGetEventHandle: pHandle is NULL, or the event was not created with CU_EVENT_INTERPROCESS",
        )
    data = shared_file.handle(EVENT, found.descriptor, 0, 0, found.context.device.uuid)
    ctypes.memmove(pHandle, data, len(data))


def cuIpcOpenEventHandle(handle: bytes) -> int:
    owner = context.current()
    descriptor, *_ = shared_file.open_handle("cuIpcOpenEventHandle", EVENT, handle)
    return events.Event(owner, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, descriptor).handle


def forget_after_fork() -> None:
    global _moving
    _moving = threading.Lock()
    _opened.clear()
