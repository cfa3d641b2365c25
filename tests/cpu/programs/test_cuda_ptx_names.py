# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Bulk copies, also between blocks of a cluster, through `cuda::ptx`; accesses of 16 and 32 bytes."""

from __future__ import annotations

import numpy as np
import pytest
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
SOURCE = """#include <cooperative_groups.h>
    #include <cuda/ptx>
    namespace ptx = cuda::ptx;
    #define SHARED ptx::space_shared
    #define GLOBAL ptx::space_global
    extern "C" __global__ void copies(int *o, const int *in) {
        auto cluster = cooperative_groups::this_cluster();
        int t = threadIdx.x; unsigned rank = ptx::get_sreg_cluster_ctarank();
        __shared__ alignas(128) int part[256]; __shared__ alignas(8) uint64_t bar;
        auto expect = [&] { ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, SHARED, &bar, 1024); };
        if (t == 0) { ptx::mbarrier_init(&bar, 1); ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); }
        cluster.sync();
        if (t == 0) { expect(); ptx::cp_async_bulk(SHARED, GLOBAL, part, in + 256 * rank, 1024u, &bar); }
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
        o[256 * rank + t] = part[255 - t]; __syncthreads();
        part[t] += 1000; ptx::fence_proxy_async(SHARED); __syncthreads();
        if (t == 0) { ptx::cp_async_bulk(GLOBAL, SHARED, o + 512 + 256 * rank, part, 1024u);
            ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); expect(); }
        cluster.sync(); int *there = cluster.map_shared_rank(part, rank ^ 1);
        ptx::st_async(there + t, t * 3 + (int)rank, cluster.map_shared_rank(&bar, rank ^ 1));
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 1)) {}
        o[1024 + 256 * rank + t] = part[t]; ptx::fence_proxy_async(SHARED); cluster.sync();
        if (t == 0) { ptx::cp_reduce_async_bulk(GLOBAL, SHARED, ptx::op_add, o + 1536, part, 1024u);
            ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); }
        if (t < 32) o[1792 + 32 * rank + t] = ptx::shfl_sync_bfly(t, 1, 31, ~0u) + 100 * ptx::shr(0xf0u, t & 7);
        ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); }
    extern "C" __global__ void wide(const longlong4_32a *a, longlong4_32a *b, const float4 *f, float4 *g,
                                    const unsigned char *c, unsigned char *d) {
        int t = threadIdx.x; longlong4_32a v = a[t]; v.x += v.w; b[t] = v; g[t] = __ldcs(f + t);
        __stcg(g + 64 + t, __ldg(f + 63 - t)); d[t] = __ldca((const char *)c + t);
        ((short *)(d + 64))[t] = __ldlu((const short *)(c + 64) + t); atomicAdd(g + 128, f[t]);
        atomicAdd((float2 *)(g + 129), make_float2(1, t)); }"""


def room(count: int, dtype: type, by: int = 128) -> np.ndarray:
    """Return zeros at an aligned address."""
    size = count * np.dtype(dtype).itemsize
    memory = np.zeros(size + by, np.uint8)
    return memory[-memory.ctypes.data % by :][:size].view(dtype)


@pytest.fixture(scope="module", params=["sm_90", "sm_120"])
def loaded(request):
    return load(SOURCE, arch=request.param, options=["--std=c++17"])


def test_copies_in_bulk_and_between_blocks(loaded):
    given, out, t = room(512, np.int32), room(2048, np.int32), np.arange(256)
    given[:] = np.arange(512) * 7
    loaded.launch("copies", 2, 256, out, given, cluster=(2, 1, 1))
    for rank, part in enumerate(given.reshape(2, 256)):
        found = out[:1536].reshape(3, 2, 256)[:, rank]
        np.testing.assert_array_equal(found, [part[::-1], part + 1000, t * 3 + (rank ^ 1)])
        lanes = np.arange(32)
        np.testing.assert_array_equal(out[1792 + 32 * rank :][:32], (lanes ^ 1) + 100 * (0xF0 >> (lanes & 7)))
    np.testing.assert_array_equal(out[1536:1792], t * 6 + 1)


def test_wide_accesses(loaded):
    a, b, f, g = room(256, np.int64), room(256, np.int64), room(256, np.float32), room(520, np.float32)
    c, d = room(256, np.uint8), room(256, np.uint8)
    a[:], f[:], c[:] = np.arange(256), np.arange(256), np.arange(256)
    loaded.launch("wide", 1, 64, a, b, f, g, c, d)
    wanted, fours = a.reshape(-1, 4).copy(), f.reshape(-1, 4)
    wanted[:, 0] += wanted[:, 3]
    np.testing.assert_array_equal(b.reshape(-1, 4), wanted)
    np.testing.assert_array_equal(g[:512].reshape(-1, 4), [*fours, *fours[::-1]])
    np.testing.assert_array_equal(g[512:518], [*fours.sum(0), 64, np.arange(64).sum()])
    np.testing.assert_array_equal(d[:192], c[:192])
