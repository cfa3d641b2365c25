# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constant expressions: PTX ISA manual, section 4.5.

Integers have 64 bits, with a sign (int) or without (Unsigned); floating-point numbers are those of Python.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from operator import add, and_, eq, ge, gt, le, lt, mod, mul, ne, or_, sub, truediv, xor
from typing import TYPE_CHECKING

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Immediate

if TYPE_CHECKING:
    from cuda.cpu.ptx.cursor import Cursor


_BASES = {"0x": 16, "0b": 2}
_LONGEST = 200  # characters of a 64-bit integer, with a sign, blanks, leading zeros and the prefix of the base
_FRACTION = re.compile(r"\.\d+(?:[eE][+-]?\d+)?")  # other tokens that begin with a dot and digits are directives: .2d


class Unsigned(int):
    """A constant of type .u64."""


Number = int | Unsigned | float


def _divide(a: Number, b: Number) -> Number:
    if isinstance(a, float):
        return truediv(a, b)
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


# Table of operators, 4.5.4 to 4.5.6: precedence (a higher one binds tighter), conversion of the operands ("same": to
# .u64 if one of them is; "u64"; "shift": none), whether it accepts floating-point numbers, and its function.
_BINARY: dict[str, tuple[int, str, bool, Callable[[Number, Number], Number]]] = {
    "*": (10, "same", True, mul),
    "/": (10, "same", True, _divide),
    "%": (10, "u64", False, mod),
    "+": (9, "same", True, add),
    "-": (9, "same", True, sub),
    "<<": (8, "shift", False, lambda a, b: int(a) << (int(b) & 63)),
    ">>": (8, "shift", False, lambda a, b: int(a) >> (int(b) & 63)),
    "<": (7, "same", True, lt),
    ">": (7, "same", True, gt),
    "<=": (7, "same", True, le),
    ">=": (7, "same", True, ge),
    "==": (6, "same", True, eq),
    "!=": (6, "same", True, ne),
    "&": (5, "u64", False, and_),
    "^": (4, "u64", False, xor),
    "|": (3, "u64", False, or_),
    "&&": (2, "same", False, lambda a, b: bool(a) and bool(b)),
    "||": (1, "same", False, lambda a, b: bool(a) or bool(b)),
}


def is_number(token: str) -> bool:
    """Return whether a token is a number."""
    return token[:1].isdigit() or (token[:1] == "." and _FRACTION.fullmatch(token) is not None)


def number(token: str) -> Immediate:
    """Return the value of a number token."""
    prefix = token[:2].lower()
    if prefix == "0f":
        return Immediate(int(token[2:], 16), "f32")
    if prefix == "0d":
        return Immediate(int(token[2:], 16), "f64")
    digits = token.rstrip("U")
    if prefix not in ("0x", "0b") and ("." in digits or "e" in digits.lower()):
        return real(float(digits))
    return Immediate(integer(digits))


def integer(digits: str) -> int:
    """Return the value of an integer: hexadecimal, binary, octal (leading 0) or decimal, with an optional sign.

    Raises
    ------
    PtxError
        It is far too long for 64 bits.
    """
    if len(digits) > _LONGEST:
        raise PtxError(f"the integer {digits[:8]}... of {len(digits)} characters has more than 64 bits")
    plain = digits.lstrip(" \t-")
    return int(digits, _BASES.get(plain[:2].lower()) or (8 if plain[:1] == "0" else 10))


def integers(token: str) -> list[int]:
    """Return the values of a list of decimal integers: `{1, -2, 3}`."""
    return [int(each) if len(each) <= _LONGEST else integer(each) for each in token[1:-1].split(",")]


def real(value: float) -> Immediate:
    """Return a floating-point constant."""
    return Immediate(struct.unpack("<Q", struct.pack("<d", value))[0], "f64")


def packed(code: str, value: float) -> bytes:
    """Return a number packed by `struct`; on overflow, infinity."""
    try:
        return struct.pack(code, value)
    except OverflowError:
        return struct.pack(code, math.copysign(math.inf, value))


def typed(value: int, *, unsigned: bool) -> int:
    """Wrap an integer to 64 bits, signed or unsigned."""
    value &= (1 << 64) - 1
    if unsigned:
        return Unsigned(value)
    return value - (1 << 64) if value >> 63 else value


def expression(cursor: Cursor, least: int = 0) -> Number:
    """Parse an expression of operators that bind tighter than `least` (precedence climbing)."""
    value = _unary(cursor)
    while cursor.token in _BINARY and _BINARY[cursor.token][0] > least:
        operator = cursor.take()
        value = _binary(cursor, operator, value, expression(cursor, _BINARY[operator][0]))
    if least == 0 and cursor.accept("?"):
        yes = expression(cursor)
        cursor.expect(":")
        no = expression(cursor)
        unsigned = isinstance(yes, Unsigned) or isinstance(no, Unsigned)
        value = yes if value else no
        if isinstance(value, int):
            value = typed(value, unsigned=unsigned)
    return value


def _binary(cursor: Cursor, operator: str, a: Number, b: Number) -> Number:
    _, kind, floats, function = _BINARY[operator]
    if isinstance(a, float) or isinstance(b, float):
        if not floats or type(a) is not type(b):
            raise cursor.error(f"operator {operator} has an operand of a wrong type in a constant expression")
        unsigned = False
    else:
        unsigned = kind == "u64" or isinstance(a, Unsigned) or (kind == "same" and isinstance(b, Unsigned))
        a = typed(a, unsigned=unsigned)
        b = b if kind == "shift" else typed(b, unsigned=unsigned)
    if operator in "/%" and b == 0:
        raise cursor.error("division by zero in a constant expression")
    value = function(a, b)
    if isinstance(value, float):
        return value
    return typed(int(value), unsigned=unsigned and not isinstance(value, bool))


def _unary(cursor: Cursor) -> Number:
    token = cursor.take()
    if token in ("-", "+", "~", "!"):
        value = _unary(cursor)
        if token == "!":
            return int(not value)
        if isinstance(value, float):
            if token == "~":
                raise cursor.error("operator ~ has an operand of a wrong type in a constant expression")
            return -value if token == "-" else value
        if token == "~":
            return typed(~value, unsigned=True)
        return typed(-value if token == "-" else value, unsigned=isinstance(value, Unsigned))
    if token == "(":
        return _in_parentheses(cursor)
    if token == "WARP_SZ":
        return 32
    if is_number(token):
        literal = number(token)
        if literal.kind == "int":
            return typed(literal.value, unsigned=token.endswith("U") or literal.value >= 1 << 63)
        if token[:2].lower() not in ("0f", "0d"):
            return _finite(cursor, float(token))
    cursor.at -= 1
    raise cursor.unexpected("an integer")


def _finite(cursor: Cursor, value: float) -> float:
    if value - value != 0:
        raise cursor.error("a floating-point constant is too large")
    return value


def _in_parentheses(cursor: Cursor) -> Number:
    if cursor.token in (".s64", ".u64"):
        unsigned = cursor.take() == ".u64"
        cursor.expect(")")
        value = _unary(cursor)
        if isinstance(value, float):
            raise cursor.error("a floating-point constant cannot be cast")
        return typed(value, unsigned=unsigned)
    value = expression(cursor)
    cursor.expect(")")
    return value
