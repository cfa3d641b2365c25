# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Immediates out of an operand's range are rejected at load, as by ptxas 13.0."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import _forms
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.rows import table

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k() { .shared .align 128 .b64 room[32];
"""
REGISTERS = "\n".join(f".reg .{type_} %{type_}_<9>;" for type_ in ("b32", "u32", "s64", "b64", "f32", "pred"))
ACCUMULATOR = "{%f32_1, %f32_2, %f32_3, %f32_4}"
WGMMA = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {ACCUMULATOR}, %b64_1, %b64_2"

CASES = [
    ("bar.sync #;", "0 15", "16 -1 255", "from 0 to 15"),
    ("barrier.sync 1, #;", "0 32 64 1024", "1 33 -1", "a multiple of 32"),
    ("bar.arrive 1, #;", "32 64", "0 31", "a multiple of 32 above 0"),
    ("bar.red.popc.u32 %u32_1, #, 32, %pred_1;", "0 15", "16", "from 0 to 15"),
    ("bfe.s64 %s64_1, %s64_2, #, 4;", "0 63 64 255", "-1 256 4294967296", "from 0 to 255"),
    ("bfi.b32 %b32_1, %b32_2, %b32_3, 1, #;", "0 32 255", "-1 256", "from 0 to 255"),
    ("cp.async.ca.shared.global [%b64_1], [%b64_2], #;", "4 8 16", "0 1 2 12 32", "4 or 8 or 16"),
    ("cp.async.cg.shared.global [%b64_1], [%b64_2], #;", "16", "4 8 32", "16"),
    ("cp.async.ca.shared.global [%b64_1], [%b64_2], 16, #;", "0 3 16", "-1 17", "from 0 to 16"),
    (
        "cp.async.bulk.global.shared::cta.bulk_group [%b64_1], [room], #;",
        "0 16 1048560",
        "-16 1 8 1048576",
        "a multiple of 16",
    ),
    ("mbarrier.arrive.shared.b64 %b64_1, [room], #;", "1 1048575", "0 -1", "above 0"),
    ("mbarrier.try_wait.parity.shared.b64 %pred_1, [room], #;", "0 1", "2 -1", "0 or 1"),
    ("discard.global.L2 [%b64_1], #;", "128", "0 64 256", "128"),
    ("applypriority.global.L2::evict_normal [%b64_1], #;", "128", "64", "128"),
    ("fence.proxy.tensormap::generic.acquire.gpu [%b64_1], #;", "128", "64", "128"),
    (WGMMA + ", #, 1, -1, 0, 1;", "0 1", "2 -1", "0 or 1"),
    (WGMMA + ", 1, #, 1, 0, 0;", "-1 1", "0 2", "-1 or 1"),
    (WGMMA + ", 1, 1, 1, 0, #;", "0 1", "2 -1", "0 or 1"),
    ("wgmma.wait_group.sync.aligned #;", "0 7", "-1", "0 or more"),
    ("alloca.u64 %b64_1, %b64_2, #;", "1 8 8388608", "0 3 -8 16777216", "a power of two"),
    ("pmevent.mask #;", "0 65535", "-1 65536", "from 0 to 65535"),
]


@pytest.mark.parametrize(("text", "right", "wrong", "message"), CASES)
def test_ranges_of_immediates(text, right, wrong, message):
    for value in right.split():
        build([f"{HEAD}{REGISTERS}\n{text.replace('#', value)}\nret;\n}}"])
    for value in wrong.split():
        with pytest.raises(PtxError, match=rf"operand \d \(.*\) is {value}; it must be {message}") as caught:
            build([f"{HEAD}{REGISTERS}\n{text.replace('#', value)}\nret;\n}}"])
        assert caught.value.line == 11


def test_every_range_is_of_an_operand():
    """A range for an operand that no row has would never be checked."""
    checked = 0
    for opcode, rows in table().items():
        for words, ranges in rows[0].traits.ranges.items():
            names = set()
            for row in rows:
                if all(any(word in each for _, each, _, _ in row.parts) for word in words.split(".") if word):
                    names |= {name for operand in row.names for name in operand}
            assert ranges.keys() <= names, (opcode, words)
            checked += 1
    assert checked > 10


def test_a_register_may_hold_any_number():
    assert next(_forms("bar", ("sync",)))
    build([f"{HEAD}{REGISTERS}\nbar.sync %u32_1, %u32_2; bfe.s64 %s64_1, %s64_2, %u32_1, %u32_2;\nret;\n}}"])
