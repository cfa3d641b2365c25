# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers, scatters and atomic operations by a base and 32-bit indices, for all ways to compute the address."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.addresses import Address
from support.warps import HEAD, compiled
from support.wide_addresses import widened

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build

# out[t] = the word at an address that WAY makes of indices[t], %r2, and of `base`, for all threads but one.
GATHER = """
.visible .entry k(.param .u64 base, .param .u64 indices, .param .u64 out, .param .u64 far)
{
    .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<3>;
    ld.param.u64 %d1, [base]; ld.param.u64 %d2, [indices]; ld.param.u64 %d3, [out]; ld.param.u64 %d9, [far];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, BYTES; add.s64 %d5, %d2, %d4;
    mul.wide.u32 %d6, %r1, 4; add.s64 %d3, %d3, %d6; mov.u32 %r8, 0; setp.eq.u32 %p1, %r1, 5; @%p1 bra END;
    WAY
END:
    st.global.u32 [%d3], %r8;
    ret;
}
"""
LOAD = "ld.global.TYPE %r2, [%d5];"
# For each way to compute an address: the type of the indices, and the code.
WAYS = {
    "mul.wide.s32": ("s32", "mul.wide.s32 %d7, %r2, 4; add.s64 %d8, %d1, %d7; ld.global.u32 %r8, [%d8];"),
    "mul.wide.u32": ("u32", "mul.wide.u32 %d7, %r2, 4; add.s64 %d8, %d7, %d1; ld.global.u32 %r8, [%d8];"),
    "mad.wide": ("s32", "mad.wide.s32 %d8, %r2, 4, %d1; ld.global.u32 %r8, [%d8];"),
    "cvt, shl": ("s32", "cvt.s64.s32 %d7, %r2; shl.b64 %d7, %d7, 2; add.s64 %d8, %d1, %d7; ld.global.f32 %r8, [%d8];"),
    "a byte": ("u8", "mul.wide.u32 %d7, %r2, 4; add.s64 %d8, %d1, %d7; ld.global.u32 %r8, [%d8];"),
    "a signed half": ("s16", "mul.lo.s32 %r3, %r2, 2; shl.b32 %r3, %r3, 1; cvt.s64.s32 %d7, %r3; add.s64 %d8, %d1, %d7;"
                      "ld.global.u32 %r8, [%d8];"),
    "two bases and an offset": ("s32", "mul.wide.s32 %d7, %r2, 4; add.s64 %d8, %d1, %d7; add.s64 %d8, %d8, %d9;"
                                "add.s64 %d8, %d8, -192; ld.global.u32 %r8, [%d8+64];"),
    "the low byte": ("u32", "cvt.u64.u8 %d7, %r2; mul.lo.u64 %d7, %d7, 4; add.s64 %d8, %d1, %d7;"
                     "ld.global.u32 %r8, [%d8];"),
    "bits that are shifted out": ("u32", "shl.b32 %r3, %r2, 2; cvt.u64.u32 %d7, %r3; add.s64 %d8, %d1, %d7;"
                                  "ld.global.u32 %r8, [%d8];"),
    "in 32 bits, then wider": ("u8", "shl.b32 %r3, %r2, 2; add.u32 %r3, %r3, 4; cvt.u64.u32 %d7, %r3;"
                               "add.s64 %d8, %d1, %d7; ld.global.u32 %r8, [%d8+-4];"),
}  # fmt: skip
NUMBERS = {"s32": np.int32, "u32": np.uint32, "u8": np.uint8, "s16": np.int16}


def indices_for(way: str) -> list[np.ndarray]:
    """Return ascending, descending and random indices, of both signs where the type has them."""
    type_ = WAYS[way][0]
    low, high = (-128, 128) if type_.startswith("s") else (0, 256)
    random = np.random.default_rng(seed=5).integers(low, high, 64)
    found = [np.arange(64) + low, np.arange(64)[::-1] + low + 7, random, np.full(64, 3), np.arange(64) // 2]
    if way == "the low byte":
        found.append(random + 0xABCD00)
    if way == "bits that are shifted out":
        found.append(random + 0xC0000000)
    return [each.astype(NUMBERS[type_]) for each in found]


@pytest.mark.parametrize("threads", [64, 40, (16, 4)])
@pytest.mark.parametrize("way", WAYS)
def test_gathers(way: str, threads: object) -> None:
    type_, code = WAYS[way]
    x = np.random.default_rng(seed=6).integers(0, 2**32, 256, dtype=np.uint32)
    text = GATHER.replace("WAY", LOAD + code).replace("TYPE", type_).replace("BYTES", str(int(type_[1:]) // 8))
    rows = "mov.u32 %r9, %tid.y; mov.u32 %r10, %tid.x; mad.lo.u32 %r1, %r9, 16, %r10;"
    if threads == (16, 4):
        text = text.replace("mov.u32 %r1, %tid.x;", rows)
    count = int(np.prod(threads))
    for indices in indices_for(way):
        out = np.full(64, 7, np.uint32)
        middle = Address(x, 512 if type_.startswith("s") else 0)
        compiled(text)(middle, indices, out, np.uint64(128), threads=threads)
        elements = indices.astype(np.int64) + (128 if type_.startswith("s") else 0)
        expected = np.where(np.arange(64) == 5, 0, x[elements & 255])
        np.testing.assert_array_equal(out[:count], expected[:count], err_msg=f"{indices[:5]}")


@pytest.mark.parametrize("mask", [1, 1 << 31, 0x100, 0x00FF00FF, 0xFF00FF00, 0x0000FFFF, 0xFFFF0000, 0x80018001])
def test_gathers_of_some_lanes(mask: int) -> None:
    """Other lanes have addresses at which there is no memory; parts of the SIMD group have no lane at all."""
    x = np.random.default_rng(seed=7).integers(0, 2**32, 256, dtype=np.uint32)
    text = GATHER.replace("WAY", LOAD + WAYS["mul.wide.s32"][1]).replace("TYPE", "s32").replace("BYTES", "4")
    chosen = f"shr.u32 %r9, {mask}, %r1; and.b32 %r9, %r9, 1; setp.eq.u32 %p1, %r9, 0;"
    text = text.replace("setp.eq.u32 %p1, %r1, 5;", chosen)
    runs = (mask >> np.arange(32) & 1).astype(bool)
    for indices in (np.arange(32), np.random.default_rng(seed=8).integers(0, 256, 32)):
        out = np.full(32, 7, np.uint32)
        given = np.where(runs, indices, 1 << 29).astype(np.int32)
        compiled(text)(x, given, out, np.uint64(0), threads=32)
        np.testing.assert_array_equal(out, np.where(runs, x[indices], 0))


@pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no gathers")
def test_parts_without_lanes_are_not_gathered() -> None:
    text = GATHER.replace("WAY", LOAD + WAYS["mul.wide.s32"][1]).replace("TYPE", "s32").replace("BYTES", "4")
    emitted = jit.kernel_text(build([HEAD + text]), "k", quick=False).text
    assert emitted.count("call <8 x i32> @llvm.x86.avx512.mask.gather3siv8.si(") == 4
    assert "@gather.i32.by4.some(" in emitted  # under masks
    assert "@gather.i32.by4(" in emitted  # in the copy for all lanes


def test_gather_indices_up_to_the_maximum() -> None:
    """Contiguous indices up to 2**31 - 1."""
    x = np.arange(64, dtype=np.uint32)
    indices = np.arange(2**31 - 64, 2**31).astype(np.int32)
    text = GATHER.replace("WAY", LOAD + WAYS["mul.wide.s32"][1]).replace("TYPE", "s32").replace("BYTES", "4")
    out = np.zeros(64, np.uint32)
    compiled(text)(Address(x, -4 * (2**31 - 64)), indices, out, np.uint64(0), threads=64)
    np.testing.assert_array_equal(out, np.where(x == 5, 0, x))


@pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no gathers")
def test_which_address_computations_become_gathers() -> None:
    def does(way: str) -> bool:
        type_, code = WAYS[way]
        text = GATHER.replace("WAY", LOAD + code).replace("TYPE", type_).replace("BYTES", "4")
        return "gather.i32.by4(" in jit.kernel_text(build([HEAD + text]), "k").text

    assert {way for way in WAYS if not does(way)} == {
        "mul.wide.u32", "bits that are shifted out", "in 32 bits, then wider",
    }  # fmt: skip


def scatter_text(code: str, type_: str, *, all_run: bool) -> str:
    """Return a kernel that stores the thread's number at an address of WAYS, in all lanes or in all but one."""
    text = GATHER.replace("WAY", LOAD + re.sub(r"ld(.global.\w+) %r8, (\[.*?\]);", r"st\1 \2, %r1;", code))
    text = text.replace("st.global.u32 [%d3], %r8;", "")
    text = text.replace("@%p1 bra END;", "") if all_run else text
    return text.replace("TYPE", type_).replace("BYTES", str(int(type_[1:]) // 8))


def permutations_for(type_: str) -> list[np.ndarray]:
    """Return different indices: ascending, descending, at random, and ascending ones that wrap around once."""
    low, high = (-128, 128) if type_.startswith("s") else (0, 256)
    random = np.random.default_rng(seed=9).permutation(256)[:64] + low
    wraps = (np.arange(64) + 235) % 256 + low
    found = [np.arange(64) + low + 3, np.arange(64)[::-1] + high - 64, random, wraps, np.roll(np.arange(64), 1)]
    found.append(np.where(np.arange(64) == 40, 200 + low, np.arange(64) + low))
    return [each.astype(NUMBERS[type_]) for each in found]


@pytest.mark.parametrize("all_run", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_scatters(way: str, all_run: bool) -> None:
    type_, code = WAYS[way]
    low = 128 if type_.startswith("s") else 0
    kernel = compiled(scatter_text(code, type_, all_run=all_run))
    for indices in permutations_for(type_):
        x, expected = np.full(256, 77, np.uint32), np.full(256, 77, np.uint32)
        kernel(Address(x, 4 * low), indices, np.zeros(64, np.uint32), np.uint64(128), threads=64)
        ran = [thread for thread in range(64) if all_run or thread != 5]
        expected[indices.astype(np.int64)[ran] + low] = ran
        np.testing.assert_array_equal(x, expected, err_msg=f"{indices[:5]}")


@pytest.mark.parametrize(("scale", "step"), [(1, 4), (2, 2), (2, 4), (4, 1), (4, 2), (4, 4), (8, 1), (8, 2)])
@pytest.mark.parametrize("type_", ["s32", "u32"])
def test_scatters_by_scales(scale: int, type_: str, step: int) -> None:
    """Words 4 bytes apart by each scale up to 4, or further apart; up to the greatest index of the type."""
    bytes_apart, code = scale * step, f"mad.wide.{type_} %d8, %r2, {scale}, %d1; ld.global.u32 %r8, [%d8];"
    x, last = np.zeros(64 * bytes_apart // 4, np.uint32), np.iinfo(NUMBERS[type_]).max
    indices = (np.arange(64) * step + last - 64 * step).astype(NUMBERS[type_])
    base = Address(x, -scale * int(indices[0]))
    compiled(scatter_text(code, type_, all_run=True))(base, indices, x, np.uint64(0), threads=64)
    np.testing.assert_array_equal(x[:: bytes_apart // 4], np.arange(64))
    assert np.count_nonzero(x) == 63


@pytest.mark.parametrize("scale", [4, 8])
def test_scatters_to_one_address(scale: int) -> None:
    code = f"mul.wide.s32 %d7, %r2, {scale}; add.s64 %d8, %d1, %d7; ld.global.u32 %r8, [%d8];"
    x = np.full(80, 77, np.uint32)
    kernel = compiled(scatter_text(code, "s32", all_run=True))
    kernel(x, np.full(32, 3, np.int32), x, np.uint64(0), threads=32)
    assert x[3 * scale // 4] < 32
    assert np.count_nonzero(x == 77) == 79


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])  # of the address
@pytest.mark.parametrize("steps", [1, 7, 63])
def test_scatters_to_shared_memory(steps: int, wide: bool) -> None:
    text = """
    .visible .entry k(.param .u64 out, .param .u32 steps)
    {
        .shared .align 4 .b8 words[320]; .reg .b32 %r<20>; .reg .b64 %d<20>;
        ld.param.u64 %d1, [out]; ld.param.u32 %r5, [steps]; mov.u32 %r1, %tid.x; mov.u32 %r3, words;
        mul.lo.u32 %r2, %r1, %r5; and.b32 %r2, %r2, 63; shl.b32 %r2, %r2, 2; add.u32 %r4, %r3, %r2;
        st.shared.u32 [%r4+64], %r1; bar.sync 0;
        shl.b32 %r6, %r1, 2; add.u32 %r7, %r3, %r6; ld.shared.u32 %r8, [%r7+64];
        mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r8;
        ret;
    }
    """
    out = np.full(64, 77, np.uint32)
    compiled(widened(text) if wide else text)(out, np.uint32(steps), threads=64)
    np.testing.assert_array_equal(out[np.arange(64) * steps % 64], np.arange(64))


@pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no scatters")
def test_scatters_of_all_lanes_are_straight_code() -> None:
    for type_, code in WAYS.values():
        text = scatter_text(code, type_, all_run=False)
        emitted = jit.kernel_text(build([HEAD + text]), "k", quick=False).text
        assert "@lanes.scatter." in emitted
        assert "@scatter.i32" in emitted  # where not all lanes run


# Counts numbers of the threads in shared memory, 64 bytes after `bins`; the last thread does not count.
COUNT = """
.visible .entry k(.param .u64 data, .param .u64 out, .param .u32 last)
{
    .shared .align 4 .b8 bins[2048]; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<3>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [out]; ld.param.u32 %r10, [last];
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, bins; add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], 0; st.shared.u32 [%r4+1024], 0; bar.sync 0;
    setp.ge.u32 %p1, %r1, %r10; @%p1 bra END;
    mul.wide.u32 %d3, %r1, BYTES; add.s64 %d4, %d1, %d3; ld.global.TYPE REGISTER, [%d4];
    WAY
    atom.shared.add.u32 %r7, [%r6+OFFSET], %r1; RED
END:
    bar.sync 0;
    ld.shared.u32 %r8, [%r4]; ld.shared.u32 %r9, [%r4+1024]; mul.wide.u32 %d5, %r1, 4; add.s64 %d5, %d2, %d5;
    st.global.u32 [%d5], %r8; st.global.u32 [%d5+1024], %r9;
    ret;
}
"""
COUNTS = {  # type of the numbers, register, code, offset, bin of the number 0
    "a byte": ("u8", "%h1", "mul.wide.u16 %r5, %h1, 4; add.u32 %r6, %r3, %r5;", 0, 0),
    "a signed byte": ("s8", "%r5", "shl.b32 %r5, %r5, 2; add.u32 %r6, %r5, %r3;", 512, 128),
    "a signed byte behind a base": ("s8", "%h1", "cvt.s32.s16 %r5, %h1; mad.lo.s32 %r6, %r5, 4, %r3;", 512, 128),
    "a half": ("u16", "%h1", "cvt.u32.u16 %r5, %h1; shl.b32 %r5, %r5, 2; add.u32 %r6, %r5, %r3;", 0, 0),
    "a word": ("u32", "%r5", "shl.b32 %r5, %r5, 2; add.u32 %r6, %r5, %r3;", 0, 0),
}


@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.parametrize("way", COUNTS)
def test_atomics_in_shared_memory(way: str, *, wanted: bool) -> None:
    type_, register, code, offset, zero = COUNTS[way]
    words = {"TYPE": type_, "REGISTER": register, "WAY": code, "OFFSET": str(offset), "BYTES": str(int(type_[1:]) // 8)}
    text = COUNT.replace("RED", "red.shared.xor.b32 [%r4], 0;" + "add.u32 %r19, %r7, 1;" * wanted)
    for word, value in words.items():
        text = text.replace(word, value)
    low, high = (-128, 128) if type_.startswith("s") else (0, 256)
    numbers = np.random.default_rng(seed=7).integers(low, high, 256)
    for last in (256, 200, 31, 0):
        out = np.zeros(512, np.uint32)
        data = numbers.astype({"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "u32": np.uint32}[type_])
        compiled(text)(data, out, np.uint32(last), threads=256)
        thread = np.arange(256)[:last]
        np.testing.assert_array_equal(out, np.bincount(numbers[:last] + zero, weights=thread, minlength=512))


# Global memory: each thread changes a word that an index of some bits tells, by its own number and by a constant.
CHANGE = """
.visible .entry k(.param .u64 data, .param .u64 bins, .param .u32 n)
{
    .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<3>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [bins]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r9; @%p1 bra END;
    mul.wide.u32 %d4, %r1, BYTES; add.s64 %d5, %d1, %d4; ld.global.TYPE %r2, [%d5];
    mul.wide.s32 %d6, %r2, 8; add.s64 %d7, %d2, %d6; add.u32 %r3, %r1, 1;
    red.global.add.u32 [%d7+2048], %r3; red.global.OP.b32 [%d7+2052], 3;
END:
    ret;
}
"""
CHANGES = {"xor": np.bitwise_xor, "or": np.bitwise_or}


@pytest.mark.parametrize("threads", [64, 45])
@pytest.mark.parametrize("op", CHANGES)
@pytest.mark.parametrize(("type_", "low", "high"), [("u8", 0, 256), ("s8", -128, 128), ("u16", 0, 300), ("s16", -9, 9)])
def test_atomics_in_global_memory(type_: str, low: int, high: int, op: str, threads: int) -> None:
    text = CHANGE.replace("TYPE", type_).replace("BYTES", str(int(type_[1:]) // 8)).replace("OP", op)
    kernel = compiled(HEAD + text)
    random = np.random.default_rng(seed=7)
    for data in (random.integers(low, high, 64), np.full(64, 5), np.arange(64) % 9, np.repeat(np.arange(-4, 4), 8) % 7):
        data = data.astype(f"{'i' if type_[0] == 's' else 'u'}{int(type_[1:]) // 8}")
        bins, expected = np.full((600, 2), 2, np.uint32), np.full((600, 2), 2, np.uint32)
        kernel(data, bins, np.uint32(threads), threads=64)
        for thread, index in enumerate(data[:threads].astype(int)):
            expected[256 + index, 0] += thread + 1
            expected[256 + index, 1] = CHANGES[op](expected[256 + index, 1], 3)
        np.testing.assert_array_equal(bins, expected)


def test_which_atomics_use_indices_in_registers() -> None:
    program = build([HEAD + CHANGE.replace("TYPE", "u8").replace("BYTES", "1").replace("OP", "xor")])
    text = emit_kernel(program, "k", Settings(native_gather=True)).text
    assert "@lanes.atom.add.i32.monotonic.zext.i8.by8.uvv.all.red(ptr" in text
    assert ".all.red" not in emit_kernel(program, "k", Settings(native_gather=True, quick=True)).text
