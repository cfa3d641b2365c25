# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operand types are checked at load; accepted and rejected as by ptxas 13.0."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.form import Form
from cuda.cpu.ptx.fragment_types import fragment_of
from cuda.cpu.ptx.operand_types import _BITS_OF, type_of
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.rows import table

TYPES = [
    "b8",
    "u8",
    "s8",
    "b16",
    "u16",
    "s16",
    "f16",
    "f16x2",
    "b32",
    "u32",
    "s32",
    "f32",
    "b64",
    "u64",
    "s64",
    "f64",
    "b128",
    "pred",
]
HEAD = """
.version 9.0
.target sm_90a
.address_size 64
.global .align 16 .b8 words[64];
.const .u32 constant = 7;
.func callee() { ret; }
.visible .entry k(.param .u64 to, .param .align 8 .b8 block[64])
{
    .shared .align 16 .b8 room[64]; .local .align 16 .b8 depot[64];
"""
REGISTERS = "\n".join(f".reg .{type_} %{type_}_<9>;" for type_ in TYPES)


def load(text: str, target: str = "sm_90a"):
    return build([f"{HEAD}{REGISTERS}\n{text}\nL: T: .branchtargets L;\nret;\n}}".replace("sm_90a", target)])


def refused(text: str, message: str) -> None:
    with pytest.raises(PtxError, match=message) as caught:
        load(text)
    assert caught.value.line


# Registers that agree with each type of an instruction; "wider" as loads, stores and conversions have it (9.4.1).
SAME = {
    "u16": "b16 u16 s16", "f16": "b16 f16", "bf16": "b16", "f16x2": "b32 f16x2", "u16x2": "b32 f16x2",
    "u32": "b32 u32 s32 f16x2", "s32": "b32 u32 s32 f16x2", "f32": "b32 f32", "u64": "b64 u64 s64", "f64": "b64 f64",
}  # fmt: skip


@pytest.mark.parametrize("register", TYPES)
@pytest.mark.parametrize("type_", SAME)
def test_registers_agree_in_size_and_kind(type_, register):
    text = f"add.{type_} %{register}_1, %{register}_2, %{register}_3;"
    if register in SAME[type_].split():
        load(text)
    else:
        refused(text, rf"operand 1 \(d\) must be a register of type \.{type_}")


@pytest.mark.parametrize(
    ("type_", "wider"),
    [
        ("b8", "b8 u8 s8 b16 u16 s16 f16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128"),
        ("u16", "b16 u16 s16 f16x2 b32 u32 s32 b64 u64 s64 b128"),
        ("f32", "b32 f32 b64 b128"),
        ("s64", "b64 u64 s64 b128"),
    ],
)
def test_loads_and_stores_accept_wider_registers(type_, wider):
    for register in TYPES:
        for text in (f"ld.global.{type_} %{register}_1, [words];", f"st.global.{type_} [words], %{register}_1;"):
            if register in wider.split():
                load(text)
            else:
                refused(text, rf"must be (a register )?of type \.{type_}")


@pytest.mark.parametrize(
    "text",
    [
        "fma.rn.f32 %f32_1, %f32_2, 1.5, 0f3F800000;",
        "and.b32 %b32_1, %f32_2, 0f3F800000;",
        "mov.b64 %b64_1, 1.5;",
        "mul.wide.u16 %u32_1, %u16_2, %u16_3;",
        "mad.wide.s32 %s64_1, %s32_2, %s32_3, %s64_4;",
        "shl.b64 %b64_1, %b64_2, %b32_3;",
        "popc.b64 %b32_1, %b64_2;",
        "cvt.u16.u32 %u32_1, %u64_2;",
        "cvt.pack.sat.s16.s32 %b32_1, %s32_2, %s64_3;",
        "isspacep.shared %pred_1, %b32_2;",
        "selp.b32 %b32_1, 1, 0, !%pred_1;",
        "selp.b32 %b32_1, 1, 0, 2;",
        "and.pred %pred_1, !%pred_2, 1;",
        "mov.pred %pred_1, !%pred_2;",
        "lop3.or.b32 %b32_1|%pred_1, %b32_1, %b32_2, %b32_3, 1, !%pred_2;",
        "mov.u16 %u16_1, %tid.x;",
        "mov.b64 %b64_1, {%b32_1, %f32_2};",
        "mov.u64 %u64_1, words+4;",
        "cp.async.bulk.prefetch.tensor.1d.L2.global.tile.L2::cache_hint [%b64_1, {%b32_2}], %b64_3;",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%b64_1, {%b32_2, %b32_3, %b32_4}], {%b16_1};",
        "cp.async.ca.shared.global.L2::cache_hint [%b32_1], [%b64_1], 8, !%pred_2, %b64_2;",
        "setp.lt.f16x2 %pred_1, %b32_1, %b32_2;",
        "wgmma.fence.sync;",
        "prefetch.L2::evict_last [%b64_1];",
        "mov.f32 %f32_1, 1e39;",
        "atom.global.add.noftz.L2::cache_hint.v2.bf16 {%b16_1, %b16_2}, [%b64_1], {%b16_3, %b16_4}, %b64_2;",
        "ld.global.b32 {%b32_1}, [words];",
        "ld.shared.b32 %b32_1, [%b32_2];",
        "fma.rn.relu.relu.f16 %b16_1, %b16_2, %b16_3, %b16_4;",
        "vadd.u32.u32.u32 %u32_1, %u32_2, %u32_3, %u32_4;",
        "mov.u32 %u32_1, %envreg7;",
        "mov.u64 %u64_1, %pm3_64;",
        "alloca.u32 %u32_1, %s32_2;",
        "alloca.u64 %u64_1, %b64_2, 16;",
        "mov.u16 %u16_1, %nctaid.y;",
        "mov.u64 %u64_1, %gridid; mov.u32 %u32_1, %gridid; mov.u16 %u16_1, %gridid;",
        "mov.b128 %b128_1, %tid;",
        "mov.v4.u16 {%u16_1, %u16_2, %u16_3, %u16_4}, %tid;",
        "mov.b64 %b64_1, {%laneid, %b32_1};",
        "cvt.u64.u32 %u64_1, %tid.x; cvt.s16.s32 %s16_1, %clock64; cvt.sat.u8.u16 %u16_1, %warpid;",
        "st.global.v2.u32 [%b64_1], {%tid.x, %tid.y};",
        "mov.b32 %b32_1, {%b32_2};",
        "atom.global.add.u32 _, [words], 1; setp.eq.s32 _|%pred_1, %s32_1, 1;",
        "elect.sync _|%pred_1, -1; shfl.sync.idx.b32 %b32_1|_, %b32_2, 0, 31, -1;",
        "mov.u64 %u64_1, callee; cvta.global.u64 %u64_1, words; mapa.shared::cluster.u64 %u64_1, room, 1;",
        "ld.local.b32 %b32_1, [16];",
        "fma.rn.sat.sat.f32 %f32_1, %f32_2, %f32_3, %f32_4; sqrt.approx.approx.f32 %f32_1, %f32_2;",
        "fence.gpu.sc; mad.sat.rn.f32 %f32_1, %f32_2, %f32_3, %f32_4;",
        "mbarrier.arrive.noComplete.b64.shared::cta %b64_1, [room], 1;",
        "mov.b64 {_, %b16_1, _, %b16_2}, %b64_1;",
    ],
)
def test_valid_operands(text):
    load(text)


@pytest.mark.parametrize(
    "text",
    [
        "fma.rn.f32.bf16 %f32_1, %b16_1, %b16_2, %f32_3;",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%b64_1], [%b32_2], %b32_3, %b16_4;",
    ],
)
def test_valid_operands_for_sm_100(text):
    load(text, "sm_100")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fma.rn.ftz.f32 %f32_1, %f32_2, words, 1.0;", r"operand 3 \(b\) must be of type \.f32"),
        ("add.f32 %f32_1, %f32_2, 1;", r"\.f32"),
        ("add.s32 %s32_1, %s32_2, 1.0;", r"\.s32"),
        ("add.f16 %f16_1, %f16_2, 1.0;", r"\.f16"),
        ("add.s32 5, %s32_2, 1;", r"\(d\) must be a register"),
        ("mov.u32 %tid.x, 1;", r"\(d\) must be a register"),
        ("add.s32 words, %s32_2, 1;", r"\(d\) must be a register"),
        ("setp.eq.s32 %b32_1, %s32_2, 1;", r"\(p\) must be a register of type \.pred"),
        ("selp.b32 %b32_1, 1, 0, %b32_2;", r"\(\{!\}c\) must be of type \.pred"),
        ("selp.b32 %b32_1, 1, 0, !%b32_2;", r"\.pred"),
        ("add.s32 %s32_1, %clock64, 1;", r"operand 2 \(a\)"),
        ("mov.b32 %b32_1, %pred_1;", r"operand 2 \(a\)"),
        ("mov.u64 %u64_1, %tid.x;", r"operand 2 \(a\) must be of type \.u64"),
        ("mov.u32 %u32_1, %clock64;", r"operand 2 \(a\) must be of type \.u32"),
        ("mov.u16 %u16_1, %laneid;", r"operand 2 \(a\) must be of type \.u16"),
        ("mov.u32 %u32_1, %tid;", r"operand 2 \(a\) must be of type \.u32"),
        ("add.s32 %s32_1, %tid.x, 1;", r"operand 2 \(a\) must be no special register"),
        ("cvt.rn.f32.u32 %f32_1, %tid.x;", r"operand 2 \(a\) must be no special register"),
        ("st.global.u32 [%b64_1], %tid.x;", r"operand 2 \(b\) must be no special register"),
        ("selp.u32 %u32_1, 1, 0, %is_explicit_cluster;", "must be no special register"),
        ("clz.b32 _, %b32_1;", r"operand 1 \(d\) must be a register: the instruction does nothing else"),
        ("add.u64 %u64_1, words, 4;", r"operand 2 \(a\) must be of type \.u64"),
        ("st.global.u64 [words], words;", r"operand 2 \(b\) must be of type \.u64"),
        ("ld.global.b32 %b32_1, [16];", r"a number is an address in \.local only"),
        ("atom.shared.add.u32 %u32_1, [0], 1;", r"a number is an address in \.local only"),
        ("vadd2.u32.u32.u32 %u32_1, 1, %u32_2, %u32_3;", r"operand 2 \(a\) must be of type \.u32"),
        ("vmin4.u32.u32.u32 %u32_1, %u32_2, %u32_3, 0;", r"operand 4 \(c\) must be of type \.u32"),
        ("neg.ftz.ftz.f32 %f32_1, %f32_2;", "is not supported"),
        ("ld.global.nc.nc.b32 %b32_1, [words];", "is not supported"),
        ("mul.u32.lo %u32_1, %u32_2, %u32_3;", "is not supported"),
        ("cp.async.tensor.bulk.1d.global.shared::cta.bulk_group [%b64_1, {%b32_1}], [room];", "is not supported"),
        ("fence.async.proxy;", "is not supported"),
        ("mov.b64 {%b32_1, %b32_2}, {%b32_3, %b32_4};", r"to vectors need \.v2 or \.v4"),
        ("mov.b64 %b64_1, {%tid.x, %clock64};", r"a vector of 2 elements of type \.b32"),
        ("mov.b64 %b64_1, {%b32_1, %b16_1};", r"a vector of 2 elements of type \.b32"),
        ("mov.b64 {%b64_1, %b64_2}, %b64_3;", r"a vector of 2 elements of type \.b32"),
        ("mov.b128 %b128_1, {%b32_1, %b32_2};", r"a vector of 2 elements of type \.b64"),
        ("mov.u32 %u32_1, {%u16_1, %u16_2};", r"must be of type \.u32"),
        ("mov.b32 %b32_1, {%b8_1, %b8_2, %b8_3};", r"must be of type \.b32"),
        ("mov.b128 %b128_1, {words, words};", r"operand 2 \(a\)"),
        ("st.global.v2.u64 [%b64_1], {words, words};", r"operand 2 \(b\)"),
        ("mov.v2.b32 {%b32_1, %b32_2}, %b64_1;", r"a vector of 2 elements of type \.b32"),
        ("stackrestore.u32 4;", r"must be of type \.u32"),
        ("movmatrix.sync.aligned.m8n8.trans.b16 %b32_1, 7;", r"must be of type \.b32"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 %b32_1, [room];", "a vector of 1 registers"),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [room], {1};", "a vector of 1 registers"),
        ("lop3.b32 %b32_1, %b32_2, %b32_3, %b32_4, %b32_5;", r"\(immLut\) must be a constant"),
        ("bra 5;", r"\(target\) must be a label"),
        ("shfl.sync.idx.b32 %b32_1|%b32_5, %b32_2, 0, 31, -1;", r"\(p\) must be a register of type \.pred"),
        ("ld.global.v2.b32 %b32_1, [words];", "a vector of 2 elements"),
        ("ld.global.v2.b32 {%b32_1, %b32_2, %b32_3}, [words];", "a vector of 2 elements"),
        ("st.global.b32 [words], {%b32_1, %b32_2};", "no vector"),
        ("ld.global.v2.f32 {%f32_1, %s32_2}, [words];", r"\.f32"),
        ("ld.global.b32 %b32_1, [%f64_1];", r"\.f64 is no type of an address"),
        ("ld.global.b32 %b32_1, [%pred_1];", r"\.pred is no type of an address"),
        ("ld.global.b32 %b32_1, [room];", r"room is in \.shared"),
        ("ld.const.b32 %b32_1, [words];", r"words is in \.global"),
        ("ld.b32 %b32_1, [constant];", r"constant is in \.const"),
        ("st.b32 [constant], %b32_1;", r"constant is in \.const"),
        ("ld.global.b32 %b32_1, [callee];", "callee is no variable"),
        ("ld.global.L2::cache_hint.b32 %b32_1, [words];", "needs an operand for the policy"),
        ("ld.global.b32 %b32_1, [words], %b64_1;", "a policy needs .L2::cache_hint"),
        ("alloca.u64 %u64_1, %u32_2;", r"operand 2 \(size\) must be of type \.u64"),
        ("alloca.u32 %u32_1, %u64_2;", r"operand 2 \(size\) must be of type \.u32"),
        ("alloca.u32 %u32_1, %u32_2, _;", r"operand 3 \(align\) must be a constant"),
        ("add.s32 %s32_1, _, 1;", r"operand 2 \(a\) must be of type \.s32"),
        ("barrier.arrive.cluster;", "is not supported"),
        ("mbarrier.shared.init.b64 [room], 1;", "is not supported"),
        ("multimem.relaxed.ld_reduce.add.u32 %u32_1, [words];", "is not supported"),
    ],
)
def test_invalid_operands(text, message):
    refused(text, message)


MMA = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
D, A, B = (
    "{" + ", ".join(f"%{type_}_{i}" for i in range(count)) + "}"
    for type_, count in (("f32", 4), ("b32", 4), ("b32", 2))
)


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        (f"{D}, {A}, {B}, {D}", ""),
        (f"{D}, {A}, {A}, {D}", r"operand 3 \(b\) must be a vector of 2 registers of type \.b32"),
        (f"{D}, %b32_1, {B}, {D}", r"operand 2 \(a\) must be a vector of 4 registers"),
        (f"{A.replace('b32', 's32')}, {A}, {B}, {D}", r"operand 1 \(d\) must be a vector of 4 registers of type \.f32"),
        (f"{D}, {A}, {B}, 0", r"operand 4 \(c\)"),
    ],
)
def test_mma_fragments_have_the_right_number_of_registers(operands, message):
    text = f"{MMA} {operands};"
    if message:
        refused(text, message)
    else:
        load(text)


def test_an_access_without_a_space_uses_that_of_the_variable():
    program = load("ld.b32 %b32_1, [room]; st.b32 [depot], %b32_1; atom.add.u32 %u32_1, [words], 1;")
    modifiers = [statement.modifiers for statement in program.functions["k"].body[:3]]
    assert modifiers == [("b32", "shared"), ("b32", "local"), ("add", "u32", "global")]
    text = "st.async.mbarrier::complete_tx::bytes.b32 [%b64_1], %b32_1, [room];"
    assert load(text).functions["k"].body[0].modifiers[-1] == "shared::cluster"
    text = "tensormap.replace.tile.rank.b1024.b32 [room], 1;"
    assert load(text).functions["k"].body[0].modifiers[-1] == "shared::cta"


def test_every_operand_of_every_row_has_a_type():
    """The operand types are known for all modifiers of a row."""
    for row in (row for rows in table().values() for row in rows):
        for chosen in range(max(len(words) for _, words, _, _ in row.parts) if row.parts else 1):
            modifiers = tuple(sorted(words)[chosen % len(words)] for _, words, _, _ in row.parts)
            values = row.match(modifiers)
            if values is None:
                continue
            form = Form(row, modifiers, values)
            for name in (name for names in row.names for name in names if not fragment_of(form, name)):
                found = type_of(form, name).strip("%+")
                assert found in ("", "constant", "label") or set(found.split()) <= set(_BITS_OF), (row, name)
