# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit one PTX function as one LLVM function."""

from __future__ import annotations

from cuda.cpu.emit import calls
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
    flow.start(calls.entry_lanes(frame))
    for block in graph.blocks:
        flow.begin(block)
        for step in block.steps:
            emit_step(frame, block, step)
        flow.end(block)
    flow.dispatcher()
    builder.label("done")
    calls.leave(frame, size)
    head = calls.signature(module, graph.function)
    body = "\n".join(["entry:", *builder.allocas, *builder.lines])
    module.define(calls.symbol_of(graph.function), f"{head} {{\n{body}\n}}\n")


def emit_step(frame: Frame, block: Block, step: Step) -> None:
    """Emit one instruction."""
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
