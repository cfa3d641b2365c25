# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time the comparison of two result files with many benchmarks: python -m benchmarks.compare_time [--benchmarks N]

The files are synthetic: 10 processes with 50 samples and 80 lines of exact counters per benchmark; a tenth of the
benchmarks is 3 % slower. Reading the files is included; the time is that of the whole command.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.tables import machine
from cuda.perf import files
from cuda.perf.model import Counters, Environment, LineCounts, Noise, Result, Run, Samples

PROCESSES, SAMPLES, LINES = 10, 50, 80


def write(path: pathlib.Path, count: int, factor: float) -> None:
    """Write a run; every tenth benchmark takes \N{MULTIPLICATION SIGN} factor."""
    generator = random.Random(factor)
    lines = [LineCounts("k", "k.cu", line, "", {"instructions": 32 * line}) for line in range(LINES)]
    results = []
    for number in range(count):
        level = 1e-3 * (factor if number % 10 == 0 else 1)
        samples = []
        for process in range(PROCESSES):
            shift = level * (1 + generator.gauss(0, 0.003))
            seconds = [shift * (1 + generator.expovariate(100)) for _ in range(SAMPLES)]
            samples.append(Samples(process, process, 0.0, 1, seconds, noise=Noise(others=0.1), wall=0.1))
        results.append(Result("benchmark", {"n": number}, counters=Counters({"ptx__inst_executed.sum": 1}, lines),
                              samples=samples))  # fmt: skip
    files.write(path, Run(0.0, environment=Environment(), results=results, complete=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", type=int, default=1000)
    count = parser.parse_args().benchmarks
    with tempfile.TemporaryDirectory() as folder:
        base, new = (pathlib.Path(folder, name) for name in ("base.jsonl", "new.jsonl"))
        write(base, count, 1.0)
        write(new, count, 1.03)
        began = time.monotonic()
        command = [sys.executable, "-m", "cuda.perf", "compare", str(base), str(new)]
        done = subprocess.run(command, capture_output=True, text=True)
        seconds, used = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        print(machine())
        print(f"{done.stdout.splitlines()[-1]}; {base.stat().st_size / 2**20:.1f} MiB per file")
        print(f"{seconds:.1f} s, of which {used.ru_utime + used.ru_stime:.1f} s on a processor")


if __name__ == "__main__":
    main()
