# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The frame of random kernels: functions to call, registers, memory, final stores."""

from __future__ import annotations

from support.wide_addresses import sometimes_widened

FRESH = 200  # statements that have temporary registers of their own
NAMES = 400  # registers of each type for patterns
WORDS = 28  # of the output, for each thread
ROWS = 6  # words of the rows, for each thread
READABLE = 576  # words at the start of the input that each thread may read
LONG = 40960  # words of the memory that loops go through in long steps
BINS = 256  # of histograms: in `sums` from word 32 on, and in shared memory
COUNTERS = 32 + BINS  # word of `sums`: each grows by one at a time
# Commutative atomics: operation, type, initial value. TALLY words of `sums` for each.
MOST = 0x7FFFFFFF
TALLIES = [("add", "u64", 0), ("add", "f32", 0), ("add", "f64", 0), ("min", "s32", MOST), ("min", "u32", 0xFFFFFFFF),
           ("max", "s32", -MOST), ("max", "u32", 0), ("and", "b32", -1), ("or", "b32", 0), ("xor", "b32", 0),
           ("min", "s64", MOST << 32), ("min", "u64", -1), ("max", "s64", -MOST << 32), ("max", "u64", 0),
           ("and", "b64", -1), ("or", "b64", 0), ("xor", "b64", 0), ("inc", "u32", 0), ("dec", "u32", 0),
           ("add", "u32", 0)]  # fmt: skip
TALLY = 96
TALLIED = COUNTERS + 32  # word of `sums` at which they begin
SUMS = TALLIED + TALLY * len(TALLIES)

FUNCTIONS = """\
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
.func (.param .b32 result) rounds(.param .b32 a, .param .b32 b) {
    .reg .b32 %r<5>; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; and.b32 %r3, %r2, 7;
MORE: setp.eq.u32 %p1, %r3, 0;
    @%p1 bra OVER;
    mad.lo.u32 %r1, %r1, 5, %r3; sub.u32 %r3, %r3, 1;
    bra.uni MORE;
OVER: st.param.b32 [result], %r1;
    ret;
}
.func (.param .b32 result) deep(.param .b32 a, .param .b32 n) {
    .local .align 8 .b8 kept[16]; .reg .b32 %r<8>; .reg .b64 %d1; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [n]; and.b32 %r2, %r2, 3; mov.u64 %d1, kept;
    st.local.v2.u32 [%d1+8], {%r1, %r2}; setp.eq.u32 %p1, %r2, 0;
    @%p1 bra LAST;
    sub.u32 %r3, %r2, 1; mad.lo.u32 %r4, %r1, 3, %r2;
    { .param .b32 x; st.param.b32 [x], %r4; .param .b32 y; st.param.b32 [y], %r3; .param .b32 z;
      call (z), deep, (x, y); ld.param.b32 %r5, [z]; }
    ld.local.u32 %r6, [%d1+8]; ld.local.u32 %r7, [%d1+12]; mad.lo.u32 %r5, %r6, %r7, %r5;
    st.param.b32 [result], %r5;
    ret;
LAST: st.param.b32 [result], %r1;
    ret;
}
.func (.param .b32 result) quits(.param .b32 a, .param .b32 b) {
    .reg .b32 %r<4>; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; and.b32 %r3, %r1, 7; setp.eq.u32 %p1, %r3, 6;
    @%p1 exit;
    add.u32 %r3, %r1, %r2; st.param.b32 [result], %r3;
    ret;
}
.func (.param .b32 result) meets(.param .b32 a, .param .b32 slot, .param .b32 other) {
    .reg .b32 %r<5>;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [slot]; ld.param.u32 %r3, [other];
    st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r4, [%r3]; bar.sync 0; st.param.b32 [result], %r4;
    ret;
}
.func (.param .b32 result) asks(.param .b32 a, .param .b32 members) {
    .reg .b32 %r<5>; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [members]; setp.gt.s32 %p1, %r1, 9;
    vote.sync.ballot.b32 %r3, %p1, %r2; redux.sync.xor.b32 %r4, %r1, %r2; add.u32 %r3, %r3, %r4;
    st.param.b32 [result], %r3;
    ret;
}
.global .align 8 .u64 table[4] = {mixed, rounds, deep, mixed};
"""
HEAD = f"""\
.version 9.0
.target sm_90
.address_size 64
{FUNCTIONS}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 sums, .param .u64 rows, .param .u32 number,
    .param .u64 long) {{
    .shared .align 16 .b8 slots[8192];
    .shared .align 16 .b8 fixed[4096];
    .shared .align 8 .b8 cells[32];
    .shared .align 16 .b8 bins[{4 * BINS}];
    .shared .align 16 .b8 counters[64];
    .shared .align 16 .b8 line[2048];
    .local .align 16 .b8 own[64];
    .reg .b32 %r<6>, %u<3>, %t<16>, %m, %i<99>, %n<99>, %a<3>, %g<20>, %w<{3 * FRESH}>;
    .reg .b64 %d<16>, %l<2>, %o<16>, %z<{2 * FRESH}>;
    .reg .b16 %h<2>, %b<2>;
    .reg .b32 %v<{NAMES}>;
    .reg .b64 %q<{NAMES}>;
    .reg .f32 %c<{NAMES}>;
    .reg .pred %k<{NAMES}>;
    .reg .f32 %f<4>, %x<2>;
    .reg .f64 %e<4>, %y<2>;
    .reg .pred %p<8>;
    mov.u32 %g0, %tid.x; mov.u32 %g1, %ntid.x; mov.u32 %g2, %tid.y; mov.u32 %g3, %ntid.y; mov.u32 %g4, %tid.z;
    mad.lo.u32 %g5, %g4, %g3, %g2; mad.lo.u32 %t0, %g5, %g1, %g0;
    mov.u32 %g6, %ntid.z; mul.lo.u32 %g7, %g1, %g3; mul.lo.u32 %t1, %g7, %g6;
    mov.u32 %g8, %ctaid.z; mov.u32 %g9, %nctaid.y; mov.u32 %g10, %ctaid.y; mad.lo.u32 %g11, %g8, %g9, %g10;
    mov.u32 %g12, %nctaid.x; mov.u32 %g13, %ctaid.x; mad.lo.u32 %g19, %g11, %g12, %g13; mov.u32 %u0, %g19;
    ld.param.u32 %u1, [number]; mad.lo.u32 %u2, %u0, 5, %u1;
    mad.lo.u32 %t2, %g19, %t1, %t0;
    ld.param.u64 %o0, [out]; mul.wide.u32 %o1, %t2, {4 * WORDS}; add.s64 %d1, %o0, %o1;
    ld.param.u64 %d2, [in]; mul.wide.u32 %o2, %t2, 256; add.s64 %d3, %d2, %o2;
    ld.param.u64 %d4, [sums]; ld.param.u64 %d13, [long];
    mov.u32 %g14, %nctaid.z; mul.lo.u32 %g15, %g12, %g9; mul.lo.u32 %g16, %g15, %g14; mul.lo.u32 %g17, %g16, %t1;
    cvt.u64.u32 %d11, %g17; ld.param.u64 %d12, [rows];
    mul.wide.u32 %o3, %t2, 4; add.s64 %d6, %d12, %o3; shl.b64 %o4, %d11, 2; add.s64 %d7, %d6, %o4;
    mul.wide.u32 %o5, %t2, 2; shl.b64 %o6, %d11, 3; add.s64 %o7, %o6, %d12; add.s64 %d8, %o7, %o5;
    cvt.u64.u32 %o8, %t2; mad.lo.s64 %o9, %d11, 10, %d12; add.s64 %d9, %o9, %o8;
    mul.wide.u32 %o10, %t2, 8; mad.lo.s64 %o11, %d11, 16, %d12; add.s64 %d10, %o11, %o10;
    ld.global.u32 %r0, [%d3]; ld.global.u32 %r1, [%d3+12]; ld.global.u32 %r2, [%d3+120]; ld.global.u32 %r3, [%d3+72];
    mov.u32 %r4, %t0; mov.u32 %r5, %laneid;
    mov.u32 %g18, slots; mad.lo.u32 %t3, %t0, 4, %g18;
    mov.u32 %t4, 1; mov.u32 %t10, %laneid; mov.u32 %t11, 40;
    and.b32 %t5, %t0, 0xffe0; sub.u32 %t5, %t1, %t5; min.u32 %t5, %t5, 32;
    setp.ge.u32 %p0, %t5, 32; shl.b32 %m, %t4, %t5; sub.u32 %m, %m, 1; selp.b32 %m, -1, %m, %p0;
    mov.u32 %a0, %t0; mov.u32 %a1, %tid.x; mad.lo.u32 %a2, %g13, %g1, %g0;
    cvt.rn.f32.u32 %x0, %t0; mov.f32 %x1, 0f3FC00000; cvt.rn.f64.s32 %y0, %r1; mov.f64 %y1, 0d3FF8000000000000;
    mov.b64 %l0, {{%r0, %r1}}; cvt.u64.u32 %l1, %t0; cvt.rn.f16.f32 %h0, %x0; mov.b16 %h1, 0x3e00;
    cvt.rn.bf16.f32 %b0, %x0; mov.b16 %b1, 0x3fc0;
"""
# The manual does not define the bits of NaN.
TAIL = """\
DONE:
    setp.num.f32 %p0, %x0, %x0; selp.f32 %x0, %x0, 0f00000000, %p0;
    setp.num.f32 %p0, %x1, %x1; selp.f32 %x1, %x1, 0f00000000, %p0;
    setp.num.f64 %p0, %y0, %y0; selp.f64 %y0, %y0, 0d0000000000000000, %p0;
    setp.num.f64 %p0, %y1, %y1; selp.f64 %y1, %y1, 0d0000000000000000, %p0;
    cvt.f32.f16 %f0, %h0; setp.num.f32 %p0, %f0, %f0; selp.f32 %f0, %f0, 0f00000000, %p0;
    st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3}; st.global.v2.u32 [%d1+16], {%r4, %r5};
    xor.b32 %t14, %u0, %u1; add.u32 %t14, %t14, %u2; st.global.u32 [%d1+24], %t14; st.global.u32 [%d1+28], 77;
    st.global.v2.f32 [%d1+32], {%x0, %x1}; st.global.v2.f64 [%d1+48], {%y0, %y1}; st.global.v2.u64 [%d1+64], {%l0, %l1};
    st.global.u32 [%d1+40], %a0; st.global.u32 [%d1+44], %a1; st.global.u32 [%d1+80], %a2; st.global.f32 [%d1+84], %f0;
    cvt.f32.bf16 %f0, %b0; setp.num.f32 %p0, %f0, %f0; selp.f32 %f0, %f0, 0f00000000, %p0; st.global.f32 [%d1+104], %f0;
    ret;
}
"""
SHARED = """\
    st.shared.u32 [%t3], %r1; st.shared.u32 [%t3+4096], %r2;
    mov.u32 %t4, fixed; mad.lo.u32 %t4, %t0, 4, %t4; xor.b32 %t5, %r1, %t0; st.shared.u32 [%t4], %t5;
    setp.lt.u32 %p0, %t0, 1; @%p0 st.shared.v4.u32 [cells], {0, 0, 0, 0}; \
@%p0 st.shared.v4.u32 [cells+16], {0, 0, 0, 0};
"""
OWN = """\
    st.local.u32 [own], %r0; st.local.u32 [own+4], %r1; st.local.u32 [own+8], %r4; st.local.u32 [own+12], 9;
    st.local.v4.u32 [own+16], {1, 2, 3, 4}; st.local.v2.u32 [own+32], {%r3, %r4}; \
st.local.v2.u32 [own+40], {5, 6};
    st.local.v4.u32 [own+48], {%r1, %r2, %r3, 7};
"""
CELLS = "bar.sync 0; ld.shared.v2.u32 {%t4, %t5}, [cells]; st.global.v2.u32 [%d1+88], {%t4, %t5};\n"
CLEAR = f"""\
    and.b32 %t5, %t0, {BINS - 1}; shl.b32 %t5, %t5, 2; mov.u32 %t4, bins; add.u32 %t5, %t5, %t4;
    add.u32 %t4, %t4, {4 * BINS}; shl.b32 %t6, %t1, 2;
ZERO: st.shared.u32 [%t5], 0; add.u32 %t5, %t5, %t6; setp.lt.u32 %p0, %t5, %t4;
    @%p0 bra ZERO;
    setp.lt.u32 %p0, %t0, 1; @%p0 st.shared.v4.u32 [counters], {{0, 0, 0, 0}}; \
@%p0 st.shared.v4.u32 [counters+16], {{0, 0, 0, 0}};
"""
EMPTY = "    mov.u32 %t4, line; mad.lo.u32 %t4, %t0, 8, %t4; st.shared.v2.u32 [%t4], {0, 0};\n"
COUNTED = """\
    and.b32 %t5, %t0, 255; mov.u32 %t4, bins; mad.lo.u32 %t5, %t5, 4, %t4; ld.shared.u32 %t5, [%t5];
    and.b32 %t6, %t0, 7; mov.u32 %t4, counters; mad.lo.u32 %t6, %t6, 4, %t4; ld.shared.u32 %t6, [%t6];
    st.global.v2.u32 [%d1+96], {%t5, %t6};
"""


def assemble(body: str, *, meets: bool) -> str:
    """Return the kernel of the statements; if all threads of a block reach its end, results of atomics are stored.

    Threads may jump to DONE.
    """
    counts = "bins" in body or "counters" in body
    meeting = (CELLS + COUNTED * counts) * meets
    ready = (
        ""
        if not (meets or ".shared" in body)
        else f"{SHARED}{EMPTY * ('line' in body)}{CLEAR * counts}    bar.sync 0;\n"
    )
    return sometimes_widened(f"{HEAD}{OWN * ('own' in body)}{ready}{body}\n{meeting}{TAIL}")
