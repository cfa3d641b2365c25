# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with indices that each lane chooses: clamped ones, and those of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

SOURCES = ["%tid.x", "%tid.x", "%tx", "%laneid", "%lane", "%tid", "%tid.y", "%ty"]
FARTHEST = 40  # from the source
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
PREDICATES = [
    "setp.$c.s32 $p, $x, $n;", "setp.$c.s32 $p, $x, $n;", "setp.$c.u32 $p, $n, $x;", "setp.$c.s32 $p, %ty, 1;",
    "setp.$c.s32 $o, $x, $n; setp.$c.s32 $q, %ty, 1; $b.pred $p, $o, $q;", "setp.$c.s32 $p, %number, $n;",
    "setp.$c.s32 $o, %g4, 0; setp.$c.$b.s32 $p, %ty, 2, $o;", "setp.$c.s32 $o, %ty, 0; not.pred $p, $o;",
    "setp.$c.s32 $o, %ty, 1; setp.$c.$b.s32 $p, $x, $n, !$o;",
]  # fmt: skip


def _predicate(writer: Writer, index: str) -> tuple[str, str]:
    predicate = writer.new("p")
    if writer.chance(0.2):
        return writer.condition(predicate), predicate
    line = writer.random.choice(PREDICATES)
    values = {"$p": predicate, "$o": writer.new("p"), "$q": writer.new("p"), "$x": index,
              "$n": str(writer.random.randrange(-2, 34)), "$b": writer.choice("and", "or", "xor")}  # fmt: skip
    for letter, value in values.items():
        line = line.replace(letter, value)
    while "$c" in line:
        line = line.replace("$c", writer.random.choice(COMPARISONS), 1)
    return line, predicate


def _operand(writer: Writer, index: str) -> tuple[str, str]:
    """Return lines that compute a number near an index, or a constant one."""
    random, result = writer.random, writer.new()
    far = random.choice([-1, 1, random.randrange(-FARTHEST, FARTHEST)])
    form = random.randrange(5)
    if form == 0:
        return "", str(random.randrange(-FARTHEST, 90))
    if form == 1:
        return f"mov.u32 {result}, {writer.choice('%number', '%ty', str(random.randrange(90)))};", result
    if form == 2:
        return "", index
    return f"add.s32 {result}, {index}, {far};", result


def _chosen(writer: Writer, index: str, before: str) -> tuple[str, str]:
    """Return lines that choose between an index and another one, and the register of the result."""
    random, result = writer.random, writer.new()
    more, other = _operand(writer, index)
    pair = [before, other] if writer.chance(0.7) else [other, before]
    if writer.chance(0.5):
        return (
            f"{more} {random.choice(['min', 'max'])}.{writer.choice('s', 's', 'u')}32 {result}, {', '.join(pair)};",
            result,
        )
    test, predicate = _predicate(writer, index)
    return f"{more} {test} selp.{writer.choice('b', 'u', 's')}32 {result}, {', '.join(pair)}, {predicate};", result


def choices(writer: Writer) -> str:
    """Load elements of the input by an index that each lane chooses, there or behind a branch or barrier."""
    random, index, size = writer.random, writer.new(), writer.random.choice([4, 4, 4, 4, 4, 4, 1])
    more, chosen = ("", index) if writer.chance(0.5) else _operand(writer, index)
    text = f"mov.u32 {index}, {random.choice(SOURCES)}; {more}"
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        more, chosen = _chosen(writer, index, chosen)
        text += f" {more}"
    wide, address, first, biased = writer.new("q"), writer.new("q"), 160, writer.chance(0.4)  # indices are above -160
    steps = [random.choice(["add.s32 $d, $a, 5;", "sub.s32 $d, 50, $a;", "sub.s32 $d, $a, 3;", "", "", "", ""])]
    for step in [*steps, f"add.s32 $d, $a, {first};" * biased]:
        if step:
            before, chosen = chosen, writer.new()
            text += f" {step.replace('$d', chosen).replace('$a', before)}"
    kind = "u" if biased and writer.chance(0.5) else "s"
    text += " " + writer.choice(
        f"mul.wide.{kind}32 {wide}, {chosen}, {size}; add.s64 {address}, {wide}, %in;",
        f"mad.wide.{kind}32 {address}, {chosen}, {size}, %in;",
        f"cvt.{kind}64.{kind}32 {wide}, {chosen}; mad.lo.s64 {address}, {wide}, {size}, %in;",
    )
    offset = 0 if biased else first * size
    for _ in range(random.choice([1, 1, 2])):
        target = writer.new()
        load = f"ld.global.u{8 * size} {target}, [{address}+{offset}]; {writer.store(target)}"
        form = random.randrange(4)
        if form == 0 and not writer.leaves:
            text += f" bar.sync 0; {load}"
        elif form == 1:
            never, over = writer.new("p"), writer.label()
            text += f" setp.eq.u32 {never}, %number, 77; @{never} bra {over}; {load} {over}:"
        else:
            text += f" {writer.some(load)}" if form == 2 else f" {load}"
    return text if writer.chance(0.8) or "bar" in text else writer.some(text)
