# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Elements of tiles in registers and in memory.

A bf16 or tf32 in a register is a float of that precision, an i1 in memory is a byte; otherwise both have the same type.
"""

from __future__ import annotations

from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import Builder, V, lanes_of, vector
from cuda.cpu.tile.types import Pointer, Scalar

Element = Scalar | Pointer

_REGISTERS = {"f16": "half", "bf16": "float", "f32": "float", "tf32": "float", "f64": "double"}
_MEMORY = {"i1": "i8", "bf16": "i16"}
_DROPPED = {"bf16": 16, "tf32": 13}  # bits of the mantissa of a float that the type lacks


def register_type(element: Element) -> str:
    """Return the LLVM type of an element in a register; addresses are integers."""
    if isinstance(element, Pointer):
        return "i64"
    if (element.kind == "i" and element.bits >= 8) or element.name == "i1":
        return element.name
    if element.name not in _REGISTERS:
        raise UnsupportedTileError(f"elements of type {element} are not supported")
    return _REGISTERS[element.name]


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
    if element.name == "bf16":
        wide = builder.convert("zext", value, "i32")
        return builder.convert("bitcast", builder.binary("shl", wide, builder.constant(wide.type, "16")), "float")
    return value


def to_memory(builder: Builder, value: V, element: Element) -> V:
    if isinstance(element, Pointer):
        return value
    if element.name == "i1":
        return builder.convert("zext", value, "i8")
    if element.name == "bf16":
        bits = builder.convert("bitcast", value, "i32")
        return builder.convert("trunc", builder.binary("lshr", bits, builder.constant(bits.type, "16")), "i16")
    return value


def rounded(builder: Builder, value: V, element: Element) -> V:
    """Return a float rounded to the nearest number of the element's type, ties to even."""
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
    if element.name == "bf16":
        bits <<= 16
    return builder.constant(vector(register, lanes), float_text(register, bits))


def float_text(register: str, bits: int) -> str:
    """Return LLVM's text of a number: a half by its bits, others by those of the equal double."""
    import struct

    if register == "half":
        return f"0xH{bits:04X}"
    if register == "double":
        return f"0x{bits:016X}"
    if bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF:  # a NaN, whose payload a conversion could change
        return f"0x{(bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29:016X}"
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def number(builder: Builder, kind: str, value: float) -> V:
    """Return a floating-point constant of a scalar or vector type."""
    import struct

    element = kind if lanes_of(kind) == 1 else kind[1:-1].partition(" x ")[2]
    if element == "half":
        return builder.constant(kind, float_text("half", struct.unpack("<H", struct.pack("<e", value))[0]))
    if element == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return builder.constant(kind, f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}")
