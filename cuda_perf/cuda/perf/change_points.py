# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the points of a history at which a benchmark's level changed.

Durations are compared by their logarithms, since noise grows with the duration. The steps:

1. Outliers are moved to the edge of what the neighbours allow (Hampel identifier: Davies and Gather, "The
   Identification of Multiple Outliers", JASA 88, 1993).
2. The scale of the noise is estimated around each value from differences of neighbours, which steps do not inflate
   (the MAD of first differences), so that a noisier period has a larger scale of its own.
3. Segments with the least sum of squared standardised deviations plus a penalty for each segment are found by optimal
   partitioning (Jackson et al., "An algorithm for optimal partitioning of data on an interval", IEEE SPL 12, 2005; the
   penalty is that of Yao, "Estimating the number of change-points via Schwarz' criterion", 1988, with a factor).
4. The weakest change is dropped until all are significant by Welch's t-test between the neighbouring segments, in which
   positively correlated values count as fewer values (Bayley and Hammersley, "The 'Effective' Number of Independent
   Observations in an Autocorrelated Time Series", 1946), and large enough to matter.

Where Apache Otava is installed, it proposes the segments of step 3 (`detector`); step 4 is the same.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

WINDOW = 7  # values around one that may be an outlier
FEWEST = 4  # values of a segment; fewer are too few for a test
NORMAL = 1.4826  # standard deviation of a normal distribution over its median absolute deviation
PENALTY = 4.0  # factor of log(n) for a change; two parameters of Yao's criterion would be 2
REACH = 20  # values on each side that tell the scale of the noise
OUTLIER = 3.5  # scales from the median of the neighbours


class Change(NamedTuple):
    """A change of level, between the values `position - 1` and `position`."""

    position: int
    before: float
    after: float
    low: float  # of the relative effect, with 99 % confidence
    high: float
    p: float

    @property
    def effect(self) -> float:
        """The relative change: 0.05 if the level rose by 5 %."""
        return self.after / self.before - 1 if self.before else math.inf


DETECTORS = ("auto", "otava", "scipy")


def change_points(
    values: Sequence[float], *, alpha: float = 0.001, least: float = 0.0, detector: str = "scipy"
) -> list[Change]:
    """Return the changes of level, in their order.

    Parameters
    ----------
    values : sequence of float
        Positive, in the order of their commits.
    alpha : float, optional
        A change must have a smaller p-value.
    least : float, optional
        A change must be larger, relative to the level before.
    detector : str, optional
        What proposes changes: "scipy", the partition above; "otava", Apache Otava; "auto", Otava if it is installed.

    Raises
    ------
    ImportError
        The detector is "otava", which is not installed.
    ValueError
        A value is not positive and finite; `exact_changes` is for counts.
    """
    data = np.asarray(values, dtype=float)
    if not np.all(np.isfinite(data) & (data > 0)):
        raise ValueError("change_points: all values must be positive and finite; use exact_changes for counts")
    if len(data) < 2 * FEWEST:
        return []
    logarithms = np.log(data)
    scale = _local_scale(logarithms)
    if not scale.any():
        return exact_changes(values)
    cleaned = _without_outliers(logarithms, scale)
    if uses_otava(detector):
        proposed = _by_otava(cleaned)
        if proposed is not None:
            return _significant(cleaned, proposed, alpha, least)
    return _significant(cleaned, _partition(cleaned, scale), alpha, least)


def uses_otava(detector: str) -> bool:
    """Return whether a detector of `DETECTORS` is Apache Otava.

    Raises
    ------
    ImportError
        It is asked for by name, and not installed.
    """
    installed = importlib.util.find_spec("otava") is not None
    if detector == "otava" and not installed:
        raise ImportError("Apache Otava is not installed: pip install --no-deps apache-otava")
    return detector != "scipy" and installed


def _by_otava(data: np.ndarray) -> list[int] | None:
    """Return the first positions of Otava's segments but the first; None if it fails.

    Otava 0.8.0 raises a ValueError without a message if two windows of a series find the same point.
    """
    from otava.analysis import compute_change_points

    try:
        found = sorted({int(each.index) for each in compute_change_points(np.exp(data).tolist())[0]})
    except ValueError:
        return None
    starts: list[int] = []
    for at in found:
        if at - (starts[-1] if starts else 0) >= FEWEST and len(data) - at >= FEWEST:
            starts.append(at)
    return starts


def exact_changes(values: Sequence[float]) -> list[Change]:
    """Return every change of values without noise, such as counts."""
    return [
        Change(index, old, new, effect, effect, 0.0)
        for index, (old, new) in enumerate(itertools.pairwise(values), 1)
        if old != new
        for effect in [new / old - 1 if old else math.inf]
    ]


def noise(values: Sequence[float]) -> float:
    """Return the relative noise of a history, by the MAD of differences: neither steps nor outliers inflate it."""
    if len(values) < 3:
        return 0.0
    differences = np.abs(np.diff(np.log(np.asarray(values, dtype=float))))
    return float(NORMAL * np.median(differences) / math.sqrt(2))


def _windows(data: np.ndarray, reach: int) -> np.ndarray:
    """Return the values around each one; at the ends, the data is mirrored."""
    reach = min(reach, len(data) - 1)
    return np.lib.stride_tricks.sliding_window_view(np.pad(data, reach, mode="reflect"), 2 * reach + 1)


def _local_scale(data: np.ndarray) -> np.ndarray:
    """Return the scale of the noise around each value, at least a third of that of the whole history."""
    differences = np.abs(np.diff(data)) * NORMAL / math.sqrt(2)
    local = np.median(_windows(differences, REACH), axis=1)
    at_values = np.maximum(np.append(local, local[-1]), np.insert(local, 0, local[0]))
    return np.maximum(at_values, np.median(differences) / 3)


def _without_outliers(data: np.ndarray, scale: np.ndarray) -> np.ndarray:
    middle = np.median(_windows(data, WINDOW // 2), axis=1)
    return np.clip(data, middle - OUTLIER * scale, middle + OUTLIER * scale)


def _partition(data: np.ndarray, scale: np.ndarray) -> list[int]:
    """Return the first positions of the segments but the first, of the best partition."""
    count = len(data)
    weights = 1 / np.maximum(scale, 1e-12) ** 2
    sums = [np.concatenate(([0.0], np.cumsum(each))) for each in (weights, weights * data, weights * data * data)]
    penalty = PENALTY * math.log(count)
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    origin = np.zeros(count + 1, dtype=int)
    for end in range(FEWEST, count + 1):
        weight, first, second = (total[end] - total[: end - FEWEST + 1] for total in sums)
        costs = best[: end - FEWEST + 1] + second - first * first / weight + penalty
        origin[end] = np.argmin(costs)
        best[end] = costs[origin[end]]
    found = []
    while count := origin[count]:
        found.append(int(count))
    return found[::-1]


def _significant(data: np.ndarray, starts: list[int], alpha: float, least: float) -> list[Change]:
    starts = list(starts)
    while starts:
        edges = [0, *starts, len(data)]
        shrink = _independent_share(data, edges)
        tested = [_test(data, edges[at : at + 3], shrink) for at in range(len(starts))]
        weakest = max(range(len(starts)), key=lambda at: (abs(tested[at].effect) < least, tested[at].p))
        if tested[weakest].p < alpha and abs(tested[weakest].effect) >= least:
            return tested
        del starts[weakest]
    return []


def _independent_share(data: np.ndarray, edges: list[int]) -> float:
    """Return how many independent values a value is worth, by the correlation of neighbours within segments."""
    residuals = [part - part.mean() for part in np.split(data, edges[1:-1])]
    squares = sum(float(part @ part) for part in residuals)
    products = sum(float(part[1:] @ part[:-1]) for part in residuals)
    # Estimates from n values are too low by (1 + 3 r) / n (Kendall and Stuart), here per segment.
    correlation = products / squares + len(residuals) / len(data) if squares else 0.0
    certain = 1.64 / math.sqrt(len(data))  # below this, uncorrelated values look alike
    correlation = min(max(correlation, 0.0), 0.9) if correlation > certain else 0.0
    return (1 - correlation) / (1 + correlation)


def _test(data: np.ndarray, edges: list[int], share: float) -> Change:
    """Compare two neighbouring segments by Welch's t-test."""
    stats = _stats()
    first, middle, end = edges
    parts = data[first:middle], data[middle:end]
    numbers = [max(len(part) * share, 2.0) for part in parts]
    errors = [max(float(part.var(ddof=1)), 1e-24) / number for part, number in zip(parts, numbers, strict=True)]
    error = math.sqrt(sum(errors))
    freedom = sum(errors) ** 2 / sum(each**2 / (number - 1) for each, number in zip(errors, numbers, strict=True))
    means = [float(part.mean()) for part in parts]
    p = float(2 * stats.t.sf(abs(means[1] - means[0]) / error, freedom))
    margin = float(stats.t.ppf(0.995, freedom)) * error
    levels = [float(np.median(part)) for part in parts]
    difference = levels[1] - levels[0]
    before, after = (math.exp(level) for level in levels)
    return Change(middle, before, after, math.expm1(difference - margin), math.expm1(difference + margin), p)


def _stats() -> Any:
    import scipy.stats  # 0.5 s, which other commands need not pay

    return scipy.stats
