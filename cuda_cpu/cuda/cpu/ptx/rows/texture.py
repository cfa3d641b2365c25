# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of textures and surfaces, sections 9.7.11 and 9.7.12. Multisampled ones (2dms) exist in graphics APIs only."""

from cuda.cpu.ptx.row import Row, Traits

_T = "texture"
_GEOMETRY = "1d 2d 3d a1d a2d cube acube"
_SAMPLES = "2dms a2dms"
_SURFACE = "1d 2d 3d a1d a2d"
_RESULT = "u32 s32 f32 f16 f16x2"
_BITS = "b8 b16 b32 b64"
_TEX = "tex{.level}.geometry{.vec}.dtype.type d...{|p}, [a]{, b...}{, c...}{, e...}{, f}"
_SIZES = "width height depth channel_data_type channel_order array_size"
_QUERY = _SIZES + " normalized_coords num_mipmap_levels num_samples filter_mode addr_mode_0 addr_mode_1 addr_mode_2"

ROWS = (
    Row("9.7.11.3", _T, _TEX, level="base level grad", geometry=_GEOMETRY, dtype=_RESULT, type="s32 f32"),
    Row("9.7.11.3", "", _TEX, level="base level", geometry=_SAMPLES, dtype=_RESULT, type="s32"),
    Row(
        "9.7.11.4",
        _T,
        "tld4.component.geometry.vec.dtype.type d...{|p}, [a]{, b...}{, c}",
        component="r g b a",
        geometry="2d a2d cube acube",
        dtype="u32 s32 f32",
        type="f32",
    ),
    Row("9.7.11.5", _T, "txq.query.type d, [a]", query=_QUERY, type="b32"),
    Row("9.7.11.5", _T, "txq.level.query.type d, [a], lod", level="level", query="width height depth", type="b32"),
    Row("9.7.11.6", _T, "istypep.kind p, a", kind="texref samplerref surfref"),
    Row(
        "9.7.12.1",
        _T,
        "suld.b.geometry{.cop}{.vec}.type.clamp d..., [a]",
        geometry=_SURFACE,
        type=_BITS,
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.12.2",
        _T,
        "sust.mode.geometry{.stcop}{.vec}.type.clamp [a], b...",
        mode="b",
        geometry=_SURFACE,
        type=_BITS,
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.12.2",
        _T,
        "sust.mode.geometry{.stcop}{.vec}.type.clamp [a], b...",
        mode="p",
        geometry=_SURFACE,
        type="b32 u32 s32 f32",
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.12.3",
        _T,
        "sured.mode.op.geometry.type.clamp [a], b",
        mode="b",
        op="add min max and or",
        geometry=_SURFACE,
        type="u32 u64 s32 s64 b32 b64",
        clamp="trap clamp zero",
    ),
    Row(
        "9.7.12.3",
        _T,
        "sured.mode.op.geometry.type.clamp [a], b",
        mode="p",
        op="add min max and or",
        geometry=_SURFACE,
        type="b32 u32 s32",
        clamp="trap clamp zero",
    ),
    Row("9.7.12.4", _T, "suq.query.type d, [a]", query=_SIZES + " memory_layout", type="b32"),
)

TRAITS = {
    "tex": Traits(
        types={"": {"d": "", "a": "", "b": "", "c": ""}},
        needs={"3.1": "*", "sm_30": "*"},
        reason="no API of CUDA makes arrays of samples, and depths are not compared",
    ),
    "tld4": Traits(
        types={"": {"d": "", "a": "", "b": "", "c": ""}},
        needs={
            "3.1": "*",
            "4.3": "a2d/cube/acube",
            "sm_30": "*",
        },
    ),
    "txq": Traits(
        needs={
            "3.1": "*",
            "4.1": "array_size num_mipmap_levels/num_samples",
            "4.3": "level",
            "sm_30": "*",
        }
    ),
    "istypep": Traits(types={"": {"a": "b64"}}, needs={"4.0": "*"}),
    "suld": Traits(types={"": {"d": "type+", "b": "type+"}}, vectors=True, needs={"3.1": "*", "sm_30": "*"}),
    "sust": Traits(
        types={"": {"d": "type+", "b": "type+"}},
        vectors=True,
        needs={
            "3.1": "*",
            "4.1": "p.a1d/a2d",
            "sm_30": "*",
        },
    ),
    "sured": Traits(
        types={"": {"d": "type+", "b": "type+"}},
        needs={
            "3.1": "*",
            "8.1": "min/max.u64/s64",
            "sm_30": "*",
            "sm_50": "min/max.u64/s64",
        },
    ),
    "suq": Traits(
        needs={
            "3.1": "*",
            "4.1": "array_size",
            "4.2": "memory_layout",
            "sm_30": "*",
        }
    ),
}
