# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on 8-bit and 16-bit numbers, for every value."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

CODES = np.arange(1 << 16, dtype=np.uint16)
HALF, BRAIN = CODES.view(np.float16), CODES.view(ml_dtypes.bfloat16)
SIGNED = CODES.view(np.int16)


def apply(instruction: str, result: object) -> np.ndarray:
    """Run an instruction from %h1 (16 bits) to %h2, or to %r2, for all 65536 numbers."""
    kind = np.dtype(result)
    register, width = ("%h2", 16) if kind.itemsize == 2 else ("%r2", 32)
    text = f"""
    .version 8.6
    .target sm_100a
    .address_size 64
    .visible .entry k(.param .u64 to)
    {{
        .reg .b16 %h<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [to]; mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, 256, %r3;
        cvt.u16.u32 %h1, %r4; {instruction}{"" if instruction.endswith("}") else ";"}
        mul.wide.u32 %rd2, %r4, {width // 8}; add.u64 %rd3, %rd1, %rd2; st.global.b{width} [%rd3], {register}; ret;
    }}"""
    out = np.zeros(1 << 16, kind)
    Loaded(text.encode()).launch("k", 256, 256, out)
    return out


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare bits; all NaNs are equal."""
    nan = np.isnan(wanted.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(found.astype(np.float64)), nan)
    bits = f"u{wanted.itemsize}"
    np.testing.assert_array_equal(found.view(bits)[~nan], wanted.view(bits)[~nan])


FLOATS = {
    "cvt.f32.f16 %r2, %h1": HALF.astype(np.float32),
    "cvt.f32.bf16 %r2, %h1": BRAIN.astype(np.float32),
    "neg.f16 %h2, %h1": -HALF,
    "abs.f16 %h2, %h1": np.abs(HALF),
    "neg.bf16 %h2, %h1": -BRAIN,
    "abs.bf16 %h2, %h1": np.abs(BRAIN),
    "cvt.rni.f16.f16 %h2, %h1": np.rint(HALF),
    "cvt.rzi.f16.f16 %h2, %h1": np.trunc(HALF),
    "cvt.rmi.f16.f16 %h2, %h1": np.floor(HALF),
    "cvt.rpi.f16.f16 %h2, %h1": np.ceil(HALF),
    "cvt.rn.f16.u16 %h2, %h1": CODES.astype(np.float64).astype(np.float16),
    "cvt.rn.f16.s16 %h2, %h1": SIGNED.astype(np.float16),
    "cvt.rn.bf16.u16 %h2, %h1": CODES.astype(ml_dtypes.bfloat16),
    "cvt.rn.bf16.s16 %h2, %h1": SIGNED.astype(ml_dtypes.bfloat16),
    "cvt.rn.f32.s8 %r2, %h1": CODES.astype(np.int8).astype(np.float32),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("instruction", FLOATS)
def test_all_16_bit_values_as_floats(instruction):
    wanted = FLOATS[instruction]
    same(apply(instruction, wanted.dtype), wanted)


@pytest.mark.parametrize(
    ("type_", "low", "high"), [("s16", -(2**15), 2**15 - 1), ("u16", 0, 2**16 - 1), ("s8", -128, 127)]
)
def test_all_half_values_to_integers(type_, low, high):
    """Rounded towards zero; out-of-range values are clamped, NaN becomes 0 (section 9.7.9.21)."""
    found = apply(f"cvt.rzi.{type_}.f16 %h2, %h1", np.uint16 if type_[0] == "u" else np.int16)
    whole = np.where(np.isnan(HALF), 0, np.clip(np.trunc(HALF.astype(np.float64)), low, high))
    np.testing.assert_array_equal(found, whole.astype(found.dtype))


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("cvt.s32.s16 %r2, %h1", SIGNED.astype(np.int32)), ("cvt.u32.u16 %r2, %h1", CODES.astype(np.uint32)),
        ("cvt.sat.s8.s16 %h2, %h1", np.clip(SIGNED, -128, 127)), ("cvt.sat.u8.s16 %h2, %h1", np.clip(SIGNED, 0, 255)),
        ("cvt.u16.u8 %h2, %h1", CODES & 255), ("cvt.s16.s8 %h2, %h1", CODES.astype(np.int8).astype(np.int16)),
        ("neg.s16 %h2, %h1", np.negative(SIGNED)), ("abs.s16 %h2, %h1", np.abs(SIGNED)),
        ("not.b16 %h2, %h1", ~CODES), ("mul.wide.s16 %r2, %h1, %h1", SIGNED.astype(np.int32) ** 2),
        ("mul.hi.u16 %h2, %h1, %h1", (CODES.astype(np.uint32) ** 2 >> 16).astype(np.uint16)),
        ("div.s16 %h2, %h1, 7", (np.trunc(SIGNED / 7)).astype(np.int16)), ("rem.u16 %h2, %h1, 10", CODES % 10),
    ],
)  # fmt: skip
def test_all_16_bit_values_as_integers(instruction, wanted):
    np.testing.assert_array_equal(apply(instruction, wanted.dtype), wanted)


SMALL = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}
BITS = {"e2m3": 6, "e3m2": 6, "e2m1": 4}


def parts_of(type_: str) -> np.ndarray:
    """Return the low and the high number of all 65536 pairs, as codes [pair, 2]."""
    if type_ == "e2m1":
        return np.stack([CODES & 15, CODES >> 4 & 15], 1).astype(np.uint8)
    return CODES.view(np.uint8).reshape(-1, 2) & np.uint8((1 << BITS.get(type_, 8)) - 1)


def to_small(type_: str, x: np.ndarray) -> np.ndarray:
    """Return the codes of numbers converted with .satfinite."""
    kind = SMALL[type_]
    most = float(ml_dtypes.finfo(kind).max)
    x = x.astype(np.float32)
    codes = np.clip(x, -most, most).astype(kind).view(np.uint8)
    return np.where(np.isnan(x), 0x7F if type_ in ("e4m3", "e5m2") else (1 << BITS[type_] - 1) - 1, codes)


@pytest.mark.parametrize("type_", SMALL)
def test_pairs_of_small_floats(type_):
    """All 65536 pairs converted to halves and to bfloat16, with and without scale factors."""
    wanted = parts_of(type_).view(SMALL[type_])
    move = "cvt.u32.u16 %r5, %h1; cvt.u8.u32 %b, %r5;" if type_ == "e2m1" else "mov.b16 %b, %h1;"
    head = f"{{ .reg .b{8 if type_ == 'e2m1' else 16} %b; {move}"
    pairs = apply(f"{head} cvt.rn.f16x2.{type_}x2 %r2, %b; }}", np.uint32).view(np.float16)
    same(pairs, wanted.astype(np.float16).ravel())
    pairs = apply(f"{head} cvt.rn.bf16x2.{type_}x2 %r2, %b; }}", np.uint32).view(ml_dtypes.bfloat16)
    same(pairs, wanted.astype(ml_dtypes.bfloat16).ravel())
    scaled = f"{head} mov.b16 %h3, 0x8A73; cvt.rn.relu.scaled::n2::ue8m0.bf16x2.{type_}x2 %r2, %b, %h3; }}"
    pairs = apply(scaled, np.uint32).view(ml_dtypes.bfloat16)
    products = wanted.astype(np.float64) * [2.0 ** (0x73 - 127), 2.0 ** (0x8A - 127)]
    same(pairs, np.where(products < 0, 0, products).astype(ml_dtypes.bfloat16).ravel())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("type_", SMALL)
def test_all_half_values_to_small_floats(type_, source):
    values = HALF if source == "f16" else BRAIN
    narrow = type_ == "e2m1"
    convert = f"cvt.rn.satfinite.{type_}x2.{source}x2 %b, %r5;" + (
        "cvt.u16.u8 %h2, %b" if narrow else "mov.b16 %h2, %b"
    )
    text = f"{{ .reg .b{8 if narrow else 16} %b; mov.b32 %r5, {{%h1, %h1}}; {convert}; }}"
    found = apply(text, np.uint16)
    code = to_small(type_, values).astype(np.uint16)
    np.testing.assert_array_equal(found, code | code << (4 if narrow else 8))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("factors", [None, (0x80, 0x7D)])
def test_fixed_point_of_every_number(factors):
    """s2f6: 64ths from -2 to 127/64, rounded to nearest even; NaN becomes the largest (sections 5.2.4, 9.7.9.21)."""
    scale = np.float64([1, 1] if factors is None else [2.0 ** (factor - 127) for factor in factors])  # low, high
    word, operand = ("", "") if factors is None else (".scaled::n2::ue8m0", ", %h3")
    head = f"mov.b16 %h3, {factors[1] << 8 | factors[0] if factors else 0};"
    numbers = BRAIN.astype(np.float64)[:, None] / scale
    wanted = np.clip(np.rint(numbers * 64), -128, 127)
    wanted = np.where(np.isnan(wanted), 127, wanted).astype(np.int8)
    convert = f"cvt.rn.satfinite{word}.s2f6x2.bf16x2 %h2, %r5{operand}"
    found = apply(f"{head} mov.b32 %r5, {{%h1, %h1}}; {convert}", np.uint16)
    np.testing.assert_array_equal(found.view(np.int8).reshape(-1, 2), wanted)
    convert = f"cvt.rn.satfinite.relu{word}.s2f6x2.f32 %h2, %r5, %r5{operand}"
    found = apply(f"{head} cvt.f32.bf16 %r5, %h1; {convert}", np.uint16)
    np.testing.assert_array_equal(found.view(np.int8).reshape(-1, 2), np.maximum(wanted, 0))
    found = apply(f"{head} cvt.rn{word}.bf16x2.s2f6x2 %r2, %h1{operand}", np.uint32).view(ml_dtypes.bfloat16)
    same(found, (CODES.view(np.int8).reshape(-1, 2) / 64 * scale).astype(ml_dtypes.bfloat16).ravel())


BYTES = {
    "add.u8x4": lambda a, b: a + b, "add.s8x4": lambda a, b: a + b, "sub.u8x4": lambda a, b: a - b,
    "sub.s8x4": lambda a, b: a - b, "add.sat.u8x4": lambda a, b: np.clip(a + b, 0, 255),
    "add.sat.s8x4": lambda a, b: np.clip(a + b, -128, 127), "sub.sat.u8x4": lambda a, b: np.clip(a - b, 0, 255),
    "sub.sat.s8x4": lambda a, b: np.clip(a - b, -128, 127), "min.u8x4": np.minimum, "max.s8x4": np.maximum,
    "min.relu.s8x4": lambda a, b: np.maximum(np.minimum(a, b), 0), "max.u8x4": np.maximum, "min.s8x4": np.minimum,
    "max.relu.s8x4": lambda a, b: np.maximum(np.maximum(a, b), 0), "neg.s8x4": lambda a, b: -a,
}  # fmt: skip


@pytest.mark.parametrize("instruction", BYTES)
def test_all_pairs_of_bytes(instruction):
    kind = np.int8 if ".s8" in instruction else np.uint8
    a, b = CODES.view(kind).reshape(-1, 2).T.astype(np.int64)
    operands = "%r2, %r2" if instruction.startswith("neg") else "%r2, %r2, %r5"
    spread = "cvt.u32.u16 %r5, %h1; prmt.b32 %r2, %r5, 0, 0x0000; prmt.b32 %r5, %r5, 0, 0x1111;"
    found = apply(f"{spread} {instruction} {operands}", np.uint32).view(kind).reshape(-1, 4)
    np.testing.assert_array_equal(found, np.repeat(BYTES[instruction](a, b).astype(kind)[:, None], 4, 1))
