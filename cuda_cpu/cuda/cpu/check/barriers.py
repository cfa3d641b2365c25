# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit what synccheck and racecheck report of barriers and of operations of the warp."""

from __future__ import annotations

from cuda.cpu.check import ALIGNED, ALONE, EACH, FULL, RACECHECK, SOURCES, SYNCCHECK
from cuda.cpu.check.arguments import MOST_ELEMENTS, NULL, site, stored, stored_rows
from cuda.cpu.emit.instructions.sync import of_first_lane
from cuda.cpu.emit.instructions.warp import shuffle_sources
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.graph import RETURN, WARP, Block
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction

WARP_MASK = 0xFFFFFFFF


def meet(frame: Frame) -> None:
    """Report an operation that synchronises all lanes of the warp."""
    masks = stored(frame, constant(WARP_MASK, "i64"))
    frame.service("check_warp", frame.mask, site(frame), constant(RACECHECK << 4, "i32"), masks)


def report_warp_sync(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Report the member mask of each lane in an operation of the warp, and which lane it reads in a shuffle."""
    if not frame.module.checks & (RACECHECK | SYNCCHECK):
        return
    what, named = frame.module.checks << 4, instruction.operands[-1]
    if not what >> 4 & SYNCCHECK and isinstance(named, Immediate) and named.value & WARP_MASK == WARP_MASK:
        name = "@all.lanes"
        frame.module.constant(name, f"[{frame.width} x i64]", f"[{', '.join([f'i64 {WARP_MASK}'] * frame.width)}]")
        masks = Value(name, "ptr", literal=True)
        frame.service("check_warp", frame.mask, site(frame), constant(what | FULL, "i32"), masks)
        return
    rows = [frame.read(named, "b32")]
    if instruction.opcode == "shfl":
        rows.append(shuffle_sources(frame, instruction, form))
        what |= SOURCES | (EACH if form.mode == "bfly" else 0)
    masks = stored_rows(frame, MOST_ELEMENTS, tuple(rows))
    frame.service("check_warp", frame.mask, site(frame), constant(what, "i32"), masks)


def report_missed(frame: Frame, pending: list[Slot]) -> Value | None:
    """Report lanes that wait at operations of the warp for lanes that have passed these; return the former lanes.

    The others wait further on, at a barrier or at another operation, and cannot come back.
    """
    if not frame.module.checks & SYNCCHECK:
        return None
    builder, found = frame.builder, None
    for block, later in _find_later(frame).items():
        others = builder.fold("or", (pending[each].load() for each in later))
        lanes = builder.select(builder.is_zero(others), builder.mask(0), pending[block].load())
        _report_alone(frame, frame.graph.blocks[block], lanes)
        found = lanes if found is None else builder.binary("or", found, lanes)
    return found


def _find_later(frame: Frame) -> dict[int, list[int]]:
    """Return where the lanes may be that an operation of the warp waits for in vain, for the blocks of operations."""
    blocks, reach = frame.graph.blocks, frame.facts.reach
    candidates = [block.number for block in blocks if block.barrier == WARP or (block.waits and _holds(block))]
    certain = {each: _always_reached(blocks, each) if reach[each] >> each & 1 else 0 for each in candidates}

    def is_later(here: int, there: int) -> bool:
        in_loop = reach[there] >> here & 1  # then the one of which only some lanes come to the other one is wrong
        return bool(reach[here] >> there & 1) and (
            not in_loop or bool(certain[here] >> there & 1 and not certain[there] >> here & 1)
        )

    found = {}
    for here in (each for each in candidates if blocks[each].barrier == WARP):
        if later := [there for there in candidates if is_later(here, there)]:
            found[here] = later
    return found


def _holds(barrier: Block) -> bool:
    """Return whether lanes cannot leave a barrier of the block before all other lanes of their warp have arrived."""
    instruction = barrier.steps[0].instruction
    if not isinstance(instruction, Instruction) or _is_aligned(instruction):
        return True
    return "cluster" not in instruction.modifiers and len(instruction.operands) == 1


def _always_reached(blocks: list[Block], start: int) -> int:
    """Return the blocks that lanes come to from a block on every path, before they come to it again or return."""
    every = (1 << len(blocks)) - 1
    found = [every] * len(blocks)

    def behind(block: Block) -> int:
        """Return the blocks that every way from the end of a block has."""
        if block.leaves or not block.end.targets:
            return 0
        common = every
        for target in block.end.targets:
            common &= 0 if target in (RETURN, start) else found[target] | 1 << target
        return common

    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            before, found[block.number] = found[block.number], behind(block)
            changed |= before != found[block.number]
    return found[start]


def report_stranded(frame: Frame, pending: list[Slot]) -> None:
    """Report lanes that wait at operations of the warp for lanes that can no longer arrive; `pending` is by block."""
    if not frame.module.checks & SYNCCHECK:
        return
    for block in frame.graph.blocks:
        if block.barrier == WARP:
            _report_alone(frame, block, pending[block.number].load())


def _report_alone(frame: Frame, block: Block, lanes: Value) -> None:
    """Report lanes, if there are any, as waiting at the operation of a block for lanes that do not come."""
    builder = frame.builder
    some, after = builder.new_label("alone"), builder.new_label("others")
    builder.branch(builder.is_zero(lanes), after, some)
    builder.label(some)
    frame.at_line(block.steps[0].instruction.line)
    what = constant(frame.module.checks << 4 | ALONE, "i32")
    frame.service("check_warp", lanes, site(frame), what, NULL)
    builder.jump(after)
    builder.label(after)


def report_bypassed(frame: Frame, block: Block, pending: list[Slot]) -> None:
    """Report lanes that have reached a block by a path around a barrier at which other lanes of their warp wait.

    The block can be reached from the barrier, but not the barrier from the block. Lanes that return by a path of their
    own are not reported.
    """
    if not frame.module.checks & SYNCCHECK:
        return
    builder = frame.builder
    for barrier in _passed(frame, block.number):
        instruction = barrier.steps[0].instruction
        if isinstance(instruction, Instruction) and not _is_aligned(instruction):
            continue
        lanes = pending[barrier.number].load()
        some, after = builder.new_label("past"), builder.new_label("none")
        builder.branch(builder.is_zero(lanes), after, some)
        builder.label(some)
        frame.at_line(instruction.line)
        what = constant(frame.module.checks << 4 | ALONE, "i32")
        frame.service("check_barrier", lanes, site(frame), what, constant(0, "i32"), frame.mask)
        builder.jump(after)
        builder.label(after)


def _passed(frame: Frame, number: int) -> list[Block]:
    """Return the barriers that an edge to the block bypasses: it comes from where lanes have not passed them yet."""
    blocks, reach = frame.graph.blocks, frame.facts.reach
    before = [block.number for block in blocks if number in block.end.targets and block.number != number]
    return [
        block
        for block in blocks
        if block.waits and reach[block.number] >> number & 1 and not reach[number] >> block.number & 1
        and any(_is_unpassed(reach, block.number, each) for each in before)
    ]  # fmt: skip


def _is_unpassed(reach: list[int], barrier: int, number: int) -> bool:
    """Return whether lanes may be at a block before the barrier, or on a way around it."""
    return number != barrier and bool(reach[number] >> barrier & 1 or not reach[barrier] >> number & 1)


def _is_aligned(instruction: Instruction) -> bool:
    """Return whether all lanes of a warp must execute a barrier together."""
    return instruction.opcode == "bar" or "aligned" in instruction.modifiers


def report_barrier(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Report the lanes that arrive at a barrier of the block or cluster."""
    if not frame.module.checks & SYNCCHECK:
        return
    operands = list(instruction.operands)
    if form.red:
        operands = operands[1:-1]
    number, threads = ([of_first_lane(frame, frame.read(each, "u32")) for each in operands] + [constant(0, "i32")] * 2)[
        :2
    ]
    what = constant(frame.module.checks << 4 | (ALIGNED if _is_aligned(instruction) else 0), "i32")
    frame.service("check_barrier", frame.mask, site(frame), what, number, threads)
