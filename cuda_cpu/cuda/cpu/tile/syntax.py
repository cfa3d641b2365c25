# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the reader makes of bytecode: functions of operations in blocks, and where they are in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cuda.cpu.tile.types import FunctionType, Type


@dataclass(eq=False, slots=True)
class Value:
    """The result of an operation, or an argument of a block. Values are equal only to themselves."""

    number: int
    type: Type

    def __str__(self) -> str:
        return f"%{self.number}"


@dataclass(frozen=True, slots=True)
class Location:
    """A line of the source: of the kernel's Python file, say."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""


@dataclass(eq=False, slots=True)
class Block:
    arguments: list[Value]
    operations: list[Operation]

    def walk(self) -> Iterator[Operation]:
        """Yield all operations, those of nested blocks behind the operation that has them."""
        for operation in self.operations:
            yield operation
            for block in operation.regions:
                yield from block.walk()


@dataclass(eq=False, slots=True)
class Operation:
    """One operation. `operands` has a value or a tuple of values for each operand of its row, None if it is absent."""

    name: str
    offset: int  # in the bytecode
    operands: dict[str, Any]
    attributes: dict[str, Any]
    results: list[Value]
    regions: list[Block] = field(default_factory=list)
    location: Location | None = None

    def values(self) -> list[Value]:
        """Return all operands one after the other."""
        found: list[Value] = []
        for operand in self.operands.values():
            found += operand if isinstance(operand, tuple) else [] if operand is None else [operand]
        return found

    @property
    def result(self) -> Value:
        return self.results[0]


@dataclass(eq=False, slots=True)
class Function:
    name: str
    type: FunctionType
    entry: bool
    offset: int
    body: Block
    hints: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Global:
    name: str
    type: Type
    data: bytes
    alignment: int
    constant: bool


@dataclass(eq=False, slots=True)
class Module:
    version: tuple[int, int]
    functions: dict[str, Function]
    globals: dict[str, Global]
    producer: str = ""
