# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels with atomics: on addresses that many threads share, or contiguous ones of a warp.

Each function takes the writer of the kernel and the context of the statement, and returns its lines.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from support.random_frame import TALLIED, TALLIES, TALLY

if TYPE_CHECKING:
    from support.random_ptx import Context, Writer

# Lines that write $i, up to 31: contiguous, shared by many lanes, shared by few.
INDICES = ["mov.u32 $i, %t10;", "mov.u32 $i, %t10;", "and.b32 $i, $a, 3;", "and.b32 $i, $a, 31;", "and.b32 $i, %t0, 1;",
           "shr.u32 $i, %t10, 2;", "and.b32 $i, $a, 0;", "sub.u32 $i, 31, %t10;", "and.b32 $i, $u, 7;",
           "and.b32 $i, $a, 1; mul.lo.u32 $i, $i, 5;"]  # fmt: skip
# Few values affect a minimum or maximum: some are all below or above one half, so that values beyond it show.
HALVES = {"32": ["and.b32 $v, $a, 0x7fffffff;", "or.b32 $v, $a, 0x80000000;", "and.b32 $v, $a, 0xff;"],
          "64": ["and.b64 $v, $L, 0x7fffffffffffffff;", "or.b64 $v, $L, -9223372036854775808;"]}  # fmt: skip
# Lines that write $v, of the type.
VALUES = {"f32": "and.b32 %t7, $a, 15; cvt.rn.f32.u32 $v, %t7;", "f64": "and.b32 %t7, $a, 15; cvt.rn.f64.u32 $v, %t7;"}


def tally(writer: Writer, context: Context) -> str:
    """Change addresses that all threads share, with commutative operations."""
    return "\n".join(_tally(writer) for _ in range(writer.random.randrange(1, 4)))


def _tally(writer: Writer) -> str:
    number = writer.random.randrange(len(TALLIES))
    op, type_, _ = TALLIES[number]
    size = int(type_[1:]) // 8
    names = {"$i": writer.new("v"), "$q": writer.new("q")}
    start = 4 * (TALLIED + TALLY * number) + writer.random.choice([0, 0, 4, 8, 16]) * size // 4
    head = VALUES.get(type_, "")
    names["$v"] = {"f32": "%f0", "f64": "%e0"}.get(type_, "") or writer.random.choice(["$a", "$b", "1"])
    if type_[1:] == "64" and not head:
        names["$v"] = "$L"
    if op in ("inc", "dec"):
        names["$v"] = "5"
    elif not head and writer.chance(0.7):
        head, names["$v"] = writer.random.choice(HALVES[type_[1:]]), writer.new("v" if size == 4 else "q")
    text = f"{writer.random.choice(INDICES)} {head} mad.wide.u32 $q, $i, {size}, %d4;"
    return _filled(writer, f"{text} red.global.{op}.{type_} [$q+{start}], $v;", names)


# Operations and types whose old values are compared.
ORDERED = [*((op, "u32") for op in ("add", "min", "max", "inc", "dec")), ("add", "s32"), ("min", "s32"), ("max", "s32"),
           *((op, "b32") for op in ("and", "or", "xor", "exch", "cas")), *[("add", "f32")] * 3, ("add", "f64"),
           *((op, "u64") for op in ("add", "min", "max")), ("min", "s64"), ("max", "s64"),
           *((op, "b64") for op in ("and", "or", "xor", "exch"))]  # fmt: skip
# Lines that write $v, whose partial sums depend on the order, and $f, the initial value.
FLOATS = {
    "f32": "and.b32 %t7, $a, 0xffff; cvt.rn.f32.u32 $f, %t7; cvt.rn.f32.s32 $v, $b; mul.f32 $v, $v, 0f3DCCCCCD;",
    "f64": "and.b32 %t7, $a, 0xffff; cvt.rn.f64.u32 $f, %t7; cvt.rn.f64.s32 $v, $b;"
    " mul.f64 $v, $v, 0d3FB999999999999A;",
}
# Lines that write $o, the thread's own address, and $w, its warp's first one.
ADDRESSES = {
    "shared": "shr.u32 $w, %t0, 5; mov.u32 %t8, line; mad.lo.u32 $w, $w, 256, %t8; mad.lo.u32 $o, %t10, $s, $w;",
    "global": "mul.wide.u32 $w, %t10, $s; sub.s64 $w, $o, $w;",
}


def ordered(writer: Writer, context: Context) -> str:
    """Change addresses that only this warp uses, and use the old values: lanes are applied in order.

    PTX leaves the order undefined; on the CPU device and in the interpreter it is that of lane numbers. Between
    two synchronisations each lane does this once.
    """
    meet = "bar.sync 0;" if writer.barriers and context.uniform else "bar.warp.sync -1;" if writer.warps else ""
    if not meet or not writer.full or os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
        return tally(writer, context)
    return "\n".join(_ordered(writer, meet) for _ in range(writer.random.randrange(1, 4)))


def _ordered(writer: Writer, meet: str) -> str:
    random = writer.random
    op, type_ = random.choice(ORDERED)
    if type_ in FLOATS and writer.leaves:  # the memory of lanes that exited is undefined
        op, type_ = "add", "u32"
    size, space = int(type_[1:]) // 8, random.choice(["shared", "global", "global"])
    words = {"$v": "$b" if size == 4 else "$L", "$f": "$c" if size == 4 else "$L", "$d": "$d" if size == 4 else "$l"}
    if type_ in FLOATS:
        words = {"$v": "%f0", "$f": "%f1", "$d": "%f2"} if size == 4 else {"$v": "%e0", "$f": "%e1", "$d": "%e2"}
    names = {
        "$i": writer.new("v"),
        "$s": str(size),
        "$w": writer.new("v"),
        "$o": writer.new("v"),
        "$q": writer.new("v"),
    }
    multiply = f"mad.lo.u32 $q, $i, {size}, $w;"
    if space == "global":
        names |= {"$w": writer.new("q"), "$o": "%d6" if size == 4 else "%d10", "$q": writer.new("q")}
        multiply = random.choice(
            [f"mad.wide.u32 $q, $i, {size}, $w;", f"mul.wide.u32 $q, $i, {size}; add.s64 $q, $q, $w;"]
        )
    kind = f"{'u' if type_ not in FLOATS else 'f'}{8 * size}"
    address_of_lane = f"{random.choice(INDICES)} {multiply}"
    if random.random() < 0.3:  # one address per lane: contiguous
        address_of_lane, names["$q"] = "", names["$o"]
    value = "$f, $v" if op == "cas" else "$v"
    store = random.choice(["", f"st.{space}.{kind} [$o], $f;"]) if space == "global" else f"st.{space}.{kind} [$o], $f;"
    store = f"st.{space}.{kind} [$o], $f;" if type_ in FLOATS else store
    guard = f"{writer.condition('%p4')} @%p4 " if writer.chance(0.2) else ""
    give = {"f32": "mov.b32 $d, %f2;", "f64": "mov.b64 $l, %e2;"}.get(type_, "") if not guard else ""
    text = f"{FLOATS.get(type_, '')} {ADDRESSES[space]} {store} {address_of_lane} {meet} "
    text += f"{guard}atom.{space}.{op}.{type_} $d, [$q], {value}; {meet}"
    for letter, word in words.items():
        text = text.replace(letter, word)
    return _filled(writer, f"{text} {give}", names)


def _filled(writer: Writer, text: str, names: dict[str, str]) -> str:
    for letter, name in names.items():
        text = text.replace(letter, name)
    return writer.fill(text)
