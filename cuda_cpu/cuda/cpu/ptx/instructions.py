# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Match instructions against the instruction table and check their operands; instructions without a row are refused.

The table is in `rows/`, one file per chapter of the PTX manual; a `Row` is in the manual's notation, see `row.py`.
A match is a `Form`:

>>> form.opcode, form.type, form.rnd, form.ftz, form.family
('add', 'f32', 'rn', False, 'arithmetic')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import repeat

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.form import Form
from cuda.cpu.ptx.needs import lacking
from cuda.cpu.ptx.operand_types import signature_of, wrong_operand
from cuda.cpu.ptx.ranges import wrong_number
from cuda.cpu.ptx.rows import table, traits_of
from cuda.cpu.ptx.syntax import Address, Function, Instruction, Module, Negated, Operand, Pair, Selected, Symbol, Vector

_KINDS = {Address: "a", Negated: "n", Pair: "p", Vector: "v", Selected: "s"}  # all others: "x"


def _forms(opcode: str, modifiers: tuple[str, ...]) -> Iterator[Form]:
    for row in table().get(opcode, ()):
        values = row.match(modifiers)
        if values is not None:
            yield Form(row, modifiers, values)


@cache
def _form(opcode: str, modifiers: tuple[str, ...], kinds: str) -> Form:
    """Return the form for an opcode, modifiers and kinds of operands (cached); errors have no line."""
    forms = list(_forms(opcode, modifiers))
    for form in forms:
        if form.row.takes(kinds):
            return form
    written = ".".join((opcode, *modifiers))
    if forms:
        row = forms[0].row
        operands = row.syntax.partition(" ")[2]
        raise PtxError(f"{written}: operands must be `{operands}` (PTX ISA manual, section {row.section})")
    known = [row.syntax for row in table().get(opcode, ())]
    advice = f"; known forms are: {'; '.join(known)}" if known else ""
    raise PtxError(f"instruction {written} is not supported by the CPU device{_reason(opcode)}{advice}")


def _reason(opcode: str) -> str:
    reason = traits_of(opcode).reason
    return f": {reason}" if reason else ""


def form_of(instruction: Instruction) -> Form:
    """Return the form of an instruction.

    Raises
    ------
    PtxError
        The instruction is not in the table, or its operands are not those of any of its rows.
    """
    kinds = "".join([_KINDS.get(type(operand), "x") for operand in instruction.operands])
    try:
        return _form(instruction.opcode, instruction.modifiers, kinds)
    except PtxError as error:
        raise PtxError(error.message, instruction.line) from None


_SYMBOL = ("symbol",)


def _address_of_function(signature: tuple, operand: Operand, functions: Mapping[str, Function]) -> tuple:
    """Return the signature of an operand; that of a function's name is its address, as ptxas accepts it."""
    return ("address of a symbol",) if isinstance(operand, Symbol) and operand.name in functions else signature


def _is_reference(operand: object) -> bool:
    return isinstance(operand, Symbol) or (isinstance(operand, Address) and isinstance(operand.base, Symbol))


def check(instruction: Instruction, registers: Mapping[str, str] | None = None, unit: Module | None = None) -> Form:
    """Return the form of an instruction that the CPU device can run.

    Parameters
    ----------
    instruction : Instruction
    registers : mapping, optional
        Types of the function's registers, for a check of the operands' types.
    unit : Module, optional
        The unit of the instruction, for a check of its `.version` and `.target`.

    Raises
    ------
    PtxError
        As `form_of`; or the form has no emitter, an operand has a wrong type, a number is out of range, or the unit's
        version or target does not have the instruction.
    """
    form = form_of(instruction)
    if registers is not None:
        signatures = tuple([signature_of(operand, registers) for operand in instruction.operands])
        if _SYMBOL in signatures and unit is not None:
            signatures = tuple(map(_address_of_function, signatures, instruction.operands, repeat(unit.functions)))
        wrong = wrong_operand(form, signatures) or wrong_number(form, instruction.operands)
        if not wrong and unit is not None:
            wrong = lacking(form, len(signatures), unit.version, unit.target)
        if wrong:
            raise PtxError(wrong, instruction.line)
    if not form.family:
        message = f"instruction {form} is not supported yet by the CPU device{_reason(form.opcode)}"
        raise PtxError(message, instruction.line)
    if form.family == "texture" and any(_is_reference(operand) for operand in instruction.operands):
        raise PtxError(
            f"{form}: texture and surface references are not supported by the CPU device: use texture objects",
            instruction.line,
        )
    return form
