# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic, logic and shifts against Python's integers."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.lanewise import apply
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build

HIGH_PRODUCT = """
.visible .entry k(.param .u64 to) {
    .reg .b64 %d<4>; .reg .b32 %r<4>;
    ld.param.u64 %d1, [to];
    mov.u32 %r1, %tid.x; cvt.u64.u32 %d2, %r1; shl.b64 %d2, %d2, 2; add.s64 %d1, %d1, %d2;
    ld.global.u32 %r2, [%d1]; mul.hi.TYPE %r3, %r2, 1717986919; st.global.u32 [%d1], %r3;
    ret;
}
"""

# An example has 32 lanes, so a few suffice; failures are not worth much shrinking.
quick = settings(max_examples=3, phases=[Phase.explicit, Phase.reuse, Phase.generate])


def wrap(value: int, type_: str) -> int:
    width = int(type_[1:])
    value &= (1 << width) - 1
    return value - (1 << width) if type_[0] == "s" and value >> (width - 1) else value


def limits(type_: str) -> tuple[int, int]:
    width = int(type_[1:])
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if type_[0] == "s" else (0, (1 << width) - 1)


def clamp(value: int, type_: str) -> int:
    low, high = limits(type_)
    return max(low, min(high, value))


def integers(type_: str) -> st.SearchStrategy[int]:
    low, high = limits(type_)
    near = [low, low + 1, high, high - 1, 0, 1, min(high, 31), min(high, 32), min(high, 33)] + ([-1] if low else [])
    return st.sampled_from(near) | st.integers(low, high) | st.integers(max(low, -100), min(high, 100))


def check(
    instruction: str, result: str, types: tuple[str, ...], function: Callable[..., int], data: st.DataObject
) -> None:
    columns = [data.draw(st.lists(integers(type_), min_size=32, max_size=32)) for type_ in types]
    found = apply(instruction, result, *zip(types, columns, strict=True))
    expected = [wrap(function(*row), result) for row in zip(*columns, strict=True)]
    np.testing.assert_array_equal(found, np.array(expected, found.dtype), err_msg=f"{instruction} {columns}")


def truncating(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGER = ["u16", "u32", "u64", "s16", "s32", "s64"]
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "min": min,
    "max": max,
    "div": truncating,
    "rem": lambda a, b: a - truncating(a, b) * b if b else -1,
}


@pytest.mark.parametrize("type_", INTEGER)
@pytest.mark.parametrize("name", BINARY)
@quick
@given(data=st.data())
def test_binary_operations(name: str, type_: str, data: st.DataObject) -> None:
    check(f"{name}.{type_} $d, $a, $b", type_, (type_, type_), BINARY[name], data)


@pytest.mark.parametrize("type_", INTEGER)
@quick
@given(data=st.data())
def test_high_half_of_products(type_: str, data: st.DataObject) -> None:
    check(f"mul.hi.{type_} $d, $a, $b", type_, (type_, type_), lambda a, b: a * b >> int(type_[1:]), data)


@pytest.mark.parametrize("type_", ["u32", "s32"])
@pytest.mark.parametrize("operands", ["$a, FACTOR", "FACTOR, $a"])
@quick
@given(data=st.data())
def test_high_half_of_products_by_a_constant(operands: str, type_: str, data: st.DataObject) -> None:
    """As in divisions by constants."""
    factor = data.draw(integers(type_))
    instruction = f"mul.hi.{type_} $d, {operands.replace('FACTOR', str(factor))}"
    check(instruction, type_, (type_,), lambda a: a * factor >> 32, data)


@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_high_halves_of_words_take_vectors_of_words_alone(type_: str) -> None:
    """No vector of 64-bit elements is twice as long as one of the words."""
    text = HEAD + HIGH_PRODUCT.replace("TYPE", type_)
    emitted = emit_kernel(build([text]), "k", Settings(width=32, vector_bytes=64)).text
    assert set(re.findall(r"= mul <(\d+) x i64>", emitted)) == {"16"}


@pytest.mark.parametrize("width", [1, 2, 8, 32])
def test_high_halves_of_words_in_vectors_of_any_length(width: int) -> None:
    text = emit_kernel(build([HEAD + HIGH_PRODUCT.replace("TYPE", "s32")]), "k", Settings(width=width)).text
    assert jit.disassemble(text, jit.QUICK)


@pytest.mark.parametrize("type_", ["u16", "u32", "s16", "s32"])
@quick
@given(data=st.data())
def test_wide_products(type_: str, data: st.DataObject) -> None:
    wide = type_[0] + str(2 * int(type_[1:]))
    check(f"mad.wide.{type_} $d, $a, $b, $c", wide, (type_, type_, wide), lambda a, b, c: a * b + c, data)


def count_leading(value: int, width: int) -> int:
    return width - (value % (1 << width)).bit_length()


def find_bit(value: int) -> int:
    return (value if value >= 0 else ~value).bit_length() - 1


def field_number(number: int, width: int) -> int:
    """Return a position or length; what the manual leaves open above 255 is what an H200 does."""
    return number & 255 if width == 32 else min(number, 255)


def field(value: int, position: int, length: int, type_: str) -> int:
    """Follow the manual's pseudocode of bfe."""
    width = int(type_[1:])
    position, length = field_number(position, width), field_number(length, width)
    bits = value % (1 << width)
    if type_[0] == "u" or length == 0:
        sign = 0
    else:
        sign = bits >> min(position + length - 1, width - 1) & 1
    result = 0
    for index in range(width):
        inside = index < length and position + index < width
        result |= (bits >> (position + index) & 1 if inside else sign) << index
    return result


def insert(a: int, b: int, position: int, length: int, width: int) -> int:
    position, length = field_number(position, width), field_number(length, width)
    for index in range(length):
        if position + index < width:
            b = b & ~(1 << (position + index)) | (a >> index & 1) << (position + index)
    return b


def shift(value: int, amount: int, *, left: bool, width: int) -> int:
    amount = min(amount, width)
    return value << amount if left else value >> amount


def permute(a: int, b: int, selector: int, mode: str) -> int:
    data = (a | b << 32).to_bytes(8, "little")
    low = selector & 3
    picks = {
        "f4e": [low + i & 7 for i in range(4)],
        "b4e": [low - i & 7 for i in range(4)],
        "rc8": [low] * 4,
        "ecl": [max(i, low) for i in range(4)],
        "ecr": [min(i, low) for i in range(4)],
        "rc16": [2 * (low & 1), 2 * (low & 1) + 1] * 2,
    }
    result = []
    for index in range(4):
        nibble = selector >> 4 * index & 15
        byte = data[picks[mode][index] if mode else nibble & 7]
        result.append((255 if byte & 128 else 0) if not mode and nibble & 8 else byte)
    return int.from_bytes(bytes(result), "little")


def funnel(low: int, high: int, amount: int, *, left: bool, clamped: bool) -> int:
    amount = min(amount, 32) if clamped else amount & 31
    both = high << 32 | low
    return (both << amount) >> 32 if left else both >> amount


def nth_set(mask: int, base: int, offset: int) -> int:
    """Follow the manual's pseudocode of fns."""
    position, step = base, 1 if offset > 0 else -1
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    left = abs(offset) - 1
    while 0 <= position < 32:
        if mask >> position & 1:
            if left == 0:
                return position
            left -= 1
        position += step
    return 0xFFFFFFFF


def lookup(a: int, b: int, c: int, table: int) -> int:
    return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))


def products(a: int, b: int, c: int, *, a_type: str, b_type: str) -> int:
    total = c
    for index in range(4):
        total += wrap(a >> 8 * index, a_type[0] + "8") * wrap(b >> 8 * index, b_type[0] + "8")
    return total


OTHERS: list[tuple[str, str, tuple[str, ...], Callable[..., int]]] = [
    ("add.sat.s32 $d, $a, $b", "s32", ("s32", "s32"), lambda a, b: clamp(a + b, "s32")),
    ("sub.sat.s32 $d, $a, $b", "s32", ("s32", "s32"), lambda a, b: clamp(a - b, "s32")),
    ("mad.hi.sat.s32 $d, $a, $b, $c", "s32", ("s32",) * 3, lambda a, b, c: clamp((a * b >> 32) + c, "s32")),
    ("sad.u32 $d, $a, $b, $c", "u32", ("u32",) * 3, lambda a, b, c: c + abs(a - b)),
    ("sad.s64 $d, $a, $b, $c", "s64", ("s64",) * 3, lambda a, b, c: c + abs(a - b)),
    ("abs.s32 $d, $a", "s32", ("s32",), abs),
    ("neg.s16 $d, $a", "s16", ("s16",), lambda a: -a),
    ("mul24.lo.s32 $d, $a, $b", "s32", ("s32", "s32"), lambda a, b: wrap(a, "s24") * wrap(b, "s24")),
    ("mul24.hi.u32 $d, $a, $b", "u32", ("u32", "u32"), lambda a, b: wrap(a, "u24") * wrap(b, "u24") >> 16),
    ("popc.b32 $d, $a", "u32", ("u32",), lambda a: a.bit_count()),
    ("popc.b64 $d, $a", "u32", ("u64",), lambda a: a.bit_count()),
    ("clz.b32 $d, $a", "u32", ("u32",), lambda a: count_leading(a, 32)),
    ("clz.b64 $d, $a", "u32", ("u64",), lambda a: count_leading(a, 64)),
    ("bfind.u32 $d, $a", "u32", ("u32",), find_bit),
    ("bfind.s64 $d, $a", "u32", ("s64",), find_bit),
    ("bfind.shiftamt.s32 $d, $a", "u32", ("s32",), lambda a: 31 - find_bit(a) if find_bit(a) >= 0 else -1),
    ("brev.b32 $d, $a", "u32", ("u32",), lambda a: int(f"{a:032b}"[::-1], 2)),
    ("bfe.u32 $d, $a, $b, $c", "u32", ("u32", "u32", "u32"), lambda a, b, c: field(a, b, c, "u32")),
    ("bfe.s32 $d, $a, $b, $c", "s32", ("s32", "u32", "u32"), lambda a, b, c: field(a, b, c, "s32")),
    ("bfe.s64 $d, $a, $b, $c", "s64", ("s64", "u32", "u32"), lambda a, b, c: field(a, b, c, "s64")),
    ("bfi.b32 $d, $a, $b, $c, $e", "u32", ("u32",) * 4, lambda a, b, c, e: insert(a, b, c, e, 32)),
    ("bfi.b64 $d, $a, $b, $c, $e", "u64", ("u64", "u64", "u32", "u32"), lambda a, b, c, e: insert(a, b, c, e, 64)),
    ("shl.b32 $d, $a, $b", "u32", ("u32", "u32"), lambda a, b: shift(a, b, left=True, width=32)),
    ("shr.s32 $d, $a, $b", "s32", ("s32", "u32"), lambda a, b: shift(a, b, left=False, width=32)),
    ("shr.u64 $d, $a, $b", "u64", ("u64", "u32"), lambda a, b: shift(a, b, left=False, width=64)),
    ("shl.b16 $d, $a, $b", "u16", ("u16", "u32"), lambda a, b: shift(a, b, left=True, width=16)),
    ("shr.s32 $d, $a, 40", "s32", ("s32",), lambda a: a >> 31),
    ("not.b64 $d, $a", "u64", ("u64",), lambda a: ~a),
    ("cnot.b32 $d, $a", "u32", ("u32",), lambda a: int(a == 0)),
    ("xor.b16 $d, $a, $b", "u16", ("u16", "u16"), lambda a, b: a ^ b),
    (
        "dp4a.s32.u32 $d, $a, $b, $c",
        "s32",
        ("u32", "u32", "s32"),
        lambda a, b, c: products(a, b, c, a_type="s", b_type="u"),
    ),
    ("fns.b32 $d, $a, $b, $c", "u32", ("u32", "u5", "s6"), nth_set),
]
OTHERS += [
    (f"shf.{way}.{mode}.b32 $d, $a, $b, $c", "u32", ("u32",) * 3, (
        lambda a, b, c, left=way == "l", clamped=mode == "clamp": funnel(a, b, c, left=left, clamped=clamped)))
    for way in "lr" for mode in ("wrap", "clamp")
]  # fmt: skip
OTHERS += [
    (f"prmt.b32{'.' + mode if mode else ''} $d, $a, $b, $c", "u32", ("u32",) * 3, (
        lambda a, b, c, mode=mode: permute(a, b, c, mode)))
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
]  # fmt: skip
OTHERS += [
    (f"lop3.b32 $d, $a, $b, $c, {table}", "u32", ("u32",) * 3, lambda a, b, c, table=table: lookup(a, b, c, table))
    for table in (0x96, 0xE8, 0x80, 0xCA, 0, 0xFF, 0x1B)
]


@pytest.mark.parametrize(("instruction", "result", "types", "function"), OTHERS, ids=[row[0] for row in OTHERS])
@quick
@given(data=st.data())
def test_other_operations(
    instruction: str, result: str, types: tuple[str, ...], function: Callable[..., int], data: st.DataObject
) -> None:
    check(instruction, result, types, function, data)


@quick
@given(data=st.data())
def test_carry_propagates_through_three_words(data: st.DataObject) -> None:
    chain = ".reg .b32 %x<3>; add.cc.u32 %x0, $a, $b; addc.cc.u32 %x1, $a, $b; addc.u32 $d, $a, $b"

    def expected(a: int, b: int) -> int:
        word = a | a << 32 | a << 64
        return (word + (b | b << 32 | b << 64)) >> 64

    check(chain, "u32", ("u32", "u32"), expected, data)
    chain = ".reg .b32 %x<3>; sub.cc.u32 %x0, $a, $b; subc.cc.u32 %x1, $b, $a; subc.u32 $d, $a, $b"
    check(chain, "u32", ("u32", "u32"), lambda a, b: ((a | b << 32 | a << 64) - (b | a << 32 | b << 64)) >> 64, data)


def test_division_by_zero_does_not_trap() -> None:
    for type_ in INTEGER:
        assert (apply(f"div.{type_} $d, $a, $b", type_, (type_, [5, 0]), (type_, [0])) == wrap(-1, type_)).all()
