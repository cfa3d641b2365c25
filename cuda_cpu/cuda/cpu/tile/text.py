# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile IR as text: one operation a line, with its types and its line in the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuda.cpu.tile.body import Number
from cuda.cpu.tile.syntax import Block, Function, Module, Operation

_SHOWN = 12  # bytes of a constant


def lines_of(module: Module) -> Iterator[str]:
    """Yield the lines of a module."""
    for found in module.globals.values():
        yield f"global @{found.name} : {found.type}, {len(found.data)} bytes"
    for function in module.functions.values():
        yield from lines_of_function(function)


def lines_of_function(function: Function) -> Iterator[str]:
    parameters = ", ".join(f"{value}: {value.type}" for value in function.body.arguments)
    yield f"{'entry' if function.entry else 'function'} @{function.name}({parameters}) {{"
    yield from _block(function.body, "    ")
    yield "}"


def _block(block: Block, indent: str) -> Iterator[str]:
    for operation in block.operations:
        yield indent + line_of(operation) + (" {" if operation.regions else "")
        for index, region in enumerate(operation.regions):
            if index:
                yield f"{indent}}} else {{"
            if region.arguments:
                yield f"{indent}  ({', '.join(f'{value}: {value.type}' for value in region.arguments)}):"
            yield from _block(region, indent + "    ")
        if operation.regions:
            yield f"{indent}}}"


def line_of(operation: Operation) -> str:
    """Return the line of one operation, without its regions."""
    results = ", ".join(map(str, operation.results))
    operands = ", ".join(_operand(each) for each in operation.operands.values() if each is not None and each != ())
    attributes = ", ".join(
        f"{name}={_attribute(value)}" for name, value in operation.attributes.items()
        if value not in (None, False) and name != "data"
    )  # fmt: skip
    types = ", ".join(str(value.type) for value in operation.results)
    text = f"{results} = " * bool(results) + " ".join(each for each in (operation.name, operands) if each)
    text += f" <{attributes}>" * bool(attributes) + f" : {types}" * bool(types)
    return text + (f"  ; {operation.location}" if operation.location else "")


def described(operation: Operation) -> str:
    """Return an operation with its byte and its line in the source, for messages."""
    at = operation.location
    where = f" ({at.file} line {at.line})" if at else ""
    return f"Tile IR byte {operation.offset} `{operation.name}`{where}"


def _operand(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value)


def _attribute(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex() if len(value) <= _SHOWN else f"{value[:_SHOWN].hex()}..., {len(value)} bytes"
    if isinstance(value, list):
        return f"[{', '.join(map(_attribute, value))}]"
    return f"{value.bits:#x}:{value.type}" if isinstance(value, Number) else str(value)
