# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of cuda_fp16.h and cuda_bf16.h, scalar and paired, compared with exact fractions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from support.compilers import include_option
from support.exact import decode, encode
from test_cuda_intrinsics import COUNT, SIZES, run, wrapped

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
KINDS = {"f16": ("half", np.float16), "bf16": ("bfloat16", ml_dtypes.bfloat16)}
HEAD = """#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    #define A __ushort_as_KIND(a)
    #define B __ushort_as_KIND(b)
    #define C __ushort_as_KIND(c)
    #define X TYPE2(A, B)
    #define Y TYPE2(C, A)
    #define Z TYPE2(B, C)
    #define R(x) __KIND_as_ushort(x)
    #define WORD(x) word_of(x)
    __device__ unsigned word_of(VECTOR x) { return *(unsigned *)&x; }
    """
Number = Fraction | float | None


def given(dtype: type, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    span = 4 if dtype == np.float16 else 30
    x = (random.standard_normal(COUNT) * 10.0 ** random.uniform(-span, span, COUNT)).astype(dtype)
    x[150:] = (random.integers(-64, 64, COUNT - 150) / 16).astype(dtype)
    special = [0.0, -0.0, 1, -1, math.inf, -math.inf, math.nan, 0.5, 2.5, -1.5, 65504, 6e-8, -3e-5]
    x[:13] = random.permutation(np.array(special)).astype(dtype)
    return x


def finite(function: Callable) -> Callable:
    """Extend a function of fractions to all floats: NotImplemented for infinities and NaN."""
    return lambda *x: function(*x) if all(isinstance(each, Fraction) for each in x) else NotImplemented


def within(x: Fraction) -> Fraction:
    return min(max(x, Fraction(0)), Fraction(1))


def least(x: Number, y: Number) -> Number:
    return y if x is None else x if y is None else min(x, y)


def greatest(x: Number, y: Number) -> Number:
    return y if x is None else x if y is None else max(x, y)


def with_nan(choose: Callable) -> Callable:
    return lambda x, y: None if x is None or y is None else choose(x, y)


def ordered(relation: Callable) -> Callable:
    return lambda x, y: x is not None and y is not None and relation(x, y)


ARITHMETIC = {
    "add": (2, finite(operator.add)),
    "sub": (2, finite(operator.sub)),
    "mul": (2, finite(operator.mul)),
    "fma": (3, finite(lambda x, y, z: x * y + z)),
    "add_sat": (2, finite(lambda x, y: within(x + y))),
    "sub_sat": (2, finite(lambda x, y: within(x - y))),
    "mul_sat": (2, finite(lambda x, y: within(x * y))),
    "fma_sat": (3, finite(lambda x, y, z: within(x * y + z))),
    "fma_relu": (3, finite(lambda x, y, z: max(x * y + z, Fraction(0)))),
    "add_rn": (2, finite(operator.add)),
    "mul_rn": (2, finite(operator.mul)),
    "min": (2, least),
    "max": (2, greatest),
    "min_nan": (2, with_nan(least)),
    "max_nan": (2, with_nan(greatest)),
    "neg": (1, finite(operator.neg)),
    "abs": (1, lambda x: None if x is None else abs(x)),
}
RELATIONS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
             "ge": operator.ge}  # fmt: skip
INTEGERS = {"int": ("int", 32, True), "uint": ("unsigned", 32, False), "ll": ("long long", 64, True),
            "ull": ("unsigned long long", 64, False)}  # fmt: skip
PICK = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}
MODES = {"rn": "rn", "rz": "rz", "ru": "rp", "rd": "rm"}


def same(found: np.ndarray, values: list[Number], name: str, dtype: type, text: str) -> None:
    """Compare with the rounded values; all NaNs are equal, and both zeros."""
    known = np.array([value is not NotImplemented for value in values])
    codes = wrapped([0 if value is NotImplemented else encode(value, name, "rn") for value in values], "u2")
    found, wanted = (bits.view(dtype)[known].astype(np.float64) for bits in (found, codes))
    np.testing.assert_array_equal(found, wanted, err_msg=text)


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
@pytest.mark.parametrize("name", KINDS)
def test_arithmetic_and_comparisons(arch, name):
    kind, dtype = KINDS[name]
    names = [given(dtype, seed) for seed in (1, 2, 3)]
    names[1][60:90] = names[0][60:90]
    words = [array.view(np.uint16) for array in names]
    numbers = [[decode(int(bits), name) for bits in array] for array in words]
    one, two = ["A", "B", "C"], ["X", "Y", "Z"]
    pairs = [(0, 1), (2, 0), (1, 2)]  # what X, Y and Z are made of
    table = {}
    for operation, (count, _) in ARITHMETIC.items():
        table[f"R(__h{operation}({', '.join(one[:count])}))"] = ("unsigned short",)
        head, _, tail = operation.partition("_")
        table[f"WORD(__h{head}2{'_' + tail if tail else ''}({', '.join(two[:count])}))"] = ("unsigned",)
    for relation in RELATIONS:
        for tail in ("", "u"):
            table[f"__h{relation}{tail}(A, B)"] = ("int",)
            table[f"__hb{relation}{tail}2(X, Y)"] = ("int",)
            table[f"__h{relation}{tail}2_mask(X, Y)"] = ("unsigned",)
    table["__hisnan(A) + 2 * __hisinf(B)"] = ("int",)
    vector, pair = ("__half2", "__halves2half2") if name == "f16" else ("__nv_bfloat162", "__halves2bfloat162")
    head = HEAD.replace("KIND", kind).replace("TYPE2", pair).replace("VECTOR", vector)
    found = run(table, {"unsigned short": words}, arch, head, include_option())
    calls = iter(found.values())
    for operation, (count, exact) in ARITHMETIC.items():
        same(next(calls), [exact(*row) for row in zip(*numbers[:count], strict=True)], name, dtype, operation)
        halves = np.ascontiguousarray(next(calls).view(np.uint16).reshape(COUNT, 2).T)
        for half in (0, 1):
            rows = zip(*(numbers[parts[half]] for parts in pairs[:count]), strict=True)
            same(halves[half].copy(), [exact(*row) for row in rows], name, dtype, operation + "2")
    for relation, holds in RELATIONS.items():
        for tail in ("", "u"):
            compare = ordered(holds)
            tests = [lambda x, y, c=compare, u=tail: c(x, y) or (bool(u) and (x is None or y is None))] * 3
            rows = [zip(numbers[p], numbers[q], strict=True) for p, q in ((0, 1), (0, 2), (1, 0))]
            single, low, high = (np.array([t(*row) for row in part]) for t, part in zip(tests, rows, strict=True))
            np.testing.assert_array_equal(next(calls), single, relation + tail)
            np.testing.assert_array_equal(next(calls), low & high, relation + tail)
            np.testing.assert_array_equal(next(calls), low * 0xFFFF + high * 0xFFFF0000, relation + tail)
    np.testing.assert_array_equal(
        next(calls), np.isnan(names[0]) + 2 * np.isinf(names[1]) * np.where(np.signbit(names[1]), -1, 1)
    )


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
@pytest.mark.parametrize("name", KINDS)
def test_conversions(arch, name):
    kind, dtype = KINDS[name]
    values = given(dtype, 4)
    numbers = [decode(int(bits), name) for bits in values.view(np.uint16)]
    inputs, table, exact = {"unsigned short": values.view(np.uint16)}, {}, {}
    random = np.random.default_rng(5)
    for type_, bits, signed in INTEGERS.values():
        info = np.iinfo(f"{'i' if signed else 'u'}{bits // 8}")
        inputs[type_] = random.integers(info.min, info.max, COUNT, info.dtype, endpoint=True)
        inputs[type_][::2] >>= random.integers(bits // 2, bits - 2, COUNT // 2).astype(info.dtype)
    inputs["float"] = (random.standard_normal(COUNT) * 10.0 ** random.uniform(-9, 6, COUNT)).astype(np.float32)
    letters = dict(zip(inputs, "abcdef", strict=True))
    for mode in MODES:
        for word, (type_, bits, signed) in INTEGERS.items():
            call = f"__{kind}2{word}_{mode}(A)"
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            whole = []
            for x in numbers:
                nothing = 1 << bits - 1 if bits == 64 else 0
                infinite = isinstance(x, float)
                whole.append(nothing if x is None else (high if x > 0 else low) if infinite
                             else min(max(PICK[mode](x), low), high))  # fmt: skip
            table[call], exact[call] = (type_,), wrapped(whole, SIZES[type_])
            call = f"R(__{word}2{kind}_{mode}({letters[type_]}))"
            codes = [encode(Fraction(x), name, MODES[mode]) for x in inputs[type_].tolist()]
            table[call], exact[call] = ("unsigned short",), wrapped(codes, "u2")
        call = f"R(__float2{kind}_{mode}({letters['float']}))"
        codes = [encode(Fraction(x), name, MODES[mode]) for x in inputs["float"].tolist()]
        table[call], exact[call] = ("unsigned short",), wrapped(codes, "u2")
    head = "\n".join(line for line in HEAD.replace("KIND", kind).splitlines() if "VECTOR" not in line) + "\n"
    found = run(table, {type_: [array] for type_, array in inputs.items()}, arch, head, include_option())
    for call, wanted in exact.items():
        np.testing.assert_array_equal(found[call], wanted, err_msg=call)
