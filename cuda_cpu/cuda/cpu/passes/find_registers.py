# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers that an instruction writes and reads."""

from __future__ import annotations

from collections.abc import Iterator

from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Call, Instruction, Negated, Operand, Pair, Register, Selected, Vector

CARRY = "%cc"  # the condition code register of 9.7.2, extended-precision arithmetic


def registers_of(item: Instruction | Call, form: Form | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the registers written and read; special registers are among the latter."""
    guard = (item.guard.register,) if item.guard else ()
    if isinstance(item, Call):
        reads = [name for operand in (item.target, *item.arguments) for name in _names(operand)]
        return tuple(name for operand in item.results for name in _names(operand)), (*guard, *reads)
    assert form is not None
    # In the table's notation destinations are named d or p and come first.
    count = 1 if form.row.syntax.partition(" ")[2].startswith(("d", "p")) else 0
    written = [name for operand in item.operands[:count] for name in _names(operand)]
    sources = item.operands if form.row.traits.accumulates else item.operands[count:]
    read = [name for operand in sources for name in _names(operand)]
    return tuple(written), (*guard, *read)


def carry_of(form: Form) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the carry register as (written, read), each empty or with one name."""
    writes = (CARRY,) if "cc" in form.modifiers else ()
    return writes, (CARRY,) if form.opcode in ("addc", "subc", "madc") else ()


def _names(operand: Operand | None) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Negated(register) | Selected(register):
            yield register.name
        case Address(base, _, coordinates):
            yield from _names(base)
            for each in coordinates:
                yield from _names(each)
        case Vector(elements):
            for element in elements:
                yield from _names(element)
        case Pair(first, second):
            yield from _names(first)
            yield from _names(second)
