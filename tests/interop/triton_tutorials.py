# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_triton.py: kernels of the kinds that Triton's tutorials have, beyond triton_kernels.py."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_kernels import Array, device, integers, random, run


@triton.jit
def normalize(x, out, mean, rstd, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * n + i, mask=i < n, other=0)
    middle = tl.sum(value, 0) / n
    value = tl.where(i < n, value - middle, 0)
    scale = 1 / tl.sqrt(tl.sum(value * value, 0) / n + eps)
    tl.store(mean + row, middle)
    tl.store(rstd + row, scale)
    tl.store(out + row * n + i, value * scale, mask=i < n)


@triton.jit
def sum_gradients(dy, x, mean, rstd, sums, locks, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Add rows up in a few places, each under a lock, of which the first one only stores."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    part = tl.load(dy + row * n + i, mask=i < n, other=0)
    part *= (tl.load(x + row * n + i, mask=i < n, other=0) - tl.load(mean + row)) * tl.load(rstd + row)
    target, lock = sums + row % GROUP * n + i, locks + row % GROUP
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(lock + GROUP) == 0:
        tl.atomic_xchg(lock + GROUP, 1)
    else:
        part += tl.load(target, mask=i < n)
    tl.store(target, part, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def layer_norm():
    x, dy = (random.standard_normal((37, 500)).astype(np.float32) for _ in range(2))
    out, mean, rstd, sums = (Array(np.zeros(n, np.float32)) for n in (x.shape, 37, 37, (4, 500)))
    locks = Array(np.zeros(8, np.int32))
    device_x = Array(x)
    normalize[(37,)](device_x, out, mean, rstd, 500, 1e-5, BLOCK=512)
    sum_gradients[(37,)](Array(dy), device_x, mean, rstd, sums, locks, 500, GROUP=4, BLOCK=512)
    device.sync()
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.host, expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(sums.host.sum(0), (dy * expected).sum(0), rtol=1e-3, atol=1e-4)


@triton.jit
def drop(x, out, n, rate, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > rate
    tl.store(out + i, tl.where(kept, tl.load(x + i, mask=i < n) / (1 - rate), 0), mask=i < n)


def dropout():
    x, first, second = (Array(np.full(10000, value, np.float32)) for value in (3, 0, 0))
    for out in (first, second):
        drop[(10,)](x, out, 10000, 0.25, 123, BLOCK=1024)
    device.sync()
    np.testing.assert_array_equal(first.host, second.host)
    np.testing.assert_allclose(first.host[first.host != 0], 4)
    assert abs((first.host != 0).mean() - 0.75) < 0.02


@triton.jit
def multiply_groups(a, b, c, sizes, count, PROGRAMS: tl.constexpr, TILE: tl.constexpr):
    """Matrices of several sizes by their addresses in memory: each program takes the next tile that is left."""
    tile, done = tl.program_id(0), 0
    for group in range(count):
        m, n, k = tl.load(sizes + 3 * group), tl.load(sizes + 3 * group + 1), tl.load(sizes + 3 * group + 2)
        columns = n // TILE
        tiles = m // TILE * columns
        while tile >= done and tile < done + tiles:
            left = tl.load(a + group).to(tl.pointer_type(tl.float16))
            right = tl.load(b + group).to(tl.pointer_type(tl.float16))
            rows = (tile - done) // columns * TILE + tl.arange(0, TILE)
            across = (tile - done) % columns * TILE + tl.arange(0, TILE)
            total = tl.zeros((TILE, TILE), tl.float32)
            for start in range(0, k, TILE):
                steps = start + tl.arange(0, TILE)
                total += tl.dot(
                    tl.load(left + rows[:, None] * k + steps[None, :]),
                    tl.load(right + steps[:, None] * n + across[None, :]),
                )
            out = tl.load(c + group).to(tl.pointer_type(tl.float16))
            tl.store(out + rows[:, None] * n + across[None, :], total.to(tl.float16))
            tile += PROGRAMS
        done += tiles


def grouped_matrices():
    sizes = [(128, 64, 64), (64, 64, 128), (192, 128, 64)]
    a, b = [Array(integers(m, k)) for m, _, k in sizes], [Array(integers(k, n)) for _, n, k in sizes]
    c = [Array(np.zeros((m, n), np.float16)) for m, n, _ in sizes]
    addresses = [Array(np.array([array.data_ptr() for array in arrays])) for arrays in (a, b, c)]
    multiply_groups[(5,)](*addresses, Array(np.array(sizes, np.int32)), 3, PROGRAMS=5, TILE=64)
    device.sync()
    for left, right, out in zip(a, b, c, strict=True):
        np.testing.assert_array_equal(out.host, left.host.astype(np.float32) @ right.host.astype(np.float32))


@triton.jit
def persistent(left, right, out, m, n, k, TILE: tl.constexpr, PROGRAMS: tl.constexpr, SPECIALIZE: tl.constexpr):
    columns = tl.cdiv(n, TILE)
    tiles = tl.cdiv(m, TILE) * columns
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True, warp_specialize=SPECIALIZE):
        row, column = tile // columns * TILE, tile % columns * TILE
        total = tl.zeros((TILE, TILE), tl.float32)
        for start in range(0, k, 64):
            total = tl.dot(left.load([row, start]), right.load([column, start]).T, total)
        halves = tl.permute(tl.reshape(total, (TILE, 2, TILE // 2)), (0, 2, 1))
        first, second = tl.split(halves)
        out.store([row, column], first.to(tl.float16))
        out.store([row, column + TILE // 2], second.to(tl.float16))


def persistent_matrices():
    a, b = integers(256, 192), integers(256, 192)
    for specialize in (False, True):
        arrays = [(a, [128, 64]), (b, [128, 64]), (np.zeros((256, 256), np.float16), [128, 64])]
        maps = [TensorDescriptor(Array(x), list(x.shape), [x.shape[1], 1], box) for x, box in arrays]
        persistent[(3,)](*maps, 256, 256, 192, TILE=128, PROGRAMS=3, SPECIALIZE=specialize, num_warps=8, num_stages=3)
        device.sync()
        np.testing.assert_array_equal(maps[2].base.host, a.astype(np.float32) @ b.astype(np.float32).T)


@triton.jit
def scaled(a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, KIND: tl.constexpr):
    PACKED: tl.constexpr = K // 2 if KIND == "e2m1" else K
    rows, columns, blocks, steps = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32), tl.arange(0, PACKED)
    left = tl.load(a + rows[:, None] * PACKED + steps[None, :])
    right = tl.load(b + steps[:, None] + columns[None, :] * PACKED)
    left_scale = tl.load(a_scale + rows[:, None] * (K // 32) + blocks[None, :])
    right_scale = tl.load(b_scale + columns[:, None] * (K // 32) + blocks[None, :])
    total = tl.dot_scaled(left, left_scale, KIND, right, right_scale, KIND)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])


def block_scaled_matrices():
    """Numbers of 8 and 4 bits with a scale for each 32 of them, which Triton converts for sm_90."""
    m, n, k = 64, 32, 64
    scales = [random.integers(125, 130, (rows, k // 32)).astype(np.uint8) for rows in (m, n)]
    for kind in ("e4m3", "e2m1"):
        codes = [random.integers(0, 16, (rows, k)) for rows in (m, n)]
        packed = [(code[:, ::2] | code[:, 1::2] << 4).astype(np.uint8) for code in codes]
        values = [FP4[code] for code in codes]
        if kind == "e4m3":
            packed = [value.astype(ml_dtypes.float8_e4m3fn) for value in values]
        left, right = (
            value * np.repeat(2.0 ** (scale.astype(int) - 127), 32, 1)
            for value, scale in zip(values, scales, strict=True)
        )
        c = Array(np.zeros((m, n), np.float32))
        scaled[(1,)](
            Array(packed[0]), Array(scales[0]), Array(packed[1]), Array(scales[1]), c, M=m, N=n, K=k, KIND=kind
        )
        device.sync()
        np.testing.assert_array_equal(c.host, left @ right.T)


if __name__ == "__main__":
    run(layer_norm, dropout, grouped_matrices, persistent_matrices, block_scaled_matrices)
