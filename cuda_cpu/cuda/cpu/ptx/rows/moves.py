# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of comparison and selection, sections 9.7.6 and 9.7.7; moves and conversions in registers, section 9.7.9."""

from cuda.cpu.ptx.row import Row, Traits

_C = "compare"
_M = "moves"
_INT_CMP = "eq ne lt le gt ge lo ls hi hs"
_FLOAT_CMP = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
_BOOL = "and or xor"
_INT = "b16 b32 b64 u16 u32 u64 s16 s32 s64"
_CVT_INT = "u8 u16 u32 u64 s8 s16 s32 s64"
_HALVES = "f16x2 bf16x2"
_X2 = "e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2"
_X4 = "e4m3x4 e5m2x4 e2m1x4 e2m3x4 e3m2x4"
_CVT_FLOAT = "f16 bf16 f32 f64"

ROWS = (
    # 9.7.6 comparison and selection
    Row("9.7.6.1", _C, "set.cmp.dtype.type d, a, b", cmp=_INT_CMP, dtype="u32 s32 f32", type=_INT),
    Row("9.7.6.1", _C, "set.cmp{.ftz}.dtype.type d, a, b", cmp=_FLOAT_CMP, dtype="u32 s32 f32", type="f32 f64"),
    Row(
        "9.7.6.1",
        _C,
        "set.cmp.boolop.dtype.type d, a, b, {!}c",
        cmp=_INT_CMP,
        boolop=_BOOL,
        dtype="u32 s32 f32",
        type=_INT,
    ),
    Row(
        "9.7.6.1",
        _C,
        "set.cmp.boolop{.ftz}.dtype.type d, a, b, {!}c",
        cmp=_FLOAT_CMP,
        boolop=_BOOL,
        dtype="u32 s32 f32",
        type="f32 f64",
    ),
    Row("9.7.6.2", _C, "setp.cmp.type p{|q}, a, b", cmp=_INT_CMP, type=_INT),
    Row("9.7.6.2", _C, "setp.cmp{.ftz}.type p{|q}, a, b", cmp=_FLOAT_CMP, type="f32 f64"),
    Row("9.7.6.2", _C, "setp.cmp.boolop.type p{|q}, a, b, {!}c", cmp=_INT_CMP, boolop=_BOOL, type=_INT),
    Row("9.7.6.2", _C, "setp.cmp.boolop{.ftz}.type p{|q}, a, b, {!}c", cmp=_FLOAT_CMP, boolop=_BOOL, type="f32 f64"),
    Row("9.7.6.3", _C, "selp.type d, a, b, {!}c", type=_INT + " f32 f64"),
    Row("9.7.6.4", _C, "slct.dtype.type d, a, b, c", dtype=_INT + " f32 f64", type="s32"),
    Row("9.7.6.4", _C, "slct{.ftz}.dtype.type d, a, b, c", dtype=_INT + " f32 f64", type="f32"),
    # 9.7.7 half precision comparison
    Row(
        "9.7.7.1",
        _C,
        "set.cmp{.ftz}.dtype.type d, a, b",
        cmp=_FLOAT_CMP,
        dtype="f16 f16x2 bf16 bf16x2 u16 s16 u32 s32",
        type="f16 f16x2 bf16 bf16x2",
    ),
    Row(
        "9.7.7.1",
        _C,
        "set.cmp.boolop{.ftz}.dtype.type d, a, b, {!}c",
        cmp=_FLOAT_CMP,
        boolop=_BOOL,
        dtype="f16 f16x2 bf16 bf16x2 u16 s16 u32 s32",
        type="f16 f16x2 bf16 bf16x2",
    ),
    Row("9.7.7.2", _C, "setp.cmp{.ftz}.type p, a, b", cmp=_FLOAT_CMP, type="f16 bf16"),
    Row("9.7.7.2", _C, "setp.cmp.boolop{.ftz}.type p, a, b, {!}c", cmp=_FLOAT_CMP, boolop=_BOOL, type="f16 bf16"),
    Row("9.7.7.2", _C, "setp.cmp{.ftz}.type p{|q}, a, b", cmp=_FLOAT_CMP, type="f16x2 bf16x2"),
    Row(
        "9.7.7.2", _C, "setp.cmp.boolop{.ftz}.type p{|q}, a, b, {!}c", cmp=_FLOAT_CMP, boolop=_BOOL, type="f16x2 bf16x2"
    ),
    # 9.7.9.3 moves: registers, special registers, addresses, packing and unpacking
    Row("9.7.9.3", _M, "mov.type d..., a...", type="b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"),
    Row("9.7.9.3", _M, "mov.type d, {!}a", type="pred"),
    Row("9.7.9.3", _M, "mov.vec.type d..., a...", vec="v2 v4", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"),
    Row("9.7.9.7", _M, "prmt.type{.mode} d, a, b, c", type="b32", mode="f4e b4e rc8 ecl ecr rc16"),
    Row(
        "9.7.9.20",
        _M,
        "isspacep.space p, a",
        space="const global local shared shared::cta shared::cluster param param::entry",
    ),
    Row(
        "9.7.9.21",
        _M,
        "cvta.space.type d, a",
        space="const global local shared shared::cta shared::cluster param param::entry",
        type="u32 u64",
    ),
    Row(
        "9.7.9.21",
        _M,
        "cvta.to.space.type d, a",
        space="const global local shared shared::cta shared::cluster param param::entry",
        type="u32 u64",
    ),
    # 9.7.9.22 conversions: d has dtype, a has type
    Row("9.7.9.22", "convert", "cvt{.sat}.dtype.type d, a", dtype=_CVT_INT, type=_CVT_INT),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.irnd{.ftz}{.sat}.dtype.type d, a",
        irnd="rni rzi rmi rpi",
        dtype=_CVT_INT,
        type=_CVT_FLOAT,
    ),
    Row("9.7.9.22", "convert", "cvt.rnd{.ftz}{.sat}.dtype.type d, a", dtype=_CVT_FLOAT, type=_CVT_INT),
    Row("9.7.9.22", "convert", "cvt{.rnd}{.ftz}{.sat}.dtype.type d, a", dtype=_CVT_FLOAT, type=_CVT_FLOAT),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.irnd{.ftz}{.sat}.dtype.type d, a",
        irnd="rni rzi rmi rpi",
        dtype=_CVT_FLOAT,
        type=_CVT_FLOAT,
    ),
    Row("9.7.9.22", "convert", "cvt.rnd{.relu}{.satfinite}.dtype.type d, a", rnd="rn rz", dtype="f16 bf16", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rs{.relu}{.satfinite}.dtype.type d, a, b, random", dtype=_HALVES, type="f32"),
    Row("9.7.9.22", "convert", "cvt.rs{.relu}.satfinite.dtype.type d, v..., random", dtype=_X4, type="f32"),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.rnd{.relu}{.satfinite}.dtype.type d, a, b",
        rnd="rn rz",
        dtype="f16x2 bf16x2",
        type="f32",
    ),
    Row("9.7.9.22", "convert", "cvt.rna{.satfinite}.dtype.type d, a", dtype="tf32", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rnd{.satfinite}{.relu}.dtype.type d, a", rnd="rn rz", dtype="tf32", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rn.satfinite{.relu}.dtype.type d, a, b", dtype="e4m3x2 e5m2x2", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rn.satfinite{.relu}.dtype.type d, a, b", dtype="e2m1x2 e2m3x2 e3m2x2", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rn{.relu}.dtype.type d, a", dtype="f16x2", type="e2m1x2 e2m3x2 e3m2x2"),
    Row("9.7.9.22", "convert", "cvt.rnd{.satfinite}.dtype.type d, a, b", rnd="rz rp", dtype="ue8m0x2", type="f32"),
    Row("9.7.9.22", "convert", "cvt.rnd{.satfinite}.dtype.type d, a", rnd="rz rp", dtype="ue8m0x2", type="bf16x2"),
    Row("9.7.9.22", "convert", "cvt.rn.dtype.type d, a", dtype="bf16x2", type="ue8m0x2"),
    Row("9.7.9.22", "convert", "cvt.rn.satfinite{.relu}.dtype.type d, a", dtype=_X2, type=_HALVES),
    Row("9.7.9.22", "convert", "cvt.rn{.relu}{.satfinite}.dtype.type d, a", dtype="bf16x2", type=_X2 + " s2f6x2"),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.dtype.type d, a, scale",
        dtype="bf16x2",
        type=_X2 + " s2f6x2",
    ),
    Row("9.7.9.22", "convert", "cvt.rn.satfinite{.relu}.dtype.type d, a, b", dtype="s2f6x2", type="f32"),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.rn.satfinite{.relu}.scaled::n2::ue8m0.dtype.type d, a, b, scale",
        dtype="s2f6x2",
        type="f32",
    ),
    Row("9.7.9.22", "convert", "cvt.rn.satfinite{.relu}.dtype.type d, a", dtype="s2f6x2", type="bf16x2"),
    Row(
        "9.7.9.22",
        "convert",
        "cvt.rn.satfinite{.relu}.scaled::n2::ue8m0.dtype.type d, a, scale",
        dtype="s2f6x2",
        type="bf16x2",
    ),
    Row("9.7.9.22", "convert", "cvt.rn{.relu}.dtype.type d, a", dtype="f16x2", type="e4m3x2 e5m2x2"),
    Row("9.7.9.23", "convert", "cvt.pack.sat.dtype.type d, a, b", dtype="u16 s16", type="s32"),
    Row(
        "9.7.9.23",
        "convert",
        "cvt.pack.sat.dtype.type.ctype d, a, b, c",
        dtype="u2 s2 u4 s4 u8 s8",
        type="s32",
        ctype="b32",
    ),
)

TRAITS = {
    "set": Traits(
        pure=True, types={"": {"a": "type", "b": "type"}}, needs={"7.8": "bf16/bf16x2", "sm_90": "bf16/bf16x2"}
    ),
    "setp": Traits(
        pure=True,
        types={"": {"a": "type", "b": "type"}},
        sinks=True,
        needs={"7.8": "bf16/bf16x2", "sm_90": "bf16/bf16x2"},
    ),
    **dict.fromkeys(("selp", "mov", "prmt"), Traits(pure=True)),
    "slct": Traits(pure=True, types={"": {"a": "dtype", "b": "dtype", "c": "type"}}),
    "isspacep": Traits(
        pure=True,
        types={"": {"a": "b32+"}},
        needs={
            "3.1": "const",
            "7.7": "param",
            "7.8": "shared::cta",
            "sm_70": "param",
        },
    ),
    "cvta": Traits(
        pure=True,
        symbols=True,
        needs={
            "3.1": "const",
            "7.7": "param",
            "7.8": "shared::cta",
            "sm_70": "param",
        },
    ),
    "cvt": Traits(
        pure=True,
        types={
            "": {"d": "dtype+", "a": "type+", "v": "type", "scale": "b16"},
            "pack": {"d": "b32+", "a": "type+", "b": "type+", "c": "b32+"},
        },
        needs={
            "6.5": "pack",
            "7.0": "f16x2",
            "7.8": "e4m3x2/e5m2x2 rn/rz.tf32 bf16.s8/s16/s32/s64/u8/u16/u32/u64/f16/f64 bf16.rni/rzi/rmi/rpi",
            "8.1": "satfinite.f16/bf16/f16x2/bf16x2.f32 rna.satfinite",
            "8.6": "rn/rz.satfinite.tf32 e2m3x2/e3m2x2/e2m1x2/ue8m0x2",
            "sm_70": "satfinite.f16/bf16/f16x2/bf16x2.f32",
            "sm_72": "pack",
            "sm_75": "s2/u2/s4/u4",
            "sm_80": "f16x2",
            "sm_89": "e4m3x2/e5m2x2",
            "sm_90": "bf16.s8/s16/s32/s64/u8/u16/u32/u64/f16/f64 bf16.rni/rzi/rmi/rpi rn/rz.tf32",
            "sm_100": "rn/rz.satfinite.tf32",
            "sm_100a+": "e2m3x2/e3m2x2/e2m1x2/ue8m0x2",
        },
    ),
}
