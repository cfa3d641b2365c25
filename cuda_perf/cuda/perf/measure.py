# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Take samples: warm-up, calibration of the batch, timers, eviction of the L2 cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

from cuda.perf import noise
from cuda.perf.define import Benchmark, Launch, State
from cuda.perf.model import Samples

# A sample takes at least this: clocks and events are exact to about a microsecond, and a short one ends before the
# system interrupts it.
SAMPLE_SECONDS = 5e-4
LEAST_SAMPLES = 5  # in a block
CLOCKS = ("wall", "cpu")  # of the CPU device: the time that passes, or that all threads of the process run

Timer = Callable[[], float]  # runs a batch and returns its seconds
HOST_CLOCKS: dict[str, Timer] = {"host": time.perf_counter, "cpu": time.process_time}  # by timer


def timer_of(on_gpu: bool, graph: bool, clock: str) -> str:
    """Return how samples are timed.

    Raises
    ------
    ValueError
        There is no such clock, or it is that of processors and the work is on a GPU.
    """
    if clock not in CLOCKS:
        raise ValueError(f"clock is {clock!r}, must be {' or '.join(CLOCKS)}")
    if not on_gpu:
        return "cpu" if clock == "cpu" else "host"
    if clock == "cpu":
        raise ValueError("clock is 'cpu', which does not run while a GPU works; must be 'wall'")
    return "graph" if graph else "events"


class Meter:
    """Times the launcher of a prepared state."""

    def __init__(self, benchmark: Benchmark, state: State, on_gpu: bool, clock: str = "wall") -> None:
        assert state.launcher is not None
        self.timer = timer_of(on_gpu, benchmark.graph, clock)
        self._launcher, self._launch = state.launcher, Launch(state.stream)
        self._state, self._stream = state, state.stream
        self._flushed = _l2_buffer(state) if benchmark.flush_l2 else None
        self._gpu = state.device.to_system_device() if on_gpu else None

    def call(self, count: int = 1) -> None:
        """Call the launcher, and wait for the work."""
        for _ in range(count):
            self._launcher(self._launch)
        self._stream.sync()

    def calibrate(self) -> int:
        """Return how many calls a sample needs."""
        if self._flushed is not None:
            return 1
        batch = 1
        while True:
            run = self._timer(batch)
            seconds = min(run() for _ in range(3))
            if seconds >= SAMPLE_SECONDS:
                return batch
            batch = max(batch + 1, min(batch * 10, int(1.2 * batch * SAMPLE_SECONDS / max(seconds, 1e-7))))

    def block(self, batch: int, seconds: float, warm_up: float, process: int, number: int) -> Samples:
        """Return the samples of some seconds, at least `LEAST_SAMPLES`, after a warm-up."""
        run = self._timer(batch)
        times: list[float] = []
        began, started = time.perf_counter(), time.time()
        run()
        while time.perf_counter() - began < warm_up:
            run()
        recorder = noise.Recorder()
        first = time.perf_counter()
        while len(times) < LEAST_SAMPLES or time.perf_counter() - first < seconds:
            times.append(max(run() / batch, 1e-9))
        recorded = recorder.stop()
        if self._gpu is not None:
            noise.of_gpu(recorded, self._gpu)
        wall = time.perf_counter() - began
        return Samples(process, number, started, batch, times, self.timer, noise=recorded, wall=wall)

    def _timer(self, batch: int) -> Timer:
        launch: Callable[[], Any]
        if self.timer == "graph":
            graph = self._captured(batch)
            launch = lambda: graph.launch(self._stream)  # noqa: E731
        else:
            launch = lambda: self._repeat(batch)  # noqa: E731
        clock = HOST_CLOCKS.get(self.timer)
        return self._by_host(launch, clock) if clock else self._by_events(launch)

    def _repeat(self, batch: int) -> None:
        launcher, launch = self._launcher, self._launch
        for _ in range(batch):
            launcher(launch)

    def _flush(self) -> None:
        if self._flushed is not None:
            self._flushed.fill(b"\0", stream=self._stream)

    def _by_host(self, launch: Callable[[], Any], clock: Timer) -> Timer:
        def run() -> float:
            self._flush()
            self._stream.sync()
            start = clock()
            launch()
            self._stream.sync()
            return clock() - start

        return run

    def _by_events(self, launch: Callable[[], Any]) -> Timer:
        from cuda.core import EventOptions

        timing = EventOptions(timing_enabled=True)

        def run() -> float:
            self._flush()
            start = self._stream.record(options=timing)
            launch()
            end = self._stream.record(options=timing)
            end.sync()
            return (end - start) / 1e3

        return run

    def _captured(self, batch: int) -> Any:
        builder = self._stream.create_graph_builder()
        builder.begin_building()
        launcher, launch = self._launcher, Launch(cast(Any, builder))  # launch() takes it like a stream
        for _ in range(batch):
            launcher(launch)
        return builder.end_building().complete()


def _l2_buffer(state: State) -> Any:
    """Return memory of twice the size of the L2 cache."""
    return state.device.allocate(max(2 * state.device.properties.l2_cache_size, 1 << 20), stream=state.stream)
