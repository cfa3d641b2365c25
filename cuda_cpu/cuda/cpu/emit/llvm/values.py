# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emitted values: LLVM operands with element type and shape (uniform or one element per lane); constants."""

from __future__ import annotations

import functools
import struct
from enum import IntEnum
from typing import NamedTuple

from cuda.cpu.ptx.constants import packed


class Shape(IntEnum):
    """How a value varies over the lanes of a SIMD group. The larger one wins when two meet."""

    UNIFORM = 0  # one LLVM scalar for all lanes
    VECTOR = 1  # one element per lane


class Value(NamedTuple):
    """`ref` is an LLVM operand whose type is `element`, or a vector of it. `literal`: `ref` is a constant."""

    ref: str
    element: str
    shape: Shape = Shape.UNIFORM
    literal: bool = False

    @property
    def uniform(self) -> bool:
        return self.shape is Shape.UNIFORM

    def __format__(self, spec: str) -> str:
        raise TypeError("a Value is written to LLVM IR by its `ref`, or with its type by `Builder.typed`")


class Part(NamedTuple):
    """A vector of any number of lanes: those of a segment, or of a register of the CPU."""

    ref: str
    element: str
    lanes: int

    @property
    def type(self) -> str:
        return f"<{self.lanes} x {self.element}>"

    def __format__(self, spec: str) -> str:
        raise TypeError("a Part is written to LLVM IR by its `ref`, or with its type by `Builder.typed`")


WIDTHS = {"i1": 1, "i2": 2, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128}
WIDTHS |= {"half": 16, "bfloat": 16, "float": 32, "double": 64, "ptr": 64}

# LLVM's element type for each fundamental type of PTX (ISA manual, "Types"). Packed types and bf16 stay integers.
ELEMENTS = {"pred": "i1", "f16": "half", "bf16": "i16", "f32": "float", "f64": "double"}
ELEMENTS |= {f"{kind}{width}": f"i{width}" for kind in "bsu" for width in (8, 16, 32, 64)}
ELEMENTS |= {"b128": "i128", "u128": "i128", "s128": "i128", "f16x2": "i32", "bf16x2": "i32", "tf32": "i32"}
ELEMENTS |= {"u16x2": "i32", "s16x2": "i32", "u8x4": "i32", "s8x4": "i32", "f32x2": "i64"}
ELEMENTS |= {"e4m3": "i8", "e5m2": "i8", "e4m3x2": "i16", "e5m2x2": "i16"}
ELEMENTS |= {"e2m1x2": "i8", "e2m3x2": "i16", "e3m2x2": "i16", "ue8m0x2": "i16", "s2f6x2": "i16"}
ELEMENTS |= {"e4m3x4": "i32", "e5m2x4": "i32", "e2m1x4": "i16", "e2m3x4": "i32", "e3m2x4": "i32"}


def width_of(element: str) -> int:
    """Return the bits of an LLVM element type."""
    return WIDTHS[element]


def is_float(element: str) -> bool:
    return element in ("half", "bfloat", "float", "double")


def integer_of(element: str) -> str:
    """Return the integer type with as many bits as `element`."""
    return f"i{WIDTHS[element]}"


@functools.lru_cache(maxsize=4096)  # most are a few small numbers
def constant(value: int, element: str) -> Value:
    """Return an integer constant, wrapped to the width of `element`."""
    width = WIDTHS[element]
    value &= (1 << width) - 1
    if element == "i1":
        return Value("true" if value else "false", element, literal=True)
    if value >> (width - 1):
        value -= 1 << width
    return Value(str(value), element, literal=True)


def real(value: float, element: str) -> Value:
    """Return a floating-point constant, rounded to `element`. LLVM writes float and double as the bits of a double."""
    if element == "float":
        value = struct.unpack("<f", packed("<f", value))[0]
    elif element == "half":
        return Value("0xH" + packed(">e", value).hex().upper(), element, literal=True)
    elif element == "bfloat":
        return Value("0xR" + packed(">f", value)[:2].hex().upper(), element, literal=True)
    return Value("0x" + struct.pack(">d", value).hex().upper(), element, literal=True)


def as_real(value: Value, element: str) -> Value | None:
    """Return an integer constant's bits as a floating-point constant; None where LLVM has no way to write it."""
    if value.element not in WIDTHS or is_float(value.element) or element not in ("float", "double"):
        return None
    bits = int(value.ref) & ((1 << WIDTHS[element]) - 1)
    if element == "double":
        return Value(f"0x{bits:016X}", element, literal=True)
    if bits >> 23 & 0xFF == 0xFF and bits & 0x7FFFFF:
        return None  # a NaN may change when it is written as a double
    return real(struct.unpack("<f", struct.pack("<I", bits))[0], element)


# --- comparisons ------------------------------------------------------------------------------------------

UNSIGNED = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}


def integer_predicate(cmp: str, type_: str) -> str:
    """Return the predicate of icmp for a PTX comparison operator and integer type."""
    if cmp in ("eq", "ne"):
        return cmp
    return UNSIGNED.get(cmp) or ("s" if type_.startswith("s") else "u") + cmp
