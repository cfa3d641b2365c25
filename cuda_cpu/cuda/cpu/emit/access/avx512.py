# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions of AVX-512 that LLVM has no general operation for, on vectors of any width and on scalars."""

from __future__ import annotations

from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Value

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
    value = values[0]
    lanes, suffix = LANES[value.element]
    part, count = f"<{lanes} x {value.element}>", 1 if value.uniform else builder.width
    rest = [(type_ or part, text) for type_, text in more]
    name = f"llvm.x86.avx512.{stem}.{suffix}.512"
    builder.module.declare(name, part, [part] * len(values) + [type_ for type_, _ in rest])
    vector = f"<{count} x {value.element}>"
    refs = [
        builder.assign(f"bitcast {builder.typed(each)} to {vector}") if each.uniform else each.ref for each in values
    ]
    found = []
    for first in range(0, count, lanes):
        cut = [_shuffle(builder, vector, ref, "poison", range(first, first + lanes), count) for ref in refs]
        operands = [f"{part} {ref}" for ref in cut] + [f"{type_} {text}" for type_, text in rest]
        found.append(builder.call(name, part, *operands))
    have = lanes
    while len(found) > 1:
        type_ = f"<{have} x {value.element}>"
        pairs, have = zip(found[::2], found[1::2], strict=True), 2 * have
        found = [_shuffle(builder, type_, a, b, range(have), have) for a, b in pairs]
    ref = found[0]
    if count < have:
        ref = _shuffle(builder, part, ref, "poison", range(count), lanes)
    if value.uniform:
        ref = builder.assign(f"bitcast {vector} {ref} to {value.element}")
    return Value(ref, value.element, value.shape)


def _shuffle(builder: Builder, type_: str, a: str, b: str, picks: range, count: int) -> str:
    """Pick elements of two vectors; beyond `count` there are none."""
    order = ", ".join(f"i32 {pick}" if pick < count else "i32 poison" for pick in picks)
    return builder.assign(f"shufflevector {type_} {a}, {type_} {b}, <{len(picks)} x i32> <{order}>")
