# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_jax_cuda.py: JAX's CUDA build, whose kernels XLA compiles, and kernels of Pallas."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as pallas_triton

random = np.random.default_rng(3)
key = jax.random.key(5)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def elementwise():
    x = normal(1000)
    found = jax.jit(lambda x: jnp.exp(-(x**2)) + jnp.sin(x) / (1 + jnp.abs(x)))(x)
    np.testing.assert_allclose(found, np.exp(-(x**2)) + np.sin(x) / (1 + np.abs(x)), rtol=1e-5, atol=1e-6)
    assert next(iter(found.devices())).platform == "gpu"


def reductions():
    x = jnp.asarray(host := normal(200, 300))
    np.testing.assert_allclose(x.sum(0), host.sum(0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(x.argmax(1), host.argmax(1))
    np.testing.assert_allclose(jax.nn.logsumexp(x, 1), np.log(np.exp(host).sum(1)), rtol=1e-5)
    np.testing.assert_allclose(jnp.cumsum(x, 1), np.cumsum(host, 1), rtol=1e-3, atol=1e-3)


def products():
    a, b = normal(65, 40), normal(40, 33)
    found = jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-4)
    half = jnp.asarray(a, jnp.bfloat16) @ jnp.asarray(b, jnp.bfloat16)
    np.testing.assert_allclose(half.astype(jnp.float32), a @ b, rtol=5e-2, atol=0.3)


def gradients():
    def loss(w, x):
        return jnp.sum(jnp.tanh(x * w) ** 2)

    w, x = normal(64), normal(64)
    t = np.tanh(x * w)
    np.testing.assert_allclose(jax.grad(loss)(w, x), 2 * t * (1 - t**2) * x, rtol=1e-3, atol=1e-4)
    assert jax.hessian(loss)(w[:4], x[:4]).shape == (4, 4)


def vmap():
    f = jax.vmap(lambda a, b: jnp.dot(a, b), in_axes=(0, None))
    a, b = normal(10, 20), normal(20)
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-2, atol=1e-2)


def loops():
    total, steps = jax.lax.scan(lambda c, x: (c + x, c * x), 0.0, jnp.arange(10.0))
    assert (float(total), float(steps[-1])) == (45, 324)
    assert int(jax.lax.while_loop(lambda c: c < 100, lambda c: c * 2 + 1, 0)) == 127
    assert float(jax.lax.cond(total > 40, lambda x: x + 1, lambda x: x - 1, total)) == 46
    assert int(jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda i, c: c + i, 0))(11)) == 55


def random_numbers():
    x = np.asarray(jax.random.normal(key, (10000,)))
    assert abs(x.mean()) < 0.05
    assert abs(x.std() - 1) < 0.05
    np.testing.assert_array_equal(x, jax.random.normal(key, (10000,)))


def sorting():
    x = normal(100)
    np.testing.assert_array_equal(jnp.sort(x), np.sort(x))
    np.testing.assert_array_equal(jnp.argsort(x), np.argsort(x))


def indexing():
    x, at = normal(50, 6), random.integers(0, 50, 20)
    np.testing.assert_array_equal(jnp.asarray(x)[at], x[at])
    counts = jnp.zeros(50, jnp.int32).at[at].add(1)
    np.testing.assert_array_equal(counts, np.bincount(at, minlength=50))


def training():
    x = normal(128, 4)
    y = x @ np.float32([1, -2, 3, 0.5]) + 1

    @jax.jit
    def step(weights):
        def loss(weights):
            return jnp.mean((jnp.sum(x * weights[0], 1) + weights[1] - y) ** 2)

        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights))

    weights = (jnp.zeros(4), jnp.zeros(()))
    for _ in range(200):
        weights = step(weights)
    np.testing.assert_allclose(weights[0], [1, -2, 3, 0.5], atol=1e-3)


def pallas():
    def scale_and_add(x, y, out):
        out[...] = 2 * x[...] + y[...]

    by_triton = {"compiler_params": pallas_triton.CompilerParams()}
    x, y = normal(64), normal(64)
    shape = jax.ShapeDtypeStruct((64,), jnp.float32)
    np.testing.assert_allclose(pl.pallas_call(scale_and_add, out_shape=shape, **by_triton)(x, y), 2 * x + y, rtol=1e-6)

    def multiply(x, y, out):
        out[...] = pallas_triton.dot(x[...], y[...])

    a, b = normal(64, 32), normal(32, 64)
    product = pl.pallas_call(
        multiply, out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32), grid=(2, 2),
        in_specs=[pl.BlockSpec((32, 32), lambda i, j: (i, 0)), pl.BlockSpec((32, 32), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((32, 32), lambda i, j: (i, j)), **by_triton,
    )  # fmt: skip
    np.testing.assert_allclose(product(a, b), a @ b, rtol=2e-2, atol=5e-2)


PROGRAMS = [elementwise, reductions, products, gradients, vmap, loops, random_numbers, sorting, indexing, training,
            pallas]  # fmt: skip

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
    print("on", jax.devices()[0].device_kind)
