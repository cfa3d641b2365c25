# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Eight-bit floats: e4m3 (no infinities, largest 448) and e5m2 (as half, largest 57344)."""

from __future__ import annotations

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.values import Value, constant, real

# Bits of the mantissa, bias of the exponent, largest number, NaN.
FORMATS = {"e4m3": (3, 7, 448.0, 0x7F), "e5m2": (2, 15, 57344.0, 0x7F)}


def to_minifloat(frame: Frame, value: Value, type_: str) -> Value:
    """Round a float to nearest even; what is too large becomes the largest number (.satfinite)."""
    builder = frame.builder
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
    # Subnormal ones: a multiple of the least number, which also is the code; adding 2**23 rounds to an integer.
    units = builder.binary("fmul", size, real(2.0 ** (bias - 1 + mantissa), "float"))
    small = builder.bits(builder.binary("fadd", units, real(2.0**23, "float")))
    small = builder.binary("and", small, constant(0x7FFFFF, "i32"))
    tiny = builder.compare("fcmp olt", size, real(2.0 ** (1 - bias), "float"))
    code = builder.select(tiny, small, normal)
    sign = builder.binary("and", builder.binary("lshr", builder.bits(value), constant(24, "i32")), constant(128, "i32"))
    code = builder.binary("or", code, sign)
    code = builder.select(builder.compare("fcmp uno", value, value), constant(nan, "i32"), code)
    return builder.resize(code, "i8")


def from_minifloat(frame: Frame, code: Value, type_: str) -> Value:
    """Return an eight-bit float (i8) as a float; exact."""
    builder = frame.builder
    mantissa, bias, _, _ = FORMATS[type_]
    wide = builder.resize(code, "i32")
    magnitude = builder.binary("and", wide, constant(127, "i32"))
    # As bits of a float the exponent is too small by 127 - bias; a multiplication mends it, for subnormals too.
    bits = builder.binary("shl", magnitude, constant(23 - mantissa, "i32"))
    size = builder.binary("fmul", builder.cast("bitcast", bits, "float"), real(2.0 ** (127 - bias), "float"))
    nan = real(float("nan"), "float")
    if type_ == "e4m3":
        size = builder.select(builder.compare("icmp eq", magnitude, constant(0x7F, "i32")), nan, size)
    else:
        size = builder.select(builder.compare("icmp ugt", magnitude, constant(0x7C, "i32")), nan, size)
        infinite = builder.compare("icmp eq", magnitude, constant(0x7C, "i32"))
        size = builder.select(infinite, real(float("inf"), "float"), size)
    sign = builder.binary("shl", builder.binary("and", wide, constant(128, "i32")), constant(24, "i32"))
    return builder.cast("bitcast", builder.binary("or", builder.bits(size), sign), "float")
