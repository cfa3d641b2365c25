# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Timelines of programs on a GPU: run one, whose processes record (cuda.bindings._timeline), and write the reports."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from cuda.cpu.profile import timeline_page
from cuda.cpu.profile.timeline import Event, summary, trace
from cuda.cpu.programs import run
from cuda.cpu.report_files import UNWRITTEN, of_process, replace
from cuda.cpu.signals import own

VARIABLE = "CUDA_PYTHON_TIMELINE"  # a folder; the bindings know it


def is_wanted() -> bool:
    """Return whether the program is to run on a GPU: CUDA_PYTHON_DRIVER is "nvidia", or the path of a driver."""
    driver = os.environ.get("CUDA_PYTHON_DRIVER", "")
    return driver == "nvidia" or os.sep in driver


def program(given: argparse.Namespace) -> int:
    """Run a program, write the reports on its processes, and return its exit status."""
    python = given.python or sys.executable
    kind = [given.kind] if given.kind else []
    with tempfile.TemporaryDirectory(prefix="cuda-timeline-") as folder:
        command = [python, *run.flags(), *kind, given.script, *given.arguments]
        status = run.wait(subprocess.Popen(command, env=os.environ | {VARIABLE: folder}))
        files = sorted(pathlib.Path(folder).glob("*.json"), key=lambda file: (file.stat().st_ctime_ns, file.name))
        for path in files:
            if not _report(path, given.output, alone=len(files) == 1):
                status = status or UNWRITTEN
        if not files:
            print("cuda.cpu: no call of the driver through cuda.bindings was recorded", file=sys.stderr)
    return status


def _report(file: pathlib.Path, outputs: list[str], *, alone: bool) -> bool:
    """Write the reports on a process; return whether all could be written."""
    written = True
    data = json.loads(file.read_text())
    start = min((each[3] for each in data["records"]), default=0)
    events = [
        Event(name, category, row, begin - start, end - start, details)
        for name, category, row, begin, end, details in data["records"]
    ]
    events.sort(key=lambda event: (event.begin, -event.end))
    text = summary(events) if alone else f"process {file.stem}: {shlex.join(data['command'])}\n{summary(events)}"
    for output in outputs:
        path = output if alone else of_process(output, file.stem)
        try:
            replace(path, timeline_page.page(events, text) if path.endswith(".html") else trace(events))
        except own(OSError) as error:
            written = False
            print(f"cuda.cpu: the timeline could not be written to {path}: {error.strerror}", file=sys.stderr)
    print(text, end="", file=sys.stderr)
    return written
