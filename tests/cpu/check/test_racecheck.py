# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck: accesses that nothing orders are reported, those that something does are not."""

from __future__ import annotations

from ctypes import c_uint32, c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["racecheck"], indirect=True)]


def kernel(body: str, declarations: str = "") -> str:
    """Return a kernel with %r1: thread, %r2: block, %r3: 4 * thread, %d1: p, %d2: p + 4 * thread, %p1: thread 0."""
    return f""".visible .entry k(.param .u64 p, .param .u32 n) {{
 .reg .b64 %d<9>; .reg .b32 %r<20>; .reg .pred %p<5>; .reg .b16 %h<5>; {declarations}
 .shared .align 16 .b8 room[4096];
 ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2; setp.eq.u32 %p1, %r1, 0;
 mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2;
{body}
 ret; }}"""


# Each thread writes its own word and reads its neighbour's (of the other half of the block); between: {order}.
NEIGHBOUR = """
 mov.u32 %r4, room; add.u32 %r5, %r4, %r3;
 st.shared.u32 [%r5], %r1;
 {order}
 mov.u32 %r6, %ntid.x; shr.u32 %r7, %r6, 1; add.u32 %r8, %r1, %r7; rem.u32 %r8, %r8, %r6; shl.b32 %r8, %r8, 2;
 add.u32 %r8, %r4, %r8;
 ld.shared.u32 %r9, [%r8];
 st.global.u32 [%d2], %r9;
"""


def memory(words: int = 4096) -> int:
    pointer = driver.cuMemAlloc(4 * words)
    driver.cuMemsetD32(pointer, 0, words)
    return pointer


def found(checked, text: str, **launch) -> list[str]:
    """Return what is found in a launch, which may spoil its context."""
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        checked.launch(text, c_uint64(memory()), c_uint32(0), **({"block": 128} | launch))
        return checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    finally:
        driver.cuCtxDestroy(handle)


# --- shared memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [128, 32, 1024])
def test_a_read_without_a_barrier_behind_a_write(checked, threads):
    """Found whatever the order is in which the warps run: it may also be a write behind a read."""
    lines = found(checked, kernel(NEIGHBOUR.format(order="")), block=threads)
    assert lines
    assert all(line.startswith("racecheck: kernel 'k', block (0, 0, 0), thread (") for line in lines)
    assert any("ld.shared.u32 %r9, [%r8];`" in line and "st.shared.u32 [%r5], %r1;`" in line for line in lines)
    assert any("of shared memory: nothing orders it after thread (" in line for line in lines)


@pytest.mark.parametrize(
    ("order", "threads"),
    [
        ("bar.sync 0;", 128),
        ("bar.sync 0;", 100),
        ("barrier.sync 3, 128;", 128),
        ("bar.arrive 1, 256; bar.sync 1, 256;", 128),
        ("bar.red.popc.u32 %r10, 0, %p1;", 1024),
        ("bar.warp.sync 0xffffffff;", 32),
        ("bar.warp.sync 0xff;", 8),
        ("shfl.sync.idx.b32 %r10, %r1, 0, 31, -1;", 32),
        ("vote.sync.ballot.b32 %r10, %p1, -1;", 32),
        ("barrier.cluster.arrive; barrier.cluster.wait;", 128),
    ],
)
def test_a_barrier_orders(checked, order, threads):
    assert found(checked, kernel(NEIGHBOUR.format(order=order)), block=threads, grid=3) == []


@pytest.mark.parametrize(
    ("order", "threads"),
    [
        ("bar.warp.sync 0xffffffff;", 128),  # of each warp alone
        ("bar.warp.sync 0xff; ", 16),
        ("membar.cta;", 128),
        ("setp.lt.u32 %p2, %r1, 64; @%p2 bar.sync 1, 64;", 128),
    ],
)
def test_what_orders_others_does_not(checked, order, threads):
    assert found(checked, kernel(NEIGHBOUR.format(order=order)), block=threads) != []


def test_a_barrier_is_missing_at_the_end_of_a_loop(checked):
    """The next round writes what others may still read."""
    body = """
 mov.u32 %r10, 0; mov.u32 %r4, room; add.u32 %r5, %r4, %r3;
LOOP: st.shared.u32 [%r5], %r10;
 bar.sync 0;
 xor.b32 %r6, %r3, 256; add.u32 %r6, %r6, %r4;
 ld.shared.u32 %r7, [%r6];
 {end}
 add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 3;
 @%p2 bra LOOP;"""
    assert found(checked, kernel(body.format(end="bar.sync 0;"))) == []
    lines = found(checked, kernel(body.format(end="")))
    assert any("write after a read of byte" in line for line in lines)


@pytest.mark.parametrize(("order", "races"), [("", True), ("bar.sync 0;", False)])
def test_a_lane_writes_in_a_short_branch(checked, order, races):
    """The other lanes of its warp wait for it in the copy of the code for converged lanes."""
    body = f"""
 setp.eq.u32 %p2, %r1, 5; mov.u32 %r4, room;
 @!%p2 bra A;
 st.shared.u32 [%r4+20], 7;
A: {order}
 ld.shared.u32 %r9, [%r4+20];
 st.global.u32 [%d2], %r9;"""
    lines = found(checked, kernel(body))
    assert bool(lines) == races
    assert all("byte 20 of shared memory" in line and "thread (5, 0, 0)" in line for line in lines)


@pytest.mark.parametrize(("order", "races"), [("", True), ("bar.sync 0;", False)])
def test_rows_of_vectors(checked, order, races):
    """Each lane writes 16 bytes next to its neighbour's, and reads those of the other half of the block."""
    body = f"""
 shl.b32 %r4, %r1, 4; mov.u32 %r5, room; add.u32 %r5, %r5, %r4;
 st.shared.v4.u32 [%r5], {{%r1, %r1, %r1, %r1}};
 {order}
 xor.b32 %r4, %r4, 1024; mov.u32 %r5, room; add.u32 %r5, %r5, %r4;
 ld.shared.v4.u32 {{%r6, %r7, %r8, %r9}}, [%r5];
 st.global.u32 [%d2], %r9;"""
    lines = found(checked, kernel(body))
    assert bool(lines) == races
    assert all(": read after a write of byte" in line or ": write after a read of byte" in line for line in lines)


def test_writes_of_different_values(checked):
    lines = found(checked, kernel("mov.u32 %r4, room;\n st.shared.u32 [%r4], %r1;"))
    assert "write after a write of byte 0 of shared memory: nothing orders it after thread (0, 0, 0)" in lines[0]


@pytest.mark.parametrize("threads", [20, 128])
def test_writes_of_the_same_value_are_none(checked, threads):
    text = kernel("mov.u32 %r4, room;\n st.shared.u32 [%r4+8], 7;\n st.global.u32 [%d1], 7;")
    assert found(checked, text, block=threads, grid=4) == []


def test_lanes_that_write_the_same_may_read_it(checked):
    text = kernel("mov.u32 %r4, room;\n st.shared.u32 [%r4+8], 7;\n ld.shared.u32 %r5, [%r4+8];")
    assert found(checked, text, block=32) == []
    assert found(checked, text.replace(" st.shared", " @%p1 st.shared"), block=32) != []


def test_bytes_of_one_word_belong_to_different_threads(checked):
    body = """
 mov.u32 %r4, room; add.u32 %r5, %r4, %r1; cvt.u16.u32 %h1, %r1;
 st.shared.u32 [%r4+1024], 0;
 st.shared.u8 [%r5], %h1;
 ld.shared.u8 %h2, [%r5];
 {more}"""
    assert found(checked, kernel(body.format(more=""))) == []
    assert found(checked, kernel(body.format(more="ld.shared.u16 %h2, [%r4];"))) != []


def test_shared_memory_of_the_next_block_is_new(checked):
    text = kernel("mov.u32 %r4, room; add.u32 %r5, %r4, %r3;\n st.shared.u32 [%r5], %r2;")
    assert found(checked, text, grid=50) == []


def test_atomics_do_not_race_with_each_other(checked):
    text = kernel("mov.u32 %r4, room;\n atom.shared.add.u32 %r5, [%r4], 1;\n red.global.add.u32 [%d1], 1;")
    assert found(checked, text, grid=3) == []


def test_a_plain_write_races_with_atomics(checked):
    body = """
 mov.u32 %r4, room;
 @%p1 st.shared.u32 [%r4], 0;
 {order}
 atom.shared.add.u32 %r5, [%r4], 1;"""
    assert found(checked, kernel(body.format(order="bar.sync 0;"))) == []
    lines = found(checked, kernel(body.format(order="")))
    assert "atom.shared.add.u32 %r5, [%r4], 1;`: write after a write" in lines[0]
    assert "@%p1 st.shared.u32 [%r4], 0;`" in lines[0]


@pytest.mark.parametrize("writer", [0, 96])  # whose warp runs last, or first, behind the barrier
def test_a_plain_write_races_with_atomics_of_a_word_that_had_only_those(checked, writer):
    text = """
 red.global.add.u32 [%d1], 1; red.global.add.u32 [%d1], 1;
 bar.sync 0;
 setp.eq.u32 %p1, %r1, {writer};
 @%p1 st.global.u32 [%d1], 0;
 {order}
 red.global.add.u32 [%d1], 2;"""
    assert found(checked, kernel(text.format(order="", writer=writer))) != []
    assert found(checked, kernel(text.format(order="bar.sync 0;", writer=writer))) == []


def test_an_mbarrier_orders(checked):
    order = """
 mov.u32 %r11, room; add.u32 %r11, %r11, 2048; mov.u32 %r12, %ntid.x;
 @%p1 mbarrier.init.shared.b64 [%r11], %r12;
 bar.sync 0;
 add.u32 %r5, %r5, 512; st.shared.u32 [%r5], %r1; {arrive}
WAIT: mbarrier.test_wait.shared.b64 %p2, [%r11], %d3;
 @!%p2 bra WAIT;
 sub.u32 %r13, %r4, 0; add.u32 %r4, %r4, 512;"""
    arrive = "mbarrier.arrive.shared.b64 %d3, [%r11];"
    assert found(checked, kernel(NEIGHBOUR.format(order=order.format(arrive=arrive)))) == []
    late = "mbarrier.arrive.shared.b64 %d3, [%r11]; st.shared.u32 [%r5], %r2;"
    assert found(checked, kernel(NEIGHBOUR.format(order=order.format(arrive=late)))) != []


# --- global memory ------------------------------------------------------------------------------------


def test_blocks_write_one_place(checked):
    lines = found(checked, kernel(" st.global.u32 [%d2], %r2;"), grid=2)
    assert len(lines) == 1
    assert "block (1, 0, 0), thread (0, 0, 0)" in lines[0]
    assert "byte 0 of the allocation of 16384 bytes" in lines[0]
    assert "nothing orders it after block (0, 0, 0), thread (0, 0, 0)" in lines[0]
    assert "(and 127 more by this instruction)" in lines[0]


def test_a_place_that_very_many_have_read(checked):
    body = " ld.global.u32 %r4, [%d1];\n setp.eq.u32 %p2, %r2, 199;\n @%p2 st.global.u32 [%d1+{offset}], %r2;"
    lines = found(checked, kernel(body.format(offset=0)), grid=200, block=(64, 1, 1))
    assert any("write after a read of 0x" in line for line in lines)
    assert found(checked, kernel(body.format(offset=4)), grid=200, block=64) == []


def test_a_barrier_orders_global_memory_in_a_block(checked):
    body = """
 st.global.u32 [%d2], %r1;
 {order}
 xor.b32 %r4, %r3, 256; cvt.u64.u32 %d3, %r4; add.s64 %d3, %d1, %d3;
 ld.global.u32 %r5, [%d3];"""
    assert found(checked, kernel(body.format(order="bar.sync 0;"))) == []
    assert found(checked, kernel(body.format(order=""))) != []
    # Each block has its own barrier.
    assert found(checked, kernel(body.format(order="bar.sync 0;")), grid=2) != []


# Each block writes its sum; the last to come adds them up.
LAST = """
 @!%p1 bra WAIT;
 mul.wide.u32 %d3, %r2, 4; add.s64 %d3, %d1, %d3;
 add.u32 %r4, %r2, 5;
 st.global.u32 [%d3+128], %r4;
 {fence}
 atom{sem}.global.add.u32 %r5, [%d1], 1;
 mov.u32 %r6, room;
 st.shared.u32 [%r6], %r5;
WAIT: bar.sync 0;
 mov.u32 %r6, room; ld.shared.u32 %r5, [%r6]; mov.u32 %r7, %nctaid.x; sub.u32 %r7, %r7, 1;
 setp.ne.u32 %p2, %r5, %r7; @%p2 bra END;
 setp.gt.u32 %p3, %r1, %r7; @%p3 bra END;
 ld.global.u32 %r8, [%d2+128];
 red.global.add.u32 [%d1+64], %r8;
END:"""


FENCES = [("membar.gl;", ""), ("fence.acq_rel.gpu;", ".relaxed.gpu"), ("", ".acq_rel.gpu")]


@pytest.mark.parametrize(("fence", "sem"), FENCES)
def test_the_last_block_knows_of_the_others(checked, fence, sem):
    assert found(checked, kernel(LAST.format(fence=fence, sem=sem)), grid=7, block=64) == []


def test_the_last_block_needs_a_fence(checked):
    lines = found(checked, kernel(LAST.format(fence="", sem="")), grid=7, block=64)
    assert any("ld.global.u32 %r8, [%d2+128];`: read after a write of 0x" in line for line in lines)


def test_a_flag_hands_over(checked):
    """Block 1 waits for block 0."""
    body = """
 @!%p1 bra END;
 setp.eq.u32 %p2, %r2, 1; @%p2 bra WAIT;
 st.global.u32 [%d1+64], 9; {give}
 bra END;
WAIT: {take} setp.eq.u32 %p3, %r4, 0; @%p3 bra WAIT;
 ld.global.u32 %r5, [%d1+64];
END:"""
    pairs = [
        ("st.release.gpu.global.u32 [%d1], 1;", "ld.acquire.gpu.global.u32 %r4, [%d1];", True),
        ("membar.gl; st.volatile.global.u32 [%d1], 1;", "ld.volatile.global.u32 %r4, [%d1];", True),
        ("membar.gl; atom.global.exch.b32 %r6, [%d1], 1;", "atom.global.or.b32 %r4, [%d1], 0;", True),
        ("st.volatile.global.u32 [%d1], 1;", "ld.volatile.global.u32 %r4, [%d1];", False),
    ]
    for give, take, right in pairs:
        lines = found(checked, kernel(body.format(give=give, take=take)), grid=2)
        if right:
            assert lines == []
    assert any("ld.global.u32 %r5, [%d1+64];`: read after a write" in line for line in lines)


def test_launches_follow_each_other(checked):
    pointer = memory()
    for _ in range(3):
        text = kernel(" ld.global.u32 %r4, [%d2];\n st.global.u32 [%d2], %r4;")
        checked.launch(text, c_uint64(pointer), c_uint32(0), block=64)
    assert checked.lines() == []


def test_local_memory_is_each_threads_own(checked):
    body = "st.local.u32 [stack], %r1; mov.u64 %d3, stack; cvta.local.u64 %d3, %d3; ld.u32 %r5, [%d3];"
    assert found(checked, kernel(body, ".local .align 4 .b8 stack[8];")) == []


def test_the_same_lines_in_every_run(checked):
    text = kernel(NEIGHBOUR.format(order="").replace("st.global.u32 [%d2], %r9;", ""))
    texts = {tuple(found(checked, text, grid=5)) for _ in range(3)}
    assert len(texts) == 1
    assert len(texts.pop()) > 0
