# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Extended-precision arithmetic with the carry register, and dot products: ISA manual 9.7.2, 9.7.1.24 and 9.7.1.25."""

from __future__ import annotations

from cuda.cpu.emit.instructions.integer import multiply
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.find_registers import CARRY
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction


def add_with_carry(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Add, with the carry if the opcode ends in c; set the carry register if the form has .cc."""
    builder = frame.builder
    total = builder.binary("add", a, b)
    carry = builder.compare("icmp ult", total, a)
    if form.opcode in ("addc", "madc"):
        before = total
        total = builder.binary("add", total, builder.resize(frame.get(CARRY), a.element))
        carry = builder.binary("or", carry, builder.compare("icmp ult", total, before))
    if form.cc:
        frame.set(CARRY, carry)
    return total


def subtract_with_borrow(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Subtract, with the borrow if the opcode ends in c; set the carry register if the form has .cc.

    The carry register holds the complement of a borrow, as in a + ~b + 1: the manual does not say so, but NVRTC's
    128-bit division uses `addc` to find out whether the `subc.cc` before it borrowed.
    """
    builder = frame.builder
    result = builder.binary("sub", a, b)
    borrow = builder.compare("icmp ult", a, b)
    if form.opcode == "subc":
        before, taken = result, builder.resize(builder.complement(frame.get(CARRY)), a.element)
        result = builder.binary("sub", result, taken)
        borrow = builder.binary("or", borrow, builder.compare("icmp ult", before, taken))
    if form.cc:
        frame.set(CARRY, builder.complement(borrow))
    return result


@emits("addc", "subc")
def emit_carry(frame: Frame, instruction: Instruction, form: Form) -> None:
    a, b = (frame.read(operand, form.type) for operand in instruction.operands[1:])
    compute = add_with_carry if form.opcode == "addc" else subtract_with_borrow
    frame.write(instruction.operands[0], compute(frame, form, a, b))


@emits("madc")
def emit_multiply_carry(frame: Frame, instruction: Instruction, form: Form) -> None:
    a, b, c = (frame.read(operand, form.type) for operand in instruction.operands[1:])
    frame.write(instruction.operands[0], add_with_carry(frame, form, multiply(frame, form, a, b), c))


def _field(frame: Frame, value: Value, position: int, width: int, *, signed: bool) -> Value:
    """Return `width` bits of a word, sign- or zero-extended."""
    builder = frame.builder
    top = builder.binary("shl", value, constant(32 - width - position, "i32"))
    return builder.binary("ashr" if signed else "lshr", top, constant(32 - width, "i32"))


@emits("dp4a", "dp2a")
def emit_dot(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Add four products of bytes, or two of a half word and a byte, to c."""
    builder = frame.builder
    a, b, c = (frame.read(operand, "b32") for operand in instruction.operands[1:])
    count = 4 if form.opcode == "dp4a" else 2
    start = 16 if getattr(form, "mode", None) == "hi" else 0
    total = c
    for index in range(count):
        width = 32 // count
        first = _field(frame, a, index * width, width, signed=form.atype == "s32")
        second = _field(frame, b, start + 8 * index, 8, signed=form.btype == "s32")
        total = builder.binary("add", total, builder.binary("mul", first, second))
    frame.write(instruction.operands[0], total)
