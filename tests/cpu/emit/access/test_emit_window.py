# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers of words near each other, between the first lane's and the last one's or in a table, by one load."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from support.guarded import closed_pages
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access import window
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# out[t] = the word at data + FACTOR * numbers[t]. SAME makes %r7 of %r6, the number.
LOADS = (
    HEAD
    + """
.visible .entry k(.param .u64 data, .param .u64 numbers, .param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<40>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [numbers]; ld.param.u64 %d4, [out]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %d5, %r1, 4; add.u64 %d8, %d2, %d5; ld.global.s32 %r6, [%d8]; SAME
    mul.wide.s32 %d9, %r7, FACTOR;
    add.s64 %d10, %d1, %d9; ld.global.u32 %r13, [%d10]; add.u64 %d11, %d4, %d5; st.global.u32 [%d11], %r13;
    ret;
}
"""
)
COUNT, SIZE = 64, 256
LANES = np.arange(COUNT) % 32
NORESERVE = 0x4000  # of mmap, on Linux

pytestmark = pytest.mark.usefixtures("like_hot_kernels")
needs_avx512 = pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no AVX-512")


def same_of_bits() -> str:
    """Return code that makes a number of a few bits each: so it looks as if lanes were near each other."""
    text = "mov.u32 %r20, 0;"
    for part in range(6):
        last, to = 20 + part, 21 + part if part < 5 else 7
        text += f"shr.u32 %r{26 + part}, %r6, {6 * part}; and.b32 %r{32 + part}, %r{26 + part}, 63;"
        text += f"mad.lo.u32 %r{to}, %r{32 + part}, {1 << 6 * part}, %r{last};"
    return text


def text_of(factor: int, same: str | None = None) -> str:
    return LOADS.replace("FACTOR", str(factor)).replace("SAME", same or same_of_bits())


def check(loaded: Loaded, numbers: np.ndarray, factor: int) -> None:
    """Load words at `factor` * numbers, in bytes from the middle of the data."""
    data, found = np.random.default_rng(1).integers(0, 256, 8 * SIZE, np.uint8), np.zeros(COUNT, np.uint32)
    loaded.launch("k", 1, COUNT, np.uint64(data.ctypes.data + 4 * SIZE), numbers.astype(np.int32), found)
    begins = 4 * SIZE + factor * numbers[:, None] + np.arange(4)
    np.testing.assert_array_equal(found, data[begins].view(np.uint32)[:, 0], err_msg=str(numbers))


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("factor", [1, 2, 4, 8])
def test_words_between_the_first_and_the_last_one_are_loaded(monkeypatch, factor, width):
    """Also such as are further apart, in another order, outside of both ends, or at addresses between words."""
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded, random, step = Loaded(text_of(factor).encode(), FULL_RUN), np.random.default_rng(2), max(1, 4 // factor)
    for first in (-40, -3, 0, 17):
        for distance in (LANES // 8, LANES // 2, LANES // 3, LANES * 0, LANES // 16 * 15, LANES // 16 * 16, LANES):
            check(loaded, first + step * distance, factor)
            check(loaded, first - step * distance, factor)
    for _ in range(100):
        distance = np.sort(random.integers(0, random.integers(2, 20), COUNT))
        inside = random.integers(0, 12, COUNT)
        inside[::16], inside[15::16] = 0, 11
        outside = inside.copy()
        outside[random.integers(0, COUNT, 2)] = (-1, 13)
        for each in (distance, inside, outside):
            check(loaded, step * each, factor)
            check(loaded, step * each + random.integers(0, 2, COUNT), factor)


@needs_avx512
@pytest.mark.parametrize(
    ("distances", "loads"),
    [
        (LANES // 8, True),
        (LANES // 2, True),
        (LANES // 16 * 15, True),
        (np.minimum(LANES, 1) * 15, True),
        (LANES // 16 * 16, False),
        (LANES[::-1] // 8, False),
        (np.where(LANES == 7, 5, LANES // 8), False),
        (np.where(LANES == 7, -1, LANES // 8), False),
    ],
    ids=["eighths", "halves", "16 words", "16 words at once", "17 words", "backwards", "above", "below"],
)
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_which_words_are_loaded_at_once(monkeypatch, distances, loads, factor):
    assert runs_code(monkeypatch, "window", factor, (distances + 14) * (4 // factor)) == loads


def runs_code(monkeypatch: pytest.MonkeyPatch, label: str, factor: int, numbers: np.ndarray) -> bool:
    """Return whether the code behind a label runs, by a trap."""
    gather = window.gather

    def trapping(frame, scale):
        frame.module.declare("llvm.trap", "void", [])
        return gather(frame, scale).replace(f"\n{label}:\n", f"\n{label}:\n  call void @llvm.trap()\n")

    monkeypatch.setattr(window, "gather", trapping)
    data, found = np.zeros(SIZE, np.uint32), np.zeros(COUNT, np.uint32)
    data = data[-data.ctypes.data // 4 % 16 :]  # a table of it ends in its page
    return (
        Loaded(text_of(factor).encode(), FULL_RUN).run("k", 1, COUNT, data, numbers.astype(np.int32), found) is not None
    )


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("factor", [1, 2, 4, 8])
def test_words_of_a_table_are_loaded(monkeypatch, factor, width):
    """Also such as are beside the table, or between its words."""
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded, random, step = Loaded(text_of(factor).encode(), FULL_RUN), np.random.default_rng(3), max(1, 4 // factor)
    for first in (-32, -16, 0, 5, 16):
        for count in (1, 5, 16, 17):
            for _ in range(10):
                numbers = step * (first + random.integers(0, count, COUNT))
                check(loaded, numbers, factor)
                numbers[random.integers(0, COUNT)] += 1
                check(loaded, numbers, factor)


RANDOM = np.random.default_rng(4).integers(0, 16, COUNT)


@needs_avx512
@pytest.mark.parametrize(
    ("numbers", "loads"),
    [
        (RANDOM, True),
        (RANDOM + 32, True),
        (RANDOM + 8, False),
        (np.where(LANES == 31, 16, RANDOM), False),
        (np.where(LANES == 0, 17, RANDOM), False),
    ],
    ids=["table", "another one", "two tables", "last lane", "first lane"],
)
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_which_tables_are_loaded_at_once(monkeypatch, numbers, loads, factor):
    assert runs_code(monkeypatch, "table", factor, numbers * (4 // factor)) == loads


@pytest.mark.parametrize("most", range(1, 17))
def test_a_table_is_not_loaded_from_two_pages(most):
    """The first or the last words of it are in a page that cannot be accessed."""
    loaded = Loaded(text_of(4).encode(), FULL_RUN)
    with closed_pages() as (page, address):
        words = page.view(np.uint32)
        words[:] = np.arange(words.size)
        for first, numbers in ((words.size - most, RANDOM % most), (most - 16, 15 - RANDOM % most)):
            found = np.zeros(COUNT, np.uint32)
            loaded.launch("k", 1, COUNT, np.uint64(address + 4 * first), numbers.astype(np.int32), found)
            np.testing.assert_array_equal(found, first + numbers)


@pytest.mark.parametrize("at_end", [True, False])
def test_nothing_is_loaded_beyond_the_words(at_end):
    loaded = Loaded(text_of(4).encode(), FULL_RUN)
    with closed_pages() as (page, address):
        words = page.view(np.uint32)
        words[:] = np.arange(words.size)
        for most in range(16):
            numbers = np.minimum(LANES // 2, most).astype(np.int32) + (words.size - 1 - most if at_end else 0)
            found = np.zeros(COUNT, np.uint32)
            loaded.launch("k", 1, COUNT, np.uint64(address), numbers, found)
            np.testing.assert_array_equal(found, words[numbers])


def test_indices_that_wrap_around_are_other_addresses():
    """2**31 - 1 and -2**31 follow each other in 32 bits: their words are 16 GiB apart, of which a few KiB are used."""
    half, flags = 1 << 31, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
    with mmap.mmap(-1, 8 * half, flags=flags) as room:
        words = np.frombuffer(room, np.uint32)
        numbers = (half - 2 + LANES // 8).astype(np.uint32).view(np.int32)
        assert {half - 1, -half} <= set(numbers.tolist())
        words[numbers.astype(np.int64) + half] = LANES // 8 + 1
        found = np.zeros(COUNT, np.uint32)
        data = np.uint64(words.ctypes.data + 4 * half)
        Loaded(text_of(4).encode(), FULL_RUN).launch("k", 1, COUNT, data, numbers, found)
        np.testing.assert_array_equal(found, LANES // 8 + 1)
        del words


@pytest.mark.parametrize(("gathers", "quick"), [(True, False), (True, True), (False, False)])
def test_hot_kernels_have_them_where_the_cpu_has_masks(gathers, quick):
    settings = Settings(native_gather=gathers, vector_bytes=64, quick=quick)
    text = emit_kernel(build([text_of(4)]), "k", settings).text
    assert ("window:" in text) == (gathers and not quick)
    assert ".some.near(" not in text  # lanes that do not run have any address


# The thread's number divided by 8, as a signed number.
EIGHTH = (
    "mov.u32 %r12, %ctaid.x; mad.lo.s32 %r11, %r12, 64, %r1; shr.s32 %r8, %r11, 31; shr.u32 %r9, %r8, 29;"
    "add.s32 %r10, %r11, %r9; shr.s32 %r7, %r10, 3;"
)


@pytest.mark.parametrize(
    ("same", "near"),
    [
        ("mov.u32 %r7, %r6;", False),
        ("and.b32 %r7, %r6, 15;", True),
        ("and.b32 %r7, %r6, 60;", True),
        ("and.b32 %r7, %r6, 255;", False),
        ("and.b32 %r7, %r6, -1;", False),
        ("bfe.u32 %r7, %r6, 8, 4;", True),
        ("bfe.u32 %r7, %r6, 8, 5;", False),
        ("shr.u32 %r7, %r1, 3;", True),
        (EIGHTH, True),
        ("shr.u32 %r7, %r6, 3;", False),
        ("shr.u32 %r8, %r1, 3; add.u32 %r7, %r8, %r6;", False),
        ("shr.u32 %r7, %r1, 3; setp.eq.u32 %p1, %r6, 0; @%p1 mov.u32 %r7, %r6;", False),  # two writes
    ],
)
def test_only_numbers_that_look_near_have_them(same, near):
    text = text_of(4, same)
    emitted = emit_kernel(build([text]), "k", Settings(native_gather=True, vector_bytes=64)).text
    assert ("window:" in emitted) == near
