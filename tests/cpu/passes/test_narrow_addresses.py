# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of shared memory in 64-bit registers are computed in 32 bits: an address has its lower half alone."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import HEAD, compiled

from cuda.cpu.passes.narrow_addresses import NAMES, NARROW, narrow_addresses
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.syntax import Address, Function, Instruction

# The 64 words of `table` are their numbers times 3. %d2 and %d3 are words of `in`, of any bits, %r2 and %r3 are their
# lower halves, %h2 the lower quarter; %p1 is odd threads. BODY writes %d4, an index of bytes.
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .shared .align 4 .b8 table[256]; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<3>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %d10, %r1, 4;
    mov.u64 %d11, table; add.s64 %d12, %d11, %d10; mul.lo.u32 %r10, %r1, 3; st.shared.u32 [%d12], %r10; bar.sync 0;
    mul.wide.u32 %d13, %r1, 16; add.s64 %d1, %d1, %d13; ld.global.v2.u64 {%d2, %d3}, [%d1]; add.s64 %d0, %d0, %d10;
    cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3; cvt.u16.u64 %h2, %d2; and.b32 %r4, %r1, 1; setp.ne.u32 %p1, %r4, 0;
    mov.b64 {%r5, %r6}, %d2; mov.b64 %d5, {%r5, %r1}; mov.b64 %d6, {%r3, %r6};
    BODY
    and.b64 %d7, %d4, 252; add.s64 %d8, %d11, %d7; ld.shared.u32 %r9, [%d8]; st.global.u32 [%d0], %r9; ret;
}
"""
# What the rows of NARROW compute of %d5 and %d6, whose lower halves are those of the two words: the index modulo 256.
RESULTS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "selp": lambda a, b: np.where(np.arange(64) % 2, a, b),
    "mov": lambda a, b: a,
    "mul": lambda a, b: a * b,
    "mad": lambda a, b: a * b + a,
    "cvt": lambda a, b: a,
    "shl": lambda a, b: a << np.uint64(3),
    "not": lambda a, b: ~a,
    "neg": lambda a, b: -a,
}
OPERANDS = {"mov": "%d5", "not": "%d5", "neg": "%d5", "shl": "%d5, 3", "selp": "%d5, %d6, %p1"}
OF_WORDS = {("mul", "wide"): "%r2, %r3", ("mad", "wide"): "%r2, %r3, %d5", ("mad", "lo"): "%d5, %d6, %d5"}


def source_of(opcode: str, modifiers: tuple[str, ...]) -> str:
    operands = OF_WORDS.get((opcode, modifiers[0])) or OPERANDS.get(opcode, "%d5, %d6")
    if opcode == "cvt":
        operands = "%h2" if modifiers[1][1:] == "16" else "%r2"
    return KERNEL.replace("BODY", f"{'.'.join((opcode, *modifiers))} %d4, {operands};")


def function_of(text: str) -> Function:
    return build([HEAD + text]).functions["k"]


def narrowed(text: str) -> Function:
    function = function_of(text)
    return narrow_addresses(function, function.body)[0]


def bases(text: str) -> list[str]:
    """Return the registers of the addresses in shared memory, after the pass."""
    function = function_of(text)
    body = narrow_addresses(function, function.body)[1]
    accesses = [each for each in body if isinstance(each, Instruction) and "shared" in each.modifiers]
    return [each.base.name for item in accesses for each in item.operands if isinstance(each, Address)]


@pytest.mark.parametrize("row", NARROW, ids=".".join)
def test_lower_halves_are_computed(row: tuple[str, ...]) -> None:
    text = source_of(row[0], row[1:])
    words = np.random.default_rng(3).integers(0, 1 << 64, (64, 2), np.uint64)
    out = np.zeros(64, np.uint32)
    compiled(text)(out, words, threads=64)
    with np.errstate(over="ignore"):
        index = RESULTS[row[0]](words[:, 0], words[:, 1]) % np.uint64(256) // np.uint64(4)
    np.testing.assert_array_equal(out, 3 * index.astype(np.uint32))
    assert bases(text) == [f"{NAMES}d12", f"{NAMES}d8"]


def test_what_nothing_reads_is_left_out() -> None:
    body = narrow_addresses(function := function_of(source_of("add", ("s64",))), function.body)[1]
    written = [
        each.operands[0].name for each in body if isinstance(each, Instruction) and each.opcode in ("add", "and")
    ]
    assert {"%low.d4", "%low.d7", "%low.d8"} <= set(written)
    assert not {"%d4", "%d7", "%d8", "%d11"} & set(written)
    assert "%d0" in written  # the address in global memory


def test_registers_with_other_readers_keep_all_bits() -> None:
    text = source_of("add", ("s64",)).replace("st.global.u32 [%d0], %r9;", "st.global.u64 [%d14], %d4;")
    text = text.replace("and.b64 %d7", "mul.wide.u32 %d15, %r1, 8; ld.param.u64 %d14, [out];"
                        "add.s64 %d14, %d14, %d15; and.b64 %d7")  # fmt: skip
    words = np.random.default_rng(4).integers(0, 1 << 64, (64, 2), np.uint64)
    out = np.zeros(64, np.uint64)
    compiled(text)(out, words, threads=64)
    low, high = np.uint64((1 << 32) - 1), np.uint64(32)
    a = words[:, 0] & low | np.arange(64, dtype=np.uint64) << high
    b = words[:, 1] & low | words[:, 0] >> high << high
    np.testing.assert_array_equal(out, a + b)


OTHERS = [
    "ld.global.u64 %d4, [%d1];",
    "shr.u64 %d4, %d5, 3;",
    "mov.b64 %d4, %d5; @%p1 shr.u64 %d4, %d5, 3;",
    "add.s64 %d4, %d5, 1; L: shr.u64 %d9, %d4, 1; add.s64 %d4, %d9, 0; @%p1 bra L;",
]


@pytest.mark.parametrize("code", OTHERS)
def test_other_results_stay_64_bits_wide(code: str) -> None:
    assert bases(KERNEL.replace("BODY", code)) == [f"{NAMES}d12", "%d8"]


def test_kernels_with_32_bit_addresses_are_as_before() -> None:
    function = function_of(".visible .entry k() { .shared .b8 t[4]; .reg .b32 %r<3>; mov.u32 %r1, t; "
                           "st.shared.u32 [%r1], %r1; ret; }")  # fmt: skip
    assert narrow_addresses(function, function.body) == (function, function.body)
    assert narrow_addresses(function, function.body)[1] is function.body


def test_a_loop_of_addresses_is_narrow() -> None:
    code = "mov.u64 %d4, 0; L: add.s64 %d4, %d4, 4; setp.lt.u32 %p2, %r1, 0; @%p2 bra L;"
    assert bases(KERNEL.replace("BODY", code)) == [f"{NAMES}d12", f"{NAMES}d8"]
    assert narrowed(KERNEL.replace("BODY", code)).registers[f"{NAMES}d4"] == "b32"


@pytest.mark.parametrize("where", ["%d12", "%d4"])
def test_addresses_are_cut_to_32_bits(where: str) -> None:
    """PTX ISA 6.4.1: by an address that is computed so, and by one that is loaded."""
    high = "shl.b64 %d5, %d2, 32; add.s64 %d4, %d12, %d5; shr.u64 %d5, %d5, 1; shl.b64 %d5, %d5, 1;"
    text = KERNEL.replace("BODY", f"{high} or.b64 %d4, %d4, %d5;").replace("[%d8]", f"[{where}]")
    out = np.zeros(64, np.uint32)
    compiled(text)(out, np.full((64, 2), 5, np.uint64), threads=64)
    np.testing.assert_array_equal(out, 3 * np.arange(64))
