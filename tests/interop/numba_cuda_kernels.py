# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_numba_cuda.py: kernels of the kinds that numba-cuda's documentation begins with."""

import math
import pathlib
import tempfile

import numpy as np
from numba import cuda, float32, float64, guvectorize, int32, vectorize, void
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TILE = 16


@cuda.jit
def add(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def vector_add():
    x = np.arange(10000, dtype=np.float32)
    out = cuda.device_array_like(x)
    add.forall(len(x))(out, cuda.to_device(x), cuda.to_device(2 * x))
    np.testing.assert_array_equal(out.copy_to_host(), 3 * x)


@cuda.reduce
def total(x, y):
    return x + y


@cuda.jit
def block_sums(out, data):
    """Add up a block's numbers in shared memory, half of the threads at a time."""
    shared = cuda.shared.array(128, float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[thread] = data[i] if i < data.size else 0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if thread < step:
            shared[thread] += shared[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        cuda.atomic.add(out, 0, shared[0])


def reduction():
    data = np.arange(1000, dtype=np.float64)
    assert total(data) == data.sum()
    out = cuda.to_device(np.zeros(1, np.float32))
    block_sums[8, 128](out, cuda.to_device(data.astype(np.float32)))
    assert out.copy_to_host()[0] == data.sum()


@cuda.jit
def multiply(a, b, c):
    """Multiply matrices by way of tiles in shared memory."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    result = float32(0.0)
    for first in range(0, a.shape[1], TILE):
        tile_a[y, x] = a[row, first + x] if row < a.shape[0] and first + x < a.shape[1] else 0
        tile_b[y, x] = b[first + y, column] if first + y < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(TILE):
            result += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = result


def shared_memory():
    random = np.random.default_rng(1)
    a, b = random.random((50, 37), np.float32), random.random((37, 21), np.float32)
    c = cuda.device_array((50, 21), np.float32)
    multiply[(math.ceil(21 / TILE), math.ceil(50 / TILE)), (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
    np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-5)


@cuda.jit
def count_inside(states, tries, out):
    thread = cuda.grid(1)
    inside = 0
    for _ in range(tries):
        x = xoroshiro128p_uniform_float32(states, thread)
        y = xoroshiro128p_uniform_float32(states, thread)
        if x**2 + y**2 <= 1:
            inside += 1
    out[thread] = 4 * inside / tries


def monte_carlo_pi():
    states, out = create_xoroshiro128p_states(64 * 24, seed=1), np.zeros(64 * 24, np.float32)
    count_inside[24, 64](states, 1000, out)
    assert abs(out.mean() - math.pi) < 0.01


@vectorize([float32(float32, float32), float64(float64, float64)], target="cuda")
def difference(x, y):
    return 2 * (x - y) / (x + y)


@guvectorize([void(float32[:, :], float32[:, :], float32[:, :])], "(m,n),(n,p)->(m,p)", target="cuda")
def products(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def universal_functions():
    x = np.arange(1, 1000, dtype=np.float32)
    y = x[::-1].copy()
    np.testing.assert_allclose(difference(x, y), 2 * (x - y) / (x + y), rtol=1e-6)
    column, row = x.astype(np.float64)[:, None], y.astype(np.float64)[None]
    np.testing.assert_allclose(difference(column, row), 2 * (column - row) / (column + row), rtol=1e-14)
    random = np.random.default_rng(1)
    a, b = random.random((50, 2, 4), np.float32), random.random((50, 4, 5), np.float32)
    np.testing.assert_allclose(products(a, b), a @ b, rtol=1e-5)


@cuda.jit
def two_arrays_in_one(out):
    """Dynamic shared memory has one start: arrays of any type are views of it."""
    floats, integers = cuda.shared.array(0, float32), cuda.shared.array(0, int32)[cuda.blockDim.x :]
    thread, count = cuda.threadIdx.x, cuda.blockDim.x
    floats[thread], integers[thread] = thread * 1.5, thread * 7
    cuda.syncthreads()
    out[thread] = floats[count - 1 - thread] + integers[(thread + 1) % count]


def dynamic_shared_memory():
    out, i = np.zeros(64, np.float32), np.arange(64)
    two_arrays_in_one[1, 64, 0, 64 * 8](out)
    np.testing.assert_array_equal(out, (63 - i) * 1.5 + (i + 1) % 64 * 7)


@cuda.jit
def combine(whole, real, words):
    i = cuda.grid(1)
    cuda.atomic.add(whole, i % 4, 1)
    cuda.atomic.max(whole, 4, i)
    cuda.atomic.min(whole, 5, -i)
    cuda.atomic.add(real, (0, 1), 0.25)
    cuda.atomic.nanmax(real, (1, 1), float64(i))
    cuda.atomic.inc(words, 0, 9)
    cuda.atomic.or_(words, 1, 1 << (i % 32))
    cuda.atomic.xor(words, 2, i)
    cuda.atomic.exch(words, 3, 77)
    if i < 4:
        cuda.atomic.cas(words, 4 + i, 0, i + 5)


def atomics():
    whole, real, words = np.zeros(6, np.int32), np.zeros((2, 2)), np.zeros(8, np.uint32)
    combine[4, 64](whole, real, words)
    assert whole.tolist() == [64, 64, 64, 64, 255, -255]
    assert real.tolist() == [[0, 64], [0, 255]]
    assert words.tolist() == [256 % 10, 2**32 - 1, 0, 77, 5, 6, 7, 8]


@cuda.jit
def exchange(out, values):
    i = cuda.grid(1)
    everyone = 0xFFFFFFFF
    out[0, i] = cuda.shfl_sync(everyone, values[i], 3)
    out[1, i] = cuda.shfl_xor_sync(everyone, values[i], 1)
    out[2, i] = cuda.popc(cuda.ballot_sync(everyone, values[i] > 50))
    out[3, i] = cuda.any_sync(everyone, values[i] > 98) + 2 * cuda.all_sync(everyone, values[i] > 0)
    out[4, i] = cuda.syncthreads_count(int32(values[i] > 50)) + cuda.laneid


def warps():
    values, out, lane = np.random.default_rng(0).integers(0, 100, 32), np.zeros((5, 32), np.int64), np.arange(32)
    exchange[1, 32](out, values)
    large, flags = (values > 50).sum(), (values > 98).any() + 2 * (values > 0).all()
    np.testing.assert_array_equal(out, [[values[3]] * 32, values[lane ^ 1], [large] * 32, [flags] * 32, large + lane])


@cuda.jit
def diffuse(first, second, steps, k):
    """Solve the heat equation in one launch: all threads of the grid wait for each other after each step."""
    i, grid = cuda.grid(1), cuda.cg.this_grid()
    for step in range(steps):
        old, new = (first, second) if step % 2 == 0 else (second, first)
        if i < len(old):
            change = k * (old[i + 1] - 2 * old[i] + old[i - 1]) if 0 < i < len(old) - 1 else 0
            new[i] = old[i] + change
        grid.sync()


@cuda.jit(void(int32[:, ::1]))
def turn_rows(rows):
    column, grid = cuda.grid(1), cuda.cg.this_grid()
    for row in range(1, rows.shape[0]):
        rows[row, column] = rows[row - 1, rows.shape[1] - column - 1] + 1
        grid.sync()


def cooperative_groups():
    values = np.zeros(1001)
    values[500] = 10000
    first, second = cuda.to_device(values), cuda.device_array_like(values)
    diffuse.forall(1001)(first, second, 100, 0.25)
    for _ in range(100):
        values[1:-1] += 0.25 * (values[2:] - 2 * values[1:-1] + values[:-2])
    np.testing.assert_allclose(first.copy_to_host(), values)
    rows = np.zeros((64, 256), np.int32)
    turn_rows[8, 32](rows)
    np.testing.assert_array_equal(rows, np.tile(np.arange(64)[:, None], 256))


def functions_in_cuda_cpp():
    source = pathlib.Path(tempfile.mkdtemp(), "multiply.cu")
    source.write_text(
        'extern "C" __device__ int multiply(float *result, float x, float y) {*result = x * y; return 0;}'
    )
    multiply = cuda.declare_device("multiply", "float32(float32, float32)")

    @cuda.jit(link=[str(source)])
    def kernel(out, x):
        i = cuda.grid(1)
        out[i] = multiply(x[i], x[i] + 2)

    x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    kernel[1, 32](out, x)
    np.testing.assert_array_equal(out, x * (x + 2))


def errors():
    @cuda.jit(debug=True, opt=False)
    def kernel(x, n):
        if n < 0:
            raise ValueError("n is negative")
        x[cuda.grid(1)] = n

    x = np.zeros(4)
    kernel[1, 4](x, 3)
    assert x.tolist() == [3, 3, 3, 3]
    try:
        kernel[1, 4](x, -1)
    except ValueError as error:
        assert "n is negative" in str(error)  # noqa: PT017 - this is no test but a program
    else:
        raise AssertionError("the kernel's exception was lost")


EXAMPLES = (vector_add, reduction, shared_memory, monte_carlo_pi, universal_functions, dynamic_shared_memory, atomics)
EXAMPLES += (warps, cooperative_groups, functions_in_cuda_cpp, errors)
if __name__ == "__main__":
    for run in EXAMPLES:
        run()
        print(run.__name__, "is right")
    print("on", cuda.get_current_device().name)
