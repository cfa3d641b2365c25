# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What checks and the profiler need of the driver: to wait for all launches, and to compile kernels again."""

from __future__ import annotations

import ctypes
import math
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from cuda.cpu import at_exit, check
from cuda.cpu.check import state as checks
from cuda.cpu.counters import ranges, spans, state
from cuda.cpu.driver.base import address
from cuda.cpu.driver.code.function import functions
from cuda.cpu.driver.device import device, wait
from cuda.cpu.driver.device.context import contexts
from cuda.cpu.driver.memory import virtual_memory
from cuda.cpu.driver.stream import stream
from cuda.cpu.runtime import _runtime

PATIENCE = 10.0  # seconds that work may run on after the end of the program; without checks it is ended at once
LAST_PATIENCE = 2.0  # seconds that it then has to end, as at the end of programs without checks


def _queues() -> Iterator[tuple[Any, Any]]:
    """Yield each context with each of its queues."""
    for context in list(contexts.values()):
        for queue in context.queues():
            yield context, queue


def synchronize(seconds: float = math.inf) -> bool:
    """Wait until the queues of all contexts have run dry, at most for a time; faults stay with their contexts.

    Return whether they have.
    """
    end = time.monotonic() + seconds
    for context, queue in _queues():
        if not queue.is_idle():
            wait.until(context, lambda step, queue=queue: queue.wait(step) or time.monotonic() > end)
    return time.monotonic() <= end or is_idle()


def finish() -> None:
    """When the program ends, wait for work that it has not waited for, before it is reported; end what never ends."""
    if synchronize(PATIENCE):
        return
    print(f"cuda.cpu: work still runs {PATIENCE:g} s after the end of the program; it ends now", file=sys.stderr)
    for _, queue in _queues():
        queue.cancel()
    synchronize(LAST_PATIENCE)


def reload() -> None:
    """Compile all kernels again at their next launch."""
    for function in list(functions.values()):
        function.unload()


def collect_findings() -> None:
    """Record the findings of launches that have completed."""
    raw = _runtime.take_findings(0)
    known = programs()
    for each in raw:
        checks.findings_of([each], each.kernel, known.get(each.symbols))


def programs() -> dict[int, Any]:
    """Return the programs of all loaded modules, by the addresses of their symbols."""
    return {
        ctypes.addressof(module.symbols): module.code
        for context in list(contexts.values())
        for module in list(getattr(context, "modules", ()))  # green contexts have those of their base
    }


def is_idle() -> bool:
    """Return whether all launches have ended."""
    return all(queue.is_idle() for _, queue in _queues())


def stream_name(queue: Any) -> str:
    """Return a name for the stream of a queue, with the line that has created it."""
    for context in list(contexts.values()):
        for each in list(context.streams):
            if each.queue is queue:
                return _name_of(each)
    return "a stream"


def _name_of(of: stream.Stream) -> str:
    if of.legacy:
        return "the default stream"
    if of.handle == stream.PER_THREAD:
        return "the per-thread default stream"
    created = checks.stacks().handles.find(of.handle)
    where = f" (created at {os.path.basename(created[0].file)}:{created[0].line})" if created else ""
    return f"stream {of.id}{where}"


def memory_at(where: int) -> tuple[str, int, int]:
    """Return ", byte 0 of the allocation that ..." for an address, and address and size of that allocation."""
    record = address.find(where)
    if record is None:
        return "", 0, 0
    allocation = f"the allocation of {record.size} bytes at 0x{record.start:x} made by {record.origin}"
    return f", byte {where - record.start} of {allocation}", record.start, record.size


def forget_after_fork() -> None:
    """Leave reports and findings to the parent, if this child of it cannot use the device."""
    state.forked = state.forked or device.is_started()
    checks.forget_after_fork()


def begin() -> None:
    """Make this known to checks and the profiler; if the whole program is profiled, let it report at the end."""
    checks.begin(
        checks.Driver(
            synchronize, finish, reload, collect_findings, address.watch, is_idle, programs, stream_name, memory_at
        )
    )
    if checks.active and check.wants_leaks():
        at_exit.register(virtual_memory.report_leaks)
    state.driver = state.Driver(synchronize, reload)
    if state.session:
        state.begin()
        at_exit.register(state.report)
    if spans.session:
        os.environ.setdefault(state.PROCESS, str(os.getpid()))
        ranges.record(spans.active)
        at_exit.register(state.report_timeline)
    if state.session or spans.session:
        at_exit.register(finish)  # after the reports, so that it runs before
