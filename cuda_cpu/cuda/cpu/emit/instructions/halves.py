# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Half and bfloat arithmetic in float, and packed types part by part.

A float has more than twice the bits of either type, so double rounding is harmless, except for fma, which is computed
as a double rounded to odd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame

PARTS = {"f16x2": "f16", "bf16x2": "bf16", "f32x2": "f32", "u16x2": "u16", "s16x2": "s16", "u8x4": "u8", "s8x4": "s8"}
SMALL = ("f16", "bf16")


def widen(frame: Frame, value: Value, type_: str) -> Value:
    """Return a half (element half) or a bfloat (element i16) as a float."""
    builder = frame.builder
    if type_ == "f16":
        return builder.cast("fpext", value, "float")
    return builder.cast("bitcast", builder.binary("shl", builder.resize(value, "i32"), constant(16, "i32")), "float")


def narrow(frame: Frame, value: Value, type_: str, *, toward_zero: bool = False) -> Value:
    """Round a float to a half (element half) or a bfloat (element i16)."""
    builder = frame.builder
    if type_ == "f16":
        if toward_zero:
            value = _drop_bits(frame, value)
        # LLVM takes an integer with few significant bits for exact in a half, even beyond 65504: hide where it is from.
        value = builder.intrinsic("arithmetic.fence", "float", value)
        return builder.cast("fptrunc", value, "half")
    bits = builder.bits(value)
    high = builder.binary("lshr", bits, constant(16, "i32"))
    if not toward_zero:
        odd = builder.binary("and", high, constant(1, "i32"))
        rounded = builder.binary("add", builder.binary("add", bits, constant(0x7FFF, "i32")), odd)
        high = builder.binary("lshr", rounded, constant(16, "i32"))
    nan = builder.compare("fcmp uno", value, value)
    return builder.resize(builder.select(nan, constant(0x7FFF, "i32"), high), "i16")


def _drop_bits(frame: Frame, value: Value) -> Value:
    """Clear the bits that a half cannot represent, so that rounding to nearest truncates; finite stays finite."""
    builder = frame.builder
    bits = builder.bits(value)
    kept = builder.binary("and", bits, constant(0xFFFFE000, "i32"))
    # Subnormal halves, below 2**-14, have a fixed unit of 2**-24: count in these units.
    magnitude = builder.intrinsic("fabs", "float", value)
    units = builder.intrinsic("trunc", "float", builder.binary("fmul", value, Value(_power(24), "float", literal=True)))
    small = builder.binary("fmul", units, Value(_power(-24), "float", literal=True))
    kept = builder.cast("bitcast", kept, "float")
    kept = builder.select(
        builder.compare("fcmp olt", magnitude, Value(_power(-14), "float", literal=True)), small, kept
    )
    most = builder.intrinsic("copysign", "float", Value("65504.0", "float", literal=True), value)
    large = builder.compare("fcmp ogt", magnitude, Value("65504.0", "float", literal=True))
    infinite = builder.compare("fcmp oeq", magnitude, Value("0x7FF0000000000000", "float", literal=True))
    kept = builder.select(large, builder.select(infinite, value, most), kept)
    return builder.select(builder.compare("fcmp uno", value, value), value, kept)


def _power(exponent: int) -> str:
    return f"0x{(1023 + exponent) << 52:016X}"


def fused(frame: Frame, type_: str, a: Value, b: Value, c: Value) -> Value:
    """Return a*b + c of widened 16-bit floats as a float that rounds to their type as the exact result does."""
    builder = frame.builder
    if type_ == "f16":  # products are exact as floats: 22 bits, multiples of 2**-48
        return _move_to_odd(frame, *_sum_and_error(frame, builder.binary("fmul", a, b), c))
    a, b, c = (builder.cast("fpext", value, "double") for value in (a, b, c))
    return round_to_odd(frame, *_sum_and_error(frame, builder.binary("fmul", a, b), c))


def _sum_and_error(frame: Frame, a: Value, b: Value) -> tuple[Value, Value]:
    """Return the rounded sum and its rounding error (Knuth's two-sum)."""
    builder = frame.builder
    total = builder.binary("fadd", a, b)
    part = builder.binary("fsub", total, a)
    rest = builder.binary("fsub", a, builder.binary("fsub", total, part))
    return total, builder.binary("fadd", rest, builder.binary("fsub", b, part))


def _move_to_odd(frame: Frame, value: Value, error: Value) -> Value:
    """Return value + error rounded to odd: the neighbour on the error's side unless the last bit is set already."""
    builder, bits = frame.builder, frame.builder.bits(value)
    width = width_of(bits.element)

    def integer(number: int) -> Value:
        return constant(number, bits.element)

    inexact = builder.compare("fcmp one", error, Value("0.0", value.element, literal=True))
    even = builder.compare("icmp eq", builder.binary("and", bits, integer(1)), integer(0))
    sign = builder.binary("ashr", builder.binary("xor", bits, builder.bits(error)), integer(width - 1))
    moved = builder.binary("add", bits, builder.binary("or", sign, integer(1)))
    return builder.cast("bitcast", builder.select(builder.binary("and", inexact, even), moved, bits), value.element)


def round_to_odd(frame: Frame, value: Value, error: Value | None = None) -> Value:
    """Return value + error (doubles) as a float rounded to odd, which can be rounded again without error."""
    builder = frame.builder
    if error is not None:
        value = _move_to_odd(frame, value, error)
    short = builder.cast("fptrunc", value, "float")
    back = builder.cast("fpext", short, "double")
    inexact = builder.compare("fcmp one", back, value)
    short_bits = builder.bits(short)
    even = builder.compare("icmp eq", builder.binary("and", short_bits, constant(1, "i32")), constant(0, "i32"))
    away = builder.compare(
        "fcmp ogt", builder.intrinsic("fabs", "double", back), builder.intrinsic("fabs", "double", value)
    )
    moved = builder.binary("add", short_bits, builder.select(away, constant(-1, "i32"), constant(1, "i32")))
    odd = builder.select(builder.binary("and", inexact, even), moved, short_bits)
    return builder.cast("bitcast", odd, "float")


def map_parts(frame: Frame, part: str, function: Callable[..., Value], *values: Value) -> Value:
    """Apply a function to each part of packed values, and join the results."""
    builder, element, whole = frame.builder, ELEMENTS[part], values[0].element
    width = width_of(element)

    def pieces() -> Iterator[Value]:
        for position in range(width_of(whole) // width):
            parts = []
            for value in values:
                if position:
                    value = builder.binary("lshr", value, constant(width * position, whole))
                value = builder.resize(value, f"i{width}")
                parts.append(builder.cast("bitcast", value, element) if element != f"i{width}" else value)
            piece = builder.resize(builder.bits(function(*parts)), whole)
            if position:
                piece = builder.binary("shl", piece, constant(width * position, whole))
            yield piece

    return builder.fold("or", pieces())
