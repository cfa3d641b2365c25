# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 - a statement of PTX is read as one line
"""Random kernels of a few short statements, each of which stores what it makes: they compile fast and hide nothing.

They have what larger random kernels seldom come to: member masks of some lanes, gathers of all sizes, indices that wrap
around, indirect calls with parameters in registers, special numbers, variables of mixed alignments.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from support.lane_threads import Grid

from cuda.cpu.ptx.program import build

if TYPE_CHECKING:
    from support.loaded import Loaded

WORDS = 32  # of the output, for each thread
FREE = 8  # arrays of a word for each thread of the grid, in which threads write where others would
BLOCKS = [(32, 1, 1), (64, 1, 1), (32, 2, 1), (16, 4, 1), (8, 4, 2), (96, 1, 1)]
EDGES = [0, 1, 2, 31, 32, 33, 40, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x7F800000, 0xFF800000,
         0x7FC00000, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0xC0200000, 0x7F000000, 0xFF000000, 0x42FE0000,
         0x43800000, 0xC3800000, 0x3F800000, 0xFFFF, 0x8000, 0x80]  # fmt: skip
FUNCTIONS = """\
.func (.reg .u32 r) plus(.reg .u32 a, .reg .b32 b) { add.u32 r, a, b; ret; }
.func (.reg .u32 r) minus(.reg .u32 a, .reg .b32 b) { sub.u32 r, a, b; xor.b32 r, r, 77; ret; }
.func (.reg .u32 r) early(.reg .u32 a, .reg .b32 b) {
    .reg .pred %p1; mul.lo.u32 r, a, 3; setp.gt.u32 %p1, a, b; @%p1 ret; add.u32 r, r, b; ret; }
.func (.param .b32 r, .param .b32 s) both(.param .b32 a, .param .align 8 .b8 more[16]) {
    .reg .b32 %r<6>; .local .align 8 .b8 own[24];
    ld.param.b32 %r1, [a]; ld.param.v2.b32 {%r2, %r3}, [more+8]; ld.param.b32 %r4, [more]; ld.param.u8 %r5, [more+5];
    st.local.u32 [own+20], %r2; sub.u32 %r3, %r3, %r4; add.u32 %r1, %r1, %r5; ld.local.u32 %r2, [own+20];
    xor.b32 %r2, %r2, %r1; st.param.b32 [r], %r2; st.param.b32 [s], %r3; ret; }
.global .align 8 .u64 table[4] = {plus, minus, early, plus};
"""
INTEGERS = """\
add.s32 $d, $a, $b;|sub.u32 $d, $a, $b;|mul.hi.u32 $d, $a, $b;|mul.hi.s32 $d, $a, $b;|sad.s32 $d, $a, $b, $c;
sad.u32 $d, $a, $b, $c;|shl.b32 $d, $a, $n;|shr.u32 $d, $a, $n;|shr.s32 $d, $a, $n;|bfind.u32 $d, $a;|bfind.s32 $d, $a;
and.b32 %t1, $b, 511; bfe.s32 $d, $a, %t1, $n;|and.b32 %t1, $b, 511; bfe.u32 $d, $a, $n, %t1;|bfi.b32 $d, $a, $b, $n, 9;
shf.l.clamp.b32 $d, $a, $b, $n;|shf.r.clamp.b32 $d, $a, $b, $n;|shf.l.wrap.b32 $d, $a, $b, $n;|prmt.b32 $d, $a, $b, $c;
lop3.b32 $d, $a, $b, $c, 0x1d;|lop3.b32 $d, $a, $b, $c, 0xe4;|slct.b32.s32 $d, $a, $b, $c;|dp4a.s32.u32 $d, $a, $b, $c;
dp4a.u32.s32 $d, $a, $b, $c;|setp.lt.u32 %p1, $a, $b; selp.b32 $d, 1, $c, %p1;|setp.gt.s32 %p1|%p2, $a, $b; selp.b32 $d, 1, 2, %p2;
sub.cc.u32 %t1, $a, $b; subc.u32 $d, $c, 5;|add.cc.u32 %t1, $a, $b; addc.u32 $d, $c, 0;|popc.b32 $d, $a;|clz.b32 $d, $a;
or.b32 %t1, $b, 1; div.s32 $d, $a, %t1;|or.b32 %t1, $b, 1; rem.s32 $d, $a, %t1;|or.b32 %t1, $b, 2; div.u32 $d, $a, %t1;
mov.b64 %q1, {$a, $b}; mov.b64 %q2, {$c, $a}; mul.hi.u64 %q1, %q1, %q2; mov.b64 {%t1, $d}, %q1;
mov.b64 %q1, {$a, $b}; mov.b64 %q2, {$c, $a}; mul.hi.s64 %q1, %q1, %q2; mov.b64 {$d, %t1}, %q1;
mov.b64 %q1, {$a, $b}; shr.s64 %q1, %q1, $n; mov.b64 {$d, %t1}, %q1;|cvt.sat.u8.s32 $d, $a;|cvt.sat.s16.s32 $d, $a;
mov.b64 %q1, {$a, $b}; shl.b64 %q1, %q1, $n; mov.b64 {%t1, $d}, %q1;|cvt.s32.s8 $d, $a;|cvt.u32.u16 $d, $a;
cvt.s64.s32 %q1, $a; mov.b64 {%t1, $d}, %q1;|cvt.u64.u32 %q1, $a; mov.b64 {%t1, $d}, %q1;|min.u32 $d, $a, $b;|max.s32 $d, $a, $b;
mov.u32 $e, -5; @%p3 mov.u32 $e, 9; add.u32 $d, $e, $a;|mov.u32 $e, 0x80000001; cvt.u64.u32 %q1, $e; mov.b64 {%t1, $d}, %q1;
"""
FLOATS = """\
add.f32 %f2, %f0, %f1;|sub.f32 %f2, %f0, %f1;|mul.f32 %f2, %f0, %f1;|min.f32 %f2, %f0, %f1;|max.f32 %f2, %f0, %f1;
fma.rn.f32 %f2, %f0, %f1, %f1;|div.rn.f32 %f2, %f0, %f1;|div.approx.f32 %f2, %f4, %f5;|copysign.f32 %f2, %f0, %f1;
sin.approx.f32 %f2, %f3;|cos.approx.f32 %f2, %f3;|lg2.approx.f32 %f2, %f3;|ex2.approx.f32 %f2, %f3;|sqrt.rn.f32 %f2, %f0;
cvt.rni.s32.f32 $d, %f0;|cvt.rzi.s32.f32 $d, %f0;|cvt.rmi.s32.f32 $d, %f0;|cvt.rpi.s32.f32 $d, %f0;|cvt.rni.u32.f32 $d, %f0;
slct.b32.f32 $d, $a, $b, %f0;|set.ltu.u32.f32 $d, %f0, %f1;|setp.le.f32 %p1, %f0, %f1; selp.b32 $d, 1, 2, %p1;
cvt.rn.f32.s32 %f2, $a;|cvt.rn.f32.u32 %f2, $a;|setp.neu.f32 %p1, %f0, %f1; selp.b32 $d, 1, 2, %p1;
"""
SPECIAL = "and.b32 %t1, $a, 3; setp.eq.u32 %p1, %t1, 0; selp.b32 %t2, 0x7f800000, 0, %p1; setp.eq.u32 %p1, %t1, 1; \
selp.b32 %t2, 0xff800000, %t2, %p1; setp.eq.u32 %p1, %t1, 2; selp.b32 %t2, 0x80000000, %t2, %p1; mov.b32 %f3, %t2; \
mov.b32 %f4, 0x40400000; setp.gt.u32 %p1, $b, 40; selp.b32 %t2, 0x7f000000, 0x40000000, %p1; mov.b32 %f5, %t2;"
ATOMICS = ["add.u32", "min.s32", "min.u32", "max.u32", "max.s32", "inc.u32", "dec.u32", "exch.b32", "xor.b32", "or.b32"]
REDUCTIONS = ["add.s32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "max.u32", "min.s32"]


@dataclass
class FocusedCase:
    """A kernel with its launch; see random_case.py."""

    text: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    def arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        threads = int(np.prod(self.grid) * np.prod(self.block))
        random = np.random.default_rng(threads + len(self.text))
        words = random.integers(0, 2**32, 4 * threads + 512, dtype=np.uint32)
        edges = random.random(words.size) < 0.6
        words[edges] = random.choice(np.array(EDGES, np.uint32), edges.sum())
        return np.zeros(WORDS * threads, np.uint32), words, np.zeros(FREE * threads, np.uint32)

    def interpreted(self) -> tuple:
        arguments = self.arguments()
        Grid(build([self.text]), "k", self.grid, self.block, arguments).run()
        return arguments

    def check(self, loaded: Loaded, expected: tuple, what: str) -> None:
        found = self.arguments()
        loaded.launch("k", self.grid, self.block, *found)
        for name, a, b in zip(("out", "in", "free"), found, expected, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"{name}: {what}")


class Writer:
    """Writes the statements; results go to one word of the output after the other."""

    def __init__(self, random: Random, threads: int, blocks: int) -> None:
        self.random, self.threads, self.every = random, threads, threads * blocks
        self.words = self.free = self.labels = self.registers = 0
        self.variables: list[str] = []

    def new(self) -> str:
        self.registers += 1
        return f"%n{self.registers}"

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def source(self) -> str:
        return self.random.choice(["%a0", "%a1", "%a2", "%a3", "%tid", "%lane"])

    def fill(self, line: str) -> tuple[str, str]:
        """Return a line with registers for its letters, and the one that it writes."""
        result, number = self.new(), self.random.choice(["%lane", "%k", "31", "32", "%a1"])
        for letter in "abc":
            line = line.replace(f"${letter}", self.source())
        return line.replace("$d", result).replace("$e", self.new()).replace("$n", number), result

    def store(self, register: str, kind: str = "u32") -> str:
        self.words += 1
        return f"st.global.{kind} [%out+{4 * ((self.words - 1) % WORDS)}], {register};"

    def some(self, text: str) -> str:
        """Let some threads go through a text, or all."""
        over = self.label()
        choice = self.random.random()
        if choice < 0.4:
            return text
        condition = self.random.choice(
            ["setp.gt.u32 %p4, %a1, %lane;", "and.b32 %t9, %lane, 1; setp.eq.u32 %p4, %t9, 0;", "setp.gt.u32 %p4, %lane, 20;",
             "setp.lt.u32 %p4, %lane, 5;", "setp.lt.u32 %p4, %lane, 32;"]
        )  # fmt: skip
        return f"{condition} @%p4 bra {over}; {text} {over}:"

    def integers(self) -> str:
        line, result = self.fill(self.random.choice(INTEGERS.replace("\n", "|").strip("|").split("|")[:-1] or [""]))
        return self.some(f"{line} {self.store(result)}") if result in line else self.integers()

    def floats(self) -> str:
        line, result = self.fill(self.random.choice(FLOATS.replace("\n", "|").strip("|").split("|")))
        start, _ = self.fill(f"mov.b32 %f0, $a; mov.b32 %f1, $b; {SPECIAL}")
        if result in line:
            return self.some(f"{start} {line} {self.store(result)}")
        number = "setp.num.f32 %p1, %f2, %f2; selp.f32 %f2, %f2, 0f40A00000, %p1;"
        return self.some(f"{start} {line} {number} {self.store('%f2', 'f32')}")

    def exchange(self) -> str:
        """Let a group of lanes exchange something under the mask of the group."""
        random, over, result = self.random, self.label(), self.new()
        kept = random.choice([0, 0, 1, 3, 16, 24])
        which = random.choice([each for each in range(32) if not each & ~kept])
        group = [lane for lane in range(32) if lane & kept == which]
        mask = f"{sum(1 << lane for lane in group):#x}"
        free = [each for each in range(32) if not each & kept]
        index = str(random.choice(free))
        value = self.source()
        width = random.choice([32, 16, 8]) if not kept else 32
        segment = (32 - width) << 8
        shuffles = {
            "up": (index, segment), "down": (index, segment | 31), "bfly": (index, segment | 31),
            "idx": (f"{int(index) | which}", segment | 31),
        }  # fmt: skip
        mode = random.choice(list(shuffles) if kept < 4 else ["bfly", "idx"])  # sums would go over to other groups
        by, limits = shuffles[mode]
        text = ""
        if random.random() < 0.5:  # known at run time only
            text = f"and.b32 %t5, %a1, {31 & ~kept}; or.b32 %t5, %t5, {which if mode == 'idx' else 0};"
            by = "%t5" if mode == "idx" or not kept else by
        compare = random.choice([f"setp.lt.u32 %p2, {value}, 40;", f"and.b32 %t6, %lane, {kept}; setp.eq.u32 %p2, %t6, {which};",
                                 f"and.b32 %t6, %lane, {kept}; setp.ne.u32 %p2, %t6, {which};"])  # fmt: skip
        same = f"and.b32 %t6, {random.choice([value, '%k'])}, {random.choice([0, 1, 3])};"
        member = random.choice([mask, "%t7"])
        text += random.choice([
            f"shfl.sync.{mode}.b32 {result}|%p1, {value}, {by}, {limits}, {member}; {self.store(result)} selp.b32 {result}, 1, 2, %p1;",
            f"shfl.sync.{mode}.b32 {result}|%p1, {value}, {by}, {limits}, {member}; {self.store(result)} selp.b32 {result}, 1, 2, %p1;",
            f"{compare} vote.sync.ballot.b32 {result}, %p2, {member};",
            f"{compare} vote.sync.{random.choice(['all', 'any', 'uni'])}.pred %p1, %p2, {member}; selp.b32 {result}, 1, 2, %p1;",
            f"{same} match.any.sync.b32 {result}, %t6, {member};",
            f"{same} match.all.sync.b32 {result}|%p1, %t6, {member}; {self.store(result)} selp.b32 {result}, 1, 2, %p1;",
            f"redux.sync.{random.choice(REDUCTIONS)} {result}, {value}, {member};",
            f"redux.sync.{random.choice(REDUCTIONS)} {result}, {value}, {member};",
        ])  # fmt: skip
        guard = f"and.b32 %t8, %lane, {kept}; setp.ne.u32 %p5, %t8, {which}; mov.u32 %t7, {mask};"
        return f"{guard} @%p5 bra {over}; {text} {self.store(result)} {self.shuffle(mode, kept, which, member)} {over}:"

    def shuffle(self, mode: str, kept: int, which: int, member: str) -> str:
        """Return another exchange of the same kind, within segments or near their ends."""
        result, random = self.new(), self.random
        index = random.choice([each for each in (0, 1, 2, 4, 8, 16, 31) if not each & kept and (each < 31 or not kept)])
        segment = 0 if kept else random.choice([0, 16, 24, 28]) << 8
        most = random.choice([31, 31, 7]) if not kept and mode in ("down", "bfly", "idx") else 0 if mode == "up" else 31
        by = str(index | which if mode == "idx" else index)
        text = f"shfl.sync.{mode}.b32 {result}|%p1, {self.source()}, {by}, {segment | most}, {member}; {self.store(result)}"
        return f"{text} selp.b32 {result}, 1, 2, %p1; {self.store(result)}"

    def gather(self) -> str:
        """Load from where an index says, or from a row; several loads at one base."""
        random, base, index = self.random, f"%q{self.labels % 90 + 5}", random_index(self.random)
        self.labels += 1
        size, kind = random.choice(
            [(1, "u8"), (1, "s8"), (2, "u16"), (2, "s16"), (4, "u32"), (4, "u32"), (8, "u64"), (16, "v4")]
        )
        scale = random.choice([size, max(size, 4), 16])
        steps = random.choice([f"mul.wide.u32 {base}, %t3, {scale}; add.s64 {base}, %in, {base};",
                               f"cvt.u64.u32 {base}, %t3; shl.b64 {base}, {base}, {scale.bit_length() - 1}; add.s64 {base}, {base}, %in;",
                               f"mad.wide.u32 {base}, %t3, {scale}, %in;"])  # fmt: skip
        at = scale * random.choice([0, 0, 1, 2])
        result = self.new()
        if kind == "v4":
            second = self.new()
            load = (
                f"ld.global.v4.u32 {{{result}, _, {second}, _}}, [{base}+{at}]; add.u32 {result}, {result}, {second};"
            )
        elif kind == "u64":
            load = f"ld.global.u64 %q1, [{base}+{at}]; mov.b64 {{%t1, %t2}}, %q1; xor.b32 {result}, %t1, %t2;"
        elif kind == "u32" and scale == 16 and random.random() < 0.6:
            more = [self.new() for _ in range(3)]
            change = random.choice(
                ["", f"add.s64 {base}, {base}, 16;", f"st.global.u32 [%out+{4 * (self.words % WORDS)}], 5;"]
            )
            load = f"ld.global.u32 {result}, [{base}]; ld.global.u32 {more[0]}, [{base}+4]; {change}"
            load += f"ld.global.u32 {more[1]}, [{base}+8]; ld.global.u32 {more[2]}, [{base}+12];"
            load += "".join(f"mad.lo.u32 {result}, {result}, 3, {each};" for each in more)
        else:
            load = f"ld.global.{kind} {result}, [{base}+{at}];"
        return self.some(f"{index} {steps} {load} {self.store(result)}")

    def scatter(self) -> str:
        """Store where another thread would, each thread elsewhere."""
        self.free += 1
        start = 4 * self.every * ((self.free - 1) % FREE)
        index = self.random.choice([
            "mov.u32 %t3, %all;", "xor.b32 %t3, %all, 1;", "xor.b32 %t3, %all, 5;", "xor.b32 %t3, %all, 31;",
            "xor.b32 %t3, %all, 16;",
        ])  # fmt: skip
        address = f"mul.wide.u32 %q2, %t3, 4; add.s64 %q2, %q2, %rows; add.s64 %q2, %q2, {start};"
        if self.free > FREE:
            return self.gather()
        return f"{index} {address} " + self.some(f"st.global.u32 [%q2], {self.source()};")

    def wrap(self) -> str:
        """Make wider what may wrap around from lane to lane."""
        random, index, result = self.random, self.new(), self.new()
        edge = (
            random.choice([0, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF]) - random.choice([0, 1, 3, 8, 15, 30, 31, 33])
        ) & 0xFFFFFFFF
        row, kind = random.choice(["%tid", "%lane", "%tx"]), random.choice("us")
        text = random.choice([
            f"add.{kind}32 {index}, {row}, {edge:#x};", f"sub.{kind}32 {index}, {edge:#x}, {row};",
            f"mad.lo.{kind}32 {index}, {row}, 3, {edge:#x};", f"mad.lo.{kind}32 {index}, {row}, -2, {edge:#x};",
            f"shl.b32 {index}, {row}, {random.choice([1, 2, 27, 31, 32, 33, 40])}; add.{kind}32 {index}, {index}, {edge:#x};",
            f"add.{kind}32 {index}, {row}, {edge:#x}; setp.lt.u32 %p1, {row}, 9; @%p1 add.u32 {index}, {index}, {random.choice([1, 4])};",
            f"and.b32 {index}, {row}, {random.choice([1, 3, 7, 24, 28, 31, 32, 63])};",
            f"shr.u32 {index}, {row}, {random.choice([1, 2, 4, 5, 6])}; and.b32 {index}, {index}, {random.choice([1, 3, 16, 64])};",
        ])  # fmt: skip
        text += random.choice([
            f"mul.wide.{kind}32 %q3, {index}, 4; mov.b64 {{%t1, {result}}}, %q3; {self.store(result)} mov.u32 {result}, %t1;",
            f"cvt.{kind}64.{kind}32 %q3, {index}; shl.b64 %q3, %q3, 2; mov.b64 {{%t1, {result}}}, %q3;",
            f"cvt.u64.u32 %q3, {index}; shr.u64 %q3, %q3, 3; cvt.u32.u64 {result}, %q3;",
            f"cvt.{kind}32.{kind}16 {result}, {index}; shl.b32 {result}, {result}, 1;",
            f"mad.lo.u32 {result}, {index}, 5, {row};", f"sub.u32 {result}, {row}, {index};",
            f"setp.lt.u32 %p1, {index}, 100; mul.wide.u32 %q3, {index}, 4; add.s64 %q3, %q3, %in; mov.u32 {result}, 7;"
            f" @%p1 ld.global.u32 {result}, [%q3+4];",
        ])  # fmt: skip
        return self.some(f"{text} {self.store(result)}") if random.random() < 0.5 else f"{text} {self.store(result)}"

    def call(self) -> str:
        """Call directly or through a pointer, with parameters in registers, in memory, in a struct."""
        random, result, other, a, b = self.random, self.new(), self.new(), self.source(), self.source()
        name = self.label()
        which = random.choice(["%lane", "%k", "%a0"])
        indirect = (
            f"and.b32 %t1, {which}, 3; mul.wide.u32 %q1, %t1, 8; mov.u64 %q2, table; add.s64 %q2, %q2, %q1; ld.global.u64 %q1, [%q2];"
            f" {name}: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .b32 _); call ({result}), %q1, ({a}, {b}), {name};"
        )
        struct = (
            f"{{ .param .b32 a; .param .align 8 .b8 m[16]; .param .b32 r; .param .b32 s; st.param.b32 [a], {a};"
            f" st.param.b32 [m], {b}; st.param.b32 [m+4], {a}; st.param.v2.b32 [m+8], {{{b}, {a}}}; call (r, s), both, (a, m);"
            f" ld.param.b32 {result}, [r]; ld.param.b32 {other}, [s]; }} mad.lo.u32 {result}, {result}, 7, {other};"
        )
        return self.some(f"{random.choice([indirect, indirect, struct])} {self.store(result)}")

    def variable(self) -> str:
        """Fill variables of mixed alignments, and read them back."""
        random, space, text, back = self.random, self.random.choice(["local", "local", "shared"]), "", ""
        for _ in range(random.randrange(2, 4)):
            name, size = f"v{len(self.variables)}", random.choice([1, 2, 4, 8])
            count = random.choice([3, 5, 8]) if space == "local" else self.threads
            align = max(size, random.choice([1, 8, 16, 64, 256]))
            self.variables.append(f".{space} .align {align} .b8 {name}[{count * size}];")
            kind, value, result, address = f"u{8 * size}", self.source(), self.new(), self.new()
            index = f"and.b32 %t3, {value}, 1;" if space == "local" else "mov.u32 %t3, %tid;"
            if size == 8:
                text += f"mov.b64 %q1, {{{value}, %lane}};"
            given, got = ("%q1", "%q1") if size == 8 else (value, result)
            text += f"{index} mov.u32 {address}, {name}; mad.lo.u32 {address}, %t3, {size}, {address};"
            text += f"st.{space}.{kind} [{address}], {given};"
            back += f"ld.{space}.{kind} {got}, [{address}];"
            back += (f"mov.b64 {{{result}, %t1}}, %q1;" if size == 8 else "") + self.store(result)
        return text + back

    def atomic(self) -> str:
        """Change places of one's own or, in ways whose order is no matter, of others."""
        random, result, name = self.random, self.new(), f"v{len(self.variables)}"
        self.variables.append(f".shared .align 8 .b8 {name}[{4 * self.threads}];")
        operation = random.choice(ATOMICS)
        operand = self.source()
        text = f"mov.u32 %t1, {name}; mad.lo.u32 %t1, %tid, 4, %t1; st.shared.u32 [%t1], {self.source()};"
        more = f"atom.shared.{operation} {result}, [%t1], {operand};"
        if random.random() < 0.3:
            more = f"ld.shared.u32 %t2, [%t1]; and.b32 %t4, %lane, 1; add.u32 %t2, %t2, %t4; atom.shared.cas.b32 {result}, [%t1], %t2, {operand};"
        after = self.new()
        return f"{text} {self.some(more + self.store(result))} ld.shared.u32 {after}, [%t1]; {self.store(after)}"

    def together(self) -> str:
        """Let all threads change a few places, by what is the same in any order."""
        random, self.free = self.random, self.free + 1
        if self.free > FREE:
            return self.atomic()
        start = 4 * self.every * (self.free - 1)
        operation = random.choice(["add.u32", "max.u32", "max.s32", "xor.b32", "or.b32", "inc.u32"])
        operand = "100000" if operation.startswith("inc") else self.source()
        place = random.choice(["and.b32 %t3, %a1, 3;", "mov.u32 %t3, 2;", "and.b32 %t3, %tid, 7;"])
        address = f"mul.wide.u32 %q2, %t3, 4; add.s64 %q2, %q2, %rows; add.s64 %q2, %q2, {start};"
        return f"{place} {address} " + self.some(f"red.global.{operation} [%q2], {operand};")

    def loop(self) -> str:
        """Iterate a loop, a different number of times in each thread, with values kept across a barrier."""
        random, again, result, count = self.random, self.label(), self.new(), self.new()
        limit = random.choice(["and.b32 %t1, %a1, 3;", "and.b32 %t1, %k, 3;", "and.b32 %t1, %lane, 3;"])
        inner, value = self.fill(random.choice(["mad.lo.u32 $d, $a, 3, $b;", "xor.b32 $d, $a, $b;"]))
        step = random.choice([f"@%p3 add.u32 {result}, {result}, 5;", f"add.u32 {result}, {result}, {count};", ""])
        return (
            f"mov.u32 {result}, %lane; mov.u32 {count}, 0; {limit} mov.u32 %t4, %t1; {again}: {inner} add.u32 {result}, {result}, {value};"
            f" {step} add.u32 {count}, {count}, 1; setp.le.u32 %p1, {count}, %t4; @%p1 bra {again}; {self.store(result)}"
        )

    def choose(self) -> str:
        """Take one of several ways by an index."""
        arms, over, result = [self.label() for _ in range(4)], self.label(), self.new()
        table = self.label()
        text = f"mov.u32 {result}, 1; and.b32 %t1, {self.random.choice(['%a1', '%k', '%lane'])}, 3;"
        text += f"{table}: .branchtargets {arms[0]}, {arms[1]}, {arms[0]}, {arms[2]}; brx.idx %t1, {table};"
        for number, arm in enumerate(arms):
            text += f"{arm}: mad.lo.u32 {result}, {result}, {number + 3}, %lane; {'bra ' + over + ';' if number % 2 else ''}"
        return f"{text} {over}: {self.store(result)}"

    def barrier(self) -> str:
        """Keep values over a barrier of the block."""
        kept = [self.new() for _ in range(3)]
        a, b = self.source(), self.source()
        row = f"add.u32 {kept[0]}, %tx, 5; mul.lo.u32 {kept[1]}, {a}, 3; add.u32 {kept[2]}, {kept[0]}, {b};"
        change = self.some(f"add.u32 {kept[1]}, {kept[1]}, 1;")
        stores = " ".join(self.store(each) for each in kept)
        return f"{row} {change} bar.sync 0; {stores}"


def random_index(random: Random) -> str:
    """Return lines that write an index below 24 to %t3."""
    return random.choice([
        "and.b32 %t3, %a1, 15;", "mov.u32 %t3, %lane; min.u32 %t3, %t3, 23;", "sub.u32 %t3, 31, %lane; and.b32 %t3, %t3, 15;",
        "and.b32 %t3, %a0, 7; add.u32 %t3, %t3, 3;", "and.b32 %t3, %lane, 15;",
    ])  # fmt: skip


KINDS = ("integers", "integers", "floats", "exchange", "exchange", "gather", "gather", "scatter", "wrap", "wrap", "call",
         "variable", "atomic", "together", "loop", "choose", "barrier")  # fmt: skip


def focused(random: Random) -> FocusedCase:
    """Return a kernel of some ten statements."""
    block, grid = random.choice(BLOCKS), (random.choice([1, 2]), 1, 1)
    writer = Writer(random, block[0] * block[1] * block[2], grid[0])
    body = "\n".join(getattr(writer, random.choice(KINDS))() for _ in range(12))
    while writer.words < WORDS // 2:
        body += "\n" + getattr(writer, random.choice(KINDS))()
    text = f"""\
.version 9.0
.target sm_90
.address_size 64
{FUNCTIONS}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 rows) {{
    {" ".join(writer.variables)}
    .reg .b32 %a<4>, %t<10>, %n<{writer.registers + 1}>, %k, %g<9>;
    .reg .b32 %tid, %lane, %tx, %all;
    .reg .b64 %q<99>, %out, %in, %rows;
    .reg .f32 %f<6>; .reg .pred %p<6>;
    mov.u32 %tx, %tid.x; mov.u32 %g1, %ntid.x; mov.u32 %g2, %tid.y; mov.u32 %g3, %ntid.y; mov.u32 %g4, %tid.z;
    mad.lo.u32 %g5, %g4, %g3, %g2; mad.lo.u32 %tid, %g5, %g1, %tx; mov.u32 %lane, %laneid; mov.u32 %k, %ctaid.x;
    mad.lo.u32 %all, %k, {writer.threads}, %tid; setp.gt.u32 %p3, %lane, 11;
    ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %rows, [rows];
    mul.wide.u32 %q1, %all, {4 * WORDS}; add.s64 %out, %out, %q1; mul.wide.u32 %q1, %all, 16; add.s64 %q1, %q1, %in;
    ld.global.u32 %a0, [%q1]; ld.global.u32 %a1, [%q1+4]; ld.global.u32 %a2, [%q1+8]; ld.global.u32 %a3, [%q1+12];
    {body}
    ret;
}}
"""
    return FocusedCase(text, grid, block)
