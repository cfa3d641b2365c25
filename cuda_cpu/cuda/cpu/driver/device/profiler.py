# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiler control (cuProfilerStart): the part of a program that profiles and timelines record."""

from __future__ import annotations

from cuda.cpu.counters import ranges
from cuda.cpu.driver.device import context


def cuProfilerStart() -> None:
    context.current()
    ranges.start()


def cuProfilerStop() -> None:
    context.current()
    ranges.stop()
