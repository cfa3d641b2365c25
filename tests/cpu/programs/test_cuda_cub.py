# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUB's block and warp algorithms, its decoupled look-back between blocks, and cuRAND's generators."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from operator import xor

import numpy as np
import pytest
from test_cuda_headers import load

pytestmark = pytest.mark.needs_nvrtc
random = np.random.default_rng(8)


LOOK_BACK = """#include <cub/block/block_scan.cuh>
    #include <cub/agent/single_pass_scan_operators.cuh>
    typedef cub::ScanTileState<T> State; typedef cub::TilePrefixCallbackOp<T, cuda::std::plus<>, State> Prefix;
    extern "C" __global__ void begin(char *memory, int tiles) {
        State state; size_t size = 1 << 20; state.Init(tiles, memory, size); state.InitializeStatus(tiles); }
    extern "C" __global__ void scan(char *memory, int tiles, unsigned *next, const T *in, T *out) {
        typedef cub::BlockScan<T, 128> Scan; __shared__ int tile;
        __shared__ union { typename Scan::TempStorage scan; } room; __shared__ typename Prefix::TempStorage prefix;
        State state; state.Init(tiles, memory, 1 << 20);
        if (threadIdx.x == 0) tile = atomicAdd(next, 1);
        __syncthreads(); int mine = TICKETS ? tile : blockIdx.x;
        T v[3], sum; for (int i = 0; i < 3; i++) v[i] = in[(mine * 128 + threadIdx.x) * 3 + i];
        if (mine == 0) { Scan(room.scan).InclusiveSum(v, v, sum);
            if (threadIdx.x == 0) state.SetInclusive(0, sum); }
        else { Prefix before(state, prefix, cuda::std::plus<>{}, mine);
            Scan(room.scan).InclusiveSum(v, v, before); }
        for (int i = 0; i < 3; i++) out[(mine * 128 + threadIdx.x) * 3 + i] = v[i]; }"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
@pytest.mark.parametrize("type_", ["int", "float", "double", "long long"])
@pytest.mark.parametrize("tickets", [0, 1])
def test_decoupled_look_back_between_blocks(arch, type_, tickets):
    tiles, dtype = 50, {"int": np.int32, "float": np.float32, "double": np.float64, "long long": np.int64}[type_]
    text = f"#define TICKETS {tickets}\ntypedef {type_} T;\n"
    loaded = load(text + LOOK_BACK, arch=arch)
    values = random.integers(-9, 9, tiles * 384).astype(dtype)
    for _ in range(10):  # a missing order between blocks shows only now and then
        memory, next_, out = np.zeros(1 << 20, np.uint8), np.zeros(1, np.uint32), np.zeros_like(values)
        loaded.launch("begin", 1, 128, memory, np.int32(tiles))
        loaded.launch("scan", tiles, 128, memory, np.int32(tiles), next_, values, out)
        np.testing.assert_array_equal(out, np.cumsum(values))


def test_algorithms_of_blocks_and_warps():
    source = """#include <cub/block/block_adjacent_difference.cuh>
        #include <cub/block/block_exchange.cuh>
        #include <cub/block/block_radix_rank.cuh>
        #include <cub/block/block_run_length_decode.cuh>
        #include <cub/block/block_shuffle.cuh>
        #include <cub/block/block_reduce.cuh>
        #include <cub/warp/warp_exchange.cuh>
        #include <cub/warp/warp_merge_sort.cuh>
        #include <cub/warp/warp_load.cuh>
        #include <cub/warp/warp_store.cuh>
        extern "C" __global__ void k(const int *in, int *out) {
            typedef cub::BlockAdjacentDifference<int, 64> Difference; typedef cub::BlockExchange<int, 64, 4> Exchange;
            typedef cub::BlockShuffle<int, 64> Shuffle; typedef cub::BlockRunLengthDecode<int, 64, 1, 4> Decode;
            typedef cub::BlockReduce<int, 64, cub::BLOCK_REDUCE_RAKING> Raking;
            typedef cub::BlockReduce<int, 64, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY> Commutative;
            typedef cub::WarpMergeSort<int, 4, 16> Sort; typedef cub::WarpExchange<int, 4, 32> InWarp;
            __shared__ union { typename Difference::TempStorage difference; typename Exchange::TempStorage exchange;
                typename Shuffle::TempStorage shuffle; typename Decode::TempStorage decode;
                typename Raking::TempStorage raking; typename Commutative::TempStorage commutative;
                typename Sort::TempStorage sort[4]; typename InWarp::TempStorage warp[2]; } room;
            int t = threadIdx.x, v[4], w[4];
            for (int i = 0; i < 4; i++) v[i] = in[t * 4 + i];
            Difference(room.difference).SubtractLeft(v, w, cuda::std::minus<>{});
            for (int i = 0; i < 4; i++) out[t * 4 + i] = w[i];
            __syncthreads(); Exchange(room.exchange).BlockedToStriped(v, w);
            for (int i = 0; i < 4; i++) out[256 + t * 4 + i] = w[i];
            __syncthreads(); int up; Shuffle(room.shuffle).Offset(v[0], up, -1); out[512 + t] = t ? up : 0;
            __syncthreads(); int sum = Raking(room.raking).Sum(v); if (t == 0) out[576] = sum;
            __syncthreads(); sum = Commutative(room.commutative).Sum(v); if (t == 0) out[577] = sum;
            __syncthreads(); Sort(room.sort[t / 16]).Sort(v, [](int a, int b) { return a < b; });
            for (int i = 0; i < 4; i++) out[578 + t * 4 + i] = v[i];
            __syncthreads(); for (int i = 0; i < 4; i++) v[i] = in[t * 4 + i];
            InWarp(room.warp[t / 32]).StripedToBlocked(v, w); for (int i = 0; i < 4; i++) out[834 + t * 4 + i] = w[i];
            __syncthreads(); int value[1] = {t * 10}, length[1] = {t % 3 + 1}, total, decoded[4];
            Decode runs(room.decode, value, length, total); runs.RunLengthDecode(decoded, 0);
            for (int i = 0; i < 4; i++) if (t * 4 + i < total) out[1090 + t * 4 + i] = decoded[i]; }"""
    values, out = random.integers(0, 1000, 256).astype(np.int32), np.zeros(1090 + 127, np.int32)
    load(source).launch("k", 1, 64, values, out)
    np.testing.assert_array_equal(out[:256], [values[0], *np.diff(values)])
    np.testing.assert_array_equal(out[256:512], values.reshape(4, 64).T.ravel())
    np.testing.assert_array_equal(out[512:576], [0, *values[:-4:4]])
    assert out[576] == out[577] == values.sum()
    np.testing.assert_array_equal(out[578:834], np.sort(values.reshape(4, 64), 1).ravel())
    given = values.reshape(2, 32, 4)  # item i of lane t is element 32 * i + t of a striped arrangement
    np.testing.assert_array_equal(out[834:1090].reshape(2, 32, 4), given.transpose(0, 2, 1).reshape(2, 32, 4))
    threads = np.arange(64)
    np.testing.assert_array_equal(out[1090:], np.repeat(threads * 10, threads % 3 + 1))


def mrg32k3a() -> Iterator[int]:
    """Yield the output of MRG32k3a with all state words 12345 (L'Ecuyer, 1999)."""
    a, b = [12345] * 3, [12345] * 3
    while True:
        a = [*a[1:], (1403580 * a[1] - 810728 * a[0]) % 4294967087]
        b = [*b[1:], (527612 * b[2] - 1370589 * b[0]) % 4294944443]
        yield (a[2] - b[2]) % 4294967087


def sobol(directions: list[int], position: int) -> int:
    """Return an element of a Sobol sequence, in the order of Gray codes (Antonov and Saleev, 1979)."""
    code = position ^ position >> 1
    return functools.reduce(xor, (word for bit, word in enumerate(directions) if code >> bit & 1), 0)


def test_generators_of_curand():
    source = """#include <curand_kernel.h>
        extern "C" __global__ void k(unsigned *words, float *o, double *d) { int t = threadIdx.x;
            curandStateMRG32k3a a; curand_init(0, t, 0, &a);
            if (t == 0) for (int i = 0; i < 8; i++) words[128 + i] = curand(&a);
            curandStateXORWOW_t b; curand_init(5, t, 0, &b);
            curandStateXORWOW_t c = b; skipahead(7, &c); for (int i = 0; i < 7; i++) curand(&b);
            words[t] = curand(&b) == curand(&c);
            curandStatePhilox4_32_10_t e; curand_init(9, t, 0, &e);
            double normal = 0, square = 0, log_normal = 0; unsigned counts = 0;
            for (int i = 0; i < 500; i++) { double x = curand_normal_double(&e); normal += x; square += x * x;
                log_normal += log(curand_log_normal_double(&e, 0.5, 0.25)); counts += curand_poisson(&e, 4.0);
                o[t] += curand_uniform(&a); }
            d[t] = normal / 500; d[64 + t] = square / 500; d[128 + t] = log_normal / 500; words[64 + t] = counts; }
        typedef unsigned long long Long;
        extern "C" __global__ void sobol(unsigned (*v)[32], Long (*w)[64], unsigned *o, Long *q, float *f) {
            int t = threadIdx.x; curandStateSobol32_t a; curand_init(v[t & 3], 5 * t, &a); o += 8 * t; q += 8 * t;
            curandStateScrambledSobol32_t b; curand_init(v[t & 3], 12345u, 5 * t, &b);
            curandStateSobol64_t c; curand_init(w[t & 3], 5 * t, &c);
            curandStateScrambledSobol64_t d; curand_init(w[t & 3], 1ull << 63 | 77, 5 * t, &d);
            for (int i = 0; i < 3; i++) {
                o[i] = curand(&a); o[4 + i] = curand(&b); q[i] = curand(&c); q[4 + i] = curand(&d); }
            skipahead(1000u, &a); skipahead(1000ull, &d); o[3] = curand(&a); q[7] = curand(&d);
            f[t] = curand_uniform(&b); }
"""
    words, sums, d = np.zeros(136, np.uint32), np.zeros(64, np.float32), np.zeros(192)
    loaded = load(source, "curand_kernel.h")
    loaded.launch("k", 1, 64, words, sums, d)
    assert words[:64].all()  # skipping gives the same state as drawing
    assert abs(words[64:128].mean() / 500 - 4) < 0.05
    assert words[128:].tolist() == [int(word * 2**32 / 4294967087) for word in itertools.islice(mrg32k3a(), 8)]
    assert abs(d[:64].mean()) < 0.03
    assert abs(d[64:128].mean() - 1) < 0.05
    assert abs(d[128:].mean() - 0.5) < 0.02
    assert abs(sums.mean() / 500 - 0.5) < 0.01

    vectors = [random.integers(0, 2**bits, (4, bits), f"u{bits // 8}") for bits in (32, 64)]
    short, long, uniform = np.zeros((64, 8), np.uint32), np.zeros((64, 8), np.uint64), np.zeros(64, np.float32)
    loaded.launch("sobol", 1, 64, *vectors, short, long, uniform)
    for thread in range(64):
        rows = [each[thread % 4].tolist() for each in vectors]
        positions = [5 * thread, 5 * thread + 1, 5 * thread + 2, 5 * thread + 1003]
        plain, wide = ([sobol(row, position) for position in positions] for row in rows)
        assert short[thread].tolist()[:7] == plain + [word ^ 12345 for word in plain[:3]]
        assert long[thread].tolist()[:3] == wide[:3]
        assert long[thread].tolist()[4:] == [word ^ (1 << 63 | 77) for word in wide]
        assert abs(uniform[thread] - (sobol(rows[0], 5 * thread + 3) ^ 12345) * 2.0**-32) < 1e-6
