# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the candidate (commit, version, option) with which a value changed, by exact counts or by noisy times.

Exact counts need a plain bisection. Noisy values need a search that can revise itself: it keeps the probability of each
candidate, measures where the probabilities before and after are equal, and updates them by Bayes' rule (Horstein,
"Sequential transmission using noiseless feedback", 1963; Burnashev and Zigangirov, "An interval estimation problem for
controlled observations", 1974; Waeber, Frazier, Henderson, "Bisection search with noisy responses", 2013). It ends when
one candidate is as probable as asked for.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from cuda.perf.errors import CommandError

NORMAL = 1.4826  # standard deviation of a normal distribution over its median absolute deviation
FREEDOM = 4  # of Student's distribution, whose tails allow for outliers
MISLEADING = 1e-3  # probability that all measurements of a candidate mislead, as by another layout of its code
LEAST_ERROR = 4 * MISLEADING
FEWEST, MOST = 6, 100  # measurements of each end
ENOUGH = 10.0  # evidence of one candidate after which more of it changes nothing
PRECISION = 0.15  # standard error of the difference of the ends, over the difference
SEPARATION = 0.3  # least difference of the ends, over the noise of one measurement


class BisectionError(CommandError):
    """A search that cannot begin; the message says why."""


class Skip(Exception):
    """Raised by `measure`: the candidate cannot be measured, for instance because it does not build."""


@dataclass
class Outcome:
    """The result of a search among candidates 0 (known as good) to n (known as bad)."""

    first: int  # the culprit is one of the candidates `first` to `last`: one, unless some could not be measured
    last: int
    probability: float
    values: dict[int, list[float]] = field(default_factory=dict)  # candidate -> its measurements
    visits: int = 0  # how often another candidate was prepared: checkouts and builds
    exact: bool = False

    @property
    def measurements(self) -> int:
        return sum(map(len, self.values.values()))

    def level(self, candidate: int) -> float:
        """Return the median of a candidate's measurements."""
        return statistics.median(self.values[candidate])


Measure = Callable[[int], float]


class _Recorder:
    """Calls `measure`, keeps the values, counts visits, remembers which candidates cannot be measured."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self.values: dict[int, list[float]] = {}
        self.skipped: set[int] = set()
        self.visits, self._last = 0, -1

    def __call__(self, candidate: int) -> float | None:
        self.visits += candidate != self._last
        self._last = candidate
        try:
            value = float(self._measure(candidate))
        except Skip:
            self.skipped.add(candidate)
            return None
        self.values.setdefault(candidate, []).append(value)
        return value

    def end(self, candidate: int, name: str) -> float:
        value = self(candidate)
        if value is None or not math.isfinite(value):
            raise BisectionError(f"the {name} end cannot be measured")
        return value


def exact(last: int, measure: Measure) -> Outcome:
    """Search with values without noise: log2(n) + 2 measurements.

    A candidate is bad if its value is nearer to that of the bad end. If several candidates changed the value, the one
    found crosses the middle.

    Raises
    ------
    BisectionError
        The ends have the same value.
    """
    record = _Recorder(measure)
    good, bad = record.end(0, "good"), record.end(last, "bad")
    if good == bad:
        raise BisectionError(f"both ends have the value {good:g}: there is nothing to search for")
    low, high = 0, last  # good, bad
    while inside := [each for each in range(low + 1, high) if each not in record.skipped]:
        middle = min(inside, key=lambda each: abs(2 * each - low - high))
        value = record(middle)
        if value is not None and abs(value - bad) < abs(value - good):
            high = middle
        elif value is not None:
            low = middle
    return Outcome(low + 1, high, 1.0, record.values, record.visits, exact=True)


def noisy(last: int, measure: Measure, *, error: float = 0.005, batch: int = 3, most: int = 2000) -> Outcome:
    """Search with noisy values until the culprit is found with a probability of `1 - error`.

    Parameters
    ----------
    last : int
        The bad end; 0 is the good one.
    measure : callable
        Returns a value of a candidate, or raises `Skip`.
    error : float
        Probability of a wrong answer. It holds if values of the same code vary alike at all candidates, and one
        candidate changed them.
    batch : int
        Measurements at each visit of a candidate.
    most : int
        Measurements after which the search ends undecided, with the most probable candidate.

    Raises
    ------
    BisectionError
        The ends cannot be told apart by a reasonable number of measurements, or `error` is too small.
    """
    if not LEAST_ERROR <= error < 0.5:
        raise BisectionError(f"an error rate of {error:g} cannot be reached: give {LEAST_ERROR:g} to 0.5")
    record = _Recorder(measure)
    good, bad, scale = _calibrate(record, last)
    weights: dict[int, float] = {}  # log of the evidence that a candidate is bad
    while True:
        groups, shares = _posterior(last, weights, record.skipped)
        best = max(range(len(groups)), key=shares.__getitem__)
        spent = sum(map(len, record.values.values()))
        if shares[best] >= 1 - error or spent >= most:
            first, end = groups[best]
            return Outcome(first, end, shares[best], record.values, record.visits)
        # The end of a group can be measured. Choose the one where the probability of being bad is nearest to a half, of
        # those about which more measurements can tell more.
        bad_at = dict(zip((end for _, end in groups[:-1]), itertools.accumulate(shares), strict=False))
        useful = [each for each in bad_at if abs(weights.get(each, 0.0)) < ENOUGH] or list(bad_at)
        candidate = min(useful, key=lambda each: abs(bad_at[each] - 0.5))
        if all(record(candidate) is not None for _ in range(batch)):
            good, bad = (_level(record, side) for side in _sides(bad_at, last))
            weights = {each: sum(_evidence(value, good, bad, scale) for value in record.values.get(each, ()))
                       for each in bad_at}  # fmt: skip


def _calibrate(record: _Recorder, last: int) -> tuple[float, float, float]:
    """Return the levels of both ends and the scale of the noise."""
    while True:
        for _ in range(FEWEST):
            record.end(0, "good")
        for _ in range(FEWEST):
            record.end(last, "bad")
        ends = record.values[0], record.values[last]
        good, bad = map(statistics.median, ends)
        residuals = [abs(value - middle) for values, middle in zip(ends, (good, bad), strict=True) for value in values]
        number = len(ends[0])
        # Medians of few values lie near them, so that residuals are too small: one degree of freedom for each end.
        scale = NORMAL * statistics.median(residuals) * math.sqrt(number / (number - 1))
        difference = abs(bad - good)
        if difference and scale * math.sqrt(math.pi / number) <= PRECISION * difference:  # of two medians
            return good, bad, max(scale, difference * 1e-3)
        if number >= MOST:
            if difference > SEPARATION * scale:
                return good, bad, scale
            raise BisectionError(
                f"the ends cannot be told apart: {good:.6g} and {bad:.6g}, noise {scale:.3g}, after {2 * number} "
                "measurements; use exact counts, or measure longer"
            )


def _sides(bad_at: dict[int, float], last: int) -> tuple[list[int], list[int]]:
    """Return the candidates that are good, and those that are bad, beyond doubt: they tell the levels better."""
    good = [each for each, share in bad_at.items() if share < MISLEADING]
    bad = [each for each, share in bad_at.items() if share > 1 - MISLEADING]
    return [0, *good], [*bad, last]


def _level(record: _Recorder, candidates: list[int]) -> float:
    return statistics.median([value for each in candidates for value in record.values.get(each, ())])


def _evidence(value: float, good: float, bad: float, scale: float) -> float:
    """Return the log of how much more probable a value is at the bad level than at the good one."""
    distances = ((value - level) / scale for level in (good, bad))
    logs = [math.log1p(distance * distance / FREEDOM) for distance in distances]
    return (FREEDOM + 1) / 2 * (logs[0] - logs[1])


def _posterior(last: int, weights: dict[int, float], skipped: set[int]) -> tuple[list[tuple[int, int]], list[float]]:
    """Return groups of candidates that no measurement can separate, and the probability of each."""
    measurable = [each for each in range(1, last) if each not in skipped] + [last]
    groups = list(zip([1, *(each + 1 for each in measurable)], measurable, strict=False))
    # If the culprit is in group g, the candidates at the ends of the groups before it are good, the others bad.
    capped = [_capped(weights.get(each, 0.0)) for each in measurable[:-1]]
    logs, total = [], sum(capped)
    for at, (first, end) in enumerate(groups):
        logs.append(total + math.log(end - first + 1))
        total -= capped[at] if at < len(capped) else 0
    top = max(logs)
    shares = [math.exp(each - top) for each in logs]
    return groups, [each / sum(shares) for each in shares]


def _capped(weight: float) -> float:
    """Limit the evidence of one candidate, all of whose measurements may mislead."""
    weight = min(max(weight, -700.0), 700.0)
    odds = math.exp(weight)
    return math.log(((1 - MISLEADING) * odds + MISLEADING) / (MISLEADING * odds + 1 - MISLEADING))
