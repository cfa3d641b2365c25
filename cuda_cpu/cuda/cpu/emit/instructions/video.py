# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions, ISA manual 9.7.19: arithmetic on a register, its halves or its bytes.

An operand may select parts of its register. Scalar instructions take one part of a source (`a.b0`) and may insert the
result into one part of the last operand (`d.h1`). SIMD instructions select which parts of both sources are used
(`a.h31`) and which results are written (`d.b20`).
"""

from __future__ import annotations

from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Selected

_TWO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_SCALAR = (*_TWO, "vshl", "vshr", "vset")
_SIMD = tuple(name + count for name in (*_TWO, "vavrg", "vset") for count in "24")
_WIDTHS = {"b": 8, "h": 16}


def _plain(operand: Operand) -> Operand:
    return operand.register if isinstance(operand, Selected) else operand


def _selected(frame: Frame, operand: Operand, count: int, letter: str) -> list[int] | None:
    """Return the numbers of the parts that an operand selects, least significant first; None if it selects none."""
    if not isinstance(operand, Selected) or not operand.part:
        return None
    numbers = [int(digit) for digit in reversed(operand.part[1:])]
    limit = count if len(numbers) == 1 else 2 * count
    if (letter and operand.part[0] != letter) or max(numbers) >= limit or (letter and len(numbers) > count):
        raise PtxError(f"{operand.register.name}.{operand.part} selects no parts that this instruction has", frame.line)
    return numbers


def _part(frame: Frame, value: Value, position: int, width: int, *, signed: bool) -> Value:
    builder = frame.builder
    shifted = builder.binary("lshr", value, constant(position * width, "i32")) if position else value
    return builder.resize(builder.resize(shifted, f"i{width}"), "i64", signed=signed)


def _source(frame: Frame, operand: Operand, type_: str) -> Value:
    """Return a source of a scalar operation, or the part of it that is selected."""
    width, position = 32, 0
    if isinstance(operand, Selected) and operand.part:
        width = _WIDTHS[operand.part[0]]
        (position,) = _selected(frame, operand, 32 // width, "") or (0,)
    value = frame.read(_plain(operand), "b32")
    return _part(frame, value, position, width, signed=type_ == "s32")


# --- one result -----------------------------------------------------------------------------------------


@emits(*_SCALAR)
def emit_scalar(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compute in more than 32 bits; then combine the result with the last operand, or insert it there as a part."""
    destination, left, right, *rest = instruction.operands
    a, b = _source(frame, left, form.atype), _source(frame, right, form.btype)
    result = _combine(frame, form, form.opcode, a, b)
    part = destination.part if isinstance(destination, Selected) else ""
    width = _WIDTHS[part[0]] if part else 32
    dtype = getattr(form, "dtype", "u32")  # comparisons have none
    if getattr(form, "sat", False):
        result = _clamp(frame, result, width, signed=dtype == "s32")
    if part and not rest:
        raise PtxError(f"{form}: a part of the destination needs a third operand, for its other parts", frame.line)
    if part:
        (position,) = _selected(frame, destination, 32 // width, "") or (0,)
        third = frame.read(rest[0], "b32")
        value = _insert(frame, third, frame.builder.resize(result, "i32"), position * width, width)
    else:  # where there is no operation, ptxas accepts a third operand, too, and ignores it
        if form.op:  # of the result in more than 32 bits, as on an H100
            third = frame.builder.resize(frame.read(rest[0], "b32"), "i64", signed=dtype == "s32")
            result = _second(frame, form.op, result, third)
        value = frame.builder.resize(result, "i32")
    frame.write(_plain(destination), value)


def _combine(frame: Frame, form: Form, operation: str, a: Value, b: Value) -> Value:
    builder = frame.builder
    if operation in ("vmin", "vmax"):
        return builder.intrinsic(f"s{operation[1:]}", a.element, a, b)
    if operation == "vabsdiff":
        return builder.intrinsic("abs", a.element, builder.binary("sub", a, b), "i1 false")
    if operation == "vavrg":  # halves are rounded away from zero
        total = builder.binary("add", a, b)
        up = builder.resize(builder.compare("icmp sge", total, constant(0, a.element)), a.element)
        return builder.binary("ashr", builder.binary("add", total, up), constant(1, a.element))
    if operation == "vset":
        sign = "" if form.cmp in ("eq", "ne") else "s"
        return builder.resize(builder.compare(f"icmp {sign}{form.cmp}", a, b), a.element)
    if operation in ("vshl", "vshr"):
        if form.mode == "wrap":
            b = builder.binary("and", b, constant(31, a.element))
        else:
            b = builder.intrinsic("umin", a.element, b, constant(32, a.element))
        return _shift_left(frame, a, b) if operation == "vshl" else builder.binary("ashr", a, b)
    return builder.binary(operation[1:], a, b)


def _shift_left(frame: Frame, a: Value, by: Value) -> Value:
    """Shift 33 bits left by up to 32; overflow of 64 bits stays out of range of every saturation."""
    builder, most = frame.builder, constant(31, "i64")
    shifted = builder.binary("shl", a, builder.intrinsic("umin", "i64", by, most))
    limited = builder.intrinsic("smax", "i64", shifted, constant(-1 << 40, "i64"))
    limited = builder.intrinsic("smin", "i64", limited, constant(1 << 40, "i64"))
    once_more = builder.binary("shl", limited, constant(1, "i64"))
    return builder.select(builder.compare("icmp ugt", by, most), once_more, shifted)


def _clamp(frame: Frame, value: Value, width: int, *, signed: bool) -> Value:
    builder = frame.builder
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    value = builder.intrinsic("smax", value.element, value, constant(least, value.element))
    return builder.intrinsic("smin", value.element, value, constant(most, value.element))


def _second(frame: Frame, operation: str, value: Value, third: Value) -> Value:
    if operation == "add":
        return frame.builder.binary("add", value, third)
    return frame.builder.intrinsic(f"s{operation}", value.element, value, third)


def _insert(frame: Frame, into: Value, value: Value, shift: int, width: int) -> Value:
    """Return a word with `width` bits at `shift` replaced by the low bits of another value."""
    builder, bits = frame.builder, (1 << width) - 1 << shift
    moved = builder.binary("shl", value, constant(shift, "i32")) if shift else value
    kept = builder.binary("and", into, constant(~bits, "i32"))
    return builder.binary("or", kept, builder.binary("and", moved, constant(bits, "i32")))


@emits("vmad")
def emit_multiply_add(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compute a*b + c in 65 bits: 64 bits, and whether the result is negative."""
    builder = frame.builder
    destination, left, right, third = instruction.operands
    minus_a, minus_b, minus_c = (isinstance(each, Selected) and each.negated for each in (left, right, third))
    if form.po and (minus_a or minus_b or minus_c):
        raise PtxError(f"{form}: no operand may be negated", frame.line)
    if minus_a != minus_b and minus_c:
        raise PtxError(f"{form}: either the product or the last operand may be negated", frame.line)
    whole = "s32" not in (form.atype, form.btype)
    signed = not whole or minus_a != minus_b or minus_c
    product = builder.binary("mul", _source(frame, left, form.atype), _source(frame, right, form.btype))
    c = builder.resize(frame.read(_plain(third), "b32"), "i64", signed=signed)
    zero = constant(0, "i64")
    if minus_a != minus_b:
        total = builder.binary("sub", c, product)
        # A product of unsigned numbers may have 64 bits.
        negative = builder.binary("or", builder.compare("icmp slt", c, zero), builder.compare("icmp ugt", product, c))
    elif minus_c:
        total = builder.binary("sub", product, c)
        negative = builder.binary("and", builder.compare("icmp sge", c, zero), builder.compare("icmp ult", product, c))
    else:
        total = builder.binary("add", product, c)
        if form.po:
            total = builder.binary("add", total, constant(1, "i64"))
        negative = None
    if not whole:
        negative = builder.compare("icmp slt", total, zero)
    frame.write(destination, _scaled(frame, form, total, negative, signed=signed))


def _scaled(frame: Frame, form: Form, total: Value, negative: Value | None, *, signed: bool) -> Value:
    """Shift a number of 65 bits to the right, saturate it, and return 32 bits."""
    builder = frame.builder
    if form.scale:
        by = int(form.scale[3:])
        total = builder.binary("lshr", total, constant(by, "i64"))
        if negative is not None:
            above = builder.select(negative, constant(-1 << 64 - by, "i64"), constant(0, "i64"))
            total = builder.binary("or", total, above)
    if form.sat:
        most = builder.intrinsic("umin", "i64", total, constant((1 << 31 if signed else 1 << 32) - 1, "i64"))
        if negative is not None:
            least = builder.intrinsic("umax", "i64", total, constant(-1 << 31, "i64"))
            most = builder.select(negative, least, most)
        total = most
    return builder.resize(total, "i32")


# --- all halves or bytes ----------------------------------------------------------------------------------


@emits(*_SIMD)
def emit_simd(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compute each part in 64 bits; then merge the selected ones into the last operand, or add them up."""
    count = int(form.opcode[-1])
    width, letter = 32 // count, "h" if count == 2 else "b"
    destination, left, right, third = instruction.operands
    words = [frame.read(_plain(operand), "b32") for operand in (left, right)]
    sides = []
    for operand, type_, first in ((left, form.atype, 0), (right, form.btype, count)):
        chosen = _selected(frame, operand, 2 * count, letter) or list(range(first, first + count))
        if len(chosen) != count:
            raise PtxError(f"{form}: a source selects {count} parts", frame.line)
        sides.append(
            [_part(frame, words[number // count], number % count, width, signed=type_ == "s32") for number in chosen]
        )
    counting = _selected(frame, destination, count, letter) or range(count)
    if max(counting) >= count:
        raise PtxError(f"{form}: the destination has the parts 0 to {count - 1}", frame.line)
    value = frame.read(third, "b32")
    for position in sorted(set(counting)):
        result = _combine(frame, form, form.opcode[:-1], sides[0][position], sides[1][position])
        signed = getattr(form, "dtype", "u32") == "s32"  # comparisons have none
        if getattr(form, "sat", False):
            result = _clamp(frame, result, width, signed=signed)
        part = frame.builder.resize(result, "i32")
        if form.add:  # all bits of the result, not only those of a part, as on an H100
            value = frame.builder.binary("add", value, part)
        else:
            value = _insert(frame, value, part, position * width, width)
    frame.write(_plain(destination), value)
