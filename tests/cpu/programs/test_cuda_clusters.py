# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ programs with thread block clusters and distributed shared memory."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import include_option
from support.loaded import Loaded
from support.warp_kernels import KIND
from test_cuda_headers import load as of_headers

pytestmark = pytest.mark.needs_nvrtc
GROUPS = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"


def load(source: str, arch: str = "sm_90") -> Loaded:
    return of_headers(GROUPS + source, "cooperative_groups.h", arch)


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
@pytest.mark.parametrize("size", [1, 2, 8, 16])
def test_histogram_over_the_shared_memory_of_all_blocks(arch, size):
    """The programming guide's example of distributed shared memory: each block holds a part of the bins."""
    source = """extern "C" __global__ void histogram(const int *data, int n, int *bins, int per) {
        extern __shared__ int mine[]; cg::cluster_group cluster = cg::this_cluster();
        for (int i = threadIdx.x; i < per; i += blockDim.x) mine[i] = 0;
        cluster.sync();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int *there = cluster.map_shared_rank(mine, data[i] / per); atomicAdd(&there[data[i] % per], 1); }
        cluster.sync();
        for (int i = threadIdx.x; i < per; i += blockDim.x)
            atomicAdd(&bins[cluster.block_rank() * per + i], mine[i]); }"""
    per = 64 // size
    data = np.random.default_rng(size).integers(0, 64, 3000).astype(np.int32)
    bins = np.zeros(64, np.int32)
    load(source, arch).launch(
        "histogram", 32, 96, data, np.int32(3000), bins, np.int32(per), shared=4 * per, cluster=(size, 1, 1)
    )
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=64))


def test_indices_in_a_grid_of_clusters():
    source = """extern "C" __global__ void where(unsigned *out) {
        cg::cluster_group c = cg::this_cluster(); dim3 b = c.block_index(), d = c.dim_blocks(); unsigned x, y, z;
        asm("mov.u32 %0, %%clusterid.x;" : "=r"(x)); asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
        asm("mov.u32 %0, %%nclusterid.y;" : "=r"(z));
        unsigned at = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, *o = out + 12 * at;
        o[0] = c.block_rank(); o[1] = b.x; o[2] = b.y; o[3] = b.z; o[4] = d.x; o[5] = d.y; o[6] = d.z;
        o[7] = c.num_blocks(); o[8] = x; o[9] = y; o[10] = z; o[11] = c.num_threads(); }"""
    grid, cluster = (4, 6, 2), (2, 3, 2)
    out = np.zeros((2, 6, 4, 12), np.uint32)
    load(source).launch("where", grid, 40, out, cluster=cluster)
    for z, y, x in np.ndindex(2, 6, 4):
        bx, by, bz = x % 2, y % 3, z % 2
        expected = [bx + 2 * (by + 3 * bz), bx, by, bz, 2, 3, 2, 12, x // 2, y // 3, 2, 480]
        assert out[z, y, x].tolist() == expected


def test_ring_of_blocks_waiting_for_each_other():
    """Each thread passes a number on; blocks continue when all blocks of the cluster have arrived."""
    source = """extern "C" __global__ void ring(int *out, int rounds) {
        __shared__ int box[2][64]; auto cluster = cg::this_cluster();
        unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
        int value = blockIdx.x * 64 + threadIdx.x;
        for (int r = 0; r < rounds; r++) {
            cluster.map_shared_rank(&box[r & 1][threadIdx.x], next)[0] = value;
            auto token = cluster.barrier_arrive(); cluster.barrier_wait(std::move(token));
            value = box[r & 1][threadIdx.x]; }
        out[blockIdx.x * 64 + threadIdx.x] = value; cluster.sync(); }"""
    out = np.zeros((8, 64), np.int32)
    load(source.replace("std::move", "static_cast<decltype(token)&&>")).launch(
        "ring", 8, 64, out, np.int32(3), cluster=(4, 1, 1)
    )
    start = np.arange(512).reshape(8, 64)
    expected = np.concatenate([np.roll(start[:4], 3, axis=0), np.roll(start[4:], 3, axis=0)])
    np.testing.assert_array_equal(out, expected)


def test_distributed_shared_memory_addresses(on_gpu):
    """State spaces of generic addresses, ranks of addresses, and .shared::cluster addresses passed to another block."""
    source = """__shared__ unsigned box, word; __device__ int everywhere;
    extern "C" __global__ void spaces(int *out) {
        auto cluster = cg::this_cluster(); unsigned rank = cluster.block_rank(); int local = rank, got[6];
        unsigned *other = cluster.map_shared_rank(&word, rank ^ 1);
        if (threadIdx.x == 0) { word = 100 + rank; unsigned mine, there;
            asm volatile("{ .reg .u64 a; cvta.to.shared::cluster.u64 a, %1; cvt.u32.u64 %0, a; }"
                : "=r"(mine) : "l"(cluster.map_shared_rank(&word, rank)));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(&word)), "r"(rank));
            *cluster.map_shared_rank(&box, rank ^ 1) = there; }
        cluster.sync();
        unsigned value; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(box));
        const void *inputs[6] = {&word, other, &local, &everywhere, out, (char *)other + (1 << 22)};
        for (int i = 0; i < 6; i++) { unsigned a, b, c;
            asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(a) : "l"(inputs[i]));
            asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(b) : "l"(inputs[i]));
            asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(c) : "l"(inputs[i]));
            got[i] = a + 2 * b + 4 * c; }
        if (threadIdx.x == 0) { int *o = out + 12 * blockIdx.x;
            for (int i = 0; i < 6; i++) o[i] = got[i];
            o[6] = cluster.query_shared_rank(other); o[7] = cluster.query_shared_rank(&word);
            o[8] = value; o[9] = *other; unsigned r;
            asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(box)); o[10] = r;
            asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(&word)));
            o[11] = r; }
        cluster.sync(); }"""
    out = np.zeros((2, 12), np.int32)
    load(source).launch("spaces", 2, 32, out, cluster=(2, 1, 1))
    for rank in (0, 1):
        other = 1 - rank
        behind = 2 if on_gpu else 4  # a GPU has one window for the shared memory of clusters of all sizes
        assert out[rank].tolist() == [3, 2, 0, 4, 4, behind, other, rank, 100 + other, 100 + other, other, rank]


def test_asynchronous_stores_complete_a_remote_barrier():
    if not pathlib.Path(include_option("cccl").partition("=")[2]).is_dir():
        pytest.skip("CCCL's headers are not installed: pip install nvidia-cuda-cccl")
    source = """#include <cuda/barrier>
        #include <cuda/ptx>
        namespace ptx = cuda::ptx;
        extern "C" __global__ void __cluster_dims__(4, 1, 1) k(int *out) {
        __shared__ alignas(16) int box[4]; __shared__ int sum; __shared__ cuda::barrier<cuda::thread_scope_block> bar;
        auto cluster = cg::this_cluster(); unsigned other = cluster.block_rank() ^ 1;
        if (threadIdx.x == 0) { init(&bar, blockDim.x); sum = 5; }
        cluster.sync();
        auto *native = cuda::device::barrier_native_handle(bar);
        auto *remote = cluster.map_shared_rank(native, other);
        uint64_t token = threadIdx.x ? ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_shared,
                native) : ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared,
                native, 20);
        if (threadIdx.x == 0) { int4 v = {(int)blockIdx.x, 1, 2, 3};
            ptx::st_async(cluster.map_shared_rank(box, other), {v.x, v.y, v.z, v.w}, remote);
            ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, other), 10 + (int)blockIdx.x, remote); }
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, native, token)) {}
        if (threadIdx.x < 4) out[5 * blockIdx.x + threadIdx.x] = box[threadIdx.x];
        if (threadIdx.x == 4) out[5 * blockIdx.x + 4] = sum; }"""
    out = np.zeros((8, 5), np.int32)
    loaded = load(source)
    assert loaded.code.kernels["k"].required_cluster == (4, 1, 1)
    loaded.launch("k", 8, 64, out, cluster=(4, 1, 1))
    np.testing.assert_array_equal(out, [[block ^ 1, 1, 2, 3, 15 + (block ^ 1)] for block in range(8)])


def test_threads_that_have_exited_are_not_waited_for():
    source = """extern "C" __global__ void leave(int *out) {
        __shared__ int count; auto cluster = cg::this_cluster();
        if (threadIdx.x == 0) count = 0;
        cluster.sync();
        if (blockIdx.x == 1 || threadIdx.x % 3 == 1) return;
        atomicAdd(cluster.map_shared_rank(&count, 0), 1);
        asm volatile("barrier.cluster.arrive.release;"); asm volatile("barrier.cluster.wait.acquire;");
        if (cluster.block_rank() == 0 && threadIdx.x == 0) *out = count; }"""
    out = np.zeros(1, np.int32)
    load(source).launch("leave", 3, 64, out, cluster=(3, 1, 1))
    assert out[0] == 2 * sum(thread % 3 != 1 for thread in range(64))


def test_divergent_lanes_arrive_at_different_instructions():
    source = """extern "C" __global__ void apart(int *out) {
        __shared__ int seen; auto cluster = cg::this_cluster();
        if (threadIdx.x == 0) seen = 0;
        cluster.sync();
        if (threadIdx.x & 1) { atomicAdd(cluster.map_shared_rank(&seen, 0), 1);
            asm volatile("barrier.cluster.arrive;"); asm volatile("barrier.cluster.wait;"); }
        else { atomicAdd(cluster.map_shared_rank(&seen, 0), 100);
            asm volatile("barrier.cluster.arrive;"); asm volatile("barrier.cluster.wait;"); }
        out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&seen, 0); cluster.sync(); }"""
    out = np.zeros(64, np.int32)
    load(source).launch("apart", 2, 32, out, cluster=(2, 1, 1))
    assert set(out) == {32 + 3200}


@pytest.mark.cpu_only
def test_a_deadlocked_cluster_is_a_fault():
    source = """extern "C" __global__ void stuck() {
        if (threadIdx.x < 32) asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
        else asm volatile("bar.sync 1, 64;"); }"""
    fault = load(source).run("stuck", 4, 64, cluster=(2, 1, 1))
    assert fault.kind == KIND.BARRIER


@pytest.mark.cpu_only
def test_a_fault_in_one_block_ends_the_cluster():
    source = """extern "C" __global__ void fails() {
        if (blockIdx.x == 3 && threadIdx.x == 7) *(volatile int *)8 = 1;
        cg::this_cluster().sync(); }"""
    fault = load(source).run("fails", 8, 64, cluster=(4, 1, 1))
    assert (fault.kind, fault.block) == (KIND.ILLEGAL_ADDRESS, (3, 0, 0))


def test_a_launch_without_clusters_has_clusters_of_one_block():
    source = """extern "C" __global__ void alone(int *out) {
        __shared__ int sum; auto cluster = cg::this_cluster();
        if (threadIdx.x == 0) sum = 0;
        cluster.sync(); atomicAdd(cluster.map_shared_rank(&sum, 0), threadIdx.x); cluster.sync();
        out[blockIdx.x * 96 + threadIdx.x] = sum + cluster.num_blocks(); }"""
    out = np.zeros(5 * 96, np.int32)
    load(source).launch("alone", 5, 96, out)
    assert set(out) == {96 * 95 // 2 + 1}
