# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Measure the error rates of comparisons: python -m benchmarks.perf_targets [--state FILE]

A/A: duets of identical kernels, half of them while other processes load all cores; a verdict "faster" or "slower" is a
false alarm. A/B: duets with 5 % or 2 % more work. The same samples are given to two other rules:

All kernels are compared in each duet, so that the start of a process is shared. As in `compare --duet`, a comparison
ends when its interval is narrow, at the latest after a minute (--seconds); `--most 10` ends each after 10 processes,
with which 500 A/A and 200 A/B comparisons take some 25 minutes on two cores that nothing else uses. Each duet is
appended to a file (--state): after an interruption the same command continues, and prints the table of all duets.

nvbench: the difference of the means is significant if it is larger than the smaller of the two relative standard
deviations, as NVIDIA/nvbench issue 316 describes nvbench_compare.py.
pyperf: Student's two-sample, two-tailed t-test on all values at 95 %, as the documentation of `compare_to` says.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import perf_cases
from benchmarks.tables import machine
from cuda.perf import comparing
from cuda.perf.client import Block, Side
from cuda.perf.comparing import Options, Verdict
from cuda.perf.duet import Duet, DuetRunner
from cuda.perf.measure import CLOCKS
from cuda.perf.model import Result, Run
from cuda.perf.running import Plan

LOADS = ("as it is", "loaded")
CASES = perf_cases.__file__


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


def measure(change: str, plan: Plan, loaded: bool) -> dict[str, Any]:
    """Run a duet, and return the signs that each rule gave to its comparisons, and the time it took."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, load(loaded):
        run = duet(change, plan, folder)
    verdicts = ours(run)
    signs = {"cuda.perf": verdicts} | {
        name: {result.key: rule(result) for result in run.results} for name, rule in OTHERS.items()
    }
    return {"change": change, "loaded": loaded, "seconds": time.monotonic() - began, "signs": signs}


class State:
    """The duets that have been run, in a file of JSON lines that begins with the settings."""

    def __init__(self, path: pathlib.Path, settings: dict[str, Any]) -> None:
        lines = path.read_text().split("\n")[:-1] if path.exists() else []  # a line that was cut off does not count
        if lines and json.loads(lines[0]) != settings:
            raise SystemExit(f"{path} is of other settings: {lines[0]}; give another --state")
        self.duets: list[dict[str, Any]] = [json.loads(line) for line in lines[1:]]
        self._path = path
        path.write_text("".join(f"{line}\n" for line in lines or [json.dumps(settings)]))

    def add(self, duet: dict[str, Any]) -> None:
        self.duets.append(duet)
        with open(self._path, "a") as file:
            file.write(json.dumps(duet) + "\n")

    def of(self, change: str, loaded: bool) -> list[dict[str, Any]]:
        return [each for each in self.duets if (each["change"], each["loaded"]) == (change, loaded)]

    def count(self, change: str, loaded: bool) -> int:
        return sum(len(each["signs"]["cuda.perf"]) for each in self.of(change, loaded))


def interval(found: int, count: int) -> str:
    """Return the 95 % confidence interval of a rate (Clopper and Pearson)."""
    from scipy.stats import binomtest

    exact = binomtest(found, count).proportion_ci()
    return f"{100 * exact.low:.1f} .. {100 * exact.high:.1f} %"


def rows(state: State, change: str, loaded: bool) -> Iterator[str]:
    """Yield the rows of an experiment, one for each rule."""
    duets, done = state.of(change, loaded), state.count(change, loaded)
    for name in ("cuda.perf", *OTHERS) if done else ():
        signs = Counter(sign for each in duets for sign in each["signs"][name].values())
        found = signs[-1] + signs[1] if change == "same" else signs[1]
        seconds = sum(each["seconds"] for each in duets) / done
        rate = f"{100 * found / done:.1f} % | {interval(found, done)} | {seconds:.1f}"
        yield f"| {change}, {LOADS[loaded]} | {done} | {name} | {signs[-1]} | {signs[1]} | {rate} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=500, help="A/A; default 500")
    parser.add_argument("--detections", type=int, default=200, help="A/B, for each change; default 200")
    parser.add_argument("--processes", type=int, default=10, help="of a comparison, at least; default 10")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="default wall")
    parser.add_argument("--most", type=int, default=200, help="of a comparison, at most; default 200")
    parser.add_argument("--seconds", type=float, default=60, help="of a comparison, on average; default 60")
    parser.add_argument("--changes", nargs="*", default=["slower5"], help="A/B: slower5, slower2; default slower5")
    parser.add_argument("--loads", nargs="*", choices=LOADS, default=LOADS, help="default: both, each half")
    parser.add_argument("--state", type=pathlib.Path, default=pathlib.Path("perf_targets.jsonl"), metavar="FILE",
                        help="of the duets; default %(default)s")  # fmt: skip
    options = parser.parse_args()
    # One worker: with as many as cores, every other process of the machine delays each launch.
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_WORKERS": "1"}
    limits = {"processes": options.processes, "most": options.most, "seconds": options.seconds, "clock": options.clock}
    budget = options.seconds * len(perf_cases.SIZES) * len(perf_cases.COUNTS)
    block = Block(0.005, 0)
    plan = Plan(budget=budget, block=block, least=options.processes, most=options.most, clock=options.clock)
    state = State(options.state, limits | {"host": platform.node()})
    counts = {"same": options.comparisons} | dict.fromkeys(options.changes, options.detections)
    experiments = [(change, LOADS.index(each) == 1) for change in counts for each in options.loads]
    goals = {experiment: counts[experiment[0]] // len(options.loads) for experiment in experiments}
    print(f"{machine()} Load when it began: {os.getloadavg()[0]:.1f}.\n", flush=True)
    # A duet of each experiment in turn, so that all see the same hours, and an interrupted series has some of each.
    while missing := [each for each in experiments if state.count(*each) < goals[each]]:
        for each in missing:
            state.add(measure(each[0], plan, each[1]))
            shown = f"{each[0]}, {LOADS[each[1]]}: {state.count(*each)} of {goals[each]}"
            print(shown, file=sys.stderr, flush=True)
    print("| experiment | comparisons | rule | faster | slower | rate | 95 % interval | seconds per comparison |")
    print("|---|---|---|---|---|---|---|---|")
    for each in experiments:
        print("\n".join(rows(state, *each)))


if __name__ == "__main__":
    main()
