# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What numbers may be where instructions have operands: the manual's sections of the instructions, and ptxas.

A register may hold any number; one that is written in the text is looked at when the text is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.ptx.constants import typed
from cuda.cpu.ptx.operand_types import by_opcode
from cuda.cpu.ptx.syntax import Immediate, Operand

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form


class Range(NamedTuple):
    """Numbers that are right, in words and by a test, after `bits` of each are read."""

    words: str
    holds: Callable[[int], bool]
    bits: int = 64


def _between(first: int, last: int, bits: int = 64) -> Range:
    return Range(f"from {first} to {last}", lambda value: first <= value <= last, bits)


def _one_of(*values: int) -> Range:
    return Range(" or ".join(map(str, values)), values.__contains__)


_BYTE = _between(0, 255)
_FLAG = _one_of(0, 1)
_SIGN = _one_of(-1, 1)
_LINE = _one_of(128)
_ANY = Range("", lambda value: True)
_THREADS = Range("a multiple of 32, as warps have threads", lambda value: value % 32 == 0, 32)
_SOME_THREADS = Range("a multiple of 32 above 0", lambda value: value % 32 == 0 != value, 32)
_BULK = Range("a multiple of 16 up to 1048560", lambda value: value % 16 == 0 and 0 <= value <= 0xFFFF0, 32)
_ALIGNMENT = Range("a power of two up to 2^23", lambda value: 0 < value <= 1 << 23 and value & value - 1 == 0)

# By opcode, with further words of it where they matter; the last entry that fits counts.
_RANGES: tuple[tuple[str, dict[str, Range]], ...] = (
    ("bfe", {"b": _BYTE, "c": _BYTE}),
    ("bfi", {"c": _BYTE, "e": _BYTE}),
    *((opcode, {"a": _between(0, 15, 32), "b": _THREADS}) for opcode in ("bar", "barrier")),
    *((opcode, {"b": _SOME_THREADS}) for opcode in ("bar.arrive", "barrier.arrive")),
    *((key, {"size": _LINE}) for key in ("applypriority", "discard", "fence", "tensormap")),
    ("cp.async.ca", {"size": _one_of(4, 8, 16), "{!}source": _between(0, 16)}),
    ("cp.async.cg", {"size": _one_of(16), "{!}source": _between(0, 16)}),
    ("cp.async.bulk", {"size": _BULK}),
    *((f"mbarrier.{op}", {"count": Range("above 0", lambda value: value > 0)}) for op in ("arrive", "arrive_drop")),
    *((f"mbarrier.{op}", {"count": _ANY}) for op in ("expect_tx", "noComplete")),
    ("mbarrier.parity", {"state": _FLAG}),
    ("wgmma", {"{!}scale": _FLAG, "asign": _SIGN, "bsign": _SIGN, "t": _FLAG, "u": _FLAG}),
    ("wgmma.wait_group", {"n": Range("0 or more", lambda value: value >= 0)}),
    ("alloca", {"align": _ALIGNMENT}),
    ("pmevent.mask", {"a": _between(0, 0xFFFF)}),
)


@cache
def _rules() -> dict[str, list[tuple[frozenset[str], dict[str, Range]]]]:
    return by_opcode(_RANGES)


@cache
def _ranges_of(form: Form) -> tuple[tuple[int, str, Range], ...]:
    """Return the operands that have ranges, by their places."""
    by_name: dict[str, Range] = {}
    for words, ranges in _rules().get(form.opcode, ()):
        if words.issubset(form.modifiers):
            by_name |= ranges
    names = enumerate(form.row.names)
    return tuple((place, name[0], by_name[name[0]]) for place, name in names if name and name[0] in by_name)


def wrong_number(form: Form, operands: tuple[Operand, ...]) -> str:
    """Say which number is out of its range; "" if none is."""
    for place, name, right in _ranges_of(form):
        operand = operands[place] if place < len(operands) else None
        if isinstance(operand, Immediate) and operand.kind == "int":
            value = operand.value & 0xFFFFFFFF if right.bits == 32 else typed(operand.value, unsigned=False)
            if not right.holds(value):
                written = typed(operand.value, unsigned=False)
                return f"{form}: operand {place + 1} ({name}) is {written}; it must be {right.words}"
    return ""
