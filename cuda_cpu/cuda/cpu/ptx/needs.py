# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The least `.version` and `.target` of instructions: the notes at the ends of the PTX ISA manual's sections.

The tables name instructions by opcode ("*": any) and words among their modifiers, of which "a/b" is either: all keys
that fit an instruction count, and the highest need of them. What is in no table is in PTX 2.0 for sm_20.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from cuda.cpu.ptx.operand_types import SIMD

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form

_WHOLE = "s8/s16/s32/s64/u8/u16/u32/u64"
_SIMD = " ".join(SIMD)
_SURFACES = "suld sust sured tex tld4 txq suq"  # by objects
_HALVES_BF16 = " ".join(
    f"{op}.bf16/bf16x2" for op in ("add", "sub", "mul", "tanh", "ex2", "set", "setp", "atom", "red")
)
_SMALL = "cvt.e2m3x2/e3m2x2/e2m1x2/ue8m0x2 ldmatrix.b8/b8x16 mma.kind::f8f6f4"

_VERSIONS = {
    (2, 1): "rcp.approx.ftz.f64",
    (3, 0): f"mad.cc madc pmevent.mask {_SIMD}",
    (3, 1): f"""
        cvta.const isspacep.const atom/red.and/or/xor.b64 atom/red.min/max.u64 atom/red.s64 ld.nc shf {_SURFACES}
    """,
    (4, 0): "istypep rsqrt.ftz.f64",
    (4, 1): "sust.p.a1d/a2d txq/suq.array_size txq.num_mipmap_levels/num_samples",
    (4, 2): "*.f16/f16x2 suq.memory_layout",
    (4, 3): "add/sub/mad.cc.u64/s64 addc/subc/madc.cc.u64/s64 lop3 tld4.a2d/cube/acube txq.level",
    (5, 0): "*.gpu atom/red.cta/sys/f64 dp2a dp4a",
    (6, 0): """
        *.relaxed/release/weak/acquire/acq_rel bar.warp barrier brx fence fns match shfl.sync vote.sync neg.f16/f16x2
    """,
    (6, 2): "*.noftz activemask nanosleep",
    (6, 3): "atom.b16 atom/red.f16 wmma",
    (6, 4): "mma",
    (6, 5): "abs.f16/f16x2 cvt.pack ldmatrix mma.m16n8k8 mma.s32",
    (7, 0): """
        *.NaN/relu/bf16/bf16x2/tf32 wmma.m16n16k8 cp.async cvt.f16x2 ex2/max/min.f16/f16x2 mbarrier redux tanh
        mma/wmma.f64 mma.b1 mma.m16n8k16/m16n8k32/m16n8k64
    """,
    (7, 1): "mbarrier.parity mma/wmma.and mma.sp",
    (7, 2): "*.xorsign",
    (7, 3): "alloca stacksave stackrestore",
    (7, 4): """
        *.L2::64B/L2::128B/L2::256B/L2::cache_hint/L1::evict_last/L1::no_allocate
        ld/st.L1::evict_first/L1::evict_unchanged/L1::evict_normal applypriority createpolicy discard
        prefetch.L2::evict_last/L2::evict_normal
    """,
    (7, 5): "fence.proxy membar.proxy cp.L2::cache_hint",
    (7, 6): "bmsk szext",
    (7, 7): "cvta/isspacep.param",
    (7, 8): f"""
        *.cluster/shared::cluster atom/red/ld/st/cvta/isspacep/mbarrier/wmma.shared::cta cp.mbarrier.shared::cta
        bar/barrier.cta cvt.e4m3x2/e5m2x2 cvt.rn/rz.tf32 cvt.bf16.{_WHOLE}/f16/f64 cvt.bf16.rni/rzi/rmi/rpi getctarank
        griddepcontrol mapa mbarrier.try_wait movmatrix stmatrix mma.f64.m16n8k4/m16n8k8/m16n8k16 {_HALVES_BF16}
    """,
    (8, 0): """
        *.u16x2/s16x2 barrier.acquire/relaxed/release elect cp.bulk fence.proxy.async fence.mbarrier_init
        mbarrier.expect_tx/complete_tx mbarrier.release/relaxed/acquire max/min.relu.s32 prefetch.tensormap wgmma
    """,
    (8, 1): """
        atom/red.v2/v4/v8 cvt.satfinite.f16/bf16/f16x2/bf16x2.f32 cvt.rna.satfinite fma.oob multimem red.async
        st.async sured.min/max.u64/s64
    """,
    (8, 2): "*.mmio multimem.acc::f32 lop3.and/or wgmma.sp",
    (8, 3): "*.b128/param::entry/param::func fence.tensormap::generic tensormap",
    (8, 4): "atom/ld/st.b128.sys mma.e4m3/e5m2 wgmma.s8.u8",
    (8, 5): "mma.sp::ordered_metadata",
    (8, 6): f"""
        *.f32x2 add/sub/fma.f32.f16/bf16 clusterlaunchcontrol cp.cp_mask
        cp.shared::cta.global.mbarrier::complete_tx::bytes cvt.rn/rz.satfinite.tf32
        fence.sync_restrict::shared::cta/sync_restrict::shared::cluster redux.f32 st.bulk {_SMALL}
    """,
    (8, 7): """
        mma.block_scale mma.e2m1/e2m3/e3m2 mma.e4m3/e5m2.f16 mma.e4m3/e5m2.m16n8k16 red.async.release red.mmio
        st.async.mmio st.async.release
    """,
    (8, 8): "max/min.,c ld/st.v8.b32/u32/s32/f32 ld/st.v4.b64/u64/s64/f64",
}

# Targets, of which the family-specific ones (sm_100f) and those with an "a" have what others have not: the first and
# the last number of those that will do, and the letters of which they must have one.
_TARGETS = {
    (30, 999, ""): f"mad.cc.u64/s64 madc.cc.u64/s64 {_SIMD} {_SURFACES} shfl",
    (32, 999, ""): "atom/red.and/or/xor.b64 atom/red.min/max.u64 atom/red.s64 ld.nc shf",
    (50, 999, ""): "lop3 sured.min/max.u64/s64",
    (52, 999, ""): "alloca stacksave stackrestore",
    (53, 999, ""): "*.f16/f16x2",
    (60, 999, ""): "*.gpu/noftz atom/red.cta/sys/f64 membar.proxy",
    (61, 999, ""): "dp2a dp4a",
    (70, 999, ""): """
        *.relaxed/release/weak/acquire/acq_rel/b128/mmio/param::entry/param::func atom.b16 atom/red.f16 bmsk szext
        fence cvt.satfinite.f16/bf16/f16x2/bf16x2.f32
        *.L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate cvta/isspacep.param
        lop3.and/or match mma nanosleep wmma
    """,
    (72, 999, ""): "cvt.pack wmma.s32/s8/u8",
    (75, 999, ""): """
        ex2.f16/f16x2 tanh ld.L2::64B/L2::128B cvt.s2/u2/s4/u4 wmma.b1/s4/u4/m8n8k32/m8n8k128 mma.b1 mma.m16n8k8
        mma.m8n8k16 mma.m8n8k32 movmatrix ldmatrix
    """,
    (80, 999, ""): """
        *.L2::cache_hint/L2::256B/NaN/relu/bf16/bf16x2/tf32 wmma.m16n16k8 applypriority cp.async createpolicy discard
        cvt.f16x2 max/min.f16/f16x2 mbarrier mma/wmma.and mma/wmma.f64 mma.sp/sp::ordered_metadata redux
        mma.m16n8k16/m16n8k32/m16n8k64/m16n8k128/m16n8k256 prefetch.L2::evict_last/L2::evict_normal
    """,
    (86, 999, ""): "*.xorsign",
    (89, 999, ""): "cvt.e4m3x2/e5m2x2 mma.e4m3/e5m2",
    (90, 999, ""): f"""
        *.cluster/shared::cluster/mbarrier::complete_tx::bytes/u16x2/s16x2 atom.b128 atom/red.v2/v4/v8 cp.bulk
        cvt.bf16.{_WHOLE}/f16/f64 cvt.bf16.rni/rzi/rmi/rpi cvt.rn/rz.tf32 elect fence.proxy.async
        fence.tensormap::generic fma.oob getctarank griddepcontrol mapa max/min.relu.s32
        mbarrier.expect_tx/complete_tx mbarrier.try_wait mma.f64.m16n8k4/m16n8k8/m16n8k16 multimem prefetch.tensormap
        stmatrix tensormap {_HALVES_BF16}
    """,
    (100, 999, ""): """
        *.f32x2 add/sub/fma.f32.f16/bf16 clusterlaunchcontrol cp.cp_mask cvt.rn/rz.satfinite.tf32
        ld/st.v8.b32/u32/s32/f32 ld/st.v4.b64/u64/s64/f64 max/min.,c red.async.release red.mmio st.async.mmio
        st.async.release st.bulk
    """,
    (90, 90, "a"): "wgmma",
    (90, 999, "af"): "tensormap.replace",
    (100, 109, "af"): "redux.f32",
    (100, 999, "af"): f"clusterlaunchcontrol.multicast::cluster::all {_SMALL}",
    (120, 129, "af"): "mma.block_scale mma.e2m1/e2m3/e3m2 mma.sp::ordered_metadata.f16.e4m3/e5m2",
    (120, 129, "a"): "mma.block_scale.m16n8k128",
}


@cache
def _keys(table: str) -> dict[str, list[tuple[frozenset[str], tuple]]]:
    """Return a table's keys by opcode."""
    found: dict[str, list[tuple[frozenset[str], tuple]]] = {}
    for need, keys in {"version": _VERSIONS, "target": _TARGETS}[table].items():
        for key in keys.split():
            for opcode, *words in product(*(part.split("/") for part in key.split("."))):
                found.setdefault(opcode, []).append((frozenset(words), need))
    return found


def _needs(form: Form, table: str, operands: int) -> list[tuple]:
    keys = _keys(table)
    words = {*form.modifiers, ",c"} if operands == 4 else {*form.modifiers}
    return [need for key, need in (*keys.get("*", ()), *keys.get(form.opcode, ())) if key <= words]


@cache
def lacking(form: Form, operands: int, version: tuple[int, int], target: str) -> str:
    """Say which `.version` or `.target` an instruction with so many operands needs; "" if it has both."""
    needed = max(_needs(form, "version", operands), default=version)
    if needed > version:
        return f"{form} needs .version {needed[0]}.{needed[1]} or later; this is .version {version[0]}.{version[1]}"
    parts = re.fullmatch(r"(?:sm|compute)_(\d+)([af]?)", target)
    if parts is None:
        return ""
    number, letter = int(parts[1]), parts[2]
    if form.opcode in ("shfl", "vote") and "sync" not in form.modifiers and version >= (6, 4) and number >= 70:
        return f"{form} needs .sync and a mask of lanes for {target}"
    for first, last, letters in _needs(form, "target", operands):
        if not (first <= number <= last and (not letters or (letter and letter in letters))):
            return f"{form} needs .target {_named(first, last, letters)}; this is for {target}"
    return ""


def _named(first: int, last: int, letters: str) -> str:
    if not letters:
        return f"sm_{first} or later"
    exact = " or ".join(f"sm_{first}{letter}" for letter in letters if (first, letter) != (90, "f"))
    return exact if first == last else f"{exact} or {'a later one with a letter' if last == 999 else 'of its family'}"
