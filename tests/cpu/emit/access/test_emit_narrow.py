# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Contiguous elements of which some lanes run, as on CPUs that have masked accesses of words only."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN

# Lanes whose flag is set copy an element; the loop keeps the branch from being a short one.
COPY = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 flags)
{{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [flags];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d4, %r1, {size}; add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4;
    mul.wide.u32 %d7, %r1, 4; add.u64 %d7, %d3, %d7; ld.global.u32 %r4, [%d7]; setp.eq.u32 %p1, %r4, 0;
    @%p1 bra END;
    {loop}
    ld.global.u{bits} {value}, [%d5]; add.u{least} {value}, {value}, 1; st.global.u{bits} [%d6], {value};
    {again}
END:
    ret;
}}
"""
BLOCKS = [((32, 1, 1), FULL_RUN), ((96, 1, 1), FULL_RUN), ((40, 1, 1), FULL_RUN), ((16, 4, 1), HALF_RUN)]


@pytest.fixture(autouse=True)
def _like_hot_kernels(monkeypatch):
    """Compile at once as tier-up does, without masked accesses of small elements."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setattr(jit, "_has_gathers", lambda: False)


def copy_of(size: int, *, long: bool) -> str:
    loop, again = ("mov.u32 %r5, 0;\nAGAIN:", "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;\n@%p2 bra AGAIN;")
    names = (loop, again) if long else ("", "")
    value, least = ("%r8", 32) if size == 4 else ("%h1", 16)
    return HEAD + COPY.format(size=size, bits=8 * size, loop=names[0], again=names[1], value=value, least=least)


def flags_of(kind: str, count: int) -> np.ndarray:
    lanes, random = np.arange(count), np.random.default_rng(5)
    if kind == "random":
        return random.integers(0, 2, count).astype(np.uint32)
    if kind == "all but ends":
        return ((lanes % 32 > 0) & (lanes % 32 < 31)).astype(np.uint32)
    return (lanes % 32 < int(kind)).astype(np.uint32) if int(kind) > 0 else (lanes % 32 >= -int(kind)).astype(np.uint32)


KINDS = ["random", "all but ends", "1", "2", "5", "8", "13", "16", "27", "32", "-1", "-9", "-17", "-24", "-31"]


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize(("block", "row"), BLOCKS, ids=str)
@pytest.mark.parametrize("long", [True, False])
def test_only_elements_of_lanes_that_run_are_copied(size, block, row, long):
    loaded, count = Loaded(copy_of(size, long=long).encode(), row), block[0] * block[1]
    text = jit.kernel_text(build([copy_of(size, long=long)]), "k", row).text
    assert f"call void @{'llvm.masked.store.v' if size == 4 else f'narrow.store.v{row}i{8 * size}'}" in text
    for kind in KINDS:
        source = np.random.default_rng(3).integers(0, 200, count).astype(f"u{size}")
        flags, found = flags_of(kind, count), np.full_like(source, 7)
        loaded.launch("k", (1, 1, 1), block, source, found, flags)
        np.testing.assert_array_equal(found, np.where(flags > 0, source + 1, 7), err_msg=kind)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("kind", ["5", "-9", "random"])
def test_no_page_without_an_element_of_a_lane_that_runs_is_accessed(size, kind):
    """The first or the last of the elements of lanes that run lies at the border of a page."""
    room = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (0, 2):
        assert protect(ctypes.c_void_p(start + page * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    memory = np.frombuffer(room, np.uint8)[mmap.PAGESIZE : 2 * mmap.PAGESIZE].view(f"u{size}")
    flags = flags_of(kind, 32)
    lanes = np.flatnonzero(flags)
    loaded = Loaded(copy_of(size, long=True).encode())
    for first in (len(memory) - 1 - lanes[-1], -lanes[0]):
        memory[:] = 9
        address = np.uint64(start + mmap.PAGESIZE + size * int(first))
        loaded.launch("k", (1, 1, 1), (32, 1, 1), address, address, flags)
        expected = np.full_like(memory, 9)
        expected[first + lanes] = 11  # two iterations
        np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize(("gathers", "lanes"), [(False, 32), (True, 32), (False, 4)])
def test_they_are_for_cpus_without_masked_accesses_of_such_elements(gathers, lanes):
    text = emit_kernel(build([copy_of(1, long=True)]), "k", Settings(width=lanes, native_gather=gathers)).text
    assert ("@narrow.load" in text) == (not gathers and lanes == 32)
