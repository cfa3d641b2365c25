# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loops through memory: uniform comparisons of the index in converged SIMD groups, and prefetches."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warps import compiled

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access.prefetch import LARGE
from cuda.cpu.emit.simt.frame import WARP
from cuda.cpu.ptx import program as ptx_program

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"

# Adds up x[start + i] for i = thread, thread + step, ... while COMPARE holds; ADD advances the index.
COPIES = 2  # of the loop: for single blocks, and for fused ones
HINT_TO_READ = re.compile(r"call void @llvm\.prefetch\.p0\(ptr %\w+, i32 0,")
SUM = """
.visible .entry k(.param .u64 x, .param .u64 out, .param .TYPE start, .param .TYPE n, .param .TYPE step)
{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out]; ld.param.TYPE %i0, [start]; ld.param.TYPE %i1, [n];
    ld.param.TYPE %i2, [step];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y; mad.lo.u32 %r4, %r3, %r2, %r1;
    cvt.TYPE.u32 %i3, %r4; mov.u32 %r5, 0; INDEX
    setp.NOT.TYPE %p1, %i3, %i1;
    @%p1 bra END;
LOOP:
    add.TYPE %i4, %i3, %i0; cvt.s64.TYPE %d4, %i4; shl.b64 %d6, %d4, 2; add.s64 %d7, %d1, %d6;
    ld.global.u32 %r6, [%d7]; mad.lo.u32 %r5, %r5, 3, %r6;
    ADD
    setp.COMPARE.TYPE %p2, %i3, %i1;
    @%p2 bra LOOP;
END:
    mul.wide.u32 %d5, %r4, 4; add.s64 %d5, %d2, %d5; st.global.u32 [%d5], %r5;
    ret;
}
"""
ADDS = {
    "once": ("add.TYPE %i3, %i3, %i2;", 1),
    "by a constant": ("add.TYPE %i3, %i3, 64;", 0),
    "in two steps": ("add.TYPE %i5, %i3, %i2; mov.TYPE %i6, %i5; add.TYPE %i3, %i2, %i6;", 2),
}


def text_of(template: str, **words: str) -> str:
    for word, value in words.items():
        template = template.replace(word, value)
    for name in ("TYPE", "NOT"):
        template = template.replace(name, words.get(name, name))
    integer = ".reg .b64 %i<9>;" if words["TYPE"].endswith("64") else ".reg .b32 %i<9>;"
    return template.replace(".reg .pred", f"{integer} .reg .pred").replace("cvt.s64.s64", "mov.b64").replace(
        "cvt.s64.u64", "mov.b64"
    )  # fmt: skip


BLOCKS = [(32,), (256,), (40,), (16, 4), (8, 8), (64, 2), (33, 2), (7,)]


@pytest.mark.parametrize("add", list(ADDS))
@pytest.mark.parametrize("type_", ["s32", "u32", "s64"])
def test_loop_sums_match_numpy(type_: str, add: str) -> None:
    advance, rounds = ADDS[add]
    kernel = compiled(text_of(SUM, INDEX="", NOT="ge", COMPARE="lt", ADD=advance, TYPE=type_))
    number = {"s32": np.int32, "u32": np.uint32, "s64": np.int64}[type_]
    x = np.arange(3000, dtype=np.uint32)
    for block in BLOCKS:
        threads = int(np.prod(block))
        for start, n, step in ((0, 2000, threads), (7, 2000, 96), (0, 0, threads), (3, 17, 5), (0, 1999, threads + 1)):
            out = np.zeros(threads, np.uint32)
            kernel(x, out, number(start), number(n), number(step), threads=block)
            by = step * rounds if rounds else 64
            np.testing.assert_array_equal(
                out, [total(x, range(start + each, start + n, by)) for each in range(threads)]
            )


def total(x: np.ndarray, positions: range) -> int:
    """Return the sum of a thread."""
    found = 0
    for position in positions:
        found = (3 * found + int(x[position])) % 2**32
    return found


def test_loops_with_falling_indices() -> None:
    """The index falls from lane to lane and from iteration to iteration, to below 0."""
    text = text_of(
        SUM, INDEX="sub.s32 %i3, 999, %i3;", NOT="lt", COMPARE="ge", ADD="sub.s32 %i3, %i3, %i2;", TYPE="s32"
    )
    x = np.arange(1000, dtype=np.uint32)
    for block in ((64,), (16, 2), (40,)):
        threads = int(np.prod(block))
        out = np.zeros(threads, np.uint32)
        compiled(text)(x, out, np.int32(0), np.int32(5), np.int32(threads), threads=block)
        expected = [total(x, range(999 - thread, 4, -threads)) for thread in range(threads)]
        np.testing.assert_array_equal(out, expected)


COMPARE = """
.visible .entry k(.param .u64 out, .param .TYPE first, .param .TYPE n)
{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d2, [out]; ld.param.TYPE %i1, [first]; ld.param.TYPE %i2, [n];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y; mad.lo.u32 %r4, %r3, %r2, %r1;
    cvt.TYPE.u32 %i3, %r1; mul.lo.TYPE %i3, %i3, STRIDE; add.TYPE %i3, %i3, %i1;
    mul.wide.u32 %d5, %r4, 4; add.s64 %d5, %d2, %d5;
    setp.COMPARE.TYPE %p1, OPERANDS;
    @%p1 bra HOLDS;
    st.global.u32 [%d5], 1;
    ret;
HOLDS:
    st.global.u32 [%d5], 2;
    ret;
}
"""
FUNCTIONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
FUNCTIONS |= {"eq": np.equal, "ne": np.not_equal, "lo": np.less, "ls": np.less_equal, "hi": np.greater}


@pytest.mark.parametrize("stride", [1, -7])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("type_", "compare"),
    [*itertools.product(["s32", "u32"], ["lt", "le", "gt", "ge"]), ("s64", "eq"), ("u32", "ne"), ("u32", "lo"),
     ("u64", "ls"), ("u64", "hi"), ("s64", "le")],
)  # fmt: skip
def test_uniform_comparisons_at_the_limits_of_the_type(type_: str, compare: str, *, swapped: bool, stride: int) -> None:
    """Near every bound, including the limits of the type, each lane is compared on its own."""
    operands = "%i2, %i3" if swapped else "%i3, %i2"
    kernel = compiled(text_of(COMPARE, STRIDE=str(stride), COMPARE=compare, OPERANDS=operands, TYPE=type_))
    number = {"s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64}[type_]
    low, high = (int(edge) for edge in (np.iinfo(number).min, np.iinfo(number).max))
    for n in (low, low + 1, low + 20, 100, high - 20, high - 1, high):
        for shift in (-220, -46, -33, -32, -31, -17, -16, -15, -1, 0, 1, 14, 15, 16, 30, 31, 32, 44, 220):
            first = number((n - low + shift) % (high - low + 1) + low)
            out = np.zeros(32, np.uint32)
            for block in ((32,), (16, 2)):
                kernel(out, first, number(n), threads=block)
                lanes = np.arange(32) % block[0]
                with np.errstate(over="ignore"):
                    index = (lanes * stride).astype(number) + first
                left, right = (number(n), index) if swapped else (index, number(n))
                expected = 1 + FUNCTIONS[compare](left, right).astype(np.uint32)
                np.testing.assert_array_equal(out, expected, err_msg=f"{first} {compare} {n}, {block}")


def test_loops_prefetch_the_next_iteration() -> None:
    """One prefetch per segment, by the loop's stride if that is known; with one segment, SIMD groups alternate."""

    def hints(further: str = "", **words: str) -> int:
        text = text_of(SUM, INDEX="", NOT="ge", COMPARE="lt", TYPE="s64", **words)
        text = text.replace("ld.global.u32 %r6, [%d7];", f"ld.global.u32 %r6, [%d7]; {further}")
        return len(HINT_TO_READ.findall(jit.kernel_text(ptx_program.build([HEAD + text]), "k").text))

    for advance, _ in ADDS.values():
        assert hints(ADD=advance) == 2 * COPIES, advance
    assert hints(ADD="add.s64 %i3, %i3, %i3; add.s64 %i3, %i3, 1;") == 0
    once, other = ADDS["once"][0], "add.s64 %d8, %d2, %d6; ld.global.u32 %r7, [%d8]; add.u32 %r5, %r5, %r7;"
    assert hints(other, ADD=once) == 0
    assert hints(other + "st.volatile.global.u32 [%d2], %r5;", ADD=once) == 2 * 2  # and one copy for single blocks


def test_long_address_chains_are_traversed_once() -> None:
    """Sums whose two terms are both the previous sum."""
    text = HEAD + text_of(SUM, INDEX="", NOT="ge", COMPARE="lt", TYPE="s64", ADD=ADDS["once"][0])
    chain = "sub.s64 %z0, %i3, %i3;" + "".join(f"add.s64 %z{n + 1}, %z{n}, %z{n};" for n in range(12))
    text = text.replace(".reg .pred", ".reg .b64 %z<13>; .reg .pred")
    text = text.replace("add.s64 %d7, %d1, %d6;", f"{chain} add.s64 %d8, %d6, %z12; add.s64 %d7, %d1, %d8;")
    written = jit.kernel_text(ptx_program.build([text]), "k").text
    assert len(HINT_TO_READ.findall(written)) == 2 * COPIES
    assert written.count(" = add i64 ") < 2**10


COPY = """
.visible .entry k(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4; mov.u32 %r6, AXIS; add.s32 %r5, %r5, %r6;
    setp.ge.s32 %p1, %r5, %r1; @%p1 bra END;
    mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r7, [%d3]; st.global.u32 [%d3], %r7;
END:
    ret;
}
"""


@pytest.mark.parametrize(
    ("axis", "near", "quick", "expected"),
    [
        ("0", 0, False, {2560: 2, 2624: 2}),  # for converged SIMD groups, and for partially active ones
        ("0", 0, True, {2560: 1, 2624: 1}),
        ("%tid.y", 0, False, {2560: 2, 2624: 2}),
        ("0", 1024, False, {}),  # these CPUs prefetch streams well
        ("%tid.y", 1024, False, {1024: 2, 1088: 2, 4096: 2, 4160: 2}),
    ],
)
def test_prefetch_distances(axis: str, near: int, quick: bool, expected: dict[int, int]) -> None:
    program = ptx_program.build([HEAD + COPY.replace("AXIS", axis)])
    text = emit_kernel(program, "k", Settings(near=near, quick=quick)).text
    added = re.findall(r"(%\w+) = getelementptr i8, ptr (%\w+), i64 (\d+)", text)
    sums = {name: (base, int(far)) for name, base, far in added}
    asked = re.findall(r"call void @llvm\.prefetch\.p0\(ptr (%\w+), i32 0,", text)
    assert Counter(sums[name][1] + sums.get(sums[name][0], ("", 0))[1] for name in asked) == expected


@pytest.mark.parametrize(("axis", "asks"), [("0", True), ("%tid.y", False)])
def test_blocks_along_x_prefetch_for_the_next_block(axis: str, asks: bool) -> None:
    text = COPY.replace("AXIS", axis).replace("ld.global", "bar.sync 0; ld.global", 1)
    assert "bar.sync" in text
    assert bool(HINT_TO_READ.search(emit_kernel(ptx_program.build([HEAD + text]), "k").text)) == asks


@pytest.mark.parametrize("fibers", [False, True])
def test_small_launches_do_not_prefetch(fibers: bool) -> None:
    """A branch skips each prefetch if the grid has few threads, because the data is mostly in the cache."""
    text = COPY.replace("AXIS", "%tid.y")
    text = emit_kernel(ptx_program.build([HEAD + text]), "k", Settings(near=1024, fibers=fibers)).text
    (large, product), *more = re.findall(rf"(%\w+) = icmp uge i64 (%\w+), {LARGE}\n", text)
    assert not more
    factors = 0  # of the product: six fields of the warp
    while found := re.search(rf"{product} = mul i64 (%\w+|1), (%\w+)\n", text):
        product, factor = found[1], found[2]
        narrow = re.search(rf"{factor} = zext i32 (%\w+) to i64\n", text)[1]
        field = re.search(rf"{narrow} = load i32, ptr (%\w+),", text)[1]
        offset = int(re.search(rf"{field} = getelementptr i8, ptr %warp, i64 (\d+)\n", text)[1])
        assert any(0 <= offset - WARP[name] < 12 for name in ("grid_dim", "block_dim"))
        factors += 1
    assert factors == 6
    hints = re.findall(rf"br i1 {large}, label %(hint\S+), label %(asked\S+),.*\n\1:\n((?:.*\n)*?)\2:\n", text)
    assert [each.count("llvm.prefetch") for _, _, each in hints] == [4, 4][: len(hints)]
    assert text.count("call void @llvm.prefetch") == 4 * len(hints) > 0
