# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`explain`: say why a benchmark changed between two runs, as a Markdown report with the evidence."""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

from cuda.perf import causes, exchange, markdown
from cuda.perf.atomic import replaced
from cuda.perf.causes import Case
from cuda.perf.errors import CommandError
from cuda.perf.files import FileError
from cuda.perf.model import Run, Status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", metavar="BASE", help="result file of the run before")
    parser.add_argument("new", metavar="NEW", help="result file of the run with the regression")
    parser.add_argument("--benchmark", metavar="NAME", help="with its point; default: all whose exact counts changed")
    parser.add_argument("--bisection", metavar="FILE", help="result of `bisect --json`")
    parser.add_argument("--output", metavar="FILE", help="write the report to a file")


def main(options: argparse.Namespace) -> int:
    base, new = _read(options.base), _read(options.new)
    names = [options.benchmark] if options.benchmark else _changed(base, new)
    found = _bisection(options.bisection) if options.bisection else None
    cases = [Case(base, new, _result(base, options.base, name), _result(new, options.new, name)) for name in names]
    report = "\n".join(markdown.explanation(case, found) for case in cases) or "No exact count changed.\n"
    if options.output:
        with replaced(options.output) as file:
            file.write(report)
        for case in cases:
            cause = causes.cause(causes.evidence(case))
            print(f"{case.new.key}: {markdown.headline(case)}; class: {cause or 'unknown'}")
    else:
        print(report, end="")
    return 0


def _read(path: str) -> Run:
    try:
        return exchange.read(path)
    except (OSError, FileError) as error:
        raise CommandError(str(error)) from None


def _changed(base: Run, new: Run) -> list[str]:
    results = base.by_key()
    return [
        each.key
        for each in new.results
        if each.key in results and each.counters and results[each.key].counters != each.counters
    ]


def _result(run: Run, path: str, name: str) -> Any:
    result = run.by_key().get(name)
    if result is None:
        raise CommandError(f"{path} has no benchmark {name}; it has: {', '.join(run.by_key())}")
    if result.status != Status.OK:
        raise CommandError(f"{name} of {path} has no values ({result.status}): {result.message}")
    return result


def _bisection(path: str) -> dict[str, Any]:
    try:
        found = json.loads(pathlib.Path(path).read_text())
        missing = {"culprits", "exact", "probability", "candidates", "measurements", "visits"} - set(found)
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(f"{path} is no result of bisect: {error}") from None
    if missing:
        raise CommandError(f"{path} is no result of bisect: it has no {', '.join(sorted(missing))}")
    return found
