# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Record when the work of streams ran (kernels, copies, waits, callbacks, graphs), and what the host did.

The host's part are driver calls, compilations, look-ups in the cache, and NVTX ranges.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from cuda.cpu.counters import host_spans, ranges, spans, state
from cuda.cpu.profile import timeline_page
from cuda.cpu.report_files import FAILED, WRITTEN, is_first, note, of_process, process_name, replace
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

WAITS = ("wait for value", "wait for event")
HOST = ("compile", "cache look-up", host_spans.MEMORY, *host_spans.CATEGORIES)


class Event(NamedTuple):
    """A span of time. `row` is the stream ("stream 1") or thread; times are nanoseconds from the first event on."""

    name: str
    category: str  # kernel, copy, fill, wait for event, host callback, graph, compile, driver call, NVTX range, ...
    row: str
    begin: int
    end: int
    details: dict[str, Any]

    @property
    def duration(self) -> int:
        return self.end - self.begin


class PoolSize(NamedTuple):
    """What a memory pool ("pool 1 on device 0") has in use and holds, in bytes, from a time on."""

    pool: str
    time: int
    used: int
    reserved: int


class Timeline(contextlib.ContextDecorator):
    """Record when work runs, from the beginning to the end of a `with` statement or of each call of a function.

    Attributes
    ----------
    events : list of Event
        In the order in which they began; filled at the end.
    pool_sizes : list of PoolSize
        The sizes of memory pools after each change, in order; filled at the end.

    Raises
    ------
    RuntimeError
        Another timeline is being recorded.

    Notes
    -----
    The times are those of this machine's processor. Work of a GPU is not recorded; the command can. NVTX ranges are
    recorded if the library that contains NVTX calls it for the first time while a timeline is recorded, or after one
    was.

    Examples
    --------
    >>> with Timeline() as timeline:
    ...     launch(stream, config, kernel, *arguments)
    >>> [event.category for event in timeline.events]
    ['compile', 'kernel']
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.pool_sizes: list[PoolSize] = []

    def __enter__(self) -> Timeline:
        if spans.active:
            raise RuntimeError("another timeline is being recorded in this process")
        state.wait()
        _runtime.take_timeline()
        host_spans.take()
        spans.recorded.clear()
        spans.pool_sizes.clear()
        ranges.record(True)
        return self

    def __exit__(self, *error: object) -> None:
        try:
            state.wait()
        finally:
            ranges.record(False)
            self.events, self.pool_sizes = collect()

    def __str__(self) -> str:
        return summary(self.events, self.pool_sizes)

    def to_json(self) -> str:
        """Return a trace for Perfetto (ui.perfetto.dev) and chrome://tracing, in the Trace Event Format."""
        return trace(self.events, self.pool_sizes)

    def to_html(self) -> str:
        """Return a self-contained HTML page."""
        return timeline_page.page(self.events, str(self), self.pool_sizes)


def collect() -> tuple[list[Event], list[PoolSize]]:
    """Return and forget what was recorded."""
    found = _runtime.take_timeline()
    host = spans.recorded + host_spans.take()
    sizes = spans.pool_sizes[:]
    spans.recorded.clear()
    spans.pool_sizes.clear()
    starts = [each[3] for each in found] + [each.begin for each in host] + [each.time for each in sizes]
    start = min(starts, default=0)
    rows: dict[int, str] = {}
    events = []
    for kind, kernel, queue, begin, end, size, grid, block in sorted(found, key=lambda each: (each[3], -each[4])):
        row = rows.setdefault(queue, f"stream {len(rows) + 1}")
        details: dict[str, Any] = {"grid": grid, "block": block} if kernel else {"bytes": size} if size else {}
        events.append(Event(kernel or kind, kind, row, begin - start, end - start, details))
    named = _names_of_threads()
    for each in host:
        more = {name: value for name, value in (("domain", each.domain), ("category", each.group)) if value}
        row = named.get(each.thread, each.thread)
        events.append(Event(each.name, each.category, row, each.begin - start, each.end - start, more))
    return sorted(events, key=lambda event: (event.begin, -event.end)), _named(sizes, start)


def _names_of_threads() -> dict[str, str]:
    """Return the names that threads of Python have by NVTX, by those that they have in Python."""
    given = host_spans.names().threads
    return {each.name: given[each.native_id] for each in threading.enumerate() if each.native_id in given}


def _named(sizes: Iterable[spans.PoolSize], start: int) -> list[PoolSize]:
    names: dict[int, str] = {}
    found = []
    for each in sorted(sizes):
        name = names.setdefault(each.pool, f"pool {len(names) + 1} on {each.location}")
        found.append(PoolSize(name, each.time - start, each.used, each.reserved))
    return found


def trace(events: Iterable[Event], sizes: Iterable[PoolSize] = ()) -> str:
    """Return events, and sizes of pools as counters, in the Trace Event Format."""
    events = list(events)
    rows = {row: number for number, row in enumerate(dict.fromkeys(event.row for event in events), 1)}
    process = os.getpid()
    entries: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": process_name()}}
    ]
    entries += [
        {"name": "thread_name", "ph": "M", "pid": process, "tid": number, "args": {"name": row}}
        for row, number in rows.items()
    ]
    for event in events:
        entries.append(
            {
                "name": event.name, "cat": event.category, "ph": "X", "pid": process, "tid": rows[event.row],
                "ts": event.begin / 1000, "dur": event.duration / 1000, "args": event.details,
            }
        )  # fmt: skip
    for size in sizes:
        values = {"used": size.used, "reserved": size.reserved}
        entries.append({"name": size.pool, "ph": "C", "pid": process, "ts": size.time / 1000, "args": values})
    return json.dumps({"traceEvents": entries, "displayTimeUnit": "ns"})


def summary(events: Iterable[Event], sizes: Iterable[PoolSize] = ()) -> str:
    """Return a table of the time per kernel and kind of work of streams, one of what the host did, and one of pools.

    The columns are the share of all, the calls, and the total, minimum, median and maximum time. What the host does has
    no share, since calls and ranges contain each other.
    """
    streams: dict[str, list[int]] = {}
    host: dict[str, list[int]] = {}
    for event in events:
        if event.category not in WAITS and not event.category.startswith(("graph", "part")):
            name = f"{event.category} {event.name}" if event.category != event.name else event.name
            groups = host if event.category in HOST else streams
            groups.setdefault(name, []).append(event.duration)
    total = sum(map(sum, streams.values()))
    nothing = "" if streams or host else "Nothing ran in any stream.\n"
    tables = nothing, _table(streams, "streams", total), _table(host, "host", 0), _table_of_pools(sizes)
    return "\n".join(filter(None, tables))


def _table_of_pools(sizes: Iterable[PoolSize]) -> str:
    most: dict[str, tuple[int, int]] = {}
    for each in sizes:
        used, reserved = most.get(each.pool, (0, 0))
        most[each.pool] = max(used, each.used), max(reserved, each.reserved)
    if not most:
        return ""
    width = max(map(len, most))
    lines = [f"{'memory pools':{width}}      most in use    most reserved (bytes)"]
    return "\n".join([*lines, *(f"{name:{width}} {a:16,} {b:16,}" for name, (a, b) in most.items())]) + "\n"


def _table(groups: dict[str, list[int]], title: str, whole: int) -> str:
    if not groups:
        return ""
    width = min(max(map(len, [*groups, title])), 60)
    lines = [f"{title:{width}} {'share' if whole else '':>8}    calls        total       minimum        median       "
             "maximum (us)"]  # fmt: skip
    for name, times in sorted(groups.items(), key=lambda group: -sum(group[1])):
        figures = sum(times), min(times), statistics.median(times), max(times)
        shown = "".join(f"{figure / 1000:14,.1f}" for figure in figures)
        share = f"{100 * sum(times) / whole:6.1f} %" if whole else f"{'':8}"
        lines.append(f"{name[:width]:{width}} {share} {len(times):7,} {shown}")
    return "\n".join(lines) + "\n"


def variables(files: Iterable[str], outcomes: str) -> dict[str, str]:
    """Return the environment variables that make a program record a timeline.

    JSON, since names of files may contain the colon that separates those which a user gives.
    """
    return {spans.VARIABLE: json.dumps({"files": [*map(os.path.abspath, files)], "outcomes": outcomes})}


def _outputs() -> tuple[list[str], str]:
    """Return the files to write, and the folder for `report_files.note`."""
    given = os.environ.get(spans.VARIABLE, "")
    if given.startswith("{"):
        data = json.loads(given)
        return data["files"], data["outcomes"]
    return [path for path in given.split(os.pathsep) if path not in ("", "1")], ""


def finish() -> None:
    """Write the timeline of the program at its end."""
    files, outcomes = _outputs()
    (events, sizes), first = collect(), is_first()
    if not first and not events:
        return
    text = ("" if first else f"process {os.getpid()}: {process_name()}\n") + summary(events, sizes)
    note(outcomes, WRITTEN)
    for path in files:
        path = path if first else of_process(path, str(os.getpid()))
        content = timeline_page.page(events, text, sizes) if path.endswith(".html") else trace(events, sizes)
        try:
            replace(path, content)
        except own(OSError) as error:
            note(outcomes, FAILED)
            print(f"cuda.cpu: the timeline could not be written to {path}: {error.strerror}", file=sys.stderr)
    print(text, end="", file=sys.stderr)
