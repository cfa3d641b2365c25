# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives on data: reduction, scan, transposition, histogram."""

from __future__ import annotations

import numpy as np

from cuda.perf import State, axis, benchmark
from cuda.perf.suite.kit import Kit, each, skip_if_large, wide

BLOCK = 256
SOURCE = r"""
extern "C" __global__ void reduce(const float *x, float *sums, unsigned count)
{
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += x[i];
    sum = reduce_block<Sum>(sum, 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
__device__ int scan_block(int value)
{
    __shared__ int of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(~0u, value, distance);
        value += lane >= distance ? other : 0;
    }
    if (lane == 31)
        of_warp[warp] = value;
    __syncthreads();
    for (int i = 0; i < warp; ++i)
        value += of_warp[i];
    __syncthreads();
    return value;
}
extern "C" __global__ void scan_blocks(const int *x, int *y, int *sums, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = scan_block(i < count ? x[i] : 0);
    if (i < count)
        y[i] = value;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = value;
}
extern "C" __global__ void scan_sums(int *sums, unsigned count) // one block
{
    int before = 0;
    __shared__ int last;
    for (unsigned first = 0; first < count; first += blockDim.x) {
        const unsigned i = first + threadIdx.x;
        const int value = scan_block(i < count ? sums[i] : 0) + before;
        if (i < count)
            sums[i] = value;
        if (threadIdx.x == blockDim.x - 1)
            last = value;
        __syncthreads();
        before = last;
        __syncthreads();
    }
}
extern "C" __global__ void add_sums(int *y, const int *sums, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < count)
        y[i] += sums[blockIdx.x - 1];
}
template <int PITCH> __device__ void transpose_tile(const float *in, float *out, int n)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[(size_t)y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    out[(size_t)y * n + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_direct(const float *in, float *out, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}
extern "C" __global__ void transpose_tiled(const float *in, float *out, int n) { transpose_tile<32>(in, out, n); }
extern "C" __global__ void transpose_padded(const float *in, float *out, int n) { transpose_tile<33>(in, out, n); }
extern "C" __global__ void histogram_global(const unsigned char *x, unsigned *bins, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i]], 1);
}
extern "C" __global__ void histogram_shared(const unsigned char *x, unsigned *bins, unsigned count)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
"""


@benchmark
@axis.power_of_two("count", 16, 20, 26)
def reduction(state: State, count: int) -> None:
    """Sum numbers in two steps, so that the order of additions is always the same."""
    skip_if_large(state, count, 4 * count)
    kit = Kit(state, SOURCE)
    x = kit.random(count)
    (x_device,), sums, total = kit.on_device(x), kit.empty(64), kit.empty(1)
    first = kit.call("reduce", 64, BLOCK, x_device, sums, count)
    second = kit.call("reduce", 1, BLOCK, sums, total, 64)

    def expected() -> np.ndarray:
        return np.array([wide(x).sum()])

    kit.exec(each(first, second), total, expected, (x,), count)


@benchmark
@axis.power_of_two("count", 16, 20, 26)
def scan(state: State, count: int) -> None:
    """Compute running sums: of each block, of the blocks, and both together."""
    skip_if_large(state, 4 * count, 8 * count)
    kit = Kit(state, SOURCE)
    x, blocks = kit.integers(100, count), -(-count // BLOCK)
    (x_device,), y, sums = kit.on_device(x), kit.empty(count, dtype=np.int32), kit.empty(blocks, dtype=np.int32)
    steps = each(
        kit.call("scan_blocks", blocks, BLOCK, x_device, y, sums, count),
        kit.call("scan_sums", 1, BLOCK, sums, blocks),
        kit.call("add_sums", blocks, BLOCK, y, sums, count),
    )
    kit.exec(steps, y, lambda: np.cumsum(x, dtype=np.int32), (x,))


@benchmark
@axis.size("n", 256, 1024, 8192)
@axis.variant("how", "direct", "tiled", "padded")
def transpose(state: State, n: int, how: str) -> None:
    """Transpose a matrix; padding the rows of the tile avoids bank conflicts."""
    skip_if_large(state, n * n, 8 * n * n)
    kit = Kit(state, SOURCE)
    x = kit.random(n, n)
    y = kit.empty(n, n)
    launcher = kit.call(f"transpose_{how}", (n // 32, n // 32), (32, 32), *kit.on_device(x), y, n)
    kit.exec(launcher, y, lambda: wide(x).T, (x,))


@benchmark
@axis.power_of_two("count", 16, 20, 26)
@axis.variant("bins", "global", "shared")
def histogram(state: State, count: int, bins: str) -> None:
    """Count how often each byte occurs, by atomic operations in global or in shared memory."""
    skip_if_large(state, 10 * count, count)
    kit = Kit(state, SOURCE)
    x = kit.integers(256, count, dtype=np.uint8)
    found = kit.empty(256, dtype=np.uint32)
    add = kit.call(f"histogram_{bins}", 64, BLOCK, *kit.on_device(x), found, count)
    launcher = each(lambda launched: found.fill(0, stream=launched.stream), add)
    kit.exec(launcher, found, lambda: np.bincount(x, minlength=256), (x,))
