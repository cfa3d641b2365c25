# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The lines of random kernels: tables of instructions and their surroundings.

In a line `$d` is the destination and `$a` `$b` `$c` are sources (32 bits); `$A` `$B` `$C` are registers that mostly
grow or fall by a constant from lane to lane; `$x` `$y` `$l` `$h` `$w` are floats, doubles, 64-bit integers, halves and
bfloat16, `$X` `$Y` `$L` `$H` `$W` ones that are read; `$u` is the same for the block, `$k` a small constant, `$j` any,
`$s` one for shifts.
"""

from __future__ import annotations

VARIABLES = [f"%r{i}" for i in range(6)]
UNIFORM = ["%u0", "%u1", "%u2"]
AFFINE = ["%a0", "%a1", "%a2"]
CONSTANTS = ["0", "1", "3", "7", "31", "-1", "255", "0x7fffffff", "0x80000000", "0x01010101"]
SMALL = [0, 1, 2, 5, 13, 31]
ANY = [1, 2, 4, -1, -2, -16, -17, -33, 40, 255, 65530, 65520, "0x7ffffff0", "0xfffffff0", "0x80000000", "0x40000001"]
SHIFTS = [0, 1, 2, 3, 5, 16, 30, 31]
OF_LETTER = {"d": VARIABLES, "u": UNIFORM, "k": SMALL, "j": ANY, "s": SHIFTS} | dict.fromkeys("ABC", AFFINE)
OF_LETTER |= {letter: [f"%{letter.lower()}{i}" for i in range(2)] for letter in "xylhXYLH"}
OF_LETTER |= {letter: ["%b0", "%b1"] for letter in "wW"}
ANEW = "XYLHW"  # chosen at each use anew


def call(function: str, result: str, *arguments: str) -> str:
    """Return a call with 32-bit arguments."""
    names = [f"in{i}" for i in range(len(arguments))]
    given = " ".join(f".param .b32 {n}; st.param.b32 [{n}], {a};" for n, a in zip(names, arguments, strict=True))
    head = f"{given} .param .b32 back; call (back), {function}, ({', '.join(names)});"
    return f"{{ {head} ld.param.b32 {result}, [back]; }}"


INDIRECT = (
    "and.b32 %t7, $c, 3; mul.wide.u32 %d5, %t7, 8; mov.u64 %d0, table; add.s64 %d5, %d5, %d0; ld.global.u64 %d5, [%d5];"
    " { .param .b32 in0; st.param.b32 [in0], $a; .param .b32 in1; st.param.b32 [in1], $b; .param .b32 back;"
    " proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
    " call (back), %d5, (in0, in1), proto; ld.param.b32 $d, [back]; }"
)
CALLS = [
    call("mixed", "$d", "$a", "$b"),
    call("rounds", "$d", "$a", "$b"),
    call("deep", "$d", "$a", "$b"),
    INDIRECT,
    INDIRECT,
]

INTEGERS = """\
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
mov.b32 %t7, $b; bfe.s32 $d, $a, $k, %t7;
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
mad.hi.s32 $d, $a, $b, $c;
mul24.lo.s32 $d, $a, $b;
bfind.u32 $d, $a;
bfind.s32 $d, $a;
dp4a.s32.u32 $d, $a, $b, $c;
slct.b32.s32 $d, $a, $b, $c;
set.lt.u32.s32 $d, $a, $b;
add.cc.u32 %t7, $a, $b; addc.u32 $d, $c, 0;
add.cc.s32 $d, $a, $b; addc.cc.u32 %t7, $c, $k; addc.u32 $d, $d, %t7;
sub.cc.u32 %t7, $a, $b; subc.cc.u32 %t8, $c, $k; addc.u32 $d, %t7, %t8;
mad.lo.cc.u32 %t7, $a, $b, $c; madc.hi.u32 $d, $a, $b, 0;
setp.ne.u32 %p0|%p1, $a, $b; setp.gt.xor.s32 %p0, $c, $k, !%p1; selp.b32 $d, 5, $b, %p0;
""".splitlines()
MEMORY = """\
and.b32 %t7, $a, 63; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5];
mul.wide.u32 %d5, %t2, 4; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5+12];
ld.global.nc.u32 $d, [%d3+20];
mul.wide.u32 %d5, $u, 4; and.b64 %d5, %d5, 252; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5];
ld.global.s8 $d, [%d3+3];
ld.global.v4.u32 {$d, %t7, %t8, _}, [%d3+32]; add.u32 $d, $d, %t8;
ld.global.v2.u64 {%d5, $l}, [%d3+48]; cvt.u32.u64 $d, %d5;
ld.global.v2.f32 {$x, %f0}, [%d3+24]; setp.num.f32 %p0, $x, $x; selp.f32 $x, $x, 0f3F800000, %p0;
st.global.u32 [%d1+92], $a; ld.global.u16 $d, [%d1+92];
st.global.v2.u32 [%d1+88], {$a, $b}; ld.global.u32 $d, [%d1+92];
st.global.u32 [%d6], $a;
st.global.u32 [%d7], $a; ld.global.u32 $d, [%d6];
ld.global.s16 $d, [%d8]; st.global.u16 [%d8], $a;
ld.global.u8 $d, [%d9]; st.global.u8 [%d9], $b;
st.global.u64 [%d10], $L; ld.global.u32 $d, [%d7];
ld.global.u64 $l, [%d10];
and.b32 %t7, $a, 7; mov.u32 %t8, own; shl.b32 %t7, %t7, 2; add.u32 %t7, %t7, %t8; ld.local.u32 $d, [%t7];
and.b32 %t7, $a, 15; mov.u32 %t8, own; mad.lo.u32 %t7, %t7, 4, %t8; st.local.u32 [%t7], $b;
st.local.v2.u32 [own+8], {$a, $b}; ld.local.v4.u32 {$d, _, _, %t7}, [own]; add.u32 $d, $d, %t7;
mov.u64 %d5, own; cvta.local.u64 %d5, %d5; and.b32 %t7, $a, 12; cvt.u64.u32 %d0, %t7; add.s64 %d5, %d5, %d0; \
ld.u32 $d, [%d5+16];
and.b32 %t7, $a, 3; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; red.global.add.u32 [%d5], $b;
red.global.max.u32 [%d4+16], $a;
red.global.or.b32 [%d4+20], $a;
red.global.xor.b32 [%d4+24], $a;
atom.global.xor.b32 %t7, [%d4+24], $a;
red.global.min.s32 [%d4+84], $b;
and.b32 %t7, $b, 1; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; atom.global.add.u32 %t7, [%d5], $a;
and.b32 %t7, $u, 3; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d4, %d5; red.global.add.u32 [%d5], $a;
red.global.inc.u32 [%d4+28], 1000;
red.global.add.u64 [%d4+32], $L;
and.b32 %t7, $a, 15; cvt.rn.f32.u32 %f0, %t7; red.global.add.f32 [%d4+40], %f0;
red.global.max.s32 [%d4+44], $a;
red.global.min.u32 [%d4+48], $a;
red.global.and.b32 [%d4+52], $a;
atom.global.add.u32 %t7, [%d4+56], 1; red.global.add.u32 [%d4+60], %t7;
red.global.min.s64 [%d4+64], $L;
""".splitlines()
SHARED = """\
st.shared.u32 [%t3], $a; ld.shared.u32 $d, [%t3];
cvt.u64.u32 %d5, %t3; cvta.shared.u64 %d5, %d5; st.u32 [%d5+4096], $a; ld.shared.u16 $d, [%t3+4096];
atom.shared.exch.b32 $d, [%t3], $a;
atom.shared.min.s32 $d, [%t3], $k;
atom.shared.add.u32 $d, [%t3+4096], $b;
red.shared.add.u32 [cells], $a;
red.shared.max.u32 [cells+4], $a;
""".splitlines()
OTHERS = """\
cvt.rn.f32.u32 %f0, $a; cvt.rn.f32.s32 %f1, $b; cvt.rn.f32.u32 %f2, $c; fma.rn.f32 %f3, %f0, %f1, %f2; mov.b32 $d, %f3;
cvt.rn.f32.s32 %f0, $a; cvt.rn.f32.u32 %f1, $b; add.f32 %f1, %f1, 0f3F800000; div.rn.f32 %f2, %f0, %f1; mov.b32 $d, %f2;
cvt.rn.f32.u32 %f0, $a; sqrt.rn.f32 %f0, %f0; cvt.rzi.s32.f32 $d, %f0;
cvt.rn.f32.s32 %f0, $a; neg.f32 %f0, %f0; mov.b32 $d, %f0;
cvt.rn.f32.s32 %f0, $a; cvt.rn.f32.s32 %f1, $b; setp.ltu.f32 %p0, %f0, %f1; selp.b32 $d, $c, $k, %p0;
cvt.rn.f32.s32 $x, $a;
cvt.rn.f32.u32 $x, $u;
add.f32 $x, $X, $X;
sub.f32 $x, $X, 0f40490FDB;
mul.f32 $x, $X, 0f3F000001;
fma.rn.f32 $x, $X, $X, $X;
min.f32 $x, $X, $X;
abs.f32 $x, $X;
cvt.rni.s32.f32 $d, $X;
cvt.rmi.u32.f32 $d, $X;
setp.lt.f32 %p0, $X, $X; selp.b32 $d, $a, $b, %p0;
setp.geu.f32 %p0, $X, 0f41200000; selp.f32 $x, $X, 0f3F800000, %p0;
cvt.rn.f64.s32 $y, $a;
cvt.f64.f32 $y, $X;
cvt.rn.f32.f64 $x, $Y;
add.f64 $y, $Y, $Y;
mul.f64 $y, $Y, 0d3FE0000000000001;
fma.rn.f64 $y, $Y, $Y, $Y;
max.f64 $y, $Y, 0d4059000000000000;
div.rn.f64 $y, 0d4010000000000000, $Y;
cvt.rzi.s32.f64 $d, $Y;
cvt.rn.f64.s64 $y, $L;
cvt.rzi.s64.f64 $l, $Y;
setp.gt.f64 %p0, $Y, $Y; selp.b64 $l, $L, $L, %p0;
add.s64 $l, $L, $L;
sub.s64 $l, $L, 0x123456789;
add.cc.u64 %d5, $L, $L; addc.u64 $l, $L, 0;
mul.lo.s64 $l, $L, $L;
mul.hi.u64 $l, $L, $L;
shl.b64 $l, $L, $k;
shr.s64 $l, $L, $b;
xor.b64 $l, $L, -77;
min.s64 $l, $L, $L;
or.b64 %d5, $L, 9; rem.s64 $l, $L, %d5;
or.b64 %d5, $L, 3; div.u64 $l, $L, %d5;
popc.b64 $d, $L;
clz.b64 $d, $L;
mov.b64 {$d, %t7}, $L;
mov.b64 $l, {$a, $b};
cvt.s64.s32 $l, $a;
mad.wide.s32 $l, $a, $b, $L;
setp.lt.s64 %p0, $L, $L; selp.b32 $d, $a, $b, %p0;
cvt.rn.f16.f32 $h, $X;
cvt.f32.f16 $x, $H;
add.f16 $h, $H, $H;
mul.f16 $h, $H, $H;
fma.rn.f16 $h, $H, $H, $H;
cvt.u16.u32 $h, $a; and.b16 $h, $h, 0x3bff;
cvt.rn.f16x2.f32 %t7, $X, $X; add.f16x2 %t8, %t7, %t7; mov.b32 {$h, _}, %t8;
mov.b32 %t7, {$H, $H}; fma.rn.f16x2 %t8, %t7, %t7, %t7; mov.b32 {_, $h}, %t8;
mov.b32 %t7, {$H, $H}; cvt.rn.f16x2.f32 %t8, $X, $X; setp.lt.f16x2 %p0|%p1, %t7, %t8; selp.b32 $d, $a, $b, %p0; \
selp.b32 $d, $d, $c, %p1;
cvt.rn.bf16.f32 $w, $X;
cvt.f32.bf16 $x, $W;
add.bf16 $w, $W, $W;
mul.bf16 $w, $W, $W;
fma.rn.bf16 $w, $W, $W, $W;
max.bf16 $w, $W, $W;
mov.b32 %t7, {$W, $W}; cvt.rn.bf16x2.f32 %t8, $X, $X; fma.rn.bf16x2 %t8, %t7, %t8, %t7; mov.b32 {_, $w}, %t8;
setp.gt.bf16 %p0, $W, $W; selp.b32 $d, $a, $b, %p0;
setp.lt.f16 %p0, $H, $H; selp.b32 $d, $a, $b, %p0;
activemask.b32 %t7; mov.u32 %t8, %lanemask_eq; and.b32 %t7, %t7, %t8; setp.ne.u32 %p0, %t7, 0; selp.b32 $d, $a, 13, %p0;
""".splitlines()
# Registers base + stride * lane, wrapped around at 16 and 32 bits, before they are widened.
STEPS = """\
add.u32 $A, $B, $j;
add.s32 $A, $B, $u;
sub.u32 $A, $B, $u;
sub.u32 $A, $u, $B;
sub.s32 $A, $j, $B;
shl.b32 $A, $B, $s;
mul.lo.u32 $A, $B, $j;
mad.lo.s32 $A, $B, $j, $u;
mov.b32 $A, %t0;
mov.u32 $A, %tid.x;
mov.u32 $A, %tid.y;
mov.u32 $A, %tid.z;
mov.u32 $A, %laneid;
add.u32 $A, $B, $C;
sub.u32 $A, $B, $C;
cvt.u16.u32 $A, $B;
cvt.s16.s32 $A, $B;
cvt.u32.u16 $A, $B;
cvt.s32.s16 $A, $B;
add.u32 $A, $B, $a;
and.b32 $A, $B, 63;
min.u32 $A, $B, 40;
setp.lt.u32 %p4, $B, $u; @%p4 add.u32 $A, $C, $j;
""".splitlines()
WALKS = ["add.u32 $A, $A, $j;", "add.s32 $A, $A, $u;", "sub.u32 $A, $A, $u;", "add.u32 $A, $A, 4;"]
ROW = ["%t0", "%t2", "%g0", "%g2", "%t10", *AFFINE]  # registers that steps may start from
USES = """\
mov.b32 $d, $A;
cvt.u64.u32 %d5, $A; add.s64 %d5, %d5, $j; shr.u64 %d5, %d5, $s; cvt.u32.u64 $d, %d5;
cvt.s64.s32 %d5, $A; shr.s64 %d5, %d5, $s; cvt.u32.u64 $d, %d5;
cvt.u32.u16 %t7, $A; shl.b32 $d, %t7, 3;
cvt.s32.s16 %t7, $A; add.u32 $d, %t7, $a;
mul.wide.u32 %d5, $A, $j; mov.b64 {%t7, $d}, %d5;
mul.wide.s32 %d5, $A, $j; mov.b64 {%t7, $d}, %d5;
mad.wide.s32 $l, $A, 12, $L;
setp.lt.u32 %p4, $A, $B; selp.b32 $d, $a, $b, %p4;
setp.lt.u32 %p4, $A, 128; mul.wide.u32 %d5, $A, 4; add.s64 %d5, %d2, %d5; @%p4 ld.global.u32 $d, [%d5];
setp.ge.s32 %p4, $A, 0; setp.lt.and.s32 %p4, $A, 128, %p4; mul.wide.s32 %d5, $A, 4; add.s64 %d5, %d2, %d5; \
@%p4 ld.global.u32 $d, [%d5];
setp.lt.u32 %p4, $A, 64; cvt.u64.u32 %d5, $A; shl.b64 %d5, %d5, 3; add.s64 %d5, %d2, %d5; @%p4 ld.global.u64 $l, [%d5];
setp.lt.u32 %p4, $A, 32; mad.wide.u32 %d5, $A, 16, %d2; @%p4 ld.global.v4.u32 {$d, %t7, _, %t8}, [%d5];
setp.lt.u32 %p4, $A, 64; mad.wide.u32 %d5, $A, 8, %d2; @%p4 ld.global.v2.u32 {$d, %t7}, [%d5];
setp.lt.u32 %p4, $A, 200; cvt.u64.u32 %d5, $A; add.s64 %d5, %d2, %d5; @%p4 ld.global.u8 $d, [%d5];
setp.lt.u32 %p4, $A, %t1; shl.b32 %t7, $A, 2; mov.u32 %t8, fixed; add.u32 %t7, %t7, %t8; @%p4 ld.shared.u32 $d, [%t7];
sub.u32 %t7, $A, 1; setp.lt.u32 %p4, %t7, 100; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d2, %d5; \
@%p4 ld.global.u32 $d, [%d5];
setp.ge.u32 %p4, $A, 128; selp.b32 %t7, 5, $A, %p4; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d2, %d5; \
ld.global.u32 $d, [%d5];
""".splitlines()
GUARDED = ["add.u32 $d, $a, $b;", "xor.b32 $d, $a, $b;", "st.shared.u32 [%t3], $a;", "ld.global.u32 $d, [%d3+28];",
           "mov.u32 $d, $a;", "st.global.u32 [%d6], $a;", "ld.global.u32 $d, [%d7];", "add.u32 %a1, %a1, $j;",
           "st.global.v2.u32 [%d1+88], {$a, $b};", "st.local.u32 [own+20], $a;", "add.f32 %x0, %x0, %x1;",
           "red.shared.add.u32 [cells], $a;", "red.global.add.u32 [%d4], $a;",
           "ld.local.v2.u32 {$d, %t7}, [own+16];"]  # fmt: skip
COMPARISONS = ["lt.s32", "ge.u32", "eq.u32", "ne.s32", "hi.u32", "le.s32", "lt.u32", "ls.u32", "gt.s32"]
BOUNDS = [*UNIFORM, "1", "20", "33", "64", "-1", "0x7fffffff", "0x80000000", "0x80000010"]  # of rows
REDUCTIONS = ["add.s32", "min.u32", "max.s32", "and.b32", "xor.b32", "or.b32", "add.u32", "max.u32"]
