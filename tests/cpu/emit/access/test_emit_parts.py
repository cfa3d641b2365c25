# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters under masks, with AVX-512 by parts of eight lanes: those of which no lane runs are left out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit.access import gather_scatter, indexed
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# Threads whose element is not negative load a word from shared memory there, and store it as a word and a long word;
# the loop keeps the branch from being a short one.
MOVE = (
    HEAD
    + """
.visible .entry k(.param .u64 words, .param .u64 longs, .param .u64 elements)
{
    .shared .align 4 .b8 room[256];
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [longs]; ld.param.u64 %d3, [elements];
    mov.u32 %r1, %tid.x; mov.u32 %r2, room; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2;
    mul.lo.u32 %r4, %r1, 77; st.shared.u32 [%r3], %r4; bar.sync 0;
    mul.wide.u32 %d4, %r1, 8; add.u64 %d3, %d3, %d4; ld.global.u64 %d5, [%d3]; mov.u32 %r5, 0;
    setp.lt.s64 %p1, %d5, 0;
    @%p1 bra END;
AGAIN:
    cvt.u32.u64 %r6, %d5; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r2; ld.shared.u32 %r7, [%r6];
    shl.b64 %d6, %d5, 2; add.u64 %d6, %d6, %d1; st.global.u32 [%d6], %r7;
    shl.b64 %d7, %d5, 3; add.u64 %d7, %d7, %d2; cvt.u64.u32 %d8, %r7; st.global.u64 [%d7], %d8;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    ret;
}
"""
)
COUNT, PART = 64, 8

needs_avx512 = pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no AVX-512")


def elements(parts: tuple[bool, ...], *, share: float = 0.9) -> np.ndarray:
    """Return an element for most threads of some parts of each warp, -1 for the others."""
    random = np.random.default_rng(3)
    runs = np.tile(np.repeat(parts, PART), COUNT // 32) & (random.random(COUNT) < share)
    return np.where(runs, random.permutation(COUNT), -1)


def moved(loaded: Loaded, where: np.ndarray) -> object:
    """Move words; return the fault, after comparing what was stored if there is none."""
    words, longs = np.full(COUNT, 5, np.uint32), np.full(COUNT, 5, np.uint64)
    fault = loaded.run("k", 1, COUNT, words, longs, where)
    if fault is None:
        expected = np.full(COUNT, 5)
        used = where[where >= 0]
        expected[used] = used * 77
        np.testing.assert_array_equal(words, expected)
        np.testing.assert_array_equal(longs, expected)
    return fault


@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize("width", ["32", "16", "8", "4"])
@pytest.mark.parametrize("gathers", [False, True])
def test_lanes_of_some_parts(monkeypatch, width, gathers):
    if gathers and not jit._has_gathers():
        pytest.skip("the CPU has no AVX-512")
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    monkeypatch.setattr(jit, "_has_gathers", lambda: gathers)
    loaded = Loaded(MOVE.encode(), FULL_RUN)
    for parts, share in itertools.product(itertools.product((False, True), repeat=32 // PART), (0.3, 0.9, 1)):
        assert moved(loaded, elements(parts, share=share)) is None


@pytest.mark.cpu_only
@needs_avx512
@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize(
    ("module", "name", "label"), [(indexed, "_gathers", "gather8"), (gather_scatter, "_scatter_parts", "part8")]
)
def test_parts_without_lanes_are_left_out(monkeypatch, module, name, label):
    """A trap shows which code runs."""
    emit = getattr(module, name)

    def trapping(*args, **options):
        return emit(*args, **options).replace(f"\n{label}:\n", f"\n{label}:\n  call void @llvm.trap()\n")

    declare = gather_scatter._declare

    def declare_trap(frame, element):
        frame.module.declare("llvm.trap", "void", [])
        declare(frame, element)

    monkeypatch.setattr(gather_scatter, "_declare", declare_trap)
    monkeypatch.setattr(module, name, trapping)
    loaded = Loaded(MOVE.encode(), FULL_RUN)
    assert moved(loaded, elements((True, False, True, True))) is None
    assert moved(loaded, elements((False, True, False, False))) is not None
