# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find loops that may wait for other threads: they end by what an atomic or volatile access or a call returned.

In code that is not optimised such a value comes through memory and through the results of calls. Loops that begin
at the same block, a lock and the loop around it for one, are one loop of the graph: each way back is looked at.
"""

from __future__ import annotations

from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.rows import opcodes_with
from cuda.cpu.ptx.syntax import Call, Function, Instruction, Register, Symbol

SEMANTICS = {"volatile", "relaxed", "acquire", "mmio"}
WAITS = opcodes_with("waits")


def find_spins(graph: Graph, asking: frozenset[str]) -> None:
    """Fill `spins` with the headers of such loops.

    Parameters
    ----------
    asking : frozenset of str
        Functions in which something is read that other threads may change.
    """
    for first, last in graph.loops:
        if any(_asks_to_leave(graph, first, end, last, asking) for end in _rounds(graph, first, last)):
            graph.spins.add(first)


def _rounds(graph: Graph, first: int, last: int) -> list[int]:
    """Return the blocks that end a round: what is up to such a block is a loop of its own."""
    ways = {first}
    if not graph.blocks[last].steps and graph.blocks[last].end.targets == (first,):
        ways.add(last)  # `order_blocks` let all rounds end there
    return [*(b.number for b in graph.blocks[first:last] if not ways.isdisjoint(b.end.targets)), last]


def _asks_to_leave(graph: Graph, first: int, end: int, last: int, asking: frozenset[str]) -> bool:
    """Tell whether it depends on other threads when lanes leave the loop whose rounds end with block `end`."""
    blocks = graph.blocks[first : end + 1]
    steps = [step for block in blocks for step in block.steps]
    calls = [step.instruction for step in steps if isinstance(step.instruction, Call) and _asks(step, asking)]
    returned = {operand.name for call in calls for operand in call.results if isinstance(operand, Symbol)}
    shared = {name for step in steps if _is_shared(step, returned, asking) for name in step.writes}
    if not shared:
        return False
    before, stored = None, False  # stored: what depends on other threads went through memory
    while before != (len(shared), stored):
        before = (len(shared), stored)
        for step in steps:
            if not shared.isdisjoint(step.reads) or (stored and _loads(step)):
                shared.update(step.writes)
                stored = stored or (step.form is not None and step.form.opcode == "st")
    inside = {*range(first, end + 1), last}
    return any(not inside.issuperset(b.end.targets) and not shared.isdisjoint(b.end.reads) for b in blocks)


def _loads(step: Step) -> bool:
    return step.form is not None and step.form.opcode == "ld"


def _asks(step: Step, asking: frozenset[str]) -> bool:
    """Tell whether a step is a call of such a function, or of one that is not known before the kernel runs."""
    call = step.instruction
    return isinstance(call, Call) and (isinstance(call.target, Register) or call.target.name in asking)


def asks(function: Function) -> bool:
    """Tell whether a function itself reads what other threads may change, or calls what is not known."""
    for item in function.body or ():
        if isinstance(item, Call) and isinstance(item.target, Register):
            return True
        if isinstance(item, Instruction) and (
            item.opcode in WAITS or (item.opcode == "ld" and not SEMANTICS.isdisjoint(item.modifiers))
        ):
            return True
    return False


def _is_shared(step: Step, returned: set[str], asking: frozenset[str]) -> bool:
    if step.form is None:
        return _asks(step, asking)
    if _loads(step) and step.form.space and step.form.space.startswith("param"):
        return getattr(step.instruction.address(1).base, "name", "") in returned
    return step.form.opcode in WAITS or (step.form.opcode == "ld" and not SEMANTICS.isdisjoint(step.form.modifiers))
