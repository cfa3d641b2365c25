# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions that compilers rarely generate, each compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support.lanewise import TYPES, apply
from support.warps import compiled

random = np.random.default_rng(23)
F32 = [0.0, -0.0, 1.0, -1.5, 3.25, -1e-40, 6e-39, 1e30, -np.inf, np.inf, np.nan, 0.1, -7.75, 65504.0, 1e-7, 2.0]
WORDS = [0, 1, 2, 5, 31, 32, 33, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]


def bits_of_bf16(values) -> np.ndarray:
    """Round floats to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(np.asarray(values, np.float32)), 0x7FFF, rounded).astype(np.uint16)


def floats_of_bf16(bits) -> np.ndarray:
    return (np.asarray(bits, np.uint32) << 16).view(np.float32)


def numbers(type_: str, shift: int = 0) -> np.ndarray:
    """Return 32 operands of a PTX type."""
    if type_ == "pred":
        return np.arange(32) // (shift + 1) % 2
    if type_ in ("f32", "f64", "f16"):
        with np.errstate(over="ignore"):
            return np.roll(np.resize(np.array(F32), 32) * (1 + shift), 5 * shift).astype(TYPES[type_])
    if type_ == "bf16":
        return bits_of_bf16(np.roll(np.resize(np.array(F32, np.float32), 32), 5 * shift))
    if type_ in ("f16x2", "bf16x2"):
        parts = [numbers(type_[:-2], shift + 3 * part).view(np.uint16).astype(np.uint32) for part in (0, 1)]
        return parts[0] | parts[1] << 16
    if type_ == "f32x2":
        parts = [numbers("f32", shift + 3 * part).view(np.uint32).astype(np.uint64) for part in (0, 1)]
        return parts[0] | parts[1] << 32
    width = 8 * np.dtype(TYPES[type_]).itemsize
    words = np.concatenate([np.roll(WORDS, shift), random.integers(0, 2**32, 16)]).astype(np.uint64)
    if width == 64:
        words |= np.roll(words, 3) << np.uint64(32)
    return (words & np.uint64((1 << width) - 1)).astype(f"u{width // 8}").view(TYPES[type_])


def same(found, wanted, *, zeros: bool = True) -> None:
    """Compare bits; NaNs are equal, zeros of different sign are not unless `zeros` is false."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    np.testing.assert_array_equal(found, wanted)
    if zeros and found.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(wanted[~np.isnan(wanted)]))


def as_floats(type_: str, values) -> np.ndarray:
    return floats_of_bf16(values) if type_ == "bf16" else np.asarray(values, TYPES[type_]).astype(np.float32)


def halves(type_: str, packed) -> list[np.ndarray]:
    """Return low and high parts of packed values as floats."""
    part = type_[:-2]
    if part == "f32":
        return [(packed >> np.uint64(s)).astype(np.uint32).view(np.float32) for s in (0, 32)]
    both = [(packed >> s & 0xFFFF).astype(np.uint16) for s in (0, 16)]
    return [floats_of_bf16(each) if part == "bf16" else each.view(np.float16).astype(np.float32) for each in both]


def rounded(type_: str, values) -> np.ndarray:
    """Return floats rounded to a type, as floats again."""
    with np.errstate(over="ignore"):
        if type_ == "bf16":
            return floats_of_bf16(bits_of_bf16(values))
        return np.asarray(values).astype(TYPES[type_]).astype(np.float32)


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "abs": np.abs,
    "neg": np.negative,
    "min": lambda a, b: np.fmin(a, b),
    "max": lambda a, b: np.fmax(a, b),
}


def check_float(instruction: str, type_: str, operation, count: int) -> None:
    """Compare an operation on one number or on two packed ones."""
    packed = type_.endswith("x2")
    part = type_[:-2] if packed else type_
    operands = [numbers(type_, shift) for shift in range(count)]
    found = apply(instruction, type_, *((type_, each) for each in operands))
    sources = [halves(type_, each) if packed else [as_floats(type_, each)] for each in operands]
    results = halves(type_, found) if packed else [as_floats(type_, found)]
    for result, given in zip(results, zip(*sources, strict=True), strict=True):
        with np.errstate(all="ignore"):
            wanted = rounded(part, operation(*(each.astype(np.float64) for each in given)))
            same(result, wanted, zeros=operation not in (np.minimum, np.maximum))  # NumPy has no order of zeros


@pytest.mark.parametrize("type_", ["f16", "f16x2", "bf16", "bf16x2"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_of_halves(name, type_):
    count = 1 if name in ("abs", "neg") else 2
    operands = ", ".join(("$a", "$b")[:count])
    if name in ("min", "max") and type_.startswith("f16"):
        name_, operation = f"{name}.NaN", {"min": np.minimum, "max": np.maximum}[name]
        check_float(f"{name_}.{type_} $d, {operands}", type_, operation, count)
        return
    if name in ("min", "max"):
        operands = "$a, $a"  # the order of zeros is checked by other tests
        check_float(f"{name}.{type_} $d, {operands}", type_, lambda a: a, 1)
        return
    check_float(f"{name}.{type_} $d, {operands}", type_, OPERATIONS[name], count)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_packed_float_arithmetic(name):
    check_float(f"{name}.rn.f32x2 $d, $a, $b", "f32x2", OPERATIONS[name], 2)


def test_packed_float_fma():
    small = [np.array([1.0, -2.0, 0.5, 3.0], np.float32), np.array([4.0, 0.25, -8.0, 1.5], np.float32)]
    packed = [np.resize(np.stack([each, each[::-1]], 1).reshape(-1).view(np.uint64), 32) for each in (*small, small[0])]
    found = apply("fma.rn.f32x2 $d, $a, $b, $c", "f32x2", *(("f32x2", each) for each in packed))
    a, b, c = (each.view(np.float32) for each in packed)
    same(found.view(np.float32), a * b + c)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_mixed_precision(type_):
    """The smaller operand is converted to a float first, section 9.7.5."""
    a, b, c = numbers(type_), numbers(type_, 1), numbers("f32", 2)
    x, y = as_floats(type_, a).astype(np.float64), as_floats(type_, b).astype(np.float64)
    with np.errstate(all="ignore"):
        for text, wanted in (
            (f"add.f32.{type_} $d, $a, $b", x + c),
            (f"sub.rn.f32.{type_} $d, $a, $b", x - c),
            (f"add.sat.f32.{type_} $d, $a, $b", np.where(np.isnan(x + c), 0, np.clip(x + c, 0, 1) + 0.0)),
        ):
            same(apply(text, "f32", (type_, a), ("f32", c)), wanted.astype(np.float32))
        exact = np.isfinite(x * y) & (np.abs(x * y) < 1e6) & (np.abs(c) < 1e6)
        found = apply(f"fma.rn.f32.{type_} $d, $a, $b, $c", "f32", (type_, a), (type_, b), ("f32", c))
        np.testing.assert_allclose(found[exact], (x * y + c)[exact].astype(np.float32), rtol=1e-6)


def test_multiply_and_add():
    for type_ in ("f32", "f64"):
        a, b, c = (numbers(type_, shift) for shift in range(3))
        fused = apply(f"fma.rn.{type_} $d, $a, $b, $c", type_, (type_, a), (type_, b), (type_, c))
        same(apply(f"mad.rn.{type_} $d, $a, $b, $c", type_, (type_, a), (type_, b), (type_, c)), fused)


@pytest.mark.parametrize(
    ("type_", "a", "b", "c", "expected"),
    [
        # Products in the middle of two halves or bfloats, which the third term decides.
        ("f16", 3, 683, 2**-24, 2050),
        ("f16", 3, 683, -(2**-24), 2048),
        ("bf16", 7, 37, -(2.0**-100), 258),
        ("bf16", 7, 37, 2.0**-100, 260),
        # The sum is in the middle of two halves once rounded to a float.
        ("f16", 1 + 2**-7, 2**-11 * (1 - 2**-7), 1 + 2**-10, 1 + 2**-10),
        ("f16", -1 - 2**-7, 2**-11 * (1 - 2**-7), -1 - 2**-10, -1 - 2**-10),
        ("f16", 1 + 2**-7, 2**-11 * (1 - 2**-7), -1 - 2**-10, -1 - 2**-10),
    ],
)
def test_multiply_and_add_of_small_types_rounds_once(type_, a, b, c, expected):
    numbers = np.array([a, b, c, expected], np.float32)
    a, b, c, expected = numbers.view(np.uint32) >> 16 if type_ == "bf16" else numbers.astype(np.float16)
    found = apply(f"fma.rn.{type_} $d, $a, $b, $c", type_, (type_, [a]), (type_, [b]), (type_, [c]))
    same(found, [expected] * len(found))


def signed24(x: int) -> int:
    x &= 0xFFFFFF
    return x - (1 << 24) if x >> 23 else x


@pytest.mark.parametrize("kind", ["u32", "s32"])
@pytest.mark.parametrize("mode", ["lo", "hi"])
def test_products_of_24_bits(kind, mode):
    a, b, c = (numbers(kind, shift) for shift in range(3))
    found = apply(f"mad24.{mode}.{kind} $d, $a, $b, $c", kind, (kind, a), (kind, b), (kind, c))
    for x, y, z, result in zip(a.tolist(), b.tolist(), c.tolist(), found.tolist(), strict=True):
        product = signed24(x) * signed24(y) if kind == "s32" else (x & 0xFFFFFF) * (y & 0xFFFFFF)
        assert (result - (product >> (16 if mode == "hi" else 0)) - z) % 2**32 == 0
    found = apply(
        "mad24.hi.sat.s32 $d, $a, $b, $c", "s32", ("s32", [-(2**23)]), ("s32", [-(2**23)]), ("s32", [2**31 - 5])
    )
    assert found[0] == 2**31 - 1


@pytest.mark.parametrize("name", ["min", "max"])
def test_min_and_max_with_relu(name):
    a, b = numbers("s32"), numbers("s32", 3)
    choose = getattr(np, name + "imum")
    same(apply(f"{name}.relu.s32 $d, $a, $b", "s32", ("s32", a), ("s32", b)), np.maximum(choose(a, b), 0))
    found = apply(f"{name}.relu.s16x2 $d, $a, $b", "s16x2", ("s16x2", a.view("u4")), ("s16x2", b.view("u4")))
    same(found.view("i2"), np.maximum(choose(a.view("i2"), b.view("i2")), 0))


@pytest.mark.parametrize("kind", ["u32", "s32"])
@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_szext(kind, mode):
    a, widths = numbers(kind), np.array([0, 1, 4, 8, 31, 32, 33, 200], np.uint32)
    widths = np.resize(widths, 32)
    found = apply(f"szext.{mode}.{kind} $d, $a, $b", kind, (kind, a), ("u32", widths))
    for x, width, result in zip(a.tolist(), widths.tolist(), found.tolist(), strict=True):
        n = width & 31 if mode == "wrap" else min(width, 32)
        low = x & ((1 << n) - 1)
        wanted = low - (1 << n) if kind == "s32" and n and low >> (n - 1) else low
        assert result == wanted, (x, width)


@pytest.mark.parametrize("atype", ["u32", "s32"])
@pytest.mark.parametrize("btype", ["u32", "s32"])
@pytest.mark.parametrize("mode", ["lo", "hi"])
def test_sums_of_two_products(atype, btype, mode):
    a, b, c = numbers("u32"), numbers("u32", 5), numbers("u32", 2)
    kind = "s32" if "s32" in (atype, btype) else "u32"
    found = apply(f"dp2a.{mode}.{atype}.{btype} $d, $a, $b, $c", "u32", ("u32", a), ("u32", b), ("u32", c))
    words = a.view("i2" if atype == "s32" else "u2").reshape(-1, 2).astype(np.int64)
    bytes_ = b.view("i1" if btype == "s32" else "u1").reshape(-1, 4).astype(np.int64)
    pair = bytes_[:, 2:] if mode == "hi" else bytes_[:, :2]
    assert kind
    same(found, ((words * pair).sum(1) + c.astype(np.int64)).astype(np.uint32))


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_testp(type_):
    a = numbers(type_)
    tiny = np.finfo(a.dtype).tiny
    normal = np.isfinite(a) & ((np.abs(a) >= tiny) | (a == 0))  # zero is a normal number, says the manual
    wanted = {
        "finite": np.isfinite(a), "infinite": np.isinf(a), "number": ~np.isnan(a), "notanumber": np.isnan(a),
        "normal": normal, "subnormal": (a != 0) & (np.abs(a) < tiny),
    }  # fmt: skip
    for name, values in wanted.items():
        same(apply(f"testp.{name}.{type_} $d, $a", "pred", (type_, a)), values.astype(np.uint32))


def test_approximations():
    """Within the manual's bounds: 2 ulp for div.full, relative errors for the others."""
    a, b = random.uniform(0.01, 50, 32), random.uniform(0.01, 50, 32)
    found = apply("div.full.f32 $d, $a, $b", "f32", ("f32", a), ("f32", b))
    np.testing.assert_allclose(found, a.astype(np.float32) / b.astype(np.float32), rtol=3e-7)
    np.testing.assert_allclose(apply("rsqrt.approx.f64 $d, $a", "f64", ("f64", a)), 1 / np.sqrt(a), rtol=2.0**-20)
    np.testing.assert_allclose(apply("rsqrt.approx.ftz.f64 $d, $a", "f64", ("f64", a)), 1 / np.sqrt(a), rtol=2.0**-19)
    x = random.uniform(-4, 4, 32).astype(np.float16)
    for name, function in (("ex2.approx", np.exp2), ("tanh.approx", np.tanh)):
        found = apply(f"{name}.f16 $d, $a", "f16", ("f16", x))
        np.testing.assert_allclose(found, function(x.astype(np.float64)), rtol=2.0**-9.9, atol=2.0**-10.9)
        packed = x.view(np.uint16).astype(np.uint32) | np.roll(x, 1).view(np.uint16).astype(np.uint32) << 16
        both = apply(f"{name}.f16x2 $d, $a", "f16x2", ("f16x2", packed)).view(np.float16).reshape(-1, 2)
        np.testing.assert_array_equal(both, np.stack([found, np.roll(found, 1)], 1))
    for name, function in (("ex2.approx.ftz", np.exp2), ("tanh.approx", np.tanh)):
        bits = bits_of_bf16(x.astype(np.float32))
        found = floats_of_bf16(apply(f"{name}.bf16 $d, $a", "bf16", ("bf16", bits)))
        np.testing.assert_allclose(found, function(floats_of_bf16(bits).astype(np.float64)), rtol=2.0**-7)
        packed = bits.astype(np.uint32) * 0x10001
        both = apply(f"{name}.bf16x2 $d, $a", "bf16x2", ("bf16x2", packed))
        np.testing.assert_array_equal(floats_of_bf16(both & 0xFFFF), found)
        np.testing.assert_array_equal(both >> 16, both & 0xFFFF)


COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
JOIN = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def compared(name: str, a, b) -> np.ndarray:
    """Return a comparison; with u at its end it holds where an operand is NaN, as `ne` without it does not."""
    nan = np.isnan(a) | np.isnan(b) if np.asarray(a).dtype.kind == "f" else np.zeros(len(a), bool)
    if name in ("num", "nan"):
        return nan if name == "nan" else ~nan
    unordered = name.endswith("u") and len(name) == 3
    return np.where(nan, unordered, COMPARE[name[:2]](a, b))


@pytest.mark.parametrize("name", ["eq", "lt", "geu", "neu", "ne", "num", "nan", "gtu"])
@pytest.mark.parametrize("type_", ["f32", "f64", "s32", "u64", "f16", "bf16"])
def test_comparisons_into_registers(name, type_):
    if type_ in ("s32", "u64") and name not in COMPARE:
        return
    a, b, c = numbers(type_), numbers(type_, 1), numbers("pred", 2)
    b[:8] = a[:8]
    x, y = (as_floats(type_, each) if type_[-2:] == "16" else each for each in (a, b))
    holds = compared(name, x, y)
    small = type_ in ("f16", "bf16")
    for dtype, yes in (("u32", 0xFFFFFFFF), ("s32", -1), *((("u16", 0xFFFF),) if small else (("f32", 1.0),))):
        found = apply(f"set.{name}.{dtype}.{type_} $d, $a, $b", dtype, (type_, a), (type_, b))
        same(found, np.where(holds, yes, 0).astype(TYPES[dtype]))
    for join, function in JOIN.items():
        operands = ((type_, a), (type_, b), ("pred", c))
        found = apply(f"set.{name}.{join}.u32.{type_} $d, $a, $b, $c", "u32", *operands)
        same(found, np.where(function(holds, c), 0xFFFFFFFF, 0).astype(np.uint32))
        found = apply(f"setp.{name}.{join}.{type_} $d, $a, $b, !$c", "pred", *operands)
        same(found, function(holds, c == 0).astype(np.uint32))
    same(apply(f"setp.{name}.{type_} $d, $a, $b", "pred", (type_, a), (type_, b)), holds.astype(np.uint32))
    if type_ == "f16":
        found = apply(f"set.{name}.f16.f16 $d, $a, $b", "f16", (type_, a), (type_, b))
        same(found, holds.astype(np.float16))


@pytest.mark.parametrize("type_", ["f16x2", "bf16x2"])
def test_comparisons_of_packed_halves(type_):
    a, b, c = numbers(type_), numbers(type_, 1), numbers("pred", 1)
    low, high = (compared("leu", x, y) for x, y in zip(halves(type_, a), halves(type_, b), strict=True))
    text = f"{{ .reg .pred x, y; setp.leu.{type_} x|y, $a, $b; selp.b32 $d, 1, 0, x; @y add.u32 $d, $d, 2; }}"
    same(apply(text, "u32", (type_, a), (type_, b)), (low + 2 * high).astype(np.uint32))
    text = f"{{ .reg .pred x, y; setp.leu.xor.{type_} x|y, $a, $b, $c; selp.b32 $d, 1, 0, x; @y add.u32 $d, $d, 2; }}"
    wanted = (low ^ (c == 1)) + 2 * (high ^ (c == 1))
    same(apply(text, "u32", (type_, a), (type_, b), ("pred", c)), wanted.astype(np.uint32))
    found = apply(f"set.leu.u32.{type_} $d, $a, $b", "u32", (type_, a), (type_, b))
    same(found, (low * 0xFFFF + high * 0xFFFF0000).astype(np.uint32))


@pytest.mark.parametrize("dtype", ["b16", "u32", "s64", "f32", "f64"])
def test_selection_by_sign(dtype):
    a, b, c, x = numbers(dtype), numbers(dtype, 2), numbers("s32"), numbers("f32")
    same(apply(f"slct.{dtype}.s32 $d, $a, $b, $c", dtype, (dtype, a), (dtype, b), ("s32", c)), np.where(c >= 0, a, b))
    found = apply(f"slct.{dtype}.f32 $d, $a, $b, $c", dtype, (dtype, a), (dtype, b), ("f32", x))
    same(found, np.where(x >= 0, a, b))
    found = apply(f"slct.ftz.{dtype}.f32 $d, $a, $b, $c", dtype, (dtype, a), (dtype, b), ("f32", x))
    same(found, np.where((x >= 0) | (np.abs(x) < np.finfo(np.float32).tiny), a, b))


def test_logic_with_a_predicate():
    a, b, c, q = numbers("b32"), numbers("b32", 1), numbers("b32", 2), numbers("pred", 1)
    operands = (("b32", a), ("b32", b), ("b32", c), ("pred", q))
    value = a & b & c
    for join, function in (("or", np.logical_or), ("and", np.logical_and)):
        text = f"{{ .reg .pred x; lop3.{join}.b32 $d|x, $a, $b, $c, 0x80, $e; selp.b32 $d, 1, 0, x; }}"
        same(apply(text, "b32", *operands), function(value != 0, q).astype(np.uint32))


def test_conversions_between_small_floats():
    x = numbers("f32")
    with np.errstate(over="ignore"):
        wanted = np.where(x < 0, 0, x).astype(np.float16)
        same(apply("cvt.rn.relu.f16.f32 $d, $a", "f16", ("f32", x)), np.where(np.isnan(x), np.nan, wanted), zeros=False)
    found = apply("cvt.rn.satfinite.relu.tf32.f32 $d, $a", "b32", ("f32", [-3.0, 1.0, np.inf, 1 + 2**-11 + 2**-20]))
    assert found[:2].tolist() == [0, 0x3F800000]
    assert np.isfinite(found[2:3].view(np.float32)[0])
    assert found[3] == 0x3F802000
    packed = np.array([1.5, -2.0], np.float16).view(np.uint32)
    assert apply("cvt.rn.satfinite.e4m3x2.f16x2 $d, $a", "u16", ("f16x2", packed))[0] == 0xC03C
    assert apply("cvt.rn.satfinite.relu.e5m2x2.f16x2 $d, $a", "u16", ("f16x2", packed))[0] == 0x003E


@pytest.mark.parametrize(("text", "wanted"), [("min", -7.0), ("max", 24.0), ("min.abs", 0.5), ("max.NaN", np.nan)])
def test_reductions_of_floats(text, wanted):
    values = np.arange(32, dtype=np.float32) - 7
    values[7] = 0.5
    values[9] = np.nan
    found = apply(f"redux.sync.{text}.f32 $d, $a, -1", "f32", ("f32", values))
    np.testing.assert_array_equal(found, np.full(32, wanted, np.float32))


MEMORY = """
.visible .entry k(.param .u64 to, .param .u64 from)
{
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    createpolicy.fractional.L2::evict_first.b64 %rd4, 0.5; createpolicy.cvt.L2.b64 %rd4, %rd4;
    createpolicy.range.global.L2::evict_last.b64 %rd5, [%rd2], 64, 128;
    prefetch.global.L2 [%rd2]; prefetch.global.L2::evict_last [%rd2]; prefetchu.L1 [%rd2]; prefetch.local.L1 [%rd3];
    applypriority.global.L2::evict_normal [%rd2], 128; discard.global.L2 [%rd2], 128;
    ld.global.L1::evict_last.L2::cache_hint.u32 %r2, [%rd2], %rd4; ld.mmio.relaxed.sys.global.u32 %r3, [%rd2];
    ld.global.nc.L1::no_allocate.L2::128B.u32 %r4, [%rd2]; ldu.global.u32 %r5, [%rd2];
    add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;
    st.global.L1::no_allocate.u32 [%rd1], %r2; st.mmio.relaxed.sys.global.u32 [%rd1+128], %r3;
    st.async.release.gpu.global.u32 [%rd1+256], %r4; red.async.release.gpu.global.add.u32 [%rd1+256], 1;
    fence.mbarrier_init.release.cluster; fence.proxy.alias; fence.proxy.async; fence.proxy.async.global;
    fence.proxy.tensormap::generic.release.gpu; fence.acquire.sync_restrict::shared::cluster.cluster;
    griddepcontrol.wait; griddepcontrol.launch_dependents; pmevent 3; setmaxnreg.inc.sync.aligned.u32 232;
    cp.async.bulk.prefetch.L2.global [%rd2], 128;
    cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd2, {%r1, %r1}];
    fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
    createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd4, 1.0;
    ret;
}
"""


def test_cache_hints_do_not_change_results():
    given, out = np.arange(32, dtype=np.uint32) + 100, np.zeros(96, np.uint32)
    compiled(MEMORY)(out, given)
    same(out, np.concatenate([4 * given, given, 2 * given + 1]))


@pytest.mark.parametrize(
    ("operation", "type_", "values", "wanted"),
    [
        ("and", "b32", range(16, 48), 0), ("or", "b64", range(32), 31),
        ("xor", "b32", [1 << i for i in range(32)], 2**32 - 5),
        ("inc", "u32", [40] * 32, 36), ("dec", "u32", [3] * 32, 0), ("min", "s64", range(-9, 23), -9),
        ("max", "u64", range(32), 31),
    ],
)  # fmt: skip
def test_reductions_in_memory(operation, type_, values, wanted):
    """All lanes change one address, one after the other, starting from 4."""
    dtype = TYPES[type_]
    text = f"""
    .visible .entry k(.param .u64 to, .param .u64 from)
    {{
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .{"b64" if type_[1:] == "64" else "b32"} %v;
        ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, {np.dtype(dtype).itemsize}; add.u64 %rd2, %rd2, %rd3; ld.global.{type_} %v, [%rd2];
        red.relaxed.gpu.global.{operation}.{type_} [%rd1], %v; ret;
    }}"""
    out = np.array([4], dtype)
    compiled(text)(out, np.array(list(values), dtype))
    assert int(out[0]) == wanted


def test_reductions_of_halves_in_memory():
    text = """
    .visible .entry k(.param .u64 to)
    {
        .reg .b64 %rd<9>; .reg .b16 %h<9>; .reg .b32 %r<9>;
        ld.param.u64 %rd1, [to]; mov.b16 %h1, 0x3C00; mov.b16 %h2, 0x3F80; mov.b32 %r1, {%h1, %h1};
        red.global.add.noftz.f16 [%rd1], %h1; red.global.add.noftz.bf16 [%rd1+2], %h2;
        red.global.add.noftz.f16x2 [%rd1+4], %r1;
        red.global.add.noftz.v2.f16 [%rd1+8], {%h1, %h1}; red.global.max.noftz.v2.bf16 [%rd1+12], {%h2, %h2};
        atom.global.add.noftz.v2.f16 {%h3, %h4}, [%rd1+16], {%h1, %h1};
        ret;
    }"""
    out = np.zeros(10, np.uint16)
    compiled(text)(out)
    thirty_two = np.float16(32).view(np.uint16)
    bits = bits_of_bf16([32.0])[0]
    assert out.tolist() == [thirty_two, bits, *[thirty_two] * 4, 0x3F80, 0x3F80, *[thirty_two] * 2]


def test_alloca_and_stacksave():
    text = """
    .visible .entry k(.param .u64 to)
    {
        .reg .b64 %rd<9>; .reg .b32 %r<9>;
        ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; stacksave.u64 %rd2; alloca.u64 %rd3, 64, 16;
        mul.lo.u32 %r2, %r1, 3; st.local.u32 [%rd3+12], %r2; alloca.u64 %rd4, 16; st.local.u32 [%rd4], 7;
        ld.local.u32 %r3, [%rd3+12]; stackrestore.u64 %rd2; alloca.u64 %rd5, 64, 16; sub.u64 %rd6, %rd5, %rd3;
        cvt.u32.u64 %r4, %rd6; add.u32 %r3, %r3, %r4; mul.wide.u32 %rd7, %r1, 4; add.u64 %rd7, %rd7, %rd1;
        st.global.u32 [%rd7], %r3; nanosleep.u32 10; ret;
    }"""
    out = np.zeros(32, np.uint32)
    compiled(text)(out, services={"nanosleep": lambda warp, time: None})
    same(out, 3 * np.arange(32, dtype=np.uint32))


BARRIERS = [
    ("bar.red.popc.u32 %r3, 3, 64, %p1;", (3, 64, 0), 17), ("bar.cta.red.and.pred %p2, 3, 64, !%p1;", (3, 64, 1), 1),
    ("barrier.cta.red.popc.aligned.u32 %r3, 3, %p1;", None, 16),
    ("barrier.red.popc.u32 %r3, 3, 96, %p1;", (3, 96, 0), 17), ("barrier.red.or.pred %p2, 3, %p1;", None, 1),
    ("barrier.cta.red.or.aligned.pred %p2, 3, 96, !%p1;", (3, 96, 2), 1),
    ("barrier.cta.arrive.aligned 3, 96;", (3, 96, None), 0),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "expected", "result"), BARRIERS)
def test_barrier_variants(instruction, expected, result):
    """Requests to the runtime: number, threads and operation; none where all threads of the block wait, which
    machine code does by itself. Every other thread's predicate holds."""
    text = f"""
    .visible .entry k(.param .u64 to)
    {{
        .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u32 %r3, 0;
        setp.ne.u32 %p2, %r3, 0; {instruction} @%p2 mov.u32 %r3, 1;
        mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; ret;
    }}"""
    asked = []

    def reduce(warp, number, threads, lanes, operation, predicate):
        asked.append((number, threads, operation))
        assert (lanes, predicate) == (0xFFFFFFFF, 0x55555555 if "!" in instruction else 0xAAAAAAAA)
        return 17 if operation == 0 else 1

    services = {
        "barrier_reduce": reduce,
        "barrier_arrive": lambda warp, number, threads, lanes: asked.append((number, threads, None)),
    }
    out = np.zeros(32, np.uint32)
    compiled(text)(out, services=services)
    assert asked == ([expected] if expected else [])
    assert set(out) == {result}


@pytest.mark.cpu_only
def test_brkpt_is_a_trap():
    from support.warps import Fault

    with pytest.raises(Fault, match="trap"):
        compiled(".visible .entry k() { brkpt; ret; }")()


def test_fma_oob_products_are_zero():
    """fma.oob: a factor that a tensor copy wrote for an out-of-bounds element makes the result zero (9.7.4.4)."""
    nans = np.array([0x7FF7, 0xFFF7, 0x7EFF, 0x7FFF], np.uint16).view(np.float16)
    found = apply("fma.rn.oob.f16 $d, $a, $b, $c", "f16", ("f16", nans), ("f16", [3.0]), ("f16", [1.5]))
    np.testing.assert_array_equal(found[:4], [0, 0, np.nan, np.nan])
    found = apply("fma.rn.oob.f16 $d, $a, $b, $c", "f16", ("f16", [2.0]), ("f16", [3.0]), ("f16", [1.5]))
    assert found[0] == np.float16(7.5)
