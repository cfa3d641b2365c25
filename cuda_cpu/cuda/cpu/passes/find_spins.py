# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find spin loops, which wait for other threads: an atomic or volatile access or a call decides when they end.

In unoptimised code the value passes through memory and results of calls. Loops with a common header, such as a lock
inside another loop, are one loop of the graph, so each back-edge is examined.
"""

from __future__ import annotations

from cuda.cpu.passes import traits
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.syntax import Call, Function, Instruction, Register, Symbol

MOST_STEPS = 2_000_000  # times back-edges of a loop: the time to examine each of them


def find_spins(graph: Graph, polling: frozenset[str]) -> None:
    """Fill `spins` with the headers of such loops.

    Parameters
    ----------
    polling : frozenset of str
        Functions in which something is read that other threads may change.
    """
    for first, last in graph.loops:
        steps = _steps(graph, first, last)
        if not _shared(steps, polling):
            continue
        ends = _rounds(graph, first, last)
        # A loop that is wrongly taken for a spin loop only runs more slowly.
        if len(ends) * len(steps) > MOST_STEPS or any(
            _leaves_by_polling(graph, first, end, last, polling) for end in ends
        ):
            graph.spins.add(first)


def _rounds(graph: Graph, first: int, last: int) -> list[int]:
    """Return the blocks with back-edges: the blocks up to each of them are a loop of their own."""
    ways = {first}
    if not graph.blocks[last].steps and graph.blocks[last].end.targets == (first,):
        ways.add(last)  # the latch that `order_blocks` has added
    return [*(b.number for b in graph.blocks[first:last] if not ways.isdisjoint(b.end.targets)), last]


def _leaves_by_polling(graph: Graph, first: int, end: int, last: int, polling: frozenset[str]) -> bool:
    """Return whether other threads decide when lanes leave the loop whose iterations end with block `end`."""
    steps = _steps(graph, first, end)
    shared = _shared(steps, polling)
    if not shared:
        return False
    before, stored = None, False  # stored: a value that depends on other threads was stored to memory
    while before != (len(shared), stored):
        before = (len(shared), stored)
        for step in steps:
            if not shared.isdisjoint(step.reads) or (stored and _loads(step)):
                shared.update(step.writes)
                stored = stored or (step.form is not None and step.form.opcode == "st")
    inside = {*range(first, end + 1), last}
    return any(
        not inside.issuperset(block.end.targets) and not shared.isdisjoint(block.end.reads)
        for block in graph.blocks[first : end + 1]
    )


def _steps(graph: Graph, first: int, last: int) -> list[Step]:
    return [step for block in graph.blocks[first : last + 1] for step in block.steps]


def _shared(steps: list[Step], polling: frozenset[str]) -> set[str]:
    """Return the registers that some steps read from memory that other threads may change."""
    calls = [step.instruction for step in steps if isinstance(step.instruction, Call) and _polls(step, polling)]
    returned = {operand.name for call in calls for operand in call.results if isinstance(operand, Symbol)}
    return {name for step in steps if _is_shared(step, returned, polling) for name in step.writes}


def _loads(step: Step) -> bool:
    return step.form is not None and step.form.opcode == "ld"


def _polls(step: Step, polling: frozenset[str]) -> bool:
    """Return whether a step is a call of such a function, or an indirect call."""
    call = step.instruction
    return isinstance(call, Call) and (isinstance(call.target, Register) or call.target.name in polling)


def polls(function: Function) -> bool:
    """Return whether a function itself reads what other threads may change, or makes indirect calls."""
    for item in function.body or ():
        if isinstance(item, Call) and isinstance(item.target, Register):
            return True
        if isinstance(item, Instruction) and traits.is_polling(item):
            return True
    return False


def _is_shared(step: Step, returned: set[str], polling: frozenset[str]) -> bool:
    if step.form is None:
        return _polls(step, polling)
    if _loads(step) and step.form.space and step.form.space.startswith("param"):
        return getattr(step.instruction.address(1).base, "name", "") in returned
    return traits.is_polling(step.operation()[0])
