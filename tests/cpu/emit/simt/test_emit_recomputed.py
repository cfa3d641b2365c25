# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values and predicates derived from the thread index are recomputed after barriers instead of spilled."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN

# Predicates of the lane, of the thread, and of both are live after a barrier, where a branch uses one of them.
BEHIND = (
    HEAD
    + """
.shared .align 4 .b8 room[4096];
.visible .entry k(.param .u64 out) {
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    and.b32 %r5, %r1, 31; setp.lt.u32 %p1, %r5, 3; setp.lt.u32 %p2, %r1, 32; and.pred %p3, %p1, %p2;
    mov.u32 %r6, room; shl.b32 %r7, %r4, 2; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r4; mul.lo.u32 %r8, %r4, 7;
    bar.sync 0;
    mov.u32 %r9, %ntid.y; mul.lo.u32 %r10, %r9, %r3; sub.u32 %r10, %r10, 1; sub.u32 %r10, %r10, %r4;
    shl.b32 %r10, %r10, 2; mov.u32 %r11, room; add.u32 %r10, %r10, %r11; ld.shared.u32 %r12, [%r10];
    selp.u32 %r13, 100, 0, %p1; add.u32 %r13, %r13, %r12; selp.u32 %r14, 1000, 0, %p3; add.u32 %r13, %r13, %r14;
    @%p2 bra NOT;
    add.u32 %r13, %r13, %r8;
NOT:
    mul.wide.u32 %d2, %r4, 4; mov.u32 %r15, %ctaid.x; mul.lo.u32 %r15, %r15, 4096; cvt.u64.u32 %d3, %r15;
    add.s64 %d2, %d2, %d3; add.s64 %d2, %d2, %d1; st.global.u32 [%d2], %r13;
    ret;
}
"""
)


@pytest.mark.parametrize("shape", [(1, 1), (96, 1), (80, 2), (64, 4), (16, 6), (33, 3), (32, 4)])
@pytest.mark.parametrize("width", ["32", "16", "4"])
@pytest.mark.parametrize("row", [FULL_RUN, HALF_RUN])
def test_predicates_of_the_thread_index_are_live_after_a_barrier(
    shape, width: str, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    out = np.zeros((2, 1024), np.uint32)
    Loaded(BEHIND.encode(), row).launch("k", 2, (*shape, 1), out)
    x, count = np.arange(shape[0] * shape[1]) % shape[0], shape[0] * shape[1]
    thread = np.arange(count)
    first = x % 32 < 3
    expected = count - 1 - thread + 100 * first + 1000 * (first & (x < 32)) + np.where(x < 32, 0, 7 * thread)
    np.testing.assert_array_equal(out[:, :count], np.tile(expected, (2, 1)))


def test_predicates_of_the_thread_index_are_not_spilled() -> None:
    program = ptx_program.build([BEHIND])
    kept = re.findall(r"alloca \[33 x (.*?)\],", emit_kernel(program, "k").text)
    assert "<32 x i1>" not in kept
    assert "<32 x i1>" in re.findall(r"alloca \[33 x (.*?)\],", emit_kernel(program, "k", Settings(quick=True)).text)


def test_a_branch_after_a_barrier_is_decided_by_one_comparison() -> None:
    text = emit_kernel(ptx_program.build([BEHIND]), "k").text
    blocks = dict(re.findall(r"^(w1\.\d+):\n(.*?)^  br ", text, re.MULTILINE | re.DOTALL))
    behind = blocks[min(blocks, key=lambda label: int(label.partition(".")[2]))]
    assert "load" in behind
    assert "bitcast <32 x i1>" not in behind


RESULT = (
    HEAD
    + """
.func (.param .b32 back) twice(.param .b32 number) {
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [number]; shl.b32 %r2, %r1, 1; st.param.b32 [back], %r2;
    ret;
}
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;
    { .param .b32 given; st.param.b32 [given], %r1; .param .b32 found; call.uni (found), twice, (given);
      ld.param.b32 %r2, [found]; }
    bar.sync 0;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;
    ret;
}
"""
)


@pytest.mark.parametrize("level", ["", "0"])
def test_results_of_calls_are_spilled_at_barriers(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is in a variable of the call, which holds only the last SIMD group's result."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    out = np.zeros(96, np.uint32)
    Loaded(RESULT.encode()).launch("k", 1, 96, out)
    np.testing.assert_array_equal(out, 2 * np.arange(96))


# All lanes of a mask store to one address, where the value of the last lane stays.
ONE_WORD = (
    HEAD
    + """
.visible .entry k(.param .u64 out, .param .u32 mask) {
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .f32 %f<3>;
    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [mask]; mov.u32 %r2, %tid.x; shr.u32 %r3, %r1, %r2; and.b32 %r3, %r3, 1;
    setp.eq.u32 %p1, %r3, 0; mul.lo.u32 %r4, %r2, 77; cvt.rn.f32.u32 %f1, %r4;
    @%p1 bra NOT;
    st.global.u32 [%d1], %r4; st.global.f32 [%d1+4], %f1; st.global.u8 [%d1+8], %r2;
NOT:
    ret;
}
"""
)


@pytest.mark.cpu_only
@pytest.mark.parametrize("mask", [1, 1 << 31, 1 << 15, 1 << 16, 0x0F0F0F0F, 0xFFFFFFFF, 0x00012340, 0])
@pytest.mark.parametrize("width", ["32", "16", "8", "1"])
def test_the_last_lane_wins_a_store_to_one_address(mask: int, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    out = np.zeros(3, np.uint32)
    Loaded(ONE_WORD.encode()).launch("k", 1, (32, 1, 1), out, np.uint32(mask))
    last = max(mask.bit_length() - 1, 0)
    assert [out[0], out.view(np.float32)[1], out[2]] == [77 * last, 77.0 * last, last]


def test_broadcast_of_a_lane_uses_registers() -> None:
    """Through memory, the load would wait until all earlier stores are in the cache."""
    program = ptx_program.build([ONE_WORD.replace("st.global.u8 [%d1+8], %r2;", "")])
    text = emit_kernel(program, "k", Settings(native_gather=True)).text
    assert "vpermi2var.d.512" in text
    assert not re.search(r"extractelement <32 x i32> %\w+, i32 %", text)
