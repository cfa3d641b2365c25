# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions of AVX-512 and AVX2 that LLVM has no general operation for, on vectors of any width and on scalars."""

from __future__ import annotations

from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Value, width_of

LANES = {"float": (16, "ps"), "double": (8, "pd")}


def has(builder: Builder, element: str) -> bool:
    """Return whether the CPU has the instructions for elements of a type."""
    return builder.module.settings.native_gather and element in LANES


def call(builder: Builder, stem: str, values: tuple[Value, ...], *more: tuple[str, str]) -> Value:
    """Call `llvm.x86.avx512.<stem>.ps.512`, or `.pd.512`, for as many registers as the values take.

    Parameters
    ----------
    values : tuple of Value
        Of one type and shape.
    more : tuple of str
        The operands behind them: types and constants. "" is the type of a register.
    """
    lanes, suffix = LANES[values[0].element]
    return call_by_registers(builder, f"llvm.x86.avx512.{stem}.{suffix}.512", lanes, values, *more)


def call_by_registers(
    builder: Builder, name: str, lanes: int, values: tuple[Value, ...], *more: tuple[str, str], operand: str = ""
) -> Value:
    """Call an intrinsic of registers with so many lanes, whose operands may have smaller elements, `operand`."""
    value = values[0]
    part, count = f"<{lanes} x {value.element}>", 1 if value.uniform else builder.width
    rest = [(type_ or part, text) for type_, text in more]
    operand = operand or value.element
    taken = f"<{lanes * width_of(value.element) // width_of(operand)} x {operand}>"
    builder.module.declare(name, part, [taken] * len(values) + [type_ for type_, _ in rest])
    whole = [builder.scalar_part(each) if each.uniform else builder.part(each) for each in values]
    found = []
    for first in range(0, count, lanes):
        picks = [pick if pick < count else None for pick in range(first, first + lanes)]
        cut = [builder.shuffle(each, picks) for each in whole]
        if operand != value.element:
            cut = [builder.cast_part(each, operand) for each in cut]
        found.append(builder.call_part(name, value.element, lanes, *cut, *(f"{type_} {text}" for type_, text in rest)))
    result = builder.slice_part(builder.concatenate(found), 0, count)
    return builder.scalar(result) if value.uniform else builder.group(result)
