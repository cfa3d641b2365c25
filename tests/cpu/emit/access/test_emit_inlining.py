# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inlined gathers in loops whose lanes iterate a different number of times, compared with NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.simt.frame import MOST_INLINED
from cuda.cpu.ptx import program as ptx_program

# out[t] = sum of x[columns[i]], a byte of columns[i] and x[columns[i] + 6], for i from starts[t] up to starts[t + 1].
SUMS = (
    HEAD
    + """
.visible .entry k(.param .u64 starts, .param .u64 columns, .param .u64 x, .param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [starts]; ld.param.u64 %d2, [columns]; ld.param.u64 %d3, [x]; ld.param.u64 %d4, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.s32 %d5, %r4, 4; add.s64 %d6, %d1, %d5; ld.global.u32 %r5, [%d6]; ld.global.u32 %r6, [%d6+4];
    mov.u32 %r7, 0; setp.ge.s32 %p1, %r5, %r6; @%p1 bra END;
    mul.wide.s32 %d7, %r5, 4; add.s64 %d8, %d2, %d7;
AGAIN:
    ld.global.u32 %r8, [%d8]; mul.wide.s32 %d9, %r8, 4; add.s64 %d10, %d3, %d9; ld.global.u32 %r9, [%d10];
    ld.global.u8 %r10, [%d8+1]; add.u32 %r9, %r9, %r10; ld.global.u32 %r11, [%d10+16];
    ld.global.u32 %r12, [%d10+20]; ld.global.u32 %r13, [%d10+24]; ld.global.u32 %r14, [%d10+28];
    add.u32 %r9, %r9, %r13; MORE
    add.u32 %r7, %r7, %r9; add.s64 %d8, %d8, 4; add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, %r6; @%p2 bra AGAIN;
END:
    add.s64 %d11, %d4, %d5; st.global.u32 [%d11], %r7;
    ret;
}
"""
)


@pytest.mark.parametrize("level", ["0", "3"])
@pytest.mark.parametrize("width", ["32", "16", "1"])
@pytest.mark.parametrize("order", ["any", "rows", "backwards"])
def test_divergent_loops_in_inlined_functions(
    level: str, width: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    random, threads = np.random.default_rng(3), 3 * 80
    lengths = random.integers(0, 9, threads) if order == "any" else np.full(threads, 3)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    count = int(starts[-1])
    x = random.integers(0, 2**32, 4096, np.uint32)
    columns = random.integers(0, 4000, count).astype(np.uint32)
    if order != "any":  # in each iteration the lanes read contiguous words, forwards or backwards
        lane = np.repeat(np.arange(threads), 3)
        columns = (lane if order == "rows" else 3000 - lane).astype(np.uint32) + np.tile([0, 500, 900], threads)
        columns = columns.astype(np.uint32)
    out = np.zeros(threads, np.uint32)
    Loaded(SUMS.replace("MORE", "").encode()).launch("k", 3, (80, 1, 1), starts, columns, x, out)
    terms = x[columns] + (columns >> 8 & 255) + x[columns + 6]
    expected = [terms[a:b].sum(dtype=np.uint32) for a, b in itertools.pairwise(starts)]
    np.testing.assert_array_equal(out, np.array(expected, np.uint32))


def test_which_calls_are_inlined() -> None:
    def calls(text: str, **options: bool) -> int:
        found = emit_kernel(ptx_program.build([text]), "k", Settings(native_gather=True, **options)).text
        return sum(line.endswith("alwaysinline") for line in found.splitlines() if " call " in line)

    text = SUMS.replace("MORE", "")
    assert 4 <= calls(text) < MOST_INLINED
    assert calls(text.replace("@%p2 bra AGAIN;", "")) == 0  # no loop
    assert calls(text, quick=True) == 0
    assert (
        calls(SUMS.replace("MORE", "".join(f"ld.global.u32 %r15, [%d10+{40 * n}];" for n in range(50)))) == MOST_INLINED
    )
