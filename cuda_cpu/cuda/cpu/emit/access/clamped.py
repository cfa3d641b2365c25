# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads from clamped indices, as of neighbours at the edges of an image: `max(x - 1, 0)`, `x < w - 1 ? x + 1 : x`.

In most SIMD groups no lane is clamped, or all are: then the index is affine. Within a block of a converged SIMD group
this is followed from the instruction that chooses to the load, which loads a row if it holds and gathers otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine, ways
from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.affine import ContiguousAccess
from cuda.cpu.emit.access.gather_scatter import load_contiguous
from cuda.cpu.emit.access.ways import Way
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, integer_predicate, width_of
from cuda.cpu.passes.find_affine import combined, is_followed, stride_of, widens
from cuda.cpu.passes.graph import Step
from cuda.cpu.passes.sink_choices import is_chosen
from cuda.cpu.passes.vector_accesses import SPACES, base_of
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

NEVER = constant(0, "i1")
INTEGERS = {f"{kind}{width}" for kind in "bsu" for width in (32, 64)}


@dataclass(frozen=True, slots=True)
class Clamped:
    """A vector register of a converged SIMD group that is base + stride * lane if `holds`, an i1 operand."""

    stride: int
    holds: Value
    ways: tuple[Way, ...] = ()  # for the lanes of which it is affine, whether it holds or not


def follow(frame: Frame, step: Step, emitter: Callable) -> None:
    """Note what a step gives, and compute the base; the vector has been computed."""
    before, found = frame.block.clamped, None
    if step.form is not None and len(step.writes) == 1 and not _is_other(frame, step.writes[0]):
        instruction, form = step.operation()
        if frame.module.settings.vector_bytes and form.type in INTEGERS:
            if form.opcode == "selp":
                found = _select(frame, instruction, form)
            elif form.opcode in ("min", "max") and is_followed(instruction, form):
                found = _choose(frame, instruction, form)
            elif before and any(name in before for name in step.reads) and is_followed(instruction, form):
                found = _compute(frame, step, emitter)
    for name in step.writes:
        before.pop(name, None)
    if found is not None:
        before[step.writes[0]] = found


def _is_other(frame: Frame, name: str) -> bool:
    """Return whether a register is known to be uniform or affine anyway."""
    return frame.graph.is_uniform(name) or frame.has_base(name)


def _known(frame: Frame, operand: Operand) -> Clamped | None:
    """Return what is known of an operand, None if it has no base."""
    if isinstance(operand, Register) and operand.name in frame.block.clamped:
        found = frame.block.clamped[operand.name]
        return None if found.holds == NEVER else found
    stride = stride_of(frame.graph, operand)
    return None if stride is None else Clamped(stride, constant(1, "i1"))


def _select(frame: Frame, instruction: Instruction, form: Form) -> Clamped | None:
    """Follow `selp`: an address of a load is also what either operand is, for the lanes that choose it."""
    found, target = _choose(frame, instruction, form), instruction.operands[0]
    is_address = isinstance(target, Register) and is_chosen(target)
    of_lanes = ways.of_choice(frame, instruction, form) if is_address else ()
    if found is None:
        return Clamped(0, NEVER, of_lanes) if of_lanes else None
    return replace(found, ways=of_lanes)


def _choose(frame: Frame, instruction: Instruction, form: Form) -> Clamped | None:
    """Follow an instruction that chooses one of two operands: affine if all lanes choose the same one.

    That is the one that grows from lane to lane, if only one of them does.
    """
    builder, (a, b) = frame.builder, instruction.operands[1:3]
    known = _known(frame, a), _known(frame, b)
    if known[0] is None or known[1] is None:
        return None
    choice = _by_predicate(frame, instruction) if form.opcode == "selp" else _by_order(frame, form, a, b, known)
    if choice is None:
        return None
    first, second = choice
    (stride, holds), (other, others) = ((each.stride, each.holds) for each in known if each)
    if form.opcode != "selp":  # the bases of both have been compared
        holds = others = builder.binary("and", holds, others)
    if stride == other:
        holds = builder.binary("and", builder.binary("or", first, second), builder.binary("and", holds, others))
    elif not stride:
        stride, holds = other, builder.binary("and", second, others)
    elif not other:
        holds = builder.binary("and", first, holds)
    else:
        return None
    bases = []
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            values = [frame.read(operand, form.type) for operand in (a, b)]
            bases.append(builder.select(first, *values))
    return _set_bases(frame, instruction.operands[0], bases, Clamped(stride, holds))


def _by_predicate(frame: Frame, instruction: Instruction) -> tuple[Value, Value] | None:
    """Return whether all lanes choose the first operand, and whether all choose the second one."""
    predicate = instruction.operands[3]
    return frame.block.known.get(predicate.name) if isinstance(predicate, Register) else None


def _by_order(
    frame: Frame, form: Form, a: Operand, b: Operand, known: tuple[Clamped | None, Clamped | None]
) -> tuple[Value, Value] | None:
    """Return the same for a minimum or maximum, by the first and the last lane of each segment."""
    if form.type.startswith("b"):
        return None
    builder, last = frame.builder, affine.lanes_of_segment(frame) - 1
    first = second = constant(1, "i1")
    cmp = {"min": ("le", "ge"), "max": ("ge", "le")}[form.opcode]
    for segment in affine.segments(frame):
        ends: list[list[Value]] = [[], []]
        with frame.in_segment(segment):
            for operand, each in zip((a, b), known, strict=True):
                assert each is not None
                base, far = frame.read(operand, form.type), last * each.stride
                ends[0].append(base)
                ends[1].append(builder.binary("add", base, constant(far, ELEMENTS[form.type])) if far else base)
                if far:
                    fits = affine.fits(frame, base, form.type, far)
                    first, second = (builder.binary("and", side, fits) for side in (first, second))
        for pair in ends:
            for number, name in enumerate(cmp):
                holds = builder.compare(f"icmp {integer_predicate(name, form.type)}", *pair)
                if number:
                    second = builder.binary("and", second, holds)
                else:
                    first = builder.binary("and", first, holds)
    return first, second


def _compute(frame: Frame, step: Step, emitter: Callable) -> Clamped | None:
    """Follow an instruction on such registers."""
    instruction, form = step.operation()
    known = [_known(frame, operand) for operand in instruction.operands[1:]]
    found = [each for each in known if each is not None]
    if len(found) < len(known):
        return None
    stride = combined(form, [each.stride for each in found], instruction.operands[1:])
    if stride is None:
        return None
    builder, holds = frame.builder, constant(1, "i1")
    for each in found:
        holds = builder.binary("and", holds, each.holds)
    if widens(form):
        for operand, each in zip(instruction.operands[1:3], found, strict=False):
            if isinstance(operand, Register) and each.stride:
                holds = builder.binary("and", holds, affine.fits_group(frame, operand, each.stride, form.type))
    name, bases = step.writes[0], []
    vector, before = frame.block.values.get(name), frame.block.bases.get((name, 0))
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            emitter(frame, instruction, form)
        bases.append(frame.block.bases[name, affine.LATER if segment else 0])
        if before is not None:  # which the next segment's may be computed of
            frame.block.bases[name, 0] = before
    if vector is not None:
        frame.block.values[name] = vector
    return _set_bases(frame, instruction.operands[0], bases, Clamped(stride, holds))


def _set_bases(frame: Frame, register: Operand, bases: list[Value], found: Clamped) -> Clamped:
    assert isinstance(register, Register)
    element = frame.element_of(register.name)
    bases = [frame.builder.resize(base, element) for base in bases]
    frame.block.bases[register.name, 0] = bases[0]
    for segment, base in enumerate(bases[1:], 1):
        frame.block.bases[register.name, segment] = frame.builder.binary("sub", base, bases[0])
    return found


def load(
    frame: Frame, instruction: Instruction, form: Form, position: int, element: str, gather: Callable[[], Value]
) -> Value | None:
    """Return what a load from a clamped address loads, by `gather` where lanes do not agree; None for others."""
    base, size = base_of(instruction, form), width_of(element) // 8
    found = frame.block.clamped.get(base.name) if base is not None else None
    if found is None or form.space not in SPACES or frame.checked:
        return None
    if ways.suit(frame, found.ways, element):

        def by_ways() -> Value:
            return ways.load(frame, instruction, form, position * size, element, found.ways)

        if found.holds == NEVER:
            return by_ways()
        gather = by_ways
    if found.holds == NEVER or found.stride not in (0, size):
        return None
    builder, address, bases = frame.builder, instruction.address(1), []
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            bases.append(pointers(frame, address, space_of(form), position * size).ref)
    result = builder.slot(element, Shape.VECTOR)
    row, lanes, after = (builder.new_label(stem) for stem in ("row", "lanes", "loaded"))
    builder.branch(found.holds, row, lanes, likely=True)
    for label in (row, lanes):
        builder.label(label)
        with frame.aside():
            value = (
                load_contiguous(frame, ContiguousAccess(tuple(bases), found.stride), element)
                if label is row
                else gather()
            )
            result.store(builder.broadcast(value))
        builder.jump(after)
    builder.label(after)
    return result.load()
