# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Floating-point numbers of 8 and 4 bits (OCP 8-bit Floating Point Specification, OCP Microscaling Formats).

In registers they are floats; conversions to them saturate, as `cvt.satfinite` of PTX does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from cuda.cpu.tile.llvm import Builder, V
from cuda.cpu.tile.numbers import number


class Format(NamedTuple):
    """`mantissa`: its bits; `bias`: of the exponent; `nan`, `infinity`: their bits, or -1."""

    bits: int
    mantissa: int
    bias: int
    most: float
    nan: int
    signed: bool = True
    infinity: int = -1


FORMATS = {
    "f8E4M3FN": Format(8, 3, 7, 448.0, 0x7F),
    "f8E5M2": Format(8, 2, 15, 57344.0, 0x7F, infinity=0x7C),
    "f8E8M0FNU": Format(8, 0, 127, 2.0**127, 0xFF, signed=False),
    "f4E2M1FN": Format(4, 1, 1, 6.0, -1),
}


def value_of(bits: int, name: str) -> float:
    """Return the number that bits stand for."""
    form = FORMATS[name]
    if not form.signed:
        return math.nan if bits == form.nan else 2.0 ** (bits - form.bias)
    magnitude, negative = bits & (1 << form.bits - 1) - 1, bits >> form.bits - 1
    if magnitude == form.infinity:
        value = math.inf
    elif form.nan >= 0 and (magnitude == form.nan or magnitude > form.infinity > 0):
        value = math.nan
    else:
        exponent, fraction = divmod(magnitude, 1 << form.mantissa)
        scale = 2.0 ** (max(exponent, 1) - form.bias - form.mantissa)
        value = scale * (fraction + ((1 << form.mantissa) if exponent else 0))
    return -value if negative else value


def decode(b: Builder, value: V, name: str) -> V:
    """Return bytes as floats."""
    form = FORMATS[name]
    wide = b.convert("zext", value, "i32")

    def of(bits: int) -> V:
        return b.constant(wide.type, str(bits))

    if not form.signed:
        shifted = b.binary("shl", wide, of(23))
        # 2**-127 is a denormal float, and 255 a NaN.
        least = b.compare("icmp eq", wide, of(0))
        shifted = b.select(least, of(1 << 22), shifted)
        shifted = b.select(b.compare("icmp eq", wide, of(form.nan)), of(0x7FC00000), shifted)
        return b.convert("bitcast", shifted, "float")
    magnitude = b.binary("and", wide, of((1 << form.bits - 1) - 1))
    small = b.convert("bitcast", b.binary("shl", magnitude, of(23 - form.mantissa)), "float")
    scaled = b.binary("fmul", small, number(b, small.type, 2.0 ** (127 - form.bias)))
    bits = b.convert("bitcast", scaled, "i32")
    if form.infinity >= 0:
        bits = b.select(b.compare("icmp eq", magnitude, of(form.infinity)), of(0x7F800000), bits)
        bits = b.select(b.compare("icmp ugt", magnitude, of(form.infinity)), of(0x7FC00000), bits)
    elif form.nan >= 0:
        bits = b.select(b.compare("icmp eq", magnitude, of(form.nan)), of(0x7FC00000), bits)
    sign = b.binary("shl", b.binary("lshr", wide, of(form.bits - 1)), of(31))
    return b.convert("bitcast", b.binary("or", bits, sign), "float")


def encode(b: Builder, value: V, name: str) -> V:
    """Return floats that the format can represent as bytes."""
    form = FORMATS[name]
    whole = b.convert("bitcast", value, "i32")

    def of(bits: int) -> V:
        return b.constant(whole.type, str(bits))

    nan = b.compare("fcmp uno", value, value)
    if not form.signed:
        exponent = b.binary("and", b.binary("lshr", whole, of(23)), of(0xFF))
        return b.convert("trunc", b.select(nan, of(form.nan), exponent), "i8")
    scaled = b.binary("fmul", b.intrinsic("fabs", value), number(b, value.type, 2.0 ** (form.bias - 127)))
    bits = b.binary("lshr", b.convert("bitcast", scaled, "i32"), of(23 - form.mantissa))
    if form.infinity >= 0:
        endless = b.compare("fcmp oeq", b.intrinsic("fabs", value), number(b, value.type, math.inf))
        bits = b.select(endless, of(form.infinity), bits)
    sign = b.binary("shl", b.binary("lshr", whole, of(31)), of(form.bits - 1))
    bits = b.binary("or", bits, sign)
    return b.convert("trunc", b.select(nan, of(max(form.nan, 0)), bits), "i8")


def rounded(b: Builder, value: V, name: str, rounding: str) -> V:
    """Return floats rounded to the nearest number of the format, ties to even, and saturated."""
    form = FORMATS[name]
    if not form.signed:
        return _power(b, value, rounding)
    # The sum with 1.5 * 2**(e + 23 - mantissa) has no bits below the last one that the format keeps.
    magnitude = b.intrinsic("fabs", value)
    exponent = b.binary("and", b.convert("bitcast", magnitude, "i32"), b.constant(_bits(value), str(0x7F800000)))
    least = number(b, value.type, 2.0 ** (1 - form.bias))
    power = b.convert("bitcast", exponent, "float")
    power = b.select(b.compare("fcmp ogt", power, least), power, least)
    most = number(b, value.type, form.most)
    power = b.select(b.compare("fcmp olt", power, most), power, most)
    large = b.binary("fmul", power, number(b, value.type, 1.5 * 2.0 ** (23 - form.mantissa)))
    near = b.binary("fsub", b.binary("fadd", magnitude, large), large)
    near = b.select(b.compare("fcmp ogt", near, most), most, near)
    if form.nan < 0:
        return b.select(b.compare("fcmp uno", value, value), most, b.intrinsic("copysign", near, value))
    near = b.select(b.compare("fcmp uno", value, value), value, near)
    return b.intrinsic("copysign", near, value)


def _bits(value: V) -> str:
    return value.type.replace("float", "i32")


def _power(b: Builder, value: V, rounding: str) -> V:
    """Return powers of two: those below for "zero", those above otherwise."""
    bits = b.convert("bitcast", b.intrinsic("fabs", value), "i32")

    def of(number: int) -> V:
        return b.constant(bits.type, str(number))

    moved = bits if rounding == "zero" else b.binary("add", bits, of((1 << 23) - 1))
    power = b.binary("and", moved, of(0x7F800000))
    small = of(1 << 22)
    below = b.compare("icmp ult", bits, of(1 << 23)) if rounding == "zero" else b.compare("icmp ule", bits, small)
    power = b.select(below, small, power)
    power = b.select(b.compare("icmp ugt", power, of(254 << 23)), of(254 << 23), power)
    return b.select(b.compare("fcmp uno", value, value), value, b.convert("bitcast", power, "float"))
