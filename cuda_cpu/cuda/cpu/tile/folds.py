# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans (Tile IR specification 13.4, section 9.3: reduce, scan)."""

from __future__ import annotations

from collections.abc import Sequence

from cuda.cpu.tile import arithmetic
from cuda.cpu.tile.elements import literal, register_type
from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import Builder, Index, V, lanes_of, vector
from cuda.cpu.tile.lowering import Lowering, element_of, shape_of
from cuda.cpu.tile.nodes import Buffer, Loop, Node, Scalar
from cuda.cpu.tile.syntax import Block, Operation, Value
from cuda.cpu.tile.types import Tile


def combine(b: Builder, body: Block, elements: Sequence[V], accumulators: Sequence[V]) -> list[V]:
    """Emit the body of a reduce or scan for all lanes, and return the new accumulators."""
    lanes = lanes_of(elements[0].type)
    known: dict[Value, V] = {}
    for number, (element, accumulator) in enumerate(zip(elements, accumulators, strict=True)):
        known[body.arguments[2 * number]], known[body.arguments[2 * number + 1]] = element, accumulator
    for operation in body.operations[:-1]:
        if operation.name == "constant":
            bits = int.from_bytes(operation.attributes["data"], "little")
            known[operation.result] = literal(b, element_of(operation.result), bits, lanes)
            continue
        emitter = arithmetic.EMITTERS.get(operation.name)
        if emitter is None:
            raise UnsupportedTileError("it is not supported", operation.offset, operation.name)
        known[operation.result] = emitter(b, operation, [known[each] for each in operation.values()])
    return [known[each] for each in body.operations[-1].values()]


def _axis_of(operation: Operation) -> int | None:
    """Return the axis along which an operation folds, among those that are not of size 1; None if it has size 1."""
    first = operation.values()[0].type
    assert isinstance(first, Tile)
    dim = operation.attributes["dim"]
    return None if first.shape[dim] == 1 else sum(size != 1 for size in first.shape[:dim])


def reduce(low: Lowering, operation: Operation) -> None:
    nodes = [low.node(each) for each in operation.values()]
    dim = _axis_of(operation)
    if dim is None:
        for value, node in zip(operation.results, nodes, strict=True):
            low.define(value, node)
        return
    shape = nodes[0].shape
    rest = shape[:dim] + shape[dim + 1 :]
    outputs = [low.buffer(element_of(each), rest) if rest else low.b.slot(register_type(element_of(each)))
               for each in operation.results]  # fmt: skip
    axis = low.axis(shape, nodes)
    fold = _Fold(low, operation, nodes, dim, outputs)
    low.versions(nodes, lambda masked: fold.rows(masked) if axis == dim else fold.columns(masked, axis))
    for value, output in zip(operation.results, outputs, strict=True):
        kind = register_type(element_of(value))
        if isinstance(output, Buffer):
            low.keep(value, output)
        else:
            low.values[value] = Scalar(low.b.get(output, kind), element_of(value))


class _Fold:
    """One reduction. `outputs` are buffers, or variables if each operand has a single result."""

    def __init__(self, low: Lowering, operation: Operation, nodes: list[Node], dim: int, outputs: list) -> None:
        self.low, self.b, self.nodes, self.dim, self.outputs = low, low.b, nodes, dim, outputs
        self.body = operation.regions[0]
        self.identities = [(each.element, identity.bits) for each, identity in
                           zip(nodes, operation.attributes["identities"], strict=True)]  # fmt: skip
        self.shape = nodes[0].shape
        self.others = [each for each in range(len(self.shape)) if each != dim]

    def _start(self, lanes: int) -> list[V]:
        slots = [self.b.slot(vector(register_type(element), lanes)) for element, _ in self.identities]
        for slot, (element, bits) in zip(slots, self.identities, strict=True):
            self.b.put(slot, literal(self.b, element, bits, lanes))
        return slots

    def _values(self, slots: list[V], lanes: int) -> list[V]:
        kinds = [vector(register_type(element), lanes) for element, _ in self.identities]
        return [self.b.get(slot, kind) for slot, kind in zip(slots, kinds, strict=True)]

    def _step(self, loop: Loop, slots: list[V], index: Sequence[Index], lanes: int, axis: int) -> None:
        elements = [loop.at(node, index, lanes, axis) for node in self.nodes]
        before = [self.b.get(slot, each.type) for slot, each in zip(slots, elements, strict=True)]
        for slot, value in zip(slots, combine(self.b, self.body, elements, before), strict=True):
            self.b.put(slot, value)

    def _finish(self, results: list[V], index: Sequence[Index], axis: int) -> None:
        for output, value in zip(self.outputs, results, strict=True):
            if isinstance(output, Buffer):
                output.put(self.b, value, index, axis)
            else:
                self.b.put(output, value)

    def rows(self, masked: bool) -> None:
        """Fold along the axis of vectors: lanes have an accumulator each, which are folded at the end."""
        size = self.shape[self.dim]
        lanes = self.low.lanes(size, self.nodes)
        groups = min(size // lanes, 2)  # independent accumulators

        def row(index: list[Index]) -> None:
            all_slots = [self._start(lanes) for _ in range(groups)]

            def step(counter: Index) -> None:
                for number, slots in enumerate(all_slots):
                    index[self.dim] = self.b.add(counter, number * lanes)
                    self._step(Loop(self.b, masked), slots, index, lanes, self.dim)

            self.b.loop(size, step, groups * lanes)
            found = [self._values(slots, lanes) for slots in all_slots]
            values = found[0]
            for others in found[1:]:
                values = combine(self.b, self.body, others, values)
            self._finish(self._across(values), [index[each] for each in self.others], max(len(self.others) - 1, 0))

        self._loops(self.others, row)

    def _across(self, values: list[V]) -> list[V]:
        """Fold the lanes of vectors: the upper half with the lower one, until one is left."""
        lanes = lanes_of(values[0].type)
        while lanes > 1:
            lanes //= 2
            if lanes == 1:
                low = [self.b.lane(each, 0) for each in values]
                high = [self.b.lane(each, 1) for each in values]
            else:
                low = [self.b.shuffle(each, None, range(lanes)) for each in values]
                high = [self.b.shuffle(each, None, range(lanes, 2 * lanes)) for each in values]
            values = combine(self.b, self.body, high, low)
        return values

    def columns(self, masked: bool, axis: int) -> None:
        """Fold along another axis than that of vectors."""
        lanes = self.low.lanes(self.shape[axis], self.nodes)

        def column(index: list[Index]) -> None:
            slots = self._start(lanes)

            def step(counter: Index) -> None:
                index[self.dim] = counter
                self._step(Loop(self.b, masked), slots, index, lanes, axis)

            self.b.loop(self.shape[self.dim], step)
            self._finish(self._values(slots, lanes), [index[each] for each in self.others], self.others.index(axis))

        self._loops(self.others, column, axis, lanes)

    def _loops(self, axes: list[int], body, vectors: int = -1, lanes: int = 1) -> None:
        index: list[Index] = [0] * len(self.shape)

        def level(depth: int) -> None:
            if depth == len(axes):
                body(index)
                return
            axis = axes[depth]

            def inside(counter: Index) -> None:
                index[axis] = counter
                level(depth + 1)

            self.b.loop(self.shape[axis], inside, lanes if axis == vectors else 1)

        level(0)


def scan(low: Lowering, operation: Operation) -> None:
    """Emit a scan: one element after the other along its axis, with vectors along another if there is one."""
    nodes = [low.materialise(low.node(each)) for each in operation.values()]
    dim = _axis_of(operation)
    if dim is None:
        for value, node in zip(operation.results, nodes, strict=True):
            low.define(value, node)
        return
    shape = nodes[0].shape
    outputs = [low.buffer(element_of(each), shape_of(each)) for each in operation.results]
    fold = _Fold(low, operation, list(nodes), dim, outputs)
    axis = len(shape) - 1 if dim != len(shape) - 1 else -1
    lanes = low.lanes(shape[axis], nodes) if axis >= 0 else 1
    last = shape[dim] - 1

    def column(index: list[Index]) -> None:
        slots = fold._start(lanes)

        def step(counter: Index) -> None:
            index[dim] = low.b.add(last, low.b.multiply(counter, -1)) if operation.attributes["reverse"] else counter
            fold._step(Loop(low.b, masked=False), slots, index, lanes, max(axis, 0))
            for output, slot in zip(outputs, slots, strict=True):
                value = low.b.get(slot, vector(register_type(output.element), lanes))
                output.put(low.b, value, index, max(axis, 0))

        low.b.loop(shape[dim], step)

    fold._loops(fold.others, column, axis, lanes)
    for value, output in zip(operation.results, outputs, strict=True):
        low.keep(value, output)
