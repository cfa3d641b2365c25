# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of device functions whose address is taken: copied to local memory (PTX ISA manual, 5.1.6.4 and `mov`)."""

from __future__ import annotations

from dataclasses import replace

from cuda.cpu.ptx.references import renamed
from cuda.cpu.ptx.syntax import Address, Function, Instruction, Register, Symbol, Variable


def copy_to_local(function: Function) -> None:
    """Copy a device function's parameters whose address is taken to .local variables, and use these instead.

    The function is changed in place. Calls pass parameters as they were.
    """
    body = function.body
    if body is None or function.entry:
        return
    parameters = {parameter.name: parameter for parameter in function.parameters if parameter.space == "param"}
    taken: dict[str, int] = {}  # name -> line
    for statement in body if parameters else ():
        if isinstance(statement, Instruction):
            symbols = (each.name for each in statement.operands if isinstance(each, Symbol))
            taken.update((name, statement.line) for name in symbols if name in parameters and name not in taken)
    if not taken:
        return
    copies = {name: f"{name}@local" for name in taken}
    for statement in body:
        if isinstance(statement, Instruction):
            _use_copies(statement, copies)
    moves = []
    for name, line in taken.items():
        parameter = parameters[name]
        function.variables[copies[name]] = replace(parameter, name=copies[name], space="local")
        moves += _moves(function, parameter, copies[name], line)
    function.body = moves + body


def _use_copies(statement: Instruction, copies: dict[str, str]) -> None:
    operands = tuple(renamed(operand, copies) for operand in statement.operands)
    if operands != statement.operands:
        statement.operands = operands
        statement.modifiers = tuple("local" if m in ("param", "param::func") else m for m in statement.modifiers)


def _moves(function: Function, parameter: Variable, copy: str, line: int) -> list[Instruction]:
    """Return the instructions that copy a parameter, in the widest elements that its size and alignment permit."""
    width = next(width for width in (8, 4, 2, 1) if parameter.align % width == 0 and parameter.size % width == 0)
    kind, register = f"b{8 * width}", f"%{copy}"
    function.registers[register] = f"b{8 * max(width, 2)}"
    moves = []
    for offset in range(0, parameter.size, width):
        source, target = Address(Symbol(parameter.name), offset), Address(Symbol(copy), offset)
        moves.append(Instruction("ld", ("param", kind), (Register(register), source), line))
        moves.append(Instruction("st", ("local", kind), (target, Register(register)), line))
    return moves
