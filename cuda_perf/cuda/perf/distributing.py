# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Measure benchmarks in several processes or on several machines; each benchmark is a task of pytest-xdist or Dask.

A task is a run of one benchmark with a file of its own. It measures times in a slot, which nothing else uses meanwhile,
unless the job allows overlaps; tasks that only count need no slot. The files are joined, one for each kind of machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from cuda.perf import files, slots
from cuda.perf.client import Block, Client, Side
from cuda.perf.errors import CommandError
from cuda.perf.load import matches
from cuda.perf.model import Result, Run, Status
from cuda.perf.running import Plan, Progress, Runner


@dataclass
class Job:
    """What the tasks of a run have in common."""

    files: list[str]
    plan: Plan
    cores: int = 1  # that a measurement of times has for itself on the CPU device
    overlap: bool = False  # times may be measured while other tasks use the same cores or GPU

    def data(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Job:
        """Return the job of `data()`."""
        plan = data["plan"]
        return cls(**data | {"plan": Plan(**plan | {"block": Block(*plan["block"])})})


Finished = Iterator[tuple[str, str]]  # keys, in the order of their ends, with a result file's text, or "problem: ..."
Engine = Callable[[Job, list[str]], Finished]
PROBLEM = "problem: "


def measure(job: Job, key: str, path: str | os.PathLike[str]) -> Run:
    """Run one benchmark in this process's slot; `path` is its result file, which is continued if it exists."""
    plan = replace(job.plan, only=key)
    side = Side(job.files)
    with contextlib.ExitStack() as stack:
        if not (plan.counters_only or job.overlap):
            slot = stack.enter_context(slots.occupied(_slots(job)))
            side.variables = {"CUDA_VISIBLE_DEVICES": slot.gpu} if slot.gpu else {}
        return Runner(side, plan, os.fspath(path)).run(os.path.exists(path))


def measured_text(data: dict[str, Any], key: str) -> str:
    """Return the text of the result file of one benchmark; for engines whose processes share no folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "part.jsonl"
        try:
            measure(Job.of(data), key, path)
        except CommandError as error:
            return f"{PROBLEM}{error}"
        return path.read_text(encoding="utf-8")


def _slots(job: Job) -> list[slots.Slot]:
    from cuda.bindings import _loader

    if _loader.is_cpu():
        try:
            return slots.of_cores(job.cores)
        except ValueError as error:
            raise CommandError(f"--cores: {error}") from None
    from cuda.core import system

    return slots.of_gpus(system.get_num_devices())


def part_name(key: str) -> str:
    """Return the name of the result file of a task."""
    return f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.jsonl"


def run(job: Job, engine: Engine, width: int, path: str, resume: bool, progress: Progress) -> list[str]:
    """Measure all benchmarks, and return the result files: `path`, and one for each other kind of machine.

    Parameters
    ----------
    width : int
        How many tasks run at a time; the budget is divided accordingly.
    """
    with Client(Side(job.files)) as client:
        points = {key: point for key, point in client.points.items() if matches(key, job.plan.filters)}
    if not points:
        raise CommandError(f"no benchmark matches {' or '.join(map(repr, job.plan.filters))}")
    joined = Joined(path, job.plan.label)
    known = joined.read() if resume else {}
    keys = [key for key in points if key not in known or known[key].status == Status.NO_SAMPLES]
    job.plan = replace(job.plan, filters=[], budget=job.plan.budget * min(width, len(keys) or 1) / max(len(keys), 1))
    for done, (key, text) in enumerate(engine(job, keys) if keys else (), 1):
        progress(f"{done} of {len(keys)} benchmarks measured")
        point = points[key]
        joined.add(text, Result(point.benchmark, point.axes, Status.FAILED, owner=point.owner))
    return joined.finish()


class Joined:
    """Joins the result files of tasks as they end, so that an interruption loses only the tasks that are running."""

    def __init__(self, path: str, label: str) -> None:
        self._path, self._label = path, label
        self._paths: dict[str, str] = {}  # machine -> file
        self._failed: list[Result] = []

    def read(self) -> dict[str, Result]:
        """Read what an interrupted run has written."""
        files.repair(self._path)
        try:
            before = files.read(self._path)
        except files.FileError as error:
            raise CommandError(str(error)) from None
        self._paths[before.environment.machine_id] = self._path
        return before.by_key()

    def add(self, text: str, missing: Result) -> None:
        """Add the results of a task; `missing` stands for them if there are none."""
        if text.startswith(PROBLEM):
            missing.message = text.removeprefix(PROBLEM)
            self._failed.append(missing)
            return
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            part = files.read(file.name)
        with files.Writer(self._file(part)) as writer:
            for result in part.results:
                writer.result(result)
                for samples in result.samples:
                    writer.samples(result, samples)

    def _file(self, part: Run) -> str:
        machine = part.environment.machine_id
        if machine not in self._paths:
            stem, ending = os.path.splitext(self._path)
            self._paths[machine] = f"{stem}.{machine}{ending}" if self._paths else self._path
            files.write(self._paths[machine], Run(part.started, self._label, part.environment))
        return self._paths[machine]

    def finish(self) -> list[str]:
        """Add the failures, mark the files as complete, and return their paths."""
        if self._failed and not self._paths:
            raise CommandError(f"no benchmark could be measured; {self._failed[0].key}: {self._failed[0].message}")
        for number, path in enumerate(self._paths.values()):
            with files.Writer(path) as writer:
                for result in self._failed if number == 0 else ():
                    writer.result(result)
                writer.end()
        return list(self._paths.values())
