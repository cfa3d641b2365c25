# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Elements of tiles in registers and in memory.

A bf16, tf32, f8 or f4 in a register is a float that the type can represent. Elements of less than a byte have a byte
each in memory, with zeros above. Otherwise both have the same type.
"""

from __future__ import annotations

from cuda.cpu.tile import small
from cuda.cpu.tile.llvm import Builder, V, vector
from cuda.cpu.tile.numbers import float_text, number
from cuda.cpu.tile.types import Pointer, Scalar

Element = Scalar | Pointer

_REGISTERS = {"f16": "half", "f64": "double"}  # others are floats
_MEMORY = {"i1": "i8", "i4": "i8", "bf16": "i16", **dict.fromkeys(small.FORMATS, "i8")}
_DROPPED = {"bf16": 16, "tf32": 13}  # bits of the mantissa of a float that the type lacks


def register_type(element: Element) -> str:
    """Return the LLVM type of an element in a register; addresses are integers."""
    if isinstance(element, Pointer):
        return "i64"
    return element.name if element.kind == "i" else _REGISTERS.get(element.name, "float")


def memory_type(element: Element) -> str:
    found = register_type(element)
    return found if isinstance(element, Pointer) else _MEMORY.get(element.name, found)


def size_of(element: Element) -> int:
    """Return the bytes of an element in memory."""
    return 8 if isinstance(element, Pointer) else max(element.bits // 8, 1)


def from_memory(builder: Builder, value: V, element: Element) -> V:
    if isinstance(element, Pointer):
        return value
    if element.name == "i1":
        return builder.compare("icmp ne", value, builder.constant(value.type, "0"))
    if element.name == "i4":
        return builder.convert("trunc", value, "i4")
    if element.name in small.FORMATS:
        return small.decode(builder, value, element.name)
    if element.name == "bf16":
        wide = builder.convert("zext", value, "i32")
        return builder.convert("bitcast", builder.binary("shl", wide, builder.constant(wide.type, "16")), "float")
    return value


def to_memory(builder: Builder, value: V, element: Element) -> V:
    if isinstance(element, Pointer):
        return value
    if element.name in ("i1", "i4"):
        return builder.convert("zext", value, "i8")
    if element.name in small.FORMATS:
        return small.encode(builder, value, element.name)
    if element.name == "bf16":
        bits = builder.convert("bitcast", value, "i32")
        return builder.convert("trunc", builder.binary("lshr", bits, builder.constant(bits.type, "16")), "i16")
    return value


def rounded(builder: Builder, value: V, element: Element, rounding: str = "nearest_even") -> V:
    """Return a float rounded to the nearest number of the element's type, ties to even; f8 and f4 are saturated."""
    if isinstance(element, Scalar) and element.name in small.FORMATS:
        return small.rounded(builder, value, element.name, rounding)
    dropped = _DROPPED.get(element.name, 0) if isinstance(element, Scalar) else 0
    if not dropped:
        return value
    bits = builder.convert("bitcast", value, "i32")

    def of(number: int) -> V:
        return builder.constant(bits.type, str(number))

    last = builder.binary("and", builder.binary("lshr", bits, of(dropped)), of(1))
    up = builder.binary("add", builder.binary("add", bits, of((1 << dropped - 1) - 1)), last)
    cut = builder.binary("and", up, of(-1 << dropped))
    # A NaN keeps its upper bits, with the one that makes it quiet.
    quiet = builder.binary("and", builder.binary("or", bits, of(1 << 22)), of(-1 << dropped))
    nan = builder.compare("fcmp uno", value, value)
    return builder.convert("bitcast", builder.select(nan, quiet, cut), "float")


def to_float(builder: Builder, value: V, element: Scalar, target: str) -> V:
    """Return a floating-point value as "float" or "double"."""
    size = {"half": 2, "float": 4, "double": 8}
    before, after = size[register_type(element)], size[target]
    return builder.convert("fpext" if before < after else "fptrunc", value, target) if before != after else value


def literal(builder: Builder, element: Element, bits: int, lanes: int = 1) -> V:
    """Return a constant by its bits in memory."""
    register = register_type(element)
    if isinstance(element, Pointer) or element.kind == "i":
        if isinstance(element, Scalar) and element.bits == 1:
            return builder.constant(vector("i1", lanes), "true" if bits & 1 else "false")
        return builder.constant(vector(register, lanes), str(bits))
    if element.name in small.FORMATS:
        return number(builder, vector(register, lanes), small.value_of(bits, element.name))
    if element.name == "bf16":
        bits <<= 16
    return builder.constant(vector(register, lanes), float_text(register, bits))
