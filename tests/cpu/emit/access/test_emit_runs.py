# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers whose addresses are a few runs of contiguous words, by pointers and by indices."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access import runs
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# Threads with a flag load data[numbers[t]] twice, 7 is the others' result; the loop keeps the branch from being a short
# one. LOAD loads the number from %d8; MAKE makes the address %d10 of it and of data, %d1.
LOADS = (
    HEAD
    + """
.visible .entry k(.param .u64 data, .param .u64 numbers, .param .u64 flags, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [numbers]; ld.param.u64 %d3, [flags]; ld.param.u64 %d4, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d5, %r1, 4; mul.wide.u32 %d6, %r1, 8;
    add.u64 %d7, %d3, %d5; ld.global.u32 %r6, [%d7]; add.u64 %d8, %d2, %d6; LOAD
    mov.u32 %r8, 7; setp.eq.u32 %p1, %r6, 0; mov.u32 %r9, 0;
    @%p1 bra END;
    mov.u32 %r8, 0;
AGAIN:
    MAKE
    ld.global.u32 %r13, [%d10]; add.u32 %r8, %r8, %r13; add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2;
    @%p2 bra AGAIN;
END:
    add.u64 %d11, %d4, %d5; st.global.u32 [%d11], %r8;
    ret;
}
"""
)


def kernel(load: str, make: str) -> str:
    return LOADS.replace("LOAD", load).replace("MAKE", make)


POINTERS = kernel("ld.global.u64 %d9, [%d8]; shl.b64 %d9, %d9, 2;", "add.s64 %d10, %d9, %d1;")
WORDS = kernel("ld.global.s32 %r7, [%d8];", "mul.wide.s32 %d9, %r7, 4; add.s64 %d10, %d1, %d9;")
BYTES = kernel("ld.global.s32 %r7, [%d8];", "shl.b32 %r10, %r7, 2; cvt.s64.s32 %d9, %r10; add.s64 %d10, %d1, %d9;")
COUNT, SIZE = 64, 512
NORESERVE = 0x4000  # of mmap, on Linux

pytestmark = pytest.mark.usefixtures("like_hot_kernels")
needs_avx512 = pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no AVX-512")


def check(loaded: Loaded, numbers: np.ndarray, flags: np.ndarray) -> None:
    data = np.random.default_rng(4).integers(0, 1 << 30, SIZE, np.uint32)
    found = np.zeros(COUNT, np.uint32)
    loaded.launch("k", 1, COUNT, data, numbers.astype(np.int64), flags.astype(np.uint32), found)
    expected = np.where(flags, 2 * data[np.where(flags, numbers, 0)], 7)
    np.testing.assert_array_equal(found, expected, err_msg=f"{numbers} {flags}")


def in_runs(lengths: list[int], starts: list[int]) -> np.ndarray:
    """Return numbers that rise by one in each run."""
    parts = [np.arange(length) + start for length, start in zip(lengths, starts, strict=True)]
    return np.resize(np.concatenate(parts), COUNT)


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("text", [POINTERS, WORDS, BYTES], ids=["pointers", "words", "bytes"])
def test_runs_of_some_lanes_are_loaded(monkeypatch, text, width):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded, random = Loaded(text.encode(), FULL_RUN), np.random.default_rng(1)
    for _ in range(60):
        lengths = list(random.integers(1, 33, 8)) + [COUNT]
        numbers = in_runs(lengths, list(random.integers(0, SIZE - COUNT, 9)))
        for share in (1, 0.9, 0.3, 0.05):
            check(loaded, numbers, random.random(COUNT) < share)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(2, 20), st.integers(0, 300)), min_size=4, max_size=8), st.data())
def test_lanes_that_do_not_run_may_have_any_address(shape, data):
    """Their numbers interrupt runs or belong to no memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_CPU_LEVEL", "1")
        loaded = Loaded(WORDS.encode(), FULL_RUN)  # from the disk cache
        numbers = in_runs([length for length, _ in shape], [start for _, start in shape])
        flags = np.ones(COUNT, bool)
        flags[data.draw(st.lists(st.integers(0, COUNT - 1), max_size=COUNT))] = False
        numbers[~flags] = data.draw(st.sampled_from([0, -(1 << 31), (1 << 31) - 1, 1 << 20]))
        check(loaded, numbers, flags)


@pytest.mark.parametrize("text", [POINTERS, WORDS], ids=["pointers", "words"])
@pytest.mark.parametrize("lanes", [slice(20, 32), slice(0, 20), slice(10, 20)], ids=["last", "first", "middle"])
def test_a_run_of_lanes_that_do_not_run_is_not_loaded(text, lanes):
    flags = np.ones(COUNT, bool)
    flags[lanes] = False
    numbers = np.where(flags, np.arange(COUNT), np.arange(COUNT) + (1 << 40 if text == POINTERS else (1 << 31) - 200))
    check(Loaded(text.encode(), FULL_RUN), numbers, flags)


@pytest.mark.cpu_only  # a GPU would need a copy of 16 GiB
def test_indices_that_wrap_around_in_a_run_are_other_addresses():
    """2**31 - 1 and -2**31 follow each other in 32 bits: their words are 16 GiB apart, of which a few KiB are used."""
    half, flags = 1 << 31, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
    with mmap.mmap(-1, 8 * half, flags=flags) as room:
        words = np.frombuffer(room, np.uint32)
        lanes = np.arange(COUNT)
        numbers = np.where(lanes % 32 < 20, lanes, half - 26 + lanes % 32).astype(np.uint32).view(np.int32)
        assert {half - 1, -half} <= set(numbers.tolist())
        words[numbers.astype(np.int64) + half] = lanes + 1
        found, all_run = np.zeros(COUNT, np.uint32), np.ones(COUNT, np.uint32)
        data = np.uint64(words.ctypes.data + 4 * half)
        Loaded(WORDS.encode(), FULL_RUN).launch("k", 1, COUNT, data, numbers.astype(np.int64), all_run, found)
        np.testing.assert_array_equal(found, 2 * words[numbers.astype(np.int64) + half])
        del words


@needs_avx512
@pytest.mark.cpu_only
@pytest.mark.parametrize(
    ("numbers", "in_parts"),
    [
        (in_runs([10, 20, 2] * 2, [50, 0, 300] * 2), True),
        (in_runs([31, 1] * 2, [50, 20] * 2), True),
        (in_runs([8] * 8, list(range(0, 160, 20))), False),
        (np.arange(COUNT), False),
        (np.arange(COUNT)[::-1], False),
    ],
    ids=["three rows", "a lane apart", "too many", "contiguous", "backwards"],
)
@pytest.mark.parametrize("text", [POINTERS, WORDS], ids=["pointers", "words"])
def test_only_a_few_runs_are_loaded_one_by_one(monkeypatch, text, numbers, in_parts):
    """A trap shows which code runs."""
    gather = runs.gather

    def trapping(frame, *scale):
        frame.module.declare("llvm.trap", "void", [])
        return gather(frame, *scale).replace("each:\n", "each:\n  call void @llvm.trap()\n")

    monkeypatch.setattr(runs, "gather", trapping)
    data, flags, found = np.zeros(SIZE, np.uint32), np.ones(COUNT, np.uint32), np.zeros(COUNT, np.uint32)
    fault = Loaded(text.encode(), FULL_RUN).run("k", 1, COUNT, data, numbers.astype(np.int64), flags, found)
    assert (fault is not None) == in_parts


@pytest.mark.parametrize(("gathers", "quick"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("text", [POINTERS, WORDS], ids=["pointers", "words"])
def test_hot_kernels_have_them_where_the_cpu_has_masks(text, gathers, quick):
    emitted = emit_kernel(build([text]), "k", Settings(native_gather=gathers, vector_bytes=64, quick=quick)).text
    assert ("runs:" in emitted) == (gathers and not quick)
