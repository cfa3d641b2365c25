# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`run`: measure benchmarks and write the results to a file."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from typing import Any

from cuda.perf import distributing, engines, files, running, text
from cuda.perf.client import Block, Side
from cuda.perf.distributing import Job
from cuda.perf.errors import CommandError
from cuda.perf.model import Status
from cuda.perf.running import Plan, Runner

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def seconds(given: str) -> float:
    """Return the seconds of "90", "90s", "10m" or "2h"."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?) *(s|min|m|h|)", given)
    if found is None or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{given!r} is no time, such as 90s, 10m or 2h")
    return float(found[1]) * UNITS[found[2]]


def share(given: str) -> float:
    """Return the number of "0.01" or "1%"."""
    try:
        value = float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError:
        value = 0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{given!r} is no share between 0 and 1, such as 0.01 or 1%")
    return value


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options that `run` and `compare --duet` share."""
    add = parser.add_argument
    add("--filter", action="append", default=[], metavar="TEXT", dest="filters",
        help="only benchmarks whose name[axis=value,...] contains this; * is any text; may be repeated")  # fmt: skip
    add("--budget", type=seconds, default=600.0, metavar="TIME", help="for all benchmarks together; default 10m")
    add("--limit", type=seconds, default=60.0, metavar="TIME", help="end a benchmark that takes longer; default 60s")
    add("--block", type=seconds, default=0.0, metavar="TIME", help="of consecutive samples; default 0.1s, duet 0.02s")
    add("--seed", type=int, help="of the random order")
    add("--clock", choices=["wall", "cpu"], default="wall", help="on the CPU device, measure the time that passes "
        "(default) or the processor time of all threads, which other programs hardly change")  # fmt: skip
    add("--processes", type=int, nargs=2, metavar=("LEAST", "MOST"), help="per benchmark; default 5 40, duet 8 40")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="with benchmarks; a module; or suite, the included ones")
    add("--json", default="run.jsonl", metavar="OUT", help="result file, JSON lines; default %(default)s")
    add("--resume", action="store_true", help="continue an interrupted run that wrote to OUT")
    add("--force", action="store_true", help="replace OUT if it exists")
    add("--label", default="", help="written into the file: a branch, nightly, ...")
    add_plan(parser)
    add("--precision", type=share, default=0.01, metavar="SHARE",
        help="half-width of the 95%% confidence interval at which a benchmark is done; default 1%%")  # fmt: skip
    add("--counters-only", action="store_true", help="only count on the CPU device; measure no times")
    add("--no-counters", action="store_true", help="do not count")
    add("--quiet", action="store_true", help="no progress")
    many = parser.add_argument_group("distribution", "each benchmark is a task of its own")
    many.add_argument("-n", type=int, default=0, metavar="N", dest="workers", help="N processes, by pytest-xdist; with "
                      "--dask local, N processes of Dask")  # fmt: skip
    many.add_argument("--dask", metavar="ADDRESS", help="on the machines of this Dask scheduler; or: local")
    many.add_argument("--cores", type=int, default=1, metavar="N", help="that a measurement of times has for itself on "
                      "the CPU device (default 1); others wait")  # fmt: skip
    many.add_argument("--overlap", action="store_true", help="measure times on cores and GPUs that others use")


class Progress:
    """Writes a line to standard error: in place on a terminal, otherwise every ten seconds."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._terminal, self._last = quiet, sys.stderr.isatty(), 0.0

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if self._quiet or now - self._last < (0.1 if self._terminal else 10):
            return
        self._last = now
        print(
            f"\r\x1b[K{line}" if self._terminal else line,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        if self._terminal and self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def plan_of(options: argparse.Namespace, least: int, **more: Any) -> Plan:
    """Return the plan of the shared options."""
    least, most = options.processes or (least, 40)
    if not 1 <= least <= most:
        raise CommandError(f"--processes {least} {most}: at least 1, and the first not above the second")
    names = ("filters", "budget", "limit", "seed", "clock")
    return Plan(**{name: getattr(options, name) for name in names}, least=least, most=most, **more)


def main(options: argparse.Namespace) -> int:
    if options.workers < 0:
        raise CommandError(f"-n {options.workers} is negative")
    if options.counters_only and options.no_counters:
        raise CommandError("--counters-only and --no-counters exclude each other")
    if running.existing(options.json) and not (options.resume or options.force):
        raise CommandError(f"{options.json} exists; continue it with --resume, or replace it with --force")
    if options.resume and not running.existing(options.json):
        raise CommandError(f"{options.json} does not exist, so that it cannot be continued")
    plan = plan_of(
        options,
        5,
        block=Block(options.block or 0.1),
        precision=options.precision,
        label=options.label,
        count=not options.no_counters,
        counters_only=options.counters_only,
    )
    progress = Progress(options.quiet)
    try:
        if options.workers or options.dask:
            paths = _distributed(options, plan, progress)
        else:
            Runner(Side(options.files), plan, options.json, progress).run(options.resume)
            paths = [options.json]
    finally:
        progress.end()
    return max([_finish(path) for path in paths])


def _distributed(options: argparse.Namespace, plan: Plan, progress: Progress) -> list[str]:
    """Measure in several processes or on several machines, and return the result files."""
    job = Job(options.files, plan, options.cores, options.overlap)
    with contextlib.ExitStack() as stack:
        if options.dask:
            engine, width, client = engines.dask(options.dask, options.workers)
            stack.callback(client.shutdown if options.dask == "local" else client.close)
        else:
            engine, width = engines.xdist(options.workers), options.workers
        return distributing.run(job, engine, width, options.json, options.resume, progress)


def _finish(path: str) -> int:
    """Print the results of a file, and return the exit code."""
    run = files.read(path)
    print(text.of_run(run), end="")
    failed = [each for each in run.results if each.status not in (Status.OK, Status.SKIPPED)]
    counted = sum(each.counters is not None for each in run.results)
    print(f"{path}: {len(run.results)} benchmarks, {len(failed)} without a valid result, {counted} counted")
    return 1 if failed else 0
