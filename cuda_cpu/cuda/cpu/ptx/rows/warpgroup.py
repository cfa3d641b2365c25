# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of asynchronous warpgroup instructions, section 9.7.16."""

from cuda.cpu.ptx import fragment_types
from cuda.cpu.ptx.ranges import FLAG, NATURAL, SIGN
from cuda.cpu.ptx.row import Row, Traits

_G = "warpgroup"
_SPARSE = "d..., a..., b, metadata, selector, {!}scale"
_MMA = "wgmma.mma_async.sync{.aligned}.shape"


def _shapes(depth: int) -> str:
    return " ".join(f"m64n{columns}k{depth}" for columns in range(8, 257, 8))


ROWS = (
    Row(
        "9.7.16.5",
        _G,
        _MMA + ".dtype.atype.btype d..., a..., b, {!}scale, asign, bsign{, t}{, u}",
        shape=_shapes(16),
        dtype="f16 f32",
        atype="f16",
        btype="f16",
    ),
    Row(
        "9.7.16.5",
        _G,
        _MMA + ".dtype.atype.btype d..., a..., b, {!}scale, asign, bsign{, t}{, u}",
        shape=_shapes(16),
        dtype="f32",
        atype="bf16",
        btype="bf16",
    ),
    Row(
        "9.7.16.5",
        _G,
        _MMA + ".dtype.atype.btype d..., a..., b, {!}scale, asign, bsign",
        shape=_shapes(8),
        dtype="f32",
        atype="tf32",
        btype="tf32",
    ),
    Row(
        "9.7.16.5",
        _G,
        _MMA + ".dtype.atype.btype d..., a..., b, {!}scale, asign, bsign",
        shape=_shapes(32),
        dtype="f16 f32",
        atype="e4m3 e5m2",
        btype="e4m3 e5m2",
    ),
    Row(
        "9.7.16.5",
        _G,
        _MMA + "{.satfinite}.dtype.atype.btype d..., a..., b, {!}scale",
        shape=_shapes(32),
        dtype="s32",
        atype="s8 u8",
        btype="s8 u8",
    ),
    Row(
        "9.7.16.5",
        _G,
        _MMA + ".dtype.atype.btype.bitop.popc d..., a..., b, {!}scale",
        shape=_shapes(256),
        dtype="s32",
        atype="b1",
        btype="b1",
        bitop="and",
    ),
    *(
        Row(
            "9.7.16.6",
            _G,
            f"wgmma.mma_async.sparse.sync{{.aligned}}.shape.dtype.atype.btype {_SPARSE}, asign, bsign{across}",
            sparse="sp",
            shape=_shapes(depth),
            dtype=dtype,
            atype=atype,
            btype=atype,
        )
        for depth, dtype, atype, across in (
            (32, "f16 f32", "f16", "{, t}{, u}"),
            (32, "f32", "bf16", "{, t}{, u}"),
            (16, "f32", "tf32", ""),
            (64, "f16 f32", "e4m3 e5m2", ""),
        )
    ),
    Row(
        "9.7.16.6",
        _G,
        f"wgmma.mma_async.sparse.sync{{.aligned}}.shape{{.satfinite}}.dtype.atype.btype {_SPARSE}",
        sparse="sp",
        shape=_shapes(64),
        dtype="s32",
        atype="s8 u8",
        btype="s8 u8",
    ),
    Row("9.7.16.7", _G, "wgmma.fence.sync{.aligned} "),
    Row("9.7.16.7", _G, "wgmma.commit_group.sync{.aligned} "),
    Row("9.7.16.7", _G, "wgmma.wait_group.sync{.aligned} n"),
)

TRAITS = {
    "wgmma": Traits(
        accumulates=True,
        types={"": {"a": "%b64", "b": "b64", "metadata": "%b32"}},
        fragments=fragment_types.wgmma,
        ranges={
            "": {"{!}scale": FLAG, "asign": SIGN, "bsign": SIGN, "t": FLAG, "u": FLAG},
            "wait_group": {"n": NATURAL},
        },
        needs={
            "8.0": "*",
            "8.2": "sp",
            "8.4": "s8.u8",
            "sm_90a": "*",
        },
    ),
}
