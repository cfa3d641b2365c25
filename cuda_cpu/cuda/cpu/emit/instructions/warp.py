# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Warp-level primitives (shfl, vote, match, redux, elect, activemask): ISA manual 9.7.9.6, 9.7.14.9 to 9.7.14.15.

A warp is one SIMD group, so its lanes are converged wherever the program synchronised them. Lanes with different member
masks may execute one instruction (tiles of a cooperative group): each lane's result comes from the lanes of its mask.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda.cpu.emit.access.lanes import element_at
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.traits import LAST_LANE, is_agreement
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Pair


def _members(frame: Frame, operand: Operand) -> Value:
    """Return each lane's member mask, restricted to the active lanes."""
    return frame.builder.binary("and", frame.read(operand, "b32"), frame.mask)


def _write_pair(frame: Frame, destination: Operand, first: Value, second: Value) -> None:
    frame.write(destination, first)
    if isinstance(destination, Pair) and destination.second is not None:
        frame.write(destination.second, second)


# --- shfl -------------------------------------------------------------------------------------------


@emits("shfl")
def emit_shuffle(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Give each lane the register of another lane, or its own if that lane is out of its segment."""
    builder = frame.builder
    destination, source, select, clamp = instruction.operands[:4]
    if is_agreement(instruction, form, frame.graph.is_uniform):
        lane = builder.binary("and", frame.read(select, "b32"), LAST_LANE)
        value = element_at(frame, frame.read(source, "b32"), lane.ref)
        _write_pair(frame, destination, value, constant(1, "i1"))
        return
    value = builder.broadcast(frame.read(source, "b32"))
    index, limits = frame.read(select, "b32"), frame.read(clamp, "b32")
    if index.literal and index.uniform and limits.literal and limits.uniform:
        sources = [_source_lane(form.mode, lane, int(index.ref) & 31, int(limits.ref)) for lane in range(frame.width)]
        moved = builder.permute(value, [from_ for from_, _ in sources])
        inside = ", ".join(f"i1 {str(within).lower()}" for _, within in sources)
        _write_pair(frame, destination, moved, Value(f"<{inside}>", "i1", Shape.VECTOR, True))
        return
    lanes, within = _source_lanes(frame, form.mode, index, limits)
    _write_pair(frame, destination, permute(frame, value, lanes), within)


def shuffle_sources(frame: Frame, instruction: Instruction, form: Form) -> Value:
    """Return the lane that each lane reads in a shuffle."""
    index, limits = (frame.read(each, "b32") for each in instruction.operands[2:4])
    return _source_lanes(frame, form.mode, index, limits)[0]


def _source_lane(mode: str, lane: int, index: int, limits: int) -> tuple[int, bool]:
    """Return the lane that a lane reads, and whether it is in range, by the manual's pseudo-code."""
    segment, clamp = limits >> 8 & 31, limits & 31
    most = lane & segment | clamp & ~segment
    if mode == "up":
        other = lane - index
        within = other >= most
    else:
        other = {"down": lane + index, "bfly": lane ^ index, "idx": lane & segment | index & ~segment & 31}[mode]
        within = other <= most
    return (other if within else lane), within


def _source_lanes(frame: Frame, mode: str, index: Value, limits: Value) -> tuple[Value, Value]:
    """Return the same as `_source_lane` for operands that are known at run time only."""
    builder = frame.builder
    lane, low_bits = builder.lane_numbers(), constant(31, "i32")
    index = builder.binary("and", index, low_bits)
    segment = builder.binary("and", builder.binary("lshr", limits, constant(8, "i32")), low_bits)
    outside = builder.complement(segment)
    least = builder.binary("and", lane, segment)
    most = builder.binary("or", least, builder.binary("and", builder.binary("and", limits, low_bits), outside))
    if mode == "idx":
        other = builder.binary("or", least, builder.binary("and", index, outside))
    else:
        other = builder.binary({"up": "sub", "down": "add", "bfly": "xor"}[mode], lane, index)
    within = builder.compare("icmp sge" if mode == "up" else "icmp sle", other, most)
    return builder.select(within, other, lane), within


def permute(frame: Frame, value: Value, lanes: Value) -> Value:
    """Return a SIMD group whose lane i has the element lanes[i] (0 to width - 1) of `value`."""
    builder, module, width, element = frame.builder, frame.module, frame.width, value.element
    vector, indices, name = f"<{width} x {element}>", f"<{width} x i32>", f"permute.{element}"
    if not module.has(name) and module.settings.native_gather and (width, element) == (32, "i32"):
        half = "<16 x i32>"
        look = "llvm.x86.avx512.vpermi2var.d.512"  # 32 elements in two registers, looked up by 16 indices
        module.declare(look, half, [half] * 3)
        low, high = (", ".join(f"i32 {start + lane}" for lane in range(16)) for start in (0, 16))
        body = "".join(
            f"  %{to} = shufflevector {vector} %{of}, {vector} poison, <16 x i32> <{lanes}>\n"
            for to, of, lanes in (("v0", "v", low), ("v1", "v", high), ("i0", "from", low), ("i1", "from", high))
        )
        for part in (0, 1):
            body += f"  %r{part} = call {half} @{look}({half} %v0, {half} %i{part}, {half} %v1)\n"
        body += f"  %r = shufflevector {half} %r0, {half} %r1, <32 x i32> <{low}, {high}>\n  ret {vector} %r\n"
        head = f"define internal {vector} @{name}({vector} %v, {indices} %from) alwaysinline"
        module.define(name, f"{head} {{\n{body}}}\n")
    if not module.has(name):
        steps = []
        for lane in range(width):
            before = "poison" if lane == 0 else f"%n{lane - 1}"
            steps.append(
                f"  %i{lane} = extractelement {indices} %from, i32 {lane}\n"
                f"  %p{lane} = getelementptr {element}, ptr %room, i32 %i{lane}\n"
                f"  %e{lane} = load {element}, ptr %p{lane}\n"
                f"  %n{lane} = insertelement {vector} {before}, {element} %e{lane}, i32 {lane}\n"
            )
        body = (
            f"  %room = alloca {vector}\n  store {vector} %v, ptr %room\n{''.join(steps)}  ret {vector} %n{width - 1}\n"
        )
        module.define(name, f"define internal {vector} @{name}({vector} %v, {indices} %from) #1 {{\nentry:\n{body}}}\n")
    ref = builder.call(name, vector, builder.typed(value), builder.typed(builder.broadcast(lanes)))
    return Value(ref, element, Shape.VECTOR)


# --- vote, activemask, elect --------------------------------------------------------------------------


@emits("vote")
def emit_vote(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Combine a predicate over the lanes of the member mask."""
    builder = frame.builder
    destination, source, *membermask = instruction.operands
    members = _members(frame, *membermask) if membermask else frame.mask
    holds = builder.lane_bits(frame.read(source, "pred"))
    voted = builder.binary("and", holds, members)
    none = builder.compare("icmp eq", voted, constant(0, "i32"))
    every = builder.compare("icmp eq", voted, members)
    results = {
        "ballot": lambda: voted,
        "any": lambda: builder.complement(none),
        "all": lambda: every,
        "uni": lambda: builder.binary("or", none, every),
    }
    frame.write(destination, results[form.mode]())


@emits("activemask")
def emit_activemask(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Write the mask of the active lanes."""
    frame.write(instruction.operands[0], frame.mask)


@emits("elect")
def emit_elect(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Elect the first lane of the member mask."""
    builder = frame.builder
    destination, membermask = instruction.operands
    leader = builder.intrinsic("cttz", "i32", _members(frame, membermask), "i1 false")
    _write_pair(frame, destination, leader, builder.compare("icmp eq", builder.lane_numbers(), leader))


# --- match, redux ---------------------------------------------------------------------------------


@emits("match")
def emit_match(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Write the mask of the lanes with the same value."""
    builder = frame.builder
    destination, source, membermask = instruction.operands
    members = _members(frame, membermask)
    equal = builder.binary("and", _equal_lanes(frame, frame.read(source, form.type)), members)
    if form.mode == "any":
        frame.write(destination, equal)
        return
    same = builder.compare("icmp eq", equal, builder.broadcast(members))
    _write_pair(frame, destination, builder.select(same, members, constant(0, "i32")), same)


MOST_BITS = 12  # in which lanes differ, up to which comparing bits is faster than comparing pairs


def _equal_lanes(frame: Frame, value: Value) -> Value:
    """Return for each lane the mask of the lanes with an equal element.

    Mostly elements differ in a few bits, as the digits of a radix sort do: these bits are compared, one by one.
    """
    builder = frame.builder
    if value.uniform or frame.module.settings.quick:
        return _equal_by_pairs(frame, builder.broadcast(value))
    differ = builder.binary("xor", value, builder.broadcast(builder.extract(value, "0")))
    bits = _reduce(frame, "or", differ)
    left, equal = builder.slot(value.element), builder.slot("i32", Shape.VECTOR)
    left.store(bits)
    equal.store(builder.broadcast(constant(-1, "i32")))
    number = builder.intrinsic("ctpop", value.element, bits)
    look, bit, pairs, over = (builder.new_label(stem) for stem in ("bits", "bit", "pairs", "matched"))
    builder.branch(builder.compare("icmp ule", number, MOST_BITS), look, pairs)
    builder.label(look)
    builder.branch(builder.is_zero(left.load()), over, bit)
    builder.label(bit)
    rest = left.load()
    one = builder.binary("and", rest, builder.binary("sub", constant(0, value.element), rest))
    left.store(builder.binary("xor", rest, one))
    has = builder.compare("icmp ne", builder.binary("and", value, one), constant(0, value.element))
    lanes = builder.resize(builder.lane_bits(has), "i32")
    same = builder.select(has, builder.broadcast(lanes), builder.broadcast(builder.complement(lanes)))
    equal.store(builder.binary("and", equal.load(), same))
    builder.jump(look)
    builder.label(pairs)
    equal.store(_equal_by_pairs(frame, value))
    builder.jump(over)
    builder.label(over)
    return equal.load()


def _equal_by_pairs(frame: Frame, value: Value) -> Value:
    """Return the same by comparing each lane with each other."""
    builder = frame.builder

    def bits() -> Iterator[Value]:
        for lane in range(frame.width):
            same = builder.compare("icmp eq", value, builder.extract(value, str(lane)))
            yield builder.broadcast(builder.select(same, constant(1 << lane, "i32"), constant(0, "i32")))

    return builder.fold("or", bits())


# Vector reduction and its neutral element, by operation and type.
_REDUCTIONS = {
    ("add", "u32"): ("add", 0),
    ("add", "s32"): ("add", 0),
    ("min", "u32"): ("umin", -1),
    ("max", "u32"): ("umax", 0),
    ("min", "s32"): ("smin", 0x7FFFFFFF),
    ("max", "s32"): ("smax", -0x80000000),
    ("and", "b32"): ("and", -1),
    ("or", "b32"): ("or", 0),
    ("xor", "b32"): ("xor", 0),
    ("min", "f32"): ("smin", 0x7FFFFFFF),
    ("max", "f32"): ("smax", -0x80000000),
}


@emits("redux")
def emit_redux(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Reduce the values of the lanes; floats as integers with the same order."""
    builder = frame.builder
    destination, source, membermask = instruction.operands
    members = _members(frame, membermask)
    name, neutral = _REDUCTIONS[form.op, form.type]
    value = builder.broadcast(frame.read(source, form.type))
    if form.type == "f32":
        value = _ordered(frame, form, value, neutral)
    if members.uniform:
        chosen = builder.select(builder.lanes_of(members), value, constant(neutral, "i32"))
        result = _reduce(frame, name, chosen)
        frame.write(destination, _unordered(frame, result) if form.type == "f32" else result)
        return
    result = builder.broadcast(constant(neutral, "i32"))
    for lane in range(frame.width):
        bit = builder.binary("and", members, constant(1 << lane, "i32"))
        counts = builder.compare("icmp ne", bit, constant(0, "i32"))
        one = builder.select(counts, builder.extract(value, str(lane)), constant(neutral, "i32"))
        result = _combine(frame, name, result, one)
    frame.write(destination, _unordered(frame, result) if form.type == "f32" else result)


def _ordered(frame: Frame, form: Form, value: Value, neutral: int) -> Value:
    """Return floats as integers with the same order. A NaN becomes the neutral element, or with .NaN the winner."""
    builder = frame.builder
    if form.abs:
        value = builder.intrinsic("fabs", "float", value)
    bits = builder.bits(value)
    lower = builder.binary("and", builder.binary("ashr", bits, constant(31, "i32")), constant(0x7FFFFFFF, "i32"))
    order = builder.binary("xor", bits, lower)
    nan = builder.compare("fcmp uno", value, value)
    return builder.select(nan, constant(~neutral if form.NaN else neutral, "i32"), order)


def _unordered(frame: Frame, order: Value) -> Value:
    """Undo `_ordered`: return the bits of the float; the least and the greatest integer represent NaN."""
    builder = frame.builder
    lower = builder.binary("and", builder.binary("ashr", order, constant(31, "i32")), constant(0x7FFFFFFF, "i32"))
    bits = builder.binary("xor", order, lower)
    size = builder.binary("and", bits, constant(0x7FFFFFFF, "i32"))
    nan = builder.compare("icmp ugt", size, constant(0x7F800000, "i32"))
    return builder.select(nan, constant(0x7FFFFFFF, "i32"), bits)


def _reduce(frame: Frame, name: str, vector: Value) -> Value:
    builder = frame.builder
    suffix = f"llvm.vector.reduce.{name}.v{frame.width}{vector.element}"
    frame.module.declare(suffix, vector.element, [builder.type_of(vector)])
    return Value(builder.call(suffix, vector.element, builder.typed(vector)), vector.element)


def _combine(frame: Frame, name: str, a: Value, b: Value) -> Value:
    builder = frame.builder
    if name in ("add", "and", "or", "xor"):
        return builder.binary(name, a, b)
    return builder.intrinsic(name, a.element, a, b)
