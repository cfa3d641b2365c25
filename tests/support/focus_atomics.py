# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels that change memory atomically."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.focus_memory import fold

if TYPE_CHECKING:
    from support.random_focus import Writer

ATOMICS = ["add.u32", "add.u64", "min.s32", "min.u32", "max.u32", "max.s32", "min.s64", "max.u64", "inc.u32",
           "dec.u32", "exch.b32", "exch.b64", "xor.b32", "or.b32", "and.b32", "or.b64"]  # fmt: skip


def atomic(writer: Writer) -> str:
    """Change the thread's own word, and store its old value."""
    address, operation = writer.new(), writer.random.choice(ATOMICS)
    size, letter = (8, "q") if operation.endswith("64") else (4, "r")
    name, result, after = writer.variable("shared", size * writer.threads, 8), writer.new(letter), writer.new(letter)
    first, operand, text = writer.source(), writer.operand(), ""
    if size == 8:
        first, operand = writer.new("q"), writer.new("q")
        for each in (first, operand):
            text += f" mov.b64 {each}, {{{writer.source()}, {writer.source()}}};"
    text += f" mov.u32 {address}, {name}; mad.lo.u32 {address}, %tid, {size}, {address};"
    text += f" st.shared.u{8 * size} [{address}], {first};"
    change = f"atom.shared.{operation} {result}, [{address}], {operand};"
    if writer.chance(0.3):
        old, bit = writer.new(letter), writer.new()
        wide = f"cvt.u64.u32 {(more := writer.new('q'))}, {bit};" if size == 8 else ""
        change = (
            f"ld.shared.u{8 * size} {old}, [{address}]; and.b32 {bit}, %lane, 1; {wide} add.u{8 * size} {old}, {old},"
            f" {more if size == 8 else bit}; atom.shared.cas.b{8 * size} {result}, [{address}], {old}, {operand};"
        )
    text += f" {writer.some(change + fold(writer, [result]))}"
    return f"{text} ld.shared.u{8 * size} {after}, [{address}]; {fold(writer, [after])}"


COMMUTING = ["add.u32", "add.u32", "max.u32", "max.s32", "xor.b32", "or.b32", "inc.u32", "add.u64", "max.s64"]


def together(writer: Writer) -> str:
    """Let all threads change a few words by commutative atomics."""
    random, start = writer.random, writer.take_row()
    if start is None:
        return atomic(writer)
    operation = random.choice(COMMUTING)
    size, operand, text = 8 if operation.endswith("64") else 4, writer.operand(), ""
    if operation.startswith("inc"):
        operand = "100000"
    elif size == 8:
        operand = writer.new("q")
        text = f"mov.b64 {operand}, {{{writer.source()}, {writer.source()}}};"
    index, address = writer.new(), writer.new("q")
    choose = random.choice([
        f"and.b32 {index}, %a1, 3;", f"mov.u32 {index}, 2;", f"and.b32 {index}, %tid, 7;", f"mov.u32 {index}, %lane;",
        f"and.b32 {index}, %a1, 3; sub.s32 {index}, {index}, 16;", f"sub.s32 {index}, %lane, 16;",
        f"sub.s32 {index}, 15, %lane;", f"xor.b32 {index}, %lane, 5; sub.s32 {index}, {index}, 16;",
        f"mov.u32 {index}, %tid.x; and.b32 {index}, {index}, 31;", f"mov.u32 {index}, %laneid;",
    ])  # fmt: skip
    below = 16 * size if "sub" in choose else 0
    signs = "s" if below else writer.choice("u", "s")
    if writer.chance(0.6):  # an index of fewer bits
        at, width = writer.take(4), writer.choice("8", "16")
        choose += f" st.global.u{width} [%out+{at}], {index}; ld.global.{signs}{width} {index}, [%out+{at}];"
    below += size * writer.random.choice([0, 0, 1])
    widen = writer.choice(
        f"mul.wide.{signs}32 {address}, {index}, {size}; add.s64 {address}, {address}, %rows;",
        f"mad.wide.{signs}32 {address}, {index}, {size}, %rows;",
    )
    return f"{text} {choose} {widen} " + writer.some(f"red.global.{operation} [{address}+{start + below}], {operand};")


def in_order(writer: Writer) -> str:
    """Let the lanes of a warp change shared words atomically, and store the old values.

    PTX leaves the order undefined; on the CPU device and in the interpreter it is that of the lanes.
    """
    random, operation = writer.random, writer.random.choice(ATOMICS)
    size, letter = (8, "q") if operation.endswith("64") else (4, "r")
    bits, start = 8 * size, writer.take_row() if writer.chance(0.6) else None
    space, wide = ("shared", "r") if start is None else ("global", "q")
    number, index, mine, row, address = writer.new(), writer.new(), *(writer.new(wide) for _ in range(3))
    first, operand, result, after, text = writer.source(), writer.operand(), writer.new(letter), writer.new(letter), ""
    if size == 8:
        first, operand = writer.new("q"), writer.new("q")
        for each in (first, operand):
            text += f" mov.b64 {each}, {{{writer.source()}, {writer.source()}}};"
    choose = random.choice([
        f"and.b32 {index}, {writer.source()}, {random.choice([0, 1, 3, 31])};", f"mov.u32 {index}, %lane;",
        f"sub.u32 {index}, 31, %lane;", f"shr.u32 {index}, %lane, 2;", f"xor.b32 {index}, %lane, 1;",
    ])  # fmt: skip
    thread, multiply = ("%tid", "mad.lo.u32") if start is None else ("%all", "mad.wide.u32")
    if start is None:
        text += f" mov.u32 {row}, {writer.variable('shared', size * writer.threads, 8)};"
    else:
        text += f" add.s64 {row}, %rows, {start};"
    text += (
        f" {multiply} {mine}, {thread}, {size}, {row}; st.{space}.u{bits} [{mine}], {first};"
        f" and.b32 {number}, {thread}, -32; {choose} add.u32 {number}, {number}, {index};"
        f" {multiply} {address}, {number}, {size}, {row}; bar.warp.sync -1;"
    )
    change = f"atom.{space}.{operation} {result}, [{address}], {operand};"
    if writer.chance(0.3):
        compared = random.choice([first, operand])
        change = f"atom.{space}.cas.b{bits} {result}, [{address}], {compared}, {operand};"
    text += f" {writer.some(change + fold(writer, [result]))} bar.warp.sync -1;"
    return f"{text} ld.{space}.u{bits} {after}, [{mine}]; {fold(writer, [after])}"
