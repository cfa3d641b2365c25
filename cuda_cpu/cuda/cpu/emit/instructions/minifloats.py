# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions from and to narrow number formats.

Eight bits: e4m3 (no infinities, largest 448), e5m2 (as half, largest 57344), ue8m0 (powers of two). Six and four bits:
e2m3, e3m2, e2m1, which have neither infinities nor NaN. Fixed point: s2f6, 64ths in eight bits.
"""

from __future__ import annotations

from cuda.cpu.emit.instructions.rounding import to_integer
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Value, constant, real

# Bits of the mantissa, bias of the exponent, code of the largest number, code of NaN (else of the largest number).
FORMATS = {
    "e4m3": (3, 7, 448.0, 0x7F),
    "e5m2": (2, 15, 57344.0, 0x7F),
    "e2m3": (3, 1, 7.5, 0x1F),
    "e3m2": (2, 3, 28.0, 0x1F),
    "e2m1": (1, 1, 6.0, 0x7),
}
SIGNS = {"e4m3": 7, "e5m2": 7, "e2m3": 5, "e3m2": 5, "e2m1": 3}  # position of the sign bit


def to_minifloat(builder: Builder, value: Value, type_: str) -> Value:
    """Round a float to nearest even; values out of range become the largest number (.satfinite)."""
    mantissa, bias, largest, nan = FORMATS[type_]
    size = builder.intrinsic("fabs", "float", value)
    size = builder.select(builder.compare("fcmp ogt", size, real(largest, "float")), real(largest, "float"), size)
    # Normal numbers: round the float's bits, then change the exponent's bias.
    shift = 23 - mantissa
    bits = builder.bits(size)
    odd = builder.binary("and", builder.binary("lshr", bits, constant(shift, "i32")), constant(1, "i32"))
    rounded = builder.binary("add", builder.binary("add", bits, constant((1 << (shift - 1)) - 1, "i32")), odd)
    normal = builder.binary("lshr", rounded, constant(shift, "i32"))
    normal = builder.binary("sub", normal, constant((127 - bias) << mantissa, "i32"))
    # Subnormal numbers: the multiple of the least number is the code; adding 2**23 rounds to an integer.
    units = builder.binary("fmul", size, real(2.0 ** (bias - 1 + mantissa), "float"))
    small = builder.bits(builder.binary("fadd", units, real(2.0**23, "float")))
    small = builder.binary("and", small, constant(0x7FFFFF, "i32"))
    tiny = builder.compare("fcmp olt", size, real(2.0 ** (1 - bias), "float"))
    code = builder.select(tiny, small, normal)
    sign_bit = SIGNS[type_]
    sign = builder.binary("lshr", builder.bits(value), constant(31 - sign_bit, "i32"))
    sign = builder.binary("and", sign, constant(1 << sign_bit, "i32"))
    code = builder.binary("or", code, sign)
    code = builder.select(builder.compare("fcmp uno", value, value), constant(nan, "i32"), code)
    return builder.resize(code, "i8")


def from_minifloat(builder: Builder, code: Value, type_: str) -> Value:
    """Return a minifloat (i8) as a float; exact."""
    mantissa, bias, _, _ = FORMATS[type_]
    wide = builder.resize(code, "i32")
    sign_bit = SIGNS[type_]
    magnitude = builder.binary("and", wide, constant((1 << sign_bit) - 1, "i32"))
    # Read as a float, the exponent is too small by 127 - bias; a multiplication corrects it, for subnormals too.
    bits = builder.binary("shl", magnitude, constant(23 - mantissa, "i32"))
    size = builder.binary("fmul", builder.cast("bitcast", bits, "float"), real(2.0 ** (127 - bias), "float"))
    nan = real(float("nan"), "float")
    if type_ == "e4m3":
        size = builder.select(builder.compare("icmp eq", magnitude, constant(0x7F, "i32")), nan, size)
    elif type_ == "e5m2":
        size = builder.select(builder.compare("icmp ugt", magnitude, constant(0x7C, "i32")), nan, size)
        infinite = builder.compare("icmp eq", magnitude, constant(0x7C, "i32"))
        size = builder.select(infinite, real(float("inf"), "float"), size)
    sign = builder.binary("and", wide, constant(1 << sign_bit, "i32"))
    sign = builder.binary("shl", sign, constant(31 - sign_bit, "i32"))
    return builder.cast("bitcast", builder.binary("or", builder.bits(size), sign), "float")


def to_power(builder: Builder, value: Value, *, up: bool, finite: bool) -> Value:
    """Return the code (i8) of a float's magnitude rounded down, or with `up` rounded up, to a power of two."""
    bits = builder.binary("and", builder.bits(value), constant(0x7FFFFFFF, "i32"))
    exponent = builder.binary("lshr", bits, constant(23, "i32"))
    if up:
        mantissa = builder.binary("and", bits, constant(0x7FFFFF, "i32"))
        subnormal = builder.compare("icmp eq", exponent, constant(0, "i32"))  # 2**-127 is one, whose code is 0
        exact = builder.select(subnormal, constant(0x400000, "i32"), constant(0, "i32"))
        more = builder.resize(builder.compare("icmp ugt", mantissa, exact), "i32")
        exponent = builder.binary("add", exponent, more)
    exponent = builder.intrinsic("umin", "i32", exponent, constant(0xFE if finite else 0xFF, "i32"))
    nan = builder.compare("fcmp uno", value, value)
    return builder.resize(builder.select(nan, constant(0xFF, "i32"), exponent), "i8")


def from_power(builder: Builder, code: Value) -> Value:
    """Return the power of two (a float) of a ue8m0 code."""
    wide = builder.resize(code, "i32")
    bits = builder.binary("shl", wide, constant(23, "i32"))
    bits = builder.select(builder.compare("icmp eq", wide, constant(0, "i32")), constant(0x400000, "i32"), bits)
    nan = builder.compare("icmp eq", wide, constant(0xFF, "i32"))
    return builder.cast("bitcast", builder.select(nan, constant(0x7FFFFFFF, "i32"), bits), "float")


def to_fixed(builder: Builder, value: Value) -> Value:
    """Return a float or double rounded to 64ths (i8); NaN becomes the largest number."""
    nearest = builder.binary("fmul", value, real(64.0, value.element))
    nearest = builder.intrinsic("roundeven", value.element, nearest)
    fixed = to_integer(builder, nearest, "i8")
    return builder.select(builder.compare("fcmp uno", value, value), constant(0x7F, "i8"), fixed)


def from_fixed(builder: Builder, code: Value) -> Value:
    """Return a number of 64ths (i8) as a float."""
    return builder.binary("fmul", builder.cast("sitofp", code, "float"), real(2.0**-6, "float"))
