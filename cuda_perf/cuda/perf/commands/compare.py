# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`compare`: compare two result files, or two sides that alternate in a duet run."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from typing import Any

from cuda.perf import comparing, files, text
from cuda.perf.client import Block
from cuda.perf.commands.run import Progress, add_plan, plan_of, share
from cuda.perf.comparing import Options, Report, Verdict
from cuda.perf.duet import DuetRunner, parse
from cuda.perf.errors import CommandError
from cuda.perf.model import Run

CODES = """exit codes: 0 no regression; 1 a benchmark is slower, fails or is missing in NEW, or has other counters
(--counters-only); 2 wrong arguments or files; 3 with --strict: none of these, but a benchmark is undecided"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = CODES
    add = parser.add_argument
    add("base", metavar="BASE", help="result file; with --duet AXIS=VALUE, or an interpreter, or a checkout's folder")
    add("new", metavar="NEW", help="the same for the new side")
    add("--duet", nargs="+", metavar="FILE", help="measure these benchmarks now, base and new in alternation")
    add("--output", default="duet.jsonl", metavar="OUT", help="result file of --duet; default %(default)s")
    add_plan(parser)
    add("--threshold", type=share, default=0.01, metavar="SHARE", help="smaller changes do not matter; default 1%%")
    add("--level", type=share, default=0.01, metavar="SHARE", help="share of false alarms; default 1%%")
    add("--correction", choices=["bh", "holm", "none"], default="bh",
        help="for the number of benchmarks: Benjamini-Hochberg (share of the alarms that are false), Holm "
        "(probability of any false alarm), none; default %(default)s")  # fmt: skip
    add("--counters-only", action="store_true", help="compare only exact counters; any change is a regression")
    add("--other-machine", action="store_true", help="compare times although the runs are of different machines")
    add("--all", action="store_true", help="show unchanged benchmarks, too")
    add("--strict", action="store_true", help="exit with 3 if a benchmark is undecided")
    add("--json", metavar="FILE", help="write the comparison")


def read(path: str) -> Run:
    """Read a result file.

    Raises
    ------
    CommandError
        It cannot be read, or is none.
    """
    try:
        return files.read(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except files.FileError as error:
        raise CommandError(str(error)) from None


def options_of(given: argparse.Namespace) -> Options:
    return Options(given.threshold, given.level, given.correction, given.counters_only)


def data_of(report: Report) -> dict[str, object]:
    """Return a report as data for JSON; what is unknown is null."""
    data = asdict(report)
    for each, comparison in zip(data["comparisons"], report.comparisons, strict=True):
        if comparison.estimate is not None:
            each["estimate"] |= {name: getattr(comparison.estimate, name) for name in ("ratio", "low", "high")}
    return dict(_finite(data))


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def finish(report: Report, given: argparse.Namespace) -> int:
    """Print and write a report, and return the exit code."""
    print(text.of_report(report, given.all), end="")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(data_of(report), file, indent=1)
    if report.regressions:
        return 1
    return 3 if given.strict and report.with_verdict(Verdict.UNDECIDED) else 0


def measure_duet(given: argparse.Namespace) -> Report:
    """Measure both sides in alternation, and compare them."""
    plan = plan_of(given, 8, block=Block(given.block or 0.02, 0), precision=given.threshold / 2)
    progress = Progress(False)
    try:
        run = DuetRunner(parse(given.base, given.new, given.duet), plan, given.output, progress).run()
    finally:
        progress.end()
    report = comparing.compare_duet(run, options_of(given))
    report.base, report.new = given.base, given.new
    return report


def main(given: argparse.Namespace) -> int:
    if given.duet:
        return finish(measure_duet(given), given)
    base, new = read(given.base), read(given.new)
    problem = comparing.environment_problem(base, new)
    if problem and not (given.other_machine or given.counters_only):
        raise CommandError(f"{problem}. Compare --counters-only, or times by --other-machine")
    return finish(comparing.compare(base, new, options_of(given), (given.base, given.new)), given)
