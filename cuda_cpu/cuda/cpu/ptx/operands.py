# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parser of the operands of instructions and calls: PTX ISA manual, chapter 6."""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from cuda.cpu.ptx.constants import integers, is_number, number
from cuda.cpu.ptx.cursor import Cursor
from cuda.cpu.ptx.declarations import TYPE_BYTES
from cuda.cpu.ptx.special import SPECIAL
from cuda.cpu.ptx.syntax import (
    Address,
    Immediate,
    Negated,
    Operand,
    Pair,
    Register,
    Selected,
    Sink,
    Symbol,
    Variable,
    Vector,
)

AXES = "xyzw"
_PARTS = re.compile(r"[bh][0-7]{1,4}")  # part of a register, in video instructions
_NAMES = frozenset("%_$" + string.ascii_letters)
_COLOURS = dict(zip("rgba", AXES, strict=True))


class OperandParser:
    """Parse operands; `names` maps each name to the operand that it denotes in the current scope.

    Parameters
    ----------
    cursor : Cursor
    variable : callable
        Returns the variable with a name, None if it is not declared.
    """

    def __init__(self, cursor: Cursor, variable: Callable[[str], Variable | None]) -> None:
        self.cursor = cursor
        self.variable = variable
        self.moves = False  # whether the instruction reads `array[3]` as an address
        self.names: dict[str, Operand] = {"_": Sink(), "WARP_SZ": Immediate(32)}

    def list(self) -> tuple[Operand, ...]:
        cursor = self.cursor
        found: list[Operand] = []
        cursor.expect("(")
        while not cursor.accept(")"):
            if found:
                cursor.expect(",")
            found.append(self.operand())
        return tuple(found)

    def operand(self) -> Operand:
        cursor = self.cursor
        operand = self._single()
        if cursor.token == "|":
            cursor.at += 1
            second = self._single()
            operand = Pair(_or_none(operand), _or_none(second))
        return operand

    def _single(self) -> Operand:
        cursor = self.cursor
        token = cursor.tokens[cursor.at]
        first = token[:1]
        if first == "%" and len(token) > 1:
            cursor.at += 1
            return self.names.get(token) or self.named(token)
        if first.isalpha() or (first in "_$" and token):
            if token == "WARP_SZ":
                return cursor.constant()
            cursor.at += 1
            named = self.named(token)
            return self._element(named) if cursor.token == "[" else self._with_offset(named)
        if first == "[":
            return self._address()
        if first == "{":
            return self._vector()
        if first == "!" and not cursor.tokens[cursor.at + 1][:1].isdigit():
            cursor.at += 1
            operand = self.named(cursor.name())
            if not isinstance(operand, Register):
                raise cursor.error("expected a predicate register after !")
            return Negated(operand)
        if first.isdigit() and cursor.tokens[cursor.at + 1] in (",", ";"):
            cursor.at += 1
            known = self.names.get(token)
            if known is None:
                known = self.names[token] = number(token)
            return known
        if token == "-" and cursor.tokens[cursor.at + 1][:1] in _NAMES and cursor.tokens[cursor.at + 1] != "WARP_SZ":
            cursor.at += 1
            operand = self.named(cursor.name())
            if not isinstance(operand, Register | Selected):
                raise cursor.error("expected a register after -")
            register, part = (operand, "") if isinstance(operand, Register) else (operand.register, operand.part)
            return Selected(register, part, negated=True)
        if is_number(token) or token in ("-", "+", "~", "!", "("):
            return cursor.constant()
        raise cursor.unexpected("an operand")

    def _with_offset(self, operand: Operand) -> Operand:
        if isinstance(operand, Symbol) and self.cursor.token in ("+", "-"):
            return Symbol(operand.name, operand.offset + self.cursor.integer())
        return operand

    def _element(self, operand: Operand) -> Operand:
        """Take the index of an array element, section 6.4.2: `table[3]`, its address in moves."""
        variable = self.variable(operand.name) if isinstance(operand, Symbol) else None
        if variable is None or not isinstance(operand, Symbol):
            raise self.cursor.error("there is an index behind what is no variable")
        self.cursor.expect("[")
        index = self.cursor.integer()
        self.cursor.expect("]")
        offset = index * TYPE_BYTES[variable.type] * variable.vector
        return Symbol(operand.name, offset) if self.moves else Address(Symbol(operand.name), offset)

    def named(self, written: str) -> Operand:
        operand = self.names.get(written)
        if operand is not None:
            return operand
        base, dot, component = written.rpartition(".")
        vector = self.names.get(base) if dot else None
        if isinstance(vector, Vector):
            axis = AXES.find(_COLOURS.get(component, component))
            if not 0 <= axis < len(vector.elements):
                raise self.cursor.error(f"register {base} has no component .{component}")
            return vector.elements[axis] or Sink()
        if isinstance(vector, Register) and _PARTS.fullmatch(component):
            return Selected(vector, component)
        if written[0] == "%":
            if written not in SPECIAL:
                return self._label(written)
            whole = f"{written}.x" in SPECIAL  # a whole vector, as in `mov.v4`
            operand = Vector(tuple(Register(f"{written}.{axis}") for axis in AXES)) if whole else Register(written)
        else:
            operand = Symbol(written)
        self.names[written] = operand
        return operand

    def _label(self, written: str) -> Symbol:
        """Return a label whose name begins with %; it may be defined later in the text."""
        tokens = self.cursor.tokens
        if not any(tokens[at] == written and tokens[at + 1] == ":" for at in range(self.cursor.at, len(tokens) - 1)):
            raise self.cursor.error(f"register {written} is not declared")
        return Symbol(written)

    def _vector(self) -> Vector:
        cursor = self.cursor
        token = cursor.take()
        if len(token) > 1:  # the lexer returns {1, 2} as one token
            return Vector(tuple(map(Immediate, integers(token))))
        elements: list[Operand | None] = []
        while not cursor.accept("}"):
            if elements:
                cursor.expect(",")
            elements.append(_or_none(self._single()))
        return Vector(tuple(elements))

    def _address(self) -> Address:
        cursor = self.cursor
        cursor.at += 1
        token = cursor.token
        base: Register | Symbol | None = None
        offset = 0
        if token[:1].isdigit() or token in ("-", "+", "(", "~"):
            offset = cursor.integer()
        else:
            named = self.named(cursor.name())
            if not isinstance(named, Register | Symbol):
                raise cursor.error(f"{token} is no address")
            base = named
            while cursor.token in ("+", "-"):  # also [%rd1+-4]
                offset += cursor.integer()
        coordinates: list[Operand] = []
        while cursor.accept(","):
            coordinates.append(self._single())
        cursor.expect("]")
        return Address(base, offset, tuple(coordinates))


def _or_none(operand: Operand) -> Operand | None:
    return None if isinstance(operand, Sink) else operand
