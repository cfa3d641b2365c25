# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_numba_mlir.py: kernels of the kinds that the documentation of numba-cuda and its successor has."""

import math

import numpy as np
from numba_cuda_mlir import cuda

random = np.random.default_rng(5)
TILE = 16


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


def vector_add():
    a, b, out = normal(1000), normal(1000), np.zeros(1000, np.float32)
    add[4, 256](a, b, out)
    np.testing.assert_array_equal(out, a + b)


@cuda.jit
def scale(x, factor):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] *= factor


def device_arrays_and_streams():
    x, stream = normal(5000), cuda.stream()
    there = cuda.to_device(x, stream=stream)
    scale[3, 64, stream](there, np.float32(3))
    back = there.copy_to_host(stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, 3 * x)


@cuda.jit
def multiply(a, b, c):
    left, right = cuda.shared.array((TILE, TILE), np.float32), cuda.shared.array((TILE, TILE), np.float32)
    row, column = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // TILE):
        left[i, j] = a[row, k * TILE + j]
        right[i, j] = b[k * TILE + i, column]
        cuda.syncthreads()
        for step in range(TILE):
            total += left[i, step] * right[step, j]
        cuda.syncthreads()
    c[row, column] = total


def shared_memory():
    a, b, c = normal(32, 48), normal(48, 64), np.zeros((32, 64), np.float32)
    multiply[(2, 4), (TILE, TILE)](a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


@cuda.jit
def block_sums(x, out):
    parts = cuda.shared.array(128, np.int64)
    i = cuda.threadIdx.x
    parts[i] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 64
    while step:
        if i < step:
            parts[i] += parts[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[cuda.blockIdx.x] = parts[0]


def reduction():
    x, out = random.integers(0, 1000, 512), np.zeros(4, np.int64)
    block_sums[4, 128](x, out)
    np.testing.assert_array_equal(out, x.reshape(4, 128).sum(1))


@cuda.jit
def count(x, bins, most):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i], 1)
        cuda.atomic.max(most, 0, x[i])


def atomics():
    x, bins, most = random.integers(0, 16, 3000).astype(np.int32), np.zeros(16, np.int32), np.zeros(1, np.int32)
    count[12, 256](x, bins, most)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=16))
    assert most[0] == x.max()


@cuda.jit
def warp_sum(x, out):
    value, step = x[cuda.grid(1)], 16
    while step:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if cuda.laneid == 0:
        out[cuda.grid(1) // 32] = value


def warps():
    x, out = random.integers(0, 100, 128).astype(np.int32), np.zeros(4, np.int32)
    warp_sum[2, 64](x, out)
    np.testing.assert_array_equal(out, x.reshape(4, 32).sum(1))


@cuda.jit(device=True)
def polynomial(x):
    return math.sqrt(abs(x)) + math.exp(-x * x) + math.sin(x)


@cuda.jit
def apply(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = polynomial(x[i])


def device_functions():
    x, out = random.standard_normal(300), np.zeros(300)
    apply[3, 128](x, out)
    np.testing.assert_allclose(out, np.sqrt(abs(x)) + np.exp(-x * x) + np.sin(x), rtol=1e-12)


@cuda.jit
def live(old, new):
    i, j = cuda.grid(2)
    if i < old.shape[0] and j < old.shape[1]:
        neighbours = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if di != 0 or dj != 0:
                    neighbours += old[(i + di) % old.shape[0], (j + dj) % old.shape[1]]
        new[i, j] = 1 if neighbours == 3 or (neighbours == 2 and old[i, j] == 1) else 0


def game_of_life():
    start = random.integers(0, 2, (40, 30)).astype(np.int32)
    old, new, expected = cuda.to_device(start), cuda.device_array((40, 30), np.int32), start
    for _ in range(4):
        live[(5, 4), (8, 8)](old, new)
        old, new = new, old
        around = sum(np.roll(expected, (di, dj), (0, 1)) for di in (-1, 0, 1) for dj in (-1, 0, 1)) - expected
        expected = ((around == 3) | ((around == 2) & (expected == 1))).astype(np.int32)
    np.testing.assert_array_equal(old.copy_to_host(), expected)


@cuda.jit
def reverse(x):
    room = cuda.shared.array(0, np.float32)
    i = cuda.threadIdx.x
    room[i] = x[i]
    cuda.syncthreads()
    x[i] = room[x.size - 1 - i]


def dynamic_shared_memory():
    x = normal(96)
    expected = x[::-1].copy()
    reverse[1, 96, 0, 4 * 96](x)
    np.testing.assert_array_equal(x, expected)


@cuda.jit
def columns(x, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        total = x.dtype.type(0)
        for i in range(x.shape[0]):
            total += x[i, j]
        out[j] = total


def strided_arrays():
    whole, out = normal(20, 80), np.zeros(40, np.float32)
    there = cuda.to_device(whole)
    columns[1, 64](there[::2, ::2], out)
    np.testing.assert_allclose(out, whole[::2, ::2].sum(0), rtol=1e-5, atol=1e-5)


EXAMPLES = (vector_add, device_arrays_and_streams, shared_memory, reduction, atomics, warps, device_functions)
EXAMPLES += (game_of_life, dynamic_shared_memory, strided_arrays)
if __name__ == "__main__":
    for run in EXAMPLES:
        run()
        print(run.__name__, "is right")
    print("on", cuda.get_current_device().name)
