# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compute the polynomials of the device math library: `python -m ci.device_math` writes open_cuda/polynomials.h
and, of single precision, float_polynomials.h.

Each is the interpolation at the Chebyshev nodes of an interval, which is close to the best polynomial. mpmath evaluates
the functions with 60 digits. The reductions that lead to these intervals stand in exponential.h, trigonometric.h and
special.h beside it.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import mpmath
from mpmath import mp, mpf

FOLDER = pathlib.Path(__file__).parents[1] / "cuda_core/cuda/core/_program/_clang/include/open_cuda"
HEADERS = {"double": FOLDER / "polynomials.h", "float": FOLDER / "float_polynomials.h"}
NEAR_ZERO = mpf(2) ** -60


def interpolate(function: Callable[[Any], Any], low: Any, high: Any, degree: int) -> list[Any]:
    """Return the coefficients, lowest first, of the polynomial through a function at the Chebyshev nodes."""
    low, high = mpf(low), mpf(high)
    count = degree + 1
    angles = [mp.pi * (2 * k + 1) / (2 * count) for k in range(count)]
    values = [function((low + high) / 2 + (high - low) / 2 * mp.cos(angle)) for angle in angles]
    weights = [
        2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True)) / count for j in range(count)
    ]
    weights[0] /= 2
    scale, offset = 2 / (high - low), -(low + high) / (high - low)
    # Clenshaw's recurrence over polynomials in x, with t = scale * x + offset.
    last: list[Any] = [mpf(0)] * (count + 1)
    before = list(last)
    for j in range(degree, 0, -1):
        doubled = [2 * value for value in _times(last, scale, offset)]
        last, before = [d - b for d, b in zip(doubled, before, strict=True)], last
        last[0] += weights[j]
    result = [t - b for t, b in zip(_times(last, scale, offset), before, strict=True)]
    result[0] += weights[0]
    return result[:count]


def _times(polynomial: list[Any], scale: Any, offset: Any) -> list[Any]:
    shifted = [mpf(0), *polynomial[:-1]]
    return [offset * a + scale * b for a, b in zip(polynomial, shifted, strict=True)]


def series(function: Callable[[Any], Any], at_zero: Any) -> Callable[[Any], Any]:
    """Return a function with a removable singularity at 0 completed there."""
    return lambda x: mpf(at_zero) if abs(x) < NEAR_ZERO else function(x)


LN2, LN10 = mpmath.ln(2), mpmath.ln(10)


def of_log(z: Any) -> Any:
    """(log((1 + s) / (1 - s)) / s - 2) / z - 2 / 3, divided by z, for z = s * s: what follows 2/3 in the series."""
    s = mp.sqrt(z)
    return ((mp.log((1 + s) / (1 - s)) / s - 2) / z - mpf(2) / 3) / z


def odd(function: Callable[[Any], Any], slope: Any = 1) -> Callable[[Any], Any]:
    """Return (f(x) / x - slope) / x**2 as a function of x**2, for an odd function."""

    def rest(z: Any) -> Any:
        x = mp.sqrt(z)
        return (function(x) / x - mpf(slope)) / z

    return rest


def of_atanh(z: Any) -> Any:
    """(atanh(s) / s - 1) / z - 1 / 3, divided by z, for z = s * s."""
    s = mp.sqrt(z)
    return ((mp.atanh(s) / s - 1) / z - mpf(1) / 3) / z


def _erfcx(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def of_erf(z: Any) -> Any:
    """Return erf(x) / x without its largest part, for z = x * x."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 2 / mp.sqrt(mp.pi)


def mapped_erfcx(k: Any) -> Callable[[Any], Any]:
    """(1 + 2 x) erfcx(x) for t = (x - k) / (x + k), 0 <= x: M. Shepherd, J. Laframboise, Math. Comp. 36 (1981)."""
    return lambda t: (1 + 2 * k * (1 + t) / (1 - t)) * _erfcx(k * (1 + t) / (1 - t)) if t < 1 else 2 / mp.sqrt(mp.pi)


def stirling(z: Any) -> Any:
    """(lgamma(x) - (x - 0.5) log x + x - 0.5 log 2 pi) x for z = 1 / x**2."""
    x = 1 / mp.sqrt(z)
    return (mp.loggamma(x) - (x - mpf(0.5)) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


def erfinv_of(w: Any) -> Any:
    """erfinv(x) / x for w = -log(1 - x**2)."""
    if w < mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x if w < 30 else erfcinv_of(w) * mp.sqrt(w) / x


def erfcinv_of(w: Any) -> Any:
    """erfcinv(x) / sqrt(w) for w = -log(x (2 - x)), by Newton's method."""
    x = -mp.expm1(mp.log1p(-mp.exp(-w)) / 2)  # 1 - sqrt(1 - exp(-w))
    y = mp.sqrt(w - mp.log(mp.sqrt(w) + 1))
    for _ in range(12):
        y += (mp.erfc(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y / mp.sqrt(w)


def scaled_i(order: int, t: Any) -> Any:
    """sqrt(x) exp(-x) I(x) for t = 8 / x."""
    if t < mpf(10) ** -12:
        return 1 / mp.sqrt(2 * mp.pi)
    x = 8 / mpf(t)
    return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)


mp.dps = 60
J0 = mp.besseljzero(0, 1), mp.besseljzero(0, 2)
J1 = mp.besseljzero(1, 1), mp.besseljzero(1, 2)
Y0, Y1 = mp.besselyzero(0, 1), mp.besselyzero(1, 1)


def rest_of_j(order: int, zeros: Any, u: Any) -> Any:
    x = mp.sqrt(32 * (u + 1) + mpf(10) ** -40)
    return mp.besselj(order, x) / x**order / ((x**2 - zeros[0] ** 2) * (x**2 - zeros[1] ** 2))


def rest_of_y0(u: Any) -> Any:
    z = 32 * (u + 1)
    x = mp.sqrt(z + mpf(10) ** -40)
    return (mp.bessely(0, x) - 2 / mp.pi * mp.log(x / Y0) * mp.besselj(0, x)) / (z - Y0**2)


def rest_of_y1(u: Any) -> Any:
    """((Y1(x) - 2 / pi (log(x / a) J1(x) - 1 / x + x / a**2)) / x / (x**2 - a**2): the pole is removed, a zero at a."""
    z = 32 * (u + 1)
    x = mp.sqrt(z + mpf(10) ** -30)
    rest = mp.bessely(1, x) - 2 / mp.pi * (mp.log(x / Y1) * mp.besselj(1, x) - 1 / x + x / Y1**2)
    return rest / x / (z - Y1**2)


def hankel(order: int, t: Any) -> tuple[Any, Any]:
    """P and x Q of J = sqrt(2 / (pi x)) (P cos c - Q sin c), Y = ... (P sin c + Q cos c), for t = (8 / x)**2."""
    x = 8 / mp.sqrt(mpf(t) + mpf(10) ** -24)
    c = x - mp.pi / 4 * (2 * order + 1)
    scale = mp.sqrt(mp.pi * x / 2)
    j, y = mp.besselj(order, x) * scale, mp.bessely(order, x) * scale
    return j * mp.cos(c) + y * mp.sin(c), (y * mp.cos(c) - j * mp.sin(c)) * x


# Name: type, function, interval, degree.
TABLE: dict[str, tuple[str, Callable[[Any], Any], Any, Any, int]] = {
    # exp(r) = 1 + r + r**2 P(r)
    "exp": ("double", series(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -LN2 / 2, LN2 / 2, 11),
    "expf": ("float", series(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -LN2 / 2, LN2 / 2, 5),
    # 2**f = 1 + f P(f)
    "exp2f": ("float", series(lambda f: mp.expm1(f * LN2) / f, LN2), -0.5, 0.5, 6),
    # log((1 + s) / (1 - s)) = 2 s + s**3 (2/3 + z P(z)), z = s**2
    "log": ("double", of_log, mpf(2) ** -40, mpf("0.0295"), 8),
    # log(1 + f) = f + f**2 P(f); atanh s = s + s**3 P(s**2)
    "logf": ("float", series(lambda f: (mp.log1p(f) - f) / f**2, -0.5), -0.25, 0.5, 9),
    # log2(1 + f) = f / log 2 + f**2 P(f)
    "log2f": ("float", series(lambda f: (mp.log1p(f) - f) / f**2 / LN2, -0.5 / LN2), mpf("-0.293"), mpf("0.4143"), 9),
    "log10f": (
        "float",
        series(lambda f: (mp.log1p(f) - f) / f**2 / LN10, -0.5 / LN10),
        mpf("-0.293"),
        mpf("0.4143"),
        9,
    ),
    "atanhf": ("float", of_atanh, mpf(2) ** -40, mpf("0.0425"), 3),
    # sin r = r + r**3 P(r**2); cos r = 1 - r**2 / 2 + r**4 P(r**2)
    "sin": ("double", odd(mp.sin), mpf(2) ** -40, (mp.pi / 4) ** 2 * mpf("1.0001"), 6),
    "sinf": ("float", odd(mp.sin), mpf(2) ** -40, (mp.pi / 4) ** 2 * mpf("1.0001"), 3),
    "cos": (
        "double",
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        mpf(2) ** -40,
        (mp.pi / 4) ** 2 * mpf("1.0001"),
        6,
    ),
    "cosf": (
        "float",
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        mpf(2) ** -40,
        (mp.pi / 4) ** 2 * mpf("1.0001"),
        2,
    ),
    # sin(pi t) = t (pi + t**2 P(t**2)); cos(pi t) = 1 + t**2 P(t**2)
    "sinpif": ("float", odd(mp.sinpi, mp.pi), mpf(2) ** -40, mpf("0.06251"), 3),
    "cospif": ("float", lambda z: (mp.cospi(mp.sqrt(z)) - 1) / z, mpf(2) ** -40, mpf("0.06251"), 3),
    # asin x = x + x**3 P(x**2), |x| <= 1/2; atan likewise for |x| <= tan(pi / 8)
    "asin": ("double", odd(mp.asin), mpf(2) ** -40, mpf("0.2501"), 13),
    "atan": ("double", odd(mp.atan), mpf(2) ** -40, mp.tan(mp.pi / 8) ** 2 * mpf("1.0001"), 12),
    "asinf": ("float", odd(mp.asin), mpf(2) ** -40, mpf("0.2501"), 5),
    "atanf": ("float", odd(mp.atan), mpf(2) ** -40, mpf("1.0001"), 9),
    # sinh x = x + x**3 P(x**2) for |x| < 1; tanh likewise below 0.55
    "sinh": ("double", odd(mp.sinh), mpf(2) ** -40, mpf("1.0001"), 6),
    "tanh": ("double", odd(mp.tanh), mpf(2) ** -40, mpf("0.3026"), 13),
    "sinhf": ("float", odd(mp.sinh), mpf(2) ** -40, mpf("1.0001"), 3),
    "tanhf": ("float", odd(mp.tanh), mpf(2) ** -40, mpf("0.3601"), 5),
    # erf x = x (1 + P(x**2)) for |x| < 1, with the slope 2 / sqrt(pi) in two parts
    "erf": ("double", of_erf, mpf(2) ** -40, mpf("1.0001"), 12),
    "erff": ("float", of_erf, mpf(2) ** -40, mpf("1.0001"), 6),
    # log2(erfc x)
    "erfcf": ("float", lambda x: mp.log(mp.erfc(x), 2), 1, 4, 8),
    "erfcx": ("double", mapped_erfcx(mpf(2)), -1, 1, 27),
    "erfcxf": ("float", mapped_erfcx(mpf("1.5")), -1, 1, 12),
    # log1p(x) near 1 and 2 for lgamma: lgamma(1 + x) / x and lgamma(2 + x) / x
    "lgamma1": ("double", series(lambda x: mp.loggamma(1 + x) / x, -mp.euler), mpf("-0.4"), mpf("0.4"), 23),
    "lgamma2": ("double", series(lambda x: mp.loggamma(2 + x) / x, 1 - mp.euler), mpf("-0.6"), 1, 21),
    "lgamma1f": ("float", series(lambda x: mp.loggamma(1 + x) / x, -mp.euler), mpf("-0.4"), mpf("0.4"), 10),
    "lgamma2f": ("float", series(lambda x: mp.loggamma(2 + x) / x, 1 - mp.euler), mpf("-0.6"), 1, 9),
    # lgamma(5.5 + x)
    "lgamma3f": ("float", lambda x: mp.loggamma(mpf("5.5") + x), -2.5, 2.5, 10),
    "lgamma3": ("double", lambda x: mp.loggamma(mpf("5.5") + x), -2.5, 2.5, 24),
    "stirling": ("double", stirling, mpf(10) ** -6, mpf(1) / 64, 7),
    "stirlingf": ("float", stirling, mpf(10) ** -6, mpf(1) / 16, 2),
    # gamma(2 + x), 0 <= x <= 1
    "gamma": ("double", lambda x: mp.gamma(2 + x), 0, 1, 18),
    # 1 / gamma(1 + x), |x| <= 1/2
    "rgammaf": ("float", lambda x: mp.rgamma(1 + x), -0.5, 0.5, 8),
    # erfinv(x) / x for w = -log(1 - x**2): M. Giles, "Approximating the erfinv function" (2012) has this form
    "erfinv1": ("double", lambda t: erfinv_of(t + 3), -3, 3, 24),
    "erfinv2": ("double", lambda t: erfinv_of((t + mpf("3.25")) ** 2), mpf("-0.85"), mpf("0.85"), 23),
    "erfinv1f": ("float", erfinv_of, 0, 5, 10),
    # erfcinv(x) / v for v = sqrt(w), as a function of 1 / v
    "erfinv2f": ("float", lambda t: erfcinv_of(1 / (t + mpf("0.27")) ** 2), mpf("-0.173"), mpf("0.178"), 9),
    "erfinv3": ("double", lambda t: erfcinv_of(1 / (t + mpf("0.14")) ** 2), mpf("-0.104"), mpf("0.104"), 32),
    # I0(x) and I1(x) / x as functions of (x / 8)**2, x <= 8; beyond, sqrt(x) exp(-x) I(x) as functions of 8 / x - 1 / 2
    "i0": ("double", lambda z: mp.besseli(0, 8 * mp.sqrt(z)), 0, 1, 15),
    "i0f": ("float", lambda z: mp.besseli(0, 8 * mp.sqrt(z)), 0, 1, 11),
    "i1": ("double", series(lambda z: mp.besseli(1, 8 * mp.sqrt(z)) / (8 * mp.sqrt(z)), 0.5), 0, 1, 14),
    "i1f": ("float", series(lambda z: mp.besseli(1, 8 * mp.sqrt(z)) / (8 * mp.sqrt(z)), 0.5), 0, 1, 10),
    "i0_large": ("double", lambda t: scaled_i(0, t + mpf(0.5)), -0.5, 0.5, 26),
    "i0_largef": ("float", lambda t: scaled_i(0, t + mpf(0.5)), -0.5, 0.5, 5),
    "i1_large": ("double", lambda t: scaled_i(1, t + mpf(0.5)), -0.5, 0.5, 26),
    "i1_largef": ("float", lambda t: scaled_i(1, t + mpf(0.5)), -0.5, 0.5, 5),
    # J0(x) / ((x**2 - a**2) (x**2 - b**2)) and J1(x) / x over the same, a and b the first two zeros, for 1 - x**2 / 64
    "j0": ("double", lambda w: rest_of_j(0, J0, 1 - 2 * w), 0, 1, 16),
    "j0f": ("float", lambda w: rest_of_j(0, J0, 1 - 2 * w), 0, 1, 9),
    "j1": ("double", lambda w: rest_of_j(1, J1, 1 - 2 * w), 0, 1, 16),
    "j1f": ("float", lambda w: rest_of_j(1, J1, 1 - 2 * w), 0, 1, 9),
    # (Y0(x) - 2 / pi log(x / a) J0(x)) / (x**2 - a**2), a the first zero; Y1 likewise, with its pole
    "y0": ("double", rest_of_y0, -1, 1, 17),
    "y0f": ("float", rest_of_y0, -1, 1, 9),
    "y1": ("double", rest_of_y1, -1, 1, 16),
    "y1f": ("float", rest_of_y1, -1, 1, 8),
    # P and x Q of Hankel's expansions beyond 8 (DLMF 10.17), as functions of (8 / x)**2
    "p0": ("double", lambda t: hankel(0, t)[0], 0, 1, 16),
    "p0f": ("float", lambda t: hankel(0, t)[0], 0, 1, 2),
    "q0": ("double", lambda t: hankel(0, t)[1], 0, 1, 16),
    "q0f": ("float", lambda t: hankel(0, t)[1], 0, 1, 3),
    "p1": ("double", lambda t: hankel(1, t)[0], 0, 1, 16),
    "p1f": ("float", lambda t: hankel(1, t)[0], 0, 1, 2),
    "q1": ("double", lambda t: hankel(1, t)[1], 0, 1, 16),
    "q1f": ("float", lambda t: hankel(1, t)[1], 0, 1, 3),
}


def literal(value: Any, kind: str) -> str:
    text = float(value).hex() if kind == "double" else float(mpmath.mpf(value)).hex()
    return text if kind == "double" else f"{text}f"


def polynomial(name: str) -> str:
    """Return the C function of a row of the table: Horner's rule."""
    kind, function, low, high, degree = TABLE[name]
    fma = "fma" if kind == "double" else "fmaf"
    coefficients = interpolate(function, low, high, degree)
    steps = [f"{kind} p = {literal(coefficients[-1], kind)};"]
    steps += [f"p = {fma}(p, x, {literal(c, kind)});" for c in coefficients[-2::-1]]
    lines = ["    " + " ".join(steps[first : first + 3]) for first in range(0, len(steps), 3)]
    head = f"__OPEN_CUDA_CONST {kind} __open_cuda_poly_{name}({kind} x) {{"
    return "\n".join([head, *lines, "    return p;", "}"])


def text(kind: str) -> str:
    """Return the header of "double" or "float"."""
    mp.dps = 60
    head = [
        "// SPDX-FileCopyrightText: 2026 Open CUDA Python developers",
        "// SPDX-License-Identifier: Apache-2.0",
        "// Polynomials of the device math library, made by `python -m ci.device_math`: see there.",
        "#pragma once",
        '#include "exact.h"',
        "",
    ]
    return "\n".join([*head, *(polynomial(name) for name in TABLE if TABLE[name][0] == kind)]) + "\n"


if __name__ == "__main__":
    for kind, path in HEADERS.items():
        path.write_text(text(kind))
