# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with rows and columns: quotients and remainders of indices that grow by lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.focus_rows import access, near_end

if TYPE_CHECKING:
    from support.random_focus import Writer

NUMBER = 3  # the kernel's argument, see random_focus.py
SOURCES = ["%tid.x", "%tx", "%tx", "%tid", "%all", "%lane", "%laneid"]
DIVISORS = [1, 7, 16, 31, 32, 33, 48, 64, 64, 96, 100, 256, 1000, 1 << 31, -1, -64, -100, 0x7FFFFFFF, 1 << 30]


def divided(index: int, divisor: int, kind: str) -> tuple[int, int]:
    """Return the quotient and the remainder of 32-bit integers as PTX computes them, as signed numbers."""
    index, divisor = (_number(value, kind) for value in (index, divisor))
    quotient = abs(index) // abs(divisor) * (-1 if (index < 0) != (divisor < 0) else 1) if divisor else -1
    return _number(quotient, "s"), _number(index - quotient * divisor, "s")


def _number(value: int, kind: str) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if kind == "s" and value >> 31 else value


def quotients(writer: Writer) -> str:
    """Divide an index by a number that is the same in all lanes, store both results, and load from such an address."""
    random, kind = writer.random, writer.choice("u", "s")
    divisor, index, start = random.choice(DIVISORS), writer.new(), random.choice([0, 0, 5, 40, -40, -100, 4096])
    if writer.chance(0.3):
        start, divisor = near_end(writer, kind), random.choice([divisor, -1, -9, 0x7FFFFFFF, 1 << 31])
    text = f"mov.u32 {index}, {random.choice(SOURCES)}; "
    step = random.choice([1, 1, 1, 1, 2, -1])
    if step != 1:
        text += f"mul.lo.s32 {index}, {index}, {step}; "
    text += f"add.u32 {index}, {index}, {start & 0xFFFFFFFF:#x};"
    by = f"{divisor}"
    if writer.chance(0.7):  # unknown to the compiler
        by = writer.new()
        text += f" add.u32 {by}, %number, {(divisor - NUMBER) & 0xFFFFFFFF:#x};"
    if writer.chance(0.1):  # another one in some lanes
        text += f" {writer.some(f'add.u32 {index}, {index}, 64;')}"
    quotient, remainder = writer.new(), writer.new()
    text += f" div.{kind}32 {quotient}, {index}, {by}; rem.{kind}32 {remainder}, {index}, {by};"
    text += f" {writer.store(quotient)} {writer.store(remainder)}"
    first, rest = divided(start, divisor, kind)
    offset, address, predicate = writer.new(), writer.new("q"), writer.new("p")
    size, factor = random.choice([4, 4, 4, 8, 2, 1]), random.choice([divisor, 0, 1, 40, 64])
    text += (
        f" sub.u32 {quotient}, {quotient}, {first}; sub.u32 {remainder}, {remainder}, {rest};"
        f" mad.lo.s32 {offset}, {quotient}, {factor}, {remainder}; mul.wide.s32 {address}, {offset}, {size};"
        f" setp.lt.u64 {predicate}, {address}, {min(128 * size, 512)};"
    )
    text += access(writer, address, predicate, size)
    if writer.chance(0.3):
        return _in_loop(writer, text)
    return writer.some(text) if writer.chance(0.3) else text


def _in_loop(writer: Writer, text: str) -> str:
    """Repeat lines, which give the same results each time."""
    count, again, predicate = writer.new(), writer.label(), writer.new("p")
    limit = writer.choice("2", "%k", "%a1")
    return (
        f"mov.u32 {count}, 0; {again}: {text} add.u32 {count}, {count}, 1;"
        f" setp.lt.u32 {predicate}, {count}, {limit}; setp.lt.and.u32 {predicate}, {count}, 4, {predicate};"
        f" @{predicate} bra {again};"
    )
