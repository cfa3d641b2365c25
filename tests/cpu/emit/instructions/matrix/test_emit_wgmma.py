# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""wgmma with matrices laid out as the manual's canonical layouts say (9.7.15.5.1), without and with swizzling.

tests/cpu/programs/test_triton.py has wgmma as a compiler uses it.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.fragments import metadata_words, pruned
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

random = np.random.default_rng(17)
SWIZZLES = {0: 1, 128: 8, 64: 4, 32: 2}  # bytes of a row in the pattern -> chunks of 16 bytes
MODES = {0: 0, 128: 1, 64: 2, 32: 3}


def by_depth(matrix: np.ndarray, swizzle: int) -> tuple[np.ndarray, int, int]:
    """Return the bytes, leading and stride offset of a matrix whose rows (32 or 64 bytes) go along k."""
    chunks = SWIZZLES[swizzle]
    lines = matrix.view(np.uint8).reshape(len(matrix), -1, 16)
    count = lines.shape[1]
    block = 8 * 16 * chunks
    leading, stride = (block, block * -(-count // chunks))
    found = np.zeros(stride * (len(matrix) // 8), np.uint8)
    for row, line in enumerate(lines):
        for chunk in range(count):
            start = row // 8 * stride + row % 8 * 16 * chunks + chunk % chunks * 16 + chunk // chunks * leading
            start ^= (start >> 3) & (chunks - 1 << 4)
            found[start : start + 16] = line[chunk]
    return found, leading, stride


def across_depth(matrix: np.ndarray, swizzle: int) -> tuple[np.ndarray, int, int]:
    """Return the same for a matrix [line, k] of 16-bit elements stored the other way."""
    chunks = SWIZZLES[swizzle]
    count = len(matrix)
    block = 8 * 16 * chunks  # eight k of 8*chunks lines
    outer = count // (8 * chunks)
    depth = matrix.shape[1]
    leading, stride = (block * outer, block) if swizzle == 0 else (depth // 8 * block, block)
    found = np.zeros(depth // 8 * block * outer, np.uint8)
    for line in range(count):
        for k in range(depth):
            inner, group = line // 8 % chunks, line // 8 // chunks
            across, along = (stride, leading) if swizzle == 0 else (leading, stride)
            start = line % 8 * 2 + inner * 16 + group * across + k % 8 * 16 * chunks + k // 8 * along
            start ^= (start >> 3) & (chunks - 1 << 4)
            found[start : start + 2] = matrix[line, k : k + 1].view(np.uint8)
    return found, leading, stride


def descriptor(start: int, leading: int, stride: int, swizzle: int) -> int:
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | MODES[swizzle] << 62


def run(
    word: str,
    columns: int,
    a: tuple,
    b: tuple,
    swizzle: int,
    *,
    keep: int = 0,
    tail: str = "",
    load: str = "",
    metadata: np.ndarray | None = None,
    selector: int = 0,
) -> np.ndarray:
    """Multiply A and B in shared memory, 4 warps one after the other; return registers [thread, number].

    With `metadata`, a word for each thread, A is sparse.
    """
    count = columns // 2
    at = -(-len(a[0]) // 1024) * 1024
    data = np.zeros(at + -(-len(b[0]) // 1024) * 1024, np.uint8)
    data[: len(a[0])], data[at : at + len(b[0])] = a[0], b[0]
    five = 5 if ".s32" in word else "0f40A00000"
    targets = ", ".join(f"%d{number}" for number in range(count))
    left = "{%a0, %a1, %a2, %a3}" if load else f"{descriptor(0, a[1], a[2], swizzle)}"
    sparse, further = ("", "") if metadata is None else (".sp", f"%meta, {selector}, ")
    text = f"""
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 metadata)
    {{
        .shared .align 1024 .b8 room[{len(data)}]; .reg .b32 %meta;
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b32 %a<4>; .reg .b32 %d<{count}>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, room;
        mov.u32 %r4, 0;
    COPY:
        cvt.u64.u32 %rd5, %r4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r5, [%rd6]; add.u32 %r6, %r2, %r4;
        st.shared.u32 [%r6], %r5; add.u32 %r4, %r4, 4; setp.lt.u32 %p2, %r4, {len(data)}; @%p2 bra COPY;
        {" ".join(f"mov.b32 %d{number}, {five};" for number in range(count))}
        mov.b64 %rd3, {left if not load else 0}; mov.b64 %rd4, {descriptor(at, b[1], b[2], swizzle)};
        setp.eq.u32 %p1, {keep}, 1; {load}
        wgmma.fence.sync.aligned;
        ld.param.u64 %rd8, [metadata]; mad.wide.u32 %rd8, %r1, 4, %rd8; ld.global.b32 %meta, [%rd8];
        wgmma.mma_async{sparse}.sync.aligned.m64n{columns}{word} {{{targets}}}, {left if load else "%rd3"}, %rd4,
            {further}%p1{tail};
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        mad.wide.u32 %rd7, %r1, {4 * count}, %rd2;
        {" ".join(f"st.global.b32 [%rd7+{4 * number}], %d{number};" for number in range(count))}
        ret;
    }}
    """
    out = np.zeros((128, count), np.uint32)
    compiled(text)(data, out, np.zeros(128, np.uint32) if metadata is None else metadata, threads=128)
    return out


def gathered(result: np.ndarray) -> np.ndarray:
    """Return a 64-row result as the threads have it: [thread, register]."""
    found = np.zeros((128, result.shape[1] // 2), result.dtype)
    for thread in range(128):
        for number in range(found.shape[1]):
            row = thread // 32 * 16 + thread % 32 // 4 + number // 2 % 2 * 8
            found[thread, number] = result[row, number // 4 * 8 + thread % 4 * 2 + number % 2]
    return found


def matrices(columns: int) -> tuple[np.ndarray, np.ndarray]:
    return random.integers(-3, 4, (64, 16)).astype(np.float16), random.integers(-3, 4, (columns, 16)).astype(np.float16)


@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (0, 1)])
def test_layouts(swizzle, first, second):
    a, b = matrices(64)
    lay = (by_depth, across_depth)
    out = run(
        "k16.f32.f16.f16",
        64,
        lay[first](a, swizzle),
        lay[second](b, swizzle),
        swizzle,
        tail=f", 1, 1, {first}, {second}",
    )
    np.testing.assert_array_equal(out.view(np.float32), gathered(a.astype(np.float32) @ b.T.astype(np.float32)))


def test_sums_and_signs():
    a, b = matrices(8)
    exact = gathered(a.astype(np.float32) @ b.T.astype(np.float32))
    sides = by_depth(a, 0), by_depth(b, 0)
    for keep, signs, expected in (
        (1, "1, 1", exact + 5),
        (0, "-1, 1", -exact),
        (0, "1, -1", -exact),
        (0, "-1, -1", exact),
    ):
        out = run("k16.f32.f16.f16", 8, *sides, 0, keep=keep, tail=f", {signs}, 0, 0").view(np.float32)
        np.testing.assert_array_equal(out, expected)


def test_operand_a_in_registers():
    _, b = matrices(16)
    load = "mov.b32 %a0, 0x3C003C00; mov.b32 %a1, 0x40004000; mov.b32 %a2, 0x3C003C00; mov.b32 %a3, 0;"
    out = run("k16.f32.f16.f16", 16, (np.zeros(16, np.uint8), 0, 0), by_depth(b, 0), 0, tail=", 1, 1, 0", load=load)
    sums = b.astype(np.float32)
    upper, lower = sums.sum(1), 2 * sums[:, :8].sum(1)
    expected = np.where(np.arange(64)[:, None] % 16 < 8, upper, lower).astype(np.float32)
    np.testing.assert_array_equal(out.view(np.float32), gathered(expected))


def test_integers():
    a = random.integers(-128, 128, (64, 32)).astype(np.int8)
    b = random.integers(0, 256, (24, 32)).astype(np.uint8)
    out = run("k32.s32.s8.u8", 24, by_depth(a, 0), by_depth(b, 0), 0, keep=1)
    np.testing.assert_array_equal(out.view(np.int32), gathered(a.astype(np.int32) @ b.T.astype(np.int32) + 5))


def coded(type_: str, numbers: np.ndarray) -> np.ndarray:
    """Return small integers as the codes of a type."""
    if type_ == "tf32":
        return numbers.astype(np.float32)
    if type_ == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    sizes = {"e4m3": [0, 0x38, 0x40, 0x44], "e5m2": [0, 0x3C, 0x40, 0x42]}[type_]
    return (np.array(sizes)[np.abs(numbers)] | (numbers < 0) << 7).astype(np.uint8)


@pytest.mark.parametrize(("left", "right", "depth"), [("bf16", "bf16", 16), ("tf32", "tf32", 8), ("e4m3", "e5m2", 32)])
def test_other_floats(left, right, depth):
    a, b = random.integers(-3, 4, (64, depth)), random.integers(-3, 4, (16, depth))
    tail = ", 1, 1, 0, 0" if left == "bf16" else ", 1, 1"
    sides = by_depth(coded(left, a), 128), by_depth(coded(right, b), 128)
    out = run(f"k{depth}.f32.{left}.{right}", 16, *sides, 128, tail=tail)
    np.testing.assert_array_equal(out.view(np.float32), gathered((a @ b.T).astype(np.float32)))


def test_single_bits():
    a, b = (random.integers(0, 256, (count, 32)).astype(np.uint8) for count in (64, 16))
    out = run("k256.s32.b1.b1.and.popc", 16, by_depth(a, 0), by_depth(b, 0), 0)
    bits = [np.unpackbits(each, axis=1).astype(np.int32) for each in (a, b)]
    np.testing.assert_array_equal(out.view(np.int32), gathered(bits[0] @ bits[1].T))


# --- sparse A: the warps' metadata are as those of mma.sp (9.7.15.6.2) -----------------------------------------


def sparse(type_: str, depth: int, bits: int, selector: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a sparse matrix of 64 rows, what is kept of it, and each thread's metadata."""
    parts = [pruned(16, depth, type_, -3, 3) for _ in range(4)]
    words = [metadata_words(nibbles, bits, selector) for _, _, nibbles in parts]
    dense, kept = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
    return dense.astype(np.int64), kept.astype(np.int64), np.concatenate(words).astype(np.uint32)


@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (0, 1)])
def test_layouts_of_sparse_operands(swizzle, first, second):
    dense, kept, words = sparse("f16", 32, 16, 1)
    b = random.integers(-3, 4, (64, 32))
    lay = (by_depth, across_depth)
    sides = lay[first](kept.astype(np.float16), swizzle), lay[second](b.astype(np.float16), swizzle)
    tail = f", 1, 1, {first}, {second}"
    out = run("k32.f32.f16.f16", 64, *sides, swizzle, tail=tail, keep=1, metadata=words, selector=1)
    np.testing.assert_array_equal(out.view(np.float32), gathered((dense @ b.T + 5).astype(np.float32)))


@pytest.mark.parametrize("selector", [0, 1])
@pytest.mark.parametrize(("type_", "depth"), [("bf16", 32), ("tf32", 16), ("e4m3", 64), ("e5m2", 64)])
def test_other_floats_of_sparse_operands(type_, depth, selector):
    if depth == 64 and selector == 1:  # all lanes have metadata
        with pytest.raises(PtxError, match="selector must be 0"):
            run("k64.f32.e4m3.e4m3", 8, *[(np.zeros(16), 0, 0)] * 2, 0, tail=", 1, 1", metadata=[], selector=1)
        return
    dense, kept, words = sparse(type_, depth, 8 if depth == 64 else 16, selector)
    b = random.integers(-3, 4, (16, depth))
    sides = by_depth(coded(type_, kept), 128), by_depth(coded(type_, b), 128)
    tail = ", -1, 1, 0, 0" if type_ == "bf16" else ", -1, 1"
    out = run(f"k{depth}.f32.{type_}.{type_}", 16, *sides, 128, tail=tail, metadata=words, selector=selector)
    np.testing.assert_array_equal(out.view(np.float32), gathered(-(dense @ b.T).astype(np.float32)))


def test_integers_of_sparse_operands():
    dense, kept, words = sparse("s8", 64, 8, 0)
    b = random.integers(0, 256, (24, 64)).astype(np.uint8)
    out = run("k64.s32.s8.u8", 24, by_depth(kept.astype(np.int8), 64), by_depth(b, 64), 64, keep=1, metadata=words)
    np.testing.assert_array_equal(out.view(np.int32), gathered(dense.astype(np.int32) @ b.T.astype(np.int32) + 5))


def test_sparse_operand_a_in_registers():
    """All threads keep the first two of each four: ones in the rows 0 to 7 of each 16, twos in half of the others."""
    b = random.integers(-3, 4, (16, 32)).astype(np.float16)
    load = "mov.b32 %a0, 0x3C003C00; mov.b32 %a1, 0x40004000; mov.b32 %a2, 0x3C003C00; mov.b32 %a3, 0;"
    words = np.full(128, 0x44444444, np.uint32)
    side = by_depth(b, 0)
    out = run(
        "k32.f32.f16.f16", 16, (np.zeros(16, np.uint8), 0, 0), side, 0, tail=", 1, 1, 0", load=load, metadata=words
    )
    kept = b.astype(np.float32).reshape(16, 8, 4)[:, :, :2]
    upper, lower = kept.sum((1, 2)), 2 * kept[:, :4].sum((1, 2))
    expected = np.where(np.arange(64)[:, None] % 16 < 8, upper, lower).astype(np.float32)
    np.testing.assert_array_equal(out.view(np.float32), gathered(expected))
