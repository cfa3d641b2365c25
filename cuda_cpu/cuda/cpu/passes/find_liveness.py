# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers whose value is needed at the start of each block."""

from __future__ import annotations

from cuda.cpu.passes.graph import RETURN, Block, Graph


def find_liveness(graph: Graph) -> None:
    """Number the registers and fill `live_in`. Liveness is that of one lane on its own path."""
    bits = graph.register_bits
    needs, writes = [], []
    for block in graph.blocks:
        need, write = _summary(block, bits)
        needs.append(need)
        writes.append(write)
    live = list(needs)
    changed = True
    while changed:
        changed = False
        for block in reversed(graph.blocks):
            after = 0
            for target in block.end.targets:
                if target != RETURN:
                    after |= live[target]
            value = needs[block.number] | after & ~writes[block.number]
            if value != live[block.number]:
                live[block.number] = value
                changed = True
    graph.live_in = live


def _summary(block: Block, bits: dict[str, int]) -> tuple[int, int]:
    """Return the registers read before they are written, and those surely written."""
    need = write = 0
    for step in block.steps:
        for name in step.reads:
            need |= (1 << bits.setdefault(name, len(bits))) & ~write
        for name in step.writes:
            bit = 1 << bits.setdefault(name, len(bits))
            if step.instruction.guard is None:
                write |= bit
            else:
                need |= bit & ~write  # the old value remains where the guard is false
    for name in block.end.reads:
        need |= (1 << bits.setdefault(name, len(bits))) & ~write
    return need, write
