# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit one PTX function as one LLVM function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.check import instrument
from cuda.cpu.emit.access import affine, indexed
from cuda.cpu.emit.instructions import calls
from cuda.cpu.emit.llvm.builder import Module, Place
from cuda.cpu.emit.llvm.registry import EMITTERS, PURE
from cuda.cpu.emit.simt import converged
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.regions import Regions
from cuda.cpu.passes.graph import BLOCK, Block, Graph, Step
from cuda.cpu.ptx.error import PtxError

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program


# Blocks of a general graph, from each of which each may follow, up to which LLVM may join their values: the time for it
# grows with the square.
MOST_JOINED = 40
# Blocks that wait while another one runs, summed up over all, up to which LLVM may bring the lanes that wait at them
# into registers: each block passes on all of them.
MOST_WAITING = 10_000
LONGEST = 1000  # instructions of a block
CUT = "cut"  # the label in front of the next ones; jit.py leaves functions with such blocks cut


def emit_function(module: Module, program: Program, graph: Graph) -> None:
    """Add the function to the module."""
    frame = Frame(module, program, graph)
    flow = Flow(frame)
    frame.flow = flow
    builder = frame.builder
    frame.local_offsets, size = calls.local_layout(graph.function)
    if graph.strides:
        frame.in_row = builder.alloca("i1")
    calls.enter(frame, size)
    flow.has_whole = graph.function.entry and not graph.general and not module.leaves and not module.checks
    if graph.regions:
        regions = flow.regions = Regions(frame, flow, emit_step)
        regions.emit(
            lambda numbers: _emit_body(frame, flow, numbers, regions),
            lambda numbers: _emit_whole(frame, flow, numbers, regions),
        )
    else:
        _enter(frame, flow, size)
        _emit_body(frame, flow, tuple(range(len(graph.blocks))), None)
        builder.label(flow.done)
        builder.jump("done")
    builder.label("done")
    calls.leave(frame, size)
    joined = len(graph.blocks) <= MOST_JOINED if graph.general else _waiting(graph) <= MOST_WAITING
    if not joined:
        builder.keep_in_memory()
    head = calls.signature(module, graph.function)
    body = "\n".join(["entry:", *builder.allocas, *builder.lines])
    module.define(calls.symbol_of(graph.function), f"{head} {{\n{body}\n}}\n")


def _waiting(graph: Graph) -> int:
    return sum(blocks.bit_count() for blocks in graph.pending)


def _enter(frame: Frame, flow: Flow, size: int) -> None:
    """Begin a function that one call runs for one warp."""
    builder, lanes = frame.builder, "%lanes"
    if frame.function.entry:
        lanes = frame.warp_field("lanes", "i32").ref
        builder.line(f"store i64 {size}, ptr {frame.warp_pointer('local_top')}, align 8")
        builder.line(f"store {builder.mask_type} 0, ptr {frame.dead}")
    affine.check_row(frame)
    flow.clear()
    if flow.has_whole:
        converged.enter_if(frame, flow, lanes, 0)
    flow.start(lanes)


def _emit_body(frame: Frame, flow: Flow, numbers: tuple[int, ...], regions: Regions | None) -> None:
    """Emit blocks: for whole packets, if the function has such a copy, and for any."""
    blocks = [frame.graph.blocks[number] for number in numbers]
    region = regions and regions.regions[flow.region]
    enters = _emit_whole(frame, flow, numbers, regions) if flow.has_whole else set()
    for block in blocks:
        flow.begin(block)
        if region and block.barrier == BLOCK:
            regions.arrive(block, region)
            continue
        if block.number in enters:
            converged.enter_if(frame, flow, frame.mask, block.number)
        if affine.has_rows(frame, block):
            _emit_copies(frame, flow, block)
        else:
            _emit_block(frame, flow, block, bases=True)
    flow.dispatcher()


def _emit_whole(frame: Frame, flow: Flow, numbers: tuple[int, ...], regions: Regions | None) -> set[int]:
    """Emit blocks for whole packets; return those at which the general copy looks whether it has one."""
    region = regions and regions.regions[flow.region]
    enters, loops = converged.enters(frame, numbers)
    for number in numbers:
        block = frame.graph.blocks[number]
        converged.begin(frame, flow, block, in_loop=number in loops)
        if region and block.barrier == BLOCK:
            regions.arrive(block, region)
        else:
            _emit_steps(frame, block, bases=True)
            converged.end(frame, flow, block, lambda frame, step: emit_step(frame, step, bases=True))
        converged.leave(frame)
    return enters


def _emit_copies(frame: Frame, flow: Flow, block: Block) -> None:
    """Emit a block for warps in a row of which all lanes run, for others in a row if need be, and for the rest.

    Plain loads and stores are several times faster than masked ones: the CPU fetches ahead for them.
    """
    builder, mask = frame.builder, frame.mask
    holds = builder.assign(f"load i1, ptr {frame.in_row}")
    labels = {stem: builder.new_label(stem) for stem in ("full", "else", "rows", "apart")}
    if not flow.has_whole:
        every = builder.assign(f"icmp eq {builder.mask_type} {mask}, -1")
        full = builder.assign(f"and i1 {holds}, {every}")
        builder.branch(full, labels["full"], labels["else"], likely=True)
        builder.label(labels["full"])
        _emit_copy(frame, flow, block, "-1", rows=True, full=True)
        builder.label(labels["else"])
    if frame.graph.divergent >> block.number & 1 and not frame.module.quick:
        builder.branch(holds, labels["rows"], labels["apart"])
        builder.label(labels["rows"])
        _emit_copy(frame, flow, block, mask, rows=True, full=False)
    else:
        builder.jump(labels["apart"])
    builder.label(labels["apart"])
    _emit_copy(frame, flow, block, mask, rows=False, full=False)


def _emit_copy(frame: Frame, flow: Flow, block: Block, mask: str, *, rows: bool, full: bool) -> None:
    frame.begin_block(block.number, mask)
    frame.rows, frame.full = rows, full
    if full:
        frame.kept, frame.waiting = 0, False
    # In a copy that is not for rows the bases are still those of a warp in a row, some lanes of which do not run.
    _emit_block(frame, flow, block, bases=True)
    frame.rows = frame.full = False


def _emit_block(frame: Frame, flow: Flow, block: Block, *, bases: bool) -> None:
    _emit_steps(frame, block, bases=bases)
    flow.end(block)


def _emit_steps(frame: Frame, block: Block, *, bases: bool) -> None:
    """Emit a block's instructions: as several blocks of LLVM's, some of whose work grows with the square of one."""
    for position, step in enumerate(block.steps):
        if position and position % LONGEST == 0:
            label = frame.builder.new_label(CUT)
            frame.builder.jump(label)
            frame.builder.label(label)
        emit_step(frame, step, bases=bases)


def emit_step(frame: Frame, step: Step, *, bases: bool) -> None:
    """Emit one instruction, and the bases of what it writes if they may be needed."""
    instruction = step.instruction
    frame.line = instruction.line
    frame.builder.at(Place(frame.function.name, instruction.line, instruction.source))
    made_of = indexed.follow(frame, step)
    for name in step.writes:
        frame.indexed.pop(name, None)
    if step.form is None:
        calls.emit_call(frame, instruction)
        return
    emitter = EMITTERS.get(instruction.opcode)
    if emitter is None:
        raise PtxError(f"instruction {step.form} is not supported yet by the CPU device", instruction.line)
    has_bases = bases and bool(step.writes) and step.writes[0] in frame.graph.strides
    if frame.whole and has_bases:
        affine.emit_bases(frame, step, emitter)
        return
    if step.writes and step.writes[0] in frame.graph.shifted:
        affine.emit_bases(frame, step, emitter)
    if instruction.guard is not None and instruction.opcode in PURE:
        frame.guard = frame.guard_value(instruction.guard)
    if frame.module.checks:
        instrument.before(frame, step)
    emitter(frame, instruction, step.form)
    if made_of is not None:
        frame.indexed[step.writes[0]] = made_of
    frame.checked.clear()
    frame.guard = None
    if frame.whole:
        converged.note(frame, step)
    if has_bases:
        affine.emit_bases(frame, step, emitter)
