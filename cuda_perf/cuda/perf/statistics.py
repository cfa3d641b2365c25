# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Estimates from samples, and tests whose errors are as stated although samples depend on each other.

Samples of a process share its memory layout and a moment of the machine: thousands of them are one observation of
these. So the unit of all tests is the process: the logarithm of a quantile of its samples. Where processes are
correlated in time, too, their number is reduced to that of independent ones with the same information. In duet runs,
base and new alternate within a process, and the unit is the difference.

Other processes only add to times of the host's clock: the undisturbed samples are the shortest. So the quantile is low
there; times of a GPU's events have no such errors, and their unit is the median.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from cuda.perf.model import Result

QUANTILES = {"host": 0.1, "events": 0.5, "graph": 0.5}  # by timer
LEAST_UNITS = 4  # with fewer processes, the variance between them is not known well enough for any verdict
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
    """Return the units of a duet run: the difference new - base of each process."""
    base, new = (_by_process(result, side) for side in ("base", "new"))
    return np.array([new[process] - base[process] for process in sorted(base.keys() & new.keys())])


def _by_process(result: Result, side: str) -> dict[int, float]:
    times: dict[int, list[float]] = {}
    quantile = 0.5
    for samples in sorted(result.samples, key=lambda each: each.process):
        if samples.side == side and samples.seconds:
            times.setdefault(samples.process, []).extend(samples.seconds)
            quantile = QUANTILES[samples.timer]
    return {process: math.log(float(np.quantile(each, quantile))) for process, each in times.items()}


def mean(values: Sequence[float] | np.ndarray, confidence: float = 0.95) -> Estimate:
    """Return the mean of units in the order of time, its confidence interval, and the p-value of a mean of 0."""
    array = np.asarray(values, float)
    value, variance, count = float(array.mean()), *_variance_of_mean(array)
    return _estimate(value, variance, count - 1, count, confidence)


def difference(base: np.ndarray, new: np.ndarray, confidence: float = 0.95) -> Estimate:
    """Return the difference of the means of two independent series of units, by Welch's test."""
    variance_base, count_base = _variance_of_mean(base)
    variance_new, count_new = _variance_of_mean(new)
    variance = variance_base + variance_new
    parts = variance_base**2 / max(count_base - 1, 1e-9) + variance_new**2 / max(count_new - 1, 1e-9)
    freedom = variance**2 / parts if parts else count_base + count_new - 2
    return _estimate(float(new.mean() - base.mean()), variance, freedom, min(count_base, count_new), confidence)


def _variance_of_mean(values: np.ndarray) -> tuple[float, float]:
    """Return the variance of the mean, and the number of independent values with the same information."""
    count = len(values)
    if count < 2:
        return math.inf, float(count)
    deviations = values - values.mean()
    total = float(deviations @ deviations)
    correlation = float(deviations[1:] @ deviations[:-1]) / total if total else 0.0
    correlation = min(max(correlation + 1 / count, 0.0), 0.9)  # its expectation is -1/count for independent values
    independent = max(count * (1 - correlation) / (1 + correlation), 2.0)
    return total / (count - 1) / independent, independent


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
    if method == "bh":
        from scipy.stats import false_discovery_control

        return false_discovery_control(values)
    order = np.argsort(values)
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted
