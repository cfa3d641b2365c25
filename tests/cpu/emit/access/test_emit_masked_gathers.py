# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Words that some lanes load from shared and global memory by 32-bit indices: by gathers, or lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build

# Lanes whose flag is set use an element of each memory, whose numbers they load, counted from element 128.
LOADS = (
    HEAD
    + """
.visible .entry k(.param .u64 data, .param .u64 numbers, .param .u64 flags, .param .u64 out)
{
    .shared .align 4 .b8 room[4096];
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [numbers]; ld.param.u64 %d3, [flags]; ld.param.u64 %d4, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d5, %r1, 4; add.u64 %d6, %d1, %d5; ld.global.u32 %r2, [%d6];
    mov.u32 %r3, room; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; st.shared.u32 [%r5+64], %r2; bar.sync 0;
    add.u64 %d7, %d3, %d5; ld.global.u32 %r6, [%d7]; add.u64 %d8, %d2, %d5; ld.global.s32 %r7, [%d8];
    mov.u32 %r8, 7; setp.eq.u32 %p1, %r6, 0;
    @%p1 bra END;
    mov.u32 %r9, 0;
AGAIN:
    shl.b32 %r10, %r7, 2; add.u32 %r11, %r3, %r10; ld.shared.u32 %r12, [%r11+576];
    mul.wide.s32 %d9, %r7, 4; add.s64 %d10, %d1, %d9; ld.global.u32 %r13, [%d10+512];
    mad.lo.u32 %r8, %r8, 3, %r12; xor.b32 %r8, %r8, %r13;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2;
    @%p2 bra AGAIN;
END:
    add.u64 %d11, %d4, %d5; st.global.u32 [%d11], %r8;
    ret;
}
"""
)


def expected_of(data: np.ndarray, numbers: np.ndarray, flags: np.ndarray) -> np.ndarray:
    found = np.full_like(data, 7)
    for _ in range(2):
        found = found * np.uint32(3) + data[numbers] ^ data[numbers]
    return np.where(flags > 0, found, 7)


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("level", [None, "1"])
@pytest.mark.parametrize("gathers", [False, True])
def test_lanes_that_run_load_their_elements(monkeypatch, width, level, gathers):
    if gathers and not jit._has_gathers():
        pytest.skip("the CPU has no AVX-512")
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    if level:
        monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    monkeypatch.setattr(jit, "_has_gathers", lambda: gathers)
    loaded, random = Loaded(LOADS.encode()), np.random.default_rng(8)
    for share in (0.03, 0.1, 0.3, 0.5, 0.8, 1):
        for numbers in (random.integers(0, 256, 256), np.arange(256), np.arange(256)[::-1], np.full(256, 9)):
            data = random.integers(0, 1 << 32, 256, np.uint32)
            flags, found = (random.random(256) < share).astype(np.uint32), np.zeros(256, np.uint32)
            loaded.launch("k", (1, 1, 1), (256, 1, 1), data, (numbers - 128).astype(np.int32), flags, found)
            np.testing.assert_array_equal(found, expected_of(data, numbers, flags))


@pytest.mark.parametrize(
    ("gathers", "size", "lanes", "both"),
    [(False, 32, 32, True), (False, 0, 32, False), (False, 32, 4, False), (True, 64, 32, True), (True, 64, 4, False)],
)
def test_they_are_for_cpus_with_gathers(gathers, size, lanes, both):
    text = emit_kernel(build([LOADS]), "k", Settings(width=lanes, native_gather=gathers, vector_bytes=size)).text
    assert ("@gather.i32.by1(" in text) == both  # shared memory
    assert ("@gather.i32.by4(" in text) == both
    assert ("@llvm.x86.avx2.gather.d.d.256" in text) == (both and not gathers)
    assert ("@llvm.x86.avx512.mask.gather.dpi.512" in text) == (both and gathers)
