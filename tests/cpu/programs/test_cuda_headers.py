# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that lean on the headers of the toolkit, of CCCL and of cuRAND."""

from __future__ import annotations

import cmath
import pathlib

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda, include_option
from support.loaded import Loaded

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
random = np.random.default_rng(5)


def load(source: str, needs: str = "cccl", arch: str = "sm_90") -> Loaded:
    """Compile a program; skip the test where the header (or folder) `needs` is not installed."""
    folder = pathlib.Path(include_option().partition("=")[2])
    if not (folder / needs).exists():
        pytest.skip(f"{needs} is not installed")
    options = (include_option(), include_option("cccl"), "--std=c++17", "-default-device")
    return Loaded(compile_cuda(source, f"--gpu-architecture={arch}", *options))


def test_cub():
    source = """#include <cub/warp/warp_reduce.cuh>
        #include <cub/warp/warp_scan.cuh>
        #include <cub/block/block_reduce.cuh>
        #include <cub/block/block_histogram.cuh>
        #include <cub/block/block_load.cuh>
        #include <cub/block/block_store.cuh>
        #include <cub/block/block_discontinuity.cuh>
        #include <cub/block/block_merge_sort.cuh>
        #include <cub/thread/thread_search.cuh>
        extern "C" __global__ void k(const int *in, int *out) {
            typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
            typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
            typedef cub::BlockReduce<int, 64> Reduce; typedef cub::BlockMergeSort<int, 64, 4> Sort;
            typedef cub::BlockDiscontinuity<int, 64> Heads; typedef cub::BlockHistogram<unsigned char, 64, 4, 16> Bins;
            typedef cub::WarpReduce<int> Sum; typedef cub::WarpScan<int> Scan;
            __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store;
                typename Reduce::TempStorage reduce; typename Sort::TempStorage sort; typename Heads::TempStorage heads;
                typename Bins::TempStorage bins; } room;
            __shared__ typename Sum::TempStorage sums[2]; __shared__ typename Scan::TempStorage scans[2];
            __shared__ int bins[16]; int v[4], heads[4], t = threadIdx.x; unsigned char low[4];
            Load(room.load).Load(in, v); __syncthreads();
            int sum = Reduce(room.reduce).Sum(v); __syncthreads();
            Sort(room.sort).Sort(v, [](int a, int b) { return a < b; }); __syncthreads();
            Heads(room.heads).FlagHeads(heads, v, [](int a, int b) { return a != b; }); __syncthreads();
            for (int i = 0; i < 4; i++) low[i] = v[i] & 15;
            Bins(room.bins).Histogram(low, bins); __syncthreads();
            Store(room.store).Store(out, v); __syncthreads(); Store(room.store).Store(out + 256, heads);
            if (t == 0) out[512] = sum;
            if (t < 16) out[513 + t] = bins[t];
            int s; Scan(scans[t / 32]).InclusiveSum(t, s); out[529 + t] = s;
            int w = Sum(sums[t / 32]).Sum(t % 3); if (t % 32 == 0) out[593 + t / 32] = w;
            out[595 + t] = cub::UpperBound(in + 256, 16, t); }"""
    values = np.concatenate([random.integers(0, 100, 256), np.sort(random.integers(0, 60, 16))]).astype(np.int32)
    out = np.zeros(659, np.int32)
    load(source).launch("k", 1, 64, values, out)
    ordered, threads = np.sort(values[:256]), np.arange(64)
    np.testing.assert_array_equal(out[:256], ordered)
    np.testing.assert_array_equal(out[256:512], np.diff(ordered, prepend=-1) != 0)
    assert out[512] == ordered.sum()
    np.testing.assert_array_equal(out[513:529], np.bincount(ordered & 15, minlength=16))
    np.testing.assert_array_equal(out[529:593], np.concatenate([np.cumsum(threads[:32]), np.cumsum(threads[32:])]))
    np.testing.assert_array_equal(out[593:595], (threads % 3).reshape(2, 32).sum(1))
    np.testing.assert_array_equal(out[595:], np.searchsorted(values[256:], threads, "right"))


def test_atomics_of_libcudacxx():
    source = """#include <cuda/atomic>
        #include <cuda/semaphore>
        extern "C" __global__ void k(int *p, unsigned long long *q, float *f) {
            cuda::atomic_ref<int, cuda::thread_scope_device> a(p[0]); cuda::atomic_ref<unsigned long long> b(*q);
            a.fetch_add(threadIdx.x, cuda::std::memory_order_relaxed); b.fetch_max(threadIdx.x * 3ull);
            cuda::atomic_ref<float> c(*f); c.fetch_add(0.5f);
            cuda::atomic_ref<int> d(p[2]); int seen = d.load();
            while (!d.compare_exchange_weak(seen, seen + 2)) {}
            __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one; __shared__ int n;
            if (threadIdx.x == 0) { new (&one) cuda::binary_semaphore<cuda::thread_scope_block>(1); n = 0; }
            __syncthreads(); one.acquire(); n = n + 1; one.release(); __syncthreads();
            if (threadIdx.x == 0) atomicAdd(&p[1], n); }"""
    p, q, f = np.zeros(3, np.int32), np.zeros(1, np.uint64), np.zeros(1, np.float32)
    load(source, arch="sm_120").launch("k", 3, 96, p, q, f)
    assert (p.tolist(), q[0], f[0]) == ([3 * 96 * 95 // 2, 288, 576], 285, 144.0)


def test_standard_library():
    source = """#include <cuda/std/complex>
        #include <cuda/std/tuple>
        #include <cuda/std/array>
        #include <cuda/std/optional>
        #include <cuda/std/limits>
        #include <cuda/std/bit>
        #include <cuda/std/cmath>
        #include <cuda/std/numeric>
        #include <cuda/std/mdspan>
        extern "C" __global__ void k(float *o, const float *in) {
            cuda::std::complex<float> z(in[0], in[1]); auto w = z * z + exp(z); o[0] = w.real(); o[1] = abs(w);
            auto t = cuda::std::make_tuple(1, 2.5f); o[2] = cuda::std::get<1>(t);
            cuda::std::array<int, 4> a{4, 1, 3, 2}; o[3] = cuda::std::accumulate(a.begin(), a.end(), 0);
            cuda::std::optional<int> q; o[4] = q.value_or(7);
            o[5] = cuda::std::popcount(0xF0u) + cuda::std::countl_zero(1u);
            o[6] = cuda::std::numeric_limits<float>::max() > 1e38f;
            cuda::std::mdspan<const float, cuda::std::extents<int, 2, 2>> m(in);
            o[7] = m(1, 1) + cuda::std::sqrt(in[0]); }"""
    given, out = np.array([0.5, -1.25, 3, 8], np.float32), np.zeros(8, np.float32)
    load(source).launch("k", 1, 1, out, given)
    z = complex(0.5, -1.25)
    w = z * z + cmath.exp(z)
    np.testing.assert_allclose(out, [w.real, abs(w), 2.5, 10, 7, 35, 1, 8 + 0.5**0.5], rtol=1e-6)


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_small_floats(arch):
    source = """#include <cuda_fp16.h>
        #include <cuda_bf16.h>
        #include <cuda_fp8.h>
        #include <cuda_fp6.h>
        #include <cuda_fp4.h>
        extern "C" __global__ void k(const float *in, float *o) {
            float x = in[threadIdx.x]; o += threadIdx.x * 9; __half h = __float2half(x);
            o[0] = __half2float(__habs(h) * h + __float2half(1.0f)); __nv_bfloat16 b = __float2bfloat16(x);
            o[1] = __bfloat162float(b * b); __half2 two = __floats2half2_rn(x, x + 1);
            o[2] = __high2float(__hadd2(two, two)); o[3] = float(__nv_fp8_e4m3(x)); o[4] = float(__nv_fp8_e5m2(x));
            o[5] = float(__nv_fp6_e2m3(x)); o[6] = float(__nv_fp6_e3m2(x)); o[7] = float(__nv_fp4_e2m1(x));
            o[8] = __low2float(__hmax2(__floats2bfloat162_rn(x, -x), __floats2bfloat162_rn(-x, x))); }"""
    x = np.concatenate([random.standard_normal(24) * 4, [0, 0.3, -0.1, 5.9, -27, 7.6, 0.01, -2.5]]).astype(np.float32)
    out = np.zeros((32, 9), np.float32)
    load(source, "cuda_fp8.h", arch).launch("k", 1, 32, x, out)
    half, brain = x.astype(np.float16), x.astype(ml_dtypes.bfloat16)

    def through(kind: object, most: float) -> np.ndarray:
        return np.clip(x, -most, most).astype(kind).astype(np.float32)

    fused = (half.astype(np.float64) * np.abs(half.astype(np.float64))).astype(np.float16) + np.float16(1)
    np.testing.assert_allclose(out[:, 0], fused.astype(np.float32), rtol=2e-3, atol=1e-3)  # fused or not
    np.testing.assert_array_equal(out[:, 1], (brain * brain).astype(np.float32))
    np.testing.assert_array_equal(out[:, 2], 2 * (x + np.float32(1)).astype(np.float16).astype(np.float32))
    np.testing.assert_array_equal(out[:, 3], through(ml_dtypes.float8_e4m3fn, 448))
    np.testing.assert_array_equal(out[:, 4], through(ml_dtypes.float8_e5m2, 57344))
    np.testing.assert_array_equal(out[:, 5], through(ml_dtypes.float6_e2m3fn, 7.5))
    np.testing.assert_array_equal(out[:, 6], through(ml_dtypes.float6_e3m2fn, 28))
    np.testing.assert_array_equal(out[:, 7], through(ml_dtypes.float4_e2m1fn, 6))
    np.testing.assert_array_equal(out[:, 8], np.abs(brain.astype(np.float32)))


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Return the four words of Philox 4x32 with ten rounds (Salmon and others, 2011)."""
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ key[0], second % 2**32, first >> 32 ^ counter[3] ^ key[1], first % 2**32]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


def test_random_numbers_of_curand():
    source = """#include <curand_kernel.h>
        extern "C" __global__ void k(unsigned *words, float *o) {
            curandStatePhilox4_32_10_t a; curand_init(42, threadIdx.x, 0, &a); uint4 four = curand4(&a);
            ((uint4 *)words)[threadIdx.x] = four; o[threadIdx.x] = curand_uniform(&a); curandStateXORWOW_t b;
            curand_init(7, threadIdx.x, 3, &b); float sum = 0, square = 0;
            for (int i = 0; i < 500; i++) { float x = curand_normal(&b); sum += x; square += x * x; }
            o[64 + threadIdx.x] = sum / 500; o[128 + threadIdx.x] = square / 500; }"""
    words, out = np.zeros((64, 4), np.uint32), np.zeros(192, np.float32)
    load(source, "curand_kernel.h").launch("k", 1, 64, words, out)
    assert words.tolist() == [philox([0, 0, thread, 0], [42, 0]) for thread in range(64)]
    following = np.array([philox([1, 0, thread, 0], [42, 0])[0] for thread in range(64)])
    np.testing.assert_allclose(out[:64], following * 2.0**-32 + 2.0**-33, rtol=1e-6)
    assert abs(out[64:128].mean()) < 0.03
    assert abs(out[128:].mean() - 1) < 0.05


def test_scans_and_copies_of_groups():
    source = """#include <cooperative_groups.h>
        #include <cooperative_groups/scan.h>
        #include <cooperative_groups/memcpy_async.h>
        namespace cg = cooperative_groups;
        extern "C" __global__ void k(int *o) {
            auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<32>(block); __shared__ int s[64];
            o[threadIdx.x] = cg::inclusive_scan(tile, (int)threadIdx.x); block.sync();
            cg::memcpy_async(block, s, o, 256); cg::wait(block); o[64 + threadIdx.x] = s[63 - threadIdx.x]; }"""
    out = np.zeros(128, np.int32)
    load(source).launch("k", 1, 64, out)
    sums = np.arange(64).reshape(2, 32).cumsum(1).ravel()
    np.testing.assert_array_equal(out, [*sums, *sums[::-1]])


def test_fragments_of_mma_h():
    source = """#include <mma.h>
        using namespace nvcuda::wmma;
        extern "C" __global__ void k(const half *a, const half *b, float *c) {
            fragment<matrix_a, 16, 16, 16, half, row_major> left; fragment<matrix_b, 16, 16, 16, half, col_major> right;
            fragment<accumulator, 16, 16, 16, float> sum; fill_fragment(sum, 0.5f); load_matrix_sync(left, a, 16);
            load_matrix_sync(right, b, 16); mma_sync(sum, left, right, sum);
            for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
            store_matrix_sync(c, sum, 16, mem_row_major); }"""
    a, b = (random.integers(-3, 4, (16, 16)).astype(np.float16) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    load(source, "mma.h").launch("k", 1, 32, a, b, c)
    np.testing.assert_array_equal(c, 2 * (a.astype(np.float32) @ b.astype(np.float32).T + 0.5))
