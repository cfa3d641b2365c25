# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of tiles: of partition views, and by pointers (Tile IR specification 13.4, sections 6.2 and 9.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cuda.cpu.tile.elements import Element, from_memory, literal, memory_type, size_of, to_memory
from cuda.cpu.tile.llvm import Builder, Index, V, lanes_of, mangled, vector
from cuda.cpu.tile.nodes import Loop, Node, Shape, count, squeezed
from cuda.cpu.tile.types import DYNAMIC, PartitionView, TensorView

_PADDING_BITS = {"zero": (0, 0, 0, 0, 0, 0), "neg_zero": (0x8000, 0x8000, 1 << 31, 1 << 63, 0x80, 0x80),
                 "nan": (0x7E00, 0x7FC0, 0x7FC00000, 0x7FF8 << 48, 0x7F, 0x7F),
                 "pos_inf": (0x7C00, 0x7F80, 0x7F800000, 0x7FF << 52, 0x7E, 0x7C),
                 "neg_inf": (0xFC00, 0xFF80, 0xFF800000, 0xFFF << 52, 0xFE, 0xFC)}  # fmt: skip
_COLUMNS = {"f16": 0, "bf16": 1, "f32": 2, "tf32": 2, "f64": 3, "f8E4M3FN": 4, "f8E5M2": 5}


class Tensor(NamedTuple):
    """A tensor view: its sizes and strides in elements."""

    type: TensorView
    base: V
    shape: tuple[Index, ...]
    strides: tuple[Index, ...]


class Partition(NamedTuple):
    """A partition view of a tensor."""

    type: PartitionView
    tensor: Tensor


class Placed:
    """One tile of a view: its first element's address, and for each of its axes the stride and the elements left."""

    def __init__(self, b: Builder, view: Partition, index: Sequence[Index]) -> None:
        kind, tensor = view.type, view.tensor
        self.element = kind.tensor.element
        self.size = size_of(self.element)
        self.shape = squeezed(kind.tile_shape)
        address = tensor.base
        self.strides: list[Index] = []  # in bytes
        self.left: list[Index] = []
        outside: list[Index] = []  # elements left along axes of size 1
        for axis, position in enumerate(index):
            dim = kind.dim_map[axis]
            first = b.multiply(position, kind.steps[axis])
            stride = b.multiply(tensor.strides[dim], self.size)
            address = b.at(address, b.multiply(first, stride))
            left = b.add(tensor.shape[dim], b.multiply(first, -1))
            if kind.tile_shape[axis] == 1:
                outside.append(left)
            else:
                self.strides.append(stride)
                self.left.append(left)
        self.address = address
        self.some = self._all(b, [(1, each) for each in outside])  # an axis of size 1 may be outside as well
        self.full = self._and(b, self.some, self._all(b, list(zip(self.shape, self.left, strict=True))))

    def _all(self, b: Builder, needed: list[tuple[int, Index]]) -> V | None:
        """Return whether enough elements are left along all axes; None: certainly."""
        result = None
        for size, left in needed:
            if isinstance(left, int) and left >= size:
                continue
            result = self._and(b, result, b.compare("icmp sge", b.index(left), V("i64", str(size))))
        return result

    @staticmethod
    def _and(b: Builder, x: V | None, y: V | None) -> V | None:
        return x if y is None else y if x is None else b.binary("and", x, y)

    def contiguous(self) -> int | None:
        """Return the axis whose elements are next to each other."""
        return next((axis for axis, stride in enumerate(self.strides) if stride == self.size), None)

    def pointer(self, b: Builder, index: Sequence[Index]) -> V:
        offset: Index = 0
        for each, stride in zip(index, self.strides, strict=True):
            offset = b.add(offset, b.multiply(each, stride))
        return b.at(self.address, offset)

    def mask(self, b: Builder, index: Sequence[Index], lanes: int, axis: int) -> V:
        """Return which lanes are inside of the array."""
        single = self.some or V("i1", "true")
        for each, (position, left) in enumerate(zip(index, self.left, strict=True)):
            if each != axis or lanes == 1:
                inside = b.compare("icmp slt", b.index(position), b.index(left))
                single = b.binary("and", single, inside)
        if lanes == 1:
            return single
        rest = b.add(self.left[axis], b.multiply(index[axis], -1))
        # Saturated to 32 bits, in which lanes are compared.
        most = b.intrinsic("smin", b.index(rest), V("i64", str(lanes)))
        least = b.intrinsic("smax", most, V("i64", "0"))
        limit = b.splat(b.emit("i32", f"trunc {least} to i32"), lanes)
        return b.binary("and", b.compare("icmp ult", count("i32", lanes), limit), b.splat(single, lanes))

    def addresses(self, b: Builder, index: Sequence[Index], lanes: int, axis: int) -> V:
        """Return the addresses of lanes that are not next to each other."""
        first = b.splat(self.pointer(b, index), lanes)
        offsets = b.binary("mul", count("i64", lanes), b.splat(b.index(self.strides[axis]), lanes))
        return b.emit(vector("ptr", lanes), f"getelementptr i8, {first}, {offsets}")

    def load(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int, padding: V) -> V:
        b = loop.builder
        kind = vector(memory_type(self.element), lanes)
        together = lanes == 1 or self.strides[axis] == self.size
        if not loop.masked and together:
            return b.load(kind, self.pointer(b, index), self.size)
        mask = self.mask(b, index, lanes, axis) if loop.masked else b.constant(vector("i1", lanes), "true")
        if lanes == 1:
            return load_one(b, self.pointer(b, index), kind, mask, padding, self.size)
        if together:
            return masked_load(b, self.pointer(b, index), kind, mask, padding, self.size)
        return gather(b, self.addresses(b, index, lanes, axis), kind, mask, padding, self.size)

    def store(self, loop: Loop, value: V, index: Sequence[Index], axis: int) -> None:
        b, lanes = loop.builder, lanes_of(value.type)
        together = lanes == 1 or self.strides[axis] == self.size
        if not loop.masked and together:
            b.store(value, self.pointer(b, index), self.size)
            return
        mask = self.mask(b, index, lanes, axis) if loop.masked else b.constant(vector("i1", lanes), "true")
        if lanes == 1:
            with b.when(mask):
                b.store(value, self.pointer(b, index), self.size)
        elif together:
            masked_store(b, value, self.pointer(b, index), mask, self.size)
        else:
            scatter(b, value, self.addresses(b, index, lanes, axis), mask, self.size)


def load_one(b: Builder, pointer: V, kind: str, mask: V, padding: V, size: int) -> V:
    slot = b.slot(kind)
    b.put(slot, padding)
    with b.when(mask):
        b.put(slot, b.load(kind, pointer, size))
    return b.get(slot, kind)


def masked_load(b: Builder, pointer: V, kind: str, mask: V, padding: V, size: int) -> V:
    return b.call(f"llvm.masked.load.{mangled(kind)}.p0", kind, pointer, V("i32", str(size)), mask, padding)


def gather(b: Builder, pointers: V, kind: str, mask: V, padding: V, size: int) -> V:
    name = f"llvm.masked.gather.{mangled(kind)}.{mangled(pointers.type)}"
    return b.call(name, kind, pointers, V("i32", str(size)), mask, padding)


def masked_store(b: Builder, value: V, pointer: V, mask: V, size: int) -> None:
    b.call_void(f"llvm.masked.store.{mangled(value.type)}.p0", value, pointer, V("i32", str(size)), mask)


def scatter(b: Builder, value: V, pointers: V, mask: V, size: int) -> None:
    name = f"llvm.masked.scatter.{mangled(value.type)}.{mangled(pointers.type)}"
    b.call_void(name, value, pointers, V("i32", str(size)), mask)


def padding_bits(element: Element, padding: str | None) -> int:
    """Return what elements outside of the array are; f8E4M3FN has no infinity, but a greatest number."""
    column = _COLUMNS.get(str(element))
    return _PADDING_BITS[padding][column] if padding and column is not None else 0


def padding_value(b: Builder, element: Element, padding: str | None, lanes: int) -> V:
    return to_memory(b, literal(b, element, padding_bits(element, padding), lanes), element)


class ViewLoad(Node):
    """A tile of a view, loaded where it is evaluated."""

    def __init__(self, placed: Placed, padding: str | None) -> None:
        self.placed, self.padding = placed, padding
        self.shape: Shape = placed.shape
        self.element = placed.element

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b = loop.builder
        padding = padding_value(b, self.element, self.padding, lanes)
        return from_memory(b, self.placed.load(loop, index, lanes, axis, padding), self.element)

    def best_axis(self) -> int | None:
        return self.placed.contiguous()


class PointerLoad(Node):
    """A tile loaded by pointers."""

    def __init__(self, pointers: Node, mask: Node | None, padding: Node | None, element: Element) -> None:
        self.pointers, self.mask, self.padding = pointers, mask, padding
        self.sources = tuple(each for each in (pointers, mask, padding) if each is not None)
        self.shape, self.element = pointers.shape, element

    def at(self, loop: Loop, index: Sequence[Index], lanes: int, axis: int) -> V:
        b, size = loop.builder, size_of(self.element)
        kind = vector(memory_type(self.element), lanes)
        mask = _mask(loop, self.mask, index, lanes, axis)
        padding = V(kind, "zeroinitializer" if lanes > 1 else "0" if kind[0] == "i" else "0.0")
        if self.padding is not None:
            padding = to_memory(b, loop.at(self.padding, index, lanes, axis), self.element)
        if lanes == 1:
            return from_memory(b, load_one(b, address_of(loop, self.pointers, index, axis), kind, mask, padding, size),
                               self.element)  # fmt: skip
        if self.pointers.step(axis) == size:
            pointer = address_of(loop, self.pointers, index, axis)
            value = masked_load(b, pointer, kind, mask, padding, size)
        else:
            value = gather(b, addresses_of(loop, self.pointers, index, lanes, axis), kind, mask, padding, size)
        return from_memory(b, value, self.element)

    def best_axis(self) -> int | None:
        size = size_of(self.element)
        return next((axis for axis in range(len(self.shape)) if self.pointers.step(axis) == size), None)


def _mask(loop: Loop, mask: Node | None, index: Sequence[Index], lanes: int, axis: int) -> V:
    if mask is None:
        return loop.builder.constant(vector("i1", lanes), "true")
    return loop.at(mask, index, lanes, axis)


def address_of(loop: Loop, pointers: Node, index: Sequence[Index], axis: int) -> V:
    return loop.builder.convert("inttoptr", loop.at(pointers, index, 1, axis), "ptr")


def addresses_of(loop: Loop, pointers: Node, index: Sequence[Index], lanes: int, axis: int) -> V:
    return loop.builder.convert("inttoptr", loop.at(pointers, index, lanes, axis), "ptr")


def store_by_pointers(
    loop: Loop, pointers: Node, mask: Node | None, value: V, index: Sequence[Index], axis: int, element: Element
) -> None:
    """Store lanes by pointers."""
    b, lanes, size = loop.builder, lanes_of(value.type), size_of(element)
    chosen = _mask(loop, mask, index, lanes, axis)
    value = to_memory(b, value, element)
    if lanes == 1:
        with b.when(chosen):
            b.store(value, address_of(loop, pointers, index, axis), size)
    elif pointers.step(axis) == size:
        masked_store(b, value, address_of(loop, pointers, index, axis), chosen, size)
    else:
        scatter(b, value, addresses_of(loop, pointers, index, lanes, axis), chosen, size)


def tensor_of(b: Builder, kind: TensorView, base: V, shape: list[V], strides: list[V]) -> Tensor:
    """Return a tensor view by its operands for the dynamic sizes and strides, which are unsigned."""

    def filled(sizes: tuple[int, ...], given: list[V]) -> tuple[Index, ...]:
        rest = iter(given)
        return tuple(b.convert("zext", next(rest), "i64") if size == DYNAMIC else size for size in sizes)

    return Tensor(kind, b.convert("inttoptr", base, "ptr"), filled(kind.shape, shape), filled(kind.strides, strides))
