# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`watch`: find regressions in a history, confirm them by new runs and tell the owners."""

from __future__ import annotations

import argparse
import pathlib
import shlex
import statistics
import subprocess
import tempfile
from functools import partial

from cuda.perf import causes, change_points, charts, exchange, rules, suspects
from cuda.perf.causes import Case, Cause, Evidence
from cuda.perf.errors import CommandError
from cuda.perf.files import FileError
from cuda.perf.history import History
from cuda.perf.rules import Rules
from cuda.perf.suspects import Suspect

FOUND, NOTHING = 1, 0  # exit codes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("history", metavar="HISTORY", help="SQLite file of `history add`")
    parser.add_argument("--rules", metavar="FILE", help="owners and channels (TOML); default: all to the console")
    parser.add_argument(
        "--rerun",
        metavar="COMMAND",
        help="measures a suspected benchmark again; {benchmark}, {revision} and {json}, the result file to write, are "
        "replaced. Without it, times stay suspected",
    )
    parser.add_argument("--times", type=int, default=3, metavar="N", help="new runs of each suspect (default 3)")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds of a new run (default 600)")
    add_detector(parser)


def add_detector(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects what proposes change points."""
    parser.add_argument("--detector", type=detector, default="auto", metavar="NAME", help="of change points: otava "
                        "(Apache Otava), scipy, or auto, which is Otava if it is installed (default)")  # fmt: skip


def detector(given: str) -> str:
    """Return a name of `change_points.DETECTORS` that can be used."""
    if given not in change_points.DETECTORS:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {', '.join(change_points.DETECTORS)}")
    try:
        change_points.uses_otava(given)
    except ImportError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return given


def main(options: argparse.Namespace) -> int:
    known = rules.read(options.rules)
    told = 0
    with History(options.history) as history:
        for series in history.series():
            rule = known.of(series.benchmark, series.metric)
            for suspect in suspects.find(history, series, rule.least, options.detector):
                told += _decide(history, known, suspect, options)
    print(f"{told} regression{'s' * (told != 1)} reported")
    return FOUND if told else NOTHING


def _decide(history: History, known: Rules, suspect: Suspect, options: argparse.Namespace) -> int:
    """Confirm a suspect and tell its owners; return how many regressions were told: 0 or 1."""
    name = f"{suspect.series.benchmark} {suspect.series.metric}"
    if not suspect.certain and not options.rerun:
        change = f"{charts.percent(suspect.effect)} at {suspect.revision[:12]}"
        print(f"suspected, nobody was told (give --rerun): {name} {change}")
        return 0
    confirmed, why = suspects.confirm(suspect, partial(_measure, options=options))
    if confirmed:
        rule = known.of(suspect.series.benchmark, suspect.series.metric)
        problems = rules.deliver(
            known, rule, f"{name} {charts.percent(suspect.effect)}",
            _report(suspect, why, rule.owners, _evidence(history, suspect)),
        )  # fmt: skip
        for problem in problems:
            print(problem)
        if problems and len(problems) == len(rule.channels):
            return 1  # nobody was told: the next `watch` tries again
    else:
        print(f"not confirmed: {name} at {suspect.revision[:12]}: {why}; class: {Cause.NOISE}")
    history.decide(suspect.series, suspect.revision, "regression" if confirmed else "noise", why)
    return int(confirmed)


def _measure(suspect: Suspect, options: argparse.Namespace) -> list[float]:
    values = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.times):
            path = pathlib.Path(folder) / f"{number}.json"
            replaced = {"benchmark": suspect.series.benchmark, "revision": suspect.revision, "json": str(path)}
            command = options.rerun
            for key, value in replaced.items():
                command = command.replace(f"{{{key}}}", shlex.quote(value))
            try:
                subprocess.run(command, shell=True, check=True, capture_output=True, text=True, timeout=options.timeout)
                run = exchange.read(path)
            except (OSError, subprocess.SubprocessError, FileError) as error:
                raise CommandError(f"--rerun: {error}{getattr(error, 'stderr', None) or ''}") from None
            if run.environment.machine_id != suspect.series.machine:
                machines = f"{run.environment.machine_id}, the history is of {suspect.series.machine}"
                raise CommandError(f"--rerun ran on machine {machines}: times of different machines are not compared")
            result = run.by_key().get(suspect.series.benchmark)
            if result and result.seconds():
                values.append(statistics.median(result.seconds()))
    return values


def _evidence(history: History, suspect: Suspect) -> list[Evidence]:
    """Return the evidence for the class of a confirmed regression, from the last good and the first bad run."""
    name = suspect.series.benchmark
    base, new = (history.run(number, name) for number in suspect.runs)
    found = causes.evidence(Case(base, new, base.results[0], new.results[0]))
    return [each for each in found if each.cause != Cause.NOISE]  # new runs have excluded it


def _report(suspect: Suspect, why: str, owners: list[str], evidence: list[Evidence]) -> str:
    reasons = "".join(
        f"  - {each.cause}, {'for' if each.weight > 0 else 'against'}: {each.text}\n" for each in evidence
    )
    return (
        f"## {suspect.series.benchmark}: {suspect.series.metric} {charts.percent(suspect.effect)}\n\n"
        f"- from {suspect.before:.6g} to {suspect.after:.6g}\n"
        f"- first seen at {suspect.revision or 'no known commit'}, not yet at {suspect.last_good or 'the one before'}\n"
        f"- {suspect.reason}; usual noise {suspect.noise:.2%}\n- confirmed: {why}\n"
        f"- class: {causes.cause(evidence) or 'unknown'}\n{reasons}"
        f"- owners: {', '.join(owners) or 'nobody'}\n- next: `python -m cuda.perf bisect --good "
        f"{suspect.last_good[:12] or 'GOOD'} --bad {suspect.revision[:12] or 'BAD'} ...`\n\n"
    )
