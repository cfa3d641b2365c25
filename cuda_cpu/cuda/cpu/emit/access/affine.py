# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Affine registers: base + stride * lane. Their bases are computed beside them, by the same emitters, as scalars.

A SIMD group has one segment of 32 lanes; or two of 16, or four of 8, in code for other blocks, so that blocks 16 or 8
threads wide have contiguous accesses, too: a base for the first segment, and the distances from there to the bases of
the later ones, which are invariant in most loops (`linear.py`). One flag of the function tells whether bases are valid
(`frame.consecutive_slot`): it is set at entry if the lanes of each segment are consecutive, and cleared where a value
that is widened may have wrapped around between the first lane of a segment and its last.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import linear
from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.division import quotient
from cuda.cpu.emit.access.lanes import element_at
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, width_of
from cuda.cpu.passes.find_affine import quotient_of, widened
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.passes.vector_accesses import contiguous_stride, is_by_vectors
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Immediate, Instruction, Operand, Register, Symbol

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.slot import Slot
    from cuda.cpu.emit.simt.frame import Frame

LANE_INDEX = {"%tid.x": 0, "%tid.y": 1, "%tid.z": 2}


LATER = -1  # key of a later segment's base while it is computed
NARROW_LANES = 8  # for fewer lanes, accesses of bytes under masks are not worth vectors


@dataclass(frozen=True, slots=True)
class ContiguousAccess:
    """Addresses base + stride * lane for each segment; the bases are ptr operands."""

    bases: tuple[str, ...]
    stride: int
    advance: Value | None = None  # of the bases per iteration of a loop (i64)
    streams: bool = False  # in memory that other warps access, too
    origin: tuple[str, int] = ("", 0)  # the register of the address, and what is added to it


def segments(frame: Frame) -> range:
    return range(frame.width // frame.module.lane_run)


def lanes_of_segment(frame: Frame) -> int:
    return frame.module.lane_run


def check_consecutive(frame: Frame) -> None:
    """Set the flag at the begin of a SIMD group: in the whole block, the lanes of each segment are consecutive in x."""
    if frame.consecutive_slot is not None:
        frame.consecutive_slot.store(has_consecutive_lanes(frame))


def has_consecutive_lanes(frame: Frame) -> Value:
    """Return whether the lanes of all segments of the block are consecutive, an i1 operand."""
    rows = frame.entry.binary("and", frame.warp_field("rows", "i32"), lanes_of_segment(frame))
    return frame.entry.compare("icmp ne", rows, 0)


def vector_of(frame: Frame, register: str) -> Value:
    """Return a register of a SIMD group with consecutive lanes: base + stride * lane, or base + pattern."""
    builder, count, element = frame.builder, lanes_of_segment(frame), frame.element_of(register)
    stride = frame.graph.strides.get(register)
    bases = []
    for segment in segments(frame):
        with frame.in_segment(segment):
            bases.append(get_base(frame, register))
    result = builder.broadcast(bases[0])
    if len(bases) > 1:
        pair = builder.join(element, bases, frame.width)
        result = builder.group(builder.shuffle(pair, [lane // count for lane in range(frame.width)]))
    if stride == 0 or count == 1:
        return result
    pattern = frame.graph.patterns[register] if stride is None else [stride * lane for lane in range(count)]
    steps = ", ".join(f"{element} {constant(pattern[lane % count], element).ref}" for lane in range(frame.width))
    return builder.binary("add", result, Value(f"<{steps}>", element, Shape.VECTOR, True))


def is_same_in_rows(frame: Frame, register: str) -> bool:
    """Return whether an affine register has the same base in all segments, since it depends on %tid.x alone."""
    return frame.module.has_short_rows and register not in frame.facts.differing_by_rows


def stored_segments(frame: Frame, register: str) -> range:
    """Return for which segments an affine register has a slot of `base_slot`."""
    return range(1) if is_same_in_rows(frame, register) else segments(frame)


def get_base(frame: Frame, register: str) -> Value:
    """Return an affine register's base in the current segment, or a uniform register's value."""
    segment = frame.segment
    if segment:
        with frame.in_segment(0):
            first, far = get_base(frame, register), _distance(frame, register, segment)
        return first if linear.is_nothing(far) else frame.builder.binary("add", first, far)
    found = frame.block.bases.get((register, 0))
    if found is not None:
        return found
    if (register, 0) in frame.group.thread_starts:
        found = frame.group.thread_starts[register, 0]
    elif register in LANE_INDEX:
        found = frame.lane_field("thread_idx", 4 * 32 * LANE_INDEX[register], Shape.UNIFORM)
    elif register == "%laneid":
        found = frame.group.first_lane or constant(0, "i32")
    elif register not in frame.facts.function.registers or frame.graph.is_uniform(register):
        with frame.in_segment(None):
            return frame.get(register)
    else:
        found = base_slot(frame, register, 0).load()
    frame.block.bases[register, 0] = found
    return found


def of_one_lane(frame: Frame, register: str) -> Value:
    """Return the value of a vector register in one of the lanes that run."""
    builder = frame.builder
    if register in LANE_INDEX or (frame.stride_of(register) is not None and frame.consecutive_slot is not None):
        return get_base(frame, register)
    with frame.for_one_lane(False):
        value = frame.get(register)
    first = builder.intrinsic("cttz", builder.mask_type, frame.mask, "i1 true")
    return element_at(frame, value, builder.resize(first, "i32").ref)


def _distance(frame: Frame, register: str, segment: int) -> Value:
    """Return the distance from a register's base in the first segment to that in a later one."""
    if is_same_in_rows(frame, register):
        return linear.NOTHING
    found = frame.block.bases.get((register, segment))
    if found is not None:
        return found
    if (register, segment) in frame.group.thread_starts:
        starts = frame.group.thread_starts
        found = frame.builder.binary("sub", starts[register, segment], starts[register, 0])
    elif register in LANE_INDEX:
        ends = (
            frame.lane_field("thread_idx", 4 * (32 * LANE_INDEX[register] + first), Shape.UNIFORM)
            for first in (segment * lanes_of_segment(frame), 0)
        )
        found = frame.builder.binary("sub", *ends)
    elif register == "%laneid":
        found = constant(segment * lanes_of_segment(frame), "i32")
    elif register not in frame.facts.function.registers or frame.graph.is_uniform(register):
        return linear.NOTHING
    else:
        found = base_slot(frame, register, segment).load()
    frame.block.bases[register, segment] = found
    return found


def distance_of(frame: Frame, operand: Operand, segment: int) -> Value | None:
    """Return the same for an operand, None if it has no base."""
    if isinstance(operand, Register):
        return _distance(frame, operand.name, segment)
    return linear.NOTHING if isinstance(operand, Immediate | Symbol) else None


def set_base(frame: Frame, register: str, value: Value) -> None:
    assert value.uniform, f"{frame.facts.function.name}: line {frame.line}: the base of {register} is no scalar"
    if frame.segment:
        frame.block.bases[register, LATER] = value
        return
    _store_base(frame, register, 0, value)
    if frame.copy.converged:
        frame.block.values.pop(register, None)


def _store_base(frame: Frame, register: str, segment: int, value: Value) -> None:
    if frame.facts.crosses(register):
        base_slot(frame, register, segment).store(value)
    frame.block.bases[register, segment] = value


def base_slot(frame: Frame, register: str, segment: int) -> Slot:
    """Return the slot of the first segment's base, or of a later one's distance from it."""
    key = (register, segment)
    if key not in frame.base_slots:
        frame.base_slots[key] = frame.builder.slot(frame.element_of(register))
    return frame.base_slots[key]


def emit_bases(frame: Frame, step: Step, emitter: Callable) -> None:
    """Compute the bases of an affine register that the step writes."""
    builder, register = frame.builder, step.writes[0]
    instruction, form = step.operation()
    if not frame.copy.converged:  # for a converged SIMD group this has been checked
        for source, stride in widened(frame.graph, step):
            _require(frame, fits_group(frame, source, stride, form.type))
    # Before the first segment's base is written, which may be a source, too.
    later = stored_segments(frame, register)[1:]
    operands = [functools.partial(distance_of, frame, segment=segment) for segment in later]
    distances = [linear.follow(frame, step, each, exact=True) for each in operands]
    bases = {}
    for segment, far in zip(later, distances, strict=True):
        if far is None:
            with frame.in_segment(segment):
                emitter(frame, instruction, form)
            bases[segment] = frame.block.bases.pop((register, LATER))
    with frame.in_segment(0):
        emitter(frame, instruction, form)
    for segment, far in zip(later, distances, strict=True):
        if far is None:
            far = builder.binary("sub", bases[segment], frame.block.bases[register, 0])
        _store_base(frame, register, segment, builder.resize(far, frame.element_of(register)))


def fits_group(frame: Frame, source: Register, stride: int | None, type_: str) -> Value:
    """Return whether the source of a widening wraps around nowhere between the SIMD group's lanes."""
    builder = frame.builder
    with frame.in_segment(0):
        base = frame.read(source, type_)
    if stride is None:
        pattern = frame.graph.patterns[source.name]
        below, above = (fits(frame, base, type_, reach) for reach in (min(pattern), max(pattern)))
        return builder.binary("and", below, above)
    reach = (lanes_of_segment(frame) - 1) * stride
    if len(segments(frame)) == 1:
        return fits(frame, base, type_, reach)
    low, high = range_of(type_)
    if abs(reach) > high - low:  # there may be no such number of 64 bits
        return constant(0, "i1")
    least = most = constant(0, "i64")
    for segment in segments(frame)[1:]:
        far = builder.resize(_distance(frame, source.name, segment), "i64", signed=True)
        least, most = builder.intrinsic("smin", "i64", far, least), builder.intrinsic("smax", "i64", far, most)
    least = builder.binary("sub", constant(low - min(reach, 0), "i64"), least)
    most = builder.binary("sub", constant(high - max(reach, 0), "i64"), most)
    base = builder.resize(base, "i64", signed=type_.startswith("s"))
    return builder.binary("and", builder.compare("icmp sge", base, least), builder.compare("icmp sle", base, most))


def same_quotients(frame: Frame, block: Block) -> list[Value]:
    """Return conditions that lanes have the same quotient, for each on which bases of the block rely.

    From lane to lane, a quotient by one divisor only grows or only falls: the first lane's and the last one's tell.
    """
    builder, found, last = frame.builder, [], lanes_of_segment(frame) - 1
    for step in block.steps:
        dividend = quotient_of(frame.graph, step)
        if dividend is None:
            continue
        (instruction, form), reach = step.operation(), last * dividend[1]
        for segment in segments(frame):
            with frame.in_segment(segment):
                first, divisor = (frame.read(operand, form.type) for operand in instruction.operands[1:])
            ends = first, builder.binary("add", first, constant(reach, first.element))
            quotients = (quotient(frame, form.type, end, divisor) for end in ends)
            found += [builder.compare("icmp eq", *quotients), fits(frame, first, form.type, reach)]
            if form.opcode == "rem":  # by zero it is the same in all lanes
                found.append(builder.compare("icmp ne", divisor, constant(0, divisor.element)))
    return found


def range_of(type_: str) -> tuple[int, int]:
    """Return the smallest and the largest number of an integer type."""
    width = width_of(ELEMENTS[type_])
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if type_.startswith("s") else (0, (1 << width) - 1)


def fits(frame: Frame, base: Value, type_: str, reach: int) -> Value:
    """Return whether base and base + reach are both in the range of the type."""
    signed = type_.startswith("s")
    low, high = range_of(type_)
    if abs(reach) > high:
        return constant(0, "i1")
    kind = "s" if signed else "u"
    if reach > 0:
        return frame.builder.compare(f"icmp {kind}le", base, constant(high - reach, base.element))
    return frame.builder.compare(f"icmp {kind}ge", base, constant(low - reach, base.element))


def _require(frame: Frame, condition: Value) -> None:
    builder = frame.builder
    frame.set_consecutive(builder.binary("and", frame.is_consecutive(), condition))


def has_vector_access(frame: Frame, block: Block) -> bool:
    """Return whether the block is worth a copy for consecutive lanes: an access by vectors in 16 instructions."""
    found = sum(is_by_vectors(frame.graph, step) for step in block.steps)
    return bool(frame.consecutive_slot) and 0 < len(block.steps) <= 16 * found


def contiguous_access(
    frame: Frame, instruction: Instruction, form: Form, address: Address, extra: int, size: int
) -> ContiguousAccess | None:
    """Return the bases of an access of `size` bytes per lane if it is contiguous or uniform, else None."""
    if frame.checked or not frame.copy.consecutive:
        return None
    if size < 4 and not frame.copy.full and lanes_of_segment(frame) < NARROW_LANES:
        return None
    if isinstance(address.base, Register) and not frame.has_base(address.base.name):
        return None
    stride = contiguous_stride(frame.graph, instruction, form)
    if stride is None or stride not in (0, size):
        return None
    bases, every = [], segments(frame)
    different = stored_segments(frame, address.base.name) if isinstance(address.base, Register) else every
    for segment in different:
        with frame.in_segment(segment):
            bases.append(pointers(frame, address, space_of(form), extra).ref)
    bases *= len(every) // len(different)
    origin = getattr(address.base, "name", ""), address.offset + extra
    if space_of(form) not in ("global", "generic"):
        return ContiguousAccess(tuple(bases), stride, origin=origin)
    in_loop = frame.copy.converged and frame.copy.in_loop
    far = linear.advance(frame, frame.flow.block.number, address.base) if in_loop else None
    return ContiguousAccess(
        tuple(bases), stride, far and frame.builder.resize(far, "i64", signed=True), streams=True, origin=origin
    )
