# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""synccheck: barriers that not all come to, wrong counts and masks; and right ones that are not reported."""

from __future__ import annotations

from ctypes import c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["synccheck"], indirect=True)]


def kernel(body: str) -> str:
    """Return a kernel with %r1: thread, %p1: thread < 16, %p2: thread < 32, and functions `meet` and `half`."""
    return f""".func meet()
{{
 bar.sync 0;
 ret;
}}
.visible .entry k(.param .u64 p) {{
 .reg .b32 %r<20>; .reg .pred %p<9>;
 mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; setp.lt.u32 %p2, %r1, 32; mov.u32 %r2, 0;
{body}
 ret; }}"""


def found(checked, body: str, **launch) -> list[str]:
    """Return what is found in a launch, which may spoil its context."""
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        checked.launch(kernel(body), c_uint64(0), **({"block": 64} | launch))
        return checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    finally:
        driver.cuCtxDestroy(handle)


@pytest.mark.parametrize(
    "body",
    [
        " bar.sync 0;",
        " bar.sync 0, 64;",
        " barrier.sync 1; bar.red.popc.u32 %r3, 0, %p1;",
        " @%p2 bar.sync 1, 32;\n bar.sync 0;",  # a whole warp
        " @%p2 bra A;\n bar.sync 0;\n bra B;\nA: bar.sync 0;\nB:",  # each warp by its own instruction
        " @!%p1 bra A;\n add.u32 %r2, %r2, 1;\nA: bar.sync 0;",  # the lanes meet again
        " @%p1 ret;\n bar.sync 0;",  # who has exited is not waited for
        " @!%p2 ret;\n bar.sync 0;\n bar.sync 0;",
        " @%p2 bar.arrive 1, 64;\n @!%p2 bar.sync 1, 64;",
        " call meet, ();",
        " barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;",
        " bar.warp.sync 0xffffffff;",
        " @%p1 bar.warp.sync 0xffff;",
        " @%p1 bra A;\n bar.warp.sync 0xffffffff;\n bra B;\nA: bar.warp.sync 0xffffffff;\nB:",  # in two places
        " and.b32 %r4, %r1, 24; shl.b32 %r5, 255, %r4; shfl.sync.idx.b32 %r3, %r1, 0, 0x181f, %r5;",  # tiles of 8
        " @!%p1 bra A;\n shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffff;\nA: vote.sync.ballot.b32 %r3, %p1, -1;",
        " @%p1 ret;\n vote.sync.ballot.b32 %r3, %p1, -1;",  # of those that are left
        " redux.sync.add.s32 %r3, %r1, -1;\n match.any.sync.b32 %r3, %r1, -1;\n elect.sync %r3|%p3, -1;",
        " mov.u32 %r4, 0;\nL: shfl.sync.down.b32 %r3, %r1, 1, 31, -1; add.u32 %r4, %r4, 1;"
        " setp.lt.u32 %p3, %r4, 5; @%p3 bra L;",
    ],
)
def test_right_programs(checked, body):
    assert found(checked, body) == []
    assert found(checked, body, block=64, grid=3) == []


@pytest.mark.parametrize("threads", [17, 45])
def test_a_block_of_any_size(checked, threads):
    """Lanes that never were are not missing."""
    body = " bar.sync 0;\n bar.warp.sync -1;\n shfl.sync.down.b32 %r3, %r1, 1, 31, -1;"
    assert found(checked, body, block=threads) == []


def test_a_barrier_in_divergent_code(checked):
    (line,) = found(checked, " @%p1 bar.sync 0;\n add.u32 %r2, %r2, 1;", block=32)
    assert line.startswith("synccheck: kernel 'k', block (0, 0, 0), thread (0, 0, 0), PTX line 12 `@%p1 bar.sync 0;`: ")
    assert line.endswith("lanes 0-15 of the warp are at a barrier of all its lanes, and 16-31 are not")


def test_a_barrier_in_a_loop_that_some_lanes_leave(checked):
    body = """
 mov.u32 %r4, 0; selp.u32 %r5, 5, 3, {which};
L: bar.sync 0;
 add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r5; @%p3 bra L;
 add.u32 %r2, %r2, 1;"""
    assert found(checked, body.format(which="%p4"), block=32) == []
    (line,) = found(checked, body.format(which="%p1"), block=32)
    assert "lanes 0-15 of the warp are at a barrier of all its lanes, and 16-31 are not" in line


def test_a_barrier_reached_at_two_instructions(checked):
    lines = found(checked, " @%p1 bra A;\n bar.sync 0;\n bra B;\nA: bar.sync 0;\nB:", block=32)
    assert lines
    assert all("of the warp are at a barrier of all its lanes" in line for line in lines)


def test_a_barrier_that_lanes_pass_by_a_path_of_their_own(checked):
    """The two ways of the kernel's last `if` meet behind it."""
    body = " @{lanes} bra A;\n mov.u32 %r2, 1;\n bra B;\nA: bar.sync 0;\nB: add.u32 %r2, %r2, 1;"
    assert found(checked, body.format(lanes="%p2")) == []  # whole warps
    (line,) = found(checked, body.format(lanes="%p1"), block=32)
    assert "`A: bar.sync 0;`: lanes 0-15 of the warp are at a barrier of all its lanes, and 16-31 are not" in line


def test_lanes_that_return_by_a_path_of_their_own_have_passed_no_barrier(checked):
    body = " @%p1 bra A;\n mov.u32 %r2, 1;\n ret;\nA: bar.sync 0;\n add.u32 %r2, %r2, 1;"
    assert found(checked, body, block=32) == []


def test_a_barrier_in_a_function_that_some_lanes_call(checked):
    lines = found(checked, " @%p1 call meet, ();\n add.u32 %r2, %r2, 1;", block=32)
    assert "`@%p1 call meet, ();`: lanes 0-15 of the warp are at a barrier" in lines[0]


def test_lanes_may_come_apart_to_a_barrier_that_is_not_aligned(checked):
    assert found(checked, " @%p1 bra A;\n barrier.sync 0;\n bra B;\nA: barrier.sync 0;\nB:", block=32) == []


def test_a_count_that_is_no_multiple_of_a_warp(checked):
    count = " .reg .b32 %count; mov.b32 %count, 33;"  # the number itself would be refused at load
    (line,) = found(checked, f"{count} bar.sync 0, %count;", block=33)
    assert "the barrier is to have 33 threads: it must be a multiple of 32, and at most the block's 64" in line


def test_a_count_beyond_the_block(checked):
    lines = found(checked, " bar.sync 0, 96;")
    assert "the barrier is to have 96 threads" in lines[0]
    assert "2 of the block's 2 warps wait at the barrier for ever" in lines[1]
    assert lines[-1].endswith("every warp of the block waits at a barrier that none can release: "
                              "every warp of the block waits at a barrier")  # fmt: skip


def test_counts_that_differ(checked):
    lines = found(checked, " @%p2 bar.sync 0, 64;\n @!%p2 bar.sync 0, 96;", block=96)
    assert any("threads, and others have come to it for" in line for line in lines)


def test_warps_that_wait_for_ever(checked):
    lines = found(checked, " @%p2 bar.sync 1;\n @!%p2 bar.sync 2;", block=96)
    assert "PTX line 12 `@%p2 bar.sync 1;`: 1 of the block's 3 warps wait at the barrier for ever" in lines[0]
    assert "PTX line 13 `@!%p2 bar.sync 2;`: 2 of the block's 3 warps wait at the barrier for ever" in lines[1]


@pytest.mark.parametrize(
    "operation",
    [
        "bar.warp.sync {mask};",
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, {mask};",
        "vote.sync.ballot.b32 %r3, %p1, {mask};",
        "match.any.sync.b32 %r3, %r1, {mask};",
        "redux.sync.add.s32 %r3, %r1, {mask};",
    ],
)
def test_a_mask_without_the_lane_itself(checked, operation):
    (line,) = found(checked, " " + operation.format(mask="0xffff"), block=32)
    assert "thread (16, 0, 0)" in line
    assert "the mask 0x0000ffff does not name the lane itself (and 15 more by this instruction)" in line


def test_masks_that_differ(checked):
    body = " selp.b32 %r4, 0xffffffff, 0xffff00ff, %p1;\n shfl.sync.idx.b32 %r3, %r1, 0, 31, %r4;"
    lines = found(checked, body, block=32)
    assert any("the mask is 0xffffffff, and 0xffff00ff in a lane that it names" in line for line in lines)


SOURCES = [  # a shuffle, and the lanes that run it; the third: whether they read others
    ("shfl.sync.idx.b32 %r3, %r1, 20, 31, 0xffff;", "%p1", True),
    ("shfl.sync.idx.b32 %r3, %r1, 12, 31, 0xffff;", "%p1", False),
    ("shfl.sync.bfly.b32 %r3, %r1, 16, 31, 0xffff;", "%p1", True),
    ("shfl.sync.bfly.b32 %r3, %r1, 8, 31, 0xffff;", "%p1", False),
    ("shfl.sync.down.b32 %r3, %r1, 16, 31, 0xffff;", "%p1", True),
    ("shfl.sync.down.b32 %r3, %r1, 8, 31, 0xffff;", "%p1", False),  # lanes 8-15 ignore what they get
    ("shfl.sync.up.b32 %r3, %r1, 4, 0, 0xffff;", "%p1", False),
    ("shfl.sync.down.b32 %r3, %r1, 16, 0x101f, 0xffff;", "%p1", False),  # tiles of 16: each lane's own value
]


@pytest.mark.parametrize("exits", [False, True])
@pytest.mark.parametrize(("shuffle", "lanes", "wrong"), SOURCES)
def test_a_shuffle_reads_lanes_that_do_not_take_part(checked, shuffle, lanes, wrong, exits):
    if exits:
        body = f" @!{lanes} ret;\n {shuffle.replace('0xffff;', '-1;')}"
    else:
        body = f" @!{lanes} bra A;\n {shuffle}\nA: bar.warp.sync -1;"
    lines = found(checked, body, block=32)
    assert bool(lines) == wrong
    if wrong:
        assert "`" + shuffle.replace("0xffff;", "-1;" if exits else "0xffff;") + "`: lanes 0-15 read lanes " in lines[0]
        assert "which the mask does not name, or which have exited or never existed" in lines[0]


@pytest.mark.parametrize(("shuffle", "lanes", "wrong"), SOURCES)
def test_a_shuffle_reads_lanes_that_never_existed(checked, shuffle, lanes, wrong):
    lines = found(checked, " " + shuffle.replace("0xffff;", "-1;"), block=48)
    assert bool(lines) == wrong
    if wrong:
        assert ", thread (32, 0, 0), " in lines[0]
        assert ": lanes 0-15 read lanes " in lines[0]
        assert "have exited or never existed" in lines[0]


@pytest.mark.parametrize(
    "operation", ["bar.warp.sync -1;", "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;", "vote.sync.ballot.b32 %r3, %p1, -1;"]
)
def test_lanes_that_are_named_and_do_not_come(checked, operation):
    lines = found(checked, f" @!%p1 bra A;\n {operation}\n bra B;\nA: match.any.sync.b32 %r3, %r1, -1;\nB:", block=32)
    assert any("lanes 0-15 wait for others that they name, of which 16-31 do not come" in line for line in lines)


def test_lanes_that_have_gone_past(checked):
    """Only some lanes do the last rounds of a loop."""
    body = """
 mov.u32 %r4, 0; selp.u32 %r5, 5, 3, %p1;
L: shfl.sync.down.b32 %r3, %r1, 1, 31, -1;
 add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r5; @%p3 bra L;
 match.any.sync.b32 %r3, %r1, -1;"""
    lines = found(checked, body, block=32)
    assert any("lanes 0-15 wait for others that they name, of which 16-31 do not come" in line for line in lines)


LATER = ["bar.sync 0;", "barrier.sync 0;", "bar.sync 0, 32;", "bar.warp.sync -1;", "vote.sync.ballot.b32 %r3, %p1, -1;"]
LOOP = " mov.u32 %r4, 0;\nL:\n{body}\n add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra L;"


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("frame", ["{body}", LOOP], ids=["straight", "loop"])
def test_lanes_at_a_later_operation_have_missed_the_earlier_one(checked, frame, later):
    """The instruction that is wrong is the one in the branch, not the one at which the other lanes wait."""
    body = frame.format(body=f" @!%p1 bra A;\n shfl.sync.down.b32 %r3, %r1, 1, 31, -1;\nA: {later}")
    (line,) = found(checked, body, block=32)
    assert "`shfl.sync.down.b32 %r3, %r1, 1, 31, -1;`: lanes 0-15 wait for others that they name, of which 16-" in line


@pytest.mark.parametrize("frame", ["{body}", LOOP], ids=["straight", "loop"])
def test_lanes_at_a_later_operation_wait_for_those_at_a_barrier_in_a_branch(checked, frame):
    body = frame.format(body=" @%p1 bar.sync 0;\n shfl.sync.down.b32 %r3, %r1, 1, 31, -1;")
    (line,) = found(checked, body, block=32)
    assert "`@%p1 bar.sync 0;`: lanes 0-15 of the warp are at a barrier of all its lanes, and 16-31 are not" in line
