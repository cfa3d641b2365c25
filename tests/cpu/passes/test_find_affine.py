# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Predicates that all lanes of a row share, and affine values that they choose."""

from __future__ import annotations

import pytest
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.ptx.program import build

# %r1 grows by one from lane to lane, %r2 does not change in rows, %r3 is one for all lanes.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u32 any)
{{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .b16 %h<3>; .reg .pred %p<9>; .reg .f32 %f<3>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ld.param.u32 %r3, [any]; ld.param.u64 %d1, [out];
    add.s32 %r4, %r1, -1; shl.b32 %r5, %r1, 1;
    {body}
    st.global.u32 [%d1], %r9;
    ret;
}}
"""
CHOSEN = {
    "setp.gt.s32 %p1, %r2, 0; selp.b32 %r9, %r4, %r1, %p1;": 1,
    "setp.gt.s32 %p1, %r2, 0; selp.s32 %r9, -1, 0, %p1;": 0,
    "setp.gt.s32 %p1, %r2, 0; setp.lt.u32 %p2, %r2, %r3; and.pred %p3, %p1, %p2; selp.u32 %r9, %r4, %r1, %p3;": 1,
    "setp.gt.s32 %p1, %r2, 0; setp.lt.or.u32 %p2, %r2, %r3, %p1; not.pred %p3, %p2; selp.u32 %r9, %r4, %r1, %p3;": 1,
    "setp.gt.s32 %p1, %r2, 0; setp.lt.xor.u32 %p2, %r2, %r3, !%p1; selp.u32 %r9, %r4, %r1, %p2;": 1,
    "setp.gt.s32 %p1, %r3, 0; selp.u32 %r9, %r4, %r1, %p1;": 1,  # one predicate for all lanes
    "setp.gt.s32 %p1, %r2, 0; selp.u32 %r9, %r4, %r5, %p1;": None,  # the strides differ
    "setp.gt.s32 %p1, %r2, 0; selp.u32 %r9, %r4, %r3, %p1;": None,
    "setp.gt.s32 %p1, %r1, 0; selp.u32 %r9, %r4, %r1, %p1;": None,  # lanes differ
    "setp.gt.s32 %p1, %r1, 0; setp.gt.s32 %p2, %r2, 0; and.pred %p3, %p1, %p2; selp.u32 %r9, %r4, %r1, %p3;": None,
    "setp.gt.s32 %p1, %r2, 0; setp.gt.and.s32 %p2, %r2, 0, %p3; selp.u32 %r9, %r4, %r1, %p2;": 1,  # undefined
    "cvt.rn.f32.s32 %f1, %r2; setp.gt.f32 %p1, %f1, 0f00000000; selp.u32 %r9, %r4, %r1, %p1;": None,
    "setp.gt.s32 %p1, %r2, 0; @%p1 selp.u32 %r9, %r4, %r1, %p1;": None,
    "setp.gt.s32 %p1|%p2, %r2, 0; selp.u32 %r9, %r4, %r1, %p1;": None,  # two results
    "setp.gt.s32 %p1, %r2, 0; @%p1 setp.gt.s32 %p1, %r1, 0; selp.u32 %r9, %r4, %r1, %p1;": None,
}


def graph_of(body: str):
    return analyse(build([HEAD + KERNEL.format(body=body)]).laid_out("k").functions["k"])


@pytest.mark.parametrize("body", CHOSEN)
def test_values_that_rows_choose(body):
    assert graph_of(body).strides.get("%r9") == CHOSEN[body]


def test_predicates_that_choose_nothing_have_vectors_alone():
    body = "setp.gt.s32 %p1, %r2, 0; setp.lt.s32 %p2, %r2, 3; or.pred %p3, %p1, %p2; mov.u32 %r9, 0; @%p3 bra L; L:"
    assert graph_of(body).strides.keys() & {"%p1", "%p2", "%p3"} == set()
    more = body + " selp.s32 %r10, %r4, %r1, %p2;"
    assert graph_of(more).strides.keys() & {"%p1", "%p2", "%p3"} == {"%p2"}
