# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Barriers, fences, traps, sleep, and the stack of local memory: ISA manual 9.7.14, 9.7.18 and 9.7.20."""

from __future__ import annotations

from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.declarations import MOST_ALIGNMENT
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

REDUCTIONS = {"popc": 0, "and": 1, "or": 2}


def of_first_lane(frame: Frame, value: Value) -> Value:
    """Return the value of the first active lane."""
    if not value.uniform:
        builder = frame.builder
        mask = frame.mask
        first = builder.intrinsic("cttz", builder.mask_type, mask, "i1 true")
        value = builder.extract(value, builder.resize(first, "i32").ref)
    return value


@emits("bar", "barrier")
def emit_barrier(frame: Frame, instruction: Instruction, form: Form) -> None:
    if "warp" in form.modifiers:
        # Lanes of a SIMD group run in lockstep; only the compiler must not move memory accesses across.
        frame.builder.fence("seq_cst", "singlethread")
        return
    if form.modifiers[0] == "cluster":
        lanes = frame.flow.joined_lanes() if form.op == "wait" else frame.mask
        frame.service(f"cluster_{form.op}", lanes)
        return
    if form.red:
        _reduce(frame, instruction, form)
        return
    number, *threads = (of_first_lane(frame, frame.read(operand, "u32")) for operand in instruction.operands)
    count = threads[0] if threads else constant(0, "i32")
    lanes = frame.flow.joined_lanes() if form.op == "sync" else frame.mask
    service = "barrier_sync" if form.op == "sync" else "barrier_arrive"
    frame.service(service, number, count, lanes)


def _reduce(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit bar.red: wait, and combine the predicates of all threads."""
    builder = frame.builder
    destination, number, *threads, predicate = instruction.operands
    held = builder.lane_bits(frame.read(predicate, "pred"))
    held = builder.binary("and", held, frame.mask)
    count = of_first_lane(frame, frame.read(threads[0], "u32")) if threads else constant(0, "i32")
    first, kind = of_first_lane(frame, frame.read(number, "u32")), constant(REDUCTIONS[form.op], "i32")
    value = frame.query("barrier_reduce", "i32", first, count, frame.mask, kind, held)
    if form.type == "pred":
        value = builder.compare("icmp ne", value, constant(0, "i32"))
    frame.write(destination, value)


@emits("membar", "fence")
def emit_fence(frame: Frame, instruction: Instruction, form: Form) -> None:
    frame.builder.fence("seq_cst")


@emits("trap", "brkpt")
def emit_trap(frame: Frame, instruction: Instruction, form: Form) -> None:
    frame.fault("trap")


@emits("nanosleep")
def emit_nanosleep(frame: Frame, instruction: Instruction, form: Form) -> None:
    frame.service("nanosleep", of_first_lane(frame, frame.read(instruction.operands[0], "u32")))


@emits("pmevent", "setmaxnreg", "griddepcontrol")
def emit_nothing(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit nothing for hints about GPU resources. griddepcontrol needs nothing: a grid starts after those before it."""


# --- the stack of local memory ------------------------------------------------------------------------


@emits("stacksave")
def emit_stacksave(frame: Frame, instruction: Instruction, form: Form) -> None:
    top = frame.builder.load("i64", frame.warp_pointer("local_top"), align=8)
    frame.write(instruction.operands[0], frame.builder.resize(top, "i" + form.type[1:]))


@emits("stackrestore")
def emit_stackrestore(frame: Frame, instruction: Instruction, form: Form) -> None:
    value = of_first_lane(frame, frame.builder.resize(frame.read(instruction.operands[0], form.type), "i64"))
    frame.warp_slot("local_top", "i64").store(value)


@emits("alloca")
def emit_alloca(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Allocate local memory at one offset for all lanes, with the largest size that any of them requests."""
    builder = frame.builder
    size = builder.broadcast(builder.resize(frame.read(instruction.operands[1], form.type), "i64"))
    size = builder.select(frame.lanes(), size, constant(0, "i64"))
    name = f"llvm.vector.reduce.umax.v{frame.width}i64"
    frame.module.declare(name, "i64", [builder.type("i64")])
    most = Value(builder.call(name, "i64", builder.typed(size)), "i64")
    align = max(16, instruction.immediate(2) if len(instruction.operands) > 2 else 8)
    if align > MOST_ALIGNMENT:
        said = f"alloca: an alignment of {align} is not supported by the CPU device; at most {MOST_ALIGNMENT} is"
        raise PtxError(said, instruction.line)
    top = builder.load("i64", frame.warp_pointer("local_top"), align=8)
    start = builder.binary("add", top, constant(align - 1, "i64"))
    start = builder.binary("and", start, constant(-align, "i64"))
    end = builder.binary("add", start, most)
    frame.fault_if(builder.compare("icmp ugt", end, frame.warp_field("local_stride", "i64")), "stack")
    builder.store(end, frame.warp_pointer("local_top"), align=8)
    if frame.module.settings.instrumentation is not None:
        frame.module.settings.instrumentation.allocated(frame, most)
    frame.write(instruction.operands[0], builder.resize(start, "i" + form.type[1:]))
