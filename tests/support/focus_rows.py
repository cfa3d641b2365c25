# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with affine values, which grow by a constant per lane and may wrap around."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

SOURCES = ["%tid.x", "%tid.x", "%laneid", "%tx", "%lane", "%tid", "%all", "%tid.y", "%tid.z"]
ENDS = [0, 0, 0x80000000, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000, 0x8000, 0x40000000]
SHIFTS = [0, 1, 2, 4, 5, 27, 31, 32, 33, 40, -1, -1]
MASKS = [1, 3, 7, 16, 24, 28, 30, 31, 32, 63, 64, 96]
DISTANCES = [0, 1, 3, 8, 14, 15, 17, 24, 30, 30, 30, 31, 31, 33]
FACTORS = ["2", "3", "4", "-1", "-2", "5", "-4", "0x8000000", "0x10000000", "0x7fffffff", "0x80000001",
           "-0x7ffffff0", "40"]  # fmt: skip
# Lines that compute $d from $a, which mostly grows from lane to lane.
STEPS = [
    "mul.lo.u32 $d, $a, $f;", "mad.lo.s32 $d, $a, $f, %number;", "mad.lo.s32 $d, $a, $f, 7;",
    "mad.lo.s32 $d, $a, $f, %tx;", "mad.lo.s32 $d, $a, $f, %k;", "shl.b32 $d, $a, $n;", "shl.b32 $d, $a, $n;",
    "sub.u32 $d, 31, $a;", "sub.u32 $d, 0, $a;", "add.u32 $d, $a, %tx;", "sub.u32 $d, $a, %number;",
    "sub.u32 $d, $a, %lane;", "and.b32 $d, $a, $m;", "and.b32 $d, $a, $m;", "shr.u32 $d, $a, $n;",
    "shr.u32 $t, $a, $s; and.b32 $d, $t, $m;", "mad.lo.u32 $d, $a, %number, 9;", "mad.lo.u32 $d, $a, %k, 9;",
]  # fmt: skip
LAST = [
    "add.$k32 $d, $a, $e;", "add.$k32 $d, $a, $e;", "sub.$k32 $d, $e, $a;", "mad.lo.$k32 $d, $a, 3, $e;",
    "mad.lo.$k32 $d, $a, -2, $e;", "mad.lo.$k32 $d, $a, -1, $e;", "mov.u32 $d, $a;", "mul.lo.u32 $d, $a, $f;",
]  # fmt: skip
# Lines that compute $d, or the bits of $q, from a number $a that may have wrapped around; the first ten make it wider.
USES = [
    "mul.wide.$k32 $q, $a, 4;", "mul.wide.$k32 $q, $a, 8;", "mul.wide.$k32 $q, $a, 1;", "mul.wide.$k32 $q, $a, $f;",
    "mul.wide.$k32 $q, $a, $f;", "mul.wide.$k32 $q, $a, %number;", "mul.wide.$k32 $q, $a, %k;",
    "mad.wide.$k32 $q, $a, $f, %s2;", "cvt.$k64.$k32 $q, $a;", "cvt.$k64.$k32 $q, $a; shl.b64 $q, $q, 2;",
    "mul.wide.u32 $q, $a, 2; mov.b64 {$t, $d}, $q; cvt.s64.s32 $q, $a; add.s64 $q, $q, $q;",
    "cvt.u16.u32 $h, $a; cvt.$k32.$k16 $d, $h;", "cvt.u16.u32 $h, $a; mul.wide.$k16 $d, $h, 3;",
    "cvt.u16.u32 $h, $a; mul.wide.$k16 $d, $h, 4;", "cvt.u16.u32 $h, $a; cvt.$k64.$k16 $q, $h;",
    "cvt.u16.u32 $h, $a; add.u16 $h, $h, 0x7ff8; cvt.$k64.$k16 $q, $h;", "cvt.$k32.$k16 $d, $a; shl.b32 $d, $d, 1;",
    "mad.lo.u32 $d, $a, 5, %tx;", "sub.u32 $d, %tx, $a;", "setp.$c.$k32 $p, $a, $e; selp.b32 $d, %tx, 7, $p;",
    "setp.$c.$k32 $p, $a, $e; @$p bra $l; mad.lo.u32 $d, $d, 3, 1; $l:",
    "setp.$c.$k32 $p, $e, $a; @$p bra $l; mad.lo.u32 $d, $d, 3, 1; $l:",
]  # fmt: skip


def near_end(writer: Writer, kind: str, falls: bool = False) -> int:
    """Return a number near the wrap-around of unsigned ("u") or signed ("s") 32-bit integers, or of other types.

    It is mostly one from which numbers wrap around that grow from lane to lane, or fall.
    """
    random = writer.random
    end = (0 if kind == "u" else 0x80000000) if writer.chance(0.85) else random.choice(ENDS)
    return (end + random.choice(DISTANCES) * random.choice([1, 1, -1] if falls else [-1, -1, 1])) & 0xFFFFFFFF


def fill(writer: Writer, line: str, kind: str, **given: str) -> str:
    """Replace the letters of a line by registers and numbers: those `given`, and random ones."""
    random = writer.random
    values = {
        "$f": random.choice(FACTORS), "$n": str(random.choice(SHIFTS)), "$m": str(random.choice(MASKS)),
        "$s": random.choice("124"), "$e": f"{near_end(writer, kind, 'sub.$k32 $d, $e' in line or ', -' in line):#x}",
        "$k": kind,
        "$c": random.choice(["lt", "le", "gt", "ge", "eq", "ne"]),
    }  # fmt: skip
    values |= {f"${letter}": value for letter, value in given.items()}
    for letter, register in (("$t", "r"), ("$h", "h"), ("$p", "p")):
        values[letter] = writer.new(register)
    values["$l"] = writer.label()
    for letter, value in values.items():
        line = line.replace(letter, value)
    return line


def row(writer: Writer, kind: str) -> tuple[str, str]:
    """Return lines that compute a 32-bit number that mostly grows by a constant from lane to lane, and its register."""
    random, register, result = writer.random, writer.new(), writer.new()
    text = f"mov.u32 {register}, {random.choice(SOURCES)};"
    if writer.chance(0.6):
        end = writer.choice("add.$k32 $d, $a, $e;", "sub.$k32 $d, $e, $a;")
        return f"{text} {fill(writer, end, kind, a=register, d=result)}", result
    for _ in range(random.choice([0, 1, 1, 2])):
        before, register = register, writer.new()
        text += " " + fill(writer, random.choice(STEPS), kind, a=before, d=register)
    text += " " + fill(writer, random.choice(LAST), kind, a=register, d=result)
    if writer.chance(0.15):  # some lanes have another number
        predicate = writer.new("p")
        line = writer.choice("add.u32 $d, $d, 4;", "mov.u32 $d, $a;", "add.u32 $d, $a, $e;")
        change = fill(writer, line, kind, a=register, d=result)
        guarded = f"{writer.condition(predicate)} @{predicate} {change}"
        text += f" {writer.choice(guarded, writer.some(change))}"
    return text, result


def widened(writer: Writer) -> str:
    """Widen or compare a number that may wrap around, and store the result."""
    kind = writer.choice("u", "s")  # of the number; it is mostly used as such
    (text, index), wide, result = row(writer, kind), writer.new("q"), writer.new()
    use = writer.random.choice(USES[:10] if writer.chance(0.3) else USES)
    kind = kind if writer.chance(0.8) else "us"[kind == "u"]
    text += f" mov.u32 {result}, %tx; {fill(writer, use, kind, a=index, d=result, q=wide)} {writer.store(result)}"
    if "$q" in use:
        low, high = writer.new(), writer.new()
        text += f" mov.b64 {{{low}, {high}}}, {wide}; {writer.store(low)} {writer.store(high)}"
    return writer.some(text) if writer.chance(0.5) else text


def row_access(writer: Writer) -> str:
    """Access an array by an index that may wrap around, in the lanes for which it is within the array.

    Addresses are relative to the index of the first lane, so that some lanes are within the array.
    """
    random, index, address, predicate = writer.random, writer.new(), writer.new("q"), writer.new("p")
    kind, size, falls = writer.choice("u", "s"), random.choice([4, 4, 4, 4, 8, 2, 1]), writer.chance(0.3)
    wraps = writer.chance(0.4)  # in some lanes, and those are within the array
    end = near_end(writer, kind, falls)
    if wraps:
        end = ((0 if kind == "u" else 1 << 31) + random.randrange(1, 31) * (1 if falls else -1)) & 0xFFFFFFFF
    source, begin = writer.choice("%tid.x", "%laneid", "%tx", "%lane", "%tid"), writer.new()
    first = end - (1 << 32) if kind == "s" and end >> 31 else end
    other = 1 << 32 if falls else -(1 << 32)
    if wraps or writer.chance(0.5):
        first += other if wraps else random.choice([-31, 31, -other, other, other, other + 40])
    step = -1 if falls else 1 if wraps else random.choice([1, 1, 0, 2])
    text = f"mov.u32 {begin}, {source}; {_times(begin, step)} add.{kind}32 {index}, {begin}, {end:#x};"
    factor = -size if falls else size  # addresses grow
    wide = f"cvt.{kind}64.{kind}32 {address}, {index};"
    forms = [f"{wide} mul.lo.s64 {address}, {address}, {factor};"]
    if not falls:
        forms.append(f"{wide} shl.b64 {address}, {address}, {size.bit_length() - 1};")
    if not falls or kind == "s":
        forms.append(f"mul.wide.{kind}32 {address}, {index}, {factor};")
    text += f" {random.choice(forms)} add.s64 {address}, {address}, {-factor * first};"
    text += f" setp.lt.u64 {predicate}, {address}, {min(128 * size, 512)};"
    text += access(writer, address, predicate, size)
    return writer.some(text) if wraps or writer.chance(0.5) else text


def _times(register: str, step: int) -> str:
    return {1: "", 0: f"and.b32 {register}, {register}, 0;"}.get(step, f"mul.lo.s32 {register}, {register}, {step};")


def access(writer: Writer, address: str, predicate: str, size: int) -> str:
    """Return a load for the lanes with the predicate, in one of several forms."""
    result, letter, over = writer.new("q" if size == 8 else "r"), "q" if size == 8 else "r", writer.label()
    base, small = writer.new("q"), writer.new("q")
    first = f"mov.u{64 if letter == 'q' else 32} {result}, 7;"
    store = writer.store(result, "u64" if size == 8 else "u32")
    form = writer.random.randrange(4)
    access = f"ld.global.u{8 * size} {result}, [{base}];"
    if form == 0:
        return f" {first} add.s64 {base}, {address}, %in; @{predicate} {access} {store}"
    if form == 1:
        return f" {first} @!{predicate} bra {over}; add.s64 {base}, {address}, %in; {access} {over}: {store}"
    if form == 2:
        return f" selp.b64 {small}, {address}, 64, {predicate}; add.s64 {base}, {small}, %in; {access} {store}"
    return f" add.s64 {base}, {address}, %in; {first} @!{predicate} bra {over}; {access} {over}: {store}"


def in_loop(writer: Writer) -> str:
    """Advance an affine index in a loop, across its wrap-around."""
    random, index, sum_, count = writer.random, writer.new(), writer.new(), writer.new()
    wide, high, low, predicate, again = writer.new("q"), writer.new(), writer.new(), writer.new("p"), writer.label()
    kind, step = writer.choice("u", "s"), writer.choice("16", "8", "1", "-16", "32", "%number", "%ty", "0x40000000")
    start = near_end(writer, kind)
    rounds = writer.choice("3", "2", "5")
    limit = writer.new()
    bound = writer.choice(f"mov.u32 {limit}, {rounds};", f"and.b32 {limit}, %a1, 3;", f"and.b32 {limit}, %k, 3;")
    widen = writer.choice(f"mul.wide.{kind}32 {wide}, {index}, 4;", f"cvt.{kind}64.{kind}32 {wide}, {index};")
    inside, near, value, base = writer.new("p"), writer.new("q"), writer.new(), writer.new("q")
    use = f"mov.b64 {{{low}, {high}}}, {wide}; xor.b32 {sum_}, {sum_}, {high}; add.u32 {sum_}, {sum_}, {low};"
    if "mul" in widen and writer.chance(0.6):  # of a row of memory
        first = start - (1 << 32) if kind == "s" and start >> 31 else start
        use = (
            f"add.s64 {near}, {wide}, {-4 * first}; setp.lt.u64 {inside}, {near}, 512; add.s64 {base}, {near}, %in;"
            f" mov.u32 {value}, 3; @{inside} ld.global.u32 {value}, [{base}]; mad.lo.u32 {sum_}, {sum_}, 5, {value};"
        )
    text = (
        f"mov.u32 {index}, {random.choice(SOURCES)}; add.u32 {index}, {index}, {start:#x}; mov.u32 {sum_}, 0;"
        f" mov.u32 {count}, 0; {bound} {again}: {widen} {use} add.u32 {index}, {index}, {step};"
        f" add.u32 {count}, {count}, 1; setp.le.u32 {predicate}, {count}, {limit}; @{predicate} bra {again};"
        f" {writer.store(sum_)} {writer.store(index)}"
    )
    return writer.some(text) if writer.chance(0.3) else text
