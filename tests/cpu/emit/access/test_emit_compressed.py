# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lanes that store one word after the other, as stream compaction does, while lanes between them do not run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access import compressed
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# Threads whose target is not negative store their number there; the loop keeps the branch from being a short one.
STORE = (
    HEAD
    + """
.visible .entry k(.param .u64 out, .param .u64 targets)
{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<12>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [targets]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 8;
    add.u64 %d2, %d2, %d3; ld.global.u64 %d4, [%d2]; setp.lt.s64 %p1, %d4, 0; mov.u32 %r5, 0;
    @%p1 bra END;
    shl.b64 %d4, %d4, 2; add.u64 %d4, %d4, %d1;
AGAIN:
    add.u32 %r5, %r5, 1; st.global.u32 [%d4], %r1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    ret;
}
"""
)
COUNT = 64

needs_avx512 = pytest.mark.skipif(not jit._has_gathers(), reason="the CPU has no AVX-512")


@pytest.fixture(params=["32", "16"])
def loaded(monkeypatch, request, like_hot_kernels):
    monkeypatch.setenv("CUDA_CPU_WIDTH", request.param)
    return Loaded(STORE.encode(), FULL_RUN)


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


@settings(max_examples=60)
@given(st.lists(st.booleans(), min_size=32, max_size=32), st.data())
def test_addresses_that_nearly_follow(runs, data):
    """The ends are as far apart as if all followed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_CPU_LEVEL", "1")
        loaded = Loaded(STORE.encode(), FULL_RUN)  # from the disk cache
        targets = np.concatenate([ranks(np.array(runs)), np.full(32, -1)])
        lanes = np.flatnonzero(targets >= 0)[1:-1]
        if lanes.size > 1:
            a, b = data.draw(st.sampled_from(list(lanes))), data.draw(st.sampled_from(list(lanes)))
            targets[[a, b]] = targets[[b, a]]
            targets[a] += data.draw(st.sampled_from([0, 0, 40]))
        np.testing.assert_array_equal(stored(loaded, targets), expected(targets), err_msg=str(targets))


@pytest.mark.cpu_only
@needs_avx512
@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize(
    ("targets", "is_compressed"),
    [
        (ranks(np.arange(COUNT) % 3 > 0), True),
        (ranks(np.arange(COUNT) % 3 > 0) * 2, False),
        (np.where(np.arange(COUNT) % 3 > 0, COUNT - np.arange(COUNT), -1), False),
        (ranks(np.arange(COUNT) % 16 == 1), False),
    ],
    ids=["compaction", "every other word", "backwards", "few lanes"],
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


@pytest.mark.parametrize(("gathers", "quick"), [(True, False), (True, True), (False, False)])
def test_hot_kernels_are_compressed_where_the_cpu_does(gathers, quick):
    settings = Settings(native_gather=gathers, vector_bytes=64, quick=quick)
    text = emit_kernel(build([STORE]), "k", settings).text
    assert ("mask.compress" in text) == (gathers and not quick)
