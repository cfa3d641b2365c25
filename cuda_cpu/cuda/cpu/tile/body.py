# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Read the operations of a function by the rows of operations.py (Tile IR specification 13.4, section 5.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cuda.cpu.tile.error import TileError, UnsupportedTileError
from cuda.cpu.tile.operations import BY_OPCODE, KINDS, Field, Row
from cuda.cpu.tile.stream import Stream
from cuda.cpu.tile.syntax import Block, Location, Operation, Value
from cuda.cpu.tile.types import FunctionType, Pointer, Scalar, Tile, Type

MOST_DEPTH = 100  # of nested regions and attributes
_INTEGER, _FLOAT, _BOOL, _TYPE, _STRING, _ARRAY, _DENSE, _DIV_BY, _SAME, _DICTIONARY, _HINTS, _BOUNDED = range(1, 13)


class Tables(NamedTuple):
    """What functions refer to by index."""

    version: tuple[int, int]
    strings: list[str]
    types: list[Type]
    constants: list[bytes]
    locations: list[list[Location | None]]


class Body:
    """Reads one function. Values are numbered in the order of their definitions; a block's end removes its own."""

    def __init__(self, stream: Stream, tables: Tables, location: int) -> None:
        self.stream, self.tables = stream, tables
        self.values: list[Value] = []
        self.count = 0  # of all values, to name them
        found = tables.locations[location - 1] if 0 < location <= len(tables.locations) else []
        self.locations = found[1:]  # the first one is the function's
        self.index = 0  # of the operation

    def function(self, kind: FunctionType) -> Block:
        arguments = [self._define(each) for each in kind.inputs]
        operations = []
        while self.stream.at < self.stream.end:
            operations.append(self._operation(0))
        return Block(arguments, operations)

    def _define(self, kind: Type) -> Value:
        value = Value(self.count, kind)
        self.count += 1
        self.values.append(value)
        return value

    def _operation(self, depth: int) -> Operation:
        stream, at = self.stream, self.stream.at
        opcode = stream.varint()
        row = BY_OPCODE.get(opcode)
        if row is None:
            raise UnsupportedTileError(f"there is no operation with opcode {opcode:#x}", at)
        if row.since > self.tables.version:
            raise UnsupportedTileError(f"it needs version {row.since[0]}.{row.since[1]}", at, row.name)
        location = self.locations[self.index] if self.index < len(self.locations) else None
        self.index += 1
        try:
            kinds = self._result_types(row)
            operation = Operation(row.name, at, *self._fields(row), [], location=location)
            if row.regions:
                operation.regions = self._regions(row, depth)
        except TileError as error:
            raise error if error.operation else type(error)(_bare(error), error.offset, row.name) from None
        operation.results = [self._define(kind) for kind in kinds]
        return operation

    def _result_types(self, row: Row) -> list[Type]:
        count = 0 if row.name == "print_tko" and self.tables.version < (13, 2) else row.results
        if row.variadic:
            stored = self._limited(self.stream.varint())
            if 0 <= count != stored:
                raise self.stream.fail(f"it has {stored} results, must have {count}")
            count = stored
        return [self.stream.item(self.tables.types, "type") for _ in range(count)]

    def _limited(self, count: int) -> int:
        """Return a count of things that take a byte each, at least."""
        if count > self.stream.end - self.stream.at:
            raise self.stream.fail(f"there cannot be {count} items")
        return count

    def _fields(self, row: Row) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read attributes and operands; return operands first, as Operation has them."""
        version, stream = self.tables.version, self.stream
        flagged = [field for field in row.flags if field.since <= version]
        flags = stream.varint() if flagged else 0
        if flags >> len(flagged):
            raise UnsupportedTileError(f"it has unknown attributes or operands, by its flags {flags:#x}", stream.at)
        present = {field.name for bit, field in enumerate(flagged) if flags >> bit & 1}
        attributes: dict[str, Any] = {}
        for field in row.attributes:
            if field.kind == "unit":
                attributes[field.name] = field.name in present
            elif field.name in present if field.optional else field.since <= version:
                attributes[field.name] = self._attribute(field)
            else:
                attributes[field.name] = None
        return self._operands(row, present), attributes

    def _attribute(self, field: Field) -> Any:
        kind = KINDS[field.kind]
        stream, tables = self.stream, self.tables
        if isinstance(kind, tuple):
            return stream.item(list(kind), f"{field.kind} with number")
        readers: dict[str, Callable[[], Any]] = {
            "varint": stream.varint,
            "byte": lambda: bool(stream.byte()),
            "string": lambda: stream.item(tables.strings, "string"),
            "constant": lambda: stream.item(tables.constants, "constant"),
            "i32 array": lambda: stream.array(4),
            "byte array": lambda: stream.array(1),
            "array": lambda: [tagged(stream, tables) for _ in range(self._limited(stream.varint()))],
            "dictionary": lambda: _dictionary(stream, tables, 0),
            "tagged": lambda: tagged(stream, tables),
        }
        return readers[kind]()

    def _operands(self, row: Row, present: set[str]) -> dict[str, Any]:
        if row.segments or not row.variadic or not any(operand.kind == "*" for operand in row.operands):
            return {operand.name: self._operand(operand, present) for operand in row.operands}
        count = self._limited(self.stream.varint())
        single = [operand for operand in row.operands if operand.kind != "*"]
        if count < len(single):
            raise self.stream.fail(f"it has {count} operands instead of {len(single)}")
        found: dict[str, Any] = {operand.name: self._value() for operand in single}
        found[row.operands[-1].name] = tuple(self._value() for _ in range(count - len(single)))
        return found

    def _operand(self, operand: Field, present: set[str]) -> Value | tuple[Value, ...] | None:
        if operand.kind == "*":
            return tuple(self._value() for _ in range(self._limited(self.stream.varint())))
        return self._value() if operand.kind == "" or operand.name in present else None

    def _value(self) -> Value:
        value: Value = self.stream.item(self.values, "value")
        return value

    def _regions(self, row: Row, depth: int) -> list[Block]:
        stream = self.stream
        if depth >= MOST_DEPTH:
            raise stream.fail(f"regions are nested more than {MOST_DEPTH} deep")
        count = stream.varint()
        if count != row.regions:
            raise stream.fail(f"it has {count} regions instead of {row.regions}")
        found = []
        for index in range(count):
            blocks = stream.varint()
            if blocks > 1 or (not blocks and not (row.name == "if" and index)):
                raise stream.fail(f"a region has {blocks} blocks")
            if blocks:
                found.append(self._block(depth + 1))
        return found

    def _block(self, depth: int) -> Block:
        before = len(self.values)
        count = self._limited(self.stream.varint())
        arguments = [self._define(self.stream.item(self.tables.types, "type")) for _ in range(count)]
        operations = [self._operation(depth) for _ in range(self._limited(self.stream.varint()))]
        del self.values[before:]
        return Block(arguments, operations)


def _bare(error: TileError) -> str:
    return error.message.partition(": ")[2]


def tagged(stream: Stream, tables: Tables, depth: int = 0) -> Any:
    """Read an attribute that begins with its kind."""
    if depth > MOST_DEPTH:
        raise stream.fail(f"attributes are nested more than {MOST_DEPTH} deep")
    tag = stream.varint()
    if tag in (_INTEGER, _FLOAT):
        kind = stream.item(tables.types, "type")
        if not isinstance(kind, Scalar):
            raise stream.fail(f"a number has type {kind}")
        # A floating-point number is stored by its bits: a byte, or a signed integer.
        bits = stream.varint() if tag == _INTEGER else stream.byte() if kind.bits <= 8 else stream.signed()
        return Number(kind, bits & (1 << kind.bits) - 1)
    readers: dict[int, Callable[[], Any]] = {
        _BOOL: lambda: bool(stream.byte()),
        _TYPE: lambda: stream.item(tables.types, "type"),
        _STRING: lambda: stream.item(tables.strings, "string"),
        _ARRAY: lambda: [tagged(stream, tables, depth + 1) for _ in range(stream.varint())],
        _DENSE: lambda: (stream.item(tables.types, "type"), stream.item(tables.constants, "constant")),
        _DIV_BY: lambda: ("div_by", stream.varint(), *_optional(stream)),
        _SAME: lambda: ("same_elements", stream.array(8)),
        _DICTIONARY: lambda: _dictionary(stream, tables, depth),
        _HINTS: lambda: _dictionary(stream, tables, depth),
        _BOUNDED: lambda: ("bounded", *_optional(stream)),
    }
    if tag not in readers:
        raise UnsupportedTileError(f"there is no attribute with tag {tag}", stream.at)
    return readers[tag]()


class Number(NamedTuple):
    """A typed number, by its bits."""

    type: Scalar
    bits: int


def _optional(stream: Stream) -> tuple[int | None, int | None]:
    """Read two integers, each of which a flag says to be there."""
    flags = stream.byte()
    return stream.signed() if flags & 1 else None, stream.signed() if flags & 2 else None


def _dictionary(stream: Stream, tables: Tables, depth: int) -> dict[str, Any]:
    return {stream.item(tables.strings, "string"): tagged(stream, tables, depth + 1) for _ in range(stream.varint())}


def constant_bytes(data: bytes, kind: Tile, stream: Stream) -> bytes:
    """Return the elements of a constant, without their size, each with the bytes of its type; a splat is repeated."""
    part = Stream(data)
    size = part.varint()
    content = part.bytes(size)
    if isinstance(kind.element, Pointer):
        raise stream.fail("a constant has pointers")
    if kind.element.bits == 1 and kind.size > 1 and len(content) == -(-kind.size // 8):
        content = bytes(content[i >> 3] >> (i & 7) & 1 for i in range(kind.size))
    width = max(kind.element.bits // 8, 1)
    if len(content) == width:
        return content * kind.size
    if len(content) != width * kind.size:
        raise stream.fail(f"a constant of type {kind} has {len(content)} bytes")
    return content
