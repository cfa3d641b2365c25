# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check the types of operations (Tile IR specification 13.4, chapter 9, "Operations"), before anything is compiled.

RULES has a rule for each operation; one without a rule is not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cuda.cpu.tile.body import Number, constant_bytes
from cuda.cpu.tile.diagnostics import conversions
from cuda.cpu.tile.error import TileError
from cuda.cpu.tile.operations import BY_NAME
from cuda.cpu.tile.stream import Stream
from cuda.cpu.tile.syntax import Block, Function, Module, Operation, Value
from cuda.cpu.tile.types import DYNAMIC, PartitionView, Pointer, Scalar, TensorView, Tile, Token, Type

Rule = Callable[[Operation], None]
MMA_INPUTS = {"f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2"}
SCALED_INPUTS = {("f4E2M1FN", "f8E4M3FN"), *((each, "f8E8M0FNU") for each in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"))}
MOST_ALIGNMENT = 1 << 16


def verify(module: Module) -> None:
    """Raise a TileError for the first operation that is wrong."""
    for function in module.functions.values():
        verify_function(function)
        for operation in function.body.walk():
            if operation.name == "get_global":
                name, result = operation.attributes["symbol"], operation.result.type
                found = [each.type for each in module.globals.values() if each.name == name]
                right = any(isinstance(each, Tile) and str(result) == f"tile<ptr<{each.element}>>" for each in found)
                _need(right, operation, f"there is no global {name} of this type")


def verify_function(function: Function) -> None:
    body = function.body
    for value in body.arguments:
        _need(isinstance(value.type, Tile) and not value.type.shape, None, f"parameter {value} is {value.type}")
    _need(not function.type.results, None, f"the function {function.name} has results")
    _block(body, ("return",), ())


def _block(block: Block, ends: tuple[str, ...], types: tuple[Type, ...] | None) -> None:
    """Check a block; each of its ends passes on values of `types`, except for break and return in an if."""
    for operation in block.operations[:-1]:
        if BY_NAME[operation.name].terminator:
            raise _error(operation, "it is not at the end of its block")
    last = block.operations[-1] if block.operations else None
    if last is None or last.name not in ends:
        raise _error(last, f"the block does not end with {' or '.join(ends)}")
    for operation in block.operations:
        rule = RULES.get(operation.name)
        if rule is not None:
            rule(operation)
    if types is not None and last.name == ends[0]:
        _need(tuple(value.type for value in last.values()) == types, last, "it passes on values of other types")


def _error(operation: Operation | None, message: str) -> TileError:
    if operation is None:
        return TileError(message)
    where = f" ({operation.location})" if operation.location else ""
    return TileError(message + where, operation.offset, operation.name)


def _need(holds: bool, operation: Operation | None, message: str) -> None:
    if not holds:
        raise _error(operation, message)


def tile_of(operation: Operation, value: Value) -> Tile:
    """Return the type of a value that must be a tile."""
    if not isinstance(value.type, Tile):
        raise _error(operation, f"{value} is {value.type}, not a tile")
    return value.type


def _tiles(operation: Operation) -> list[Tile]:
    return [tile_of(operation, value) for value in [*operation.values(), *operation.results]]


def _is(tile: Tile, kind: str) -> bool:
    """Return whether elements are integers ("i"), floating-point numbers ("f") or pointers ("p")."""
    return kind == "p" if isinstance(tile.element, Pointer) else tile.element.kind == kind


def _same(kind: str) -> Rule:
    """All operands and the result have one type, of this kind."""

    def rule(operation: Operation) -> None:
        first, *others = _tiles(operation)
        _need(all(each == first for each in others), operation, f"the types differ: {_list(_tiles(operation))}")
        _need(_is(first, kind), operation, f"it has elements of type {first.element}")

    return rule


def _list(types: Iterable[object]) -> str:
    return ", ".join(map(str, types))


def _compare(kind: str) -> Rule:
    def rule(operation: Operation) -> None:
        lhs, rhs, result = _tiles(operation)
        _need(lhs == rhs and _is(lhs, kind), operation, f"it compares {lhs} and {rhs}")
        _need(result == Tile(_I1, lhs.shape), operation, f"its result is {result}")

    return rule


_I1, _I32, _I64 = Scalar("i1", "i", 1), Scalar("i32", "i", 32), Scalar("i64", "i", 64)


def _convert(source: str, result: str, *, bits: Callable[[int, int], bool] | None = None) -> Rule:
    def rule(operation: Operation) -> None:
        before, after = _tiles(operation)
        right = before.shape == after.shape and any(_is(before, each) for each in source) \
            and any(_is(after, each) for each in result)  # fmt: skip
        _need(right and (bits is None or bits(width(before), width(after))), operation, f"{before} to {after}")

    return rule


def width(tile: Tile) -> int:
    """Return the bits of an element."""
    return 64 if isinstance(tile.element, Pointer) else tile.element.bits


def _select(operation: Operation) -> None:
    condition, lhs, rhs, result = _tiles(operation)
    _need(lhs == rhs == result and condition == Tile(_I1, lhs.shape), operation, _list(_tiles(operation)))


def _constant(operation: Operation) -> None:
    (tile,) = _tiles(operation)
    data = operation.attributes["value"]
    try:
        operation.attributes["data"] = constant_bytes(data, tile, Stream(data))
    except TileError as error:
        raise _error(operation, error.message.partition(": ")[2]) from None


def _iota(operation: Operation) -> None:
    (tile,) = _tiles(operation)
    _need(len(tile.shape) == 1 and _is(tile, "i"), operation, f"its result is {tile}")


def _broadcast(operation: Operation) -> None:
    source, result = _tiles(operation)
    fits = len(source.shape) == len(result.shape) and source.element == result.element
    sizes = zip(source.shape, result.shape, strict=False)
    _need(fits and all(a in (1, b) for a, b in sizes), operation, f"{source} to {result}")


def _reshape(operation: Operation) -> None:
    source, result = _tiles(operation)
    _need(source.element == result.element and source.size == result.size, operation, f"{source} to {result}")


def _permute(operation: Operation) -> None:
    source, result = _tiles(operation)
    order = operation.attributes["permutation"]
    right = sorted(order) == list(range(len(source.shape))) and source.element == result.element
    right = right and result.shape == tuple(source.shape[each] for each in order)
    _need(right, operation, f"{source} to {result} by {list(order)}")


def _cat(operation: Operation) -> None:
    lhs, rhs, result = _tiles(operation)
    dim = operation.attributes["dim"]
    right = lhs.element == rhs.element == result.element and len(lhs.shape) == len(rhs.shape) == len(result.shape)
    right = right and dim < len(lhs.shape)
    _need(right, operation, f"{_list(_tiles(operation))} along {dim}")
    for axis, sizes in enumerate(zip(lhs.shape, rhs.shape, result.shape, strict=True)):
        same = sizes[0] + sizes[1] == sizes[2] if axis == dim else sizes[0] == sizes[1] == sizes[2]
        _need(same, operation, f"{_list(_tiles(operation))} along {dim}")


def _extract(operation: Operation) -> None:
    source, *indices, result = _tiles(operation)
    right = len(source.shape) == len(result.shape) == len(indices) and source.element == result.element
    right = right and all(a % b == 0 for a, b in zip(source.shape, result.shape, strict=False))
    _need(right and all(each == Tile(_I32, ()) for each in indices), operation, _list(_tiles(operation)))


def _mma(operation: Operation) -> None:
    lhs, rhs, acc, result = _tiles(operation)
    a, b, c = lhs.shape, rhs.shape, acc.shape
    right = len(a) == len(b) == len(c) in (2, 3) and a[:-2] == b[:-2] == c[:-2]
    right = right and a[-1] == b[-2] and (a[-2], b[-1]) == c[-2:] and acc == result
    if operation.name == "mmai":
        kinds = {str(lhs.element), str(rhs.element)} == {"i8"} and str(acc.element) == "i32"
    else:
        kinds = str(lhs.element) in MMA_INPUTS and lhs.element == rhs.element and _is(acc, "f")
    _need(right and kinds, operation, _list(_tiles(operation)))


def _mma_scaled(operation: Operation) -> None:
    """Check mmaf_scaled: its scales divide the common dimension into blocks."""
    lhs, rhs, acc, left, right, result = _tiles(operation)
    a, b, c, x, y = (each.shape for each in (lhs, rhs, acc, left, right))
    fits = len({len(each) for each in (a, b, c, x, y)}) == 1 and len(a) in (2, 3)
    fits = fits and a[:-2] == b[:-2] == c[:-2] == x[:-2] == y[:-2] and a[-1] == b[-2] and (a[-2], b[-1]) == c[-2:]
    fits = fits and x[-2] == a[-2] and y[-1] == b[-1] and x[-1] == y[-2] and a[-1] % x[-1] == 0 and acc == result
    kinds = (str(lhs.element), str(left.element)) in SCALED_INPUTS and lhs.element == rhs.element
    kinds = kinds and left.element == right.element and str(acc.element) == "f32"
    _need(fits and kinds, operation, _list(_tiles(operation)))


def _pack(operation: Operation) -> None:
    """Check pack or unpack: one side is a row of bytes, the other one has as many bits."""
    bytes_, other = reversed(_tiles(operation)) if operation.name == "pack" else _tiles(operation)
    fits = len(bytes_.shape) == len(other.shape) == 1 and str(bytes_.element) == "i8"
    fits = fits and width(other) not in (1, 8) and not isinstance(other.element, Pointer)
    _need(fits and 8 * bytes_.size == width(other) * other.size, operation, f"{bytes_} and {other}")


def _insert(operation: Operation) -> None:
    source, dest, *indices, result = _tiles(operation)
    fits = len(source.shape) == len(dest.shape) == len(indices) and source.element == dest.element and dest == result
    fits = fits and all(b % a == 0 for a, b in zip(source.shape, dest.shape, strict=False))
    _need(fits and all(each == Tile(_I32, ()) for each in indices), operation, _list(_tiles(operation)))


def _alloca(operation: Operation) -> None:
    (pointer,) = _tiles(operation)
    alignment = operation.attributes["alignment"]
    _need(not pointer.shape and _is(pointer, "p"), operation, f"its result is {pointer}")
    _need(0 < alignment <= MOST_ALIGNMENT and not alignment & alignment - 1, operation, f"its alignment is {alignment}")


def _print(operation: Operation) -> None:
    given, text = operation.operands["args"], operation.attributes["text"]
    found = conversions(text)
    for value in given:
        tile_of(operation, value)
    _need(len(found) == len(given), operation, f"{text!r} has {len(found)} conversions for {len(given)} operands")
    if operation.results:
        _token(operation)


def _integer_power(operation: Operation) -> None:
    source, exponent, result = _tiles(operation)
    right = source == result and source.shape == exponent.shape and _is(source, "f") and _is(exponent, "i")
    _need(right and width(exponent) <= _I32.bits, operation, _list(_tiles(operation)))


def _fold(operation: Operation) -> None:
    """Check a reduce or scan: its body takes an element and the accumulator of each operand."""
    operands = [tile_of(operation, value) for value in operation.operands["operands"]]
    results = [tile_of(operation, value) for value in operation.results]
    dim, identities = operation.attributes["dim"], operation.attributes["identities"]
    _need(len({each.shape for each in operands}) == 1, operation, f"the shapes differ: {_list(operands)}")
    shape = operands[0].shape
    _need(dim < len(shape), operation, f"there is no dimension {dim} in {operands[0]}")
    after = shape if operation.name == "scan" else shape[:dim] + shape[dim + 1 :]
    _need(results == [Tile(each.element, after) for each in operands], operation, f"its results are {_list(results)}")
    kinds = [each.type if isinstance(each, Number) else None for each in identities]
    _need(kinds == [each.element for each in operands], operation, "an identity has another type")
    scalars = [Tile(each.element, ()) for each in operands]
    body = operation.regions[0]
    expected = [each for each in scalars for _ in range(2)]
    _need([each.type for each in body.arguments] == expected, operation, "the arguments of its body have other types")
    allowed = PURE.difference(("broadcast", "reshape"))
    for each in body.operations[:-1]:
        _need(each.name in allowed, each, f"it cannot be in the body of {operation.name}")
        _need(
            not any(tile.shape for tile in _tiles(each)), each, f"a value in the body of {operation.name} has a shape"
        )
    _block(body, ("yield",), tuple(scalars))


def _for(operation: Operation) -> None:
    bounds = [tile_of(operation, operation.operands[each]) for each in ("lower", "upper", "step")]
    _need(len(set(bounds)) == 1 and not bounds[0].shape and _is(bounds[0], "i"), operation, f"its range is {bounds}")
    carried = tuple(each.type for each in operation.operands["initial"])
    body = operation.regions[0]
    _need(tuple(each.type for each in body.arguments) == (bounds[0], *carried), operation, "its body takes other types")
    _need(tuple(each.type for each in operation.results) == carried, operation, "its results have other types")
    _block(body, ("continue",), carried)


def _loop(operation: Operation) -> None:
    """Check a loop. Its results are what breaks pass on, which may be in an if."""
    body = operation.regions[0]
    carried = tuple(each.type for each in operation.operands["initial"])
    _need(tuple(each.type for each in body.arguments) == carried, operation, "its body takes other types")
    _block(body, ("continue", "break", "return"), carried)
    results = tuple(each.type for each in operation.results)
    for end in _breaks(body):
        _need(tuple(each.type for each in end.values()) == results, end, "it passes on values of other types")


def _breaks(block: Block) -> Iterable[Operation]:
    """Yield what ends a loop: breaks in it, but not in loops of its own."""
    for operation in block.operations:
        if operation.name == "break":
            yield operation
        elif operation.name == "if":
            for region in operation.regions:
                yield from _breaks(region)


def _if(operation: Operation) -> None:
    condition = tile_of(operation, operation.operands["condition"])
    _need(condition == Tile(_I1, ()), operation, f"its condition is {condition}")
    _need(len(operation.regions) == 2 or not operation.results, operation, "it has results, but no else")
    types = tuple(each.type for each in operation.results)
    for region in operation.regions:
        _block(region, ("yield", "continue", "break", "return"), types)


def _make_tensor_view(operation: Operation) -> None:
    base, view = tile_of(operation, operation.operands["base"]), operation.result.type
    if not isinstance(view, TensorView):
        raise _error(operation, f"its result is {view}")
    _need(base == Tile(Pointer(view.element), ()), operation, f"its base is {base}")
    for name, sizes in (("shape", view.shape), ("strides", view.strides)):
        given = operation.operands[name]
        _need(len(given) == sizes.count(DYNAMIC), operation, f"it has {len(given)} operands for the {name} of {view}")
        _need(all(_is_scalar(each) for each in given), operation, f"its {name} are no integers")


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, Tile) and not value.type.shape and _is(value.type, "i")


def _make_view(operation: Operation) -> None:
    source, view = operation.operands["tensor"].type, operation.result.type
    right = isinstance(view, PartitionView) and view.tensor == source and operation.name == f"make_{view.name}"
    _need(right, operation, f"it makes {view} of {source}")


def _shape_of(operation: Operation) -> None:
    source = operation.operands["source"].type
    kind = TensorView if operation.name == "get_tensor_shape" else PartitionView
    _need(isinstance(source, kind), operation, f"its operand is {source}")
    rank = len(source.shape if isinstance(source, TensorView) else source.tile_shape)
    _need(
        len(operation.results) == rank and all(map(_is_scalar, operation.results)), operation, "its results are wrong"
    )


def _view_access(operation: Operation) -> None:
    view, index = operation.operands["view"].type, operation.operands["index"]
    if not isinstance(view, PartitionView):
        raise _error(operation, f"its view is {view}")
    given = {"store_view_tko": "tile", "atomic_red_view_tko": "value"}.get(operation.name)
    tile = operation.operands[given] if given else operation.result
    _need(tile.type == Tile(view.tensor.element, view.tile_shape), operation, f"a tile of {view} is {tile.type}")
    right = len(index) == len(view.tile_shape)
    for axis, each in enumerate(index):
        rows = (view.tile_shape[axis],) if right and axis == view.sparse else ()
        right = right and isinstance(each.type, Tile) and _is(each.type, "i") and each.type.shape == rows
    _need(right, operation, "its indices are wrong")
    atomic = operation.name == "atomic_red_view_tko"
    _need(not atomic or (view.sparse < 0 and not view.padding), operation, f"its view is {view}")
    _token(operation)


def _pointer_access(operation: Operation) -> None:
    pointers = tile_of(operation, next(iter(operation.operands.values())))
    if not isinstance(pointers.element, Pointer):
        raise _error(operation, f"its pointers are {pointers}")
    expected = {"mask": _I1}
    found = {name: value for name, value in operation.operands.items() if name != "token" and value is not None}
    results = [] if operation.name == "store_ptr_tko" else operation.results[:1]
    for name, value in [*list(found.items())[1:], *(("result", each) for each in results)]:
        tile = Tile(expected.get(name, pointers.element.pointee), pointers.shape)
        _need(value.type == tile, operation, f"{name} is {value.type} instead of {tile}")
    _token(operation)


def _token(operation: Operation) -> None:
    token = operation.operands.get("token")
    _need(token is None or isinstance(token.type, Token), operation, "its token is none")
    _need(isinstance(operation.results[-1].type, Token), operation, "its last result is no token")


def _tokens(operation: Operation) -> None:
    values = [*operation.values(), *operation.results]
    _need(all(isinstance(each.type, Token) for each in values), operation, "it has values that are no tokens")


def _block_ids(operation: Operation) -> None:
    _need(all(each.type == Tile(_I32, ()) for each in operation.results), operation, "its results are wrong")


def _offset(operation: Operation) -> None:
    pointer, offset, result = _tiles(operation)
    right = pointer == result and pointer.shape == offset.shape and _is(pointer, "p") and _is(offset, "i")
    _need(right, operation, _list(_tiles(operation)))


def _assume(operation: Operation) -> None:
    _need(operation.operands["value"].type == operation.result.type, operation, "it changes the type")


def _get_global(operation: Operation) -> None:
    """Check the result's type; that of the global by verify."""
    (pointer,) = _tiles(operation)
    _need(not pointer.shape and _is(pointer, "p"), operation, f"its result is {pointer}")


def _assert(operation: Operation) -> None:
    (condition,) = _tiles(operation)
    _need(condition.element == _I1, operation, f"its condition is {condition}")


def _any(operation: Operation) -> None:
    """Accept an operation that its block's rule checks."""


_FLOATS = (
    "absf addf atan2 ceil cos cosh divf exp exp2 floor fma log log2 maxf minf mulf negf pow remf rsqrt sin sinh sqrt "
    "subf tan tanh"
)
_INTEGERS = "absi addi andi divi maxi mini mulhii muli negi ori remi shli shri subi xori"
RULES: dict[str, Rule] = {
    **dict.fromkeys(_FLOATS.split(), _same("f")),
    **dict.fromkeys(_INTEGERS.split(), _same("i")),
    **dict.fromkeys(("break", "continue", "return", "yield"), _any),
    **dict.fromkeys(("get_tile_block_id", "get_num_tile_blocks"), _block_ids),
    **dict.fromkeys(("get_tensor_shape", "get_index_space_shape"), _shape_of),
    **dict.fromkeys(("load_view_tko", "store_view_tko", "atomic_red_view_tko"), _view_access),
    **dict.fromkeys(("make_partition_view", "make_strided_view", "make_gather_scatter_view"), _make_view),
    **dict.fromkeys(("gdc_launch_dependents_tko", "gdc_wait_tko", "memory_fence_alias_tko"), _tokens),
    **dict.fromkeys(("pack", "unpack"), _pack),
    "alloca": _alloca,
    **dict.fromkeys(("load_ptr_tko", "store_ptr_tko", "atomic_rmw_tko", "atomic_cas_tko"), _pointer_access),
    **dict.fromkeys(("make_token", "join_tokens"), _tokens),
    **dict.fromkeys(("mmaf", "mmai"), _mma),
    **dict.fromkeys(("reduce", "scan"), _fold),
    "assert": _assert,
    "assume": _assume,
    "bitcast": _convert("if", "if", bits=lambda before, after: before == after),
    "broadcast": _broadcast,
    "cat": _cat,
    "cmpf": _compare("f"),
    "cmpi": _compare("i"),
    "constant": _constant,
    "exti": _convert("i", "i", bits=lambda before, after: before < after),
    "extract": _extract,
    "for": _for,
    "ftof": _convert("f", "f"),
    "ftoi": _convert("f", "i"),
    "fpowi": _integer_power,
    "get_global": _get_global,
    "if": _if,
    "insert": _insert,
    "int_to_ptr": _convert("i", "p", bits=lambda before, after: before == after),
    "iota": _iota,
    "itof": _convert("i", "f"),
    "loop": _loop,
    "make_tensor_view": _make_tensor_view,
    "mmaf_scaled": _mma_scaled,
    "offset": _offset,
    "permute": _permute,
    "print_tko": _print,
    "ptr_to_int": _convert("p", "i", bits=lambda before, after: before == after),
    "ptr_to_ptr": _convert("p", "p"),
    "reshape": _reshape,
    "select": _select,
    "trunci": _convert("i", "i", bits=lambda before, after: before > after),
}
# Operations without effects whose elements depend on elements at the same index only.
PURE = frozenset(
    f"{_FLOATS} {_INTEGERS} assume bitcast broadcast cmpf cmpi constant exti ftof ftoi int_to_ptr itof offset "
    "fpowi ptr_to_int ptr_to_ptr reshape select trunci".split()
)
