# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tiles of views element by element: gather-scatter views and atomic operations (specification 13.4, section 6.2).

A tile of a view is a tile of pointers with a mask here, for the loads, stores and atomic operations by pointers.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda.cpu.tile.elements import Element, size_of
from cuda.cpu.tile.llvm import Index, V, lanes_of, vector
from cuda.cpu.tile.nodes import Loop, Node, count, squeezed
from cuda.cpu.tile.types import BY_NAME, Pointer
from cuda.cpu.tile.views import Partition


class _Positions(Node):
    """Where a tile's elements are in an array; `index` has an Index for each dimension, a node for a sparse one."""

    cheap = True

    def __init__(self, view: Partition, index: Sequence[Index | Node]) -> None:
        self.view, self.index = view, tuple(index)
        self.shape = squeezed(view.type.tile_shape)
        self.sources = tuple(each for each in index if isinstance(each, Node))

    def positions(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> list[tuple[int, V]]:
        """Return dimensions of the array with positions in them, which are vectors along `axis`."""
        b, found, at = loop.builder, [], 0
        kind = self.view.type
        for number, (size, step, given) in enumerate(zip(kind.tile_shape, kind.steps, self.index, strict=True)):
            inner = index[at] if size != 1 else 0
            wide = lanes if size != 1 and at == axis else 1
            at += size != 1
            if isinstance(given, Node):
                value = loop.at(given, (inner,) if given.shape else (), wide, 0)
                value = b.convert("zext", value, "i64")
            else:
                value = b.index(b.add(b.multiply(given, step), inner))
                if wide > 1:
                    value = b.binary("add", b.splat(value, wide), count("i64", wide))
            found.append((kind.dim_map[number], value))
        return found


class ViewPointers(_Positions):
    """The addresses of the elements."""

    def __init__(self, view: Partition, index: Sequence[Index | Node]) -> None:
        super().__init__(view, index)
        self.element: Element = Pointer(view.type.tensor.element)

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b, size = loop.builder, size_of(self.view.type.tensor.element)
        single = b.convert("ptrtoint", self.view.tensor.base, "i64")
        several = None
        for dim, value in self.positions(loop, index, lanes, axis):
            stride = b.splat(b.index(b.multiply(self.view.tensor.strides[dim], size)), lanes_of(value.type))
            offset = b.binary("mul", value, stride)
            if lanes_of(value.type) == 1:
                single = b.binary("add", single, offset)
            else:
                several = offset
        single = b.splat(single, lanes)
        return single if several is None else b.binary("add", single, several)

    def step(self, axis: int) -> int | None:
        kind = self.view.type
        number = [each for each, size in enumerate(kind.tile_shape) if size != 1][axis]
        stride = self.view.tensor.strides[kind.dim_map[number]]
        sparse = isinstance(self.index[number], Node)
        return stride * size_of(self.view.type.tensor.element) if isinstance(stride, int) and not sparse else None


class ViewMask(_Positions):
    """Which elements are inside of the array."""

    element: Element = BY_NAME["i1"]

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b = loop.builder
        inside = b.constant(vector("i1", lanes), "true")
        for dim, value in self.positions(loop, index, lanes, axis):
            limit = b.splat(b.index(self.view.tensor.shape[dim]), lanes_of(value.type))
            found = b.compare("icmp ult", value, limit)
            inside = b.binary("and", inside, found if lanes_of(found.type) == lanes else b.splat(found, lanes))
        return inside
