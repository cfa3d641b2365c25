# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constant expressions: signed and unsigned 64-bit integers, and floating-point numbers."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.cpu.ptx.cursor import Cursor
from cuda.cpu.ptx.error import PtxError

MASK = (1 << 64) - 1


def value_of(text: str) -> int:
    cursor = Cursor(text)
    value = cursor.constant()
    assert cursor.token == "", text
    return value.value & MASK


@pytest.mark.parametrize(
    ("text", "value"),  # as ptxas 13.0 computes them
    [
        ("1<<33", 1 << 33),
        ("1<<65", 2),
        ("1>>65", 0),
        ("1>>-1", 0),
        ("18446744073709551617", 1),
        ("~0>>60", 15),
        ("-1>>60", -1),
        ("0xFFFFFFFFFFFFFFFF>>60", 15),
        ("(-7)/2", -3),
        ("0xFFFFFFFFFFFFFFFF/2", (1 << 63) - 1),
        ("-1 < 0U", 0),
        ("-1 < 0", 1),
        ("-1 < 0xFFFFFFFFFFFFFFFF", 0),
        ("-7 % 3", 0),
        ("7 % -3", 7),
        ("-9223372036854775809", (1 << 63) - 1),
        ("3U-5", -2),
        ("(3U-5)/2", (1 << 63) - 1),
        ("(3-5)/2U", (1 << 63) - 1),
        ("9223372036854775808/3", (1 << 63) // 3),
        ("-0x8000000000000000/3", (1 << 63) // 3),
        ("1 < 2 < 3", 1),
        ("10-4-3", 3),
        ("0 ? 1 : 0 ? 2 : 3", 3),
        ("!5", 0),
        ("2 && 4", 1),
        ("0 || 0U", 0),
        ("6 ^ 3 | 8 & 12", 13),
        ("1 + 2 << 3", 24),
        ("1 == 1 < 2", 1),
        ("-5 >> 1", -3),
        ("(.u64)-5 >> 1", (1 << 63) - 3),
        ("(.s64)0xFFFFFFFFFFFFFFFF / 2", 0),
        ("WARP_SZ*2", 64),
        ("0b101 + 017 + 0x1FU", 5 + 15 + 31),
        ("1.5 > 1.0", 1),
        ("-1.0 == 1", None),
    ],
)
def test_values(text, value):
    if value is None:
        with pytest.raises(PtxError, match="wrong type in a constant expression"):
            value_of(text)
    else:
        assert value_of(text) == value & MASK


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5+1.0", 2.5), ("-(1.0)", -1.0), ("1.0/4.0", 0.25), (".5e1", 5.0), (".5", 0.5), ("1 ? 2.0*3.0 : 4.0", 6.0)],
)
def test_floating_point(text, value):
    assert struct.unpack("<d", struct.pack("<Q", value_of(text)))[0] == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.0 & 2.0", "operator & has an operand of a wrong type"),
        ("~1.0", "operator ~ has an operand of a wrong type"),
        ("(.s64) 1.0", "cannot be cast"),
        ("1/0", "division by zero"),
        ("1.0/0.0", "division by zero"),
        ("7 % 0", "division by zero"),
        ("1 +", "expected an integer"),
        ("(1", "expected"),
        ("-(1e400)", "too large"),
    ],
)
def test_errors(text, message):
    with pytest.raises(PtxError, match=message):
        value_of(text)


@given(a=st.integers(0, (1 << 63) - 1), b=st.integers(1, (1 << 63) - 1), operator=st.sampled_from("+-*/&|^"))
def test_signed_operators_wrap(a, b, operator):
    compute = {"+": a + b, "-": a - b, "*": a * b, "/": a // b, "&": a & b, "|": a | b, "^": a ^ b}
    assert value_of(f"{a} {operator} {b}") == compute[operator] & MASK
