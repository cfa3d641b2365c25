# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_cutile.py: kernels of the kinds that cuTile's documentation has, on arrays of cuda.core."""

import sys
import time

import numpy as np

import cuda.tile as ct
from cuda.core import Device, LegacyPinnedMemoryResource

ZERO = ct.PaddingMode.ZERO

random = np.random.default_rng(3)
device = Device()
device.set_current()
stream = device.create_stream()


class Array:
    """A copy of an array in memory that host and device reach, with the interface that cuTile asks for."""

    def __init__(self, values):
        self.buffer = LegacyPinnedMemoryResource().allocate(values.nbytes, stream=stream)
        self.host = np.from_dlpack(self.buffer).view(values.dtype).reshape(values.shape)
        self.host[...] = values

    @property
    def __cuda_array_interface__(self):
        return self.host.__array_interface__


def run(kernel, grid, *args):
    """Launch a kernel with NumPy arrays, and write what it stored back to them."""
    passed = [Array(each) if isinstance(each, np.ndarray) else each for each in args]
    ct.launch(int(stream.handle), grid, kernel, tuple(passed))
    stream.sync()
    for given, array in zip(args, passed, strict=True):
        if isinstance(given, np.ndarray):
            given[...] = array.host


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


def vector_add():
    a, b, out = normal(1000), normal(1000), np.zeros(1000, np.float32)
    run(add, (ct.cdiv(1000, 128),), a, b, out, 128)
    np.testing.assert_array_equal(out, a + b)


@ct.kernel
def normalize_rows(x, out, COLUMNS: ct.Constant[int]):
    row = ct.gather(x, (ct.bid(0), ct.arange(COLUMNS, dtype=ct.int32)), padding_value=-float("inf"))
    part = ct.exp(row - ct.max(row, 0, keepdims=True))
    ct.scatter(out, (ct.bid(0), ct.arange(COLUMNS, dtype=ct.int32)), part / ct.sum(part, 0, keepdims=True))


def softmax():
    x, out = normal(5, 100), np.zeros((5, 100), np.float32)
    run(normalize_rows, (5,), x, out, 128)
    exact = np.exp(x.astype(float))
    np.testing.assert_allclose(out, exact / exact.sum(1, keepdims=True), rtol=1e-5)


@ct.kernel
def multiply(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((M, N), ct.float32)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        left = ct.load(a, (i, k), (M, K), padding_mode=ZERO)
        total = ct.mma(left, ct.load(b, (k, j), (K, N), padding_mode=ZERO), total)
    ct.store(c, (i, j), total)


def matmul():
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 40), (40, 48)))
    c = np.zeros((64, 48), np.float32)
    run(multiply, (2, 2), a, b, c, 32, 32, 16)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@ct.kernel
def attend(q, k, v, out, scale: float, N: ct.Constant[int], D: ct.Constant[int], TILE: ct.Constant[int]):
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


def attention():
    q, k, v = (normal(64, 32, dtype=np.float16) for _ in range(3))
    out = np.zeros((64, 32), np.float32)
    run(attend, (2,), q, k, v, out, 32**-0.5, 64, 32, 32)
    score = q.astype(float) @ k.astype(float).T * 32**-0.5
    part = np.exp(score - score.max(1, keepdims=True))
    np.testing.assert_allclose(out, part / part.sum(1, keepdims=True) @ v.astype(float), atol=3e-3)


@ct.kernel
def normalize(x, gain, shift, out, eps: float, TILE: ct.Constant[int]):
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


def layer_norm():
    x, gain, shift, out = normal(7, 100), normal(100), normal(100), np.zeros((7, 100), np.float32)
    run(normalize, (7,), x, gain, shift, out, 1e-5, 64)
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, expected * gain + shift, rtol=1e-4, atol=1e-4)


@ct.kernel
def turn(x, out, TILE: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (TILE, TILE))))


def transpose():
    x, out = normal(50, 70), np.zeros((70, 50), np.float32)
    run(turn, (2, 3), x, out, 32)
    np.testing.assert_array_equal(out, x.T)


@ct.kernel
def take(x, indices, out, TILE: ct.Constant[int]):
    at = ct.load(indices, (ct.bid(0),), (TILE,))
    ct.scatter(out, ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32), ct.gather(x, at, padding_value=-1.0))


def gather():
    x, out = normal(300), np.zeros(128, np.float32)
    indices = random.integers(0, 320, 128).astype(np.int32)
    run(take, (2,), x, indices, out, 64)
    np.testing.assert_array_equal(out, np.append(x, [-1] * 20).astype(np.float32)[indices])


@ct.kernel
def count(x, bins, TILE: ct.Constant[int]):
    ct.atomic_add(bins, ct.gather(x, ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32), padding_value=-1), 1)


def histogram():
    x, bins = random.integers(0, 10, 1000).astype(np.int32), np.zeros(10, np.int32)
    run(count, (ct.cdiv(1000, 256),), x, bins, 256)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=10))


@ct.kernel
def sum_up(x, out, TILE: ct.Constant[int]):
    ct.store(out, (ct.bid(0), 0), ct.cumsum(ct.load(x, (ct.bid(0), 0), (1, TILE)), 1))


def cumulative_sum():
    x, out = random.integers(-9, 10, (3, 128)).astype(np.int32), np.zeros((3, 128), np.int32)
    run(sum_up, (3,), x, out, 128)
    np.testing.assert_array_equal(out, x.cumsum(1))


@ct.kernel
def transform(x, matrix, twiddles, out, N: ct.Constant[int]):
    """A row of N*N complex numbers as a matrix: the Fourier transform is two products with a small one."""
    real, imag = ct.load(x, (ct.bid(0), 0, 0, 0), (1, 1, N, N)), ct.load(x, (ct.bid(0), 1, 0, 0), (1, 1, N, N))
    real, imag = ct.reshape(real, (N, N)), ct.reshape(imag, (N, N))
    cosine, sine = ct.load(matrix, (0, 0), (N, N)), ct.load(matrix, (1, 0), (N, N))
    zero = ct.zeros((N, N), ct.float32)
    a = ct.mma(cosine, real, ct.mma(sine, -imag, zero))
    b = ct.mma(cosine, imag, ct.mma(sine, real, zero))
    c, s = ct.load(twiddles, (0, 0), (N, N)), ct.load(twiddles, (1, 0), (N, N))
    a, b = a * c - b * s, a * s + b * c
    real = ct.mma(a, cosine, ct.mma(-b, sine, zero))
    imag = ct.mma(a, sine, ct.mma(b, cosine, zero))
    ct.store(out, (ct.bid(0), 0, 0, 0), ct.reshape(ct.transpose(real), (1, 1, N, N)))
    ct.store(out, (ct.bid(0), 1, 0, 0), ct.reshape(ct.transpose(imag), (1, 1, N, N)))


def fourier():
    n = 16
    x, out = normal(2, 2, n, n), np.zeros((2, 2, n, n), np.float32)
    outer = np.outer(np.arange(n), np.arange(n))
    roots, factors = np.exp(-2j * np.pi * outer / n), np.exp(-2j * np.pi * outer / n**2)
    tables = [np.concatenate([each.real, each.imag]).astype(np.float32) for each in (roots, factors)]
    run(transform, (2,), x, *tables, out, n)
    expected = np.fft.fft((x[:, 0] + 1j * x[:, 1]).reshape(2, -1).astype(complex)).reshape(2, n, n)
    np.testing.assert_allclose(out[:, 0] + 1j * out[:, 1], expected, atol=1e-3)


PROGRAMS = [
    vector_add, softmax, matmul, attention, layer_norm, transpose, gather, histogram, cumulative_sum, fourier,
]  # fmt: skip

if __name__ == "__main__":
    for program in PROGRAMS:
        if len(sys.argv) == 1 or program.__name__ in sys.argv[1:]:
            started = time.perf_counter()
            program()
            print(program.__name__, "is right")
            print(f"{program.__name__}: {time.perf_counter() - started:.1f} s", file=sys.stderr)
    print("on", device.name)
