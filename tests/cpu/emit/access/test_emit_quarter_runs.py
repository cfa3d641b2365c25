# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of 8 and 24 threads: a base for each quarter of a SIMD group."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.addresses import Address
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN, WHOLE_RUN

pytestmark = pytest.mark.usefixtures("like_hot_kernels")

SHAPES = [(8, 4, 1), (8, 8, 1), (8, 5, 1), (8, 3, 3), (8, 2, 6), (24, 4, 1), (24, 3, 2), (8, 1, 4), (16, 4, 1)]
START = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{{
    .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<9>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r4, [n];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y;
    mad.lo.u32 %r7, %r3, %r6, %r2; mad.lo.u32 %r8, %r7, %r5, %r1; mul.wide.u32 %d3, %r8, 4; add.s64 %d4, %d1, %d3;
    {body}
    st.global.u32 [%d4], %r20;
END:
    ret;
}}
"""


def kernel(body: str) -> Loaded:
    return Loaded((HEAD + START.format(body=body)).encode(), QUARTER_RUN)


def launched(loaded: Loaded, shape: tuple[int, int, int], given: np.ndarray | np.uint64, number: int) -> np.ndarray:
    """Return what the threads of a block store, 99 for those that store nothing."""
    found = np.full(int(np.prod(shape)), 99, np.uint32)
    loaded.launch("k", 1, shape, found, given, np.uint32(number & 0xFFFFFFFF))
    return found


def threads_of(shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and z of each thread."""
    thread = np.arange(int(np.prod(shape)))
    return thread % shape[0], thread // shape[0] % shape[1], thread // (shape[0] * shape[1])


@pytest.mark.parametrize("width", ["32", "16", "8", "4"])
@pytest.mark.parametrize("some", [False, True])
def test_rows_of_a_matrix(width, some, monkeypatch):
    """The rows are 50 elements apart, those of each z 1000."""
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    body = "mul.lo.u32 %r9, %r2, 50; mad.lo.u32 %r10, %r3, 1000, %r9; add.u32 %r11, %r10, %r1;"
    body += "mul.wide.u32 %d5, %r11, 4;"
    body += "add.s64 %d6, %d2, %d5;" + "setp.ge.u32 %p1, %r8, %r4; @%p1 bra END;" * some + "ld.global.u32 %r20, [%d6];"
    loaded, given = kernel(body), np.arange(7000, dtype=np.uint32)
    for shape in SHAPES:
        x, y, z = threads_of(shape)
        expected = 50 * y + 1000 * z + x
        if some:
            expected[21:] = 99
        np.testing.assert_array_equal(launched(loaded, shape, given, 21), expected, err_msg=str(shape))


def test_addresses_of_rows_that_do_not_run_may_be_invalid():
    """Each row loads one element: only the rows that run have a valid address."""
    body = """mul.wide.u32 %d5, %r7, 16; add.s64 %d6, %d2, %d5; mov.u32 %r9, 1; shl.b32 %r10, %r9, %r7;
    and.b32 %r11, %r10, %r4; setp.eq.u32 %p1, %r11, 0; mul.wide.u32 %d7, %r7, 16; add.s64 %d8, %d7, 16;
    selp.b64 %d9, %d8, %d6, %p1; bar.sync 0; @%p1 bra END; ld.global.u32 %r20, [%d9+8];"""
    loaded, given = kernel(body), np.arange(64, dtype=np.uint32)
    for shape in SHAPES:
        row = threads_of(shape)[1] + shape[1] * threads_of(shape)[2]
        for runs in ([0, 2, 5, 7], [1, 3], [0], [3], [2, 3], [], list(range(16))):
            found, expected = launched(loaded, shape, given, sum(1 << each for each in runs)), np.full(row.size, 99)
            expected[np.isin(row, runs)] = (4 * row + 2)[np.isin(row, runs)]
            np.testing.assert_array_equal(found, expected, err_msg=f"{shape} {runs}")


@pytest.mark.parametrize("start", [40, (1 << 31) - 10])  # near the largest number, rows wrap around
@pytest.mark.parametrize("row", ["%r7", "%r2"])
@pytest.mark.parametrize("step", [1, 50, -50, -3, 0])
@pytest.mark.parametrize("cmp", ["lt", "ge"])
def test_comparisons_of_rows_in_either_direction(start, row, step, cmp):
    """Lanes of rows that begin at start + step * y are compared with one number."""
    body = f"""mad.lo.s32 %r9, {row}, {step}, {start}; add.s32 %r10, %r9, %r1;
    setp.{cmp}.s32 %p1, %r10, %r4; @%p1 bra END; ld.global.u32 %r20, [%d2];"""
    loaded, given = kernel(body), np.full(1, 6, np.uint32)
    for shape in SHAPES:
        x, y, z = threads_of(shape)
        index = (start + step * (y + (shape[1] * z if row == "%r7" else 0)) + x).astype(np.int32)
        for limit in (-60, 3, 21, 41, 47, 48, 49, 77, 97, 98, 148, 200):
            skips = index < limit if cmp == "lt" else index >= limit
            found = launched(loaded, shape, given, limit)
            np.testing.assert_array_equal(found, np.where(skips, 99, 6), err_msg=f"{shape} {limit}")


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("type_", ["s32", "u32"])
def test_an_index_that_wraps_around_in_one_row(row, type_):
    """The elements before and behind are 2**32 elements apart: what a wrong base gives is an invalid address."""
    low, high = (-(1 << 31), (1 << 31) - 1) if type_ == "s32" else (0, (1 << 32) - 1)
    first = high - 3 - 64 * row
    body = f"""mul.lo.u32 %r10, %r7, 64; add.u32 %r11, %r10, %r4; add.u32 %r12, %r11, %r1;
    setp.{"lt" if low else "ge"}.{type_} %p1, %r12, {0 if low else 1 << 31}; mov.u32 %r20, 7; @!%p1 bra NEAR;
    mul.wide.{type_} %d5, %r12, 4; add.s64 %d6, %d2, %d5; ld.global.u32 %r20, [%d6];
NEAR:"""
    loaded, given = kernel(body), np.arange(4096, dtype=np.uint32)
    for shape in SHAPES:
        x, y, z = threads_of(shape)
        index = first + 64 * (y + shape[1] * z) + x
        index = np.where(index > high, index - (1 << 32), index)
        valid = index < 0 if low else index >= 1 << 31
        base = int(index[valid].min()) if valid.any() else 0
        start = Address(given, -4 * base)
        found = launched(loaded, shape, start, first)
        np.testing.assert_array_equal(found, np.where(valid, index - base, 7), err_msg=str(shape))


def test_a_row_that_is_clamped_in_a_loop():
    """Each row begins at an element of its own, to which every iteration adds one; `max` chooses for whole rows."""
    body = """mov.u32 %r11, 0; mov.u32 %r20, 0; mul.lo.s32 %r13, %r7, 20; add.s32 %r14, %r13, %r1;
    sub.s32 %r9, %r14, %r4;
AGAIN: max.s32 %r10, %r9, %r1; mul.wide.s32 %d5, %r10, 4; add.s64 %d6, %d2, %d5; ld.global.u32 %r12, [%d6];
    mad.lo.u32 %r20, %r20, 3, %r12; add.s32 %r9, %r9, 1; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5;
    @%p1 bra AGAIN;"""
    loaded, given = kernel(body), np.arange(900, dtype=np.uint32) ** 2
    for shape in SHAPES:
        x, y, z = threads_of(shape)
        for less in (0, 20, 33, 900):
            expected = np.zeros(x.size, np.uint32)
            for number in range(5):
                index = np.maximum(20 * (y + shape[1] * z) + x - less + number, x)
                expected = expected * np.uint32(3) + given[index]
            np.testing.assert_array_equal(launched(loaded, shape, given, less), expected, err_msg=f"{shape} {less}")


def text_of(row: int, **settings: object) -> str:
    body = "mul.wide.u32 %d5, %r2, 400; add.s64 %d6, %d2, %d5; add.s64 %d7, %d6, %d3; ld.global.u32 %r20, [%d7];"
    settings = {"vector_bytes": 32, "lane_run": row} | settings
    return emit_kernel(build([HEAD + START.format(body=body)]), "k", Settings(**settings)).text


def test_code_for_quarter_runs_loads_vectors_of_eight_lanes():
    assert f"load <{QUARTER_RUN} x i32>" in text_of(QUARTER_RUN)
    assert f"load <{QUARTER_RUN} x i32>" not in text_of(HALF_RUN)
    assert "load <4 x i32>" in text_of(QUARTER_RUN, width=4)


@pytest.mark.parametrize("row", [QUARTER_RUN, HALF_RUN, FULL_RUN])
def test_shared_memory_of_lanes_that_do_not_run_is_not_touched(row):
    """Their elements may lie in the guard behind it: a part of which no lane runs has another one's address."""

    def selects(space: str) -> int:
        """Return how many addresses are chosen between two."""
        body = f"""setp.ge.u32 %p1, %r1, %r4; bar.sync 0; @%p1 bra END; mul.wide.u32 %d5, %r7, 256;
    mul.wide.u32 %d6, %r1, 4; add.s64 %d7, %d5, %d6; ld.{space}.u32 %r20, [%d7];"""
        settings = Settings(vector_bytes=64, native_gather=True, lane_run=row)
        text = emit_kernel(build([HEAD + START.format(body=body)]), "k", settings).text
        return len(re.findall(r"= select i1 %\w+, ptr %\w+, ptr %\w+", text))

    assert selects("shared") > selects("global") == 0


SHARED = """
.visible .entry k(.param .u64 out, .param .u32 runs)
{{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<3>; .reg .b{bits} %v<4>; .shared .align 8 .b8 words[{bytes}];
    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [runs]; mov.u32 %r2, words;
    mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r4, %r5, %r3;
    mad.lo.u32 %r7, %r6, {size}, %r2; mad.lo.u32 %r8, %r6, 5, 3; cvt.u{bits}.u32 %v1, %r8; st.shared.b{bits} [%r7], %v1;
    bar.sync 0; shr.u32 %r9, %r6, {shift}; shr.u32 %r10, %r1, %r9; and.b32 %r11, %r10, 1; setp.eq.u32 %p1, %r11, 0;
    @%p1 bra END; ld.shared.b{bits} %v2, [%r7]; mul.wide.u32 %d2, %r6, {size}; add.s64 %d3, %d1, %d2;
    st.global.b{bits} [%d3], %v2;
END:
    ret;
}}
"""


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("shift", [0, 1, 2, 3, 4])  # runs of 1 to 16 lanes
def test_shared_memory_that_some_lanes_load(bits, shift):
    dtype = {32: np.uint32, 64: np.uint64}[bits]
    text = SHARED.format(bits=bits, size=bits // 8, bytes=64 * bits // 8, shift=shift)
    loaded = Loaded((HEAD + text).encode(), WHOLE_RUN)
    for block in ((64, 1, 1), (32, 2, 1), (16, 4, 1), (8, 8, 1), (24, 2, 1), (12, 5, 1)):
        thread = np.arange(int(np.prod(block)))
        for runs in (1, 2, 4, 8, 9, 6, 0x80000000, 0x00FF00F0, 0xAAAAAAAA, 0xFFFFFFFF):
            out = np.full(thread.size, 1, dtype)
            loaded.launch("k", 1, block, out, np.uint32(runs))
            some = thread >> shift < 32
            some[some] = runs >> (thread >> shift)[some] & 1
            np.testing.assert_array_equal(out, np.where(some, 5 * thread + 3, 1), err_msg=f"{block} {runs:x}")
