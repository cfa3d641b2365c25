# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Measure the error rates of comparisons: python -m benchmarks.perf_targets [--comparisons N] [--detections N]

A/A: duets of identical kernels, half of them while other processes load all cores; a verdict "faster" or "slower" is a
false alarm. A/B: duets with 5 % or 2 % more work. The same samples are given to two other rules:

nvbench: the difference of the means is significant if it is larger than the smaller of the two relative standard
deviations, as NVIDIA/nvbench issue 316 describes nvbench_compare.py.
pyperf: Student's two-sample, two-tailed t-test on all values at 95 %, as the documentation of `compare_to` says.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.tables import machine
from cuda.perf import comparing
from cuda.perf.client import Block, Side
from cuda.perf.comparing import Options, Verdict
from cuda.perf.duet import Duet, DuetRunner
from cuda.perf.model import Result, Run
from cuda.perf.running import Plan

LOADS = ("as it is", "loaded")
CASES = str(pathlib.Path(__file__).with_name("perf_cases.py"))


# Ends with its parent, even if that is killed.
BUSY = """
import os, time
parent = os.getppid()
while os.getppid() == parent:
    end = time.time() + 0.5
    while time.time() < end:
        pass
    time.sleep(0.5)
"""


@contextlib.contextmanager
def load(active: bool) -> Iterator[None]:
    """Keep all cores busy by other processes: half a second of work, half a second of rest, not in step."""
    count = len(os.sched_getaffinity(0)) if active else 0
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def duet(change: str, plan: Plan, folder: str) -> Run:
    """Run all kernels, unchanged and with a change, in alternation."""
    side = Side([CASES])
    runner = DuetRunner(Duet((side, side), "change", ("base", change)), plan, os.path.join(folder, "duet.jsonl"))
    return runner.run()


def times(result: Result, side: str) -> np.ndarray:
    return np.array(result.seconds(side))


def nvbench(result: Result) -> int:
    """Return the sign of the difference that nvbench_compare.py reports, 0 for none."""
    base, new = times(result, "base"), times(result, "new")
    noise = min(each.std(ddof=1) / each.mean() for each in (base, new))
    difference = (new.mean() - base.mean()) / base.mean()
    return 0 if abs(difference) <= noise else int(math.copysign(1, difference))


def pyperf(result: Result) -> int:
    """Return the sign of the difference that pyperf's rule finds significant, 0 for none."""
    from scipy.stats import ttest_ind

    base, new = (times(result, side) for side in ("base", "new"))
    return int(math.copysign(1, new.mean() - base.mean())) if ttest_ind(base, new).pvalue < 0.05 else 0


def ours(run: Run) -> dict[str, int]:
    """Return key -> sign of the verdict; each comparison alone, without correction for their number."""
    report = comparing.compare_duet(run, Options(correction="none"))
    signs = {Verdict.SLOWER: 1, Verdict.FASTER: -1}
    return {each.key: signs.get(each.verdict, 0) for each in report.comparisons}


Rule = Callable[[Result], int]
OTHERS: dict[str, Rule] = {"nvbench": nvbench, "pyperf": pyperf}


def measure(change: str, count: int, plan: Plan, loaded: bool) -> tuple[Counter[tuple[str, int]], int]:
    """Return how often each rule gave each sign, in at least `count` comparisons, and their number."""
    signs: Counter[tuple[str, int]] = Counter()
    done = 0
    with tempfile.TemporaryDirectory() as folder, load(loaded):
        while done < count:
            run = duet(change, plan, folder)
            verdicts = ours(run)
            for result in run.results:
                signs["cuda.perf", verdicts[result.key]] += 1
                for name, rule in OTHERS.items():
                    signs[name, rule(result)] += 1
            done += len(run.results)
            print(f"{change}, {'loaded' if loaded else 'as it is'}: {done} of {count}", file=sys.stderr, flush=True)
    return signs, done


def interval(found: int, count: int) -> str:
    """Return the 95 % confidence interval of a rate (Clopper and Pearson)."""
    from scipy.stats import binomtest

    exact = binomtest(found, count).proportion_ci()
    return f"{100 * exact.low:.1f} .. {100 * exact.high:.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=500, help="A/A; default 500")
    parser.add_argument("--detections", type=int, default=200, help="A/B, for each change; default 200")
    parser.add_argument("--processes", type=int, default=10, help="per comparison; default 10")
    parser.add_argument("--changes", nargs="*", default=["slower5", "slower2"], help="A/B; default slower5 slower2")
    parser.add_argument("--loads", nargs="*", choices=LOADS, default=LOADS, help="default: both, each half")
    options = parser.parse_args()
    # One worker: with as many as cores, every other process of the machine delays each launch.
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_WORKERS": "1"}
    plan = Plan(budget=3600, block=Block(0.005, 0), least=options.processes, most=options.processes)
    print(f"{machine()} Load when it began: {os.getloadavg()[0]:.1f}.\n")
    print("| experiment | comparisons | rule | faster | slower | rate | 95 % interval | seconds per comparison |")
    print("|---|---|---|---|---|---|---|---|")
    counts = {"same": options.comparisons} | dict.fromkeys(options.changes, options.detections)
    for change, loaded in itertools.product(counts, options.loads):
        count = counts[change] // 2
        if count <= 0:
            continue
        began = time.monotonic()
        signs, done = measure(change, count, plan, loaded == LOADS[1])
        seconds = (time.monotonic() - began) / done
        for name in ("cuda.perf", *OTHERS):
            faster, slower = signs[name, -1], signs[name, 1]
            found = faster + slower if change == "same" else slower
            title = f"{change}, {loaded}"
            rate = f"{100 * found / done:.1f} % | {interval(found, done)} | {seconds:.1f}"
            print(f"| {title} | {done} | {name} | {faster} | {slower} | {rate} |", flush=True)


if __name__ == "__main__":
    main()
