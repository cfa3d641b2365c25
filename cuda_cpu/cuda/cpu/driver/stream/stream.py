# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Streams (CUstream): the ordering rules of the legacy and per-thread default streams, queries, callbacks."""

from __future__ import annotations

import ctypes
import itertools
from threading import get_ident
from typing import Any, Protocol

from cuda.cpu.abi import (
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
    CU_STREAM_NON_BLOCKING,
    CUDA_ERROR_NOT_READY,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
    CUDA_ERROR_STREAM_DETACHED,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, block, capture_state, once
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context, wait
from cuda.cpu.runtime import _runtime

LEGACY = 1  # CU_STREAM_LEGACY; 0 means the same
PER_THREAD = 2  # CU_STREAM_PER_THREAD

streams = Table("stream")
detached: dict[int, Stream] = {}  # streams of green contexts that are gone, by handle
_ids = itertools.count(1)


class CommandTarget(Protocol):
    """What takes commands: a stream, or the recorder of a graph node (graph_work.Tape)."""

    context: context.Context

    def queue_after_waits(self) -> Any: ...


class Stream:
    __slots__ = (
        "attributes", "blocking", "capture", "context", "flags", "green", "handle", "id", "legacy", "owner", "priority",
        "queue",
    )  # fmt: skip

    def __init__(self, owner: context.Context, flags: int, priority: int, handle: int = 0, green: Any = None) -> None:
        self.context = owner
        self.green = green  # the green context, which then is the owner
        self.owner: Any = green or owner
        self.flags = flags
        self.priority = max(context.GREATEST_PRIORITY, min(priority, 0))
        self.legacy = handle == LEGACY
        self.blocking = not flags & CU_STREAM_NON_BLOCKING  # waits for the legacy stream, and it for us
        self.queue = _runtime.Queue(self.priority, self.owner.workers)
        for event in (*owner.pending_waits, *(green.pending_waits if green is not None else ())):
            self.queue.wait_event(event)
        self.id = next(_ids)
        self.attributes: dict[int, bytes] = {}
        self.capture: Any = None  # the capture.Capture that the stream is part of
        with owner.entering():
            if green is not None:
                green.check()
            self.handle = handle or streams.add(self)
            owner.streams.add(self)
            if green is not None:
                green.streams.add(self)
            if handle == LEGACY:
                self.owner.legacy = self
            elif handle == PER_THREAD:
                self.owner.per_thread[get_ident()] = self
        if self.blocking:
            _runtime.invalidate_fast_path()

    def queue_after_waits(self) -> Any:
        """Return the queue after inserting the waits that default-stream ordering requires."""
        if not self.context.usable:
            self.context.check()
        capture = self.capture
        if capture is not None:
            return capture.queue(self)
        if self.legacy:
            for other in list(self.owner.streams):
                if other.owner is not self.owner:
                    continue
                if other.capture is not None and other.blocking:
                    other.capture.fail(
                        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream would wait for a stream being captured"
                    )
                if other.blocking and other is not self:
                    follow(self.queue, other.queue)
        elif self.blocking:
            legacy = self.owner.legacy
            if legacy is not None:
                follow(self.queue, legacy.queue)
        return self.queue

    def queues_to_wait_for(self) -> list[Any]:
        """Return the queues that the stream's own waits for, if they have work (see `queue_after_waits`)."""
        if self.legacy:
            return [queue for queue in self.waited_for() if queue is not self.queue]
        legacy = self.owner.legacy
        return [legacy.queue] if self.blocking and legacy is not None else []

    def waited_for(self) -> list[Any]:
        """Return the queues that must run dry for the stream to be done."""
        if not self.legacy:
            return [self.queue]
        return [other.queue for other in list(self.owner.streams) if other.blocking and other.owner is self.owner]

    def forget(self) -> None:
        _runtime.invalidate_fast_path()
        streams.pop(self.handle, None)
        detached.pop(self.handle, None)
        with self.context.lock:  # no capture begins meanwhile
            if self.capture is not None and self.capture.origin is self:  # what joined one may go before its end
                self.capture.valid = False
                self.capture.end()
            self.context.streams.discard(self)
        if self.green is not None:
            self.green.streams.discard(self)

    def detach(self) -> None:
        """Take the stream from its green context, which goes: it can only be destroyed."""
        _runtime.invalidate_fast_path()
        if streams.pop(self.handle, None) is not None:
            detached[self.handle] = self
        else:  # a default stream
            self.retire()

    def retire(self) -> None:
        """Take the stream away; work that is queued still runs."""
        idle = self.queue.is_idle()
        if not idle:
            self.context.draining.append(self.queue)  # first: whoever ends the context finds it in the streams or here
        self.forget()
        if idle:
            self.context.drop(self.queue)


def join(waiting: Any, first: Any) -> None:
    """Let what comes next in queue `waiting` wait for what is in queue `first` now."""
    event = _runtime.Event()
    first.record(event)
    waiting.wait_event(event)


def follow(waiting: Any, first: Any) -> None:
    """Let what comes next in queue `waiting` wait for what is in queue `first` now, if that has work."""
    if not first.is_idle():
        join(waiting, first)
    elif state.order is not None:
        state.order.follows(waiting, first)


def green_of(owner: Any) -> Any:
    return owner if owner is not owner.base else None


def legacy_of(owner: Any) -> Stream:
    found = owner.legacy
    if found is None:
        with once.lock:
            found = owner.legacy or Stream(owner.base, 0, 0, LEGACY, green_of(owner))
    return found


def per_thread_of(owner: Any) -> Stream:
    ident = get_ident()
    stream = owner.per_thread.get(ident)
    if stream is None:
        stream = Stream(owner.base, 0, 0, PER_THREAD, green_of(owner))
    return stream


def find(handle: int) -> Stream:
    """Return the stream of a handle; 0, 1 and 2 are the default streams of the current context."""
    stream = streams.get(handle)
    if stream is not None:
        if not stream.context.usable:
            stream.context.check()
        return stream
    if handle == 0 or handle == LEGACY:
        return legacy_of(context.current_owner())
    if handle == PER_THREAD:
        return per_thread_of(context.current_owner())
    if handle in detached:
        raise CudaError(CUDA_ERROR_STREAM_DETACHED, f"the green context of stream 0x{handle:x} was destroyed")
    return streams.find(handle)


def cuStreamCreate(Flags: int) -> int:
    return cuStreamCreateWithPriority(Flags, 0)


def cuStreamCreateWithPriority(flags: int, priority: int) -> int:
    owner = context.current_owner()
    if flags & ~CU_STREAM_NON_BLOCKING:
        raise invalid(f"cuStreamCreate: flags 0x{flags:x} are not CUstream_flags")
    owner.reap()
    return Stream(owner.base, flags, priority, green=green_of(owner)).handle


def cuStreamDestroy(hStream: int) -> None:
    stream = detached.pop(hStream, None) or streams.take(hStream)
    stream.retire()
    stream.context.check_released()


def cuStreamGetPriority(hStream: int) -> int:
    return find(hStream).priority


def cuStreamGetFlags(hStream: int) -> int:
    return find(hStream).flags


def cuStreamGetId(hStream: int) -> int:
    return find(hStream).id


def cuStreamGetCtx(hStream: int) -> int:
    return find(hStream).context.handle


def cuStreamGetDevice(hStream: int) -> int:
    return find(hStream).context.device.ordinal


def refuse_capture(name: str, stream: Stream) -> None:
    """Refuse a call that cannot be captured if the stream, or one that it waits for, is being captured."""
    if capture_state.active:
        waited = stream.context.streams if stream.legacy else (stream,)
        capture_state.refuse(
            name,
            [each.capture for each in list(waited) if each.capture is not None and (each is stream or each.blocking)],
        )


def cuStreamQuery(hStream: int) -> None:
    epoch = _runtime.fast_path_epoch()
    stream = find(hStream)
    refuse_capture("cuStreamQuery", stream)
    queues = stream.waited_for()
    cache_fast_path(epoch, hStream, stream)
    if not all(queue.is_idle() for queue in queues):
        raise CudaError(CUDA_ERROR_NOT_READY)
    wait.for_queues(stream.context, queues)


def cuStreamSynchronize(hStream: int) -> None:
    epoch = _runtime.fast_path_epoch()
    stream = find(hStream)
    refuse_capture("cuStreamSynchronize", stream)
    wait.for_queues(stream.context, stream.waited_for())
    block.release_all()
    cache_fast_path(epoch, hStream, stream)


def cache_fast_path(epoch: int, handle: int, stream: Stream) -> None:
    """Cache a fast path for later waits for the stream, if the epoch is still `epoch`."""
    if not capture_state.active:
        others = [queue for queue in stream.waited_for() if queue is not stream.queue]
        _runtime.cache_wait(epoch, handle, stream.queue, others)


# Callbacks. A CUhostFn runs on the queue's own thread. A CUstreamCallback has other parameters, so one function of
# ours runs there, finds by a number what to call, and calls it.
_callback_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_callbacks: dict[int, tuple[Any, Stream, int]] = {}
_callback_numbers = itertools.count(1)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _run_callback(number: int) -> None:
    function, stream, user_data = _callbacks.pop(number)
    wait.collect(stream.context, stream.queue)
    function(stream.handle, stream.context.error, user_data)


_run_callback_address = ctypes.cast(_run_callback, ctypes.c_void_p).value


def cuStreamAddCallback(hStream: int, callback: int, userData: int, flags: int) -> None:
    stream = find(hStream)
    if not callback or flags:
        raise invalid("cuStreamAddCallback: callback must not be NULL and flags must be 0")
    refuse_capture("cuStreamAddCallback", stream)
    number = next(_callback_numbers)
    _callbacks[number] = (_callback_type(callback), stream, userData)
    queue = stream.queue_after_waits()
    queue.call(_run_callback_address, number, True)
    if state.order is not None:
        state.order.host_function(queue)


def cuLaunchHostFunc(hStream: int, fn: int, userData: int) -> None:
    stream = find(hStream)
    if not fn:
        raise invalid("cuLaunchHostFunc: fn is NULL")
    queue = stream.queue_after_waits()
    queue.call(fn, userData)
    if state.order is not None and stream.capture is None:
        state.order.host_function(queue)


def cuLaunchHostFunc_v2(hStream: int, fn: int, userData: int, syncMode: int) -> None:
    """Run a host function; both ways to wait (spinning, blocking) are the queue's own thread calling it."""
    if syncMode not in (0, 1):
        raise invalid(f"cuLaunchHostFunc_v2: syncMode {syncMode} is neither 0 nor 1")
    cuLaunchHostFunc(hStream, fn, userData)


def cuStreamAttachMemAsync(hStream: int, dptr: int, length: int, flags: int) -> None:
    """Check the request; managed memory is visible everywhere, whatever stream it is attached to."""
    find(hStream)
    record = address.check_device("cuStreamAttachMemAsync: dptr", dptr, max(length, 1))
    if record.kind is not address.Kind.MANAGED or flags not in (1, 2, 4) or length not in (0, record.size):
        raise invalid(
            "cuStreamAttachMemAsync: requires managed memory, its full length or 0, and one of CUmemAttach_flags"
        )


_ATTRIBUTES = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
}
_VALUE_SIZE = 64  # sizeof(CUlaunchAttributeValue)


def _check_attribute(name: str, which: int, value: int) -> None:
    if which not in _ATTRIBUTES or not value:
        raise invalid(f"{name}: {which} is no attribute of streams, or the value is NULL")


def cuStreamGetAttribute(hStream: int, attr: int, value: int) -> None:
    stream = find(hStream)
    _check_attribute("cuStreamGetAttribute", attr, value)
    data = stream.attributes.get(attr, bytes(_VALUE_SIZE))
    if attr == CU_LAUNCH_ATTRIBUTE_PRIORITY:
        data = stream.priority.to_bytes(4, "little", signed=True)
    elif attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY and attr not in stream.attributes:
        data = (1).to_bytes(4, "little")  # CU_SYNC_POLICY_AUTO
    ctypes.memmove(value, data, len(data))


def cuStreamSetAttribute(hStream: int, attr: int, param: int) -> None:
    """Remember the value; waiting and caching are the same for every stream here."""
    stream = find(hStream)
    _check_attribute("cuStreamSetAttribute", attr, param)
    stream.attributes[attr] = ctypes.string_at(param, _VALUE_SIZE)
    if attr == CU_LAUNCH_ATTRIBUTE_PRIORITY:
        priority = ctypes.c_int.from_address(param).value
        stream.priority = max(context.GREATEST_PRIORITY, min(priority, 0))


def cuStreamCopyAttributes(dstStream: int, srcStream: int) -> None:
    find(dstStream).attributes.update(find(srcStream).attributes)


def forget_after_fork() -> None:
    streams.clear()
    detached.clear()
    _callbacks.clear()
