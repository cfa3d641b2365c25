# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Duet runs: blocks of base and new alternate, so that the machine disturbs both alike.

Two variants of a benchmark alternate in one process; two checkouts, wheels or commits in a process each. The order in
each group of four blocks is base, new, new, base or the reverse, so that a steady drift cancels.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from cuda.perf import files, statistics
from cuda.perf.client import Client, Side, WorkerError, WorkerTimeout
from cuda.perf.errors import CommandError
from cuda.perf.load import matches
from cuda.perf.model import Result, Run, Samples, Status, key_of
from cuda.perf.running import Plan, Progress, duration

SIDES = ("base", "new")
GROUPS = 6  # of four blocks, per benchmark and process


@dataclass
class Pair:
    """A benchmark of a duet: its keys on both sides."""

    result: Result
    keys: tuple[str, str]


@dataclass
class Duet:
    """What alternates: two sides, or one side whose benchmarks have an axis with the two values."""

    sides: tuple[Side, Side]
    axis: str = ""
    values: tuple[str, str] = ("", "")

    @contextlib.contextmanager
    def clients(self) -> Iterator[tuple[Client, Client]]:
        with contextlib.ExitStack() as stack:
            base = stack.enter_context(Client(self.sides[0]))
            yield base, base if self.axis else stack.enter_context(Client(self.sides[1]))

    def pairs(self, clients: tuple[Client, Client], filters: list[str]) -> list[Pair]:
        """Return what exists on both sides.

        Raises
        ------
        CommandError
            There is nothing.
        """
        base, new = (client.points for client in clients)
        found = []
        for key, point in base.items():
            axes, other = dict(point.axes), key
            if self.axis:
                if str(axes.get(self.axis)) != self.values[0]:
                    continue
                kind = type(axes[self.axis])
                other = key_of(point.benchmark, axes | {self.axis: kind(self.values[1])})
                del axes[self.axis]
            if other in new and matches(key_of(point.benchmark, axes), filters):
                found.append(Pair(Result(point.benchmark, axes, owner=point.owner), (key, other)))
        if not found:
            wanted = f" with {self.axis}={self.values[0]} and {self.values[1]}" if self.axis else ""
            raise CommandError(f"no benchmark{wanted} exists on both sides" + (" and matches" if filters else ""))
        return found


def parse(base: str, new: str, names: list[str]) -> Duet:
    """Return the duet that two arguments describe: AXIS=VALUE twice, or two interpreters or checkouts.

    Raises
    ------
    CommandError
        They describe neither.
    """
    axes = [each.partition("=") for each in (base, new)]
    if all(separator for _, separator, _ in axes):
        if axes[0][0] != axes[1][0] or axes[0][2] == axes[1][2]:
            raise CommandError(f"{base} and {new} must be two values of the same axis")
        side = Side(names)
        return Duet((side, side), axes[0][0], (axes[0][2], axes[1][2]))
    return Duet((_side(base, names), _side(new, names)))


def _side(text: str, names: list[str]) -> Side:
    """Return the side of an interpreter, or of a folder, whose .venv is used if it has one."""
    if os.path.isdir(text):
        python = os.path.join(os.path.abspath(text), ".venv", "bin", "python")
        return Side(names, python if os.path.exists(python) else sys.executable, text)
    if os.access(text, os.X_OK):
        return Side(names, os.path.abspath(text))
    raise CommandError(f"{text} is neither AXIS=VALUE, nor the folder of a checkout, nor an interpreter")


class DuetRunner:
    """Measures pairs in rounds, each with new processes, and writes them to a file."""

    def __init__(self, duet: Duet, plan: Plan, path: str, progress: Progress = lambda line: None) -> None:
        self._duet, self._plan, self._path, self._progress = duet, plan, path, progress
        self._random = random.Random(plan.seed)
        self._block = 0
        self._batches: dict[str, int] = {}
        self._began = time.monotonic()

    def run(self) -> Run:
        """Measure until all intervals are narrow or the budget is spent."""
        process, pairs = 0, None
        everything: list[Pair] = []
        run = Run(time.time(), self._plan.label)
        while pairs is None or (pairs and self._left() > 0):
            with self._duet.clients() as clients:
                if pairs is None:
                    everything = self._duet.pairs(clients, self._plan.filters)
                    pairs = list(everything)
                    run.environment = clients[1].environment
                    files.write(self._path, run)
                self._round(clients, pairs, process)
            process += 1
            pairs = [each for each in pairs if each.result.status == Status.OK and not self._is_done(each.result)]
        with files.Writer(self._path) as writer:
            for result in (each.result for each in everything if not each.result.samples):
                if result.status == Status.OK:
                    result.status, result.message = (
                        Status.NO_SAMPLES,
                        f"the budget of {self._plan.budget:g} s was spent",
                    )
                    writer.result(result)
            writer.end()
        return files.read(self._path)

    def _left(self) -> float:
        return self._plan.budget - (time.monotonic() - self._began)

    def _round(self, clients: tuple[Client, Client], pairs: list[Pair], process: int) -> None:
        self._random.shuffle(pairs)
        for number, pair in enumerate(pairs):
            if self._left() <= 0:
                return
            position = f"process {process + 1}: benchmark {number + 1} of {len(pairs)}"
            self._progress(f"{position}; at most {duration(self._left())} left")
            result, known = pair.result, len(pair.result.samples)
            first = process == 0 or not known
            try:
                self._prepare(clients, pair)
                if result.status == Status.OK:
                    self._measure(clients, pair, process)
            except WorkerError as error:
                result.status = Status.TIMEOUT if isinstance(error, WorkerTimeout) else Status.FAILED
                result.message = str(error)
            with files.Writer(self._path) as writer:
                if first or result.status != Status.OK:
                    writer.result(result)
                for samples in result.samples[known:]:
                    writer.samples(result, samples)
            if result.status in (Status.TIMEOUT, Status.FAILED):
                return  # the process may have ended; the next round has a new one

    def _prepare(self, clients: tuple[Client, Client], pair: Pair) -> None:
        for client, key, side in zip(clients, pair.keys, SIDES, strict=True):
            prepared = client.prepare(key, False, self._plan.limit, self._plan.clock)
            if prepared.status != Status.OK:
                pair.result.status, pair.result.message = prepared.status, f"{side}: {prepared.message}"
                return
            pair.result.work = prepared.work

    def _measure(self, clients: tuple[Client, Client], pair: Pair, process: int) -> None:
        order = [0, 1, 1, 0]
        for _ in range(GROUPS):
            if self._random.random() < 0.5:
                order = [1 - each for each in order]
            for side in order:
                self._take(clients[side], pair, side, process)
        for client, key in zip(clients, pair.keys, strict=True):
            client.forget(key)

    def _take(self, client: Client, pair: Pair, side: int, process: int) -> None:
        key = pair.result.key
        batch = self._batches.get(key, 0)
        taken = client.measure(pair.keys[side], batch, self._plan.block, process, self._block, self._plan.limit)
        if not isinstance(taken, Samples):
            raise WorkerError(f"{SIDES[side]}: {taken}")
        self._batches[key] = taken.batch
        taken.side = SIDES[side]
        self._block += 1
        pair.result.samples.append(taken)

    def _is_done(self, result: Result) -> bool:
        values = statistics.paired_units(result)
        if len(values) < self._plan.least:
            return False
        return len(values) >= self._plan.most or statistics.mean(values, 0.99).half_width <= self._plan.precision
