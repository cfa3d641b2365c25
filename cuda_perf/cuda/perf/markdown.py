# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reports as Markdown: the explanation of a regression, for an issue tracker."""

from __future__ import annotations

import datetime
import re
import statistics
from collections.abc import Iterable, Iterator
from typing import Any

from cuda.perf import causes, line_changes
from cuda.perf.causes import Case
from cuda.perf.history import interval

MOST_ROWS, MOST_LINES_OF_A_DIFFERENCE = 15, 60


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """Return the lines of a table; vertical bars in cells are escaped."""
    heads = list(heads)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return lines + [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]


def code(text: str) -> str:
    """Return text as code in a line; with more backticks around than it has inside."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text.strip() else ""


def explanation(case: Case, bisection: dict[str, Any] | None = None) -> str:
    """Return the report about a benchmark that changed between two runs."""
    found = causes.evidence(case)
    cause = causes.cause(found)
    lines = [f"## {case.new.key}: {headline(case)}", ""]
    lines += [f"**Class: {cause or 'unknown'}.**", ""]
    lines += [f"- {'for' if each.weight > 0 else 'against'} {each.cause}: {each.text}" for each in found]
    for title, part in (("Times", _times(case)), ("Exact counts", _counts(case)), ("By source line", _lines(case)),
                        ("Bisection", _bisection(bisection)), ("Environments", _environments(case))):  # fmt: skip
        body = list(part)
        if body:
            lines += ["", f"### {title}", "", *body]
    return "\n".join(lines) + "\n"


def headline(case: Case) -> str:
    """Return the change in a few words."""
    before, after = (result.seconds() for result in (case.base, case.new))
    if before and after:
        return f"time {statistics.median(after) / statistics.median(before) - 1:+.1%}"
    rows = _changed_counts(case)
    if not rows:
        return "no exact count changed"
    name, old, new = rows[0]
    return f"{name} {old:,} -> {new:,}"


def _times(case: Case) -> Iterator[str]:

    sides = [(name, result.seconds()) for name, result in (("base", case.base), ("new", case.new))]
    if all(seconds for _, seconds in sides):
        yield from table(
            ("", "median (µs)", "95 % interval", "samples"),
            (
                (name, f"{1e6 * statistics.median(seconds):,.3f}",
                 " to ".join(f"{1e6 * edge:,.3f}" for edge in interval(seconds)), len(seconds))
                for name, seconds in sides
            ),
        )  # fmt: skip


def _changed_counts(case: Case) -> list[tuple[str, int, int]]:
    """Return the metrics that changed, the largest relative change first."""
    old, new = (result.counters.metrics if result.counters else {} for result in (case.base, case.new))
    rows = [(name, old.get(name, 0), new.get(name, 0)) for name in dict.fromkeys([*old, *new])]
    changed = [row for row in rows if row[1] != row[2]]
    return sorted(changed, key=lambda row: -abs(row[2] - row[1]) / max(abs(row[1]), abs(row[2])))


def _counts(case: Case) -> Iterator[str]:
    rows = _changed_counts(case)
    if rows:
        cells = [(name, f"{old:,}", f"{new:,}", f"x {new / old:.3f}" if old else "new") for name, old, new in rows]
        yield from table(("metric", "base", "new", "ratio"), cells[:MOST_ROWS])
        if len(rows) > MOST_ROWS:
            yield f"\n{len(rows) - MOST_ROWS} more metrics changed."


def _lines(case: Case) -> Iterator[str]:
    if case.base.counters is None or case.new.counters is None:
        return
    found = line_changes.changes(case.base.counters, case.new.counters)
    if found:
        rows = []
        for each in found[:MOST_ROWS]:
            counts = "; ".join(f"{name} {before:,} -> {after:,}" for name, (before, after) in each.counts.items())
            rows.append((f"{each.line.file}:{each.line.line}", code(each.line.text), _moved(each), counts))
        yield from table(("line", "source", "text", "counts"), rows)


def _moved(change: line_changes.LineChange) -> str:
    if change.base is None:
        return "new"
    if change.new is None:
        return "removed"
    return "same" if change.same_text else f"was {code(change.base.text)}"


def _bisection(found: dict[str, Any] | None) -> Iterator[str]:
    if not found:
        return
    certain = "exact values" if found["exact"] else f"probability {found['probability']:.2%}"
    yield (f"{found['candidates']} candidates, {found['measurements']} measurements, {found['visits']} preparations; "
           f"{certain}.")  # fmt: skip
    for each in found["culprits"]:
        by = f" by {each['author']}" if each.get("author") else ""
        yield f"\nCulprit: {code(each['candidate'])}{by} {each.get('subject', '')}".rstrip()
        lines = each.get("difference", "").splitlines()
        if lines:
            cut = [f"... {len(lines) - MOST_LINES_OF_A_DIFFERENCE} more lines"]
            shown = lines[:MOST_LINES_OF_A_DIFFERENCE] + (cut if len(lines) > MOST_LINES_OF_A_DIFFERENCE else [])
            yield "\n".join(["", "````diff", *shown, "````"])


def _environments(case: Case) -> Iterator[str]:
    old, new = (vars(run.environment) for run in (case.base_run, case.new_run))
    rows: list[tuple[str, Any, Any]] = [("started", _moment(case.base_run.started), _moment(case.new_run.started))]
    rows += [(name, old[name], new[name]) for name in old if old[name] != new[name]]
    yield from table(("fact", "base", "new"), ((name, _fact(before), _fact(after)) for name, before, after in rows))


def _moment(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _fact(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return str(value)
