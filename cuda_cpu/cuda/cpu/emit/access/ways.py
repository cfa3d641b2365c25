# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads of lanes that choose between a few addresses, each contiguous or the same for all lanes.

For example the left neighbours in a tile, the first of which is its own one: `i > 0 ? i - 1 : i`. Each way is loaded
for the lanes that choose it, by masks, and the results are merged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.affine import lanes_of_segment, segments
from cuda.cpu.emit.llvm.values import Part, Value, width_of
from cuda.cpu.passes.find_affine import stride_of
from cuda.cpu.passes.sink_choices import MOST
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

ELEMENTS = ("i32", "i64")  # that CPUs load by masks, from AVX2 on
NARROWEST = 32  # bytes of their vectors


@dataclass(frozen=True, slots=True)
class Way:
    """Of the lanes of a vector of predicates, a register is base + stride * lane, with a base for each segment."""

    lanes: Value
    bases: tuple[Value, ...]
    stride: int


def of_choice(frame: Frame, instruction: Instruction, form: Form) -> tuple[Way, ...]:
    """Return the ways of what `selp` chooses, none if an operand has no base."""
    builder, found = frame.builder, []
    holds = builder.broadcast(frame.read(instruction.operands[3], "pred"))
    for operand, lanes in zip(instruction.operands[1:3], (holds, builder.complement(holds)), strict=True):
        ways = _of_operand(frame, operand, form, lanes)
        if not ways:
            return ()
        found += ways
    return tuple(found) if len(found) <= MOST else ()


def _of_operand(frame: Frame, operand: Operand, form: Form, lanes: Value) -> list[Way]:
    """Return the ways of an operand that only these lanes choose."""
    if isinstance(operand, Register) and operand.name in frame.block.clamped:
        ways = frame.block.clamped[operand.name].ways
        return [replace(way, lanes=frame.builder.binary("and", way.lanes, lanes)) for way in ways]
    stride = stride_of(frame.graph, operand)
    if stride is None:
        return []
    bases = []
    for segment in segments(frame):
        with frame.in_segment(segment):
            bases.append(frame.read(operand, form.type))
    return [Way(lanes, tuple(bases), stride)]


def suit(frame: Frame, ways: tuple[Way, ...], element: str) -> bool:
    """Return whether a load of such elements goes by the ways. One address for some lanes needs masks of AVX-512."""
    settings, size = frame.module.settings, width_of(element) // 8
    able = settings.vector_bytes >= NARROWEST and not settings.quick and element in ELEMENTS and bool(ways)
    strides = (0, size) if settings.native_gather else (size,)
    return able and all(way.stride in strides for way in ways)


def load(frame: Frame, instruction: Instruction, form: Form, extra: int, element: str, ways: tuple[Way, ...]) -> Value:
    """Load an element for each lane that runs, by the way that it chooses."""
    builder, address, result = frame.builder, instruction.address(1), None
    register = address.base
    assert isinstance(register, Register)
    for way in ways:
        lanes = way.lanes if frame.copy.full else builder.binary("and", way.lanes, frame.lanes_of_access())
        parts = []
        for segment, base in enumerate(way.bases):
            with frame.restoring_registers(), frame.in_segment(0):
                frame.block.bases[register.name, 0] = builder.resize(base, frame.element_of(register.name))
                pointer = pointers(frame, address, space_of(form), extra).ref
            parts.append(_load_part(frame, pointer, way.stride, lanes, segment, element))
        value = builder.group(builder.concatenate(parts))
        result = value if result is None else builder.select(lanes, value, result)
    assert result is not None
    return result


def _load_part(frame: Frame, pointer: str, stride: int, lanes: Value, segment: int, element: str) -> Part:
    """Load what lanes of a segment choose, anything for the others."""
    builder, count = frame.builder, lanes_of_segment(frame)
    if stride:
        mask = builder.slice_part(builder.part(lanes), segment * count, count)
        return builder.load_masked(element, count, pointer, mask)
    bits = builder.lane_bits(lanes)
    if count < frame.width:
        bits = builder.binary("and", bits, ((1 << count) - 1) << segment * count)
    # Where no lane chooses it, the address may not be valid.
    valid = builder.select(builder.is_zero(bits), Value(frame.group.warp, "ptr"), Value(pointer, "ptr"))
    value = builder.load(element, valid.ref, align=width_of(element) // 8)
    return builder.slice_part(builder.part(builder.broadcast(value)), 0, count)
