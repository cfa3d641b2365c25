# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Quotients of integers, of instructions and of the bases of affine registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.llvm.values import Value, constant, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame


def quotient(frame: Frame, type_: str, a: Value, b: Value) -> Value:
    """Return the quotient. Division by zero, undefined in PTX, gives one with all bits set.

    Signed division divides magnitudes, so that the least number divided by -1 wraps and nothing traps.
    """
    builder, element = frame.builder, a.element
    zero = builder.compare("icmp eq", b, constant(0, element))
    if not type_.startswith("s"):
        result = _divide_unsigned(frame, a, builder.select(zero, constant(1, element), b))
    else:
        magnitudes = [builder.intrinsic("abs", element, value, "i1 false") for value in (a, b)]
        magnitudes[1] = builder.select(zero, constant(1, element), magnitudes[1])
        result = _divide_unsigned(frame, *magnitudes)
        negative = builder.compare("icmp slt", builder.binary("xor", a, b), constant(0, element))
        result = builder.select(negative, builder.binary("sub", constant(0, element), result), result)
    return builder.select(zero, constant(-1, element), result)


def _divide_unsigned(frame: Frame, a: Value, b: Value) -> Value:
    builder, width = frame.builder, width_of(a.element)
    if a.uniform and b.uniform:
        return builder.binary("udiv", a, b)
    if width == 64:
        return for_each_lane(frame, "udiv.i64", "i64", "%r = udiv i64 %x0, %x1", a, b)
    # Exact: the double quotient of 32-bit integers never rounds up to the next integer.
    real = "float" if width == 16 else "double"
    numerator, denominator = builder.cast("uitofp", a, real), builder.cast("uitofp", b, real)
    if width == 16:
        numerator, denominator = (
            builder.cast("fpext", numerator, "double"),
            builder.cast("fpext", denominator, "double"),
        )
    return builder.cast("fptoui", builder.binary("fdiv", numerator, denominator), a.element)
