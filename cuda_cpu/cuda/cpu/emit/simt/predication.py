# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Predication: execute short arms of a divergent branch under masks, within the copy for converged SIMD groups.

The blocks of both arms are emitted one after the other for the lanes that take them; then the SIMD group reconverges.
So a SIMD group of which one lane writes a result stays converged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.graph import RETURN, Block, End, Step
from cuda.cpu.passes.traits import PURE

MOST_STEPS = 16  # of both arms: they are emitted once more
MEMORY = {"ld", "ldu", "st", "atom", "red"}


@dataclass(frozen=True, slots=True)
class Arms:
    """The blocks of each target of a branch, and the block where the lanes reconverge."""

    blocks: dict[int, list[Block]]
    join: int


def arms_of(frame: Frame, end: End) -> Arms | None:
    """Return the arms of a branch if they are short, straight-line, and reconverge."""
    if end.kind != "branch":
        return None
    found, joins = {}, set()
    for target in end.targets:
        found[target], join = _straight_on(frame, target)
        joins.add(join)
    steps = sum(len(block.steps) for blocks in found.values() for block in blocks)
    if len(joins) > 1 or RETURN in joins or not 0 < steps <= MOST_STEPS:
        return None
    return Arms(found, joins.pop())


def _straight_on(frame: Frame, target: int) -> tuple[list[Block], int]:
    """Return the blocks from a target on that have no other predecessor, and the block behind them."""
    blocks: list[Block] = []
    while target != RETURN and frame.facts.ways[target] == 1:
        block = frame.graph.blocks[target]
        if not _is_plain(block):
            break
        blocks.append(block)
        target = block.end.targets[0]
    return blocks, target


def _is_plain(block: Block) -> bool:
    """Return whether a block only computes and accesses memory, and goes on to a later one."""
    known = all(step.form and (step.form.opcode in PURE or step.form.opcode in MEMORY) for step in block.steps)
    return known and not block.barrier and block.end.kind == "jump" and block.end.targets[0] > block.number


def emit_arms(
    frame: Frame, flow: Flow, end: End, arms: Arms, emit_step: Callable[[Frame, Step], None], check: Callable
) -> None:
    """Emit both arms for the lanes that take them, and go on where they reconverge.

    Parameters
    ----------
    check : callable
        `check(block, elsewhere)` continues in the general copy if a value that the block widens wraps around;
        `elsewhere` has the other lanes, by the numbers of the blocks at which they are.
    """
    builder, elsewhere = flow.builder, flow.diverge(end)
    for target in sorted(set(elsewhere) - {arms.join}):
        mask = elsewhere.pop(target)
        for block in arms.blocks[target]:
            flow.block = block
            frame.begin_block(block.number, mask)
            with frame.emitting(replace(frame.copy, full=False)):
                check(block, elsewhere)
                for step in block.steps:
                    emit_step(frame, step)
        there = elsewhere.get(arms.join)
        elsewhere[arms.join] = mask if there is None else builder.binary("or", there, mask)
    builder.jump(flow.converged_label(arms.join))
