# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""LLVM's text of floating-point constants."""

from __future__ import annotations

import struct

from cuda.cpu.tile.llvm import Builder, V, lanes_of


def float_text(register: str, bits: int) -> str:
    """Return LLVM's text of a number: a half by its bits, others by those of the equal double."""
    if register == "half":
        return f"0xH{bits:04X}"
    if register == "double":
        return f"0x{bits:016X}"
    if bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF:  # a NaN, whose payload a conversion could change
        return f"0x{(bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29:016X}"
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def number(builder: Builder, kind: str, value: float) -> V:
    """Return a floating-point constant of a scalar or vector type."""
    element = kind if lanes_of(kind) == 1 else kind[1:-1].partition(" x ")[2]
    if element == "half":
        return builder.constant(kind, float_text("half", struct.unpack("<H", struct.pack("<e", value))[0]))
    if element == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return builder.constant(kind, f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}")
