# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compare two runs: a verdict per benchmark, from its times and from its exact counters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from cuda.perf import statistics
from cuda.perf.model import Counters, Result, Run, Samples, Status
from cuda.perf.statistics import Estimate


class Verdict(StrEnum):
    """How the new times relate to those of the base."""

    FASTER = "faster"
    SLOWER = "slower"
    UNCHANGED = "unchanged"  # the confidence interval is within the threshold
    UNDECIDED = "undecided"
    NOT_COMPARED = "not compared"  # one side has no times; the reason says why


@dataclass
class Options:
    threshold: float = 0.01  # smaller changes do not matter
    level: float = 0.01  # share of false alarms: of the benchmarks that are called different ("bh")
    correction: str = "bh"
    counters_only: bool = False


@dataclass
class CounterChange:
    name: str
    base: int
    new: int
    location: str = ""  # kernel, file and line; "" for the sum over the kernels


@dataclass
class Comparison:
    """A benchmark in both runs. `ratio` is new / base with a confidence interval: above 1, new is slower."""

    key: str
    verdict: Verdict = Verdict.NOT_COMPARED
    reason: str = ""
    base_seconds: float = math.nan
    new_seconds: float = math.nan
    estimate: Estimate | None = None
    p_adjusted: float = 1.0
    seconds_needed: float | None = None  # of an undecided one: time that probably decides, per side
    counters: list[CounterChange] | None = None  # None: not counted on both sides
    owner: str = ""
    problem: bool = False  # new failed, or is missing


@dataclass
class Report:
    base: str
    new: str
    options: Options
    comparisons: list[Comparison] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def with_verdict(self, verdict: Verdict) -> list[Comparison]:
        return [each for each in self.comparisons if each.verdict == verdict]

    @property
    def regressions(self) -> list[Comparison]:
        """Those for which the comparison fails: slower, failing, or, if only counters count, with other counts."""
        gated = self.options.counters_only
        return [
            each
            for each in self.comparisons
            if each.problem or each.verdict == Verdict.SLOWER or (gated and each.counters)
        ]


def compare(base: Run, new: Run, options: Options | None = None, names: tuple[str, str] = ("base", "new")) -> Report:
    """Compare runs of one machine, each benchmark by its key."""
    options = options or Options()
    report = Report(*names, options, warnings=list(_warnings(base, new, names)))
    before, after = base.by_key(), new.by_key()
    for key in sorted(before.keys() | after.keys()):
        report.comparisons.append(_compare(key, before.get(key), after.get(key), options))
    decide(report)
    return report


def compare_duet(run: Run, options: Options | None = None) -> Report:
    """Compare the sides of a duet run."""
    options = options or Options()
    report = Report("base", "new", options)
    for result in sorted(run.results, key=lambda each: each.key):
        comparison = Comparison(result.key, owner=result.owner)
        if result.status != Status.OK:
            comparison.reason = f"{result.status}: {result.message}" if result.message else str(result.status)
            comparison.problem = result.status != Status.SKIPPED
        else:
            values = statistics.paired_units(result)
            _fill(comparison, result, result, (statistics.units(result, "base"), statistics.units(result, "new")))
            if len(values):
                comparison.estimate = statistics.mean(values, 1 - options.level)
            _limit(comparison, len(values))
        report.comparisons.append(comparison)
    decide(report)
    return report


def _warnings(base: Run, new: Run, names: tuple[str, str]) -> Iterable[str]:
    for run, name in ((base, names[0]), (new, names[1])):
        if not run.complete:
            yield f"{name} was interrupted; it has the results up to then"
    for title, attribute in (("driver", "driver"), ("compiler", "compiler"), ("Python", "python")):
        values = getattr(base.environment, attribute), getattr(new.environment, attribute)
        if values[0] != values[1]:
            yield f"the {title} differs: {values[0] or 'unknown'}, {values[1] or 'unknown'}"


def _compare(key: str, base: Result | None, new: Result | None, options: Options) -> Comparison:
    comparison = Comparison(key, owner=(new or base or Result("")).owner)
    for result, name in ((base, "base"), (new, "new")):
        if result is None:
            comparison.reason = f"missing in {name}"
        elif result.status != Status.OK:
            comparison.reason = f"{name}: {result.status}" + (f": {result.message}" if result.message else "")
    if comparison.reason:
        missing = new is None and base is not None and base.status == Status.OK
        comparison.problem = missing or (new is not None and new.status not in (Status.OK, Status.SKIPPED))
    if base is None or new is None or comparison.reason:
        return comparison
    comparison.counters = changes(base.counters, new.counters)
    if not options.counters_only:
        values = statistics.units(base), statistics.units(new)
        _fill(comparison, base, new, values)
        if all(map(len, values)):
            comparison.estimate = statistics.difference(*values, 1 - options.level)
            _limit(comparison, min(map(len, values)))
            if not comparison.reason:
                comparison.reason = _other_timer(base.samples, new.samples) or _other_load(base.samples, new.samples)
        else:
            comparison.reason = "no samples"
    return comparison


def _fill(comparison: Comparison, base: Result, new: Result, values: tuple[np.ndarray, np.ndarray]) -> None:
    if all(map(len, values)):
        comparison.base_seconds, comparison.new_seconds = (float(np.exp(each.mean())) for each in values)
        walls = [each.wall or sum(each.seconds) * each.batch for each in (*base.samples, *new.samples)]
        comparison.seconds_needed = sum(walls) / (len(values[0]) + len(values[1]))  # per process, as yet


def _limit(comparison: Comparison, count: int) -> None:
    if count < statistics.LEAST_UNITS:
        comparison.reason = (
            f"{count} processes on a side; at least {statistics.LEAST_UNITS} show how much processes differ"
        )


BUSIER = 0.25  # cores: a difference of the load for which times are not comparable


def _other_timer(base: list[Samples], new: list[Samples]) -> str:
    before, after = (", ".join(sorted({each.timer for each in samples})) for samples in (base, new))
    return "" if before == after else f"times of another timer: {before} in base, {after} in new"


def _other_load(base: list[Samples], new: list[Samples]) -> str:
    loads = [[each.noise.others for each in samples if each.noise.others is not None] for samples in (base, new)]
    if not all(loads):
        return ""
    before, after = (float(np.median(each)) for each in loads)
    if abs(after - before) < BUSIER:
        return ""
    return f"other processes used {before:.2f} cores in base, {after:.2f} in new; repeat, or use --duet"


def decide(report: Report) -> None:
    """Fill in the verdicts; the p-values are corrected for the number of benchmarks."""
    options = report.options
    tested = [each for each in report.comparisons if each.estimate is not None]
    adjusted = statistics.adjust([each.estimate.p for each in tested if each.estimate], options.correction)
    width = math.log1p(options.threshold)
    for each, p in zip(tested, adjusted, strict=True):
        estimate, per_unit = each.estimate, each.seconds_needed or 0
        assert estimate is not None
        each.p_adjusted, each.seconds_needed = float(p), None
        inside = abs(estimate.value) + estimate.half_width <= width
        if each.reason:
            each.verdict = Verdict.UNDECIDED
        elif p < options.level and abs(estimate.value) >= width:
            each.verdict = Verdict.SLOWER if estimate.value > 0 else Verdict.FASTER
        else:
            each.verdict = Verdict.UNCHANGED if inside else Verdict.UNDECIDED
        if each.verdict == Verdict.UNDECIDED:
            margin = max(abs(width - abs(estimate.value)), width / 2)
            each.seconds_needed = statistics.units_needed(estimate, margin) * per_unit


def changes(base: Counters | None, new: Counters | None) -> list[CounterChange] | None:
    """Return the counters that differ, sums first; None if a side was not counted."""
    if base is None or new is None:
        return None
    found = [
        CounterChange(name, base.metrics.get(name, 0), new.metrics.get(name, 0))
        for name in dict.fromkeys([*base.metrics, *new.metrics])
    ]
    texts = [{(each.kernel, each.file, each.line): each.counts for each in counters.lines} for counters in (base, new)]
    for key in dict.fromkeys([*texts[0], *texts[1]]):
        before, after = texts[0].get(key, {}), texts[1].get(key, {})
        kernel, file, line = key
        found += [
            CounterChange(name, before.get(name, 0), after.get(name, 0), f"{kernel} {file}:{line}")
            for name in dict.fromkeys([*before, *after])
        ]
    return [each for each in found if each.base != each.new]


def environment_problem(base: Run, new: Run) -> str:
    """Return why the times of two runs must not be compared; "" if they may be."""
    mine, theirs = base.environment, new.environment
    if mine.machine_id == theirs.machine_id:
        return ""
    facts = ("device", "compute_capability", "processor", "cores")
    different = [f"{name} {getattr(mine, name)!r}, {getattr(theirs, name)!r}" for name in facts
                 if getattr(mine, name) != getattr(theirs, name)]  # fmt: skip
    return "the runs are of different machines: " + "; ".join(different)
