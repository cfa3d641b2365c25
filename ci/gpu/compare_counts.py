# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compare the counts of the CPU device's profiler with those of a GPU, which Nsight Compute (ncu) reads.

python ci/gpu/compare_counts.py --report FOLDER SCRIPT [ARGUMENT ...]

Only metrics whose names are NVIDIA's are compared: they do not depend on how a compiler translates PTX, except where it
moves or merges accesses. ncu needs permission to read hardware counters.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from typing import NamedTuple

PREFIXES = ("l1tex__", "smsp__warps_launched", "launch__grid_size", "launch__block_size")
TOLERANCE = 0.005  # ncu prints ratios with two digits
COLUMNS = ("ID", "Kernel Name", "Metric Name", "Metric Value")


class Launch(NamedTuple):
    kernel: str
    metrics: dict[str, float]


def of_ncu(lines: Iterable[str]) -> list[Launch]:
    """Return the launches in the output of `ncu --csv --metrics ...`, in their order.

    Raises
    ------
    ValueError
        There is no table with the expected columns.
    """
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    if not rows or any(column not in rows[0] for column in COLUMNS):
        raise ValueError(f"this is no table of ncu with the columns {', '.join(COLUMNS)}: {rows[:1]}")
    number, kernel, name, value = map(rows[0].index, COLUMNS)
    found: dict[str, Launch] = {}
    for row in rows[1:]:
        if len(row) == len(rows[0]) and row[name]:
            launch = found.setdefault(row[number], Launch(row[kernel], {}))
            text = row[value].replace(",", "")
            if text not in ("", "n/a", "N/A", "(!)", "nan"):
                launch.metrics[row[name]] = float(text)
    return list(found.values())


def of_cpu(data: dict) -> list[Launch]:
    """Return the launches of the JSON that `python -m cuda.cpu profile` writes, in their order."""
    numbered = [(number, entry) for entry in data["launches"] for number in entry["numbers"]]
    return [
        Launch(entry["kernel"], {name: each for name, each in entry["metrics"].items() if name.startswith(PREFIXES)})
        for _, entry in sorted(numbered, key=lambda each: each[0])
    ]


def compare(cpu: list[Launch], gpu: list[Launch]) -> tuple[list[str], int]:
    """Return a Markdown table of all values, and how many differ. A metric that ncu does not have is no difference."""
    lines = ["| launch | metric | CPU device | GPU | |", "|---|---|---|---|---|"]
    different = 0
    if [each.kernel for each in cpu] != [each.kernel for each in gpu]:
        return [f"The launches differ: {[each.kernel for each in cpu]} and {[each.kernel for each in gpu]}"], 1
    for number, (one, other) in enumerate(zip(cpu, gpu, strict=True), 1):
        for name, value in one.metrics.items():
            measured = other.metrics.get(name)
            same = measured is None or abs(measured - value) <= (0 if isinstance(value, int) else TOLERANCE)
            different += not same
            verdict = "not available" if measured is None else "" if same else "different"
            lines.append(f"| {number} {one.kernel} | {name} | {value:g} | {measured if measured is not None else ''} "
                         f"| {verdict} |")  # fmt: skip
    return lines, different


def profiles(command: list[str], folder: pathlib.Path, ncu: str) -> tuple[list[Launch], list[Launch]]:
    """Run a program on the CPU device and on the GPU."""
    output = folder / "cpu.json"
    own = [sys.executable, "-m", "cuda.cpu", "profile", "--json", str(output), *command]
    subprocess.run(own, check=True, env=os.environ | {"CUDA_PYTHON_DRIVER": "cpu"}, stdout=subprocess.DEVNULL)
    cpu = of_cpu(json.loads(output.read_text()))
    names = ",".join(dict.fromkeys(name for launch in cpu for name in launch.metrics))
    options = ["--csv", "--print-kernel-base", "mangled", "--target-processes", "all", "--metrics", names]
    done = subprocess.run(
        [ncu, *options, sys.executable, *command], env=os.environ | {"CUDA_PYTHON_DRIVER": "nvidia"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    (folder / "ncu.csv").write_text(done.stdout)
    return cpu, of_ncu(done.stdout.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=pathlib.Path, required=True, help="folder for counts.md and the raw counts")
    parser.add_argument("--ncu", default="ncu", help="the program of Nsight Compute")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="SCRIPT", help="and its arguments")
    options = parser.parse_args()
    if not options.command:
        parser.error("a SCRIPT is needed")
    if shutil.which(options.ncu) is None:
        parser.error(f"{options.ncu} is not installed: it comes with Nsight Compute")
    options.report.mkdir(parents=True, exist_ok=True)
    try:
        lines, different = compare(*profiles(options.command, options.report, options.ncu))
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"ci/gpu/compare_counts.py: {error}", file=sys.stderr)
        return 2
    (options.report / "counts.md").write_text("\n".join(["# Counts of the CPU device and a GPU", "", *lines]) + "\n")
    print(f"{different} values differ; see {options.report / 'counts.md'}")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
