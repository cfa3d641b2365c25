# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels in the patterns of real programs that the compiler optimises.

Grid-stride loops through memory, gathers by 32-bit indices, histograms. Each function takes the writer of the
kernel and the context of the statement, and returns its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from support.random_atomics import tally
from support.random_edges import beside, gather_near_edge, near_edge, short_arms, window
from support.random_frame import COUNTERS, LONG, READABLE

if TYPE_CHECKING:
    from support.random_ptx import Context, Writer

SIZES = {"u32": 4, "s32": 4, "f32": 4, "v2.u32": 8, "u64": 8, "u16": 2, "s8": 1}
PAGES = [300, 1024, 1024, 1500, 2048]  # strides of a loop, in elements
MOST_ROUNDS = 6000  # of all threads


@dataclass(frozen=True)
class Long:
    """How a kernel uses its long array: one type and one stride, so that each element is changed by one thread only."""

    type_: str
    step: int  # elements
    times: int  # the number of threads of the grid, which is the stride
    written: bool

    @property
    def elements(self) -> int:
        return 4 * LONG // SIZES[self.type_]


def choose_long(random: Random, threads: int) -> Long:
    type_ = random.choice(["u32", "u32", "u32", *SIZES])
    times = -(-random.choice(PAGES) * (4 // SIZES[type_] or 1) // threads)
    return Long(type_, times * threads, times, written=random.random() < 0.5)


# --- loops with long steps ------------------------------------------------------------------------------


def stride_loop(writer: Writer, context: Context) -> str:
    """Loop through the long array, from the thread's index in the grid on."""
    random, long, number = writer.random, writer.long, writer.name()
    size = SIZES[long.type_]
    most = max(1, min(long.elements // long.step, writer.most_rounds // writer.all_threads))
    rounds = min(most, random.choice([1, 3, 5, 5, 9, 17]))
    bound = max(1, long.step * rounds - random.choice([0, 0, 1, 31, 77, long.step // 2]))
    form = random.choice([_by_index, _by_index, _by_index_at_end, _by_pointer, _by_long_index, _downward])
    index, address, stop = writer.new("v"), writer.new("q"), writer.new("k")
    names = {"$i": index, "$q": address, "$z": writer.new("q"), "$p": stop, "$n": str(bound), "$s": _step(writer, long),
             "$L": f"L{number}", "$T": f"T{number}", "$S": str(size), "$I": writer.new("q"),
             "$F": str(long.step * (rounds - 1))}  # fmt: skip
    text = form(writer, _body(writer, long, f"T{number}"))
    if names["$s"].startswith("%"):
        text = f"mul.lo.u32 {names['$s']}, %g17, {long.times};\n{text}"
    for letter, name in names.items():
        text = text.replace(letter, name)
    return writer.fill(text)


def _step(writer: Writer, long: Long) -> str:
    return writer.new("v") if writer.chance(0.5) else str(long.step)


def _widen(writer: Writer) -> str:
    return writer.random.choice([
        "mul.wide.u32 $z, $i, $S; add.s64 $q, %d13, $z;", "mul.wide.s32 $z, $i, $S; add.s64 $q, $z, %d13;",
        "mad.wide.u32 $q, $i, $S, %d13;", "cvt.u64.u32 $z, $i; mad.lo.s64 $q, $z, $S, %d13;",
    ])  # fmt: skip


def _by_index(writer: Writer, body: str) -> str:
    test = writer.random.choice(["ge.u32", "ge.s32", "hs.u32"])
    return (
        f"mov.u32 $i, %t2;\n$L: setp.{test} $p, $i, $n;\n@$p bra $T;\n{_widen(writer)}\n{body}\n"
        "add.u32 $i, $i, $s;\nbra.uni $L;\n$T:"
    )


def _by_index_at_end(writer: Writer, body: str) -> str:
    kind = writer.random.choice(["u32", "s32"])
    return (
        f"mov.u32 $i, %t2; setp.ge.{kind} $p, $i, $n;\n@$p bra $T;\n$L: {_widen(writer)}\n{body}\n"
        f"add.{kind} $i, $i, $s; setp.lt.{kind} $p, $i, $n;\n@$p bra $L;\n$T:"
    )


def _by_pointer(writer: Writer, body: str) -> str:
    return (
        "mov.u32 $i, %t2; setp.ge.u32 $p, $i, $n;\n@$p bra $T;\nmad.wide.u32 $q, $i, $S, %d13;"
        " cvt.u64.u32 $z, $s; mul.lo.s64 $z, $z, $S;\n"
        f"$L: {body}\nadd.s64 $q, $q, $z; add.u32 $i, $i, $s; setp.lt.u32 $p, $i, $n;\n@$p bra $L;\n$T:"
    )


def _by_long_index(writer: Writer, body: str) -> str:
    return (
        "cvt.u64.u32 $I, %t2; cvt.u64.u32 $z, $s;\n$L: setp.ge.s64 $p, $I, $n;\n@$p bra $T;\n"
        f"mad.lo.s64 $q, $I, $S, %d13;\n{body}\nadd.s64 $I, $I, $z;\nbra.uni $L;\n$T:"
    )


def _downward(writer: Writer, body: str) -> str:
    return (
        "add.u32 $i, %t2, $F;\n$L: mad.wide.s32 $q, $i, $S, %d13;\n"
        f"{body}\nsub.s32 $i, $i, $s; setp.ge.s32 $p, $i, 0;\n@$p bra $L;\n$T:"
    )


def _body(writer: Writer, long: Long, end: str) -> str:
    """Load elements, use them, and perhaps change one that belongs to the thread."""
    random = writer.random
    loads, value = _load(writer, long, 0)
    text = loads
    if not long.written:
        for offset in random.sample([1, 2, 31, 64], random.randrange(3)):
            more, other = _load(writer, long, offset)
            text += f" {more} xor.b32 {value}, {value}, {other};"
    text += " " + random.choice([
        f"add.u32 $d, $d, {value};", f"xor.b32 $d, {value}, $d;", f"mad.lo.u32 $d, $d, 3, {value};",
        f"max.s32 $d, $d, {value};", f"cvt.rn.f32.s32 %f0, {value}; add.f32 $x, $x, %f0;",
    ])  # fmt: skip
    if writer.chance(0.4):
        text += f" {_meeting_arm(writer, value)}"
    if writer.chance(0.15):
        text += f" setp.eq.u32 %p5, {value}, 7;\n@%p5 bra {end};\n"
    if writer.chance(0.3):
        operation, word = random.choice([("add.u32", 56 + 4), ("xor.b32", 24), ("max.u32", 16), ("and.b32", 52)])
        text += f" red.global.{operation} [%d4+{word}], {value};"
    if writer.chance(0.15):
        text += f" {writer.compute()}"
    if long.written:
        text += _store(writer, long, value)
    return text


def _load(writer: Writer, long: Long, offset: int) -> tuple[str, str]:
    value, address = writer.new("v"), f"[$q+{offset * SIZES[long.type_]}]"
    if long.type_ == "f32":
        float_ = writer.new("c")
        return f"ld.global.f32 {float_}, {address}; mov.b32 {value}, {float_};", value
    if long.type_ == "u64":
        wide = writer.new("q")
        return f"ld.global.u64 {wide}, {address}; shr.u64 {wide}, {wide}, 7; cvt.u32.u64 {value}, {wide};", value
    if long.type_ == "v2.u32":
        other = writer.new("v")
        return f"ld.global.v2.u32 {{{value}, {other}}}, {address}; sub.u32 {value}, {value}, {other};", value
    return f"ld.global.{long.type_} {value}, {address};", value


def _store(writer: Writer, long: Long, value: str) -> str:
    new = writer.new("v")
    text = f" mad.lo.u32 {new}, {value}, 5, $a;"
    if long.type_ == "f32":
        return f"{text} st.global.b32 [$q], {new};"
    if long.type_ == "u64":
        wide = writer.new("q")
        return f"{text} cvt.u64.u32 {wide}, {new}; mul.lo.u64 {wide}, {wide}, 0x10001; st.global.u64 [$q], {wide};"
    if long.type_ == "v2.u32":
        return f"{text} st.global.v2.u32 [$q], {{{new}, {value}}};"
    return f"{text} st.global.{long.type_} [$q], {new};"


def _meeting_arm(writer: Writer, value: str) -> str:
    number = writer.name()
    condition = writer.random.choice(["gt.u32 %p4, $v, 20", "lt.s32 %p4, $v, 0", "ne.u32 %p4, $v, $a"])
    inside = writer.random.choice(["add.u32 $d, $d, 1;", "red.shared.add.u32 [cells], $v;", "sub.u32 $d, $v, $d;"])
    return f"setp.{condition};\n@%p4 bra M{number};\n{inside}\nM{number}: ".replace("$v", value)


# --- gathers, histograms --------------------------------------------------------------------------------

# Indices of a thread: lines that write $i, and its bounds.
INDICES: list[tuple[str, int, int]] = [
    ("and.b32 $i, $a, 63;", 0, 63),
    ("and.b32 $i, $a, 63; sub.s32 $i, $i, 32;", -32, 31),
    ("ld.global.u8 $i, [%d3+$j];", 0, 255),
    ("ld.global.s8 $i, [%d3+$j];", -128, 127),
    ("cvt.u32.u8 $i, $a;", 0, 255),
    ("cvt.s32.s8 $i, $a;", -128, 127),
    ("and.b32 %t8, $a, 0; or.b32 $i, %t10, %t8;", 0, 31),  # happens to be contiguous
    ("and.b32 %t8, $a, 0; mad.lo.u32 $i, %t10, 2, %t8;", 0, 62),
    ("and.b32 %t8, $a, 0; sub.s32 $i, %t8, %t10;", -31, 0),
    ("ld.shared.u8 $i, [%t3+1];", 0, 255),
]
WIDENINGS = [
    "mul.wide.s32 $q, $i, $S; add.s64 $q, $q, %d2;",
    "mad.wide.s32 $q, $i, $S, %d2;",
    "cvt.s64.s32 $q, $i; shl.b64 $q, $q, $s; add.s64 $q, %d2, $q;",
    "cvt.s64.s32 $q, $i; mad.lo.s64 $q, $q, $S, %d2;",
    "shl.b32 $i, $i, $s; cvt.s64.s32 $q, $i; add.s64 $q, %d2, $q;",
    "cvt.u64.u32 $q, $i; shl.b64 $q, $q, 32; shr.s64 $q, $q, 32; mad.lo.s64 $q, $q, $S, %d2;",
]
UNSIGNED = [
    "mul.wide.u32 $q, $i, $S; add.s64 $q, $q, %d2;",
    "cvt.u64.u32 $q, $i; shl.b64 $q, $q, $s; add.s64 $q, %d2, $q;",
]


def gather(writer: Writer, context: Context) -> str:
    """Read the input by a 32-bit index, or by one that may be widened."""
    random = writer.random
    lines, low, high = random.choice(INDICES)
    type_, shift = random.choice([("u32", 2), ("u32", 3), ("u16", 1), ("u8", 0), ("s16", 2), ("f32", 2)])
    widen = random.choice(WIDENINGS + UNSIGNED * (low == 0))
    offset = -low << shift
    assert (high << shift) + offset + 8 <= 4 * READABLE
    names = {"$i": writer.new("v"), "$q": writer.new("q"), "$S": str(1 << shift), "$s": str(shift),
             "$j": str(random.randrange(64))}  # fmt: skip
    text = f"{lines} {widen}"
    for letter, name in names.items():
        text = text.replace(letter, name)
    to = "%f0" if type_ == "f32" else "$d"
    text += f" ld.global.{type_} {to}, [{names['$q']}+{offset}];"
    return writer.fill(text + " mov.b32 $d, %f0;" * (type_ == "f32"))


def histogram(writer: Writer, context: Context) -> str:
    """Count in bins in shared or global memory; some add up the old values."""
    random = writer.random
    index, _, _ = random.choice([each for each in INDICES if each[1] == 0])
    index = index.replace("$i", "%t7").replace("$j", str(random.randrange(64)))
    value = random.choice(["1", "1", "$b"])
    if writer.chance(0.6):
        where = "mov.u32 %t8, bins; mad.lo.u32 %t12, %t7, 4, %t8;"
        return writer.fill(f"{index} {where} red.shared.add.u32 [%t12], {value};")
    return writer.fill(f"{index} mad.wide.u32 %d5, %t7, 4, %d4; red.global.add.u32 [%d5+128], {value};")


def count(writer: Writer, context: Context) -> str:
    """Take numbers from a counter, each once; their sum does not depend on the order."""
    spot = writer.random.randrange(4)
    index = writer.random.choice([f"mov.u32 %t7, {spot};", "and.b32 %t7, $a, 3;", "and.b32 %t7, %t0, 1;"])
    form = writer.random.choice([
        "mov.u32 %t8, counters; mad.lo.u32 %t8, %t7, 4, %t8; atom.shared.add.u32 %t12, [%t8], 1;",
        "mov.u32 %t8, counters; mad.lo.u32 %t8, %t7, 4, %t8; atom.shared.inc.u32 %t12, [%t8+16], 6;",
        f"mad.wide.u32 %d5, %t7, 4, %d4; atom.global.add.u32 %t12, [%d5+{4 * COUNTERS}], 1;",
        f"mad.wide.u32 %d5, %t7, 4, %d4; atom.global.inc.u32 %t12, [%d5+{4 * COUNTERS + 16}], 6;",
        f"mad.wide.u32 %d5, %t7, 8, %d4; atom.global.add.u64 %d0, [%d5+{4 * COUNTERS + 32}], 1; cvt.u32.u64 %t12, %d0;",
        f"mad.wide.u32 %d5, %t7, 4, %d4; atom.global.add.f32 %f0, [%d5+{4 * COUNTERS + 64}], 0f3F800000;"
        " cvt.rzi.u32.f32 %t12, %f0;",
    ])  # fmt: skip
    guard = f"{writer.condition('%p5')} @%p5 " if writer.chance(0.3) else ""
    if guard:
        return writer.fill(f"{guard}atom.global.add.u32 %t7, [%d4+56], 1; @%p5 red.global.add.u32 [%d4+60], %t7;")
    return writer.fill(f"{index} {form} red.global.add.u32 [%d4+{4 * COUNTERS + 80}], %t12;")


def swap_in(writer: Writer, context: Context) -> str:
    """Exchange a number and add up the old values; `Case.check` adds the remaining one."""
    return writer.fill(
        f"atom.global.exch.b32 %t7, [%d4+{4 * COUNTERS + 84}], $a; red.global.add.u32 [%d4+{4 * COUNTERS + 88}], %t7;"
    )


ANYWHERE: list[Callable] = [
    stride_loop,
    stride_loop,
    gather,
    gather,
    histogram,
    count,
    count,
    swap_in,
    tally,
    tally,
    near_edge,
    short_arms,
    short_arms,
    beside,
    gather_near_edge,
    window,
]
