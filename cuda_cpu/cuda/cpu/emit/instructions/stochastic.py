# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stochastic rounding, `cvt.rs` (9.7.9.22): random bits are added to the bits that the destination drops.

The highest random bit is added just below the destination's last bit. If the sum carries, the number is rounded away
from zero. Subnormal results drop more bits; the random bits are still aligned to the last bit of the result.
"""

from __future__ import annotations

from cuda.cpu.emit.instructions.minifloats import FORMATS
from cuda.cpu.emit.instructions.rounding import to_integer
from cuda.cpu.emit.llvm.values import Value, constant, real
from cuda.cpu.emit.simt.frame import Frame

LAYOUTS = {"f16": (10, 15), "bf16": (7, 127)} | {name: row[:2] for name, row in FORMATS.items()}  # mantissa, bias
RANDOM = {"f16": 13}  # bits for one number; 16 for all other types


def random_bits(frame: Frame, bits: Value, type_: str, count: int) -> list[Value]:
    """Return the random bits of each of two or four operands, the first of which becomes the highest part."""
    builder = frame.builder
    upper, lower = builder.binary("lshr", bits, constant(16, "i32")), bits
    if type_ == "e2m1":  # in each half, the upper byte is for the first two operands, the lower byte for the others

        def joined(shift: int) -> Value:
            parts = [builder.binary("lshr", half, constant(shift, "i32")) for half in (upper, lower)]
            high, low = (builder.binary("and", part, constant(0xFF, "i32")) for part in parts)
            return builder.binary("or", builder.binary("shl", high, constant(8, "i32")), low)

        halves = [joined(8), joined(0)]
    else:
        mask = constant((1 << RANDOM.get(type_, 16)) - 1, "i32")
        halves = [builder.binary("and", half, mask) for half in (upper, lower)]
    return [half for half in halves for _ in range(count // 2)]


def round_stochastically(frame: Frame, value: Value, random: Value, type_: str) -> Value:
    """Return the float rounded to a value of the type, or out of its range; infinities and NaN are unchanged."""
    builder = frame.builder
    mantissa, bias = LAYOUTS[type_]
    bits = builder.bits(value)
    size = builder.binary("and", bits, constant(0x7FFFFFFF, "i32"))
    exponent = builder.binary("lshr", size, constant(23, "i32"))
    if type_ == "bf16":  # has the exponents of float: always the low 16 bits are dropped
        rounded = builder.binary("add", size, random)
        rounded = builder.cast("bitcast", builder.binary("and", rounded, constant(-0x10000, "i32")), "float")
    else:
        least = constant(127 + 1 - bias, "i32")
        lowest = builder.binary("sub", builder.intrinsic("umax", "i32", exponent, least), constant(mantissa, "i32"))
        unit = builder.cast("bitcast", builder.binary("shl", lowest, constant(23, "i32")), "float")
        inverse = builder.binary("sub", constant(254, "i32"), lowest)
        inverse = builder.cast("bitcast", builder.binary("shl", inverse, constant(23, "i32")), "float")
        units = builder.binary("fmul", builder.cast("bitcast", size, "float"), inverse)
        whole = builder.intrinsic("trunc", "float", units)
        width = RANDOM.get(type_, 16)
        rest = builder.binary("fmul", builder.binary("fsub", units, whole), real(2.0**width, "float"))
        rest = to_integer(builder, rest, "i32", signed=False)
        carry = builder.binary("lshr", builder.binary("add", rest, random), constant(width, "i32"))
        whole = builder.binary("fadd", whole, builder.cast("uitofp", carry, "float"))
        rounded = builder.binary("fmul", whole, unit)
    rounded = builder.intrinsic("copysign", "float", rounded, value)
    special = builder.compare("icmp eq", exponent, constant(0xFF, "i32"))
    return builder.select(special, value, rounded)
