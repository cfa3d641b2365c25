# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations since 13.3: strided and gather-scatter views, alloca, insert and others; print, assert and globals."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tile_writer import (
    DYNAMIC,
    TOKEN,
    Kernel,
    evaluate,
    gather_view,
    launch,
    load,
    loaded,
    partition_view,
    pointer,
    store,
    strided_view,
    tensor_view,
    tile,
)

from cuda.cpu import driver
from cuda.cpu.compile import tile_program
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.tile.error import TileError

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

I32 = tile("i32")


def tensor(kernel, base, element, shape):
    """Append a view of an array whose sizes are values, row by row."""
    width = shape[-1:] if len(shape) > 1 else []
    kind = tensor_view(element, (DYNAMIC,) * len(shape), (*(DYNAMIC for _ in width), 1))
    return kernel.op("make_tensor_view", [base, list(shape), width], [kind])


@settings(max_examples=25)
@given(
    rows=st.integers(1, 20), columns=st.integers(1, 50), shape=st.sampled_from([(4, 16), (1, 8), (8, 1), (2, 2)]),
    steps=st.tuples(st.integers(1, 9), st.integers(1, 20)), turned=st.booleans(),
)  # fmt: skip
def test_tiles_of_strided_views(rows, columns, shape, steps, turned):
    order = (1, 0) if turned else (0, 1)
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) + 1
    grid = [-(-x.shape[dim] // step) for dim, step in zip(order, steps, strict=True)]
    out, counts = np.zeros((*grid, *shape), np.float32), np.zeros(2, np.int32)
    kernel = Kernel(pointer("f32"), pointer("f32"), pointer("i32"), I32, I32)
    source, target, sizes, height, width = kernel.values
    view = tensor(kernel, source, "f32", [height, width])
    view = kernel.op("make_strided_view", [view], [strided_view(view.kind, shape, steps, order, 0)])
    i, j, _ = kernel.op("get_tile_block_id", [], [I32] * 3)
    results = [tile("f32", *shape), TOKEN]
    value, _ = kernel.op("load_view_tko", [view, [i, j]], results, semantics="weak", in_bounds=(0, 0))
    found = kernel.op("get_index_space_shape", [view], [I32, I32])
    flat = kernel.op("addi", [kernel.op("muli", [i, found[1]], [I32]), j], [I32])
    flat = kernel.op("muli", [flat, kernel.constant(np.int32(np.prod(shape)))], [I32])
    store(kernel, kernel.op("offset", [target, flat], [pointer("f32")]), value)
    for number, each in enumerate(found):
        where = kernel.op("offset", [sizes, kernel.constant(np.int32(number))], [pointer("i32")])
        kernel.op("store_ptr_tko", [where, each], [TOKEN], semantics="weak")
    launch(kernel, x, out, counts, np.int32(rows), np.int32(columns), grid=(*grid, 1))
    np.testing.assert_array_equal(counts, grid)
    array = x.T if turned else x
    whole = np.zeros([size + 64 for size in array.shape], np.float32)
    whole[: array.shape[0], : array.shape[1]] = array
    for i in range(grid[0]):
        for j in range(grid[1]):
            corner = i * steps[0], j * steps[1]
            expected = whole[corner[0] : corner[0] + shape[0], corner[1] : corner[1] + shape[1]]
            np.testing.assert_array_equal(out[i, j], expected)


@settings(max_examples=25)
@given(
    rows=st.integers(1, 20), columns=st.integers(1, 40), shape=st.sampled_from([(4, 16), (1, 8), (8, 1), (16, 4)]),
    sparse=st.integers(0, 1), data=st.data(),
)  # fmt: skip
def test_rows_and_columns_are_gathered_and_scattered(rows, columns, shape, sparse, data):
    x = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns) + 1
    size = x.shape[sparse]
    chosen = np.array(data.draw(st.permutations(range(max(size, 16) + 3)))[: shape[sparse]], np.int32)
    start = data.draw(st.integers(0, x.shape[1 - sparse] - 1))
    out, back = np.zeros(shape, np.int32), np.zeros_like(x)
    kernel = Kernel(*(pointer("i32"),) * 4, I32, I32, I32)
    source, target, other, index, height, width, at = kernel.values
    picked = load(kernel, index, "i32", chosen.shape)
    views = []
    for base in (source, other):
        view = tensor(kernel, base, "i32", [height, width])
        views.append(kernel.op("make_gather_scatter_view", [view], [gather_view(view.kind, shape, sparse, 0)]))
    place = [picked, at] if sparse == 0 else [at, picked]
    results = [tile("i32", *shape), TOKEN]
    value, _ = kernel.op("load_view_tko", [views[0], place], results, semantics="weak", in_bounds=(0, 0))
    store(kernel, target, value)
    kernel.op("store_view_tko", [value, views[1], place], [TOKEN], semantics="weak", in_bounds=(0, 0))
    launch(kernel, x, out, back, chosen, np.int32(rows), np.int32(columns), np.int32(start))
    array, result = (x, out) if sparse == 0 else (x.T, out.T)
    kept = np.zeros_like(array)
    for each, line in zip(chosen, result, strict=True):
        expected = array[each, start : start + len(line)] if each < len(array) else np.zeros(0, np.int32)
        np.testing.assert_array_equal(line, np.pad(expected, (0, len(line) - len(expected))))
        if each < len(array):
            kept[each, start : start + len(line)] = expected
    np.testing.assert_array_equal(back, kept if sparse == 0 else kept.T)


@pytest.mark.parametrize(
    ("dtype", "mode"),
    [("int32", "add"), ("int64", "max"), ("uint32", "umin"), ("float32", "addf"), ("float16", "addf"), ("int32", "or")],
)
def test_atomic_operations_on_views(dtype, mode):
    element = {"int32": "i32", "uint32": "i32", "int64": "i64", "float32": "f32", "float16": "f16"}[dtype]
    x = (np.arange(15 * 21) % 7).astype(dtype).reshape(15, 21)
    value = (np.arange(8 * 16) % 5).astype(dtype).reshape(8, 16)
    function = {"add": np.add, "addf": np.add, "max": np.maximum, "umin": np.minimum, "or": np.bitwise_or}[mode]
    expected = x.copy()
    expected[8:, 16:] = function(x[8:, 16:], value[:7, :5])
    kernel = Kernel(pointer(element), pointer(element))
    base, given_ = kernel.values
    view = kernel.op("make_tensor_view", [base, [], []], [tensor_view(element, (15, 21), (21, 1))])
    parts = kernel.op("make_partition_view", [view], [partition_view(view.kind, (8, 16))])
    one = kernel.constant(np.int32(1))
    kernel.op("atomic_red_view_tko", [parts, [one, one], load(kernel, given_, element, (8, 16))], [TOKEN],
              semantics="relaxed", scope="device", mode=mode)  # fmt: skip
    launch(kernel, x, value)
    np.testing.assert_array_equal(x, expected)


def test_atomic_additions_of_bfloats():
    """Blocks add ones to one number; sums to 256 are exact."""
    total = np.zeros(1, np.uint16)
    kernel = Kernel(pointer("i16"))
    address = kernel.op("ptr_to_ptr", [kernel.values[0]], [pointer("bf16")])
    one = kernel.op("constant", [], [tile("bf16")], value=b"\x80\x3f")
    kernel.op("atomic_rmw_tko", [address, one], [tile("bf16"), TOKEN], semantics="relaxed", scope="device", mode="addf")
    launch(kernel, total, grid=(200, 1, 1))
    assert (total.astype(np.uint32) << 16).view(np.float32)[0] == 200


@pytest.mark.parametrize("alignment", [4, 64, 1024])
def test_memory_of_a_block(alignment):
    x = np.arange(100, dtype=np.float32)[:64].copy()
    out, where = np.zeros_like(x), np.zeros(1, np.int64)
    kernel = Kernel(pointer("f32"), pointer("f32"), pointer("i64"))
    memory = kernel.op("alloca", [], [pointer("f32")], elements=64, alignment=alignment)
    store(kernel, memory, load(kernel, kernel.values[0], "f32", (64,)))
    store(kernel, kernel.values[1], load(kernel, memory, "f32", (64,)))
    place = kernel.op("ptr_to_int", [memory], [tile("i64")])
    kernel.op("store_ptr_tko", [kernel.values[2], place], [TOKEN], semantics="weak")
    launch(kernel, x, out, where)
    np.testing.assert_array_equal(out, x)
    assert where[0] % alignment == 0


@pytest.mark.parametrize(("part", "at"), [((2, 4), (1, 3)), ((1, 16), (7, 0)), ((8, 1), (0, 5)), ((8, 16), (0, 0))])
def test_insert(part, at):
    whole = np.arange(8 * 16, dtype=np.int32).reshape(8, 16)
    new = -np.arange(np.prod(part), dtype=np.int32).reshape(part) - 1

    def build(kernel, x, y):
        index = [kernel.constant(np.int32(each)) for each in at]
        return kernel.op("insert", [y, x, index], [x.kind]), x

    found, same = evaluate(build, whole, new, outputs=[whole, whole])
    expected = whole.copy()
    expected[at[0] * part[0] : (at[0] + 1) * part[0], at[1] * part[1] : (at[1] + 1) * part[1]] = new
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(same, whole)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_powers_with_whole_exponents(dtype):
    x = np.array([1.5, -2, 0.5, 3, 0, -1.25, 10, 7], dtype)
    n = np.array([3, 5, -4, 0, 2, 7, -1, 2], np.int32)

    def build(kernel, a, b):
        return kernel.op("fpowi", [a, b], [a.kind])

    found = evaluate(build, x, n, outputs=[x])
    np.testing.assert_allclose(found, np.power(x.astype(np.float64), n).astype(dtype), rtol=1e-15)


def test_fences_and_dependent_launches():
    kernel = Kernel(pointer("i32"))
    token = kernel.op("gdc_wait_tko", [None], [TOKEN])
    token = kernel.op("memory_fence_alias_tko", [token], [TOKEN])
    seven = kernel.constant(np.int32(7))
    token = kernel.op("store_ptr_tko", [kernel.values[0], seven, None, token], [TOKEN], semantics="weak")
    kernel.op("gdc_launch_dependents_tko", [token], [TOKEN])
    out = np.zeros(1, np.int32)
    launch(kernel, out)
    assert out[0] == 7


def printed(capfd, *values, text):
    kernel = Kernel()
    kernel.op("print_tko", [[kernel.constant(each) for each in values]], [TOKEN], text=text)
    launch(kernel)
    return capfd.readouterr().out


def test_numbers_and_tiles_are_printed(capfd):
    assert printed(capfd, np.int32(-3), np.float32(1.5), text="%d and %+.2f: 100%%\n") == "-3 and +1.50: 100%\n"
    assert printed(capfd, np.arange(4, dtype=np.int64), text="<%lld>") == "<[0, 1, 2, 3]>"
    assert printed(capfd, np.array([[0.5, 1], [2, 3]], np.float16), text="%g") == "[[0.5, 1], [2, 3]]"
    assert printed(capfd, np.int8(-1), np.int16(-1), text="%u %x") == "4294967295 ffffffff"
    assert printed(capfd, np.float64(2.5), np.int32(7), text="%d %s") == "2.500000 7"  # they do not fit
    assert printed(capfd, text="nothing\n") == "nothing\n"


def test_wrong_formats_are_rejected():
    kernel = Kernel()
    kernel.op("print_tko", [[kernel.constant(np.int32(1))]], [TOKEN], text="%d %d")
    with pytest.raises(TileError, match=r"print_tko: '%d %d' has 2 conversions for 1 operands"):
        tile_program.load(kernel.bytecode(), 89)


def test_assertions(capfd):
    def kernel_of(values):
        kernel = Kernel()
        kernel.op("assert", [kernel.constant(values, "i1")], message="x is positive")
        return kernel

    launch(kernel_of(np.ones((2, 4), np.int8)))
    assert not capfd.readouterr().err
    with pytest.raises(CudaError, match=r"x is positive") as caught:
        launch(kernel_of(np.array([[1, 1, 1, 0], [0, 1, 1, 1]], np.int8)))
    assert caught.value.args[0] == 710  # CUDA_ERROR_ASSERT
    driver.cuDevicePrimaryCtxReset(0)
    output = capfd.readouterr()
    assert output.out == "x is positive at [0, 3]\nx is positive at [1, 0]\n"
    assert output.err.count("Assertion `x is positive` failed.") == 1


def test_globals_are_found_by_name_and_kept_between_launches(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "cache"))
    kernel = Kernel(pointer("i32"), name="count")
    kernel.add_global("other", np.zeros(4, np.int8))
    kernel.add_global("numbers", np.array([5, 6, 7, 8], np.int32))
    memory = kernel.op("get_global", [], [pointer("i32")], symbol="numbers")
    value = load(kernel, memory, "i32", (4,))
    store(kernel, kernel.values[0], value)
    store(kernel, memory, kernel.op("addi", [value, value], [value.kind]))
    data = kernel.bytecode()
    for _ in range(2):  # from the cache at the second time
        tile_program._code_of.cache_clear()
        with loaded(data) as module:
            function = driver.cuModuleGetFunction(module, b"count")
            start, size = driver.cuModuleGetGlobal(module, b"numbers")
            assert size == 16
            out = np.zeros(4, np.int32)
            address = ctypes.c_uint64(out.ctypes.data)
            params = (ctypes.c_uint64 * 1)(ctypes.addressof(address))
            for factor in (1, 2, 4):
                driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(params), 0)
                driver.cuCtxSynchronize()
                np.testing.assert_array_equal(out, factor * np.array([5, 6, 7, 8]))
            found = np.ctypeslib.as_array((ctypes.c_int32 * 4).from_address(start))
            np.testing.assert_array_equal(found, [40, 48, 56, 64])


def test_unknown_globals_are_named():
    kernel = Kernel()
    kernel.op("get_global", [], [pointer("i32")], symbol="missing")
    with pytest.raises(TileError, match="get_global: there is no global missing of this type"):
        tile_program.load(kernel.bytecode(), 89)
