# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Events (CUevent): recording, waiting and timing."""

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
from cuda.cpu.check import state
from cuda.cpu.driver.base import block, capture_state, shared_file
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.stream import stream as streams
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


def find_waitable(name: str, handle: int) -> Event:
    """Return an event that can be queried and waited for: one not recorded by a capture."""
    event = find(handle)
    if event.capture is not None:
        event.capture[0].valid = False
        raise CudaError(CUDA_ERROR_CAPTURED_EVENT, f"{name}: the event was last recorded in a stream being captured")
    return event


def find(handle: int) -> Event:
    event = events.find(handle)
    event.context.check()
    return event


def cuEventCreate(Flags: int) -> int:
    owner = context.current()
    if Flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS):
        raise invalid(f"cuEventCreate: flags 0x{Flags:x} are not CUevent_flags")
    if not Flags & CU_EVENT_INTERPROCESS:
        return Event(owner, Flags).handle
    if not Flags & CU_EVENT_DISABLE_TIMING:
        raise invalid("cuEventCreate: CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING")
    return Event(owner, Flags, shared_file.make("event", _runtime.SHARED_EVENT_BYTES)).handle


def cuEventDestroy(hEvent: int) -> None:
    event = events.take(hEvent)
    event.close()
    event.context.check_released()


def cuEventRecord(hEvent: int, hStream: int) -> None:
    event = find(hEvent)
    stream = streams.find(hStream)
    if stream.context is not event.context:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, "cuEventRecord: the event and the stream are of different contexts")
    if stream.capture is not None:
        stream.capture.record(stream, event)
        return
    event.queue = stream.queue_after_waits()
    event.queue.record(event.native)
    event.recorded, event.capture = True, None


def cuEventRecordWithFlags(hEvent: int, hStream: int, flags: int) -> None:
    stream = streams.find(hStream)
    if flags not in (CU_EVENT_RECORD_DEFAULT, CU_EVENT_RECORD_EXTERNAL):
        raise invalid(f"cuEventRecordWithFlags: flags {flags} are no CUevent_record_flags")
    if flags and stream.capture is not None:
        stream.capture.add_event_node(stream, hEvent, record=True)
    else:
        cuEventRecord(hEvent, hStream)


def cuStreamWaitEvent(hStream: int, hEvent: int, Flags: int) -> None:
    stream = streams.find(hStream)
    event = events.find(hEvent)
    native = event.native
    if Flags not in (CU_EVENT_WAIT_DEFAULT, CU_EVENT_WAIT_EXTERNAL):
        raise invalid(f"cuStreamWaitEvent: flags {Flags} are no CUevent_wait_flags")
    if Flags and stream.capture is not None:
        stream.capture.add_event_node(stream, hEvent, record=False)
    elif event.capture is not None:
        event.capture[0].wait(stream, event)
    elif stream.capture is not None:
        stream.capture.fail(
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "cuStreamWaitEvent: the event was recorded outside of the capture"
        )
    elif not native.is_done() or state.order is not None:
        stream.queue_after_waits().wait_event(native)


def cuEventQuery(hEvent: int) -> None:
    event = find_waitable("cuEventQuery", hEvent)
    capture_state.check_safe("cuEventQuery")  # unlike waits for events, GPUs' drivers take it for unsafe
    if not event.native.is_done():
        raise CudaError(CUDA_ERROR_NOT_READY)
    wait.collect_all(event.context)
    note_wait(event)
    check(event)


def cuEventSynchronize(hEvent: int) -> None:
    event = find_waitable("cuEventSynchronize", hEvent)
    native = event.native
    if not native.is_done():
        wait.until(event.context, native.wait)
    wait.collect_all(event.context)
    block.release_all()
    _runtime.flush_printf()
    note_wait(event)
    check(event)


def note_wait(event: Event) -> None:
    """Tell racecheck that the host knows that an event is complete."""
    if state.order is not None:
        state.order.host_waited_for(event.native)


def check(event: Event) -> None:
    """Raise what went wrong in the event's context, or with the work before it."""
    event.context.check()
    if event.queue is not None:
        wait.check_interrupted(event.context, [event.queue])


def cuEventElapsedTime(hStart: int, hEnd: int) -> float:
    """Return the milliseconds from one event to the other."""
    start, end = (find_waitable("cuEventElapsedTime", handle) for handle in (hStart, hEnd))
    for name, event in (("hStart", start), ("hEnd", end)):
        if event.flags & CU_EVENT_DISABLE_TIMING:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"cuEventElapsedTime: {name} has CU_EVENT_DISABLE_TIMING")
        if not event.recorded:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"cuEventElapsedTime: {name} was never recorded")
    if start.context is not end.context:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: the events are of different contexts")
    if not (start.native.is_done() and end.native.is_done()):
        raise CudaError(CUDA_ERROR_NOT_READY)
    note_wait(end)
    return (end.native.time_ns() - start.native.time_ns()) / 1e6


def forget_after_fork() -> None:
    events.clear()
