# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Predication: execute short arms of a divergent branch under masks, within the copy for converged SIMD groups.

The blocks of the arms are emitted one after the other for the lanes that take them; then the SIMD group reconverges.
So a SIMD group of which one lane writes a result stays converged. Arms may contain branches, as those of `if (x == 0)
tile[0] = y ? row[-1] : 0;`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from cuda.cpu.emit.llvm.values import Value
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.graph import RETURN, Block, End, Step
from cuda.cpu.passes.traits import PURE

MOST_STEPS = 16  # of all arms: they are emitted once more
MEMORY = {"ld", "ldu", "st", "atom", "red"}


@dataclass(frozen=True, slots=True)
class Arms:
    """The blocks that lanes may run between a branch and the block where they reconverge, in order."""

    blocks: list[Block]
    join: int
    first: frozenset[int]  # blocks that follow the branch itself and always have lanes


def arms_of(frame: Frame, block: Block) -> Arms | None:
    """Return the arms of a block's branch if they are short, without loops, and reconverge; they may branch, too."""
    end, blocks, steps = block.end, frame.graph.blocks, 0
    if end.kind != "branch":
        return None
    found: list[Block] = []
    ways = Counter(set(end.targets))  # edges from the branch and the arms
    ahead = set(end.targets)
    while len(ahead) > 1:
        number = min(ahead)
        if number == RETURN or number <= block.number or ways[number] != frame.facts.ways[number]:
            return None
        arm = blocks[number]
        steps += len(arm.steps)
        if not _is_plain(frame, arm) or steps > MOST_STEPS:
            return None
        found.append(arm)
        ahead = (ahead - {number}) | set(arm.end.targets)
        ways.update(set(arm.end.targets))
    join = ahead.pop()
    if join == RETURN or join <= block.number or not steps:
        return None
    return Arms(found, join, frozenset(end.targets))


def _is_plain(frame: Frame, block: Block) -> bool:
    """Return whether a block only computes, accesses memory and branches to later ones.

    Of some lanes, a register that is affine in converged SIMD groups may not be written.
    """
    if any(name in frame.graph.converged_only for step in block.steps for name in step.writes):
        return False
    known = all(step.form and (step.form.opcode in PURE or step.form.opcode in MEMORY) for step in block.steps)
    return (
        known and not block.barrier and block.end.kind in ("jump", "branch") and min(block.end.targets) > block.number
    )


def emit_arms(
    frame: Frame, flow: Flow, end: End, arms: Arms, emit_step: Callable[[Frame, Step], None], check: Callable
) -> None:
    """Emit all arms for the lanes that take them, and go on where they reconverge.

    The lanes that wait at each block are in its pending mask, as in the general copy. A branch within the arms may have
    sent no lane to a block, which is skipped then: an access to one address for all lanes has no mask.

    Parameters
    ----------
    check : callable
        `check(block, elsewhere)` continues in the general copy if a value that the block widens wraps around;
        `elsewhere` has the other lanes, by the numbers of the blocks at which they are.
    """
    builder = flow.builder
    # Of the blocks that only the branch leads to: vectors, which need not be made of masks.
    holds = builder.broadcast(frame.guard_value(end.guard))
    predicates = dict(zip(end.targets, (holds, builder.complement(holds)), strict=True))
    _wait(flow, flow.diverge(end), known=set())
    reached = set(end.targets)
    for block in arms.blocks:
        slot = flow.pending[block.number]
        mask, after = slot.load(), builder.new_label("skipped")
        slot.store(0)
        if block.number not in arms.first:
            some = builder.new_label("some")
            builder.branch(builder.is_zero(mask), after, some)
            builder.label(some)
        flow.block = block
        frame.begin_block(block.number, mask, lanes=predicates.get(block.number))
        reached.discard(block.number)
        with frame.emitting(replace(frame.copy, full=False)):
            check(block, {number: flow.pending[number].load() for number in sorted(reached)})
            for step in block.steps:
                emit_step(frame, step)
            frame.at_line(block.end.line)
            branches = len(set(block.end.targets)) > 1
            _wait(flow, flow.diverge(block.end) if branches else {block.end.targets[0]: frame.mask}, known=reached)
        reached.update(block.end.targets)
        for number in block.end.targets:
            predicates.pop(number, None)
        builder.jump(after)
        builder.label(after)
    flow.pending[arms.join].store(0)
    builder.jump(flow.converged_label(arms.join))


def _wait(flow: Flow, lanes: dict[int, Value], *, known: set[int]) -> None:
    """Let lanes wait at blocks, at some of which others may wait already."""
    for number, mask in lanes.items():
        slot = flow.pending[number]
        slot.store(flow.builder.binary("or", slot.load(), mask) if number in known else mask)
