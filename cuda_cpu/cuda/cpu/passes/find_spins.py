# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find loops that may wait for other threads: they end by what an atomic or volatile access or a call returned.

In code that is not optimised such a value comes through memory and through the results of calls.
"""

from __future__ import annotations

from cuda.cpu.passes.graph import RETURN, Graph, Step
from cuda.cpu.ptx.syntax import Call

SEMANTICS = {"volatile", "relaxed", "acquire", "mmio"}
WAITS = {"atom", "mbarrier", "nanosleep"}


def find_spins(graph: Graph) -> None:
    """Fill `spins` with the headers of such loops."""
    for first, last in graph.loops:
        steps = [step for block in graph.blocks[first : last + 1] for step in block.steps]
        returned = {
            operand.name for step in steps if isinstance(step.instruction, Call) for operand in step.instruction.results
        }
        shared = {name for step in steps if _is_shared(step, returned) for name in step.writes}
        if not shared:
            continue
        before, stored = None, False  # stored: what depends on other threads went through memory
        while before != (len(shared), stored):
            before = (len(shared), stored)
            for step in steps:
                if not shared.isdisjoint(step.reads) or (stored and _loads(step)):
                    shared.update(step.writes)
                    stored = stored or (step.form is not None and step.form.opcode == "st")
        for block in graph.blocks[first : last + 1]:
            leaves = any(target == RETURN or not first <= target <= last for target in block.end.targets)
            if leaves and not shared.isdisjoint(block.end.reads):
                graph.spins.add(first)


def _loads(step: Step) -> bool:
    return step.form is not None and step.form.opcode == "ld"


def _is_shared(step: Step, returned: set[str]) -> bool:
    if step.form is None:
        return True  # a called function may read anything
    if _loads(step) and step.form.space and step.form.space.startswith("param"):
        return getattr(step.instruction.operands[1].base, "name", "") in returned
    return step.form.opcode in WAITS or (step.form.opcode == "ld" and not SEMANTICS.isdisjoint(step.form.modifiers))
