# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Cooperative groups: tiles of all sizes, groups within a warp, their reductions, scans and copies, grid groups."""

from __future__ import annotations

import numpy as np
import pytest
from support.compilers import cached_for_compiler
from test_cuda_headers import load

from cuda.cpu import check

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
SOURCE = """#include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    #include <cooperative_groups/memcpy_async.h>
    #ifdef __clang__ // libcu++ is not among its headers
    struct Sum { int value; __device__ int fetch_add(int x) { return atomicAdd(&value, x); } };
    template <size_t N> struct Aligned { size_t value; operator size_t() const { return value; } };
    #else
    #include <cuda/barrier>
    #include <cuda/atomic>
    typedef cuda::atomic<int, cuda::thread_scope_device> Sum;
    template <size_t N> using Aligned = cuda::aligned_size_t<N>;
    #endif
    namespace cg = cooperative_groups;
    template <int N> __device__ void tile(int *o) {
        auto t = cg::tiled_partition<N>(cg::this_thread_block()); int me = threadIdx.x * 7 % 31;
        o[0] = cg::reduce(t, me, cg::plus<int>()); o[1] = cg::inclusive_scan(t, me); o[2] = cg::exclusive_scan(t, me);
        o[3] = cg::reduce(t, me, cg::less<int>()); o[4] = t.shfl(me, N / 2); o[5] = t.shfl_xor(me, N / 2);
        o[6] = t.meta_group_rank() * 1000 + t.thread_rank(); o[7] = t.any(me == 3) * 2 + t.all(me < 31);
        o[8] = t.ballot(me & 1); o[9] = t.shfl_up(me, 1); o[10] = t.shfl_down(me, 1); o[11] = t.match_any(me & 3); }
    extern "C" __global__ void tiles(int *o) { o += threadIdx.x * 72; tile<1>(o); tile<2>(o + 12);
        tile<4>(o + 24); tile<8>(o + 36); tile<16>(o + 48); tile<32>(o + 60); }
    extern "C" __global__ void large(int *o, long long *p) { int i = threadIdx.x, me = i * 11 % 101;
        __shared__ cg::block_tile_memory<256> memory; auto block = cg::this_thread_block(memory);
        auto t = cg::tiled_partition<64>(block); auto u = cg::tiled_partition<128>(block);
        o[i] = cg::reduce(t, me, cg::plus<int>()); o[256 + i] = cg::inclusive_scan(t, me, cg::plus<int>());
        o[512 + i] = cg::reduce(u, me, cg::greater<int>()); o[768 + i] = t.meta_group_rank() * 1000 + t.thread_rank();
        o[1024 + i] = t.any(me == 100); o[1280 + i] = t.shfl(me, 63); u.sync();
        p[i] = cg::reduce(t, (long long)me << 33, cg::bit_xor<long long>()); }
    extern "C" __global__ void parts(int *o, int *count, float *f) {
        int i = threadIdx.x, n = blockDim.x, x = i * 5 % 23;
        auto warp = cg::tiled_partition<32>(cg::this_thread_block()); auto l = cg::labeled_partition(warp, x & 3);
        o[i] = cg::reduce(l, x, cg::plus<int>()) * 100 + l.num_threads(); auto b = cg::binary_partition(warp, x > 9);
        o[n + i] = cg::reduce(b, x, cg::plus<int>()) * 100 + b.thread_rank();
        if (x % 3) { auto c = cg::coalesced_threads(); o[2 * n + i] = c.thread_rank();
            if (c.thread_rank() == 0) atomicAdd(count, c.num_threads());
            o[3 * n + i] = cg::inclusive_scan(c, x); o[4 * n + i] = cg::exclusive_scan(c, x, cg::plus<int>());
            cg::invoke_one(c, [&] { atomicAdd(count + 1, 1); });
            o[5 * n + i] = cg::invoke_one_broadcast(c, [&] { return (int)c.num_threads(); }); }
        cg::reduce_update_async(warp, *(Sum *)(count + 2), x, cg::plus<int>());
        auto four = cg::tiled_partition(warp, 4); f[i] = four.thread_rank() + four.size() * 10; four.sync();
        f[n + i] = cg::reduce(warp, (float)x, cg::less<float>()); }
    extern "C" __global__ void copies(const int *in, int *out, int n) { extern __shared__ int s[];
        auto block = cg::this_thread_block(); cg::memcpy_async(block, s, in, sizeof(int) * n);
        cg::memcpy_async(block, s + n, in + n, sizeof(int) * n); cg::wait_prior<1>(block);
        for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
        cg::wait(block); for (int i = threadIdx.x; i < n; i += blockDim.x) out[n + i] = s[2 * n - 1 - i];
        auto warp = cg::tiled_partition<32>(block); int first = warp.meta_group_rank() * 32; block.sync();
        cg::memcpy_async(warp, s + first, in + first, Aligned<16>{128}); cg::wait(warp);
        out[2 * n + threadIdx.x] = s[threadIdx.x ^ 31]; }
    extern "C" __global__ void grid(int *out) { auto g = cg::this_grid(); int r = g.thread_rank(); out[r] = r; g.sync();
        int v = out[g.num_threads() - 1 - r]; auto token = g.barrier_arrive();
        g.barrier_wait((decltype(token) &&)token); out[r] = v * 2 + g.block_rank() + g.num_blocks() * g.is_valid(); }"""
loaded = cached_for_compiler(lambda: load(SOURCE))


alike = pytest.mark.skipif(
    bool(check.chosen() & check.RACECHECK), reason="CUDA's headers let threads write one value at once: racecheck tells"
)


def test_tiles_of_a_warp():
    out, me, i = np.zeros((64, 6, 12), np.int32), np.arange(64) * 7 % 31, np.arange(64)
    loaded().launch("tiles", 1, 64, out)
    for which, size in enumerate((1, 2, 4, 8, 16, 32)):
        tile, lane = me.reshape(-1, size), i % size
        same = (tile[:, :, None] & 3) == (tile[:, None, :] & 3)
        expected = [
            tile.sum(1, keepdims=True), tile.cumsum(1), tile.cumsum(1) - tile, tile.min(1, keepdims=True),
            tile[:, size // 2 : size // 2 + 1], me[i ^ size // 2], i // size * 1000 + lane,
            (tile == 3).any(1, keepdims=True) * 2 + 1, ((tile & 1) << np.arange(size)).sum(1, keepdims=True),
            np.where(lane > 0, me[i - 1], me), np.where(lane < size - 1, me[(i + 1) % 64], me),
            (same << np.arange(size)).sum(2),
        ]  # fmt: skip
        for index, values in enumerate(expected):
            whole = np.broadcast_to(values.reshape(len(tile), -1), tile.shape).ravel()
            np.testing.assert_array_equal(out[:, which, index].view(np.uint32), whole.astype(np.uint32))


@alike
def test_tiles_of_several_warps():
    """They use barriers in the shared memory that is reserved for system software."""
    out, bits, me = np.zeros((6, 256), np.int32), np.zeros(256, np.int64), np.arange(256) * 11 % 101
    loaded().launch("large", 1, 256, out, bits)
    small, large, i = me.reshape(4, 64), me.reshape(2, 128), np.arange(256)
    np.testing.assert_array_equal(out[0], np.repeat(small.sum(1), 64))
    np.testing.assert_array_equal(out[1], small.cumsum(1).ravel())
    np.testing.assert_array_equal(out[2], np.repeat(large.max(1), 128))
    np.testing.assert_array_equal(out[3], i // 64 * 1000 + i % 64)
    np.testing.assert_array_equal(out[4], np.repeat((small == 100).any(1), 64))
    np.testing.assert_array_equal(out[5], np.repeat(small[:, 63], 64))
    np.testing.assert_array_equal(bits, np.repeat(np.bitwise_xor.reduce(small << 33, axis=1), 64))


def test_labeled_binary_and_coalesced_groups():
    count, x = 96, np.arange(96) * 5 % 23
    out, counts, f = np.zeros((6, count), np.int32), np.zeros(3, np.int32), np.zeros((2, count), np.float32)
    loaded().launch("parts", 1, count, out, counts, f)
    for first in range(0, count, 32):
        warp, some = x[first : first + 32], x[first : first + 32] % 3 > 0
        for lane, mine in enumerate(warp):
            label, half = warp[(warp & 3) == (mine & 3)], (warp > 9) == (mine > 9)
            expected = [label.sum() * 100 + len(label), warp[half].sum() * 100 + half[:lane].sum()]
            before = warp[:lane][some[:lane]].sum()
            expected += [some[:lane].sum(), before + mine, before, some.sum()] if some[lane] else [0] * 4
            assert out[:, first + lane].tolist() == expected
    assert counts.tolist() == [(x % 3 > 0).sum(), 3, x.sum()]
    np.testing.assert_array_equal(f[0], np.arange(count) % 4 + 40)
    np.testing.assert_array_equal(f[1], np.repeat(x.reshape(3, 32).min(1), 32))


@alike
def test_memcpy_async_of_groups():
    count, given = 301, np.arange(602, dtype=np.int32)
    out = np.zeros(2 * count + 128, np.int32)
    loaded().launch("copies", 1, 128, given, out, np.int32(count), shared=8 * count + 64)
    np.testing.assert_array_equal(out, [*given[:count][::-1], *given[count:][::-1], *(np.arange(128) ^ 31)])


def test_grid_group_sync():
    out, ranks = np.zeros(384, np.int32), np.arange(384)
    loaded().launch("grid", 6, 64, out, cooperative=True)
    np.testing.assert_array_equal(out, (383 - ranks) * 2 + ranks // 64 + 6)


RANKS = """#include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    struct Pair { double a; int b; };
    extern "C" __global__ void k(int *o) { int i = threadIdx.x, n = 64, j = 0, p;
        auto block = cg::this_thread_block(); auto w = cg::tiled_partition<32>(block);
        auto l = cg::labeled_partition(w, i * 7 % 5); auto q = cg::tiled_partition<4>(w);
        o[n * j++ + i] = l.meta_group_rank() * 10 + l.meta_group_size();
        o[n * j++ + i] = q.meta_group_rank() * 10 + q.meta_group_size();
        o[n * j++ + i] = l.ballot(i & 4) * 1000 + l.match_any(i % 2);
        o[n * j++ + i] = l.match_all(i & 1, p) * 2 + p; o[n * j++ + i] = l.shfl_down(i, 2);
        auto f = cg::tiled_partition(cg::binary_partition(w, i % 3 == 1), 4);
        o[n * j++ + i] = f.meta_group_size() * 100 + f.num_threads() * 10 + f.thread_rank();
        cg::thread_group whole = block, part = cg::tiled_partition(whole, 16);
        o[n * j++ + i] = part.thread_rank() * 100 + part.size(); part.sync(); whole.sync();
        o[n * j++ + i] = whole.thread_rank() + whole.size();
        cg::thread_block_tile<32> any = w; o[n * j++ + i] = any.meta_group_rank() * 10 + any.meta_group_size();
        Pair got = w.shfl(Pair{i * 0.5, i}, 5); o[n * j++ + i] = got.a * 100 + got.b;
        o[n * j++ + i] = cg::exclusive_scan(w, i + 5, [](int a, int b) { return a > b ? a : b; });
        o[n * j++ + i] = cg::reduce(l, (long long)i << 40, cg::greater<long long>()) >> 40;
        block.barrier_wait(block.barrier_arrive());
        o[n * j++ + i] = block.thread_index().x + block.group_index().x * 100 + block.dim_threads().y * 1000; }"""


def test_ranks_and_values_of_partitions():
    out, i = np.zeros((13, 64), np.int32), np.arange(64)
    load(RANKS).launch("k", 1, 64, out)
    lane, expected = i % 32, []
    labels = (i * 7 % 5).reshape(2, 32)
    firsts = [list(dict.fromkeys(row)) for row in labels]
    member = [np.flatnonzero(labels[x // 32] == labels[x // 32][x % 32]) + x // 32 * 32 for x in i]
    expected = [
        [firsts[x // 32].index(labels[x // 32][x % 32]) * 10 + 5 for x in i],
        lane // 4 * 10 + 8,
        [sum(1000 * (1 << r) * (y & 4 > 0) + (1 << r) * (y % 2 == x % 2) for r, y in enumerate(member[x])) for x in i],
        [0 for x in i],
        [row[at + 2] if (at := list(row).index(x)) + 2 < len(row) else x for x, row in zip(i, member, strict=True)],
    ]
    rows = [np.flatnonzero((lane[:32] + first) % 3 == 1) for first in (0, 32)]
    halves = [[row, np.setdiff1d(np.arange(32), row)] for row in rows]
    parts = [next(list(half) for half in halves[x // 32] if x % 32 in half) for x in i]
    at = [part.index(x % 32) for x, part in zip(i, parts, strict=True)]
    sizes = [min(4, len(part) - a // 4 * 4) for a, part in zip(at, parts, strict=True)]
    expected.append([-(-len(p) // 4) * 100 + s * 10 + a % 4 for p, s, a in zip(parts, sizes, at, strict=True)])
    expected += [i % 16 * 100 + 16, i + 64, i // 32 * 10 + 2, (i // 32 * 32 + 5) * 51]
    expected += [np.where(lane > 0, i + 4, 0), [max(row) for row in member], i + 1000]
    np.testing.assert_array_equal(out, np.array([np.asarray(row) for row in expected]))
