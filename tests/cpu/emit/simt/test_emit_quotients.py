# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Indices of rows and columns, `i / n` and `i % n`: contiguous accesses in SIMD groups in which no row ends."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.passes.explain_graph import explain_graph
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, WHOLE_RUN

# For a number of indices of each thread: out = (i / n, i % n, in[factor * (i / n - q0) + i % n - r0]), where q0 and r0
# are those of the first index.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 start, .param .u32 n, .param .u32 q0, .param .u32 r0,
                  .param .u32 factor, .param .u32 rounds, .param .u32 limit)
{
    .reg .b32 %r<30>; .reg .b64 %d<20>; .reg .pred %p<6>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [start]; ld.param.u32 %r2, [n];
    ld.param.u32 %r3, [q0]; ld.param.u32 %r4, [r0]; ld.param.u32 %r5, [rounds]; ld.param.u32 %r6, [limit];
    ld.param.u32 %r22, [factor];
    mov.u32 %r7, %tid.x; mov.u32 %r8, %ntid.x; mov.u32 %r9, %ctaid.x; mov.u32 %r10, %nctaid.x;
    mad.lo.u32 %r11, %r9, %r8, %r7; mul.lo.u32 %r12, %r8, %r10; mov.u32 %r13, 0;
    add.u32 %r14, %r11, %r1; setp.ge.u32 %p1, %r11, %r6; @%p1 bra END;
AGAIN:
    {index}
    div.{type} %r15, {i}, {n}; rem.{type} %r16, {i}, {n};
    sub.u32 %r17, %r15, %r3; sub.u32 %r18, %r16, %r4; mad.lo.s32 %r19, %r17, %r22, %r18;
    mul.wide.s32 %d3, %r19, 4; add.u64 %d4, %d2, %d3; ld.global.u32 %r20, [%d4];
    {between}
    mul.wide.u32 %d5, %r11, 12; add.u64 %d6, %d1, %d5;
    st.global.u32 [%d6], %r15; st.global.u32 [%d6+4], %r16; st.global.u32 [%d6+8], %r20;
    add.u32 %r11, %r11, %r12; add.u32 %r14, %r14, %r12; add.u32 %r13, %r13, 1;
    setp.lt.u32 %p2, %r13, %r5; @%p2 bra AGAIN;
END:
    ret;
}
"""
LONG = "and.b32 %r21, %r11, 37; setp.ne.u32 %p3, %r21, 0; @%p3 bra ON; " + "mad.lo.u32 %r20, %r20, 7, 1; " * 18 + "ON:"
MIDDLE = 1 << 14  # element of `in` for the first index
# Types, first indices and divisors. At some first indices the numbers wrap around within a SIMD group.
CASES = [
    ("u32", 0, 64), ("u32", 0, 1), ("u32", 5, 3), ("u32", 0, 31), ("u32", 0, 32), ("u32", 1, 33), ("u32", 7, 56),
    ("u32", 11, 1000), ("u32", 0, 1 << 31), ("u32", (1 << 31) - 40, 1 << 31), ("u32", 9, 0), ("u32", 3, (1 << 32) - 1),
    ("u32", (1 << 32) - 20, 64), ("u32", (1 << 32) - 20, (1 << 32) - 9), ("s32", 0, 64), ("s32", 1, 100),
    ("s32", -50, 64), ("s32", -300, 100), ("s32", -20, -64), ("s32", -40, -100), ("s32", 12, 0), ("s32", -7, 0),
    ("s32", (1 << 31) - 20, 1000), ("s32", (1 << 31) - 20, 1 << 30), ("s32", -(1 << 31), -1),
    ("s32", -(1 << 31), 1 << 20), ("s32", -16, 1 << 30), ("s32", -16, -(1 << 31)),
]  # fmt: skip


def kernel(type_: str, n: str = "%r2", between: str = "") -> str:
    """Return the kernel; with something between, the dividend is computed in the block of the division."""
    index, i = ("mov.u32 %r24, %r14;", "%r24") if between else ("", "%r14")
    text = KERNEL.replace("{index}", index).replace("{i}", i).replace("{between}", between)
    return HEAD + text.replace("{type}", type_).replace("{n}", n)


def divided(type_: str, index: int, n: int) -> tuple[int, int]:
    """Return the quotient and the remainder as PTX computes them: by 0, all bits are set."""
    index, n = (value % (1 << 32) for value in (index, n))
    if type_ == "s32":
        index, n = (value - (value >> 31 << 32) for value in (index, n))
    if n == 0:
        return (1 << 32) - 1, (1 << 32) - 1
    quotient = abs(index) // abs(n) * (-1 if (index < 0) != (n < 0) else 1)
    return quotient % (1 << 32), (index - quotient * n) % (1 << 32)


@pytest.fixture(autouse=True)
def _like_hot_kernels(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")


def check(loaded: Loaded, type_: str, start: int, n: int, threads: int, between: str, rounds: int, limit: int) -> None:
    grid = 2 * threads
    results = {i: divided(type_, start + i, n) for i in range(grid * rounds) if i % grid < limit}
    q0, r0 = results[0]
    # With a factor of n, the elements are consecutive in each case. With another one, rows are apart.
    few = max(abs(quotient - q0) for quotient, _ in results.values()) < MIDDLE // 16
    factor = (n + 7 * few) % (1 << 32)
    source = np.random.default_rng(1).integers(0, 1 << 32, 2 * MIDDLE, np.uint32)
    expected = np.zeros((grid * rounds, 3), np.uint32)
    for i, (quotient, remainder) in results.items():
        index = (factor * (quotient - q0) + remainder - r0 + MIDDLE) % (1 << 32)
        value = int(source[index])
        for _ in range(18 if between and not i & 37 else 0):
            value = value * 7 + 1
        expected[i] = quotient, remainder, value & 0xFFFFFFFF
    found = np.zeros_like(expected)
    numbers = [np.uint32(value % (1 << 32)) for value in (start, n, q0, r0, factor, rounds, limit)]
    loaded.launch("k", (2, 1, 1), (threads, 1, 1), found, source[MIDDLE:], *numbers)
    np.testing.assert_array_equal(found, expected, f"{type_}: ({start} + i) / {n}, {rounds} rounds, {limit}")


@pytest.mark.parametrize("between", ["", LONG], ids=["converged", "diverging"])
@pytest.mark.parametrize(
    ("row", "threads"), [(WHOLE_RUN, 64), (WHOLE_RUN, 96), (FULL_RUN, 64), (HALF_RUN, 16), (HALF_RUN, 48)]
)
def test_indices_are_divided(between, row, threads):
    loaded = {type_: Loaded(kernel(type_, between=between).encode(), row) for type_ in ("u32", "s32")}
    for type_, start, n in CASES:
        for rounds, limit in ((1, 1 << 20), (1, 2 * threads - 9), (3, 1 << 20)):
            check(loaded[type_], type_, start, n, threads, between, rounds, limit)


@pytest.mark.parametrize("n", [64, 100, (1 << 31) - 1, (1 << 32) - 64])
@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_indices_are_divided_by_constants(type_, n):
    loaded = Loaded(kernel(type_, str(n)).encode(), WHOLE_RUN)
    for start in (0, 5, -40, (1 << 31) - 20):
        check(loaded, type_, start, n, 64, "", 2, 1 << 20)


def graph_of(text: str, **options):
    return analyse(build([text]).laid_out("k").functions["k"], **options)


def test_indices_have_bases_in_converged_simd_groups():
    graph = graph_of(kernel("s32"), converged_only=True)
    assert {"%r15", "%r16", "%d4"} <= graph.converged_only
    assert (graph.strides["%r15"], graph.strides["%r16"], graph.strides["%d4"]) == (0, 1, 4)
    assert graph_of(kernel("s32")).converged_only == set()
    (line,) = (line for line in explain_graph(graph) if "several quotients" in line)
    assert "lanes may have several quotients at line" in line


@pytest.mark.parametrize("n", ["64", "-64", "%r2"])
def test_most_simd_groups_have_one_quotient(n):
    assert "%r15" in graph_of(kernel("s32", n), converged_only=True).converged_only


@pytest.mark.parametrize("n", ["63", "0", "-63", "%r7"])
def test_lanes_with_several_quotients_or_divisors_have_no_bases(n):
    assert graph_of(kernel("s32", n), converged_only=True).converged_only == set()


def test_quotients_of_some_lanes_have_no_bases():
    text = kernel("s32").replace("div.s32", "setp.ne.u32 %p4, %r6, 9; @%p4 div.s32").replace("rem.s32", "@%p4 rem.s32")
    assert graph_of(text, converged_only=True).converged_only == set()


def test_indices_of_loops_keep_their_bases_if_too_many_registers_are_compared():
    loop = """
    mov.u32 %r23, %r7;
    INNER: mul.wide.s32 %d7, %r23, 4; add.u64 %d8, %d2, %d7; ld.global.u32 %r20, [%d8];
    add.u32 %r23, %r23, %r8; setp.lt.s32 %p3, %r23, %r20; @%p3 bra INNER; add.u32 %r20, %r20, %r23;
    """
    addresses = "".join(f"mad.lo.u32 %a{i}, %r15, {i}, %r16; mul.wide.s32 %e{i}, %a{i}, 4;" for i in range(9))
    loads = "".join(f"add.u64 %f{i}, %d2, %e{i}; ld.global.u32 %r20, [%f{i}];" for i in range(9))
    registers = ".reg .b32 %a<9>; .reg .b64 %e<9>; .reg .b64 %f<9>;"
    few, many = (
        graph_of(kernel("u32", between=between).replace(".reg .b32", f"{registers} .reg .b32", 1), converged_only=True)
        for between in (loop, addresses + loop + loads)
    )
    assert {"%r15", "%r23"} <= few.converged_only
    assert "%r15" not in many.converged_only
    assert "%r23" in many.converged_only
