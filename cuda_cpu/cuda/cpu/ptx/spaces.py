# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""State spaces of variables that instructions access by name (PTX ISA manual, sections 6.4.1 and 9.7.9).

As in ptxas, `ld.b32 %r, [x]` without a state space is an access in the space of x: the space is added here to the
instruction, so that later stages need not resolve it.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.syntax import Address, Function, Instruction, Symbol, Variable

# Modifiers for the space of a variable; the first one among an instruction's is its space.
_WORDS = {"shared": ("shared", "shared::cta", "shared::cluster")}


class Spaces:
    """State spaces of the variables and parameters that are visible in a function."""

    def __init__(self, variables: Mapping[str, Variable], function: Function) -> None:
        self.variables = variables
        self.function = function
        self.parameters = {each.name for each in (*function.parameters, *function.results)}

    def of(self, name: str) -> str:
        """Return the state space of a variable or parameter; "" if there is none of that name."""
        variable = self.function.variables.get(name)
        if variable is None and name in self.parameters:
            return "param"
        variable = variable or self.variables.get(name)
        return variable.space if variable else ""


def name_space(instruction: Instruction, spaces: Spaces) -> None:
    """Add the space of a variable to an instruction that accesses it without one.

    Raises
    ------
    PtxError
        The instruction accesses another state space than that of the variable.
    """
    if instruction.opcode == "cp" and "mbarrier" not in instruction.modifiers:
        return  # copies have the spaces of both addresses as modifiers
    for operand in instruction.operands:
        if type(operand) is Address and type(operand.base) is Symbol:
            space = spaces.of(operand.base.name)
            form = form_of(instruction)
            words = next((words for name, words, _, _ in form.row.parts if name == "space"), None)
            if words is None:
                continue
            if not space:
                raise PtxError(f"{form}: {operand.base.name} is no variable", instruction.line)
            word = next((each for each in _WORDS.get(space, (space,)) if each in words), "const")
            if form.space is None and word != "const":
                instruction.modifiers = (*instruction.modifiers, word)
            elif form.space is None or form.space.partition("::")[0] != space:
                raise PtxError(f"{form}: {operand.base.name} is in .{space}", instruction.line)
