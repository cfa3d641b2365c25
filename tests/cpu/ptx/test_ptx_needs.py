# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The lowest .version and .target of instructions, the same as for ptxas 13.0."""

from __future__ import annotations

from itertools import chain

import pytest

from cuda.cpu.ptx import needs
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.rows import table

REGISTERS = "\n".join(f".reg .{type_} %{type_}_<9>;" for type_ in ("b16", "b32", "u32", "f32", "b64", "pred"))
FUNCTION = ".visible .entry k() {{ .shared .b64 room[4];\n{registers}\n{text}\nret; }}"


def load(text: str, version: str, target: str):
    function = FUNCTION.format(registers=REGISTERS, text=text)
    return build([f".version {version}\n.target {target}\n.address_size 64\n{function}"])


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("lop3.b32 %b32_1, %b32_2, %b32_3, %b32_4, 0x96;", "4.3", "4.2"),
        ("mul.rn.f16 %b16_1, %b16_2, %b16_3;", "4.2", "4.1"),
        ("shfl.sync.idx.b32 %b32_1, %b32_2, 0, 31, -1;", "6.0", "5.0"),
        ("ld.acquire.gpu.u32 %u32_1, [%b64_1];", "6.0", "5.0"),
        ("cp.async.wait_all;", "7.0", "6.5"),
        ("ld.global.L2::128B.u32 %u32_1, [%b64_1];", "7.4", "7.3"),
        ("mapa.u64 %b64_1, %b64_2, 1;", "7.8", "7.7"),
        ("wgmma.fence.sync.aligned;", "8.0", "7.8"),
        ("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%b64_1], 1, [%b64_2];", "8.1", "8.0"),
        ("min.f32 %f32_1, %f32_2, %f32_3, %f32_4;", "8.8", "8.7"),
    ],
)
def test_required_ptx_version(text, least, below):
    target = "sm_90a" if "wgmma" in text else "sm_120"
    load(text, least, target)
    name = text.split()[0].rstrip(";")
    with pytest.raises(
        PtxError, match=rf"{name} needs \.version {least} or later; this is \.version {below}\n"
    ) as caught:
        load(text, below, target)
    assert caught.value.line


@pytest.mark.parametrize(
    ("text", "good", "bad", "message"),
    [
        ("dp4a.u32.u32 %u32_1, %u32_2, %u32_3, %u32_4;", "sm_61 sm_70", "sm_60", "sm_61 or later"),
        ("nanosleep.u32 1;", "sm_70 compute_75", "sm_62", "sm_70 or later"),
        ("redux.sync.add.u32 %u32_1, %u32_2, -1;", "sm_80 sm_90a", "sm_75", "sm_80 or later"),
        ("cvt.rn.satfinite.e4m3x2.f32 %b16_1, %f32_1, %f32_2;", "sm_89", "sm_86", "sm_89 or later"),
        ("barrier.cluster.arrive;", "sm_90 sm_120", "sm_89", "sm_90 or later"),
        ("wgmma.fence.sync.aligned;", "sm_90a", "sm_90 sm_100 sm_100a sm_120a", "sm_90a"),
        (
            "tensormap.replace.tile.rank.b1024.b32 [room], 1;",
            "sm_90a sm_100a sm_100f sm_120a",
            "sm_90 sm_100 sm_120",
            "sm_90a or a later one with a letter",
        ),
        (
            "cvt.rn.satfinite.e2m1x2.f32 %b8, %f32_1, %f32_2;",
            "sm_100a sm_103f sm_120a",
            "sm_90a sm_100 sm_120",
            "sm_100a or sm_100f or a later one with a letter",
        ),
        (
            "redux.sync.min.f32 %f32_1, %f32_2, -1;",
            "sm_100a sm_103f",
            "sm_100 sm_120a",
            "sm_100a or sm_100f or of its family",
        ),
        ("min.f32 %f32_1, %f32_2, %f32_3, %f32_4;", "sm_100", "sm_90a", "sm_100 or later"),
        ("min.f32 %f32_1, %f32_2, %f32_3;", "sm_50", "", ""),
        ("add.f32 %f32_1, %f32_2, %f32_3;", "texmode_unified", "", ""),
    ],
)
def test_required_target(text, good, bad, message):
    text = ".reg .b8 %b8;" + text
    for target in good.split():
        load(text, "9.0", target)
    for target in bad.split():
        with pytest.raises(PtxError, match=rf"needs \.target {message}.*; this is for {target}\n"):
            load(text, "9.0", target)


def test_shfl_and_vote_need_sync_since_sm_70():
    for text in ("shfl.idx.b32 %b32_1, %b32_2, 0, 31;", "vote.all.pred %pred_1, %pred_2;"):
        load(text, "6.3", "sm_70")
        load(text, "9.0", "sm_60")
        with pytest.raises(PtxError, match=r"needs \.sync and a mask of lanes for sm_70"):
            load(text, "6.4", "sm_70")


def test_every_requirement_names_modifiers_of_its_opcode():
    """A requirement for a modifier that no instruction has would never apply."""
    words = {
        opcode: {word for row in rows for _, each, _, _ in row.parts for word in each}
        for opcode, rows in table().items()
    }
    everywhere = set().union(*words.values())
    for opcode in ("*", *table()):
        own = needs.MODIFIERS if opcode == "*" else table()[opcode][0].traits.needs
        known = everywhere if opcode == "*" else words[opcode] | {needs.FOUR_OPERANDS}
        for key, _ in chain(*needs.parsed(own)):
            assert key <= known, (opcode, key)
