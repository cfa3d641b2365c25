# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Branches within short arms of a branch: lanes take them in the copy for converged SIMD groups."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.ptx.program import build

# if (x == 0) first = y ? *address : 7, as at the border of a tile; the address is only valid if y is not 0.
BORDER = """
.visible .entry k(.param .u64 out, .param .u64 address, .param .u32 y, .param .u32 lanes)
{{
    .reg .b32 %r<12>; .reg .b64 %d<6>; .reg .pred %p<4>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [address]; ld.param.u32 %r1, [y]; ld.param.u32 %r2, [lanes];
    mov.u32 %r3, %tid.x; mul.wide.u32 %d3, %r3, 4; add.s64 %d4, %d1, %d3; mov.u32 %r4, 1;
    setp.ge.u32 %p1, %r3, %r2; @%p1 bra END;
    mov.u32 %r4, 7;
    {condition} @%p2 bra JOIN;
    {inner}
JOIN:
    add.u32 %r4, %r4, 1; st.global.u32 [%d4+128], %r4;
END:
    st.global.u32 [%d4], %r4;
    ret;
}}
"""
CONDITIONS = {
    "uniform": ("setp.eq.u32 %p2, %r1, 0;", lambda lane, y: y == 0),
    "by lane": (
        "add.u32 %r5, %r3, %r1; and.b32 %r5, %r5, 3; setp.eq.u32 %p2, %r5, 0;",
        lambda lane, y: not lane + y & 3,
    ),
    "none": ("setp.gt.u32 %p2, %r3, 99;", lambda lane, y: False),
}
INNER = {
    "load": ("ld.global.u32 %r4, [%d2];", lambda value: value),
    "load and store": ("ld.global.u32 %r4, [%d2]; st.global.u32 [%d4+256], %r4;", lambda value: value),
    "two": ("ld.global.u32 %r4, [%d2]; bra JOIN; ", lambda value: value),
}


def text_of(condition: str, inner: str) -> str:
    return HEAD + BORDER.format(condition=CONDITIONS[condition][0], inner=INNER[inner][0])


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("lanes", [0, 1, 5, 31, 32])
@pytest.mark.parametrize("y", [0, 1])
def test_only_the_lanes_that_take_an_inner_arm_run_it(condition, inner, lanes, y):
    """Where no lane takes it, the address is that of no memory."""
    source, out = np.array([41], np.uint32), np.zeros(96, np.uint32)
    skips = CONDITIONS[condition][1]
    loads = [lane for lane in range(lanes) if not skips(lane, y)]
    address = source if loads else np.uint64(8)
    Loaded(text_of(condition, inner).encode()).launch(
        "k", (1, 1, 1), (32, 1, 1), out, address, np.uint32(y), np.uint32(lanes)
    )
    expected = np.zeros(96, np.uint32)
    for lane in range(32):
        value = 1 if lane >= lanes else 42 if lane in loads else 8
        expected[lane] = value
        expected[32 + lane] = value if lane < lanes else 0
        expected[64 + lane] = 41 if lane in loads and "store" in inner else 0
    np.testing.assert_array_equal(out, expected)


def test_arms_with_branches_stay_converged():
    text = jit.kernel_text(build([text_of("by lane", "load")]), "k").text
    assert re.search(r"^skipped\.\d+:", text, re.MULTILINE)
