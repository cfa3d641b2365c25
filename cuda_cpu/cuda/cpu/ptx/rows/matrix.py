# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of warp-level matrix instructions, section 9.7.15."""

from cuda.cpu.ptx import fragment_types
from cuda.cpu.ptx.row import Row, Traits

_P = "matrix"
_F = "fragments"
_LAYOUT = {"alayout": "row col", "blayout": "row col"}
_WIDE = "m16n16k16 m8n32k16 m32n8k16"
_MMA = "mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d..., a..., b..., c..."
_MMA_BITS = "mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype.bitop.popc d..., a..., b..., c..."
_SCALED = "{.scale_vec}.dtype.atype.btype.ctype.stype d..., a..., b..., c..., "
_SCALES = "scale_a..., from_a..., scale_b..., from_b..."
_SMALL = "e4m3 e5m2 e3m2 e2m3 e2m1"
_WMMA = "wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype{.satfinite} d..., a..., b..., c..."
_LOAD = "wmma.load.part.sync.aligned.layout.shape{.space}.type d..., [a]{, stride}"
_ROW_BY_COLUMN = {"alayout": "row", "blayout": "col"}
_PLACE = {"layout": "row col", "space": "shared shared::cta global"}


def _mma(shape: str, dtype: str, atype: str, btype: str, ctype: str) -> Row:
    return Row("9.7.15.5", _P, _MMA, shape=shape, dtype=dtype, atype=atype, btype=btype, ctype=ctype, **_ROW_BY_COLUMN)


def _sparse(shape: str, dtype: str, atype: str, btype: str, sparse: str = "sp sp::ordered_metadata") -> Row:
    syntax = (
        "mma.sparse.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d..., a..., b..., c..., e, f"
    )
    types = {"dtype": dtype, "atype": atype, "btype": btype, "ctype": dtype}
    if dtype != "s32":
        syntax = syntax.replace("{.satfinite}", "")
    return Row("9.7.15.6", _P, syntax, sparse=sparse, shape=shape, **types, **_ROW_BY_COLUMN)


def _scaled(shape: str, sparse_shape: str, kind: str, scale_vec: str, type_: str, stype: str) -> tuple[Row, Row]:
    vec = _SCALED if kind != "kind::mxf4nvf4" else _SCALED.replace("{.scale_vec}", ".scale_vec")
    values = {"kind": kind, "scale_vec": scale_vec, "dtype": "f32", "ctype": "f32", "stype": stype, **_ROW_BY_COLUMN}
    values |= {"atype": type_, "btype": type_}
    head = ".sync.aligned.shape.alayout.blayout.kind.block_scale"
    return (
        Row("9.7.15.5", _P, f"mma{head}{vec}{_SCALES}", shape=shape, **values),
        Row(
            "9.7.15.6",
            _P,
            f"mma.sparse{head}{vec}e, f, {_SCALES}",
            sparse="sp::ordered_metadata",
            shape=sparse_shape,
            **values,
        ),
    )


def _wmma(shape: str, dtype: str, atype: str, ctype: str) -> Row:
    return Row("9.7.15.4", _P, _WMMA, shape=shape, dtype=dtype, atype=atype, btype=atype, ctype=ctype, **_LAYOUT)


ROWS = (
    # wmma: fragments
    Row("9.7.15.4", _F, _LOAD, part="a b", shape=_WIDE, type="f16 bf16 s8 u8", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="a b", shape="m16n16k8", type="tf32", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="a b c", shape="m8n8k4", type="f64", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="a b", shape="m8n8k32", type="s4 u4", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="a b", shape="m8n8k128", type="b1", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="c", shape=_WIDE + " m16n16k8", type="f16 f32 s32", **_PLACE),
    Row("9.7.15.4", _F, _LOAD, part="c", shape="m8n8k32 m8n8k128", type="s32", **_PLACE),
    Row(
        "9.7.15.4",
        _F,
        "wmma.store.d.sync.aligned.layout.shape{.space}.type [a], b...{, stride}",
        shape=_WIDE + " m16n16k8 m8n8k4 m8n8k32 m8n8k128",
        type="f16 f32 f64 s32",
        **_PLACE,
    ),
    # wmma: products
    Row(
        "9.7.15.4",
        _P,
        "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d..., a..., b..., c...",
        shape=_WIDE,
        dtype="f16 f32",
        ctype="f16 f32",
        **_LAYOUT,
    ),
    _wmma(_WIDE, "f32", "bf16", "f32"),
    _wmma(_WIDE, "s32", "s8", "s32"),
    _wmma(_WIDE, "s32", "u8", "s32"),
    _wmma("m16n16k8", "f32", "tf32", "f32"),
    _wmma("m8n8k4", "f64", "f64", "f64"),
    _wmma("m8n8k32", "s32", "s4", "s32"),
    _wmma("m8n8k32", "s32", "u4", "s32"),
    Row(
        "9.7.15.4",
        _P,
        "wmma.mma.bitop.popc.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype d..., a..., b..., c...",
        bitop="xor and",
        shape="m8n8k128",
        dtype="s32",
        atype="b1",
        btype="b1",
        ctype="s32",
        **_ROW_BY_COLUMN,
    ),
    # mma
    _mma("m16n8k8 m16n8k16", "f16 f32", "f16", "f16", "f16 f32"),
    _mma("m16n8k8 m16n8k16", "f32", "bf16", "bf16", "f32"),
    _mma("m16n8k4 m16n8k8", "f32", "tf32", "tf32", "f32"),
    _mma("m16n8k16 m16n8k32", "f16 f32", "e4m3 e5m2", "e4m3 e5m2", "f16 f32"),
    Row(
        "9.7.15.5",
        _P,
        _MMA.replace("{.satfinite}", "").replace(".ctype d", ".ctype{.rnd} d"),
        shape="m8n8k4 m16n8k4 m16n8k8 m16n8k16",
        dtype="f64",
        atype="f64",
        btype="f64",
        ctype="f64",
        **_ROW_BY_COLUMN,
    ),
    *(
        Row(
            "9.7.15.5",
            _P,
            _MMA.replace("{.satfinite}", ".kind"),
            shape="m16n8k32",
            kind="kind::f8f6f4",
            dtype=type_,
            atype=_SMALL,
            btype=_SMALL,
            ctype=type_,
            **_ROW_BY_COLUMN,
        )
        for type_ in ("f32", "f16")
    ),
    *_scaled("m16n8k64", "m16n8k128", "kind::mxf4", "scale_vec::2X", "e2m1", "ue8m0"),
    *_scaled("m16n8k64", "m16n8k128", "kind::mxf4nvf4", "scale_vec::2X scale_vec::4X", "e2m1", "ue8m0"),
    *_scaled("m16n8k64", "m16n8k128", "kind::mxf4nvf4", "scale_vec::4X", "e2m1", "ue4m3"),
    *_scaled("m16n8k32", "m16n8k64", "kind::mxf8f6f4", "scale_vec::1X", _SMALL, "ue8m0"),
    _mma("m8n8k16 m16n8k16 m16n8k32", "s32", "s8 u8", "s8 u8", "s32"),
    _mma("m8n8k32 m16n8k32 m16n8k64", "s32", "s4 u4", "s4 u4", "s32"),
    Row(
        "9.7.15.5",
        _P,
        _MMA_BITS,
        shape="m8n8k128 m16n8k128 m16n8k256",
        dtype="s32",
        atype="b1",
        btype="b1",
        ctype="s32",
        bitop="xor and",
        **_ROW_BY_COLUMN,
    ),
    Row(
        "9.7.15.5",
        _P,
        _MMA,
        shape="m8n8k4",
        dtype="f16 f32",
        atype="f16",
        btype="f16",
        ctype="f16 f32",
        **_LAYOUT,
    ),
    # mma of a sparse A
    *(_sparse("m16n8k16 m16n8k32", type_, "f16", "f16") for type_ in ("f16", "f32")),
    _sparse("m16n8k16 m16n8k32", "f32", "bf16", "bf16"),
    _sparse("m16n8k8 m16n8k16", "f32", "tf32", "tf32"),
    _sparse("m16n8k64", "f32", "e4m3 e5m2", "e4m3 e5m2"),
    _sparse("m16n8k64", "f16", "e4m3 e5m2", "e4m3 e5m2", "sp::ordered_metadata"),
    _sparse("m16n8k32 m16n8k64", "s32", "s8 u8", "s8 u8"),
    _sparse("m16n8k64 m16n8k128", "s32", "s4 u4", "s4 u4"),
    *(
        Row(
            "9.7.15.6",
            _P,
            "mma.sparse" + _MMA.removeprefix("mma").replace("{.satfinite}", ".kind") + ", e, f",
            sparse="sp::ordered_metadata",
            shape="m16n8k64",
            kind="kind::f8f6f4",
            dtype=type_,
            atype=_SMALL,
            btype=_SMALL,
            ctype=type_,
            **_ROW_BY_COLUMN,
        )
        for type_ in ("f32", "f16")
    ),
    # 8x8 matrices
    Row(
        "9.7.15.5",
        _F,
        "ldmatrix.sync.aligned.shape.num{.trans}{.space}.type d..., [a]",
        shape="m8n8",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b16",
    ),
    Row(
        "9.7.15.5",
        _F,
        "ldmatrix.sync.aligned.shape.num.trans{.space}.type d..., [a]",
        shape="m16n16",
        num="x1 x2",
        space="shared shared::cta",
        type="b8",
    ),
    Row(
        "9.7.15.5",
        _F,
        "ldmatrix.sync.aligned.shape.num{.space}.type.source d..., [a]",
        shape="m8n16",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b8x16",
        source="b6x16_p32 b4x16_p64",
    ),
    Row(
        "9.7.15.5",
        _F,
        "ldmatrix.sync.aligned.shape.num.trans{.space}.type.source d..., [a]",
        shape="m16n16",
        num="x1 x2",
        space="shared shared::cta",
        type="b8x16",
        source="b6x16_p32 b4x16_p64",
    ),
    Row(
        "9.7.15.5",
        _F,
        "stmatrix.sync.aligned.shape.num{.trans}{.space}.type [a], b...",
        shape="m8n8",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b16",
    ),
    Row(
        "9.7.15.5",
        _F,
        "stmatrix.sync.aligned.shape.num.trans{.space}.type [a], b...",
        shape="m16n8",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b8",
    ),
    Row("9.7.15.5", _F, "movmatrix.sync.aligned.shape.trans.type d, a", shape="m8n8", type="b16"),
)

TRAITS = {
    "wmma": Traits(
        fragments=fragment_types.wmma,
        needs={
            "6.3": "*",
            "7.0": "m16n16k8 f64",
            "7.1": "and",
            "7.8": "shared::cta",
            "sm_70": "*",
            "sm_72": "s32/s8/u8",
            "sm_75": "b1/s4/u4/m8n8k32/m8n8k128",
            "sm_80": "m16n16k8 and f64",
        },
    ),
    "mma": Traits(
        types={"sp": {"e": "%b32", "f": "constant"}, "sp::ordered_metadata": {"e": "%b32", "f": "constant"}},
        fragments=fragment_types.mma,
        needs={
            "6.4": "*",
            "6.5": "m16n8k8 s32",
            "7.0": "f64 b1 m16n8k16/m16n8k32/m16n8k64",
            "7.1": "and sp",
            "7.8": "f64.m16n8k4/m16n8k8/m16n8k16",
            "8.4": "e4m3/e5m2",
            "8.5": "sp::ordered_metadata",
            "8.6": "kind::f8f6f4",
            "8.7": "block_scale e2m1/e2m3/e3m2 e4m3/e5m2.f16 e4m3/e5m2.m16n8k16",
            "sm_70": "*",
            "sm_75": "b1 m16n8k8 m8n8k16 m8n8k32",
            "sm_80": "and f64 sp/sp::ordered_metadata m16n8k16/m16n8k32/m16n8k64/m16n8k128/m16n8k256",
            "sm_89": "e4m3/e5m2",
            "sm_90": "f64.m16n8k4/m16n8k8/m16n8k16",
            "sm_100a+": "kind::f8f6f4",
            "sm_120f": "block_scale e2m1/e2m3/e3m2 sp::ordered_metadata.f16.e4m3/e5m2",
            "sm_120a": "block_scale.m16n8k128",
        },
    ),
    "ldmatrix": Traits(
        fragments=fragment_types.matrices,
        needs={
            "6.5": "*",
            "8.6": "b8/b8x16",
            "sm_75": "*",
            "sm_100a+": "b8/b8x16",
        },
    ),
    "stmatrix": Traits(fragments=fragment_types.matrices, needs={"7.8": "*", "sm_90": "*"}),
    "movmatrix": Traits(types={"": {"d": "b32", "a": "%b32"}}, needs={"7.8": "*", "sm_75": "*"}),
}
