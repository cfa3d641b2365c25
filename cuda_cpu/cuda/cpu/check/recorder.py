# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What checks have found in this process: printed, filtered by the options, recorded for the reports."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import sys
import threading
from collections.abc import Iterable

from cuda.cpu import at_exit, check
from cuda.cpu.check import stacks, state, suppressions
from cuda.cpu.check.finding import SEVERITIES, Finding, to_dict
from cuda.cpu.check.options import Options, from_environment
from cuda.cpu.report_files import is_first, note_first, process_name
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

# Endings of the names of a process's files: of its findings, of a line for each launch that failed without one, and of
# the file that tells that it has launched what the options select.
FINDINGS, FAILED, SELECTED = ".jsonl", ".failed", ".selected"

_options = Options()
_rules: list[suppressions.Rule] = []
_lock = threading.Lock()
_found: list[Finding] = []
_numbers = itertools.count(1)
_matching = itertools.count(1)
_printed = itertools.count(1)
_launch_numbers: dict[int, tuple[int, int]] = {}  # grid -> its number, and that among launches of selected kernels


def begin() -> None:
    """Begin in a process whose environment asks for checks."""
    options = from_environment()
    start(options)
    if options is not None:
        note_first()
        at_exit.register(finish)


def finish() -> None:
    """Record what is left to be found when the program ends."""
    if state.driver is not None:
        state.driver.finish()
        _collect(state.driver)


def start(options: Options | None) -> None:
    """Record stacks from now on; with options, findings no longer fail calls."""
    global _options, _rules
    if options is not None:
        _rules = suppressions.read(options.suppressions) if options.suppressions else []
        _options = options
        check.select_kernels(options.kernel)
        _runtime.record_findings(True)
    state.active = True
    _runtime.track_heap(check.wants_leaks())
    _runtime.on_launch(_launched)
    start_order()


def start_order() -> None:
    """Look for races between operations of streams, if racecheck is chosen."""
    if state.driver is None or state.order is not None or not check.chosen() & check.RACECHECK:
        return
    state.driver.watch()
    state.order = importlib.import_module("cuda.cpu.check.order").Order()
    _runtime.on_command(state.order)


def stop() -> None:
    """Stop what `start` began."""
    global _options, _rules
    state.active, _options, _rules = False, Options(), []
    check.select_kernels("")
    _runtime.on_launch(None)
    _runtime.on_command(None)
    if state.order is not None:
        state.order.end()
    state.order = None
    _runtime.track_heap(False)
    _runtime.record_findings(False)


def _launched(grid: int, kernel: str) -> None:
    stacks.launches.note(grid)
    with _lock:
        number = next(_matching) if check.is_selected(kernel) else 0
        _launch_numbers[grid] = next(_numbers), number
        if _options.records and number == (_options.launch or 1):
            _record("", SELECTED)
        if len(_launch_numbers) > 100_000:
            del _launch_numbers[next(iter(_launch_numbers))]


def number_of(grid: int) -> int:
    """Return the number of a launch among those of this process, 0 if it is not known."""
    return _launch_numbers.get(grid, (0, 0))[0]


def _is_wanted(finding: Finding, grid: int) -> bool:
    if SEVERITIES.index(finding.severity) < SEVERITIES.index(_options.severity):
        return False
    if not finding.kernel:
        return True
    if not check.is_selected(finding.kernel):
        return False
    return _options.launch in (None, _launch_numbers.get(grid, (0, 0))[1])


def add(findings: Iterable[tuple[Finding, int]]) -> None:
    """Add findings with the numbers of their grids: print them, and keep them for the reports."""
    for finding, grid in findings:
        if not _is_wanted(finding, grid):
            continue
        finding.process, finding.process_name = os.getpid(), "" if is_first() else process_name()
        rule = next((each for each in _rules if each.matches(finding)), None)
        if rule is not None:
            finding.suppressed_by = rule.line
        else:
            _print(finding)
        with _lock:
            _found.append(finding)
            if _options.records:
                _record(json.dumps(to_dict(finding)))


def _print(finding: Finding) -> None:
    if _options.quiet:
        return
    number, limit = next(_printed), _options.print_limit
    if not limit or number <= limit:
        print(f"cuda.cpu {finding}", file=sys.stderr, flush=True)
    elif number == limit + 1:
        print(f"cuda.cpu check: findings after the first {limit} are not printed", file=sys.stderr, flush=True)


def _record(text: str, suffix: str = FINDINGS) -> None:
    """Append a line to a file of this process at once, since the process may end in any way."""
    path = os.path.join(_options.records, f"{os.getpid()}{suffix}")
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except own(OSError) as error:
        print(f"cuda.cpu: a finding could not be recorded in {path}: {error.strerror}", file=sys.stderr)


def failed() -> None:
    """Record that a launch has failed by a fault that is no finding."""
    if _options.records:
        _record("", FAILED)


def _collect(driver: state.Driver) -> None:
    """Record the findings of launches that have ended."""
    driver.collect()
    if state.order is not None:
        state.order.process()


def findings(*, forget: bool = False) -> list[Finding]:
    """Wait for all launches and return what was found in this process so far, without what is suppressed."""
    if state.driver is not None:
        state.driver.synchronize()
        _collect(state.driver)
    with _lock:
        found = [each for each in _found if not each.suppressed_by]
        if forget:
            _found.clear()
    return found


def forget_after_fork() -> None:
    """Leave a forked child without the findings of its parent, which reports them."""
    global _lock
    _lock = threading.Lock()
    _found.clear()
    if state.order is not None:
        state.order = importlib.import_module("cuda.cpu.check.order").Order()
        _runtime.on_command(state.order)
    stacks.forget_after_fork()
