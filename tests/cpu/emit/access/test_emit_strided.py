# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Words of lanes at distances that are known at compile time, as in columns: accessed by one base for all lanes."""

from __future__ import annotations

import numpy as np
import pytest
from support.guarded import closed_pages
from support.loaded import Loaded, run_of
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import HALF_RUN, WHOLE_RUN

WORDS = 4096  # of the memory with columns
PITCH = 700  # words from a row of threads to the next
# Threads whose bits `run` has copy `count` words: from the column's address %{a}, or to it. The memory with columns is
# `columns`, or shared memory with the same content.
KERNEL = """
.visible .entry k(.param .u64 columns, .param .u64 dense, .param .u32 run, .param .s32 first)
{{
    .shared .align 16 .b8 copy[16384];
    .reg .b32 %r<30>; .reg .b64 %d<12>; .reg .pred %p<3>;
    ld.param.u64 %d1, [columns]; ld.param.u64 %d2, [dense]; ld.param.u32 %r1, [run]; ld.param.s32 %r20, [first];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    mad.lo.s32 %r26, %r3, {pitch}, %r20; {column}
    mul.wide.u32 %d4, %r5, {bytes}; add.u64 %d5, %d2, %d4; mul.wide.s32 %d6, %r21, 4; add.u64 %d7, %d1, %d6;
    mov.u32 %r22, copy; shl.b32 %r23, %r21, 2; add.u32 %r24, %r22, %r23;
    mov.u32 %r15, %ntid.y; mul.lo.u32 %r16, %r15, %r4; {before}
    and.b32 %r6, %r5, 31; shr.u32 %r7, %r1, %r6; and.b32 %r8, %r7, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra END;
    {body}
    END: {after}
    ret;
}}
"""
LINEAR = """
    mov.u32 %r17, %r5;
{label}: shl.b32 %r18, %r17, 2; add.u32 %r19, %r22, %r18; cvt.u64.u32 %d8, %r18; add.u64 %d9, %d1, %d8;
    {move} add.u32 %r17, %r17, %r16; setp.lt.u32 %p2, %r17, 4096; @%p2 bra {label};
"""
FILL = LINEAR.format(label="FILL", move="ld.global.u32 %r25, [%d9]; st.shared.u32 [%r19], %r25;") + "bar.sync 0;"
SPILL = "bar.sync 0;" + LINEAR.format(label="SPILL", move="ld.shared.u32 %r25, [%r19]; st.global.u32 [%d9], %r25;")
COLUMN = "mad.lo.s32 %r21, %r2, {stride}, %r26;"
PADDED = 0  # instead of a stride: eight words for each thread, and one of padding for four threads
PADDING = "shl.b32 %r27, %r2, 3; shr.u32 %r28, %r2, 2; add.s32 %r29, %r27, %r28; add.s32 %r21, %r29, %r26;"
STRIDES = (17, -17, 1000)  # words; not those that vectors are shuffled for
RUNS = (0xFFFFFFFF, 0, 1, 0x80000000, 0x00FF00F0, 0x0F0F3355, 0xA0000005)
BLOCKS = ((96, 1, 1), (16, 4, 1), (16, 1, 1), (8, 4, 1), (12, 3, 1))
pytestmark = pytest.mark.usefixtures("like_hot_kernels")


def kernel(stride: int, count: int, *, store: bool, shared: bool) -> str:
    column, dense = ("shared", "%r24") if shared else ("global", "%d7"), ("global", "%d5")
    (to, at), (of, start) = (column, dense) if store else (dense, column)
    loads = "".join(f"ld.{of}.u32 %r{10 + n}, [{start}+{4 * n}];" for n in range(count))
    stores = "".join(f"st.{to}.u32 [{at}+{4 * n}], %r{10 + n};" for n in range(count))
    pitch = PITCH if abs(stride) < 100 else 1
    address = PADDING if stride == PADDED else COLUMN.format(stride=stride)
    values = {"column": address, "pitch": pitch, "bytes": 4 * count, "body": loads + stores}
    return HEAD + KERNEL.format(**values, before=FILL if shared else "", after=SPILL if shared and store else "")


def expected_at(stride: int, first: int, block: tuple[int, int, int], run: int) -> dict[int, int]:
    """Return the first word of each thread that runs."""
    pitch = PITCH if abs(stride) < 100 else 1
    offsets = [8 * x + x // 4 if stride == PADDED else x * stride for x in range(block[0])]
    threads = ((y * block[0] + x, first + offsets[x] + y * pitch) for y in range(block[1]) for x in range(block[0]))
    return {thread: at for thread, at in threads if run >> thread % 32 & 1}


def fitting(block: tuple[int, int, int], stride: int) -> bool:
    return (block[0] - 1) * abs(stride) + (block[1] - 1) * PITCH + 4 <= WORDS


CASES = [(stride, block, WHOLE_RUN) for stride in STRIDES for block in BLOCKS if fitting(block, stride)]
CASES += [(stride, (96, 1, 1), HALF_RUN) for stride in (17, -17)]
CASES += [(PADDED, block, WHOLE_RUN) for block in ((96, 1, 1), (32, 3, 1), (16, 4, 1))] + [
    (PADDED, (96, 1, 1), HALF_RUN)
]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize(("stride", "block", "row"), CASES, ids=str)
def test_each_lane_accesses_its_words(stride, block, count, shared, row):
    first = max(0, -stride) * (block[0] - 1)
    columns = np.arange(7000, 7000 + WORDS).astype("u4")
    threads = block[0] * block[1]
    dense = np.arange(1, count * threads + 1).astype("u4")
    for store in (False, True):
        loaded = Loaded(kernel(stride, count, store=store, shared=shared).encode(), run_of(block, row))
        for run in RUNS:
            memory, other = columns.copy(), dense.copy()
            expected = other.copy() if not store else memory.copy()
            loaded.launch("k", (1, 1, 1), block, memory, other, np.uint32(run), np.int32(first))
            for thread, at in expected_at(stride, first, block, run).items():  # the last of several lanes wins
                mine = slice(count * thread, count * (thread + 1))
                if store:
                    expected[at : at + count] = dense[mine]
                else:
                    expected[mine] = columns[at : at + count]
            np.testing.assert_array_equal(memory if store else other, expected, err_msg=f"{run:#x} {store}")


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("stride", [17, -17, PADDED])
def test_lanes_that_do_not_run_access_nothing(stride, count, store):
    """The words begin at the begin of a page, or end at its end; the pages around it cannot be accessed."""
    loaded = Loaded(kernel(stride, count, store=store, shared=False).encode(), WHOLE_RUN)
    dense = np.arange(1, 32 * count + 1).astype("u4")
    with closed_pages() as (memory, start):
        for run in RUNS[:1] + RUNS[2:]:
            words = list(expected_at(stride, 0, (32, 1, 1), run).values())
            size = memory.size // 4
            for first in (-min(words), size - count - max(words)):
                memory[:] = 7
                given = np.uint64(start), dense.copy(), np.uint32(run), np.int32(first)
                loaded.launch("k", (1, 1, 1), (32, 1, 1), *given)
                changed = set(np.flatnonzero(memory.view("u4") != 0x07070707).tolist())
                stored = {first + word + number for word in words for number in range(count)}
                assert changed == (stored if store else set())


def test_negative_offsets_of_lanes_that_do_not_run():
    """The first lane's 32-bit address may be negative where it does not run."""
    text = kernel(17, 1, store=False, shared=True)
    loaded, out = Loaded(text.encode(), WHOLE_RUN), np.zeros(32, "u4")
    columns = np.arange(7000, 7000 + WORDS).astype("u4")
    loaded.launch("k", (1, 1, 1), (32, 1, 1), columns, out, np.uint32(0xFFFF0000), np.int32(-17 * 16))
    assert out.tolist() == [0] * 16 + [7000 + 17 * lane for lane in range(16)]


def text_of(stride: int, count: int, **settings) -> str:
    chosen = {"vector_bytes": 64, "native_gather": True, "lane_run": WHOLE_RUN} | settings
    return emit_kernel(build([kernel(stride, count, store=False, shared=False)]), "k", Settings(**chosen)).text


@pytest.mark.parametrize(
    ("stride", "count", "name"),
    [
        (17, 1, '@"strided.load.1.by68x31"('),
        (-17, 4, '@"strided.load.4.by-68x31"('),
        (PADDED, 4, '@"strided.load.4.by{}32x3"('.format("32x3.36x1." * 7)),
        (1 << 14, 1, '@"strided.load.1.by65536x31"('),
    ],
)
def test_one_base_for_all_lanes(stride, count, name):
    assert name in text_of(stride, count)


@pytest.mark.parametrize(
    ("stride", "settings"),
    [((1 << 14) + 1, {}), (17, {"quick": True}), (17, {"native_gather": False}), (17, {"width": 8})],
    ids=["far", "quick", "no gathers", "narrow"],
)
def test_addresses_of_each_lane(stride, settings):
    assert ".by" not in text_of(stride, 1, **settings)
