# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on the bytes of tiles: pack and unpack (Tile IR specification 13.4, section 9.3)."""

from __future__ import annotations

from collections.abc import Sequence

from cuda.cpu.tile.elements import from_memory
from cuda.cpu.tile.llvm import Index, V, vector
from cuda.cpu.tile.lowering import Lowering, element_of, shape_of
from cuda.cpu.tile.nodes import Buffer, Loop, Node
from cuda.cpu.tile.syntax import Operation
from cuda.cpu.tile.types import BY_NAME, Scalar

_NIBBLE = 4  # bits


def convert(low: Lowering, operation: Operation) -> None:
    """Emit pack or unpack. A tile in memory has the bytes of the result, but for elements of 4 bits."""
    source, result = operation.operands["source"], operation.result
    packed = element_of(result if operation.name == "unpack" else source)
    buffer = low.materialise(low.node(source))
    if isinstance(packed, Scalar) and packed.bits == _NIBBLE:
        shape = shape_of(result)
        low.define(result, Unpacked(buffer, packed, shape) if operation.name == "unpack" else Packed(buffer, shape))
    else:
        low.keep(result, Buffer(buffer.pointer, element_of(result), shape_of(result)))


class Packed(Node):
    """Bytes of two elements each, of which the first one has the lower bits."""

    def __init__(self, source: Buffer, shape: tuple[int, ...]) -> None:
        self.sources, self.source, self.element, self.shape = (source,), source, BY_NAME["i8"], shape

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b = loop.builder
        address = b.at(self.source.pointer, b.multiply(index[0] if index else 0, 2))
        both = b.load(vector("i8", 2 * lanes), address, 1)
        if lanes == 1:
            low, high = b.lane(both, 0), b.lane(both, 1)
        else:
            low, high = (b.shuffle(both, None, range(start, 2 * lanes, 2)) for start in (0, 1))
        return b.binary("or", low, b.binary("shl", high, b.constant(high.type, str(_NIBBLE))))

    def moves(self) -> bool:
        return True


class Unpacked(Node):
    """The halves of bytes."""

    def __init__(self, source: Buffer, element: Scalar, shape: tuple[int, ...]) -> None:
        self.sources, self.source, self.element, self.shape = (source,), source, element, shape

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b = loop.builder
        at = b.index(index[0] if index else 0)
        half = b.binary("lshr", at, V("i64", "1"))
        if lanes == 1:
            byte = b.load("i8", b.at(self.source.pointer, half), 1)
            odd = b.convert("trunc", b.binary("and", at, V("i64", "1")), "i8")
            value = b.binary("lshr", byte, b.binary("mul", odd, V("i8", str(_NIBBLE))))
        else:
            several = max(lanes // 2, 2)  # two bytes at least, so that there is a vector
            kind = vector("i8", lanes // 2)
            loaded = b.load(kind, b.at(self.source.pointer, half), 1)
            data = loaded if lanes > 2 else b.splat(loaded, several)
            high = b.binary("lshr", data, b.constant(data.type, str(_NIBBLE)))
            order = [each // 2 + (several if each % 2 else 0) for each in range(lanes)]
            value = b.shuffle(data, high, order)
        value = b.binary("and", value, b.constant(value.type, "15"))
        return from_memory(b, value, self.element)

    def moves(self) -> bool:
        return True


def insert(low: Lowering, operation: Operation) -> None:
    """Emit insert: a copy of a tile, a part of which another tile replaces."""
    source, dest, result = operation.operands["source"], operation.operands["dest"], operation.result
    node, old = low.node(source), low.node(dest)
    if isinstance(old, Buffer) and low.owned(old) and not any(each is old for each in node.walk()):
        buffer = old
    else:
        buffer = low.materialise(old, into=low.buffer(element_of(dest), shape_of(dest)))
    start: list[Index] = []
    axes: list[int] = []  # of the result, for each one of the source
    for part, whole, index in zip(source.type.shape, dest.type.shape, operation.operands["indices"], strict=True):
        if whole == 1:
            continue
        if part != 1:
            axes.append(len(start))
        start.append(low.b.multiply(low.b.convert("zext", low.scalar(index), "i64"), part))

    def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        full = list(start)
        for each, position in zip(axes, index, strict=True):
            full[each] = low.b.add(full[each], position)
        buffer.put(low.b, loop.at(node, index, lanes, axis), full, axes[axis] if axes else 0)

    low.nest(node.shape, [node], store)
    low.keep(result, buffer)
