# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements, reductions, scans and products of matrices, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tile_writer import Number, evaluate, tile

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

SIZES = st.sampled_from([1, 2, 4, 8, 32])
SHAPES = st.lists(SIZES, min_size=1, max_size=4).map(tuple).filter(lambda shape: np.prod(shape) <= 4096)


def filled(shape, dtype=np.float32):
    return np.random.default_rng(7).integers(-9, 10, shape).astype(dtype)


@settings(max_examples=25)
@given(shape=SHAPES, data=st.data())
def test_permute_and_arithmetic(shape, data):
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    x = filled(shape)

    def build(kernel, value):
        turned = kernel.op("permute", [value], [tile("f32", *(shape[each] for each in order))], permutation=order)
        return kernel.op("addf", [turned, turned], [turned.kind], rounding="nearest_even")

    expected = 2 * x.transpose(order)
    np.testing.assert_array_equal(evaluate(build, x, outputs=[expected]), expected)


@settings(max_examples=25)
@given(shape=SHAPES, data=st.data())
def test_broadcast(shape, data):
    kept = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    source = tuple(size if keep else 1 for size, keep in zip(shape, kept, strict=True))
    x, y = filled(source), filled(shape)

    def build(kernel, a, b):
        wide = kernel.op("broadcast", [a], [tile("f32", *shape)])
        return kernel.op("mulf", [wide, b], [wide.kind], rounding="nearest_even")

    np.testing.assert_array_equal(evaluate(build, x, y, outputs=[y]), x * y)


def test_parts_with_fewer_axes_are_broadcast():
    """A complex matrix: the parts of its elements, repeated along a third axis."""
    x = filled((8, 4, 2))

    def build(kernel, value):
        zero = kernel.constant(np.int32(0))
        one = kernel.constant(np.int32(1))
        column = tile("f32", 8, 4, 1)
        parts = [kernel.op("extract", [value, [zero, zero, each]], [column]) for each in (zero, one)]
        wide = [kernel.op("broadcast", [each], [tile("f32", 8, 4, 16)]) for each in parts]
        return kernel.op("subf", wide, [wide[0].kind], rounding="nearest_even")

    expected = np.broadcast_to(x[..., :1] - x[..., 1:], (8, 4, 16))
    np.testing.assert_array_equal(evaluate(build, x, outputs=[expected]), expected)


@settings(max_examples=20)
@given(shape=SHAPES)
def test_reshape(shape):
    x = filled(shape, np.int16)
    size = x.size
    after = (size // 2, 2) if size > 1 else (1, 1, 1)

    def build(kernel, value):
        one = kernel.op("negi", [value], [value.kind])
        return kernel.op("negi", [kernel.op("reshape", [one], [tile("i16", *after)])], [tile("i16", *after)])

    np.testing.assert_array_equal(evaluate(build, x, outputs=[x.reshape(after)]), x.reshape(after))


@pytest.mark.parametrize(("shape", "dim"), [((8,), 0), ((4, 8), 0), ((4, 8), 1), ((2, 1, 16), 1), ((1,), 0)])
def test_concatenate_and_extract(shape, dim):
    x, y = filled(shape), filled(shape) + 100
    joined = np.concatenate([x, y], dim)

    def build(kernel, a, b):
        whole = kernel.op("cat", [a, b], [tile("f32", *joined.shape)], dim=dim)
        indices = [kernel.constant(np.int32(axis == dim)) for axis in range(len(shape))]
        return [whole, kernel.op("extract", [whole, indices], [tile("f32", *shape)])]

    whole, part = evaluate(build, x, y, outputs=[joined, y])
    np.testing.assert_array_equal(whole, joined)
    np.testing.assert_array_equal(part, y)


def test_constants_and_iota():
    table = np.arange(64, dtype=np.float32).reshape(4, 16) ** 2

    def build(kernel, value):
        count = kernel.op("iota", [], [tile("i32", 16)])
        wide = kernel.op("broadcast", [kernel.op("reshape", [count], [tile("i32", 1, 16)])], [tile("i32", 4, 16)])
        sum_ = kernel.op("addf", [kernel.constant(table), value], [tile("f32", 4, 16)], rounding="nearest_even")
        return [sum_, wide]

    x = filled((4, 16))
    total, count = evaluate(build, x, outputs=[x, np.zeros((4, 16), np.int32)])
    np.testing.assert_array_equal(total, table + x)
    np.testing.assert_array_equal(count, np.tile(np.arange(16), (4, 1)))


COMBINE = {
    "sum": ("addf", {"rounding": "nearest_even"}, 0x00000000, np.add),
    "max": ("maxf", {}, 0xFF800000, np.maximum),
    "product": ("mulf", {"rounding": "nearest_even"}, 0x3F800000, np.multiply),
}


@pytest.mark.parametrize("name", COMBINE)
@pytest.mark.parametrize("fold", ["reduce", "scan"])
@settings(max_examples=15)
@given(shape=SHAPES, data=st.data())
def test_folds(name, fold, shape, data):
    operation, attributes, identity, function = COMBINE[name]
    dim, reverse = data.draw(st.integers(0, len(shape) - 1)), data.draw(st.booleans())
    x = np.random.default_rng(3).choice([-1, 1] if name == "product" else [-3, 1, 2], shape).astype(np.float32)
    after = shape if fold == "scan" else shape[:dim] + shape[dim + 1 :]
    more = {"reverse": reverse} if fold == "scan" else {}

    def build(kernel, value):
        def body(element, accumulator):
            kernel.op("yield", [[kernel.op(operation, [element, accumulator], [tile("f32")], **attributes)]])

        twice = kernel.op("negf", [value], [value.kind])  # evaluated inside of the fold
        return kernel.op(fold, [[twice]], [tile("f32", *after)], [((tile("f32"), tile("f32")), body)], dim=dim,
                         identities=[Number("f32", identity)], **more)  # fmt: skip

    if fold == "reduce":
        expected = function.reduce(-x, dim)
    else:
        turned = np.flip(-x, dim) if reverse else -x
        expected = function.accumulate(turned, dim)
        expected = np.flip(expected, dim) if reverse else expected
    np.testing.assert_array_equal(evaluate(build, x, outputs=[expected]), expected)


def test_reduction_of_two_operands():
    """The index of the greatest element of each row, as cuTile's argmax computes it."""
    x = np.random.default_rng(5).standard_normal((8, 64)).astype(np.float32)

    def build(kernel, value):
        count = kernel.op("iota", [], [tile("i32", 64)])
        index = kernel.op("broadcast", [kernel.op("reshape", [count], [tile("i32", 1, 64)])], [tile("i32", 8, 64)])

        def body(a, b, i, j):
            more = kernel.op("cmpf", [a, b], [tile("i1")], predicate="greater_than", ordering="ordered")
            kernel.op("yield", [[kernel.op("select", [more, a, b], [tile("f32")]),
                                 kernel.op("select", [more, i, j], [tile("i32")])]])  # fmt: skip

        kinds = (tile("f32"), tile("f32"), tile("i32"), tile("i32"))
        return kernel.op("reduce", [[value, index]], [tile("f32", 8), tile("i32", 8)], [(kinds, body)], dim=1,
                         identities=[Number("f32", 0xFF800000), Number("i32", 0)])  # fmt: skip

    most, where = evaluate(build, x, outputs=[x.max(1), np.zeros(8, np.int32)])
    np.testing.assert_array_equal(most, x.max(1))
    np.testing.assert_array_equal(where, x.argmax(1))


@settings(max_examples=20)
@given(sizes=st.tuples(SIZES, SIZES, SIZES), batch=st.sampled_from([0, 1, 2]),
       kinds=st.sampled_from([("float32", "float32"), ("float16", "float32"), ("float16", "float16"),
                              ("float64", "float64"), ("int8", "int32")]))  # fmt: skip
def test_products_of_matrices(sizes, batch, kinds):
    m, n, k = sizes
    first = (batch,) if batch else ()
    random = np.random.default_rng(11)
    a, b = (random.integers(-3, 4, (*first, *shape)).astype(kinds[0]) for shape in ((m, k), (k, n)))
    c = random.integers(-3, 4, (*first, m, n)).astype(kinds[1])
    name, more = (
        ("mmai", {"signedness_lhs": "signed", "signedness_rhs": "signed"}) if kinds[1] == "int32" else ("mmaf", {})
    )

    def build(kernel, *values):
        once = kernel.op(name, values, [values[2].kind], **more)
        return kernel.op(name, [*values[:2], once], [values[2].kind], **more)

    expected = (c + 2 * (a.astype(float) @ b.astype(float))).astype(kinds[1])
    np.testing.assert_array_equal(evaluate(build, a, b, c, outputs=[c]), expected)


def test_an_accumulator_that_is_used_again_is_kept():
    a, c = filled((16, 16)), filled((16, 16))

    def build(kernel, x, acc):
        double = kernel.op("addf", [acc, acc], [acc.kind], rounding="nearest_even")
        product = kernel.op("mmaf", [x, x, double], [acc.kind])
        return [product, kernel.op("negf", [double], [acc.kind])]

    product, negative = evaluate(build, a, c, outputs=[a, c])
    np.testing.assert_array_equal(product, a @ a + 2 * c)
    np.testing.assert_array_equal(negative, -2 * c)


def test_unsigned_products():
    a = np.arange(-128, 128, dtype=np.int8).reshape(16, 16)
    c = np.zeros((16, 16), np.int32)

    def build(kernel, x, acc):
        return kernel.op("mmai", [x, x, acc], [acc.kind], signedness_lhs="unsigned", signedness_rhs="signed")

    np.testing.assert_array_equal(evaluate(build, a, c, outputs=[c]), a.view(np.uint8).astype(int) @ a.astype(int))
