# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the class of a regression: code, compiler, driver or clock, noise, method; each with its evidence."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from cuda.perf import line_changes
from cuda.perf.history import interval
from cuda.perf.model import Environment, Noise, Result, Run


class Cause(StrEnum):
    """What changed."""

    CODE = "code"  # the benchmark, or the kernels
    COMPILER = "compiler"  # the same source, other machine code
    DRIVER_OR_CLOCK = "driver or clock"
    NOISE = "noise"
    METHOD = "method"  # another machine, other settings or another way to measure


CERTAIN, LIKELY, POSSIBLE, AGAINST = 100, 60, 30, -60  # weights of evidence


class Evidence(NamedTuple):
    cause: Cause
    weight: int
    text: str


class Case(NamedTuple):
    """A benchmark in two runs."""

    base_run: Run
    new_run: Run
    base: Result
    new: Result


# Packages that make machine code, or that the kernels' code depends on.
COMPILERS = ("nvidia-cuda-nvrtc", "nvidia-nvjitlink", "nvidia-nvvm", "llvmlite", "triton", "numba", "numba-cuda",
             "open-cuda-python", "cuda-cpu")  # fmt: skip
GENERATED = ("code__", "ptxas__")  # metrics of what compilers make
SLOWEST_CLOCK = 0.01  # relative change of a clock that matters
BUSY = 0.15  # cores that other processes used more than before


def evidence(case: Case) -> list[Evidence]:
    """Return all evidence, the strongest first."""
    found = [each for rule in RULES for each in rule(case)]
    return sorted(found, key=lambda each: -abs(each.weight))


def cause(found: list[Evidence]) -> Cause | None:
    """Return the most probable class; None if nothing speaks for any."""
    totals = {each: sum(one.weight for one in found if one.cause == each) for each in Cause}
    best = max(totals, key=lambda each: totals[each])
    return best if totals[best] > 0 else None


def _counters(case: Case) -> Iterator[Evidence]:
    """Exact counts tell changes of the code with certainty, and their absence as well."""
    base, new = case.base.counters, case.new.counters
    if base is None or new is None:
        return
    names = [name for name in dict.fromkeys([*base.metrics, *new.metrics])
             if base.metrics.get(name) != new.metrics.get(name)]  # fmt: skip
    lines = line_changes.changes(base, new)
    if not names and not lines:
        yield Evidence(Cause.CODE, AGAINST, "all exact counts are the same")
        if any(name.startswith(GENERATED) for name in base.metrics):
            yield Evidence(Cause.COMPILER, AGAINST, "the counts of the machine code are the same, too")
        elif not _overlap(case):
            text = "the kernels do the same, but take another time; compare the counts of `code` of both versions"
            yield Evidence(Cause.COMPILER, POSSIBLE, text)
        return
    compilers = _differing_packages(case)
    edited = [each for each in lines if not each.same_text]
    if edited:
        yield Evidence(Cause.CODE, CERTAIN, f"exact counts changed, and so did the text of {len(edited)} source lines")
    elif lines:
        yield Evidence(Cause.COMPILER, CERTAIN, "exact counts changed at source lines whose text is the same")
    elif compilers:
        yield Evidence(Cause.COMPILER, LIKELY, f"exact counts changed, and {', '.join(compilers)}")
    else:
        yield Evidence(Cause.CODE, LIKELY, "exact counts changed; there are none by source line")


def _compilers(case: Case) -> Iterator[Evidence]:
    changed = _differing_packages(case)
    if changed:
        yield Evidence(Cause.COMPILER, POSSIBLE, "; ".join(changed))


def _differing_packages(case: Case) -> list[str]:
    old, new = case.base_run.environment, case.new_run.environment
    pairs = [("compiler", old.compiler, new.compiler)]
    pairs += [(name, old.packages.get(name, "none"), new.packages.get(name, "none")) for name in COMPILERS]
    return [f"{name} changed from {before} to {after}" for name, before, after in pairs if before != after]


def _commits(case: Case) -> Iterator[Evidence]:
    old, new = case.base_run.environment, case.new_run.environment
    if old.commit and new.commit and old.commit != new.commit:
        yield Evidence(Cause.CODE, POSSIBLE, f"the commit changed from {old.commit[:12]} to {new.commit[:12]}")
    elif old.commit and old.commit == new.commit and not (old.modified or new.modified):
        yield Evidence(Cause.CODE, AGAINST, "both runs are of the same commit, without changes")


def _driver(case: Case) -> Iterator[Evidence]:
    old, new = case.base_run.environment, case.new_run.environment
    if old.driver != new.driver:
        yield Evidence(Cause.DRIVER_OR_CLOCK, LIKELY, f"the driver changed from {old.driver} to {new.driver}")
    for name in old.clocks.keys() & new.clocks.keys():
        before, after = old.clocks[name], new.clocks[name]
        if after < before * (1 - SLOWEST_CLOCK):
            text = f"the clock {name} is set to {after / 1e6:,.0f} MHz instead of {before / 1e6:,.0f}"
            yield Evidence(Cause.DRIVER_OR_CLOCK, LIKELY, text)


def _frequency(case: Case) -> Iterator[Evidence]:
    throttled = [any(each.throttled for each in _noises(result)) for result in (case.base, case.new)]
    if throttled[1] and not throttled[0]:
        yield Evidence(Cause.DRIVER_OR_CLOCK, LIKELY, "the new run was throttled")
    before, after = (_mean(result, "frequency") for result in (case.base, case.new))
    if before and after and after < before * (1 - SLOWEST_CLOCK):
        yield Evidence(
            Cause.DRIVER_OR_CLOCK, LIKELY, f"it ran at {after / 1e6:,.0f} MHz instead of {before / 1e6:,.0f}"
        )


def _noise(case: Case) -> Iterator[Evidence]:
    for name, text in (("others", "other processes"), ("stolen", "the hypervisor")):
        before, after = (_mean(result, name) or 0.0 for result in (case.base, case.new))
        if after > before + BUSY:
            yield Evidence(
                Cause.NOISE, LIKELY, f"{text} used {after:.2f} cores during the new run, {before:.2f} before"
            )
    if case.base.samples and case.new.samples and _overlap(case):
        yield Evidence(Cause.NOISE, POSSIBLE, "the intervals of the medians overlap")


def _method(case: Case) -> Iterator[Evidence]:
    old, new = case.base_run.environment, case.new_run.environment
    if old.machine_id != new.machine_id:
        yield Evidence(Cause.METHOD, CERTAIN, f"another machine: {_machine(old)}, then {_machine(new)}")
    for name in sorted({*old.settings, *new.settings}):
        before, after = old.settings.get(name, "unset"), new.settings.get(name, "unset")
        if before != after:
            yield Evidence(Cause.METHOD, LIKELY, f"{name} changed from {before} to {after}")
    timers = [", ".join(sorted({each.timer for each in result.samples})) for result in (case.base, case.new)]
    if all(timers) and timers[0] != timers[1]:
        yield Evidence(Cause.METHOD, LIKELY, f"the timer changed: {' -> '.join(timers)}")
    if old.python != new.python:
        yield Evidence(Cause.METHOD, POSSIBLE, f"Python {old.python}, then {new.python}")


RULES: tuple[Callable[[Case], Iterator[Evidence]], ...] = (
    _counters, _compilers, _commits, _driver, _frequency, _noise, _method,
)  # fmt: skip


def _overlap(case: Case) -> bool:
    """Return whether the 95 % intervals of the medians overlap, or there are no times."""
    sides = [result.seconds() for result in (case.base, case.new)]
    if not all(sides):
        return True
    (low, high), (new_low, new_high) = map(interval, sides)
    return new_low <= high and low <= new_high


def _noises(result: Result) -> list[Noise]:
    return [each.noise for each in result.samples]


def _mean(result: Result, name: str) -> float | None:
    values = [getattr(each, name) for each in _noises(result)]
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None


def _machine(environment: Environment) -> str:
    return f"{environment.device or environment.processor or 'unknown'} ({environment.cores} cores)"
