# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu check`: the options, and the report on the program and its child processes.

Each process appends its findings to a file of its own in a folder, so that they are not lost however it ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

from cuda.cpu import check
from cuda.cpu.check import formats, recorder, suppressions
from cuda.cpu.check.finding import SEVERITIES, Finding, from_dict
from cuda.cpu.check.formats import Report
from cuda.cpu.check.options import VARIABLE, OptionError, Options
from cuda.cpu.report_files import folder_problem, replace
from cuda.cpu.signals import own


def to_suppressions(report: Report) -> str:
    """Return the lines of a suppressions file for the findings of a report."""
    return "".join(f"{line}\n" for line in dict.fromkeys(map(suppressions.rule_for, report.findings)))


FORMATS: dict[str, Callable[[Report], str]] = {
    "save": formats.to_text,
    "json": formats.to_json,
    "xml": formats.to_xml,
    "write_suppressions": to_suppressions,
}
FAILED = 2  # exit status if a report cannot be written


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m cuda.cpu check`."""
    parser.add_argument(
        "--checks", default="all", metavar="NAMES",
        help=f"{', '.join([*check.NAMES, check.LEAKS])} or all, with commas between; default %(default)s",
    )  # fmt: skip
    parser.add_argument("--kernel", default="", metavar="REGEX", help="check only kernels whose names contain this")
    parser.add_argument("--launch", type=int, metavar="N", help="report only their N-th launch, from 1")
    parser.add_argument("--severity", default="info", metavar="LEVEL", help=f"the least: {', '.join(SEVERITIES)}")
    parser.add_argument(
        "--print-limit", type=int, default=100, metavar="N",
        help="print at most N findings of each process, 0: all; the files have all; default %(default)s",
    )  # fmt: skip
    parser.add_argument("--suppressions", default="", metavar="FILE", help="findings not to report")
    parser.add_argument(
        "--write-suppressions", default="", metavar="FILE", help="write a suppressions file for what was found"
    )
    for option, kind in (("save", "text"), ("json", "JSON"), ("xml", "XML")):
        parser.add_argument(f"--{option}", default="", metavar="FILE", help=f"write the report as {kind}")
    parser.add_argument(
        "--error-exitcode", type=int, default=1, metavar="N",
        help="exit status of a program that succeeds if there are errors, warnings or failed launches; "
        "default %(default)s, 0: its own",
    )  # fmt: skip


def variables(given: argparse.Namespace, folder: str) -> dict[str, str]:
    """Return the environment variables that make a program check its kernels and record the findings in a folder.

    Raises
    ------
    OptionError
        An option is wrong.
    """
    try:
        check.demand(given.checks, "--checks:")
        if given.suppressions:
            suppressions.read(given.suppressions)
    except ValueError as error:
        raise OptionError(str(error)) from None
    except suppressions.SuppressionError as error:
        raise OptionError(f"--suppressions: {error}") from None
    if not 0 <= given.error_exitcode <= 255:
        raise OptionError(f"--error-exitcode is {given.error_exitcode}, must be 0 to 255")
    for option in FORMATS:
        path = getattr(given, option)
        problem = folder_problem(path) if path else ""
        if not problem and path and (os.path.isdir(path) or (os.path.exists(path) and not os.access(path, os.W_OK))):
            problem = f"{path} is no file that can be written"
        if problem:
            raise OptionError(f"--{option.replace('_', '-')}: {problem}")
    options = Options(
        given.kernel, given.launch, given.severity, given.suppressions and os.path.abspath(given.suppressions), folder,
        given.print_limit,
    )  # fmt: skip
    options.check()
    return {"CUDA_CPU_CHECK": given.checks, VARIABLE: options.to_json()}


def recorded(folder: str) -> list[Finding]:
    """Return what the processes of a program have recorded, in the order of their numbers."""
    found = []
    names = [name for name in os.listdir(folder) if name.endswith(recorder.FINDINGS)]
    for name in sorted(names, key=lambda name: (len(name), name)):
        found += read_records(os.path.join(folder, name))[0]
    return found


def failed_launches(folder: str) -> int:
    """Return how many launches of all processes have failed by faults that are no findings."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(recorder.FAILED)]
    return sum(os.path.getsize(path) for path in paths)  # each has written an empty line


def nothing_selected(given: argparse.Namespace, folder: str) -> str:
    """Return a sentence if no process has launched what the options select, else ""."""
    if not (given.kernel or given.launch) or any(name.endswith(recorder.SELECTED) for name in os.listdir(folder)):
        return ""
    which = f" whose name matches {given.kernel!r}" if given.kernel else ""
    return f"no launch{f' {given.launch}' if given.launch else ''} of a kernel{which}: nothing was checked"


def read_records(path: str, start: int = 0) -> tuple[list[Finding], int]:
    """Return the findings that a process has recorded from a position of its file on, and the position behind them."""
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read()
    complete = data[: data.rfind(b"\n") + 1]  # the last line is incomplete if the process was killed
    return [from_dict(json.loads(line)) for line in complete.splitlines()], start + len(complete)


def finish(given: argparse.Namespace, folder: str, status: int) -> int:
    """Write the reports on a program that has ended, and return the exit status."""
    found = recorded(folder)
    rules = suppressions.read(given.suppressions) if given.suppressions else []
    report = Report(
        given.checks, status, [each for each in found if not each.suppressed_by],
        [each for each in found if each.suppressed_by], suppressions.unused(rules, found), given.suppressions,
        failed_launches(folder),
    )  # fmt: skip
    if nothing := nothing_selected(given, folder):
        print(f"cuda.cpu check: {nothing}", file=sys.stderr)
    for line in formats.summary(report).splitlines():
        print(f"cuda.cpu {line}", file=sys.stderr)
    serious = report.failed or any(each.severity != "info" for each in report.findings)
    result = given.error_exitcode or status if serious and not status else status
    for option, make in FORMATS.items():
        path = getattr(given, option)
        if path:
            try:
                replace(path, make(report))
            except own(OSError) as error:
                print(f"cuda.cpu: the report could not be written to {path}: {error.strerror}", file=sys.stderr)
                result = result or FAILED
    return result
