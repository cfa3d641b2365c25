# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Host-side waits for queues, and the translation of kernel faults into a CUresult and a message."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from cuda.cpu import abi, debug
from cuda.cpu.abi import (
    CUDA_ERROR_ASSERT,
    CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUDA_ERROR_ILLEGAL_ADDRESS,
    CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUDA_ERROR_ILLEGAL_STATE,
    CUDA_ERROR_INVALID_PC,
    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_MISALIGNED_ADDRESS,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.runtime import _runtime
from cuda.cpu.runtime.abi import FAULTS

# Seconds between two checks for Python signals during a wait: Ctrl-C must end it.
SLICE = 0.05

# Called with the device's ordinal and the CUresult when a fault ends a context; nvml/events.py sets it.
on_fault: Callable[[int, int], None] | None = None

# Seconds that work still running at exit has to report a fault; its end is not awaited.
PATIENCE = 0.2

CANCELLED = FAULTS["cancelled"]

# enum cpu_fault -> CUresult and what happened.
RESULTS = {
    FAULTS["illegal_address"]: (CUDA_ERROR_ILLEGAL_ADDRESS, "illegal memory access at 0x{address:x}{nearby}"),
    FAULTS["misaligned"]: (CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned memory access at 0x{address:x}"),
    FAULTS["trap"]: (CUDA_ERROR_LAUNCH_FAILED, "trap"),
    FAULTS["assert"]: (CUDA_ERROR_ASSERT, "device-side assert: {message}"),
    FAULTS["stack"]: (CUDA_ERROR_HARDWARE_STACK_ERROR, "stack overflow; cuCtxSetLimit(CU_LIMIT_STACK_SIZE) gives more"),
    FAULTS["barrier"]: (CUDA_ERROR_LAUNCH_FAILED, "every warp of the block waits at a barrier that none can release"),
    FAULTS["invalid_pc"]: (CUDA_ERROR_INVALID_PC, "indirect call to 0x{address:x}, which is no function"),
    FAULTS["check"]: (CUDA_ERROR_LAUNCH_FAILED, "a check has found something"),
    FAULTS["unsupported"]: (
        CUDA_ERROR_ILLEGAL_INSTRUCTION,
        "executed an instruction or service that the CPU device does not support: {message}",
    ),
}


def describe(context: Any, fault: Any) -> tuple[int, str]:
    """Return the CUresult of a fault and a sentence that names the kernel, the block and the location."""
    status, text = RESULTS.get(fault.kind, (CUDA_ERROR_LAUNCH_FAILED, f"fault {fault.kind}"))
    found = _found(context, fault)
    if found and not (fault.pc or fault.line or fault.message):  # the launch ran on, so that there is nothing else
        return status, "\n".join(found)
    problem = text.format(address=fault.address, nearby=address.nearby(fault.address), message=fault.message)
    if not fault.kernel:
        return status, f"{fault.message or 'work in a stream'}: {problem}"  # "a copy", "a fill"
    if fault.message and "{message}" not in text:
        problem += f": {fault.message}"
    last = f"kernel {fault.kernel!r}, block {fault.block}, warp {fault.warp}{_location(context, fault)}: {problem}"
    return status, "\n".join([*found, last])


def _found(context: Any, fault: Any) -> list[str]:
    """Record the findings of checks in a launch that has failed, and return their messages."""
    raw = _runtime.take_findings(fault.grid_id) if fault.grid_id else []
    if not raw:
        if fault.kernel and not fault.found:  # those found may be recorded already
            state.failed()
        return []
    function = _function(context, fault)
    found = state.findings_of(raw, fault.kernel, function.module.code if function else None)
    return [f"{each.checker}: {each.message}" for each in found]


def _location(context: Any, fault: Any) -> str:
    """Return the instruction of a fault, in PTX and in the source, as far as it is known."""
    known = f", PTX line {fault.line}" if fault.line else ""
    if not (fault.pc or fault.line):
        return known
    function = _function(context, fault)
    if function is None:
        return known
    try:
        found = function.module.code.locate(fault)
    except (ImportError, PtxError, RuntimeError, ValueError):  # no compiler, or another one's settings, by now
        return known
    return f", {found}" if found else known


def _function(context: Any, fault: Any) -> Any:
    """Return the kernel that a fault is of; None if its module is unloaded."""
    for module in list(context.modules):
        if ctypes.addressof(module.symbols) == fault.symbols:
            return module.functions.get(fault.kernel)
    return None


def collect(context: Any, queue: Any) -> None:
    """Turn a queue's fault into the context's sticky error; cancellation is no fault (see `check_interrupted`)."""
    generation = context.id
    state.collect()
    fault = queue.take_fault()
    if fault is None or context.error:
        return
    status, text = (0, "") if fault.kind == CANCELLED else describe(context, fault)
    if text and debug.core_is_wanted(generation):
        text += _dump(context, text)
    with context.lock:
        if context.id != generation or context.ending:
            return  # another thread resets the context, which clears its error
        if fault.kind == CANCELLED:
            context.interrupted = fault.kernel
            return
        context.fail(status, text)
    if on_fault is not None:
        on_fault(context.device.ordinal, status)
    for each in context.queues():
        each.cancel()


def _dump(context: Any, text: str) -> str:
    """Write a core dump of a fault, and return a line that names it, "" if there is none."""
    from cuda.cpu.debug import core

    name = core.write(text, [(each.start, each.size) for each in address.of_context(context)], context.id)
    return f"\nThe core dump is {name}: python -m cuda.cpu debug --core {name}" if name else ""


def collect_all(context: Any) -> None:
    for queue in context.queues():
        collect(context, queue)


def cancel(context: Any) -> None:
    """End whatever runs in the context and drop what is queued; the context stays usable."""
    queues = context.queues()
    for queue in queues:
        queue.cancel()
    for queue in queues:
        _drain(queue)
        collect(context, queue)


def _drain(queue: Any) -> None:
    """Wait for a queue that is cancelled, whatever signal handlers raise meanwhile: its work uses memory of callers."""
    raised = None
    while True:
        try:
            if queue.wait(SLICE):
                break
        except _runtime.QueueClosed:
            break
        except BaseException as error:
            if threading.current_thread() is not threading.main_thread():
                raise  # signal handlers run in the main thread alone
            raised = error
    if raised is not None:
        raise raised


def until(context: Any, is_done: Any, *, own: bool = False) -> None:
    """Call `is_done(seconds)` until it returns True.

    Ctrl-C ends the wait and with it what runs in the context. Another exception of a signal handler ends the wait
    alone, unless what is waited for uses the caller's memory (`own`), which may be gone afterwards.
    """
    try:
        while not is_done(SLICE):
            pass
    except _runtime.QueueClosed:
        raise
    except BaseException as error:
        if own or isinstance(error, KeyboardInterrupt):
            cancel(context)
        raise
    finally:
        _runtime.flush_printf()


def for_queues(context: Any, queues: Sequence[Any], *, own: bool = False, promised: bool = True) -> None:
    """Wait until the queues have run dry, then raise what went wrong in the context, now or before.

    `promised`: the API says that the call waits, so that programs may rely on it.
    """
    generation = context.id
    for queue in queues:
        if not queue.wait(0):
            until(context, queue.wait, own=own)
        collect(context, queue)
    if state.order is not None and promised:
        state.order.host_waited(queues)
    _runtime.flush_printf()
    context.check()
    if context.id != generation:
        raise CudaError(CUDA_ERROR_CONTEXT_IS_DESTROYED, "another thread has reset the context during the wait")
    check_interrupted(context, queues)


def check_interrupted(context: Any, queues: Sequence[Any]) -> None:
    """Raise if work of the queues was cancelled, which made its results incomplete: once, then they are as new."""
    interrupted = [queue for queue in queues if queue.take_interrupted()]
    if any(queue.is_closed() for queue in interrupted):
        raise CudaError(CUDA_ERROR_CONTEXT_IS_DESTROYED, "another thread has reset the context during the call")
    if interrupted:
        work = f"kernel {context.interrupted!r}" if context.interrupted else "work in a stream"
        context.interrupted = ""
        raise CudaError(
            CUDA_ERROR_ILLEGAL_STATE,
            f"{work} was cancelled by a wait that Ctrl-C or a signal ended, with all that was queued behind it: "
            "results are incomplete. This is said once; the stream takes new work",
        )


def report_failure(context: Any) -> None:
    """Print, when Python exits, what went wrong in a context if no call has returned it."""
    end = time.monotonic() + PATIENCE
    for queue in context.queues():
        if not context.error and not queue.is_idle():
            queue.wait(max(end - time.monotonic(), 0))
    collect_all(context)
    if context.error and not context.error_reported and sys.stderr is not None:
        name = next(name for name, value in vars(abi).items() if value == context.error and name.startswith("CUDA_ERR"))
        print(
            f"cuda.cpu: work failed that the program has not waited for: {name}: {context.error_text}", file=sys.stderr
        )
