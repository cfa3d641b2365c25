# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`show`: write the dashboard of a history, or the picture of one benchmark."""

from __future__ import annotations

import argparse
import pathlib

from cuda.perf import dashboard, exchange
from cuda.perf.atomic import replaced
from cuda.perf.commands.watch import add_detector
from cuda.perf.errors import CommandError
from cuda.perf.files import FileError
from cuda.perf.history import History

OWN_COLOURS = 'style="background: #fff; color: #222"'  # a picture does not get those of the page that shows it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("history", metavar="HISTORY", help="SQLite file of `history add`")
    parser.add_argument("--output", metavar="FILE", default="dashboard.html", help="default: %(default)s")
    parser.add_argument("--last", type=int, default=100, metavar="N", help="runs that are shown (default 100)")
    parser.add_argument("--latest", metavar="FILE", help="result file of the latest run, for the roofline")
    parser.add_argument("--report", metavar="FILE", help="a report of `explain`, to include")
    parser.add_argument("--picture", metavar="NAME", help="write the history of one benchmark as SVG instead: a name, "
                        "or a name and a metric")  # fmt: skip
    add_detector(parser)


def main(options: argparse.Namespace) -> int:
    if options.last < 1:
        raise CommandError("--last must be at least 1")
    try:
        latest = exchange.read(options.latest) if options.latest else None
        report = pathlib.Path(options.report).read_text(encoding="utf-8") if options.report else ""
    except (OSError, UnicodeDecodeError, FileError) as error:
        raise CommandError(str(error)) from None
    with History(options.history) as history:
        if options.picture:
            text = _picture(history, options)
        else:
            text = dashboard.page(history, last=options.last, latest=latest, report=report, detector=options.detector)
    with replaced(options.output) as file:
        file.write(text)
    print(f"written to {options.output}")
    return 0


def _picture(history: History, options: argparse.Namespace) -> str:
    rows = {row.name: row for row in dashboard.shown(history, options.last, options.detector)}
    if options.picture not in rows:
        raise CommandError(f"the history has no {options.picture!r}; it has: {', '.join(rows)}")
    return rows[options.picture].chart().replace("<svg ", f"<svg {OWN_COLOURS} ", 1) + "\n"
