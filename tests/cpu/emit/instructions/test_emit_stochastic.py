# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stochastic rounding compared with fractions: the random bits are added below the result's last bit (9.7.9.21)."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from support.lanewise import apply

TYPES = {  # type: (NumPy's, bits of its mantissa, least exponent, random bits)
    "f16": (np.float16, 10, -14, 13),
    "bf16": (ml_dtypes.bfloat16, 7, -126, 16),
    "e4m3": (ml_dtypes.float8_e4m3fn, 3, -6, 16),
    "e5m2": (ml_dtypes.float8_e5m2, 2, -14, 16),
    "e2m3": (ml_dtypes.float6_e2m3fn, 3, 0, 16),
    "e3m2": (ml_dtypes.float6_e3m2fn, 2, -2, 16),
    "e2m1": (ml_dtypes.float4_e2m1fn, 1, 0, 16),
}
random = np.random.default_rng(29)


def rounded(value: float, bits: int, type_: str) -> float:
    """Return a number rounded away from zero if its cut-off part and the random bits carry; saturated."""
    kind, mantissa, least, width = TYPES[type_]
    if math.isnan(value):
        return value
    most = float(ml_dtypes.finfo(kind).max)
    if math.isinf(value):
        return math.copysign(most, value)
    size = abs(Fraction(value))
    exponent = max(math.frexp(value)[1] - 1, least)
    units = size / Fraction(2) ** (exponent - mantissa)
    whole = math.floor(units + Fraction(bits, 1 << width))
    return math.copysign(min(float(whole * Fraction(2) ** (exponent - mantissa)), most), value)


def samples(type_: str) -> np.ndarray:
    """Return numbers of all magnitudes around the type's range, and its limits."""
    kind, mantissa, least, _ = TYPES[type_]
    most = np.log2(float(ml_dtypes.finfo(kind).max))
    sizes = 2.0 ** random.uniform(max(least - mantissa - 2, -140), min(most + 1, 127.9), 26) * random.choice(
        [-1, 1], 26
    )
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, float(ml_dtypes.finfo(kind).max)]
    return np.concatenate([sizes, edges]).astype(np.float32)


def codes(values: list[float], type_: str, *, relu: bool) -> np.ndarray:
    """Return the codes of numbers that the type can represent."""
    kind = TYPES[type_][0]
    numbers = np.array([0.0 if relu and value < 0 else value for value in values])
    nan = {"f16": 0x7FFF, "bf16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F, "e2m3": 0x1F, "e3m2": 0x1F, "e2m1": 0x7}[type_]
    bits = np.where(np.isnan(numbers), 0, numbers).astype(np.float32).astype(kind)
    word = np.uint16 if type_ in ("f16", "bf16") else np.uint8
    return np.where(np.isnan(numbers), nan, bits.view(word)).astype(np.uint64)


def canonical(bits: np.ndarray, type_: str) -> np.ndarray:
    """Return 16-bit numbers with all NaNs replaced by one."""
    infinite = {"f16": 0x7C00, "bf16": 0x7F80}[type_]
    return np.where((bits & 0x7FFF) > infinite, 0x7FFF, bits)


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_halves(type_, relu):
    for _ in range(8):
        a, b = samples(type_), random.permutation(samples(type_))
        bits = random.integers(0, 1 << 32, 32, dtype=np.uint64)
        word = ".relu" if relu else ""
        text = f"cvt.rs{word}.satfinite.{type_}x2.f32 $d, $a, $b, $c"
        found = apply(text, "b32", ("f32", a), ("f32", b), ("b32", bits.astype(np.uint32)))
        mask = (1 << TYPES[type_][3]) - 1
        high, low = (
            codes([rounded(float(x), int(r), type_) for x, r in zip(side, part & mask, strict=True)], type_, relu=relu)
            for side, part in ((a, bits >> np.uint64(16)), (b, bits))
        )
        np.testing.assert_array_equal(canonical(found >> 16, type_), high)
        np.testing.assert_array_equal(canonical(found & 0xFFFF, type_), low)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_overflow_becomes_infinity(type_):
    most = float(ml_dtypes.finfo(TYPES[type_][0]).max)
    text = f"cvt.rs.{type_}x2.f32 $d, $a, $b, $c"
    above = float(np.nextafter(np.float32(most), np.float32(np.inf)))
    found = apply(text, "b32", ("f32", [most, above]), ("f32", [-most, -above]), ("b32", [0xFFFFFFFF]))
    infinite = {"f16": 0x7C00, "bf16": 0x7F80}[type_]
    finite = infinite - 1
    assert found[0] == finite << 16 | finite | 0x8000
    assert found[1] == infinite << 16 | infinite | 0x8000


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("type_", ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"])
def test_small_floats(type_, relu):
    width = 4 if type_ == "e2m1" else 8
    for _ in range(8):
        sides = [random.permutation(samples(type_)) for _ in range(4)]
        bits = random.integers(0, 1 << 32, 32, dtype=np.uint64).astype(np.uint32)
        parts = bits.view(np.uint8).reshape(32, 4).astype(np.uint32)
        if type_ == "e2m1":  # upper bytes of both halves for the first two numbers, lower ones for the others
            upper, lower = parts[:, 3] << 8 | parts[:, 1], parts[:, 2] << 8 | parts[:, 0]
        else:
            upper, lower = bits >> 16, bits & 0xFFFF
        word = ".relu" if relu else ""
        text = f"cvt.rs{word}.satfinite.{type_}x4.f32 $d, {{$a, $b, $c, $e}}, $f"
        operands = [("f32", side) for side in sides]
        found = apply(text, f"b{4 * width}", *operands, ("b32", bits))
        wanted = np.zeros(32, np.uint64)
        for side, part in zip(sides, (upper, upper, lower, lower), strict=True):
            values = [rounded(float(x), int(r), type_) for x, r in zip(side, part, strict=True)]
            wanted = wanted << np.uint64(width) | codes(values, type_, relu=relu)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
@pytest.mark.parametrize("relu", ["", ".relu"])
def test_halves_saturate(type_, relu):
    """Results are clamped: infinities become the largest number, NaN stays (section 9.7.9.21)."""
    most = float(ml_dtypes.finfo(TYPES[type_][0]).max)
    values = [np.inf, -np.inf, np.nan, 1.5, -2.0, most, float(np.float32(3e38)), -0.0]
    found = apply(f"cvt.rn{relu}.satfinite.{type_}.f32 $d, $a", "b16", ("f32", values))[:8]
    clipped = [max(-most, min(most, value)) if value == value else value for value in values]
    if relu:
        clipped = [0.0 if value < 0 else value for value in clipped]
    wanted = codes(clipped, type_, relu=False)
    np.testing.assert_array_equal(canonical(found[:7], type_), wanted[:7])
    assert found[7] & 0x7FFF == 0
