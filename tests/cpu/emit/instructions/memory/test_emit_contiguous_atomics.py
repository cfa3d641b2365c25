# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations on contiguous words, 16 bytes at a time, compared with NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN

# Each thread of a row changes row[first + thread] by values[thread]; ATOM is the instruction.
TEXT = """
.visible .entry k(.param .u64 row, .param .u64 values, .param .u64 olds, .param .u32 first) {
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .BITS %v<3>;
    ld.param.u64 %d1, [row]; ld.param.u64 %d2, [values]; ld.param.u64 %d3, [olds]; ld.param.u32 %r1, [first];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    mul.wide.u32 %d4, %r5, SIZE; mul.wide.u32 %d5, %r1, SIZE; add.s64 %d6, %d1, %d4; add.s64 %d6, %d6, %d5;
    add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4; ld.global.BITS %v1, [%d2];
    ATOM
    ret;
}
"""
DTYPES = {"u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "s64": np.int64, "b64": np.uint64}
DTYPES |= {"f32": np.float32, "f64": np.float64}
CASES = [("add", each) for each in ("u32", "s32", "u64", "f32", "f64")]
CASES += [(op, each) for op in ("min", "max") for each in ("u32", "s32", "u64", "s64")]
CASES += [(op, each) for op in ("and", "or", "xor") for each in ("b32", "b64")]
NUMPY = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
         "xor": np.bitwise_xor}  # fmt: skip


def text_of(op: str, type_: str, old: bool) -> str:
    size = int(type_[1:]) // 8
    atom = f"red.global.{op}.{type_} [%d6], %v1;"
    if old:
        atom = f"atom.global.{op}.{type_} %v2, [%d6], %v1; st.global.b{8 * size} [%d3], %v2;"
    return HEAD + TEXT.replace("ATOM", atom).replace("BITS", f"b{8 * size}").replace("SIZE", str(size))


def data_of(type_: str, count: int, seed: int) -> np.ndarray:
    dtype, random = DTYPES[type_], np.random.default_rng(seed)
    if type_[0] == "f":
        return random.standard_normal(count).astype(dtype)
    return random.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype)


@pytest.mark.parametrize("old", [False, True], ids=["red", "atom"])
@pytest.mark.parametrize(("op", "type_"), CASES)
def test_contiguous_words_match_numpy(op: str, type_: str, old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    text = text_of(op, type_, old).encode()
    for row, shape in (
        (FULL_RUN, (70, 1)),
        (FULL_RUN, (64, 2)),
        (HALF_RUN, (16, 4)),
        (HALF_RUN, (16, 3)),
        (QUARTER_RUN, (8, 8)),
        (QUARTER_RUN, (24, 3)),
        (FULL_RUN, (33, 3)),
    ):
        loaded, count = Loaded(text, row), shape[0] * shape[1]
        for first in (0, 1, 2, 3):
            before, values = data_of(type_, count + 8, 1), data_of(type_, count, 2)
            found, olds = before.copy(), np.zeros_like(values)
            loaded.launch("k", 1, (*shape, 1), found, values, olds, np.uint32(first))
            expected = before.copy()
            expected[first : first + count] = NUMPY[op](before[first : first + count], values)
            np.testing.assert_array_equal(found, expected, err_msg=f"{shape} {first}")
            if old:
                np.testing.assert_array_equal(olds, before[first : first + count], err_msg=f"{shape} {first}")


@pytest.mark.parametrize("old", [False, True], ids=["red", "atom"])
@pytest.mark.parametrize(("row", "shape"), [(FULL_RUN, (64, 2)), (HALF_RUN, (16, 6)), (QUARTER_RUN, (8, 12))])
def test_inactive_lanes_do_not_change_memory(row, shape, old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard is a short branch, which stays in the code for converged SIMD groups."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    text = re.sub(r"(?=(atom|red)\.)", "setp.lt.u32 %p1, %v1, 100; @%p1 ", text_of("add", "u32", old), count=1)
    loaded, count = (
        Loaded(text.replace(".reg .b32 %r<9>;", ".reg .b32 %r<9>; .reg .pred %p1;").encode(), row),
        shape[0] * shape[1],
    )
    before, values = data_of("u32", count, 1), np.arange(count, dtype=np.uint32) * 7 % 200
    found, olds = before.copy(), np.zeros_like(values)
    loaded.launch("k", 1, (*shape, 1), found, values, olds, np.uint32(0))
    np.testing.assert_array_equal(found, before + np.where(values < 100, values, 0))
    if old:
        np.testing.assert_array_equal(olds[values < 100], before[values < 100])


@pytest.mark.parametrize("first", [0, 1])
def test_updates_of_concurrent_blocks_are_atomic(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks on several workers add to the same words; the last SIMD group of each block is partial."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    loaded = Loaded(text_of("add", "u32", old=False).encode())
    row, values = np.zeros(80, np.uint32), np.arange(70, dtype=np.uint32)
    loaded.launch("k", 20000, (70, 1, 1), row, values, values, np.uint32(first))
    np.testing.assert_array_equal(row[first : first + 70], 20000 * values)


def test_converged_simd_groups_exchange_16_bytes() -> None:
    program = ptx_program.build([text_of("add", "f32", old=False)])
    text = emit_kernel(program, "k", Settings(native_gather=True)).text
    assert len(re.findall(r"cmpxchg ptr %\w+, i128", text)) == 8
    assert "i128" not in emit_kernel(program, "k", Settings(native_gather=True, quick=True)).text
    assert "i128" not in emit_kernel(program, "k").text
