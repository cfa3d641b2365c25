# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which launches get brief code: those that take less time than compiling the kernel does.

Brief code has one copy of each block, for any lanes of a SIMD group, where other code has up to four, and its SIMD
groups fill one register. LLVM compiles it in less than half of the time. It takes about three times as long to run, and
far longer where other code loads adjacent bytes as a vector (see benchmarks/RESULTS.md). So it is for launches with few
threads of kernels without loops. Tier-up optimises hot kernels whichever code they have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.ptx.syntax import BranchTargets, Instruction, Label, Symbol

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program
    from cuda.cpu.ptx.syntax import Statement

MOST_WORK = 1_000_000  # threads times instructions: a tenth of a millisecond
COMMUNICATING = {"shared", "shared::cta", "shared::cluster", "volatile"}


def most_threads(program: Program, name: str) -> int:
    """Return up to how many threads a launch of a kernel may have for brief code; 0: it is not suitable.

    Functions are not searched for loops, so kernels that call any are not suitable.
    """
    body = program.functions[name].body or []
    return 0 if len(program.reachable(name)) > 1 or has_loop(body) else MOST_WORK // max(len(body), 1)


def has_loop(body: list[Statement]) -> bool:
    """Return whether there is a branch to a label before it."""
    tables = {item.name: item.labels for item in body if isinstance(item, BranchTargets)}
    seen: set[str] = set()
    for item in body:
        if isinstance(item, Label):
            seen.add(item.name)
        elif isinstance(item, Instruction) and item.opcode in ("bra", "brx"):
            names = [operand.name for operand in item.operands if isinstance(operand, Symbol)]
            if any(not seen.isdisjoint(tables.get(name, (name,))) for name in names):
                return True
    return False


def needs_whole_warps(body: list[Statement]) -> bool:
    """Return whether lanes may communicate without a barrier: by shared memory, or by volatile accesses.

    CUDA defines no order for such accesses, but programs from before Volta expect that a warp runs in lockstep.
    """
    return any(isinstance(item, Instruction) and not COMMUNICATING.isdisjoint(item.modifiers) for item in body)
