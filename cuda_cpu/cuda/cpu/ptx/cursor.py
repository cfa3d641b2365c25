# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A position in the tokens of a PTX text, and constant expressions, which occur everywhere."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import add, and_, eq, ge, gt, le, lshift, lt, mul, ne, or_, rshift, sub, xor

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.lexer import tokens_of
from cuda.cpu.ptx.syntax import Immediate


def _divide(a: int, b: int) -> int:
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


# PTX manual, table of operator precedence of constant expressions; a higher number binds tighter.
_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "*": (10, mul),
    "/": (10, _divide),
    "%": (10, lambda a, b: a - b * _divide(a, b)),
    "+": (9, add),
    "-": (9, sub),
    "<<": (8, lshift),
    ">>": (8, rshift),
    "<": (7, lt),
    ">": (7, gt),
    "<=": (7, le),
    ">=": (7, ge),
    "==": (6, eq),
    "!=": (6, ne),
    "&": (5, and_),
    "^": (4, xor),
    "|": (3, or_),
    "&&": (2, lambda a, b: bool(a) and bool(b)),
    "||": (1, lambda a, b: bool(a) or bool(b)),
}


class Cursor:
    """Walk over tokens: `tokens[at]` is the next one."""

    __slots__ = ("at", "lines", "tokens")

    def __init__(self, text: str) -> None:
        self.tokens, self.lines = tokens_of(text)
        self.at = 0
        if not text.isascii():
            for token, line in zip(self.tokens, self.lines, strict=True):
                if not token.isascii() and not token.startswith('"'):
                    raise PtxError(f"PTX has no character {token!r}", line)

    @property
    def token(self) -> str:
        """The next token."""
        return self.tokens[self.at]

    @property
    def line(self) -> int:
        """Line of the next token."""
        return self.lines[self.at]

    def error(self, message: str, line: int = 0) -> PtxError:
        """Return (not raise) an error at a line, by default that of the next token."""
        return PtxError(message, line or self.line)

    def unexpected(self, wanted: str) -> PtxError:
        """Return an error that says what should stand where the next token is."""
        return self.error(f"expected {wanted}, found {self.token or 'the end of the text'!r}")

    def take(self) -> str:
        """Return the next token and step over it."""
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token: str) -> bool:
        """Step over the next token if it is this one, and tell whether it was."""
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        """Step over the next token, which must be this one."""
        if not self.accept(token):
            raise self.unexpected(repr(token))

    def skip_to(self, token: str) -> None:
        """Step behind the next such token."""
        while not self.accept(token):
            if not self.token:
                raise self.unexpected(repr(token))
            self.at += 1

    def name(self) -> str:
        """Take an identifier."""
        token = self.token
        if not token or not (token[0].isalpha() or token[0] in "_$%"):
            raise self.unexpected("a name")
        self.at += 1
        return token

    def string(self) -> str:
        """Take a string and return what is between the quotes."""
        if not self.token.startswith('"'):
            raise self.unexpected("a string")
        return self.take()[1:-1]

    def integer(self) -> int:
        """Take a constant expression of integers and return its value."""
        value = self.constant()
        if value.kind != "int":
            raise self.error("expected an integer")
        return value.value

    def integer_before(self, end: str) -> int:
        """Take one plain number and the token that ends it, which may itself be an operator."""
        value = number(self.take()).value if self.token[:1].isdigit() else self.integer()
        self.expect(end)
        return value

    def constant(self) -> Immediate:
        """Take a constant: one number, or an expression of integers."""
        negative = self.token == "-" and not self.tokens[self.at + 1].startswith("(")
        token = self.tokens[self.at + negative]
        if token[:1].isdigit():
            value = number(token)
            if value.kind != "int":
                self.at += 1 + negative
                return _negate(value) if negative else value
        return Immediate(self._expression(0))

    def _expression(self, least: int) -> int:
        value = self._unary()
        while self.token in _BINARY and _BINARY[self.token][0] > least:
            operator = self.take()
            precedence, function = _BINARY[operator]
            right = self._expression(precedence)
            if operator in "/%" and right == 0:
                raise self.error("division by zero in a constant expression")
            if operator in ("<<", ">>") and not 0 <= right < 64:
                raise self.error(f"shift by {right} in a constant expression; it must be 0 to 63")
            value = int(function(value, right))
            if not -(1 << 63) <= value < 1 << 64:  # constants have 64 bits
                value &= (1 << 64) - 1
        if least == 0 and self.accept("?"):
            yes = self._expression(0)
            self.expect(":")
            no = self._expression(0)
            value = yes if value else no
        return value

    def _unary(self) -> int:
        token = self.take()
        if token == "-":
            return -self._unary()
        if token == "+":
            return self._unary()
        if token == "~":
            return ~self._unary()
        if token == "!":
            return int(not self._unary())
        if token == "(":
            if self.token in (".s64", ".u64"):
                mask = self.take() == ".u64"
                self.expect(")")
                value = self._unary() & (1 << 64) - 1
                return value if mask or value < 1 << 63 else value - (1 << 64)
            value = self._expression(0)
            self.expect(")")
            return value
        if token == "WARP_SZ":
            return 32
        if token[:1].isdigit():
            value = number(token)
            if value.kind == "int":
                return value.value
        self.at -= 1
        raise self.unexpected("an integer")


def number(token: str) -> Immediate:
    """Return the value of a number token."""
    prefix = token[:2].lower()
    if prefix == "0f":
        return Immediate(int(token[2:], 16), "f32")
    if prefix == "0d":
        return Immediate(int(token[2:], 16), "f64")
    digits = token.rstrip("U")
    if prefix == "0x":
        return Immediate(int(digits, 16))
    if prefix == "0b":
        return Immediate(int(digits, 2))
    if "." in digits or "e" in digits.lower():
        return Immediate(struct.unpack("<Q", struct.pack("<d", float(digits)))[0], "f64")
    if len(digits) > 1 and digits[0] == "0":
        return Immediate(int(digits, 8))
    return Immediate(int(digits))


def _negate(value: Immediate) -> Immediate:
    return Immediate(value.value ^ (1 << (31 if value.kind == "f32" else 63)), value.kind)
