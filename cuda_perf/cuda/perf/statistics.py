# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Estimates from samples, and tests whose errors are as stated although samples depend on each other.

Samples of a process share its memory layout and a moment of the machine: thousands of them are one observation of
these. So the unit of all tests is the process: the logarithm of a quantile of its samples. Where processes are
correlated in time, too, their number is reduced to that of independent ones with the same information. In duet runs,
base and new alternate within a process, and the unit is the median difference of neighbouring blocks, which the machine
disturbs alike.

Other processes only add to times of the host's clock, and a little to processor time, as they share its caches: the
undisturbed samples are the shortest. So the quantile is low there; times of a GPU's events have no such errors, and
their unit is the median.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from cuda.perf.model import Result

QUANTILES = {"host": 0.05, "cpu": 0.05, "events": 0.5, "graph": 0.5}  # by timer
LEAST_UNITS = 4  # with fewer processes, the variance between them is not known well enough for any verdict
TRIMMED, LEAST_TRIMMED = 0.2, 8  # share of units that is cut off at each end, if there are as many as this
MOST_UNITS = 1000  # that `units_needed` returns


@dataclass
class Estimate:
    """The logarithm of a ratio, with the half-width of its confidence interval and the p-value of "no difference"."""

    value: float
    half_width: float
    p: float
    units: float  # independent observations

    @property
    def ratio(self) -> float:
        return math.exp(self.value)

    @property
    def low(self) -> float:
        return math.exp(self.value - self.half_width)

    @property
    def high(self) -> float:
        return math.exp(self.value + self.half_width)


def units(result: Result, side: str = "") -> np.ndarray:
    """Return the unit of each process, the logarithm of seconds, in the order of time."""
    return np.array(list(_by_process(result, side).values()))


def paired_units(result: Result) -> np.ndarray:
    """Return the units of a duet run: for each process, the median difference new - base of neighbouring blocks."""
    blocks: dict[int, list[tuple[int, str, float]]] = {}
    for each in result.samples:
        if each.seconds:
            value = math.log(_quantile(each.seconds, QUANTILES[each.timer]))
            blocks.setdefault(each.process, []).append((each.block, each.side, value))
    found = []
    for _, taken in sorted(blocks.items()):
        taken.sort()
        pairs = [
            after[2] - before[2] if after[1] == "new" else before[2] - after[2]
            for before, after in zip(taken[::2], taken[1::2], strict=False)
            if before[1] != after[1]
        ]
        if pairs:
            found.append(_quantile(pairs, 0.5))
    return np.array(found)


def _by_process(result: Result, side: str) -> dict[int, float]:
    times: dict[int, list[float]] = {}
    quantile = 0.5
    for samples in sorted(result.samples, key=lambda each: each.process):
        if samples.side == side and samples.seconds:
            times.setdefault(samples.process, []).extend(samples.seconds)
            quantile = QUANTILES[samples.timer]
    return {process: math.log(_quantile(each, quantile)) for process, each in times.items()}


def _quantile(values: list[float], share: float) -> float:
    """Return what numpy.quantile returns, at a tenth of its cost for short lists."""
    ordered, position = sorted(values), share * (len(values) - 1)
    low = int(position)
    return ordered[low] + (position - low) * (ordered[min(low + 1, len(values) - 1)] - ordered[low])


def mean(values: Sequence[float] | np.ndarray, confidence: float = 0.95) -> Estimate:
    """Return the mean of units in the order of time, its confidence interval, and the p-value of a mean of 0.

    From `LEAST_TRIMMED` units on, it is the trimmed mean with Yuen's test, which a few disturbed processes do not move.
    """
    found = _trimmed_mean(np.asarray(values, float))
    return _estimate(found.value, found.variance, found.freedom, found.units, confidence)


def difference(base: np.ndarray, new: np.ndarray, confidence: float = 0.95) -> Estimate:
    """Return the difference of the means of two independent series of units, by Welch's test or, trimmed, Yuen's."""
    sides = _trimmed_mean(base), _trimmed_mean(new)
    variance = sum(each.variance for each in sides)
    parts = sum(each.variance**2 / max(each.freedom, 1e-9) for each in sides)
    freedom = variance**2 / parts if parts else sum(each.freedom for each in sides)
    count = min(each.units for each in sides)
    return _estimate(sides[1].value - sides[0].value, variance, freedom, count, confidence)


class _Mean(NamedTuple):
    value: float
    variance: float  # of the mean
    freedom: float
    units: float  # independent values


def _trimmed_mean(values: np.ndarray) -> _Mean:
    """Return the trimmed mean with its variance from the winsorised values (Yuen 1974, Biometrika 61)."""
    count = len(values)
    if count < 2:
        return _Mean(float(values.mean()), math.inf, 0.0, float(count))
    cut = int(TRIMMED * count) if count >= LEAST_TRIMMED else 0
    ordered = np.sort(values)
    used = np.clip(values, ordered[cut], ordered[count - 1 - cut])
    left, share = count - 2 * cut, _independent(used)
    variance = float(used.var()) * count / (left - 1) / (left * share)
    return _Mean(float(ordered[cut : count - cut].mean()), variance, max(left * share - 1, 1.0), count * share)


def _independent(values: np.ndarray) -> float:
    """Return the share of independent values that have the same information on the mean, by the lag-1 correlation."""
    deviations, count = values - values.mean(), len(values)
    total = float(deviations @ deviations)
    correlation = float(deviations[1:] @ deviations[:-1]) / total if total else 0.0
    correlation = min(max(correlation + 1 / count, 0.0), 0.9)  # its expectation is -1/count for independent values
    return max((1 - correlation) / (1 + correlation), 2 / count)


def _estimate(value: float, variance: float, freedom: float, count: float, confidence: float) -> Estimate:
    if not math.isfinite(variance) or freedom <= 0:
        return Estimate(value, math.inf, 1.0, count)
    error = math.sqrt(variance)
    if error == 0:
        return Estimate(value, 0.0, 1.0 if value == 0 else 0.0, count)
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return Estimate(value, half, 2 * float(stdtr(freedom, -abs(value) / error)), count)


def units_needed(estimate: Estimate, width: float) -> int:
    """Return how many units probably make the half-width at most `width`."""
    if not math.isfinite(estimate.half_width):
        return LEAST_UNITS
    return min(math.ceil(estimate.units * (estimate.half_width / width) ** 2), MOST_UNITS)


def adjust(p: Sequence[float], method: str) -> np.ndarray:
    """Return p-values that are corrected for their number: "bh" (Benjamini-Hochberg), "holm" or "none"."""
    values = np.asarray(p, float)
    if method == "none" or not len(values):
        return values
    order, count = np.argsort(values), len(values)
    adjusted = np.empty(count)
    if method == "bh":  # scipy.stats.false_discovery_control is the same, but takes a second to import
        stepped = np.minimum.accumulate((values[order] * count / np.arange(1, count + 1))[::-1])[::-1]
    else:
        stepped = np.maximum.accumulate(values[order] * np.arange(count, 0, -1))
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted
