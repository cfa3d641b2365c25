# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Extended-precision arithmetic with the carry register, and dot products: ISA manual 9.7.2, 9.7.1.24 and 9.7.1.25."""

from __future__ import annotations

from cuda.cpu.emit.access.avx512 import call_by_registers
from cuda.cpu.emit.instructions.integer import multiply
from cuda.cpu.emit.llvm.builder import Builder
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
    a, b, c = (frame.read(operand, "b32") for operand in instruction.operands[1:])
    settings, compute = frame.module.settings, _dot
    if form.opcode == "dp4a" and settings.native_dots:
        compute = _dot_of_bytes
    elif form.opcode == "dp4a" and settings.vector_bytes and not (a.uniform and b.uniform):
        compute = _dot_of_words
    frame.write(instruction.operands[0], compute(frame, form, a, b, c))


def _dot_of_bytes(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    """Multiply bytes by AVX-512's vpdpbusd, whose first factors are unsigned, and the second ones signed.

    Where both are of one kind, the highest bit of one is flipped, which makes it 128 too large or too small: the sum is
    then wrong by the products of this 128, which is the flipped bit itself, and the other factors.
    """
    builder, flip = frame.builder, constant(-0x7F7F7F80, "i32")  # bytes of 0x80
    if form.atype != form.btype:
        return _add_products(builder, c, *((a, b) if form.atype == "u32" else (b, a)))
    if form.atype == "s32":
        factors, excess = (builder.binary("xor", a, flip), b), (flip, b)
    else:
        factors, excess = (a, builder.binary("xor", b, flip)), (a, flip)
    wrong = _add_products(builder, constant(0, "i32"), *excess)
    return builder.binary("sub", _add_products(builder, c, *factors), wrong)


def _add_products(builder: Builder, *values: Value) -> Value:
    return call_by_registers(builder, "llvm.x86.avx512.vpdpbusd.512", 16, builder.align_shapes(*values))


def _dot_of_words(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    """Multiply bytes with even and with odd numbers, each made 16 bits wide, by AVX2's vpmaddwd."""
    builder = frame.builder
    wide = _words(builder, a, signed=form.atype == "s32"), _words(builder, b, signed=form.btype == "s32")
    for pair in zip(*wide, strict=True):
        c = builder.binary("add", c, call_by_registers(builder, "llvm.x86.avx2.pmadd.wd", 8, pair, operand="i16"))
    return c


def _words(builder: Builder, value: Value, *, signed: bool) -> tuple[Value, Value]:
    """Return the bytes of words with even and with odd numbers as half words."""
    words, right = builder.cast_part(builder.part(builder.broadcast(value)), "i16"), "ashr" if signed else "lshr"
    even = builder.binary_part(right, builder.binary_part("shl", words, 8), 8)
    odd = builder.binary_part(right, words, 8)
    return builder.group(builder.cast_part(even, "i32")), builder.group(builder.cast_part(odd, "i32"))


def _dot(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    """Multiply 32-bit integers."""
    builder = frame.builder
    count = 4 if form.opcode == "dp4a" else 2
    start = 16 if getattr(form, "mode", None) == "hi" else 0
    total = c
    for index in range(count):
        width = 32 // count
        first = _field(frame, a, index * width, width, signed=form.atype == "s32")
        second = _field(frame, b, start + 8 * index, 8, signed=form.btype == "s32")
        total = builder.binary("add", total, builder.binary("mul", first, second))
    return total
