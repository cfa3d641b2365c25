# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What checks and the profiler need of the driver: to wait for all launches, and to compile kernels again."""

from __future__ import annotations

import ctypes
import os

from cuda.cpu import at_exit, check
from cuda.cpu.check import state as checks
from cuda.cpu.counters import ranges, spans, state
from cuda.cpu.driver.base import address
from cuda.cpu.driver.code.function import functions
from cuda.cpu.driver.device import device, wait
from cuda.cpu.driver.device.context import contexts
from cuda.cpu.driver.memory import virtual_memory
from cuda.cpu.runtime import _runtime


def synchronize() -> None:
    """Wait until the queues of all contexts have run dry; faults stay with their contexts."""
    for context in list(contexts.values()):
        for queue in context.queues():
            if not queue.is_idle():
                wait.until(context, queue.wait)


def reload() -> None:
    """Compile all kernels again at their next launch."""
    for function in list(functions.values()):
        function.unload()


def collect_findings() -> None:
    """Record the findings of launches that have completed."""
    raw = _runtime.take_findings(0)
    modules = {
        ctypes.addressof(module.symbols): module
        for context in list(contexts.values())
        for module in list(context.modules)
    }
    for each in raw:
        module = modules.get(each.symbols)
        checks.findings_of([each], each.kernel, module.code if module else None)


def forget_after_fork() -> None:
    """Leave reports and findings to the parent, if this child of it cannot use the device."""
    state.forked = state.forked or device.is_started()
    checks.forget_after_fork()


def begin() -> None:
    """Make this known to checks and the profiler; if the whole program is profiled, let it report at the end."""
    checks.begin(checks.Driver(synchronize, reload, collect_findings, address.watch))
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
