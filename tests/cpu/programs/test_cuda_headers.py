# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that include headers of the CUDA toolkit, CCCL and cuRAND."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.addresses import Table
from support.compilers import compile_cuda, include_option, is_clang
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
random = np.random.default_rng(5)


def load(
    source: str,
    needs: str = "cccl",
    arch: str = "sm_90",
    options: Sequence[str] = (),
    language: Sequence[str] = ("--std=c++17", "-default-device"),
) -> Loaded:
    """Compile a program; skip the test where the header (or folder) `needs` is not installed.

    clang gets no headers but its own, and those of CCCL where the program includes them.
    """
    folder = pathlib.Path(include_option("cccl" if needs == "cccl" else "").partition("=")[2])
    if not (folder if needs == "cccl" else folder / needs).exists():
        pytest.skip(f"{needs} is not installed")
    found = [include_option(), include_option("cccl")]
    if is_clang():
        found = found[1:] if "<cub/" in source or "<cuda/" in source else []
    options = (*found, *language, *options)
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


OF_HALVES = {
    "hexp": np.exp, "hlog": np.log, "hsin": np.sin, "hcos": np.cos, "hsqrt": np.sqrt,
    "hrsqrt": lambda x: 1 / np.sqrt(x), "hrcp": lambda x: 1 / x,
    "hexp2": np.exp2, "hexp10": lambda x: 10**x, "hlog2": np.log2, "hlog10": np.log10,
    "hfloor": np.floor, "hceil": np.ceil, "htrunc": np.trunc, "hrint": np.rint, "htanh": np.tanh, "__hneg": np.negative,
}  # fmt: skip


def test_functions_of_halves_and_bfloats():
    both = "".join(f"F({i}, {name})" for i, name in enumerate(OF_HALVES))
    source = f"""#include <cuda_fp16.h>
        #include <cuda_bf16.h>
        #define F(i, name) h[i * n + t] = name(a); b[i * n + t] = name(c);
        extern "C" __global__ void one(const float *x, __half *h, __nv_bfloat16 *b, int n) {{ int t = threadIdx.x;
            __half a = __float2half(x[t]); __nv_bfloat16 c = __float2bfloat16(x[t]); {both} }}
        extern "C" __global__ void two(const __half2 *x, __half2 *o, unsigned *w, int n) {{ int t = threadIdx.x;
            __half2 a = x[t], b = __lowhigh2highlow(a); o += t; o[0] = __hadd2(a, b); o[n] = __hmul2(a, b);
            o[2 * n] = __hfma2(a, b, a); o[3 * n] = __hsub2_sat(a, b); o[4 * n] = __hmin2(a, b);
            o[5 * n] = __hmax2_nan(a, b); o[6 * n] = __hfma2_relu(a, b, b); w += t; w[0] = __heq2_mask(a, a);
            w[n] = __hbgt2(a, b) + 2 * __hlt(__low2half(a), __low2half(b)); w[2 * n] = __half2int_rz(__low2half(a));
            w[3 * n] = __half2ushort_rn(__habs(__high2half(a))); }}"""
    loaded, x = load(source, "cuda_fp16.h"), np.exp(random.uniform(-2, 1.4, 64)).astype(np.float32)
    halves, bfloats = (np.zeros((len(OF_HALVES), 64), kind) for kind in (np.float16, ml_dtypes.bfloat16))
    loaded.launch("one", 1, 64, x, halves, bfloats, np.int32(64))
    for i, exact in enumerate(OF_HALVES.values()):
        for found, spacing in ((halves[i], 2.0**-10), (bfloats[i], 2.0**-7)):
            expected = exact(x.astype(found.dtype).astype(np.float64))
            np.testing.assert_allclose(found.astype(np.float64), expected, rtol=spacing, atol=spacing / 100)

    pairs, words = (random.standard_normal((64, 2)) * 4).astype(np.float16), np.zeros(256, np.uint32)
    out = np.zeros((7, 64, 2), np.float16)
    loaded.launch("two", 1, 64, pairs, out, words, np.int32(64))
    a = pairs.astype(np.float64)
    b = a[:, ::-1]
    expected = [a + b, a * b, a * b + a, np.clip(a - b, 0, 1), np.minimum(a, b), np.maximum(a, b)]
    expected.append(np.maximum(a * b + b, 0))
    np.testing.assert_array_equal(out, np.array(expected).astype(np.float16))
    masks, compared, whole, rounded = words.reshape(4, 64)
    assert set(masks) == {2**32 - 1}
    np.testing.assert_array_equal(compared, (a > b).all(1) + 2 * (a < b)[:, 0])
    np.testing.assert_array_equal(whole.view(np.int32), np.trunc(a[:, 0]))
    np.testing.assert_array_equal(rounded, np.rint(np.abs(a[:, 1])))


MATRICES = [  # element, element in the fragment, of the sum, the same for NumPy, and the shape
    ("__nv_bfloat16", "__nv_bfloat16", "float", ml_dtypes.bfloat16, np.float32, (16, 16, 16)),
    ("float", "precision::tf32", "float", np.float32, np.float32, (16, 16, 8)),
    ("signed char", "signed char", "int", np.int8, np.int32, (32, 8, 16)),
    ("unsigned char", "unsigned char", "int", np.uint8, np.int32, (8, 32, 16)),
    ("double", "double", "double", np.float64, np.float64, (8, 8, 4)),
    ("half", "half", "half", np.float16, np.float16, (32, 8, 16)),
    ("half", "half", "float", np.float16, np.float32, (16, 16, 16)),
]


def test_fragments_of_all_types():
    source = """#include <mma.h>
        using namespace nvcuda::wmma;
        template <class T, class A, class C, int M, int N, int K>
        __device__ void multiply(const void *a, const void *b, void *c) { fragment<matrix_a, M, N, K, A, row_major> l;
            fragment<matrix_b, M, N, K, A, col_major> r; fragment<accumulator, M, N, K, C> s; fill_fragment(s, (C)1);
            load_matrix_sync(l, (const T *)a, K); load_matrix_sync(r, (const T *)b, K); mma_sync(s, l, r, s);
            for (int i = 0; i < s.num_elements; i++) s.x[i] *= 2;
            store_matrix_sync((C *)c, s, N, mem_row_major); }
        extern "C" __global__ void k(void *const *p) {"""
    matrices = []
    for i, (element, kept, sum_, dtype, result, (m, n, k)) in enumerate(MATRICES):
        source += f"multiply<{element}, {kept}, {sum_}, {m}, {n}, {k}>(p[{3 * i}], p[{3 * i + 1}], p[{3 * i + 2}]);\n"
        least = 0 if dtype is np.uint8 else -4
        matrices += [random.integers(least, 5, shape).astype(dtype) for shape in ((m, k), (n, k))]
        matrices.append(np.zeros((m, n), result))
    load(source + "}", "mma.h").launch("k", 1, 32, Table(matrices))
    for a, b, c in zip(*(iter(matrices),) * 3, strict=True):
        np.testing.assert_array_equal(c.astype(np.float64), 2 * (a.astype(np.float64) @ b.astype(np.float64).T + 1))
