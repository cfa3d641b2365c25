# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run benchmarks in rounds: each is a new process, which measures the benchmarks in random order.

A benchmark is measured in further rounds until its confidence interval is narrow, or the budget is spent.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cuda.perf import files, statistics
from cuda.perf.client import Block, Client, Point, Side, WorkerError, WorkerTimeout
from cuda.perf.errors import CommandError
from cuda.perf.load import matches
from cuda.perf.model import Result, Run, Samples, Status


@dataclass
class Plan:
    """What to measure, and for how long."""

    budget: float = 600  # seconds for all
    limit: float = 60  # seconds for the preparation of a benchmark, and for a block
    block: Block = field(default_factory=Block)
    precision: float = 0.01  # half-width of the 95 % confidence interval, relative, at which a benchmark is done
    least: int = 5  # processes
    most: int = 40
    filters: list[str] = field(default_factory=list)
    seed: int | None = None
    count: bool = True  # exact counters
    counters_only: bool = False
    label: str = ""
    clock: str = "wall"  # of the CPU device, see `measure.CLOCKS`
    only: str = ""  # the key of the one benchmark of a task of `distributing`


Progress = Callable[[str], None]


class Runner:
    """Runs the benchmarks of a side and writes them to a file."""

    def __init__(self, side: Side, plan: Plan, path: str, progress: Progress = lambda line: None) -> None:
        self._side, self._plan, self._path, self._progress = side, plan, path, progress
        self._random = random.Random(plan.seed)
        self._results: dict[str, Result] = {}
        self._active: list[str] = []
        self._process = self._block = 0
        self._began = time.monotonic()

    def run(self, resume: bool = False) -> Run:
        """Measure, and return what the file then has.

        Raises
        ------
        CommandError
            The benchmarks cannot be loaded, none is selected, or the file to resume is of another machine.
        """
        client = Client(self._side)
        try:
            points = {key: point for key, point in client.points.items() if self._selected(key)}
            if not points:
                raise CommandError(f"no benchmark matches {' or '.join(map(repr, self._plan.filters))}")
            if not self._plan.counters_only and not resume:
                client = self._with_peaks(client)
            run = Run(time.time(), self._plan.label, client.environment)
            if resume:
                self._resume(run)
            with files.Writer(self._path, None if resume else run) as self._writer:
                self._active = [key for key in points if self._is_active(key)]
                client = self._rounds(client, points)
                self._finish(points)
        finally:
            client.close()
        return files.read(self._path)

    def _with_peaks(self, client: Client) -> Client:
        """Add the device's highest rates to the environment; a worker that fails to measure them is replaced."""
        try:
            client.measure_peaks(self._plan.limit)
        except WorkerError:
            client.close()
            return Client(self._side)
        return client

    def _selected(self, key: str) -> bool:
        return key == self._plan.only if self._plan.only else matches(key, self._plan.filters)

    def _resume(self, run: Run) -> None:
        files.repair(self._path)
        try:
            before = files.read(self._path)
        except files.FileError as error:
            raise CommandError(str(error)) from None
        if before.environment.machine_id != run.environment.machine_id:
            raise CommandError(f"{self._path} is of another machine: {before.environment.device}")
        if before.environment.commit != run.environment.commit:
            raise CommandError(f"{self._path} is of commit {before.environment.commit}; start a new file")
        self._results = before.by_key()
        samples = [each for result in before.results for each in result.samples]
        self._process = max((each.process for each in samples), default=-1) + 1
        self._block = max((each.block for each in samples), default=-1) + 1

    def _is_active(self, key: str) -> bool:
        result = self._results.get(key)
        return result is None or result.status in (Status.OK, Status.NO_SAMPLES)

    def _rounds(self, client: Client, points: dict[str, Point]) -> Client:
        """Measure all active benchmarks in one process after the other; return the last one."""
        while self._active and self._left() > 0:
            self._random.shuffle(self._active)
            for number, key in enumerate(list(self._active)):
                if self._left() <= 0:
                    break
                self._report(number)
                try:
                    self._measure(client, key, points[key])
                except WorkerError as error:
                    self._fail(key, points[key], error)
                    client.close()
                    client = Client(self._side)
                    self._process += 1
            self._process += 1
            self._active = [key for key in self._active if not self._is_done(key)]
            if self._active and self._left() > 0:
                client.close()
                client = Client(self._side)
        return client

    def _left(self) -> float:
        return self._plan.budget - (time.monotonic() - self._began)

    def _measure(self, client: Client, key: str, point: Point) -> None:
        known = self._results.get(key)
        prepared = client.prepare(key, self._plan.count and known is None, self._plan.limit, self._plan.clock)
        if known is None or prepared.status != Status.OK:
            prepared.samples = known.samples if known else []
            prepared.counters = prepared.counters or (known.counters if known else None)
            self._results[key] = prepared
            self._writer.result(prepared)
        result = self._results[key]
        if result.status == Status.OK and not self._plan.counters_only:
            batch = result.samples[0].batch if result.samples else 0
            taken = client.measure(key, batch, self._plan.block, self._process, self._block, self._plan.limit)
            self._block += 1
            if isinstance(taken, Samples):
                result.samples.append(taken)
                self._writer.samples(result, taken)
            else:
                result.status, result.message = Status.FAILED, taken
                self._writer.result(result)
        if prepared.status == Status.OK:
            client.forget(key)

    def _fail(self, key: str, point: Point, error: WorkerError) -> None:
        result = self._results.setdefault(key, Result(point.benchmark, point.axes, owner=point.owner))
        result.status = Status.TIMEOUT if isinstance(error, WorkerTimeout) else Status.FAILED
        result.message = str(error)
        self._writer.result(result)

    def _is_done(self, key: str) -> bool:
        result = self._results.get(key)
        if result is None:
            return False
        if result.status != Status.OK or self._plan.counters_only:
            return True
        values = statistics.units(result)
        if len(values) < self._plan.least:
            return False
        return len(values) >= self._plan.most or statistics.mean(values).half_width <= self._plan.precision

    def _finish(self, points: dict[str, Point]) -> None:
        for key, point in points.items():
            result = self._results.get(key) or Result(point.benchmark, point.axes, owner=point.owner)
            if result.status == Status.OK and not result.samples and not self._plan.counters_only:
                result.status, result.message = Status.NO_SAMPLES, f"the budget of {self._plan.budget:g} s was spent"
                self._writer.result(result)
        self._writer.end()

    def _report(self, number: int) -> None:
        """Report the progress: what is left, and how long it probably takes."""
        total = len(self._active)
        spent = max(time.monotonic() - self._began, 1e-3)
        done = sum(len(each.samples) for each in self._results.values())
        needed = sum(self._processes_needed(key) for key in self._active)
        seconds = min(needed * spent / done, self._left()) if done else self._left()
        self._progress(
            f"process {self._process + 1}: benchmark {number + 1} of {total}; at most {duration(seconds)} left"
        )

    def _processes_needed(self, key: str) -> int:
        result = self._results.get(key)
        values = statistics.units(result or Result(key))
        if len(values) < 3:
            return max(self._plan.least - len(values), 1)
        needed = statistics.units_needed(statistics.mean(values), self._plan.precision)
        return max(min(max(needed, self._plan.least), self._plan.most) - len(values), 1)


def duration(seconds: float) -> str:
    """Return seconds as text: "1 min 20 s"."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def existing(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0
