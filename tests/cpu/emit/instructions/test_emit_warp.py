# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Warp shuffles, votes, matches and reductions, compared with the manual's pseudo-code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.warps import compiled

LANES = np.arange(32)
KERNEL = """
.visible .entry k(.param .u64 input, .param .u64 output, .param .u64 second, .param .u32 x, .param .u32 y)
{{
    .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>;
    ld.param.u64 %rd1, [input]; ld.param.u64 %rd2, [output]; ld.param.u64 %rd3, [second];
    ld.param.u32 %r8, [x]; ld.param.u32 %r9, [y];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;
    add.u64 %rd7, %rd3, %rd4; ld.global.u32 %r2, [%rd5]; mov.u32 %r3, 77; mov.u32 %r4, 77;
    {code}
    st.global.u32 [%rd6], %r3; st.global.u32 [%rd7], %r4;
    ret;
}}
"""


def run(code: str, values: np.ndarray, x: int = 0, y: int = 0, threads: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """Run code that computes %r3 and %r4 from %r2 (each lane's value), %r8 (x) and %r9 (y)."""
    values = np.asarray(values).astype(np.uint32)
    first, second = np.full(32, 88, np.uint32), np.full(32, 88, np.uint32)
    head = "" if ".sync" in code else ".version 6.3\n.target sm_60\n.address_size 64\n"
    compiled(head + KERNEL.format(code=code))(values, first, second, np.uint32(x), np.uint32(y), threads=threads)
    return first, second


def shuffled(mode: str, index: int, clamp: int) -> tuple[np.ndarray, np.ndarray]:
    """Return source lanes and predicates as the manual's pseudo-code gives them."""
    sources, inside = [], []
    for lane in range(32):
        bval, cval, mask = index & 31, clamp & 31, clamp >> 8 & 31
        most, least = lane & mask | cval & ~mask & 31, lane & mask
        other = {"up": lane - bval, "down": lane + bval, "bfly": lane ^ bval, "idx": least | bval & ~mask & 31}[mode]
        within = other >= most if mode == "up" else other <= most
        sources.append(other if within else lane)
        inside.append(within)
    return np.array(sources), np.array(inside)


MODES = ["up", "down", "bfly", "idx"]
SHUFFLE = "shfl.sync.{}.b32 %r3|%p1, %r2, {}, {}, -1; selp.u32 %r4, 1, 0, %p1;"


@given(st.sampled_from(MODES), st.integers(0, 40), st.sampled_from([0, 31, 0x1C1F, 0x181F, 0x1E1F, 0x1C00, 0x1000]))
@settings(max_examples=30)
def test_shuffles_by_amounts_known_at_run_time(mode, index, clamp):
    values = LANES * 3 + 1
    got, inside = run(SHUFFLE.format(mode, "%r8", "%r9"), values, index, clamp)
    sources, within = shuffled(mode, index, clamp)
    np.testing.assert_array_equal(got, values[sources])
    np.testing.assert_array_equal(inside, within)


@pytest.mark.parametrize(
    ("mode", "index", "clamp"), [("up", 1, 0), ("down", 4, 31), ("bfly", 16, 31), ("idx", 5, 0x181F)]
)
def test_shuffles_by_constants(mode, index, clamp):
    values = LANES * 3 + 1
    got, inside = run(SHUFFLE.format(mode, index, clamp), values)
    sources, within = shuffled(mode, index, clamp)
    np.testing.assert_array_equal(got, values[sources])
    np.testing.assert_array_equal(inside, within)


def test_each_lane_may_choose_its_source():
    got, _ = run("shfl.sync.idx.b32 %r3, %r1, %r2, 31, -1;", LANES * 7 % 32)
    np.testing.assert_array_equal(got, LANES * 7 % 32)


def test_shuffle_of_one_value_and_without_predicate():
    got, _ = run("shfl.sync.down.b32 %r3, 5, 1, 31, -1;", LANES)
    assert set(got) == {5}


def test_votes():
    code = "setp.gt.u32 %p1, %r2, 3; vote.sync.{}.{} {}; "
    flags = LANES % 5 > 3
    got, _ = run(code.format("ballot", "b32", "%r3, %p1, -1"), LANES % 5)
    assert set(got) == {int((flags << LANES).sum())}
    got, _ = run(code.format("ballot", "b32", "%r3, !%p1, -1"), LANES % 5)
    assert set(got) == {int((~flags << LANES).sum()) & 0xFFFFFFFF}
    for mode, cases in {
        "any": [(LANES * 0, 0), (LANES, 1), (LANES * 0 + 4, 1)],
        "all": [(LANES * 0, 0), (LANES, 0), (LANES * 0 + 4, 1)],
        "uni": [(LANES * 0, 1), (LANES, 0), (LANES * 0 + 4, 1)],
    }.items():
        for values, expected in cases:
            got, _ = run(code.format(mode, "pred", "%p2, %p1, -1") + "selp.u32 %r3, 1, 0, %p2;", values)
            assert set(got) == {expected}, mode


def test_shuffles_and_votes_of_active_lanes():
    """Without .sync and member mask, as in PTX for targets below sm_70."""
    got, inside = run("shfl.down.b32 %r3|%p1, %r2, 1, 31; selp.u32 %r4, 1, 0, %p1;", LANES * 3)
    np.testing.assert_array_equal(got, np.minimum(LANES + 1, 31) * 3)
    np.testing.assert_array_equal(inside, LANES < 31)
    code = (
        "mov.u32 %r3, 0; mov.u32 %r4, 0; setp.gt.u32 %p1, %r1, 27; @!%p1 bra OFF;"
        "setp.ne.u32 %p1, %r1, 30; vote.ballot.b32 %r3, !%p1; vote.any.pred %p2, %p1; selp.u32 %r4, 1, 0, %p2;"
        "vote.all.pred %p2, %p1; selp.u32 %r5, 2, 0, %p2; add.u32 %r4, %r4, %r5; OFF:"
    )
    ballot, some = run(code, LANES)
    assert list(ballot[26:]) == [0, 0] + [1 << 30] * 4
    assert list(some[26:]) == [0, 0] + [1] * 4


def test_votes_of_tiles_with_their_own_masks():
    code = (
        "mov.u32 %r5, 0xFFFF; shr.u32 %r6, %r1, 4; shl.b32 %r6, %r6, 4; shl.b32 %r5, %r5, %r6;"
        "setp.eq.u32 %p1, %r2, 1; vote.sync.ballot.b32 %r3, %p1, %r5; vote.sync.any.pred %p2, %p1, %r5;"
        "selp.u32 %r4, 1, 0, %p2;"
    )
    ballot, some = run(code, LANES == 20)
    np.testing.assert_array_equal(ballot, np.where(LANES < 16, 0, 1 << 20))
    np.testing.assert_array_equal(some, LANES >= 16)


def test_missing_lanes_do_not_vote():
    code = "setp.ge.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r3, %p1, -1; activemask.b32 %r4;"
    ballot, active = run(code, LANES, threads=5)
    assert list(ballot[:6]) == list(active[:6]) == [31] * 5 + [88]


def test_activemask_in_a_branch():
    code = "setp.gt.u32 %p1, %r1, 27; @%p1 bra ON; bra OFF; ON: activemask.b32 %r3; OFF:"
    active, _ = run(code, LANES)
    assert list(active[26:]) == [77, 77] + [0xF0000000] * 4


def test_one_lane_is_elected():
    # Only lanes of the mask may execute it: anything else is undefined.
    code = "mov.u32 %r4, 0; and.b32 %r5, %r1, 28; setp.ne.u32 %p2, %r5, 4; @%p2 bra END;"
    leader, elected = run(code + "elect.sync %r3|%p1, 0xF0; selp.u32 %r4, 1, 0, %p1; END:", LANES)
    assert set(leader[4:8]) == {4}
    np.testing.assert_array_equal(elected, LANES == 4)
    _, elected = run("elect.sync _|%p1, -1; selp.u32 %r4, 1, 0, %p1;", LANES)
    np.testing.assert_array_equal(elected, LANES == 0)


@pytest.mark.parametrize("type_", ["b32", "b64"])
def test_match(type_):
    wide = "%r2" if type_ == "b32" else "%rd9"
    code = f"cvt.u64.u32 %rd8, %r2; shl.b64 %rd9, %rd8, 40; match.any.sync.{type_} %r3, {wide}, -1;"
    values = LANES % 3
    got, _ = run(code, values)
    np.testing.assert_array_equal(got, [int(((values == v) << LANES).sum()) for v in values])
    for values, mask in ((LANES % 3, 0), (LANES * 0 + 2, 0xFFFFFFFF)):
        code = f"cvt.u64.u32 %rd9, %r2; match.all.sync.{type_} %r3|%p1, {wide}, -1; selp.u32 %r4, 1, 0, %p1;"
        got, same = run(code, values)
        assert (set(got), set(same)) == ({mask}, {int(mask != 0)})


@given(
    bits=st.lists(st.integers(0, 31), max_size=18),
    type_=st.sampled_from(["b32", "b64"]),
    shift=st.integers(0, 32),
    threads=st.integers(1, 32),
    seed=st.integers(0, 99),
)
@example(bits=[*range(32)], type_="b32", shift=0, threads=32, seed=1)
@example(bits=[*range(32)], type_="b64", shift=32, threads=32, seed=1)
@settings(max_examples=60)
def test_match_of_values_that_differ_in_some_bits(bits, type_, shift, threads, seed):
    """Up to MOST_BITS bits are compared one by one, for more each pair of lanes is compared."""
    random = np.random.default_rng(seed)
    differ = sum(1 << bit for bit in set(bits))
    picked = random.integers(0, 1 << 32, 32) & differ
    values = (picked[random.integers(0, 32, 32)] | random.integers(0, 1 << 32) & ~differ).astype(np.uint32)
    wide = "%r2" if type_ == "b32" else "%rd9"
    code = f"cvt.u64.u32 %rd8, %r2; shl.b64 %rd9, %rd8, {shift}; match.any.sync.{type_} %r3, {wide}, %r8;"
    members = (1 << threads) - 1
    got, _ = run(code, values, members, threads=threads)
    expected = [int(((values == value) << LANES).sum()) & members for value in values]
    np.testing.assert_array_equal(got[:threads], expected[:threads])


REDUCTIONS = {
    "add.u32": lambda v: v.sum(dtype=np.uint32),
    "min.u32": lambda v: v.min(),
    "max.u32": lambda v: v.max(),
    "min.s32": lambda v: v.view(np.int32).min().view(np.uint32),
    "max.s32": lambda v: v.view(np.int32).max().view(np.uint32),
    "and.b32": np.bitwise_and.reduce,
    "or.b32": np.bitwise_or.reduce,
    "xor.b32": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("form", REDUCTIONS)
def test_reductions(form):
    values = (LANES * 0x9E3779B9).astype(np.uint32) | np.uint32(0x10)
    part = "sub.u32 %r5, %r1, 4; setp.ge.u32 %p1, %r5, 12; @%p1 bra END; redux.sync.{form} %r4, %r2, 0xFFF0; END:"
    got, part = run(f"redux.sync.{form} %r3, %r2, -1; " + part.format(form=form), values)
    assert set(got) == {REDUCTIONS[form](values)}
    assert set(part[4:16]) == {REDUCTIONS[form](values[4:16])}
    code = f"mov.u32 %r5, 0xFF; and.b32 %r6, %r1, 24; shl.b32 %r5, %r5, %r6; redux.sync.{form} %r3, %r2, %r5;"
    got, _ = run(code, values)
    np.testing.assert_array_equal(got, [REDUCTIONS[form](values[lane & 24 : (lane & 24) + 8]) for lane in LANES])


def test_butterfly_sum():
    steps = "".join(f"shfl.sync.bfly.b32 %r5, %r3, {n}, 31, -1; add.u32 %r3, %r3, %r5;" for n in (16, 8, 4, 2, 1))
    got, _ = run("mov.u32 %r3, %r2;" + steps, LANES * LANES)
    assert set(got) == {(LANES * LANES).sum()}
