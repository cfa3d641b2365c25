# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Read Tile IR bytecode (specification 13.4, chapter 5, "Binary Format"): sections, types, constants, locations.

Operations are read by body.py. Nothing is trusted: every index, size and offset is checked.
"""

from __future__ import annotations

from cuda.cpu.tile import body, debug
from cuda.cpu.tile.error import TileError, UnsupportedTileError
from cuda.cpu.tile.stream import Stream, table
from cuda.cpu.tile.syntax import Function, Global, Module
from cuda.cpu.tile.types import (
    DYNAMIC,
    MOST_ELEMENTS,
    PADDINGS,
    SCALARS,
    FunctionType,
    PartitionView,
    Pointer,
    Scalar,
    TensorView,
    Tile,
    Token,
    Type,
)

MAGIC = b"\x7fTileIR\0"
VERSIONS = ((13, 1), (13, 2), (13, 3), (13, 4), (13, 5))
STRING, FUNCTION, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(1, 8)
_END, _ALIGNED = 0, 0x80
_MOST_ALIGNMENT = 1 << 16
_POINTER, _TILE, _TENSOR_VIEW, _FUNCTION, _TOKEN = 12, 13, 14, 16, 17
_VIEWS = {15: "partition_view", 20: "gather_scatter_view", 21: "strided_view"}
_PRIVATE, _ENTRY, _HINTS = 1, 2, 4  # flags of a function
_MOST_RANK = 16


def read(data: bytes) -> Module:
    """Read a module.

    Raises
    ------
    TileError
        The bytecode is damaged; the message has the byte.
    UnsupportedTileError
        It has a version, type or operation that is not known.
    """
    version, sections = _sections(data)
    if missing := [name for name, number in (("strings", STRING), ("types", TYPE)) if number not in sections]:
        raise TileError(f"there is no section of {missing[0]}")
    strings = [_text(part) for part in table(sections[STRING], 4, "string")]
    types = _types(sections[TYPE], version)
    constants = [part.bytes(part.end - part.at) for part in table(sections[CONSTANT], 8, "constant")] \
        if CONSTANT in sections else []  # fmt: skip
    locations = debug.read(sections.get(DEBUG), strings)
    tables = body.Tables(version, strings, types, constants, locations)
    globals_ = _globals(sections.get(GLOBAL), tables)
    functions = _functions(sections.get(FUNCTION), tables)
    producer = sections[PRODUCER].item(strings, "string") if PRODUCER in sections else ""
    return Module(version, functions, globals_, producer)


def _sections(data: bytes) -> tuple[tuple[int, int], dict[int, Stream]]:
    if not data.startswith(MAGIC):
        raise TileError("the bytecode does not begin with its magic number", 0)
    stream = Stream(data, len(MAGIC))
    version = (stream.byte(), stream.byte())
    stream.bytes(2)
    if version not in VERSIONS:
        known = ", ".join(f"{major}.{minor}" for major, minor in VERSIONS)
        raise UnsupportedTileError(f"version {version[0]}.{version[1]} is not supported; {known} are", len(MAGIC))
    sections: dict[int, Stream] = {}
    while (kind := stream.byte()) != _END:
        number, size = kind & ~_ALIGNED, stream.varint()
        if kind & _ALIGNED:
            alignment = stream.varint()
            if not 0 < alignment <= _MOST_ALIGNMENT:
                raise stream.fail(f"section {number} has the alignment {alignment}")
            stream.align(alignment)
        if number in sections:
            raise stream.fail(f"there are two sections {number}")
        start = stream.at
        stream.bytes(size)
        sections[number] = Stream(data, start, stream.at)
    return version, sections


def _text(part: Stream) -> str:
    at = part.at
    try:
        return part.bytes(part.end - at).decode()
    except UnicodeDecodeError:
        raise TileError("a string is not UTF-8", at) from None


def _types(stream: Stream, version: tuple[int, int]) -> list[Type]:
    types: list[Type] = []
    for part in table(stream, 4, "type"):
        types.append(_type(part, types, version))
        if part.at != part.end:
            raise UnsupportedTileError(f"the type {types[-1]} has {part.end - part.at} bytes more", part.at)
    return types


def _type(part: Stream, types: list[Type], version: tuple[int, int]) -> Type:
    """Read a type, which refers to those before it."""
    at = part.at
    tag = part.varint()
    if tag in SCALARS:
        return SCALARS[tag]
    if tag == _TOKEN:
        return Token()
    if tag == _FUNCTION:
        inputs = tuple(part.item(types, "type") for _ in range(part.varint()))
        return FunctionType(inputs, tuple(part.item(types, "type") for _ in range(part.varint())))
    if tag == _TILE:
        return _tile(part, types)
    if tag == _POINTER:
        _flags(part, version, "pointer", (13, 4))
        return Pointer(_scalar(part, types))
    if tag == _TENSOR_VIEW:
        _flags(part, version, "tensor_view", (13, 4))
        element = _scalar(part, types)
        shape, strides = part.array(8), part.array(8)
        if len(shape) != len(strides) or any(size != DYNAMIC and size <= 0 for size in shape):
            raise TileError("a tensor_view has wrong sizes or strides", at)
        return TensorView(element, shape, strides)
    if tag in _VIEWS:
        return _view(part, types, version, _VIEWS[tag])
    raise UnsupportedTileError(f"the type with tag {tag} is not known", at)


def _flags(part: Stream, version: tuple[int, int], name: str, since: tuple[int, int]) -> None:
    """Read the flags of optional parameters, none of which is known."""
    if version >= since and (flags := part.varint()):
        raise UnsupportedTileError(f"the type {name} has unknown parameters, by its flags {flags:#x}", part.at)


def _scalar(part: Stream, types: list[Type]) -> Scalar:
    found = part.item(types, "type")
    if not isinstance(found, Scalar):
        raise part.fail(f"an element type is {found}")
    return found


def _tile(part: Stream, types: list[Type]) -> Tile:
    element = part.item(types, "type")
    shape = part.array(8)
    if not isinstance(element, Scalar | Pointer):
        raise part.fail(f"a tile has elements of type {element}")
    return checked(Tile(element, shape), part)


def checked(tile: Tile, part: Stream) -> Tile:
    """Return a tile type whose sizes are right: powers of two, and few enough elements."""
    if len(tile.shape) > _MOST_RANK or any(size <= 0 or size & size - 1 for size in tile.shape):
        raise part.fail(f"sizes of {tile} are not powers of two")
    if tile.size > MOST_ELEMENTS:
        raise part.fail(f"{tile} has more than {MOST_ELEMENTS} elements")
    return tile


def _view(part: Stream, types: list[Type], version: tuple[int, int], name: str) -> PartitionView:
    flagged = version >= (13, 3)
    padded = part.varint() if flagged else 0
    shape = part.array(4)
    steps = part.array(4) if name == "strided_view" else shape
    tensor = part.item(types, "type")
    rank = len(tensor.shape) if isinstance(tensor, TensorView) else 0
    sparse = part.varint() if name == "gather_scatter_view" else -1
    dim_map = tuple(range(rank)) if sparse >= 0 else part.array(4)
    if not flagged:
        padded = part.byte()
    if padded > 1:
        raise UnsupportedTileError(f"the type {name} has unknown parameters, by its flags {padded:#x}", part.at)
    padding = part.item(list(PADDINGS), "padding value") if padded else None
    if not rank or sorted(dim_map) != list(range(rank)) or not len(shape) == len(steps) == rank:
        raise part.fail(f"a {name} of {tensor} has the dimensions {list(dim_map)}")
    if sparse >= rank or any(each <= 0 for each in steps):
        raise part.fail(f"a {name} of {tensor} has wrong strides or no dimension {sparse}")
    checked(Tile(tensor.element, shape), part)
    if sparse >= 0:  # indices are those of elements, as NVIDIA's assembler shows
        steps = (1,) * rank
    return PartitionView(shape, tensor, dim_map, padding, steps, sparse, name)


def _globals(stream: Stream | None, tables: body.Tables) -> dict[str, Global]:
    found: dict[str, Global] = {}
    if stream is None:
        return found
    for _ in range(stream.varint()):
        name = stream.item(tables.strings, "string")
        kind = stream.item(tables.types, "type")
        data = stream.item(tables.constants, "constant")
        alignment, constant = stream.varint(), False
        if tables.version >= (13, 3):
            stream.varint()
            constant = bool(stream.varint())
        if not isinstance(kind, Tile):
            raise stream.fail(f"the global {name} has type {kind}")
        found[name] = Global(name, kind, body.constant_bytes(data, kind, stream), alignment, constant)
    return found


def _functions(stream: Stream | None, tables: body.Tables) -> dict[str, Function]:
    found: dict[str, Function] = {}
    if stream is None:
        return found
    for _ in range(stream.varint()):
        at = stream.at
        name = stream.item(tables.strings, "string")
        kind = stream.item(tables.types, "type")
        flags = stream.byte()
        location = stream.varint()
        hints = _hints(stream, tables, flags)
        size = stream.varint()
        start = stream.at
        stream.bytes(size)
        if not isinstance(kind, FunctionType) or name in found:
            raise TileError(f"the function {name} has type {kind}, or is defined twice", at)
        block = body.Body(Stream(stream.data, start, stream.at), tables, location).function(kind)
        found[name] = Function(name, kind, bool(flags & _ENTRY), at, block, hints if isinstance(hints, dict) else {})
    return found


def _hints(stream: Stream, tables: body.Tables, flags: int) -> object:
    """Return the hints of a function. Since 13.5, its other attributes follow (seen in bytecode of NVRTC 13.5)."""
    if tables.version < (13, 5):
        return body.tagged(stream, tables) if flags & _HINTS else {}
    hints, others = body.tagged(stream, tables), body.tagged(stream, tables)
    if not isinstance(hints, dict) or not isinstance(others, list) or any(others):
        raise UnsupportedTileError("the attributes of a function are not known", stream.at)
    return hints
