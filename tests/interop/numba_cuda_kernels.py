# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_numba_cuda.py: kernels of the kinds that numba-cuda's documentation begins with."""

import math

import numpy as np
from numba import cuda, float32

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


for run in (vector_add, reduction, shared_memory):
    run()
    print(run.__name__, "is right")
print("on", cuda.get_current_device().name)
