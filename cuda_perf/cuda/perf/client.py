# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Start workers, send them requests, and end them when they take too long."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cuda.perf import schema
from cuda.perf.errors import CommandError
from cuda.perf.model import Environment, Result, Samples, Value

START_SECONDS = 120  # for the imports, and for compilations at import


class WorkerError(Exception):
    """The worker ended; the message says how."""


class WorkerTimeout(WorkerError):
    """The worker took longer than allowed, and was ended."""


@dataclass
class Side:
    """Where benchmarks come from: files, and the interpreter and folder that run them."""

    files: list[str]
    python: str = sys.executable
    folder: str = "."
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Point:
    benchmark: str
    axes: dict[str, Value]
    owner: str = ""


class Block(NamedTuple):
    """How long a block of samples and its warm-up take, in seconds."""

    seconds: float = 0.1
    warm_up: float = 0.02


class Client:
    """A worker process, as a context manager."""

    def __init__(self, side: Side) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        own = {"CUDA_CPU_LEVEL": "3"} | dict(os.environ)  # 3: optimised code from the first launch on
        self._process = subprocess.Popen(
            [side.python, "-m", "cuda.perf.worker", *side.files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=side.folder,
            env=own | side.variables,
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._received = b""
        try:
            answer = self._answer(START_SECONDS)
        except WorkerError as error:
            self.close()
            raise CommandError(f"the worker with {', '.join(side.files)} did not start: {error}") from None
        if "error" in answer:
            self.close()
            raise CommandError(answer["error"])
        self.environment = schema.build(Environment, answer["environment"], "environment")
        self.points = {key: schema.build(Point, each, key) for key, each in answer["points"].items()}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def measure_peaks(self, limit: float) -> None:
        """Add the highest rates of the device to the environment; none if they cannot be measured."""
        self.environment.peaks = self._ask(limit, do="peaks").get("peaks", {})

    def prepare(self, key: str, count: bool, limit: float, clock: str = "wall") -> Result:
        asked = {"clock": clock} if clock != "wall" else {}  # which the worker of an older version does not know
        answer = self._ask(limit, do="prepare", key=key, count=count, **asked)
        return schema.build(Result, answer["result"], key)

    def measure(self, key: str, batch: int, block: Block, process: int, number: int, limit: float) -> Samples | str:
        """Return a block of samples, or why there is none; batch 0: find out how many calls a sample needs."""
        times = {"seconds": block.seconds, "warm_up": block.warm_up}
        answer = self._ask(limit, do="measure", key=key, batch=batch, process=process, number=number, **times)
        return answer["failed"] if "failed" in answer else schema.build(Samples, answer["samples"], key)

    def forget(self, key: str) -> None:
        self._ask(START_SECONDS, do="forget", key=key)

    def _ask(self, limit: float, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise WorkerError(self._ending()) from None
        return self._answer(limit)

    def _answer(self, limit: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        end = time.monotonic() + limit
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._received:
                if not selector.select(max(end - time.monotonic(), 0)):
                    raise WorkerTimeout(f"no end after {limit:g} s")
                read = self._process.stdout.read()
                if not read:
                    raise WorkerError(self._ending())
                self._received += read
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line)

    def _ending(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}; {lines[-1][:300]}" if lines else how
