# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A position in the tokens of a PTX text, with methods that parse names, strings and constants."""

from __future__ import annotations

from cuda.cpu.ptx.constants import expression, is_number, number, real, typed
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.lexer import tokens_of
from cuda.cpu.ptx.syntax import Immediate


class Cursor:
    """A position in a list of tokens: `tokens[at]` is the next one."""

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
        """Return an error that names what is expected instead of the next token."""
        return self.error(f"expected {wanted}, found {self.token or 'the end of the text'!r}")

    def take(self) -> str:
        """Return the next token and skip it."""
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token: str) -> bool:
        """Skip the next token if it equals `token`, and return whether it did."""
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        """Skip the next token, which must equal `token`."""
        if not self.accept(token):
            raise self.unexpected(repr(token))

    def skip_to(self, token: str) -> None:
        """Skip all tokens up to and including the next `token`."""
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
        """Take a string and return it without the quotes."""
        if not self.token.startswith('"'):
            raise self.unexpected("a string")
        return self.take()[1:-1]

    def integer(self) -> int:
        """Take a constant expression of integers and return its value, with a sign."""
        value = self.constant()
        if value.kind != "int":
            raise self.error("expected an integer")
        return typed(value.value, unsigned=False)

    def integer_before(self, end: str) -> int:
        """Take one plain number and the token that ends it, which may itself be an operator."""
        value = number(self.take()).value if is_number(self.token) else self.integer()
        self.expect(end)
        return value

    def constant(self) -> Immediate:
        """Take a constant: one number, or an expression."""
        negative = self.token == "-"
        token = self.tokens[self.at + negative]
        if token[:2].lower() in ("0f", "0d"):
            self.at += 1 + negative
            bits = number(token)
            return _negate(bits) if negative else bits
        value = expression(self)
        return real(value) if isinstance(value, float) else Immediate(int(value))


def _negate(value: Immediate) -> Immediate:
    return Immediate(value.value ^ (1 << (31 if value.kind == "f32" else 63)), value.kind)
