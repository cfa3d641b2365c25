# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make constants that are added to addresses of shared memory a part of the accesses: %r2 = %r1 + 4, [%r2] is [%r1+4].

Accesses to adjacent words are combined if they have one base register. Some compilers write the sum to a register of
its own just in front of each access. PTX cuts addresses of shared memory to 32 bits (ISA manual 6.4.1), so sums of
32 bits may wrap around.
"""

from __future__ import annotations

import dataclasses

from cuda.cpu.passes.find_registers import registers_of
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.syntax import Address, Immediate, Instruction, Operand, Register, Statement

SUMS = {("add", "u32"): 1, ("add", "s32"): 1, ("sub", "u32"): -1, ("sub", "s32"): -1}
SPACES = {"shared", "shared::cta"}
FARTHEST = 1 << 20  # bytes; beyond that, addresses are not near each other


def fold_offsets(body: list[Statement]) -> list[Statement]:
    """Return the statements of a function's body with such accesses."""
    sums: dict[str, tuple[str, int]] = {}  # registers that are another one's present value and a constant
    result: list[Statement] = []
    for item in body:
        if not isinstance(item, Instruction):
            sums.clear()  # a label, behind which registers may have other values, or a call
            result.append(item)
            continue
        result.append(_folded(item, sums))
        found = _sum(item)
        written = set(registers_of(item, form_of(item))[0])
        if found is not None:
            base, offset = sums.get(found[0], (found[0], 0))
            found = base, offset + found[1]
        sums = {name: of for name, of in sums.items() if name not in written and of[0] not in written}
        if found is not None and found[0] not in written and abs(found[1]) <= FARTHEST:
            sums[next(iter(written))] = found
    return result


def _sum(item: Instruction) -> tuple[str, int] | None:
    """Return the register and the constant that an instruction adds."""
    sign = SUMS.get((item.opcode, *item.modifiers)) if len(item.modifiers) == 1 else None
    if sign is None or item.guard is not None:
        return None
    target, a, b = item.operands
    if isinstance(a, Immediate) and sign > 0:
        a, b = b, a
    if not (isinstance(target, Register) and isinstance(a, Register) and isinstance(b, Immediate)):
        return None
    number = (b.value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
    return a.name, sign * number


def _folded(item: Instruction, sums: dict[str, tuple[str, int]]) -> Instruction:
    if item.opcode not in ("ld", "st") or SPACES.isdisjoint(item.modifiers):
        return item
    operands = tuple(_based(each, sums) for each in item.operands)
    return item if operands == item.operands else dataclasses.replace(item, operands=operands)


def _based(operand: Operand, sums: dict[str, tuple[str, int]]) -> Operand:
    if not (isinstance(operand, Address) and isinstance(operand.base, Register) and operand.base.name in sums):
        return operand
    base, offset = sums[operand.base.name]
    return dataclasses.replace(operand, base=Register(base), offset=operand.offset + offset)
