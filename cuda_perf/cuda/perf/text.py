# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tables for terminals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cuda.perf import peaks, statistics
from cuda.perf.comparing import Comparison, CounterChange, Report, Verdict
from cuda.perf.model import Result, Run, Status

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
MOST_COUNTERS = 3  # sums, and counts of lines, that are shown per benchmark


def seconds(value: float) -> str:
    """Return a time with three digits and a unit."""
    if not math.isfinite(value):
        return "-"
    scale, unit = next((each for each in UNITS if value >= each[0]), UNITS[-1])
    return f"{value / scale:.3g} {unit}"


def table(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return rows in columns; the first `left` are aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def of_run(run: Run) -> str:
    """Return the results of a run: time with its confidence interval, processes, throughput, share of the peak."""
    rows: list[tuple[str, ...]] = [("benchmark", "time", "±", "processes", "GB/s", "GFLOP/s", "of peak")]
    problems = []
    for result in sorted(run.results, key=lambda each: each.key):
        if result.status != Status.OK:
            problems.append(f"{result.key}: {result.status}" + (f": {result.message}" if result.message else ""))
        elif result.samples:
            rows.append(_row(result, peaks.known(run.environment)))
    shown = table(rows) if len(rows) > 1 else ""
    return shown + "".join(f"{problem}\n" for problem in problems)


def _row(result: Result, known: dict[str, float]) -> tuple[str, ...]:
    values = statistics.units(result)
    estimate = statistics.mean(values)
    time = math.exp(estimate.value)
    width = f"{100 * math.expm1(estimate.half_width):.1f} %" if estimate.half_width < 1 else "-"
    moved = (result.work.bytes_read + result.work.bytes_written) / time / 1e9
    flops = result.work.flops / time / 1e9
    rates = (f"{rate:.3g}" if rate else "-" for rate in (moved, flops))
    share = peaks.share(result.work, time, known)
    of_peak = f"{share[0]:.0%} ({share[1]})" if share else "-"
    return (result.key, seconds(time), width, str(len(values)), *rates, of_peak)


def of_report(report: Report, all_rows: bool = False) -> str:
    """Return a comparison: a row per benchmark that changed or is undecided, its counters, a summary."""
    parts = [f"warning: {each}\n" for each in report.warnings]
    quiet = (Verdict.UNCHANGED,) if not all_rows else ()
    shown = [each for each in report.comparisons if each.verdict not in quiet and each.estimate is not None]
    if shown:
        head = ("benchmark", "base", "new", "new / base", "interval", "p", "verdict")
        parts.append(table([head, *map(_comparison_row, shown)]))
    for each in report.comparisons:
        if each.verdict in (Verdict.UNDECIDED, Verdict.NOT_COMPARED) and (each.reason or each.seconds_needed):
            needed = (
                f"; {seconds(each.seconds_needed)} of measuring would probably decide" if each.seconds_needed else ""
            )
            parts.append(f"{each.key}: {each.reason or each.verdict}{needed}\n")
        parts += _counter_lines(each)
    return "".join([*parts, summary(report), "\n"])


def _comparison_row(each: Comparison) -> tuple[str, ...]:
    estimate = each.estimate
    assert estimate is not None
    interval = f"{estimate.low:.3f} .. {estimate.high:.3f}" if math.isfinite(estimate.half_width) else "-"
    return (
        each.key, seconds(each.base_seconds), seconds(each.new_seconds), f"{estimate.ratio:.3f}", interval,
        f"{each.p_adjusted:.2g}", str(each.verdict),
    )  # fmt: skip


def _counter_lines(each: Comparison) -> list[str]:
    if not each.counters:
        return []
    lines = [f"{each.key}: {len(each.counters)} exact counters changed, which is certain:\n"]
    for change in notable(each.counters):
        location = f" at {change.location}" if change.location else ""
        lines.append(f"  {change.name}{location}: {change.base:,} -> {change.new:,}\n")
    return lines


def notable(changes: list[CounterChange]) -> list[CounterChange]:
    """Return the changes with the largest ratios: some of the sums, and some of the lines."""
    ordered = sorted(changes, key=lambda each: -abs(math.log((each.new + 1) / (each.base + 1))))
    sums = [each for each in ordered if not each.location][:MOST_COUNTERS]
    return sums + [each for each in ordered if each.location][:MOST_COUNTERS]


def summary(report: Report) -> str:
    """Return a sentence with the number of benchmarks per verdict."""
    counts = {verdict: len(report.with_verdict(verdict)) for verdict in Verdict}
    if report.options.counters_only:
        counts = {Verdict.NOT_COMPARED: sum(each.counters is None for each in report.comparisons)}
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    compared = [each.counters for each in report.comparisons if each.counters is not None]
    if compared:
        parts.append(f"counters of {sum(map(bool, compared))} of {len(compared)} changed")
    return f"{len(report.comparisons)} benchmarks: {', '.join(parts)}"
