# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Uniform tiles: two-dimensional blocks as wide as a lane run have their own loops. See also test_emit_regions.py."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import WAIT, Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN

pytestmark = pytest.mark.cpu_only

# out[y][x] = a sum of products of elements of row y and column x of a tile, which is read between barriers.
PRODUCT = """
.shared .align 4 .b8 a[4096]; .shared .align 4 .b8 b[4096];
.visible .entry k(.param .u64 x, .param .u64 out, .param .u32 n) {
    .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %d<12>; .reg .f32 %f<9>;
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ctaid.x;
    mul.lo.u32 %r6, %r3, %r4; add.u32 %r6, %r6, %r2; shl.b32 %r7, %r6, 2;
    mov.u32 %r8, a; mov.u32 %r9, b; add.u32 %r10, %r8, %r7; add.u32 %r11, %r9, %r7;
    shl.b32 %r12, %r2, 2; add.u32 %r12, %r12, %r9; mul.lo.u32 %r13, %r3, %r4; shl.b32 %r13, %r13, 2;
    add.u32 %r13, %r13, %r8; mad.lo.u32 %r14, %r5, 64, %r6; mov.u32 %r15, 0; mov.f32 %f1, 0f00000000;
AGAIN:
    mul.wide.u32 %d3, %r14, 4; add.s64 %d4, %d1, %d3; ld.global.f32 %f2, [%d4];
    st.shared.f32 [%r10], %f2; add.f32 %f2, %f2, %f2; st.shared.f32 [%r11], %f2;
    bar.sync 0;
    ld.shared.f32 %f3, [%r12]; ld.shared.f32 %f4, [%r13]; fma.rn.f32 %f1, %f3, %f4, %f1;
    ld.shared.f32 %f3, [%r12+64]; ld.shared.f32 %f4, [%r13+4]; fma.rn.f32 %f1, %f3, %f4, %f1;
    bar.sync 0;
    add.u32 %r14, %r14, 1; add.u32 %r15, %r15, 1; setp.lt.u32 %p1, %r15, %r1;
    @%p1 bra AGAIN;
    mul.wide.u32 %d5, %r6, 4; add.s64 %d6, %d2, %d5; st.global.f32 [%d6], %f1;
    ret;
}
"""


@pytest.mark.parametrize("level", ["0", "3"])
@pytest.mark.parametrize(
    ("shape", "row"),
    [((16, 4), HALF_RUN), ((16, 16), HALF_RUN), ((16, 5), HALF_RUN), ((32, 8), FULL_RUN), ((8, 8), QUARTER_RUN),
     ((8, 10), QUARTER_RUN)],
)  # fmt: skip
def test_uniform_tile_products(shape: tuple[int, int], row: int, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    x, rounds = np.arange(1, 601, dtype=np.float32), 5
    out, expected = (np.zeros(shape[::-1], np.float32) for _ in range(2))
    Loaded((HEAD + PRODUCT).encode(), row).launch("k", 1, (*shape, 1), x, out, np.uint32(rounds))
    for first in range(rounds):
        tile = x[first : first + out.size]
        second = np.concatenate([tile, np.zeros(64, np.float32)])[16 : 16 + shape[0]]
        a = tile.reshape(out.shape)
        expected += 2 * (a[:, :1] * tile[: shape[0]] + a[:, 1:2] * second)
    np.testing.assert_array_equal(out, expected)


def text_of(body: str, *, quick: bool = False) -> str:
    return emit_kernel(ptx_program.build([HEAD + body]), "k", Settings(quick=quick)).text


def test_only_tiled_kernels_have_uniform_tile_code() -> None:
    assert "\ntile1:" in text_of(PRODUCT)
    assert "\ntile0:" not in text_of(PRODUCT, quick=True)
    assert "\ntile0:" not in text_of(PRODUCT.replace("%tid.y", "%ctaid.y"))
    assert "\ntile0:" not in text_of(PRODUCT.replace("bar.sync 0;", ""))


# After a barrier, the threads of block 1 with %tid.y = 1 load from an invalid address.
STRAY = """
.visible .entry k(.param .u64 x) {
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
    mov.u32 %r4, %ctaid.x; and.b32 %r4, %r4, 1; mul.lo.u32 %r2, %r2, %r4;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; cvt.u64.u32 %d4, %r2; shl.b64 %d4, %d4, 62; add.s64 %d5, %d3, %d4;
    bar.sync 0;
    ld.global.u32 %r3, [%d5]; st.global.u32 [%d3], %r3;
    ret;
}
"""


@pytest.mark.parametrize("level", ["0", "3"])
def test_a_fault_names_its_warp(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    fault = Loaded((HEAD + STRAY).encode()).run("k", (3, 1, 1), (32, 4, 1), np.zeros(32, np.uint32))
    assert (fault.block, fault.warp) == ((1, 0, 0), 1)


@pytest.mark.parametrize("block", [(32, 4, 1), (40, 1, 1)])
def test_a_loop_through_a_barrier_can_be_stopped(block: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", "3")
    body = "A: add.u32 %r1, %r1, %r2; bar.sync 0;\nbra A;"
    head = ".visible .entry k() {\n.reg .b32 %r<3>; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;"
    loaded = Loaded(f"{HEAD}{head}\n{body}\n}}\n".encode())
    queue = loaded.start("k", 2, block)
    assert not queue.wait(0.05)
    queue.cancel()
    assert queue.wait(WAIT)
