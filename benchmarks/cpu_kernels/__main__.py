# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time kernels on the CPU device, in C and in Numba, each on one core: python -m benchmarks.cpu_kernels

The runs of all sides of a row alternate; the figures are medians. For a busy machine there is --best: the shortest run,
by CPU time for one core and by the clock for two. The time of a launch includes the synchronisation. Very short calls
are repeated, with consecutive launches. Results are compared before anything is timed. The last column of the workloads
is C with the kernel's blocks, shared memory and barriers, for those that have it. The table of textbook kernels has the
same columns: their algorithms are common ones, and nothing of them was chosen or changed for the CPU device.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import os
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from benchmarks.cpu_kernels.case_parts import WORST
from benchmarks.cpu_kernels.cases import Case, all_cases, check_equal
from benchmarks.cpu_kernels.data import reset
from benchmarks.cpu_kernels.peers import HERE, Numba, Peaks, compiled_c, function_of, peaks, source_of
from benchmarks.cpu_kernels.textbook.cases import textbook
from benchmarks.cpu_kernels.workloads.cases import workloads
from benchmarks.tables import duration, machine
from cuda.perf import timing

if TYPE_CHECKING:
    from cuda.core import ObjectCode

ENOUGH = 2e-3  # seconds: shorter runs are repeated
Side = TypeVar("Side")
pick: Callable[[list[float]], float] = statistics.median  # median of the runs of a row; with --best the minimum
clock = time.perf_counter  # with --best the CPU time of all threads


class Bench:
    """The CPU device with one stream, and the arrays of a case, which both sides use.

    Parameters
    ----------
    openmp : bool, optional
        Compile the C peers with OpenMP.
    """

    def __init__(self, *, openmp: bool = False) -> None:
        from cuda.core import Device, LegacyPinnedMemoryResource

        self.openmp = openmp
        self.device = Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self._memory = LegacyPinnedMemoryResource()
        self._sources: dict[str, ObjectCode] = {}

    def code(self, source: str) -> ObjectCode:
        """Return the compiled kernels of a source file."""
        from cuda.core import Program, ProgramOptions

        if source not in self._sources:
            options = ProgramOptions(
                arch=f"sm_{self.device.arch}", include_path=str(HERE), std="c++17", use_bundled_headers=True
            )
            text = source_of(source, ".cu").read_text()
            self._sources[source] = Program(text, code_type="c++", options=options).compile("cubin")
        return self._sources[source]

    def allocate(self, case: Case) -> None:
        """Copy the arrays of a case into memory that kernels can access."""
        made = case.arrays(np.random.default_rng(seed=4))
        self.buffers = {name: self._memory.allocate(a.nbytes, stream=self.stream) for name, a in made.items()}
        self.arrays = {name: np.frombuffer(memoryview(self.buffers[name]), a.dtype, a.size) for name, a in made.items()}
        for name, array in made.items():
            self.arrays[name][:] = array
        reset(case, self.arrays)

    def launches(self, case: Case) -> tuple[Callable[[int], None], str]:
        """Return a function that runs the kernels a number of times, and a description of their paths."""
        from cuda.core import LaunchConfig, launch

        planned, notes = [], io.StringIO()
        for name, grid, block, arguments in case.launches:
            values = [self.buffers[a] if isinstance(a, str) else a for a in arguments]
            planned.append((LaunchConfig(grid=grid, block=block), self.code(case.source).get_kernel(name), values))
        stream = self.stream

        def run(count: int) -> None:
            for _ in range(count):
                for config, kernel, values in planned:
                    launch(stream, config, kernel, *values)
            stream.sync()

        os.environ["CUDA_CPU_EXPLAIN"] = "1"
        with contextlib.redirect_stderr(notes):
            run(1)
        del os.environ["CUDA_CPU_EXPLAIN"]
        return run, path_of(notes.getvalue())

    def peer(self, case: Case) -> Callable[[int], None]:
        return self._in_c(case, case.source, case.peer)

    def in_blocks(self, case: Case) -> Callable[[int], None]:
        """Return a function that runs C in the kernel's order."""
        return self._in_c(case, f"{case.source}_in_blocks", case.in_blocks)

    def _in_c(self, case: Case, source: str, name: str) -> Callable[[int], None]:
        function = function_of(case, self.arrays, source, name, openmp=self.openmp)

        def run(count: int) -> None:
            for _ in range(count):
                function()

        return run


def path_of(notes: str) -> str:
    """Return how the kernels run, from the output of CUDA_CPU_EXPLAIN."""
    heads = [line.partition("kernel ")[2].split("; ") for line in notes.splitlines() if ": kernel " in line]
    short = [f"{head[-1].partition(',')[0]} ({head[1].removeprefix('accesses: ')})" for head in heads]
    return "; ".join(dict.fromkeys(short)).replace("|", "/")


def timed(run: Callable[[int], object], count: int) -> float:
    return timing.timed(lambda: run(count), clock) / count


def alternate(sides: dict[Side, Callable[[], float]], seconds: float) -> dict[Side, float]:
    """Run all sides alternately until the time is over; return the medians, or the minima."""
    return {name: pick(values) for name, values in timing.alternate(sides, seconds).items()}


def check_results(
    case: Case, arrays: dict[str, np.ndarray], run: Callable[[int], None], in_c: dict[str, Callable[[int], None]]
) -> dict[str, np.ndarray]:
    """Check that the device and C write the same results into the arrays, and return them."""
    reset(case, arrays)
    run(1)
    found = {name: arrays[name].copy() for name in case.results}
    for side, function in in_c.items():
        reset(case, arrays)
        function(1)
        for name in case.results:
            check_equal(case, found[name], arrays[name], f"{case.name}: {name}, {side}")
    return found


def compare(bench: Bench, numba: Numba | None, case: Case, seconds: float) -> tuple[dict, str]:
    """Check that all sides write the same results, and time them."""
    bench.allocate(case)
    run, path = bench.launches(case)
    in_c = {"c": bench.peer(case)}
    if case.in_blocks and not bench.openmp:
        in_c["in blocks"] = bench.in_blocks(case)
    found = check_results(case, bench.arrays, run, in_c)
    run(2)  # warm up
    count = 1 if case.resets else max(1, round(ENOUGH / max(timed(in_c["c"], 3), 1e-9)))

    def side(function: Callable[[int], None]) -> float:
        if case.resets:
            reset(case, bench.arrays)
        return timed(function, count)

    sides: dict[str, Callable[[], float]] = {"ours": lambda: side(run)}
    sides.update((name, functools.partial(side, function)) for name, function in in_c.items())
    if numba:
        for name, array in numba.load(case).items():
            check_equal(case, array, found[name], f"{case.name}: {name}, Numba")
        numba.run(1, False)
        sides["numba"] = lambda: numba.run(count, clock is time.process_time)
    return alternate(sides, seconds), path


def share_of_peak(case: Case, took: float, peak: Peaks) -> str:
    rates = (
        (case.flops, peak.flops, "FLOP/s"),
        (case.operations, peak.operations, "integers"),
        (case.bytes, peak.bandwidth, "bandwidth"),
    )
    shares = [(amount / took / most, name) for amount, most, name in rates if amount]
    return "{:.0%} {}".format(*max(shares)) if shares else ""


def use_one_core() -> Peaks:
    """Pin the process to one core; return its peaks."""
    from cuda.cpu.runtime import _runtime

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    _runtime.set_workers(1)  # workers started for another table keep their cores
    peak = peaks(compiled_c())
    print(
        f"\nOne core: {peak.flops / 1e9:.0f} GFLOP/s, {peak.operations / 1e9:.0f} billion integer operations/s "
        f"and {peak.bandwidth / 1e9:.1f} GB/s by the best known loops.\n"
    )
    return peak


def workload_table(cases: list[Case], seconds: float) -> None:
    """Print our time relative to C's, and the geometric mean of that; last, the time of C in the kernel's order."""
    peak = use_one_core()
    print("| workload | CPU device | C | time / C's | share of the peak | path | C in the kernel's order |")
    print("|---|---|---|---|---|---|---|", flush=True)
    bench, ratios = Bench(), []
    for case in cases:
        took, path = compare(bench, None, case, seconds)
        ratios.append(took["ours"] / took["c"])
        share = share_of_peak(case, took["ours"], peak)
        ordered = duration(took["in blocks"]) if case.in_blocks else ""
        cells = case.name, duration(took["ours"]), duration(took["c"]), f"{ratios[-1]:.2f}", share, path, ordered
        print(f"| {' | '.join(cells)} |", flush=True)
    summarise(ratios)


def summarise(ratios: list[float]) -> None:
    above = sum(ratio > 1 / WORST for ratio in ratios)
    print(f"\n{len(ratios)} workloads, geometric mean {statistics.geometric_mean(ratios):.2f}, {above} above 1.5")


def worker_counts() -> list[int]:
    """Return 1, 2, 4 and so on, and the number of cores that the process may use."""
    cores = len(os.sched_getaffinity(0))
    return [*(1 << power for power in range(cores.bit_length()) if 1 << power < cores), cores]


def speed_table(cases: list[Case], numba_python: str, seconds: float) -> None:
    peak = use_one_core()
    print("| kernel | CPU device | C | speed / C | target | Numba | share of the peak | path |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    bench = Bench()
    numba = Numba(numba_python) if numba_python else None
    for case in cases:
        took, path = compare(bench, numba, case, seconds)
        ratio = took["c"] / took["ours"]
        cells = [
            case.name, duration(took["ours"]), duration(took["c"]), f"{ratio:.2f}", f"{case.target:.1f}",
            duration(took["numba"]) if numba else "", share_of_peak(case, took["ours"], peak), path,
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |", flush=True)
    if numba:
        numba.close()


def scaling_table(cases: list[Case], seconds: float) -> None:
    """Print the time with one worker, and the speedup with more, up to one for each core."""
    from cuda.cpu.runtime import _runtime

    bench, before = Bench(), _runtime.workers()
    counts = worker_counts()
    print(f"\n| kernel | 1 worker | {' | '.join(map(str, counts[1:]))} |\n|---|{'---|' * len(counts)}", flush=True)
    for case in cases:
        bench.allocate(case)
        run, _ = bench.launches(case)

        def on(workers: int, run: Callable = run) -> float:
            _runtime.set_workers(workers)
            timed(run, 1)  # starts or wakes them
            return timed(run, 1)

        on(counts[-1])
        took = alternate({count: functools.partial(on, count) for count in counts}, seconds)
        speedups = " | ".join(f"{took[1] / took[count]:.2f}" for count in counts[1:])
        print(f"| {case.name} | {duration(took[1])} | {speedups} |", flush=True)
    _runtime.set_workers(before)


def openmp_table(cases: list[Case], seconds: float) -> None:
    """Print the time of a worker for each core relative to that of as many threads of OpenMP, by the clock."""
    from cuda.cpu.runtime import _runtime

    cores = worker_counts()[-1]
    _runtime.set_workers(cores)
    # Both are read when the first library is loaded. Threads of OpenMP that wait actively would take a worker's core.
    os.environ |= {"OMP_NUM_THREADS": str(cores), "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}
    print(f"\n| workload | {cores} workers | C with OpenMP | time / C's |\n|---|---|---|---|", flush=True)
    bench, ratios = Bench(openmp=True), []
    for case in cases:
        if case.serial:
            continue
        took, _ = compare(bench, None, case, seconds)
        ratios.append(took["ours"] / took["c"])
        print(f"| {case.name} | {duration(took['ours'])} | {duration(took['c'])} | {ratios[-1]:.2f} |", flush=True)
    summarise(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_kernels", description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="beginnings of names; default: all")
    parser.add_argument("--numba", default="", metavar="PYTHON", help="the Python of an environment that has Numba")
    parser.add_argument("--seconds", type=float, default=1.5, help="for each row (default 1.5)")
    parser.add_argument(
        "--best", action="store_true", help="the shortest run, by CPU time where one core works: for a busy machine"
    )
    parser.add_argument(
        "--only", choices=["speed", "scaling", "latency", "workloads", "textbook", "openmp", "short", "samples",
                 "counters"],
        help="one of the tables; textbook: kernels of textbooks and of known benchmark suites, as the workloads; "
        "openmp: the workloads with a worker for each core, beside OpenMP; short: launches of few microseconds by the "
        "number of workers; samples: where the time of the workloads goes, by "
        "perf; counters: how many instructions they execute, by single steps",
    )  # fmt: skip
    options = parser.parse_args()
    global pick
    pick = min if options.best else pick
    os.environ.setdefault("CUDA_PYTHON_DRIVER", "cpu")
    os.environ.setdefault("CUDA_CPU_LEVEL", "3")  # the level of hot kernels
    names = tuple(options.kernels)

    def chosen(cases: list[Case]) -> list[Case]:
        return [case for case in cases if not names or case.name.startswith(names)]

    print(machine())
    parts = [options.only] if options.only else ["scaling", "latency", "speed"]  # last: it pins the process
    if "scaling" in parts:
        scaling_table([case for case in chosen(all_cases(scale=2)) if case.computes or names], options.seconds)
    if "latency" in parts:
        from benchmarks.cpu_kernels.latency import latency_table

        latency_table(Bench())
    if "short" in parts:
        from benchmarks.cpu_kernels.short import short_table

        short_table(Bench(), worker_counts(), options.seconds)
    if "openmp" in parts:
        openmp_table(chosen(workloads()), options.seconds)
    global clock
    clock = time.process_time if options.best else clock
    if "workloads" in parts:
        workload_table(chosen(workloads()), options.seconds)
    if "textbook" in parts:
        workload_table(chosen(textbook()), options.seconds)
    if "samples" in parts:
        from benchmarks.cpu_kernels.samples import samples_table

        samples_table(Bench(), chosen(workloads()), options.seconds)
    if "counters" in parts:
        from benchmarks.cpu_kernels.counters import counters_table

        use_one_core()
        bench = Bench()
        counters_table(bench, chosen(workloads()), lambda case: compare(bench, None, case, options.seconds)[0])
    if "speed" in parts:
        speed_table(chosen(all_cases()), options.numba, options.seconds)


if __name__ == "__main__":
    main()
