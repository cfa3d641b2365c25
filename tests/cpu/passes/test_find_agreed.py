# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Steps in which the lanes of a warp agree if the rows of a block are whole warps."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.passes.find_agreed import Agreement
from cuda.cpu.passes.graph import Graph
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import HALF_RUN, WHOLE_RUN

# Each lane stores %r9, which the body computes of its %tid.x (%r1) and its index in the grid (%r2).
KERNEL = """
.visible .entry k(.param .u64 out, .param .u32 any)
{{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<4>; .reg .b16 %h<4>;
    ld.param.u64 %d1, [out]; ld.param.u32 %r3, [any];
    mov.u32 %r1, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ctaid.x; mad.lo.s32 %r2, %r5, %r4, %r1;
    mov.u32 %r6, %tid.y; mov.u32 %r7, %ntid.y; mad.lo.u32 %r8, %r5, %r7, %r6; mad.lo.u32 %r8, %r8, %r4, %r1;
    mul.wide.u32 %d2, %r8, 4; add.u64 %d3, %d1, %d2;
    {body}
    st.global.u32 [%d3], %r9;
    ret;
}}
"""
SELECT = "selp.u32 %r9, 1, 2, %p1;"
# Bodies with a step in which lanes agree, and with none.
AGREE = {
    "warp": "shr.u32 %r9, %r1, 5;",
    "warp of the grid": "shr.s32 %r9, %r2, 6;",
    "upper bits": "and.b32 %r9, %r2, -64;",
    "signed division": "shr.s32 %r10, %r1, 31; shr.u32 %r11, %r10, 27; add.s32 %r12, %r1, %r11; shr.s32 %r9, %r12, 5;",
    "sum of multiples": "shl.b32 %r10, %r3, 5; sub.s32 %r11, %r2, %r10; add.s32 %r12, 96, %r11; shr.u32 %r9, %r12, 5;",
    "lower bits": "and.b32 %r10, %r2, 127; shr.u32 %r9, %r10, 5;",
    "falling": "sub.s32 %r10, 1023, %r1; shr.u32 %r9, %r10, 5;",
    "complement": "not.b32 %r10, %r2; shr.s32 %r9, %r10, 7;",
    "either": "max.s32 %r10, %r1, 96; add.s32 %r11, %r10, 31; sub.s32 %r12, %r11, %r1; shr.u32 %r9, %r12, 5;",
    "lesser": "min.u32 %r10, %r1, 64; shr.u32 %r9, %r10, 5;",
    "set bits": "or.b32 %r10, %r1, 4096; shr.u32 %r9, %r10, 5;",
    "wider": "cvt.u64.u32 %d4, %r2; shr.u64 %d5, %d4, 5; cvt.u32.u64 %r9, %d5;",
    "narrower": "cvt.u16.u32 %h1, %r1; shr.u16 %h2, %h1, 5; cvt.u32.u16 %r9, %h2;",
    "less": "setp.lt.u32 %p1, %r1, 64;" + SELECT,
    "not less": "setp.ge.s32 %p1, %r2, 32;" + SELECT,
    "at most": "setp.le.u32 %p1, %r1, 31;" + SELECT,
    "more": "setp.gt.u32 %p1, %r1, 63;" + SELECT,
    "more than the index": "setp.gt.u32 %p1, %r4, %r2;" + SELECT,
    "at least the index": "mov.u32 %r10, 31; setp.ge.u32 %p1, %r10, %r1;" + SELECT,
    "and another condition": "setp.gt.u32 %p2, %r3, 3; setp.lt.and.u32 %p1, %r1, 64, %p2;" + SELECT,
    "loop": "mov.u32 %r9, 0; mov.u32 %r10, %r1; L: add.u32 %r9, %r9, 1; add.u32 %r10, %r10, %r4;"
    "setp.lt.u32 %p1, %r10, 512; @%p1 bra L;",
}
DIFFER = {
    "too few bits": "shr.u32 %r9, %r1, 4;",
    "sum of any": "add.u32 %r10, %r1, %r3; shr.u32 %r9, %r10, 5;",
    "sum of one": "add.u32 %r10, %r1, 1; shr.u32 %r9, %r10, 5;",
    "product": "mul.lo.u32 %r10, %r1, 3; shr.u32 %r9, %r10, 5;",
    "falling too far": "sub.s32 %r10, 1022, %r1; shr.u32 %r9, %r10, 5;",
    "one lane": "setp.eq.u32 %p1, %r1, 32;" + SELECT,
    "in the middle": "setp.lt.u32 %p1, %r1, 40;" + SELECT,
    "up to the first": "setp.le.u32 %p1, %r1, 32;" + SELECT,
    "more than the first": "mov.u32 %r10, 33; setp.gt.u32 %p1, %r10, %r1;" + SELECT,
    "any bound": "setp.lt.u32 %p1, %r1, %r3;" + SELECT,
    "eighths": "min.u32 %r10, %r1, 40; shr.u32 %r9, %r10, 3;",
    "either in one warp": "min.u32 %r10, %r1, 5; add.u32 %r10, %r10, 27; shr.u32 %r9, %r10, 5;",
    "signed division of any": "sub.s32 %r2, %r2, 128; shr.s32 %r10, %r2, 31; shr.u32 %r11, %r10, 27;"
    "add.s32 %r12, %r2, %r11; shr.s32 %r9, %r12, 5;",
    "another condition": "setp.eq.u32 %p2, %r1, 3; setp.lt.and.u32 %p1, %r1, 64, %p2;" + SELECT,
    "values of lanes that wait": "mov.u32 %r9, %r1; and.b32 %r10, %r1, 3; setp.lt.u32 %p1, %r10, 2; @%p1 bra L;"
    "shr.u32 %r9, %r1, 5; L:",
    "product of a lane": "mul.lo.u32 %r10, %r1, 32; shr.u32 %r9, %r10, 5;",
}


def graph_of(body: str, *, whole_rows: bool = True) -> Graph:
    program = build([HEAD + KERNEL.format(body=body)])
    return analyse(program.laid_out("k").functions["k"], whole_rows=whole_rows)


@pytest.mark.parametrize("name", AGREE)
def test_lanes_agree(name: str) -> None:
    graph = graph_of(AGREE[name])
    assert graph.is_uniform("%r9")
    assert graph.agreed
    assert not any(graph.is_divergent(block.end) for block in graph.blocks)


@pytest.mark.parametrize("name", DIFFER)
def test_lanes_differ(name: str) -> None:
    assert not graph_of(DIFFER[name]).is_uniform("%r9")


@pytest.mark.parametrize("name", AGREE)
def test_other_rows_may_begin_in_the_middle_of_a_warp(name: str) -> None:
    graph = graph_of(AGREE[name], whole_rows=False)
    assert not graph.agreed
    assert not graph.is_uniform("%r9")


def test_lanes_that_wait_for_others_keep_their_values() -> None:
    """Lanes that have skipped the second write still need the first one."""
    body = "mov.u32 %r9, 7; setp.lt.u32 %p1, %r1, 5; @%p1 bra L; shr.u32 %r9, %r1, 5; L:"
    assert not graph_of(body).is_uniform("%r9")
    body = "mov.u32 %r10, %r1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L; add.u32 %r10, %r1, 64; L: shr.u32 %r9, %r10, 5;"
    assert not graph_of(body).is_uniform("%r9")


def launched(
    body: str, block: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch, row: int = WHOLE_RUN
) -> np.ndarray:
    monkeypatch.setenv("CUDA_CPU_LEVEL", "0")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    out = np.zeros(2 * block[0] * block[1], np.uint32)
    text = HEAD + KERNEL.format(body=body)
    Loaded(text.encode(), row).launch("k", (2, 1, 1), block, out, np.uint32(5))
    return out


@pytest.mark.parametrize("name", [*AGREE, *DIFFER])
def test_results_are_those_of_other_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {**AGREE, **DIFFER}[name]
    for block in ((160, 1, 1), (32, 3, 1)):
        found, expected = (launched(body, block, monkeypatch, run) for run in (WHOLE_RUN, HALF_RUN))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("width", ["32", "8", "1"])
@pytest.mark.parametrize("block", [(160, 1, 1), (32, 3, 1), (40, 1, 1), (16, 4, 1)], ids=str)
def test_warps_that_diverge(block: tuple[int, int, int], width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lanes that run are not the first ones where warp and row are computed."""
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    body = (
        "mov.u32 %r9, 1; and.b32 %r10, %r1, 3; setp.ne.u32 %p1, %r10, 3; @%p1 bra L; mov.u32 %r11, %r10;"
        "M: shr.u32 %r12, %r2, 5; mad.lo.u32 %r9, %r12, 10, %r9; mad.lo.u32 %r9, %r6, 3, %r9; sub.u32 %r11, %r11, 1;"
        "setp.ne.u32 %p2, %r11, 0; @%p2 bra M; L:"
    )
    found = launched(body, block, monkeypatch).reshape(2, block[1], block[0])
    x, y, blocks = np.arange(block[0]), np.arange(block[1]), np.arange(2)
    warps = (blocks[:, None, None] * block[0] + x) // 32
    expected = np.where(x % 4 == 3, 1 + 3 * (10 * warps + 3 * y[:, None]), 1)
    np.testing.assert_array_equal(found, expected)


def test_work_grows_with_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step takes the agreement of the next one away: a search from the start for each would be quadratic."""
    calls = []
    found = Agreement._by_step
    monkeypatch.setattr(Agreement, "_by_step", lambda *args: calls.append(1) or found(*args))
    lengths = {}
    for count in (50, 400):
        names = [f"%x{i}" for i in range(2 * count + 1)]
        body = f".reg .b32 %x<{len(names)}>; add.u32 %x0, %r3, %r1; " + "".join(
            f"shr.u32 {shifted}, {last}, 5; add.u32 {added}, {shifted}, %r1; "
            for last, shifted, added in zip(names[::2], names[1::2], names[2::2], strict=False)
        )
        calls.clear()
        assert not graph_of(body + f"mov.u32 %r9, {names[-1]};").is_uniform("%r9")
        lengths[count] = len(calls)
    assert lengths[400] < 9 * lengths[50]
