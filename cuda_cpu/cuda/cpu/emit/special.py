# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Approximate functions: ISA manual 9.7.3.18 to 9.7.3.22. Own polynomials, within the manual's tolerances.

Halves are computed as floats; tolerances are stated in the manual's table of each instruction.
"""

from __future__ import annotations

import math

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.values import Value, constant, real
from cuda.cpu.ptx.instructions import Form

FLOAT = "float"
# Taylor coefficients; the arguments are at most 1/2 (powers of 2) and pi/4 (sine, cosine), so the next term is
# below 2**-27.
POWER = [math.log(2) ** n / math.factorial(n) for n in range(8)]
SINE = [(-1) ** n / math.factorial(2 * n + 1) for n in range(5)]
COSINE = [(-1) ** n / math.factorial(2 * n) for n in range(6)]
LOGARITHM = [2 / math.log(2) / (2 * n + 1) for n in range(6)]  # of (1+s)/(1-s), |s| <= 0.172


def polynomial(frame: Frame, coefficients: list[float], x: Value) -> Value:
    """Return the polynomial's value by Horner's rule; the constant coefficient comes first."""
    result = real(coefficients[-1], FLOAT)
    for coefficient in reversed(coefficients[:-1]):
        result = frame.builder.intrinsic("fma", FLOAT, result, x, real(coefficient, FLOAT))
    return result


def scale(frame: Frame, value: Value, exponent: Value) -> Value:
    """Return value * 2**exponent, -250 to 250, in two steps so that subnormals come out right."""
    builder = frame.builder
    half = builder.binary("ashr", exponent, constant(1, "i32"))
    for part in (half, builder.binary("sub", exponent, half)):
        bits = builder.binary("shl", builder.binary("add", part, constant(127, "i32")), constant(23, "i32"))
        value = builder.binary("fmul", value, builder.cast("bitcast", bits, FLOAT))
    return value


def power(frame: Frame, form: Form, x: Value) -> Value:
    """Return 2**x."""
    builder = frame.builder
    # Beyond +-200 the result is infinite or zero anyway; NaN passes by the comparisons.
    inside = builder.select(builder.compare("fcmp ogt", x, real(200.0, FLOAT)), real(200.0, FLOAT), x)
    inside = builder.select(builder.compare("fcmp olt", inside, real(-200.0, FLOAT)), real(-200.0, FLOAT), inside)
    whole = builder.intrinsic("rint", FLOAT, inside)
    fraction = builder.binary("fsub", inside, whole)
    exponent = builder.intrinsic("fptosi.sat", "i32", whole, mangle=("i32", FLOAT))
    return scale(frame, polynomial(frame, POWER, fraction), exponent)


def logarithm(frame: Frame, form: Form, x: Value) -> Value:
    """Return the logarithm to base 2."""
    builder = frame.builder
    tiny = builder.compare("fcmp olt", x, real(2.0**-126, FLOAT))
    normal = builder.select(tiny, builder.binary("fmul", x, real(2.0**24, FLOAT)), x)
    bits = builder.bits(normal)
    # Take the exponent so that the mantissa is between sqrt(1/2) and sqrt(2).
    shifted = builder.binary("sub", bits, constant(0x3F3504F3, "i32"))
    exponent = builder.binary("ashr", shifted, constant(23, "i32"))
    mantissa = builder.cast(
        "bitcast", builder.binary("sub", bits, builder.binary("shl", exponent, constant(23, "i32"))), FLOAT
    )
    one = real(1.0, FLOAT)
    ratio = builder.binary("fdiv", builder.binary("fsub", mantissa, one), builder.binary("fadd", mantissa, one))
    series = polynomial(frame, LOGARITHM, builder.binary("fmul", ratio, ratio))
    exponent = builder.binary("sub", exponent, builder.select(tiny, constant(24, "i32"), constant(0, "i32")))
    result = builder.intrinsic("fma", FLOAT, series, ratio, builder.cast("sitofp", exponent, FLOAT))
    infinity = Value("0x7FF0000000000000", FLOAT, literal=True)
    nan = Value("0x7FFFFFFFE0000000", FLOAT, literal=True)
    result = builder.select(builder.compare("fcmp oeq", x, infinity), infinity, result)
    result = builder.select(builder.compare("fcmp ult", x, real(0.0, FLOAT)), nan, result)
    minus = Value("0xFFF0000000000000", FLOAT, literal=True)
    return builder.select(builder.compare("fcmp oeq", x, real(0.0, FLOAT)), minus, result)


def _reduced(frame: Frame, x: Value) -> tuple[Value, Value]:
    """Return x minus the nearest multiple of pi/2, and that multiple; pi/2 in three parts."""
    builder = frame.builder
    count = builder.intrinsic("rint", FLOAT, builder.binary("fmul", x, real(2 / math.pi, FLOAT)))
    rest = x
    left = math.pi / 2
    for bits in (12, 12, 24):
        part = real_bits(left, bits)
        left -= part
        rest = builder.intrinsic("fma", FLOAT, count, real(-part, FLOAT), rest)
    return rest, builder.intrinsic("fptosi.sat", "i32", count, mangle=("i32", FLOAT))


def real_bits(value: float, bits: int) -> float:
    """Return `value` with its first bits only."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.trunc(mantissa * 2**bits), exponent - bits)


def _wave(frame: Frame, x: Value, shift: int) -> Value:
    builder = frame.builder
    rest, quadrant = _reduced(frame, x)
    square = builder.binary("fmul", rest, rest)
    sine = builder.binary("fmul", rest, polynomial(frame, SINE, square))
    cosine = polynomial(frame, COSINE, square)
    if shift:
        quadrant = builder.binary("add", quadrant, constant(shift, "i32"))
    odd = builder.compare("icmp ne", builder.binary("and", quadrant, constant(1, "i32")), constant(0, "i32"))
    value = builder.bits(builder.select(odd, cosine, sine))
    sign = builder.binary("shl", builder.binary("and", quadrant, constant(2, "i32")), constant(30, "i32"))
    return builder.cast("bitcast", builder.binary("xor", value, sign), FLOAT)


def sine(frame: Frame, form: Form, x: Value) -> Value:
    return _wave(frame, x, 0)


def cosine(frame: Frame, form: Form, x: Value) -> Value:
    return _wave(frame, x, 1)


def hyperbolic_tangent(frame: Frame, form: Form, x: Value) -> Value:
    """Return 1 - 2/(e**2x + 1), and a series near zero where that cancels."""
    builder, one = frame.builder, real(1.0, FLOAT)
    exponential = power(frame, form, builder.binary("fmul", x, real(2 / math.log(2), FLOAT)))
    quotient = builder.binary("fdiv", real(2.0, FLOAT), builder.binary("fadd", exponential, one))
    large = builder.binary("fsub", one, quotient)
    square = builder.binary("fmul", x, x)
    near = builder.binary("fmul", x, polynomial(frame, [1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835], square))
    small = builder.compare("fcmp olt", builder.intrinsic("fabs", FLOAT, x), real(0.25, FLOAT))
    return builder.select(small, near, large)
