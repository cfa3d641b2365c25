# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Translate the operations of a kernel to LLVM IR with an entry `void NAME(struct cpu_warp *)`.

HANDLERS has a handler for each operation; what has neither one nor an emitter in arithmetic.py is not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cuda.cpu.ptx.layout import aligned
from cuda.cpu.runtime.abi import WARP
from cuda.cpu.tile import arithmetic, control, diagnostics, folds, matrix, memory, packing
from cuda.cpu.tile.elements import from_memory, memory_type, register_type, size_of
from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import Index, V
from cuda.cpu.tile.lowering import ALIGNED, Lowering, element_of, shape_of
from cuda.cpu.tile.nodes import (
    Broadcast,
    Buffer,
    Constant,
    Elementwise,
    Extract,
    Iota,
    Loop,
    Node,
    Permute,
    Scalar,
    squeezed,
)
from cuda.cpu.tile.syntax import Block, Function, Operation
from cuda.cpu.tile.types import BY_NAME, PartitionView, Pointer, TensorView, Tile
from cuda.cpu.tile.views import Partition, Tensor, tensor_of

ATTRIBUTES = """
attributes #0 = { nounwind "no-trapping-math"="true" }
attributes #1 = { noinline nounwind "disable-tail-calls"="true" "no-trapping-math"="true" }
"""


@dataclass(frozen=True, slots=True)
class TileText:
    """LLVM IR of a kernel with location comments, the bytes of scratch memory that a block of it needs, and the
    operations by location - 1."""

    text: str
    scratch: int
    located: list[Operation]


def parameter_sizes(function: Function) -> list[int]:
    """Return the sizes of an entry's parameters in bytes; each is aligned to its size."""
    return [size_of(element_of(value)) for value in function.body.arguments]


def emit_kernel(function: Function, width: int, symbols: Sequence[str] = ()) -> TileText:
    """Translate an entry.

    Parameters
    ----------
    function : Function
        A verified function.
    width : int
        32-bit lanes of the CPU's vector registers.
    symbols : Sequence[str]
        Names of the module's globals, in the order of Code.symbols.

    Raises
    ------
    UnsupportedTileError
        It has an operation, type or attribute that is not supported; the message names it.
    """
    low = Lowering(function, width, symbols)
    b = low.b
    warp = V("ptr", "%warp")
    pointer = b.load("ptr", b.at(warp, WARP["params"]), 8)
    end = 0
    for value, size in zip(function.body.arguments, parameter_sizes(function), strict=True):
        element = element_of(value)
        found = b.load(memory_type(element), b.at(pointer, aligned(end, size)), size)
        end = aligned(end, size) + size
        low.values[value] = Scalar(from_memory(b, found, element), element)
    emit_block(low, function.body)
    body = "\n".join(["entry:", *b.allocas, *b.lines])
    declarations = "\n".join(b.declarations.values())
    name = function.name
    text = (
        f'{_entry(name)}\n\ndefine internal void @"{name}.block"(ptr %warp, ptr noalias %scratch, i32 %x, i32 %y, '
        f"i32 %z) #1 {{\n{body}\n}}\n\n{declarations}\n{ATTRIBUTES}"
    )
    return TileText(text, low.most_used, low.located)


def _entry(name: str) -> str:
    """Return the entry, which calls the function of a block for each of the blocks that it is called for."""
    grid, index = WARP["grid_dim"], WARP["block_idx"]
    field = "getelementptr i8, ptr %warp, i64"
    return f"""define void @"{name}"(ptr %warp) #0 {{
entry:
  %local = {field} {WARP["local"]}
  %memory = load ptr, ptr %local
  %number = ptrtoint ptr %memory to i64
  %padded = add i64 %number, 63
  %aligned = and i64 %padded, -64
  %scratch = inttoptr i64 %aligned to ptr
  %counted = {field} {WARP["blocks"]}
  %blocks = load i32, ptr %counted
  %px = {field} {index}
  %py = {field} {index + 4}
  %pz = {field} {index + 8}
  %gx = {field} {grid}
  %gy = {field} {grid + 4}
  %dx = load i32, ptr %gx
  %dy = load i32, ptr %gy
  %x0 = load i32, ptr %px
  %y0 = load i32, ptr %py
  %z0 = load i32, ptr %pz
  br label %block
block:
  %left = phi i32 [ %blocks, %entry ], [ %rest, %step ]
  %x = phi i32 [ %x0, %entry ], [ %x2, %step ]
  %y = phi i32 [ %y0, %entry ], [ %y2, %step ]
  %z = phi i32 [ %z0, %entry ], [ %z2, %step ]
  store i32 %x, ptr %px
  store i32 %y, ptr %py
  store i32 %z, ptr %pz
  call void @"{name}.block"(ptr %warp, ptr %scratch, i32 %x, i32 %y, i32 %z)
  %rest = sub i32 %left, 1
  %over = icmp eq i32 %rest, 0
  br i1 %over, label %done, label %step
step:
  %x1 = add i32 %x, 1
  %endx = icmp eq i32 %x1, %dx
  %x2 = select i1 %endx, i32 0, i32 %x1
  %carry = zext i1 %endx to i32
  %y1 = add i32 %y, %carry
  %endy = icmp eq i32 %y1, %dy
  %y2 = select i1 %endy, i32 0, i32 %y1
  %carry2 = zext i1 %endy to i32
  %z2 = add i32 %z, %carry2
  br label %block
done:
  ret void
}}"""


def emit_block(low: Lowering, block: Block) -> None:
    """Translate the operations of a block, the last of which leads out of it."""
    for operation in block.operations:
        low.located.append(operation)
        low.b.at_location(len(low.located))
        try:
            _emit(low, operation)
        except UnsupportedTileError as error:
            if error.operation:
                raise
            raise UnsupportedTileError(error.message.partition(": ")[2], operation.offset, operation.name) from None


def _emit(low: Lowering, operation: Operation) -> None:
    handler = HANDLERS.get(operation.name)
    if handler is not None:
        handler(low, operation)
    elif operation.name in arithmetic.EMITTERS:
        _elementwise(low, operation)
    else:
        raise UnsupportedTileError("the operation is not supported", operation.offset, operation.name)


def _elementwise(low: Lowering, operation: Operation) -> None:
    result = operation.result
    if not isinstance(result.type, Tile):  # assume, of a view
        low.values[result] = low.values[operation.values()[0]]
        return
    register_type(result.type.element)
    if operation.name == "assume":
        _alias(low, operation, low.node(operation.values()[0]))
        return
    sources = tuple(low.node(each) for each in operation.values())
    low.define(result, Elementwise(operation, sources, result.type.element, squeezed(result.type.shape)))


def _alias(low: Lowering, operation: Operation, node: Node) -> None:
    """Define a result that is its operand, perhaps with another shape. A buffer passes on with its last use."""
    source = operation.values()[0]
    if isinstance(node, Buffer):
        before, shape = node, shape_of(operation.result)
        node = Buffer(before.pointer, before.element, shape)
        if low.owned(before) and low.owners[id(before)] is source:
            low.keep(operation.result, node)
        else:
            low.values[operation.result] = node
        return
    low.define(operation.result, node)


def _constant(low: Lowering, operation: Operation) -> None:
    data, kind = operation.attributes["data"], operation.result.type
    assert isinstance(kind, Tile)
    size = size_of(kind.element)
    register_type(kind.element)
    if data == data[:size] * kind.size:
        low.values[operation.result] = Constant(
            int.from_bytes(data[:size], "little"), kind.element, squeezed(kind.shape)
        )
        return
    b = low.b
    name = f"@{b.name('constant')}"
    b.declarations[name] = f'{name} = private constant [{len(data)} x i8] c"{_quoted(data)}", align 64'
    low.values[operation.result] = Buffer(V("ptr", name), kind.element, squeezed(kind.shape))


def _quoted(data: bytes) -> str:
    return "".join(f"\\{byte:02X}" for byte in data)


def _iota(low: Lowering, operation: Operation) -> None:
    shape = shape_of(operation.result)
    element = element_of(operation.result)
    low.values[operation.result] = Iota(element, shape) if shape else Constant(0, element, ())


def _broadcast(low: Lowering, operation: Operation) -> None:
    source, result = operation.operands["source"], operation.result
    node = low.node(source)
    assert isinstance(source.type, Tile)
    assert isinstance(result.type, Tile)
    shape = shape_of(result)
    if isinstance(node, Constant):
        low.values[result] = Constant(node.bits, node.element, shape)
    elif isinstance(node, Scalar):
        low.values[result] = Scalar(node.value, node.element, shape)
    elif node.shape == shape:
        low.define(result, node)
    else:
        node = node if node.cheap else low.materialise(node)
        kept, axis = [], 0
        for before, after in zip(source.type.shape, result.type.shape, strict=True):
            if before != 1:
                kept.append(axis)
            axis += after != 1
        low.define(result, Broadcast(node, shape, tuple(kept)))


def _reshape(low: Lowering, operation: Operation) -> None:
    node, shape = low.node(operation.operands["source"]), shape_of(operation.result)
    if isinstance(node, Constant):
        low.values[operation.result] = Constant(node.bits, node.element, shape)
    elif isinstance(node, Scalar):
        low.values[operation.result] = Scalar(node.value, node.element, shape)
    elif isinstance(node, Buffer) or node.shape == shape:
        _alias(low, operation, node)
    else:
        buffer = low.materialise(node)
        low.keep(operation.result, Buffer(buffer.pointer, buffer.element, shape))


def _permute(low: Lowering, operation: Operation) -> None:
    source = operation.operands["source"]
    assert isinstance(source.type, Tile)
    sizes = source.type.shape
    order = [each for each in operation.attributes["permutation"] if sizes[each] != 1]
    ranks = {axis: rank for rank, axis in enumerate(sorted(order))}
    low.define(operation.result, Permute(low.node(source), tuple(ranks[each] for each in order)))


def _extract(low: Lowering, operation: Operation) -> None:
    source, result = operation.operands["source"], operation.result
    assert isinstance(source.type, Tile)
    assert isinstance(result.type, Tile)
    node = low.materialise(low.node(source)) if shape_of(source) else low.node(source)
    start: list[Index] = []
    kept = []
    axis = 0
    for before, after, index in zip(source.type.shape, result.type.shape, operation.operands["indices"], strict=True):
        if before == 1:
            continue
        start.append(low.b.multiply(low.b.convert("zext", low.scalar(index), "i64"), after))
        if after != 1:
            kept.append(axis)
        axis += 1
    low.define(result, Extract(node, tuple(start), shape_of(result), tuple(kept)) if start else node)


def _concatenate(low: Lowering, operation: Operation) -> None:
    """Fill the parts of a buffer, which are further parts of the outer dimensions."""
    result = operation.result
    assert isinstance(result.type, Tile)
    dim, shape = operation.attributes["dim"], result.type.shape
    buffer = low.buffer(element_of(result), shape_of(result))
    start = 0
    for name in ("lhs", "rhs"):
        part = operation.operands[name]
        node = low.node(part)
        rows = part.type.shape[dim]
        _fill_part(low, buffer, node, shape, part.type.shape, dim, start)
        start += rows
    low.keep(result, buffer)


def _fill_part(low: Lowering, buffer: Buffer, node: Node, whole: tuple[int, ...], part: tuple[int, ...], dim: int,
               start: int) -> None:  # fmt: skip
    axes = [axis for axis, size in enumerate(part) if size != 1]  # of the part's index

    def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        full: list[Index] = [0] * len(whole)
        for each, position in zip(axes, index, strict=True):
            full[each] = position
        full[dim] = low.b.add(full[dim], start)
        value = loop.at(node, index, lanes, axis)
        kept = [full[each] for each, size in enumerate(whole) if size != 1]
        ranks = [each for each, size in enumerate(whole) if size != 1]
        buffer.put(low.b, value, kept, ranks.index(axes[axis]) if axes else 0)

    low.nest(node.shape, [node], store)


def _block_id(low: Lowering, operation: Operation) -> None:
    for value, name in zip(operation.results, "xyz", strict=True):
        low.values[value] = Scalar(V("i32", f"%{name}"), element_of(value))


def _block_count(low: Lowering, operation: Operation) -> None:
    for axis, value in enumerate(operation.results):
        found = low.b.load("i32", low.b.at(V("ptr", "%warp"), WARP["grid_dim"] + 4 * axis), 4)
        low.values[value] = Scalar(found, element_of(value))


def _make_tensor_view(low: Lowering, operation: Operation) -> None:
    kind = operation.result.type
    assert isinstance(kind, TensorView)
    register_type(kind.element)
    shape, strides = ([low.scalar(each) for each in operation.operands[name]] for name in ("shape", "strides"))
    low.values[operation.result] = tensor_of(low.b, kind, low.scalar(operation.operands["base"]), shape, strides)


def _make_partition_view(low: Lowering, operation: Operation) -> None:
    kind = operation.result.type
    assert isinstance(kind, PartitionView)
    low.values[operation.result] = Partition(kind, low.values[operation.operands["tensor"]])


def _shape_of(low: Lowering, operation: Operation) -> None:
    """Emit get_tensor_shape or get_index_space_shape: the tiles along each dimension, incomplete ones too."""
    source = low.values[operation.operands["source"]]
    b = low.b
    for axis, value in enumerate(operation.results):
        if isinstance(source, Tensor):
            size = b.index(source.shape[axis])
        else:
            step = source.type.steps[axis]
            size = b.index(b.add(source.tensor.shape[source.type.dim_map[axis]], step - 1))
            size = b.binary("udiv", size, V("i64", str(step)))
        kind = register_type(element_of(value))
        low.values[value] = Scalar(b.convert("trunc", size, kind), element_of(value))


def _global(low: Lowering, operation: Operation) -> None:
    b, number = low.b, low.symbols.index(operation.attributes["symbol"])
    symbols = b.load("ptr", b.at(V("ptr", "%warp"), WARP["symbols"]), 8)
    element = element_of(operation.result)
    low.values[operation.result] = Scalar(b.load("i64", b.at(symbols, 8 * number), 8), element)


def _allocate(low: Lowering, operation: Operation) -> None:
    """Emit alloca: a buffer, which is free behind its block."""
    b, alignment = low.b, operation.attributes["alignment"]
    element = element_of(operation.result)
    assert isinstance(element, Pointer)
    size = operation.attributes["elements"] * size_of(element.pointee)
    buffer = low.buffer(BY_NAME["i8"], (max(size, 1) + (alignment if alignment > ALIGNED else 0),))
    start = b.convert("ptrtoint", buffer.pointer, "i64")
    if alignment > ALIGNED:
        up = b.binary("add", start, V("i64", str(alignment - 1)))
        start = b.binary("and", up, V("i64", str(-alignment)))
    low.values[operation.result] = Scalar(start, element)


def _fence(low: Lowering, operation: Operation) -> None:
    low.flush()
    low.b.do("fence seq_cst")


def _token(low: Lowering, operation: Operation) -> None:
    """Do nothing: operations that access memory are executed in the order of the program."""


HANDLERS: dict[str, Callable[[Lowering, Operation], None]] = {
    **dict.fromkeys(("break", "continue", "return", "yield"), control.end),
    # A launch begins when those before it have ended, so that there is nothing to wait for.
    **dict.fromkeys(("make_token", "join_tokens", "gdc_launch_dependents_tko", "gdc_wait_tko"), _token),
    **dict.fromkeys(("get_tensor_shape", "get_index_space_shape"), _shape_of),
    **dict.fromkeys(("atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"), memory.atomic),
    **dict.fromkeys(("make_partition_view", "make_strided_view", "make_gather_scatter_view"), _make_partition_view),
    **dict.fromkeys(("mmaf", "mmai", "mmaf_scaled"), matrix.multiply),
    **dict.fromkeys(("pack", "unpack"), packing.convert),
    "alloca": _allocate,
    "assert": diagnostics.assert_,
    "broadcast": _broadcast,
    "cat": _concatenate,
    "constant": _constant,
    "extract": _extract,
    "for": lambda low, operation: control.for_(low, operation, emit_block),
    "get_global": _global,
    "get_num_tile_blocks": _block_count,
    "get_tile_block_id": _block_id,
    "if": lambda low, operation: control.if_(low, operation, emit_block),
    "insert": packing.insert,
    "iota": _iota,
    "load_ptr_tko": memory.load_pointers,
    "load_view_tko": memory.load_view,
    "loop": lambda low, operation: control.loop(low, operation, emit_block),
    "make_tensor_view": _make_tensor_view,
    "memory_fence_alias_tko": _fence,
    "permute": _permute,
    "print_tko": diagnostics.print_,
    "reduce": folds.reduce,
    "reshape": _reshape,
    "scan": folds.scan,
    "store_ptr_tko": memory.store_pointers,
    "store_view_tko": memory.store_view,
}
