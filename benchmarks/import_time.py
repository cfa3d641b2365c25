# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The time of imports, and from import to first launch, in new processes with the null driver."""

from __future__ import annotations

import statistics
import subprocess

FIRST_LAUNCH = r"""
from cuda.core import Device, LaunchConfig, ObjectCode, launch
device = Device()
device.set_current()
stream = device.create_stream()
ptx = b".version 8.0\n.target sm_90\n.address_size 64\n.entry mixed_0() { ret; }\0"
kernel = ObjectCode.from_ptx(ptx).get_kernel("mixed_0")
launch(stream, LaunchConfig(grid=1, block=1), kernel)
"""
# Name, targets (milliseconds more than bare Python, MiB of the process), program.
ROWS = [
    ("import nothing", None, None, "pass"),
    ("import cuda.bindings.driver", 12, 14, "import cuda.bindings.driver"),
    ("import cuda.core", 30, 25, "import cuda.core"),
    ("from cuda.core import *", 30, 25, "from cuda.core import *"),
    ("import to first launch", 80, None, FIRST_LAUNCH),
]
MEASURED = r"""
import time
start = time.perf_counter()
{}
end = time.perf_counter()
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(1e3 * (end - start), int(resident.split()[1]) / 1024)
"""


def measure(python: str, environment: dict[str, str], program: str) -> tuple[float, float]:
    """Return the milliseconds and the MiB of a process that runs a program."""
    command = [python, "-c", MEASURED.format(program)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    milliseconds, mebibytes = map(float, done.stdout.split()[-2:])
    return milliseconds, mebibytes


def table(sides: list[tuple[str, dict[str, str]]], rounds: int) -> list[str]:
    """Return the rows of this project and the peer, measured in turn: minimum of time, median of memory."""
    lines = [
        "| program | target | ours | NVIDIA's | target, MiB | ours | NVIDIA's |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, time_target, space_target, program in ROWS:
        found: list[list[tuple[float, float]]] = [[] for _ in sides]
        for number in range(rounds + 1):
            for side, results in zip(sides, found, strict=True):
                value = measure(*side, program)
                if number:  # the first run reads files from disk
                    results.append(value)
        times = [f"{min(value[0] for value in results):.1f} ms" for results in found]
        spaces = [f"{statistics.median(value[1] for value in results):.1f}" for results in found]
        times, spaces = [*times, "-"][:2], [*spaces, "-"][:2]
        goal = f"{time_target} ms" if time_target else ""
        lines.append(f"| {name} | {goal} | {' | '.join(times)} | {space_target or ''} | {' | '.join(spaces)} |")
    return lines
