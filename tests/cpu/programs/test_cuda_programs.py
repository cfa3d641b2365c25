# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whole CUDA C++ programs, compiled by NVRTC in both PTX dialects, run on the CPU device and compared with NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import CUBIN_KIND, LTOIR_KIND, PTX_KIND, compile_cuda, include_option, link
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc

# The two dialects of PTX, as text and out of a cubin.
FORMS = {"sm_75": ("PTX", "sm_75"), "sm_120-cubin": ("CUBIN", "sm_120")}
MORE = FORMS | {"sm_90-cubin": ("CUBIN", "sm_90"), "sm_100": ("PTX", "sm_100")}
random = np.random.default_rng(7)


@pytest.fixture(params=FORMS)
def program(request):
    """Return a function that compiles a source to one of FORMS and loads it."""
    result, arch = MORE[request.param]
    return functools.partial(_load, result, arch)


@functools.cache
def _load(result: str, arch: str, source: str) -> Loaded:
    # clang takes no explicit instantiations of kernels with -default-device.
    everywhere = () if "template __global__" in source else ("-default-device",)
    options = (f"--gpu-architecture={arch}", "-lineinfo", *everywhere, "--std=c++17")
    return Loaded(compile_cuda(source, *options, result=result))


def floats(*shape: int) -> np.ndarray:
    return random.standard_normal(shape).astype(np.float32)


def test_saxpy(program):
    source = """extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n) {
        size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }"""
    x, y = floats(1001), floats(1008)
    expected = y.copy()
    expected[:1001] = (np.float64(2.5) * x + y[:1001]).astype(np.float32)
    program(source).launch("saxpy", 4, 256, np.float32(2.5), x, y, np.uint64(1001))
    np.testing.assert_array_equal(y, expected)


def test_templates(program):
    source = """template <class T, int N> __global__ void scale(T *p, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
        i += gridDim.x * blockDim.x) p[i] = p[i] * N + T(1); }
        template __global__ void scale<double, 3>(double *, int);
        template __global__ void scale<long long, -2>(long long *, int);"""
    loaded = program(source)
    for dtype, factor in ((np.float64, 3), (np.int64, -2)):
        values = np.arange(-500, 500).astype(dtype)
        (name,) = [name for name in loaded.code.kernels if ("Id" if factor == 3 else "Ix") in name]
        expected = values * factor + 1
        loaded.launch(name, 2, 96, values, np.int32(len(values)))
        np.testing.assert_array_equal(values, expected)


INTEGERS = """extern "C" __global__ void k(const TYPE *a, const TYPE *b, TYPE *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; TYPE x = a[i], y = b[i]; out += i * 12;
    out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = y ? x / y : 0; out[4] = y ? x % y : 0;
    out[5] = x & ~y | x ^ 3;
    out[6] = x >> (y & 7); out[7] = x << (y & 7); out[8] = x < y ? x : y; out[9] = x / 7; out[10] = x % 10;
    out[11] = -x; }"""


def truncated(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Divide as C does; division by zero gives zero."""
    pairs = [(int(p), int(q) or 1) for p, q in zip(x, y, strict=True)]
    quotients = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in pairs]
    remainders = [p - quotient * q for quotient, (p, q) in zip(quotients, pairs, strict=True)]
    quotients = [0 if q == 0 else quotient for quotient, q in zip(quotients, y, strict=True)]
    return np.array(quotients, object), np.array(remainders, object)


@pytest.mark.parametrize(
    "name", ["int", "unsigned", "long long", "unsigned long long", "short", "unsigned char", "signed char"]
)
def test_integers(program, name):
    dtypes = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}
    dtypes |= {"short": np.int16, "unsigned char": np.uint8, "signed char": np.int8}
    dtype = dtypes[name]
    info = np.iinfo(dtype)
    x = random.integers(info.min, info.max, 100, dtype, endpoint=True)
    y = random.integers(info.min, info.max, 100, dtype, endpoint=True)
    x[:4], y[:4] = [info.max, 0, info.max, 5], [1, 3, 0, 7]
    y[10:60] >>= dtype(x.itemsize * 4)
    out = np.zeros((100, 12), dtype)
    program(INTEGERS.replace("TYPE", name)).launch("k", 4, 32, x, y, out, np.int32(100))
    a, b = x.astype(object), y.astype(object)
    quotient, remainder = truncated(x, y)
    seventh, tenth = truncated(x, np.full_like(x, 7))[0], truncated(x, np.full_like(x, 10))[1]
    columns = [a + b, a - b, a * b, quotient, remainder, a & ~b | a ^ 3, a >> (b & 7), a << (b & 7)]
    columns += [np.minimum(x, y).astype(object), seventh, tenth, -a]
    bits = 8 * x.itemsize
    wrapped = np.array([[int(v) & ((1 << bits) - 1) for v in column] for column in columns], f"u{x.itemsize}").T
    np.testing.assert_array_equal(out, wrapped.view(dtype))


def test_double_math(program):
    source = """extern "C" __global__ void k(const double *x, double *o, int n) {
        int i = threadIdx.x; if (i >= n) return; double v = x[i]; o += i * 12;
        o[0] = sin(v); o[1] = cos(v * 1e3); o[2] = exp(v); o[3] = log(fabs(v)); o[4] = sqrt(fabs(v));
        o[5] = pow(fabs(v), 1.7); o[6] = v / 3; o[7] = fma(v, v, 1.0); o[8] = tanh(v);
        o[9] = floor(v) + ceil(v) + trunc(v) + rint(v); o[10] = atan2(v, 2.0); o[11] = fmod(v, 0.7) + cbrt(v); }"""
    x = random.standard_normal(45) * 5
    out = np.zeros((45, 12))
    program(source).launch("k", 1, 64, x, out, np.int32(45))
    columns = [np.sin(x), np.cos(x * 1e3), np.exp(x), np.log(abs(x)), np.sqrt(abs(x)), abs(x) ** 1.7, x / 3, x * x + 1]
    columns += [
        np.tanh(x),
        np.floor(x) + np.ceil(x) + np.trunc(x) + np.rint(x),
        np.arctan2(x, 2),
        np.fmod(x, 0.7) + np.cbrt(x),
    ]
    np.testing.assert_allclose(out, np.array(columns).T, rtol=1e-14, atol=1e-300)
    np.testing.assert_array_equal(out[:, 4], columns[4])
    np.testing.assert_array_equal(out[:, 6], columns[6])


def test_float_math(program):
    source = """extern "C" __global__ void k(const float *x, float *o, int n) {
        int i = threadIdx.x; if (i >= n) return; float v = x[i]; o += i * 10;
        o[0] = sinf(v * 100); o[1] = expf(v); o[2] = logf(fabsf(v)); o[3] = sqrtf(fabsf(v));
        o[4] = powf(fabsf(v), 1.7f);
        o[5] = v / 3; o[6] = 1 / v; o[7] = fminf(v, 0.5f) + fmaxf(v, -0.5f); o[8] = tanhf(v);
        o[9] = rsqrtf(fabsf(v)); }"""
    x = floats(50)
    out = np.zeros((50, 10), np.float32)
    program(source).launch("k", 1, 64, x, out, np.int32(50))
    w = x.astype(np.float64)
    columns = [np.sin((x * np.float32(100)).astype(np.float64)), np.exp(w), np.log(abs(w)), np.sqrt(abs(w))]
    columns += [abs(w) ** np.float64(np.float32(1.7)), w / 3, 1 / w, np.minimum(w, 0.5) + np.maximum(w, -0.5)]
    columns += [np.tanh(w), 1 / np.sqrt(abs(w))]
    np.testing.assert_allclose(out, np.array(columns).T, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(out[:, 3], np.sqrt(abs(x)))
    np.testing.assert_array_equal(out[:, 5], x / np.float32(3))


def test_reduction_in_shared_memory(program):
    source = """extern "C" __global__ void sum(const float *x, float *out, int n) {
        __shared__ float s[256]; int t = threadIdx.x; float a = 0;
        for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) a += x[i];
        s[t] = a; __syncthreads();
        for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
        if (t == 0) out[blockIdx.x] = s[0]; }"""
    x, out = np.arange(3000, dtype=np.float32) % 17, np.zeros(5, np.float32)
    program(source).launch("sum", 5, 256, x, out, np.int32(3000))
    assert out.sum() == x.sum()


@pytest.mark.parametrize("program", MORE, indirect=True)
def test_matmul_with_static_and_dynamic_shared_memory(program):
    source = """
        __device__ void multiply(const float *a, const float *b, float *c, int n, float *as, float *bs) {
            int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y; float sum = 0;
            for (int t = 0; t < n; t += 16) {
                as[y * 16 + x] = row < n && t + x < n ? a[row * n + t + x] : 0;
                bs[y * 16 + x] = col < n && t + y < n ? b[(t + y) * n + col] : 0; __syncthreads();
                for (int k = 0; k < 16; k++) sum += as[y * 16 + k] * bs[k * 16 + x];
                __syncthreads(); }
            if (row < n && col < n) c[row * n + col] = sum; }
        extern "C" __global__ void fixed(const float *a, const float *b, float *c, int n) {
            __shared__ float as[256], bs[256]; multiply(a, b, c, n, as, bs); }
        extern "C" __global__ void dynamic(const float *a, const float *b, float *c, int n) {
            extern __shared__ float s[]; multiply(a, b, c, n, s, s + 256); }"""
    a, b = np.round(floats(50, 50) * 8), np.round(floats(50, 50) * 8)
    for name, shared in (("fixed", 0), ("dynamic", 2048)):
        c = np.zeros((50, 50), np.float32)
        program(source).launch(name, (4, 4, 1), (16, 16, 1), a, b, c, np.int32(50), shared=shared)
        np.testing.assert_array_equal(c, a @ b)


def test_stencil_in_three_dimensions(program):
    source = """extern "C" __global__ void blur(const float *in, float *out, int nx, int ny, int nz) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int z = blockIdx.z * blockDim.z + threadIdx.z;
        if (x >= nx || y >= ny || z >= nz) return;
        int i = (z * ny + y) * nx + x;
        if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) { out[i] = in[i]; return; }
        out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i]; }"""
    field = np.round(floats(9, 10, 13) * 16)
    out = np.zeros_like(field)
    sizes = [np.int32(n) for n in (13, 10, 9)]
    program(source).launch("blur", (2, 3, 5), (8, 4, 2), field, out, *sizes)
    expected = field.copy()
    c = field[1:-1, 1:-1, 1:-1]
    expected[1:-1, 1:-1, 1:-1] = (
        field[1:-1, 1:-1, :-2] + field[1:-1, 1:-1, 2:] + field[1:-1, :-2, 1:-1] + field[1:-1, 2:, 1:-1]
        + field[:-2, 1:-1, 1:-1] + field[2:, 1:-1, 1:-1] - 6 * c
    )  # fmt: skip
    np.testing.assert_array_equal(out, expected)


def test_histogram_by_atomics(program):
    source = """extern "C" __global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
        __shared__ unsigned mine[256]; mine[threadIdx.x] = 0; __syncthreads();
        for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[data[i]], 1u);
        __syncthreads(); atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]); }"""
    data = (random.standard_normal(5000) * 20 + 100).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    program(source).launch("histogram", 6, 256, data, np.int32(5000), bins)
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=256))


@pytest.mark.parametrize("program", MORE, indirect=True)
def test_scan_by_shuffles(program):
    source = """extern "C" __global__ void scan(const int *in, int *out, int n) {
        __shared__ int totals[32];
        int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        int v = i < n ? in[i] : 0;
        for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; }
        if (lane == 31) totals[warp] = v;
        __syncthreads();
        if (warp == 0) { int t = lane < blockDim.x / 32 ? totals[lane] : 0;
            for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, t, d); if (lane >= d) t += o;
            } totals[lane] = t; }
        __syncthreads();
        if (warp) v += totals[warp - 1];
        if (i < n) out[i] = v; }"""
    data = random.integers(-9, 9, 700).astype(np.int32)
    out = np.zeros_like(data)
    program(source).launch("scan", 3, 256, data, out, np.int32(700))
    expected = np.concatenate([np.cumsum(part) for part in (data[:256], data[256:512], data[512:])])
    np.testing.assert_array_equal(out, expected)


def test_structs_by_value(program):
    source = """struct Inner { char tag; double weight; }; struct Outer { short a; Inner inner[2]; float v[3];
        long long big; };
        extern "C" __global__ void k(Outer o, int which, double *out) {
            out[threadIdx.x] = o.a + o.inner[which].weight * o.v[threadIdx.x % 3]
            + o.inner[threadIdx.x & 1].tag + o.big; }"""
    inner = np.dtype([("tag", "i1"), ("weight", "f8")], align=True)
    outer = np.dtype([("a", "i2"), ("inner", inner, 2), ("v", "f4", 3), ("big", "i8")], align=True)
    value = np.zeros((), outer)
    value["a"], value["big"], value["v"] = -3, 1 << 40, [1, 2, 3]
    value["inner"]["tag"], value["inner"]["weight"] = [5, -6], [0.5, 0.25]
    out = np.zeros(32)
    program(source).launch("k", 1, 32, value[()], np.int32(1), out)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out, -3 + 0.25 * (lanes % 3 + 1) + np.array([5, -6])[lanes & 1] + (1 << 40))


@pytest.mark.parametrize("program", MORE, indirect=True)
def test_globals(program):
    source = """extern "C" { __constant__ float weights[4] = {1, 2, 3, 4}; __device__ int counter = 5;
        __device__ int table[2][3];
        __device__ double unset; }
        __device__ int *inside = &table[1][1]; __device__ const char *words[2] = {"ab", "cd"};
        extern "C" __global__ void k(float *out) { int i = threadIdx.x; out[i] = weights[i & 3];
        atomicAdd(&counter, i);
            if (i < 3) table[1][i] = i * i; __syncthreads(); if (i == 0) { *inside += 10; unset += words[1][1]; } }"""
    loaded = program(source)
    counter = int(loaded.variable("counter", np.int32)[0])
    unset = loaded.variable("unset", np.float64)[0]
    before = loaded.variable("weights", np.float32).copy()
    out = np.zeros(64, np.float32)
    loaded.launch("k", 1, 64, out)
    np.testing.assert_array_equal(out, np.tile(before, 16))
    loaded.set_variable("weights", np.array([8, 7, 6, 5], np.float32))
    loaded.launch("k", 1, 64, out)
    np.testing.assert_array_equal(out, np.tile(np.array([8, 7, 6, 5], np.float32), 16))
    assert loaded.variable("counter", np.int32)[0] == counter + 2 * 2016
    assert list(loaded.variable("table", np.int32)) == [0, 0, 0, 0, 11, 4]
    assert loaded.variable("unset", np.float64)[0] == unset + 2 * ord("d")


@pytest.mark.parametrize("program", MORE, indirect=True)
def test_device_functions_recursion_and_pointers(program):
    source = """
        __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __device__ int ackermann(int m, int n) {
        return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }
        struct Big { int a[8]; double d; };
        __device__ __noinline__ Big change(Big b, int i, short s, float f) { b.a[i & 7] += s;
        b.d = b.d * f + i; return b; }
        typedef int (*Op)(int, int);
        __device__ int add(int a, int b) { return a + b; }
        __device__ int sub(int a, int b) { return a - b; }
        __device__ __noinline__ int mul(int a, int b) { return b == 0 ? 0 : a + mul(a, b - 1); }
        __device__ Op ops[3] = {add, sub, mul};
        struct Shape { __device__ virtual int area(int x) = 0; };
        struct Square : Shape { __device__ int area(int x) override { return x * x; } };
        struct Line : Shape { int extra; __device__ int area(int x) override { return x + extra; } };
        extern "C" __global__ void k(int *out, double *d) {
            int i = threadIdx.x; out += i * 6; out[0] = fib(i % 11); out[1] = ackermann(i % 3, i % 4);
            Big b; for (int j = 0; j < 8; j++) b.a[j] = j; b.d = i;
            b = change(change(b, i, -3, 0.5f), i + 1, 4, 2.0f);
            out[2] = b.a[i & 7]; out[3] = b.a[(i + 1) & 7]; d[i] = b.d; out[4] = ops[i % 3](i, i % 5);
            Square s; Line l; l.extra = 7; Shape *shape = i & 1 ? (Shape *)&s : (Shape *)&l;
            out[5] = shape->area(i); }"""
    out, d = np.zeros((32, 6), np.int32), np.zeros(32)
    program(source).launch("k", 1, 32, out, d)
    fib = [0, 1]
    while len(fib) < 11:
        fib.append(fib[-1] + fib[-2])
    ackermann = [lambda n: n + 1, lambda n: n + 2, lambda n: 2 * n + 3]
    for i in range(32):
        op = [i + i % 5, i - i % 5, i * (i % 5)][i % 3]
        area = i * i if i & 1 else i + 7
        expected = [fib[i % 11], ackermann[i % 3](i % 4), (i & 7) - 3, ((i + 1) & 7) + 4, op, area]
        assert list(out[i]) == expected, i
    np.testing.assert_array_equal(d, (np.arange(32) * 0.5 + np.arange(32)) * 2 + np.arange(1, 33))


def test_divergent_loops_and_early_exits(program):
    source = """extern "C" __global__ void collatz(const unsigned *in, int *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
        unsigned v = in[i]; int steps = 0;
        while (v != 1) { if (v == 0) { steps = -1; break; } v = v & 1 ? 3 * v + 1 : v / 2;
        if (++steps > 200) return; }
        switch (steps % 6) { case 0: steps += 100; break; case 1: steps *= 2; break; case 2: steps = -steps; break;
            case 3: steps += 1; case 4: steps += 2; break; default: steps = 7; }
        out[i] = steps; }"""
    values = np.arange(100, dtype=np.uint32)
    out = np.full(100, 12345, np.int32)
    program(source).launch("collatz", 4, 32, values, out, np.int32(100))

    def expected(v: int) -> int:
        steps = 0
        while v != 1:
            if v == 0:
                steps = -1
                break
            v = 3 * v + 1 if v & 1 else v // 2
            steps += 1
        case = int(np.fmod(steps, 6))
        changes = {0: steps + 100, 1: steps * 2, 2: -steps, 3: steps + 3, 4: steps + 2}
        return changes.get(case, 7)

    assert list(out) == [expected(v) for v in range(100)]


def test_local_arrays_and_64_bit_indices(program):
    source = """extern "C" __global__ void k(long long *out, const unsigned char *perm, long long n) {
        long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; int bins[16] = {}; if (i >= n) return;
        for (int j = 0; j < 40; j++) bins[perm[(i + j) % n] & 15] += j;
        long long sum = 0; for (int j = 0; j < 16; j++) sum = sum * 31 + bins[(j + i) & 15]; out[i] = sum; }"""
    perm = random.integers(0, 255, 70).astype(np.uint8)
    out = np.zeros(70, np.int64)
    program(source).launch("k", 3, 32, out, perm, np.int64(70))
    for i in range(70):
        bins = [0] * 16
        for j in range(40):
            bins[perm[(i + j) % 70] & 15] += j
        total = 0
        for j in range(16):
            total = total * 31 + bins[(j + i) & 15]
        assert out[i] == np.array(total & (2**64 - 1), np.uint64).astype(np.int64)


def test_printf(program, capfd):
    source = """extern "C" __global__ void k(int n) { if (threadIdx.x < n)
        printf("%d %5.2f %s %llx %c%%\\n", threadIdx.x, threadIdx.x * 0.5, threadIdx.x & 1 ? "odd" : "even",
        1ull << 40, 'z'); }"""
    from cuda.cpu.runtime import _runtime

    program(source).launch("k", 1, 32, np.int32(3))
    _runtime.flush_printf()
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == ["0  0.00 even 10000000000 z%", "1  0.50 odd 10000000000 z%", "2  1.00 even 10000000000 z%"]


@pytest.mark.cpu_only
def test_assertions_end_the_launch(program):
    source = """extern "C" __global__ void k(int *p) { assert(p[threadIdx.x] != 3); p[threadIdx.x]++; }"""
    fault = program(source).run("k", 1, 8, np.arange(8, dtype=np.int32))
    assert fault is not None
    assert "p[threadIdx.x] != 3" in fault.message


def test_halves(program):
    source = """#include <cuda_fp16.h>
        extern "C" __global__ void k(const __half *x, __half *y, __half2 *z, int n) { int i = threadIdx.x;
            y[i] = x[i] * x[i + 1] + __float2half(0.5f); z[i] = __hfma2(z[i], z[i], __float2half2_rn(1.0f)); }"""
    text = compile_cuda(source, "--gpu-architecture=sm_90", include_option())
    x, y = random.standard_normal(33).astype(np.float16), np.zeros(32, np.float16)
    z = random.standard_normal(64).astype(np.float16)
    expected = (z.astype(np.float64) ** 2 + 1).astype(np.float16)
    Loaded(text).launch("k", 1, 32, x, y, z, np.int32(32))
    fused = (x[:-1].astype(np.float64) * x[1:].astype(np.float64) + 0.5).astype(np.float16)
    rounded = ((x[:-1] * x[1:]).astype(np.float16) + np.float16(0.5)).astype(np.float16)
    assert all(value in (a, b) for value, a, b in zip(y, fused, rounded, strict=True))
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("kind", ["cubin", "ptx", "ltoir"])
@pytest.mark.needs_nvjitlink
def test_separately_compiled_units(kind):
    kernel = """extern __device__ int shared_table[4]; extern __device__ int f(int x);
        static __device__ int own(int x) { return x + 1; }
        extern "C" __global__ void k(int *p) {
        p[threadIdx.x] = f(own(p[threadIdx.x])) + shared_table[threadIdx.x & 3]; }"""
    function = """__device__ int shared_table[4] = {1, 2, 3, 4};
        static __device__ __noinline__ int own(int x) { return x * 10; }
        __device__ int f(int x) { shared_table[3] = 40; return own(x) - 5; }"""
    options = ["--gpu-architecture=sm_90", "-rdc=true", "-lineinfo"]
    kinds = {"cubin": (CUBIN_KIND, "CUBIN"), "ptx": (PTX_KIND, "PTX"), "ltoir": (LTOIR_KIND, "LTOIR")}
    number, result = kinds[kind]
    options += ["-dlto"] if kind == "ltoir" else []
    end = b"\0" if kind == "ptx" else b""
    inputs = [(number, compile_cuda(source, *options, result=result) + end) for source in (kernel, function)]
    cubin = link(inputs, "-arch=sm_90", "-lineinfo", *(["-lto"] if kind == "ltoir" else []))
    values = np.arange(32, dtype=np.int32)
    Loaded(cubin).launch("k", 1, 32, values)
    lanes = np.arange(32)
    np.testing.assert_array_equal(values, (lanes + 1) * 10 - 5 + np.array([1, 2, 3, 40])[lanes & 3])


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
@pytest.mark.parametrize("width", ["32", "1"])  # numbers, not vectors, have carries in the processor's flags
def test_integers_of_128_bits(arch, width, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    monkeypatch.setenv("CUDA_CPU_LEVEL", "0")
    source = """extern "C" __global__ void k(const long long *a, const long long *b, long long *out, int n) {
        int i = threadIdx.x; if (i >= n) return; __int128 x = a[i], y = b[i], z = x * b[(i + 1) % n] + y;
        __int128 results[] = {z, z / y, z % y, z >> (i * 3), z - x,
            (__int128)((unsigned __int128)z / (unsigned __int128)(y | 1))};
        for (int j = 0; j < 6; j++) { out[i * 12 + 2 * j] = (long long)results[j];
            out[i * 12 + 2 * j + 1] = (long long)(results[j] >> 64); } }"""
    a = random.integers(-(2**63), 2**63, 40) >> random.integers(0, 60, 40)
    b = random.integers(-(2**63), 2**63, 40) >> random.integers(0, 60, 40)
    b[b == 0] = 3
    out = np.zeros((40, 6, 2), np.int64)
    text = compile_cuda(source, f"--gpu-architecture={arch}", "--device-int128")
    Loaded(text).launch("k", 1, 64, a, b, out, np.int32(40))
    whole = 1 << 128
    for i in range(40):
        x, y = int(a[i]), int(b[i])
        z = x * int(b[(i + 1) % 40]) + y
        quotient = abs(z) // abs(y) * (1 if (z < 0) == (y < 0) else -1)
        unsigned = z % whole // ((y | 1) % whole)
        expected = [z, quotient, z - quotient * y, z >> (i * 3), z - x, unsigned]
        found = [(int(low) % 2**64 + (int(high) << 64)) % whole for low, high in out[i]]
        assert found == [value % whole for value in expected], i
