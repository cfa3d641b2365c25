# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions, compared with a model of the manual's pseudo-code."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

KERNEL = """
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5;
    add.u64 %rd3, %rd3, %rd5; add.u64 %rd4, %rd4, %rd5;
    ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd2]; ld.global.u32 %r4, [%rd3];
    {instruction}
    st.global.u32 [%rd4], %r5; ret;
}}
"""
OPERATIONS = {
    "vadd": lambda x, y: x + y,
    "vsub": lambda x, y: x - y,
    "vabsdiff": lambda x, y: abs(x - y),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda x, y: (x + y + (x + y >= 0)) >> 1,
}


OTHERWISE = "the compiler of driver 580 differs from the manual's pseudo-code: docs/cpu.md"


def number(bits: int, width: int, type_: str) -> int:
    bits &= (1 << width) - 1
    return bits - (1 << width) if type_ == "s32" and bits >> (width - 1) else bits


def model(opcode: str, dtype: str, atype: str, btype: str, second: str, a: int, b: int, c: int) -> int:
    name = opcode.rstrip("24")
    parts = int(opcode[-1]) if opcode[-1].isdigit() else 1
    width = 32 // parts
    results = []
    for part in range(parts):
        result = OPERATIONS[name](number(a >> part * width, width, atype), number(b >> part * width, width, btype))
        if second == "sat":
            least, most = (-(1 << width - 1), (1 << width - 1) - 1) if dtype == "s32" else (0, (1 << width) - 1)
            result = min(max(result, least), most)
        results.append(result)
    if second in ("min", "max"):
        return {"min": min, "max": max}[second](results[0], number(c, 32, dtype)) & 0xFFFFFFFF
    if second == "add":
        return (c + sum(results)) & 0xFFFFFFFF
    return sum((result & (1 << width) - 1) << part * width for part, result in enumerate(results))


@pytest.mark.parametrize(
    "opcode", [name + count for name in OPERATIONS for count in ("", "2", "4") if name + count != "vavrg"]
)
@pytest.mark.parametrize("types", ["u32.u32.u32", "s32.s32.s32", "s32.u32.s32"])
@pytest.mark.parametrize("second", ["", "sat", "add", "max"])
def test_video_instructions(opcode, types, second, on_gpu):
    if second == "max" and opcode[-1].isdigit():
        second = "sat"
    if on_gpu and types == "u32.u32.u32" and second in ("sat", "max"):
        pytest.skip(OTHERWISE)
    three = opcode[-1].isdigit() or second in ("add", "max")
    word = ".".join(filter(None, (opcode, types, second)))
    random = np.random.default_rng(5)
    a, b, c = (random.integers(0, 1 << 32, 32, np.uint32) for _ in range(3))
    d = np.zeros(32, np.uint32)
    compiled(KERNEL.format(instruction=f"{word} %r5, %r2, %r3{', %r4' if three else ''};"))(a, b, c, d)
    expected = [model(opcode, *types.split("."), second, *map(int, each)) for each in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(d, np.array(expected, np.uint32))


# --- selected parts, shifts, comparisons, products: the manual's pseudo-code, operand by operand ------------


def part_of(word: int, selector: str, type_: str) -> int:
    """Return the selected byte or half of a word."""
    width = {"": 32, "b": 8, "h": 16}[selector[:1]]
    return number(word >> width * int(selector[1:] or 0), width, type_)


def clamped(value: int, width: int, type_: str) -> int:
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if type_ == "s32" else (0, (1 << width) - 1)
    return min(max(value, least), most)


def merged(value: int, selector: str, c: int) -> int:
    """Return a value, or c with the selected part replaced by the value's."""
    if not selector:
        return value & 0xFFFFFFFF
    width = 8 if selector[0] == "b" else 16
    shift = width * int(selector[1:])
    mask = (1 << width) - 1 << shift
    return c & ~mask | value << shift & mask


def run(text: str) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Return the results of an instruction for random words, and the words."""
    random = np.random.default_rng(7)
    words = [random.integers(0, 1 << 32, 32, np.uint32) for _ in range(3)]
    words[1][:16] %= 50  # as numbers of bits to shift by
    d = np.zeros(32, np.uint32)
    compiled(KERNEL.format(instruction=text))(*words, d)
    return d, [tuple(map(int, each)) for each in zip(*words, strict=True)]


def same(found: np.ndarray, expected: list[int]) -> None:
    np.testing.assert_array_equal(found, np.array([value & 0xFFFFFFFF for value in expected], np.uint32))


SELECTED = [("b0", "h1", ""), ("b3", "b2", "h0"), ("", "h0", "b2"), ("h1", "", "b3"), ("b1", "b1", "h1")]


@pytest.mark.parametrize("sat", ["", ".sat"])
@pytest.mark.parametrize(("left", "right", "into"), SELECTED)
@pytest.mark.parametrize("opcode", ["vadd", "vsub", "vabsdiff", "vmin", "vmax"])
def test_selected_bytes_and_halves(opcode, left, right, into, sat, on_gpu):
    if on_gpu and (sat or into == "h1"):
        pytest.skip(OTHERWISE)
    a_, b_, d_ = (f".{each}" if each else "" for each in (left, right, into))
    for dtype, atype, btype in (("u32", "u32", "s32"), ("s32", "s32", "s32")):
        third = ", %r4" if into else ""
        found, words = run(f"{opcode}.{dtype}.{atype}.{btype}{sat} %r5{d_}, %r2{a_}, %r3{b_}{third};")
        expected = []
        for a, b, c in words:
            value = OPERATIONS[opcode](part_of(a, left, atype), part_of(b, right, btype))
            width = {"": 32, "b": 8, "h": 16}[into[:1]]
            expected.append(merged(clamped(value, width, dtype) if sat else value, into, c))
        same(found, expected)


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
@pytest.mark.parametrize(("tail", "into"), [("", ""), (".add", ""), ("", "h1"), (".sat", "b0")])
@pytest.mark.parametrize("opcode", ["vshl", "vshr"])
def test_shifts(opcode, tail, into, mode):
    sat, op = (".sat", "") if tail == ".sat" else ("", tail)
    for dtype, atype in (("u32", "u32"), ("s32", "s32")):
        destination = f"%r5.{into}" if into else "%r5"
        third = ", %r4" if into or op else ""
        found, words = run(f"{opcode}.{dtype}.{atype}.u32{sat}.{mode}{op} {destination}, %r2, %r3.b0{third};")
        expected = []
        for a, b, c in words:
            by = part_of(b, "b0", "u32")
            by = min(by, 32) if mode == "clamp" else by & 31
            value = number(a, 32, atype) << by if opcode == "vshl" else number(a, 32, atype) >> by
            if sat:
                value = clamped(value, 8, dtype)
            expected.append(value + c if op else merged(value, into, c))
        same(found, expected)


@pytest.mark.parametrize("cmp", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(cmp):
    holds = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[cmp]

    def compare(x: int, y: int) -> int:
        return int(eval(f"{x} {holds} {y}"))

    for atype, btype in (("u32", "s32"), ("s32", "s32")):
        found, words = run(f"vset.{atype}.{btype}.{cmp} %r5, %r2.b1, %r3.b1;")
        same(found, [compare(part_of(a, "b1", atype), part_of(b, "b1", btype)) for a, b, _ in words])
        found, words = run(f"vset.{atype}.{btype}.{cmp}.max %r5, %r2, %r3, %r4;")
        same(found, [max(compare(number(a, 32, atype), number(b, 32, btype)), c) for a, b, c in words])
        for count, letter in ((2, "h"), (4, "b")):
            width = 32 // count
            found, words = run(f"vset{count}.{atype}.{btype}.{cmp}.add %r5, %r2, %r3, %r4;")
            sums, joined = [], []
            for a, b, c in words:
                bits = [
                    compare(number(a >> width * i, width, atype), number(b >> width * i, width, btype))
                    for i in range(count)
                ]
                sums.append(c + sum(bits))
                joined.append(merged(bits[1], f"{letter}1", c))
            same(found, sums)
            found, words = run(f"vset{count}.{atype}.{btype}.{cmp} %r5.{letter}1, %r2, %r3, %r4;")
            same(found, joined)


@pytest.mark.parametrize("scale", ["", ".shr7", ".shr15"])
@pytest.mark.parametrize("sat", ["", ".sat"])
@pytest.mark.parametrize("signs", [("", "", ""), ("-", "", ""), ("", "", "-"), ("-", "-", ""), ("po", "", "")])
def test_multiply_and_add(signs, sat, scale, on_gpu):
    if on_gpu and signs[0] != "" and (sat or scale):
        pytest.skip(OTHERWISE)
    po = ".po" if signs[0] == "po" else ""
    a_, b_, c_ = ("", "", "") if po else signs
    for atype, btype, left in (("u32", "u32", ""), ("s32", "u32", ".h1"), ("u32", "u32", ".b2"), ("u32", "s32", "")):
        found, words = run(f"vmad.s32.{atype}.{btype}{po}{sat}{scale} %r5, {a_}%r2{left}, {b_}%r3, {c_}%r4;")
        signed = "s32" in (atype, btype) or (a_ != b_) or bool(c_)
        expected = []
        for a, b, c in words:
            product = part_of(a, left[1:], atype) * number(b, 32, btype)
            third = number(c, 32, "s32" if signed else "u32")
            total = (-product if a_ != b_ else product) + (-third if c_ else third) + bool(po)
            total >>= int(scale[4:] or 0)
            expected.append(clamped(total, 32, "s32" if signed else "u32") if sat else total)
        same(found, expected)


@pytest.mark.parametrize("tail", ["", ".sat", ".add"])
@pytest.mark.parametrize(
    ("count", "left", "right", "into"),
    [(2, "h31", "h02", "h1"), (2, "h10", "h32", "h0"), (4, "b7531", "b0246", "b30"), (4, "b0000", "b2222", "b210")],
)
def test_simd_selected_bytes_and_halves(count, left, right, into, tail):
    width = 32 // count
    for dtype, atype, btype in (("u32", "u32", "s32"), ("s32", "s32", "u32")):
        found, words = run(f"vsub{count}.{dtype}.{atype}.{btype}{tail} %r5.{into}, %r2.{left}, %r3.{right}, %r4;")
        expected = []
        for a, b, c in words:
            pool = a | b << 32
            result = c
            for shift in sorted({int(digit) for digit in into[1:]}):
                x = number(pool >> width * int(left[count - shift]), width, atype)
                y = number(pool >> width * int(right[count - shift]), width, btype)
                value = clamped(x - y, width, dtype) if tail == ".sat" else x - y
                if tail == ".add":
                    result += value
                else:
                    result = merged(value, f"{into[0]}{shift}", result)
            expected.append(result)
        same(found, expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vadd.u32.u32.u32 %r5, %r2.h2, %r3;", "selects no parts"),
        ("vadd2.u32.u32.u32 %r5.h2, %r2, %r3, %r4;", "selects no parts"),
        ("vadd2.u32.u32.u32 %r5.h20, %r2, %r3, %r4;", "has the parts 0 to 1"),
        ("vadd4.u32.u32.u32 %r5, %r2.h1, %r3, %r4;", "selects no parts"),
        ("vadd2.u32.u32.u32 %r5, %r2.h1, %r3, %r4;", "a source selects 2 parts"),
        ("vmad.u32.u32.u32.po %r5, -%r2, %r3, %r4;", "no operand may be negated"),
        ("vmad.u32.u32.u32 %r5, -%r2, %r3, -%r4;", "either the product or"),
        ("add.u32 %r5, %r2.b0, %r3;", "operands must be"),
    ],
)
def test_invalid_selectors(text, message):
    with pytest.raises(PtxError, match=message):
        run(text)
