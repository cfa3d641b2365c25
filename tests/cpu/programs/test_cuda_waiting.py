# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ whose threads wait for each other, diverge in unusual places, or return early."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda
from support.loaded import Loaded

from cuda.cpu import check

pytestmark = pytest.mark.needs_nvrtc


@pytest.fixture(params=["sm_75", "sm_120", "sm_90 -G"])
def load(request):
    """Return a function that compiles and loads a source in one of the two dialects, or for debugging."""
    return lambda source: Loaded(compile_cuda(source, *f"--gpu-architecture={request.param}".split()))


@pytest.mark.parametrize(
    "body",
    [
        "while (atomicCAS(lock, 0, 1) != 0); *count += 1; __threadfence(); atomicExch(lock, 0);",
        "for (bool done = false; !done;) if (atomicCAS(lock, 0, 1) == 0) {"
        " *count += 1; __threadfence(); atomicExch(lock, 0); done = true; }",
    ],
)
def test_every_thread_acquires_the_lock(load, body):
    loaded = load('extern "C" __global__ void k(int *lock, volatile int *count) {' + body + "}")
    lock, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
    loaded.launch("k", 4, 64, lock, count)
    assert (lock[0], count[0]) == (0, 256)


@pytest.mark.parametrize("writer", [5, 100])
def test_spin_wait_for_another_thread(load, writer):
    source = """extern "C" __global__ void k(int *out, int writer) {
        __shared__ volatile int flag; if (threadIdx.x == 0) flag = 0; __syncthreads();
        if (threadIdx.x == writer) flag = 7; else if (threadIdx.x < 32) { while (flag == 0);
        out[threadIdx.x] = flag; } }"""
    out = np.full(32, 7, np.int32)
    out[writer % 32] = 0
    load(source).launch("k", 1, 128, out, np.int32(writer))
    assert sum(out == 7) >= 31


def test_the_last_block_sees_writes_of_the_others(load):
    source = """__device__ unsigned arrived;
        extern "C" __global__ void k(const int *in, volatile int *parts, int *out) {
            __shared__ int s[64]; __shared__ bool last; int i = threadIdx.x; s[i] = in[blockIdx.x * 64 + i];
            __syncthreads();
            for (int n = 32; n; n /= 2) { if (i < n) s[i] += s[i + n]; __syncthreads(); }
            if (i == 0) { parts[blockIdx.x] = s[0]; __threadfence();
                last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1; }
            __syncthreads();
            if (last && i == 0) { int t = 0; for (int b = 0; b < gridDim.x; b++) t += parts[b]; *out = t; } }"""
    loaded = load(source)
    values = np.arange(3200, dtype=np.int32)
    for _ in range(10):
        parts, out = np.zeros(50, np.int32), np.zeros(1, np.int32)
        loaded.launch("k", 50, 64, values, parts, out)
        assert out[0] == values.sum()


@pytest.mark.skipif(bool(check.chosen() & check.SYNCCHECK), reason="CUDA leaves open what it does: synccheck tells")
def test_a_barrier_in_both_sides_of_a_branch(load, request, on_gpu):
    if on_gpu and "-G" in request.node.callspec.id:
        pytest.skip("CUDA leaves open what it does: an H200 did not return from code for debugging")
    source = """extern "C" __global__ void k(int *out) { __shared__ int s[64]; int i = threadIdx.x; s[i] = i;
        if (i & 1) { __syncthreads(); out[i] = s[63 - i]; } else { s[i] += 100; __syncthreads();
        out[i] = s[(i + 7) & 63]; } }"""
    out = np.zeros(64, np.int32)
    load(source).launch("k", 1, 64, out)
    lanes = np.arange(64)
    written = np.where(lanes & 1, lanes, lanes + 100)
    np.testing.assert_array_equal(out, np.where(lanes & 1, written[63 - lanes], written[(lanes + 7) & 63]))


def test_named_barriers(load):
    source = """extern "C" __global__ void k(int *out) { __shared__ int s[128]; int i = threadIdx.x; s[i] = i;
        if (i < 64) { asm volatile("bar.sync 1, 64;"); out[i] = s[63 - i]; }
        else { asm volatile("bar.sync 2, 64;"); out[i] = s[191 - i]; } }"""
    out = np.zeros(128, np.int32)
    load(source).launch("k", 1, 128, out)
    np.testing.assert_array_equal(out, np.r_[63:-1:-1, 127:63:-1])


def test_threads_that_exit_in_a_function_are_not_waited_for(load):
    source = """__device__ __noinline__ int f(int i) { if (i % 5 == 0) asm("exit;"); return i * 2; }
        extern "C" __global__ void k(int *out) { int v = f(threadIdx.x); __syncthreads(); out[threadIdx.x] = v; }"""
    out = np.full(96, -1, np.int32)
    load(source).launch("k", 1, 96, out)
    lanes = np.arange(96)
    np.testing.assert_array_equal(out, np.where(lanes % 5 == 0, -1, lanes * 2))


def test_branches_into_loops(load):
    source = """extern "C" __global__ void k(const int *in, int *out) { int i = threadIdx.x, x = in[i], s = 0;
        a: s += x; if (x & 1) goto b; x >>= 1; if (x > 3) goto a; goto c;
        b: x -= 3; s ^= x; if (x > 10) goto a; if (x > 5) goto c; x = x * 2 + 9; if (s < 1000) goto b;
        c: out[i] = s * 3 + x; }"""

    def expected(x: int) -> int:
        s, label = 0, "a"
        while label != "c":
            if label == "a":
                s += x
                if x & 1:
                    label = "b"
                    continue
                x >>= 1
                label = "a" if x > 3 else "c"
                continue
            x -= 3
            s ^= x
            if x > 10:
                label = "a"
            elif x > 5:
                label = "c"
            else:
                x = x * 2 + 9
                label = "b" if s < 1000 else "c"
        return s * 3 + x

    values, out = (np.arange(32) * 37 % 101).astype(np.int32), np.zeros(32, np.int32)
    load(source).launch("k", 2, 32, values, out)
    assert list(out) == [expected(int(x)) for x in values]


def test_divergent_recursion(load, request, on_gpu):
    if on_gpu and "-G" in request.node.callspec.id:
        pytest.skip("code for debugging needs more than a GPU's default stack of 1 KiB")
    source = """__device__ __noinline__ int walk(int n, int d) {
            if (n <= 0 || d > 60) return d; if (n % 3 == 0) return walk(n - 5, d + 1) + 1;
            if (n % 2) return walk(n - 1, d + 1);
            int a = walk(n / 2, d + 1); return a + walk(n / 4, d + 1); }
        extern "C" __global__ void k(int *out) { out[threadIdx.x] = walk(threadIdx.x * 7, 0); }"""

    def walk(n: int, d: int) -> int:
        if n <= 0 or d > 60:
            return d
        if n % 3 == 0:
            return walk(n - 5, d + 1) + 1
        return walk(n - 1, d + 1) if n % 2 else walk(n // 2, d + 1) + walk(n // 4, d + 1)

    out = np.zeros(64, np.int32)
    load(source).launch("k", 1, 64, out)
    assert list(out) == [walk(7 * i, 0) for i in range(64)]
