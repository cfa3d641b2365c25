# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit one PTX function as one LLVM function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit import affine, calls
from cuda.cpu.emit.builder import Module
from cuda.cpu.emit.control import Flow
from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.registry import EMITTERS, PURE
from cuda.cpu.passes.graph import Block, Graph, Step
from cuda.cpu.ptx.error import PtxError

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program


def emit_function(module: Module, program: Program, graph: Graph) -> None:
    """Add the function to the module."""
    frame = Frame(module, program, graph)
    flow = Flow(frame)
    frame.flow = flow
    builder = frame.builder
    frame.local_offsets, size = calls.local_layout(graph.function)
    calls.enter(frame, size)
    affine.check_row(frame)
    flow.start(calls.entry_lanes(frame))
    for block in graph.blocks:
        flow.begin(block)
        if affine.has_rows(frame, block):
            _emit_copies(frame, flow, block)
        else:
            _emit_block(frame, flow, block, bases=True)
    flow.dispatcher()
    builder.label("done")
    calls.leave(frame, size)
    head = calls.signature(module, graph.function)
    body = "\n".join(["entry:", *builder.allocas, *builder.lines])
    module.define(calls.symbol_of(graph.function), f"{head} {{\n{body}\n}}\n")


def _emit_copies(frame: Frame, flow: Flow, block: Block) -> None:
    """Emit a block for warps in a row of which all lanes run, for others in a row if need be, and for the rest.

    Plain loads and stores are several times faster than masked ones: the CPU fetches ahead for them.
    """
    builder, mask = frame.builder, frame.mask
    holds = builder.assign(f"load i1, ptr {frame.in_row}")
    every = builder.assign(f"icmp eq {builder.mask_type} {mask}, -1")
    labels = {stem: builder.new_label(stem) for stem in ("full", "else", "rows", "apart")}
    builder.branch(builder.assign(f"and i1 {holds}, {every}"), labels["full"], labels["else"], likely=True)
    builder.label(labels["full"])
    _emit_copy(frame, flow, block, "-1", rows=True, full=True)
    builder.label(labels["else"])
    if frame.graph.divergent >> block.number & 1:
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
    for step in block.steps:
        emit_step(frame, step, bases=bases)
    flow.end(block)


def emit_step(frame: Frame, step: Step, *, bases: bool) -> None:
    """Emit one instruction, and the bases of what it writes if they may be needed."""
    instruction = step.instruction
    frame.line = instruction.line
    if step.form is None:
        calls.emit_call(frame, instruction)
        return
    emitter = EMITTERS.get(instruction.opcode)
    if emitter is None:
        raise PtxError(f"instruction {step.form} is not supported yet by the CPU device", instruction.line)
    if instruction.guard is not None and instruction.opcode in PURE:
        frame.guard = frame.guard_value(instruction.guard)
    emitter(frame, instruction, step.form)
    frame.guard = None
    if bases and step.writes and step.writes[0] in frame.graph.strides:
        affine.emit_bases(frame, step, emitter)
