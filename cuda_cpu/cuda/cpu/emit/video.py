# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions, ISA manual 9.7.18: arithmetic on a register, its halves or its bytes, all of them."""

from __future__ import annotations

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.registry import emits
from cuda.cpu.emit.values import Value, constant
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

_SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_SIMD = tuple(name + count for name in (*_SCALAR, "vavrg") for count in "24")


@emits(*_SCALAR, *_SIMD, pure=True)
def emit_video(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compute each part with 64 bits; then join the parts, or add them to the last operand."""
    parts = int(form.opcode[-1]) if form.opcode[-1].isdigit() else 1
    operation = form.opcode.rstrip("24")
    width = 32 // parts
    a, b = (frame.read(operand, "b32") for operand in instruction.operands[1:3])
    results = []
    for position in range(parts):
        left = _part(frame, a, position, width, signed=form.atype == "s32")
        right = _part(frame, b, position, width, signed=form.btype == "s32")
        result = _combine(frame, operation, left, right)
        if form.sat:
            result = _clamp(frame, result, width, signed=form.dtype == "s32")
        results.append(result)
    frame.write(instruction.operands[0], _join(frame, instruction, form, results, width))


def _part(frame: Frame, value: Value, position: int, width: int, *, signed: bool) -> Value:
    builder = frame.builder
    shifted = builder.binary("lshr", value, constant(position * width, "i32")) if position else value
    return builder.resize(builder.resize(shifted, f"i{width}"), "i64", signed=signed)


def _combine(frame: Frame, operation: str, a: Value, b: Value) -> Value:
    builder = frame.builder
    if operation in ("vmin", "vmax"):
        return builder.intrinsic(f"s{operation[1:]}", "i64", a, b)
    if operation == "vabsdiff":
        return builder.intrinsic("abs", "i64", builder.binary("sub", a, b), "i1 false")
    if operation == "vavrg":  # halves are rounded away from zero
        total = builder.binary("add", a, b)
        up = builder.resize(builder.compare("icmp sge", total, constant(0, "i64")), "i64")
        return builder.binary("ashr", builder.binary("add", total, up), constant(1, "i64"))
    return builder.binary(operation[1:], a, b)


def _clamp(frame: Frame, value: Value, width: int, *, signed: bool) -> Value:
    builder = frame.builder
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    value = builder.intrinsic("smax", "i64", value, constant(least, "i64"))
    return builder.intrinsic("smin", "i64", value, constant(most, "i64"))


def _join(frame: Frame, instruction: Instruction, form: Form, results: list[Value], width: int) -> Value:
    builder = frame.builder
    if len(results) == 1:
        value = builder.resize(results[0], "i32")
        if form.op is None:
            return value
        third = frame.read(instruction.operands[3], "b32")
        sign = "s" if form.dtype == "s32" else "u"
        return (
            builder.binary("add", value, third)
            if form.op == "add"
            else builder.intrinsic(sign + form.op, "i32", value, third)
        )
    joined = frame.read(instruction.operands[3], "b32") if form.add else None
    for position, result in enumerate(results):
        part = builder.resize(result, f"i{width}")
        if form.add:
            joined = builder.binary("add", joined, builder.resize(part, "i32", signed=form.dtype == "s32"))
            continue
        part = builder.binary("shl", builder.resize(part, "i32"), constant(position * width, "i32"))
        joined = part if joined is None else builder.binary("or", joined, part)
    return joined
