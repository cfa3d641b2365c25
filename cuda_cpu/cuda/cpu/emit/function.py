# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit one PTX function as one LLVM function."""

from __future__ import annotations

from cuda.cpu.emit import affine, calls
from cuda.cpu.emit.builder import Module
from cuda.cpu.emit.control import Flow
from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.registry import EMITTERS, PURE
from cuda.cpu.passes.graph import Block, Graph, Step
from cuda.cpu.ptx.error import PtxError


def emit_function(module: Module, program: object, graph: Graph) -> None:
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
            _emit_twice(frame, flow, block)
        else:
            _emit_block(frame, flow, block, bases=True)
    flow.dispatcher()
    builder.label("done")
    calls.leave(frame, size)
    head = calls.signature(module, graph.function)
    body = "\n".join(["entry:", *builder.allocas, *builder.lines])
    module.define(calls.symbol_of(graph.function), f"{head} {{\n{body}\n}}\n")


def _emit_twice(frame: Frame, flow: Flow, block: Block) -> None:
    """Emit a block for warps that lie in a row, and again for all others."""
    builder, mask = frame.builder, frame.mask
    holds = builder.assign(f"load i1, ptr {frame.in_row}")
    rows, apart = builder.new_label("rows"), builder.new_label("apart")
    builder.branch(holds, rows, apart, likely=True)
    builder.label(rows)
    frame.rows = True
    _emit_block(frame, flow, block, bases=True)
    frame.rows = False
    builder.label(apart)
    frame.begin_block(block.number, mask)
    _emit_block(frame, flow, block, bases=False)


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
