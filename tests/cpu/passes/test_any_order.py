# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loops that wait for other threads: whether the lanes of a warp may wait there for each other."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.passes.find_regions import find_regions
from cuda.cpu.passes.graph import Graph
from cuda.cpu.ptx.program import build

# Threads wait for a phase of a barrier, which all of them complete; each then reads what thread 63 has stored.
KERNEL = """
.visible .entry k(.param .u64 out)
{{
    .shared .align 8 .b64 bar[32]; .shared .b32 word;
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<9>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; and.b32 %r3, %r1, 31;
    setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; @%p1 mbarrier.init.shared.b64 [bar+8], 64;
    @%p1 st.shared.u32 [word], 0;
    bar.sync 0;
    mov.u32 %r4, 0; {address}
    setp.eq.u32 %p2, %r1, 63; @%p2 st.shared.u32 [word], 7;
    {arrive}
WAIT:
    mbarrier.{test}.parity.shared.b64 %p4, [%r2], %r4;
    {loop}
DONE:
    {behind}
    ld.shared.u32 %r5, [word];
    mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r5;
    ret;
}}
"""
PARTS = {
    "address": "",
    "arrive": "mbarrier.arrive.shared.b64 _, [%r2];",
    "test": "try_wait",
    "loop": "@!%p4 bra.uni WAIT;",
    "behind": "",
}
TOGETHER = {
    "uniform branch": {},
    "test": {"test": "test_wait"},
    "two branches": {"loop": "@%p4 bra DONE; bra WAIT;"},
    "address from a parameter": {"address": "ld.param.u32 %r6, [out]; and.b32 %r6, %r6, 0; add.u32 %r2, %r2, %r6;"},
}
APART = {
    # Lanes of one warp wait at barriers of their own.
    "addresses": {
        "address": "and.b32 %r6, %r1, 1; shl.b32 %r6, %r6, 3; add.u32 %r2, %r2, %r6;",
        "arrive": "mbarrier.arrive.shared.b64 _, [bar]; mbarrier.arrive.shared.b64 _, [bar+8];",
    },
    # The upper lanes arrive only behind the loop in which the lower ones wait.
    "lanes behind the loop": {
        "arrive": "setp.ge.u32 %p3, %r3, 16; @%p3 bra LATE; mbarrier.arrive.shared.b64 _, [%r2];",
        "behind": "bra OVER; LATE: mbarrier.arrive.shared.b64 _, [bar];"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra.uni AGAIN; OVER:",
    },
}


def text_of(parts: dict[str, str]) -> str:
    return HEAD + KERNEL.format(**PARTS | parts)


def graph_of(parts: dict[str, str]) -> Graph:
    return analyse(build([text_of(parts)]).laid_out("k").functions["k"], whole_rows=True)


@pytest.mark.parametrize("name", [*TOGETHER, *APART])
def test_whether_lanes_may_wait_for_each_other(name: str) -> None:
    graph = graph_of({**TOGETHER, **APART}[name])
    assert graph.spins
    assert graph.general == (name in APART)
    assert graph.is_uniform("%p4") == (name in TOGETHER)


@pytest.mark.parametrize("name", [*TOGETHER, *APART])
@pytest.mark.parametrize("level", ["0", "3"])
def test_all_threads_see_what_was_stored_before(name: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warps do not agree: the first one tests the phase before the second one has arrived."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    out = np.zeros(64, np.uint32)
    Loaded(text_of({**TOGETHER, **APART}[name]).encode()).launch("k", 1, 64, out)
    np.testing.assert_array_equal(out, 7)


def test_warps_need_not_see_the_same_phase() -> None:
    """So that a test of the phase may lead them to different barriers of the block."""
    once = graph_of({"loop": "@!%p4 bra DONE; bar.sync 0;", "behind": "bar.sync 0;"})
    assert not once.general
    assert "warps may come to the barrier" in find_regions(once)
