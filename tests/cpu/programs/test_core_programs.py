# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ programs through cuda.core, from NVRTC to the result, beyond those of test_cuda_programs.py.

Each program runs from PTX and from a cubin.
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
    """Host-visible arrays, and launches on one stream."""

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


def test_spin_lock_between_lanes(build, bench):
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


@pytest.mark.parametrize("arch", ["sm_75", "sm_86", "sm_90"])
def test_dialects(device, bench, arch):
    """PTX for targets up to that of the device."""
    if device.compute_capability < (int(arch[3:-1]), int(arch[-1])):
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
