# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Events: marks in streams, for order and for time."""

from __future__ import annotations

import os
from typing import Any

from cuda.cpu.abi import (
    CU_EVENT_BLOCKING_SYNC,
    CU_EVENT_DISABLE_TIMING,
    CU_EVENT_INTERPROCESS,
    CU_EVENT_RECORD_DEFAULT,
    CU_EVENT_RECORD_EXTERNAL,
    CU_EVENT_WAIT_DEFAULT,
    CU_EVENT_WAIT_EXTERNAL,
    CUDA_ERROR_CAPTURED_EVENT,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_READY,
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
)
from cuda.cpu.driver.base import block, capture_state, shared_file
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.stream import stream
from cuda.cpu.runtime import _runtime

events = Table("event")


class Event:
    __slots__ = ("capture", "context", "descriptor", "flags", "handle", "native", "queue", "recorded")

    def __init__(self, owner: context.Context, flags: int, descriptor: int | None = None) -> None:
        self.context = owner
        self.flags = flags
        self.descriptor = descriptor  # of the file of an event between processes; ours to close
        try:
            self.native = _runtime.Event() if descriptor is None else _runtime.Event(descriptor)
        except MemoryError:
            if descriptor is not None:
                os.close(descriptor)
            raise
        self.recorded = False
        self.queue: Any = None  # in which it was recorded last
        self.capture: Any = None  # where a capture is that recorded the event: (Capture, nodes)
        try:
            with owner.entering():
                self.handle = events.add(self)
                owner.events.add(self)
        except CudaError:
            if descriptor is not None:
                os.close(descriptor)
            raise

    def close(self) -> None:
        events.pop(self.handle, None)
        self.context.events.discard(self)
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def settled(name: str, handle: int) -> Event:
    """Return an event that can be asked and waited for: one that no capture has recorded."""
    event = find(handle)
    if event.capture is not None:
        event.capture[0].valid = False
        raise CudaError(CUDA_ERROR_CAPTURED_EVENT, f"{name}: the event was last recorded in a stream being captured")
    return event


def find(handle: int) -> Event:
    event = events.find(handle)
    event.context.check()
    return event


def cuEventCreate(flags: int) -> int:
    owner = context.current()
    if flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS):
        raise invalid(f"cuEventCreate: flags 0x{flags:x} are not CUevent_flags")
    if not flags & CU_EVENT_INTERPROCESS:
        return Event(owner, flags).handle
    if not flags & CU_EVENT_DISABLE_TIMING:
        raise invalid("cuEventCreate: CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING")
    return Event(owner, flags, shared_file.make("event", _runtime.SHARED_EVENT_BYTES)).handle


def cuEventDestroy(handle: int) -> None:
    event = events.take(handle)
    event.close()
    event.context.check_released()


def cuEventRecord(handle: int, stream_handle: int) -> None:
    event = find(handle)
    where = stream.find(stream_handle)
    if where.context is not event.context:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, "cuEventRecord: the event and the stream are of different contexts")
    if where.capture is not None:
        where.capture.record(where, event)
        return
    event.queue = where.ready()
    event.queue.record(event.native)
    event.recorded, event.capture = True, None


def cuEventRecordWithFlags(handle: int, stream_handle: int, flags: int) -> None:
    where = stream.find(stream_handle)
    if flags not in (CU_EVENT_RECORD_DEFAULT, CU_EVENT_RECORD_EXTERNAL):
        raise invalid(f"cuEventRecordWithFlags: flags {flags} are no CUevent_record_flags")
    if flags and where.capture is not None:
        where.capture.mark(where, handle, record=True)
    else:
        cuEventRecord(handle, stream_handle)


def cuStreamWaitEvent(handle: int, event_handle: int, flags: int) -> None:
    where = stream.find(handle)
    event = events.find(event_handle)
    native = event.native
    if flags not in (CU_EVENT_WAIT_DEFAULT, CU_EVENT_WAIT_EXTERNAL):
        raise invalid(f"cuStreamWaitEvent: flags {flags} are no CUevent_wait_flags")
    if flags and where.capture is not None:
        where.capture.mark(where, event_handle, record=False)
    elif event.capture is not None:
        event.capture[0].wait(where, event)
    elif where.capture is not None:
        where.capture.fail(
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "cuStreamWaitEvent: the event was recorded outside of the capture"
        )
    elif not native.is_done():
        where.ready().wait_event(native)


def cuEventQuery(handle: int) -> None:
    event = settled("cuEventQuery", handle)
    capture_state.check_safe("cuEventQuery")  # unlike waits for events, GPUs' drivers take it for unsafe
    if not event.native.is_done():
        raise CudaError(CUDA_ERROR_NOT_READY)
    wait.collect_all(event.context)
    check(event)


def cuEventSynchronize(handle: int) -> None:
    event = settled("cuEventSynchronize", handle)
    native = event.native
    if not native.is_done():
        wait.until(event.context, native.wait)
    wait.collect_all(event.context)
    block.release_all()
    _runtime.flush_printf()
    check(event)


def check(event: Event) -> None:
    """Raise what went wrong in the event's context, or with the work before it."""
    event.context.check()
    if event.queue is not None:
        wait.check_interrupted(event.context, [event.queue])


def cuEventElapsedTime(start_handle: int, end_handle: int) -> float:
    """Return the milliseconds from one event to the other."""
    start, end = (settled("cuEventElapsedTime", handle) for handle in (start_handle, end_handle))
    for name, event in (("hStart", start), ("hEnd", end)):
        if event.flags & CU_EVENT_DISABLE_TIMING:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"cuEventElapsedTime: {name} has CU_EVENT_DISABLE_TIMING")
        if not event.recorded:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"cuEventElapsedTime: {name} was never recorded")
    if start.context is not end.context:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: the events are of different contexts")
    if not (start.native.is_done() and end.native.is_done()):
        raise CudaError(CUDA_ERROR_NOT_READY)
    return (end.native.time_ns() - start.native.time_ns()) / 1e6


def forget_after_fork() -> None:
    events.clear()
