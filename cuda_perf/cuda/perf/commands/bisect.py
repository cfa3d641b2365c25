# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`bisect`: find the commit, version or compiler option with which a value changed."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
from typing import Any

from cuda.perf import bisection
from cuda.perf.atomic import replaced
from cuda.perf.bisection import BisectionError, Outcome
from cuda.perf.candidates import Measurement, clean_checkout, commits, git, prefixes
from cuda.perf.history import SECONDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--good", metavar="COMMIT", help="search the commits after this one ...")
    parser.add_argument("--bad", metavar="COMMIT", default="HEAD", help="... up to this one (default HEAD)")
    parser.add_argument("--repo", metavar="DIR", default=".", help="a checkout without changes, in which commits are "
                        "checked out and commands run (default .)")  # fmt: skip
    parser.add_argument(
        "--values", metavar="A,B,...", help="search these, such as versions of a package, from good to bad"
    )
    parser.add_argument("--switches", metavar="OPTIONS", help="search options that are added one after the other")
    parser.add_argument("--setup", metavar="COMMAND", default="", help="prepares a candidate: builds a checkout, "
                        "installs {candidate}; if it fails, the candidate is skipped")  # fmt: skip
    parser.add_argument("--command", metavar="COMMAND", required=True, dest="run", help="measures; its last word is "
                        "the value, or it writes a result file to {json}; exit code 125 skips")  # fmt: skip
    parser.add_argument("--benchmark", metavar="NAME", default="", help="the benchmark of the result file")
    parser.add_argument("--metric", metavar="NAME", default=SECONDS, help="of the result file: seconds, or a count")
    parser.add_argument("--exact", action="store_true", help="the values have no noise; counts never have")
    parser.add_argument("--error", type=float, default=0.005, metavar="P", help="probability of a wrong answer "
                        "(default 0.005)")  # fmt: skip
    parser.add_argument("--batch", type=int, default=5, metavar="N", help="measurements of a visit (default 5)")
    parser.add_argument("--most", type=int, default=2000, metavar="N", help="measurements at most (default 2000)")
    parser.add_argument("--timeout", type=float, default=1800, metavar="S", help="seconds of a command (default 1800)")
    parser.add_argument("--json", metavar="FILE", help="write the result, for `explain --bisection`")


def main(options: argparse.Namespace) -> int:
    candidates, labels, checkout = _candidates(options)
    measure = Measurement(options.run, options.setup, options.benchmark, options.metric, options.repo,
                          options.timeout, checkout)  # fmt: skip

    def value(at: int) -> float:
        found = measure(candidates[at])
        print(f"  {_short(labels[at])}: {found:.8g}", file=sys.stderr, flush=True)
        return found

    last = len(candidates) - 1
    with clean_checkout(options.repo) if checkout else contextlib.nullcontext():
        if options.exact or (options.benchmark and options.metric != SECONDS):
            outcome = bisection.exact(last, value)
        else:
            outcome = bisection.noisy(last, value, error=options.error, batch=options.batch, most=options.most)
    described = describe(outcome, labels, options.repo if checkout else None)
    if options.json:
        with replaced(options.json) as file:
            json.dump(described, file, indent=1)
    print("\n".join(text(described)))
    return 0 if outcome.exact or outcome.probability >= 1 - options.error else 1


def _candidates(options: argparse.Namespace) -> tuple[list[str], list[str], bool]:
    """Return the candidates, what they are called, and whether they are commits."""
    given = [each for each in (options.good, options.values, options.switches) if each is not None]
    if len(given) != 1:
        raise BisectionError("give one of --good, --values, --switches")
    if options.good:
        found = commits(options.repo, options.good, options.bad)
        return found, found, True
    if options.switches is not None:
        found, labels = prefixes(options.switches), ["none", *shlex.split(options.switches)]
    else:
        found = labels = options.values.split(",")
    if len(found) < 2:
        raise BisectionError("there are fewer than two candidates")
    return found, labels, False


def describe(outcome: Outcome, candidates: list[str], repository: str | None) -> dict[str, Any]:
    """Return the result as data: the culprits, their evidence and the cost."""
    culprits = [{"candidate": candidates[at]} for at in range(outcome.first, outcome.last + 1)]
    if repository is not None:
        for each in culprits:
            each["subject"] = git(repository, "show", "--no-patch", "--format=%s", each["candidate"])
            each["author"] = git(repository, "show", "--no-patch", "--format=%an", each["candidate"])
            each["difference"] = git(repository, "show", "--format=", "--unified=0", each["candidate"])
    levels = {candidates[at]: outcome.level(at) for at in sorted(outcome.values)}
    return {
        "culprits": culprits,
        "good": candidates[outcome.first - 1],
        "probability": outcome.probability,
        "exact": outcome.exact,
        "levels": levels,
        "candidates": len(candidates) - 1,
        "measurements": outcome.measurements,
        "visits": outcome.visits,
    }


def text(described: dict[str, Any]) -> list[str]:
    """Return the result as lines for people."""
    culprits, levels = described["culprits"], described["levels"]
    head = "culprit" if len(culprits) == 1 else f"one of {len(culprits)} candidates that could not be separated"
    lines = [f"{head}: {_short(each['candidate'])} {each.get('subject', '')}".rstrip() for each in culprits]
    before, after = levels.get(described["good"]), levels.get(culprits[-1]["candidate"])
    if before is not None and after is not None:
        lines.append(f"value: {before:.6g} before, {after:.6g} with it")
    certain = "exact values" if described["exact"] else f"probability {described['probability']:.2%}"
    lines.append(f"{certain}; {described['measurements']} measurements, {described['visits']} preparations, "
                 f"{described['candidates']} candidates")  # fmt: skip
    return lines


def _short(candidate: str) -> str:
    return candidate[:12] if len(candidate) == 40 else candidate
