# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interleaved elements that converged SIMD groups load and store as vectors."""

from __future__ import annotations

import itertools
import mmap
import re
from random import Random

import numpy as np
import pytest
from support.guarded import closed_pages
from support.loaded import Loaded
from support.random_focus import focused
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access import interleaved
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN, QUARTER_RUN

COPY = """
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %r<12>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, {stride}; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    {body}
    ret;
}}
"""
# Bytes, fields of a structure, fields that are copied.
SHAPES = [(4, 2, (0, 1)), (4, 2, (1,)), (4, 3, (0, 2)), (4, 6, (0, 1, 2, 3, 4, 5)), (4, 8, (5,)), (1, 3, (0, 1, 2)),
          (1, 4, (1, 3)), (2, 5, (4, 0)), (8, 4, (3, 1)), (8, 2, (0, 1)), (2, 2, (0,)), (4, 1, (0,)),
          (1, 1, (0,)), (8, 8, (0, 1)), (8, 7, (5, 6)), (4, 8, (0, 2, 3, 4, 6, 7)), (4, 4, (0, 3)),
          (1, 4, (0, 1, 2, 3)), (1, 8, (2, 5, 7)), (1, 2, (1,)), (1, 6, (0, 1, 3, 5)), (2, 4, (1, 2)),
          (2, 2, (0, 1)), (2, 6, (0, 4, 5)), (2, 8, (1, 3, 4, 6)), (4, 9, (0, 1, 2, 8)), (4, 11, (3,)), (1, 10, (0, 9)),
          (2, 9, (4, 5)), (8, 6, (0, 2, 3))]  # fmt: skip


def backwards(size: int, fields: int, columns: tuple[int, ...]) -> str:
    """Return a kernel whose lanes copy the structures of the lanes from the last one on."""
    index = "mov.u32 %r8, %tid.x; mov.u32 %r9, %ntid.x; sub.u32 %r10, %r9, %r8; sub.u32 %r1, %r10, 1;"
    return copies(size, fields, columns).replace("mov.u32 %r1, %tid.x;", index)


def copies(size: int, fields: int, columns: tuple[int, ...]) -> str:
    body = ""
    for number, column in enumerate(columns):
        register = f"%d{6 + number % 3}" if size == 8 else f"%r{2 + number}"
        body += f"ld.global.u{8 * size} {register}, [%d4+{size * column}];"
    for number, column in enumerate(columns):
        register = f"%d{6 + number % 3}" if size == 8 else f"%r{2 + number}"
        body += f" st.global.u{8 * size} [%d5+{size * column}], {register};"
    return HEAD + COPY.format(stride=size * fields, body=body)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("block", [(32, 1, 1), (16, 2, 1), (96, 1, 1), (40, 1, 1), (8, 8, 1)], ids=str)
@pytest.mark.parametrize("order", [copies, backwards])
@pytest.mark.parametrize("narrower", [False, True])
def test_fields_of_structures_are_copied(shape, block, order, narrower, monkeypatch):
    """Also with vectors of half a register, as of AVX2 on a CPU with AVX-512."""
    size, fields, columns = shape
    if narrower:
        half = jit._vector_bytes() // 2
        monkeypatch.setattr(jit, "_vector_bytes", lambda: half)
    text, kind = order(size, fields, columns), np.dtype(f"u{size}")
    source = np.random.default_rng(3).integers(0, 200, (block[0], fields)).astype(kind)
    found = np.full_like(source, 7)
    row = QUARTER_RUN if block[0] == 8 else FULL_RUN
    Loaded(text.encode(), row).launch("k", (1, 1, 1), block, source, found)
    expected = np.full_like(source, 7)
    expected[:, columns] = source[:, columns]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [each for each in SHAPES if len(each[2]) == 1], ids=str)
@pytest.mark.parametrize("order", [copies, backwards])
def test_nothing_is_accessed_behind_the_last_element(shape, order):
    """The last element ends at the end of a page, behind which nothing may be accessed."""
    size, fields, columns = shape
    span = 31 * size * fields + size  # from the first lane's element to the end of the last one's
    text = order(size, fields, columns)
    with closed_pages() as (memory, start):
        first = start + mmap.PAGESIZE - span - size * columns[0]
        memory[:] = 9
        Loaded(text.encode()).launch("k", (1, 1, 1), (32, 1, 1), np.uint64(first), np.uint64(first))
        assert (memory == 9).all()


RUNS = [0xFFFFFFFF, 0x00000001, 0x80000000, 0x0003FF80, 0xA0000005, 0xFFFF0000, 0x00000000]
GUARD = """ld.param.u32 %r11, [run]; mov.u32 %r7, %laneid; shr.u32 %r7, %r11, %r7; and.b32 %r7, %r7, 1;
setp.eq.u32 %p1, %r7, 0; @%p1 bra END; ld.global"""


def of_some_lanes(text: str) -> str:
    """Let only the lanes run whose bits the parameter `run` has."""
    text = text.replace(".reg .b32", ".reg .pred %p<2>; .reg .b32").replace("out)", "out, .param .u32 run)")
    return text.replace("ld.global", GUARD, 1).replace("ret;", "END: ret;")


@pytest.mark.parametrize(("size", "masks"), [(4, True), (2, True), (4, False), (2, False)])
def test_some_lanes_load_vectors_if_the_cpu_has_masks_for_the_elements(size, masks):
    settings = Settings(vector_bytes=64, native_gather=masks)
    text = emit_kernel(build([of_some_lanes(copies(size, 3, (0, 2)))]), "k", settings).text
    by_vectors = re.search(rf"@llvm.masked.load.v\d+i{8 * size}.p0\(ptr [^<]*<\d+ x i1> %(?!lanes)", text)
    assert bool(by_vectors) == (masks or size == 4)


@pytest.mark.usefixtures("like_hot_kernels")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("block", [(32, 1, 1), (16, 2, 1), (8, 4, 1)], ids=str)
@pytest.mark.parametrize("order", [copies, backwards])
def test_nothing_is_loaded_outside_of_the_lanes_that_run(shape, block, order):
    """The elements before the first lane that runs, and behind the last one, lie in pages that cannot be accessed."""
    size, fields, columns = shape
    count, kind = block[0], np.dtype(f"u{size}")
    row = QUARTER_RUN if block[0] == 8 else FULL_RUN
    loaded = Loaded(of_some_lanes(order(*shape)).encode(), row)
    with closed_pages() as (memory, start):
        memory[:] = np.arange(1, memory.size + 1, dtype=np.uint8)
        for run in RUNS:
            lanes = [lane % count for lane in range(32) if run >> lane & 1]
            if order is backwards:
                lanes = [count - 1 - lane for lane in lanes]
            low = min(lanes, default=0) * fields + min(columns)
            high = max(lanes, default=0) * fields + max(columns) + 1
            for first in (start - low * size, start + mmap.PAGESIZE - high * size):
                found = np.zeros((count, fields), kind)
                loaded.launch("k", (1, 1, 1), block, np.uint64(first), found, np.uint32(run))
                expected = np.zeros_like(found)
                for lane, column in itertools.product(lanes, columns):
                    at = first - start + (lane * fields + column) * size
                    expected[lane, column] = memory[at : at + size].view(kind)[0]
                np.testing.assert_array_equal(found, expected, err_msg=f"{run:#x}")


@pytest.mark.parametrize("size", [64, 32, 0])
def test_the_kernels_use_vectors_of_the_cpu(size):
    text = emit_kernel(build([copies(4, 3, (0, 1))]), "k", Settings(vector_bytes=size)).text
    for lanes in (16, 8):
        assert (f"@llvm.masked.store.v{lanes}i32" in text) == (4 * lanes == size)
    assert ("shufflevector <8 x i32>" in text) == (size == 32)


def test_only_needed_vectors_are_loaded_in_the_order_of_their_addresses():
    text = emit_kernel(build([copies(8, 8, (0,))]), "k", Settings(vector_bytes=32)).text
    converged = text.partition("\nw0.0:")[2].partition("\nb0.0:")[0].splitlines()
    loads = [line.partition(", ptr ")[2].partition(",")[0] for line in converged if "load volatile <4 x i64>" in line]
    offsets = [line.split()[-1] for line in converged if "getelementptr i8" in line and line.split()[0] in loads]
    assert len(loads) == 31  # the last one has a mask
    assert [int(each) for each in offsets] == [64 * lane for lane in range(1, 31)]  # the first one has none


def test_random_kernels_reach_loads_and_stores(monkeypatch):
    """Both apply to some accesses of random structures; stores also to several fields at once, of several stores."""
    if not jit._vector_bytes():
        pytest.skip("the CPU has neither AVX2 nor AVX-512")
    loads, fields, groups, masked = set(), set(), set(), set()

    def watch(name: str, see) -> None:
        real = getattr(interleaved, name)

        def watched(*args):
            result = real(*args)
            see(args, result)
            return result

        monkeypatch.setattr(interleaved, name, watched)

    watch("load", lambda args, result: loads.add(result is not None))
    watch("_store", lambda args, result: fields.add(len(args[4])))
    watch("_bounds", lambda args, result: masked.add(args[2] > 0))
    watch("_group", lambda args, result: groups.add(len(result) > 1))
    for seed in range(6):
        jit.kernel_text(build([focused(Random(seed), "structures").text]), "k")
    assert loads == {True, False}
    assert fields >= {1, 2}
    assert True in masked
    assert groups == {True, False}
