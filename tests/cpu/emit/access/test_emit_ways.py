# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads from addresses of which each lane chooses one: by masks, so that nothing else is accessed."""

from __future__ import annotations

import numpy as np
import pytest
from support.guarded import closed_pages
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN, WHOLE_RUN

# out[i] = 3 * the left neighbour + the right one, of an array of %r4 elements; the first and the last one are their own
# neighbours. {apart}: what stands between the choices and the loads. Threads behind the end load nothing: the lanes of
# a converged SIMD group run the short branch under masks.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 count)
{{
    .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<9>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r4, [count];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r5, %tid.y; mov.u32 %r6, %ntid.y;
    mad.lo.s32 %r7, %r3, %r6, %r5; mad.lo.s32 %r8, %r7, %r2, %r1;
    setp.gt.s32 %p1, %r8, 0; add.s32 %r9, %r4, -1; setp.lt.s32 %p2, %r8, %r9;
    {choice}
    mul.wide.s32 %d3, %r20, {size}; add.s64 %d4, %d2, %d3; mul.wide.s32 %d5, %r21, {size}; add.s64 %d6, %d2, %d5;
    mul.wide.s32 %d8, %r8, {size}; add.s64 %d7, %d1, %d8; setp.ge.s32 %p4, %r8, %r4;
    {apart}
    ld.global.u{bits} {value}4, [%d4]; ld.global.u{bits} {value}5, [%d6];
    mad.lo.u{bits} {value}6, {value}4, 3, {value}5; st.global.u{bits} [%d7], {value}6;
    END: mov.u32 %r17, 0;
    ret;
}}
"""
CHOICES = {
    "selp": "add.s32 %r10, %r8, -1; selp.b32 %r20, %r10, %r8, %p1; selp.u32 %r11, 1, 0, %p2; add.s32 %r21, %r8, %r11;",
    "clamped": "add.s32 %r10, %r8, -1; max.s32 %r20, %r10, 0; add.s32 %r11, %r8, 1; min.s32 %r21, %r11, %r9;",
    "clamped twice": "add.s32 %r10, %r8, -1; max.s32 %r30, %r10, 0; min.s32 %r20, %r30, %r9; add.s32 %r11, %r8, 1;"
    "max.s32 %r31, %r11, 0; min.s32 %r21, %r31, %r9;",
}
APART = {
    "nothing": "@%p4 bra END;",
    "barrier": "bar.sync 0; @%p4 bra END;",
    "branch": "setp.eq.u32 %p5, %r4, 7; @%p5 bra END; @%p4 bra END;",
    "another end": "@%p4 bra OVER; bra ON; OVER: ret; ON:",
}
BLOCKS = [(WHOLE_RUN, (64, 1)), (WHOLE_RUN, (32, 2)), (FULL_RUN, (40, 1)), (HALF_RUN, (16, 4)), (HALF_RUN, (12, 3)),
          (QUARTER_RUN, (8, 4)), (QUARTER_RUN, (24, 3))]  # fmt: skip


def kernel(choice: str, apart: str, size: int = 4) -> str:
    values = {"choice": CHOICES[choice], "apart": APART[apart], "size": size, "bits": 8 * size}
    text = KERNEL.format(value="%d1" if size == 8 else "%r1", **values)
    return HEAD + text


@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("apart", APART)
@pytest.mark.parametrize("size", [4, 8])
def test_only_neighbours_are_loaded(choice, apart, size):
    """The array is a page between others that cannot be accessed."""
    text = kernel(choice, apart, size).encode()
    for row, block in BLOCKS:
        loaded = Loaded(text, row)
        for skipped in (0, 21):
            with closed_pages() as (page, _):
                page[:] = np.random.default_rng(1).integers(0, 256, page.size, np.uint8)
                given = page.view(f"u{size}")[skipped:]
                found = np.zeros_like(given)
                grid = -(-given.size // (block[0] * block[1]))
                loaded.launch("k", (grid, 1, 1), (*block, 1), found, given, np.uint32(given.size))
                expected = np.concatenate([given[:1], given[:-1]]) * given.dtype.type(3)
                expected += np.concatenate([given[1:], given[-1:]])
                np.testing.assert_array_equal(found, expected, err_msg=f"{block}")


# Of 64 threads those with %p1 load their element, the others by an invalid address: there must be none.
NULL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 first)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r4, [first];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y; mad.lo.s32 %r5, %r3, %r2, %r1;
    mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d2, %d3; add.s64 %d5, %d1, %d3;
    setp.ge.s32 %p1, %r5, %r4; selp.b64 %d6, %d4, 16, %p1; bar.sync 0;
    ld.global.u32 %r6, [%d6]; st.global.u32 [%d5], %r6;
    ret;
}
"""


@pytest.mark.cpu_only  # one of the launches is a fault, after which a GPU needs a new process
@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize(("row", "block"), [(WHOLE_RUN, (64, 1)), (HALF_RUN, (16, 4)), (QUARTER_RUN, (8, 8))])
def test_addresses_that_no_lane_chooses_may_be_invalid(row, block):
    given, found = np.arange(7, 71, dtype=np.uint32), np.zeros(64, np.uint32)
    loaded = Loaded((HEAD + NULL).encode(), row)
    loaded.launch("k", (1, 1, 1), (*block, 1), found, given, np.uint32(0))
    np.testing.assert_array_equal(found, given)
    fault = loaded.run("k", (1, 1, 1), (*block, 1), found, given, np.uint32(1))  # the first thread's is chosen
    assert fault is not None
    assert fault.address == 16


AVX512, AVX2 = Settings(vector_bytes=64, native_gather=True), Settings(vector_bytes=32)


def loads_of(choice: str, apart: str, settings: Settings) -> int:
    """Return how many masked loads of 32 words a kernel has, apart from functions for any addresses."""
    text = emit_kernel(build([kernel(choice, apart)]), "k", settings).text
    return text[text.index('define void @"k"(') :].count("call <32 x i32> @llvm.masked.load")


@pytest.mark.parametrize("apart", ["barrier", "branch"])
def test_ways_are_loaded_by_masks(apart):
    assert loads_of("selp", apart, AVX512) == loads_of("selp", apart, AVX2) >= 4
    assert loads_of("clamped", apart, AVX512) >= 2
    assert loads_of("clamped", apart, AVX2) == 0  # masks for one address cost more than they save
    assert loads_of("selp", apart, Settings(vector_bytes=16)) == 0
    assert loads_of("selp", apart, Settings(vector_bytes=64, native_gather=True, quick=True)) == 0
