# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose counts are known in closed form, per warp of 32 threads unless a case states totals.

`p` points to global memory of 1 MiB, aligned to 256 bytes. Registers: %rd0 = p, %r0 = %tid.x, %r3 = index in the grid,
%r4 = lane. `BEFORE` instructions precede the body, one `ret` follows.
"""

from __future__ import annotations

from typing import NamedTuple

HEAD = """.version 8.6
.target sm_90
.address_size 64
.const .align 16 .b8 table[256];
.func (.param .f32 r) twice(.param .f32 x) {
    .reg .f32 %y; ld.param.f32 %y, [x]; add.f32 %y, %y, %y; st.param.f32 [r], %y; ret;
}
.visible .entry k(.param .u64 p) {
    .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<16>; .reg .f64 %d<8>; .reg .pred %p<8>;
    .shared .align 128 .b8 s[16384];
    .local .align 16 .b8 l[64];
    ld.param.u64 %rd0, [p];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mad.lo.s32 %r3, %r1, %r2, %r0;
    and.b32 %r4, %r0, 31;
"""
BEFORE = 6
TAIL = "\n    ret;\n}\n"

INSTRUCTIONS = "ptx__inst_executed.sum"
THREADS = "ptx__thread_inst_executed.sum"
ACTIVE = "ptx__thread_inst_executed_pred_on.sum"
BRANCHES = "ptx__inst_executed_op_branch.sum"
DIVERGENT = "ptx__branch_divergent.sum"
COLLISIONS = "ptx__atomic_collisions.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
WAVEFRONTS = "ptx__wavefronts_mem_shared.sum"


def requests(kind: str) -> str:
    return f"l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum"


def sectors(kind: str, space: str = "global") -> str:
    return f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_{kind}.sum"


class Case(NamedTuple):
    name: str
    body: str
    expected: dict[str, int]  # per warp
    grid: int = 2
    block: int = 64  # two warps
    warps: int = 4

    @property
    def text(self) -> str:
        return HEAD + self.body + TAIL


def access(instruction: str, stride: int, *, index: str = "%r3", offset: int = 0) -> str:
    """Return an access to global memory at p + index * stride + offset, `[a]` in the instruction."""
    address = f"mul.wide.u32 %rd1, {index}, {stride}; add.s64 %rd2, %rd0, %rd1; "
    return address + instruction.replace("[a]", f"[%rd2+{offset}]")


def shared(instruction: str, stride: int, *, index: str = "%r4") -> str:
    """Return an access to shared memory at s + index * stride."""
    return f"mov.u32 %r10, s; mad.lo.s32 %r11, {index}, {stride}, %r10; " + instruction.replace("[a]", "[%r11]")


def load(name: str, instruction: str, stride: int, expected: int, **options: object) -> Case:
    return Case(name, access(instruction, stride, **options), {requests("ld"): 1, sectors("ld"): expected})


def banks(name: str, instruction: str, stride: int, wavefronts: int, conflicts: int) -> Case:
    return Case(name, shared(instruction, stride), {WAVEFRONTS: wavefronts, CONFLICTS: conflicts})


F32 = "ld.global.f32 %f0, [a];"
GLOBAL = [
    load("coalesced", F32, 4, 4),
    load("stride 8", F32, 8, 8),
    load("stride 16", F32, 16, 16),
    load("stride 32", F32, 32, 32),
    load("stride 128", F32, 128, 32),
    load("one word off alignment", F32, 4, 5, offset=4),
    load("same address", F32, 0, 1),
    load("bytes", "ld.global.u8 %h0, [a];", 1, 1),
    load("halves", "ld.global.u16 %h0, [a];", 2, 2),
    load("doubles", "ld.global.f64 %d0, [a];", 8, 8),
    load("pairs", "ld.global.v2.f32 {%f0, %f1}, [a];", 8, 8),
    load("quadruples", "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [a];", 16, 16),
    load("quadruples, every second", "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [a];", 32, 32),
    Case("store", access("st.global.f32 [a], 0f3F800000;", 4), {requests("st"): 1, sectors("st"): 4}),
    Case("reversed", "sub.u32 %r5, 1023, %r3; " + access(F32, 4, index="%r5"), {sectors("ld"): 4}),
    Case("permuted", "xor.b32 %r5, %r3, 21; " + access(F32, 4, index="%r5"), {sectors("ld"): 4}),
    Case("rows of 64 bytes", "shr.u32 %r5, %r3, 4; and.b32 %r6, %r3, 15; shl.b32 %r5, %r5, 8; shl.b32 %r6, %r6, 2; "
         "add.u32 %r5, %r5, %r6; " + access(F32, 1, index="%r5"), {sectors("ld"): 4}),
    Case("half of the lanes", "setp.lt.u32 %p0, %r4, 16; " + access("@%p0 ld.global.f32 %f0, [a];", 4),
         {INSTRUCTIONS: BEFORE + 5, ACTIVE: 32 * (BEFORE + 4) + 16, requests("ld"): 1, sectors("ld"): 2, BRANCHES: 0,
          DIVERGENT: 0}),
    Case("no lane", "setp.gt.u32 %p0, %r4, 40; " + access("@%p0 ld.global.f32 %f0, [a];", 4),
         {INSTRUCTIONS: BEFORE + 5, ACTIVE: 32 * (BEFORE + 4), requests("ld"): 0, sectors("ld"): 0}),
    Case("generic", f"cvta.to.global.u64 %rd0, %rd0; {access('ld.f32 %f0, [a];', 4)}", {sectors("ld"): 4}),
    Case("constant", "mov.u64 %rd3, table; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd3, %rd3, %rd4; "
         "ld.const.f32 %f0, [%rd3];", {"ptx__constant_requests.sum": 1, requests("ld"): 0}),
]  # fmt: skip

SHARED = [
    banks("no conflict", "st.shared.u32 [a], %r0;", 4, 1, 0),
    banks("two ways", "st.shared.u32 [a], %r0;", 8, 2, 1),
    banks("four ways", "ld.shared.u32 %r12, [a];", 16, 4, 3),
    banks("column of a tile", "ld.shared.u32 %r12, [a];", 128, 32, 31),
    banks("column of a padded tile", "ld.shared.u32 %r12, [a];", 132, 1, 0),
    banks("broadcast", "ld.shared.u32 %r12, [a];", 0, 1, 0),
    banks("bytes of eight words", "ld.shared.u8 %h0, [a];", 1, 1, 0),
    banks("doubles", "ld.shared.f64 %d0, [a];", 8, 2, 0),
    banks("every second double", "ld.shared.f64 %d0, [a];", 16, 4, 2),
    banks("quadruples", "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [a];", 16, 4, 0),
    Case("generic shared", "cvta.shared.u64 %rd3, 0; mov.u32 %r10, s; mad.lo.s32 %r11, %r4, 8, %r10; "
         "cvt.u64.u32 %rd4, %r11; cvta.shared.u64 %rd3, %rd4; ld.u32 %r12, [%rd3];",
         {WAVEFRONTS: 2, CONFLICTS: 1, requests("ld"): 0}),
    Case("rows of a matrix", shared("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [a];", 16),
         {WAVEFRONTS: 4, CONFLICTS: 0}),
    Case("asynchronous copy", access("", 16) + "mov.u32 %r10, s; mad.lo.s32 %r11, %r4, 16, %r10; "
         "cp.async.cg.shared.global [%r11], [%rd2], 16; cp.async.wait_all;",
         {requests("ld"): 1, sectors("ld"): 16, WAVEFRONTS: 4, CONFLICTS: 0}),
]  # fmt: skip

ATOMICS = [
    Case("one counter", access("red.global.add.u32 [a], 1;", 0),
         {requests("red"): 1, sectors("red"): 1, COLLISIONS: 31}),
    Case("four counters", "and.b32 %r5, %r4, 3; " + access("atom.global.add.u32 %r6, [a], 1;", 4, index="%r5"),
         {requests("atom"): 1, sectors("atom"): 1, COLLISIONS: 28}),
    Case("counter each", access("atom.global.add.u32 %r6, [a], 1;", 4), {sectors("atom"): 4, COLLISIONS: 0}),
    Case("shared counter", shared("atom.shared.add.u32 %r6, [a], 1;", 0), {WAVEFRONTS: 1, COLLISIONS: 31}),
]  # fmt: skip

LOCAL = [
    Case("local, same word", "st.local.u32 [l], %r0; ld.local.u32 %r5, [l];",
         {sectors("st", "local"): 4, sectors("ld", "local"): 4}),
    Case("local, other words", "and.b32 %r5, %r4, 7; mov.u32 %r6, l; mad.lo.s32 %r6, %r5, 4, %r6; "
         "st.local.u32 [%r6], %r0;", {sectors("st", "local"): 32}),
    Case("local quadruple", "st.local.v4.u32 [l], {%r0, %r0, %r0, %r0};", {sectors("st", "local"): 16}),
]  # fmt: skip

# Instructions per warp; lanes that diverge reconverge at the label that both paths reach first.
FLOW = [
    Case("64-bit address of shared memory", "mov.u64 %rd3, s; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd3, %rd3, %rd4; "
         "st.shared.u32 [%rd3], %r4; cvt.u32.u64 %r5, %rd4;", {INSTRUCTIONS: BEFORE + 6}),
    Case("nothing", "", {INSTRUCTIONS: BEFORE + 1, THREADS: 32 * (BEFORE + 1), BRANCHES: 0}),
    Case("short block", "", {INSTRUCTIONS: 2 * (BEFORE + 1), THREADS: 40 * (BEFORE + 1)}, grid=3, block=40, warps=3),
    Case("guarded addition", "setp.lt.u32 %p0, %r4, 5; @%p0 add.u32 %r5, %r4, 1;",
         {INSTRUCTIONS: BEFORE + 3, THREADS: 32 * (BEFORE + 3), ACTIVE: 32 * (BEFORE + 2) + 5}),
    Case("if and else", "and.b32 %r5, %r4, 1; setp.eq.u32 %p0, %r5, 0; @%p0 bra A; add.u32 %r6, %r4, 1; bra B; "
         "A: add.u32 %r6, %r4, 2; B: add.u32 %r7, %r6, 1;",
         {INSTRUCTIONS: BEFORE + 8, THREADS: 32 * (BEFORE + 5) + 16 * 3, BRANCHES: 2, DIVERGENT: 1}),
    Case("branch of whole warps", "setp.lt.u32 %p0, %r0, 32; @%p0 bra A; add.u32 %r6, %r4, 1; A: add.u32 %r7, %r6, 1;",
         {INSTRUCTIONS: 2 * (BEFORE + 4) + 1, BRANCHES: 2, DIVERGENT: 0}, warps=2),
    Case("loop", "mov.u32 %r5, 0; A: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 10; @%p0 bra A;",
         {INSTRUCTIONS: BEFORE + 2 + 30, BRANCHES: 10, DIVERGENT: 0}),
    Case("loop of lane + 1 rounds", "mov.u32 %r5, 0; A: add.u32 %r5, %r5, 1; setp.le.u32 %p0, %r5, %r4; @%p0 bra A;",
         {INSTRUCTIONS: BEFORE + 2 + 96, THREADS: 32 * (BEFORE + 2) + 3 * 528, BRANCHES: 32, DIVERGENT: 31}),
    Case("tree", "and.b32 %r5, %r4, 1; setp.eq.u32 %p0, %r5, 0; and.b32 %r6, %r4, 2; setp.eq.u32 %p1, %r6, 0; "
         "@%p0 bra A; @%p1 bra B; add.u32 %r7, 1, 1; B: add.u32 %r7, 2, 2; bra E; "
         "A: @%p1 bra C; add.u32 %r7, 3, 3; C: add.u32 %r7, 4, 4; E: add.u32 %r7, 5, 5;",
         {INSTRUCTIONS: BEFORE + 4 + 1 + 2 + 4 + 1 + 2, BRANCHES: 4, DIVERGENT: 3}),
    Case("switch", "and.b32 %r5, %r4, 3; T: .branchtargets A, B, C, D; brx.idx %r5, T; "
         "A: add.u32 %r6, 1, 1; B: add.u32 %r6, 2, 2; C: add.u32 %r6, 3, 3; D: add.u32 %r6, 4, 4;",
         {INSTRUCTIONS: BEFORE + 2 + 4 + 1, THREADS: 32 * (BEFORE + 3) + 8 + 16 + 24 + 32, BRANCHES: 1, DIVERGENT: 1}),
    Case("early exit", "setp.lt.u32 %p0, %r4, 24; @%p0 exit; add.u32 %r5, %r4, 1;",
         {INSTRUCTIONS: BEFORE + 4, THREADS: 32 * (BEFORE + 2) + 8 * 2, BRANCHES: 0, DIVERGENT: 0}),
    Case("branch to the return", "setp.lt.u32 %p0, %r4, 24; @%p0 bra E; add.u32 %r5, %r4, 1; E:",
         {INSTRUCTIONS: BEFORE + 4, THREADS: 32 * (BEFORE + 3) + 8, DIVERGENT: 1}),
    Case("barriers", "bar.sync 0; bar.sync 0;", {INSTRUCTIONS: BEFORE + 3, "ptx__inst_executed_op_barrier.sum": 2}),
    Case("call", "cvt.rn.f32.u32 %f0, %r4; .param .f32 a; .param .f32 b; "
         + 2 * "st.param.f32 [a], %f0; call (b), twice, (a); ld.param.f32 %f0, [b]; ",
         {INSTRUCTIONS: BEFORE + 1 + 2 * 3 + 2 * 4 + 1, "ptx__inst_executed_class_call.sum": 2,
          "ptx__flops_fp32.sum": 64}),
]  # fmt: skip

ARITHMETIC = [
    Case("fp32", "mov.f32 %f0, 0f3F800000; add.f32 %f1, %f0, %f0; mul.f32 %f1, %f1, %f0; "
         "fma.rn.f32 %f1, %f1, %f0, %f0;",
         {"ptx__flops_fp32.sum": 32 * 4, "ptx__flops.sum": 32 * 4, "ptx__inst_executed_class_fp32.sum": 3}),
    Case("fp64", "mov.f64 %d0, 0d3FF0000000000000; fma.rn.f64 %d1, %d0, %d0, %d0;", {"ptx__flops_fp64.sum": 32 * 2}),
    Case("pairs of fp16", "mov.u32 %r5, 0; fma.rn.f16x2 %r6, %r5, %r5, %r5;", {"ptx__flops_fp16.sum": 32 * 4}),
    Case("guarded fp32", "setp.lt.u32 %p0, %r4, 3; mov.f32 %f0, 0f3F800000; @%p0 add.f32 %f1, %f0, %f0;",
         {"ptx__flops_fp32.sum": 3}),
    Case("matrices", "mov.u32 %r5, 0; mov.f32 %f0, 0f00000000; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
         "{%f1, %f2, %f3, %f4}, {%r5, %r5, %r5, %r5}, {%r5, %r5}, {%f0, %f0, %f0, %f0};",
         {"ptx__flops_matrix.sum": 2 * 16 * 8 * 16, "ptx__inst_executed_class_matrix.sum": 1}),
]  # fmt: skip

CASES = [*GLOBAL, *SHARED, *ATOMICS, *LOCAL, *FLOW, *ARITHMETIC]
