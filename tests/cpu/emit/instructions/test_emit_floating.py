# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Floating-point arithmetic, comparison and conversion against exact fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.exact import FORMATS, decode, encode, round_fraction
from support.lanewise import apply

from cuda.cpu.compile import jit

quick = settings(max_examples=3, phases=[Phase.explicit, Phase.reuse, Phase.generate])

ROUNDINGS = ["rn", "rz", "rm", "rp"]


def patterns(type_: str) -> st.SearchStrategy[int]:
    """Return bit patterns: limits of the format, random bits, and numbers of medium magnitude."""
    precision, bias, width = FORMATS[type_]
    infinity = ((1 << (width - precision)) - 1) << (precision - 1)
    one = bias << (precision - 1)
    edges = [
        0,
        1,
        2,
        (1 << (precision - 1)) - 1,
        1 << (precision - 1),
        infinity - 1,
        infinity,
        infinity + 1,
        one,
        one + 1,
    ]
    sign = 1 << (width - 1)
    near = st.integers(one - (8 << (precision - 1)), one + (8 << (precision - 1)))
    magnitude = st.sampled_from(edges) | st.integers(0, sign - 1) | near
    return st.tuples(magnitude, st.sampled_from([0, sign])).map(sum)


def columns(data: st.DataObject, types: tuple[str, ...]) -> list[list[int]]:
    return [data.draw(st.lists(patterns(type_), min_size=32, max_size=32)) for type_ in types]


def run(instruction: str, result: str, types: tuple[str, ...], values: list[list[int]]) -> list[int]:
    """Apply the instruction to bit patterns; return bit patterns."""
    operands = [
        (f"b{FORMATS[type_][2]}" if type_ in FORMATS else type_, column)
        for type_, column in zip(types, values, strict=True)
    ]
    kind = f"b{FORMATS[result][2]}" if result in FORMATS else result
    return [int(value) for value in apply(instruction, kind, *operands)]


def is_nan(bits: int, type_: str) -> bool:
    return decode(bits, type_) is None


def check(
    instruction: str,
    result: str,
    types: tuple[str, ...],
    function: Callable[..., Fraction | float | None],
    data: st.DataObject,
    mode: str = "rn",
) -> None:
    """Compare with `function` of exact operands: Fractions, infinities, None for NaN; -0 as -0.0."""
    values = columns(data, types)
    found = run(instruction, result, types, values)
    for got, *row in zip(found, *values, strict=True):
        exact = function(*(decode(bits, type_) for bits, type_ in zip(row, types, strict=True)))
        wanted = encode(exact, result, mode)
        same = is_nan(got, result) if exact is None else got == wanted
        # The sign of an exact zero sum depends on the mode; compare the magnitude there.
        zero = exact == 0 and got & ((1 << (FORMATS[result][2] - 1)) - 1) == 0
        assert same or zero, f"{instruction} {[hex(x) for x in row]}: {got:#x}, not {wanted:#x}"


def add(a: object, b: object) -> object:
    if a is None or b is None:
        return None
    if isinstance(a, float) or isinstance(b, float):
        total = (
            float(a) + float(b) if isinstance(a, float) and isinstance(b, float) else (a if isinstance(a, float) else b)
        )
        return None if math.isnan(total) else total
    return a + b


def negative(a: object) -> object:
    return None if a is None else -a


def multiply(a: object, b: object) -> object:
    if a is None or b is None:
        return None
    if isinstance(a, float) or isinstance(b, float):
        if a == 0 or b == 0:
            return None
        return math.inf if (a > 0) == (b > 0) else -math.inf
    return a * b


def divide(a: object, b: object) -> object:
    if a is None or b is None or (a == 0 and b == 0) or (isinstance(a, float) and isinstance(b, float)):
        return None
    if isinstance(b, float):
        return Fraction(0)
    if isinstance(a, float) or b == 0:
        return "skip"
    return a / b


def fused(a: object, b: object, c: object) -> object:
    return add(multiply(a, b), c)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
@quick
@given(data=st.data())
def test_rounding(type_: str, mode: str, data: st.DataObject) -> None:
    check(f"add.{mode}.{type_} $d, $a, $b", type_, (type_, type_), add, data, mode)
    check(f"mul.{mode}.{type_} $d, $a, $b", type_, (type_, type_), multiply, data, mode)
    check(f"fma.{mode}.{type_} $d, $a, $b, $c", type_, (type_,) * 3, fused, data, mode)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
@quick
@given(data=st.data())
def test_division(type_: str, mode: str, data: st.DataObject) -> None:
    values = columns(data, (type_, type_))
    found = run(f"div.{mode}.{type_} $d, $a, $b", type_, (type_, type_), values)
    for got, a, b in zip(found, *values, strict=True):
        exact = divide(decode(a, type_), decode(b, type_))
        if exact == "skip":
            assert math.isinf(decode(got, type_))
        elif exact is None:
            assert is_nan(got, type_)
        elif exact != 0:
            assert got == encode(exact, type_, mode), (hex(a), hex(b))


@pytest.mark.parametrize("type_", ["f16", "bf16"])
@quick
@given(data=st.data())
def test_small_types_round_once(type_: str, data: st.DataObject) -> None:
    check(f"add.{type_} $d, $a, $b", type_, (type_, type_), add, data)
    check(f"mul.{type_} $d, $a, $b", type_, (type_, type_), multiply, data)
    check(f"fma.rn.{type_} $d, $a, $b, $c", type_, (type_,) * 3, fused, data)


@quick
@given(data=st.data())
def test_packed_halves_are_computed_separately(data: st.DataObject) -> None:
    low, high, other = columns(data, ("f16", "f16", "f16"))
    packed = [a | b << 16 for a, b in zip(low, high, strict=True)]
    twice = [a | a << 16 for a in other]
    found = apply("mul.f16x2 $d, $a, $b", "u32", ("u32", packed), ("u32", twice))
    for got, a, b, c in zip(found, low, high, other, strict=True):
        for part, first in ((int(got) & 0xFFFF, a), (int(got) >> 16, b)):
            exact = multiply(decode(first, "f16"), decode(c, "f16"))
            magnitude = part & 0x7FFF
            assert (
                is_nan(part, "f16") if exact is None else part == encode(exact, "f16", "rn") or exact == magnitude == 0
            )


@pytest.mark.parametrize("type_", ["f32", "f64", "f16"])
@pytest.mark.parametrize(("name", "pick"), [("min", min), ("max", max)])
@quick
@given(data=st.data())
def test_min_and_max_prefer_numbers_to_nan(name: str, pick: Callable, type_: str, data: st.DataObject) -> None:
    def expected(a: object, b: object) -> object:
        if a is None or b is None:
            return b if a is None else a
        return pick(a, b)

    check(f"{name}.{type_} $d, $a, $b", type_, (type_, type_), expected, data)
    if type_ != "f64":
        strict = f"{name}.NaN.{type_} $d, $a, $b"
        check(strict, type_, (type_, type_), lambda a, b: None if a is None or b is None else pick(a, b), data)


def test_negative_zero_is_less_than_zero() -> None:
    zeros = ("b32", [0, 1 << 31, 0, 1 << 31])
    others = ("b32", [1 << 31, 0, 0, 1 << 31])
    assert apply("min.f32 $d, $a, $b", "b32", zeros, others)[:4].tolist() == [1 << 31, 1 << 31, 0, 1 << 31]
    assert apply("max.f32 $d, $a, $b", "b32", zeros, others)[:4].tolist() == [0, 0, 0, 1 << 31]


@pytest.mark.cpu_only
def test_min_and_max_without_those_of_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of LLVM 20 return the wrong operand: max(1, -inf) was -inf, max(-1, 0) was -1."""
    monkeypatch.setattr(jit, "RIGHT_EXTREMA", (99, 0, 0))
    a, b = [-1.0, 1.0, math.nan, 2.0, -0.0, 0.0, -math.inf, math.nan], [0.0, -math.inf, 3.0, math.nan, 0.0, -0.0, 1.0]
    for name, wanted in {
        "max": [0.0, 1.0, 3.0, 2.0, 0.0, 0.0, 1.0, math.nan],
        "min": [-1.0, -math.inf, 3.0, 2.0, -0.0, -0.0, -math.inf, math.nan],
    }.items():
        found = apply(f"{name}.f32 $d, $a, $b; // not of LLVM", "f32", ("f32", a), ("f32", [*b, math.nan]))[:8]
        np.testing.assert_array_equal(found, np.array(wanted, np.float32))
        np.testing.assert_array_equal(np.signbit(found[:7]), np.signbit(wanted[:7]))


def test_flushing_and_saturation() -> None:
    tiny = [1, 0x007FFFFF, 0x807FFFFF, 0x00800000]
    ones = ("f32", [1.0])
    found = apply("mul.ftz.f32 $d, $a, $b", "b32", ("b32", tiny), ones)[:4]
    assert found.tolist() == [0, 0, 1 << 31, 0x00800000]
    assert apply("mul.f32 $d, $a, $b", "b32", ("b32", tiny), ones)[:4].tolist() == tiny
    values = ("f32", [-1.0, 0.5, 3.0, math.nan, -0.0])
    assert apply("add.sat.f32 $d, $a, $b", "f32", values, ("f32", [0.0]))[:5].tolist() == [0, 0.5, 1, 0, 0]
    assert apply("fma.rn.relu.f16 $d, $a, $b, $c", "f16", ("f16", [-2, 2]), ("f16", [1]), ("f16", [0]))[
        :2
    ].tolist() == [0, 2]


COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("name", [*COMPARISONS, *(f"{name}u" for name in COMPARISONS), "num", "nan"])
def test_comparison_with_nan(name: str) -> None:
    a = np.array([1, 2, 3, np.nan, np.nan, -0.0, np.inf, -np.inf] * 4, np.float32)
    b = np.array([2, 2, 2, 1, np.nan, 0.0, np.inf, 1] * 4, np.float32)
    found = apply(f"setp.{name}.f32 $d, $a, $b", "pred", ("f32", a), ("f32", b))
    unordered = np.isnan(a) | np.isnan(b)
    if name in ("num", "nan"):
        expected = unordered if name == "nan" else ~unordered
    else:
        holds = np.array([COMPARISONS[name[:2]](x, y) for x, y in zip(a, b, strict=True)])
        expected = (holds & ~unordered) | (unordered & name.endswith("u"))
    np.testing.assert_array_equal(found, expected)


# --- conversions --------------------------------------------------------------------------------------

WHOLE = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


INTEGERS = ["s32", "u32", "s64", "u64", "u8", "s16"]


def limits_of(dtype: str) -> tuple[int, int]:
    width = int(dtype[1:])
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if dtype[0] == "s" else (0, (1 << width) - 1)


@pytest.mark.parametrize("mode", WHOLE)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
@quick
@given(data=st.data())
def test_float_to_integer_clamps(type_: str, dtype: str, mode: str, data: st.DataObject) -> None:
    check_integers(type_, dtype, mode, columns(data, (type_,))[0])


@pytest.mark.parametrize("mode", WHOLE)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_float_to_integer_at_the_limits(type_: str, dtype: str, mode: str) -> None:
    kind = np.float32 if type_ == "f32" else np.float64
    edges = np.array([*limits_of(dtype), 0, np.inf, -np.inf, np.nan, -np.nan, -0.0], kind)
    values = np.concatenate([edges, *(np.nextafter(edges, kind(to)) for to in (-np.inf, np.inf)), edges + kind(0.5)])
    check_integers(type_, dtype, mode, [int(each) for each in values.view(f"u{kind().itemsize}")])


def check_integers(type_: str, dtype: str, mode: str, values: list[int]) -> None:
    """Compare the conversions of 32 floats, given as bits."""
    wide = dtype[0] + str(max(16, int(dtype[1:])))
    found = run(f"cvt.{mode}.{dtype}.{type_} $d, $a", wide, (type_,), [values])
    width, (low, high) = int(dtype[1:]), limits_of(dtype)
    for got, bits in zip(found, values, strict=True):
        number = decode(bits, type_)
        if number is None:  # the manual's second note on cvt to integers, section 9.7.9.21
            expected = 0 if type_ == "f32" and width < 64 else low or 1 << (width - 1)
        elif isinstance(number, float) and math.isinf(number):
            expected = high if number > 0 else low
        else:
            expected = max(low, min(high, WHOLE[mode](number)))
        assert got == expected, (hex(bits), mode, dtype)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("type_", ["s32", "u32", "s64", "u64"])
@quick
@given(data=st.data())
def test_integer_to_float(type_: str, dtype: str, mode: str, data: st.DataObject) -> None:
    low, high = limits_of(type_)
    number = st.integers(low, high) | st.integers(max(low, -(1 << 20)), 1 << 20) | st.sampled_from([low, high, 0])
    values = data.draw(st.lists(number, min_size=32, max_size=32))
    found = run(f"cvt.{mode}.{dtype}.{type_} $d, $a", dtype, (type_,), [values])
    assert found == [encode(Fraction(value), dtype, mode) for value in values]


NARROWING = [("f64", "f32"), ("f32", "f16"), ("f32", "bf16"), ("f64", "f16"), ("f32", "f64"), ("f16", "f32")]


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize(("type_", "dtype"), NARROWING)
@quick
@given(data=st.data())
def test_float_to_float(type_: str, dtype: str, mode: str, data: st.DataObject) -> None:
    wider = FORMATS[dtype][2] > FORMATS[type_][2]
    if wider and mode != "rn":
        return  # exact: PTX takes no rounding
    check(f"cvt{'' if wider else '.' + mode}.{dtype}.{type_} $d, $a", dtype, (type_,), lambda a: a, data, mode)


@pytest.mark.parametrize("through", ["f32", "f64"])
@pytest.mark.parametrize("type_", ["s64", "u32"])
def test_integers_of_few_bits_beyond_the_range_of_halves(
    type_: str, through: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LLVM takes them for exact in a half, and the conversions to it and back for no operation."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    size = {"f32": 32, "f64": 64}[through]
    text = f"""{{ .reg .{type_} %i; .reg .{through} %x; .reg .b16 %h;
        and.b{type_[1:]} %i, $a, 1023; shl.b{type_[1:]} %i, %i, 15; cvt.rn.{through}.{type_} %x, %i;
        cvt.rn.f16.{through} %h, %x; cvt.{through}.f16 %x, %h; mov.b{size} $d, %x; }}"""
    found = apply(text, through, (type_, [0, 1, 2, 1000]))[:4]
    assert found.tolist() == [0, 32768, np.inf, np.inf]


@pytest.mark.parametrize("mode", WHOLE)
def test_round_to_integral(mode: str) -> None:
    values = [0.5, 1.5, 2.5, -0.5, -1.5, 1e10, -2.3, 0.0]
    found = apply(f"cvt.{mode}.f32.f32 $d, $a", "f32", ("f32", values))[: len(values)]
    assert found.tolist() == [np.float32(WHOLE[mode](float(np.float32(value)))) for value in values]


@pytest.mark.parametrize(("type_", "mantissa", "bias", "largest"), [("e4m3", 3, 7, 448.0), ("e5m2", 2, 15, 57344.0)])
def test_conversions_of_small_floats(type_: str, mantissa: int, bias: int, largest: float) -> None:
    def value(code: int) -> float:
        exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
        scale = 2.0 ** (max(exponent, 1) - bias)
        return ((exponent > 0) + fraction / (1 << mantissa)) * scale

    codes = [code for code in range(128) if value(code) <= largest]
    table = [value(code) for code in codes]
    rng = np.random.default_rng(5)
    numbers = np.concatenate([table[:8], [largest * 2, 2.0**-12], np.exp(rng.uniform(-12, 12, 22))]).astype(np.float32)
    packed = apply(f"cvt.rn.satfinite.{type_}x2.f32 $d, $a, $b", "u16", ("f32", -numbers), ("f32", numbers))
    for number, code in zip(numbers, packed, strict=True):
        distance = [abs(each - float(number)) for each in table]
        nearest = [c for c, d in zip(codes, distance, strict=True) if d == min(distance)]
        expected = next(c for c in nearest if len(nearest) == 1 or c % 2 == 0)
        assert (int(code) & 255, int(code) >> 8) == (expected, expected | 128), number
    back = apply(f"cvt.rn.f16x2.{type_}x2 $d, $a", "u32", ("u16", packed))
    for code, both in zip(packed, back, strict=True):
        assert np.array([both], np.uint32).view(np.float16).tolist() == [
            value(int(code) & 127),
            -value(int(code) & 127),
        ]


@pytest.mark.parametrize(
    ("type_", "bits", "mantissa", "bias"), [("e2m1", 4, 1, 1), ("e2m3", 6, 3, 1), ("e3m2", 6, 2, 3)]
)
def test_conversions_of_6_and_4_bit_floats(type_: str, bits: int, mantissa: int, bias: int) -> None:
    """Every code in both directions, rounding to nearest even between codes; there are no infinities and no NaN."""

    def value(code: int) -> float:
        exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
        return ((exponent > 0) + fraction / (1 << mantissa)) * 2.0 ** (max(exponent, 1) - bias)

    sign, step = 1 << bits - 1, 4 if bits == 4 else 8  # bits of a number in a packed value
    table = [value(code) for code in range(sign)]
    expected = {value(code): code for code in range(sign)}
    for code, (low, high) in enumerate(itertools.pairwise(table)):
        expected |= {
            (low + high) / 2: code + code % 2,
            low + (high - low) * 0.49: code,
            low + (high - low) * 0.51: code + 1,
        }
    expected |= {table[-1] * 1.3: sign - 1, 1e30: sign - 1, np.inf: sign - 1}
    for start in range(0, len(expected), 32):
        numbers = np.array(list(expected)[start : start + 32], np.float32)
        packed = apply(f"cvt.rn.satfinite.{type_}x2.f32 $d, $a, $b", "u16", ("f32", -numbers), ("f32", numbers))
        for number, found in zip(list(expected)[start : start + 32], packed, strict=False):
            code = expected[number]
            assert int(found) == code | (code | sign) << step, number
    for start in range(0, sign, 32):
        codes = np.arange(start, min(start + 32, sign), dtype=np.uint16)
        back = apply(f"cvt.rn.f16x2.{type_}x2 $d, $a", "u32", ("u16", codes | (codes | sign) << step))
        found = back.view(np.float16).reshape(-1, 2)[: len(codes)]
        np.testing.assert_array_equal(found, [(value(int(code)), -value(int(code))) for code in codes])
    nan = apply(f"cvt.rn.satfinite.{type_}x2.f32 $d, $a, $b", "u16", ("f32", [-np.nan]), ("f32", [-1.0]))
    relu = apply(f"cvt.rn.satfinite.relu.{type_}x2.f32 $d, $a, $b", "u16", ("f32", [1.0]), ("f32", [-1.0]))
    one = table.index(1.0)
    assert int(nan[0]) == (sign - 1) << step | one | sign
    assert int(relu[0]) == one << step


def test_conversions_of_ue8m0() -> None:
    numbers = np.array([1, 1.5, 2, 3e38, 1e-38, 2.0**-127, 2.0**-127 * 1.01, 1e-45, 0, np.inf, np.nan, -6], np.float32)
    down = [127, 127, 128, 254, 126 - 126, 0, 0, 0, 0, 255, 255, 129]
    up = [127, 128, 128, 255, 1, 0, 1, 0, 0, 255, 255, 130]
    for mode, expected in (("rz", down), ("rp", up)):
        for suffix, most in (("", 255), (".satfinite", 254)):
            found = apply(f"cvt.{mode}{suffix}.ue8m0x2.f32 $d, $a, $b", "u16", ("f32", numbers), ("f32", numbers))
            limited = [code if np.isnan(x) else min(code, most) for code, x in zip(expected, numbers, strict=True)]
            assert [int(code) for code in found[: len(numbers)]] == [code * 257 for code in limited]
    codes = np.array([0, 1, 127, 254, 255], np.uint16)
    back = apply("cvt.rn.bf16x2.ue8m0x2 $d, $a", "u32", ("u16", codes | codes[::-1] << 8))[:5]
    bits = [0x40, 0x80, 0x3F80, 0x7F00, 0x7FFF]
    assert back.tolist() == [low | high << 16 for low, high in zip(bits, bits[::-1], strict=True)]
    again = apply("cvt.rz.ue8m0x2.bf16x2 $d, $a", "u16", ("u32", back[1:4]))[:3]
    assert again.tolist() == [int(code | other << 8) for code, other in zip(codes[1:4], codes[3:0:-1], strict=True)]


def test_packing_conversions() -> None:
    numbers = ("s32", [70000, -70000, 5, -5])
    found = apply("cvt.pack.sat.s16.s32 $d, $a, $b", "u32", numbers, ("s32", [1, 2, 3, 4]))[:4]
    assert found.tolist() == [0x7FFF0001, 0x80000002, 0x00050003, 0xFFFB0004]
    found = apply("cvt.pack.sat.u8.s32.b32 $d, $a, $b, $c", "u32", ("s32", [300]), ("s32", [-1]), ("u32", [0xABCD]))
    assert found[0] == 0xABCDFF00
    found = apply("cvt.rn.f16x2.f32 $d, $a, $b", "u32", ("f32", [2.0]), ("f32", [1.0]))
    assert found[0] == 0x40003C00
    assert apply("cvt.rna.tf32.f32 $d, $a", "b32", ("b32", [0x3F801000, 0x3F800FFF]))[:2].tolist() == [
        0x3F802000,
        0x3F800000,
    ]


@pytest.mark.parametrize(
    ("name", "function", "values", "tolerance"),
    [
        ("ex2", np.exp2, np.linspace(-140, 127, 32), (2.0**-22, 0)),
        (
            "lg2",
            np.log2,
            np.concatenate([np.linspace(0.5, 2, 24), 2.0 ** np.arange(-140, 120, 33)]),
            (2.0**-22, 2.0**-22),
        ),
        ("sin", np.sin, np.linspace(-np.pi, np.pi, 32), (0, 2.0**-20.5)),
        ("cos", np.cos, np.linspace(-np.pi, np.pi, 32), (0, 2.0**-20.5)),
        ("tanh", np.tanh, np.linspace(-9, 9, 32), (2.0**-11, 0)),
        ("rsqrt", lambda x: 1 / np.sqrt(x), np.geomspace(1e-30, 1e30, 32), (2.0**-22.4, 0)),
        ("sqrt", np.sqrt, np.geomspace(1e-30, 1e30, 32), (2.0**-22, 0)),
        ("rcp", lambda x: 1 / x, np.geomspace(1e-30, 1e30, 32), (2.0**-23, 0)),
    ],
)
def test_approximate_functions_keep_their_tolerance(
    name: str, function: Callable, values: np.ndarray, tolerance: tuple[float, float]
) -> None:
    x = np.resize(values, 32).astype(np.float32)
    found = apply(f"{name}.approx.f32 $d, $a", "f32", ("f32", x)).astype(np.float64)
    relative, absolute = tolerance
    np.testing.assert_allclose(found, function(x.astype(np.float64)), rtol=relative, atol=absolute or 2.0**-149)


def test_exact_rounding_helper_agrees_with_numpy() -> None:
    rng = np.random.default_rng(3)
    for value in rng.integers(0, 2**63, 200, dtype=np.uint64).view(np.float64):
        if np.isfinite(value):
            with np.errstate(over="ignore"):
                assert encode(Fraction(float(value)), "f32", "rn") == int(np.float32(value).view(np.uint32))
                assert encode(Fraction(float(value)), "f16", "rn") == int(np.float16(value).view(np.uint16))
    assert round_fraction(Fraction(5, 2), 2, -100, "rz") == 2
