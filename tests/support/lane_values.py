# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reference results of PTX instructions for one thread, as functions of plain integers: bits in, bits out.

They are slow and easy to check against the PTX manual. Each function takes the instruction's form and the
bits of its operands.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from support.exact import decode, encode

from cuda.cpu.ptx.instructions import Form

FLOATS = {"f16": (np.float16, np.uint16), "f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}
FLOATS["bf16"] = FLOATS["f32"]  # the upper half of one
PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}


@functools.cache
def width_of(type_: str) -> int:
    return 1 if type_ == "pred" else 32 if type_ in PAIRS else int(type_.lstrip("bfsu"))


def cut(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


def number(value: int, type_: str) -> int:
    """Return the integer that bits of a type encode."""
    return signed(value, width_of(type_)) if type_[0] == "s" else value


def real(bits: int, type_: str) -> np.floating:
    float_, int_ = FLOATS[type_]
    return np.array(bits << 16 if type_ == "bf16" else bits, int_).view(float_)[()]


def bits_of(value: object, type_: str) -> int:
    float_, int_ = FLOATS[type_]
    if type_ == "bf16":
        if np.isfinite(value) and value != 0:
            return encode(Fraction(float(value)), type_, "rn")
        return 0x7FFF if np.isnan(value) else bits_of(value, "f32") >> 16
    return int(np.array(value, float_).view(int_))


def halves(bits: int) -> tuple[int, int]:
    """Return the lower and the upper half of 32 bits."""
    return bits & 0xFFFF, bits >> 16


# --- integers -----------------------------------------------------------------------------------------


def _divide(a: int, b: int) -> tuple[int, int]:
    """Return quotient and remainder, rounded towards zero; by zero, all bits of both are set, as on an H200."""
    if b == 0:
        return -1, -1
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def _product(form: Form, a: int, b: int) -> int:
    width = width_of(form.type)
    product = number(a, form.type) * number(b, form.type)
    return product >> width if form.mode == "hi" else product


def _result_width(form: Form) -> int:
    return width_of(form.type) * (2 if form.mode == "wide" else 1)


def _shift_right(form: Form, a: int, b: int) -> int:
    return number(a, form.type) >> min(b, 127)


def _field_number(bits: int, width: int) -> int:
    """Return a position or length of a bit field: above 255 as on an H200, since the manual leaves it open."""
    return bits & 255 if width == 32 else min(bits, 255)


def _field(form: Form, a: int, b: int, c: int) -> int:
    """bfe, section 9.7.1.19: bits above the field are its sign or zero."""
    width = width_of(form.type)
    start, count = _field_number(b, width), _field_number(c, width)
    if count == 0:
        return 0
    top = min(start + count - 1, width - 1)
    sign = a >> top & 1 if form.type[0] == "s" else 0
    field = cut(a >> start, max(min(count, width - start), 0)) if start < width else 0
    have = max(min(count, width - start), 0)
    return field | (((1 << width) - 1) << have if sign else 0)


def _insert(form: Form, a: int, b: int, c: int, d: int) -> int:
    width = width_of(form.type)
    start, count = _field_number(c, width), _field_number(d, width)
    mask = cut(((1 << count) - 1) << start, width)
    return (b & ~mask) | (a << start & mask)


def _select_bytes(form: Form, a: int, b: int, c: int) -> int:
    assert form.mode is None
    source, result = a | b << 32, 0
    for index in range(4):
        pick = c >> 4 * index & 15
        byte = source >> 8 * (pick & 7) & 255
        result |= (255 * (byte >> 7) if pick & 8 else byte) << 8 * index
    return result


def _funnel(form: Form, a: int, b: int, c: int) -> int:
    both = b << 32 | a
    count = c & 31 if form.mode == "wrap" else min(c, 32)
    return both << count >> 32 if form.dir == "l" else both >> count


def _lookup(form: Form, a: int, b: int, c: int, table: int) -> int:
    return sum(((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1)) & 1) << i for i in range(32))


INTEGERS: dict[str, Callable[..., int]] = {
    "add": lambda form, a, b: a + b,
    "sub": lambda form, a, b: a - b,
    "mul": _product,
    "mad": lambda form, a, b, c: _product(form, a, b) + c,
    "div": lambda form, a, b: _divide(number(a, form.type), number(b, form.type))[0],
    "rem": lambda form, a, b: _divide(number(a, form.type), number(b, form.type))[1],
    "sad": lambda form, a, b, c: abs(number(a, form.type) - number(b, form.type)) + c,
    "abs": lambda form, a: abs(number(a, form.type)),
    "neg": lambda form, a: -a,
    "min": lambda form, a, b: min(number(a, form.type), number(b, form.type)),
    "max": lambda form, a, b: max(number(a, form.type), number(b, form.type)),
    "and": lambda form, a, b: a & b,
    "or": lambda form, a, b: a | b,
    "xor": lambda form, a, b: a ^ b,
    "not": lambda form, a: ~a,
    "cnot": lambda form, a: int(a == 0),
    "shl": lambda form, a, b: a << min(b, 127),
    "shr": _shift_right,
    "shf": _funnel,
    "lop3": _lookup,
    "popc": lambda form, a: a.bit_count(),
    "clz": lambda form, a: width_of(form.type) - a.bit_length(),
    "brev": lambda form, a: int(f"{a:0{width_of(form.type)}b}"[::-1], 2),
    "bfe": _field,
    "bfi": _insert,
    "prmt": _select_bytes,
    "bfind": lambda form, a: (~number(a, form.type) if number(a, form.type) < 0 else a).bit_length() - 1,
}

# --- floating point -----------------------------------------------------------------------------------


def _fma(a: int, b: int, c: int, type_: str, rounding: str = "rn") -> int:
    x, y, z = (decode(bits, type_) for bits in (a, b, c))
    if isinstance(x, Fraction) and isinstance(y, Fraction) and isinstance(z, float):
        return c  # an infinity, however large the product is
    if not all(isinstance(value, Fraction) for value in (x, y, z)) or x * y + z == 0:
        with np.errstate(all="ignore"):  # an infinity, NaN or signed zero: no digit is lost
            return bits_of(real(a, type_) * real(b, type_) + real(c, type_), type_)
    return encode(x * y + z, type_, rounding)


def _least(a: np.floating, b: np.floating, pick: Callable) -> np.floating:
    """Return the minimum or maximum: numbers are preferred to NaN, -0 is less than +0 (9.7.3.11)."""
    if np.isnan(a) or np.isnan(b):
        return b if np.isnan(a) else a
    return pick((a, b), key=lambda value: (value, not np.signbit(value)))


FLOATING: dict[str, Callable] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sqrt": np.sqrt,
    "min": lambda a, b: _least(a, b, min),
    "max": lambda a, b: _least(a, b, max),
}


def _of_bf16(opcode: str, a: int, b: int) -> int:
    """Add, subtract or multiply, rounded once."""
    one, sign = 0x3F80, 0x8000
    if opcode == "mul":
        negative = (a ^ b) & sign  # of a product that is zero
        return _fma(a, b, negative, "bf16")
    return _fma(b, one if opcode == "add" else one | sign, a, "bf16")


def _directed(opcode: str, a: int, b: int, type_: str, rounding: str) -> int:
    """Add, subtract or multiply with a rounding mode other than to nearest; the result must not be zero."""
    width, one = width_of(type_), bits_of(FLOATS[type_][0](1), type_)
    sign = 1 << (width - 1)
    if opcode == "mul":
        return _fma(a, b, (a ^ b) & sign, type_, rounding)
    return _fma(b, one if opcode == "add" else one | sign, a, type_, rounding)


def compute(form: Form, types: str, *operands: int) -> int:
    """Return the result's bits; `types` is the type of the operation."""
    if types in PAIRS:
        low, high = (compute(form, PAIRS[types], *part) for part in zip(*map(halves, operands), strict=True))
        return low | high << 16
    if types in FLOATS:
        rounding = getattr(form, "rnd", None) or "rn"
        if form.opcode == "fma":
            return _fma(*operands, types, rounding)
        if rounding != "rn":
            return _directed(form.opcode, *operands, types, rounding)
        if types == "bf16" and form.opcode in ("add", "sub", "mul"):
            return _of_bf16(form.opcode, *operands)
        if form.opcode in ("abs", "neg"):
            sign = 1 << (width_of(types) - 1)
            return operands[0] & ~sign if form.opcode == "abs" else operands[0] ^ sign
        with np.errstate(all="ignore"):
            if form.opcode == "div" and "approx" in form.modifiers and abs(real(operands[1], types)) > 2.0**126:
                zero = np.copysign(np.float32(0), real(operands[1], types))  # the reciprocal, 9.7.3.8
                return bits_of(real(operands[0], types) * zero, types)
            result = FLOATING[form.opcode](*(real(bits, types) for bits in operands))
            if form.opcode in ("min", "max") and np.isnan(result):
                return (1 << width_of(types) - 1) - 1  # the canonical NaN, 9.7.3.11
            return bits_of(result, types)
    width = (
        32
        if form.opcode in ("popc", "clz", "bfind")
        else _result_width(form)
        if form.opcode in ("mul", "mad")
        else None
    )
    return cut(INTEGERS[form.opcode](form, *operands), width or width_of(types))


# --- comparison and conversion ------------------------------------------------------------------------

ORDER = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
         "ge": operator.ge, "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}  # fmt: skip


def compare(cmp: str, type_: str, a: int, b: int) -> bool:
    """Return the result of setp; comparisons with u hold for NaN, the others, including ne, do not."""
    if type_ not in FLOATS:
        return ORDER[cmp](number(a, type_), number(b, type_))
    x, y = real(a, type_), real(b, type_)
    unordered = bool(np.isnan(x) or np.isnan(y))
    if cmp in ("num", "nan"):
        return unordered == (cmp == "nan")
    if cmp.endswith("u") and cmp != "u":
        return unordered or bool(ORDER[cmp[:-1]](x, y))
    return not unordered and bool(ORDER[cmp](x, y))


def convert(form: Form, bits: int) -> int:
    """Return the result of cvt."""
    to, from_ = form.dtype, form.type
    if from_ in FLOATS and to in FLOATS:
        with np.errstate(all="ignore"):
            return bits_of(real(bits, from_), to)
    if to in FLOATS:
        return encode(Fraction(number(bits, from_)), to, form.rnd or "rn") if number(bits, from_) else 0
    low, high = (
        (0, (1 << width_of(to)) - 1) if to[0] == "u" else (-(1 << width_of(to) - 1), (1 << width_of(to) - 1) - 1)
    )
    if from_ in FLOATS:  # saturates; NaN is 0 but from or to 64 bits (9.7.9.21)
        value = real(bits, from_)
        if np.isnan(value):
            return 1 << (width_of(to) - 1) if from_ == "f64" or width_of(to) == 64 else 0
        if np.isinf(value):
            return cut(high if value > 0 else low, width_of(to))
        whole = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[form.irnd](
            Fraction(float(value))
        )
        return cut(min(max(whole, low), high), width_of(to))
    value = number(bits, from_)
    return cut(min(max(value, low), high) if form.sat else value, width_of(to))
