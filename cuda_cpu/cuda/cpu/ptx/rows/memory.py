# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Data movement to and from memory, section 9.7.9, and memory consistency, section 9.7.13."""

from cuda.cpu.ptx.instructions import Row

_M = "memory"
_A = "atomics"
_TYPE = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
_LOAD = "const global local param param::entry param::func shared shared::cta shared::cluster"
_STORE = "global local param param::func shared shared::cta shared::cluster"
_ATOM = "global shared shared::cta shared::cluster"
_BITS = "b16 b32 b64 b128"
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
    Row("9.7.9.8", _M, "ld.mmio.sem.scope{.space}.type d, [a]", sem="relaxed", scope="sys", space="global", type=_TYPE),
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
        "9.7.9.11", _M, "st.mmio.sem.scope{.space}.type [a], b", sem="relaxed", scope="sys", space="global", type=_TYPE
    ),
    # 9.7.13 fences and atomics
    Row("9.7.13.4", "sync", "membar.level ", level="cta gl sys"),
    Row("9.7.13.4", "sync", "fence{.sem}.scope ", sem="sc acq_rel acquire release"),
    Row(
        "9.7.13.5",
        _A,
        "atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy}",
        sem="relaxed acquire release acq_rel",
        space=_ATOM,
        op="and or xor exch",
        type=_BITS,
    ),
    Row(
        "9.7.13.5",
        _A,
        "atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy}",
        sem="relaxed acquire release acq_rel",
        space=_ATOM,
        op="add inc dec min max",
        type="u32 u64 s32 s64 f32 f64",
    ),
    Row(
        "9.7.13.5",
        _A,
        "atom{.sem}{.scope}{.space}.op.type d, [a], b, c",
        sem="relaxed acquire release acq_rel",
        space=_ATOM,
        op="cas",
        type=_BITS,
    ),
    Row(
        "9.7.13.7",
        _A,
        "red{.sem}{.scope}{.space}.op{.hint}.type [a], b{, policy}",
        sem="relaxed release",
        space=_ATOM,
        op="and or xor add inc dec min max",
        type="b32 b64 u32 u64 s32 s64 f32 f64",
    ),
)
