# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Elements of 8 and 4 bits: conversions, packing and products, against tables of all their numbers."""

import numpy as np
import pytest
from support.tile_writer import evaluate, tile

from cuda.cpu.tile.small import value_of

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

BYTES = np.arange(256, dtype=np.uint8)
F8 = ("f8E4M3FN", "f8E5M2")
MOST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0}


def numbers(name):
    """Return all numbers of a type by their bits, written down from the formats' definitions."""
    if name == "f4E2M1FN":
        half = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
        return np.array(half + [-each for each in half], np.float32)
    if name == "f8E8M0FNU":
        return np.append(np.exp2(np.arange(-127.0, 128)), np.nan).astype(np.float32)
    if name == "f8E5M2":  # the upper half of an f16
        return (BYTES.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
    exponent, fraction = (BYTES >> 3 & 15).astype(int), BYTES & 7
    value = np.where(exponent > 0, (8 + fraction) * np.exp2(exponent - 10.0), fraction * 2.0**-9)
    value[(BYTES & 127) == 127] = np.nan
    return np.where(BYTES >> 7, -value, value).astype(np.float32)


@pytest.mark.parametrize("name", [*F8, "f8E8M0FNU"])
def test_bytes_are_decoded(name):
    def build(kernel, x):
        return kernel.op("ftof", [kernel.op("bitcast", [x], [tile(name, 256)])], [tile("f32", 256)])

    found = evaluate(build, BYTES, outputs=[np.zeros(256, np.float32)])
    np.testing.assert_array_equal(found, numbers(name))
    np.testing.assert_array_equal([value_of(int(each), name) for each in BYTES], numbers(name))


def encoded(name, values, rounding="nearest_even"):
    kind = {2: "f16", 4: "f32", 8: "f64"}[values.itemsize]

    def build(kernel, x):
        assert x.kind == tile(kind, len(values))
        small = kernel.op("ftof", [x], [tile(name, len(values))], rounding=rounding)
        return kernel.op("bitcast", [small], [tile("i8", len(values))])

    return evaluate(build, values, outputs=[np.zeros(len(values), np.uint8)])


def nearest(name, values):
    """Return the bits of the nearest numbers, those with an even last bit if two are equally near."""
    table = np.array([float(each) for each in numbers(name)])
    finite = np.flatnonzero(np.isfinite(table))
    finite = finite[np.argsort(finite % 2, kind="stable")]  # even ones first
    found = finite[np.abs(table[finite][:, None] - np.clip(values, -MOST[name], MOST[name])).argmin(0)]
    half = len(table) // 2
    return np.where(np.isnan(values), half - 1, found % half + half * np.signbit(values)).astype(np.uint8)


@pytest.mark.parametrize("name", F8)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_rounded_to_eight_bits(name, dtype):
    random = np.random.default_rng(1)
    table = numbers(name)[:127]
    table = table[np.isfinite(table)].astype(np.float64)
    middle = (table[1:] + table[:-1]) / 2
    values = np.concatenate([
        table, middle, middle * (1 + 2.0**-9), middle * (1 - 2.0**-9), middle * (1 + 2.0**-40), -middle,
        random.standard_normal(300) * np.exp2(random.uniform(-20, 16, 300)), [np.inf, -np.inf, np.nan, -0.0, 1e-30],
    ])  # fmt: skip
    with np.errstate(over="ignore"):
        values = np.resize(values, 1024).astype(dtype)
    expected = nearest(name, values.astype(np.float64))
    np.testing.assert_array_equal(encoded(name, values), expected)


def test_powers_of_two():
    values = np.array([1.0, 1.5, 2.0, 3.99, 0.0, 2.0**-127, 2.0**-126, 1.5 * 2.0**-127, 2.0**127, 3e38, np.inf, np.nan,
                       0.75, 1e-3, 7e-39, 1e-45], np.float32)  # fmt: skip
    down = [127, 127, 128, 128, 0, 0, 1, 0, 254, 254, 254, 255, 126, 117, 0, 0]
    up = [127, 128, 128, 129, 0, 0, 1, 1, 254, 254, 254, 255, 127, 118, 1, 0]
    np.testing.assert_array_equal(encoded("f8E8M0FNU", values, "zero"), down)
    np.testing.assert_array_equal(encoded("f8E8M0FNU", values, "positive_inf"), up)


@pytest.mark.parametrize("lanes", [2, 4, 64])
def test_four_bits_are_packed(lanes):
    random = np.random.default_rng(lanes)
    values = np.concatenate([numbers("f4E2M1FN"), random.uniform(-7, 7, 40), [2.5, 3.5, 0.25, 5, 9, -9]])
    values = np.resize(values, lanes).astype(np.float32)

    def build(kernel, x):
        small = kernel.op("ftof", [x], [tile("f4E2M1FN", lanes)], rounding="nearest_even")
        packed = kernel.op("pack", [small], [tile("i8", lanes // 2)])
        back = kernel.op("unpack", [packed], [tile("f4E2M1FN", lanes)])
        return packed, kernel.op("ftof", [back], [x.kind], rounding="nearest_even")

    packed, back = evaluate(build, values, outputs=[np.zeros(lanes // 2, np.uint8), values])
    bits = nearest("f4E2M1FN", values.astype(np.float64))
    np.testing.assert_array_equal(packed, bits[::2] | bits[1::2] << 4)
    np.testing.assert_array_equal(back, numbers("f4E2M1FN")[bits])


def test_integers_of_four_bits():
    values = np.arange(-8, 8, dtype=np.int32)

    def build(kernel, x):
        small = kernel.op("trunci", [x], [tile("i4", 16)], overflow="none")
        packed = kernel.op("pack", [small], [tile("i8", 8)])
        wide = kernel.op("exti", [kernel.op("unpack", [packed], [small.kind])], [x.kind], signedness="signed")
        return wide, packed

    wide, packed = evaluate(build, values, outputs=[values, np.zeros(8, np.uint8)])
    np.testing.assert_array_equal(wide, values)
    np.testing.assert_array_equal(packed, (values[::2] & 15) | (values[1::2] & 15) << 4)


@pytest.mark.parametrize(("dtype", "element"), [(np.float16, "f16"), (np.float32, "f32"), (np.int64, "i64")])
def test_bytes_of_a_tile(dtype, element):
    values = np.arange(16).astype(dtype)
    size = 16 * values.itemsize

    def build(kernel, x):
        packed = kernel.op("pack", [x], [tile("i8", size)])
        return packed, kernel.op("unpack", [packed], [x.kind])

    packed, back = evaluate(build, values, outputs=[np.zeros(size, np.uint8), values])
    np.testing.assert_array_equal(packed, values.view(np.uint8))
    np.testing.assert_array_equal(back, values)


@pytest.mark.parametrize("name", F8)
@pytest.mark.parametrize("result", ["float16", "float32"])
def test_products_of_eight_bits(name, result):
    random = np.random.default_rng(3)
    a, b = (random.integers(0x20, 0x40, shape, np.uint8) for shape in ((16, 32), (32, 8)))

    def build(kernel, x, y):
        left, right = (kernel.op("bitcast", [each], [tile(name, *each.kind[2])]) for each in (x, y))
        zero = kernel.constant(np.zeros((16, 8), result))
        return kernel.op("mmaf", [left, right, zero], [zero.kind])

    found = evaluate(build, a, b, outputs=[np.zeros((16, 8), result)])
    expected = (numbers(name)[a] @ numbers(name)[b]).astype(result)
    np.testing.assert_allclose(found, expected, rtol=1e-3 if result == "float16" else 1e-6)


@pytest.mark.parametrize(
    ("m", "k", "n", "block"), [(16, 64, 8, 32), (1, 64, 16, 16), (8, 32, 1, 32), (16, 128, 32, 32)]
)
@pytest.mark.parametrize(("name", "scale"), [("f8E4M3FN", "f8E8M0FNU"), ("f8E5M2", "f8E8M0FNU")])
def test_scaled_products(m, k, n, block, name, scale):
    random = np.random.default_rng(4)
    a, b = (random.integers(0x20, 0x40, shape, np.uint8) for shape in ((m, k), (k, n)))
    x, y = (random.integers(120, 132, shape, np.uint8) for shape in ((m, k // block), (k // block, n)))
    c = random.standard_normal((m, n)).astype(np.float32)

    def build(kernel, *values):
        left, right, _, *scales = values
        left, right = (kernel.op("bitcast", [each], [tile(name, *each.kind[2])]) for each in (left, right))
        scales = [kernel.op("bitcast", [each], [tile(scale, *each.kind[2])]) for each in scales]
        return kernel.op("mmaf_scaled", [left, right, values[2], *scales], [values[2].kind])

    found = evaluate(build, a, b, c, x, y, outputs=[c])
    left = numbers(name)[a] * np.repeat(numbers(scale)[x], block, 1)
    right = numbers(name)[b] * np.repeat(numbers(scale)[y], block, 0)
    np.testing.assert_allclose(found, left @ right + c, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["bf16", "f8E4M3FN"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
def test_integers_are_rounded_once(name, dtype):
    """Of the numbers next to the middle of two, a conversion by way of a float would round some to even."""
    base = np.array([1, 3, 5, 257, 259, 511], np.uint64)
    last = {"int32": 22, "int64": 53, "uint64": 54}[dtype]
    shifts = np.arange(0, last, dtype=np.uint64)
    values = np.concatenate([(base[:, None] << shifts).ravel() + each for each in (0, 1)])
    values = np.resize(values.astype(dtype), 1024)
    values[::3] = np.negative(values[::3]) if dtype != "uint64" else values[::3]
    bits = "i16" if name == "bf16" else "i8"

    def build(kernel, x):
        signed = "unsigned" if dtype[0] == "u" else "signed"
        small = kernel.op("itof", [x], [tile(name, 1024)], signedness=signed, rounding="nearest_even")
        return kernel.op("bitcast", [small], [tile(bits, 1024)])

    found = evaluate(build, values, outputs=[np.zeros(1024, np.uint16 if name == "bf16" else np.uint8)])
    if name == "bf16":
        exact = [int(each) for each in values]
        np.testing.assert_array_equal(found, [_bfloat(each) for each in exact])
    else:
        np.testing.assert_array_equal(found, nearest(name, values.astype(np.float64)))


def _bfloat(value):
    """Return the bits of an integer as bf16, by integers alone."""
    size = abs(value)
    dropped = max(size.bit_length() - 8, 0)
    kept, rest, half = size >> dropped, size & (1 << dropped) - 1, (1 << dropped) >> 1
    kept += rest > half or (rest == half and dropped > 0 and kept % 2)
    return (np.float32(kept * 2.0**dropped).view(np.uint32) >> 16) | (0x8000 if value < 0 else 0)
