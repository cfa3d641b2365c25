# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cp.async: copied sizes, zero fill and ignored sources."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

KERNEL = """
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 some)
{{
    .shared .align 16 .b8 room[512]; .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.param.u32 %r7, [some];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, {size}; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    mov.u32 %r2, room; mad.lo.u32 %r3, %r1, {size}, %r2;
    {fill}
    cp.async.{cop}.shared.global [%r3], [%rd4], {size}{rest};
    cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
    {words}
    ret;
}}
"""
WORD = "ld.shared.u32 %r4, [%r3+{0}]; st.global.u32 [%rd5+{0}], %r4;"


def text(size: int, rest: str = "") -> str:
    words = "".join(WORD.format(at) for at in range(0, size, 4))
    fill = "".join(f"st.shared.u32 [%r3+{at}], 0x01010101;" for at in range(0, size, 4))
    return KERNEL.format(size=size, rest=rest, words=words, fill=fill, cop="cg" if size == 16 else "ca")


@pytest.mark.parametrize("size", [4, 8, 16])
@pytest.mark.parametrize("some", [None, 0, 3, 4, pytest.param(99, marks=pytest.mark.cpu_only)])  # 99 is undefined
def test_bytes_beyond_the_source_size_are_zero(size, some):
    source = np.arange(1, 1 + 32 * size, dtype=np.uint64).astype(np.uint8) | np.uint8(1)
    result = np.full(32 * size, 9, np.uint8)
    compiled(text(size, "" if some is None else ", %r7"))(source, result, np.uint32(some or 0))
    expected = source.reshape(32, size).copy()
    if some is not None:
        expected[:, min(some, size) :] = 0
    np.testing.assert_array_equal(result.reshape(32, size), expected)


@pytest.mark.parametrize("negated", [False, True])
def test_an_ignored_source_writes_zeros(negated):
    source = np.arange(1, 1 + 32 * 8, dtype=np.uint64).astype(np.uint8) | np.uint8(1)
    result = np.full(32 * 8, 9, np.uint8)
    rest = f", {'!' if negated else ''}%p1"
    kernel = text(8, rest).replace("cp.async.ca", "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1; cp.async.ca", 1)
    compiled(kernel)(source, result, np.uint32(0))
    expected = source.reshape(32, 8).copy()
    expected[0 if negated else 1 :: 2] = 0
    np.testing.assert_array_equal(result.reshape(32, 8), expected)


def test_invalid_copy_sizes_are_refused():
    with pytest.raises(PtxError, match=r"operand 3 \(size\) is 12; it must be 4 or 8 or 16"):
        compiled(text(12))
