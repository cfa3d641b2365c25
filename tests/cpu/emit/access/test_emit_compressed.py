# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lanes that store one word after the other, as stream compaction does, while lanes between them do not run."""

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
from cuda.cpu.emit.access import compressed
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# Threads whose target is not negative store their number there; the loop keeps the branch from being a short one.
KERNEL = (
    HEAD
    + """
.visible .entry k(.param .u64 out, .param .u64 targets)
{
    .reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .b64 %%d<12>; .shared .align 4 .b32 tile[128];
    ld.param.u64 %%d1, [out]; ld.param.u64 %%d2, [targets]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d3, %%r1, 8;
    add.u64 %%d2, %%d2, %%d3; ld.global.u64 %%d4, [%%d2]; setp.lt.s64 %%p1, %%d4, 0; mov.u32 %%r5, 0;
    mul.wide.u32 %%d6, %%r1, 4; add.u64 %%d6, %%d6, %%d1; shl.b32 %%r7, %%r1, 2; mov.u32 %%r8, tile;
    add.u32 %%r7, %%r7, %%r8; mov.s32 %%r6, -1; st.shared.u32 [%%r7], %%r6; st.shared.u32 [%%r7+256], %%r6; bar.sync 0;
    @%%p1 bra END;
AGAIN:
    add.u32 %%r5, %%r5, 1; %s setp.lt.u32 %%p2, %%r5, 2;
    @%%p2 bra AGAIN;
END:
    bar.sync 0; %s
    ret;
}
"""
)
COPY = "ld.shared.u32 %r2, [%r7]; ld.shared.u32 %r3, [%r7+256]; st.global.u32 [%d6], %r2; st.global.u32 [%d6+256], %r3;"
BY_INDEX = "cvt.u32.u64 %%r6, %%d4; mul.wide.%s %%d5, %%r6, 4; add.u64 %%d5, %%d5, %%d1; st.global.u32 [%%d5], %%r1;"
STORES = {
    "pointers": ("shl.b64 %d5, %d4, 2; add.u64 %d5, %d5, %d1; st.global.u32 [%d5], %r1;", ""),
    "u32": (BY_INDEX % "u32", ""),
    "s32": (BY_INDEX % "s32", ""),
    "negative": ((BY_INDEX % "s32").replace(";", "; sub.s32 %r6, %r6, 300;", 1).replace("[%d5]", "[%d5+1200]"), ""),
    "u16": ("cvt.u16.u64 %h1, %d4; mul.wide.u16 %r6, %h1, 4; cvt.u64.u32 %d5, %r6; add.u64 %d5, %d5, %d1;"
            "st.global.u32 [%d5], %r1;", ""),
    "bytes": ("cvt.u32.u64 %r6, %d4; cvt.u64.u32 %d5, %r6; add.u64 %d5, %d5, %d1; st.global.u32 [%d5], %r1;", ""),
    "shared": ("cvt.u32.u64 %r6, %d4; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r8; st.shared.u32 [%r6], %r1;", COPY),
}  # fmt: skip


def text_of(store: str) -> str:
    return (KERNEL % STORES[store]).replace(".reg .pred", ".reg .b16 %h<2>; .reg .pred", 1)


STORE = text_of("pointers")
COUNT = 64

needs_avx512 = pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no AVX-512")


MAP_NORESERVE = 0x4000  # of Linux, not in `mmap` before Python 3.13
BY_WORD = [each for each in STORES if each != "bytes"]


@pytest.fixture(params=["32", "16"])
def width(monkeypatch, request):
    monkeypatch.setenv("CUDA_CPU_WIDTH", request.param)


@pytest.fixture(params=BY_WORD)
def loaded(request, width, like_hot_kernels):
    return Loaded(text_of(request.param).encode(), FULL_RUN)


def stored(loaded: Loaded, targets: np.ndarray) -> np.ndarray:
    found = np.full(2 * COUNT, -1, np.int32)
    loaded.launch("k", 1, COUNT, found, targets)
    return found


def expected(targets: np.ndarray) -> np.ndarray:
    result = np.full(2 * COUNT, -1, np.int32)
    for lane in np.flatnonzero(targets >= 0):
        result[targets[lane]] = lane
    return result


def ranks(runs: np.ndarray, first: int = 0) -> np.ndarray:
    """Return the rank of each lane among those that run, from `first` on, and -1 for the others."""
    return np.where(runs, first + np.cumsum(runs) - 1, -1)


CASES = [  # targets, and whether they are compressed
    pytest.param(ranks(np.arange(COUNT) % 3 > 0), True, id="compaction"),
    pytest.param(ranks(np.arange(COUNT) % 3 > 0) * 2, False, id="every other word"),
    pytest.param(ranks(np.arange(COUNT) % 16 == 1), False, id="few lanes"),
]


def test_words_follow_each_other(loaded):
    random = np.random.default_rng(1)
    for share in np.linspace(0, 1, 40):
        targets = ranks(random.random(COUNT) < share, int(random.integers(0, COUNT)))
        np.testing.assert_array_equal(stored(loaded, targets), expected(targets), err_msg=str(targets))


@pytest.mark.parametrize("half", [slice(0, 16), slice(16, 32), slice(0, 32), slice(8, 24)])
def test_whole_registers_and_none(loaded, half):
    runs = np.zeros(COUNT, bool)
    runs[half] = True
    runs[40:60:3] = True
    targets = ranks(runs)
    np.testing.assert_array_equal(stored(loaded, targets), expected(targets))


@settings(max_examples=120)
@given(st.sampled_from(BY_WORD), st.lists(st.booleans(), min_size=32, max_size=32), st.data())
def test_addresses_that_nearly_follow(form, runs, data):
    """The ends are as far apart as if all followed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_CPU_LEVEL", "1")
        loaded = Loaded(text_of(form).encode(), FULL_RUN)  # from the disk cache
        targets = np.concatenate([ranks(np.array(runs)), np.full(32, -1)])
        lanes = np.flatnonzero(targets >= 0)[1:-1]
        if lanes.size > 1:
            a, b = data.draw(st.sampled_from(list(lanes))), data.draw(st.sampled_from(list(lanes)))
            targets[[a, b]] = targets[[b, a]]
            targets[a] += data.draw(st.sampled_from([0, 0, 40]))
        np.testing.assert_array_equal(stored(loaded, targets), expected(targets), err_msg=str(targets))


def test_any_words(loaded):
    """Contiguous ones with some left out, each lane's anywhere, one for all lanes, and few lanes."""
    random = np.random.default_rng(2)
    for share in (0.05, 0.1, 0.3, 0.5, 0.8, 1):
        runs = random.random(COUNT) < share
        for far in (
            np.arange(COUNT) + 3,
            random.permutation(2 * COUNT)[:COUNT],
            np.arange(COUNT) % 16 + 2,
            np.full(COUNT, 7),
        ):
            targets = np.where(runs, far, -1)
            np.testing.assert_array_equal(stored(loaded, targets), expected(targets), err_msg=str(targets))


@pytest.mark.cpu_only
@pytest.mark.usefixtures("width", "like_hot_kernels")
@pytest.mark.parametrize("apart", [4, 8])
@pytest.mark.parametrize("some", [slice(0, COUNT, 2), slice(0, COUNT, 16)], ids=["many", "few"])
def test_indices_wrap_around(apart, some):
    """They are as far apart as those of words that follow, but the addresses are at both ends of 4 GiB."""
    size = (1 << 32) + 4096
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    found = np.frombuffer(memory, np.int32)
    runs = np.zeros(COUNT, bool)
    runs[some] = True
    rank = ranks(runs) if apart == 4 else np.arange(COUNT)
    targets = np.where(runs, ((1 << 32) - 16 + 4 * rank) % (1 << 32), -1)
    Loaded(text_of("bytes").encode(), FULL_RUN).launch("k", 1, COUNT, found, targets)
    lanes = np.flatnonzero(runs)
    np.testing.assert_array_equal(found[targets[lanes] // 4], lanes)
    assert not found[1 << 30 :].any()


@pytest.mark.cpu_only
@needs_avx512
@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize(
    ("targets", "is_compressed"),
    [
        *CASES,
        pytest.param(np.where(np.arange(COUNT) % 3 > 0, COUNT - np.arange(COUNT), -1), False, id="backwards"),
    ],
)
def test_only_words_that_follow_are_compressed(monkeypatch, targets, is_compressed):
    """A trap shows which code runs."""
    store = compressed.store

    def trapping(frame):
        frame.module.declare("llvm.trap", "void", [])
        return store(frame).replace("compress:\n", "compress:\n  call void @llvm.trap()\n")

    monkeypatch.setattr(compressed, "store", trapping)
    found = np.full(2 * COUNT, -1, np.int32)
    fault = Loaded(STORE.encode(), FULL_RUN).run("k", 1, COUNT, found, targets)
    assert (fault is not None) == is_compressed


@pytest.mark.cpu_only
@needs_avx512
@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize(
    ("targets", "is_compressed"),
    [
        *CASES,
        pytest.param(ranks(np.arange(COUNT) % 32 > 16, 5), True, id="second register"),
        pytest.param(np.full(COUNT, -1), False, id="no lane"),
    ],
)
@pytest.mark.parametrize("form", ["u32", "s32", "shared"])
def test_indices_that_follow_are_compressed(monkeypatch, form, targets, is_compressed):
    label = Builder.label

    def trapping(builder, name):
        label(builder, name)
        if name.startswith("compress."):
            builder.module.declare("llvm.trap", "void", [])
            builder.call("llvm.trap", "void")

    monkeypatch.setattr(Builder, "label", trapping)
    found = np.full(2 * COUNT, -1, np.int32)
    fault = Loaded(text_of(form).encode(), FULL_RUN).run("k", 1, COUNT, found, targets)
    assert (fault is not None) == is_compressed


@pytest.mark.parametrize(("gathers", "quick"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize(
    ("form", "by"), [("pointers", ""), ("u32", ".unsigned.by4"), ("s32", ".signed.by4"), ("u16", ".signed.by4")]
)
def test_hot_kernels_are_compressed_where_the_cpu_does(gathers, quick, form, by):
    settings = Settings(native_gather=gathers, vector_bytes=64, quick=quick)
    text = emit_kernel(build([text_of(form)]), "k", settings).text
    assert ("mask.compress" in text) == (gathers and not quick)
    assert (f"call void @scatter.i32{by}(" in text) == (by == "" or (gathers and not quick))
