# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Events recorded behind all work of a context, and waits of all its streams (cuCtxRecordEvent, cuCtxWaitEvent)."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
from cuda.cpu.check import state
from cuda.cpu.driver.base import capture_state, once
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device.green_context import find
from cuda.cpu.driver.stream import event as events
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime import _runtime


def _event(name: str, owner: Any, handle: int) -> events.Event:
    """Return an event for all streams of a context, none of which may be capturing."""
    found = events.find(handle)
    capture_state.refuse(name, [each.capture for each in list(owner.streams) if each.capture is not None])
    if found.capture is not None:
        found.capture[0].valid = False
        raise CudaError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, f"{name}: the event is part of a capture")
    return found


def record(name: str, owner: Any, handle: int) -> None:
    """Record an event behind all that is queued in a context."""
    found = _event(name, owner, handle)
    if found.context is not owner.base:
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"{name}: the event is of another context")
    with once.lock, owner.base.entering():
        owner.event_queue = owner.event_queue or _runtime.Queue(0)
    for queue in owner.queues():
        if queue is not owner.event_queue:
            streams.follow(owner.event_queue, queue)
    owner.event_queue.record(found.native)
    found.recorded = True


def wait(name: str, owner: Any, handle: int) -> None:
    """Let all later work of a context wait for an event, in existing and in new streams."""
    native = _event(name, owner, handle).native
    if native.is_done() and state.order is None:
        return
    for each in list(owner.streams):
        each.queue.wait_event(native)
    pending = [each for each in owner.pending_waits if state.order is not None or not each.is_done()]
    owner.pending_waits = [*pending, native]


def cuGreenCtxRecordEvent(hCtx: int, hEvent: int) -> None:
    record("cuGreenCtxRecordEvent", find(hCtx), hEvent)


def cuGreenCtxWaitEvent(hCtx: int, hEvent: int) -> None:
    wait("cuGreenCtxWaitEvent", find(hCtx), hEvent)


def cuCtxRecordEvent(hCtx: int, hEvent: int) -> None:
    record("cuCtxRecordEvent", context.find_owner(hCtx), hEvent)


def cuCtxWaitEvent(hCtx: int, hEvent: int) -> None:
    wait("cuCtxWaitEvent", context.find_owner(hCtx), hEvent)
