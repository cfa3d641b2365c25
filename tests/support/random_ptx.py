# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random PTX kernels whose results the PTX manual defines: no races, no undefined lanes, always an end.

A kernel takes `out` (eight words for each thread), `in` (64 words for each thread and 64 more), `sums` (four words that
atomics add to) and a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

WORDS = 8  # of the output, for each thread
VARIABLES = [f"%r{i}" for i in range(6)]
UNIFORM = ["%u0", "%u1", "%u2"]
CONSTANTS = ["0", "1", "3", "7", "31", "-1", "255", "0x7fffffff", "0x80000000", "0x01010101"]
HEAD = """.version 8.5
.target sm_90
.address_size 64
.func (.param .b32 result) mixed(.param .b32 a, .param .b32 b) {
    .reg .b32 %r<4>; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b];
    setp.lt.u32 %p1, %r1, %r2;
    @%p1 bra LESS;
    mad.lo.u32 %r3, %r1, 31, %r2;
    bra.uni OVER;
LESS: xor.b32 %r3, %r2, 0x5a5a5a5a;
OVER: st.param.b32 [result], %r3;
    ret;
}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 sums, .param .u32 number) {
    .shared .align 8 .b8 slots[8192];
    .local .align 8 .b8 own[32];
    .reg .b32 %r<6>, %u<3>, %t<12>, %m, %i<99>, %n<99>;
    .reg .b64 %d<12>;
    .reg .f32 %f<4>;
    .reg .f64 %e<4>;
    .reg .pred %p<6>;
    mov.u32 %t0, %tid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.y; mov.u32 %t3, %ntid.y; mov.u32 %t4, %tid.z;
    mad.lo.u32 %t5, %t4, %t3, %t2; mad.lo.u32 %t0, %t5, %t1, %t0;
    mov.u32 %t6, %ntid.z; mul.lo.u32 %t1, %t1, %t3; mul.lo.u32 %t1, %t1, %t6;
    mov.u32 %u0, %ctaid.x; ld.param.u32 %u1, [number]; mad.lo.u32 %u2, %u0, 5, %u1;
    mad.lo.u32 %t2, %u0, %t1, %t0;
    ld.param.u64 %d1, [out]; mul.wide.u32 %d0, %t2, 32; add.s64 %d1, %d1, %d0;
    ld.param.u64 %d2, [in]; mul.wide.u32 %d0, %t2, 256; add.s64 %d3, %d2, %d0;
    ld.param.u64 %d4, [sums];
    ld.global.u32 %r0, [%d3]; ld.global.u32 %r1, [%d3+4]; ld.global.v2.u32 {%r2, %r3}, [%d3+8];
    mov.u32 %r4, %t0; mov.u32 %r5, %laneid;
    mov.u32 %t3, slots; mad.lo.u32 %t3, %t0, 4, %t3;
    st.shared.u32 [%t3], %r1; st.shared.u32 [%t3+4096], %r2;
    st.local.u32 [own], %r0; st.local.u32 [own+4], %r1; st.local.u32 [own+8], %r4; st.local.u32 [own+12], 9;
    st.local.u32 [own+16], 1; st.local.u32 [own+20], 2; st.local.u32 [own+24], 3; st.local.u32 [own+28], 4;
    mov.u32 %t4, 1; mov.u32 %t10, %laneid; mov.u32 %t11, 40;
    and.b32 %t5, %t0, 0xffe0; sub.u32 %t5, %t1, %t5; min.u32 %t5, %t5, 32;
    setp.ge.u32 %p0, %t5, 32; shl.b32 %m, %t4, %t5; sub.u32 %m, %m, 1; selp.b32 %m, -1, %m, %p0;
    bar.sync 0;
"""
TAIL = """DONE:
    st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3}; st.global.v2.u32 [%d1+16], {%r4, %r5};
    xor.b32 %t0, %u0, %u1; add.u32 %t0, %t0, %u2; st.global.u32 [%d1+24], %t0; st.global.u32 [%d1+28], 77;
    ret;
}
"""
CALL = (
    "{ .param .b32 one; st.param.b32 [one], $a; .param .b32 two; st.param.b32 [two], $b;"
    " .param .b32 back; call (back), mixed, (one, two); ld.param.b32 $d, [back]; }"
)
# What computes: $d is the destination, $a $b $c are sources, $k is a small constant.
COMPUTE = """\
add.u32 $d, $a, $b;
sub.s32 $d, $a, $b;
mul.lo.u32 $d, $a, $b;
mad.lo.s32 $d, $a, $k, $c;
mul.hi.s32 $d, $a, $b;
and.b32 $d, $a, $b;
or.b32 $d, $a, $b;
xor.b32 $d, $a, $b;
not.b32 $d, $a;
neg.s32 $d, $a;
abs.s32 $d, $a;
shl.b32 $d, $a, $k;
shr.u32 $d, $a, $b;
shr.s32 $d, $a, $k;
min.s32 $d, $a, $b;
max.u32 $d, $a, $b;
mov.b32 $d, $a;
popc.b32 $d, $a;
clz.b32 $d, $a;
brev.b32 $d, $a;
bfe.s32 $d, $a, $k, $b;
bfi.b32 $d, $a, $b, $k, 7;
prmt.b32 $d, $a, $b, $c;
lop3.b32 $d, $a, $b, $c, 0x96;
shf.l.wrap.b32 $d, $a, $b, $k;
shf.r.clamp.b32 $d, $a, $b, $c;
or.b32 %t7, $b, 1; div.u32 $d, $a, %t7;
or.b32 %t7, $b, 64; rem.u32 $d, $a, %t7;
or.b32 %t7, $b, 5; rem.s32 $d, $a, %t7;
mul.wide.u32 %d5, $a, $b; shr.u64 %d5, %d5, 9; cvt.u32.u64 $d, %d5;
mul.wide.s32 %d5, $a, $k; mov.b64 {$d, %t7}, %d5;
mov.b64 %d5, {$a, $b}; add.s64 %d5, %d5, -1; mov.b64 {%t7, $d}, %d5;
cvt.s32.s8 $d, $a;
cvt.u32.u16 $d, $a;
cvt.sat.u8.s32 $d, $a;
sad.s32 $d, $a, $b, $c;
setp.lt.s32 %p0, $a, $b; selp.b32 $d, $a, $c, %p0;
setp.ne.u32 %p0|%p1, $a, $b; setp.gt.xor.s32 %p0, $c, $k, !%p1; selp.b32 $d, 5, $b, %p0;
cvt.rn.f32.u32 %f0, $a; cvt.rn.f32.s32 %f1, $b; add.f32 %f2, %f0, %f1; mov.b32 $d, %f2;
cvt.rn.f32.s32 %f0, $a; cvt.rn.f32.s32 %f1, $b; cvt.rn.f32.u32 %f2, $c; fma.rn.f32 %f3, %f0, %f1, %f2; mov.b32 $d, %f3;
cvt.rn.f32.s32 %f0, $a; cvt.rn.f32.u32 %f1, $b; add.f32 %f1, %f1, 0f3F800000; div.rn.f32 %f2, %f0, %f1; mov.b32 $d, %f2;
cvt.rn.f32.u32 %f0, $a; sqrt.rn.f32 %f0, %f0; cvt.rzi.s32.f32 $d, %f0;
cvt.rn.f32.s32 %f0, $a; neg.f32 %f0, %f0; mov.b32 $d, %f0;
cvt.rn.f64.s32 %e0, $a; cvt.rn.f64.u32 %e1, $b; fma.rn.f64 %e2, %e1, %e0, %e1; mov.b64 {$d, %t7}, %e2;
cvt.rn.f32.s32 %f0, $a; cvt.rn.f32.s32 %f1, $b; setp.ltu.f32 %p0, %f0, %f1; selp.b32 $d, $c, $k, %p0;
and.b32 %t7, $a, 63; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5];
mul.wide.u32 %d5, %t2, 4; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5+12];
ld.global.nc.u32 $d, [%d3+20];
mul.wide.u32 %d5, $u, 4; and.b64 %d5, %d5, 252; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5];
ld.global.s8 $d, [%d3+3];
st.shared.u32 [%t3], $a; ld.shared.u32 $d, [%t3];
st.global.u32 [%d1+20], $a; ld.global.u16 $d, [%d1+20];
and.b32 %t7, $a, 7; mov.u32 %t8, own; shl.b32 %t7, %t7, 2; add.u32 %t7, %t7, %t8; ld.local.u32 $d, [%t7];
and.b32 %t7, $a, 7; mov.u32 %t8, own; mad.lo.u32 %t7, %t7, 4, %t8; st.local.u32 [%t7], $b;
and.b32 %t7, $a, 3; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; red.global.add.u32 [%d5], $b;
red.global.max.u32 [%d4+16], $a;
red.global.min.s32 [%d4+20], $b;
atom.global.xor.b32 %t7, [%d4+28], $a;
and.b32 %t7, $b, 1; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; atom.global.add.u32 %t7, [%d5], $a;
and.b32 %t7, $u, 3; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; red.global.add.u32 [%d5], $a;
atom.shared.min.s32 $d, [%t3], $k;
atom.shared.exch.b32 $d, [%t3], $a;
atom.shared.add.u32 $d, [%t3+4096], $b;
CALL $d, $a, $b
""".replace("CALL $d, $a, $b", CALL).splitlines()
REDUCTIONS = ["add.s32", "min.u32", "max.s32", "and.b32", "xor.b32"]
COMPARISONS = ["lt.s32", "ge.u32", "eq.u32", "ne.s32", "hi.u32", "le.s32"]


@dataclass(frozen=True)
class Place:
    """Where a statement stands: what is known of the threads that run it."""

    depth: int = 0
    uniform: bool = True  # all live threads of the block come here together
    lanes: tuple[int, int] | None = (0, 0)  # those with (lane & first) == second come here together; None: unknown
    loop: tuple[str, str] | None = None  # labels of the next round and the end


class Writer:
    """Writes a structured kernel. In one with early returns no warp operation names a lane that may be gone."""

    def __init__(self, random: Random, *, barriers: bool, warps: bool):
        self.random = random
        self.barriers = barriers
        self.warps = warps
        self.operations = COMPUTE
        self.full = True  # all warps have 32 lanes
        self.names = 0

    def name(self) -> int:
        self.names += 1
        return self.names

    def source(self) -> str:
        return self.random.choice(VARIABLES * 3 + UNIFORM + CONSTANTS)

    def compute(self, to: str | None = None) -> str:
        text = self.random.choice(self.operations)
        for letter in "abc":
            text = text.replace(f"${letter}", self.source())
        text = text.replace("$k", str(self.random.choice([0, 1, 2, 5, 13, 31]))).replace(
            "$u", self.random.choice(UNIFORM)
        )
        return text.replace("$d", to or self.random.choice(VARIABLES))

    def guarded(self) -> str:
        operation = self.random.choice(["add.u32 $d, $a, $b;", "xor.b32 $d, $a, $b;", "st.shared.u32 [%t3], $a;",
                                        "ld.global.u32 $d, [%d3+28];", "mov.u32 $d, $a;"])  # fmt: skip
        for letter in "ab":
            operation = operation.replace(f"${letter}", self.source())
        operation = operation.replace("$d", self.random.choice(VARIABLES))
        return f"{self.condition('%p4')} @{self.random.choice(['', '!'])}%p4 {operation}"

    def condition(self, predicate: str) -> str:
        return f"setp.{self.random.choice(COMPARISONS)} {predicate}, {self.random.choice(VARIABLES)}, {self.source()};"

    def uniform_condition(self, predicate: str) -> str:
        register = self.random.choice(UNIFORM)
        return f"and.b32 %t7, {register}, {self.random.choice([1, 2, 3])}; setp.eq.u32 {predicate}, %t7, 0;"

    def block(self, place: Place) -> str:
        return "\n".join(self.statement(place) for _ in range(self.random.randrange(1, 4)))

    def statement(self, place: Place) -> str:
        kinds = [self.calculate] * 4 + [lambda place: self.guarded()]
        if place.depth < 3:
            kinds += [self.branch, self.branch, self.loop, self.switch]
        if place.uniform:
            kinds += [self.change_uniform]
            kinds += [self.exchange, self.barrier_reduction] if self.barriers else []
        if self.warps and place.lanes is not None:
            kinds += [self.warp_operation] * 3
            kinds += [self.part_lanes] if place.depth < 3 else []
        if not self.warps and place.depth:
            kinds += [self.leave]
        if place.loop and not self.warps:
            kinds += [self.break_out]
        return self.random.choice(kinds)(place)

    # --- statements -------------------------------------------------------------------------------

    def calculate(self, place: Place) -> str:
        return self.compute()

    def change_uniform(self, place: Place) -> str:
        register = self.random.choice(UNIFORM)
        operation = self.random.choice(["add.u32", "mul.lo.u32", "xor.b32", "min.u32"])
        return f"{operation} {register}, {self.random.choice(UNIFORM)}, {self.random.choice([*UNIFORM, '3', '5'])};"

    def branch(self, place: Place) -> str:
        number = self.name()
        same = self.random.random() < 0.4
        condition = self.uniform_condition("%p2") if same else self.condition("%p2")
        inside = replace(place, depth=place.depth + 1, uniform=place.uniform and same,
                         lanes=place.lanes if same else None)  # fmt: skip
        if self.random.random() < 0.5:
            return f"{condition}\n@%p2 bra S{number};\n{self.block(inside)}\nS{number}:"
        first, second = self.block(inside), self.block(inside)
        return f"{condition}\n@%p2 bra S{number};\n{first}\nbra.uni T{number};\nS{number}:\n{second}\nT{number}:"

    def loop(self, place: Place) -> str:
        number = self.name()
        same = self.random.random() < 0.5
        counter, limit = f"%i{number % 99}", f"%n{number % 99}"
        count = f"and.b32 {limit}, {self.random.choice(UNIFORM if same else VARIABLES)}, 3;"
        labels = None if same else (f"S{number}", f"T{number}")
        inside = replace(place, depth=place.depth + 1, uniform=place.uniform and same, loop=labels,
                         lanes=place.lanes if same else None)  # fmt: skip
        start = f"{count} mov.u32 {counter}, 0;"
        step = f"S{number}: add.u32 {counter}, {counter}, 1;"
        if self.random.random() < 0.5:  # tested at the end
            body = (
                f"L{number}:\n{self.block(inside)}\n{step}\nsetp.le.u32 %p3, {counter}, {limit};\n@%p3 bra L{number};"
            )
            return f"{start}\n{body}\nT{number}:"
        test = f"L{number}: setp.ge.u32 %p3, {counter}, {limit};\n@%p3 bra T{number};"
        return f"{start}\n{test}\n{self.block(inside)}\n{step}\nbra.uni L{number};\nT{number}:"

    def switch(self, place: Place) -> str:
        number, arms = self.name(), self.random.choice([2, 3, 4])
        same = self.random.random() < 0.3
        register = self.random.choice(UNIFORM if same else VARIABLES)
        inside = replace(place, depth=place.depth + 1, uniform=place.uniform and same,
                         lanes=place.lanes if same else None)  # fmt: skip
        labels = [f"A{number}_{self.random.randrange(arms)}" for _ in range(4)]
        text = f"B{number}: .branchtargets {', '.join(labels)};\nand.b32 %t7, {register}, 3;\nbrx.idx %t7, B{number};\n"
        for arm in range(arms):
            text += f"A{number}_{arm}:\n{self.block(inside)}\n"
            text += f"bra.uni T{number};\n" if self.random.random() < 0.7 else ""
        return text + f"T{number}:"

    def leave(self, place: Place) -> str:
        return f"{self.condition('%p5')} @%p5 {self.random.choice(['bra DONE', 'ret', 'exit'])};"

    def break_out(self, place: Place) -> str:
        return f"{self.condition('%p5')} @%p5 bra {self.random.choice(place.loop)};"

    # --- threads that meet ------------------------------------------------------------------------

    def exchange(self, place: Place) -> str:
        distance = self.random.choice([1, 2, 16, 31, 33])
        return (
            f"st.shared.u32 [%t3], {self.source()}; bar.sync 0; add.u32 %t7, %t0, {distance}; rem.u32 %t7, %t7, %t1;"
            f" mov.u32 %t8, slots; mad.lo.u32 %t7, %t7, 4, %t8; ld.shared.u32 {self.random.choice(VARIABLES)}, [%t7];"
            " bar.sync 0;"
        )

    def barrier_reduction(self, place: Place) -> str:
        to = self.random.choice(VARIABLES)
        if self.random.random() < 0.5:
            return f"{self.condition('%p5')} bar.red.popc.u32 {to}, 0, %p5;"
        operation = f"bar.red.{self.random.choice(['and', 'or'])}.pred %p5, 0, !%p5;"
        return f"{self.condition('%p5')} {operation} selp.u32 {to}, 1, {to}, %p5;"

    def part_lanes(self, place: Place) -> str:
        """Let the lanes go two ways by one bit of their number: each side knows its lanes."""
        number, bit = self.name(), 1 << self.random.randrange(5)
        fixed, value = place.lanes
        if fixed & bit:
            return self.compute()
        text = f"and.b32 %t7, %t10, {bit}; setp.ne.u32 %p2, %t7, 0;\n@%p2 bra S{number};\n"
        deeper = replace(place, depth=place.depth + 1, uniform=False)
        text += self.block(replace(deeper, lanes=(fixed | bit, value))) + f"\nbra.uni T{number};\nS{number}:\n"
        return text + self.block(replace(deeper, lanes=(fixed | bit, value | bit))) + f"\nT{number}:"

    def warp_operation(self, place: Place) -> str:
        fixed, value = place.lanes
        members = sum(1 << lane for lane in range(32) if lane & fixed == value)
        head = f"and.b32 %t9, %m, {members:#x};"
        to, from_ = self.random.choice(VARIABLES), self.source()
        free = [lane for lane in range(32) if not lane & fixed]
        forms = [
            f"{self.condition('%p5')} vote.sync.ballot.b32 {to}, %p5, %t9;",
            f"{self.condition('%p5')} vote.sync.{self.random.choice(['all', 'any', 'uni'])}.pred %p5, !%p5, %t9;"
            f" selp.u32 {to}, {to}, 3, %p5;",
            f"and.b32 %t7, {from_}, 3; match.any.sync.b32 {to}, %t7, %t9;",
            f"and.b32 %t7, {from_}, 1; match.all.sync.b32 {to}|%p5, %t7, %t9; selp.u32 {to}, {to}, 9, %p5;",
            f"redux.sync.{self.random.choice(REDUCTIONS)} {to}, {from_}, %t9;",
            "bar.warp.sync %t9;",
        ]
        # Where the last warp is short, the lane that is read may not exist.
        forms += [
            f"shfl.sync.idx.b32 {to}|%p5, {from_}, %t10, 31, %t9; selp.u32 {to}, {to}, 1, %p5;",
        ]
        if self.full:
            forms += [f"shfl.sync.bfly.b32 {to}, {from_}, {self.random.choice(free)}, 31, %t9;"] * 2
        if self.full and not fixed:
            mode = self.random.choice(["up", "down", "bfly", "idx"])
            clamp = {"up": [0, 0x1800, 0x1000], "down": [31, 0x181F, 0x101F, 15]}.get(mode, [31, 0x1C1F, 0x101F])
            amount = f"{self.random.randrange(32)}" if mode != "idx" else self.random.choice(VARIABLES)
            forms += [f"shfl.sync.{mode}.b32 {to}|%p5, {from_}, {amount}, {self.random.choice(clamp)}, %t9;"
                      f" selp.u32 {to}, {to}, 4, %p5;"] * 3  # fmt: skip
        return head + " " + self.random.choice(forms)


@dataclass
class Case:
    text: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    @property
    def threads(self) -> int:
        x, y, z = self.block
        return x * y * z


def structured(random: Random) -> Case:
    """Return a kernel of nested branches, loops, switches, barriers and warp operations."""
    writer = Writer(random, barriers=random.random() < 0.6, warps=random.random() < 0.5)
    block = random.choice([(32, 1, 1), (64, 1, 1), (96, 1, 1), (16, 4, 1), (8, 3, 4), (1, 1, 1), (33, 1, 1), (7, 5, 2)])
    writer.full = block[0] * block[1] * block[2] % 32 == 0
    body = "\n".join(writer.statement(Place()) for _ in range(random.randrange(2, 7)))
    return Case(HEAD + body + "\n" + TAIL, (random.choice([1, 2, 5]), 1, 1), block)


def unstructured(random: Random) -> Case:
    """Return a kernel whose blocks end in jumps to anywhere; each lane stops after so many.

    Threads meet at barriers wherever they are, and read what others wrote before the one before.
    """
    writer = Writer(random, barriers=False, warps=False)
    count, meet = random.randrange(2, 9), random.random() < 0.4
    if meet:
        writer.operations = [operation for operation in COMPUTE if "shared" not in operation]
    text = "mov.u32 %t9, 0;\n"
    for number in range(count):
        text += f"N{number}: sub.u32 %t11, %t11, 1; setp.eq.u32 %p5, %t11, 0; @%p5 bra DONE;\n"
        text += "\n".join(writer.compute() for _ in range(random.randrange(3))) + "\n"
        if meet and random.random() < 0.4:
            text += (
                "and.b32 %t7, %t9, 1; mul.lo.u32 %t7, %t7, 4096; add.u32 %t8, %t3, %t7; st.shared.u32 [%t8], %t9;"
                "barrier.sync 0; add.u32 %t9, %t9, 1; add.u32 %t8, %t0, 33; rem.u32 %t8, %t8, %t1;"
                "mad.lo.u32 %t7, %t8, 4, %t7; mov.u32 %t8, slots; add.u32 %t7, %t7, %t8; ld.shared.u32 %r3, [%t7];\n"
            )
        targets = [f"N{random.randrange(count)}" for _ in range(3)] + ["DONE"]
        register = random.choice(VARIABLES + UNIFORM)
        kind = random.randrange(4)
        if kind == 0:
            text += f"{writer.condition('%p2')} @%p2 bra {targets[0]};\n"
        elif kind == 1:
            text += f"{writer.uniform_condition('%p2')} @!%p2 bra {targets[0]};\n"
        elif kind == 2:
            text += f"B{number}: .branchtargets {', '.join(targets)};\nand.b32 %t7, {register}, 3;\n"
            text += f"brx.idx %t7, B{number};\n"
        else:
            text += f"{writer.condition('%p2')} @%p2 bra {targets[0]};\nbra.uni {targets[1]};\n"
    return Case(HEAD + text + TAIL, (random.choice([1, 3]), 1, 1), random.choice([(32, 1, 1), (40, 1, 1), (8, 8, 1)]))
