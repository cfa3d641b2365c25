# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of loads, stores, prefetches and cache policies, section 9.7.9."""

from cuda.cpu.ptx.ranges import LINE
from cuda.cpu.ptx.row import Row, Traits

_M = "memory"
_TYPE = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
_LOAD = "const global local param param::entry param::func shared shared::cta shared::cluster"
_STORE = "global local param param::func shared shared::cta shared::cluster"
_PRIMARY = "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"
_SECONDARY = "L2::evict_first L2::evict_unchanged"
_HINTS = "{.hint}{.prefetch}"

ROWS = (
    Row("9.7.9.8", _M, "ld{.weak}{.space}{.cop}" + _HINTS + "{.vec}.type d..., [a]{, policy}", space=_LOAD, type=_TYPE),
    Row(
        "9.7.9.8",
        _M,
        "ld{.weak}{.space}{.evict1}{.evict2}" + _HINTS + "{.vec}.type d..., [a]{, policy}",
        space=_LOAD,
        type=_TYPE,
    ),
    Row("9.7.9.8", _M, "ld.sem{.space}{.prefetch}{.vec}.type d..., [a]", sem="volatile", space=_LOAD, type=_TYPE),
    Row(
        "9.7.9.8",
        _M,
        "ld.sem.scope{.space}{.evict1}{.evict2}" + _HINTS + "{.vec}.type d..., [a]{, policy}",
        sem="relaxed acquire",
        space=_LOAD,
        type=_TYPE,
    ),
    Row(
        "9.7.9.8",
        _M,
        "ld.mmio.sem.scope{.space}.type d, [a]",
        sem="relaxed acquire",
        scope="sys",
        space="global",
        type=_TYPE,
    ),
    Row("9.7.9.9", _M, "ld.space{.cop}.nc" + _HINTS + "{.vec}.type d..., [a]{, policy}", space="global", type=_TYPE),
    Row(
        "9.7.9.9",
        _M,
        "ld.space.nc{.evict1}{.evict2}" + _HINTS + "{.vec}.type d..., [a]{, policy}",
        space="global",
        type=_TYPE,
    ),
    Row("9.7.9.10", _M, "ldu{.space}{.vec}.type d..., [a]", space="global", type=_TYPE),
    Row("9.7.9.11", _M, "st{.weak}{.space}{.stcop}{.hint}{.vec}.type [a], b...{, policy}", space=_STORE, type=_TYPE),
    Row(
        "9.7.9.11",
        _M,
        "st{.weak}{.space}{.evict1}{.evict2}{.hint}{.vec}.type [a], b...{, policy}",
        space=_STORE,
        type=_TYPE,
    ),
    Row("9.7.9.11", _M, "st.sem{.space}{.vec}.type [a], b...", sem="volatile", space=_STORE, type=_TYPE),
    Row(
        "9.7.9.11",
        _M,
        "st.sem.scope{.space}{.evict1}{.evict2}{.hint}{.vec}.type [a], b...{, policy}",
        sem="relaxed release",
        space=_STORE,
        type=_TYPE,
    ),
    Row(
        "9.7.9.11",
        _M,
        "st.mmio.sem.scope{.space}.type [a], b",
        sem="relaxed release",
        scope="sys",
        space="global",
        type=_TYPE,
    ),
    Row(
        "9.7.9.12",
        _M,
        "st.async{.weak}{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b..., [mbar]",
        space="shared::cluster",
        vec="v2 v4",
        type="b32 b64 u32 u64 s32 s64 f32 f64",
    ),
    Row("9.7.9.12", _M, "st.async{.mmio}.sem.scope{.space}.type [a], b", sem="release", space="global", type=_TYPE),
    Row("9.7.9.14", _M, "st.bulk{.weak}{.space} [a], size, init", space="shared::cta"),
    Row("9.7.9.16", _M, "prefetch{.space}.level [a]", space="global local", level="L1 L2"),
    Row("9.7.9.16", _M, "prefetch{.space}.level [a]", space="global", level="L2::evict_last L2::evict_normal"),
    Row("9.7.9.16", _M, "prefetch{.space}.tensormap [a]", space="const param"),
    Row("9.7.9.16", _M, "prefetchu.L1 [a]"),
    Row("9.7.9.17", _M, "applypriority{.space}.evict2 [a], size", space="global"),
    Row("9.7.9.18", _M, "discard{.space}.level [a], size", space="global", level="L2"),
    Row(
        "9.7.9.19",
        _M,
        "createpolicy.fractional.primary{.secondary}.type d{, fraction}",
        primary=_PRIMARY,
        secondary=_SECONDARY,
        type="b64",
    ),
    Row(
        "9.7.9.19",
        _M,
        "createpolicy.range{.space}.primary{.secondary}.type d, [a], size, total",
        space="global",
        primary=_PRIMARY,
        secondary=_SECONDARY,
        type="b64",
    ),
    Row("9.7.9.19", _M, "createpolicy.cvt.L2.type d, a", type="b64"),
    Row("9.7.9.24", "cluster", "mapa{.space}.type d, a, b", space="shared::cluster", type="u32 u64"),
    Row("9.7.9.25", "cluster", "getctarank{.space}.type d, a", space="shared::cluster", type="u32 u64"),
)

TRAITS = {
    "ld": Traits(
        per_lane=True,
        types={"": {"d": "type+", "b": "type+"}},
        vectors=True,
        needs={
            "3.1": "nc",
            "7.4": "L1::evict_first/L1::evict_unchanged/L1::evict_normal",
            "7.8": "shared::cta",
            "8.4": "b128.sys",
            "8.8": "v8.b32/u32/s32/f32 v4.b64/u64/s64/f64",
            "sm_32": "nc",
            "sm_75": "L2::64B/L2::128B",
            "sm_100": "v8.b32/u32/s32/f32 v4.b64/u64/s64/f64",
        },
    ),
    "ldu": Traits(per_lane=True, types={"": {"d": "type+", "b": "type+"}}, vectors=True),
    "st": Traits(
        per_lane=True,
        types={"": {"d": "type+", "b": "type+"}, "async": {"b": "type"}, "bulk": {"size": "b64"}},
        vectors=True,
        needs={
            "7.4": "L1::evict_first/L1::evict_unchanged/L1::evict_normal",
            "7.8": "shared::cta",
            "8.1": "async",
            "8.4": "b128.sys",
            "8.6": "bulk",
            "8.7": "async.mmio async.release",
            "8.8": "v8.b32/u32/s32/f32 v4.b64/u64/s64/f64",
            "sm_100": "v8.b32/u32/s32/f32 v4.b64/u64/s64/f64 async.mmio async.release bulk",
        },
    ),
    "prefetch": Traits(
        per_lane=True,
        needs={
            "7.4": "L2::evict_last/L2::evict_normal",
            "8.0": "tensormap",
            "sm_80": "L2::evict_last/L2::evict_normal",
            "sm_90": "tensormap",
        },
    ),
    **dict.fromkeys(
        ("applypriority", "discard"), Traits(ranges={"": {"size": LINE}}, needs={"7.4": "*", "sm_80": "*"})
    ),
    "createpolicy": Traits(types={"": {"d": "b64", "a": "b64"}}, needs={"7.4": "*", "sm_80": "*"}),
    "mapa": Traits(pure=True, types={"": {"b": "u32"}}, symbols=True, needs={"7.8": "*", "sm_90": "*"}),
    "getctarank": Traits(pure=True, types={"": {"d": "u32"}}, symbols=True, needs={"7.8": "*", "sm_90": "*"}),
}
