# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches of few microseconds by the number of workers: what waking workers and distributing blocks costs."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.tables import duration
from cuda.perf import timing

if TYPE_CHECKING:
    from benchmarks.cpu_kernels.__main__ import Bench
    from cuda.core import Kernel

THREADS = 32
SOURCE = """
extern "C" __global__ void compute(float *out, int rounds) {
    float x = threadIdx.x;
    for (int i = 0; i < rounds; i++) x = x * 0.999f + 1.0f;
    if (x < 0) out[threadIdx.x] = x;  // never
}
extern "C" __global__ void add(unsigned *out) {
    unsigned x = threadIdx.x;
    for (int i = 0; i < 32; i++) atomicAdd(out, x = x * 1664525 + 1013904223);
}
"""
CALIBRATED = 1 << 16  # rounds of one block whose time gives that of one round


class Launch(NamedTuple):
    """Blocks that compute for some microseconds each, or that add to one word."""

    name: str
    blocks: int
    microseconds: float = 0
    adds: bool = False
    repeats: int = 16  # launches of one measurement


LAUNCHES = [
    Launch("1 empty block", 1, repeats=256),
    Launch("64 empty blocks", 64, repeats=256),
    Launch("64 blocks of 0.5 µs", 64, 0.5),
    Launch("64 blocks of 1.3 µs", 64, 1.3),
    Launch("1,024 blocks of 32 atomic additions of each thread to one word", 1024, adds=True),
    Launch("4,096 blocks of 1.3 µs", 4096, 1.3, repeats=1),
    Launch("64 blocks of 81 µs", 64, 81, repeats=1),
]


def short_table(bench: Bench, counts: list[int], seconds: float) -> None:
    """Print the time of each launch with its synchronisation, for each number of workers."""
    from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch
    from cuda.cpu.runtime import _runtime

    before = _runtime.workers()
    options = ProgramOptions(arch=f"sm_{bench.device.arch}")
    code = Program(SOURCE, code_type="c++", options=options).compile("cubin")
    out = LegacyPinnedMemoryResource().allocate(4 * THREADS, stream=bench.stream)

    def runner(kernel: Kernel, blocks: int, *arguments: object) -> Callable[[], None]:
        config = LaunchConfig(grid=blocks, block=THREADS)

        def run() -> None:
            launch(bench.stream, config, kernel, out, *arguments)
            bench.stream.sync()

        return run

    compute, add = code.get_kernel("compute"), code.get_kernel("add")
    calibrate = runner(compute, 1, CALIBRATED)
    of_round = min(timing.timed(calibrate) for _ in range(20)) / CALIBRATED
    print(f"\n| launch | 1 worker | {' | '.join(map(str, counts[1:]))} |\n|---|{'---|' * len(counts)}", flush=True)
    for each in LAUNCHES:
        rounds = round(each.microseconds * 1e-6 / of_round)
        run = runner(add, each.blocks) if each.adds else runner(compute, each.blocks, rounds)

        def on(workers: int, run: Callable[[], None] = run, repeats: int = each.repeats) -> float:
            _runtime.set_workers(workers)
            return statistics.median(timing.repeated(run, repeats))

        took = timing.alternate({count: functools.partial(on, count) for count in counts}, seconds)
        cells = [duration(statistics.median(took[count])) for count in counts]
        print(f"| {each.name} | {' | '.join(cells)} |", flush=True)
    _runtime.set_workers(before)
