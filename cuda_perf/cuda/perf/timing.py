# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Timing of plain functions: what `benchmarks/` needs for peers that are no kernels, such as C and NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

Side = TypeVar("Side")
Clock = Callable[[], float]


def timed(call: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Return the seconds of a call."""
    start = clock()
    call()
    return clock() - start


def repeated(call: Callable[[], object], times: int, clock: Clock = time.perf_counter) -> list[float]:
    """Return the seconds of some calls, after one that warms up."""
    call()
    return [timed(call, clock) for _ in range(times)]


def alternate(sides: Mapping[Side, Callable[[], float]], seconds: float, least: int = 5) -> dict[Side, list[float]]:
    """Call all sides in turn until the time is over, at least `least` times each; return what they returned.

    Sides that alternate meet the same disturbances of the machine, as in a duet run.
    """
    found: dict[Side, list[float]] = {name: [] for name in sides}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or min(map(len, found.values())) < least:
        for name, side in sides.items():
            found[name].append(side())
    return found
