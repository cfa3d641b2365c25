# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Vectors of integers that are known to be small: they are computed with 16 bits per lane.

PTX computes with 32 bits what C++ promotes from bytes and shorts, for example pixels. The range of a loaded byte, made
wider, is known, and so are those of sums, products and the like. As long as a result fits 16 bits, with or without a
sign, it is computed as such, half as many instructions of the CPU, and then made wider. LLVM removes the wider vector
if nothing needs it. The least and the largest of bytes are even found with 8 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.builder import Builder

BYTE, SHORT = "i8", "i16"
LEAST, MOST_SIGNED, MOST = -(1 << 15), (1 << 15) - 1, (1 << 16) - 1
WIDE = ("i16", "i32")  # elements of which ranges are known


class Short(NamedTuple):
    """The low 16 bits of integers from `low` to `high`, which are none or all above MOST_SIGNED if low is below 0.

    `byte`: the low 8 bits if the integers were extended from them, by their sign if low is below 0.
    """

    value: Value
    low: int
    high: int
    byte: Value | None = None

    @property
    def positive(self) -> bool:
        return self.low >= 0

    @property
    def signed(self) -> bool:
        """Whether the integers are those that the 16 bits stand for as a number with a sign."""
        return self.high <= MOST_SIGNED


Range = tuple[int, int]


class Shorts:
    """What is known of a function's vectors. The methods return None for what is to be computed as it stands."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._known: dict[str, Short] = {}

    def find(self, value: Value) -> Short | None:
        """Return what is known of a vector or of a constant."""
        if not value.literal:
            return self._known.get(value.ref)
        text = value.ref if value.uniform else value.ref.removeprefix(f"splat ({value.element} ").removesuffix(")")
        if value.element not in WIDE or not text.removeprefix("-").isdecimal():
            return None
        number = int(text)
        if not LEAST <= number <= MOST:
            return None
        return Short(constant(number, SHORT), number, number, constant(number, BYTE) if -128 <= number < 256 else None)

    def _pair(self, a: Value, b: Value) -> tuple[Short, Short] | None:
        """Return what is known of two operands of an operation that is worth it: vectors, not only constants."""
        if a.element not in WIDE or a.element != b.element or (a.uniform and b.uniform):
            return None
        x, y = self.find(a), self.find(b)
        return None if x is None or y is None or (x.value.literal and y.value.literal) else (x, y)

    def extended(self, source: Value, result: Value, *, signed: bool) -> None:
        """Note that a vector is another one made wider."""
        if source.uniform or result.element not in WIDE or source.element not in ("i8", "i16"):
            return
        known, width, byte = self.find(source), width_of(source.element), source if source.element == BYTE else None
        if known is not None and (known.signed if signed else known.positive):
            low, high, byte = known.low, known.high, known.byte
        else:
            low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        if result.element == SHORT:
            source = result
        elif source.element != SHORT:
            source = self._converted(source, SHORT, signed=signed)
        self._known[result.ref] = Short(source, low, high, byte)

    # --- operations -------------------------------------------------------------------------------

    def binary(self, opcode: str, a: Value, b: Value) -> Value | None:
        """Compute what `Builder.binary` does."""
        pair = self._pair(a, b)
        found = None if pair is None else _range(opcode, *pair, a.element)
        if pair is None or found is None:
            return None
        x, y = pair
        if opcode in ("ashr", "lshr"):
            opcode, far = ("lshr" if x.positive else "ashr"), min(y.low, 15)
            if far < y.low and x.positive:
                return self.builder.broadcast(constant(0, a.element))
            y = Short(constant(far, SHORT), far, far)
        first, second = self.builder.align_shapes(x.value, y.value)
        ref = self.builder.assign(f"{opcode} {self.builder.typed(first)}, {second.ref}")
        return self._widened(Value(ref, SHORT, Shape.VECTOR), found, a.element)

    def intrinsic(self, name: str, *values: Value) -> Value | None:
        """Compute what `Builder.intrinsic` does."""
        if name in ("smin", "smax", "umin", "umax"):
            return self._extreme(name, *values)
        return self._absolute(*values) if name == "abs" else None

    def _extreme(self, name: str, a: Value, b: Value) -> Value | None:
        pair = self._pair(a, b) if a.element == "i32" else None
        order = None if pair is None else _order(*pair, signed=name[0] == "s")
        if pair is None or order is None:
            return None
        x, y = pair
        pick = min if name.endswith("min") else max
        found = pick(x.low, y.low), pick(x.high, y.high)
        if x.byte is not None and y.byte is not None and (kind := _order_of_bytes(x, y)):
            byte = self.builder.intrinsic(kind + name[1:], BYTE, x.byte, y.byte)
            return self._widened(self._converted(byte, SHORT, signed=kind == "s"), found, "i32", byte)
        return self._widened(self.builder.intrinsic(order + name[1:], SHORT, x.value, y.value), found, "i32")

    def _absolute(self, value: Value) -> Value | None:
        known = self.find(value) if value.element == "i32" and not value.literal else None
        if known is None or known.positive:
            return value if known else None
        found = 0 if known.high >= 0 else -known.high, max(-known.low, known.high)
        return self._widened(self.builder.intrinsic("abs", SHORT, known.value, "i1 false"), found, "i32")

    def compare(self, opcode: str, a: Value, b: Value) -> Value | None:
        """Compute what `Builder.compare` does."""
        kind, _, predicate = opcode.partition(" ")
        pair = self._pair(a, b) if kind == "icmp" and a.element == "i32" else None
        equality = predicate in ("eq", "ne")
        order = None if pair is None else _order(*pair, signed=equality or predicate[0] == "s")
        if pair is None or order is None:
            return None
        predicate = predicate if equality else order + predicate[1:]
        return self.builder.compare(f"icmp {predicate}", pair[0].value, pair[1].value)

    def select(self, condition: Value, a: Value, b: Value) -> Value | None:
        """Compute what `Builder.select` does."""
        pair = self._pair(a, b) if a.element == "i32" else None
        if pair is None:
            return None
        x, y = pair
        found = min(x.low, y.low), max(x.high, y.high)
        if not _fits(*found):
            return None
        return self._widened(self.builder.select(condition, x.value, y.value), found, "i32")

    # --- results ----------------------------------------------------------------------------------

    def _widened(self, value: Value, found: Range, element: str, byte: Value | None = None) -> Value:
        """Return a vector of 16-bit integers of a known range with larger elements."""
        result = self._converted(value, element, signed=found[0] < 0) if element != SHORT else value
        self._known[result.ref] = Short(value, *found, byte)
        return result

    def _converted(self, value: Value, element: str, *, signed: bool) -> Value:
        builder, opcode = self.builder, "sext" if signed else "zext"
        ref = builder.assign(f"{opcode} {builder.typed(value)} to {builder.type(element)}")
        return Value(ref, element, Shape.VECTOR)


def _fits(low: int, high: int) -> bool:
    """Return whether 16 bits hold all integers of a range, with a sign if any of them has one."""
    return low >= LEAST and high <= (MOST if low >= 0 else MOST_SIGNED)


def _order(a: Short, b: Short, *, signed: bool) -> str | None:
    """Return how 16-bit integers are compared in place of 32-bit ones: "s", "u"; None: not at all."""
    if not signed and not (a.positive and b.positive):
        return None
    if a.signed and b.signed:
        return "s"
    return "u" if a.positive and b.positive else None


def _order_of_bytes(a: Short, b: Short) -> str | None:
    """Return how the bytes of integers are compared in place of them: "s", "u"; None: not at all."""
    if a.positive and b.positive:
        return "u"
    return "s" if a.high < 128 and b.high < 128 else None


# --- ranges of results ------------------------------------------------------------------------------------


def _range(opcode: str, a: Short, b: Short, element: str) -> Range | None:
    """Return the least and the largest result if 16 bits hold them."""
    rule = RANGES.get(opcode)
    if rule is None or (opcode == "ashr" and element == SHORT and not a.signed):
        return None
    found = rule(a, b)
    return found if found is not None and _fits(*found) else None


def _product(a: Short, b: Short) -> Range:
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(ends), max(ends)


def _left(a: Short, b: Short) -> Range | None:
    if not _is_amount(b) or b.low > 15:
        return None
    return a.low << b.low, a.high << b.low


def _right(a: Short, b: Short) -> Range | None:
    return (a.low >> b.low, a.high >> b.low) if _is_amount(b) else None


def _is_amount(b: Short) -> bool:
    return b.value.literal and 0 <= b.low < 32


def _and(a: Short, b: Short) -> Range | None:
    limits = [each.high for each in (a, b) if each.positive]
    return (0, min(limits)) if limits else None


def _or(a: Short, b: Short) -> Range | None:
    return (0, (1 << max(a.high, b.high).bit_length()) - 1) if a.positive and b.positive else None


RANGES: dict[str, Callable[[Short, Short], Range | None]] = {
    "add": lambda a, b: (a.low + b.low, a.high + b.high), "sub": lambda a, b: (a.low - b.high, a.high - b.low),
    "mul": _product, "shl": _left, "ashr": _right, "lshr": lambda a, b: _right(a, b) if a.positive else None,
    "and": _and, "or": _or, "xor": _or,
}  # fmt: skip
