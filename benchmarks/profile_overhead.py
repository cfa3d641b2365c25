# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time kernels with and without a profile, on one core: python -m benchmarks.profile_overhead

Each row gives the shortest of some runs of optimised code without a profile, the same with one (without the compilation
and the report), and the ratio.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable

from cuda.perf import timing

RUNS = 3


def shortest(run: Callable[[int], None]) -> float:
    """Return the seconds of the shortest of some runs, after one that compiles."""
    return min(timing.repeated(lambda: run(1), RUNS, time.process_time))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels to run; default: all")
    names = parser.parse_args().names
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_WORKERS": "1", "CUDA_CPU_LEVEL": "3"}
    from benchmarks.cpu_kernels.__main__ import Bench
    from benchmarks.cpu_kernels.cases import all_cases
    from cuda.cpu.profile import Profile

    bench, ratios = Bench(), []
    print("| kernel | plain (ms) | profiled (ms) | ratio |\n|---|---|---|---|")
    for case in all_cases():
        if names and case.name.split(",")[0] not in names:
            continue
        bench.allocate(case)
        run, _ = bench.launches(case)
        plain = shortest(run)
        with Profile():
            profiled = shortest(run)
        ratios.append(profiled / plain)
        print(f"| {case.name} | {1e3 * plain:.2f} | {1e3 * profiled:.2f} | {ratios[-1]:.1f} |", flush=True)
    print(f"\nGeometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
