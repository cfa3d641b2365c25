# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find suspected regressions in a history, and confirm them by new measurements before anyone is told."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cuda.perf import change_points
from cuda.perf.history import SECONDS, History, Point, Series

RECENT = 30  # values; older changes are history, not news
LONGEST = 400  # values that are examined
LIMIT = 4.0  # scales of the learned noise by which the latest value differs from the level before
FEWEST = 10  # values before the latest one that tell the noise
# Metrics of which more is better; of all others, such as times and sectors, less is better.
MORE_IS_BETTER = ("occupancy", "arithmetic_intensity", "pct", "per_inst_executed.ratio")


class Suspect(NamedTuple):
    """A change for the worse that may be real."""

    series: Series
    revision: str  # the first commit with the new value
    last_good: str  # the commit before
    before: float
    after: float
    noise: float  # relative, learned from the history
    certain: bool  # an exact count: needs no confirmation
    reason: str
    runs: tuple[int, int] = (0, 0)  # of the history: the last good and the first bad one

    @property
    def effect(self) -> float:
        return self.after / self.before - 1 if self.before else math.inf

    @property
    def limit(self) -> float:
        """The value from which on a new measurement confirms the change: half of it."""
        return math.sqrt(self.before * self.after) if self.before > 0 else self.after / 2


def worse(metric: str, before: float, after: float) -> bool:
    """Return whether a change is one for the worse."""
    return (after < before) if any(part in metric for part in MORE_IS_BETTER) else (after > before)


def find(history: History, series: Series, least: float = 0.0, detector: str = "scipy") -> Iterator[Suspect]:
    """Yield the suspected regressions among the latest values of a series that no verdict exists for."""
    points = history.points(series)[-LONGEST:]
    found = _counted(series, points) if series.metric != SECONDS else _timed(series, points, least, detector)
    for suspect in found:
        if worse(series.metric, suspect.before, suspect.after) and not history.verdict(series, suspect.revision):
            yield suspect


def _counted(series: Series, points: list[Point]) -> Iterator[Suspect]:
    for change in change_points.exact_changes([point.value for point in points]):
        if change.position >= len(points) - RECENT:
            reason = "an exact count changed"
            yield _suspect(series, points, change.position, change.before, change.after, 0.0, True, reason)


def _timed(series: Series, points: list[Point], least: float, detector: str) -> Iterator[Suspect]:
    values = [point.value for point in points]
    changes = change_points.change_points(values, least=least, detector=detector)
    noise = change_points.noise(values)
    for change in changes:
        if change.position >= len(points) - RECENT:
            reason = f"change point, p = {change.p:.2g}, {change.low:+.1%} to {change.high:+.1%}"
            yield _suspect(series, points, change.position, change.before, change.after, noise, False, reason)
    level = values[changes[-1].position if changes else 0 : -1]
    if len(level) < FEWEST or not noise:
        return
    before = statistics.median(level)
    distance = math.log(values[-1] / before) / noise
    if distance > LIMIT and values[-1] / before - 1 >= least:
        reason = f"the latest value is {distance:.1f} times the usual noise above the level"
        yield _suspect(series, points, len(points) - 1, before, values[-1], noise, False, reason)


def _suspect(series: Series, points: list[Point], index: int, before: float, after: float, noise: float,
             certain: bool, reason: str) -> Suspect:  # fmt: skip
    first, last = points[index].revision, points[index - 1].revision
    runs = points[index - 1].run, points[index].run
    return Suspect(series, first, last, before, after, noise, certain, reason, runs)


def confirm(suspect: Suspect, measure: Callable[[Suspect], list[float]]) -> tuple[bool, str]:
    """Return whether new measurements confirm a suspect, and why.

    Parameters
    ----------
    suspect : Suspect
        Exact counts are confirmed without a measurement.
    measure : callable
        Returns the medians of new runs of the benchmark. Confirmed if the median of them is nearer to the new level.
    """
    if suspect.certain:
        return True, "exact count: certain without another run"
    values = measure(suspect)
    if not values:
        return False, "the new runs gave no value"
    middle = statistics.median(values)
    confirmed = worse(suspect.series.metric, suspect.limit, middle)
    return confirmed, f"median of {len(values)} new runs {middle:.4g}, limit {suspect.limit:.4g}"
