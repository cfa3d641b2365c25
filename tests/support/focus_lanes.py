# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with warp operations (shuffle, vote, match, reduction) under various masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

REDUCTIONS = ["add.s32", "add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "max.u32", "min.s32"]
MODES = ["up", "down", "bfly", "idx"]


def in_groups(writer: Writer) -> str:
    """Let one group of lanes do a warp operation while the others wait."""
    random, over, predicate, bits = writer.random, writer.label(), writer.new("p"), writer.new()
    kept = random.choice([0, 0, 1, 3, 16, 24])  # bits of the lane number that all lanes of the group share
    which = random.choice([each for each in range(32) if not each & ~kept])
    mask = sum(1 << lane for lane in range(32) if lane & kept == which)
    register = writer.new()
    member = random.choice([f"{mask:#x}", register])
    mode = random.choice(MODES if not kept else ["bfly", "idx"])  # sums would select lanes of other groups
    segment = (random.choice([0, 16, 24, 28]) if not kept else 0) << 8
    texts = [_shuffle(writer, mode, member, segment, kept, which) for _ in range(random.randrange(3))]
    texts += [_combine(writer, member, f"and.b32 $t, %lane, {kept};", which) for _ in range(random.randrange(1, 3))]
    text = f"and.b32 {bits}, %lane, {kept}; setp.ne.u32 {predicate}, {bits}, {which}; mov.u32 {register}, {mask:#x};"
    return f"{text} @{predicate} bra {over}; {' '.join(texts)} {over}:"


def in_tiles(writer: Writer) -> str:
    """Let all lanes do a warp operation, each within its tile, with a mask for each lane."""
    random, member, first = writer.random, writer.new(), writer.new()
    width = random.choice([32, 16, 16, 8, 4, 2])
    ones = f"mov.u32 {member}, {(1 << width) - 1:#x};"
    text = f"and.b32 {first}, %lane, {32 - width}; {ones} shl.b32 {member}, {member}, {first};"
    if writer.chance(0.3):  # groups of lanes that have the same value
        text = f"and.b32 {first}, {writer.source()}, {random.choice([1, 3])}; match.any.sync.b32 {member}, {first}, -1;"
    else:
        for _ in range(random.randrange(3)):
            text += _shuffle(writer, random.choice(MODES), member, (32 - width) << 8, 0, 0, width)
    for _ in range(random.randrange(1, 3)):
        text += _combine(writer, member, "and.b32 $t, %lane, 1;", random.choice([0, 1]))
    return text


def _shuffle(writer: Writer, mode: str, member: str, segment: int, kept: int, which: int, width: int = 32) -> str:
    """Return a shuffle by a constant or a per-lane value, with its clamp."""
    random, result, predicate = writer.random, writer.new(), writer.new("p")
    free = 31 & ~kept & (width - 1)
    distance = random.choice([each for each in (0, 1, 2, 3, 4, 7, 8, 16, 31) if not each & ~free])
    by, text = str(distance | which * (mode == "idx")), ""
    if mode == "idx" or (writer.chance(0.5) and mode != "bfly"):
        index = writer.new()
        text = f"and.b32 {index}, {writer.source()}, {free}; or.b32 {index}, {index}, {which * (mode == 'idx')};"
        by = random.choice([by, index, index])
    elif writer.chance(0.5):
        index = writer.new()
        text, by = f"and.b32 {index}, %k, {free}; add.u32 {index}, {index}, 0;", index
    most = 0 if mode == "up" else 31 if kept or writer.chance(0.6) else random.choice([0, 1, 3, 7, 15])
    limits = str(segment | most)
    if writer.chance(0.3):
        register = writer.new()
        text, limits = f"{text} mov.u32 {register}, {limits}; add.u32 {register}, {register}, 0;", register
    shuffle = f"shfl.sync.{mode}.b32 {result}|{predicate}, {writer.source()}, {by}, {limits}, {member};"
    inside = writer.new()
    return f" {text} {shuffle} {writer.store(result)} selp.b32 {inside}, 1, 2, {predicate}; {writer.store(inside)}"


def _combine(writer: Writer, member: str, own: str, which: int) -> str:
    """Return a vote, match or reduction; in some, the values differ in lanes that are not members."""
    random, result, value, found = writer.random, writer.new(), writer.source(), writer.new("p")
    bits, holds = writer.new(), writer.new("p")
    own = own.replace("$t", bits)
    predicate = random.choice([
        f"setp.lt.u32 {holds}, {value}, 40;", f"setp.ge.s32 {holds}, {value}, 0;", f"setp.ge.u32 {holds}, {value}, 0;",
        f"{own} setp.eq.u32 {holds}, {bits}, {which};", f"{own} setp.ne.u32 {holds}, {bits}, {which};",
        f"setp.gt.u32 {holds}, %lane, {random.randrange(32)};",
    ])  # fmt: skip
    same = f"and.b32 {bits}, {random.choice([value, value, '%k', '%lane'])}, {random.choice([0, 1, 3, 8])};"
    number = f"selp.b32 {result}, 1, 2, {found};"
    return " " + random.choice([
        f"{predicate} vote.sync.ballot.b32 {result}, {holds}, {member};",
        f"{predicate} vote.sync.{random.choice(['all', 'any', 'uni'])}.pred {found}, {holds}, {member}; {number}",
        f"{predicate} vote.sync.{random.choice(['all', 'any', 'uni'])}.pred {found}, {holds}, {member}; {number}",
        f"{same} match.any.sync.b32 {result}, {bits}, {member};",
        f"{same} match.all.sync.b32 {result}|{found}, {bits}, {member}; {writer.store(result)} {number}",
        f"redux.sync.{random.choice(REDUCTIONS)} {result}, {value}, {member};",
        f"redux.sync.{random.choice(REDUCTIONS)} {result}, {value}, {member};",
        f"or.b32 {bits}, {value}, 0x80000000; redux.sync.{random.choice(REDUCTIONS)} {result}, {bits}, {member};",
        f"or.b32 {bits}, {value}, 0x40; redux.sync.{random.choice(REDUCTIONS)} {result}, {bits}, {member};",
    ]) + " " + writer.store(result)  # fmt: skip
