# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The result of a comparison for other tools: a comment for a pull request, JUnit's XML."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from cuda.perf import charts, markdown
from cuda.perf.comparing import Verdict

MOST_ROWS, MOST_COUNTS = 20, 5
SUITE = "cuda.perf"
# Characters that XML 1.0 does not allow, even as references.
INVALID = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\N{REPLACEMENT CHARACTER}")

Comparison = dict[str, Any]  # of `compare --json`


def regressed(each: Comparison, counters_only: bool) -> bool:
    """Return whether a benchmark makes the comparison fail, as for the exit code of `compare`."""
    return bool(each["problem"] or each["verdict"] == Verdict.SLOWER or (counters_only and each["counters"]))


def comment(report: dict[str, Any]) -> str:
    """Return a comment in Markdown: what changed first, the rest in numbers."""
    gated, comparisons = report["options"]["counters_only"], report["comparisons"]
    bad = [each for each in comparisons if regressed(each, gated)]
    head = f"{len(bad)} of {len(comparisons)} benchmarks regressed" if bad else "No benchmark regressed"
    lines = [f"### {head}", "", f"Base `{report['base']}`, new `{report['new']}`.", ""]
    lines += [f"> {each}" for each in report["warnings"]]
    changed = bad + [each for each in comparisons if each["verdict"] == Verdict.FASTER and each not in bad]
    rows = [_row(each) for each in changed[:MOST_ROWS]]
    if rows:
        lines += markdown.table(("benchmark", "base", "new", "change", "verdict"), rows)
    if len(changed) > MOST_ROWS:
        lines.append(f"\n{len(changed) - MOST_ROWS} more changed.")
    lines += list(_counts(comparisons))
    verdicts = [each["verdict"] for each in comparisons]
    lines += ["", ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict if verdict in verdicts) + "."]
    return "\n".join(lines) + "\n"


def _row(each: Comparison) -> tuple[str, ...]:
    estimate = each["estimate"]
    change = "" if estimate is None else _percent(estimate)
    return markdown.code(each["key"]), _time(each["base_seconds"]), _time(each["new_seconds"]), change, _verdict(each)


def _percent(estimate: dict[str, float | None]) -> str:
    ratio, low, high = (estimate[name] for name in ("ratio", "low", "high"))
    interval = "" if low is None or high is None else f" ({low - 1:+.1%} to {high - 1:+.1%})"
    return f"{(ratio or math.nan) - 1:+.1%}{interval}"


def _verdict(each: Comparison) -> str:
    parts = [each["verdict"], each["reason"], "counts changed" if each["counters"] else ""]
    return ", ".join(filter(None, parts))


def _time(value: float | None) -> str:
    return charts.seconds(value) if value else ""


def _counts(comparisons: list[Comparison]) -> Iterator[str]:
    """Yield the exact counts that changed, folded away."""
    changed = [each for each in comparisons if each["counters"]]
    if not changed:
        return
    yield f"\n<details><summary>Exact counts of {len(changed)} benchmarks changed, which is certain</summary>\n"
    rows = [
        (markdown.code(each["key"]), count["name"], count["location"], f"{count['base']:,}", f"{count['new']:,}")
        for each in changed
        for count in each["counters"][:MOST_COUNTS]
    ]
    yield from markdown.table(("benchmark", "count", "line", "base", "new"), rows)
    yield "\n</details>"


def junit(report: dict[str, Any]) -> str:
    """Return JUnit's XML: a test case per benchmark; regressions are failures, undecided ones are skipped."""
    gated = report["options"]["counters_only"]
    suite = ElementTree.Element("testsuite", name=SUITE)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for each in report["comparisons"]:
        case = ElementTree.SubElement(suite, "testcase", classname=SUITE, name=_allowed(each["key"]))
        case.set("time", f"{each['new_seconds'] or 0:.9f}")
        totals["tests"] += 1
        kind = _kind(each, gated)
        if kind:
            ElementTree.SubElement(case, kind[0], message=_allowed(_message(each))).text = _allowed(_details(each))
            totals[kind[1]] += 1
    for name, number in totals.items():
        suite.set(name, str(number))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _kind(each: Comparison, gated: bool) -> tuple[str, str] | None:
    """Return the element and the total for a benchmark that did not simply pass."""
    if each["problem"]:
        return "error", "errors"
    if regressed(each, gated):
        return "failure", "failures"
    if each["verdict"] == Verdict.UNDECIDED or (each["verdict"] == Verdict.NOT_COMPARED and not gated):
        return "skipped", "skipped"
    return None


def _message(each: Comparison) -> str:
    change = f"{_percent(each['estimate'])} " if each["estimate"] else ""
    return f"{change}{_verdict(each)}"


def _details(each: Comparison) -> str:
    lines = [f"owner: {each['owner']}"] if each["owner"] else []
    for count in each["counters"] or ():
        lines.append(f"{count['name']} {count['location']}: {count['base']} -> {count['new']}".replace(" :", ":"))
    return "\n".join(lines)


def _allowed(text: str) -> str:
    return text.translate(INVALID)
