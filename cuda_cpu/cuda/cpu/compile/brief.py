# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which launches get brief code: those that take less time than compiling the kernel does.

Brief code has one copy of each block, for any lanes of a SIMD group, where other code has up to four, and its SIMD
groups fill one register. LLVM compiles it in half of the time or less. It takes about three times as long to run, and
far longer where other code loads adjacent bytes as a vector (see benchmarks/RESULTS.md). So it is for launches with few
threads. Tier-up optimises hot kernels whichever code they have, and those with brief code earlier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.ptx.syntax import BranchTargets, Instruction, Label, Symbol

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program
    from cuda.cpu.ptx.syntax import Statement

MOST_WORK = 1_000_000  # instructions of all threads: a tenth of a millisecond
ITERATIONS = 16  # assumed for each loop: the number is seldom known before the launch
COMMUNICATING = {"shared", "shared::cta", "shared::cluster", "volatile"}


def most_threads(program: Program, name: str) -> int:
    """Return up to how many threads a launch of a kernel may have for brief code."""
    return MOST_WORK // max(sum(map(work_of, _bodies(program, name))), 1)


def _bodies(program: Program, name: str) -> list[list[Statement]]:
    """Return the code of a kernel and of all functions that it may call."""
    return [program.functions[each].body or [] for each in program.reachable(name)]


def work_of(body: list[Statement]) -> int:
    """Return about how many instructions a thread executes."""
    begins = {item.name: number for number, item in enumerate(body) if isinstance(item, Label)}
    tables = {item.name: item.labels for item in body if isinstance(item, BranchTargets)}
    ends: dict[int, int] = {}  # of loops, by their begins
    for number, item in enumerate(body):
        if isinstance(item, Instruction) and item.opcode in ("bra", "brx"):
            names = [operand.name for operand in item.operands if isinstance(operand, Symbol)]
            labels = [label for name in names for label in tables.get(name, (name,))]
            ends.update((begins[label], number) for label in labels if begins.get(label, number) < number)
    total = 0
    around: list[int] = []  # ends of the loops around a statement
    for number in range(len(body)):
        around = [end for end in around if end >= number]
        if number in ends:
            around.append(ends[number])
        total += ITERATIONS ** len(around)
    return total


def needs_whole_warps(program: Program, name: str) -> bool:
    """Return whether lanes may communicate without a barrier: by shared memory, or by volatile accesses.

    CUDA defines no order for such accesses, but programs from before Volta expect that a warp runs in lockstep.
    """
    return any(
        isinstance(item, Instruction) and not COMMUNICATING.isdisjoint(item.modifiers)
        for body in _bodies(program, name)
        for item in body
    )
