# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Contiguous accesses by affine indices, and indices that only look affine because they wrap around."""

from __future__ import annotations

import operator
import random

import numpy as np
import pytest
from support.addresses import Address
from support.loaded import Loaded
from support.warps import HEAD, compiled

from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, PADDED_RUN, QUARTER_RUN, WHOLE_RUN

COPY = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 first, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [first]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.y; mad.lo.u32 %r3, %r5, %r4, %r3;
    setp.ge.u32 %p1, %r3, %r2;
    @%p1 bra END;
    add.u32 %r6, %r3, %r1; cvt.s64.s32 %d3, %r6; shl.b64 %d3, %d3, 2; add.s64 %d4, %d1, %d3;
    ld.global.u32 %r7, [%d4];
    mul.wide.u32 %d5, %r3, 4; add.s64 %d6, %d2, %d5; st.global.u32 [%d6], %r7;
END:
    ret;
}
"""


@pytest.mark.parametrize("block", [(32,), (40,), (64, 2), (16, 4), (8, 8), (1, 64), (33, 2), (7,)])
@pytest.mark.parametrize("count", [1000, 37])
def test_block_shapes(block: tuple[int, ...], count: int) -> None:
    x = np.arange(200, dtype=np.uint32)
    out = np.zeros(200, np.uint32)
    compiled(COPY)(x, out, np.uint32(5), np.uint32(count), threads=block)
    threads = min(int(np.prod(block)), count)
    np.testing.assert_array_equal(out[:threads], x[5 : 5 + threads])
    assert not out[threads:].any()


def test_an_index_that_wraps_around_within_a_warp() -> None:
    """32-bit indices around -1, used as signed and as unsigned, and around 2**31 - 1, used as signed."""
    text = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 first)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [first];
    mov.u32 %r3, %tid.x; add.u32 %r4, %r3, %r1; cvt.KIND %d3, %r4; and.b64 %d3, %d3, MASK; shl.b64 %d3, %d3, 2;
    add.s64 %d4, %d1, %d3; ld.global.u32 %r7, [%d4];
    mul.wide.u32 %d5, %r3, 4; add.s64 %d6, %d2, %d5; st.global.u32 [%d6], %r7;
    ret;
}
"""
    x = np.arange(300, dtype=np.uint32)
    for kind, first in (("s64.s32", -16), ("s64.s32", 2**31 - 5), ("u64.u32", -16), ("u64.u32", 2**31 - 5)):
        out = np.zeros(32, np.uint32)
        middle = np.ascontiguousarray(x)
        wide = (np.arange(32, dtype=np.int64) + first).astype(np.int32)
        wide = wide.astype(np.int64) if kind.startswith("s") else wide.view(np.uint32).astype(np.int64)
        base = Address(middle, 4 * 100 - 4 * int(wide[0]))
        # Only a window of the indices lies in memory; where they jump further, the kernel masks them.
        expected = 100 + (wide - wide[0])
        if abs(expected).max() >= 300:
            text_here = text.replace("and.b64 %d3, %d3, MASK;", "and.b64 %d3, %d3, 127;")
            base, expected = Address(middle), wide & 127
        else:
            text_here = text.replace("and.b64 %d3, %d3, MASK;", "")
        compiled(text_here.replace("KIND", kind))(base, out, np.uint32(first % 2**32))
        np.testing.assert_array_equal(out, expected)


def test_backwards_and_strided_accesses() -> None:
    text = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x;
    mul.wide.s32 %d3, %r1, -4; add.s64 %d4, %d1, %d3; ld.global.u32 %r2, [%d4+124];
    mul.wide.s32 %d5, %r1, -8; sub.s64 %d6, %d1, %d5; ld.global.u32 %r3, [%d6];
    sub.s32 %r4, 31, %r1; mul.wide.u32 %d7, %r4, 4; add.s64 %d7, %d2, %d7; mad.lo.u32 %r5, %r2, 1000, %r3;
    st.global.u32 [%d7], %r5;
    ret;
}
"""
    x = np.arange(64, dtype=np.uint32)
    out = np.zeros(32, np.uint32)
    compiled(text)(x, out)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out[::-1], (31 - lanes) * 1000 + 2 * lanes)


@pytest.mark.parametrize("row", [FULL_RUN, HALF_RUN, PADDED_RUN, QUARTER_RUN])
def test_a_stride_that_overflows_the_index_type(row: int) -> None:
    """The product of two factors has 62 bits, so 16 lanes of that stride exceed the 64 bits that are compared."""
    text = (
        HEAD
        + """
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<3>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 8; add.s64 %d3, %d1, %d2;
    mul.lo.u32 %r2, %r1, -0x7ffffff0; mul.lo.u32 %r3, %r2, -0x7ffffff0; cvt.u16.u32 %h1, %r3; add.u16 %h2, %h1, 0x7ff8;
    cvt.u64.u16 %d4, %h2; st.global.u64 [%d3], %d4;
    ret;
}
"""
    )
    out = np.zeros(128, np.uint64)
    Loaded(text.encode(), row).launch("k", 1, 128, out)
    np.testing.assert_array_equal(out, (256 * np.arange(128) + 0x7FF8) % 2**16)


@pytest.mark.parametrize("distance", ["-1", "0xffffffff", "32", "31"])
def test_shifts_of_an_index_by_more_than_its_width(distance: str) -> None:
    text = """
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    shl.b32 %r2, %r1, DISTANCE; add.u32 %r3, %r2, %r1; st.global.u32 [%d3], %r3;
    ret;
}
"""
    out = np.zeros(32, np.uint32)
    compiled(text.replace("DISTANCE", distance))(out)
    lanes = np.arange(32, dtype=np.uint32)
    np.testing.assert_array_equal(out, lanes + (lanes << 31 if distance == "31" else 0))


@pytest.mark.parametrize("bits", ["and.b32 %r2, %r1, -32;", "shr.u32 %r9, %r1, 5; shl.b32 %r2, %r9, 5;",
                                  "shr.u32 %r9, %r1, 3; and.b32 %r10, %r9, -4; shl.b32 %r2, %r10, 3;"])  # fmt: skip
def test_bits_of_an_index_in_a_loop_with_waiting_lanes(bits: str) -> None:
    """In a loop that may wait for other lanes, neither the index nor values made of its bits are affine."""
    text = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .shared .b32 room[128]; .reg .b32 %r<16>; .reg .b64 %d<9>; .reg .pred %p<2>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
    add.u64 %d4, %d1, %d3; ld.global.u32 %r5, [%d4]; BITS mov.u32 %r11, %laneid; add.u32 %r12, %r2, %r11;
    shl.b32 %r13, %r12, 2; mov.u32 %r6, room; add.u32 %r14, %r6, %r13; st.shared.u32 [%r14], %r5;
WAIT:
    ld.volatile.global.u32 %r4, [%d4]; setp.eq.u32 %p1, %r4, 0; @%p1 bra WAIT;
    shl.b32 %r7, %r1, 2; mov.u32 %r3, room; add.u32 %r8, %r3, %r7; ld.shared.u32 %r15, [%r8];
    mul.wide.u32 %d5, %r1, 4; add.u64 %d6, %d2, %d5; st.global.u32 [%d6], %r15;
    ret;
}
"""
    x, out = np.arange(1, 129, dtype=np.uint32), np.zeros(128, np.uint32)
    compiled(text.replace("BITS", bits))(x, out, threads=128)
    np.testing.assert_array_equal(out, x)


# --- random loops over indices ---------------------------------------------------------------------------

STEPS, MIDDLE, SIZE = 40, 1024, 2048
START = [lambda x, y, value: x, lambda x, y, value: 2 * x, lambda x, y, value: y, lambda x, y, value: value]


def random_blocks(seed: int) -> list[tuple[list[tuple], tuple]]:
    """Return blocks of steps on four indices (x, twice x, y, from memory), each with a divergent end."""
    rng = random.Random(seed)
    count = rng.randint(2, 9)
    blocks = []
    for _ in range(count):
        steps = []
        for _ in range(rng.randint(0, 4)):
            kind = rng.choice(["add", "mov", "load", "load", "store"])
            steps.append((kind, rng.randint(0, 3), rng.randint(0, 3), rng.randint(-8, 8)))
        blocks.append(
            (
                steps,
                (
                    rng.choice(["index", "sum", "count"]),
                    rng.randint(0, 3),
                    rng.randint(0, count),
                    rng.randint(0, count),
                ),
            )
        )
    return blocks


def ptx_of(blocks: list[tuple[list[tuple], tuple]]) -> str:
    text = [
        ".visible .entry k(.param .u64 in, .param .u64 layers, .param .u64 out)\n{",
        ".reg .pred %p<3>; .reg .b32 %r<30>; .reg .b64 %d<9>;",
        "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [layers]; ld.param.u64 %d3, [out];",
        "mov.u32 %r1, %laneid; mul.wide.u32 %d4, %r1, 4; add.s64 %d5, %d3, %d4; ld.global.u32 %r23, [%d5];",
        "mov.u32 %r20, %tid.x; shl.b32 %r21, %r20, 1; mov.u32 %r22, %tid.y; mov.u32 %r9, 0; mov.u32 %r8, 0;",
    ]
    for number, (steps, (what, bit, taken, other)) in enumerate(blocks):
        text.append(f"B{number}: add.u32 %r9, %r9, 1; setp.ge.u32 %p1, %r9, {STEPS};\n@%p1 bra DONE;")
        for kind, a, b, value in steps:
            address = f"mul.wide.s32 %d6, %r{20 + a}, 4; add.s64 %d7, %d1, %d6;"
            if kind == "add":
                text.append(f"add.s32 %r{20 + a}, %r{20 + a}, {value};")
            elif kind == "mov":
                text.append(f"mov.u32 %r{20 + a}, %r{20 + b};")
            elif kind == "load":
                text.append(f"{address} ld.global.u32 %r3, [%d7+{4 * (MIDDLE + value)}]; mad.lo.u32 %r8, %r8, 3, %r3;")
            else:
                text.append(
                    f"mul.wide.s32 %d6, %r{20 + a}, 4; add.s64 %d7, %d2, %d6; mad.lo.u32 %r4, %r{20 + a}, 7, {b};"
                )
                text.append(f"st.global.u32 [%d7+{4 * (b * SIZE + MIDDLE)}], %r4;")
        source = {"index": "%r20", "sum": "%r8", "count": "%r9"}[what]
        text.append(f"shr.u32 %r5, {source}, {bit}; and.b32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0;")
        text.append(f"@%p2 bra B{taken};\nbra B{other};")
    text.append(f"B{len(blocks)}: add.u32 %r8, %r8, 1;\nDONE: mad.lo.u32 %r8, %r9, 31, %r8;")
    text += [f"mad.lo.u32 %r8, %r8, 31, %r{20 + index};" for index in range(4)]
    return "\n".join([*text, "st.global.u32 [%d5], %r8;\nret;\n}"])


def interpret(
    blocks: list[tuple[list[tuple], tuple]], thread: tuple[int, int], value: int, x: np.ndarray, layers: np.ndarray
) -> int:
    """Run one lane."""
    index = [start(*thread, value) for start in START]
    total = count = at = 0
    while at < len(blocks):
        count += 1
        if count >= STEPS:
            break
        steps, (what, bit, taken, other) = blocks[at]
        for kind, a, b, number in steps:
            if kind == "add":
                index[a] += number
            elif kind == "mov":
                index[a] = index[b]
            elif kind == "load":
                total = (total * 3 + int(x[index[a] + MIDDLE + number])) & 0xFFFFFFFF
            else:
                layers[b, index[a] + MIDDLE] = (index[a] * 7 + b) & 0xFFFFFFFF
        source = {"index": index[0], "sum": total, "count": count}[what]
        at = taken if (source & 0xFFFFFFFF) >> bit & 1 else other
    else:
        total += 1
    total += count * 31
    for each in index:
        total = total * 31 + each
    return total & 0xFFFFFFFF


@pytest.mark.parametrize("width", [32, 16, 8])
@pytest.mark.parametrize("seed", range(12))
def test_random_loops_over_indices(seed: int, width: int) -> None:
    blocks = random_blocks(seed)
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2**32, SIZE, dtype=np.uint32)
    out = rng.integers(0, 300, 32).astype(np.uint32)
    layers, expected_layers = np.zeros((4, SIZE), np.uint32), np.zeros((4, SIZE), np.uint32)
    expected = [
        interpret(blocks, (lane % width, lane // width), int(value), x, expected_layers)
        for lane, value in enumerate(out)
    ]
    compiled(ptx_of(blocks))(x, layers, out, threads=(width, 32 // width))
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(layers, expected_layers)


BITS = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .shared .align 4 .b8 parts[256]; .reg .b32 %r<30>; .reg .b64 %d<20>; .reg .pred %p<6>; .reg .b16 %h<3>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d3, %r4, 32; add.u64 %d2, %d2, %d3;
    and.b32 %r5, %r1, 31; shr.u32 %r6, %r1, 5; shr.u32 %r7, %r1, 3; and.b32 %r8, %r7, 0x1ffffffc;
    and.b32 %r9, %r1, 15; shr.u32 %r10, %r1, 2; and.b32 %r11, %r10, 7; and.b32 %r12, %r1, 0x3e0;
    mov.u32 %r13, %laneid; and.b32 %r14, %r13, 31; cvt.u64.u32 %d4, %r1; shr.u64 %d5, %d4, 5; and.b64 %d6, %d4, 31;
    and.b32 %r15, %r10, -8;
    mul.wide.u32 %d7, %r5, 4; add.u64 %d8, %d1, %d7; ld.global.u32 %r16, [%d8];
    mul.wide.u32 %d9, %r6, 4; add.u64 %d10, %d1, %d9; ld.global.u32 %r17, [%d10];
    cvt.u64.u32 %d11, %r8; add.u64 %d12, %d1, %d11; ld.global.u32 %r18, [%d12];
    st.global.v4.u32 [%d2], {%r16, %r17, %r18, %r9};
    st.global.v2.u32 [%d2+16], {%r11, %r12}; cvt.u32.u64 %r19, %d5; cvt.u32.u64 %r20, %d6;
    mad.lo.u32 %r19, %r19, 100, %r20;
    st.global.v2.u32 [%d2+24], {%r19, %r15};
    ret;
}
"""


@pytest.mark.parametrize(
    "block", [(32,), (100,), (64, 2), (48, 2), (24, 4), (40, 2), (16, 4), (8, 8), (33, 2), (7,), (96,)]
)
def test_bits_of_the_thread_index(block: tuple[int, ...]) -> None:
    """Includes blocks whose rows of threads begin anywhere in a warp."""
    data = np.random.default_rng(2).integers(0, 2**32, 64, dtype=np.uint32)
    threads = int(np.prod(block))
    out = np.zeros((threads, 8), np.uint32)
    compiled(BITS)(data, out, threads=block)
    x = np.arange(threads) % block[0]
    columns = [data[x & 31], data[x >> 5], data[x >> 5], x & 15, x >> 2 & 7, x & 0x3E0, (x >> 5) * 100 + (x & 31)]
    np.testing.assert_array_equal(out, np.stack([*columns, x >> 2 & -8], axis=1))


ARMS = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 shift)
{
    .shared .align 4 .b8 parts[64]; .reg .b32 %r<30>; .reg .b64 %d<20>; .reg .pred %p<6>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r20, [shift];
    mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; cvt.u64.u32 %d3, %r3; add.u64 %d4, %d2, %d3;
    and.b32 %r4, %r2, 31; shr.u32 %r5, %r2, 5; shl.b32 %r6, %r5, 2; mov.u32 %r7, parts; add.u32 %r6, %r6, %r7;
    add.u32 %r8, %r2, 1000; mov.u32 %r9, 5;
    setp.eq.u32 %p1, %r4, 31; @!%p1 bra ONE;
    st.shared.u32 [%r6], %r8; add.u32 %r9, %r9, 1;
ONE:
    setp.lt.u32 %p2, %r2, %r1; @%p2 bra LESS;
    mul.lo.u32 %r9, %r9, 3; add.u32 %r10, %r2, %r20; cvt.s64.s32 %d5, %r10; MASK shl.b64 %d5, %d5, 2;
    add.s64 %d6, %d1, %d5; ld.global.u32 %r11, [%d6]; add.u32 %r9, %r9, %r11;
    bra MEET;
LESS:
    sub.u32 %r12, %r2, %r20; cvt.s64.s32 %d7, %r12; neg.s64 %d5, %d7; MASK shl.b64 %d5, %d5, 2;
    add.s64 %d8, %d1, %d5; ld.global.u32 %r13, [%d8];
    xor.b32 %r9, %r9, %r13;
MEET:
    bar.sync 0;
    ld.shared.u32 %r14, [%r6]; add.u32 %r9, %r9, %r14;
    setp.ne.u32 %p3, %r4, 0; @%p3 bra LAST;
    ld.shared.u32 %r15, [parts]; mad.lo.u32 %r9, %r15, 7, %r9;
LAST:
    st.global.u32 [%d4], %r9;
    ret;
}
"""


@pytest.mark.parametrize("threads", [32, 64, 96, 128])
@pytest.mark.parametrize("n", [0, 1, 20, 32, 50, 200])
@pytest.mark.parametrize("shift", [0, -40, 2**31 - 70])
def test_short_divergent_branches(threads: int, n: int, shift: int) -> None:
    """Includes indices that wrap around in the middle of a warp, which are handled lane by lane."""
    x = np.arange(threads, dtype=np.int64)
    there, here = ((x + shift + 2**31) % 2**32 - 2**31), -((x - shift + 2**31) % 2**32 - 2**31)
    index = np.where(x < n, here, there)
    wraps = shift > 1000
    index = index & 127 if wraps else index - index.min()
    data = np.random.default_rng(3).integers(0, 2**32, 512, dtype=np.uint32)
    out = np.zeros(threads, np.uint32)
    first_used = 0 if wraps else int(np.where(x < n, here, there).min())
    text = ARMS.replace("MASK", "and.b64 %d5, %d5, 127;" if wraps else "")
    base = Address(data, -4 * first_used)
    compiled(text)(base, out, np.uint32(n), np.uint32(shift % 2**32), threads=threads)
    first = np.where(x % 32 == 31, 6, 5).astype(np.uint32)
    loaded = data[index]
    expected = np.where(x < n, first ^ loaded, first * np.uint32(3) + loaded) + (x // 32 * 32 + 31 + 1000).astype(
        np.uint32
    )
    expected += np.where(x % 32 == 0, 1031 * 7, 0).astype(np.uint32)
    np.testing.assert_array_equal(out, expected)


COMPARED = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def as_number(value: int, bits: int, signed: bool) -> int:
    """Return the lower bits of a number as a signed or unsigned integer."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


@pytest.mark.parametrize("type_", ["s16", "u16", "s32", "u32", "u64"])
@pytest.mark.parametrize("share", [1 / 3, -1 / 3, 3 / 4 / 31])
def test_comparisons_of_indices_with_large_strides(type_: str, share: float) -> None:
    """The distance from first to last lane exceeds the type's range, as in the code generated for `i % 3 == 1`."""
    bits, signed = int(type_[1:]), type_[0] == "s"
    step = round(share * (1 << bits)) | 1
    first, last = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    widen = {16: "cvt.u16.u32", 32: "mov.u32", 64: "cvt.u64.u32"}[bits]
    for cmp, holds in COMPARED.items():
        kernel = compiled(f""".visible .entry k(.param .u64 out, .param .b{bits} start, .param .b{bits} bound) {{
            .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p<3>; .reg .b{bits} %x<4>; ld.param.u64 %d1, [out];
            ld.param.b{bits} %x1, [start]; ld.param.b{bits} %x2, [bound]; mov.u32 %r1, %tid.x; {widen} %x0, %r1;
            mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %d1;
            mad.lo.{type_} %x3, %x0, {as_number(step, bits, True)}, %x1; setp.{cmp}.{type_} %p1, %x3, %x2;
            @%p1 bra END; st.global.u32 [%d2], 1; END: ret; }}""")
        for start in range(first, last, (last - first) // 7):
            values = [as_number(lane * step + start, bits, signed) for lane in range(64)]
            ends = [end(values[warp : warp + 32]) + off for warp in (0, 32) for end in (min, max) for off in (-2, 2)]
            for bound in {min(max(end, first), last) for end in (start // 2, *ends)}:
                out = np.zeros(64, np.uint32)
                dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}").type
                kernel(out, dtype(start), dtype(bound), threads=64)
                np.testing.assert_array_equal(out, [not holds(x, bound) for x in values], f"{cmp} {start} {bound}")


ONE_LANE = """
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;
    mul.wide.u32 %d3, %r1, 16; add.u64 %d4, %d1, %d3; ld.global.u32 %r3, [%d4]; ld.global.u32 %r4, [%d4+4];
    mul.wide.u32 %d5, %r1, {size}; add.u64 %d6, %d2, %d5;
    setp.{other}.u32 %p1, %r2, {lane}; @%p1 bra END; st.global.u{bits} [%d6], %r3;
END:
    st.global.u32 [%d4], %r4;
    ret;
}}
"""


@pytest.mark.parametrize("lane", [0, 5, 15, 16, 31])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("row", [WHOLE_RUN, FULL_RUN, HALF_RUN])
@pytest.mark.parametrize("width", ["32", "16", "8"])
def test_a_lane_that_is_known_stores_its_element_alone(lane, size, row, width, monkeypatch):
    """LLVM 22 stored truncated elements as wide as they were before if it knew the only lane of a mask."""
    for name, value in (("CUDA_CPU_LEVEL", "1"), ("CUDA_CPU_CACHE", "0"), ("CUDA_CPU_WIDTH", width)):
        monkeypatch.setenv(name, value)
    other = {0: "gt", 31: "lt"}.get(lane, "ne")
    loaded = Loaded((HEAD + ONE_LANE.format(lane=lane, size=size, bits=8 * size, other=other)).encode(), row)
    source, found, expected = np.arange(0x1010101, 0x1010201, dtype=np.uint32), *np.zeros((2, 68), f"u{size}")
    loaded.launch("k", (1, 1, 1), (64, 1, 1), source, found)
    expected[lane:64:32] = np.arange(0x1010101, 0x1010201)[4 * lane :: 128].astype(found.dtype)
    np.testing.assert_array_equal(found, expected)
