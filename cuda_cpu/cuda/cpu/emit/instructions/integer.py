# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic on SIMD groups: ISA manual 9.7.1. Functions take the frame, an instruction's form and values."""

from __future__ import annotations

from cuda.cpu.emit.access.division import quotient
from cuda.cpu.emit.llvm.values import Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form


def is_signed(type_: str) -> bool:
    return type_.startswith("s")


def minimum(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    return _relu(frame, form, frame.builder.intrinsic("smin" if is_signed(form.type) else "umin", a.element, a, b))


def maximum(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    return _relu(frame, form, frame.builder.intrinsic("smax" if is_signed(form.type) else "umax", a.element, a, b))


def _relu(frame: Frame, form: Form, value: Value) -> Value:
    if not getattr(form, "relu", False):
        return value
    return frame.builder.intrinsic("smax", value.element, value, constant(0, value.element))


def add(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    if getattr(form, "sat", False):
        return frame.builder.intrinsic("sadd.sat" if is_signed(form.type) else "uadd.sat", a.element, a, b)
    return frame.builder.binary("add", a, b)


def subtract(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    if getattr(form, "sat", False):
        return frame.builder.intrinsic("ssub.sat" if is_signed(form.type) else "usub.sat", a.element, a, b)
    return frame.builder.binary("sub", a, b)


def multiply(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Return the low or high half of the product, or all of it."""
    builder, signed = frame.builder, is_signed(form.type)
    if form.mode == "lo":
        return builder.binary("mul", a, b)
    width = width_of(a.element)
    if width == 64:
        return high_product(frame, a, b, signed=signed)
    if form.mode == "hi" and width == 32 and not (a.uniform and b.uniform):
        if frame.width > 1:
            return _high_words(frame, a, b, signed=signed)
        a, b = builder.extract(a, "0"), builder.extract(b, "0")  # LLVM 20 ends the process for vectors of one word
    wide = f"i{2 * width}"
    product = builder.binary("mul", builder.resize(a, wide, signed=signed), builder.resize(b, wide, signed=signed))
    if form.mode == "wide":
        return product
    return builder.resize(builder.binary("lshr", product, constant(width, wide)), a.element)


def carryless_multiply_add(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    """Return the low or high half of the carry-less product (polynomials over GF(2)), plus c."""
    builder, one = frame.builder, constant(1, "i64")
    total = c
    for position in range(64):
        shift = constant(position if form.mode == "lo" else 64 - position, "i64")
        if form.mode == "hi" and not position:
            continue
        part = builder.binary("shl" if form.mode == "lo" else "lshr", b, shift)
        bit = builder.binary("and", builder.binary("lshr", a, constant(position, "i64")), one)
        bits = builder.binary("sub", constant(0, "i64"), bit)
        total = builder.binary("xor", total, builder.binary("and", part, bits))
    return total


def _high_words(frame: Frame, a: Value, b: Value, *, signed: bool) -> Value:
    """Return the high halves of products of words in vectors.

    CPUs multiply every other word of a vector. LLVM would widen each half of it, and narrow the results.
    """
    builder, lanes = frame.builder, frame.width
    words = [builder.cast_part(builder.part(builder.broadcast(value)), "i64") for value in (a, b)]
    shift = "ashr" if signed else "lshr"
    even = [builder.binary_part(shift, builder.binary_part("shl", pair, 32), 32) for pair in words]
    odd = [builder.binary_part(shift, pair, 32) for pair in words]
    products = [builder.cast_part(builder.binary_part("mul", *pairs), "i32") for pairs in (even, odd)]
    picks = [lane + lanes if lane % 2 else lane + 1 for lane in range(lanes)]
    return builder.group(builder.shuffle(products[0], picks, products[1]))


def high_product(frame: Frame, a: Value, b: Value, *, signed: bool) -> Value:
    """Return the high 64 bits of a 128-bit product, from four products of 32 bits."""
    builder = frame.builder
    low, shift = constant(0xFFFFFFFF, "i64"), constant(32, "i64")
    a0, a1 = builder.binary("and", a, low), builder.binary("lshr", a, shift)
    b0, b1 = builder.binary("and", b, low), builder.binary("lshr", b, shift)
    middle = builder.binary("mul", a1, b0)
    middle = builder.binary("add", middle, builder.binary("lshr", builder.binary("mul", a0, b0), shift))
    other = builder.binary("add", builder.binary("mul", a0, b1), builder.binary("and", middle, low))
    high = builder.binary("add", builder.binary("mul", a1, b1), builder.binary("lshr", middle, shift))
    high = builder.binary("add", high, builder.binary("lshr", other, shift))
    if signed:
        for first, second in ((a, b), (b, a)):
            sign = builder.binary("ashr", first, constant(63, "i64"))
            high = builder.binary("sub", high, builder.binary("and", sign, second))
    return high


def multiply_add(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    product = multiply(frame, form, a, b)
    if getattr(form, "sat", False):
        return frame.builder.intrinsic("sadd.sat", c.element, product, c)
    return frame.builder.binary("add", product, c)


def multiply_24(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Return bits 0-31 or 16-47 of the product of the low 24 bits."""
    builder, signed = frame.builder, is_signed(form.type)
    eight = constant(8, "i32")
    parts = []
    for value in (a, b):
        shifted = builder.binary("ashr" if signed else "lshr", builder.binary("shl", value, eight), eight)
        parts.append(builder.resize(shifted, "i64", signed=signed))
    product = builder.binary("mul", *parts)
    if form.mode == "hi":
        product = builder.binary("lshr", product, constant(16, "i64"))
    return builder.resize(product, "i32")


def multiply_add_24(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    product = multiply_24(frame, form, a, b)
    if getattr(form, "sat", False):
        return frame.builder.intrinsic("sadd.sat", "i32", product, c)
    return frame.builder.binary("add", product, c)


def absolute_difference(frame: Frame, form: Form, a: Value, b: Value, c: Value) -> Value:
    builder = frame.builder
    less = builder.compare("icmp slt" if is_signed(form.type) else "icmp ult", a, b)
    difference = builder.select(less, builder.binary("sub", b, a), builder.binary("sub", a, b))
    return builder.binary("add", c, difference)


def absolute(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.intrinsic("abs", a.element, a, "i1 false")


def negate(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.binary("sub", constant(0, a.element), a)


# --- division -----------------------------------------------------------------------------------------


def divide(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    return quotient(frame, form.type, a, b)


def remainder(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Return the remainder. That of a division by zero, undefined in PTX, has all bits set, as on an H200."""
    builder = frame.builder
    found = builder.binary("sub", a, builder.binary("mul", divide(frame, form, a, b), b))
    return builder.select(builder.compare("icmp eq", b, constant(0, b.element)), constant(-1, b.element), found)


# --- bits ---------------------------------------------------------------------------------------------


def population(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.resize(frame.builder.intrinsic("ctpop", a.element, a), "i32")


def leading_zeros(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.resize(frame.builder.intrinsic("ctlz", a.element, a, "i1 false"), "i32")


def reverse(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.intrinsic("bitreverse", a.element, a)


def find_bit(frame: Frame, form: Form, a: Value) -> Value:
    """Return the position of the highest bit that is not a sign bit, or the shift that brings it to the top."""
    builder, width = frame.builder, width_of(a.element)
    if is_signed(form.type):
        a = builder.binary("xor", a, builder.binary("ashr", a, constant(width - 1, a.element)))
    zeros = leading_zeros(frame, form, a)
    none = builder.compare("icmp eq", a, constant(0, a.element))
    found = zeros if form.shiftamt else builder.binary("sub", constant(width - 1, "i32"), zeros)
    return builder.select(none, constant(-1, "i32"), found)


def _field_number(frame: Frame, number: Value, width: int) -> Value:
    """Return a position or length of a bit field. Above 255 it is undefined in PTX; an H200 does the same."""
    if width == 32:
        return frame.builder.binary("and", number, constant(255, "i32"))
    return frame.builder.intrinsic("umin", "i32", number, constant(255, "i32"))


def extract_field(frame: Frame, form: Form, a: Value, position: Value, length: Value) -> Value:
    """Return a bit field of `a`, sign- or zero-extended beyond the width of `a`."""
    builder, element, width = frame.builder, a.element, width_of(a.element)
    position, length = (_field_number(frame, v, width) for v in (position, length))
    signed = is_signed(form.type)
    # Shift the field to the top, without the bits beyond the end of `a`, then back down.
    end = builder.intrinsic("umin", "i32", builder.binary("add", position, length), constant(width, "i32"))
    inside = builder.intrinsic("umin", "i32", position, constant(width - 1 if signed else width, "i32"))
    end = builder.intrinsic("umax", "i32", end, inside)
    down = shift(frame, "ashr" if signed else "lshr", a, inside)
    kept = builder.binary("sub", end, inside)
    up = builder.binary("sub", constant(width, "i32"), kept)
    if signed:
        one = builder.compare("icmp eq", inside, position)
        kept_some = builder.compare("icmp ne", length, constant(0, "i32"))
        field = shift(frame, "ashr", shift(frame, "shl", down, up), up)
        past = builder.binary("ashr", a, constant(width - 1, element))
        field = builder.select(one, field, past)
        return builder.select(kept_some, field, constant(0, element))
    return shift(frame, "lshr", shift(frame, "shl", down, up), up)


def insert_field(frame: Frame, form: Form, a: Value, b: Value, position: Value, length: Value) -> Value:
    builder, element = frame.builder, a.element
    position, length = (_field_number(frame, v, width_of(element)) for v in (position, length))
    ones = builder.complement(shift(frame, "shl", constant(-1, element), length))
    mask = shift(frame, "shl", ones, position)
    inserted = builder.binary("and", shift(frame, "shl", a, position), mask)
    return builder.binary("or", inserted, builder.binary("and", b, builder.complement(mask)))


def sign_extend_field(frame: Frame, form: Form, a: Value, length: Value) -> Value:
    """Return the low `length` bits of `a`, sign- or zero-extended (szext)."""
    builder = frame.builder
    length = _limited(frame, form, length)
    up = builder.binary("sub", constant(32, "i32"), length)
    if form.mode == "wrap":
        up = builder.binary("and", up, constant(31, "i32"))
    field = shift(frame, "ashr" if is_signed(form.type) else "lshr", shift(frame, "shl", a, up), up)
    return builder.select(builder.compare("icmp eq", length, constant(0, "i32")), constant(0, "i32"), field)


def bit_mask(frame: Frame, form: Form, position: Value, length: Value) -> Value:
    builder = frame.builder
    position, length = _limited(frame, form, position), _limited(frame, form, length)
    ones = builder.complement(shift(frame, "shl", constant(-1, "i32"), length))
    return shift(frame, "shl", ones, position)


def _limited(frame: Frame, form: Form, value: Value) -> Value:
    builder = frame.builder
    if form.mode == "wrap":
        return builder.binary("and", value, constant(31, "i32"))
    return builder.intrinsic("umin", "i32", value, constant(32, "i32"))


def shift(frame: Frame, opcode: str, value: Value, amount: Value) -> Value:
    """Shift as PTX does: an amount of the width or more gives zeros, or copies of the sign."""
    builder, width, element = frame.builder, width_of(value.element), value.element
    if amount.literal and amount.uniform:
        count = int(amount.ref) & 0xFFFFFFFF
        if count < width:
            return builder.binary(opcode, value, constant(count, element))
        return builder.binary("ashr", value, constant(width - 1, element)) if opcode == "ashr" else constant(0, element)
    last = constant(width - 1, "i32")
    inside = builder.resize(builder.intrinsic("umin", "i32", amount, last), element)
    shifted = builder.binary(opcode, value, inside)
    if opcode == "ashr":
        return shifted
    return builder.select(builder.compare("icmp ugt", amount, last), constant(0, element), shifted)


def nth_set_bit(frame: Frame, form: Form, mask: Value, base: Value, offset: Value) -> Value:
    """Return the position of the offset-th set bit, upwards or downwards from bit `base` (fns); -1 if there is none."""
    builder = frame.builder
    zero, minus = constant(0, "i32"), constant(-1, "i32")
    down = builder.compare("icmp slt", offset, zero)
    base = builder.binary("and", base, constant(31, "i32"))
    upward = builder.binary("and", mask, shift(frame, "shl", minus, base))
    flipped_base = builder.binary("sub", constant(31, "i32"), base)
    flipped = builder.binary("and", reverse(frame, form, mask), shift(frame, "shl", minus, flipped_base))
    left = builder.select(down, flipped, upward)
    count = builder.intrinsic("abs", "i32", offset, "i1 false")
    zero_offset = builder.compare("icmp eq", offset, zero)
    own = builder.binary("and", mask, shift(frame, "shl", constant(1, "i32"), base))
    left = builder.select(zero_offset, own, left)
    count = builder.intrinsic("umax", "i32", count, constant(1, "i32"))
    for bit in range(31):
        more = builder.compare("icmp ugt", count, constant(bit + 1, "i32"))
        cleared = builder.binary("and", left, builder.binary("sub", left, constant(1, "i32")))
        left = builder.select(more, cleared, left)
    found = builder.intrinsic("cttz", "i32", left, "i1 false")
    found = builder.select(down, builder.binary("sub", constant(31, "i32"), found), found)
    many = builder.compare("icmp ugt", count, constant(32, "i32"))
    none = builder.binary("or", builder.compare("icmp eq", left, zero), many)
    return builder.select(none, minus, found)
