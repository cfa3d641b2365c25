# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registers that are affine as long as a SIMD group is converged: indices of loops that lanes may leave apart."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.passes import analyse
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, WHOLE_RUN

# Each thread sums elements of `in`, and its flag, in two loops with one index, which begins at its number in the block.
# Between them, threads with a flag take a long way, or make one more step.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 limits, .param .u64 flags)
{
    .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<6>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [limits]; ld.param.u64 %d4, [flags];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, %r2, %r1;
    mul.wide.u32 %d5, %r4, 8; add.u64 %d6, %d3, %d5; ld.global.v2.u32 {%r5, %r6}, [%d6];
    mul.wide.u32 %d7, %r4, 4; add.u64 %d8, %d4, %d7; ld.global.u32 %r7, [%d8]; add.u64 %d9, %d1, %d5;
    mov.u32 %r8, %r1; mov.u32 %r9, 0;
    setp.ge.s32 %p1, %r8, %r5; @%p1 bra BETWEEN;
FIRST:
    ld.global.u32 %r12, [%d8]; mad.lo.u32 %r9, %r9, 3, %r12;
    mul.wide.s32 %d10, %r8, 4; add.u64 %d11, %d2, %d10; ld.global.u32 %r10, [%d11]; add.u32 %r9, %r9, %r10;
    add.s32 %r8, %r8, %r2; setp.lt.s32 %p2, %r8, %r5; @%p2 bra FIRST;
BETWEEN:
    {between}
    setp.ge.s32 %p3, %r8, %r6; @%p3 bra END;
    mul.wide.s32 %d12, %r8, 4; add.u64 %d13, %d2, %d12; mul.wide.s32 %d14, %r2, 4;
SECOND:
    ld.global.u32 %r13, [%d8]; mad.lo.u32 %r9, %r9, 5, %r13; ld.global.u32 %r11, [%d13]; add.u32 %r9, %r9, %r11;
    add.s64 %d13, %d13, %d14; add.s32 %r8, %r8, %r2; setp.lt.s32 %p4, %r8, %r6; @%p4 bra SECOND;
END:
    st.global.v2.u32 [%d9], {%r9, %r8};
    ret;
}
"""
LONG = "setp.ne.u32 %p5, %r7, 0; @%p5 bra OTHER; " + "mad.lo.u32 %r9, %r9, 7, 1; " * 18 + "OTHER: add.u32 %r9, %r9, 1;"
STEP = "setp.eq.u32 %p5, %r7, 0; @%p5 bra OTHER; add.s32 %r8, %r8, %r2; OTHER:"
NOTHING = ""
SIZE = 2000


def kernel(between: str) -> str:
    return HEAD + KERNEL.replace("{between}", between)


def expected(between: str, threads: int, source: np.ndarray, limits: np.ndarray, flags: np.ndarray) -> np.ndarray:
    result = np.zeros((len(limits), 2), np.uint32)
    for thread, ((first, second), flag) in enumerate(zip(limits.tolist(), flags.tolist(), strict=True)):
        index, total = thread % threads, 0
        while index < first:
            total, index = total * 3 + int(source[index]) + flag, index + threads
        if between == LONG:
            for _ in range(0 if flag else 18):
                total = total * 7 + 1
            total += 1
        elif between == STEP and flag:
            index += threads
        while index < second:
            total, index = total * 5 + int(source[index]) + flag, index + threads
        result[thread] = total & 0xFFFFFFFF, index
    return result


LIMITS = {
    "all the same": lambda lanes, random: (lanes * 0 + 500, lanes * 0 + 1400),
    "a last step of some lanes": lambda lanes, random: (lanes * 0 + 500 + 7, lanes * 0 + 1200 + 13),
    "any": lambda lanes, random: (random.integers(0, 900, lanes.size), random.integers(0, 1500, lanes.size)),
    "none of some warps": lambda lanes, random: (lanes // 32 % 2 * 600, lanes * 0 + 900),
    "of some lanes": lambda lanes, random: (lanes % 3 // 2 * 600, lanes * 0 + 900),
    "no second": lambda lanes, random: (lanes * 0 + 300, lanes * 0),
}
FLAGS = {
    "none": lambda lanes: lanes * 0,
    "every": lambda lanes: lanes * 0 + 1,
    "some": lambda lanes: lanes % 5 // 4,
    "some warps": lambda lanes: lanes // 32 % 2,
    "some of some warps": lambda lanes: lanes // 32 % 2 * (lanes % 2),
}


@pytest.fixture(autouse=True)
def _like_hot_kernels(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")


@pytest.mark.parametrize("between", [NOTHING, LONG, STEP], ids=["nothing", "long", "step"])
@pytest.mark.parametrize(
    ("row", "threads"), [(WHOLE_RUN, 64), (WHOLE_RUN, 96), (FULL_RUN, 64), (HALF_RUN, 16), (HALF_RUN, 48)]
)
def test_lanes_sum_their_elements(between, row, threads):
    loaded, blocks = Loaded(kernel(between).encode(), row), 3
    source = np.random.default_rng(2).integers(0, 1 << 30, SIZE, np.uint32)
    lanes = np.arange(blocks * threads)
    for limit, flag in ((limit, flag) for limit in LIMITS for flag in FLAGS):
        limits = np.stack(LIMITS[limit](lanes, np.random.default_rng(3)), axis=1).astype(np.int32)
        flags, found = FLAGS[flag](lanes).astype(np.uint32), np.zeros((lanes.size, 2), np.uint32)
        loaded.launch("k", (blocks, 1, 1), (threads, 1, 1), found, source, limits, flags)
        np.testing.assert_array_equal(found, expected(between, threads, source, limits, flags), f"{limit}, {flag}")


def graph_of(between: str, **options):
    return analyse(build([kernel(between)]).laid_out("k").functions["k"], **options)


def test_indices_of_loops_are_found():
    graph = graph_of(NOTHING, converged_only=True)
    assert {"%r8", "%d11", "%d13"} <= graph.converged_only
    assert "%r9" not in graph.strides
    assert graph.strides["%d11"] == graph.strides["%d13"] == 4
    assert graph_of(NOTHING).converged_only == set()
    assert "%d13" not in graph_of(NOTHING).strides


def test_registers_that_no_address_needs_are_not():
    """Their vectors need not be affine where a SIMD group is converged again."""
    text = kernel(LONG).replace("mul.wide.s32 %d10, %r8, 4;", "mul.wide.s32 %d10, %r9, 4;")
    text = text.replace("mul.wide.s32 %d12, %r8, 4;", "mul.wide.s32 %d12, %r9, 4;")
    graph = analyse(build([text]).laid_out("k").functions["k"], converged_only=True)
    assert graph.converged_only == set()


@pytest.mark.parametrize("other", [{"quick": True}, {"brief": True}])
def test_brief_code_has_none(other, monkeypatch):
    seen = []
    real = analyse

    def watched(*args, **options):
        graph = real(*args, **options)
        seen.append(graph.converged_only)
        return graph

    monkeypatch.setattr("cuda.cpu.emit.kernel.analyse", watched)
    emit_kernel(build([kernel(NOTHING)]), "k", Settings(vector_bytes=64))
    emit_kernel(build([kernel(NOTHING)]), "k", Settings(vector_bytes=64, **other))
    assert [bool(each) for each in seen] == [True, False]
