# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constant propagation: replace registers whose only definition is a constant.

For example, compilers load the distance of a shuffle into a register once and use it up to the kernel's end. As a
register it would be spilled at every barrier, and a shuffle by an unknown distance is a table look-up. A read before
the write is undefined, so the constant is correct there, too.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from cuda.cpu.passes.find_registers import registers_of
from cuda.cpu.passes.traits import PURE
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.rows import opcodes_with
from cuda.cpu.ptx.syntax import Call, Immediate, Instruction, Operand, Register, Statement

WIDTHS = {f"{kind}{width}": width for kind in "bsuf" for width in (32, 64)}
IMMEDIATES = opcodes_with("immediates")


def fold_constants(body: list[Statement]) -> list[Statement]:
    """Return the statements of a function's body with constants for such registers."""
    constants = _constants(body)
    if not constants:
        return body
    return [_fold(item, constants) if isinstance(item, Instruction) else item for item in body]


def _constants(body: list[Statement]) -> dict[str, Immediate]:
    writes: Counter[str] = Counter()
    found: dict[str, Immediate] = {}
    for item in body:
        if not isinstance(item, Instruction | Call):
            continue
        form = None if isinstance(item, Call) else form_of(item)
        writes.update(registers_of(item, form)[0])
        if form is not None and item.opcode == "mov" and item.guard is None and item.modifiers[-1] in WIDTHS:
            target, source = item.operands
            bits = _as_bits(source, item.modifiers[-1]) if isinstance(source, Immediate) else None
            if isinstance(target, Register) and bits is not None:
                found[target.name] = bits
    return {name: value for name, value in found.items() if writes[name] == 1}


def _as_bits(source: Immediate, type_: str) -> Immediate | None:
    """Return the bits that `mov` writes to a register, as a float immediate; None if `mov` converts the source."""
    width = WIDTHS[type_]
    if source.kind != f"f{width}" and (source.kind != "int" or type_.startswith("f")):
        return None
    return Immediate(source.value & ((1 << width) - 1), f"f{width}")


def _as_integer(value: Immediate) -> Immediate:
    width = int(value.kind[1:])
    return Immediate(value.value - (value.value >> (width - 1) << width))


def _fold(item: Instruction, constants: dict[str, Immediate]) -> Instruction:
    if not (item.opcode in PURE or item.opcode in IMMEDIATES):
        return item
    reads_float = not {"f32", "f64"}.isdisjoint(item.modifiers)

    def folded(operand: Operand) -> Operand:
        value = constants.get(operand.name) if isinstance(operand, Register) else None
        if value is None:
            return operand
        return value if reads_float else _as_integer(value)

    written = len(registers_of(item, form_of(item))[0]) > 0
    operands = (*item.operands[:written], *map(folded, item.operands[written:]))
    result = item if operands == item.operands else dataclasses.replace(item, operands=operands)
    return result if _is_form(result) else item


def _is_form(item: Instruction) -> bool:
    """Return whether the instruction accepts its constants as operands."""
    try:
        form_of(item)
    except PtxError:
        return False
    return True
