# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whole CUDA C++ programs, from NVRTC to the result, compared with NumPy.

Each runs from PTX and from a cubin: the two ways by which code reaches a driver.
"""

import ctypes

import numpy as np
import pytest

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch


@pytest.fixture(scope="module")
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture(scope="module", params=["ptx", "cubin"])
def build(request, device):
    """A function from source text to ObjectCode."""

    def build(source, *names, **options):
        options = ProgramOptions(arch=f"sm_{device.arch}", std="c++17", **options)
        return Program(source, code_type="c++", options=options).compile(request.param, name_expressions=names)

    return build


class Bench:
    """Host-visible arrays and launches on one stream."""

    def __init__(self, device):
        self.stream = device.create_stream()
        self.memory = LegacyPinnedMemoryResource()
        self.buffers = []

    def array(self, data):
        data = np.ascontiguousarray(data)
        buffer = self.memory.allocate(max(data.nbytes, 1), stream=self.stream)
        self.buffers.append(buffer)
        view = np.frombuffer((ctypes.c_uint8 * data.nbytes).from_address(int(buffer.handle)), dtype=data.dtype).reshape(
            data.shape
        )
        view[...] = data
        return view, buffer

    def run(self, kernel, grid, block, *args, shmem=0, **config):
        launch(self.stream, LaunchConfig(grid=grid, block=block, shmem_size=shmem, **config), kernel, *args)
        self.stream.sync()

    def close(self):
        self.stream.sync()
        for buffer in self.buffers:
            buffer.close()
        self.stream.close()


@pytest.fixture
def bench(device):
    bench = Bench(device)
    yield bench
    bench.close()


@pytest.fixture
def rng():
    return np.random.default_rng(13)


@pytest.mark.parametrize(("type_", "dtype"), [("float", np.float32), ("double", np.float64), ("int", np.int32)])
@pytest.mark.parametrize("n", [1, 31, 1000])
def test_template_saxpy(build, bench, rng, type_, dtype, n):
    code = build(
        """template <class T> __global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n) {
             for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
               out[i] = a * x[i] + y[i]; }""",
        f"saxpy<{type_}>",
        fma=False,
    )
    x, dx = bench.array((rng.random(n) * 100).astype(dtype))
    y, dy = bench.array((rng.random(n) * 100).astype(dtype))
    out, dout = bench.array(np.zeros(n, dtype))
    bench.run(code.get_kernel(f"saxpy<{type_}>"), 2, 96, dtype(3), dx, dy, dout, np.uint64(n))
    np.testing.assert_array_equal(out, dtype(3) * x + y)


def test_integer_arithmetic(build, bench, rng):
    code = build(
        """extern "C" __global__ void ints(const int *a, const int *b, long long *out, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i >= n) return;
             int x = a[i], y = b[i];
             unsigned u = x, v = y;
             long long *o = out + 12 * i;
             o[0] = x / y; o[1] = x % y; o[2] = u / v; o[3] = u % v;
             o[4] = (long long)x * y; o[5] = __mulhi(x, y); o[6] = __popc(u); o[7] = __clz(x);
             o[8] = __brev(u); o[9] = (x << (y & 31)) ^ (x >> (y & 31)); o[10] = min(x, y) + (long long)max(x, y);
             o[11] = ((long long)x * x * 7) / y; }"""
    )
    n = 500
    a, da = bench.array(rng.integers(-(2**31), 2**31, n, dtype=np.int64).astype(np.int32))
    divisors = rng.integers(1, 2**31, n, dtype=np.int64) * rng.choice([-1, 1], n)
    b, db = bench.array(divisors.astype(np.int32))
    out, dout = bench.array(np.zeros((n, 12), np.int64))
    bench.run(code.get_kernel("ints"), (n + 127) // 128, 128, da, db, dout, n)
    for row, x, y in zip(out, a.tolist(), b.tolist(), strict=True):
        u, v, s = x & 0xFFFFFFFF, y & 0xFFFFFFFF, y & 31
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        square = x * x * 7
        square = (square + 2**63) % 2**64 - 2**63
        big = abs(square) // abs(y) * (1 if (square < 0) == (y < 0) else -1)
        shifted = ((x << s) ^ (x >> s)) & 0xFFFFFFFF
        assert row.tolist() == [
            quotient, x - quotient * y, u // v, u % v, x * y, (x * y) >> 32, u.bit_count(), 32 - u.bit_length(),
            int(f"{u:032b}"[::-1], 2), shifted - 2**32 if shifted >= 2**31 else shifted, x + y, big,
        ]  # fmt: skip


def test_double_math(build, bench, rng):
    code = build(
        """extern "C" __global__ void maths(const double *x, double *out, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i >= n) return;
             double v = x[i], *o = out + 8 * i;
             o[0] = sin(v); o[1] = exp(v / 8); o[2] = log(fabs(v) + 1); o[3] = sqrt(fabs(v));
             o[4] = pow(fabs(v) + .5, 1.7); o[5] = atan2(v, 3.0); o[6] = erf(v / 10); o[7] = 1 / (v + 200); }"""
    )
    n = 300
    x, dx = bench.array(rng.uniform(-50, 50, n))
    out, dout = bench.array(np.zeros((n, 8)))
    bench.run(code.get_kernel("maths"), 3, 128, dx, dout, n)
    import math

    expected = [
        [math.sin(v), math.exp(v / 8), math.log(abs(v) + 1), math.sqrt(abs(v)), (abs(v) + 0.5) ** 1.7, math.atan2(v, 3),
         math.erf(v / 10), 1 / (v + 200)]
        for v in x.tolist()
    ]  # fmt: skip
    np.testing.assert_allclose(out, expected, rtol=4e-15, atol=1e-300)


def test_float_math(build, bench, rng):
    code = build(
        """extern "C" __global__ void maths(const float *x, float *out, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i >= n) return;
             float v = x[i], *o = out + 8 * i;
             o[0] = sinf(v); o[1] = expf(v / 8); o[2] = logf(fabsf(v) + 1); o[3] = rsqrtf(fabsf(v) + 1);
             o[4] = __expf(v / 8); o[5] = tanhf(v / 10); o[6] = v / 7; o[7] = __fdividef(v, 7); }"""
    )
    n = 1000
    x, dx = bench.array(rng.uniform(-50, 50, n).astype(np.float32))
    out, dout = bench.array(np.zeros((n, 8), np.float32))
    bench.run(code.get_kernel("maths"), 8, 128, dx, dout, n)
    v = x.astype(np.float64)
    v8, v10 = (x / np.float32(8)).astype(np.float64), (x / np.float32(10)).astype(np.float64)
    expected = np.stack(
        [np.sin(v), np.exp(v8), np.log(abs(v) + 1), 1 / np.sqrt(abs(v) + 1), np.exp(v8), np.tanh(v10), v / 7, v / 7], 1
    )
    np.testing.assert_allclose(out, expected, rtol=2e-6, atol=1e-7)


def test_shared_memory_reduction(build, bench, rng):
    code = build(
        """extern "C" __global__ void reduce(const float *x, float *out, int n) {
             __shared__ float s[256];
             float sum = 0;
             for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
             s[threadIdx.x] = sum;
             __syncthreads();
             for (int k = 128; k > 0; k >>= 1) {
               if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
               __syncthreads();
             }
             if (threadIdx.x == 0) atomicAdd(out, s[0]); }"""
    )
    x, dx = bench.array(rng.integers(0, 8, 10_000).astype(np.float32))
    out, dout = bench.array(np.zeros(1, np.float32))
    bench.run(code.get_kernel("reduce"), 7, 256, dx, dout, x.size)
    assert out[0] == x.sum()


@pytest.mark.parametrize("dynamic", [False, True])
def test_tiled_matmul(build, bench, rng, dynamic):
    tiles = (
        "extern __shared__ float tiles[]; float (*a)[16] = (float (*)[16])tiles, (*b)[16] = a + 16;"
        if dynamic
        else "__shared__ float a[16][16], b[16][16];"
    )
    code = build(
        """extern "C" __global__ void matmul(const float *A, const float *B, float *C, int n) { TILES
             int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
             float sum = 0;
             for (int k = 0; k < n; k += 16) {
               a[y][x] = A[row * n + k + x];
               b[y][x] = B[(k + y) * n + column];
               __syncthreads();
               for (int j = 0; j < 16; j++) sum += a[y][j] * b[j][x];
               __syncthreads();
             }
             C[row * n + column] = sum; }""".replace("TILES", tiles)
    )
    n = 64
    a, da = bench.array(rng.integers(-4, 5, (n, n)).astype(np.float32))
    b, db = bench.array(rng.integers(-4, 5, (n, n)).astype(np.float32))
    c, dc = bench.array(np.zeros((n, n), np.float32))
    bench.run(code.get_kernel("matmul"), (n // 16, n // 16), (16, 16), da, db, dc, n, shmem=2048 if dynamic else 0)
    np.testing.assert_array_equal(c, a @ b)


def test_stencil_with_early_return(build, bench, rng):
    code = build(
        """extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
             int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z * blockDim.z + threadIdx.z;
             if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
             int i = (z * ny + y) * nx + x;
             out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]
                      - 6 * in[i]; }"""
    )
    nz, ny, nx = 9, 13, 21
    a, da = bench.array(rng.integers(0, 50, (nz, ny, nx)).astype(np.float32))
    out, dout = bench.array(np.zeros_like(a))
    bench.run(code.get_kernel("stencil"), (3, 4, 5), (8, 4, 2), da, dout, nx, ny, nz)
    expected = np.zeros_like(a)
    c = (slice(1, -1),) * 3
    expected[c] = sum(np.roll(a, s, k)[c] for k in range(3) for s in (-1, 1)) - 6 * a[c]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("shared", [False, True])
def test_histogram_by_atomics(build, bench, rng, shared):
    body = (
        """__shared__ unsigned h[64];
           if (threadIdx.x < 64) h[threadIdx.x] = 0;
           __syncthreads();
           for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
             atomicAdd(&h[x[i]], 1);
           __syncthreads();
           if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], h[threadIdx.x]);"""
        if shared
        else """for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                  atomicAdd(&out[x[i]], 1);"""
    )
    code = build('extern "C" __global__ void histogram(const unsigned char *x, unsigned *out, int n) {' + body + "}")
    x, dx = bench.array(rng.integers(0, 64, 20_000).astype(np.uint8))
    out, dout = bench.array(np.zeros(64, np.uint32))
    bench.run(code.get_kernel("histogram"), 5, 128, dx, dout, x.size)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=64))


def test_warp_shuffle_scan(build, bench, rng):
    code = build(
        """extern "C" __global__ void scan(const int *x, int *out, int n) {
             __shared__ int sums[32];
             int i = threadIdx.x, lane = i & 31, warp = i >> 5, v = i < n ? x[i] : 0;
             for (int k = 1; k < 32; k <<= 1) { int o = __shfl_up_sync(~0u, v, k); if (lane >= k) v += o; }
             if (lane == 31) sums[warp] = v;
             __syncthreads();
             if (warp == 0) {
               int s = lane < blockDim.x / 32 ? sums[lane] : 0;
               for (int k = 1; k < 32; k <<= 1) { int o = __shfl_up_sync(~0u, s, k); if (lane >= k) s += o; }
               sums[lane] = s;
             }
             __syncthreads();
             if (warp > 0) v += sums[warp - 1];
             if (i < n) out[i] = v; }"""
    )
    x, dx = bench.array(rng.integers(-1000, 1000, 500).astype(np.int32))
    out, dout = bench.array(np.zeros(500, np.int32))
    bench.run(code.get_kernel("scan"), 1, 512, dx, dout, 500)
    np.testing.assert_array_equal(out, np.cumsum(x))


def test_vote_match_and_active_mask(build, bench):
    code = build(
        """extern "C" __global__ void votes(unsigned *out) {
             int i = threadIdx.x;
             out[i] = __ballot_sync(~0u, i % 3 == 0);
             out[32 + i] = __all_sync(~0u, i >= 0) + 2 * __any_sync(~0u, i == 40);
             out[64 + i] = __match_any_sync(~0u, i / 5);
             out[96 + i] = i & 1 ? __activemask() : 0;
             out[128 + i] = __reduce_add_sync(~0u, i);
             out[160 + i] = __shfl_xor_sync(~0u, i, 7);
             out[192 + i] = __shfl_sync(~0u, i, 3, 8); }"""
    )
    out, dout = bench.array(np.zeros((7, 32), np.uint32))
    bench.run(code.get_kernel("votes"), 1, 32, dout)
    i = np.arange(32)
    ballot = sum(1 << k for k in range(0, 32, 3))
    match = [sum(1 << j for j in range(32) if j // 5 == k // 5) for k in range(32)]
    odd = [0xAAAAAAAA if k & 1 else 0 for k in range(32)]
    expected = [i * 0 + ballot, i * 0 + 1, match, odd, i * 0 + 496, i ^ 7, i // 8 * 8 + 3]
    np.testing.assert_array_equal(out, np.array(expected, np.uint32))


def test_divergent_loops(build, bench):
    code = build(
        """extern "C" __global__ void collatz(int *out, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i >= n) return;
             int steps = 0;
             for (long long v = i + 1; v != 1; steps++) {
               if (steps > 60) { steps = -1; break; }
               if (v & 1) { v = 3 * v + 1; continue; }
               v /= 2;
             }
             out[i] = steps; }"""
    )

    def collatz(v):
        steps = 0
        while v != 1:
            if steps > 60:
                return -1
            v = 3 * v + 1 if v & 1 else v // 2
            steps += 1
        return steps

    out, dout = bench.array(np.zeros(300, np.int32))
    bench.run(code.get_kernel("collatz"), 3, 128, dout, 300)
    assert out.tolist() == [collatz(i + 1) for i in range(300)]


def test_switch(build, bench):
    code = build(
        """extern "C" __global__ void choose(const int *x, int *out) {
             int i = threadIdx.x, r;
             switch (x[i]) {
               case 0: r = i; break; case 1: r = i * i; break; case 2: r = -i; case 3: r = 7 - i; break;
               case 4: out[i] = -1; return; case 5: r = x[i ^ 1]; break; case 6: r = __popc(i); break; default: r = 99;
             }
             out[i] = r; }"""
    )
    x, dx = bench.array((np.arange(64) % 9).astype(np.int32))
    out, dout = bench.array(np.zeros(64, np.int32))
    bench.run(code.get_kernel("choose"), 1, 64, dx, dout)
    cases = {0: lambda i: i, 1: lambda i: i * i, 2: lambda i: 7 - i, 3: lambda i: 7 - i, 4: lambda i: -1,
             5: lambda i: int(x[i ^ 1]), 6: lambda i: i.bit_count()}  # fmt: skip
    assert out.tolist() == [cases.get(int(v), lambda i: 99)(i) for i, v in enumerate(x)]


def test_struct_by_value(build, bench):
    code = build(
        """struct Params { char tag; double scale; short offsets[3]; float *data; };
           extern "C" __global__ void apply(Params p, int n) {
             int i = threadIdx.x;
             if (i < n) p.data[i] = p.scale * i + p.offsets[i % 3] + p.tag; }"""
    )
    out, dout = bench.array(np.zeros(20, np.float32))
    layout = np.dtype([("tag", "i1"), ("scale", "f8"), ("offsets", "i2", 3), ("data", "u8")], align=True)
    params = np.array((5, 2.5, (10, 20, 30), int(dout.handle)), layout)[()]
    bench.run(code.get_kernel("apply"), 1, 32, params, 20)
    i = np.arange(20)
    np.testing.assert_array_equal(out, (2.5 * i + np.array([10, 20, 30])[i % 3] + 5).astype(np.float32))


def test_constant_and_device_globals(build, bench):
    code = build(
        """__constant__ float table[4] = {1, 2.5, -3, 1e10f};
           __device__ int counter = 100;
           __device__ double *pointer;
           __device__ const char message[] = "abc";
           extern "C" __global__ void use(float *out) {
             int i = threadIdx.x;
             out[i] = table[i & 3] + message[i % 3];
             atomicAdd(&counter, i); }
           extern "C" __global__ void read(float *out) { *out = counter; }"""
    )
    out, dout = bench.array(np.zeros(32, np.float32))
    total, dtotal = bench.array(np.zeros(1, np.float32))
    bench.run(code.get_kernel("use"), 1, 32, dout)
    bench.run(code.get_kernel("read"), 1, 1, dtotal)
    i = np.arange(32)
    expected = np.array([1, 2.5, -3, 1e10], np.float32)[i & 3] + np.array([97, 98, 99], np.float32)[i % 3]
    np.testing.assert_array_equal(out, expected)
    assert total[0] == 100 + 496


def test_device_functions_and_recursion(build, bench):
    code = build(
        """__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
           __device__ __noinline__ int ackermann(int m, int n) {
             if (m == 0) return n + 1;
             return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
           extern "C" __global__ void recursive(int *out) {
             int i = threadIdx.x; out[i] = fibonacci(i % 13) * 1000 + ackermann(i % 3, i % 4); }"""
    )
    out, dout = bench.array(np.zeros(64, np.int32))
    bench.run(code.get_kernel("recursive"), 1, 64, dout)
    fibonacci = [0, 1]
    while len(fibonacci) < 13:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    ackermann = [lambda n: n + 1, lambda n: n + 2, lambda n: 2 * n + 3]
    assert out.tolist() == [fibonacci[i % 13] * 1000 + ackermann[i % 3](i % 4) for i in range(64)]


def test_function_pointers(build, bench):
    code = build(
        """typedef int (*Op)(int, int);
           __device__ int add(int a, int b) { return a + b; }
           __device__ int mul(int a, int b) { return a * b; }
           __device__ int sub(int a, int b) { return a - b; }
           __device__ Op table[3] = {add, mul, sub};
           extern "C" __global__ void dispatch(const int *which, int *out) {
             int i = threadIdx.x; out[i] = table[which[i]](i, 10); }"""
    )
    which, dwhich = bench.array((np.arange(64) * 7 % 3).astype(np.int32))
    out, dout = bench.array(np.zeros(64, np.int32))
    bench.run(code.get_kernel("dispatch"), 1, 64, dwhich, dout)
    operations = [lambda i: i + 10, lambda i: i * 10, lambda i: i - 10]
    assert out.tolist() == [operations[w](i) for i, w in enumerate(which)]


def test_virtual_functions(build, bench):
    code = build(
        """struct Shape { __device__ virtual float area() const = 0; };
           struct Square : Shape {
             float a;
             __device__ Square(float a) : a(a) {}
             __device__ float area() const override { return a * a; } };
           struct Circle : Shape {
             float r;
             __device__ Circle(float r) : r(r) {}
             __device__ float area() const override { return 3 * r * r; } };
           extern "C" __global__ void areas(float *out) {
             Square s(threadIdx.x); Circle c(threadIdx.x);
             Shape *shape = threadIdx.x & 1 ? (Shape *)&s : (Shape *)&c;
             out[threadIdx.x] = shape->area(); }"""
    )
    out, dout = bench.array(np.zeros(40, np.float32))
    bench.run(code.get_kernel("areas"), 1, 40, dout)
    i = np.arange(40)
    np.testing.assert_array_equal(out, np.where(i & 1, i * i, 3 * i * i))


def test_local_arrays(build, bench, rng):
    code = build(
        """extern "C" __global__ void sort(int *x) {
             int v[16], *p = x + threadIdx.x * 16;
             for (int i = 0; i < 16; i++) v[i] = p[i];
             for (int i = 1; i < 16; i++) {
               int k = v[i], j = i;
               for (; j > 0 && v[j - 1] > k; j--) v[j] = v[j - 1];
               v[j] = k;
             }
             for (int i = 0; i < 16; i++) p[i] = v[i]; }"""
    )
    data = rng.integers(-100, 100, (50, 16)).astype(np.int32)
    x, dx = bench.array(data)
    bench.run(code.get_kernel("sort"), 1, 50, dx)
    np.testing.assert_array_equal(x, np.sort(data, 1))


def test_half_precision(build, bench, rng):
    code = build(
        """#include <cuda_fp16.h>
           extern "C" __global__ void halves(const __half *x, __half *out, float *wide) {
             int i = threadIdx.x; out[i] = __hfma(x[i], x[i], __float2half(0.5f)); wide[i] = __half2float(out[i]); }""",
        use_bundled_headers=True,
    )
    x, dx = bench.array(rng.uniform(-10, 10, 64).astype(np.float16))
    out, dout = bench.array(np.zeros(64, np.float16))
    wide, dwide = bench.array(np.zeros(64, np.float32))
    bench.run(code.get_kernel("halves"), 1, 64, dx, dout, dwide)
    expected = (x.astype(np.float64) ** 2 + 0.5).astype(np.float16)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(wide, expected.astype(np.float32))


def test_lock_between_lanes(build, bench):
    """A spin lock taken by lanes of one warp: the lanes that wait must not starve the one that holds it."""
    code = build(
        """__device__ int lock; __device__ int total;
           extern "C" __global__ void locked(int *out) {
             for (bool done = false; !done;) {
               if (atomicCAS(&lock, 0, 1) == 0) {
                 total += threadIdx.x;
                 __threadfence();
                 atomicExch(&lock, 0);
                 done = true;
               }
             }
             __syncthreads();
             if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int *)&total; }"""
    )
    out, dout = bench.array(np.zeros(1, np.int32))
    bench.run(code.get_kernel("locked"), 1, 64, dout)
    assert out[0] == sum(range(64))


def test_grid_sync(build, bench):
    code = build(
        """#include <cooperative_groups.h>
           namespace cg = cooperative_groups;
           extern "C" __global__ void steps(int *data, int *out) {
             cg::grid_group grid = cg::this_grid();
             int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
             data[i] = i; grid.sync();
             int left = data[(i + n - 1) % n]; grid.sync();
             data[i] = left; grid.sync();
             out[i] = data[(i + 1) % n]; }""",
        use_bundled_headers=True,
    )
    n = 4 * 48
    data, ddata = bench.array(np.zeros(n, np.int32))
    out, dout = bench.array(np.zeros(n, np.int32))
    bench.run(code.get_kernel("steps"), 4, 48, ddata, dout, is_cooperative=True)
    np.testing.assert_array_equal(out, np.arange(n))
    np.testing.assert_array_equal(data, (np.arange(n) - 1) % n)


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_100", "sm_120"])
def test_dialects(device, bench, arch):
    """Both PTX dialects of NVRTC, and targets below and above the device's own."""
    if device.compute_capability < (int(arch[3:-1]), int(arch[-1])) and not device.name.startswith("CPU"):
        pytest.skip(f"a GPU of compute capability {device.compute_capability} cannot run {arch}")
    source = """extern "C" __global__ void f(const float *x, double *out, short s) {
                  int i = threadIdx.x; out[i] = x[i] > 0 ? sqrtf(x[i]) * s : (double)x[i]; }"""
    code = Program(source, code_type="c++", options=ProgramOptions(arch=arch)).compile("ptx")
    x, dx = bench.array(np.linspace(-4, 4, 32, dtype=np.float32))
    out, dout = bench.array(np.zeros(32))
    bench.run(code.get_kernel("f"), 1, 32, dx, dout, 3)
    np.testing.assert_allclose(out, np.where(x > 0, np.sqrt(np.maximum(x, 0)) * np.float32(3), x), rtol=1e-7)


def test_printf(build, device, capfd):
    code = build(
        r"""extern "C" __global__ void hello(float x) {
              if (threadIdx.x < 2)
                printf("%d %s %5.2f %c %llu %x%%\n", threadIdx.x, "text", x, 'z', 1ull << 40, 255); }"""
    )
    stream = device.create_stream()
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("hello"), 1.5)
    stream.sync()
    assert capfd.readouterr().out == "".join(f"{i} text  1.50 z {1 << 40} ff%\n" for i in range(2))
