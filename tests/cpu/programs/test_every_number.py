# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on numbers of 8 and 16 bits, for every number there is."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

pytestmark = pytest.mark.cpu_only
CODES = np.arange(1 << 16, dtype=np.uint16)
HALF, BRAIN = CODES.view(np.float16), CODES.view(ml_dtypes.bfloat16)
SIGNED = CODES.view(np.int16)


def apply(instruction: str, result: object) -> np.ndarray:
    """Run an instruction from %h1 (16 bits) to %h2, or to %r2, for all 65536 numbers."""
    kind = np.dtype(result)
    register, width = ("%h2", 16) if kind.itemsize == 2 else ("%r2", 32)
    text = f"""
    .version 8.6
    .target sm_100
    .address_size 64
    .visible .entry k(.param .u64 to)
    {{
        .reg .b16 %h<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [to]; mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, 256, %r3;
        cvt.u16.u32 %h1, %r4; {instruction};
        mul.wide.u32 %rd2, %r4, {width // 8}; add.u64 %rd3, %rd1, %rd2; st.global.b{width} [%rd3], {register}; ret;
    }}"""
    out = np.zeros(1 << 16, kind)
    Loaded(text.encode()).launch("k", 256, 256, out)
    return out


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare bits; all NaNs are alike."""
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
def test_floats_of_every_number(instruction):
    wanted = FLOATS[instruction]
    same(apply(instruction, wanted.dtype), wanted)


@pytest.mark.parametrize(
    ("type_", "low", "high"), [("s16", -(2**15), 2**15 - 1), ("u16", 0, 2**16 - 1), ("s8", -128, 127)]
)
def test_integers_of_every_half(type_, low, high):
    """Rounded towards zero; what is out of range becomes the nearest number, NaN becomes 0 (section 9.7.9.21)."""
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
def test_integers_of_every_number(instruction, wanted):
    np.testing.assert_array_equal(apply(instruction, wanted.dtype), wanted)


@pytest.mark.parametrize(("type_", "kind"), [("e4m3", ml_dtypes.float8_e4m3fn), ("e5m2", ml_dtypes.float8_e5m2)])
def test_pairs_of_small_floats(type_, kind):
    """Each of 65536 pairs as halves, and each half as a number of eight bits, saturated."""
    pairs = apply(f"cvt.rn.f16x2.{type_}x2 %r2, %h1", np.uint32).view(np.float16)
    same(pairs, CODES.view(np.uint8).view(kind).astype(np.float16))
    text = f"mov.b32 %r2, {{%h1, %h1}}; cvt.rn.satfinite.{type_}x2.f16x2 %h2, %r2"
    found = apply(text, np.uint16).view(np.uint8)[::2].view(kind)
    most = float(ml_dtypes.finfo(kind).max)
    same(found, np.clip(HALF, np.float16(-most), np.float16(most)).astype(kind))
