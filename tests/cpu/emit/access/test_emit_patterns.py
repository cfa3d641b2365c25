# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Elements at distances that are known at compile time: loaded and stored as vectors, with shuffles."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from support.guarded import closed_pages
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, WHOLE_RUN

# Lanes whose bits `run` has copy an element: from the address of %r5 words, or to it.
KERNEL = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 run)
{{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<2>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [run];
    mov.u32 %r2, %tid.x; {index}
    mul.wide.u32 %d3, %r2, {size}; mul.wide.s32 %d4, %r5, {size};
    {addresses}
    mov.u32 %r6, %laneid; shr.u32 %r7, %r1, %r6; and.b32 %r8, %r7, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra END;
    {late}
    ld.global.u{bits} {value}, [%d5]; st.global.u{bits} [%d6], {value};
    END: ret;
}}
"""
LOAD = "add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d3;"
STORE = "add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, %d4;"
BOTH = "add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4;"
# PTX that computes the index %r5 of %tid.x in %r2, and the same in Python.
INDICES: dict[str, tuple[str, Callable[[int], int]]] = {
    "padding": ("shr.u32 %r3, %r2, 2; add.u32 %r5, %r2, %r3;", lambda i: i + i // 4),
    "padding of rows": ("shr.u32 %r3, %r2, 4; mad.lo.u32 %r5, %r3, 4, %r2;", lambda i: i + i // 16 * 4),
    "butterfly": ("xor.b32 %r5, %r2, 8;", lambda i: i ^ 8),
    "neighbours": ("xor.b32 %r5, %r2, 1;", lambda i: i ^ 1),
    "reversed rows": ("xor.b32 %r5, %r2, 7;", lambda i: i ^ 7),
    "pairs": (
        "and.b32 %r3, %r2, 3; shl.b32 %r4, %r2, 1; sub.u32 %r5, %r4, %r3;",
        lambda i: 2 * i - i % 4,
    ),
    "columns": (
        "and.b32 %r3, %r2, 7; shr.u32 %r4, %r2, 3; mad.lo.u32 %r5, %r3, 16, %r4;",
        lambda i: i % 8 * 16 + i // 8,
    ),
    "few elements": ("and.b32 %r5, %r2, 3;", lambda i: i % 4),
    "far elements": ("and.b32 %r3, %r2, 1; mul.lo.u32 %r5, %r3, 300;", lambda i: i % 2 * 300),
    "falling": ("sub.u32 %r3, 127, %r2; xor.b32 %r5, %r3, 3;", lambda i: (127 - i) ^ 3),
}
SIZES = (4, 8)
RUNS = (0xFFFFFFFF, 0, 1, 0x80000000, 0x00FF00FF, 0x0F0F3355, 0xA0000005)
pytestmark = pytest.mark.usefixtures("like_hot_kernels")


def kernel(name: str, addresses: str, size: int, late: str = "") -> str:
    index, value = INDICES[name][0], "%r9" if size == 4 else "%d7"
    return HEAD + KERNEL.format(index=index, addresses=addresses, late=late, size=size, bits=8 * size, value=value)


def running(run: int, threads: int) -> list[int]:
    return [thread for thread in range(threads) if run >> thread % 32 & 1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("block", [(32, 1, 1), (96, 1, 1), (32, 2, 1)], ids=str)
def test_each_lane_loads_its_element(name, size, block):
    loaded, index = Loaded(kernel(name, LOAD, size).encode(), WHOLE_RUN), INDICES[name][1]
    source = np.arange(1000, 1512).astype(f"u{size}")
    for run in RUNS:
        found, expected = np.zeros((2, block[0]), source.dtype)
        loaded.launch("k", (1, 1, 1), block, source, found, np.uint32(run))
        for thread in running(run, block[0]):
            expected[thread] = source[index(thread)]
        np.testing.assert_array_equal(found, expected, err_msg=f"{run:#x}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("block", [(32, 1, 1), (96, 1, 1)], ids=str)
def test_each_lane_stores_its_element(name, size, block):
    """Of lanes with one element, any may win."""
    loaded, index = Loaded(kernel(name, STORE, size).encode(), WHOLE_RUN), INDICES[name][1]
    source = np.arange(1000, 1000 + block[0]).astype(f"u{size}")
    for run in RUNS:
        found = np.zeros(512, source.dtype)
        loaded.launch("k", (1, 1, 1), block, source, found, np.uint32(run))
        lanes = running(run, block[0])
        possible = {at: {source[lane] for lane in lanes if index(lane) == at} for at in map(index, lanes)}
        assert {int(at) for at in np.flatnonzero(found)} == possible.keys()
        assert all(found[at] in values for at, values in possible.items())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("addresses", [LOAD, STORE], ids=["load", "store"])
def test_nothing_is_accessed_outside_of_the_elements_of_lanes_that_run(name, addresses, size):
    """They begin at the begin of a page, or end at its end; the pages around it cannot be accessed."""
    loaded, index = Loaded(kernel(name, addresses, size).encode(), WHOLE_RUN), INDICES[name][1]
    other = np.arange(32).astype(f"u{size}")
    with closed_pages() as (memory, start):
        for run in RUNS[:1] + RUNS[2:]:
            elements = [index(lane) for lane in running(run, 32)]
            for first in (start - size * min(elements), start + memory.size - size * (max(elements) + 1)):
                given = (np.uint64(first), other) if addresses is LOAD else (other, np.uint64(first))
                memory[:] = 7
                loaded.launch("k", (1, 1, 1), (32, 1, 1), *given, np.uint32(run))
                changed = np.flatnonzero(memory.view(other.dtype) != int.from_bytes(bytes([7] * size), "little"))
                stored = {(first - start) // size + element for element in elements}
                assert set(changed.tolist()) == (set() if addresses is LOAD else stored)


@pytest.mark.parametrize("index", [*INDICES.values(), ("shl.b32 %r5, %r2, 1;", lambda i: 2 * i)])
@pytest.mark.parametrize("start", [65500, 65535, 65504, 65336, 0])
@pytest.mark.parametrize("run", [0xFFFFFFFF, 0x7FFFFFFF])
@pytest.mark.parametrize("late", [False, True])
def test_indices_that_wrap_around_between_lanes(index, start, run, late, monkeypatch):
    """Numbers of 16 bits that are made wider: then the lanes' elements are not where the first lane's is."""
    monkeypatch.setitem(INDICES, "index", index)
    wrapping = f".reg .b16 %h<3>; cvt.u16.u32 %h1, %r5; add.u16 %h2, %h1, {start}; cvt.u64.u16 %d7, %h2;"
    addresses = f"{wrapping} shl.b64 %d4, %d7, 2; {LOAD}"
    long = "add.u32 %r11, %r11, 1; " * 20  # not executed under a mask by a converged SIMD group
    loaded = Loaded(kernel("index", *(("", 4, long + addresses) if late else (addresses, 4))).encode(), WHOLE_RUN)
    source, found, expected = np.arange(65536).astype("u4"), *np.zeros((2, 96), "u4")
    loaded.launch("k", (1, 1, 1), (96, 1, 1), source, found, np.uint32(run))
    for lane in running(run, 96):
        expected[lane] = (index[1](lane) + start) % 65536
    np.testing.assert_array_equal(found, expected)


def text_of(name: str, addresses: str, **settings) -> str:
    chosen = {"vector_bytes": 64, "native_gather": True, "lane_run": WHOLE_RUN} | settings
    return emit_kernel(build([kernel(name, addresses, 4)]), "k", Settings(**chosen)).text


@pytest.mark.parametrize(("name", "addresses"), [("padding", LOAD), ("padding", STORE), ("columns", STORE)])
def test_lanes_are_not_accessed_one_by_one(name, addresses):
    """Except by lanes that are not consecutive."""
    calls = r"call .*@(gather|scatter|gather_shared)\b"
    by_vectors, by_lanes = text_of(name, addresses), text_of(name, addresses, lane_run=FULL_RUN)
    assert len(re.findall(calls, by_vectors)) < len(re.findall(calls, by_lanes))


def test_some_lanes_store_by_vectors():
    assert "to <32 x i16>" in text_of("padding", BOTH)


@pytest.mark.parametrize("other", [{"lane_run": FULL_RUN}, {"native_gather": False}, {"quick": True}, {"width": 8}])
def test_other_code_has_no_patterns(other):
    wanted = "<i32 0, i32 1, i32 2, i32 3, i32 5, i32 6, i32 7, i32 8, i32 10,"
    assert wanted in text_of("padding", LOAD)
    assert wanted not in text_of("padding", LOAD, **other)
