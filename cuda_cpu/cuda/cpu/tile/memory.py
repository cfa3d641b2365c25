# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stores and atomic operations (Tile IR specification 13.4, sections 9.6, "Atomics", and 9.7, "Memory")."""

from __future__ import annotations

from collections.abc import Sequence

from cuda.cpu.tile.arithmetic import unsupported
from cuda.cpu.tile.elements import from_memory, memory_type, rounded, size_of, to_memory
from cuda.cpu.tile.elementwise_views import ViewMask, ViewPointers
from cuda.cpu.tile.llvm import Index, V
from cuda.cpu.tile.lowering import Lowering, has_load, shape_of
from cuda.cpu.tile.nodes import Buffer, Constant, Loop, Node, Scalar
from cuda.cpu.tile.syntax import Operation, Value
from cuda.cpu.tile.types import Pointer, Tile
from cuda.cpu.tile.types import Scalar as ScalarType
from cuda.cpu.tile.views import Placed, PointerLoad, ViewLoad, address_of, padding_bits, store_by_pointers

_ORDERINGS = {"weak": "monotonic", "relaxed": "monotonic", "acquire": "acquire", "release": "release",
              "acq_rel": "acq_rel"}  # fmt: skip
_OPERATIONS = {"and": "and", "or": "or", "xor": "xor", "add": "add", "addf": "fadd", "max": "max", "min": "min",
               "umax": "umax", "umin": "umin", "xchg": "xchg"}  # fmt: skip
_VALUES = {"atomic_rmw_tko": ("arg",), "atomic_cas_tko": ("cmp", "val"), "atomic_red_view_tko": ("value",)}
_ATOMIC_BITS = (16, 32, 64)


def _fence(low: Lowering, operation: Operation, *names: str) -> None:
    """Order accesses of other elements with those of an acquire or release."""
    semantics = operation.attributes["semantics"]
    if semantics in names:
        low.b.do(f"fence {_ORDERINGS[semantics]}")


def placed(low: Lowering, operation: Operation) -> Placed:
    """Return the tile of a view that an operation accesses."""
    view = low.values[operation.operands["view"]]
    index = [low.b.convert("zext", low.scalar(each), "i64") for each in operation.operands["index"]]
    return Placed(low.b, view, index)


def _elements(low: Lowering, operation: Operation) -> tuple[Node, Node]:
    """Return the pointers to the elements of a view's tile, and which are inside of the array."""
    view = low.values[operation.operands["view"]]
    index: list[Index | Node] = []
    for axis, each in enumerate(operation.operands["index"]):
        if axis == view.type.sparse:
            index.append(low.materialise(low.node(each)) if shape_of(each) else low.node(each))
        else:
            index.append(low.b.convert("zext", low.scalar(each), "i64"))
    return ViewPointers(view, index), ViewMask(view, index)


def load_view(low: Lowering, operation: Operation) -> None:
    view = operation.operands["view"].type
    if view.sparse >= 0:
        pointers, mask = _elements(low, operation)
        element = view.tensor.element
        padding = Constant(padding_bits(element, view.padding), element, pointers.shape)
        low.define(operation.result, _loaded(low, operation, PointerLoad(pointers, mask, padding, element)))
        return
    low.define(operation.result, _loaded(low, operation, ViewLoad(placed(low, operation), view.padding)))


def load_pointers(low: Lowering, operation: Operation) -> None:
    mask, padding = operation.operands["mask"], operation.operands["padding"]
    pointers = low.node(operation.operands["source"])
    kind = operation.result.type
    assert isinstance(kind, Tile)
    node = PointerLoad(pointers, None if mask is None else low.node(mask),
                       None if padding is None else low.node(padding), kind.element)  # fmt: skip
    low.define(operation.result, _loaded(low, operation, node))


def _loaded(low: Lowering, operation: Operation, node: Node) -> Node:
    """Return the node of a load, evaluated at once if others may write the memory."""
    node.location = low.b.location
    if operation.attributes["semantics"] == "weak":
        return node
    low.flush()
    result: Node = low.materialise(node) if node.shape else Scalar(
        Loop(low.b, masked=True).at(node, (), 1, 0), node.element
    )  # fmt: skip
    _fence(low, operation, "acquire", "acq_rel")
    return result


def _stored(low: Lowering, value: Value) -> Node:
    """Return what to store: in a buffer, if it is loaded from memory that the store may change."""
    node = low.node(value)
    low.flush()
    return low.materialise(node) if has_load(node) and node.shape else node


def store_view(low: Lowering, operation: Operation) -> None:
    node = _stored(low, operation.operands["tile"])
    if operation.operands["view"].type.sparse >= 0:
        _store(low, operation, node, *_elements(low, operation))
        return
    where = placed(low, operation)
    _fence(low, operation, "release", "acq_rel")
    target = ViewLoad(where, None)  # for its shape, and whether it is inside of the array

    def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        value = to_memory(low.b, loop.at(node, index, lanes, axis), node.element)
        where.store(loop, value, index, axis)

    low.nest(node.shape, [target, node], store)


def store_pointers(low: Lowering, operation: Operation) -> None:
    node = _stored(low, operation.operands["value"])
    _store(low, operation, node, *_pointers(low, operation))


def _store(low: Lowering, operation: Operation, node: Node, pointers: Node, mask: Node | None) -> None:
    _fence(low, operation, "release", "acq_rel")

    def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        value = loop.at(node, index, lanes, axis)
        store_by_pointers(loop, pointers, mask, value, index, axis, node.element)

    axis = PointerLoad(pointers, None, None, node.element).best_axis()
    low.nest(node.shape, [node], store, axis=axis)


def _pointers(low: Lowering, operation: Operation) -> tuple[Node, Node | None]:
    mask = operation.operands["mask"]
    found = [low.node(operation.operands["pointers"]), None if mask is None else low.node(mask)]
    pointers, masks = (low.materialise(each) if each is not None and has_load(each) and each.shape else each
                       for each in found)  # fmt: skip
    assert pointers is not None
    return pointers, masks


def atomic(low: Lowering, operation: Operation) -> None:
    """Emit atomic_rmw_tko, atomic_cas_tko or atomic_red_view_tko, one element after the other."""
    b = low.b
    nodes = [_stored(low, operation.operands[each]) for each in _VALUES[operation.name]]
    of_view = operation.name == "atomic_red_view_tko"
    pointers, mask = _elements(low, operation) if of_view else _pointers(low, operation)
    element = nodes[0].element
    if isinstance(element, Pointer) or element.bits not in _ATOMIC_BITS or str(element) == "tf32":
        raise unsupported(operation, f"{element}")
    result = operation.results[0]
    kept: Buffer | V | None = None
    if low.uses[result] and not of_view:
        kept = low.buffer(element, nodes[0].shape) if nodes[0].shape else b.slot(memory_type(element))

    def one(loop: Loop, index: Sequence[Index]) -> None:
        values = [to_memory(b, loop.at(each, index, 1, 0), element) for each in nodes]
        chosen = V("i1", "true") if mask is None else loop.at(mask, index, 1, 0)
        _keep(low, kept, values[0], index)  # of elements that the mask leaves out
        with b.when(chosen):
            address = address_of(loop, pointers, index, 0)
            emit = _exchange if operation.name == "atomic_cas_tko" else _modify
            _keep(low, kept, emit(low, operation, element, address, values), index)

    low.nest(nodes[0].shape, [], lambda loop, index, lanes, axis: one(loop, index), lanes=1)
    if isinstance(kept, Buffer):
        low.keep(result, kept)
    elif kept is not None:
        value = b.get(kept, memory_type(element))
        low.values[result] = Scalar(from_memory(b, value, element), element)


def _keep(low: Lowering, kept: Buffer | V | None, value: V, index: Sequence[Index]) -> None:
    if isinstance(kept, Buffer):
        kept.put(low.b, from_memory(low.b, value, kept.element), index, 0)
    elif kept is not None:
        low.b.put(kept, value)


def _modify(low: Lowering, operation: Operation, element: ScalarType, address: V, values: list[V]) -> V:
    ordering = _ORDERINGS[operation.attributes["semantics"]]
    mode = _OPERATIONS[operation.attributes["mode"]]
    if mode == "fadd" and str(element) == "bf16":
        return _add_bfloat(low, address, values[0], element, ordering)
    return low.b.emit(values[0].type, f"atomicrmw {mode} {address}, {values[0]} {ordering}, align {size_of(element)}")


def _add_bfloat(low: Lowering, address: V, value: V, element: ScalarType, ordering: str) -> V:
    """Add by comparing and exchanging, for which LLVM would call a library."""
    b = low.b
    head, after = b.name("again"), b.name("done")
    b.jump(head)
    b.label(head)
    old = b.emit("i16", f"load atomic i16, {address} monotonic, align 2")
    total = b.binary("fadd", from_memory(b, old, element), from_memory(b, value, element))
    new = to_memory(b, rounded(b, total, element), element)
    pair = b.emit("{ i16, i1 }", f"cmpxchg {address}, {old}, {new} {ordering} monotonic")
    b.branch(b.emit("i1", f"extractvalue {pair}, 1"), after, head)
    b.label(after)
    return old


def _exchange(low: Lowering, operation: Operation, element: ScalarType, address: V, values: list[V]) -> V:
    """Compare by bits, also floating-point numbers."""
    b = low.b
    kind = values[0].type
    bits = {"half": "i16", "float": "i32", "double": "i64"}.get(kind, kind)
    expected, new = (b.convert("bitcast", each, bits) for each in values)
    ordering = _ORDERINGS[operation.attributes["semantics"]]
    failure = {"release": "monotonic", "acq_rel": "acquire"}.get(ordering, ordering)
    pair = b.emit(f"{{ {bits}, i1 }}", f"cmpxchg {address}, {expected}, {new} {ordering} {failure}")
    return b.convert("bitcast", b.emit(bits, f"extractvalue {pair}, 0"), kind)
