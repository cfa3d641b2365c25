# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Affine registers: base + stride * lane. Their bases are computed beside them, by the same emitters, as scalars.

A packet has a base for each segment of 16 lanes, so that blocks 16 threads wide have rows, too. Whether bases may be
used is one flag of the function, `frame.in_row`: set at entry if the threads of each segment lie in a row, and cleared
where a value that is made wider might have wrapped around between the first lane of a segment and its last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuda.cpu.emit.values import ELEMENTS, Shape, Value, constant, width_of
from cuda.cpu.passes.find_affine import row_stride, widened
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction

if TYPE_CHECKING:
    from cuda.cpu.emit.frame import Frame

LANE_INDEX = {"%tid.x": 0, "%tid.y": 1, "%tid.z": 2}


SEGMENT = 16  # lanes: what an AVX-512 register has of 32 bits


@dataclass(frozen=True, slots=True)
class Row:
    """Addresses base + stride * lane for each segment; the bases are ptr operands."""

    bases: tuple[str, ...]
    stride: int
    streams: bool = False  # from memory that other warps go through, too


def segments(frame: Frame) -> range:
    return range(max(1, frame.width // SEGMENT))


def lanes_of_segment(frame: Frame) -> int:
    return min(frame.width, SEGMENT)


def check_row(frame: Frame) -> None:
    """Set the flag, when a packet begins: %tid.x of each lane that exists is that of its segment's first plus its
    number.
    """
    if not frame.in_row:
        return
    builder = frame.builder
    rows = builder.binary("and", frame.warp_field("rows", "i32"), constant(lanes_of_segment(frame), "i32"))
    builder.line(f"store i1 {builder.compare('icmp ne', rows, constant(0, 'i32')).ref}, ptr {frame.in_row}")


def vector_of(frame: Frame, register: str) -> Value:
    """Return an affine register of a packet that lies in a row: base + stride * lane."""
    builder, count = frame.builder, lanes_of_segment(frame)
    stride, element = frame.graph.strides[register], frame.element_of(register)
    bases = []
    for segment in segments(frame):
        frame.segment = segment
        bases.append(get_base(frame, register))
    frame.segment = None
    result = builder.broadcast(bases[0])
    if len(bases) > 1:
        both = builder.type_of(result)
        pair = builder.assign(f"insertelement {both} poison, {builder.typed(bases[0])}, i64 0")
        pair = builder.assign(f"insertelement {both} {pair}, {builder.typed(bases[1])}, i64 1")
        picks = ", ".join(f"i32 {lane // count}" for lane in range(frame.width))
        ref = builder.assign(f"shufflevector {both} {pair}, {both} poison, <{frame.width} x i32> <{picks}>")
        result = Value(ref, element, Shape.VECTOR)
    if not stride or count == 1:
        return result
    steps = ", ".join(f"{element} {constant(stride * (lane % count), element).ref}" for lane in range(frame.width))
    return builder.binary("add", result, Value(f"<{steps}>", element, Shape.VECTOR, True))


def get_base(frame: Frame, register: str) -> Value:
    """Return an affine register's base in the current segment, or a uniform register's value."""
    segment = frame.segment
    found = frame.bases.get((register, segment))
    if found is not None:
        return found
    if register in LANE_INDEX:
        found = frame.lane_field("thread_idx", 4 * (32 * LANE_INDEX[register] + segment * SEGMENT), Shape.UNIFORM)
    elif register == "%laneid":
        found = constant(segment * SEGMENT, "i32")
        if frame.first_lane is not None:
            found = frame.builder.binary("add", frame.first_lane, found)
    elif register not in frame.function.registers or frame.graph.is_uniform(register):
        frame.segment = None
        found = frame.get(register)
        frame.segment = segment
        return found
    else:
        found = frame.builder.load(frame.element_of(register), base_slot(frame, register, segment))
    frame.bases[register, segment] = found
    return found


def set_base(frame: Frame, register: str, value: Value) -> None:
    assert value.uniform, f"{frame.function.name}: line {frame.line}: the base of {register} is no scalar"
    if frame.crosses(register):
        frame.builder.store(value, base_slot(frame, register, frame.segment))
    frame.bases[register, frame.segment] = value
    if frame.whole:
        frame.values.pop(register, None)


def base_slot(frame: Frame, register: str, segment: int) -> str:
    key = (register, segment)
    if key not in frame.base_slots:
        frame.base_slots[key] = frame.builder.alloca(frame.element_of(register))
    return frame.base_slots[key]


def emit_bases(frame: Frame, step: Step, emitter: Callable) -> None:
    """Compute the bases of an affine register that the step writes."""
    for segment in segments(frame):
        frame.segment = segment
        if not frame.whole:  # of a whole packet it has been checked
            _check_widening(frame, step)
        emitter(frame, step.instruction, step.form)
    frame.segment = None


def _check_widening(frame: Frame, step: Step) -> None:
    """Clear the flag if a source that is made wider wraps around within the segment."""
    type_ = step.form.type
    for source, stride in widened(frame.graph, step):
        _require(frame, fits(frame, frame.read(source, type_), type_, (lanes_of_segment(frame) - 1) * stride))


def fits(frame: Frame, base: Value, type_: str, reach: int) -> Value:
    """Tell whether base and base + reach are both numbers of the type."""
    width = width_of(ELEMENTS[type_])
    signed = type_.startswith("s")
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if abs(reach) > high:
        return constant(0, "i1")
    kind = "s" if signed else "u"
    if reach > 0:
        return frame.builder.compare(f"icmp {kind}le", base, constant(high - reach, base.element))
    return frame.builder.compare(f"icmp {kind}ge", base, constant(low - reach, base.element))


def _require(frame: Frame, condition: Value) -> None:
    builder = frame.builder
    known = builder.assign(f"load i1, ptr {frame.in_row}")
    builder.line(f"store i1 {builder.assign(f'and i1 {known}, {condition.ref}')}, ptr {frame.in_row}")


def has_rows(frame: Frame, block: Block) -> bool:
    """Tell whether the block is worth a copy for rows: one access in 16 instructions goes to one, say."""
    found = sum(row_stride(frame.graph, step.instruction, step.form) is not None for step in block.steps)
    return bool(frame.in_row) and 0 < len(block.steps) <= 16 * found


def row_of(frame: Frame, instruction: Instruction, form: Form, address: Address, extra: int, size: int) -> Row | None:
    """Return the row that an access of `size` bytes goes to, or None if its addresses may be any."""
    from cuda.cpu.emit.memory import pointers, space_of

    if not frame.rows or (size < 4 and not frame.full and not frame.module.native_gather):
        return None
    stride = row_stride(frame.graph, instruction, form)
    if stride is None or stride not in (0, size):
        return None
    bases = []
    for segment in segments(frame):
        frame.segment = segment
        bases.append(pointers(frame, address, space_of(form), extra).ref)
    frame.segment = None
    return Row(tuple(bases), stride, form.opcode == "ld" and space_of(form) in ("global", "generic"))
