# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu profile`: the options, which reach the program in the environment; the reports at its end."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, fields

from cuda.cpu import check
from cuda.cpu.counters import state
from cuda.cpu.profile import data as datas
from cuda.cpu.profile import page, text
from cuda.cpu.profile.launch import LaunchProfile, launches_of
from cuda.cpu.profile.metrics import METRICS, find
from cuda.cpu.profile.occupancy import DEFAULT, limits_of
from cuda.cpu.report_files import FAILED, WRITTEN, folder_problem, is_first, note, of_process, replace
from cuda.cpu.signals import own


class ProfileError(Exception):
    """An option that cannot be followed; the message names it."""


@dataclass
class Options:
    kernel: str = ""  # regular expression for names of kernels
    launch: int | None = None  # the only launch to report, counted from 1; None: all
    metrics: str = ""  # names, with commas between; "": the usual report
    json: str = ""  # file
    html: str = ""  # file
    baseline: str = ""  # JSON of an earlier run, for the HTML page and the comparison
    gpu: str = page.DEFAULT_GPU  # for the roofline
    arch: str = DEFAULT  # for the occupancy
    outcomes: str = ""  # folder in which processes note what has become of their reports

    def check(self) -> None:
        """Raise a ProfileError if an option is wrong."""
        try:
            check.pattern_of(self.kernel, "--kernel")
            for name in self.names():
                find(name)
            if self.baseline:
                datas.read(self.baseline)
        except own(KeyError, ValueError, OSError) as error:
            raise ProfileError(str(error.args[0] if isinstance(error, KeyError) else error)) from None
        if check.chosen() & check.INITCHECK:
            raise ProfileError("CUDA_CPU_CHECK has initcheck, which does not see what profiled kernels write")
        if self.launch is not None and self.launch < 1:
            raise ProfileError(f"--launch is {self.launch}; launches are counted from 1")
        try:
            limits_of(self.arch)
        except ValueError as error:
            raise ProfileError(f"--arch: {error}") from None
        if self.gpu not in page.GPUS:
            raise ProfileError(f"--gpu {self.gpu!r} is not known; there are {', '.join(page.GPUS)}")
        for option in ("json", "html"):
            problem = folder_problem(getattr(self, option)) if getattr(self, option) else ""
            if problem:
                raise ProfileError(f"--{option}: {problem}")

    def names(self) -> list[str]:
        return [name.strip() for name in self.metrics.split(",") if name.strip()]


def variables(options: Options, outcomes: str = "") -> dict[str, str]:
    """Return the environment variables that make a program profile its kernels."""
    absolute = {name: os.path.abspath(value) for name, value in asdict(options).items() if name in _PATHS and value}
    return {state.VARIABLE: "1", state.OPTIONS: json.dumps({**asdict(options), **absolute, "outcomes": outcomes})}


_PATHS = ("json", "html", "baseline")


def options() -> Options:
    """Return the options that the environment has; the defaults if it has none."""
    found = json.loads(os.environ.get(state.OPTIONS) or "{}")
    known = {each.name for each in fields(Options)}
    return Options(**{name: value for name, value in found.items() if name in known})


def finish() -> None:
    """Write the reports of all launches of this process."""
    chosen, process = options(), str(os.getpid())
    launches = launches_of(state.completed())
    if not is_first():
        if not launches:
            return
        chosen.json, chosen.html = (of_process(path, process) for path in (chosen.json, chosen.html))
    note(chosen.outcomes, WRITTEN)
    if chosen.launch:
        launches = launches[chosen.launch - 1 : chosen.launch]
        if not launches:
            print(f"cuda.cpu: there is no launch {chosen.launch} of a profiled kernel", file=sys.stderr)
    for line in _write(chosen, launches):
        print(line, file=sys.stderr)


def _write(chosen: Options, launches: list[LaunchProfile]) -> list[str]:
    data = datas.data_of(launches, chosen.arch)
    before = datas.read(chosen.baseline) if chosen.baseline else None
    failed = []
    for path, make in (
        (chosen.json, lambda: json.dumps(data, indent=1)),
        (chosen.html, lambda: page.page(data, gpu=chosen.gpu, baseline=before)),
    ):
        if path:
            try:
                replace(path, make())
            except own(OSError) as error:
                note(chosen.outcomes, FAILED)
                failed.append(f"cuda.cpu: the profile could not be written to {path}: {error.strerror}")
    report = text.report(data, chosen.names() or None)
    return [report + (text.difference(before, data) if before else ""), *failed]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m cuda.cpu profile`."""
    parser.add_argument("--kernel", default="", metavar="REGEX", help="profile only kernels whose names contain this")
    parser.add_argument("--launch", type=int, metavar="N", help="report only the N-th launch, from 1")
    parser.add_argument("--metrics", default="", metavar="NAMES", help="report only these, with commas between")
    parser.add_argument("--json", default="", metavar="FILE", help="write all counts")
    parser.add_argument("--html", default="", metavar="FILE", help="write a page with all counts")
    parser.add_argument("--baseline", default="", metavar="FILE", help="the JSON of an earlier run, to compare with")
    parser.add_argument(
        "--gpu",
        default=page.DEFAULT_GPU,
        help=f"whose roofline the page shows: {', '.join(page.GPUS)}; default %(default)s",
    )
    parser.add_argument(
        "--arch", default=DEFAULT, metavar="SM", help="architecture for the theoretical occupancy; default %(default)s"
    )
    parser.add_argument("--list", action="store_true", help="print all metrics, and run nothing")
    parser.add_argument(
        "--diff", nargs=2, metavar="FILE", help="print what differs between two JSON files, and run nothing"
    )


def without_program(given: argparse.Namespace) -> str | None:
    """Return the text of --list and --diff; None if a program is to be run."""
    if given.list:
        return "".join(f"{each.name}  [{each.unit}]\n    {each.meaning}\n" for each in METRICS.values())
    if given.diff:
        try:
            return text.difference(*map(datas.read, given.diff))
        except own(OSError, ValueError) as error:
            raise ProfileError(str(error)) from None
    return None


def options_of(given: argparse.Namespace) -> Options:
    """Return the options of a command line.

    Raises
    ------
    ProfileError
        One of them is wrong.
    """
    chosen = Options(**{each.name: getattr(given, each.name) for each in fields(Options) if each.name in given})
    chosen.check()
    return chosen
