# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for `check_corpus`: patterns of the CUDA programming guide that exchange data.

`check_corpus` says how pairs are written. They synchronise by other means than barriers of the block alone, so that a
checker which knows too little of these would report the correct ones.
"""

from __future__ import annotations

_ONE = {"grid": 1}
_WARP = {"grid": 1, "block": 32}
_SUM = "for (int k = 32; k; k >>= 1) { if (T < k) s[T] += s[T + k]; __syncthreads(); } "

HEADERS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
namespace cg = cooperative_groups;
"""

BY_HAND = {
    "reduction by the last block": (
        "__shared__ int s[64]; __shared__ bool last; s[T] = I; __syncthreads(); " + _SUM
        + "if (T == 0) { p[blockIdx.x] = s[0]; @[@|__threadfence();@] "
        "last = atomicInc((unsigned *)p + 255, gridDim.x) == gridDim.x - 1; __threadfence(); } __syncthreads(); "
        "if (last) { s[T] = T < gridDim.x ? p[T] : 0; __syncthreads(); " + _SUM + "if (T == 0) q[0] = s[0]; }"),
    "scan with look-back": (
        "int b = blockIdx.x, sum = 0; if (T == 0) { p[64 + b] = b + 1; __threadfence(); *(volatile int *)(p + b) = 1; "
        "for (int j = b - 1; j >= 0; j--) { int state; do state = *(volatile int *)(p + j); while (!state); "
        "__threadfence(); sum += p[state * 64 + j]; if (state == 2) break; } p[128 + b] = sum + b + 1; "
        "@[@|__threadfence();@] *(volatile int *)(p + b) = 2; q[b] = sum; }"),
    "lock": (
        "if (T == 0) { while (atomicCAS(p, 0, 1)); __threadfence(); q[0]++; @[@|__threadfence();@] "
        "atomicExch(p, 0); }"),
    "flag within the block": (
        "__shared__ int s; __shared__ volatile int ready; if (T == 0) ready = 0; __syncthreads(); "
        "if (T == 0) { s = n; @[@|__threadfence_block();@] ready = 1; } "
        "if (T == 32) { while (!ready); __threadfence_block(); q[I] = s; }"),
    "two buffers, one barrier": (
        "__shared__ int s[2][64]; int v = 0; for (int k = 0; k < 6; k++) { s[@[0@|k & 1@]][T] = k + T; "
        "__syncthreads(); v += s[@[0@|k & 1@]][63 - T]; } q[I] = v;", _ONE),
    "three stages of copies": (
        "__shared__ int s[3][64]; int v = 0; for (int k = 0; k < 2; k++) { copy4(s[k] + T, p + 64 * k + T); "
        "commit(); } for (int k = 0; k < 4; k++) { wait_groups<@[2@|1@]>(); __syncthreads(); v += s[k % 3][63 - T]; "
        "if (k < 2) copy4(s[(k + 2) % 3] + T, p + 64 * (k + 2) + T); commit(); } q[I] = v;", _ONE),
    "warps with regions of their own": (
        "__shared__ int s[2][32]; int w = T / 32, i = T % 32; for (int k = 0; k < 3; k++) { s[w][i] = k * T; "
        "__syncwarp(); int v = s[@[1 - w@|w@]][31 - i]; __syncwarp(); q[I] = v; }", _ONE),
    "reduction of a warp": (
        "__shared__ int s[32]; s[T] = T; __syncwarp(); for (int k = 16; k; k >>= 1) { int v = T < k ? s[T + k] : 0; "
        "@[@|__syncwarp();@] s[T] += v; __syncwarp(); } q[I] = s[0];", _WARP),
    "part of a warp": (
        "__shared__ int s[32]; if (T < 8) { s[T] = T; __syncwarp(0xff); q[I] = s[@[T ^ 8@|T ^ 7@]]; } "
        "else { s[T] = 2 * T; __syncwarp(0xffffff00); q[I] = s[39 - T]; }", _WARP),
    "histograms of warps": (
        "__shared__ int s[2][16]; if (T < 32) s[T / 16][T % 16] = 0; __syncthreads(); "
        "atomicAdd(&s[T / 32][T % 16], 1); "
        "@[@|__syncthreads();@] if (T < 16) q[T] = s[0][T] + s[1][T];", _ONE),
    "named barriers of producer and consumer": (
        "__shared__ int s[32]; int v = 0; if (T < 32) for (int k = 0; k < 4; k++) { bar(2, 64); s[T] = k; "
        "arrive_bar(1, 64); } else { arrive_bar(2, 64); for (int k = 0; k < 4; k++) { bar(1, 64); "
        "@[if (k < 3) arrive_bar(2, 64); v += s[63 - T];@|v += s[63 - T]; if (k < 3) arrive_bar(2, 64);@] } } "
        "q[I] = v;", _ONE),
    "ring of mbarriers": (
        "__shared__ int s[2][32]; __shared__ u64 full[2], empty[2]; int v = 0; "
        "if (T == 0) for (int k = 0; k < 2; k++) { init(full + k, 32); init(empty + k, 32); } __syncthreads(); "
        "if (T < 32) for (int k = 0; k < 6; k++) { if (k > 1) wait(empty + (k & 1), ((k >> 1) - 1) & 1); "
        "s[k & 1][T] = k; arrive(full + (k & 1)); } "
        "else for (int k = 0; k < 6; k++) { wait(full + (k & 1), k >> 1 & 1); "
        "v += s[@[(k + 1) & 1@|k & 1@]][63 - T]; arrive(empty + (k & 1)); } q[I] = v;", _ONE),
    "until nothing changes": (
        "__shared__ int s[64]; s[T] = T; __syncthreads(); int more; do { int v = s[T ? T - 1 : 0]; "
        "@[@|__syncthreads();@] more = v < s[T]; if (more) s[T] = v; } while (__syncthreads_or(more)); q[I] = s[T];",
        _ONE),
    "everybody writes the same": ("__shared__ int s; s = @[T@|7@]; __syncthreads(); q[I] = s;", _ONE),
    "message by release and acquire": (
        "if (I == 0) { q[1] = 5; @[asm volatile(\"st.relaxed.gpu.global.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");@|"
        "asm volatile(\"st.release.gpu.global.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");@] } "
        "if (I == 64) { int v; do "
        "asm volatile(\"ld.acquire.gpu.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\"); "
        "while (!v); q[0] = q[1]; }"),
}  # fmt: skip

BY_LIBRARIES = {
    "tiles of 16": (
        "__shared__ int s[64]; auto tile = cg::tiled_partition<16>(cg::this_thread_block()); s[T] = T; "
        "@[@|tile.sync();@] "
        "q[I] = s[T ^ 15];", _ONE),
    "reduction of a tile": (
        "__shared__ int s[4]; auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<16>(block); "
        "int v = cg::reduce(tile, T, cg::plus<int>()); if (tile.thread_rank() == 0) s[tile.meta_group_rank()] = v; "
        "@[@|block.sync();@] if (T == 0) q[0] = s[0] + s[1] + s[2] + s[3];", _ONE),
    "aggregated atomics": (
        "__shared__ int s; if (T == 0) s = 0; __syncthreads(); if (T % 3) { auto active = cg::coalesced_threads(); "
        "int before = 0; if (active.thread_rank() == 0) @[{ before = s; s += active.size(); }@|"
        "before = atomicAdd(&s, active.size());@] q[I] = active.shfl(before, 0) + active.thread_rank(); }", _ONE),
    "copy of a group": (
        "__shared__ __align__(16) int s[64]; auto block = cg::this_thread_block(); "
        "cg::memcpy_async(block, s, p, sizeof s); @[block.sync();@|cg::wait(block);@] q[I] = s[63 - T];", _ONE),
    "pipeline of a thread": (
        "__shared__ int s[2][64]; auto pipe = cuda::make_pipeline(); int v = 0; for (int k = 0; k < 2; k++) { "
        "pipe.producer_acquire(); cuda::memcpy_async(s[k] + T, p + 64 * k + T, cuda::aligned_size_t<4>(4), pipe); "
        "pipe.producer_commit(); } for (int k = 0; k < 2; k++) { @[@|pipe.consumer_wait();@] v += s[k][T]; "
        "pipe.consumer_release(); } q[I] = v;", _ONE),
    "arrive and wait": (
        "__shared__ int s[64]; __shared__ cuda::barrier<cuda::thread_scope_block> b; "
        "if (T == 0) init(&b, 64); __syncthreads(); for (int k = 0; k < 3; k++) { s[T] = k; auto token = b.arrive(); "
        "@[@|b.wait(static_cast<decltype(token) &&>(token));@] int v = s[63 - T]; b.arrive_and_wait(); q[I] = v; }",
        _ONE),
    "atomic of the device": (
        "cuda::atomic_ref<int, cuda::@[thread_scope_block@|thread_scope_device@]> ready(p[0]); "
        "if (I == 0) { q[1] = 5; ready.store(1, cuda::std::memory_order_release); } "
        "if (I == 64) { while (!ready.load(cuda::std::memory_order_acquire)); q[0] = q[1]; }"),
}  # fmt: skip
