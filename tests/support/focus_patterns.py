# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with indices that bitwise operations compute: patterns known at compile time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.focus_memory import fold

if TYPE_CHECKING:
    from support.random_focus import Writer

# Lines that compute $d of $a: one index for each thread, below 2 * $a + 32.
OWN = [
    "xor.b32 $d, $a, $c;", "shr.u32 $t, $a, $n; add.u32 $d, $a, $t;", "and.b32 $t, $a, $m; sub.u32 $d, $a, $t;"
    "xor.b32 $t, $t, $m; add.u32 $d, $d, $t;", "and.b32 $t, $a, $m; shl.b32 $d, $a, 1; sub.u32 $d, $d, $t;",
    "shr.u32 $t, $a, $n; shl.b32 $t, $t, 1; add.u32 $d, $a, $t;",
]  # fmt: skip
ANY = [
    *OWN, "and.b32 $d, $a, $m;", "shr.u32 $d, $a, $n;", "or.b32 $d, $a, $c;", "not.b32 $d, $a;", "sub.u32 $d, $a, $c;",
    "mul.lo.u32 $d, $a, $c;", "add.u32 $d, $a, %number;", "bfe.u32 $d, $a, $n, 3;", "xor.b32 $d, $a, %k;",
    "mad.lo.u32 $d, $a, $c, %lane;", "shl.b32 $d, $a, $n;",
]  # fmt: skip


def _steps(writer: Writer, lines: list[str], index: str, count: int) -> tuple[str, str]:
    """Return lines that compute an index of another one, and its register."""
    text, random = "", writer.random
    for _ in range(count):
        result, temporary = writer.new(), writer.new()
        line = random.choice(lines).replace("$c", str(random.randrange(32))).replace("$n", str(random.randrange(1, 5)))
        line = line.replace("$m", str((1 << random.randrange(1, 6)) - 1)).replace("$t", temporary)
        text += line.replace("$d", result).replace("$a", index)
        index = result
    return text, index


def patterns(writer: Writer) -> str:
    """Store an element of each thread's own, and load it and others of the input; some threads do some of that."""
    random, found = writer.random, []
    size, letter = random.choice([(4, "r"), (4, "r"), (8, "q")])
    kind, start, address = f"u{8 * size}", writer.new(), writer.new()
    text, index = _steps(writer, OWN, "%tid", 1)
    text += f" mov.u32 {start}, {writer.variable('shared', (2 * writer.threads + 64) * size, 8)};"
    text += f" mad.lo.u32 {address}, {index}, {size}, {start};"

    def stored() -> str:
        value, line = writer.source(), ""
        if letter == "q":
            value = writer.new("q")
            line = f"mov.b64 {value}, {{{writer.source()}, {writer.source()}}};"
        return f"{line} st.shared.{kind} [{address}], {value};"

    text += f" {stored()} {writer.some(stored())}"
    found.append(writer.new(letter))
    text += f" ld.shared.{kind} {found[-1]}, [{address}];"
    for _ in range(random.randrange(1, 4)):
        more, index = _steps(writer, ANY, random.choice(["%tid", "%lane", "%tx", "%all"]), random.randrange(1, 4))
        below, target, pointer = writer.new(), writer.new(letter), writer.new("q")
        text += f" {more} and.b32 {below}, {index}, {random.choice([3, 7, 12, 31, 63, 85, 127])};"
        text += f" mad.wide.u32 {pointer}, {below}, {size}, %in;"
        result = f"ld.global.{kind} {target}, [{pointer}+{size * random.randrange(4)}];"
        if writer.chance(0.3):  # of a thread that does not load it, the register is not read
            text += f" {writer.some(f'{result} {fold(writer, [target])}')}"
        else:
            text += f" {result}"
            found.append(target)
    return f"{text} {fold(writer, found)}"
