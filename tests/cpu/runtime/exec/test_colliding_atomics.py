# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations of many blocks on few words, on two worker threads: each takes effect exactly once."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

from cuda.cpu.runtime import _runtime as runtime

pytestmark = pytest.mark.cpu_only
BLOCKS, THREADS, ROUNDS = 32, 128, 40

TEXT = b"""
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 words, .param .u64 old, .param .u32 mask)
{
    .reg .b32 %r<16>; .reg .b64 %d<9>; .reg .f64 %e<3>; .reg .pred %p<2>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [old]; ld.param.u32 %r1, [mask];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2; mov.u32 %r6, 0;
    mov.f64 %e1, 0d3FF0000000000000;
LOOP:
    mad.lo.u32 %r7, %r6, 5, %r2; and.b32 %r7, %r7, %r1; mul.wide.u32 %d3, %r7, 8; add.u64 %d3, %d1, %d3;
    atom.global.add.u32 %r8, [%d3], 1;
    red.global.add.f64 [%d3+512], %e1;
    red.global.max.u32 [%d1+1024], %r5;
    mad.lo.u32 %r9, %r5, ROUNDS, %r6; mul.wide.u32 %d4, %r9, 4; add.u64 %d4, %d2, %d4; st.global.u32 [%d4], %r8;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, ROUNDS; @%p1 bra LOOP;
    ret;
}
""".replace(b"ROUNDS", str(ROUNDS).encode())


@pytest.fixture(autouse=True)
def _two_workers():
    count = runtime.workers()
    runtime.set_workers(2)
    yield
    runtime.set_workers(count)


@pytest.mark.parametrize("path", ["region", "fiber"])
@pytest.mark.parametrize("mask", [0, 1, 7, 63], ids=lambda mask: f"{mask + 1} words")
def test_every_operation_of_two_workers_counts_once(mask, path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    loaded = Loaded(TEXT)
    words, old = np.zeros(129, np.uint64), np.zeros((BLOCKS * THREADS, ROUNDS), np.uint32)
    loaded.launch("k", BLOCKS, THREADS, words, old, np.uint32(mask))
    chosen = np.add.outer(np.arange(BLOCKS * THREADS) % THREADS, 5 * np.arange(ROUNDS)) & mask
    counts = np.bincount(chosen.ravel(), minlength=64)
    np.testing.assert_array_equal(words[:64], counts)
    np.testing.assert_array_equal(words[64:128].view(np.float64), counts)
    assert words[128] == BLOCKS * THREADS - 1
    for index in range(mask + 1):
        np.testing.assert_array_equal(np.sort(old[chosen == index]), np.arange(counts[index]))
