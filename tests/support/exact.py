# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Floating-point formats as exact fractions: decoding, and correct rounding."""

from __future__ import annotations

import math
from fractions import Fraction

# Digits of the significand (the hidden one counts), bias of the exponent, bits in all.
FORMATS = {"f16": (11, 15, 16), "bf16": (8, 127, 16), "f32": (24, 127, 32), "f64": (53, 1023, 64)}


def decode(bits: int, type_: str) -> Fraction | float | None:
    """Return the number that bits encode: a Fraction, an infinity, or None for NaN."""
    precision, bias, width = FORMATS[type_]
    sign = -1 if bits >> (width - 1) & 1 else 1
    fraction = bits & ((1 << (precision - 1)) - 1)
    exponent = bits >> (precision - 1) & ((1 << (width - precision)) - 1)
    if exponent == (1 << (width - precision)) - 1:
        return None if fraction else sign * math.inf
    significand = fraction if exponent == 0 else fraction | 1 << (precision - 1)
    power = max(exponent, 1) - bias - precision + 1
    return sign * significand * Fraction(2) ** power


def round_fraction(value: Fraction, precision: int, least: int, mode: str) -> Fraction:
    """Round to `precision` binary digits, and to multiples of 2**least at the finest."""
    if value == 0:
        return value
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - precision + 1, least)
    pick = {"rn": round, "rz": math.trunc, "rm": math.floor, "rp": math.ceil}[mode]
    return pick(value / unit) * unit


def encode(value: Fraction | float | None, type_: str, mode: str) -> int:
    """Return the bits of a number rounded to a format; the smallest NaN encoding for None."""
    precision, bias, width = FORMATS[type_]
    infinity = ((1 << (width - precision)) - 1) << (precision - 1)
    if value is None:
        return infinity + 1
    sign = 1 << (width - 1) if value < 0 else 0
    if isinstance(value, float) and math.isinf(value):
        return sign | infinity
    rounded = round_fraction(Fraction(value), precision, 2 - bias - precision, mode)
    magnitude = abs(rounded)
    if magnitude >= Fraction(2) ** (bias + 1):
        away = mode == "rn" or mode == ("rm" if sign else "rp")
        return sign | (infinity if away else infinity - 1)
    if magnitude == 0:
        return sign
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    significand = int(magnitude / Fraction(2) ** (exponent - precision + 1))
    normal = significand >> (precision - 1)
    return sign | ((exponent + bias if normal else 0) << (precision - 1)) | (significand & ((1 << (precision - 1)) - 1))
