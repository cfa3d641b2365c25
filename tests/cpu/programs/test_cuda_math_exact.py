# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA math functions with an exactly defined result: both precisions, all magnitudes, special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from support.exact import FORMATS, decode, encode
from test_cuda_intrinsics import COUNT, SIZES, run, wrapped

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
Number = Fraction | float | None  # what `decode` gives
MODES = {"rn": "rn", "rz": "rz", "ru": "rp", "rd": "rm"}


def given(dtype: type, seed: int) -> np.ndarray:
    """Return numbers of all magnitudes, including halves, with the special values first."""
    random, info = np.random.default_rng(seed), np.finfo(dtype)
    span = 30 if dtype == np.float32 else 280
    x = random.standard_normal(COUNT) * 10.0 ** random.uniform(-span, span, COUNT)
    x[COUNT // 2 :] = random.integers(-99999, 99999, COUNT // 2) / 10.0 ** random.integers(0, 5, COUNT // 2)
    x[-40:] = random.integers(-40, 40, 40) / 2
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, info.max, -info.max,
               info.tiny, info.smallest_subnormal, -info.smallest_subnormal * 5, 1 - info.epsneg, 2**23 + 1, 2**31,
               -(2.0**31), 2.0**63, 2.0**32, 3e9, -7e18]  # fmt: skip
    x[: len(special)] = random.permutation(np.array(special))
    x[len(special) : 2 * len(special)] = special
    return x.astype(dtype)


def away(x: np.ndarray) -> np.ndarray:
    """Round halves away from zero."""
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0).astype(x.dtype), x)


def remainder(x: float, y: float) -> float:
    return math.nan if math.isnan(x) or math.isinf(x) or y == 0 or math.isnan(y) else math.remainder(x, y)


def exponent(x: float) -> float:
    return {0.0: -math.inf}.get(x, abs(x)) if x == 0 or not math.isfinite(x) else math.frexp(x)[1] - 1


def last_bits(x: float, y: float) -> int:
    """Return the last three bits of the nearest whole quotient, with its sign (remquo)."""
    whole = round(Fraction(x) / Fraction(y))
    return math.copysign(abs(whole) % 8, whole)


def each(function: Callable, *arrays: np.ndarray) -> np.ndarray:
    return np.array([function(*row) for row in zip(*(array.tolist() for array in arrays), strict=True)])


# Expression of a and b, without the suffix f that @ is for: result as of NumPy. T is the type, i an exponent.
EXACT = {
    "rint@(a)": lambda a, b, i: np.rint(a),
    "nearbyint@(a)": lambda a, b, i: np.rint(a),
    "trunc@(a)": lambda a, b, i: np.trunc(a),
    "ceil@(a)": lambda a, b, i: np.ceil(a),
    "floor@(a)": lambda a, b, i: np.floor(a),
    "round@(a)": lambda a, b, i: away(a),
    "fabs@(a)": lambda a, b, i: np.abs(a),
    "logb@(a)": lambda a, b, i: each(exponent, a),
    "fmin@(a, b)": lambda a, b, i: np.fmin(a, b),
    "fmax@(a, b)": lambda a, b, i: np.fmax(a, b),
    "copysign@(a, b)": lambda a, b, i: np.copysign(a, b),
    "nextafter@(a, b)": lambda a, b, i: np.nextafter(a, b),
    "fmod@(a, b)": lambda a, b, i: np.fmod(a, b),
    "remainder@(a, b)": lambda a, b, i: each(remainder, a, b),
    "fdim@(a, b)": lambda a, b, i: np.where(a > b, a - b, np.where(np.isnan(a) | np.isnan(b), np.nan, 0)),
    "ldexp@(a, g % 60)": lambda a, b, i: np.ldexp(a, np.fmod(i, 60)),
    "scalbn@(a, g % 300)": lambda a, b, i: np.ldexp(a, np.fmod(i, 300)),
    "[&] { int e; return frexp@(a, &e); }()": lambda a, b, i: np.frexp(a)[0],
    "[&] { T whole; return modf@(a, &whole); }()": lambda a, b, i: np.copysign(np.modf(a)[0], a),
    "[&] { T whole; modf@(a, &whole); return whole; }()": lambda a, b, i: np.modf(a)[1],
    "[&] { int q; return remquo@(a, b, &q); }()": lambda a, b, i: each(remainder, a, b),
    "sqrt@(a)": lambda a, b, i: np.sqrt(a),
    "a / b": lambda a, b, i: a / b,
}
WHOLE = {
    "isnan(a) + 2 * isinf(a) + 4 * isfinite(a) + 8 * (signbit(a) != 0)": lambda a, b: np.isnan(a) + 2 * np.isinf(a)
    + 4 * np.isfinite(a) + 8 * np.signbit(a),
    "(a > b) + 2 * (a < b) + 4 * (a < b || a > b) + 8 * !(a == b || a < b || a > b) + 16 * (a >= b)":
        lambda a, b: (a > b) + 2 * (a < b) + 4 * ((a < b) | (a > b)) + 8 * (np.isnan(a) | np.isnan(b)) + 16 * (a >= b),
    "ilogb@(a)": lambda a, b: each(lambda x: -(2**31) if x == 0 or math.isnan(x) else 2**31 - 1 if math.isinf(x)
                                   else exponent(x), a),
    "[&] { int e = 0; frexp@(a, &e); return isfinite(a) ? e : 0; }()": lambda a, b: np.where(
        np.isfinite(a), np.frexp(a)[1], 0),
    "[&] { int q = 0; remquo@(a, b, &q); return isfinite(a) && b != 0 && fabs(b) <= 1e30 && fabs(a / b) < 1e6 ? "
    "(q < 0 ? -(-q & 7) : q & 7) : 0; }()": lambda a, b: each(
        lambda x, y: last_bits(x, y) if math.isfinite(x) and y and abs(y) <= 1e30 and abs(x / y) < 1e6 else 0, a, b),
}  # fmt: skip


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exactly_defined_functions(arch, dtype):
    type_, suffix = ("float", "f") if dtype == np.float32 else ("double", "")
    a, b = given(dtype, 1), given(dtype, 2)
    b[:60] = np.where(np.isinf(b[:60]) | (np.abs(b[:60]) > 1e30), 3, b[:60])
    i = np.random.default_rng(3).integers(-400, 400, COUNT, np.int32)

    def written(expression: str) -> str:
        return expression.replace("@", suffix).replace("T ", type_ + " ").replace("g %", "c %")

    table = {written(text): (type_,) for text in EXACT} | {written(text): ("int",) for text in WHOLE}
    found = run(table, {type_: [a, b], "int": [i]}, arch)
    for text, exact in EXACT.items():
        wanted = np.asarray(exact(a, b, i)).astype(dtype)
        np.testing.assert_array_equal(found[written(text)], wanted, err_msg=text)
        signs = ~np.isnan(wanted) & ((wanted != 0) | ("fmin" not in text and "fmax" not in text))
        np.testing.assert_array_equal(np.signbit(found[written(text)][signs]), np.signbit(wanted[signs]), text)
    for text, exact in WHOLE.items():
        np.testing.assert_array_equal(found[written(text)], np.asarray(exact(a, b)).astype(np.int64), text)


def root(x: Fraction) -> Fraction:
    """Return the square root if it is a multiple of 2**-1200, else the midpoint between its neighbours among these."""
    scaled = x * 4**1200
    whole = math.isqrt(math.floor(scaled))
    return Fraction(whole, 2**1200) if whole * whole == scaled else Fraction(2 * whole + 1, 2**1201)


ROUNDED = {
    "add": (2, lambda x, y, z: x + y),
    "sub": (2, lambda x, y, z: x - y),
    "mul": (2, lambda x, y, z: x * y),
    "div": (2, lambda x, y, z: x / y),
    "rcp": (1, lambda x, y, z: 1 / x),
    "sqrt": (1, lambda x, y, z: root(abs(x))),
    "fma": (3, lambda x, y, z: x * y + z),
}


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arithmetic_in_all_rounding_modes(arch, dtype):
    type_, letter, name = ("float", "f", "f32") if dtype == np.float32 else ("double", "d", "f64")
    arguments = [given(dtype, seed) for seed in (4, 5, 6)]
    for array in arguments:
        array[~np.isfinite(array) | (array == 0)] = 3
    arguments[1][100:] = (arguments[0] * dtype(1.0009765625))[100:]  # cancels
    arguments[1][~np.isfinite(arguments[1])] = 7
    calls = {}
    for operation, (count, _) in ROUNDED.items():
        for mode in MODES:
            word = {"fma": "fmaf" if letter == "f" else "fma"}.get(operation, letter + operation)
            first = "fabs(a)" if operation == "sqrt" else "a"
            calls[operation, mode] = f"__{word}_{mode}({', '.join([first, 'b', 'c'][:count])})"
    extra = {"__frsqrt_rn(fabsf(a))": 1 / np.sqrt(np.abs(arguments[0].astype(np.float64)))} if letter == "f" else {}
    found = run(dict.fromkeys((*calls.values(), *extra), (type_,)), {type_: arguments}, arch)
    width = FORMATS[name][2]
    exact = [[decode(int(bits), name) for bits in array.view(f"u{width // 8}")] for array in arguments]
    for (operation, mode), call in calls.items():
        function = ROUNDED[operation][1]
        values = [function(*row) for row in zip(*exact, strict=True)]
        bits = [encode(value, name, MODES[mode]) for value in values]
        wanted = wrapped(bits, f"u{width // 8}").view(dtype)
        some = np.array([value != 0 for value in values])  # the sign of a zero is not tested here
        np.testing.assert_array_equal(found[call][some], wanted[some], err_msg=call)
    for call, wanted in extra.items():
        np.testing.assert_array_equal(found[call], wanted.astype(np.float32), err_msg=call)


KINDS = {"int": ("int", 32, True), "uint": ("unsigned", 32, False), "ll": ("long long", 64, True),
         "ull": ("unsigned long long", 64, False)}  # fmt: skip
PICK = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}


def whole(x: Number, mode: str, bits: int, signed: bool, of_double: bool) -> int:
    """Convert as the PTX manual says (section 9.7.9.21, cvt): the nearest number of the type; NaN by the types."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if x is None:
        return 1 << bits - 1 if of_double or bits == 64 else 0
    if isinstance(x, float):
        return high if x > 0 else low
    return min(max(PICK[mode](x), low), high)


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_conversions_in_all_rounding_modes(arch):
    inputs = {"float": given(np.float32, 8), "double": given(np.float64, 9)}
    random = np.random.default_rng(10)
    for type_, bits, signed in KINDS.values():
        info = np.iinfo(f"{'i' if signed else 'u'}{bits // 8}")
        drawn = random.integers(info.min, info.max, COUNT, info.dtype, endpoint=True)
        drawn[::3] >>= random.integers(0, bits - 2, len(drawn[::3])).astype(info.dtype)
        drawn[:4] = [info.min, info.max, 0, (1 << 24) + 1]
        inputs[type_] = drawn
    names = dict(zip(inputs, "abcdef", strict=True))
    table, exact = {}, {}
    of_floats = {type_: [decode(int(x), name) for x in inputs[type_].view(view)]
                 for type_, name, view in (("float", "f32", "u4"), ("double", "f64", "u8"))}  # fmt: skip
    for mode in MODES:
        for kind, (type_, bits, signed) in KINDS.items():
            for source in ("float", "double"):
                call = f"__{source}2{kind}_{mode}({names[source]})"
                table[call] = (type_,)
                values = [whole(x, mode, bits, signed, source == "double") for x in of_floats[source]]
                exact[call] = wrapped(values, SIZES[type_])
            for target, name in (("float", "f32"), ("double", "f64")):
                if target == "double" and bits == 32 and mode != "rn":
                    continue  # all are numbers of the type
                call = f"__{kind}2{target}_{mode}({names[type_]})"
                table[call] = (target,)
                codes = [encode(Fraction(x), name, MODES[mode]) for x in inputs[type_].tolist()]
                exact[call] = wrapped(codes, f"u{SIZES[target][1]}").view(SIZES[target])
        call = f"__double2float_{mode}({names['double']})"
        table[call] = ("float",)
        codes = [encode(x, "f32", MODES[mode]) for x in of_floats["double"]]
        exact[call] = wrapped(codes, "u4").view("f4")
    found = run(table, {type_: [array] for type_, array in inputs.items()}, arch)
    for call, wanted in exact.items():
        np.testing.assert_array_equal(found[call], wanted, err_msg=call)
