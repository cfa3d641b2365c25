# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Adjacent words that each lane loads from or stores to its own address, merged into one access or several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.guarded import closed_pages
from support.warps import HEAD, compiled

from cuda.cpu.compile import jit
from cuda.cpu.ptx.program import build

LANES = 32
WORDS = 8  # written by each lane
KERNEL = """
.visible .entry k(.param .u64 in, .param .u64 starts, .param .u64 out)
{{
    .shared .align 16 .b8 copy[2048]; .reg .b32 %r<20>; .reg .b64 %d<12>; .reg .pred %p<3>; .reg .f32 %f<5>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [starts]; ld.param.u64 %d3, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.u64 %d5, %d2, %d4; ld.global.s32 %r2, [%d5];
    mul.wide.u32 %d6, %r1, {bytes}; add.u64 %d3, %d3, %d6;
    mov.u32 %r3, 7; mov.u32 %r4, 7; mov.u32 %r5, 7; mov.u32 %r6, 7; mov.u32 %r7, 7; mov.u32 %r8, 7; mov.u32 %r9, 7;
    mov.u32 %r10, 7;
    mov.u32 %r11, copy; shl.b32 %r12, %r1, 6; add.u32 %r11, %r11, %r12;
    ld.global.u32 %r13, [%d1]; st.shared.u32 [%r11+8], %r13; st.shared.u32 [%r11+12], 5; st.shared.u32 [%r11+16], %r1;
    st.shared.u32 [%r11+20], 6;
    setp.lt.s32 %p1, %r2, 0; mov.u64 %d7, 0; @%p1 bra END;
    mul.wide.s32 %d8, %r2, 4; add.u64 %d7, %d1, %d8;
    {loads}
END:
    st.global.v4.u32 [%d3], {{%r3, %r4, %r5, %r6}}; st.global.v4.u32 [%d3+16], {{%r7, %r8, %r9, %r10}};
    ret;
}}
"""
# Instructions, and the values that a lane loads: words from its start on, or numbers.
CASES = {
    "a vector of four": ("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d7];", lambda w: w[:4]),
    "a vector of two": ("ld.global.v2.u32 {%r3, %r4}, [%d7+8];", lambda w: w[2:4]),
    "four": (
        "ld.global.u32 %r3, [%d7]; ld.global.u32 %r4, [%d7+4]; add.u32 %r12, %r3, %r4; ld.global.u32 %r5, [%d7+8];"
        " ld.global.u32 %r6, [%d7+12];",
        lambda w: w[:4],
    ),
    "seven in no order": (
        "".join(f"ld.global.nc.u32 %r{3 + n}, [%d7+{4 * n}];" for n in (5, 0, 3, 1, 6, 2, 4)),
        lambda w: w[:7],
    ),
    "some twice": (
        "ld.global.u32 %r3, [%d7+4]; ld.global.u32 %r4, [%d7+4]; ld.global.u32 %r5, [%d7+8]; ld.global.u32 %r6, [%d7];",
        lambda w: [w[1], w[1], w[2], w[0]],
    ),
    "floats and bytes": (
        "ld.global.f32 %f1, [%d7]; ld.global.u8 %r4, [%d7+4]; ld.global.b32 %r5, [%d7+4]; mov.b32 %r3, %f1;",
        lambda w: [w[0], w[1] & 255, w[1]],
    ),
    "a store between": (
        "ld.global.u32 %r3, [%d7]; st.global.u32 [%d7+4], 99; ld.global.u32 %r4, [%d7+4]; ld.global.u32 %r5, [%d7+8];",
        lambda w: [w[0], 99, w[2]],
    ),
    "the address changes": (
        "ld.global.u32 %r3, [%d7]; ld.global.u32 %r4, [%d7+4]; add.u64 %d7, %d7, 8; ld.global.u32 %r5, [%d7+8];"
        " ld.global.u32 %r6, [%d7+12];",
        lambda w: [w[0], w[1], w[4], w[5]],
    ),
    "the address is loaded over": (
        "ld.shared.u32 %r3, [%r11+8]; ld.shared.u32 %r11, [%r11+12]; mov.u32 %r4, %r11; mov.u32 %r11, copy;"
        " ld.shared.u32 %r5, [%r11+16]; ld.shared.u32 %r6, [%r11+20];",
        lambda w: [None, 5, 0, 6],
    ),
    "volatile": ("ld.volatile.global.u32 %r3, [%d7]; ld.volatile.global.u32 %r4, [%d7+4];", lambda w: w[:2]),
    "generic and global": (
        "ld.u32 %r3, [%d7]; ld.global.u32 %r4, [%d7+4]; ld.u32 %r5, [%d7+4];",
        lambda w: [*w[:2], w[1]],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("options", [{}, {"width": 16}], ids=["warps", "halves"])
def test_adjacent_loads_match_numpy(case, options, monkeypatch):
    """Lanes with a negative start are inactive and must not load: their address is zero."""
    for name, value in options.items():
        monkeypatch.setenv(f"CUDA_CPU_{name.upper()}", str(value))
    loads, words = CASES[case]
    kernel = compiled(KERNEL.format(loads=loads, bytes=4 * WORDS) + "//" + str(options))
    first = np.uint32(0xABCD0123)

    @settings(max_examples=10, derandomize=True, database=None)
    @given(
        st.lists(st.integers(-20, 40), min_size=LANES, max_size=LANES),
        st.sampled_from([LANES, LANES, 16, 1, 0]),
    )
    def run(starts, running):
        starts = np.array([max(8 * n, -1) if lane < running else -1 for lane, n in enumerate(starts)], np.int32)
        memory = np.random.default_rng(1).integers(0, 2**32, 8 * 41, dtype=np.uint32)
        memory[0] = first
        expected = np.full((LANES, WORDS), 7, np.uint32)
        for lane, start in enumerate(starts):
            if start >= 0:
                found = [first if word is None else word for word in words(memory[start : start + 8])]
                expected[lane, : len(found)] = found
        out = np.zeros((LANES, WORDS), np.uint32)
        kernel(memory, starts, out, shared=256)
        np.testing.assert_array_equal(out, expected)

    run()


# Numbers of structures of four words that lanes load. Where four lanes each have consecutive ones, 512 bits are loaded.
FOURS = {
    "all": lambda lanes: lanes,
    "rows of eight": lambda lanes: lanes % 8 + (lanes // 8 * 5 % 4) * 9,
    "rows of four": lambda lanes: lanes % 4 + lanes // 4 * 7 % 8 * 5,
    "rows of four backwards": lambda lanes: lanes % 4 + (7 - lanes // 4) * 4,
    "the same row": lambda lanes: lanes % 4 + 3,
    "rows of three": lambda lanes: lanes % 3 + lanes // 3 * 2,
    "all but the last lane": lambda lanes: np.where(lanes == LANES - 1, 0, lanes),
    "all but one lane": lambda lanes: np.where(lanes == 18, 0, lanes),
    "all but the first of four": lambda lanes: np.where(lanes == 20, 0, lanes),
    "lanes in pairs": lambda lanes: lanes // 2 * 3 + lanes % 2,
    "backwards": lambda lanes: LANES - 1 - lanes,
    "one": lambda lanes: lanes * 0 + 5,
    "two, twice": lambda lanes: lanes % 2 + lanes // 4 * 3,
}


@pytest.mark.parametrize("case", FOURS)
@pytest.mark.parametrize("options", [{}, {"width": 16}], ids=["warps", "halves"])
def test_structures_of_four_words_match_numpy(case, options, monkeypatch):
    for name, value in options.items():
        monkeypatch.setenv(f"CUDA_CPU_{name.upper()}", str(value))
    kernel = compiled(KERNEL.format(loads=CASES["a vector of four"][0], bytes=4 * WORDS) + "//" + str(options))
    lanes = np.arange(LANES)
    memory = np.random.default_rng(1).integers(0, 2**32, (64, 4), dtype=np.uint32)
    for active in (lanes >= 0, lanes < 29, lanes >= 4, lanes % 7 != 5, lanes == 0):
        starts = np.where(active, FOURS[case](lanes), -1)
        expected = np.full((LANES, WORDS), 7, np.uint32)
        expected[active, :4] = memory[starts[active]]
        out = np.zeros((LANES, WORDS), np.uint32)
        kernel(memory, np.where(active, 4 * starts, -1).astype(np.int32), out, shared=256)
        np.testing.assert_array_equal(out, expected)


# The lanes below a limit load four words each.
LIMITED = """
.visible .entry k(.param .u64 in, .param .u64 starts, .param .u64 out, .param .u32 limit)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [starts]; ld.param.u64 %d3, [out]; ld.param.u32 %r1, [limit];
    mov.u32 %r2, %tid.x; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d2, %d4; ld.global.s32 %r3, [%d4];
    mul.wide.s32 %d5, %r3, 16; add.u64 %d5, %d1, %d5; mul.wide.u32 %d6, %r2, 16; add.u64 %d6, %d3, %d6;
    mov.u32 %r4, 7; mov.u32 %r5, 7; mov.u32 %r6, 7; mov.u32 %r7, 7;
    setp.ge.u32 %p1, %r2, %r1; @%p1 bra END;
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d5];
END:
    st.global.v4.u32 [%d6], {%r4, %r5, %r6, %r7};
    ret;
}
"""


def test_lanes_that_do_not_run_load_nothing():
    kernel, lanes = compiled(HEAD + LIMITED), np.arange(LANES, dtype=np.int32)
    with closed_pages() as (page, _):
        page[:] = np.random.default_rng(1).integers(0, 256, page.size)
        structures = page.view(np.uint32).reshape(-1, 4)
        for limit in (1, 8, 15, 16, 17, 24, 31, 32):
            out, expected = np.zeros((LANES, 4), np.uint32), np.full((LANES, 4), 7, np.uint32)
            expected[:limit] = structures[len(structures) - limit :]
            kernel(page[page.size - 16 * limit :], lanes, out, np.uint32(limit))
            np.testing.assert_array_equal(out, expected, f"{limit} lanes")


@pytest.mark.parametrize(
    ("between", "joined"), [("add.u32 %r9, %r3, 1;", True), ("ld.acquire.gpu.global.u32 %r9, [%d3];", False)]
)
def test_loads_are_not_merged_across_an_acquire(between, joined):
    loads = f"ld.global.u32 %r3, [%d7]; {between} ld.global.u32 %r4, [%d7+4];"
    program = build([HEAD + KERNEL.format(loads=loads, bytes=4 * WORDS)])
    assert ("@adjacent.2(" in jit.kernel_text(program, "k").text) == (joined and jit._has_gathers())


STORES = """
.visible .entry k(.param .u64 starts, .param .u64 out)
{{
    .shared .align 16 .b8 room[2048]; .local .align 16 .b8 own[64];
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>; .reg .f32 %f<5>;
    ld.param.u64 %d1, [starts]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3; ld.global.s32 %r2, [%d1];
    shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, 100; add.u32 %r4, %r3, 1; add.u32 %r5, %r3, 2; mov.u32 %r6, -5;
    mov.b32 %f1, %r5;
    setp.lt.s32 %p1, %r2, 0; @%p1 bra END;
    mul.wide.s32 %d4, %r2, 4; add.u64 %d5, %d2, %d4;
    {stores}
END:
    ret;
}}
"""
IN_LOCAL = """mov.u64 %d6, own; and.b32 %r2, %r2, 7; mul.wide.u32 %d7, %r2, 4; add.u64 %d6, %d6, %d7;
    st.local.v4.u32 [%d6], {%r3, %r4, %r5, %r6}; ld.local.u32 %r3, [%d6]; ld.local.u32 %r4, [%d6+4];
    ld.local.u32 %r5, [%d6+8]; ld.local.u32 %r6, [%d6+12]; st.global.v4.u32 [%d5], {%r3, %r4, %r5, %r6};"""
STORED = {
    "four": ("st.global.v4.u32 [%d5], {%r3, %r4, %r5, %r6};", 4),
    "four at an offset": ("st.v4.b32 [%d5+0], {%r3, %r4, %f1, %r6};", 4),
    "two": ("st.global.v2.u32 [%d5], {%r3, %r4};", 2),
    "volatile": ("st.volatile.global.v4.u32 [%d5], {%r3, %r4, %r5, %r6};", 4),
    "in local memory": (IN_LOCAL, 4),
}


@pytest.mark.parametrize("case", STORED)
@pytest.mark.parametrize("options", [{}, {"width": 16}], ids=["warps", "halves"])
def test_adjacent_stores_match_numpy(case, options, monkeypatch, on_gpu):
    """Lanes with a negative start are inactive; of lanes that store at one address, the CPU's last one wins."""
    for name, value in options.items():
        monkeypatch.setenv(f"CUDA_CPU_{name.upper()}", str(value))
    stores, count = STORED[case]
    kernel = compiled(STORES.format(stores=stores) + "//" + str(options))

    @settings(max_examples=10, derandomize=True, database=None)
    @given(
        st.lists(st.integers(-20, 40), min_size=LANES, max_size=LANES),
        st.sampled_from([LANES, LANES, 16, 1, 0]),
    )
    def run(starts, running):
        starts = np.array([max(4 * n, -1) if lane < running else -1 for lane, n in enumerate(starts)], np.int32)
        if on_gpu:  # CUDA leaves open which lane wins: let the first one of each start store
            starts[~np.isin(np.arange(LANES), np.unique(starts, return_index=True)[1])] = -1
        out = np.full(4 * 41, 7, np.int32)
        expected = out.copy()
        for lane, start in enumerate(starts):
            if start >= 0:
                first = 4 * lane + 100
                expected[start : start + count] = [first, first + 1, first + 2, -5][:count]
        kernel(starts, out, shared=256)
        np.testing.assert_array_equal(out, expected)

    run()


@pytest.mark.parametrize(("case", "function"), [("four", "@adjacent.store.4("), ("two", "@scatter.i64(")])
def test_stores_are_merged(case, function):
    program = build([HEAD + STORES.format(stores=STORED[case][0])])
    assert (function in jit.kernel_text(program, "k").text) == jit._has_gathers()
