# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUB's block and warp collectives with all algorithms for loads, stores, exchanges, scans, ranks and sorts."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest
from support.addresses import Table
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
random = np.random.default_rng(12)
THREADS, ITEMS = 128, 3
TILE = THREADS * ITEMS
LAYOUTS = ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED"]
SCANS = ["RAKING", "RAKING_MEMOIZE", "WARP_SCANS"]
SORTED = ["signed char", "unsigned short", "int", "unsigned long long", "__half", "__nv_bfloat16", "float", "double"]
DTYPES = [np.int8, np.uint16, np.int32, np.uint64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64]

BLOCKS = """#include <cub/block/block_exchange.cuh>
    #include <cub/block/block_discontinuity.cuh>
    #include <cub/block/block_load.cuh>
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_shuffle.cuh>
    #include <cub/block/block_store.cuh>
    #include <cub/warp/warp_exchange.cuh>
    #include <cub/warp/warp_load.cuh>
    #include <cub/warp/warp_reduce.cuh>
    #include <cub/warp/warp_scan.cuh>
    #include <cub/warp/warp_store.cuh>
    constexpr int T = 128, I = 3;
    template <cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S> __device__
        void move(const int *in, int *out, int n) {
        typedef cub::BlockLoad<int, T, I, L> Load; typedef cub::BlockStore<int, T, I, S> Store;
        __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } room; int v[I];
        __syncthreads(); Load(room.load).Load(in, v); for (int &x : v) x = x * 2 + threadIdx.x; __syncthreads();
        Store(room.store).Store(out, v); __syncthreads();
        Load(room.load).Load(in, v, n, -1); for (int &x : v) x++; __syncthreads();
        Store(room.store).Store(out + T * I, v, n); }
    extern "C" __global__ void moves(const int *in, int *out, int n) { MOVES }
    template <cub::BlockScanAlgorithm A> __device__ void scan(const int *in, int *out) {
        typedef cub::BlockScan<int, T, A> Scan; __shared__ typename Scan::TempStorage room;
        int t = threadIdx.x, v[I], w[I]; for (int i = 0; i < I; i++) v[i] = in[t * I + i];
        int all; __syncthreads(); Scan(room).ExclusiveSum(v, w, all); for (int i = 0; i < I; i++) out[t * I + i] = w[i];
        __syncthreads(); Scan(room).InclusiveScan(v, w, [](int a, int b) { return a > b ? a : b; });
        out += T * I; for (int i = 0; i < I; i++) out[t * I + i] = w[i];
        __syncthreads(); Scan(room).ExclusiveScan(v, w, 1000, [](int a, int b) { return a < b ? a : b; });
        out += T * I; for (int i = 0; i < I; i++) out[t * I + i] = w[i];
        if (t == 0) out[T * I] = all; }
    extern "C" __global__ void scans(const int *in, int *out) { SCANS }
    template <bool S> __device__ void exchange(const int *in, int *&o) {
        typedef cub::BlockExchange<int, T, I, S> Exchange; __shared__ typename Exchange::TempStorage room;
        int t = threadIdx.x, v[I], w[I], ranks[I]; for (int i = 0; i < I; i++) v[i] = in[t * I + i];
        auto put = [&] { for (int i = 0; i < I; i++) o[t * I + i] = w[i]; o += T * I; __syncthreads(); };
        __syncthreads(); Exchange(room).BlockedToStriped(v, w); put(); Exchange(room).StripedToBlocked(v, w); put();
        Exchange(room).BlockedToWarpStriped(v, w); put(); Exchange(room).WarpStripedToBlocked(v, w); put();
        for (int i = 0; i < I; i++) ranks[i] = (t * I + i) * 5 % (T * I);
        Exchange(room).ScatterToBlocked(v, w, ranks); put(); Exchange(room).ScatterToStriped(v, w, ranks); put(); }
    extern "C" __global__ void exchanges(const int *in, int *o) { exchange<false>(in, o); exchange<true>(in, o);
        typedef cub::BlockShuffle<int, T> Shuffle; __shared__ typename Shuffle::TempStorage room;
        typedef cub::BlockDiscontinuity<int, T> Edges; __shared__ typename Edges::TempStorage edges;
        int t = threadIdx.x, x, v[I], h[I], e[I]; for (int i = 0; i < I; i++) v[i] = in[t * I + i] / 20;
        Edges(edges).FlagHeadsAndTails(h, e, v, [](int a, int b) { return a != b; });
        for (int i = 0; i < I; i++) o[t * I + i] = h[i] + 2 * e[i];
        o += T * I; Shuffle(room).Rotate(in[t], x, 5); o[t] = x; __syncthreads(); int up[I];
        Shuffle(room).Up(v, up); for (int i = 0; i < I; i++) o[T + t * I + i] = t + i ? up[i] : 0; }
    template <int N> __device__ void warp(const int *in, int *&o) { int t = threadIdx.x, x = in[t], s, a, least;
        typedef cub::WarpScan<int, N> Scan; typedef cub::WarpReduce<int, N> Reduce; __shared__ union {
            typename Scan::TempStorage scan[T / N]; typename Reduce::TempStorage reduce[T / N]; } room;
        Scan(room.scan[t / N]).InclusiveSum(x, s, a); o[t] = s; o[T + t] = a; __syncthreads();
        Scan(room.scan[t / N]).ExclusiveScan(x, least, 50, [](int p, int q) { return p < q ? p : q; });
        o[2 * T + t] = least; __syncthreads(); s = Reduce(room.reduce[t / N]).HeadSegmentedSum(x, t % 3 == 0);
        o[3 * T + t] = t % N == 0 || t % 3 == 0 ? s : 0; __syncthreads();
        s = Reduce(room.reduce[t / N]).Reduce(x, cuda::maximum<>{}, (N + 1) / 2); o[4 * T + t] = t % N ? 0 : s;
        o += 5 * T; __syncthreads(); }
    template <cub::WarpLoadAlgorithm L, cub::WarpStoreAlgorithm S, int N> __device__
        void lanes(const int *in, int *&o) { int w = threadIdx.x / N, v[I];
        typedef cub::WarpLoad<int, I, L, N> Load; typedef cub::WarpStore<int, I, S, N> Store;
        __shared__ union { typename Load::TempStorage load[T / N]; typename Store::TempStorage store[T / N]; } room;
        Load(room.load[w]).Load(in + w * N * I, v, N * I - 2, 7); __syncthreads();
        for (int &x : v) x += threadIdx.x % N;
        Store(room.store[w]).Store(o + w * N * I, v); o += T * I; __syncthreads(); }
    extern "C" __global__ void warps(const int *in, int *o) { warp<32>(in, o); warp<16>(in, o); warp<8>(in, o);
        lanes<cub::WARP_LOAD_DIRECT, cub::WARP_STORE_DIRECT, 32>(in, o);
        lanes<cub::WARP_LOAD_STRIPED, cub::WARP_STORE_STRIPED, 16>(in, o);
        lanes<cub::WARP_LOAD_TRANSPOSE, cub::WARP_STORE_TRANSPOSE, 8>(in, o); }"""


@functools.cache
def blocks():
    moves = "".join(f"move<cub::BLOCK_LOAD_{way}, cub::BLOCK_STORE_{way}>(in, out + {2 * TILE * i}, n);\n"
                    for i, way in enumerate(LAYOUTS))  # fmt: skip
    scans = "".join(f"scan<cub::BLOCK_SCAN_{way}>(in, out + {i * (3 * TILE + 1)});\n" for i, way in enumerate(SCANS))
    return load(BLOCKS.replace("MOVES", moves).replace("SCANS", scans), arch="sm_120")


GIVEN = random.integers(0, 100, TILE).astype(np.int32)
STRIPED = GIVEN.reshape(ITEMS, THREADS).T.ravel()  # what each thread has in turn


def test_all_load_and_store_algorithms():
    out, count = np.full((len(LAYOUTS), 2, TILE), -7, np.int32), 300
    blocks().launch("moves", 1, THREADS, GIVEN, out, np.int32(count))
    for way, (whole, part) in zip(LAYOUTS, out, strict=True):
        position = np.arange(TILE)
        owner = position % THREADS if way == "STRIPED" else position // ITEMS
        np.testing.assert_array_equal(whole, GIVEN * 2 + owner, way)
        np.testing.assert_array_equal(part, np.where(position < count, GIVEN + 1, -7), way)


def test_all_scan_algorithms():
    out = np.zeros((len(SCANS), 3 * TILE + 1), np.int32)
    blocks().launch("scans", 1, THREADS, GIVEN, out)
    least = np.minimum.accumulate(np.append(1000, GIVEN[:-1]))
    wanted = [*(np.cumsum(GIVEN) - GIVEN), *np.maximum.accumulate(GIVEN), *least, GIVEN.sum()]
    for found in out:
        np.testing.assert_array_equal(found, wanted)


def test_all_exchange_patterns():
    out = np.zeros(14 * TILE + THREADS + TILE, np.int32)
    blocks().launch("exchanges", 1, THREADS, GIVEN, out)
    scattered = np.zeros(TILE, np.int32)
    scattered[np.arange(TILE) * 5 % TILE] = GIVEN
    wanted = [STRIPED, GIVEN.reshape(THREADS, ITEMS).T.ravel()]
    blocked = GIVEN.reshape(THREADS // 32, 32 * ITEMS)
    wanted.append(blocked.reshape(-1, ITEMS, 32).transpose(0, 2, 1).ravel())
    wanted.append(blocked.reshape(-1, 32, ITEMS).transpose(0, 2, 1).ravel())
    wanted += [scattered, scattered.reshape(ITEMS, THREADS).T.ravel()]
    for found, exact in zip(out[: 12 * TILE].reshape(12, TILE), wanted * 2, strict=True):
        np.testing.assert_array_equal(found, exact)
    edges, turned, up = np.split(out[12 * TILE : 14 * TILE + THREADS], [TILE, TILE + THREADS])
    parts = GIVEN // 20
    heads, tails = np.diff(parts, prepend=-1) != 0, np.diff(parts, append=-1) != 0
    np.testing.assert_array_equal(edges, heads + 2 * tails)
    np.testing.assert_array_equal(turned, np.roll(GIVEN[:THREADS], -5))
    np.testing.assert_array_equal(up, np.append(0, parts[:-1]))


def test_warps_of_all_sizes():
    out, x = np.zeros(15 * THREADS + 3 * TILE, np.int32), GIVEN[:THREADS]
    blocks().launch("warps", 1, THREADS, GIVEN, out)
    results = iter(out[: 15 * THREADS].reshape(15, THREADS))
    for size in (32, 16, 8):
        warps = x.reshape(-1, size)
        np.testing.assert_array_equal(next(results), warps.cumsum(1).ravel())
        np.testing.assert_array_equal(next(results), np.repeat(warps.sum(1), size))
        before = np.minimum.accumulate(np.column_stack([np.full(len(warps), 50), warps[:, :-1]]), axis=1)
        np.testing.assert_array_equal(next(results), before.ravel())
        heads = np.flatnonzero((np.arange(THREADS) % 3 == 0) | (np.arange(THREADS) % size == 0))
        sums = np.zeros(THREADS, np.int32)
        sums[heads] = np.add.reduceat(x, heads)
        np.testing.assert_array_equal(next(results), sums)
        most = np.zeros(THREADS, np.int32)
        most[::size] = warps[:, : (size + 1) // 2].max(1)
        np.testing.assert_array_equal(next(results), most)
    for size, found in zip((32, 16, 8), out[15 * THREADS :].reshape(3, TILE), strict=True):
        rows = GIVEN.reshape(-1, size * ITEMS).copy()
        rows[:, -2:] = 7
        position = np.arange(size * ITEMS)
        owner = position % size if size == 16 else position // ITEMS
        np.testing.assert_array_equal(found, (rows + owner).ravel())


SORTS = """#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    #include <cub/block/block_merge_sort.cuh>
    #include <cub/block/block_radix_sort.cuh>
    constexpr int T = 128, I = 3; struct Pair { short a; long long b; };
    __shared__ alignas(16) char room[20000];
    template <class K, int BITS, bool MEMOIZE> __device__ void sort(const void *keys_in, void *keys_out, int *&o) {
        typedef cub::BlockRadixSort<K, T, I, int, BITS, MEMOIZE> Sort; typedef typename Sort::TempStorage Space;
        static_assert(sizeof(Space) <= sizeof(room));
        Space &space = *(Space *)room; int t = threadIdx.x, v[I]; K k[I];
        auto get = [&] { for (int i = 0; i < I; i++) { v[i] = t * I + i;
            k[i] = ((const K *)keys_in)[t * I + i]; } __syncthreads(); };
        auto put = [&] { for (int i = 0; i < I; i++) o[t * I + i] = v[i]; o += T * I; __syncthreads(); };
        get(); Sort(space).Sort(k, v); put(); for (int i = 0; i < I; i++) ((K *)keys_out)[t * I + i] = k[i];
        get(); Sort(space).SortDescending(k, v); put(); get(); Sort(space).SortBlockedToStriped(k, v); put();
        if (sizeof(K) < 8) { get(); Sort(space).Sort(k, v, 3, 7); put(); } }
    extern "C" __global__ void radix(const void *const *in, void *const *out, int *o) { RADIX }
    extern "C" __global__ void merge(const Pair *in, int *o, int n) { int t = threadIdx.x, v[I]; Pair k[I];
        typedef cub::BlockMergeSort<Pair, T, I, int> Sort;
        auto &space = *(typename Sort::TempStorage *)room;
        for (int i = 0; i < I; i++) { v[i] = t * I + i; k[i] = v[i] < n ? in[v[i]] : Pair{30000, 0}; }
        auto less = [](const Pair &x, const Pair &y) { return x.a < y.a || (x.a == y.a && x.b < y.b); };
        Sort(space).StableSort(k, v, less, n, Pair{30000, 0}); for (int i = 0; i < I; i++) o[t * I + i] = v[i]; }"""


@pytest.mark.needs_cccl
def test_radix_sorts_of_all_types():
    calls = "".join(f"sort<{kind}, {4 + i % 3}, {'true' if i & 1 else 'false'}>(in[{i}], out[{i}], o);\n"
                    for i, kind in enumerate(SORTED))  # fmt: skip
    loaded = load(SORTS.replace("RADIX", calls), "cuda_fp16.h")
    keys = []
    for dtype in DTYPES:
        if np.issubdtype(dtype, np.integer):
            info = np.iinfo(dtype)
            drawn = random.integers(info.min, info.max, TILE, dtype, endpoint=True)
        else:
            drawn = (random.standard_normal(TILE) * 10.0 ** random.integers(-3, 4, TILE)).astype(dtype)
            drawn[:2] = [np.inf, -np.inf]
        drawn[50:90] = drawn[10:50]
        keys.append(drawn)
    sorted_ = [np.zeros_like(each) for each in keys]
    out = np.zeros((len(keys) * 4, TILE), np.int32)
    loaded.launch("radix", 1, THREADS, Table(keys), Table(sorted_), out)
    rows = iter(out)
    for given, found in zip(keys, sorted_, strict=True):
        wide = given if np.issubdtype(given.dtype, np.integer) else given.astype(np.float64)
        up = np.argsort(wide, kind="stable")
        down = TILE - 1 - np.argsort(wide[::-1], kind="stable")[::-1]
        np.testing.assert_array_equal(found, given[up])
        np.testing.assert_array_equal(next(rows), up)
        np.testing.assert_array_equal(next(rows), down)
        np.testing.assert_array_equal(next(rows), up.reshape(ITEMS, THREADS).T.ravel())
        if given.itemsize < 8:
            bits = given.view(f"u{given.itemsize}").copy()
            top = bits.dtype.type(1 << 8 * given.itemsize - 1)
            if given.dtype.kind != "u" and given.dtype.kind != "i":  # CUB sorts floats by these bits
                bits ^= np.where(bits & top, bits.dtype.type(2 * int(top) - 1), top)
            np.testing.assert_array_equal(next(rows), np.argsort(bits >> bits.dtype.type(3) & 15, kind="stable"))

    pairs = np.zeros(TILE, np.dtype([("a", "i2"), ("b", "i8")], align=True))
    pairs["a"], pairs["b"] = random.integers(-5, 5, TILE), random.integers(-3, 3, TILE)
    out, count = np.zeros(TILE, np.int32), TILE - 40
    loaded.launch("merge", 1, THREADS, pairs, out, np.int32(count))
    np.testing.assert_array_equal(out[:count], np.lexsort((pairs["b"][:count], pairs["a"][:count])))
