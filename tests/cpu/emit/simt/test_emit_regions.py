# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels with barriers: regions, which run all warps of a block in one call, compared with one fiber per warp."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD, compiled

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, Path

pytestmark = pytest.mark.cpu_only

START = """
.shared .align 4 .b8 room[4096];
.visible .entry k(.param .u64 out) {
    .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ctaid.x;
    mad.lo.u32 %r6, %r2, %r3, %r1; mul.lo.u32 %r7, %r3, %r4; mad.lo.u32 %r8, %r5, %r7, %r6;
    mul.wide.u32 %d2, %r8, 4; add.s64 %d3, %d1, %d2; mov.u32 %r9, room; shl.b32 %r10, %r6, 2; add.u32 %r10, %r10, %r9;
    mad.lo.u32 %r20, %r6, 77, %r5; mov.u32 %r21, %r1; mov.u32 %r22, 0;
    st.shared.u32 [%r10], %r6; bar.sync 0;  // threads that leave give others something to read
"""
END = """
    st.global.u32 [%d3], %r20;
    ret;
}
"""


class Writer:
    """Writes the PTX of a list of operations. %r20 is the thread's number, %r21 an index, %r10 an address in `room`."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, operations: list) -> str:
        return "".join(getattr(self, name)(*args) for name, *args in operations)

    def label(self) -> str:
        self.count += 1
        return f"L{self.count}"

    def mix(self, number: int) -> str:
        return f"mad.lo.u32 %r20, %r20, 5, %r21; add.u32 %r20, %r20, {number}; add.u32 %r21, %r21, {number % 3};\n"

    def swap(self, far: int) -> str:
        """Read what another thread wrote before the barrier."""
        return (
            f"st.shared.u32 [%r10], %r20; bar.sync 0; add.u32 %r11, %r6, {far}; rem.u32 %r11, %r11, %r7;\n"
            "shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r9; ld.shared.u32 %r12, [%r11]; xor.b32 %r20, %r20, %r12;\n"
            "bar.sync 0;\n"
        )

    def vote(self, op: str, bit: int) -> str:
        head = f"shr.u32 %r11, %r20, {bit}; and.b32 %r11, %r11, 1; setp.ne.u32 %p1, %r11, 0;\n"
        if op == "popc":
            return head + "bar.red.popc.u32 %r12, 0, %p1; add.u32 %r20, %r20, %r12;\n"
        return head + f"bar.red.{op}.pred %p2, 0, %p1; selp.u32 %r12, 3, 9, %p2; add.u32 %r20, %r20, %r12;\n"

    def repeat(self, times: int, operations: list) -> str:
        again, depth = self.label(), 30 + self.count % 8
        body = self(operations)
        return (
            f"mov.u32 %r{depth}, 0;\n{again}:\n{body}"
            f"add.u32 %r{depth}, %r{depth}, 1; setp.lt.u32 %p3, %r{depth}, {times};\n@%p3 bra {again};\n"
        )

    def until(self, bit: int, operations: list) -> str:
        """Loop until no thread of the block wants another iteration, at most five times in all."""
        again, body = self.label(), self(operations)
        return (
            f"{again}:\n{body}add.u32 %r22, %r22, 1; shr.u32 %r11, %r20, {bit}; and.b32 %r11, %r11, 1;\n"
            "setp.ne.u32 %p1, %r11, 0; setp.lt.and.u32 %p1, %r22, 5, %p1; bar.red.or.pred %p2, 0, %p1;\n"
            f"@%p2 bra {again};\n"
        )

    def some(self, bit: int, operations: list) -> str:
        """Let some lanes run operations without barriers."""
        past = self.label()
        head = f"shr.u32 %r11, %r20, {bit}; and.b32 %r11, %r11, 1; setp.eq.u32 %p1, %r11, 0;\n@%p1 bra {past};\n"
        return head + self(operations) + f"{past}:\n"

    def below(self, limit: int, operations: list) -> str:
        past = self.label()
        return f"setp.ge.u32 %p1, %r6, {limit};\n@%p1 bra {past};\n{self(operations)}{past}:\n"

    def even_blocks(self, operations: list, others: list) -> str:
        other, past = self.label(), self.label()
        head = f"and.b32 %r11, %r5, 1; setp.ne.u32 %p1, %r11, 0;\n@%p1 bra {other};\n"
        return head + self(operations) + f"bra {past};\n{other}:\n" + self(others) + f"{past}:\n"

    def wrap(self, far: int) -> str:
        """Widen an index that is negative in the first threads and therefore not affine as an unsigned number."""
        return (
            f"mad.lo.u32 %r11, %r2, 8, %r1; sub.u32 %r11, %r11, {far}; cvt.u64.u32 %d4, %r11; shr.u64 %d4, %d4, 16;\n"
            "cvt.u32.u64 %r12, %d4; add.u32 %r20, %r20, %r12;\n"
        )

    def leave(self, every: int, first: int) -> str:
        past = self.label()
        return (
            f"rem.u32 %r11, %r6, {every}; setp.ge.u32 %p1, %r6, {first}; setp.eq.and.u32 %p1, %r11, 0, %p1;\n"
            f"@!%p1 bra {past};\nst.global.u32 [%d3], %r20; ret;\n{past}:\n"
        )


small = st.integers(0, 9)
plain = st.lists(st.tuples(st.just("mix"), small), min_size=1, max_size=2)
together = st.recursive(
    st.one_of(
        st.tuples(st.just("mix"), small),
        st.tuples(st.just("swap"), st.integers(1, 70)),
        st.tuples(st.just("vote"), st.sampled_from(["popc", "and", "or"]), small),
        st.tuples(st.just("some"), small, plain),
        st.tuples(st.just("wrap"), st.sampled_from([0, 8, 24, 30])),
        st.tuples(st.just("below"), st.sampled_from([1, 16, 32, 40, 64]), plain),
        st.tuples(st.just("leave"), st.sampled_from([1, 2, 7]), st.sampled_from([0, 32, 50])),
    ),
    lambda inner: st.one_of(
        st.tuples(st.just("repeat"), st.integers(1, 3), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("until"), small, st.lists(inner, min_size=1, max_size=2)),
        st.tuples(st.just("even_blocks"), st.lists(inner, max_size=2), st.lists(inner, max_size=2)),
    ),
    max_leaves=6,
)
SHAPES = [(1, 1), (32, 1), (48, 1), (96, 1), (16, 6), (8, 9), (33, 3), (32, 4), (16, 5)]


def run(text: str, shape: tuple[int, int], row: int = FULL_RUN, **settings: str) -> np.ndarray:
    """Launch code for a lane run with environment settings such as path="fiber"."""
    out = np.zeros((3, shape[0] * shape[1]), np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(f"CUDA_CPU_{name.upper()}", value)
        Loaded(text.encode(), row).launch("k", 3, (*shape, 1), out)
    return out


RUNS = st.tuples(
    st.sampled_from(SHAPES), st.sampled_from(["32", "16", "4", "1"]), st.sampled_from([FULL_RUN, HALF_RUN]),
    st.sampled_from(["", "0"]),  # for other code to come soon, and in full
)  # fmt: skip


@settings(max_examples=int(os.environ.get("CUDA_CPU_RANDOM_REGIONS", "12")))
@given(st.lists(together, min_size=1, max_size=5), RUNS)
@example([("vote", "popc", 0)], ((33, 3), "1", FULL_RUN, ""))  # SIMD groups without lanes behind the last row
@example([("repeat", 2, [("swap", 9), ("wrap", 8), ("swap", 1)]), ("leave", 1, 32)], ((32, 4), "32", FULL_RUN, "0"))
@example([("repeat", 2, [("wrap", 24), ("swap", 9), ("mix", 1)]), ("mix", 1)], ((16, 6), "32", HALF_RUN, "0"))
@example([("leave", 1, 64), ("swap", 1), ("vote", "or", 1), ("mix", 1)], ((16, 6), "16", HALF_RUN, "0"))
def test_regions_and_fibers_agree(operations, how_to_run) -> None:
    shape, width, row, level = how_to_run
    text = HEAD + START + Writer()(operations) + END
    expected = run(text, shape, path="fiber")
    found = run(text, shape, row, path="region", width=width, level=level)
    np.testing.assert_array_equal(found, expected, err_msg=f"{how_to_run}\n{text}")


def how(body: str) -> tuple[Path, str]:
    kernel = emit_kernel(ptx_program.build([HEAD + START + body + END]), "k")
    return kernel.path, kernel.notes[0]


def test_a_barrier_in_a_loop_makes_a_region() -> None:
    body = Writer()([("repeat", 3, [("swap", 1)])])
    path, note = how(body)
    assert path == Path.BLOCKS
    assert note.endswith("4 regions, each for all warps of a block in turn")


def test_barrier_results_are_live_after_the_next_barrier() -> None:
    text = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    setp.lt.u32 %p1, %r1, 40;
    bar.red.popc.u32 %r2, 0, %p1;
    setp.lt.u32 %p1, %r1, %r2;
    bar.red.popc.u32 %r3, 0, !%p1;
    bar.sync 0;
    mad.lo.u32 %r4, %r2, 1000, %r3; st.global.u32 [%d3], %r4;
    ret;
}
"""
    out = np.zeros(64, np.uint32)
    Loaded(text.encode()).launch("k", 1, 64, out)
    np.testing.assert_array_equal(out, np.full(64, 40024))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("setp.lt.u32 %p1, %r6, 64;\n@%p1 bra A;\nbar.sync 0;\nA: bar.sync 0;", "diverge before the barrier"),
        ("mov.u32 %r11, %warpid; setp.eq.u32 %p1, %r11, 0;\n@%p1 bra A;\nbar.sync 0;\nA: bar.sync 0;", "or not"),
        ("bar.sync 1, 64;", "counts threads"),
        ("bar.sync %r5;", "counts threads"),
        ("bar.arrive 0, 64;", "not one that all threads of the block wait at"),
        (
            "A: ld.volatile.shared.u32 %r11, [room]; setp.eq.u32 %p1, %r11, 1;\n@%p1 bra A;",
            "may wait for other threads",
        ),
    ],
)
def test_the_notes_state_why_fibers_are_needed(body: str, why: str) -> None:
    path, note = how(body)
    assert path == Path.FIBERS
    assert "on fibers: " in note
    assert why in note


def test_the_path_can_be_forced() -> None:
    program = ptx_program.build([HEAD + START + END])
    assert emit_kernel(program, "k").path == Path.BLOCKS
    assert emit_kernel(program, "k", Settings(fibers=True)).path == Path.FIBERS


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [("PATH", "fibre", "must be region or fiber, not 'fibre'"), ("WIDTH", "12", "a power of two up to 32, not '12'")],
)
def test_unknown_settings_are_refused(setting, value, message, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"CUDA_CPU_{setting}", value)
    with pytest.raises(ValueError, match=message):
        Loaded((HEAD + START + END).encode()).code.compile("k")


def test_lanes_that_communicate_need_a_full_warp() -> None:
    plain, exchange = START + END, START + "shfl.sync.bfly.b32 %r20, %r20, 1, 31, -1;" + END
    for body, width in ((plain, 8), (exchange, 32)):
        note = emit_kernel(ptx_program.build([HEAD + body]), "k", Settings(width=8)).notes[0]
        assert f"; SIMD groups of {width} lanes; " in note


def test_widening_of_consecutive_indices_by_a_large_unsigned_factor() -> None:
    text = """
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 8; add.s64 %d3, %d1, %d2;
    mul.wide.u32 %d4, %r1, -1431655765; shr.u64 %d5, %d4, 33; st.global.u64 [%d3], %d5;
    ret;
}"""
    out = np.zeros(32, np.uint64)
    compiled(text)(out)
    np.testing.assert_array_equal(out, np.arange(32) // 3)
