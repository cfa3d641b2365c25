# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs with the headers of CCCL: CUB, cooperative groups, libcu++."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda, include_option, is_clang
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc

random = np.random.default_rng(7)


def headers() -> tuple[str, ...]:
    """Return the options for CCCL's headers; skip the test without them."""
    folder = include_option("cccl")
    if not os.path.isdir(folder.partition("=")[2]):
        pytest.skip("CCCL's headers are not installed: pip install nvidia-cuda-cccl")
    own = () if is_clang() else (include_option(),)
    return *own, folder, "--std=c++17", "-default-device"


def test_cub_blocks():
    source = """#include <cub/block/block_radix_sort.cuh>
        #include <cub/block/block_scan.cuh>
        extern "C" __global__ void k(const int *in, int *sorted, int *sums) {
            typedef cub::BlockRadixSort<int, 64, 4> Sort; typedef cub::BlockScan<int, 64> Scan;
            __shared__ union { typename Sort::TempStorage sort; typename Scan::TempStorage scan; } room;
            int keys[4], sum; for (int i = 0; i < 4; i++) keys[i] = in[threadIdx.x * 4 + i];
            Sort(room.sort).Sort(keys); for (int i = 0; i < 4; i++) sorted[threadIdx.x * 4 + i] = keys[i];
            __syncthreads(); Scan(room.scan).ExclusiveSum(in[threadIdx.x], sum); sums[threadIdx.x] = sum; }"""
    values = random.integers(-1000, 1000, 256).astype(np.int32)
    ordered, sums = np.zeros(256, np.int32), np.zeros(64, np.int32)
    Loaded(compile_cuda(source, "--gpu-architecture=sm_90", *headers())).launch("k", 1, 64, values, ordered, sums)
    np.testing.assert_array_equal(ordered, np.sort(values))
    np.testing.assert_array_equal(sums, np.cumsum(values[:64]) - values[:64])


def test_cooperative_groups():
    source = """#include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        extern "C" __global__ void k(const int *in, int *out) {
            auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<16>(block); int v = in[threadIdx.x];
            int *o = out + threadIdx.x * 6; auto warp = cg::tiled_partition<32>(block);
            o[0] = cg::reduce(tile, v, cg::plus<int>()); o[1] = tile.shfl_down(v, 3);
            o[2] = tile.any(v > 90) + 2 * tile.all(v > 5);
            if (v & 1) { auto some = cg::coalesced_threads(); o[3] = cg::reduce(some, v, cg::greater<int>());
                o[4] = some.size() * 100 + some.thread_rank(); } else { o[3] = o[4] = -1; }
            block.sync(); auto same = cg::labeled_partition(warp, v % 3);
            o[5] = same.size() * 100 + same.thread_rank(); }"""
    values = random.integers(0, 100, 64).astype(np.int32)
    out = np.zeros((64, 6), np.int32)
    Loaded(compile_cuda(source, "--gpu-architecture=sm_120", *headers())).launch("k", 1, 64, values, out)
    for i, v in enumerate(values):
        lane, tile, warp = i % 32, values[i // 16 * 16 :][:16], values[i // 32 * 32 :][:32]
        odd, same = warp & 1 == 1, warp % 3 == v % 3
        expected = [tile.sum(), tile[i % 16 + 3] if i % 16 < 13 else v, (tile > 90).any() + 2 * (tile > 5).all()]
        expected += [warp[odd].max(), odd.sum() * 100 + odd[:lane].sum()] if v & 1 else [-1, -1]
        expected += [same.sum() * 100 + same[:lane].sum()]
        assert list(out[i]) == expected, i


def test_barriers_and_pipelines_of_libcudacxx():
    source = """#include <cuda/pipeline>
        #include <cooperative_groups.h>
        extern "C" __global__ void k(int *p) {
            __shared__ alignas(16) int s[2][128]; __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
            __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
            if (threadIdx.x == 0) init(&barrier, blockDim.x);
            __syncthreads();
            auto group = cooperative_groups::this_thread_block(); auto pipe = cuda::make_pipeline(group, &state);
            int sum = 0, t = threadIdx.x;
            for (int i = 0, next = 0; i < 4; i++) {
                for (; next < 4 && next < i + 2; next++) { pipe.producer_acquire();
                    cuda::memcpy_async(group, s[next % 2], p + next * 128, cuda::aligned_size_t<16>(512), pipe);
                    pipe.producer_commit(); }
                pipe.consumer_wait(); sum += s[i % 2][127 - t]; pipe.consumer_release(); }
            for (int i = 0; i < 3; i++) {
                barrier.arrive_and_wait(); s[0][t] = sum; barrier.arrive_and_wait(); sum = s[0][(t + 1) % 128] + i; }
            p[512 + t] = sum; }"""
    values = random.integers(0, 1000, 640).astype(np.int32)
    before = values.copy()
    Loaded(compile_cuda(source, "--gpu-architecture=sm_90", *headers())).launch("k", 1, 128, values)
    expected = before[:512].reshape(4, 128)[:, ::-1].sum(0)
    np.testing.assert_array_equal(values[512:], np.roll(expected, -3) + 3)
