# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the affine registers: base + stride * lane, with a stride known at compile time and one base for all lanes.

This assumes consecutive lanes: %tid.x grows by one from lane to lane, and %tid.y and %tid.z do not change. The machine
code checks that once, and also that no 32-bit value wraps around where it is widened; where a check fails, memory is
accessed lane by lane as for any vector. A stride of 0 is a value that all lanes share if the checks hold. %tid.x of the
first of N consecutive lanes is a multiple of N, so that its upper bits are the same for all of them.

A predicate is affine if it compares values with a stride of 0, as `threadIdx.y > 0` does. What it chooses is affine if
both values have the same stride: `threadIdx.y > 0 ? i - width : i`.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import NamedTuple

from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Call, Immediate, Instruction, Negated, Operand, Register, Symbol

STRIDES = {"%tid.x": 1, "%tid.y": 0, "%tid.z": 0, "%laneid": 1}
INTEGERS = {f"{kind}{width}" for kind in "bsu" for width in (16, 32, 64)}
QUOTIENTS = {"div", "rem"}
LEAST_DIVISOR = 64  # by smaller constants, the lanes of most SIMD groups have several quotients
# Opcodes with uniform results for uniform operands that are cheap enough to be recomputed for the base.
SIMPLE = {
    "mov",
    "add",
    "sub",
    "mul",
    "mad",
    "shl",
    "shr",
    "and",
    "or",
    "xor",
    "not",
    "neg",
    "min",
    "max",
    "cvt",
    "cvta",
    "bfe",
}


def find_affine(graph: Graph) -> None:
    """Fill `strides` and `shifted`.

    A register is affine if all its definitions have one stride, and no other lanes wait for its old value.
    """
    of_bits = _find_bits(graph)
    graph.strides = strides_of(graph, of_bits)
    graph.shifted = {
        bits.shifted
        for block in graph.blocks
        for step in block.steps
        if (bits := of_bits.get(id(step))) and bits.shifted and step.writes[0] in graph.strides
    }


def strides_of(
    graph: Graph, of_bits: dict[int, Bits] | None = None, *, converged_only: bool = False, quotients: bool = False
) -> dict[str, int]:
    """Return the strides of the affine registers.

    With `converged_only`, also of those that are affine in SIMD groups without lanes that wait. With `quotients`, also
    of those that are affine where lanes have the same quotient.
    """
    unknown: set[str] = set()
    strides: dict[str, int] = {}
    of_bits = _find_bits(graph) if of_bits is None else of_bits
    changed = True
    while changed:
        changed = False
        for block in graph.blocks:
            preserved = 0 if converged_only else graph.preserved[block.number]
            for step in block.steps:
                for name in step.writes:
                    if name in unknown or graph.is_uniform(name):
                        continue
                    stride: Stride = None
                    if len(step.writes) == 1 and not preserved >> graph.register_bits[name] & 1:
                        bits = of_bits.get(id(step))
                        if bits is None:
                            stride = _stride(graph, step, strides, unknown)
                            if quotients and stride is None:
                                stride = _stride_of_quotient(graph, step, strides, unknown)
                        else:  # computed from the index's base
                            of_index = _of(graph, bits.source, strides, unknown)
                            stride = bits.stride if isinstance(of_index, int) else of_index
                    if stride is _LATER:
                        continue
                    if stride is None or strides.get(name, stride) != stride:
                        unknown.add(name)
                        strides.pop(name, None)
                        changed = True
                    elif name not in strides:
                        strides[name] = stride
                        changed = True
    return _without_idle(graph, strides)


def _without_idle(graph: Graph, strides: dict[str, int]) -> dict[str, int]:
    """Return the same without predicates by which no affine value is chosen: lanes branch by their vectors."""
    types = graph.function.registers
    predicates = {name for name in strides if types[name] == "pred"}
    if not predicates:
        return strides
    sources: dict[str, set[str]] = {}
    for block in graph.blocks:
        for step in block.steps:
            for name in step.writes:
                sources.setdefault(name, set()).update(predicates.intersection(step.reads))
    needed: set[str] = set()
    work = [name for name in strides if name not in predicates]
    while work:
        more = sources[work.pop()] - needed
        needed |= more
        work += more
    return {name: stride for name, stride in strides.items() if name in needed or name not in predicates}


RUN_BITS = 5  # most bits of a lane's number among consecutive lanes


class Bits(NamedTuple):
    """A step that gives lower or upper bits of a thread's index."""

    stride: int
    source: Register
    shifted: str | None = None  # the register of the shifted index that these are bits of


def _find_bits(graph: Graph) -> dict[int, Bits]:
    """Return the steps (by id) that give lower or upper bits of a thread's index."""
    writes = Counter(name for block in graph.blocks for step in block.steps for name in step.writes)
    indices = {"%tid.x", "%laneid"}
    found: dict[int, Bits] = {}
    for block in graph.blocks:
        shifts: dict[str, tuple[int, Register]] = {}
        for step in block.steps:
            form, operands = step.form, step.instruction.operands
            if form is None or len(operands) < 2 or len(step.writes) != 1:
                continue
            register = operands[1]
            if step.instruction.guard or not isinstance(register, Register):
                continue
            name, source, opcode = step.writes[0], register.name, form.opcode
            if opcode in ("mov", "cvt") and source in indices and _keeps_index(form):
                if writes[name] == 1:
                    indices.add(name)
            elif opcode not in ("and", "shr") or not isinstance(operands[2], Immediate):
                continue
            elif opcode == "shr" and source in indices:
                shift = operands[2].value
                if shift >= RUN_BITS:
                    found[id(step)] = Bits(0, register)
                elif shift and writes[name] == 1 and not graph.preserved[block.number] >> graph.register_bits[name] & 1:
                    shifts[name] = shift, register
            elif opcode == "and" and (source in indices or source in shifts):
                shift, index = shifts.get(source, (0, register))
                varying = ((1 << RUN_BITS) - 1) >> shift
                if not operands[2].value & varying:
                    found[id(step)] = Bits(0, index, source if source in shifts else None)
                elif source in indices and operands[2].value & varying == varying:
                    found[id(step)] = Bits(1, index)
    return found


def _keeps_index(form: Form) -> bool:
    """Return whether a move or conversion preserves numbers below 1024."""
    types = {getattr(form, name, None) for name in ("dtype", "type")} - {None}
    return types <= INTEGERS


def stride_of(graph: Graph, operand: Operand) -> int | None:
    """Return the stride of an operand of any instruction, 0 if it is uniform, None if it has none."""
    found = _of(graph, operand, graph.strides, set())
    return found if isinstance(found, int) else None


def stride_of_step(graph: Graph, step: Step) -> int | None:
    """Return the stride of a step's result by those of its sources, None if it has none."""
    found = _stride(graph, step, graph.strides, set())
    return found if isinstance(found, int) else None


def widens(form: Form) -> bool:
    """Return whether an instruction on integers has a result that is wider than its operands."""
    return form.mode == "wide" or (form.opcode == "cvt" and int(form.dtype[1:]) > int(form.type[1:]))


def widened(graph: Graph, step: Step) -> list[tuple[Register, int | None]]:
    """Return the sources that a step with a base widens, with their strides; None for a pattern."""
    form = step.form
    if form is None or not step.writes or not graph.has_base(step.writes[0]):
        return []
    if not widens(form):
        return []
    sources = step.instruction.operands[1 : 3 if form.mode == "wide" else 2]
    found = [(source, stride_of(graph, source)) for source in sources if isinstance(source, Register)]
    return [(source, stride) for source, stride in found if stride or source.name in graph.patterns]


class _Later(Enum):
    LATER = 0  # depends on a register that has not been visited


_LATER = _Later.LATER
Stride = int | _Later | None


def is_followed(instruction: Instruction | Call, form: Form) -> bool:
    """Return whether an instruction on integers is simple enough that a base is computed of its operands' bases."""
    if instruction.guard is not None or form.opcode not in SIMPLE:
        return False
    types = {each for each in form.modifiers if each[-1].isdigit() and each[0] in "bsuf"}
    return types <= INTEGERS and not any(flag in form.modifiers for flag in ("sat", "cc", "local", "hi", "relu"))


def _stride(graph: Graph, step: Step, strides: dict[str, int], unknown: set[str]) -> Stride:
    form = step.form
    if form is None or not (is_followed(step.instruction, form) or _chooses(step.instruction, form)):
        return None
    found = [_of(graph, operand, strides, unknown) for operand in step.instruction.operands[1:]]
    if None in found:
        return None
    known = [each for each in found if isinstance(each, int)]
    return combined(form, known, step.instruction.operands[1:]) if len(known) == len(found) else _LATER


def _stride_of_quotient(graph: Graph, step: Step, strides: dict[str, int], unknown: set[str]) -> Stride:
    """Return the stride of a quotient or remainder where the quotient is the same in all lanes, None of other steps."""
    form = step.form
    if form is None or form.opcode not in QUOTIENTS or step.instruction.guard is not None or form.type not in INTEGERS:
        return None
    operands = step.instruction.operands[1:]
    if isinstance(operands[1], Immediate) and abs(_number(operands[1].value, form.type)) < LEAST_DIVISOR:
        return None
    dividend, divisor = (_of(graph, operand, strides, unknown) for operand in operands)
    if dividend is None or divisor is None:
        return None
    if not isinstance(dividend, int) or not isinstance(divisor, int):
        return _LATER
    if divisor:
        return None
    return dividend if form.opcode == "rem" else 0


def quotient_of(graph: Graph, step: Step) -> tuple[Operand, int] | None:
    """Return the dividend, and its stride, of a step whose result has a base if lanes have the same quotient."""
    form, dividend = step.form, step.instruction.operands[1:2]
    if form is None or form.opcode not in QUOTIENTS or step.writes[0] not in graph.converged_only:
        return None
    stride = stride_of(graph, dividend[0])
    return (dividend[0], stride) if stride else None


def _chooses(instruction: Instruction | Call, form: Form) -> bool:
    """Return whether an instruction compares integers or chooses one of two."""
    return form.opcode in ("setp", "selp") and instruction.guard is None and form.type in INTEGERS


def _of(graph: Graph, operand: Operand, strides: dict[str, int], unknown: set[str]) -> Stride:
    """Return the stride of an operand, None if it has none."""
    if isinstance(operand, Immediate | Symbol):
        return 0
    if isinstance(operand, Negated):
        operand = operand.operand
    if not isinstance(operand, Register):
        return None
    name = operand.name
    if name in STRIDES:
        return STRIDES[name]
    if graph.is_uniform(name):
        return 0
    if name in unknown or name not in graph.function.registers:
        return None
    return strides.get(name, _LATER)


def combined(form: Form, found: list[int], operands: tuple[Operand, ...]) -> int | None:
    """Return the stride of a simple instruction's result by those of its operands, None if it has none."""
    opcode = form.opcode
    if not any(found):
        return 0
    if opcode in ("mov", "cvta"):
        return found[0]
    if opcode == "cvt":
        # Only integers get here. Truncation and extension preserve the stride.
        return found[0]
    if opcode == "add":
        return found[0] + found[1]
    if opcode == "sub":
        return found[0] - found[1]
    if opcode == "neg":
        return -found[0]
    if opcode == "selp":
        return found[0] if found[0] == found[1] and not found[2] else None
    if opcode == "shl":
        distance = operands[1]
        return found[0] << distance.value if isinstance(distance, Immediate) and 0 <= distance.value < 32 else None
    if opcode in ("mul", "mad"):
        product = _product(found, operands, form.type if form.mode == "wide" else "s64")
        return None if product is None else product + (found[2] if opcode == "mad" else 0)
    return None


def _product(found: list[int], operands: tuple[Operand, ...], type_: str) -> int | None:
    for stride, other, factor in ((found[0], found[1], operands[1]), (found[1], found[0], operands[0])):
        if stride and isinstance(factor, Immediate):
            return stride * _number(factor.value, type_)
        if stride and not other:
            return None  # by a uniform register: the stride is not a constant
    return None if any(found[:2]) else 0


def _number(value: int, type_: str) -> int:
    """Return the bits of an immediate as a number of a type."""
    width = int(type_[1:])
    value &= (1 << width) - 1
    return value - (1 << width) if type_[0] == "s" and value >> (width - 1) else value
