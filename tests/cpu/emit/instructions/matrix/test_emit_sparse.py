# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""mma with sparse A, with the small floats of sm_120a, and with block scaling, compared with NumPy.

`support.fragments.metadata_words` lays out the metadata as in the manual's figures (9.7.14.6.2), independent of the
emitter.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.fragments import TYPES, fragments, integers, metadata_words, pruned, quads, random, run
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

RANGES = {"u8": (0, 200), "u4": (0, 15), "s4": (-8, 7), "s8": (-128, 127)}
SHAPES = [("m16n8k16", "f16", "f32", 4), ("m16n8k32", "f16", "f16", 2), ("m16n8k16", "f16", "f16", 4)]
SHAPES += [("m16n8k32", "f16", "f32", 2), ("m16n8k16", "bf16", "f32", 4), ("m16n8k32", "bf16", "f32", 2)]
SHAPES += [("m16n8k8", "tf32", "f32", 4), ("m16n8k16", "tf32", "f32", 2)]
SHAPES += [("m16n8k64", "e4m3", "f32", 1), ("m16n8k64", "e5m2", "f32", 1), ("m16n8k64", "e4m3", "f16", 1)]
SHAPES += [("m16n8k32", "s8", "s32", 2), ("m16n8k32", "u8", "s32", 2), ("m16n8k64", "s8", "s32", 1)]
SHAPES += [("m16n8k64", "s4", "s32", 2), ("m16n8k64", "u4", "s32", 2), ("m16n8k128", "u4", "s32", 1)]


def result_place(row: int, column: int) -> tuple[int, int]:
    return 4 * (row % 8) + column // 2, 2 * (row // 8) + column % 2


def sides(kept: np.ndarray, b: np.ndarray, c: np.ndarray, types: tuple[str, str, str]) -> list[np.ndarray]:
    """Return the registers of A (or of its kept elements), B and C."""
    left, right = (32 // TYPES[type_][0] for type_ in types[:2])
    return [
        fragments(kept, types[0], lambda row, k: quads(16, left, row, k, 2), 32),
        fragments(b, types[1], lambda k, column: quads(16, right, column, k, 1), 32),
        fragments(c, types[2], result_place, 32),
    ]


CASES = [("sp::ordered_metadata", *case) for case in SHAPES]
CASES += [("sp", *case) for case in SHAPES if case[1:3] != ("e4m3", "f16")]


@pytest.mark.parametrize(("variant", "shape", "type_", "result", "selectors"), CASES)
def test_sparse_mma(variant, shape, type_, result, selectors):
    depth = int(shape.partition("k")[2])
    low, high = RANGES.get(type_, (-3, 3))
    b, c = integers(low, high, depth, 8), integers(-9, 9, 16, 8)
    for selector in range(selectors):
        dense, kept, nibbles = pruned(16, depth, type_, low, high)
        if variant == "sp" and type_ != "tf32" and TYPES[type_][0] > 4:  # then the indices may have any order
            swap = random.integers(0, 2, nibbles.shape).astype(bool)
            nibbles = np.where(swap, nibbles >> 2 | (nibbles & 3) << 2, nibbles)
            pairs = kept.reshape(*nibbles.shape, 2)
            kept = np.where(swap[..., None], pairs[..., ::-1], pairs).reshape(kept.shape)
        registers = sides(kept, b, c, (type_, type_, result))
        words = metadata_words(nibbles, TYPES[type_][0], selector)
        instruction = f"mma.{variant}.sync.aligned.{shape}.row.col.{result}.{type_}.{type_}.{result}"
        out = run(instruction, *registers, len(registers[2]), "b32", words, str(selector))
        np.testing.assert_array_equal(out, fragments(dense @ b + c, result, result_place, 32))


def test_omitted_zeros_of_a_are_not_multiplied_by_infinity():
    """Omitted zeros are not multiplied, so an infinite factor in B does not make a NaN."""
    b, c = np.ones((16, 8)), np.zeros((16, 8))
    b[2::4] = np.inf
    registers = sides(np.ones((16, 8)), b, c, ("f16", "f16", "f32"))
    words = metadata_words(np.full((16, 4), 0b0100), 16, 0)
    out = run("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", *registers, 4, "b32", words, "0")
    assert set(out.view(np.float32).flat) == {8.0}


def test_sparse_sums_saturate():
    ones = np.full((2, 32), 0x7F7F7F7F, np.uint32)
    c = np.full((4, 32), 0x7FFFFFFF, np.uint32)
    words = metadata_words(np.full((16, 8), 0b0100), 8, 1)
    instruction = "mma.sp.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32"
    assert set(run(instruction, ones, ones, c, 4, "b32", words, "1").flat) == {0x7FFFFFFF}


@pytest.mark.parametrize(("shape", "wanted"), [("m16n8k16", "from 0 to 3"), ("m16n8k32", "from 0 to 1")])
def test_selectors_are_checked(shape, wanted):
    text = f"""
    .visible .entry k(.param .u64 p) {{
        .reg .b32 %r<20>; .reg .f32 %f<4>;
        mma.sp.sync.aligned.{shape}.row.col.f32.bf16.bf16.f32 {{%f0, %f1, %f2, %f3}},
            {{%r0, %r1{", %r2, %r3" if shape[-2:] == "32" else ""}}},
            {{%r4, %r5{", %r6, %r7" if shape[-2:] == "32" else ""}}}, {{%f0, %f1, %f2, %f3}}, %r8, 4;
        ret;
    }}"""
    with pytest.raises(PtxError, match=f"selector must be a constant {wanted}"):
        compiled(text)


# --- floats of four to eight bits, as sm_120a has them ------------------------------------------------------

SMALL = {"e4m3": 3, "e5m2": 3, "e3m2": 3, "e2m3": 3, "e2m1": 2}  # whole numbers up to this are there


def any_small(type_: str, *shape: int) -> np.ndarray:
    """Return numbers of a type: all numbers of the small types, small integers of the others."""
    width = {"e2m1": "float4_e2m1fn", "e2m3": "float6_e2m3fn", "e3m2": "float6_e3m2fn"}.get(type_.partition("x")[0])
    if width is None:
        return integers(-3, 3, *shape)
    bits = {"e2m1": 4, "e2m3": 6, "e3m2": 6}[type_.partition("x")[0]]
    codes = random.integers(0, 1 << bits, shape).astype(np.uint8)
    return codes.view(getattr(ml_dtypes, width)).astype(np.float64)


@pytest.mark.parametrize("right", SMALL)
@pytest.mark.parametrize("left", SMALL)
def test_mma_of_small_floats(left, right):
    a, b, c = any_small(left, 16, 32), any_small(right, 32, 8), integers(-9, 9, 16, 8)
    registers = sides(a, b, c, (left, right, "f32"))
    out = run(f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{left}.{right}.f32", *registers, 4, "b32")
    np.testing.assert_array_equal(out.view(np.float32), fragments(a @ b + c, "f32", result_place, 32).view(np.float32))


@pytest.mark.parametrize("left", SMALL)
def test_mma_of_small_floats_and_halves(left):
    a, b, c = integers(-1, 1, 16, 32), integers(-2, 2, 32, 8), integers(-9, 9, 16, 8)
    registers = sides(a, b, c, (left, "e2m3", "f16"))
    out = run(f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{left}.e2m3.f16", *registers, 2, "b32")
    np.testing.assert_array_equal(out, fragments(a @ b + c, "f16", result_place, 32))


@pytest.mark.parametrize("result", ["f32", "f16"])
@pytest.mark.parametrize(("left", "right"), [("e2m1", "e3m2"), ("e4m3", "e2m1")])
def test_sparse_mma_of_small_floats(left, right, result):
    dense, kept, nibbles = pruned(16, 64, left, -2, 2)
    b, c = integers(-2, 2, 64, 8), integers(-9, 9, 16, 8)
    registers = sides(kept, b, c, (left, right, result))
    instruction = (
        f"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.{result}.{left}.{right}.{result}"
    )
    out = run(instruction, *registers, len(registers[2]), "b32", metadata_words(nibbles, 8, 0), "0")
    np.testing.assert_array_equal(out, fragments(dense @ b + c, result, result_place, 32))


# --- blocks with factors -----------------------------------------------------------------------------------


def factors(count: int, blocks: int, stype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return scale factors [row or column, block] and their codes."""
    if stype == "ue8m0":
        codes = random.integers(120, 134, (count, blocks)).astype(np.uint8)
        return 2.0 ** (codes.astype(int) - 127), codes
    codes = random.integers(0, 0x7F, (count, blocks)).astype(np.uint8)
    return codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64), codes


def factor_words(codes: np.ndarray, lane_of, byte: int) -> np.ndarray:
    """Return the scale word of each lane; unselected bytes contain noise."""
    words = random.integers(0, 1 << 32, 32, dtype=np.uint64).astype(np.uint32)
    parts = words.view(np.uint8).reshape(32, 4)
    for line, row in enumerate(codes):
        parts[lane_of(line), byte : byte + len(row)] = row
    return words


SCALED = [("mxf4", "", 2, "ue8m0", "e2m1"), ("mxf4", ".scale_vec::2X", 2, "ue8m0", "e2m1")]
SCALED += [("mxf4nvf4", ".scale_vec::2X", 2, "ue8m0", "e2m1"), ("mxf4nvf4", ".scale_vec::4X", 4, "ue8m0", "e2m1")]
SCALED += [("mxf4nvf4", ".scale_vec::4X", 4, "ue4m3", "e2m1"), ("mxf8f6f4", "", 1, "ue8m0", "e4m3")]
SCALED += [("mxf8f6f4", ".scale_vec::1X", 1, "ue8m0", "e3m2"), ("mxf8f6f4", "", 1, "ue8m0", "e2m1")]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("kind", "vec", "blocks", "stype", "type_"), SCALED)
def test_scaled_mma(kind, vec, blocks, stype, type_, sparse):
    packed = kind != "mxf8f6f4"
    register = "e2m1x8" if packed else type_
    depth = (64 if packed else 32) * (2 if sparse else 1)
    byte, upper, quarter = {1: (3, 1, 2), 2: (2, 1, 3), 4: (0, 0, 1)}[blocks]
    b, c = any_small(register, depth, 8), integers(-9, 9, 16, 8)
    if sparse:
        a, kept, nibbles = pruned(16, depth, register, -2, 2)
    else:
        a = kept = any_small(register, 16, depth)
    rows, row_codes = factors(16, blocks, stype)
    columns, column_codes = factors(8, blocks, stype)
    words = [
        factor_words(row_codes, lambda row: 4 * (row % 8) + 2 * upper + row // 8, byte),
        f"{{{byte}, {upper}}}",
        factor_words(column_codes, lambda column: 4 * column + quarter, byte),
        f"{{{byte}, {quarter}}}",
    ]
    variant = ".sp::ordered_metadata" if sparse else ""
    if sparse:
        words = [metadata_words(nibbles, 8, 0), "0", *words]
    instruction = f"mma{variant}.sync.aligned.m16n8k{depth}.row.col.kind::{kind}.block_scale{vec}"
    registers = sides(kept, b, c, (register, register, "f32"))
    out = run(f"{instruction}.f32.{type_}.{type_}.f32.{stype}", *registers, 4, "b32", *words)
    expected = np.repeat(rows, depth // blocks, 1) * a @ (np.repeat(columns.T, depth // blocks, 0) * b) + c
    np.testing.assert_array_equal(out.view(np.float32), fragments(expected, "f32", result_place, 32).view(np.float32))


@pytest.mark.parametrize("factors", ["%r4", "{%r4}"])  # CUTLASS writes braces
def test_scale_selectors_may_be_registers(factors):
    text = """
    .visible .entry k(.param .u64 p) {
        .reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b16 %h<9>; .reg .b64 %p;
        ld.param.u64 %p, [p]; mov.u32 %r0, %tid.x; mad.wide.u32 %p, %r0, 4, %p;
        mov.b32 %r1, 0x22222222; mov.b32 %r2, 0x7f7f7f7f;
        and.b32 %r3, %r0, 3; add.u32 %r3, %r3, 125; shl.b32 %r3, %r3, 16; or.b32 %r4, %r3, 0x7f00007f;
        mov.b16 %h1, 2; mov.b16 %h2, 1; mov.b16 %h3, 3; mov.f32 %f0, 0f00000000;
        mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0
            {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f0, %f0, %f0, %f0},
            FACTORS, {%h1, %h2}, FACTORS, {%h1, %h3};
        add.f32 %f5, %f1, %f3; st.global.f32 [%p], %f5; ret;
    }"""
    out = np.zeros(32, np.float32)
    compiled(text.replace("FACTORS", factors))(out)
    # Lanes 2 and 3 of each four hold scale factors 1 and 2 of A's rows, lane 3 factor 2 of B's columns.
    value = float(np.uint8(0x22 >> 2 & 0xF).view(ml_dtypes.float4_e2m1fn))
    assert set(out) == {32 * value * value * (1 + 2) * 2}
