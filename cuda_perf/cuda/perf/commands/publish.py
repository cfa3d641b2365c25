# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`publish`: write the result of `compare --json` as a comment for a pull request or as JUnit's XML."""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

from cuda.perf import publishing
from cuda.perf.atomic import replaced
from cuda.perf.errors import CommandError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit codes: 0 no regression; 1 a benchmark regressed; 2 wrong arguments or files"
    parser.add_argument("comparison", metavar="COMPARISON", help="file of `compare --json`")
    parser.add_argument("--comment", metavar="FILE", help="write Markdown for a pull request")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit's XML")


def main(options: argparse.Namespace) -> int:
    report = _read(options.comparison)
    try:
        texts = {options.comment: publishing.comment(report), options.junit: publishing.junit(report)}
        gated = report["options"]["counters_only"]
        regressed = [each["key"] for each in report["comparisons"] if publishing.regressed(each, gated)]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CommandError(f"{options.comparison} is no result of compare: {error!r}") from None
    texts.pop(None, None)
    for path, text in texts.items():
        with replaced(path) as file:
            file.write(text)
    print(f"{len(regressed)} regressed" + (f": {', '.join(regressed)}" if regressed else ""))
    return 1 if regressed else 0


def _read(path: str) -> dict[str, Any]:
    try:
        return dict(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(f"{path} is no result of compare: {error}") from None
