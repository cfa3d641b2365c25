# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Mathematical functions on vectors: range reduction and polynomials.

Most functions of f32 are computed in double precision. What has no function here is computed by libm, lane by lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cuda.cpu.tile.llvm import Builder, V, element_of
from cuda.cpu.tile.numbers import number

_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.42860682030941723212e-6  # their sum is log(2); the first has 15 bits
_LN2_HIGH64, _LN2_LOW64 = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def polynomial(b: Builder, x: V, coefficients: Sequence[float]) -> V:
    """Return c[0] + c[1] x + c[2] x² + ..."""
    result = number(b, x.type, coefficients[-1])
    for each in reversed(coefficients[:-1]):
        result = b.intrinsic("fma", result, x, number(b, x.type, each))
    return result


def _scaled(b: Builder, x: V, exponent: V) -> V:
    """Return x * 2**exponent for an integral exponent, in two steps so that results may be denormal."""
    integer, bits, bias = ("i32", 23, 127) if element_of(x.type) == "float" else ("i64", 52, 1023)
    whole = b.convert("fptosi", exponent, integer)
    half = b.binary("ashr", whole, b.constant(whole.type, "1"))
    for part in (half, b.binary("sub", whole, half)):
        biased = b.binary("add", part, b.constant(part.type, str(bias)))
        power = b.binary("shl", biased, b.constant(part.type, str(bits)))
        x = b.binary("fmul", x, b.convert("bitcast", power, element_of(x.type)))
    return x


def exp(b: Builder, x: V) -> V:
    """Return e**x: x = n log(2) + r with |r| <= log(2) / 2, then the series of e**r."""
    single = element_of(x.type) == "float"
    low, high = (-104.0, 89.0) if single else (-746.0, 710.0)
    kept = _clamped(b, x, low, high)
    n = b.intrinsic("roundeven", b.binary("fmul", kept, number(b, x.type, 1 / math.log(2))))
    parts = (_LN2_HIGH, _LN2_LOW) if single else (_LN2_HIGH64, _LN2_LOW64)
    r = kept
    for part in parts:
        r = b.intrinsic("fma", n, number(b, x.type, -part), r)
    terms = 8 if single else 14
    return _scaled(b, polynomial(b, r, [1 / math.factorial(i) for i in range(terms)]), n)


def _clamped(b: Builder, x: V, low: float, high: float) -> V:
    """Return x within bounds; a NaN remains."""
    above = b.compare("fcmp ogt", x, number(b, x.type, high))
    below = b.compare("fcmp olt", x, number(b, x.type, low))
    return b.select(above, number(b, x.type, high), b.select(below, number(b, x.type, low), x))


def exp2(b: Builder, x: V) -> V:
    low, high = (-151.0, 129.0) if element_of(x.type) == "float" else (-1076.0, 1025.0)
    kept = _clamped(b, x, low, high)
    n = b.intrinsic("roundeven", kept)
    r = b.binary("fmul", b.binary("fsub", kept, n), number(b, x.type, math.log(2)))
    terms = 8 if element_of(x.type) == "float" else 14
    return _scaled(b, polynomial(b, r, [1 / math.factorial(i) for i in range(terms)]), n)


def log(b: Builder, x: V) -> V:
    """Return log(x) of doubles: x = m 2**n with m near 1, log(m) = 2 artanh((m - 1) / (m + 1))."""
    # Denormal numbers are scaled by 2**54.
    tiny = b.compare("fcmp olt", x, number(b, x.type, 2.0**-1022))
    scaled = b.select(tiny, b.binary("fmul", x, number(b, x.type, 2.0**54)), x)
    bits = b.convert("bitcast", scaled, "i64")

    def of(value: int) -> V:
        return b.constant(bits.type, str(value))

    # The exponent is taken relative to sqrt(1/2), so that m is between that and sqrt(2).
    root = 0x3FE6A09E667F3BCD
    n = b.binary("ashr", b.binary("sub", bits, of(root)), of(52))
    m = b.convert("bitcast", b.binary("sub", bits, b.binary("shl", n, of(52))), "double")
    one = number(b, x.type, 1.0)
    s = b.binary("fdiv", b.binary("fsub", m, one), b.binary("fadd", m, one))
    square = b.binary("fmul", s, s)
    series = polynomial(b, square, [2 / (2 * i + 1) for i in range(11)])
    exponent = b.binary("fsub", b.convert("sitofp", n, "double"),
                        b.select(tiny, number(b, x.type, 54.0), number(b, x.type, 0.0)))  # fmt: skip
    small = b.intrinsic("fma", exponent, number(b, x.type, _LN2_LOW64), b.binary("fmul", s, series))
    result = b.intrinsic("fma", exponent, number(b, x.type, _LN2_HIGH64), small)
    zero, infinity = number(b, x.type, 0.0), number(b, x.type, math.inf)
    result = b.select(b.compare("fcmp oeq", x, infinity), infinity, result)
    result = b.select(b.compare("fcmp ult", x, zero), number(b, x.type, math.nan), result)
    return b.select(b.compare("fcmp oeq", x, zero), number(b, x.type, -math.inf), result)


def log2(b: Builder, x: V) -> V:
    return b.binary("fmul", log(b, x), number(b, x.type, 1 / math.log(2)))


def tanh(b: Builder, x: V) -> V:
    """Return tanh(x) = 1 - 2 / (e**2x + 1), and for small x its series, of doubles."""
    kept = _clamped(b, x, -30.0, 30.0)
    power = exp(b, b.binary("fadd", kept, kept))
    one, two = number(b, x.type, 1.0), number(b, x.type, 2.0)
    large = b.binary("fsub", one, b.binary("fdiv", two, b.binary("fadd", power, one)))
    square = b.binary("fmul", x, x)
    series = b.binary("fmul", x, polynomial(b, square, [1.0, -1 / 3, 2 / 15]))
    return b.select(_below(b, x, 1e-3), series, large)


def sinh(b: Builder, x: V) -> V:
    power = exp(b, x)
    half = number(b, x.type, 0.5)
    inverse = b.binary("fdiv", number(b, x.type, 1.0), power)
    large = b.binary("fmul", half, b.binary("fsub", power, inverse))
    series = b.binary("fmul", x, polynomial(b, b.binary("fmul", x, x), [1.0, 1 / 6, 1 / 120]))
    return b.select(_below(b, x, 1e-2), series, large)


def cosh(b: Builder, x: V) -> V:
    power = exp(b, x)
    inverse = b.binary("fdiv", number(b, x.type, 1.0), power)
    return b.binary("fmul", number(b, x.type, 0.5), b.binary("fadd", power, inverse))


def _below(b: Builder, x: V, bound: float) -> V:
    return b.compare("fcmp olt", b.intrinsic("fabs", x), number(b, x.type, bound))


def library(name: str) -> Callable[[Builder, V], V]:
    """Return a function that calls that of libm for each lane."""
    return lambda b, x: b.intrinsic(name, x)


# Name -> the function of floats, None for that of doubles; the function of doubles.
FUNCTIONS: dict[str, tuple[Callable[[Builder, V], V] | None, Callable[[Builder, V], V]]] = {
    "exp": (exp, exp),
    "exp2": (exp2, exp2),
    "log": (None, log),
    "log2": (None, log2),
    "tanh": (None, tanh),
    "sinh": (None, sinh),
    "cosh": (None, cosh),
    **{name: (library(name), library(name)) for name in ("sin", "cos", "tan")},
}
LIBRARY = ("tanh", "sinh", "cosh")  # of doubles, for which those above are not accurate enough
