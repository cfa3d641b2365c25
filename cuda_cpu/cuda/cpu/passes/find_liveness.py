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
    """Return the registers read before they are written, and those written on every path."""
    need: set[int] = set()
    write: set[int] = set()
    for step in block.steps:
        for name in step.reads:
            bit = bits.setdefault(name, len(bits))
            if bit not in write:
                need.add(bit)
        for name in step.writes:
            bit = bits.setdefault(name, len(bits))
            if step.instruction.guard is None:
                write.add(bit)
            elif bit not in write:
                need.add(bit)  # the old value remains where the guard is false
    for name in block.end.reads:
        bit = bits.setdefault(name, len(bits))
        if bit not in write:
            need.add(bit)
    return as_set(need), as_set(write)


def as_set(members: set[int]) -> int:
    """Return a set of numbers as an int, in linear time: shifting and adding each bit would be quadratic."""
    if len(members) < 64:
        return sum(1 << member for member in members)
    found = bytearray(max(members) // 8 + 1)
    for member in members:
        found[member >> 3] |= 1 << (member & 7)
    return int.from_bytes(found, "little")
