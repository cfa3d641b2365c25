# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of call times: this project and the peer in turn, and the same calls from C."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys
import sysconfig
from typing import Any

HERE = pathlib.Path(__file__).parent
TABLES = ("rows_bindings", "rows_core")


def worker(python: str, variables: dict[str, str], tables: tuple[str, ...]) -> dict:
    """Measure tables in a new process; see calls.py."""
    command = [python, str(HERE / "calls.py"), *tables]
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def gpu_table(sides: list[tuple[str, dict[str, str]]], rounds: int) -> list[str]:
    """Return the rows of cuda.core on a real driver, in bursts; this project and the peer in turn."""
    runs = [[worker(*side, ("--settle", "rows_core"))["rows_core"]["values"] for side in sides] for _ in range(rounds)]
    lines = ["| operation | ours | NVIDIA's | ratio |", "|---|---|---|---|"]
    for name in runs[0][0]:
        found = compared([[run[side][name] for run in runs] for side in range(len(sides))])
        lines.append(f"| {' | '.join([name, *found])} |")
    return lines


def compared(sides: list[list]) -> list[str]:
    """Return the cells of a row: the times of this project and of the peer, and their ratio."""
    ours, *peer = map(median, sides)
    known = isinstance(ours, float) and peer and isinstance(peer[0], float)
    return [spell(ours), spell(peer[0]) if peer else "-", f"{ours / peer[0]:.2f}" if known else "-"]


def floor(variables: dict[str, str], folder: pathlib.Path) -> dict[str, dict[str, float]]:
    """Return the times of the calls from a C extension without checks, and from C itself."""
    include, library = sysconfig.get_path("include"), folder / "floor.so"
    command = ["gcc", "-O2", "-shared", "-fPIC", f"-I{include}", "-o", str(library), str(HERE / "floor.c"), "-ldl"]
    subprocess.run(command, check=True)
    found = [worker(sys.executable, variables | {"PYTHONPATH": str(folder)}, ("rows_floor",)) for _ in range(3)]
    extension, loops = [run["rows_floor"]["values"] for run in found], [run["loops"] for run in found]
    return {"extension": least(extension), "loops": least(loops)}


def least(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(run[name] for run in runs) for name in runs[0]}


def table(sides: list[tuple[str, dict[str, str]]], folder: pathlib.Path, rounds: int) -> list[str]:
    """Return the rows of cuda.bindings and cuda.core: medians over new processes, this project and the peer in turn."""
    runs = [[worker(*side, TABLES) for side in sides] for _ in range(rounds)]
    lowest = floor(sides[0][1], folder)
    (folder / "calls.json").write_text(json.dumps({"runs": runs, "floor": lowest}))
    lines = [
        "| operation | target | ours | NVIDIA's | ratio | C extension without checks | C |",
        "|---|---|---|---|---|---|---|",
    ]
    for rows in TABLES:
        for name, target in runs[0][0][rows]["targets"].items():
            found = compared([[run[side][rows]["values"][name] for run in runs] for side in range(len(sides))])
            goal = f"{target:,} ns" if isinstance(target, int) else target or ""
            cells = [name, goal, *found, spell(lowest["extension"].get(name))]
            lines.append(f"| {' | '.join([*cells, spell(lowest['loops'].get(name.partition(',')[0]))])} |")
    return lines


def median(values: list) -> Any:
    """Return the median of times, or the error of one of the processes."""
    return next((value for value in values if isinstance(value, str)), None) or statistics.median(values)


def spell(nanoseconds: float | str | None) -> str:
    if nanoseconds is None:
        return ""
    if isinstance(nanoseconds, str):
        return "has none" if nanoseconds.startswith(("AttributeError", "NameError")) else nanoseconds
    return f"{nanoseconds:,.{1 if nanoseconds < 20 else 0}f} ns"
