# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The history of benchmarks in an SQLite file: runs, their times and their exact counts.

Times form one series per machine, since those of different machines cannot be compared. Counts of the CPU device depend
on no machine and form one series. Every run is added in one transaction: an interrupted command leaves none of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import pathlib
import sqlite3
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

from cuda.perf import schema
from cuda.perf.errors import CommandError
from cuda.perf.model import Counters, Environment, LineCounts, Result, Run, Samples, Status

SECONDS = "seconds"  # the metric of times; all others are exact counts
APPLICATION = 0x43504552  # "CPER": marks our files (PRAGMA application_id)
VERSION = 1
SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, started REAL NOT NULL, revision TEXT NOT NULL,
    label TEXT NOT NULL, machine TEXT NOT NULL, environment TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE points (
    benchmark TEXT NOT NULL, metric TEXT NOT NULL, run INTEGER NOT NULL REFERENCES runs, value REAL NOT NULL,
    low REAL NOT NULL, high REAL NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (benchmark, metric, run)) WITHOUT ROWID;
CREATE TABLE failures (
    run INTEGER NOT NULL REFERENCES runs, benchmark TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (run, benchmark)) WITHOUT ROWID;
CREATE TABLE lines (
    run INTEGER NOT NULL REFERENCES runs, benchmark TEXT NOT NULL, counts TEXT NOT NULL,
    PRIMARY KEY (run, benchmark)) WITHOUT ROWID;
CREATE TABLE verdicts (
    benchmark TEXT NOT NULL, metric TEXT NOT NULL, machine TEXT NOT NULL, revision TEXT NOT NULL,
    verdict TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (benchmark, metric, machine, revision)) WITHOUT ROWID;
"""


class HistoryError(CommandError):
    """A history file that is damaged or no history file."""


class Point(NamedTuple):
    """A benchmark's value in one run; `low` and `high` are the 95 % interval of the median, equal for counts."""

    started: float
    revision: str  # the commit
    value: float
    low: float
    high: float
    number: int  # of samples
    run: int


class Series(NamedTuple):
    """Names one history: `machine` is "" for counts."""

    benchmark: str
    metric: str
    machine: str


class History:
    """An open history file; a context manager."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        """Open a history file.

        Raises
        ------
        HistoryError
            The file does not exist and `create` is false, is damaged, or is not a history file.
        """
        self.path = pathlib.Path(path)
        if not create and not self.path.exists():
            raise HistoryError(f"there is no history {path}; `history add` creates one")
        fresh = not self.path.exists() or not self.path.stat().st_size
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            if fresh:
                self._create()
            self._check()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def _create(self) -> None:
        marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
        self._connection.executescript(f"BEGIN; {SCHEMA} {marks} COMMIT;")

    def _check(self) -> None:
        application, version = (self._one(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        if application != APPLICATION:
            raise HistoryError(f"{self.path} is an SQLite file, but no history of cuda.perf")
        if version != VERSION:
            raise HistoryError(f"{self.path} has version {version} of the schema; this program reads {VERSION}")

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; damage becomes a `HistoryError`."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise HistoryError(f"{self.path} is in use by another process") from None
            raise HistoryError(f"{self.path} is damaged or no history: {error}") from None

    def _one(self, query: str, *values: Any) -> Any:
        return self.rows(query, *values)[0][0]

    def insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows, or replace those with the same keys; `table` may name the columns."""
        rows = list(rows)
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes of the `with` statement, or none if an error ends it."""
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def add(self, run: Run, source: str = "") -> bool:
        """Add a run in one transaction; return False if the history has it already.

        Raises
        ------
        HistoryError
            The run has no results; nothing is added.
        """
        if not run.results:
            raise HistoryError(f"{source or 'the run'} has no results")
        digest = hashlib.sha256(json.dumps(asdict(run), sort_keys=True).encode()).hexdigest()
        if self.rows("SELECT 1 FROM runs WHERE digest = ?", digest):
            return False
        environment = run.environment
        header = (digest, run.started, environment.commit, run.label, environment.machine_id,
                  json.dumps(asdict(environment)), source)  # fmt: skip
        with self.transaction():
            self.insert("runs (digest, started, revision, label, machine, environment, source)", [header])
            number = self._one("SELECT id FROM runs WHERE digest = ?", digest)
            for result in run.results:
                self._add_result(number, result)
        return True

    def _add_result(self, run: int, result: Result) -> None:
        if result.status != Status.OK:
            self.insert("failures", [(run, result.key, str(result.status), result.message)])
            return
        self.insert("points", ((result.key, metric, run, *values) for metric, values in _values(result)))
        if result.counters and result.counters.lines:
            self.insert("lines", [(run, result.key, json.dumps([asdict(line) for line in result.counters.lines]))])

    def series(self) -> list[Series]:
        """Return the names of all histories."""
        return [Series(*row) for row in self.rows(
            "SELECT DISTINCT benchmark, metric, CASE metric WHEN ? THEN machine ELSE '' END "
            "FROM points JOIN runs ON run = runs.id ORDER BY 1, 2, 3", SECONDS)]  # fmt: skip

    def points(self, series: Series) -> list[Point]:
        """Return the values of a history, in the order of the runs."""
        return [Point(*row) for row in self.rows(
            "SELECT started, revision, value, low, high, number, run FROM points JOIN runs ON run = runs.id "
            "WHERE benchmark = ? AND metric = ? AND (? = '' OR machine = ?) ORDER BY started, runs.id",
            series.benchmark, series.metric, series.machine, series.machine)]  # fmt: skip

    def runs(self) -> list[dict[str, Any]]:
        """Return the runs with their environments, the oldest first."""
        names = ("id", "started", "revision", "label", "machine", "environment", "source")
        rows = self.rows(f"SELECT {', '.join(names)} FROM runs ORDER BY started, id")
        found = [dict(zip(names, row, strict=True)) for row in rows]
        return [each | {"environment": json.loads(each["environment"])} for each in found]

    def run(self, number: int, benchmark: str) -> Run:
        """Return a run with one benchmark, as far as the history has it: median and interval stand for its samples."""
        started, label, environment = self.rows("SELECT started, label, environment FROM runs WHERE id = ?", number)[0]
        counters = Counters(lines=[schema.build(LineCounts, each) for each in self.lines(number, benchmark)])
        result = Result(benchmark, counters=counters)
        for metric, low, value, high in self.rows(
            "SELECT metric, low, value, high FROM points WHERE run = ? AND benchmark = ?", number, benchmark
        ):
            if metric == SECONDS:
                result.samples.append(Samples(0, 0, started, 1, [low, value, high]))
            else:
                counters.metrics[metric] = int(value)
        if not counters.metrics:
            result.counters = None
        return Run(started, label, schema.build(Environment, json.loads(environment)), [result], complete=True)

    def failures(self, run: int) -> dict[str, tuple[str, str]]:
        """Return status and message of the benchmarks of a run that have no values."""
        rows = self.rows("SELECT benchmark, status, message FROM failures WHERE run = ? ORDER BY benchmark", run)
        return {benchmark: (status, message) for benchmark, status, message in rows}

    def lines(self, run: int, benchmark: str) -> list[dict[str, Any]]:
        """Return the counts by source line of a benchmark, [] if there are none."""
        rows = self.rows("SELECT counts FROM lines WHERE run = ? AND benchmark = ?", run, benchmark)
        return json.loads(rows[0][0]) if rows else []

    def verdict(self, series: Series, revision: str) -> str:
        """Return what `watch` decided about a change, "" if nothing yet."""
        rows = self.rows("SELECT verdict FROM verdicts WHERE (benchmark, metric, machine, revision) = (?, ?, ?, ?)",
                          *series, revision)  # fmt: skip
        return rows[0][0] if rows else ""

    def decide(self, series: Series, revision: str, verdict: str, details: str) -> None:
        """Store what `watch` decided about a change."""
        self.insert("verdicts", [(*series, revision, verdict, details)])


def _values(result: Result) -> Iterator[tuple[str, tuple[float, float, float, int]]]:
    seconds = result.seconds() or result.seconds("new")
    if seconds:
        yield SECONDS, (statistics.median(seconds), *interval(seconds), len(seconds))
    for metric, value in (result.counters.metrics if result.counters else {}).items():
        yield metric, (value, value, value, 1)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the median by order statistics, for any distribution.

    Normal approximation of the binomial ranks: Conover, "Practical Nonparametric Statistics", 3rd edition, section 3.2.
    """
    ordered, margin = sorted(values), 1.96 * math.sqrt(len(values)) / 2
    low = max(math.floor(len(values) / 2 - margin), 0)
    return ordered[low], ordered[-1 - low]
