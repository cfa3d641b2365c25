# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Contexts (CUcontext): what they own, the stack of current contexts of each thread, sticky errors."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any

from cuda.cpu import check
from cuda.cpu.abi import (
    CU_CTX_FLAGS_MASK,
    CU_CTX_SCHED_BLOCKING_SYNC,
    CU_CTX_SCHED_MASK,
    CU_CTX_SCHED_SPIN,
    CU_CTX_SCHED_YIELD,
    CU_EXEC_AFFINITY_TYPE_SM_COUNT,
    CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUDA_ERROR_DEINITIALIZED,
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
    CUctxCreateParams,
    CUexecAffinityParam,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, block, capture_state
from cuda.cpu.driver.base import limit as limits
from cuda.cpu.driver.base.error import CudaError, answer, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device import wait
from cuda.cpu.runtime import _runtime

GREATEST_PRIORITY = -5  # of streams

contexts = Table("context", CUDA_ERROR_INVALID_CONTEXT)
_ids = itertools.count(1)


class Context:
    """A context. The hot path checks `usable` alone: the context is alive and has no error."""

    def __init__(self, of: devices.Device, flags: int, *, primary: bool = False, workers: int = 0) -> None:
        self.device = of
        self.flags = flags
        self.primary = primary
        self.base = self  # of a green context: the primary context that it is part of
        self.workers = workers  # that may work on one launch, 0: all (execution affinity)
        self.handle = contexts.add(self)
        self.retained = 0
        self.uses = 1  # counted by cuCtxAttach and cuCtxDetach
        self.usable = not primary
        self.lock = threading.RLock()  # held while objects are added and while the context ends; never while waiting
        self.closing = threading.RLock()  # held by the thread that destroys or resets the context
        self.begin()

    def begin(self) -> None:
        """Set the state that a reset brings back."""
        _runtime.invalidate_fast_path()
        self.id = next(_ids)  # changes with each reset
        self.ending = False
        self.error = 0
        self.error_text = ""
        self.error_reported = False  # whether a call has returned the error
        self.interrupted = ""  # the kernel that was cancelled last
        self.streams: set[Any] = set()
        self.legacy = None
        self.per_thread: dict[int, Any] = {}
        self.pending_waits: list[Any] = []  # events that later streams wait for
        self.event_queue: Any = None  # the queue that records events behind all work (cuCtxRecordEvent)
        self.draining: list[Any] = []  # queues of destroyed streams that still have work
        self.drained: Any = None  # for racecheck: an empty queue that follows those of destroyed streams without work
        self.events: set[Any] = set()
        self.modules: set[Any] = set()
        self.peers: set[Context] = set()
        self.cache_config = 0
        self.limits = dict(limits.DEFAULTS)
        self.printed = _runtime.printf_count()
        self.device_runtime: Any = None  # device_runtime.state_of, made at the first use

    def fail(self, status: int, text: str) -> None:
        """Set the sticky error that every later call returns, until the primary context is reset."""
        if not self.error:
            self.error, self.error_text, self.usable = status, text, False
            _runtime.invalidate_fast_path()

    def check(self) -> None:
        if self.error:
            self.error_reported = True
            raise CudaError(self.error, self.error_text)
        if not self.usable:
            raise CudaError(CUDA_ERROR_CONTEXT_IS_DESTROYED, f"context 0x{self.handle:x} was destroyed or released")

    @contextlib.contextmanager
    def entering(self, generation: int | None = None) -> Iterator[None]:
        """Keep the context alive while an object is added to it.

        Raise if it was destroyed, or reset since `generation` (an earlier `id`).
        """
        with self.lock:
            self.check()
            if generation is not None and generation != self.id:
                raise CudaError(
                    CUDA_ERROR_CONTEXT_IS_DESTROYED, f"context 0x{self.handle:x} was reset by another thread meanwhile"
                )
            yield

    def check_released(self) -> None:
        """As `check`, for a call that has released something: at exit that is no error."""
        if self.error != CUDA_ERROR_DEINITIALIZED:
            self.check()

    def queues(self) -> list[Any]:
        own = [queue for queue in (self.event_queue, self.drained) if queue is not None]
        return [stream.queue for stream in list(self.streams)] + list(self.draining) + own

    def reap(self) -> None:
        """Release destroyed streams whose work is done."""
        for queue in list(self.draining):
            if queue.is_idle():
                try:
                    self.draining.remove(queue)
                except ValueError:
                    continue  # another thread was faster
                self.drop(queue)

    def drop(self, queue: Any) -> None:
        """Close the queue of a destroyed stream, whose work is done."""
        if state.order is not None:
            with self.lock:
                self.drained = self.drained or _runtime.Queue()
                state.order.follows(self.drained, queue)  # who waits for the context has waited for this work, too
        wait.collect(self, queue)
        queue.close()

    def close(self) -> None:
        """Cancel all work and release everything that belongs to the context.

        The order matters: first no objects can be added, then no queue takes commands, then running work is cancelled;
        only then is memory released.
        """
        with self.closing:
            with self.lock:
                self.usable, self.ending = False, True
            _runtime.invalidate_fast_path()
            for queue in self.queues():
                queue.close()
            wait.cancel(self)
            self._give_back()
            with self.lock:
                self.begin()  # threads that wait for the lock find another generation

    def _give_back(self) -> None:
        self.report_leaks()
        for module in list(self.modules):
            module.close()
        for event in list(self.events):
            event.close()
        for stream in list(self.streams):
            stream.forget()
        for record in address.of_context(self):
            if address.remove(record):
                record.give_back()
        if not any(each.usable for each in list(contexts.values())):
            limits.restore()

    def report_leaks(self) -> None:
        """Print what the program has not freed or destroyed, if CUDA_CPU_CHECK enables leakcheck."""
        if not check.wants_leaks():
            return
        ours = {record.start for module in self.modules for record in module.variables.values()}
        defaults = [self.legacy, *self.per_thread.values()]
        state.leaks(
            (each for each in address.of_context(self) if each.start not in ours),
            (
                ("stream", "destroyed", [each.handle for each in self.streams if each not in defaults], "info"),
                ("event", "destroyed", [each.handle for each in self.events], "info"),
                ("module", "unloaded", [each.handle for each in self.modules if each.library is None], "info"),
            ),
        )


_stacks: dict[int, list[Context]] = {}
_native_ids: dict[int, int] = {}  # threads that Python did not start: their native id, for identifiers are used again


def _forget_thread(ident: int) -> None:
    """Remove a thread's context stack and per-thread streams."""
    _stacks.pop(ident, None)
    _native_ids.pop(ident, None)
    for context in list(contexts.values()):
        stream = context.per_thread.pop(ident, None)
        if stream is not None:
            stream.retire()


class _ThreadExit:
    """Removes a Python thread's context stack when the thread ends: it is stored in the thread's threading.local.

    Threads that Python did not start have no thread state of their own between two calls, so stacks cannot live in a
    threading.local themselves; those of such threads stay until another thread has the same identifier.
    """

    def __init__(self) -> None:
        self.ident = get_ident()

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not finalizing():
            _forget_thread(self.ident)


_thread = threading.local()


def stack() -> list[Context]:
    """Return the calling thread's context stack, the current one last."""
    ident = get_ident()
    found = _stacks.get(ident)
    if found is not None and (ident not in _native_ids or _native_ids[ident] == threading.get_native_id()):
        return found
    devices.check_started()
    _forget_thread(ident)
    if any(thread.ident == ident for thread in threading.enumerate()):
        _thread.leaving = _ThreadExit()
    else:
        _native_ids[ident] = threading.get_native_id()
    found = _stacks[ident] = []
    return found


def publish_current() -> None:
    """Report the calling thread's current context to the native runtime, after each change."""
    _runtime.set_current_context(cuCtxGetCurrent())


def current() -> Context:
    """Return the calling thread's context, ready for work."""
    found = stack()
    if found:
        context = found[-1]
        if context.usable:
            return context.base
        context.check()
    raise CudaError(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread: call cuCtxSetCurrent first")


def current_owner() -> Any:
    """Return the calling thread's context, or the green one that stands for it."""
    base, owner = current(), stack()[-1]
    return owner if owner.base is base else base


def find_owner(handle: int) -> Any:
    """Return the context or green context of a CUcontext, the current one for NULL."""
    if not handle:
        return current_owner()
    owner = contexts.find(handle)
    owner.check()
    return owner


def find(handle: int) -> Context:
    """Return the context of a handle, the current one for NULL."""
    return find_owner(handle).base


def check_flags(name: str, flags: int) -> None:
    schedule = flags & CU_CTX_SCHED_MASK
    if flags & ~CU_CTX_FLAGS_MASK or schedule not in (
        0,
        CU_CTX_SCHED_SPIN,
        CU_CTX_SCHED_YIELD,
        CU_CTX_SCHED_BLOCKING_SYNC,
    ):
        raise invalid(f"{name}: flags 0x{flags:x} are not a combination of CUctx_flags")


def _create(flags: int, ordinal: int, workers: int = 0) -> int:
    check_flags("cuCtxCreate", flags)
    context = Context(devices.find(ordinal), flags, workers=workers)
    stack().append(context)
    publish_current()
    return context.handle


def _affinity(name: str, ptr: int, count: int, ordinal: int) -> int:
    """Return how many workers an array of CUexecAffinityParam requests, 0: all."""
    if not count:
        return 0
    if not ptr:
        raise invalid(f"{name}: the array of {count} CUexecAffinityParam is NULL")
    workers = 0
    for given in (CUexecAffinityParam * count).from_address(ptr):
        if given.type != CU_EXEC_AFFINITY_TYPE_SM_COUNT:
            raise CudaError(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, f"{name}: {given.type} is no CUexecAffinityType")
        workers = given.param.smCount.val
        if not 0 < workers <= devices.find(ordinal).cores:
            raise invalid(f"{name}: smCount is {workers}, must be 1 to {devices.find(ordinal).cores}")
    return workers


def cuCtxCreate(ctxCreateParams: int, flags: int, dev: int) -> int:
    """Make a context and push it. `ctxCreateParams` may be NULL."""
    if not ctxCreateParams:
        return _create(flags, dev)
    given = CUctxCreateParams.from_address(ctxCreateParams)
    if given.cigParams:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "cuCtxCreate: sharing with graphics APIs (CIG) needs a GPU")
    params, count = given.execAffinityParams or 0, given.numExecAffinityParams
    return _create(flags, dev, _affinity("cuCtxCreate", params, count, dev))


def cuCtxCreate_v3(paramsArray: int, numParams: int, flags: int, dev: int) -> int:
    return _create(flags, dev, _affinity("cuCtxCreate_v3", paramsArray, numParams, dev))


def cuCtxCreate_v2(flags: int, dev: int) -> int:
    return _create(flags, dev)


def cuCtxGetExecAffinity(pExecAffinity: int, type_: int) -> None:
    owner = current_owner()
    if type_ != CU_EXEC_AFFINITY_TYPE_SM_COUNT:
        raise CudaError(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, f"cuCtxGetExecAffinity: {type_} is no CUexecAffinityType")
    if not pExecAffinity:
        raise invalid("cuCtxGetExecAffinity: pExecAffinity is NULL")
    given = CUexecAffinityParam.from_address(pExecAffinity)
    given.type, given.param.smCount.val = type_, owner.workers or owner.device.cores


def cuCtxDestroy(ctx: int) -> None:
    context = contexts.find(ctx)
    if context is not context.base:
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, "a green context is destroyed with cuGreenCtxDestroy")
    if context.primary:
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, "a primary context is released with cuDevicePrimaryCtxRelease")
    contexts.take(ctx)
    context.close()
    if stack()[-1:] == [context]:
        stack().pop()
        publish_current()


def cuCtxAttach(flags: int) -> int:
    """Count one more use of the current context."""
    found = current_owner()
    if flags:
        raise invalid(f"cuCtxAttach: flags is {flags}, must be 0")
    found.uses += 1
    return found.handle


def cuCtxDetach(ctx: int) -> None:
    """Count one use less of the current context, and destroy it without any."""
    found = contexts.find(ctx)
    if stack()[-1:] != [found]:
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDetach: the context is not current to the calling thread")
    if found.uses == 1:
        return cuCtxDestroy(ctx)
    found.uses -= 1


def cuCtxPushCurrent(ctx: int) -> None:
    stack().append(contexts.find(ctx))
    publish_current()


def cuCtxPopCurrent() -> int:
    if not stack():
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent: no context is current in this thread")
    handle = stack().pop().handle
    publish_current()
    return handle


def cuCtxSetCurrent(ctx: int) -> None:
    """Replace the top of the stack; NULL pops it."""
    context = contexts.find(ctx) if ctx else None
    here = stack()
    if here:
        here.pop()
    if context is not None:
        here.append(context)
    publish_current()


def cuCtxGetCurrent() -> int:
    here = stack()
    return here[-1].handle if here else 0


def cuCtxGetDevice() -> int:
    if not stack():  # programs test for a current context this way
        raise answer(CUDA_ERROR_INVALID_CONTEXT, "cuCtxGetDevice: no context is current in this thread")
    return current().device.ordinal


def cuCtxGetDevice_v2(ctx: int) -> int:
    return find(ctx).device.ordinal


def cuCtxGetFlags() -> int:
    return current().flags


def cuCtxSetFlags(flags: int) -> None:
    context = current()
    check_flags("cuCtxSetFlags", flags)
    context.flags = flags


def cuCtxGetId(ctx: int) -> int:
    return find(ctx).id


def cuCtxGetApiVersion(ctx: int) -> int:
    find(ctx)
    return 3020  # what drivers answer for every context made since CUDA 3.2


def synchronize(owner: Any) -> None:
    capture_state.check_none_in("cuCtxSynchronize", owner.base)
    wait.for_queues(owner.base, owner.queues())
    block.release_all()
    owner.reap()


def cuCtxSynchronize() -> None:
    synchronize(current_owner())


def cuCtxSynchronize_v2(ctx: int) -> None:
    synchronize(find_owner(ctx))


def end() -> None:
    """Let every context answer DEINITIALIZED: Python is exiting, and the runtime stops its threads next."""
    for context in list(contexts.values()):
        if context.base is not context:
            continue  # a green context is as its base
        wait.report_failure(context)
        context.report_leaks()
        context.error = 0
        context.fail(CUDA_ERROR_DEINITIALIZED, "Python is exiting, the CPU device is shut down")
    state.heap_leaks()


def forget_after_fork() -> None:
    _stacks.clear()
    contexts.clear()
