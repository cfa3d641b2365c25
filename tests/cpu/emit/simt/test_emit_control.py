# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Control flow under masks: each lane computes what it would compute alone, for every control-flow graph."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from masked_code import FOOTER, HEADER, run
from support.warps import Fault, Kernel, compiled

from cuda.cpu.emit import function
from cuda.cpu.runtime.kernel_abi import Path


def test_lanes_diverge_and_reconverge() -> None:
    body = """
    and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0; mov.u32 %r3, 5;
    @%p1 bra EVEN;
    add.u32 %r3, %r3, %r2;
    bra.uni MEET;
EVEN:
    mul.lo.u32 %r3, %r3, %r2;
MEET:
    add.u32 %r3, %r3, 1;
"""
    x = np.arange(100, 132)
    np.testing.assert_array_equal(run(body, x), np.where(x % 2 == 0, 5 * x + 1, 5 + x + 1))


def test_finished_lanes_of_a_loop_keep_their_values() -> None:
    body = """
    mov.u32 %r3, 0; mov.u32 %r4, 0;
OUTER:
    setp.ge.u32 %p1, %r4, %r2;
    @%p1 bra END;
    mov.u32 %r5, 0;
INNER:
    add.u32 %r3, %r3, 1; add.u32 %r5, %r5, 1;
    setp.le.u32 %p2, %r5, %r4;
    @%p2 bra INNER;
    add.u32 %r4, %r4, 1;
    bra OUTER;
"""
    x = np.random.default_rng(1).integers(0, 12, 64)
    np.testing.assert_array_equal(run(body, x, 64), x * (x + 1) // 2)


def test_irreducible_loop_with_two_entries() -> None:
    body = """
    mov.u32 %r3, 0; mov.u32 %r4, 0; and.b32 %r5, %r2, 1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra SECOND;
FIRST:
    add.u32 %r3, %r3, 100;
SECOND:
    add.u32 %r3, %r3, 1; add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, %r2;
    @%p2 bra FIRST;
"""
    x = np.arange(32) % 7 + 1
    np.testing.assert_array_equal(run(body, x), x + 100 * (x - 1) + 100 * (x % 2))


def test_guarded_instructions_do_not_affect_other_lanes() -> None:
    body = """
    setp.gt.u32 %p1, %r2, 10; mov.u32 %r3, 7;
    @%p1 mov.u32 %r3, 9;
    @!%p1 st.global.u32 [%d3+128], %r2;
    @%p1 bra END;
    @%p1 mov.u32 %r3, 1;
    add.u32 %r3, %r3, 1;
"""
    x = np.zeros(64, np.uint32)
    x[:32] = np.arange(32)
    result = run(body, x)
    np.testing.assert_array_equal(result[:32], np.where(np.arange(32) > 10, 9, 8))
    np.testing.assert_array_equal(result[32:], np.where(np.arange(32) > 10, 0, np.arange(32)))


@pytest.mark.parametrize("uniform", [True, False])
def test_branch_through_a_table(uniform: bool) -> None:
    body = """
    mov.u32 %r3, 0;
    rem.u32 %r4, %r2, 4;
T:  .branchtargets A, B, C, A;
    brx.idx %r4, T;
A:  add.u32 %r3, %r3, 1;
B:  add.u32 %r3, %r3, 10;
    bra END;
C:  add.u32 %r3, %r3, 100;
"""
    if uniform:
        body = body.replace("rem.u32 %r4, %r2, 4", "mov.u32 %r4, %ctaid.x")
    x = np.arange(32)
    expected = np.full(32, 11) if uniform else np.array([11, 10, 100, 11])[x % 4]
    np.testing.assert_array_equal(run(body, x), expected)


def test_branch_through_a_table_with_one_target() -> None:
    """Lanes do not diverge although their indices differ."""
    body = "rem.u32 %r4, %r2, 2;\nT: .branchtargets A, A;\nbrx.idx %r4, T;\nA: add.u32 %r3, %r2, 1;\n"
    np.testing.assert_array_equal(run(body, np.arange(32)), np.arange(1, 33))


def test_lanes_wait_for_the_members_of_a_vote() -> None:
    """Some lanes reach the vote through a barrier of their own."""
    body = """
    setp.lt.u32 %p1, %r2, 16; mov.u32 %r3, 1;
    @%p1 bra LOW;
    bar.warp.sync 0xffff0000;
    mov.u32 %r3, 2;
    bra.uni BOTH;
LOW:
    bar.warp.sync 0x0000ffff;
BOTH:
    setp.eq.u32 %p1, %r3, 1;
    vote.sync.ballot.b32 %r3, %p1, 0xffffffff;
"""
    np.testing.assert_array_equal(run(body, np.arange(32)), np.full(32, 0xFFFF))


ROUND_WITH_TWO_ENDS = """
    mov.u32 %r3, 0; mov.u32 %r4, 4;
AGAIN:
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra END;
    sub.u32 %r4, %r4, 1;
    vote.sync.ballot.b32 %r5, 1, -1; popc.b32 %r5, %r5; add.u32 %r3, %r3, %r5;
    setp.lt.u32 %p2, %r2, 10;
"""


@pytest.mark.parametrize(
    "end",
    [
        "@%p2 bra AGAIN; st.global.u32 [%d3], 7; bra.uni AGAIN;",
        "@%p2 st.global.u32 [%d3], 7; bra.uni AGAIN;",
        "@%p2 bra OTHER; st.global.u32 [%d3], 7; bra.uni AGAIN; OTHER: st.global.u32 [%d3], 9; bra.uni AGAIN;",
    ],
)
def test_lanes_that_end_an_iteration_early_wait_for_the_others(end: str) -> None:
    np.testing.assert_array_equal(run(ROUND_WITH_TWO_ENDS + end, np.arange(32)), np.full(32, 4 * 32))


def test_lanes_reconverge_at_votes_in_loops_with_two_entries() -> None:
    """Some lanes that enter in the middle leave while others are at the loop header."""
    body = """
    mov.u32 %r3, 0; mov.u32 %r4, 0; setp.lt.u32 %p1, %r2, 7; mov.pred %p2, %p1;
    @%p1 bra SECOND;
FIRST:
    add.u32 %r3, %r3, 1000;
    @%p2 bra THIRD;
SECOND:
    add.u32 %r3, %r3, 100;
THIRD:
    vote.sync.ballot.b32 %r5, 1, -1; popc.b32 %r5, %r5; add.u32 %r3, %r3, %r5;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; setp.lt.u32 %p4, %r2, 20;
    @!%p3 bra END;
    @%p4 bra SECOND;
    bra.uni FIRST;
"""
    x = np.arange(32)
    late = np.where(x < 20, 32 * 3 + 100 * 3 + 1000, 32 * 3 + 1100 * 3)
    np.testing.assert_array_equal(run(body, x), np.where(x < 7, 32 * 3 + 100 * 3, late))


def test_lanes_at_a_vote_wait_for_those_that_wait_for_another_warp() -> None:
    body = """
    setp.lt.u32 %p1, %r2, 6;
    @%p1 bra MEET;
AGAIN:
    ld.volatile.global.u32 %r4, [%d1+128]; setp.eq.u32 %p2, %r4, 0;
    @%p2 bra AGAIN;
MEET:
    redux.sync.add.u32 %r3, %r2, -1;
"""
    x = np.append(np.arange(32, dtype=np.uint32), np.uint32(0))

    def poll(warp: int) -> None:
        x[32] = 1

    compiled(HEADER + body + FOOTER)(x, budget=1000, services={"poll": poll})
    np.testing.assert_array_equal(x[:32], sum(range(32)))


def test_lanes_waiting_at_another_vote_have_not_arrived() -> None:
    """Lanes 0 and 1 vote; before that, lane 1 waits for lane 2, which waits for another warp."""
    body = """
    mov.u32 %r3, 0; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p3, %r2, 2; setp.gt.u32 %p4, %r2, 2;
    @%p4 bra END;
    @%p1 bra MEET;
    @!%p3 bra FIRST;
AGAIN:
    ld.volatile.global.u32 %r4, [%d1+128]; setp.eq.u32 %p2, %r4, 0;
    @%p2 bra AGAIN;
FIRST:
    redux.sync.add.u32 %r3, %r2, 6;
    @%p3 bra END;
MEET:
    redux.sync.add.u32 %r5, 1, 3; mad.lo.u32 %r3, %r5, 10, %r3;
"""
    x = np.append(np.arange(32, dtype=np.uint32), np.uint32(0))

    def poll(warp: int) -> None:
        x[32] = 1

    compiled(HEADER + body + FOOTER)(x, budget=1000, services={"poll": poll})
    np.testing.assert_array_equal(x[:4], [20, 23, 3, 0])


def test_lanes_synchronise_at_different_warp_barriers() -> None:
    """Writes of other lanes before their barrier are visible after the lane's own."""
    body = """
    setp.lt.u32 %p1, %r2, 16; add.s64 %d4, %d1, 128; mov.u32 %r3, 7;
    @%p1 bra LOW;
    setp.eq.u32 %p1, %r2, 16;
    @%p1 st.global.u32 [%d4], 5;
    bar.warp.sync -1;
    ld.global.u32 %r3, [%d4+4];
    bra.uni BOTH;
LOW:
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.global.u32 [%d4+4], 6;
    bar.warp.sync -1;
    ld.global.u32 %r3, [%d4];
BOTH:
    redux.sync.add.u32 %r4, %r3, -1; add.u32 %r3, %r3, %r4;
"""
    data = np.zeros(34, np.uint32)
    data[:32] = np.arange(32)
    np.testing.assert_array_equal(run(body, data)[:32] - 176, np.where(np.arange(32) < 16, 5, 6))


def test_a_negated_predicate_combined_with_a_comparison() -> None:
    body = "setp.gt.u32 %p1, %r2, 20; setp.lt.and.u32 %p1, %r2, 40, !%p1; mov.u32 %r3, 6;\n@%p1 bra END;\n"
    body += "mov.u32 %r3, 5;\n"
    np.testing.assert_array_equal(run(body, np.arange(32)), np.where(np.arange(32) > 20, 5, 6))


def test_every_lane_acquires_a_lock() -> None:
    """The lane that holds the lock must run on while the others of its warp spin."""
    body = """
    add.s64 %d4, %d1, 128; add.s64 %d5, %d1, 132; mov.u32 %r3, 1;
LOCK:
    atom.global.cas.b32 %r4, [%d4], 0, 1;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra LOCK;
    ld.volatile.global.u32 %r5, [%d5]; add.u32 %r5, %r5, %r2; st.volatile.global.u32 [%d5], %r5;
    membar.gl;
    atom.global.exch.b32 %r6, [%d4], 0;
"""
    x = np.zeros(34, np.uint32)
    x[:32] = np.arange(32) + 1
    result = run(body, x)
    assert (result[32], result[33]) == (0, x[:32].sum())
    assert compiled(HEADER + body + FOOTER).path == Path.FIBERS


@pytest.mark.parametrize("outer", ["LOCK", "OUTER"])
def test_lanes_vote_together_after_a_lock_at_the_loop_header(outer: str) -> None:
    """If the loop around a lock begins with the lock, both loops have the same header."""
    body = f"""
    add.s64 %d4, %d1, 128; mov.u32 %r3, 0; mov.u32 %r5, 0;
OUTER: {"mov.u32 %r6, 0;" if outer == "OUTER" else ""}
LOCK:
    atom.global.cas.b32 %r4, [%d4], 0, 1; setp.ne.u32 %p1, %r4, 0;
    @%p1 bra LOCK;
    atom.global.exch.b32 %r4, [%d4], 0;
    setp.lt.u32 %p2, %r2, 5; vote.sync.ballot.b32 %r6, %p2, -1; add.u32 %r3, %r3, %r6;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3;
    @%p3 bra {outer};
"""
    x = np.zeros(33, np.uint32)
    x[:32] = np.arange(32)
    np.testing.assert_array_equal(run(body, x)[:32], np.full(32, 3 * 31))


def test_early_return_before_a_barrier_is_reported() -> None:
    body = """
    mov.u32 %r3, 3; setp.gt.u32 %p1, %r2, 20;
    @%p1 ret;
    bar.sync 0;
"""
    log: list[tuple] = []
    services = {
        "exit_lanes": lambda warp, lanes: log.append(("exit", lanes)),
        "barrier_sync": lambda warp, number, threads, lanes: log.append(("barrier", number, threads, lanes)),
    }
    result = run(body, np.arange(32), services=services, fibers=True)
    mask = (1 << 21) - 1
    assert log == [("exit", 0xFFFFFFFF ^ mask), ("barrier", 0, 0, mask), ("exit", mask)]
    np.testing.assert_array_equal(result, np.where(np.arange(32) > 20, np.arange(32), 3))


def test_lanes_at_two_instructions_of_one_barrier_arrive_together() -> None:
    body = """
    and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0; mov.u32 %r3, 5;
    @%p1 bra EVEN;
    bar.sync 0; add.u32 %r3, %r3, 1; bra.uni END;
EVEN:
    bar.sync 0; add.u32 %r3, %r3, 2;
"""
    log: list[int] = []
    services = {"barrier_sync": lambda warp, number, threads, lanes: log.append(lanes)}
    result = run(body, np.arange(32), services=services)
    assert log == [0xFFFFFFFF]
    np.testing.assert_array_equal(result, 7 - np.arange(32) % 2)


def test_lanes_call_a_function_with_a_barrier_together_after_a_lock() -> None:
    function = ".func meet() {\n bar.sync 0;\n ret;\n}\n"
    body = """
AGAIN:
    atom.global.cas.b32 %r4, [%d1+128], 0, 1; setp.ne.u32 %p2, %r4, 0;
    @%p2 bra AGAIN;
    atom.global.exch.b32 %r4, [%d1+128], 0;
    mov.u32 %r3, 5; call meet, ();
"""
    arrived: list[int] = []
    services = {"barrier_sync": lambda warp, number, threads, lanes: arrived.append(lanes)}
    services["exit_lanes"] = lambda warp, lanes: None
    compiled(function + HEADER + body + FOOTER)(np.zeros(33, np.uint32), services=services)
    assert arrived == [0xFFFFFFFF]


def test_loops_poll_when_their_budget_is_spent() -> None:
    body = """
    mov.u32 %r3, 0;
LOOP:
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 1000;
    @%p1 bra LOOP;
"""
    polls: list[int] = []

    def poll(warp: int) -> None:
        polls.append(1)
        ctypes.c_int32.from_address(warp + 60).value = 100

    np.testing.assert_array_equal(run(body, np.zeros(32), budget=100, services={"poll": poll}), np.full(32, 1000))
    assert len(polls) == 9


def test_lanes_exit_in_a_device_function() -> None:
    text = """
.func leave(.param .b32 x) {
    .reg .pred %p<2>; .reg .b32 %r<4>;
    ld.param.b32 %r1, [x];
    setp.gt.u32 %p1, %r1, 5;
    @%p1 exit;
    ret;
}
.visible .entry k(.param .u64 data) {
    .reg .b32 %r<9>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    { .param .b32 a; st.param.b32 [a], %r1; call.uni leave, (a); }
    st.global.u32 [%d3], 1;
    ret;
}
"""
    result = np.zeros(32, np.uint32)
    compiled(text)(result)
    np.testing.assert_array_equal(result, np.arange(32) <= 5)


@pytest.mark.cpu_only
def test_trap_ends_the_launch_and_names_its_line() -> None:
    with pytest.raises(Fault) as caught:
        run("    mov.u32 %r3, 0; setp.eq.u32 %p1, %r2, 17;\n    @%p1 trap;", np.arange(32))
    assert caught.value.args[:2] == ("trap", 14)


def test_deep_recursion_is_a_stack_fault() -> None:
    text = """
.func (.param .b32 result) sink(.param .b32 x) {
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 1;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), sink, (a); ld.param.b32 %r2, [b]; }
    add.u32 %r2, %r2, %r1;
    st.param.b32 [result], %r2;
    ret;
}
.visible .entry k(.param .u64 data) {
    .reg .b32 %r<9>;
    mov.u32 %r1, 0;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), sink, (a); }
    ret;
}
"""
    kernel = Kernel(text)
    limits = []

    def run_thread() -> None:
        anchor = ctypes.c_int()
        limits.append(ctypes.addressof(anchor))

    run_thread()
    with pytest.raises(Fault, match="stack"):
        kernel(np.uint64(0), stack_limit=2**63)


def test_large_graphs_in_any_order_keep_their_values_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    add.s64 %d4, %d1, 128; mov.u32 %r3, 1;
LOCK:
    atom.global.cas.b32 %r4, [%d4], 0, 1; setp.ne.u32 %p1, %r4, 0;
    @%p1 bra LOCK;
    add.u32 %r3, %r3, %r2;
    atom.global.exch.b32 %r6, [%d4], 0;
"""
    monkeypatch.setattr(function, "MOST_JOINED", 0)
    x = np.zeros(33, np.uint32)
    x[:32] = np.arange(32)
    Kernel(HEADER + body + FOOTER)(x)
    np.testing.assert_array_equal(x[:32], np.arange(32) + 1)


@pytest.mark.parametrize(("load", "path"), [("ld.volatile", Path.FIBERS), ("ld", Path.BLOCKS)])
def test_only_calls_that_observe_other_threads_may_wait(load: str, path: Path) -> None:
    text = f"""
.func (.param .b32 back) get(.param .b64 from) {{
    .reg .b32 %r<2>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [from]; {load}.u32 %r1, [%d1]; st.param.b32 [back], %r1;
    ret;
}}
.visible .entry k(.param .u64 data) {{
    .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %d<2>; .param .b64 at; .param .b32 got;
    ld.param.u64 %d1, [data];
AGAIN:
    st.param.b64 [at], %d1; call (got), get, (at); ld.param.b32 %r1, [got];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    ret;
}}"""
    assert compiled(text).path == path
