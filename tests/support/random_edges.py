# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels with indices near where 32-bit numbers wrap around, made wider.

Each function takes the writer of the kernel and the place of the statement, and returns its lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_ptx import Place, Writer

EDGES = [0x7FFFFFF0, 0x80000000, 0xFFFFFFF0, 0x7FFFFFFF, 0xFFFFFFE1, 0x3FFFFFF8, 0xC0000000]


def near_edge(writer: Writer, place: Place) -> str:
    """Make an index wider that wraps around somewhere in the block, and read near where it began."""
    random = writer.random
    edge, kind = random.choice(EDGES), random.choice("us")
    source = random.choice(["%t0", "%g0", "%t10", "%a0", "$a"])
    back = random.choice([0, 8, 40])
    start = (edge - back) & 0xFFFFFFFF
    first = start - (1 << 32) if kind == "s" and start >> 31 else start
    index, address = writer.new("v"), writer.new("q")
    widen = random.choice([
        f"mul.wide.{kind}32 $q, $i, 4;", f"cvt.{kind}64.{kind}32 $q, $i; shl.b64 $q, $q, 2;",
        f"cvt.{kind}64.{kind}32 $q, $i; mul.lo.s64 $q, $q, 4;",
    ])  # fmt: skip
    text = (
        f"add.{kind}32 $i, {source}, {start:#x}; {widen} add.s64 $q, $q, {-4 * first}; setp.lt.u64 %p4, $q, 512;"
        " shr.u64 %d5, $q, 20; cvt.u32.u64 %t7, %d5; add.u32 $d, $d, %t7; add.s64 $q, $q, %d2;"
        " @%p4 ld.global.u32 $d, [$q];"
    )
    return writer.fill(text.replace("$i", index).replace("$q", address))


def window(writer: Writer, place: Place) -> str:
    """Add up what lies beside the thread's place, as far as there is something: the index begins below zero."""
    random, number = writer.random, writer.name()
    counter, index, address = writer.new("v"), writer.new("v"), writer.new("q")
    reach, kind = random.choice([1, 2, 5]), random.choice("us")
    below = random.choice(["lt.u32 %p4, $i, 100;", "ge.s32 %p4, $i, 0; setp.lt.and.s32 %p4, $i, 100, %p4;"])
    text = (
        f"mov.u32 $k, {-reach};\nL{number}: add.s32 $i, {random.choice(['%t0', '%g0', '%a0'])}, $k; setp.{below}\n"
        f"@!%p4 bra S{number};\nmul.wide.{kind}32 $q, $i, 4; add.s64 $q, $q, %d2; ld.global.u32 %t7, [$q];"
        f" add.u32 $d, $d, %t7;\nS{number}: add.s32 $k, $k, 1; setp.le.s32 %p3, $k, {reach};\n@%p3 bra L{number};"
    )
    return writer.fill(text.replace("$k", counter).replace("$i", index).replace("$q", address))


def gather_near_edge(writer: Writer, place: Place) -> str:
    """Let lanes whose index is beyond the edge read by it: as it happens, it grows by one from lane to lane."""
    number, index, address = writer.name(), writer.new("v"), writer.new("q")
    edge, back = writer.random.choice([-(1 << 31), -(1 << 31), -8, 0, 0x40000000]), writer.random.choice([0, 8, 16, 24])
    text = (
        f"and.b32 %t8, $a, 0; add.u32 %t8, %t8, {(edge - back) & 0xFFFFFFFF:#x}; add.u32 $i, %t8, %t10;"
        f" setp.lt.u32 %p4, %t10, {back};\n@%p4 bra S{number};\n"
        f"mul.wide.s32 $q, $i, 4; add.s64 $q, $q, $B; ld.global.u32 $d, [$q];\nS{number}:"
    )
    # The base is the same for all lanes, and known to be before the branch.
    base = writer.new("q")
    text = f"add.s64 {base}, %d2, {-4 * edge};\n" + text.replace("$B", base)
    return writer.fill(text.replace("$i", index).replace("$q", address))
