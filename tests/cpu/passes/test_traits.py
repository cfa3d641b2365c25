# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations of the warp that give all lanes that execute them together the same result."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, WHOLE_RUN

# Each lane stores %r9, which the body computes of its number in the warp (%r1), a number of its own (%r2) and one of
# all lanes (%r3).
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 any)
{{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<6>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d4, [in]; ld.param.u32 %r3, [any];
    mov.u32 %r1, %laneid; mov.u32 %r4, %tid.x; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; add.u64 %d5, %d4, %d2;
    ld.global.u32 %r2, [%d5]; setp.gt.u32 %p1, %r2, 500; mov.u32 %r9, 77; mov.u32 %r10, -1;
    {body}
    st.global.u32 [%d3], %r9;
    ret;
}}
"""
SELECT = " selp.u32 %r9, 1, 2, %p2;"
SAME = {
    "ballot": "vote.sync.ballot.b32 %r9, %p1, -1;",
    "ballot, not": "vote.sync.ballot.b32 %r9, !%p1, 0xffffffff;",
    "any": "vote.sync.any.pred %p2, %p1, %r10;" + SELECT,
    "all": "vote.sync.all.pred %p2, %p1, -1;" + SELECT,
    "uni": "vote.sync.uni.pred %p2, %p1, -1;" + SELECT,
    "sum": "redux.sync.add.u32 %r9, %r2, -1;",
    "most": "redux.sync.max.u32 %r9, %r2, %r10;",
    "active": "activemask.b32 %r9;",
    "first lane": "shfl.sync.idx.b32 %r9, %r2, 0, 31, -1;",
    "any lane": "shfl.sync.idx.b32 %r9|%p2, %r2, %r3, 31, -1; selp.u32 %r11, 0, 5, %p2; add.u32 %r9, %r9, %r11;",
    "some lanes": "setp.lt.u32 %p3, %r1, 20; @!%p3 bra L; vote.sync.ballot.b32 %r9, %p1, 0xfffff; L:",
    "a loop": "mov.u32 %r11, 0; mov.u32 %r12, 0; L: shr.u32 %r13, %r2, %r11; and.b32 %r13, %r13, 1;"
    "setp.eq.u32 %p3, %r13, 1; vote.sync.ballot.b32 %r14, %p3, -1; xor.b32 %r12, %r12, %r14; add.u32 %r11, %r11, 1;"
    "setp.lt.u32 %p4, %r11, 9; @%p4 bra L; mov.u32 %r9, %r12;",
}
APART = {
    "a mask for each lane": "and.b32 %r11, %r1, 16; mov.u32 %r12, 0xffff; shl.b32 %r12, %r12, %r11;"
    "vote.sync.ballot.b32 %r9, %p1, %r12;",
    "under a guard": "setp.lt.u32 %p3, %r1, 20; @%p3 vote.sync.ballot.b32 %r9, %p1, 0xfffff;",
    "a lane for each lane": "xor.b32 %r11, %r1, 3; shfl.sync.idx.b32 %r9, %r2, %r11, 31, -1;",
    "segments": "shfl.sync.idx.b32 %r9, %r2, 0, 0x1c1f, -1;",
    "few lanes": "shfl.sync.idx.b32 %r9, %r2, 9, 7, -1;",
    "up": "shfl.sync.up.b32 %r9, %r2, 1, 0, -1;",
    "down": "shfl.sync.down.b32 %r9, %r2, 1, 31, -1;",
    "butterfly": "shfl.sync.bfly.b32 %r9, %r2, 5, 31, -1;",
    "match": "match.any.sync.b32 %r9, %r2, -1;",
    "leader": "elect.sync %r9|%p2, -1; selp.u32 %r9, 1, 2, %p2;",
}
WAITING = "some lanes"  # others still need the old value


def text_of(name: str) -> str:
    return HEAD + KERNEL.format(body={**SAME, **APART}[name])


@pytest.mark.parametrize("name", [*SAME, *APART])
def test_results_of_all_lanes_are_uniform(name):
    graph = analyse(build([text_of(name)]).laid_out("k").functions["k"], whole_rows=True)
    source = "%r12" if name == "a loop" else "%r9"
    assert graph.is_uniform(source) == (name in SAME and name != WAITING)


@pytest.mark.parametrize("name", [*SAME, *APART])
@pytest.mark.parametrize("row", [WHOLE_RUN, FULL_RUN])
def test_lanes_get_what_the_manual_says(name, row, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    source = np.random.default_rng(4).integers(400, 600, 64).astype(np.uint32)
    for level in ("0", "1"):
        monkeypatch.setenv("CUDA_CPU_LEVEL", level)
        found = np.zeros(64, np.uint32)
        Loaded(text_of(name).encode(), row).launch("k", (1, 1, 1), (64, 1, 1), found, source, np.uint32(37))
        for warp in (0, 32):
            values = source[warp : warp + 32].tolist()
            expected = [result(name, lane, values) & 0xFFFFFFFF for lane in range(32)]
            assert found[warp : warp + 32].tolist() == expected


def result(name: str, lane: int, values: list[int]) -> int:
    """Return what a lane of a warp with these numbers stores."""
    high = [value > 500 for value in values]
    bits = sum(each << number for number, each in enumerate(high))
    match name:
        case "ballot":
            return bits
        case "ballot, not":
            return ~bits
        case "any":
            return 1 if any(high) else 2
        case "all":
            return 1 if all(high) else 2
        case "uni":
            return 1 if len(set(high)) == 1 else 2
        case "sum":
            return sum(values)
        case "most":
            return max(values)
        case "active":
            return -1
        case "first lane":
            return values[0]
        case "any lane":
            return values[37 % 32]
        case "some lanes" | "under a guard":
            return bits & 0xFFFFF if lane < 20 else 77
        case "a loop":
            columns = [sum((value >> bit & 1) << number for number, value in enumerate(values)) for bit in range(9)]
            total = 0
            for column in columns:
                total ^= column
            return total
        case "a mask for each lane":
            return bits & (0xFFFF << (lane & 16))
        case "a lane for each lane":
            return values[lane ^ 3]
        case "segments":
            return values[lane & 28]
        case "few lanes":
            return values[lane & 0 | 9] if lane & 0 | 9 <= 7 else values[lane]
        case "up":
            return values[max(lane - 1, 0)]
        case "down":
            return values[min(lane + 1, 31)]
        case "butterfly":
            return values[lane ^ 5]
        case "match":
            return sum((value == values[lane]) << number for number, value in enumerate(values))
        case "leader":
            return 1 if lane == 0 else 2
    raise AssertionError(name)
