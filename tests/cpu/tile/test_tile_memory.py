# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Views, masked loads and stores, atomic operations, control flow and blocks, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tile_writer import (
    DYNAMIC,
    NAMES,
    TOKEN,
    Kernel,
    launch,
    load,
    partition_view,
    pointer,
    pointers_to,
    store,
    tensor_view,
    tile,
)

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

I32, I1 = tile("i32"), tile("i1")
PADDING = [None, 0, 1, 2, 3, 4]
VALUES = [None, 0.0, -0.0, np.nan, np.inf, -np.inf]


def view_of(kernel, base, element, sizes, strides, shape, dims=None, padding=None):
    """Append the partition view of an array; a size or stride is a number, or a value for a dynamic one."""
    kinds = [tuple(each if isinstance(each, int) else DYNAMIC for each in given) for given in (sizes, strides)]
    values = [[each for each in given if not isinstance(each, int)] for given in (sizes, strides)]
    view = kernel.op("make_tensor_view", [base, *values], [tensor_view(element, *kinds)])
    return kernel.op("make_partition_view", [view], [partition_view(view.kind, shape, dims, padding)])


@settings(max_examples=40)
@given(
    rows=st.integers(1, 40), columns=st.integers(1, 70), shape=st.sampled_from([(8, 16), (1, 32), (16, 1), (4, 64)]),
    turned=st.booleans(), padding=st.integers(0, 5), dtype=st.sampled_from(["float32", "float16", "int8", "int32"]),
    contiguous=st.booleans(),
)  # fmt: skip
def test_tiles_of_views(rows, columns, shape, turned, padding, dtype, contiguous):
    """Each block copies a tile of one array to another, with what is outside of it to a third one."""
    element, dims = NAMES[dtype], (1, 0) if turned else (0, 1)
    kernel = Kernel(*(pointer(element),) * 3, I32, I32, I32)
    source, target, whole, height, width, stride = kernel.values
    strides = (width if contiguous else stride, 1)
    fill = PADDING[padding] if dtype[0] == "f" else 0
    x, y, _ = kernel.op("get_tile_block_id", [], [I32] * 3)
    read, write = (
        view_of(kernel, base, element, (height, width), strides, shape, dims, fill) for base in (source, target)
    )
    value, _ = kernel.op("load_view_tko", [read, [x, y]], [tile(element, *shape), TOKEN], semantics="weak")
    kernel.op("store_view_tko", [value, write, [x, y]], [TOKEN], semantics="weak")
    counts = kernel.op("get_index_space_shape", [read], [I32, I32])
    number = kernel.op("addi", [kernel.op("muli", [x, counts[1]], [I32]), y], [I32])
    size = kernel.op("muli", [number, kernel.constant(np.int32(np.prod(shape)))], [I32])
    store(kernel, kernel.op("offset", [whole, size], [pointer(element)]), value)

    tall = [-(-size // shape[dims.index(axis)]) for axis, size in enumerate((rows, columns))]
    tiles = [tall[each] for each in dims]
    x = np.random.default_rng(1).integers(-9, 9, (rows, columns if contiguous else columns + 3)).astype(dtype)
    copy, found = np.zeros_like(x), np.zeros((*tiles, *shape), dtype)
    launch(kernel, x, copy, found, *map(np.int32, (rows, columns, x.shape[1])), grid=(*tiles, 1))
    np.testing.assert_array_equal(copy[:, :columns], x[:, :columns])
    assert not copy[:, columns:].any()
    if fill is None:
        return
    size = [count * shape[dims.index(axis)] for axis, count in enumerate(tall)]
    padded = np.full(size, VALUES[fill + 1] if dtype[0] == "f" else 0, dtype)
    padded[:rows, :columns] = x[:, :columns]
    padded = padded.T if turned else padded
    expected = padded.reshape(tiles[0], shape[0], tiles[1], shape[1]).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found.astype(float)), np.signbit(expected.astype(float)))


@settings(max_examples=20)
@given(size=st.integers(1, 100), step=st.sampled_from([1, 3]), dtype=st.sampled_from(["float32", "int8", "float64"]))
def test_masked_gather_and_scatter(size, step, dtype):
    """y[i * step] = x[i * step] where i < size; others are 5 there, and remain in memory."""
    element = NAMES[dtype]
    kernel = Kernel(pointer(element), pointer(element), pointer(element), I32)
    x, y, z, count = kernel.values
    index = kernel.op("iota", [], [tile("i32", 64)])
    count = kernel.op("broadcast", [kernel.op("reshape", [count], [tile("i32", 1)])], [tile("i32", 64)])
    mask = kernel.op("cmpi", [index, count], [tile("i1", 64)], predicate="less_than", signedness="signed")
    index = kernel.op("muli", [index, kernel.constant(np.full(64, step, np.int32))], [index.kind])

    def pointers(base):
        one = kernel.op("reshape", [base], [pointer(element, 1)])
        return kernel.op(
            "offset", [kernel.op("broadcast", [one], [pointer(element, 64)]), index], [pointer(element, 64)]
        )

    padding = kernel.constant(np.full(64, 5, dtype))
    value, _ = kernel.op("load_ptr_tko", [pointers(x), mask, padding], [tile(element, 64), TOKEN], semantics="weak")
    kernel.op("store_ptr_tko", [pointers(y), value, mask], [TOKEN], semantics="weak")
    store(kernel, z, value)
    a = np.arange(1, 64 * 3 + 1).astype(dtype)
    b, c = np.full_like(a, 7), np.zeros(64, dtype)
    launch(kernel, a, b, c, np.int32(size))
    inside = np.arange(64) < size
    expected = np.full_like(a, 7)
    expected[: 64 * step : step][inside] = a[: 64 * step : step][inside]
    np.testing.assert_array_equal(b, expected)
    np.testing.assert_array_equal(c, np.where(inside, a[: 64 * step : step], 5))


def test_masked_elements_are_not_accessed():
    """The pointers of masked elements are wild."""
    kernel = Kernel(pointer("f32"), pointer("f32"))
    x, out = kernel.values
    wide = kernel.op("iota", [], [tile("i64", 8)])
    mask = kernel.op("cmpi", [wide, kernel.constant(np.full(8, 3))], [tile("i1", 8)], predicate="less_than",
                     signedness="signed")  # fmt: skip
    far = kernel.op("muli", [wide, kernel.constant(np.full(8, 1 << 50))], [tile("i64", 8)])
    offset = kernel.op("select", [mask, wide, far], [tile("i64", 8)])
    one = kernel.op("reshape", [x], [pointer("f32", 1)])
    where = kernel.op("offset", [kernel.op("broadcast", [one], [pointer("f32", 8)]), offset], [pointer("f32", 8)])
    value, _ = kernel.op("load_ptr_tko", [where, mask, kernel.constant(np.zeros(8, np.float32))],
                         [tile("f32", 8), TOKEN], semantics="weak")  # fmt: skip
    store(kernel, out, value)
    a, b = np.arange(1, 9, dtype=np.float32), np.zeros(8, np.float32)
    launch(kernel, a, b)
    np.testing.assert_array_equal(b, [1, 2, 3, 0, 0, 0, 0, 0])


def test_a_store_does_not_change_what_was_loaded_before():
    """The arrays overlap: a shift by one element."""
    kernel = Kernel(pointer("f32"), pointer("f32"))
    views = [view_of(kernel, base, "f32", (64,), (1,), (64,)) for base in kernel.values]
    zero = kernel.constant(np.int32(0))
    value, _ = kernel.op("load_view_tko", [views[0], [zero]], [tile("f32", 64), TOKEN], semantics="weak")
    value = kernel.op("negf", [value], [value.kind])
    kernel.op("store_view_tko", [value, views[1], [zero]], [TOKEN], semantics="weak")
    x = np.arange(65, dtype=np.float32)
    expected = np.append(x[:1], -x[:-1])
    launch(kernel, x, x[1:])
    np.testing.assert_array_equal(x, expected)


ATOMIC = {
    "add": (np.add, np.int32), "and": (np.bitwise_and, np.int32), "or": (np.bitwise_or, np.int64),
    "xor": (np.bitwise_xor, np.int32), "max": (np.maximum, np.int64), "min": (np.minimum, np.int32),
    "umax": (np.maximum, np.uint32), "umin": (np.minimum, np.uint64), "addf": (np.add, np.float32),
}  # fmt: skip


@pytest.mark.parametrize("mode", ATOMIC)
@pytest.mark.parametrize("semantics", ["relaxed", "acq_rel"])
def test_atomic_operations(mode, semantics):
    """128 blocks update 16 elements; the mask leaves out every fourth one."""
    function, dtype = ATOMIC[mode]
    element = NAMES[np.dtype(dtype).name]
    kernel = Kernel(pointer(element), pointer(element), pointer(element))
    target, change, before = kernel.values
    mask = kernel.constant(np.arange(16) % 4 != 3)
    value = load(kernel, change, element, (16,))
    old, _ = kernel.op("atomic_rmw_tko", [pointers_to(kernel, target, element, (16,)), value, mask],
                       [tile(element, 16), TOKEN], semantics=semantics, scope="device", mode=mode)  # fmt: skip
    store(kernel, before, old)
    x, y = np.arange(16).astype(dtype) + 3, np.arange(16).astype(dtype)[::-1].copy()
    expected = x.copy()
    for _ in range(128):
        expected = np.where(np.arange(16) % 4 != 3, function(expected, y), expected)
    launch(kernel, x, y, np.zeros(16, dtype), grid=(128, 1, 1))
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_compare_and_swap(dtype):
    element = NAMES[np.dtype(dtype).name]
    kernel = Kernel(*(pointer(element),) * 4)
    target, compare, new, before = kernel.values
    values = [load(kernel, each, element, (8,)) for each in (compare, new)]
    old, _ = kernel.op("atomic_cas_tko", [pointers_to(kernel, target, element, (8,)), *values],
                       [tile(element, 8), TOKEN], semantics="acq_rel", scope="sys")  # fmt: skip
    store(kernel, before, old)
    x, y, z = np.arange(8).astype(dtype), (np.arange(8) // 2 * 2).astype(dtype), (-np.arange(8)).astype(dtype)
    expected, found = np.where(x == y, z, x), np.zeros(8, dtype)
    launch(kernel, x, y, z, found)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(found, np.arange(8))


def add(kernel, *values):
    return kernel.op("addf", values, [values[0].kind], rounding="nearest_even")


@pytest.mark.parametrize(("lower", "upper", "step"), [(0, 5, 1), (2, 11, 3), (3, 3, 1), (5, 2, 1), (-4, 4, 2)])
def test_for(lower, upper, step):
    """Values that are carried from step to step, two of which change places."""
    kernel = Kernel(pointer("f32"), pointer("f32"), I32, I32, I32)
    x, out, *bounds = kernel.values
    value = load(kernel, x, "f32", (32,))
    ones = kernel.constant(np.ones(32, np.float32))
    zero = kernel.constant(np.int32(0))

    def body(i, a, b, total):
        kernel.op("continue", [[b, add(kernel, a, b), kernel.op("addi", [total, i], [I32])]])

    carried = [value.kind, ones.kind, I32]
    a, b, total = kernel.op("for", [*bounds, [value, ones, zero]], carried, [((I32, *carried), body)])
    wide = kernel.op("itof", [total], [tile("f32")], signedness="signed", rounding="nearest_even")
    wide = kernel.op("broadcast", [kernel.op("reshape", [wide], [tile("f32", 1)])], [tile("f32", 32)])
    hundred = kernel.constant(np.full(32, 100, np.float32))
    weighted = kernel.op("mulf", [b, hundred], [b.kind], rounding="nearest_even")
    store(kernel, out, add(kernel, add(kernel, a, wide), weighted))
    array, found = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    launch(kernel, array, found, *map(np.int32, (lower, upper, step)))
    p, q = array, np.ones(32, np.float32)
    for _ in range(lower, upper, step):
        p, q = q, p + q
    np.testing.assert_array_equal(found, p + sum(range(lower, upper, step)) + 100 * q)


def test_loop_and_if():
    """Collatz: loop until 1, with break and continue in branches, and an if that yields tiles."""
    kernel = Kernel(pointer("i32"), pointer("i32"))
    x, out = kernel.values
    first = load(kernel, x, "i32", ())
    one, two, three = (kernel.constant(np.int32(each)) for each in (1, 2, 3))

    def body(n, count):
        done = kernel.op("cmpi", [n, one], [I1], predicate="equal", signedness="signed")
        kernel.op("if", [done], [], [((), lambda: kernel.op("break", [[count]]))])
        odd = kernel.op("cmpi", [kernel.op("andi", [n, one], [I32]), one], [I1], predicate="equal", signedness="signed")

        def up():
            kernel.op("yield", [[kernel.op("addi", [kernel.op("muli", [n, three], [I32]), one], [I32])]])

        def down():
            kernel.op("yield", [[kernel.op("divi", [n, two], [I32], signedness="signed", rounding="zero")]])

        following = kernel.op("if", [odd], [I32], [((), up), ((), down)])
        kernel.op("continue", [[following, kernel.op("addi", [count, one], [I32])]])

    count = kernel.op("loop", [[first, kernel.constant(np.int32(0))]], [I32], [((I32, I32), body)])
    store(kernel, out, count)
    found = np.zeros(1, np.int32)
    launch(kernel, np.array([27], np.int32), found)
    assert found[0] == 111


def test_if_with_tiles():
    kernel = Kernel(pointer("f32"), pointer("f32"))
    x, out = kernel.values
    value = load(kernel, x, "f32", (16,))
    block, _, _ = kernel.op("get_tile_block_id", [], [I32] * 3)
    zero = kernel.constant(np.int32(0))
    first = kernel.op("cmpi", [block, zero], [I1], predicate="equal", signedness="signed")

    def one():
        kernel.op("yield", [[kernel.op("negf", [value], [value.kind])]])

    def other():
        kernel.op("yield", [[add(kernel, value, value)]])

    result = kernel.op("if", [first], [value.kind], [((), one), ((), other)])
    start = kernel.op("muli", [block, kernel.constant(np.int32(16))], [I32])
    store(kernel, kernel.op("offset", [out, start], [pointer("f32")]), result)
    a, found = np.arange(16, dtype=np.float32), np.zeros((3, 16), np.float32)
    launch(kernel, a, found, grid=(3, 1, 1))
    np.testing.assert_array_equal(found, [-a, 2 * a, 2 * a])


def test_return_in_a_branch():
    kernel = Kernel(pointer("i32"))
    block, _, _ = kernel.op("get_tile_block_id", [], [I32] * 3)
    last = kernel.op("cmpi", [block, kernel.constant(np.int32(2))], [I1], predicate="equal", signedness="signed")
    kernel.op("if", [last], [], [((), lambda: kernel.op("return", [[]]))])
    store(kernel, kernel.op("offset", [kernel.values[0], block], [pointer("i32")]), kernel.constant(np.int32(7)))
    found = np.zeros(4, np.int32)
    launch(kernel, found, grid=(4, 1, 1))
    np.testing.assert_array_equal(found, [7, 7, 0, 7])


def test_blocks_of_a_grid():
    """Each block stores its index and the size of the grid."""
    kernel = Kernel(pointer("i32"))
    x, y, z = kernel.op("get_tile_block_id", [], [I32] * 3)
    counts = kernel.op("get_num_tile_blocks", [], [I32] * 3)

    def times(a, b):
        return kernel.op("muli", [a, b], [I32])

    def plus(a, b):
        return kernel.op("addi", [a, b], [I32])

    index = plus(x, times(counts[0], plus(y, times(counts[1], z))))
    store(kernel, kernel.op("offset", [kernel.values[0], index], [pointer("i32")]), plus(index, counts[2]))
    found = np.zeros(5 * 3 * 7, np.int32)
    launch(kernel, found, grid=(5, 3, 7))
    np.testing.assert_array_equal(found, np.arange(105) + 7)


def test_a_load_comes_before_later_stores():
    """The loaded tile is used behind a store to the same memory, and behind one in a branch."""
    kernel = Kernel(pointer("f32"), pointer("f32"))
    x, out = kernel.values
    zero = kernel.constant(np.int32(0))
    view, whole = view_of(kernel, x, "f32", (32,), (1,), (32,)), tile("f32", 32)
    first, _ = kernel.op("load_view_tko", [view, [zero]], [whole, TOKEN], semantics="weak")
    store(kernel, x, kernel.constant(np.full(32, 5, np.float32)))
    second, _ = kernel.op("load_view_tko", [view, [zero]], [whole, TOKEN], semantics="weak")
    true = kernel.op("cmpi", [zero, zero], [I1], predicate="equal", signedness="signed")

    def body():
        store(kernel, x, kernel.constant(np.full(32, 7, np.float32)))
        kernel.op("yield", [[]])

    kernel.op("if", [true], [], [((), body)])
    store(kernel, out, add(kernel, first, kernel.op("mulf", [second, second], [whole], rounding="nearest_even")))
    array, found = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    launch(kernel, array, found)
    np.testing.assert_array_equal(found, np.arange(32) + 25)
    np.testing.assert_array_equal(array, np.full(32, 7))


@pytest.mark.parametrize(("lower", "upper", "unsigned"), [(2**31 - 10, 2**31 - 1, False), (-10, -1, True)])
def test_a_loop_ends_where_its_counter_would_wrap_around(lower, upper, unsigned):
    kernel = Kernel(pointer("i32"), I32, I32, I32)
    out, *bounds = kernel.values
    one = kernel.constant(np.int32(1))

    def body(_, count):
        kernel.op("continue", [[kernel.op("addi", [count, one], [I32])]])

    count = kernel.op("for", [*bounds, [kernel.constant(np.int32(0))]], [I32], [((I32, I32), body)], unsigned=unsigned)
    store(kernel, out, count)
    found = np.zeros(1, np.int32)
    launch(kernel, found, *map(np.int32, (lower, upper, 8)))
    assert found[0] == 2
