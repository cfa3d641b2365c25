# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Warp-level matrix instructions, section 9.7.14: known, not supported yet."""

from cuda.cpu.ptx.instructions import Row

_SHAPES = "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256"
_WMMA = "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128"
_IN = "f16 bf16 tf32 f64 u8 s8 u4 s4 b1 e4m3 e5m2"
_OUT = "f16 f32 f64 s32"
_LAYOUT = "row col"
_PLACE = "shared shared::cta global"

ROWS = (
    Row(
        "9.7.14.4.3",
        "",
        "wmma.load.part.sync.aligned.layout.shape{.space}.type d..., [a]{, stride}",
        part="a b c",
        layout=_LAYOUT,
        shape=_WMMA,
        space=_PLACE,
        type=_IN + " f32 s32",
    ),
    Row(
        "9.7.14.4.4",
        "",
        "wmma.store.d.sync.aligned.layout.shape{.space}.type [a], b...{, stride}",
        layout=_LAYOUT,
        shape=_WMMA,
        space=_PLACE,
        type=_OUT,
    ),
    Row(
        "9.7.14.4.5",
        "",
        "wmma.mma{.op}.sync.aligned.alayout.blayout.shape{.rnd}{.dtype}{.atype}{.btype}{.ctype}{.satfinite} "
        "d..., a..., b..., c...",
        op="xor.popc and.popc",
        alayout=_LAYOUT,
        blayout=_LAYOUT,
        shape=_WMMA,
        dtype=_OUT,
        atype=_IN,
        btype=_IN,
        ctype=_OUT,
    ),
    Row(
        "9.7.14.5.14",
        "",
        "mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d..., a..., b..., c...",
        shape=_SHAPES,
        alayout=_LAYOUT,
        blayout=_LAYOUT,
        dtype=_OUT,
        atype=_IN,
        btype=_IN,
        ctype=_OUT,
    ),
    Row(
        "9.7.14.5.15",
        "",
        "ldmatrix.sync.aligned.shape.num{.trans}{.space}.type d..., [a]",
        shape="m8n8 m16n16 m8n16",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b16 b8",
    ),
    Row(
        "9.7.14.5.16",
        "",
        "stmatrix.sync.aligned.shape.num{.trans}{.space}.type [a], b...",
        shape="m8n8 m16n8",
        num="x1 x2 x4",
        space="shared shared::cta",
        type="b16 b8",
    ),
    Row("9.7.14.5.17", "", "movmatrix.sync.aligned.shape.trans.type d, a", shape="m8n8", type="b16"),
)
