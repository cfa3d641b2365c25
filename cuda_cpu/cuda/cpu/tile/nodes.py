# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tiles during compilation: expressions that are evaluated inside of loops, and buffers that hold evaluated ones.

Dimensions of size 1 are left out of shapes here, so that a tile<32x1xf32> is a vector of 32 elements. A node evaluates
`lanes` elements at once, from an index on and along one axis: `at(loop, index, lanes, axis)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from cuda.cpu.tile import arithmetic
from cuda.cpu.tile.elements import Element, from_memory, literal, memory_type, register_type, size_of, to_memory
from cuda.cpu.tile.llvm import Builder, Index, V, element_of, lanes_of, vector
from cuda.cpu.tile.syntax import Operation

Shape = tuple[int, ...]


def squeezed(shape: Sequence[int]) -> Shape:
    """Return a shape without the dimensions of size 1."""
    return tuple(size for size in shape if size != 1)


class Loop:
    """The innermost body of a loop nest, in which nodes are evaluated; equal evaluations are emitted once.

    `masked`: elements outside of arrays are not accessed; without it, all elements are inside.
    """

    def __init__(self, builder: Builder, masked: bool) -> None:
        self.builder, self.masked = builder, masked
        self.known: dict[tuple, V] = {}

    def at(self, node: Node, index: Sequence[Index], lanes: int, axis: int) -> V:
        key = id(node), tuple(index), lanes, axis
        if key not in self.known:
            before = self.builder.location
            self.builder.at_location(node.location or before)
            self.known[key] = node.at(self, index, lanes, axis)
            self.builder.at_location(before)
        return self.known[key]


class Node:
    """An expression. Its sources are nodes as well; `cheap` ones may be evaluated several times."""

    shape: Shape
    element: Element
    sources: tuple[Node, ...] = ()
    cheap = False
    location = 0  # number of the operation; 0: that of the one for which the node is evaluated

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        raise NotImplementedError

    def step(self, axis: int) -> int | None:
        """Return the difference of neighbours along an axis, None if they may differ in another way."""
        return None

    def best_axis(self) -> int | None:
        """Return the axis along which vectors are evaluated fast, None for any."""
        return next((axis for axis in (each.best_axis() for each in self.sources) if axis is not None), None)

    def walk(self) -> Iterator[Node]:
        yield self
        for source in self.sources:
            yield from source.walk()

    def moves(self) -> bool:
        """Return whether elements of a source are needed at another index than the result's."""
        return False


class Scalar(Node):
    """One value, for all elements of a shape."""

    cheap = True

    def __init__(self, value: V, element: Element, shape: Shape = ()) -> None:
        self.value, self.element, self.shape = value, element, shape

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        return loop.builder.splat(self.value, lanes)

    def step(self, axis: int) -> int | None:
        return 0


class Constant(Node):
    """One number, for all elements of a shape."""

    cheap = True

    def __init__(self, bits: int, element: Element, shape: Shape) -> None:
        self.bits, self.element, self.shape = bits, element, shape

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        return literal(loop.builder, self.element, self.bits, lanes)

    def step(self, axis: int) -> int | None:
        return 0


class Iota(Node):
    """0, 1, 2..."""

    cheap = True

    def __init__(self, element: Element, shape: Shape) -> None:
        self.element, self.shape = element, shape

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b = loop.builder
        first = b.index(index[0])
        kind = register_type(self.element)
        if kind != "i64":
            first = b.emit(kind, f"trunc {first} to {kind}")
        if lanes == 1:
            return first
        return b.binary("add", b.splat(first, lanes), count(kind, lanes))

    def step(self, axis: int) -> int | None:
        return 1


def count(kind: str, lanes: int) -> V:
    """Return the constant 0, 1, 2... of an integer type."""
    return V(vector(kind, lanes), f"<{', '.join(f'{kind} {lane}' for lane in range(lanes))}>")


class Buffer(Node):
    """Elements in memory, row by row."""

    cheap = True

    def __init__(self, pointer: V, element: Element, shape: Shape) -> None:
        self.pointer, self.element, self.shape = pointer, element, shape
        self.strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))

    def _strides(self, index: Sequence[Index]) -> tuple[int, ...]:
        """Return the strides of an index, which may count elements instead of rows and columns."""
        return self.strides if len(index) == len(self.strides) else (1,)

    def address(self, b: Builder, index: Sequence[Index]) -> V:
        offset: Index = 0
        for each, stride in zip(index, self._strides(index), strict=True):
            offset = b.add(offset, b.multiply(each, stride))
        return b.at(self.pointer, b.multiply(offset, size_of(self.element)))

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b, size = loop.builder, size_of(self.element)
        kind = memory_type(self.element)
        address = self.address(b, index)
        stride = 1 if lanes == 1 else self._strides(index)[axis]
        if stride == 1:
            return from_memory(b, b.load(vector(kind, lanes), address, size), self.element)
        value = V(vector(kind, lanes), "poison")
        for lane in range(lanes):
            each = b.load(kind, b.at(address, lane * stride * size), size)
            value = b.emit(value.type, f"insertelement {value}, {each}, i64 {lane}")
        return from_memory(b, value, self.element)

    def put(self, b: Builder, value: V, index: Sequence[Index], axis: int) -> None:
        """Store a value along an axis."""
        size, lanes = size_of(self.element), lanes_of(value.type)
        value = to_memory(b, value, self.element)
        address = self.address(b, index)
        stride = 1 if lanes == 1 else self._strides(index)[axis]
        if stride == 1:
            b.store(value, address, size)
            return
        for lane in range(lanes):
            b.store(b.lane(value, lane), b.at(address, lane * stride * size), size)

    def best_axis(self) -> int | None:
        return len(self.shape) - 1 if self.shape else None


class Elementwise(Node):
    """An element-wise operation."""

    def __init__(self, operation: Operation, sources: tuple[Node, ...], element: Element, shape: Shape) -> None:
        self.operation, self.sources, self.element, self.shape = operation, sources, element, shape
        self.cheap = operation.name in _CHEAP and all(each.cheap and not has_buffer(each) for each in sources)

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        values = [loop.at(each, index, lanes, axis) for each in self.sources]
        return arithmetic.EMITTERS[self.operation.name](loop.builder, self.operation, values)

    def step(self, axis: int) -> int | None:
        steps = [each.step(axis) for each in self.sources]
        name = self.operation.name
        if any(each is None for each in steps):
            return None
        known = [each or 0 for each in steps]
        if name in ("addi", "offset"):
            element = getattr(self.element, "pointee", None)
            return known[0] + known[1] * (size_of(element) if name == "offset" and element else 1)
        if name == "subi":
            return known[0] - known[1]
        if name in ("exti", "trunci", "assume", "int_to_ptr", "ptr_to_int", "ptr_to_ptr"):
            return known[0]
        if name == "muli":
            factors = [each.bits for each in self.sources if isinstance(each, Constant)]
            if factors and factors[0] < 1 << 31:
                return sum(known) * factors[0]
        return None if any(known) else 0


# Operations that cost less than a load: their results are computed again rather than kept.
_CHEAP = {
    "addi", "subi", "muli", "andi", "ori", "xori", "cmpi", "exti", "trunci", "offset", "assume", "int_to_ptr",
    "ptr_to_int", "ptr_to_ptr", "shli", "shri", "select", "itof",
}  # fmt: skip


def has_buffer(node: Node) -> bool:
    return any(isinstance(each, Buffer) for each in node.walk())


class Broadcast(Node):
    """A source that is repeated along some axes: `kept` has the axes of the result that the source has."""

    def __init__(self, source: Node, shape: Shape, kept: tuple[int, ...]) -> None:
        self.sources, self.element, self.shape, self.kept = (source,), source.element, shape, kept
        self.cheap = source.cheap

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        inner = [index[each] for each in self.kept]
        if axis in self.kept:
            return loop.at(self.sources[0], inner, lanes, self.kept.index(axis))
        return loop.builder.splat(loop.at(self.sources[0], inner, 1, max(len(inner) - 1, 0)), lanes)

    def step(self, axis: int) -> int | None:
        return self.sources[0].step(self.kept.index(axis)) if axis in self.kept else 0

    def best_axis(self) -> int | None:
        found = self.sources[0].best_axis()
        return None if found is None else self.kept[found]

    def moves(self) -> bool:
        return True


class Permute(Node):
    """A source with other axes: axis i of the result is axis `order[i]` of the source."""

    def __init__(self, source: Node, order: tuple[int, ...]) -> None:
        self.sources, self.element, self.order = (source,), source.element, order
        self.shape = tuple(source.shape[each] for each in order)
        self.cheap = source.cheap

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        inner: list[Index] = [0] * len(index)
        for each, position in zip(index, self.order, strict=True):
            inner[position] = each
        return loop.at(self.sources[0], inner, lanes, self.order[axis] if self.order else axis)

    def step(self, axis: int) -> int | None:
        return self.sources[0].step(self.order[axis])

    def best_axis(self) -> int | None:
        found = self.sources[0].best_axis()
        return None if found is None else self.order.index(found)

    def moves(self) -> bool:
        return True


class Extract(Node):
    """A part of a source, from an index on."""

    def __init__(self, source: Node, start: tuple[Index, ...], shape: Shape, kept: tuple[int, ...]) -> None:
        self.sources, self.element, self.shape = (source,), source.element, shape
        self.start, self.kept = start, kept
        self.cheap = source.cheap

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        inner = list(self.start)
        for each, position in zip(index, self.kept, strict=True):
            inner[position] = loop.builder.add(inner[position], each)
        return loop.at(self.sources[0], inner, lanes, self.kept[axis] if self.kept else len(inner) - 1)

    def best_axis(self) -> int | None:
        found = self.sources[0].best_axis()
        return self.kept.index(found) if found in self.kept else None

    def moves(self) -> bool:
        return True


def poison(element: Element, lanes: int) -> V:
    return V(vector(element_of(register_type(element)), lanes), "poison")
