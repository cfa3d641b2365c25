# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registers whose lanes differ by numbers known at compile time, and the low bits of their bases."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.passes.find_patterns import LANES, find_patterns, known_of
from cuda.cpu.passes.graph import Graph
from cuda.cpu.ptx.program import build

KERNEL = """
.visible .entry k(.param .u64 out, .param .u32 any)
{{
    .reg .b32 %r<40>; .reg .b64 %d<40>; .reg .b16 %h<4>; .reg .pred %p<4>; .shared .align 4 .b8 room[4096];
    mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mov.u32 %r2, %ntid.x; ld.param.u32 %r3, [any]; mov.u32 %r4, room;
    mov.u32 %r5, %ctaid.x;
    {body}
    ret;
}}
"""
WORD = (1 << 32) - 1
FIXED = 6  # registers that the kernel begins with
Operation = tuple[str, int, int | None, int]  # with the first operand's register, the second one's, or a constant


def graph_of(body: str, *, whole_rows: bool = True, patterns: bool = True, strided: bool = False) -> Graph:
    function = build([HEAD + KERNEL.format(body=body)]).laid_out("k").functions["k"]
    return analyse(function, whole_rows=whole_rows, patterns=patterns, strided=strided)


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


# Steps on 32-bit numbers, with what they compute; of the second operand {0}, a register or a constant.
STEPS: dict[str, Callable[[int, int], int]] = {
    "add.u32": lambda a, b: a + b,
    "sub.s32": lambda a, b: a - b,
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
    "mul.lo.u32": lambda a, b: a * b,
    "shl.b32": lambda a, b: a << b if b < 32 else 0,
    "shr.u32": lambda a, b: a >> b if b < 32 else 0,
    "shr.s32": lambda a, b: signed(a) >> min(b, 31),
    "not.b32": lambda a, b: ~a,
    "neg.s32": lambda a, b: -a,
    "mov.b32": lambda a, b: a,
    "bfe.u32": lambda a, b: a >> (b & 31) & 0xFF,
    "mad.lo.s32": lambda a, b: a * b + a,
}
SHAPES = {
    "neg.s32": "{d}, {a}",
    "not.b32": "{d}, {a}",
    "mov.b32": "{d}, {a}",
    "bfe.u32": "{d}, {a}, {b}, 8",
    "mad.lo.s32": "{d}, {a}, {b}, {a}",
}
CONSTANTS = [0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32, 33, 64, 96, 1023, WORD, WORD - 3, 1 << 31]


@st.composite
def bodies(draw: st.DrawFn) -> list[Operation]:
    steps = []
    for number in range(draw(st.integers(1, 8))):
        operation = draw(st.sampled_from(sorted(STEPS)))
        registers = st.integers(0, FIXED - 1) | st.integers(max(FIXED + number - 3, 0), FIXED + number - 1)
        second = draw(registers) if draw(st.booleans()) and not operation.startswith(("sh", "bfe")) else None
        steps.append((operation, draw(registers), second, draw(st.sampled_from(CONSTANTS))))
    return steps


def check(steps: list[Operation], random: Random) -> None:
    """Compare what is found with the values in warps with any numbers, of blocks with any sizes and indices."""
    body = ""
    for number, (operation, first, second, value) in enumerate(steps, FIXED):
        b = f"%r{second}" if second is not None else str(value & 31 if operation == "bfe.u32" else value)
        body += f"{operation} {SHAPES.get(operation, '{d}, {a}, {b}').format(d=f'%r{number}', a=f'%r{first}', b=b)};"
    known = known_of(graph_of(body))
    for _ in range(3):
        warps = random.randrange(1, 33)
        start, width = 32 * random.randrange(warps), 32 * warps
        fixed = [random.randrange(1 << 32) & -4 for _ in range(3)]
        lanes = []
        for lane in range(LANES):
            values = [start + lane, lane, width, *fixed]
            for operation, first, second, value in steps:
                values.append(STEPS[operation](values[first], value if second is None else values[second]) & WORD)
            lanes.append(values)
        for number in range(FIXED, FIXED + len(steps)):
            found = known.get(f"%r{number}")
            if found is None:  # folded
                continue
            column = [values[number] for values in lanes]
            assert (column[0] - found.low) % (1 << found.bits) == 0
            if found.pattern is not None:
                assert [(each - column[0]) & WORD for each in column] == [each & WORD for each in found.pattern]


@pytest.mark.parametrize("operation", STEPS)
@pytest.mark.parametrize("first", range(FIXED))
def test_each_operation(operation, first):
    steps: list[Operation] = [(operation, first, None, value) for value in CONSTANTS]
    if not operation.startswith(("sh", "bfe")):
        steps += [(operation, first, second, 0) for second in range(FIXED)]
    check(steps, Random(1))


@settings(max_examples=300, deadline=None)
@given(bodies(), st.randoms(use_true_random=False))
def test_lanes_have_the_distances_and_low_bits_that_are_found(steps, random):
    check(steps, random)


# Bodies that compute the address %r30, with the distances in words.
FOUND = {
    "padding": ("shr.u32 %r10, %r0, 2; add.u32 %r11, %r0, %r10;", [lane + lane // 4 for lane in range(32)]),
    "butterfly": ("xor.b32 %r11, %r0, 8;", [(lane ^ 8) - 8 for lane in range(32)]),
    "halves": ("and.b32 %r11, %r0, 15;", [lane % 16 for lane in range(32)]),
    "halves of the block": ("and.b32 %r11, %r0, 79;", [lane % 16 for lane in range(32)]),
    "complement": ("not.b32 %r10, %r0; and.b32 %r11, %r10, 7;", [-(lane % 8) for lane in range(32)]),
    "bit field": ("bfe.u32 %r11, %r0, 3, 2;", [lane // 8 for lane in range(32)]),
    "lane": ("or.b32 %r11, %r1, 1;", [lane // 2 * 2 for lane in range(32)]),
    "of the grid": ("mad.lo.u32 %r10, %r5, %r2, %r0; and.b32 %r11, %r10, 5;", [lane & 5 for lane in range(32)]),
    "pairs": ("shl.b32 %r9, %r0, 1; and.b32 %r10, %r0, 3; sub.u32 %r11, %r9, %r10;",
              [2 * lane - lane % 4 for lane in range(32)]),
}  # fmt: skip
ADDRESS = "shl.b32 %r12, %r11, 2; add.u32 %r30, %r4, %r12; ld.shared.u32 %r31, [%r30]; st.shared.u32 [%r30+4], %r31;"


@pytest.mark.parametrize("name", FOUND)
def test_addresses_with_patterns_are_found(name):
    body, words = FOUND[name]
    graph = graph_of(body + ADDRESS)
    assert graph.patterns["%r30"] == tuple(4 * (word - words[0]) for word in words)
    assert "%r30" not in graph.strides
    assert graph_of(body + ADDRESS, whole_rows=False).patterns == {}
    assert graph_of(body + ADDRESS, patterns=False).patterns == {}


NOT_FOUND = {
    "no address": "shr.u32 %r10, %r0, 2;",
    "any number": "xor.b32 %r11, %r0, %r3;" + ADDRESS,
    "carries": "add.u32 %r10, %r0, 1; shr.u32 %r11, %r10, 2;" + ADDRESS,
    "a sum with any number": "add.u32 %r10, %r0, %r3; and.b32 %r11, %r10, 7;" + ADDRESS,
    "two rules": "setp.eq.u32 %p1, %r3, 0; and.b32 %r11, %r0, 7; @%p1 bra L; and.b32 %r11, %r0, 3; L:" + ADDRESS,
    "lanes that wait": "setp.lt.u32 %p1, %r0, 5; mov.u32 %r11, %r0; @%p1 bra L; xor.b32 %r11, %r0, 1; L:" + ADDRESS,
    "guard": "mov.u32 %r11, 0; setp.lt.u32 %p1, %r0, 5; @%p1 xor.b32 %r11, %r0, 1;" + ADDRESS,
    "one of some lanes": "setp.lt.u32 %p1, %r0, 5; xor.b32 %r11, %r0, 1; @%p1 add.u32 %r11, %r11, 8;" + ADDRESS,
    "rounds that some lanes leave": "xor.b32 %r11, %r0, 1; mov.u32 %r13, 0; L: add.u32 %r13, %r13, 1;"
    "add.u32 %r11, %r11, 32; setp.lt.u32 %p1, %r13, %r0; @%p1 bra L;" + ADDRESS,
    "too far apart": "and.b32 %r10, %r0, 1; mul.lo.u32 %r11, %r10, 1100;" + ADDRESS,
    "too many vectors": "xor.b32 %r10, %r0, 1; mul.lo.u32 %r11, %r10, 16;" + ADDRESS,
    "half a word apart": "xor.b32 %r10, %r0, 1; shl.b32 %r12, %r10, 1; add.u32 %r30, %r4, %r12;"
    "ld.shared.u32 %r31, [%r30];",
    "bytes": "xor.b32 %r10, %r0, 1; add.u32 %r30, %r4, %r10; ld.shared.u8 %r31, [%r30];",
    "several words": "xor.b32 %r10, %r0, 1; shl.b32 %r12, %r10, 3; add.u32 %r30, %r4, %r12;"
    "ld.shared.v2.u32 {%r31, %r32}, [%r30];",
    "ordered": "xor.b32 %r10, %r0, 1; shl.b32 %r12, %r10, 2; add.u32 %r30, %r4, %r12;"
    "ld.volatile.shared.u32 %r31, [%r30];",
    "predicates": "setp.eq.u32 %p1, %r0, 3; not.pred %p2, %p1; selp.u32 %r10, 1, 0, %p2; xor.b32 %r11, %r0, %r10;"
    + ADDRESS,
    "parts of registers": "mov.b32 {%h0, %h1}, %r0; mov.b32 %r11, {%h1, %h0};" + ADDRESS,
}


@pytest.mark.parametrize("name", NOT_FOUND)
def test_other_addresses_have_none(name):
    assert graph_of(NOT_FOUND[name]).patterns == {}


@pytest.mark.parametrize(
    ("factor", "is_found"), [(16, True), (512, True), (600, False)], ids=["many vectors", "far", "too far"]
)
def test_words_of_lanes_at_any_distance_are_found(factor, is_found):
    """They are accessed one by one, from one base."""
    body = f"xor.b32 %r10, %r0, 1; mul.lo.u32 %r11, %r10, {factor};" + ADDRESS
    pattern = tuple(4 * factor * ((lane ^ 1) - 1) for lane in range(32))
    assert graph_of(body, strided=True).patterns.get("%r30") == (pattern if is_found else None)
    assert graph_of(body).patterns == {}


@pytest.mark.parametrize("name", ["too far apart", "bytes", "several words", "ordered"])
def test_lanes_with_one_word_and_others_are_not(name):
    assert graph_of(NOT_FOUND[name], strided=True).patterns == {}


def test_loops_keep_what_all_rounds_have_in_common():
    body = "xor.b32 %r11, %r0, 4; L: " + ADDRESS + "add.u32 %r11, %r11, {step}; setp.lt.u32 %p1, %r11, 512; @%p1 bra L;"
    pattern = tuple(4 * ((lane ^ 4) - 4) for lane in range(32))
    assert graph_of(body.format(step=64)).patterns["%r30"] == pattern
    known = known_of(graph_of(body.format(step=64)))["%r11"]
    assert (known.bits, known.low) == (5, 4)
    known = known_of(graph_of(body.format(step=2)))["%r11"]
    assert (known.bits, known.low) == (1, 0)


def test_the_pass_is_quick_where_nothing_mixes_lanes(monkeypatch):
    graph = graph_of("shl.b32 %r10, %r0, 2; add.u32 %r30, %r4, %r10; ld.shared.u32 %r31, [%r30];")
    monkeypatch.setattr(sys.modules[find_patterns.__module__], "known_of", None)  # not called
    find_patterns(graph)
    assert graph.patterns == {}
