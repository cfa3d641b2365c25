# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels with widened indices near the wrap-around of 32-bit integers.

Each function takes the writer of the kernel and the context of the statement, and returns its lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_ptx import Context, Writer

EDGES = [0x7FFFFFF0, 0x80000000, 0xFFFFFFF0, 0x7FFFFFFF, 0xFFFFFFE1, 0x3FFFFFF8, 0xC0000000]


# Lines that write $i, the base of an index, which may grow or fall over the rows of a block.
SOURCES = ["%t0", "%g0", "%t10", "%t10", "%a0", "$a", "mad.lo.s32 $i, %g2, -40, %g0;", "mad.lo.s32 $i, %g2, 24, %g0;",
           "sub.u32 $i, %g0, %g2;", "sub.u32 $i, 40, %g0;"]  # fmt: skip


def near_edge(writer: Writer, context: Context, *, straight: bool = False) -> str:
    """Widen an index that wraps around somewhere in the block, and read near its start.

    With `straight`, no lane diverges.
    """
    random = writer.random
    edge, kind = random.choice(EDGES), random.choice("us")
    source, back = random.choice(SOURCES), random.choice([0, 8, 15, 31, 31, 40])
    start = (edge - back) & 0xFFFFFFFF
    first = start - (1 << 32) if kind == "s" and start >> 31 else start
    index, address = writer.new("v"), writer.new("q")
    widen = random.choice([
        f"mul.wide.{kind}32 $q, $i, 4;", f"cvt.{kind}64.{kind}32 $q, $i; shl.b64 $q, $q, 2;",
        f"cvt.{kind}64.{kind}32 $q, $i; mul.lo.s64 $q, $q, 4;",
    ])  # fmt: skip
    head = f"{source} add.{kind}32 $i, $i, {start:#x};" if source.endswith(";") else ""
    text = head or f"add.{kind}32 $i, {source}, {start:#x};"
    if not straight:
        comparison = random.choice(["lt.u32", "ge.s32", "gt.u32", "le.s32", "ls.u32"])
        text += random.choice(["", f" setp.{comparison} %p4, $i, {random.choice([5, start, edge, 0x40000000]):#x};"
                                   " @%p4 add.u32 $d, $d, 1;"])  # fmt: skip
    text += f" {widen} add.s64 $q, $q, {-4 * first}; setp.lt.u64 %p4, $q, 512;"
    if straight:
        return _filled(writer, f"{text} selp.b64 $q, $q, 64, %p4; add.s64 $q, $q, %d2; ld.global.u32 $d, [$q];",
                       index, address)  # fmt: skip
    text += " shr.u64 %d5, $q, 20; cvt.u32.u64 %t7, %d5; add.u32 $d, $d, %t7; add.s64 $q, $q, %d2;"
    return _filled(writer, f"{text} @%p4 ld.global.u32 $d, [$q];", index, address)


def _filled(writer: Writer, text: str, index: str, address: str) -> str:
    return writer.fill(text.replace("$i", index).replace("$q", address))


# Lines of short branches without divergence, for the active lanes only.
INSIDE = [
    "st.global.u32 [%d6], $a;",
    "ld.global.u32 $d, [%d7]; add.u32 $d, $d, 1; st.global.u32 [%d7], $d;",
    "add.u32 $d, $d, $b;",
    "red.shared.add.u32 [cells], $a;",
    "atom.shared.add.u32 $d, [%t3+4096], $a;",
    "and.b32 %t7, $a, 63; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d5, %d4; red.global.add.u32 [%d5+128], 1;",
    "and.b32 %t7, $a, 31; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d5, %d2; ld.global.u32 $d, [%d5];",
    "st.shared.u32 [%t3], $b;",
    "ld.global.u8 %t7, [%d3+9]; mov.u32 %t8, bins; mad.lo.u32 %t8, %t7, 4, %t8; red.shared.add.u32 [%t8], 1;",
    "mov.u32 %t7, %tid.x; add.u32 $d, $d, %t7;",
]


def short_arms(writer: Writer, context: Context) -> str:
    """Let lanes diverge for a few instructions, some of which widen an index that wraps around."""
    number, random = writer.name(), writer.random

    def arm(inner: str = "") -> str:
        if inner and writer.chance(0.4):
            first, second = arm(), arm()
            text = f"{writer.condition('%p2')}\n@%p2 bra I{inner};\n{first}\n"
            return text + (f"I{inner}:" if writer.chance(0.4) else f"bra.uni J{inner};\nI{inner}:\n{second}\nJ{inner}:")
        if writer.chance(0.2 if inner else 0.4):
            return near_edge(writer, context, straight=True)
        return writer.fill(random.choice([each for each in INSIDE if writer.shares or ".shared" not in each]))

    condition = writer.condition("%p2")
    if writer.chance(0.4):
        return f"{condition}\n@%p2 bra S{number};\n{arm(f'{number}a')}\nS{number}:"
    one, other = arm(f"{number}a"), arm(f"{number}b")
    return f"{condition}\n@%p2 bra S{number};\n{one}\nbra.uni T{number};\nS{number}:\n{other}\nT{number}:"


def beside(writer: Writer, context: Context) -> str:
    """Load adjacent words, in any order, with instructions between them that prevent merging the loads."""
    random, base, result = writer.random, writer.new("q"), [writer.new("v") for _ in range(4)]
    if writer.chance(0.3):  # in the thread's own memory, one of which it overwrites in between
        stores = f"st.global.u32 [%d1+92], {writer.source()};"
        text = f"ld.global.u32 {result[0]}, [%d1+88]; {stores} ld.global.u32 {result[1]}, [%d1+92];"
        return writer.fill(f"{text} add.u32 $d, {result[0]}, {result[1]};")
    index = random.choice(["and.b32 %t7, $a, 63;", "and.b32 %t7, $a, 31; mad.lo.u32 %t7, %t10, 4, %t7;"])
    offsets = random.choice([[0, 4, 8, 12], [12, 8, 4, 0], [4, 0, 12, 8], [0, 8, 4, 16], [0, 4, 4, 8]])
    text = f"{index} mad.wide.u32 {base}, %t7, 16, %d2;"
    changed = random.randrange(1, 4) if writer.chance(0.4) else 4
    for number, (to, offset) in enumerate(zip(result, offsets, strict=True)):
        text += f" add.s64 {base}, {base}, 4;" * (number == changed)
        text += f" ld.global.u32 {to}, [{base}+{offset}];"
    mixed = " ".join(f"mad.lo.u32 $d, $d, 3, {each};" for each in result)
    if writer.chance(0.4):  # lanes that do not run have no address
        number = writer.name()
        wild = text.replace("and.b32 %t7, $a, 63;", "mov.b32 %t7, $a;")
        if wild != text:
            text = f"setp.ge.u32 %p4, $a, 64;\n@%p4 bra O{number};\n{wild}"
        else:
            text = f"{writer.condition('%p4')}\n@%p4 bra O{number};\n{text}"
        return writer.fill(f"{text} {mixed}\nO{number}:")
    return writer.fill(f"{text} {mixed}")


def window(writer: Writer, context: Context) -> str:
    """Add up the neighbours of the thread's word within bounds: the index begins below zero."""
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


def gather_near_edge(writer: Writer, context: Context) -> str:
    """Let lanes whose index has wrapped around read by it; it happens to grow by one from lane to lane."""
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
