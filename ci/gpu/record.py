# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the outcome of each test at once, so that a run that is cut off tells what it has found.

A plugin for pytest: -p record, with this folder in PYTHONPATH and the name of a file in GPU_RECORD.
`python ci/gpu/record.py FILE ...` prints the failures of such files by message.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import re
import sys

HEAD, TAIL = 2000, 2000  # characters of a failure's text; random kernels are in the middle
SHOWN = 3  # tests of each message


class Recorder:
    def __init__(self, path: str) -> None:
        self.path = pathlib.Path(path)

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        text = str(report.longrepr or "")
        text = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n...\n{text[-TAIL:]}"
        record = {"id": report.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 2), "text": text}
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # xdist's processes report to this one
        config.pluginmanager.register(Recorder(os.environ["GPU_RECORD"]))


def failures(path: pathlib.Path) -> dict[str, list[str]]:
    """Return the tests that failed by the first line of their errors, without numbers: the first failure of each."""
    first: dict[str, str] = {}
    for record in map(json.loads, path.read_text().splitlines()):
        if record["outcome"] == "failed":
            first.setdefault(record["id"], record["text"])
    found = collections.defaultdict(list)
    for test, text in first.items():
        errors = [line for line in text.splitlines() if line.startswith("E  ")] or text.splitlines()[-1:] or [""]
        found[re.sub(r"0x[0-9a-f]+|\d+", "N", errors[0].removeprefix("E").strip())[:150]].append(test)
    return found


def main() -> None:
    for name in sys.argv[1:]:
        for message, tests in sorted(failures(pathlib.Path(name)).items(), key=lambda each: -len(each[1])):
            print(len(tests), message, *tests[:SHOWN], sep="\n    ")


if __name__ == "__main__":
    main()
