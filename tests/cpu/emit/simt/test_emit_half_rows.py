# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of which each row is one half run of lanes: what depends on %tid.x alone is the same in all rows."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import HALF_ROW, HALF_RUN, PADDED_ROW, PADDED_RUN, WHOLE_RUN

pytestmark = pytest.mark.usefixtures("like_hot_kernels")

# out[t] = words[index] + 1, of an index that CODE makes of %tid.x (%x) and others in %i; %t is the thread's number.
KERNEL = """
.visible .entry k(.param .u64 words, .param .u64 out)
{
    .reg .b32 %x, %y, %z, %t, %i, %n, %k, %m, %v, %h; .reg .b64 %d<9>; .reg .pred %p<5>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [out];
    mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z; mov.u32 %n, %ntid.y; mov.u32 %h, %ntid.x;
    mad.lo.u32 %k, %z, %n, %y; mad.lo.u32 %t, %k, %h, %x;
    mul.wide.u32 %d5, %t, 4; add.s64 %d6, %d2, %d5; ld.global.u32 %v, [%d6];
    CODE
    mul.wide.s32 %d3, %i, 4; add.s64 %d4, %d1, %d3; ld.global.u32 %v, [%d4];
STORE:
    add.u32 %v, %v, 1; st.global.u32 [%d6], %v;
END:
    ret;
}
"""
LOOP = """
    mov.u32 %i, %x; mov.u32 %m, 0;
AGAIN:
    setp.ge.u32 %p1, %m, COUNT; @%p1 bra OVER;
    add.u32 %i, %i, 16; add.u32 %m, %m, 1; bra AGAIN;
OVER:
"""
LOADS = """
    mov.u32 %m, 0;
NEXT:
    mul.wide.s32 %d3, %i, 4; add.s64 %d4, %d1, %d3; ld.global.u32 %k, [%d4]; sub.u32 %k, %k, 1;
    setp.eq.u32 %p2, %k, 12345; @%p2 bra END;
    add.u32 %i, %i, 16; add.u32 %m, %m, 1; setp.lt.u32 %p1, %m, 4; @%p1 bra NEXT;
"""
# The code, and the index by x, y and the number of the thread; -1: the thread loads nothing, -2: it stores nothing.
CODES = {
    "x": ("add.u32 %i, %x, 3;", lambda x, y, t: x + 3),
    "x behind a barrier": ("shl.b32 %i, %x, 1; bar.sync 0; add.u32 %i, %i, 1;", lambda x, y, t: 2 * x + 1),
    "x in a loop": (LOOP.replace("COUNT", "3"), lambda x, y, t: x + 48),
    "x in a loop of y rounds": (LOOP.replace("COUNT", "%y"), lambda x, y, t: x + 16 * y),
    "x in a loop of y rounds, then in one": (LOOP.replace("COUNT", "%y") + LOADS, lambda x, y, t: x + 16 * y + 64),
    "x in a loop of x rounds": (LOOP.replace("COUNT", "%x"), lambda x, y, t: 17 * x),
    "y": ("mad.lo.u32 %i, %y, 16, %x;", lambda x, y, t: 16 * y + x),
    "x, or another by y": (
        "add.u32 %i, %x, 5; setp.gt.u32 %p1, %y, 1; selp.u32 %i, %x, %i, %p1;",
        lambda x, y, t: np.where(y > 1, x, x + 5),
    ),
    "x in some rows": (
        "setp.eq.u32 %p1, %y, 1; mov.u32 %i, %x; @%p1 bra STORE;",
        lambda x, y, t: np.where(y == 1, -1, x),
    ),
    "x without some lanes": (
        "mov.u32 %i, %x; rem.u32 %m, %t, 5; setp.eq.u32 %p1, %m, 2; @%p1 bra STORE;",
        lambda x, y, t: np.where(t % 5 == 2, -1, x),
    ),
    "x in the rows that stay": (
        "setp.lt.u32 %p1, %y, 2; mov.u32 %i, %x; @%p1 bra END;",
        lambda x, y, t: np.where(y < 2, -2, x),
    ),
}  # fmt: skip
BLOCKS = [(16, 4, 1), (16, 3, 1), (16, 2, 5), (16, 1, 3), (16, 64, 1), (12, 5, 1), (9, 2, 3), (8, 64, 1), (15, 7, 1)]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_loads(name: str, block: tuple[int, int, int]) -> None:
    code, index = CODES[name]
    words, threads = np.arange(2000, dtype=np.uint32) * 3 + 1, int(np.prod(block))
    t = np.arange(threads)
    indices = np.asarray(index(t % block[0], t // block[0] % block[1], t))
    expected = np.where(indices == -1, 78, np.where(indices == -2, 77, words[indices] + 1))
    out = np.full(threads, 77, np.uint32)
    Loaded((HEAD + KERNEL.replace("CODE", code)).encode(), WHOLE_RUN).launch("k", 1, block, words, out)
    np.testing.assert_array_equal(out, expected)


def text_of(name: str, lane_run: int) -> str:
    settings = Settings(lane_run=lane_run, vector_bytes=64, native_gather=True)
    return emit_kernel(build([HEAD + KERNEL.replace("CODE", CODES[name][0])]), "k", settings).text


@pytest.mark.parametrize(("any_block", "half_rows"), [(HALF_RUN, HALF_ROW), (PADDED_RUN, PADDED_ROW)])
def test_a_row_that_all_rows_load_is_loaded_once(any_block: int, half_rows: int) -> None:
    """Under masks: in the code for all lanes, LLVM finds equal loads itself."""

    def loads(name: str, run: int) -> int:
        return text_of(name, run).count("call <16 x i32> @llvm.masked.load.v16i32.p0(ptr")

    assert loads("x without some lanes", any_block) > loads("x without some lanes", half_rows) > 0
    assert loads("y", any_block) == loads("y", half_rows)


def test_rows_that_are_not_padded_have_no_code_of_their_own() -> None:
    """A kernel that reads %laneid can tell, so its rows stay as they are."""
    kernel = KERNEL.replace("CODE", "mov.u32 %i, %laneid;")
    texts = [
        emit_kernel(build([HEAD + kernel]), "k", Settings(lane_run=run, vector_bytes=64, native_gather=True)).text
        for run in (HALF_RUN, PADDED_ROW)
    ]
    assert texts[0] == texts[1]
    for block in ((12, 5, 1), (16, 4, 1)):
        words, out = np.arange(2000, dtype=np.uint32), np.zeros(int(np.prod(block)), np.uint32)
        Loaded((HEAD + kernel).encode(), WHOLE_RUN).launch("k", 1, block, words, out)
        np.testing.assert_array_equal(out, np.arange(out.size) % 32 + 1)
