# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Packing of matrix elements in registers, and their conversion from and to the type of the computation."""

from __future__ import annotations

import re

from cuda.cpu.emit.instructions.minifloats import from_minifloat
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Value, constant

# Elements of each type in a register. For b1, a word of 32 bits is one element: they are multiplied at once. Floats of
# six and four bits take a byte each; e2m1x8 are packed floats of four bits (kinds mxf4, mxf4nvf4).
PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1, "f64": 1, "b1": 1}
PER_REGISTER |= {"s8": 4, "u8": 4, "e4m3": 4, "e5m2": 4, "s4": 8, "u4": 8}
PER_REGISTER |= {"e2m3": 4, "e3m2": 4, "e2m1": 4, "e2m1x8": 8}


def word_of(type_: str) -> str:
    """Return the type of the registers that hold a fragment."""
    return "b64" if type_ == "f64" else "b32"


def unpack(builder: Builder, registers: list[Value], type_: str) -> list[Value]:
    """Return the elements of a fragment in the type of the computation, such as float for f16."""
    found = []
    for register in registers:
        for position in range(PER_REGISTER[type_]):
            found.append(_element(builder, register, type_, position))
    return found


def _element(builder: Builder, register: Value, type_: str, position: int) -> Value:
    if type_ in ("f32", "f64"):
        return builder.cast("bitcast", register, "float" if type_ == "f32" else "double")
    if type_ in ("s32", "b1"):
        return register
    if type_ == "tf32":  # the lower bits of the mantissa are ignored
        return builder.cast("bitcast", builder.binary("and", register, constant(-0x2000, "i32")), "float")
    width = 32 // PER_REGISTER[type_]
    if type_ == "bf16":
        high = builder.binary("shl", register, constant(16, "i32")) if position == 0 else register
        return builder.cast("bitcast", builder.binary("and", high, constant(-0x10000, "i32")), "float")
    shifted = builder.binary("lshr", register, constant(position * width, "i32")) if position else register
    if type_ == "f16":
        half = builder.cast("bitcast", builder.resize(shifted, "i16"), "half")
        return builder.cast("fpext", half, "float")
    if type_[0] == "e":
        if type_ == "e2m1":  # in the middle of its byte (9.7.15.5.14)
            shifted = builder.binary("lshr", shifted, constant(2, "i32"))
        return from_minifloat(builder, builder.resize(shifted, "i8"), type_.partition("x")[0])
    left = builder.binary("shl", register, constant(32 - width * (position + 1), "i32"))
    return builder.binary("ashr" if type_[0] == "s" else "lshr", left, constant(32 - width, "i32"))


def pack(builder: Builder, elements: list[Value], type_: str) -> list[Value]:
    """Return the elements of a result packed into registers."""
    if type_ != "f16":
        return [builder.bits(element) for element in elements]
    bits = []
    for element in elements:
        half = builder.cast("fptrunc", element, "half")
        bits.append(builder.resize(builder.bits(half), "i32"))
    pairs = zip(bits[::2], bits[1::2], strict=True)
    return [builder.binary("or", low, builder.binary("shl", high, constant(16, "i32"))) for low, high in pairs]


def sizes(shape: str) -> tuple[int, int, int]:
    """Return rows, columns and depth of a shape such as m16n8k16."""
    rows, columns, depth = re.findall(r"\d+", shape)
    return int(rows), int(columns), int(depth)
