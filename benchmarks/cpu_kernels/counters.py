# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How many instructions kernels on the CPU device execute, and C: on x86-64 Linux, with `gcc` and `objdump`.

Virtual machines often have no hardware counters, so all threads of this process are single-stepped through one run. Of
an instruction with `rep`, each repetition counts. To save time, longer runs have a part of the data; their counts
are multiplied by the ratio of the grids.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cpu_kernels.data import reset
from benchmarks.cpu_kernels.peers import HERE, compiled_c
from benchmarks.cpu_kernels.samples import KINDS, OUTSIDE, code_in_memory, disassembled, kind_of
from benchmarks.cpu_kernels.workloads.cases import workloads
from benchmarks.tables import duration

if TYPE_CHECKING:
    from benchmarks.cpu_kernels.__main__ import Bench
    from benchmarks.cpu_kernels.cases import Case

SHORT = 0.6e-3  # seconds: longer runs are counted with one of this many parts of the data
PARTS_OF_DATA = 16
LIMIT = 30_000_000  # steps of a run, 2 to 20 µs each
GATHERS, LANES = "gathers, scatters", "their lanes"
SCALAR = "scalar"
OF_SCALAR = {"branches": r"j|ret", "scalar memory": r"(?!lea|.*nop).*\[|push|pop "}
COLUMNS = [GATHERS, LANES, *[kind for kind in KINDS if kind != GATHERS], *OF_SCALAR]
SIDES = {"ours": "CPU device", "c": "C", "in blocks": "C in the kernel's order"}
SLOTS = 1 << 18  # of the table in steps.c
REGISTER_BYTES = {"x": 16, "y": 32, "z": 64}
Counts = collections.Counter[str]


def counters_table(bench: Bench, cases: list[Case], measure: Callable[[Case], dict[str, float]]) -> None:
    """Print the instructions that each side of a case executes, by kind in percent of those of the C peer.

    `measure` returns the time of each side.
    """
    print(
        "Kinds are in percent of C's instructions. Lanes include those that a mask leaves out. Branches and scalar "
        "memory are parts of what is scalar. The last column, in thousands, is of the run that was counted, which is "
        f"one with 1/{PARTS_OF_DATA} of the data for longer ones. Runs of over {LIMIT:,} steps are left out.\n\n"
        f"| workload | code | time | instructions | / C's | per ns | {' | '.join(COLUMNS)} | {OUTSIDE} |\n"
        f"|---|---|---|---|---|---|{'---|' * len(COLUMNS)}---|",
        flush=True,
    )
    parts = {part.name: part for part in workloads(PARTS_OF_DATA)}
    for case in cases:
        took = measure(case)
        part = case if took["ours"] < SHORT else parts[case.name]
        bench.allocate(part)
        found = {side: counts_of(bench, part, side) for side in took}
        for side, counts in found.items():
            cells = cells_of(counts, found["c"], blocks(case) / blocks(part), took[side])
            print(f"| {case.name} | {SIDES[side]} | {duration(took[side])} | {' | '.join(cells)} |", flush=True)


def blocks(case: Case) -> int:
    """Return the number of blocks of the first kernel."""
    return int(np.prod(case.launches[0][1]))


def cells_of(counts: Counts, of_c: Counts, scale: float, seconds: float) -> list[str]:
    """Return the cells of a row: instructions, relative to C's, per nanosecond, by kind, and outside."""
    part, part_of_c = (sum(each[kind] for kind in KINDS) for each in (counts, of_c))
    if not part or not part_of_c:
        return [""] * (4 + len(COLUMNS))
    total = part * scale
    text = f"{total / 1e6:.3g} million" if total >= 1e6 else f"{total / 1e3:.3g} thousand"
    shares = [round(100 * counts[kind] / part_of_c) for kind in COLUMNS]
    figures = [f"{part / part_of_c:.2f}", f"{total / seconds * 1e-9:.2f}", *(str(s or "") for s in shares)]
    return [text, *figures, f"{counts[OUTSIDE] / 1e3:.0f}"]


def counts_of(bench: Bench, case: Case, side: str) -> Counts:
    """Return the instructions by kind of one run of a side of a case: none if they are too many."""
    if side == "ours":
        run, file = bench.launches(case)[0], ""
        run(3)  # until it is compiled and all threads have been started
    else:
        run = bench.peer(case) if side == "c" else bench.in_blocks(case)
        source = case.source if side == "c" else f"{case.source}_in_blocks"
        file = compiled_c(source, openmp=bench.openmp)._name
    reset(case, bench.arrays)
    counts = counted(functools.partial(run, 1))
    return count_kinds(counts, file) if counts.total() < LIMIT else collections.Counter()


def counted(run: Callable[[], object], limit: int = LIMIT) -> collections.Counter[int]:
    """Return how often the threads of this process execute the instruction at each address, until the limit."""
    library = stepper()
    library.begin_steps(ctypes.c_uint64(limit))
    try:
        run()
    finally:
        library.end_steps()
    table = (ctypes.c_uint64 * 2 * SLOTS).in_dll(library, "table")
    return collections.Counter({address: count for address, count in table if count})


@functools.cache
def stepper() -> ctypes.CDLL:
    """Compile the library that steps threads."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        sys.exit("instructions can be counted on x86-64 Linux only")
    for tool in ("gcc", "objdump"):
        if not shutil.which(tool):
            sys.exit(f"instructions cannot be counted without {tool}")
    path = f"{tempfile.mkdtemp()}/steps.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path, HERE / "steps.c"], check=True)
    return ctypes.CDLL(path)


def count_kinds(counts: collections.Counter[int], file: str) -> Counts:
    """Return how many of the counted instructions are of each kind, and in how many lanes they gather or scatter.

    Parameters
    ----------
    file : str
        The library whose code is counted, "" for machine code of kernels. The rest is outside.
    """
    found: Counts = collections.Counter({OUTSIDE: counts.total()})
    for low, high in code_in_memory(file):
        if not any(low <= address < high for address in counts):
            continue
        for address, text in disassembled(low, high):
            if count := counts.get(address):
                kind = kind_of(text)
                found[OUTSIDE] -= count
                found[kind] += count
                if kind == GATHERS:
                    found[LANES] += count * lanes_of(text)
                elif kind == SCALAR:
                    found.update({part: count for part, pattern in OF_SCALAR.items() if re.match(pattern, text)})
    return found


def lanes_of(instruction: str) -> int:
    """Return how many words a gather or a scatter accesses if its mask leaves none out."""
    name, _, operands = instruction.partition(" ")
    register = re.search(r"\b([xyz])mm\d", re.sub(r"\[.*?\]", "", operands))
    assert register, instruction
    return REGISTER_BYTES[register[1]] // (8 if name.endswith(("q", "pd")) else 4)
