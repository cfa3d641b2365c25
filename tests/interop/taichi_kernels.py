# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_taichi.py: kernels of the kinds that Taichi's documentation has, on its CUDA backend."""

import math

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, device_memory_GB=0.5, offline_cache=False)
random = np.random.default_rng(2)


def fractal():
    """A field of floats, functions, vectors, loops of different lengths in the threads of a warp."""
    n = 64
    picture, counts = ti.field(float, (2 * n, n)), np.zeros((2 * n, n))

    @ti.func
    def square(z):
        return ti.Vector([z[0] ** 2 - z[1] ** 2, 2 * z[0] * z[1]])

    @ti.kernel
    def paint(imaginary: float):
        for i, j in picture:
            z, steps = ti.Vector([i / n - 1, j / n - 0.5]) * 2, 0
            while z.norm() < 20 and steps < 50:
                z = square(z) + ti.Vector([-0.8, imaginary])
                steps += 1
            picture[i, j] = steps

    paint(0.2)
    z = 2 * (np.arange(2 * n)[:, None] / n - 1 + 1j * (np.arange(n) / n - 0.5))
    for _ in range(50):
        inside = abs(z) < 20
        counts += inside
        z[inside] = z[inside] ** 2 - 0.8 + 0.2j
    assert (picture.to_numpy() == counts).mean() > 0.99  # rounding decides at the border


def reductions():
    x, total, most = ti.field(ti.i32, 10000), ti.field(ti.i32, ()), ti.field(ti.i32, ())

    @ti.kernel
    def reduce():
        for i in x:
            x[i] = i % 10
        for i in x:
            total[None] += x[i]
            ti.atomic_max(most[None], i)

    reduce()
    assert (total[None], most[None]) == (45000, 9999)


def sparse_fields():
    """Blocks of memory that come into being when a thread writes to them: locks, lists and device-side allocation."""
    x, count = ti.field(ti.f32), ti.field(ti.i32, ())
    ti.root.pointer(ti.ij, (8, 8)).dense(ti.ij, (4, 4)).place(x)
    lists, lengths = ti.field(ti.i32), ti.field(ti.i32, 4)
    ti.root.dense(ti.i, 4).dynamic(ti.j, 64, chunk_size=16).place(lists)

    @ti.kernel
    def fill():
        for i in range(10):
            x[i, i] = i
        for i in range(4):
            for j in range(i + 3):
                lists[i].append(i * j)

    @ti.kernel
    def measure():
        for _ in ti.grouped(x):
            count[None] += 1
        for i in range(4):
            lengths[i] = lists[i].length()

    fill()
    measure()
    assert count[None] == 3 * 16
    assert lengths.to_numpy().tolist() == [3, 4, 5, 6]


def gradients():
    x, y = ti.field(ti.f32, (), needs_grad=True), ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def compute():
        y[None] = ti.sin(x[None]) * x[None]

    x[None] = 2
    with ti.ad.Tape(y):
        compute()
    assert abs(x.grad[None] - (math.sin(2) + 2 * math.cos(2))) < 1e-5


def arrays_of_numpy():
    @ti.kernel
    def multiply(a: ti.types.ndarray(), b: ti.types.ndarray(), c: ti.types.ndarray()):
        for i, j in c:
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    a, b = random.random((30, 20), np.float32), random.random((20, 25), np.float32)
    c = np.zeros((30, 25), np.float32)
    multiply(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def shared_memory():
    @ti.kernel
    def sum_blocks(values: ti.types.ndarray(), sums: ti.types.ndarray()):
        ti.loop_config(block_dim=64)
        for i in range(256):
            shared = ti.simt.block.SharedArray((64,), ti.f32)
            shared[i % 64] = values[i]
            ti.simt.block.sync()
            total = 0.0
            for k in range(64):
                total += shared[k]
            sums[i] = total

    values, sums = random.random(256, np.float32), np.zeros(256, np.float32)
    sum_blocks(values, sums)
    np.testing.assert_allclose(sums, np.repeat(values.reshape(4, 64).sum(1), 64), rtol=1e-5)


def sorting():
    keys = ti.field(ti.i32, 512)
    keys.from_numpy(random.permutation(512).astype(np.int32))
    ti.algorithms.parallel_sort(keys)
    assert (keys.to_numpy() == np.arange(512)).all()
    keys.fill(1)
    ti.algorithms.PrefixSumExecutor(512).run(keys)
    assert (keys.to_numpy() == np.arange(1, 513)).all()


@ti.dataclass
class Particle:
    position: ti.math.vec2
    mass: ti.f32


@ti.kernel
def step(particles: ti.template(), time: float):
    for i in particles:
        particles[i].position += time * particles[i].mass * ti.math.vec2(1.0, ti.cos(0.0) + 1.0)


def structs_and_templates():
    particles = Particle.field(shape=100)
    position, mass = random.random((100, 2), np.float32), random.random(100, np.float32)
    particles.position.from_numpy(position)
    particles.mass.from_numpy(mass)
    step(particles, 0.5)
    expected = position + 0.5 * mass[:, None] * np.array([1, 2], np.float32)
    np.testing.assert_allclose(particles.position.to_numpy(), expected, rtol=1e-5)


@ti.kernel
def invert(a: ti.types.ndarray(dtype=ti.math.mat3, ndim=1), x: ti.types.ndarray(dtype=ti.math.vec3, ndim=1)):
    for i in x:
        x[i] = a[i].inverse() @ x[i]


def small_matrices():
    a, x = random.random((50, 3, 3), np.float32) + 2 * np.eye(3, dtype=np.float32), random.random((50, 3), np.float32)
    arrays = ti.ndarray(ti.math.mat3, 50), ti.ndarray(ti.math.vec3, 50)
    for array, values in zip(arrays, (a, x), strict=True):
        array.from_numpy(values)
    invert(*arrays)
    np.testing.assert_allclose(arrays[1].to_numpy(), np.linalg.solve(a, x[..., None])[..., 0], rtol=1e-3, atol=1e-4)


def bounds():
    """Out of bounds: an exception, for Taichi was told to check."""
    ti.reset()
    ti.init(arch=ti.cuda, debug=True, offline_cache=False)
    x = ti.field(ti.i32, 4)

    @ti.kernel
    def store(i: ti.i32):
        x[i] = 1

    store(2)
    try:
        store(9)
    except ti.TaichiAssertionError as error:
        assert "(9)" in str(error)  # noqa: PT017 - this is no test but a program
    else:
        raise AssertionError("no error")


PROGRAMS = [fractal, reductions, sparse_fields, gradients, arrays_of_numpy, shared_memory, sorting,
            structs_and_templates, small_matrices, bounds]  # fmt: skip

for run in PROGRAMS:
    run()
    print(run.__name__, "is right", flush=True)
print("on", ti.lang.impl.current_cfg().arch)
