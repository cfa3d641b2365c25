# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Range checks of immediate operands: by the manual's sections on the instructions, and ptxas.

Immediates are checked when the PTX is loaded; registers are not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.ptx.constants import typed
from cuda.cpu.ptx.syntax import Immediate, Operand

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form


class Range(NamedTuple):
    """A range: the accepted numbers in words, and a predicate on the low `bits` of a number."""

    words: str
    holds: Callable[[int], bool]
    bits: int = 64


def between(first: int, last: int, bits: int = 64) -> Range:
    return Range(f"from {first} to {last}", lambda value: first <= value <= last, bits)


def one_of(*values: int) -> Range:
    return Range(" or ".join(map(str, values)), values.__contains__)


BYTE = between(0, 255)
FLAG = one_of(0, 1)
SIGN = one_of(-1, 1)
LINE = one_of(128)
ANY = Range("", lambda value: True)
THREADS = Range("a multiple of 32, as warps have threads", lambda value: value % 32 == 0, 32)
SOME_THREADS = Range("a multiple of 32 above 0", lambda value: value % 32 == 0 != value, 32)
BULK = Range("a multiple of 16 up to 1048560", lambda value: value % 16 == 0 and 0 <= value <= 0xFFFF0, 32)
ALIGNMENT = Range("a power of two up to 2^23", lambda value: 0 < value <= 1 << 23 and value & value - 1 == 0)
POSITIVE = Range("above 0", lambda value: value > 0)
NATURAL = Range("0 or more", lambda value: value >= 0)


@cache
def _ranges_of(form: Form) -> tuple[tuple[int, str, Range], ...]:
    """Return the operands that have ranges: (index, name, range)."""
    by_name: dict[str, Range] = {}
    for words, ranges in form.row.traits.ranges.items():
        if form.has(words):
            by_name |= ranges
    names = enumerate(form.row.names)
    return tuple((index, name[0], by_name[name[0]]) for index, name in names if name and name[0] in by_name)


def wrong_number(form: Form, operands: tuple[Operand, ...]) -> str:
    """Return a message about an immediate that is out of range; "" if there is none."""
    for index, name, right in _ranges_of(form):
        operand = operands[index] if index < len(operands) else None
        if isinstance(operand, Immediate) and operand.kind == "int":
            value = operand.value & 0xFFFFFFFF if right.bits == 32 else typed(operand.value, unsigned=False)
            if not right.holds(value):
                written = typed(operand.value, unsigned=False)
                return f"{form}: operand {index + 1} ({name}) is {written}; it must be {right.words}"
    return ""
