# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Thread and block indices when one call runs many blocks, for all block shapes."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD, compiled

from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_ROW, HALF_RUN, PADDED_RUN, QUARTER_RUN

# out[i] = thread index and block index, five bits for each axis; i < n.
INDICES = """
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<30>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z;
    mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y; mov.u32 %r7, %ntid.z;
    mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ctaid.y; mov.u32 %r10, %ctaid.z;
    mov.u32 %r11, %nctaid.x; mov.u32 %r12, %nctaid.y;
    mad.lo.u32 %r13, %r10, %r12, %r9; mad.lo.u32 %r13, %r13, %r11, %r8; mul.lo.u32 %r14, %r5, %r6;
    mul.lo.u32 %r14, %r14, %r7; mul.lo.u32 %r13, %r13, %r14;
    mul.lo.u32 %r15, %r4, %r6; add.u32 %r15, %r15, %r3; mul.lo.u32 %r15, %r15, %r5; add.u32 %r13, %r13, %r15;
    add.u32 %r13, %r13, %r2;
    shl.b32 %r16, %r3, 10; add.u32 %r16, %r16, %r2; shl.b32 %r17, %r4, 15; add.u32 %r16, %r16, %r17;
    shl.b32 %r17, %r8, 20; add.u32 %r16, %r16, %r17; shl.b32 %r17, %r9, 24; add.u32 %r16, %r16, %r17;
    shl.b32 %r17, %r10, 28; add.u32 %r16, %r16, %r17;
    BARRIER
    setp.ge.u32 %p1, %r13, %r1;
    @%p1 bra END;
    mul.wide.u32 %d5, %r13, 4; add.s64 %d6, %d1, %d5; st.global.u32 [%d6], %r16;
END:
    ret;
}
"""


@pytest.mark.parametrize("lane_run", [FULL_RUN, HALF_RUN, PADDED_RUN, QUARTER_RUN])
@pytest.mark.parametrize(
    "block",
    [(256,), (32, 4), (64, 3, 2), (96, 2), (16, 4), (16, 3), (48, 2, 2), (8, 8), (8, 3, 3), (24, 3), (33, 2), (40,),
     (7, 5, 2), (1, 9)],
)  # fmt: skip
@pytest.mark.parametrize("barrier", ["", "bar.sync 0;"])
def test_indices(lane_run: int, block: tuple[int, ...], barrier: str) -> None:
    grid, sizes = (3, 2, 2), block + (1,) * (3 - len(block))
    threads, blocks = int(np.prod(sizes)), 12
    inside, outside = np.arange(threads), np.arange(blocks)[:, None]
    x, y, z = inside % sizes[0], inside // sizes[0] % sizes[1], inside // (sizes[0] * sizes[1])
    packed = (x + (y << 10) + (z << 15)) + (outside % 3 << 20) + (outside // 3 % 2 << 24) + (outside // 6 << 28)
    expected, n = packed.ravel().astype(np.uint32), threads * blocks - 5
    expected[n:] = 0
    out = np.zeros(threads * blocks, np.uint32)
    compiled(INDICES.replace("BARRIER", barrier), lane_run=lane_run)(out, np.uint32(n), threads=block, blocks=grid)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("block", [(16, 4), (16, 3), (16, 2, 5), (16, 1, 3), (16, 63), (16, 1, 64)])
@pytest.mark.parametrize("barrier", ["", "bar.sync 0;"])
def test_indices_in_blocks_of_half_rows(block: tuple[int, ...], barrier: str) -> None:
    test_indices(HALF_ROW, block, barrier)


@pytest.mark.parametrize("width", ["1", "8", "16"])
def test_indices_with_smaller_simd_widths(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    for block in ((64, 3, 2), (16, 3), (40,), (7, 5, 2), (33, 3), (48, 3)):
        test_indices(FULL_RUN, block, "")
        test_indices(FULL_RUN, block, "bar.sync 0;")
    test_indices(HALF_ROW, (16, 3, 2), "bar.sync 0;")


# The last thread of one block writes to an invalid address.
STRAY = """
.visible .entry k(.param .u32 bx, .param .u32 by, .param .u32 t)
{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<3>;
    ld.param.u32 %r1, [bx]; ld.param.u32 %r2, [by]; ld.param.u32 %r3, [t];
    mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %tid.x;
    setp.ne.u32 %p1, %r4, %r1; @%p1 bra END;
    setp.ne.u32 %p2, %r5, %r2; @%p2 bra END;
    setp.ne.u32 %p3, %r6, %r3; @%p3 bra END;
    mov.u32 %r7, %ctaid.z; setp.eq.u32 %p3, %r7, 0; @%p3 bra END;
    mov.u64 %d1, 0x4000000000000000; st.global.u32 [%d1], %r6;
END:
    ret;
}
"""


@pytest.mark.cpu_only
def test_a_fault_names_its_block_and_warp() -> None:
    fault = Loaded((HEAD + STRAY).encode()).run("k", (5, 4, 2), 96, np.uint32(3), np.uint32(2), np.uint32(70))
    assert (fault.block, fault.warp) == ((3, 2, 1), 2)


def test_blocks_of_clusters_run_in_cluster_order() -> None:
    """Advancing to the next block along x would leave the cluster."""
    loaded = Loaded((HEAD + INDICES.replace("BARRIER", "")).encode())
    out, alone = np.zeros(64 * 16, np.uint32), np.zeros(64 * 16, np.uint32)
    loaded.launch("k", (4, 4, 1), 64, out, np.uint32(out.size), cluster=(2, 2, 1))
    loaded.launch("k", (4, 4, 1), 64, alone, np.uint32(out.size))
    np.testing.assert_array_equal(out, alone)
