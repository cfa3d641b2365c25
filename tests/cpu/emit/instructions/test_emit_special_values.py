# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Approximate functions of zeros, infinities, NaN and subnormals, as in the tables of the PTX manual.

Sections 9.7.3.8 (div), 9.7.3.13 to 9.7.3.22 (rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh), 9.7.4.9 and 9.7.4.10.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.lanewise import apply

INF, NAN = np.inf, np.nan
TINY = 2.0**-140  # a subnormal number of f32
# Function: results of the inputs in the order of INPUTS, where subnormal numbers are flushed.
INPUTS = (-INF, -2.0, -TINY, -0.0, 0.0, TINY, INF, NAN)
FLUSHED = {
    "rcp": (-0.0, -0.5, -INF, -INF, INF, INF, 0.0, NAN),
    "sqrt": (NAN, NAN, -0.0, -0.0, 0.0, 0.0, INF, NAN),
    "rsqrt": (NAN, NAN, -INF, -INF, INF, INF, 0.0, NAN),
    "sin": (NAN, np.sin(-2.0), -0.0, -0.0, 0.0, 0.0, NAN, NAN),
    "cos": (NAN, np.cos(2.0), 1.0, 1.0, 1.0, 1.0, NAN, NAN),
    "lg2": (NAN, NAN, -INF, -INF, -INF, -INF, INF, NAN),
    "ex2": (0.0, 0.25, 1.0, 1.0, 1.0, 1.0, INF, NAN),
}
# Those of -TINY and of TINY where they are not.
KEPT = {
    "rcp": (-INF, INF),  # 2^140 is too large for f32
    "sqrt": (NAN, 2.0**-70),
    "rsqrt": (NAN, 2.0**70),
    "sin": (-0.0, 0.0),
    "cos": (1.0, 1.0),
    "lg2": (NAN, -140.0),
    "ex2": (1.0, 1.0),
    "tanh": (-TINY, TINY),
}


def check(found: np.ndarray, expected: object) -> None:
    """Compare values and the signs of zeros."""
    wanted = np.asarray(expected, found.dtype)
    found = found[: len(wanted)]
    np.testing.assert_allclose(found, wanted, rtol=2e-6)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


@pytest.mark.parametrize("name", FLUSHED)
def test_approximations_with_flushed_subnormals(name: str) -> None:
    check(apply(f"{name}.approx.ftz.f32 $d, $a", "f32", ("f32", INPUTS)), FLUSHED[name])


@pytest.mark.parametrize("name", KEPT)
def test_approximations_with_subnormals(name: str) -> None:
    tanh = (-1.0, np.tanh(-2.0), -TINY, -0.0, 0.0, TINY, 1.0, NAN)
    expected = list(FLUSHED.get(name, tanh))
    expected[2], expected[5] = KEPT[name]
    found = apply(f"{name}.approx.f32 $d, $a", "f32", ("f32", INPUTS))
    check(found, [x if name != "tanh" or i != 1 else found[1] for i, x in enumerate(expected)])


@pytest.mark.parametrize("name", ["rcp", "rsqrt"])
def test_approximations_in_double_precision(name: str) -> None:
    inputs = tuple(x if abs(x) != TINY else x * 2.0**-900 for x in INPUTS)
    check(apply(f"{name}.approx.ftz.f64 $d, $a", "f64", ("f64", inputs)), FLUSHED[name])


@pytest.mark.parametrize("name", ["ex2", "tanh"])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_approximations_of_16_bit_types(name: str, type_: str) -> None:
    if name == "ex2" and type_ == "bf16":
        name, suffix = "ex2", ".ftz.bf16"
    else:
        suffix = f".{type_}"
    inputs = np.array([-INF, -0.0, 0.0, INF], np.float32)
    bits = inputs.astype(np.float16).view(np.uint16) if type_ == "f16" else (inputs.view(np.uint32) >> 16)
    found = apply(f"{name}.approx{suffix} $d, $a", "b16", ("b16", bits.astype(np.uint16)))[:4].astype(np.uint32)
    values = found.astype(np.uint16).view(np.float16) if type_ == "f16" else (found << 16).view(np.float32)
    check(values.astype(np.float32), {"ex2": (0.0, 1.0, 1.0, INF), "tanh": (-1.0, -0.0, 0.0, 1.0)}[name])


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_of_huge_numbers(name: str) -> None:
    """The results have no correct digit, but lie in the function's range."""
    numbers = np.concatenate([2.0 ** np.arange(20, 128, 4), [3.4e38, -3.4e38, -1e37]]).astype(np.float32)
    found = apply(f"{name}.approx.f32 $d, $a", "f32", ("f32", numbers))
    assert np.all(np.abs(found) <= 1.0)


LARGE = 2.0**127
QUOTIENTS = [  # a, b, a / b
    (0.0, 0.0, NAN), (INF, INF, NAN), (NAN, 1.0, NAN), (1.0, NAN, NAN), (1.0, 0.0, INF), (1.0, -0.0, -INF),
    (-3.0, INF, -0.0), (3.0, INF, 0.0), (-0.0, 3.0, -0.0), (INF, -2.0, -INF), (2.0**126, 2.0**126, 1.0),
    (TINY, 4.0, TINY / 4), (-TINY, TINY, -1.0), (1.0, 3.0, 1 / 3),
]  # fmt: skip
FULL = [(LARGE, LARGE, 1.0), (INF, LARGE, INF), (-3.0, LARGE, -3 * 2.0**-127)]
APPROXIMATE = [
    (LARGE, LARGE, 0.0), (INF, LARGE, NAN), (-3.0, LARGE, -0.0), (-3.0, -LARGE, 0.0), (NAN, LARGE, NAN),
]  # fmt: skip
WITHOUT_SUBNORMALS = [
    (TINY, 4.0, 0.0), (-TINY, 4.0, -0.0), (4.0, TINY, INF), (4.0, -TINY, -INF), (TINY, TINY, NAN), (1.0, LARGE, 0.0),
    (2.0**-100, 2.0**100, 0.0), (NAN, TINY, NAN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "quotients"),
    [
        ("full", QUOTIENTS + FULL),
        ("approx", QUOTIENTS + APPROXIMATE),
        ("full.ftz", WITHOUT_SUBNORMALS + FULL),
        ("approx.ftz", WITHOUT_SUBNORMALS + APPROXIMATE),
    ],
)
def test_quotients(kind: str, quotients: list[tuple[float, float, float]]) -> None:
    a, b, expected = zip(*quotients, strict=True)
    check(apply(f"div.{kind}.f32 $d, $a, $b", "f32", ("f32", a), ("f32", b)), expected)
