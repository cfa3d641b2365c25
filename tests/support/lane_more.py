# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the plain interpreter with several kinds of operands: carries, packed halves, bytes.

Each function takes the call's frame, the instruction's form and its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from support.lane_values import FLOATS, ORDER, PAIRS, bits_of, compare, cut, halves, number, real, width_of

from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Operand, Pair

if TYPE_CHECKING:
    from support.lane_frame import Frame

CARRIES = {"addc", "subc", "madc"}


def has_carry(form: Form) -> bool:
    """Return whether an instruction reads or writes the carry flag."""
    return form.opcode in CARRIES or bool(getattr(form, "cc", None))


def carry(frame: Frame, form: Form, to: Operand, *sources: Operand) -> None:
    """add, sub, mad with .cc, and addc, subc, madc: 9.7.2.

    sub.cc writes the inverse of a borrow, as in a + ~b + 1: NVRTC's 128-bit division adds it with addc.
    """
    width = width_of(form.type)
    values = [frame.read(source, form.type) for source in sources]
    opcode = form.opcode.removesuffix("c") if form.opcode in CARRIES else form.opcode
    given = frame.carry if form.opcode in CARRIES else int(opcode == "sub")
    if opcode == "mad":
        product = number(values[0], form.type) * number(values[1], form.type)
        values = [cut(product >> width if form.mode == "hi" else product, width), values[2]]
    if opcode == "sub":
        values[1] = cut(~values[1], width)
    total = values[0] + values[1] + given
    if form.cc:
        frame.carry = total >> width & 1
    frame.write(to, cut(total, width))


def convert_pair(frame: Frame, form: Form, to: Operand, upper: Operand, lower: Operand) -> None:
    """Convert two floats to a packed pair: the first one becomes the upper half."""
    half = PAIRS[form.dtype]
    first, second = (bits_of(real(frame.read(each, form.type), form.type), half) for each in (upper, lower))
    frame.write(to, first << 16 | second)


def compare_pairs(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand) -> None:
    """setp of packed pairs: a predicate for each half, the lower one first."""
    assert isinstance(to, Pair)
    of_halves = zip(*(halves(frame.read(each, form.type)) for each in (a, b)), strict=True)
    low, high = (compare(form.cmp, PAIRS[form.type], *each) for each in of_halves)
    frame.write(to.first, int(low))
    frame.write(to.second, int(high))


def multiply_bytes(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand, c: Operand) -> None:
    """dp4a: 9.7.1.23."""
    total = frame.read(c, "u32")
    for shift in (0, 8, 16, 24):
        parts = ((a, form.atype), (b, form.btype))
        x, y = (number(frame.read(each, "u32") >> shift & 255, f"{type_[0]}8") for each, type_ in parts)
        total += x * y
    frame.write(to, cut(total, 32))


def choose_by_sign(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand, c: Operand) -> None:
    """slct: 9.7.6.4; -0 counts as 0, NaN as negative."""
    by = frame.read(c, form.type)
    positive = real(by, form.type) >= 0 if form.type in FLOATS else number(by, form.type) >= 0
    frame.write(to, frame.read(a if positive else b, form.dtype))


def set_by_comparison(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand) -> None:
    holds = compare(form.cmp, form.type, frame.read(a, form.type), frame.read(b, form.type))
    frame.write(to, (0x3F800000 if form.dtype == "f32" else 0xFFFFFFFF) if holds else 0)


def multiply_24(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand) -> None:
    """mul24: the lower or the upper 32 of 48 bits."""
    kind = f"{form.type[0]}24"
    product = number(frame.read(a, "b24"), kind) * number(frame.read(b, "b24"), kind)
    frame.write(to, cut(product >> 16 if form.mode == "hi" else product, 32))


# Approximate functions of infinities and zeros, the only inputs for which the manual specifies the result.
APPROXIMATE = {
    "sin": {np.inf: np.nan, -np.inf: np.nan}, "cos": {np.inf: np.nan, -np.inf: np.nan, 0.0: 1.0},
    "lg2": {np.inf: np.inf, -np.inf: np.nan, 0.0: -np.inf}, "ex2": {np.inf: np.inf, -np.inf: 0.0, 0.0: 1.0},
}  # fmt: skip


def approximate(frame: Frame, form: Form, to: Operand, a: Operand) -> None:
    value = real(frame.read(a, form.type), form.type)
    found = np.float32(APPROXIMATE[form.opcode].get(float(value), value))  # that of NaN is NaN, the sine of -0 is -0
    frame.write(to, bits_of(found, form.type))


def copy_sign(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand) -> None:
    """copysign: 9.7.3.6; the sign is that of the first operand."""
    sign = 1 << (width_of(form.type) - 1)
    frame.write(to, frame.read(a, form.type) & sign | frame.read(b, form.type) & (sign - 1))


def video(frame: Frame, form: Form, to: Operand, a: Operand, b: Operand) -> None:
    """vadd, vsub, vabsdiff, vmin, vmax and vset of two words: 9.7.19.1 and 9.7.19.3."""
    x, y = (number(frame.read(each, "b32"), type_) for each, type_ in ((a, form.atype), (b, form.btype)))
    if form.opcode == "vset":
        frame.write(to, int(ORDER[form.cmp](x, y)))
        return
    value = {"vadd": x + y, "vsub": x - y, "vabsdiff": abs(x - y), "vmin": min(x, y), "vmax": max(x, y)}[form.opcode]
    if form.sat:
        least = -(1 << 31) if form.dtype == "s32" else 0
        value = min(max(value, least), least + (1 << 32) - 1)
    frame.write(to, cut(value, 32))


VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset")
MORE: dict[str, Callable] = {
    **dict.fromkeys(APPROXIMATE, approximate), **dict.fromkeys(VIDEO, video), "copysign": copy_sign,
    "dp4a": multiply_bytes, "slct": choose_by_sign, "set": set_by_comparison, "mul24": multiply_24,
    "addc": carry, "subc": carry, "madc": carry,
}  # fmt: skip
