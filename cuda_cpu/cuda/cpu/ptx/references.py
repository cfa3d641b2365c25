# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""References of a function to other symbols: calls, addresses of functions, variables; and their renaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cuda.cpu.ptx.declarations import MOST_ALIGNMENT
from cuda.cpu.ptx.syntax import (
    Address,
    BranchTargets,
    Call,
    CallTargets,
    Function,
    Immediate,
    Instruction,
    Label,
    Operand,
    Pair,
    Prototype,
    Symbol,
    Vector,
)


@dataclass(slots=True)
class References:
    """Names that a function uses and does not declare, each with the first line that uses it."""

    calls: dict[str, int] = field(default_factory=dict)  # functions called by name
    symbols: dict[str, int] = field(default_factory=dict)  # other names: variables, functions whose address is taken
    indirect: bool = False  # calls through a register
    stack_alignment: int = 1  # the greatest of its .local variables and of its `alloca`


def references(function: Function) -> References:
    """Collect the references of a function's body."""
    aligned = (variable.align for variable in function.variables.values() if variable.space == "local")
    found = References(stack_alignment=max(aligned, default=1))
    local = local_names(function)
    for statement in function.body or ():
        if isinstance(statement, Instruction):
            used = statement.operands
            if statement.opcode == "alloca":
                found.stack_alignment = max(found.stack_alignment, _alignment_of(statement))
        elif isinstance(statement, Call):
            used = (*statement.results, *statement.arguments)
            if isinstance(statement.target, Symbol):
                found.calls.setdefault(statement.target.name, statement.line)
            else:
                found.indirect = True
        else:
            continue
        for name in _names(used):
            if name not in local and name not in found.symbols:
                found.symbols[name] = statement.line
    return found


def _alignment_of(alloca: Instruction) -> int:
    """Return the alignment of an `alloca`, its third operand."""
    last = alloca.operands[2] if len(alloca.operands) > 2 else None
    return min(last.value, MOST_ALIGNMENT) if isinstance(last, Immediate) else 1


def local_names(function: Function) -> set[str]:
    """Return the names that a function declares: labels, variables, parameters, prototypes."""
    names = {parameter.name for parameter in (*function.parameters, *function.results)}
    names.update(function.variables)
    for statement in function.body or ():
        if isinstance(statement, Label | BranchTargets | CallTargets | Prototype):
            names.add(statement.name)
    return names


def _names(operands: tuple[Operand | None, ...]) -> Iterator[str]:
    for operand in operands:
        if isinstance(operand, Symbol):
            yield operand.name
        elif isinstance(operand, Address):
            if isinstance(operand.base, Symbol):
                yield operand.base.name
            if operand.coordinates:
                yield from _names(operand.coordinates)
        elif isinstance(operand, Vector):
            yield from _names(operand.elements)
        elif isinstance(operand, Pair):
            yield from _names((operand.first, operand.second))


def rename(function: Function, names: Mapping[str, str]) -> None:
    """Replace names in a function's body, except those that the function declares itself."""
    local = local_names(function)
    names = {old: new for old, new in names.items() if old not in local}
    if not names:
        return
    for statement in function.body or ():
        if isinstance(statement, Instruction):
            statement.operands = tuple(renamed(operand, names) for operand in statement.operands)
        elif isinstance(statement, Call):
            statement.target = renamed(statement.target, names)
            statement.results = tuple(renamed(operand, names) for operand in statement.results)
            statement.arguments = tuple(renamed(operand, names) for operand in statement.arguments)
        elif isinstance(statement, CallTargets):
            statement.functions = tuple(names.get(name, name) for name in statement.functions)


def renamed(operand: Any, names: Mapping[str, str]) -> Any:
    """Return an operand with its names replaced."""
    if isinstance(operand, Symbol):
        return replace(operand, name=names[operand.name]) if operand.name in names else operand
    if isinstance(operand, Address):
        coordinates = tuple(renamed(each, names) for each in operand.coordinates)
        return Address(renamed(operand.base, names), operand.offset, coordinates)
    if isinstance(operand, Vector):
        return Vector(tuple(renamed(each, names) for each in operand.elements))
    if isinstance(operand, Pair):
        return Pair(renamed(operand.first, names), renamed(operand.second, names))
    return operand
