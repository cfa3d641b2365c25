# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of threads that the runtime pads to half runs of lanes: results, lanes that do not exist, and which kernels."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD, compiled

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, PADDED_RUN, Path

pytestmark = pytest.mark.cpu_only

# Each thread of a block of x by y threads multiplies a row by a column of x words, for each z. Threads with an odd
# value leave a loop later than others, add a word of local memory, and the number of odd values of the block.
PRODUCT = """
.shared .align 4 .b8 a[4096]; .shared .align 4 .b8 b[4096];
.visible .entry k(.param .u64 from, .param .u64 to) {
    .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<12>; .local .align 4 .b8 own[4];
    ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z; mov.u32 %r7, %ctaid.x;
    mad.lo.u32 %r8, %r3, %r5, %r2; mul.lo.u32 %r9, %r8, %r4; add.u32 %r10, %r9, %r1;
    mul.lo.u32 %r11, %r4, %r5; mul.lo.u32 %r11, %r11, %r6; mad.lo.u32 %r12, %r7, %r11, %r10;
    mul.wide.u32 %d3, %r12, 4; add.s64 %d4, %d1, %d3; ld.global.u32 %r13, [%d4];
    mov.u32 %r14, a; mov.u32 %r15, b; shl.b32 %r16, %r10, 2;
    add.u32 %r17, %r14, %r16; st.shared.u32 [%r17], %r13;
    add.u32 %r18, %r15, %r16; add.u32 %r19, %r13, 1; st.shared.u32 [%r18], %r19;
    st.local.u32 [own], %r10; and.b32 %r20, %r13, 1; setp.eq.u32 %p1, %r20, 1;
    bar.red.popc.u32 %r21, 0, %p1;
    shl.b32 %r22, %r9, 2; add.u32 %r22, %r22, %r14; shl.b32 %r23, %r1, 2; add.u32 %r23, %r23, %r15;
    shl.b32 %r24, %r4, 2; mov.u32 %r25, 0; mov.u32 %r26, 0;
AGAIN:
    ld.shared.u32 %r27, [%r22]; ld.shared.u32 %r28, [%r23]; mad.lo.u32 %r25, %r27, %r28, %r25;
    add.u32 %r22, %r22, 4; add.u32 %r26, %r26, 1; setp.lt.u32 %p2, %r26, %r4; @%p2 bra AGAIN;
    @!%p1 bra LAST;
    ld.local.u32 %r29, [own]; add.u32 %r25, %r25, %r29;
LAST:
    mad.lo.u32 %r25, %r21, 1000, %r25;
    add.s64 %d5, %d2, %d3; st.global.u32 [%d5], %r25;
    ret;
}
"""
SHAPES = [
    (12, 12, 1), (8, 8, 1), (9, 5, 1), (15, 3, 2), (24, 7, 1), (17, 4, 3), (33, 3, 1), (40, 5, 2),
    (7, 5, 1), (16, 5, 1), (31, 33, 1), (16, 16, 2), (13, 1, 1), (1, 9, 3),
]  # fmt: skip


def products(values: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """Return what the kernel writes for blocks of values, in Python."""
    x, threads = shape[0], int(np.prod(shape))
    found = np.zeros_like(values)
    for block, each in enumerate(values.reshape(-1, threads)):
        odd = each & 1
        for thread in range(threads):
            row, column = thread // x * x, thread % x
            total = int((each[row : row + x].astype(np.uint64) * (each[column] + 1)).sum())
            total += thread * int(odd[thread]) + 1000 * int(odd.sum())
            found[block * threads + thread] = total & 0xFFFFFFFF
    return found


def inputs(shape: tuple[int, int, int], blocks: int) -> np.ndarray:
    return np.random.default_rng(5).integers(1, 1 << 16, int(np.prod(shape)) * blocks, np.uint32)


@pytest.mark.parametrize("level", ["0", "3"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_in_the_runtime(shape: tuple[int, int, int], level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    values = inputs(shape, 3)
    out, loaded = np.zeros_like(values), Loaded((HEAD + PRODUCT).encode(), PADDED_RUN)
    loaded.launch("k", 3, shape, values, out)
    np.testing.assert_array_equal(out, products(values, shape))


def test_a_block_gets_other_shapes() -> None:
    """The warps of a block are filled again for each shape: with and without padding."""
    loaded = Loaded((HEAD + PRODUCT).encode(), PADDED_RUN)
    for shape in ((12, 4, 1), (16, 3, 1), (12, 4, 1), (4, 12, 1), (48, 1, 1), (24, 2, 1)):
        values = inputs(shape, 2)
        out = np.zeros_like(values)
        loaded.launch("k", 2, shape, values, out)
        np.testing.assert_array_equal(out, products(values, shape))


@pytest.mark.parametrize("width", ["32", "16", "8", "1"])
def test_products_with_smaller_simd_widths(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    for shape in ((12, 5, 1), (33, 3, 1), (9, 3, 2)):
        values = inputs(shape, 2)
        out = np.zeros_like(values)
        compiled(PRODUCT, lane_run=PADDED_RUN)(values, out, threads=shape, blocks=2)
        np.testing.assert_array_equal(out, products(values, shape))


def path_of(text: str, *, lane_run: int = PADDED_RUN, vectors: bool = True) -> Path:
    program = ptx_program.build([HEAD + text])
    return emit_kernel(program, "k", Settings(lane_run=lane_run, vector_bytes=32 * vectors)).path


LIGHT = """
.visible .entry k(.param .u64 to) {
    .reg .b32 %r<40>; .reg .b64 %d<12>; .reg .pred %p<2>;
    ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; mov.u32 %r2, %r1;
    MORE
    st.global.u32 [%d3], %r2;
    ret;
}
"""


@pytest.mark.parametrize(
    ("more", "padded"),
    [
        ("", True),
        ("bar.sync 0;", True),
        ("mov.u32 %r2, %laneid;", False),
        ("mov.u32 %r2, %warpid;", False),
        ("mov.u32 %r2, %nwarpid;", False),
        ("mov.u32 %r2, %lanemask_lt;", False),
        ("shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;", False),
        ("vote.sync.ballot.b32 %r2, %p1, -1;", False),
        ("bar.warp.sync -1;", False),
        ("mul.lo.u32 %r2, %r2, %r2;" * 12, False),  # more computing than the added lanes are worth
    ],
)
def test_kernels_that_cannot_tell_have_padded_rows(more: str, padded: bool) -> None:
    assert path_of(LIGHT.replace("MORE", more)) == (Path.PADDED if padded else Path.BLOCKS)


def test_only_code_for_padded_runs_with_masked_vectors_has_padded_rows() -> None:
    text = LIGHT.replace("MORE", "")
    assert path_of(text, lane_run=FULL_RUN) == path_of(text, lane_run=HALF_RUN) == Path.BLOCKS
    assert path_of(text, vectors=False) == Path.BLOCKS


# The thread (3, 9) writes to an invalid address.
STRAY = """
.visible .entry k(.param .u64 to) {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;
    setp.ne.u32 %p1, %r1, 3; @%p1 bra END;
    setp.ne.u32 %p2, %r2, 9; @%p2 bra END;
    mov.u64 %d1, 0x4000000000000000; st.global.u32 [%d1], %r2;
END:
    ret;
}
"""


def test_a_fault_names_the_warp_without_padding() -> None:
    """Thread 111 of a block of 12 by 12 is in warp 3; its row is the tenth, in the fifth SIMD group."""
    fault = Loaded((HEAD + STRAY).encode(), PADDED_RUN).run("k", 1, (12, 12, 1), np.zeros(12, np.uint32))
    assert fault.warp == 3
