# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reciprocals, roots and the approximate functions: PTX manual, sections 9.7.3.13 to 9.7.3.22, 9.7.4.9 and 9.7.4.10.

The manual bounds the error of each .approx function. The polynomials here (minimax over their interval, found by
iterated weighted least squares) stay within those bounds; they run in SIMD groups of any width, with no call per lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cuda.cpu.emit.access import avx512
from cuda.cpu.emit.instructions.halves import PARTS, SMALL, map_parts, narrow, widen
from cuda.cpu.emit.instructions.rounding import directed, flush_subnormals, to_integer
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, real
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

# 2^x on [-1/2, 1/2]; relative error 2e-9.
EX2 = (1.0000000005541887, 0.6931472057371977, 0.2402264689047972, 0.055503287770782936, 0.009618488973827194,
       0.0013399931182823017, 0.0001534580750595406)  # fmt: skip
# 2 atanh(s)/(s ln 2) in s^2 up to 0.0295; error 2e-11.
LG2 = (2.885390081790274, 0.9617966731044472, 0.577083630986411, 0.41166990784057, 0.34078310724122973)
# (sin(x)/x - 1)/x^2 and (cos(x) - 1 + x^2/2)/x^4 in x^2 up to (pi/4)^2; errors 3e-11 and 2e-9.
SIN = (-0.16666666663858143, 0.008333331875272182, -0.00019840086863809987, 2.7249927310527e-06)
COS = (0.0416666646578525, -0.001388830304367845, 2.454793829006238e-05)
# tanh(x)/x in x^2 up to 1/4; error 2e-8.
TANH = (0.9999999873737284, -0.3333307579068415, 0.1332490692723548, -0.05299422865648647, 0.017151293996171393)
# pi/2 in three parts whose products with small integers are exact in f32.
HALF_PI = (1.5703125, 4.837512969970703e-4, 7.549789948768648e-8)
_TO_BITS = 1.5 * 2.0**23


def _polynomial(frame: Frame, x: Value, coefficients: Sequence[float]) -> Value:
    """Return the polynomial's value at x, constant term first, by Horner's rule with fused operations."""
    builder = frame.builder
    total = real(coefficients[-1], x.element)
    for coefficient in reversed(coefficients[:-1]):
        total = builder.intrinsic("fma", x.element, total, x, real(coefficient, x.element))
    return total


def _power_of_two(frame: Frame, exponent: Value) -> Value:
    """Return 2^exponent as f32 for an i32 in [-126, 127]."""
    builder = frame.builder
    biased = builder.binary("add", exponent, constant(127, "i32"))
    return builder.cast("bitcast", builder.binary("shl", biased, constant(23, "i32")), "float")


def exp2(frame: Frame, x: Value) -> Value:
    """Return 2^x for f32, subnormal results included."""
    builder = frame.builder
    # Outside of [-151, 129] the result is 0 or infinity anyway. Selects propagate a NaN, maxnum would drop it.
    low, high = real(-151.0, "float"), real(129.0, "float")
    x = builder.select(builder.compare("fcmp olt", x, low), low, x)
    x = builder.select(builder.compare("fcmp ogt", x, high), high, x)
    whole = builder.intrinsic("rint", "float", x)
    mantissa = _polynomial(frame, builder.binary("fsub", x, whole), EX2)
    if avx512.has(frame.builder, "float"):
        every, as_ever = ("i16", "-1"), ("i32", "4")  # lanes and rounding
        return avx512.call(frame.builder, "mask.scalef", (mantissa, whole), ("", "zeroinitializer"), every, as_ever)
    # The low bits of the sum are the integer: a conversion would take several instructions, as x can be NaN.
    exponent = builder.bits(builder.binary("fadd", whole, real(_TO_BITS, "float")))
    exponent = builder.binary("sub", exponent, builder.bits(real(_TO_BITS, "float")))
    half = builder.binary("ashr", exponent, constant(1, "i32"))
    rest = builder.binary("sub", exponent, half)
    scaled = builder.binary("fmul", mantissa, _power_of_two(frame, half))
    return builder.binary("fmul", scaled, _power_of_two(frame, rest))


def log2(frame: Frame, x: Value) -> Value:
    """Return the logarithm to base 2 for f32: NaN for negative numbers, -inf for zero."""
    builder = frame.builder
    tiny = builder.compare("fcmp olt", x, real(2.0**-126, "float"))
    scaled = builder.select(tiny, builder.binary("fmul", x, real(2.0**24, "float")), x)
    bits = builder.bits(scaled)
    # The mantissa is reduced to [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2).
    shifted = builder.binary("sub", bits, constant(0x3F3504F3, "i32"))
    exponent = builder.binary("ashr", shifted, constant(23, "i32"))
    mantissa = builder.binary("sub", bits, builder.binary("shl", exponent, constant(23, "i32")))
    mantissa = builder.cast("bitcast", mantissa, "float")
    adjust = builder.select(tiny, real(-24.0, "float"), real(0.0, "float"))
    base = builder.binary("fadd", builder.cast("sitofp", exponent, "float"), adjust)
    one = real(1.0, "float")
    s = builder.binary("fdiv", builder.binary("fsub", mantissa, one), builder.binary("fadd", mantissa, one))
    series = _polynomial(frame, builder.binary("fmul", s, s), LG2)
    result = builder.intrinsic("fma", "float", s, series, base)
    result = builder.select(builder.compare("fcmp oeq", x, real(0.0, "float")), real(-math.inf, "float"), result)
    result = builder.select(builder.compare("fcmp oeq", x, real(math.inf, "float")), x, result)
    return builder.select(builder.compare("fcmp ult", x, real(0.0, "float")), real(math.nan, "float"), result)


def _sine(frame: Frame, x: Value, quarter: int) -> Value:
    """Return sin(x + quarter * pi/2) for f32; infinities give NaN.

    For x so large that the range reduction is off by more than pi/4, the remainder is clamped: the result has no
    correct digit, as the manual allows there, but is in [-1, 1].
    """
    builder = frame.builder
    turns = builder.intrinsic("rint", "float", builder.binary("fmul", x, real(2 / math.pi, "float")))
    r = x
    for part in HALF_PI:
        r = builder.intrinsic("fma", "float", turns, real(-part, "float"), r)
    for compare, bound in (("fcmp ogt", 1.0), ("fcmp olt", -1.0)):  # pi/4, with a margin for rounding
        r = builder.select(builder.compare(compare, r, real(bound, "float")), real(bound, "float"), r)
    quadrant = to_integer(builder, turns, "i32")
    quadrant = builder.binary("add", quadrant, constant(quarter, "i32"))
    square = builder.binary("fmul", r, r)
    cube = builder.binary("fmul", square, r)
    sine = builder.intrinsic("fma", "float", cube, _polynomial(frame, square, SIN), r)
    cosine = builder.intrinsic("fma", "float", square, real(-0.5, "float"), real(1.0, "float"))
    fourth = builder.binary("fmul", square, square)
    cosine = builder.intrinsic("fma", "float", fourth, _polynomial(frame, square, COS), cosine)
    odd = builder.cast("trunc", quadrant, "i1")
    value = builder.select(odd, cosine, sine)
    sign = builder.binary("shl", builder.binary("and", quadrant, constant(2, "i32")), constant(30, "i32"))
    return builder.cast("bitcast", builder.binary("xor", builder.bits(value), sign), "float")


def _sin(frame: Frame, x: Value) -> Value:
    """Return the sine; sin(-0) is -0 (manual, 9.7.3.18). Subnormal numbers are zeros, as on an H100 and an H200."""
    builder = frame.builder
    zero = builder.compare("fcmp olt", builder.intrinsic("fabs", "float", x), real(2.0**-126, "float"))
    return builder.select(zero, builder.binary("fmul", x, real(0.0, "float")), _sine(frame, x, 0))


def _cos(frame: Frame, x: Value) -> Value:
    return _sine(frame, x, 1)


def tanh(frame: Frame, x: Value) -> Value:
    """Return the hyperbolic tangent for f32: 1 - 2/(e^2x + 1), near zero a polynomial."""
    builder = frame.builder
    size = builder.intrinsic("fabs", "float", x)
    power = exp2(frame, builder.binary("fmul", size, real(2 / math.log(2), "float")))
    one = real(1.0, "float")
    far = builder.binary("fdiv", real(2.0, "float"), builder.binary("fadd", power, one))
    far = builder.binary("fsub", one, far)
    square = builder.binary("fmul", size, size)
    near = builder.binary("fmul", size, _polynomial(frame, square, TANH))
    result = builder.select(builder.compare("fcmp olt", size, real(0.5, "float")), near, far)
    return builder.intrinsic("copysign", "float", result, x)


def _reciprocal(frame: Frame, x: Value) -> Value:
    return frame.builder.binary("fdiv", real(1.0, x.element), x)


def _square_root(frame: Frame, x: Value) -> Value:
    return frame.builder.intrinsic("sqrt", x.element, x)


def _reciprocal_root(frame: Frame, x: Value) -> Value:
    return _reciprocal(frame, _square_root(frame, x))


APPROXIMATE = {
    "rcp": _reciprocal,
    "sqrt": _square_root,
    "rsqrt": _reciprocal_root,
    "sin": _sin,
    "cos": _cos,
    "lg2": log2,
    "ex2": exp2,
    "tanh": tanh,
}


@emits("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh")
def emit_function(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, source = instruction.operands
    x = frame.read(source, form.type)
    frame.write(destination, _evaluate(frame, form, x))


def _evaluate(frame: Frame, form: Form, x: Value) -> Value:
    function = APPROXIMATE[form.opcode]
    if form.type in PARTS:
        part = PARTS[form.type]
        return map_parts(frame, part, lambda each: _in_float(frame, function, each, part), x)
    if form.type in SMALL:
        return _in_float(frame, function, x, form.type)
    element = ELEMENTS[form.type]
    flush = "ftz" in form.modifiers
    if flush:
        x = flush_subnormals(frame.builder, x)
    rounding = getattr(form, "rnd", None)
    if rounding not in (None, "rn"):
        arguments = (real(1.0, element), x) if form.opcode == "rcp" else (x,)
        result = directed(frame.builder, "fdiv" if form.opcode == "rcp" else "sqrt", rounding, *arguments)
    else:
        result = function(frame, x)
    if flush:
        result = flush_subnormals(frame.builder, result)
    return _upper_half(frame, result) if element == "double" and flush else result


def _in_float(frame: Frame, function: Callable[[Frame, Value], Value], x: Value, type_: str) -> Value:
    """Evaluate in f32 and round to the 16-bit type."""
    return narrow(frame, function(frame, widen(frame, x, type_)), type_)


def _upper_half(frame: Frame, x: Value) -> Value:
    """Clear the lower 32 bits: rcp and rsqrt .approx.ftz.f64 give 20 bits of mantissa."""
    builder = frame.builder
    kept = builder.binary("and", builder.bits(x), constant(-(1 << 32), "i64"))
    return builder.cast("bitcast", kept, "double")
