# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Textures and surfaces, sections 9.7.10 and 9.7.11: known, not supported yet."""

from cuda.cpu.ptx.instructions import Row

_GEOMETRY = "1d 2d 3d a1d a2d cube acube 2dms a2dms"
_SURFACE = "1d 2d 3d a1d a2d"
_TYPE = "b8 b16 b32 b64 u32 s32 f32 f16 f16x2"
_QUERY = (
    "width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples "
    "filter_mode addr_mode_0 addr_mode_1 addr_mode_2 memory_layout"
)

ROWS = (
    Row(
        "9.7.10.3",
        "",
        "tex{.level}.geometry{.vec}.dtype.type d..., [a]{, b...}{, c...}{, e...}",
        level="base level grad",
        geometry=_GEOMETRY,
        dtype=_TYPE,
        type=_TYPE,
    ),
    Row(
        "9.7.10.4",
        "",
        "tld4.component.geometry{.vec}.dtype.type d..., [a]{, b...}{, c...}",
        component="r g b a",
        geometry=_GEOMETRY,
        dtype=_TYPE,
        type=_TYPE,
    ),
    Row("9.7.10.5", "", "txq{.level}.query.type d, [a]{, lod}", level="level", query=_QUERY, type="b32"),
    Row("9.7.10.6", "", "istypep.kind p, a", kind="texref samplerref surfref"),
    Row(
        "9.7.11.1",
        "",
        "suld.b.geometry{.cop}{.vec}.type.clamp d..., [a]",
        geometry=_SURFACE,
        type=_TYPE,
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.11.2",
        "",
        "sust.mode.geometry{.stcop}{.vec}.type.clamp [a], b...",
        mode="b p",
        geometry=_SURFACE,
        type=_TYPE,
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.11.3",
        "",
        "sured.mode.op.geometry.type.clamp [a], b",
        mode="b p",
        op="add min max and or",
        geometry=_SURFACE,
        type="u32 u64 s32 s64 b32 b64",
        clamp="trap clamp zero",
    ),
    Row("9.7.11.4", "", "suq.query.type d, [a]", query=_QUERY, type="b32"),
)
