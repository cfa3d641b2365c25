# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The part of a program that `python -m cuda.cpu profile` and `timeline` record: cuProfilerStart, cuProfilerStop."""

from __future__ import annotations

from cuda.cpu.counters import host_spans, spans, state
from cuda.cpu.runtime import _runtime


def start() -> None:
    """Record from here on; without effect in a program that was not started for that."""
    if state.session and not state.active:
        state.wait()
        state.switch(True, state.kernels())
    if spans.session and not spans.active:
        state.wait()
        record(True)


def stop() -> None:
    """Wait for all launches, and record no more until the next start."""
    if state.session and state.active:
        state.wait()
        state.switch(False, state.kernels())
    if spans.session and spans.active:
        state.wait()
        record(False)


def record(on: bool) -> None:
    """Begin or end to record a timeline."""
    spans.active = on
    _runtime.timeline_switch(on)
    host_spans.switch(on)
