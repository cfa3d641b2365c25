# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time kernels with and without checks, on one core: python -m benchmarks.check_overhead [--checks C,C] [NAME ...]

Each row gives the CPU time of optimised code without checks, and for each check how many times that a checked run takes
(without the compilation): the shortest of seven runs, each. Each check runs in a process of its own; `matmul, 1024` is
left out unless it is named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time

from cuda.perf import timing

RUNS = 7  # of each kernel, of which the shortest counts
TARGETS = {"memcheck": 5, "racecheck": 8}
SLOW = "matmul, 1024"


def measure(names: list[str]) -> None:
    """Print a line for each kernel: its name and seconds, with the checks of this process."""
    from benchmarks.cpu_kernels.__main__ import Bench
    from benchmarks.cpu_kernels.cases import all_cases

    bench = Bench()
    for case in all_cases():
        if case.name == SLOW if not names else case.name.split(",")[0] not in names:
            continue
        bench.allocate(case)
        run, _ = bench.launches(case)
        times = timing.repeated(lambda run=run: run(1), RUNS, time.process_time)  # type: ignore[misc]
        print(json.dumps([case.name, min(times)]), flush=True)


def seconds(check: str, names: list[str]) -> dict[str, float]:
    """Return the seconds of each kernel in a process with a check; "": with none."""
    command = [sys.executable, "-m", "benchmarks.check_overhead", "--measure", *names]
    result = subprocess.run(command, env=os.environ | {"CUDA_CPU_CHECK": check}, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(line) for line in result.stdout.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels to run; default: all")
    parser.add_argument("--checks", default=",".join(TARGETS))
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_WORKERS": "1", "CUDA_CPU_LEVEL": "3"}
    if options.measure:
        measure(options.names)
        return
    checks = options.checks.split(",")
    plain, checked = seconds("", options.names), {each: seconds(each, options.names) for each in checks}
    print(f"| kernel | plain (ms) | {' | '.join(checks)} |\n|---|---|{'---|' * len(checks)}")
    for name, least in plain.items():
        print(f"| {name} | {1e3 * least:.2f} | {' | '.join(f'{checked[c][name] / least:.1f}' for c in checks)} |")
    for check in checks:
        ratios = [checked[check][name] / least for name, least in plain.items()]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        target = TARGETS.get(check, 8)
        within = sum(ratio <= target for ratio in ratios)
        print(f"\n{check}: geometric mean {mean:.1f}; {within} of {len(ratios)} kernels at most {target}")


if __name__ == "__main__":
    main()
