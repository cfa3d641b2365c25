# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A guarded elementwise kernel (saxpy), with full and partial warps."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import compiled

SAXPY = """
.visible .entry k(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
    ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd3, %rd2; cvta.to.global.u64 %rd4, %rd1;
    mul.wide.s32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5; ld.global.f32 %f2, [%rd6];
    add.s64 %rd7, %rd3, %rd5; ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
DONE:
    ret;
}
"""


@pytest.mark.parametrize(("count", "threads"), [(1000, 256), (1024, 256), (1, 32), (70, 33), (0, 32), (64, 96)])
def test_saxpy_matches_numpy(count: int, threads: int) -> None:
    x = np.arange(1024, dtype=np.float32)
    y = np.ones(1024, np.float32)
    blocks = max(1, -(-count // threads))
    compiled(SAXPY)(np.float32(2), x, y, np.int32(count), threads=threads, blocks=blocks)
    expected = np.ones(1024, np.float32)
    expected[:count] += 2 * x[:count]
    np.testing.assert_array_equal(y, expected)
