# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_jax.py: CUDA kernels as functions of JAX, by pure_callback: jit, gradients, vmap and loops."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from cuda.core import Device, LaunchConfig, Module, launch

SOURCE = """
extern "C" __global__ void axpy(float a, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
extern "C" __global__ void rms(const float *x, const float *weight, float *out, int n) {
    __shared__ float part[128];
    const float *row = x + blockIdx.x * n;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 128) sum += row[i] * row[i];
    part[threadIdx.x] = sum;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    float scale = rsqrtf(part[0] / n + 1e-6f);
    for (int i = threadIdx.x; i < n; i += 128) out[blockIdx.x * n + i] = row[i] * scale * weight[i];
}
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void smooth(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i == 0 || i == n - 1 ? x[i] : 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}
extern "C" __global__ void extremes(const float *x, float *least, float *most, int n) {
    float low = x[blockIdx.x * n], high = low;
    for (int i = 1; i < n; i++) low = fminf(low, x[blockIdx.x * n + i]), high = fmaxf(high, x[blockIdx.x * n + i]);
    least[blockIdx.x] = low, most[blockIdx.x] = high;
}
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i]], 1);
}
"""
random = np.random.default_rng(6)
device = Device()
device.set_current()
stream = device.create_stream()
module = Module.from_source(SOURCE)


def run(name, grid, block, outputs, *arguments):
    """Launch a kernel with arrays and numbers; the outputs come behind the inputs, the size is last."""
    device.set_current()  # JAX calls from threads of its own
    *inputs, size = arguments
    passed = [device.to_device(np.asarray(x)) if np.ndim(x) else x for x in inputs]
    results = [device.to_device(np.zeros(out.shape, out.dtype)) for out in outputs]
    launch(stream, LaunchConfig(grid=grid, block=block), getattr(module, name), *passed, *results, size)
    stream.sync()
    return [result.to_host() for result in results]


def shaped(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def axpy(a, x, y):
    def host(a, x, y):
        n = x.size
        return run("axpy", -(-n // 128), 128, [shaped(*x.shape)], np.float32(a), x, y, n)[0]

    return jax.pure_callback(host, shaped(*x.shape), a, x, y, vmap_method="sequential")


@jax.custom_vjp
def rms_norm(x, weight):
    def host(x, weight):
        rows = x.reshape(-1, x.shape[-1])
        return run("rms", len(rows), 128, [shaped(*rows.shape)], rows, weight, x.shape[-1])[0].reshape(x.shape)

    return jax.pure_callback(host, shaped(*x.shape), x, weight, vmap_method="sequential")


def plain_norm(x, weight):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight


rms_norm.defvjp(lambda x, w: (rms_norm(x, w), (x, w)), lambda saved, g: jax.vjp(plain_norm, *saved)[1](g))


def smooth(x):
    def host(x):
        return run("smooth", -(-x.size // 128), 128, [shaped(*x.shape)], x, x.size)[0]

    return jax.pure_callback(host, shaped(*x.shape), x, vmap_method="sequential")


def normal(*shape):
    return jnp.asarray(random.standard_normal(shape), jnp.float32)


def compare(found, expected, tolerance=1e-4):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def jit():
    x, y = normal(1000), normal(1000)
    compare(jax.jit(lambda x, y: jnp.sin(axpy(2.5, x, y)))(x, y), jnp.sin(2.5 * x + y))


def gradients():
    x, weight = normal(16, 200), normal(200)
    found = jax.jit(jax.grad(lambda x, w: (rms_norm(x, w) ** 2).sum(), argnums=(0, 1)))(x, weight)
    expected = jax.grad(lambda x, w: (plain_norm(x, w) ** 2).sum(), argnums=(0, 1))(x, weight)
    for a, b in zip(found, expected, strict=True):
        compare(a, b, 1e-3)


def vmap():
    x, y = normal(5, 300), normal(300)
    compare(jax.vmap(axpy, in_axes=(None, 0, None))(1.5, x, y), 1.5 * x + y)


def scan():
    x = normal(4, 100)
    last, each = jax.lax.scan(lambda total, row: (axpy(0.5, total, row),) * 2, jnp.zeros(100), x)
    expected = ((x[0] * 0.5 + x[1]) * 0.5 + x[2]) * 0.5 + x[3]
    compare(last, expected)
    compare(each[0], x[0])


def while_loop():
    x = normal(64)
    rough = lambda x: jnp.abs(jnp.diff(x)).max() > 0.5  # noqa: E731
    found, expected = jax.jit(lambda x: jax.lax.while_loop(rough, smooth, x))(x), np.asarray(x)
    while np.abs(np.diff(expected)).max() > 0.5:
        inner = 0.25 * expected[:-2] + 0.5 * expected[1:-1] + 0.25 * expected[2:]
        expected = np.concatenate([expected[:1], inner, expected[-1:]])
    compare(found, expected)


def conditions():
    choose = jax.jit(lambda x, wide: jax.lax.cond(wide, smooth, lambda x: x, x))
    x = normal(100)
    compare(choose(x, False), x)
    compare(choose(x, True)[1:-1], 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:])


def shared_memory():
    a, b = normal(64, 64), normal(64, 64)
    host = functools.partial(run, "product", (4, 4), (16, 16), [shaped(64, 64)])
    product = jax.jit(lambda a, b: jax.pure_callback(lambda a, b: host(a, b, 64)[0], shaped(64, 64), a, b))
    compare(product(a, b), a @ b, 1e-3)


def several_results():
    x = normal(8, 50)
    outputs = (shaped(8), shaped(8))
    host = lambda x: tuple(run("extremes", 8, 1, outputs, x, 50))  # noqa: E731
    least, most = jax.jit(lambda x: jax.pure_callback(host, outputs, x))(x)
    compare(least, x.min(1))
    compare(most, x.max(1))


def integers():
    x = jnp.asarray(random.integers(0, 16, 2000), jnp.int32)
    out = shaped(16, dtype=jnp.int32)
    found = jax.jit(lambda x: jax.pure_callback(lambda x: run("histogram", 16, 128, [out], x, 2000)[0], out, x))(x)
    assert found.tolist() == np.bincount(x, minlength=16).tolist()


def training():
    """Gradient descent through a kernel, under jit."""
    x, wanted = normal(32, 64), jnp.linspace(0.5, 1.5, 64)
    target = plain_norm(x, wanted)
    step = jax.jit(lambda w: w - 0.5 * jax.grad(lambda w: ((rms_norm(x, w) - target) ** 2).mean(0).sum())(w))
    weight = jnp.ones(64)
    for _ in range(60):
        weight = step(weight)
    compare(weight, wanted, 1e-2)


PROGRAMS = [jit, gradients, vmap, scan, while_loop, conditions, shared_memory, several_results, integers,
            training]  # fmt: skip

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
    print("on", device.name)
