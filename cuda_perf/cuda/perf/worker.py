# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The process that runs benchmarks: `python -m cuda.perf.worker FILE...`

It reads requests from its standard input and writes an answer to each, as lines of JSON. What benchmarks print goes to
standard error. The process that sends the requests decides what to measure, and when to end a worker that hangs.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from dataclasses import asdict
from typing import Any

from cuda.perf import environment, load
from cuda.perf.define import Skip, State
from cuda.perf.errors import CommandError
from cuda.perf.measure import Meter
from cuda.perf.model import Counters, Result, Status


class Worker:
    """Answers requests; a method per request."""

    def __init__(self, files: list[str]) -> None:
        from cuda.bindings import _loader
        from cuda.core import Device

        self._points = load.select(load.load(files))
        self._device = Device()
        self._device.set_current()
        self._stream = self._device.create_stream()
        self._on_gpu = not _loader.is_cpu()
        self._meters: dict[str, tuple[Meter, Result]] = {}

    def describe(self) -> dict[str, Any]:
        """Return the environment and the points."""
        files = [each.definition.file for each, _ in self._points.values()]
        points = {
            key: {"benchmark": each.definition.name, "axes": axes, "owner": each.definition.owner}
            for key, (each, axes) in self._points.items()
        }
        folder = os.path.dirname(files[0]) if files else "."
        self._environment = environment.collect(folder)
        return {"environment": asdict(self._environment), "points": points}

    def peaks(self) -> dict[str, Any]:
        """Return the highest rates of the device."""
        from cuda.perf import peaks

        try:
            return {"peaks": peaks.of(self._environment, self._device, self._stream)}
        except Exception as error:
            return {"failed": describe(error)}

    def prepare(self, key: str, count: bool = False, clock: str = "wall") -> dict[str, Any]:
        """Call a benchmark's function, check its result, and count what it does if asked to; `clock` is for samples."""
        benchmark, axes = self._points[key]
        result = Result(benchmark.definition.name, axes, owner=benchmark.definition.owner)
        state = State(benchmark.definition.name, axes, self._device, self._stream, not self._on_gpu)
        try:
            benchmark.prepare(state)
            result.work = state.work
            meter = Meter(benchmark, state, self._on_gpu, clock)
            meter.call()
            if state.check is not None:
                self._check(state, result)
            if count and not self._on_gpu and result.status == Status.OK:
                result.counters = self._count(meter)
            self._meters[key] = meter, result
            gc.collect()  # not during samples
        except Skip as reason:
            result.status, result.message = Status.SKIPPED, str(reason)
        except Exception as error:
            result.status, result.message = Status.FAILED, describe(error)
        return {"result": asdict(result)}

    @staticmethod
    def _check(state: State, result: Result) -> None:
        try:
            if state.check is not None and state.check() is False:
                result.status, result.message = Status.WRONG, "check returned False"
        except AssertionError as error:
            result.status, result.message = Status.WRONG, describe(error)

    @staticmethod
    def _count(meter: Meter) -> Counters:
        from cuda.perf import counters

        return counters.count(meter.call)

    def measure(
        self, key: str, batch: int, seconds: float, warm_up: float, process: int, number: int
    ) -> dict[str, Any]:
        """Return a block of samples of a prepared benchmark; batch 0: find out how many calls a sample needs."""
        meter, _ = self._meters[key]
        gc.disable()
        try:
            return {"samples": asdict(meter.block(batch or meter.calibrate(), seconds, warm_up, process, number))}
        except Exception as error:
            return {"failed": describe(error)}
        finally:
            gc.enable()

    def forget(self, key: str) -> dict[str, Any]:
        """Free what a benchmark uses."""
        self._meters.pop(key, None)
        return {}


def describe(error: BaseException) -> str:
    """Return an exception in a line, with the last line of the user's code."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(_HERE)]
    location = f" ({os.path.basename(frames[0].filename)}:{frames[0].lineno})" if frames else ""
    text = " ".join(str(error).split())
    text = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."
    return f"{type(error).__name__}: {text}{location}" if text else f"{type(error).__name__}{location}"


MOST_TEXT = 400  # characters of an error
_HERE = os.path.dirname(__file__)


def main(files: list[str]) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        worker = Worker(files)
        answer = worker.describe()
    except CommandError as error:
        answer = {"error": str(error)}
    except Exception as error:
        answer = {"error": f"the benchmarks could not be loaded: {describe(error)}"}
    print(json.dumps(answer), file=answers, flush=True)
    for line in sys.stdin if "error" not in answer else ():
        request = json.loads(line)
        answer = getattr(worker, request.pop("do"))(**request)
        print(json.dumps(answer), file=answers, flush=True)
    answers.flush()
    os._exit(0)  # without waiting for what benchmarks left running


if __name__ == "__main__":
    main(sys.argv[1:])
