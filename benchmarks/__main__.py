# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the suites with ours and with the peers, in one run, and print tables: python -m benchmarks [SUITE ...]

Overheads and imports run on a driver that does nothing, the same for both sides; NVIDIA's packages live in a virtual
environment of their own, made at the first run. Results and the driver lie in benchmarks/_out.
"""

from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import platform
import subprocess
import sys

import pyperf

from benchmarks import null_driver

HERE = pathlib.Path(__file__).parent
OUT = HERE / "_out"
PEER_PACKAGES = ["cuda-core==1.2.2", "cuda-bindings==13.5.0", "pyperf", "numpy"]
# On the driver that does nothing, ours against NVIDIA's.
OVERHEADS = ("import_time", "call_overhead", "launch", "memory")
SUITES = (*OVERHEADS, "cpu_kernels")


def peer_python() -> str:
    """Return the Python that has NVIDIA's packages."""
    python = OUT / "peer/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", OUT / "peer"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEER_PACKAGES], check=True)
    return str(python)


def measure(suite: str, label: str, command: list[str], changes: dict[str, str], fast: bool) -> dict[str, float]:
    """Run one suite and return the mean seconds of each benchmark."""
    result = OUT / f"{suite}-{label}.json"
    result.unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "LD_LIBRARY"))}
    environment |= changes
    names = ",".join([*changes, "PYTHONPATH"])
    command = [*command, str(HERE / f"{suite}.py"), "-q", "--inherit-environ", names, "-o", str(result)]
    subprocess.run([*command, *(["--fast"] if fast else [])], env=environment, check=True, stdout=subprocess.DEVNULL)
    return {bench.get_name(): bench.mean() for bench in pyperf.BenchmarkSuite.load(str(result)).get_benchmarks()}


def overhead_table(suite: str, driver: pathlib.Path, fast: bool, with_peer: bool) -> list[str]:
    """Return the rows of a suite that ours and NVIDIA's packages run on the driver that does nothing."""
    ours = measure(suite, "ours", [sys.executable], {"CUDA_PYTHON_DRIVER": str(driver)}, fast)
    if not with_peer:
        return ["| what | ours |", "|---|---|", *(f"| {name} | {time(value)} |" for name, value in ours.items())]
    peer_changes = {"LD_LIBRARY_PATH": str(driver.parent), "PYTHONPATH": ""}
    peer = measure(suite, "peer", [peer_python()], peer_changes, fast)
    lines = ["| what | ours | NVIDIA's | ratio |", "|---|---|---|---|"]
    return lines + [
        f"| {name} | {time(ours[name])} | {time(peer[name])} | {ours[name] / peer[name]:.2f} |" for name in ours
    ]


def kernels_table(fast: bool) -> list[str]:
    """Return the rows of the kernels on one core beside gcc's, and what more cores bring."""
    cores = sorted(os.sched_getaffinity(0))
    changes = {"CUDA_PYTHON_DRIVER": "cpu"}
    pin = ["taskset", "--cpu-list"]
    one = measure("cpu_kernels", "one", [*pin, str(cores[0]), sys.executable], changes, fast)
    all_ = measure("cpu_kernels", "all", [*pin, ",".join(map(str, cores)), sys.executable], changes, fast)
    lines = [
        f"| kernel | one core | gcc, one core | ratio | {len(cores)} cores | scaling |",
        "|---|---|---|---|---|---|",
    ]
    for name in (name.removesuffix(", gcc") for name in one if name.endswith(", gcc")):
        ours, peer, more = one[f"{name}, CPU device"], one[f"{name}, gcc"], all_[f"{name}, CPU device"]
        cells = (time(ours), time(peer), f"{ours / peer:.2f}", time(more), f"{ours / more:.2f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def time(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def machine() -> str:
    """Return a sentence on where and when."""
    models = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    model = models[0].partition(":")[2].strip() if models else platform.machine()
    cores, python = len(os.sched_getaffinity(0)), platform.python_version()
    return f"{datetime.date.today()}, {model}, {cores} cores, Python {python}, {platform.system()}."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)}; default: all")
    parser.add_argument("--fast", action="store_true", help="fewer values, for a first look")
    parser.add_argument("--no-peer", action="store_true", help="leave NVIDIA's packages out")
    options = parser.parse_args()
    if unknown := set(options.suites) - set(SUITES):
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    OUT.mkdir(exist_ok=True)
    print(machine(), flush=True)
    for suite in options.suites or SUITES:
        if suite == "cpu_kernels":
            table = kernels_table(options.fast)
        else:
            table = overhead_table(suite, null_driver.build(OUT), options.fast, not options.no_peer)
        print(f"\n## {suite}\n", *table, sep="\n", flush=True)


if __name__ == "__main__":
    main()
