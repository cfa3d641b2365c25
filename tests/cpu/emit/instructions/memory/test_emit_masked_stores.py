# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Contiguous words and long words that some lanes store, on CPUs where masked stores take long."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.instructions.memory import masked_stores
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Value
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN

# Lanes whose flag is set store an element plus the number of the iteration; the loop keeps the branch from being short.
STORES = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 flags)
{{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b{bits} %v<4>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [flags];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d4, %r1, {size}; add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4;
    mul.wide.u32 %d7, %r1, 4; add.u64 %d7, %d3, %d7; ld.global.u32 %r4, [%d7]; ld.global.b{bits} %v1, [%d5];
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra END;
    mov.u32 %r5, 0;
AGAIN:
    add.u{bits} %v1, %v1, 1; st.global.b{bits} [%d6], %v1;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    ret;
}}
"""
BLOCKS = [((32, 1, 1), FULL_RUN), ((96, 1, 1), FULL_RUN), ((40, 1, 1), FULL_RUN), ((16, 4, 1), HALF_RUN)]


@pytest.fixture(autouse=True)
def _like_hot_kernels(monkeypatch):
    """Compile at once as tier-up does, for vectors of 32 bytes; other CPUs than x86 split them."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    monkeypatch.setattr(jit, "_has_gathers", lambda: False)
    monkeypatch.setattr(jit, "_vector_bytes", lambda: 32)


def text_of(size: int) -> str:
    return HEAD + STORES.format(size=size, bits=8 * size)


def patterns(count: int) -> list[np.ndarray]:
    """Return flags of which runs of 1 to 32 lanes, and random lanes in some of the runs, are set."""
    random = np.random.default_rng(6)
    found = [np.zeros(count, np.uint32), np.ones(count, np.uint32)]
    for run in (1, 2, 4, 8, 12, 16, 24, 32):
        some = np.repeat(random.integers(0, 3, -(-count // run)), run)[:count]
        found += [some > 0, np.where(some == 2, random.integers(0, 2, count), some), np.arange(count) % 32 < run]
    return [each.astype(np.uint32) for each in found]


def differs(loaded: Loaded, size: int, block: tuple[int, int, int], flags: np.ndarray) -> bool:
    source = np.random.default_rng(3).integers(0, 1 << 30, len(flags)).astype(f"u{size}")
    found = np.full_like(source, 7)
    loaded.launch("k", (1, 1, 1), block, source, found, flags)
    return not np.array_equal(found, np.where(flags > 0, source + 2, 7))


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize(("block", "row"), BLOCKS, ids=str)
def test_only_elements_of_lanes_that_run_are_stored(size, block, row):
    loaded, count = Loaded(text_of(size).encode(), row), block[0] * block[1]
    assert f"call void @some.store.v{row}i{8 * size}" in jit.kernel_text(build([text_of(size)]), "k", row).text
    for flags in patterns(count):
        assert not differs(loaded, size, block, flags), flags


@pytest.mark.parametrize("size", [4, 8])
def test_no_page_without_an_element_of_a_lane_that_runs_is_accessed(size):
    """The first or the last of the elements of lanes that run lies at the border of a page."""
    room = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (0, 2):
        assert protect(ctypes.c_void_p(start + page * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    memory = np.frombuffer(room, np.uint8)[mmap.PAGESIZE : 2 * mmap.PAGESIZE].view(f"u{size}")
    source, loaded = np.arange(32, dtype=f"u{size}"), Loaded(text_of(size).encode())
    for flags in filter(np.any, patterns(32)):
        lanes = np.flatnonzero(flags)
        for first in (len(memory) - 1 - lanes[-1], -lanes[0]):
            memory[:] = 99
            address = np.uint64(start + mmap.PAGESIZE + size * int(first))
            loaded.launch("k", (1, 1, 1), (32, 1, 1), source, address, flags)
            expected = np.full_like(memory, 99)
            expected[first + lanes] = source[lanes] + 2
            np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize(
    ("gathers", "vector", "lanes", "quick", "used"),
    [(False, 32, 32, False, True), (False, 32, 8, False, True), (True, 32, 32, False, False),
     (True, 64, 32, False, False), (False, 0, 32, False, False), (False, 32, 4, False, False),
     (False, 32, 32, True, False)],
)  # fmt: skip
def test_they_are_for_cpus_without_masks(gathers, vector, lanes, quick, used):
    settings = Settings(width=lanes, native_gather=gathers, vector_bytes=vector, quick=quick)
    assert ("@some.store" in emit_kernel(build([text_of(4)]), "k", settings).text) == used


def _without_mask(builder: Builder, part: Part, base: str, bits: Value) -> None:
    builder.store_part(part, base, align=4)


def _not_at_all(builder: Builder, part: Part, base: str, bits: Value) -> None:
    pass


def _of_first_lanes(builder: Builder, mask: Value, first: int, count: int) -> Value:
    return builder.cast("trunc", mask, f"i{count}")


FAULTS = {"_store_masked": (_without_mask, _not_at_all), "_bits": (_of_first_lanes,)}


@pytest.mark.cpu_only
@pytest.mark.parametrize(("name", "fault"), [(name, fault) for name, some in FAULTS.items() for fault in some])
def test_random_patterns_find_planted_faults(name, fault, monkeypatch):
    monkeypatch.setattr(masked_stores, name, fault)
    loaded = Loaded(text_of(4).encode())
    assert any(differs(loaded, 4, (32, 1, 1), flags) for flags in patterns(32))
