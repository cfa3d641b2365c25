# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`history`: add runs to a history file, list it, exchange it as JSON lines."""

from __future__ import annotations

import argparse

from cuda.perf import exchange, history_lines
from cuda.perf.errors import CommandError
from cuda.perf.files import FileError
from cuda.perf.history import History


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (function, text, files) in ACTIONS.items():
        action = actions.add_parser(name, help=text)
        action.add_argument("history", metavar="HISTORY", help="SQLite file")
        if files:
            action.add_argument("files", nargs=files, metavar="FILE")
        action.set_defaults(function=function)


def main(options: argparse.Namespace) -> int:
    try:
        return int(options.function(options))
    except (OSError, FileError) as error:
        raise CommandError(str(error)) from None


def _add(options: argparse.Namespace) -> int:
    runs = [(path, exchange.read(path)) for path in options.files]  # all are read before any is added
    with History(options.history, create=True) as history:
        for path, run in runs:
            incomplete = "" if run.complete else ", interrupted"
            added = f"{len(run.results)} results{incomplete}" if history.add(run, path) else "known already"
            print(f"{path}: {added}")
    return 0


def _list(options: argparse.Namespace) -> int:
    with History(options.history) as history:
        for series in history.series():
            points = history.points(series)
            machine = f" on {series.machine}" if series.machine else ""
            print(f"{series.benchmark} {series.metric}{machine}: {len(points)} values, latest {points[-1].value:.6g}")
    return 0


def _export(options: argparse.Namespace) -> int:
    with History(options.history) as history:
        print(f"{history_lines.export(history, options.files[0])} rows written to {options.files[0]}")
    return 0


def _import(options: argparse.Namespace) -> int:
    with History(options.history, create=True) as history:
        for path in options.files:
            print(f"{path}: {history_lines.load(history, path)} new runs")
    return 0


# Action -> function, help, number of files.
ACTIONS = {
    "add": (_add, "add result files of `run`, nvbench (--json) or pyperf", "+"),
    "list": (_list, "print all series", None),
    "export": (_export, "write JSON lines", 1),
    "import": (_import, "add JSON lines", "+"),
}
