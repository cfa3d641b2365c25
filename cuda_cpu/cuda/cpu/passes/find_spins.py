# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find loops that may wait for other threads: they end by what an atomic or volatile access returned."""

from __future__ import annotations

from cuda.cpu.passes.graph import RETURN, Graph, Step

SEMANTICS = {"volatile", "relaxed", "acquire", "mmio"}
WAITS = {"atom", "mbarrier", "nanosleep"}


def find_spins(graph: Graph) -> None:
    """Fill `spins` with the headers of such loops."""
    for first, last in graph.loops:
        steps = [step for block in graph.blocks[first : last + 1] for step in block.steps]
        shared = {name for step in steps if _is_shared(step) for name in step.writes}
        if not shared:
            continue
        size = -1
        while size != len(shared):
            size = len(shared)
            for step in steps:
                if not shared.isdisjoint(step.reads):
                    shared.update(step.writes)
        for block in graph.blocks[first : last + 1]:
            leaves = any(target == RETURN or not first <= target <= last for target in block.end.targets)
            if leaves and not shared.isdisjoint(block.end.reads):
                graph.spins.add(first)


def _is_shared(step: Step) -> bool:
    if step.form is None:
        return True  # a called function may read anything
    return step.form.opcode in WAITS or (step.form.opcode == "ld" and not SEMANTICS.isdisjoint(step.form.modifiers))
