# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Comparison and selection: ISA manual 9.7.6 and 9.7.7."""

from __future__ import annotations

from cuda.cpu.emit.instructions.halves import PARTS, SMALL, map_parts, widen
from cuda.cpu.emit.instructions.rounding import flush_subnormals
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_predicate, is_float, real
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Pair

# LLVM's predicate for each comparison of floats: ordered unless the name ends in u.
FLOAT = {name: "o" + name for name in ("eq", "lt", "le", "gt", "ge")} | {"ne": "one", "num": "ord", "nan": "uno"}
FLOAT |= {f"{name}u": "u" + name for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def compare(frame: Frame, form: Form, type_: str, a: Value, b: Value) -> Value:
    """Compare two values of a scalar type."""
    builder, name = frame.builder, form.cmp
    if type_ in SMALL or is_float(ELEMENTS[type_]):
        if getattr(form, "ftz", False) and type_ != "bf16":
            a, b = flush_subnormals(frame.builder, a), flush_subnormals(frame.builder, b)
        if type_ in SMALL:
            a, b = widen(frame, a, type_), widen(frame, b, type_)
        return builder.compare(f"fcmp {FLOAT[name]}", a, b)
    return builder.compare(f"icmp {integer_predicate(name, type_)}", a, b)


def _combine(frame: Frame, form: Form, value: Value, instruction: Instruction) -> Value:
    """Combine a comparison with the predicate operand by .and, .or or .xor, if there is one."""
    boolop = getattr(form, "boolop", None)
    if not boolop:
        return value
    return frame.builder.binary(boolop, value, frame.read(instruction.operands[3], "pred"))


@emits("setp")
def emit_setp(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, type_ = instruction.operands[0], form.type
    a, b = (frame.read(operand, type_) for operand in instruction.operands[1:3])
    if type_ in PARTS:
        _setp_packed(frame, instruction, form, a, b)
        return
    result = compare(frame, form, type_, a, b)
    first = _combine(frame, form, result, instruction)
    if isinstance(destination, Pair):
        second = _combine(frame, form, frame.builder.complement(result), instruction)
        frame.write(destination.first, first)
        frame.write(destination.second, second)
    else:
        frame.write(destination, first)


def _setp_packed(frame: Frame, instruction: Instruction, form: Form, a: Value, b: Value) -> None:
    results: list[Value] = []

    def one(x: Value, y: Value) -> Value:
        results.append(_combine(frame, form, compare(frame, form, PARTS[form.type], x, y), instruction))
        return constant(0, "i16")

    map_parts(frame, PARTS[form.type], one, a, b)
    destination = instruction.operands[0]
    first, second = (destination.first, destination.second) if isinstance(destination, Pair) else (destination, None)
    frame.write(first, results[0])
    frame.write(second, results[1])


@emits("set")
def emit_set(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Write all ones (integers) or 1.0 where the comparison holds, else zero."""
    type_, dtype = form.type, form.dtype
    a, b = (frame.read(operand, type_) for operand in instruction.operands[1:3])

    def one(part: str, result_type: str, x: Value, y: Value) -> Value:
        truth = _combine(frame, form, compare(frame, form, part, x, y), instruction)
        element = ELEMENTS[result_type]
        yes = constant(0x3F80, "i16") if result_type == "bf16" else constant(-1, element)
        if is_float(element):
            return frame.builder.select(truth, real(1.0, element), real(0.0, element))
        return frame.builder.select(truth, yes, constant(0, element))

    if type_ in PARTS:
        part, result_type = PARTS[type_], PARTS.get(dtype, "s16" if dtype[1:] == "32" else dtype)
        result = map_parts(frame, part, lambda x, y: one(part, result_type, x, y), a, b)
    else:
        result = one(type_, dtype, a, b)
    frame.write(instruction.operands[0], result)


@emits("selp")
def emit_selp(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, *sources, predicate = instruction.operands
    a, b = (frame.builder.bits(frame.read(operand, form.type)) for operand in sources)
    frame.write(destination, frame.builder.select(frame.read(predicate, "pred"), a, b))


@emits("slct")
def emit_slct(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Select `a` where the last operand is at least zero, else `b`."""
    destination, *sources, chooser = instruction.operands
    a, b = (frame.builder.bits(frame.read(operand, form.dtype)) for operand in sources)
    value = frame.read(chooser, form.type)
    if form.type == "f32":
        if form.ftz:
            value = flush_subnormals(frame.builder, value)
        condition = frame.builder.compare("fcmp oge", value, real(0.0, "float"))
    else:
        condition = frame.builder.compare("icmp sge", value, constant(0, value.element))
    frame.write(destination, frame.builder.select(condition, a, b))
