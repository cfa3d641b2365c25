# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with small integers, which is done with 16 bits per lane, gives the same numbers as with 32."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.module import Module
from cuda.cpu.emit.llvm.short import Short, Shorts
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

LOADS = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16}
EDGES = [0, 1, 2, 3, 7, 127, 128, 129, 255, 32767, 32768, 32769, 65280, 65534, 65535]
LANES, STEPS = 64, 40


def signed(x: np.ndarray) -> np.ndarray:
    return x.astype(np.int32)


# PTX of an operation on 32 bits with a number that stands in for {b}, and its value.
OPERATIONS = {
    "add.s32": lambda a, b: a + b, "sub.s32": lambda a, b: a - b, "mul.lo.s32": lambda a, b: a * b,
    "min.s32": lambda a, b: np.minimum(signed(a), signed(b)), "max.s32": lambda a, b: np.maximum(signed(a), signed(b)),
    "min.u32": np.minimum, "max.u32": np.maximum,
    "and.b32": np.bitwise_and, "or.b32": np.bitwise_or, "xor.b32": np.bitwise_xor,
}  # fmt: skip
SHIFTS = {
    "shl.b32": lambda a, by: a << np.uint32(by), "shr.u32": lambda a, by: a >> np.uint32(by),
    "shr.s32": lambda a, by: signed(a) >> by,
}  # fmt: skip
COMPARISONS = {
    "eq.s32": lambda a, b: a == b, "ne.u32": lambda a, b: a != b,
    "lt.s32": lambda a, b: signed(a) < signed(b), "ge.s32": lambda a, b: signed(a) >= signed(b),
    "lt.u32": lambda a, b: a < b, "gt.u32": lambda a, b: a > b, "hs.u32": lambda a, b: a >= b,
}  # fmt: skip


def program(choose: random.Random, inputs: list[np.ndarray]) -> tuple[str, list[np.ndarray]]:
    """Return instructions that compute %r0, %r1 ... of loaded numbers by random operations, and their values."""
    text, values = "", []
    for number, (name, each) in enumerate(zip(LOADS, inputs, strict=True)):
        size = each.itemsize
        text += f"mul.wide.u32 %d9, %t, {size}; ld.param.u64 %d8, [in{number}]; add.u64 %d9, %d9, %d8;\n"
        text += f"ld.global.{name} %r{number}, [%d9];\n"
        values.append(each.astype(np.int32).view(np.uint32))
    for number in range(len(values), len(values) + STEPS):
        a = choose.randrange(len(values))
        kind = choose.choice(["pair", "pair", "number", "shift", "abs", "cut", "select"])
        second = choose.randrange(len(values))
        b, other = values[second], f"%r{second}"
        if kind in ("number", "select"):
            constant_ = choose.choice([1, -1]) * choose.choice(EDGES)
            b, other = np.full(LANES, constant_).astype(np.int32).view(np.uint32), str(constant_)
        to, first = f"%r{number}", f"%r{a}"
        if kind == "shift":
            name, by = choose.choice(list(SHIFTS)), choose.choice([0, 1, 2, 7, 8, 15, 16, 17, 31])
            text, result = text + f"{name} {to}, {first}, {by};\n", SHIFTS[name](values[a], by)
        elif kind == "abs":
            text, result = text + f"abs.s32 {to}, {first};\n", np.abs(signed(values[a]))
        elif kind == "cut":  # back to what is small, through a register of 16 bits
            name = choose.choice(["u", "s"])
            text += f"cvt.u16.u32 %h1, {first}; cvt.{name}32.{name}16 {to}, %h1;\n"
            result = values[a].astype(np.uint16).view({"u": np.uint16, "s": np.int16}[name]).astype(np.int32)
        elif kind == "select":
            name = choose.choice(list(COMPARISONS))
            compared = f"setp.{name} %p1, {first}, {other};"
            text += f"{compared} selp.b32 {to}, %r{second}, {first}, %p1;\n"
            result = np.where(COMPARISONS[name](values[a], b), values[second], values[a])
        else:
            name = choose.choice(list(OPERATIONS))
            text, result = text + f"{name} {to}, {first}, {other};\n", OPERATIONS[name](values[a], b)
        values.append(result.astype(np.int32).view(np.uint32))
    for number in range(len(values)):
        text += f"st.global.u32 [%d2+{4 * LANES * number}], %r{number};\n"
    return text, values


def kernel(body: str) -> str:
    parameters = ", ".join(f".param .u64 in{number}" for number in range(len(LOADS)))
    return f"""{HEAD}
.visible .entry k({parameters}, .param .u64 out) {{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<99>, %t; .reg .b64 %d<10>;
    mov.u32 %t, %tid.x; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %t, 4; add.u64 %d2, %d1, %d2;
    {body} ret;
}}
"""


@pytest.mark.parametrize("seed", range(10))
def test_random_operations_give_the_numbers_of_32_bits(monkeypatch, seed):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    choose, fill = random.Random(seed), np.random.default_rng(seed)
    inputs = []
    for kind in LOADS.values():
        ends = np.array(EDGES).astype(kind)
        drawn = fill.integers(0, 65536, LANES - len(ends)).astype(kind)
        inputs.append(fill.permutation(np.concatenate([ends, drawn])))
    body, expected = program(choose, inputs)
    out = np.zeros(LANES * len(expected), np.uint32)
    loaded = Loaded(kernel(body).encode(), FULL_RUN)
    loaded.launch("k", (1, 1, 1), (LANES, 1, 1), *inputs, out)
    for number, (found, wanted) in enumerate(zip(out.reshape(-1, LANES), expected, strict=True)):
        np.testing.assert_array_equal(found, wanted, err_msg=f"%r{number} of\n{body}")


def ir_of(body: str, **settings: object) -> str:
    return emit_kernel(build([kernel(body)]), "k", Settings(**settings)).text


LOAD = "add.u64 %d3, %d3, %d1; ld.global.u8 %r1, [%d3]; ld.global.u8 %r2, [%d3+1];\n"


def test_sums_of_bytes_are_added_in_16_bits():
    text = ir_of("cvt.u64.u32 %d3, %t;" + LOAD + "add.s32 %r3, %r1, %r2; st.global.u32 [%d2], %r3;")
    assert "add <32 x i16>" in text
    assert "add <32 x i32> %" not in text.partition("define void @k")[2].partition("general.")[0]


def test_quick_code_is_left_alone():
    body = "cvt.u64.u32 %d3, %t;" + LOAD + "add.s32 %r3, %r1, %r2; st.global.u32 [%d2], %r3;"
    assert "add <32 x i16>" not in ir_of(body, quick=True)


def test_sums_continue_in_16_bits_where_a_block_is_split():
    # The second index may wrap around, which is checked between the two sums.
    body = (
        "cvt.u64.u32 %d3, %t;" + LOAD + "add.s32 %r3, %r1, %r2; ld.param.u32 %r9, [in3]; add.s32 %r8, %t, %r9;"
        "cvt.s64.s32 %d5, %r8; add.s64 %d6, %d1, %d5; ld.global.u8 %r4, [%d6]; add.s32 %r5, %r3, %r4;"
        "st.global.u8 [%d6], %r5;"
    )
    converged = ir_of(body).partition("\nw0.0:")[2].partition("\nb0.0:")[0]
    assert "wraps" in converged
    assert converged.count("add <32 x i16>") == 2


def shorts() -> tuple[Builder, Shorts]:
    builder = Builder(Module(Settings(width=8), ("k",), frozenset(), has_barriers=False, has_clusters=False))
    assert builder._shorts is not None
    return builder, builder._shorts


RANGES = [
    ("add", "i8", 2, (2, 257)), ("sub", "i8", 256, (-256, -1)), ("mul", "i8", 257, (0, 65535)),
    ("mul", "i8", 258, None),
    ("mul", "i8", -128, (-32640, 0)), ("mul", "i8", -129, None), ("shl", "i8", 8, (0, 65280)), ("shl", "i8", 9, None),
    ("lshr", "i16", 4, (0, 4095)), ("and", "i16", 15, (0, 15)), ("or", "i8", 256, (0, 511)), ("add", "i16", 1, None),
    ("add", "i16", -1, None), ("udiv", "i8", 2, None),
]  # fmt: skip


@pytest.mark.parametrize(("opcode", "element", "other", "found"), RANGES, ids=str)
def test_ranges_of_results(opcode, element, other, found):
    builder, known = shorts()
    wide = builder.cast("zext", Value("%x", element, Shape.VECTOR), "i32")
    result = known.find(builder.binary(opcode, wide, other))
    assert (result and result[1:3]) == found


def test_numbers_with_signs_lose_them_where_zeros_are_put_in_front():
    builder, known = shorts()
    byte = Value("%x", "i8", Shape.VECTOR)
    half = builder.cast("sext", byte, "i16")
    assert known.find(builder.cast("sext", half, "i32"))[1:] == (-128, 127, byte)
    assert known.find(builder.cast("zext", half, "i32"))[1:] == (0, 65535, None)


def test_least_of_bytes_is_a_byte():
    builder, known = shorts()
    wide = [builder.cast("zext", Value(name, "i8", Shape.VECTOR), "i32") for name in ("%x", "%y")]
    result = known.find(builder.intrinsic("umin", "i32", *wide))
    assert (result.low, result.high, result.byte.element) == (0, 255, "i8")
    assert known.find(builder.binary("add", wide[0], 1)).byte is None


EXTREMES = [
    # Operation, type of a loaded number, and of another one or a constant; LLVM's operation on bytes, or None.
    ("max.s32", "u8", "u8", "umax"), ("min.u32", "u8", "u8", "umin"), ("min.s32", "s8", "s8", "smin"),
    ("max.s32", "s8", -128, "smax"), ("max.s32", "s8", -129, None), ("min.s32", "u8", 255, "umin"),
    ("min.s32", "u8", 256, None), ("min.s32", "u8", -1, None), ("max.s32", "s8", 128, None),
    ("max.u32", "s8", "s8", None), ("max.s32", "s8", "u8", None), ("max.s32", "u16", "u8", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "first", "second", "found"), EXTREMES, ids=str)
def test_least_and_largest_of_bytes_take_8_bits(name, first, second, found):
    other = f"ld.global.{second} %r2, [%d3+1];" if isinstance(second, str) else f"mov.b32 %r2, {second};"
    text = ir_of(
        f"cvt.u64.u32 %d3, %t; add.u64 %d3, %d3, %d1; ld.global.{first} %r1, [%d3]; {other}"
        f"{name} %r3, %r1, %r2; st.global.u32 [%d2], %r3;"
    )
    calls = [each for each in ("umin", "umax", "smin", "smax") if f"call <32 x i8> @llvm.{each}.v32i8" in text]
    assert calls == [found] * (found is not None)


@pytest.mark.parametrize("second", ["%r0", "%r1", "-129", "-128", "-1", "0", "127", "128", "255", "256"])
def test_least_and_largest_of_bytes_are_those_of_integers(monkeypatch, second):
    """Those of each byte and a second number, and those of the result and another byte."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    random_ = np.random.default_rng(4)
    edges = np.resize(np.array([0, 1, 126, 127, 128, 129, 254, 255], np.uint8), LANES)
    inputs = [random_.permutation(edges).view(kind) for kind in (np.uint8, np.int8) * 2]
    words = [each.astype(np.int32).view(np.uint32) for each in inputs]
    body, wanted = "cvt.u64.u32 %d9, %t;", []
    for number, kind in enumerate(("u8", "s8") * 2):
        body += f"ld.param.u64 %d8, [in{number}]; add.u64 %d8, %d8, %d9; ld.global.{kind} %r{number}, [%d8];"
    other = words[int(second[2:])] if second[0] == "%" else np.full(LANES, int(second), np.int32).view(np.uint32)
    for name, again in itertools.product(("min.s32", "max.s32", "min.u32", "max.u32"), repeat=2):
        for first in (2, 3):
            least = OPERATIONS[name](words[first], other).view(np.uint32)
            for number in (0, 1):
                last = OPERATIONS[again](least, words[number]).view(np.uint32)
                body += f"{name} %r4, %r{first}, {second}; {again} %r5, %r4, %r{number}; sub.s32 %r6, %r4, %r5;"
                for each in (4, 5, 6):
                    body += f"st.global.u32 [%d2+{4 * LANES * (len(wanted) + each - 4)}], %r{each};\n"
                wanted += [least, last, least - last]
    out = np.zeros((len(wanted), LANES), np.uint32)
    loaded = Loaded(kernel(body).encode(), FULL_RUN)
    loaded.launch("k", (1, 1, 1), (LANES, 1, 1), *inputs, out)
    np.testing.assert_array_equal(out, np.array(wanted))


def test_numbers_are_known_in_both_ways_of_writing_them():
    builder, known = shorts()
    expected = Short(constant(-5, "i16"), -5, -5, constant(-5, "i8"))
    assert known.find(constant(-5, "i32")) == known.find(builder.broadcast(constant(-5, "i32"))) == expected
    assert known.find(constant(65536, "i32")) is None
    assert known.find(builder.lane_numbers()) is None
