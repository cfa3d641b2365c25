# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations against NumPy, for all element types and several shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from support.tile_writer import evaluate, tile

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

FLOATS, INTEGERS = ("float16", "float32", "float64"), ("int8", "int16", "int32", "int64")
SHAPES = st.sampled_from([(), (1,), (2,), (16,), (64,), (4, 8), (8, 1), (2, 1, 16), (2, 4, 32)])
NAMES = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64"}  # fmt: skip


def numbers(dtype, shape):
    if np.dtype(dtype).kind == "f":
        elements = st.floats(-100, 100, width=8 * np.dtype(dtype).itemsize, allow_subnormal=False)
    else:
        elements = arrays.from_dtype(np.dtype(dtype))
    return arrays.arrays(dtype, shape, elements=elements)


@st.composite
def operands(draw, dtypes, count):
    dtype, shape = draw(st.sampled_from(dtypes)), draw(SHAPES)
    return [draw(numbers(dtype, shape)) for _ in range(count)]


def kind_of(array):
    return tile(NAMES[str(array.dtype)], *array.shape)


def apply(name, *inputs, **attributes):
    def build(kernel, *values):
        return kernel.op(name, values, [kind_of(inputs[0])], **attributes)

    return evaluate(build, *inputs, outputs=inputs[:1])


EXACT_FLOATS = {
    "addf": (np.add, {"rounding": "nearest_even"}), "subf": (np.subtract, {"rounding": "nearest_even"}),
    "mulf": (np.multiply, {"rounding": "nearest_even"}), "maxf": (np.fmax, {}), "minf": (np.fmin, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT_FLOATS)
@settings(max_examples=12)
@given(values=operands(FLOATS, 2))
def test_operations_on_two_floats(name, values):
    expected, attributes = EXACT_FLOATS[name]
    np.testing.assert_array_equal(apply(name, *values, **attributes), expected(*values))


UNARY = {"absf": np.abs, "negf": np.negative, "floor": np.floor, "ceil": np.ceil}


@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=12)
@given(values=operands(FLOATS, 1))
def test_operations_on_one_float(name, values):
    np.testing.assert_array_equal(apply(name, *values), UNARY[name](*values))


INTEGER = {
    "addi": (np.add, {}), "subi": (np.subtract, {}), "muli": (np.multiply, {}), "andi": (np.bitwise_and, {}),
    "ori": (np.bitwise_or, {}), "xori": (np.bitwise_xor, {}), "maxi": (np.maximum, {"signedness": "signed"}),
    "mini": (np.minimum, {"signedness": "signed"}),
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGER)
@settings(max_examples=12)
@given(values=operands(INTEGERS, 2))
def test_operations_on_two_integers(name, values):
    expected, attributes = INTEGER[name]
    np.testing.assert_array_equal(apply(name, *values, **attributes), expected(*values))


@pytest.mark.parametrize(("name", "expected"), [("maxi", np.maximum), ("mini", np.minimum)])
def test_unsigned_extremes(name, expected):
    x = np.array([1, -1, 5, -7], np.int32)
    y = np.array([-1, 1, 6, -8], np.int32)
    found = apply(name, x, y, signedness="unsigned")
    np.testing.assert_array_equal(found.view(np.uint32), expected(x.view(np.uint32), y.view(np.uint32)))


@pytest.mark.parametrize(("name", "expected"), [("negi", np.negative), ("absi", np.abs)])
@settings(max_examples=12)
@given(values=operands(INTEGERS, 1))
def test_operations_on_one_integer(name, expected, values):
    np.testing.assert_array_equal(apply(name, *values), expected(*values))


@settings(max_examples=20)
@given(
    values=operands(("int8", "int32", "int64"), 2), rounding=st.sampled_from(["zero", "negative_inf", "positive_inf"])
)
def test_division(values, rounding):
    x, y = values
    y = np.where((y == 0) | (y == -1), 3, y).astype(y.dtype)
    exact = {"zero": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
             "negative_inf": lambda a, b: a // b, "positive_inf": lambda a, b: -(-a // b)}[rounding]  # fmt: skip
    expected = np.vectorize(lambda a, b: exact(int(a), int(b)), otypes=[x.dtype])(x, y)
    np.testing.assert_array_equal(apply("divi", x, y, signedness="signed", rounding=rounding), expected)
    rest = np.vectorize(lambda a, b: int(a) - int(b) * (abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)),
                        otypes=[x.dtype])(x, y)  # fmt: skip
    np.testing.assert_array_equal(apply("remi", x, y, signedness="signed"), rest)


def test_unsigned_division_and_high_products():
    x, y = np.array([7, -1, 100, 1 << 30], np.int32), np.array([2, 3, -5, 16], np.int32)
    a, b = x.view(np.uint32), y.view(np.uint32)
    quotient = apply("divi", x, y, signedness="unsigned", rounding="zero").view(np.uint32)
    np.testing.assert_array_equal(quotient, a // b)
    high = apply("mulhii", x, y).view(np.uint32)
    np.testing.assert_array_equal(high, (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32))


def test_shifts():
    x, by = np.array([-8, 8, 1 << 30, -1], np.int32), np.array([1, 2, 3, 31], np.int32)
    np.testing.assert_array_equal(apply("shli", x, by), x << by)
    np.testing.assert_array_equal(apply("shri", x, by, signedness="signed"), x >> by)
    unsigned = apply("shri", x, by, signedness="unsigned").view(np.uint32)
    np.testing.assert_array_equal(unsigned, x.view(np.uint32) >> by.view(np.uint32))


PREDICATES = {"equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_than_or_equal": np.less_equal,
              "greater_than": np.greater, "greater_than_or_equal": np.greater_equal}  # fmt: skip


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons(predicate):
    x = np.array([1, 2, np.nan, -0.0, np.inf, 3, 4, 5], np.float32)
    y = np.array([2, 2, 1, 0.0, np.inf, np.nan, -4, 4], np.float32)
    expected, unordered = PREDICATES[predicate](x, y), np.isnan(x) | np.isnan(y)

    def compare(name, a, b, **attributes):
        def build(kernel, *values):
            return kernel.op(name, values, [tile("i1", 8)], predicate=predicate, **attributes)

        return evaluate(build, a, b, outputs=[np.zeros(8, bool)])

    np.testing.assert_array_equal(compare("cmpf", x, y, ordering="ordered"), expected & ~unordered)
    np.testing.assert_array_equal(compare("cmpf", x, y, ordering="unordered"), expected | unordered)
    i, j = np.arange(-4, 4, dtype=np.int32), np.array([-4, 4, -5, 0, 0, -1, 2, 9], np.int32)
    np.testing.assert_array_equal(compare("cmpi", i, j, signedness="signed"), PREDICATES[predicate](i, j))
    unsigned = PREDICATES[predicate](i.view(np.uint32), j.view(np.uint32))
    np.testing.assert_array_equal(compare("cmpi", i, j, signedness="unsigned"), unsigned)


def test_select_and_fused_multiplication():
    x, y, z = (np.linspace(a, b, 32).astype(np.float32) for a, b in ((-1, 1), (2, 3), (5, -5)))
    chosen = np.arange(32) % 3 == 0
    found = evaluate(lambda k, c, a, b: k.op("select", [c, a, b], [tile("f32", 32)]), chosen, x, y, outputs=[x])
    np.testing.assert_array_equal(found, np.where(chosen, x, y))
    exact = (x.astype(float) * y + z).astype(np.float32)
    np.testing.assert_array_equal(apply("fma", x, y, z, rounding="nearest_even"), exact)


def test_extremes_of_zeros_and_nans():
    x, y = np.array([0.0, -0.0, np.nan, 1.0], np.float32), np.array([-0.0, 0.0, 1.0, np.nan], np.float32)
    np.testing.assert_array_equal(np.signbit(apply("maxf", x, y)), [False, False, False, False])
    np.testing.assert_array_equal(np.signbit(apply("minf", x, y)[:2]), [True, True])
    np.testing.assert_array_equal(apply("maxf", x, y)[2:], [1, 1])
    assert np.isnan(apply("maxf", x, y, propagate_nan=True)[2:]).all()


def test_denormal_numbers_are_flushed_where_the_operation_says_so():
    x, y = np.array([1e-40, -1e-40], np.float32), np.zeros(2, np.float32)
    np.testing.assert_array_equal(apply("addf", x, y, rounding="nearest_even"), x)
    np.testing.assert_array_equal(apply("addf", x, y, rounding="nearest_even", flush_to_zero=True), [0, 0])


FUNCTIONS = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "tanh": np.tanh, "sinh": np.sinh,
             "cosh": np.cosh, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos,
             "tan": np.tan}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    positive = name in ("log", "log2", "sqrt", "rsqrt")
    x = np.concatenate([np.logspace(-37, 37, 256), np.linspace(0.5, 2, 256)]) if positive else np.linspace(-80, 80, 512)
    x = x.astype(np.float32)
    attributes = {"rounding": "nearest_even"} if name == "sqrt" else {}
    found, exact = apply(name, x, **attributes), FUNCTIONS[name](x.astype(float))
    np.testing.assert_allclose(found, exact, rtol=3e-7, atol=0)
    half = np.linspace(0.1, 8, 64).astype(np.float16)
    np.testing.assert_allclose(apply(name, half, **attributes), FUNCTIONS[name](half.astype(float)), rtol=1e-3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_doubles(name):
    x = np.linspace(0.01, 700, 512)
    attributes = {"rounding": "nearest_even"} if name == "sqrt" else {}
    np.testing.assert_allclose(apply(name, x, **attributes), FUNCTIONS[name](x), rtol=1e-14)


TWO = {"pow": np.power, "atan2": np.arctan2, "remf": np.fmod}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_two_numbers(name, dtype):
    x, y = np.linspace(0.1, 9, 64).astype(dtype), np.linspace(-3, 4, 64).astype(dtype)
    tolerance = {"float16": 1e-3, "float32": 3e-7, "float64": 1e-14}[dtype]
    with np.errstate(invalid="ignore"):
        exact = TWO[name](x.astype(float), y.astype(float))
    np.testing.assert_allclose(apply(name, x, y), exact, rtol=tolerance)


def test_functions_at_their_ends():
    x = np.array([np.inf, -np.inf, np.nan, 1000, -1000, 0, -0.0, 88.7], np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(apply("exp", x), np.exp(x), rtol=1e-6)
        np.testing.assert_allclose(apply("tanh", x), np.tanh(x), rtol=1e-6)
        positive = np.array([np.inf, -1, np.nan, 0, 1e-40, 1, -0.0, -np.inf], np.float32)
        np.testing.assert_allclose(apply("log", positive), np.log(positive.astype(float)), rtol=1e-6)


CONVERSIONS = [
    ("ftof", "float32", "float16", {}), ("ftof", "float16", "float32", {}), ("ftof", "float32", "float64", {}),
    ("ftof", "float64", "float32", {}), ("ftoi", "float32", "int32", {"signedness": "signed"}),
    ("ftoi", "float16", "int8", {"signedness": "signed"}), ("itof", "int32", "float32", {"signedness": "signed"}),
    ("itof", "int64", "float64", {"signedness": "signed"}), ("itof", "int32", "float16", {"signedness": "signed"}),
    ("exti", "int8", "int32", {"signedness": "signed"}), ("trunci", "int64", "int16", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after", "attributes"), CONVERSIONS)
def test_conversions(name, before, after, attributes):
    x = (np.arange(64) * 1.37 - 40).astype(before)
    if name == "ftoi":
        attributes = attributes | {"rounding": "nearest_int_to_zero"}
    result = np.zeros(64, after)
    found = evaluate(lambda k, v: k.op(name, [v], [kind_of(result)], **attributes), x, outputs=[result])
    np.testing.assert_array_equal(found, x.astype(after))


@pytest.mark.parametrize("through", ["f16", "f32", "f64"])
def test_integers_beyond_the_range_of_halves(through):
    """LLVM takes those of few significant bits for exact in a half."""
    def build(kernel, x):
        kind = tile("i64", 4)
        low, shift = (kernel.constant(np.full(4, each)) for each in (1023, 15))
        few = kernel.op("shli", [kernel.op("andi", [x, low], [kind]), shift], [kind], overflow="none")
        wide = kernel.op("itof", [few], [tile(through, 4)], signedness="signed", rounding="nearest_even")
        half = wide if through == "f16" else kernel.op("ftof", [wide], [tile("f16", 4)])
        return kernel.op("ftof", [half], [tile("f32", 4)])

    found = evaluate(build, np.array([0, 1, 2, 1000]), outputs=[np.zeros(4, np.float32)])
    np.testing.assert_array_equal(found, [0, 32768, np.inf, np.inf])


def test_doubles_are_rounded_to_half_once():
    x = np.array([1 + 2**-11, 1 + 2**-11 + 2**-40, 1 + 2**-11 - 2**-40, 65519.999999999, 65520, -3e-8, np.inf, np.nan])
    found = evaluate(lambda k, v: k.op("ftof", [v], [tile("f16", 8)]), x, outputs=[np.zeros(8, np.float16)])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found, x.astype(np.float16))


def test_unsigned_conversions():
    x = np.array([-1, 5], np.int32)

    def convert(name, result, **attributes):
        return evaluate(lambda k, v: k.op(name, [v], [kind_of(result)], **attributes), x, outputs=[result])

    np.testing.assert_array_equal(convert("exti", np.zeros(2, np.int64), signedness="unsigned"), x.view(np.uint32))
    np.testing.assert_array_equal(convert("itof", np.zeros(2, np.float64), signedness="unsigned"), x.view(np.uint32))
    np.testing.assert_array_equal(convert("bitcast", np.zeros(2, np.float32)), x.view(np.float32))


def test_bf16_is_rounded_to_nearest_even():
    x = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, np.nan, np.inf, -3.14159, 1e-40, 3.39e38], np.float32)

    def build(kernel, value):
        narrow = kernel.op("ftof", [value], [tile("bf16", 8)], rounding="nearest_even")
        double = kernel.op("addf", [narrow, narrow], [tile("bf16", 8)], rounding="nearest_even")
        return [kernel.op("bitcast", [narrow], [tile("i16", 8)]), kernel.op("ftof", [double], [tile("f32", 8)])]

    bits, doubled = evaluate(build, x, outputs=[np.zeros(8, np.int16), x])
    exact = x.view(np.uint32).astype(np.uint64)
    rounded = (exact + 0x7FFF + (exact >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)
    valid = ~np.isnan(x)
    np.testing.assert_array_equal(bits.view(np.uint16)[valid], rounded[valid].astype(np.uint16))
    wide = (rounded.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(doubled[:3], 2 * wide[:3])
    assert np.isnan(doubled[3])
