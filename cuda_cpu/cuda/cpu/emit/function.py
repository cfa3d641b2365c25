# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit one PTX function as one LLVM function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine, clamped, indexed
from cuda.cpu.emit.instructions import calls
from cuda.cpu.emit.llvm.module import DebugLocation, Module
from cuda.cpu.emit.llvm.registry import EMITTERS
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt import converged
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.frame_state import Copy
from cuda.cpu.emit.simt.regions import Regions
from cuda.cpu.passes.graph import BLOCK, Block, Graph, Step
from cuda.cpu.passes.traits import PURE
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program


# Most blocks of a general graph (any block may follow any other) for which LLVM may promote slots to registers: its
# time is quadratic.
MOST_JOINED = 40
# Most pending blocks, summed over all blocks, for which LLVM may keep the masks of waiting lanes in registers: each
# block has phis for all of them.
MOST_WAITING = 10_000
LONGEST = 2000  # lines of a block
CUT = "cut"  # label of each further piece; jit.py does not merge the blocks of functions that have it


def emit_function(module: Module, program: Program, graph: Graph) -> None:
    """Add the function to the module."""
    frame = Frame(module, program, graph)
    flow = Flow(frame)
    builder = frame.builder
    frame.begin_function(flow)
    calls.enter(frame)
    instrumentation = module.settings.instrumentation
    if instrumentation is not None:
        instrumentation.entered(frame)
    flow.has_converged = graph.function.entry and not graph.general and not (module.leaves or module.settings.brief)
    if instrumentation is not None:
        flow.has_converged &= instrumentation.has_converged
    if graph.regions:
        regions = flow.regions = Regions(frame, flow, emit_step)
        regions.emit(
            lambda numbers: _emit_body(frame, flow, numbers, regions),
            lambda numbers: _emit_converged(frame, flow, numbers, regions),
        )
    else:
        _enter(frame, flow)
        _emit_body(frame, flow, tuple(range(len(graph.blocks))), None)
        builder.label(flow.done)
        builder.jump("done")
    builder.label("done")
    if instrumentation is not None:
        instrumentation.finish(frame)
    calls.leave(frame)
    joined = len(graph.blocks) <= MOST_JOINED if graph.general else _waiting(graph) <= MOST_WAITING
    if not joined:
        builder.keep_in_memory()
    module.define_function(calls.symbol_of(graph.function), calls.signature(module, graph.function), builder)


def _waiting(graph: Graph) -> int:
    return sum(blocks.bit_count() for blocks in graph.pending)


def _enter(frame: Frame, flow: Flow) -> None:
    """Emit the start of a function that runs one warp per call."""
    builder = frame.builder
    lanes = Value("%lanes", builder.mask_type)
    if frame.facts.function.entry:
        lanes = frame.warp_field("lanes", "i32")
        frame.warp_slot("local_top", "i64").store(frame.facts.local_bytes)
        if frame.facts.local_bytes and frame.module.settings.instrumentation is not None:
            frame.module.settings.instrumentation.allocated(frame, constant(frame.facts.local_bytes, "i64"))
        frame.dead.store(0)
    affine.check_consecutive(frame)
    flow.clear()
    if flow.has_converged:
        converged.enter_if(frame, flow, lanes, 0)
    flow.start(lanes)


def _emit_body(frame: Frame, flow: Flow, numbers: tuple[int, ...], regions: Regions | None) -> None:
    """Emit all blocks: a copy for converged SIMD groups, if the function has one, and the general copy."""
    blocks = [frame.graph.blocks[number] for number in numbers]
    reentries = _emit_converged(frame, flow, numbers, regions) if flow.has_converged else set()
    for block in blocks:
        flow.begin(block)
        if regions and block.barrier == BLOCK:
            regions.arrive(block, regions.regions[flow.region])
            continue
        if block.number in reentries:
            converged.enter_if(frame, flow, frame.mask, block.number)
        if affine.has_vector_access(frame, block):
            _emit_copies(frame, flow, block)
        else:
            _emit_block(frame, flow, block, bases=True)
    flow.dispatcher()


def _emit_converged(frame: Frame, flow: Flow, numbers: tuple[int, ...], regions: Regions | None) -> set[int]:
    """Emit blocks for converged SIMD groups; return those at which the general copy may enter this one."""
    reentries, loops = converged.reentries(frame, numbers)
    continued = converged.continuing(frame, numbers)
    for number in numbers:
        block = frame.graph.blocks[number]
        with frame.emitting(converged.copy_of(frame, in_loop=number in loops)):
            converged.begin(frame, flow, block, continues=number in continued)
            if regions and block.barrier == BLOCK:
                regions.arrive(block, regions.regions[flow.region])
            else:
                _emit_steps(frame, block, bases=True)
                converged.end(frame, flow, block, lambda frame, step: emit_step(frame, step, bases=True))
    return reentries


def _emit_copies(frame: Frame, flow: Flow, block: Block) -> None:
    """Emit copies of a block: for a full mask of consecutive lanes, for a partial mask of these, and for any lanes.

    Plain loads and stores are several times faster than masked ones: the hardware prefetcher works for them.
    """
    builder, mask = frame.builder, frame.mask
    holds = frame.is_consecutive()
    labels = {stem: builder.new_label(stem) for stem in ("full", "else", "consecutive", "scattered")}
    if not flow.has_converged:
        every = builder.compare("icmp eq", mask, -1)
        full = builder.binary("and", holds, every)
        builder.branch(full, labels["full"], labels["else"], likely=True)
        builder.label(labels["full"])
        _emit_copy(frame, flow, block, builder.mask(-1), consecutive=True, full=True)
        builder.label(labels["else"])
    partial = frame.module.pads_rows or frame.graph.divergent >> block.number & 1
    if partial and not frame.module.settings.quick:
        builder.branch(holds, labels["consecutive"], labels["scattered"])
        builder.label(labels["consecutive"])
        _emit_copy(frame, flow, block, mask, consecutive=True, full=False)
    else:
        builder.jump(labels["scattered"])
    builder.label(labels["scattered"])
    _emit_copy(frame, flow, block, mask, consecutive=False, full=False)


def _emit_copy(frame: Frame, flow: Flow, block: Block, mask: Value, *, consecutive: bool, full: bool) -> None:
    frame.begin_block(block.number, mask, alone=full)
    # In a copy that is not for consecutive lanes, the bases are still those of a warp with consecutive lanes, some of
    # which are inactive.
    with frame.emitting(Copy(consecutive, full)):
        _emit_block(frame, flow, block, bases=True)


def _emit_block(frame: Frame, flow: Flow, block: Block, *, bases: bool) -> None:
    _emit_steps(frame, block, bases=bases)
    flow.end(block)


def _emit_steps(frame: Frame, block: Block, *, bases: bool) -> None:
    """Emit a block's instructions, split into several LLVM blocks: LLVM's time is quadratic in their length."""
    instrumentation = frame.module.settings.instrumentation
    if instrumentation is not None:
        instrumentation.begin(frame, block)
    begin = len(frame.builder.lines)
    for step in block.steps:
        if len(frame.builder.lines) - begin > LONGEST:
            label = frame.builder.new_label(CUT)
            frame.builder.jump(label)
            frame.builder.label(label)
            begin = len(frame.builder.lines)
        emit_step(frame, step, bases=bases)
        if instrumentation is not None:
            instrumentation.after(frame, step)
    if instrumentation is not None:
        instrumentation.ending(frame, block)


def emit_step(frame: Frame, step: Step, *, bases: bool) -> None:
    """Emit one instruction, and the bases of affine results if they may be needed."""
    instruction = step.instruction
    frame.at_line(instruction.line)
    frame.builder.at(DebugLocation(frame.facts.function.name, instruction.line, instruction.source))
    made_of = indexed.follow(frame, step)
    for name in step.writes:
        frame.block.indexed.pop(name, None)
    if isinstance(instruction, Call):
        calls.emit_call(frame, instruction)
        return
    instruction, form = step.operation()
    emitter = EMITTERS.get(instruction.opcode)
    if emitter is None:
        raise PtxError(f"instruction {form} is not supported yet by the CPU device", instruction.line)
    has_bases = bases and bool(step.writes) and frame.has_base(step.writes[0])
    if frame.copy.converged and has_bases:
        affine.emit_bases(frame, step, emitter)
        converged.track_predicate(frame, step)
        return
    if step.writes and step.writes[0] in frame.graph.shifted:
        affine.emit_bases(frame, step, emitter)
    with (
        frame.guarded(instruction.guard if instruction.opcode in PURE else None),
        frame.for_one_lane(id(step) in frame.graph.agreed),
    ):
        if (instrumentation := frame.module.settings.instrumentation) is not None:
            instrumentation.surround(frame, step, lambda: emitter(frame, instruction, form))
        else:
            emitter(frame, instruction, form)
    if made_of is not None:
        frame.block.indexed[step.writes[0]] = made_of
    frame.checked.clear()
    if frame.copy.converged:
        converged.track_predicate(frame, step)
        clamped.follow(frame, step, emitter)
    if has_bases:
        affine.emit_bases(frame, step, emitter)
