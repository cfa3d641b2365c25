# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads from clamped indices: of rows where no lane is clamped or all are, else by gathers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.addresses import Address
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN, WHOLE_RUN

# out[y][x] = in[y'][x'] of an image, where {choice} computes x' in %r20 of x in %r8 and of the width in %r4, or y' in
# %r21 of y in %r9 and the height in %r5.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 width, .param .u32 height, .param .u32 any)
{{
    .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<9>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r4, [width]; ld.param.u32 %r5, [height];
    ld.param.u32 %r6, [any];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r8, %r3, %r2, %r1;
    mov.u32 %r10, %tid.y; mov.u32 %r11, %ntid.y; mov.u32 %r12, %ctaid.y; mad.lo.s32 %r9, %r12, %r11, %r10;
    setp.ge.s32 %p1, %r8, %r4; setp.ge.s32 %p2, %r9, %r5; or.pred %p3, %p1, %p2; @%p3 bra END;
    add.s32 %r13, %r4, -1; add.s32 %r14, %r5, -1; add.s32 %r15, %r8, -1; add.s32 %r16, %r8, 1;
    mov.u32 %r20, %r8; mov.u32 %r21, %r9;
    {choice}
    mad.lo.s32 %r23, %r9, %r4, %r8; mul.wide.s32 %d5, %r23, {size}; add.s64 %d6, %d1, %d5;
    ld.global.u{bits} {value}, [%d4]; st.global.u{bits} [%d6], {value};
    END: ret;
}}
"""
ADDRESS = "mad.lo.s32 %r22, {y}, %r4, {x}; mul.wide.s32 %d3, %r22, {size}; add.s64 %d4, %d2, %d3;"
Index = Callable[[int, int, int, int], tuple[int, int]]
# PTX, the registers of x' and y', and the same in Python, of x, y, width and height.
CHOICES: dict[str, tuple[str, str, str, Index]] = {
    "left": ("max.s32 %r30, %r15, 0;", "%r30", "%r9", lambda x, y, w, h: (max(x - 1, 0), y)),
    "right": ("min.s32 %r30, %r16, %r13;", "%r30", "%r9", lambda x, y, w, h: (min(x + 1, w - 1), y)),
    "constant first": ("min.s32 %r30, %r13, %r16;", "%r30", "%r9", lambda x, y, w, h: (min(x + 1, w - 1), y)),
    "both edges": (
        "add.s32 %r31, %r8, -5; max.s32 %r32, %r31, 0; min.s32 %r30, %r32, 6;",
        "%r30", "%r9", lambda x, y, w, h: (min(max(x - 5, 0), 6), y),
    ),
    "sum of a clamped index": (
        "add.s32 %r31, %r8, -5; max.s32 %r32, %r31, 0; shl.b32 %r33, %r32, 1; sub.s32 %r30, %r33, %r32;",
        "%r30", "%r9", lambda x, y, w, h: (max(x - 5, 0), y),
    ),
    "conditional": (
        "setp.eq.s32 %p4, %r8, 0; selp.b32 %r30, 0, %r15, %p4;",
        "%r30", "%r9", lambda x, y, w, h: (x - 1 if x else 0, y),
    ),
    "conditional step": (
        "setp.ne.s32 %p4, %r8, %r13; selp.u32 %r31, 1, 0, %p4; add.s32 %r30, %r8, %r31;",
        "%r30", "%r9", lambda x, y, w, h: (x + (x != w - 1), y),
    ),
    "mirrored": (
        "setp.lt.s32 %p4, %r8, %r13; selp.b32 %r30, %r16, %r15, %p4;",
        "%r30", "%r9", lambda x, y, w, h: (x + 1 if x < w - 1 else abs(x - 1) if x else -1, y),
    ),
    "unsigned": (
        "min.u32 %r30, %r15, %r13;",  # of the first column the last one
        "%r30", "%r9", lambda x, y, w, h: (min((x - 1) % 2**32, w - 1), y),
    ),
    "above": (
        "add.s32 %r31, %r9, -1; max.s32 %r30, %r31, 0;", "%r8", "%r30", lambda x, y, w, h: (x, max(y - 1, 0))
    ),
    "below": (
        "setp.lt.s32 %p4, %r9, %r14; add.s32 %r31, %r9, 1; selp.b32 %r30, %r31, %r9, %p4;",
        "%r8", "%r30", lambda x, y, w, h: (x, min(y + 1, h - 1)),
    ),
    "corner": (
        "max.s32 %r30, %r15, 0; add.s32 %r31, %r9, 1; min.s32 %r32, %r31, %r14;",
        "%r30", "%r32", lambda x, y, w, h: (max(x - 1, 0), min(y + 1, h - 1)),
    ),
    "all of one column": ("min.s32 %r30, %r8, 0;", "%r30", "%r9", lambda x, y, w, h: (0, y)),
    "any": (
        "setp.eq.s32 %p4, %r6, 0; selp.b32 %r30, %r8, %r13, %p4;", "%r30", "%r9", lambda x, y, w, h: (w - 1, y)
    ),
    "last column": ("max.s32 %r30, %r8, %r13;", "%r30", "%r9", lambda x, y, w, h: (w - 1, y)),
    "constant for most": (
        "mov.u32 %r31, 6; min.s32 %r30, %r31, %r8;", "%r30", "%r9", lambda x, y, w, h: (min(x, 6), y)
    ),
    "both edges in the other order": (
        "add.s32 %r31, %r8, -5; max.s32 %r32, %r31, 0; mov.u32 %r33, 40; min.s32 %r30, %r33, %r32;",
        "%r30", "%r9", lambda x, y, w, h: (min(max(x - 5, 0), 40), y),
    ),
    "one of two": (
        "add.s32 %r31, %r8, -5; max.s32 %r32, %r31, 0; setp.eq.s32 %p4, %r6, 0; selp.b32 %r30, %r8, %r32, %p4;",
        "%r30", "%r9", lambda x, y, w, h: (max(x - 5, 0), y),
    ),
    "less than one of two": (
        "setp.ge.s32 %p4, %r8, 17; selp.b32 %r31, 0, 66, %p4; min.s32 %r30, %r31, %r8;",
        "%r30", "%r9", lambda x, y, w, h: (min(0 if x >= 17 else 66, x), y),
    ),
    "more than one of two": (
        "setp.lt.s32 %p4, %r8, 6; selp.b32 %r31, 6, 0, %p4; max.s32 %r30, %r8, %r31;",
        "%r30", "%r9", lambda x, y, w, h: (max(x, 6 if x < 6 else 0), y),
    ),
    "changed otherwise": (
        "max.s32 %r30, %r15, 0; xor.b32 %r30, %r30, 1;", "%r30", "%r9", lambda x, y, w, h: (max(x - 1, 0) ^ 1, y)
    ),
    "falling": (
        "sub.s32 %r31, %r13, %r8; max.s32 %r32, %r31, 9; sub.s32 %r30, %r13, %r32;",
        "%r30", "%r9", lambda x, y, w, h: (w - 1 - max(w - 1 - x, 9), y),
    ),
    "written again": (
        "max.s32 %r30, %r15, 0; add.s32 %r30, %r30, 2; min.s32 %r30, %r30, %r13;",
        "%r30", "%r9", lambda x, y, w, h: (min(max(x - 1, 0) + 2, w - 1), y),
    ),
}  # fmt: skip
SHAPES = [(100, 7), (64, 4), (33, 5), (12, 3), (97, 2)]
BLOCKS = [(WHOLE_RUN, (32, 2)), (WHOLE_RUN, (64, 1)), (FULL_RUN, (40, 1)), (HALF_RUN, (16, 4)), (HALF_RUN, (16, 2)),
          (QUARTER_RUN, (8, 8)), (QUARTER_RUN, (24, 4))]  # fmt: skip


def kernel(name: str, size: int) -> str:
    choice, x, y, _ = CHOICES[name]
    value, address = "%d9" if size == 8 else "%r25", ADDRESS.format(x=x, y=y, size=size)
    return HEAD + KERNEL.format(choice=choice + address, size=size, bits=8 * size, value=value)


@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_lanes_load_from_clamped_indices(name, size):
    index = CHOICES[name][3]
    text = kernel(name, size).encode()
    for row, block in BLOCKS:
        loaded = Loaded(text, row)
        for width, height in SHAPES:
            if name == "falling" and width < 10:
                continue
            source = np.random.default_rng(1).integers(0, 251, (height + 1, width)).astype(f"u{size}")
            found, expected = np.zeros((2, height, width), source.dtype)
            grid = (-(-width // block[0]), -(-height // block[1]), 1)
            given = Address(source, source[0].nbytes if name == "mirrored" else 0)
            loaded.launch("k", grid, (*block, 1), found, given, *np.array([width, height, 3], np.uint32))
            for y in range(height):
                for x in range(width):
                    at = index(x, y, width, height)
                    expected[y, x] = source.reshape(-1)[at[1] * width + at[0] + (width if name == "mirrored" else 0)]
            np.testing.assert_array_equal(found, expected, err_msg=f"{block} {width} {height}")


# Instructions on %r31, 4 in all lanes, with what they give; %r6 is 3, and the address of `in` is that of 64 numbers.
OTHERS = {
    "popc.b32 %r30, %r31;": 1, "div.s32 %r30, %r31, 2;": 2, "rem.u32 %r30, %r31, %r6;": 1,
    "mul.hi.s32 %r30, %r31, %r6;": 0, "shfl.sync.bfly.b32 %r30, %r31, 1, 31, -1;": 4, "bfind.u32 %r30, %r31;": 2,
    "sad.s32 %r30, %r31, 3, %r6;": 4, "neg.s32 %r33, %r31; max.relu.s32 %r30, %r33, -9;": 0,
    "setp.gt.s32 %p5, %r31, 3; selp.u32 %r30, 1, 2, %p5;": 1, "add.sat.s32 %r30, %r31, 1;": 5,
    "atom.global.add.u32 %r33, [%d2+256], %r31; sub.u32 %r30, %r31, 1;": 3, "lop3.b32 %r30, %r31, 6, %r6, 0xc0;": 4,
}  # fmt: skip


@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("row", [WHOLE_RUN, HALF_RUN])
def test_other_instructions_on_what_all_lanes_choose(other, row):
    """They are executed once, for vectors."""
    choice = "setp.lt.s32 %p4, %r8, 500; selp.b32 %r31, 4, 8, %p4;" + other
    address = ADDRESS.format(x="%r30", y="%r9", size=4)
    text = HEAD + KERNEL.format(choice=choice + address, size=4, bits=32, value="%r25")
    source, found = np.arange(100, 165, dtype=np.uint32), np.zeros(64, np.uint32)
    source[64] = 0
    Loaded(text.encode(), row).launch("k", (1, 1, 1), (64, 1, 1), found, source, *np.array([64, 1, 3], np.uint32))
    assert found.tolist() == [100 + OTHERS[other]] * 64
    assert source[64] == (64 * 4 if "atom" in other else 0)


@pytest.mark.parametrize("name", ["left", "conditional step", "both edges", "corner"])
def test_rows_are_loaded_where_lanes_agree(name):
    text = emit_kernel(build([kernel(name, 4)]), "k", Settings(vector_bytes=64, native_gather=True)).text
    assert "\nrow." in text
    assert "\nrow." not in emit_kernel(build([kernel(name, 4)]), "k", Settings(quick=True)).text


def test_rows_that_rows_of_threads_choose_are_loaded_without_tests():
    text = emit_kernel(build([kernel("below", 4)]), "k", Settings(vector_bytes=64, native_gather=True)).text
    assert "\nrow." not in text
    assert "@gather" not in text[text.index('define void @"k"(') : text.index("\nscattered.")]
