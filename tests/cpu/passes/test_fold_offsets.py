# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constants added to addresses of shared memory become a part of the accesses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.warps import HEAD

from cuda.cpu.passes.fold_offsets import FARTHEST, fold_offsets
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.syntax import Address, Immediate, Instruction, Register, Statement

KERNEL = """
.visible .entry k()
{
    .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<3>; .shared .align 4 .b8 room[4096];
    BODY
    ret;
}
"""
LOAD = "ld.shared.u32 %r9, [%r2+8];"


def body_of(text: str) -> list[Statement]:
    return build([HEAD + KERNEL.replace("BODY", text)]).functions["k"].body


def addresses(body: list[Statement]) -> list[tuple[str, int]]:
    """Return the base registers and offsets of the loads and stores."""
    found = [each for item in body if isinstance(item, Instruction) for each in item.operands]
    return [(each.base.name, each.offset) for each in found if isinstance(each, Address)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add.u32 %r2, %r1, 4;" + LOAD, ("%r1", 12)),
        ("add.s32 %r2, %r1, -4;" + LOAD, ("%r1", 4)),
        ("add.u32 %r2, 4, %r1;" + LOAD, ("%r1", 12)),
        ("add.u32 %r2, %r1, 0xFFFFFFF0;" + LOAD, ("%r1", -8)),
        ("sub.s32 %r2, %r1, 4;" + LOAD, ("%r1", 4)),
        ("add.u32 %r3, %r1, 4; add.u32 %r2, %r3, 16;" + LOAD, ("%r1", 28)),
        ("add.u32 %r2, %r1, 4; mov.u32 %r5, 0;" + LOAD, ("%r1", 12)),
        ("add.u32 %r2, %r1, 4; st.shared.u32 [%r2], %r1;", ("%r1", 4)),
        ("add.u32 %r2, %r1, 4; @%p1 ld.shared.v2.u32 {%r8, %r9}, [%r2];", ("%r1", 4)),
    ],
)
def test_sums_are_parts_of_accesses(text, expected):
    assert addresses(fold_offsets(body_of(text))) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "add.u32 %r2, %r1, 4; add.u32 %r1, %r1, 1;" + LOAD,
        "add.u32 %r2, %r1, 4; @%p1 mov.u32 %r1, 0;" + LOAD,
        "add.u32 %r2, %r1, 4; mov.u32 %r2, %r5;" + LOAD,
        "add.u32 %r2, %r1, 4; @%p1 mov.u32 %r2, %r5;" + LOAD,
        "@%p1 add.u32 %r2, %r1, 4;" + LOAD,
        "add.u32 %r2, %r1, 4; L:" + LOAD,
        "add.u32 %r2, %r1, %r5;" + LOAD,
        "add.u32 %r2, %r2, 4;" + LOAD,
        "sub.u32 %r2, 4, %r1;" + LOAD,
        "mul.lo.u32 %r2, %r1, 4;" + LOAD,
        "add.sat.s32 %r2, %r1, 4;" + LOAD,
        "add.cc.u32 %r2, %r1, 4;" + LOAD,
        "ld.shared.u32 %r1, [%r1];".join(["add.u32 %r2, %r1, 4;", LOAD]),
        f"add.u32 %r2, %r1, {FARTHEST + 1};" + LOAD,
    ],
)
def test_other_accesses_remain(text):
    body = body_of(text)
    assert fold_offsets(body) == body


def test_addresses_of_other_spaces_remain():
    """They have 64 bits: a sum of 32 bits that wraps around is another address."""
    body = body_of("add.u32 %r2, %r1, 4; ld.local.u32 %r9, [%r2]; add.s64 %d2, %d1, 4; ld.global.u32 %r9, [%d2];")
    assert fold_offsets(body) == body


REGISTERS = st.integers(1, 4).map("%r{}".format)
NUMBERS = st.sampled_from([0, 1, 4, -4, 64, 0x7FFFFFFF, -0x80000000, 0xFFFFFFFC, FARTHEST])
STEPS = st.one_of(
    st.builds("add.u32 {}, {}, {};".format, REGISTERS, REGISTERS, NUMBERS),
    st.builds("sub.s32 {}, {}, {};".format, REGISTERS, REGISTERS, NUMBERS),
    st.builds("add.s32 {}, {}, {};".format, REGISTERS, REGISTERS, REGISTERS),
    st.builds("ld.shared.u32 {}, [{}+{}];".format, REGISTERS, REGISTERS, st.integers(-64, 64)),
    st.builds("st.shared.u32 [{}+{}], {};".format, REGISTERS, st.integers(-64, 64), REGISTERS),
)


def accessed(body: list[Statement], values: dict[str, int]) -> list[int]:
    """Execute the steps, and return the addresses; what is loaded are their lower bits, changed."""
    found, values = [], dict(values)

    def value(operand: object) -> int:
        return values[operand.name] if isinstance(operand, Register) else operand.value

    for item in body[:-1]:
        operands = item.operands
        if item.opcode in ("ld", "st"):
            address = next(each for each in operands if isinstance(each, Address))
            found.append((values[address.base.name] + address.offset) % (1 << 32))
            if item.opcode == "ld":
                values[operands[0].name] = (found[-1] * 7 + len(found)) % (1 << 32)
            continue
        a, b = map(value, operands[1:])
        values[operands[0].name] = (a + b if item.opcode == "add" else a - b) % (1 << 32)
    return found


@given(st.lists(STEPS, min_size=1, max_size=12), st.lists(st.integers(0, (1 << 32) - 1), min_size=4, max_size=4))
def test_the_same_bytes_are_accessed(steps, numbers):
    body = body_of(" ".join(steps))
    values = {f"%r{number}": each for number, each in enumerate(numbers, 1)}
    assert accessed(fold_offsets(body), values) == accessed(body, values)


def test_there_is_no_sum_of_two_constants():
    body = body_of("add.u32 %r2, 4, 8;" + LOAD)
    assert fold_offsets(body) == body
    assert isinstance(body[0].operands[1], Immediate)
