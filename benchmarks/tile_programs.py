# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of cuTile beside NumPy on one core; tile_kernels.py runs this file with `python -m cuda.cpu run`."""

import time

import numpy as np

import cuda.tile as ct
from cuda.core import Device, LegacyPinnedMemoryResource

ZERO = ct.PaddingMode.ZERO
ROUNDS = 15

random = np.random.default_rng(3)
device = Device()
device.set_current()
stream = device.create_stream()


class Array:
    def __init__(self, values):
        self.buffer = LegacyPinnedMemoryResource().allocate(values.nbytes, stream=stream)
        self.host = np.from_dlpack(self.buffer).view(values.dtype).reshape(values.shape)
        self.host[...] = values

    @property
    def __cuda_array_interface__(self):
        return self.host.__array_interface__


@ct.kernel
def multiply(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((M, N), ct.float32)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        left = ct.load(a, (i, k), (M, K), padding_mode=ZERO)
        total = ct.mma(left, ct.load(b, (k, j), (K, N), padding_mode=ZERO), total)
    ct.store(c, (i, j), total)


@ct.kernel
def softmax(x, out, COLUMNS: ct.Constant[int]):
    row = ct.load(x, (ct.bid(0), 0), (1, COLUMNS))
    part = ct.exp(row - ct.max(row, 1, keepdims=True))
    ct.store(out, (ct.bid(0), 0), part / ct.sum(part, 1, keepdims=True))


@ct.kernel
def layer_norm(x, gain, shift, out, eps: float, TILE: ct.Constant[int]):
    row, count, n = ct.bid(0), ct.num_tiles(x, 1, (1, TILE)), x.shape[1]
    total, squares = ct.zeros((1, TILE), ct.float32), ct.zeros((1, TILE), ct.float32)
    for j in range(count):
        value = ct.load(x, (row, j), (1, TILE), padding_mode=ZERO)
        total, squares = total + value, squares + value * value
    mean = ct.sum(total, 1, keepdims=True) / n
    scale = ct.rsqrt(ct.sum(squares, 1, keepdims=True) / n - mean * mean + eps)
    for j in range(count):
        value = (ct.load(x, (row, j), (1, TILE)) - mean) * scale
        ct.store(out, (row, j), value * ct.load(gain, (j,), (TILE,)) + ct.load(shift, (j,), (TILE,)))


@ct.kernel
def attention(q, k, v, out, scale: float, N: ct.Constant[int], D: ct.Constant[int], TILE: ct.Constant[int]):
    i = ct.bid(0)
    query = ct.load(q, (i, 0), (TILE, D))
    most = ct.full((TILE, 1), -float("inf"), ct.float32)
    weight, total = ct.zeros((TILE, 1), ct.float32), ct.zeros((TILE, D), ct.float32)
    for j in range(N // TILE):
        key = ct.load(k, (0, j), (D, TILE), order=(1, 0))
        score = ct.mma(query, key, ct.zeros((TILE, TILE), ct.float32)) * scale
        new = ct.maximum(most, ct.max(score, 1, keepdims=True))
        part, kept = ct.exp(score - new), ct.exp(most - new)
        weight = weight * kept + ct.sum(part, 1, keepdims=True)
        total = ct.mma(ct.astype(part, ct.float16), ct.load(v, (j, 0), (TILE, D)), total * kept)
        most = new
    ct.store(out, (i, 0), total / weight)


def best(call):
    call()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def compare(title, kernel, grid, arguments, numpy, tolerance):
    """Print the best times of a kernel, whose last array is the result, and of NumPy, measured in turn."""
    passed = tuple(Array(each) if isinstance(each, np.ndarray) else each for each in arguments)
    result = [each for each in passed if isinstance(each, Array)][-1]

    def run():
        ct.launch(int(stream.handle), grid, kernel, passed)
        stream.sync()

    ours, theirs = best(run), best(numpy)
    ours, theirs = min(ours, best(run)), min(theirs, best(numpy))
    np.testing.assert_allclose(result.host, numpy(), rtol=tolerance, atol=tolerance)
    print(f"| {title} | {1000 * ours:.2f} ms | {1000 * theirs:.2f} ms | {theirs / ours:.2f} |", flush=True)


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def products():
    for size in (512, 1024):
        for dtype in (np.float32, np.float16):
            a, b = normal(size, size, dtype=dtype), normal(size, size, dtype=dtype)
            wide = a.astype(np.float32), b.astype(np.float32)
            for tile in ((64, 64, 64), (128, 128, 32)):
                compare(
                    f"matmul {size}, {dtype.__name__}, tiles {tile}", multiply,
                    (size // tile[0], size // tile[1]), (a, b, np.zeros((size, size), np.float32), *tile),
                    lambda wide=wide: wide[0] @ wide[1], 1e-2,
                )  # fmt: skip


def rows():
    x = normal(1024, 1024)

    def numpy_softmax():
        part = np.exp(x - x.max(1, keepdims=True))
        return part / part.sum(1, keepdims=True)

    compare("softmax, 1024 rows of 1024", softmax, (1024,), (x, np.zeros_like(x), 1024), numpy_softmax, 1e-5)
    gain, shift = normal(1024), normal(1024)

    def numpy_norm():
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gain + shift

    compare("layer norm, 1024 rows of 1024", layer_norm, (1024,), (x, gain, shift, np.zeros_like(x), 1e-5, 256),
            numpy_norm, 1e-3)  # fmt: skip
    q, k, v = (normal(1024, 64, dtype=np.float16) for _ in range(3))
    wide = [each.astype(np.float32) for each in (q, k, v)]

    def numpy_attention():
        score = wide[0] @ wide[1].T * np.float32(1 / 8)
        part = np.exp(score - score.max(1, keepdims=True))
        return part / part.sum(1, keepdims=True) @ wide[2]

    for tile in (64, 128):
        compare(f"attention, 1024 x 64, fp16, tiles of {tile}", attention, (1024 // tile,),
                (q, k, v, np.zeros((1024, 64), np.float32), 1 / 8, 1024, 64, tile), numpy_attention, 3e-3)  # fmt: skip


products()
rows()
