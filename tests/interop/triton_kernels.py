# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_triton.py: kernels compiled, loaded and launched by Triton's own driver, without PyTorch."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from cuda.bindings import driver

random = np.random.default_rng(3)


def call(function, *args):
    """Call a function of the driver and return its outputs."""
    status, *outputs = function(*args)
    assert status == 0, status
    return outputs[0] if outputs else None


class Device:
    """Device 0, whose primary context is current."""

    def __init__(self):
        call(driver.cuInit, 0)
        call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, 0))
        self.name = call(driver.cuDeviceGetName, 256, 0).partition(b"\0")[0].decode()

    def sync(self):
        call(driver.cuCtxSynchronize)


device = Device()


class Array:
    """An array in memory that host and device reach, with the names that Triton asks of an argument."""

    def __init__(self, values):
        self.host = np.array(values)
        self.dtype = self.host.dtype
        call(driver.cuMemHostRegister, self.host.ctypes.data, self.host.nbytes, 0)

    def __del__(self):
        driver.cuCtxSynchronize()
        driver.cuMemHostUnregister(self.host.ctypes.data)

    def data_ptr(self):
        return self.host.ctypes.data


@triton.jit
def saxpy(x, y, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, a * tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def elementwise():
    x, y = Array(np.arange(1000, dtype=np.float32)), Array(np.ones(1000, np.float32))
    saxpy[(4,)](x, y, 1000, 2.5, BLOCK=256)
    device.sync()
    np.testing.assert_array_equal(y.host, 2.5 * x.host + 1)


@triton.jit
def matmul(a, b, c, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    steps = tl.arange(0, DEPTH)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, DEPTH):
        left = tl.load(a + rows[:, None] * k + (start + steps)[None, :])
        right = tl.load(b + (start + steps)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total, input_precision=PRECISION)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def integers(*shape, dtype=np.float16):
    return random.integers(-3, 4, shape).astype(dtype)


def matrices():
    kinds = [(np.float16, "ieee"), (np.float32, "tf32"), (np.float32, "tf32x3"), (np.float32, "ieee")]
    kinds += [(ml_dtypes.bfloat16, "ieee"), (ml_dtypes.float8_e4m3fn, "ieee"), (ml_dtypes.float8_e5m2, "ieee")]
    for dtype, precision in kinds:
        a, b = integers(128, 192, dtype=dtype), integers(192, 128, dtype=dtype)
        c = Array(np.zeros((128, 128), np.float32))
        matmul[(2, 2)](Array(a), Array(b), c, 128, 192, TILE=64, DEPTH=32, PRECISION=precision, num_stages=3)
        device.sync()
        np.testing.assert_array_equal(c.host, a.astype(np.float32) @ b.astype(np.float32))


@triton.jit
def descriptors_of_the_kernel(a, b, c, m, n, k, TILE: tl.constexpr, SPECIALIZE: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [m, k], [k, 1], [TILE, TILE])
    right = tl.make_tensor_descriptor(b, [k, n], [n, 1], [TILE, TILE])
    out = tl.make_tensor_descriptor(c, [m, n], [n, 1], [TILE, TILE])
    row, column = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in tl.range(0, k, TILE, warp_specialize=SPECIALIZE):
        total = tl.dot(left.load([row, start]), right.load([start, column]), total)
    out.store([row, column], total.to(tl.float16))


@triton.jit
def descriptors_of_the_host(left, right, out, k, TILE: tl.constexpr):
    row, column = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, TILE):
        total = tl.dot(left.load([row, start]), right.load([start, column]), total)
    out.store([row, column], total.to(tl.float16))


def tensor_copies():
    a, b = integers(128, 192), integers(192, 128)
    wanted = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    triton.set_allocator(lambda size, alignment, stream: Array(np.zeros(size, np.int8)))
    for specialize in (False, True):
        c = Array(np.zeros_like(wanted))
        descriptors_of_the_kernel[(2, 2)](
            Array(a), Array(b), c, 128, 128, 192, TILE=64, SPECIALIZE=specialize, num_stages=3
        )
        device.sync()
        np.testing.assert_array_equal(c.host, wanted)
    maps = [TensorDescriptor(Array(x), list(x.shape), [x.shape[1], 1], [64, 64]) for x in (a, b, np.zeros_like(wanted))]
    compiled = descriptors_of_the_host[(2, 2)](*maps, 192, TILE=64)
    device.sync()
    np.testing.assert_array_equal(maps[2].base.host, wanted)
    assert "cp.async.bulk.tensor" in compiled.asm["ptx"]


@triton.jit
def collect(x, ordered, sums, bins, picked, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(ordered + i, tl.sort(value))
    tl.store(sums + i, tl.cumsum(value, 0))
    tl.store(bins + tl.arange(0, 16), tl.histogram(value & 15, 16))
    tl.store(picked + i, tl.gather(value, (i * 7 + 3) % N, 0))
    tl.store(picked + N + i, tl.flip(value, 0))
    tl.store(picked + 2 * N, tl.argmax(value, 0))


def collectives():
    x = random.permutation(1000)[:256].astype(np.int32)
    ordered, sums, bins, picked = (Array(np.zeros(n, np.int32)) for n in (256, 256, 16, 513))
    collect[(1,)](Array(x), ordered, sums, bins, picked, N=256)
    device.sync()
    np.testing.assert_array_equal(ordered.host, np.sort(x))
    np.testing.assert_array_equal(sums.host, np.cumsum(x))
    np.testing.assert_array_equal(bins.host, np.bincount(x & 15, minlength=16))
    np.testing.assert_array_equal(picked.host, [*x[(np.arange(256) * 7 + 3) % 256], *x[::-1], x.argmax()])


@triton.jit
def count(words, floats, lock, arrived, programs, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(words + i % 8, i)
    tl.atomic_max(words + 8 + i % 4, i + tl.program_id(0))
    tl.atomic_add(floats + i % 4, 0.5)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(words + 12, tl.load(words + 12) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
    tl.atomic_add(arrived, 1)
    while tl.load(arrived, volatile=True) < programs:  # all programs run at once in a cooperative launch
        pass


def atomics():
    words, floats, lock, arrived = (Array(np.zeros(n, t)) for n, t in ((13, "i4"), (4, "f4"), (1, "i4"), (1, "i4")))
    count[(4,)](words, floats, lock, arrived, 4, BLOCK=128, launch_cooperative_grid=True)
    device.sync()
    i = np.arange(128)
    expected = [4 * i[i % 8 == k].sum() for k in range(8)] + [124 + k + 3 for k in range(4)] + [4]
    np.testing.assert_array_equal(words.host, expected)
    np.testing.assert_array_equal(floats.host, 4 * 32 * 0.5)


@triton.jit
def attention(q, k, v, out, scale, N: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    rows, depth = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + depth[None, :])
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK,), tl.float32)
    total = tl.zeros((BLOCK, D), tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        key = tl.load(k + columns[:, None] * D + depth[None, :])
        score = tl.dot(query, tl.trans(key)) * scale
        new = tl.maximum(most, tl.max(score, 1))
        part, kept = tl.exp(score - new[:, None]), tl.exp(most - new)
        weight = weight * kept + tl.sum(part, 1)
        value = tl.load(v + columns[:, None] * D + depth[None, :])
        total = tl.dot(part.to(tl.float16), value, total * kept[:, None])
        most = new
    tl.store(out + rows[:, None] * D + depth[None, :], total / weight[:, None])


def fused_attention():
    q, k, v = (random.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    out = Array(np.zeros((128, 64), np.float32))
    attention[(2,)](Array(q), Array(k), Array(v), out, 64**-0.5, N=128, D=64, BLOCK=64)
    device.sync()
    score = q.astype(float) @ k.astype(float).T * 64**-0.5
    part = np.exp(score - score.max(1, keepdims=True))
    np.testing.assert_allclose(out.host, part / part.sum(1, keepdims=True) @ v.astype(float), atol=3e-3)


def run(*programs):
    for program in programs:
        program()
        print(program.__name__, "is right")
    print("on", device.name)


if __name__ == "__main__":
    run(elementwise, matrices, tensor_copies, collectives, atomics, fused_attention)
