# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""State while a function is translated: what its values became, scratch memory, and loop nests over tiles."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from cuda.cpu.tile.elements import Element, memory_type, size_of
from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import Builder, Index, V
from cuda.cpu.tile.nodes import Buffer, Constant, Elementwise, Loop, Node, Scalar, Shape, squeezed
from cuda.cpu.tile.syntax import Block, Function, Operation, Value
from cuda.cpu.tile.types import Tile
from cuda.cpu.tile.views import PointerLoad, ViewLoad

ALIGNED = 64  # bytes: buffers begin at a cache line
MOST_SCRATCH = 64 << 20  # bytes of all buffers

Body = Callable[[Loop, tuple[Index, ...], int, int], None]


class Lowering:
    """Translates one function.

    Parameters
    ----------
    function : Function
        A verified function.
    width : int
        32-bit lanes of a vector register.
    symbols : Sequence[str]
        Names of the module's globals.
    """

    def __init__(self, function: Function, width: int, symbols: Sequence[str] = ()) -> None:
        self.function, self.width, self.symbols = function, width, list(symbols)
        self.b = Builder()
        self.values: dict[Value, Any] = {}  # Node, Tensor, Partition; None for a token
        self.pending: dict[int, Value] = {}  # by id of its node: a value with loads that is evaluated where it is used
        self.owners: dict[int, Value] = {}  # by id of a buffer
        self.located: list[Operation] = []  # by location - 1
        self.used = 0  # bytes of scratch memory
        self.most_used = 0
        self.targets: list[dict[str, Callable[[Operation], None]]] = []  # where terminators lead, innermost last
        self.uses: Counter[Value] = Counter()
        self.user: dict[Value, Block] = {}  # block of the last operation that uses a value
        self.home: dict[Value, Block] = {}  # block that defines a value
        self._index(function.body)

    def _index(self, block: Block) -> None:
        self.home.update(dict.fromkeys(block.arguments, block))
        for operation in block.operations:
            self.home.update(dict.fromkeys(operation.results, block))
            for value in operation.values():
                self.uses[value] += 1
                self.user[value] = block
            for region in operation.regions:
                self._index(region)

    # --- values -------------------------------------------------------------------------------------------

    def node(self, value: Value) -> Node:
        """Return the expression of a value for its one consumer; with loads, it must be evaluated at once."""
        found: Node = self.values[value]
        self.pending.pop(id(found), None)
        return found

    def scalar(self, value: Value) -> V:
        """Return a value with a single element."""
        node = self.node(value)
        return Loop(self.b, masked=True).at(node, (), 1, 0)

    def define(self, value: Value, node: Node) -> None:
        """Set what a value became. It is kept in a buffer unless it is cheap or used once, in the same block."""
        node.location = node.location or self.b.location
        if not node.shape and not isinstance(node, Scalar | Constant):
            node = Scalar(Loop(self.b, masked=True).at(node, (), 1, 0), node.element)
        once = self.uses[value] == 1 and self.user[value] is self.home[value]
        if not (node.cheap or once):
            self.keep(value, self.materialise(node))
            return
        self.values[value] = node
        if has_load(node):
            self.pending[id(node)] = value

    def flush(self) -> None:
        """Evaluate all pending loads: what comes next may write to memory."""
        for value in list(self.pending.values()):
            self.keep(value, self.materialise(self.values[value]))
        self.pending.clear()

    def single_use(self, value: Value) -> bool:
        """Return whether a value's buffer may be overwritten by the operation that uses it."""
        return self.uses[value] == 1 and self.user[value] is self.home[value]

    def keep(self, value: Value, buffer: Buffer) -> None:
        """Set the buffer of a value, which no other value has."""
        self.values[value] = buffer
        self.owners[id(buffer)] = value

    def owned(self, buffer: Buffer) -> bool:
        """Return whether a buffer may be overwritten by the operation that reads it: nothing else will read it."""
        owner = self.owners.get(id(buffer))
        return owner is not None and self.single_use(owner)

    # --- scratch memory -----------------------------------------------------------------------------------

    def buffer(self, element: Element, shape: Shape) -> Buffer:
        size = prod(shape) * size_of(element)
        start = -(-self.used // ALIGNED) * ALIGNED
        self.used = start + size
        self.most_used = max(self.most_used, self.used)
        if self.used > MOST_SCRATCH:
            raise UnsupportedTileError(f"{self.function.name} has more than {MOST_SCRATCH >> 20} MiB of tiles, which")
        memory_type(element)
        return Buffer(self.b.at(V("ptr", "%scratch"), start), element, shape)

    def materialise(self, node: Node, into: Buffer | None = None) -> Buffer:
        """Return a buffer with all elements of a node: itself if it is one."""
        if into is None:
            if isinstance(node, Buffer):
                return node
            into = self.buffer(node.element, node.shape)
        target = into
        axis = self.axis(node.shape, [node])
        if (square := self._square(node, target, axis)) > 1:
            self._transposed(node, target, axis, square)
            return into

        def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
            target.put(self.b, loop.at(node, index, lanes, axis), index, axis)

        self.nest(node.shape, [node], store, flat=is_flat(node))
        return into

    def _square(self, node: Node, target: Buffer, axis: int) -> int:
        """Return the rows that are transposed in registers, where node and buffer have vectors along other axes."""
        if not node.shape or is_flat(node) or axis == len(node.shape) - 1:
            return 1
        widest = max(size_of(node.element), size_of(target.element), 4)
        return min(node.shape[axis], node.shape[-1], self.width * 4 // widest)

    def _transposed(self, node: Node, target: Buffer, axis: int, square: int) -> None:
        last = len(node.shape) - 1

        def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
            def at(dim: int, offset: int) -> list[Index]:
                return [self.b.add(each, offset) if number == dim else each for number, each in enumerate(index)]

            rows = [loop.at(node, at(last, row), lanes, axis) for row in range(square)]
            for row, value in enumerate(self.b.transposed(rows)):
                target.put(self.b, value, at(axis, row), last)

        self.nest(node.shape, [node], store, axis=axis, lanes=square, rows=(last, square))

    # --- loops --------------------------------------------------------------------------------------------

    def lanes(self, size: int, nodes: Sequence[Node]) -> int:
        """Return how many elements along an axis of `size` are computed at once."""
        widest = max((size_of(each.element) for each in nodes), default=4)
        return min(size, self.width if widest > 4 else 2 * self.width)

    def nest(
        self, shape: Shape, nodes: Sequence[Node], body: Body, *, axis: int | None = None, flat: bool = False,
        lanes: int = 0, rows: tuple[int, int] = (-1, 1),
    ) -> None:  # fmt: skip
        """Emit `body` for all elements of a shape, a vector along an axis at a time, and several rows along another.

        If arrays are accessed, there are two versions: for tiles that are inside of the arrays, and for others.
        """
        if flat:
            shape = (prod(shape),)
        if axis is None:
            axis = self.axis(shape, nodes)
        count = lanes or (self.lanes(shape[axis], nodes) if shape else 1)
        self.versions(nodes, lambda masked: self._nest(shape, axis or 0, count, masked, body, rows))

    def axis(self, shape: Shape, nodes: Sequence[Node]) -> int:
        if not shape:
            return 0
        best = next((found for found in (each.best_axis() for each in nodes) if found is not None), None)
        return len(shape) - 1 if best is None or best >= len(shape) else best

    def versions(self, nodes: Sequence[Node], emit: Callable[[bool], None]) -> None:
        """Emit code twice where loads need masks, without and with them."""
        full: V | None = None
        masked = False
        for node in itertools.chain.from_iterable(each.walk() for each in nodes):
            if isinstance(node, ViewLoad) and node.placed.full is not None:
                masked = True
                full = node.placed.full if full is None else self.b.binary("and", full, node.placed.full)
        if masked and full is not None:
            self.b.either(full, lambda: emit(False), lambda: emit(True))
        else:
            emit(False)

    def _nest(
        self, shape: Shape, axis: int, lanes: int, masked: bool, body: Body, rows: tuple[int, int]
    ) -> None:  # fmt: skip
        order = [each for each in range(len(shape)) if each != axis] + ([axis] if shape else [])
        index: list[Index] = [0] * len(shape)

        def level(depth: int) -> None:
            if depth == len(order):
                body(Loop(self.b, masked), tuple(index), lanes, axis)
                return
            dim = order[depth]

            def inside(counter: Index) -> None:
                index[dim] = counter
                level(depth + 1)

            self.b.loop(shape[dim], inside, lanes if dim == axis else rows[1] if dim == rows[0] else 1)

        level(0)


def has_load(node: Node) -> bool:
    return any(isinstance(each, ViewLoad | PointerLoad) for each in node.walk())


def is_flat(node: Node) -> bool:
    """Return whether a node may be evaluated as if it had one dimension."""
    return all(
        isinstance(each, Constant | Scalar | Elementwise) or (isinstance(each, Buffer) and each.shape == node.shape)
        for each in node.walk()
    )


def reads(node: Node, moved: bool = False) -> Iterator[tuple[Buffer, bool]]:
    """Yield the buffers that a node reads, and whether at other indices than its own."""
    if isinstance(node, Buffer):
        yield node, moved
    for source in node.sources:
        yield from reads(source, moved or node.moves())


def shape_of(value: Value) -> Shape:
    assert isinstance(value.type, Tile)
    return squeezed(value.type.shape)


def element_of(value: Value) -> Element:
    assert isinstance(value.type, Tile)
    return value.type.element
