// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Workloads with irregular accesses: graphs, sparse matrices, atomics and hashing, sorting, scans.
#include <cooperative_groups.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#define KERNEL extern "C" __global__ void

KERNEL pagerank(const int *starts, const int *targets, const float *ranks, float *next, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const int first = starts[v], end = starts[v + 1];
    const float share = ranks[v] / (end - first);
    for (int i = first; i < end; i++)
        atomicAdd(&next[targets[i]], share);
}

KERNEL bfs(const int *starts, const int *targets, const int *distance, int *next, int level, int n)   // one level
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int found = distance[v];
    if (found < 0)
        for (int i = starts[v]; i < starts[v + 1]; i++)
            if (distance[targets[i]] == level) {
                found = level + 1;
                break;
            }
    next[v] = found;
}

KERNEL spmv_warp(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;   // a warp per row
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int far = 16; far; far /= 2)
        sum += __shfl_down_sync(~0u, sum, far);
    if (lane == 0)
        y[row] = sum;
}

KERNEL spmv_ell(const int *columns, const float *values, const float *x, float *y, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < width; i++)
        sum += values[i * rows + row] * x[columns[i * rows + row]];
    y[row] = sum;
}

KERNEL gather(const int *indices, const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[indices[i]];
}

KERNEL scatter_add(const int *indices, const float *from, float *sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[indices[i]], from[i]);
}

__device__ unsigned hash_of(unsigned key, unsigned mask) { return (key * 2654435769u >> 8) & mask; }

KERNEL hash_clear(unsigned *table, unsigned *counts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = 0, counts[i] = 0;
}

KERNEL hash_insert(const unsigned *keys, unsigned *table, unsigned *counts, int n, int size)   // keys are not 0
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i];
    for (unsigned slot = hash_of(key, size - 1);; slot = (slot + 1) & (size - 1)) {
        const unsigned old = atomicCAS(&table[slot], 0u, key);
        if (old == 0 || old == key) {
            atomicAdd(&counts[slot], 1u);
            return;
        }
    }
}

KERNEL hash_find(const unsigned *keys, const unsigned *table, const unsigned *counts, unsigned *found, int n, int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned slot = hash_of(keys[i], size - 1);
    while (table[slot] != keys[i])
        slot = (slot + 1) & (size - 1);
    found[i] = counts[slot];
}

KERNEL binary_search(const int *sorted, const int *wanted, int *positions, int size, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = size;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    positions[i] = low;
}

KERNEL radix_count(const unsigned *keys, int *counts, int shift)   // tiles of 1024 keys, 16 digits
{
    __shared__ int mine[16];
    if (threadIdx.x < 16)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd(&mine[keys[blockIdx.x * 1024 + i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

KERNEL radix_offsets(int *counts, int n)   // exclusive sums, one block of 256
{
    using Scan = cub::BlockScan<int, 256>;
    __shared__ Scan::TempStorage storage;
    int carried = 0;
    for (int first = 0; first < n; first += 256) {
        int total, value = counts[first + threadIdx.x];
        Scan(storage).ExclusiveSum(value, value, total);
        counts[first + threadIdx.x] = value + carried;
        carried += total;
        __syncthreads();
    }
}

KERNEL radix_scatter(const unsigned *keys, unsigned *sorted, const int *offsets, int shift)   // one warp per tile
{
    __shared__ int next[16];
    if (threadIdx.x < 16)
        next[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x];
    __syncwarp();
    for (int i = threadIdx.x; i < 1024; i += 32) {
        const unsigned key = keys[blockIdx.x * 1024 + i], digit = key >> shift & 15;
        const unsigned same = __match_any_sync(~0u, digit);
        const int before = __popc(same & ((1u << threadIdx.x) - 1));
        sorted[next[digit] + before] = key;
        __syncwarp();
        if (before == 0)
            next[digit] += __popc(same);
        __syncwarp();
    }
}

KERNEL bitonic(int *data)   // sorts pieces of 512 in shared memory, blocks of 256
{
    __shared__ int tile[512];
    data += blockIdx.x * 512;
    tile[threadIdx.x] = data[threadIdx.x], tile[threadIdx.x + 256] = data[threadIdx.x + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int far = size / 2; far; far /= 2) {
            __syncthreads();
            const int i = 2 * threadIdx.x - (threadIdx.x & (far - 1)), a = tile[i], b = tile[i + far];
            if ((a > b) == !(i & size))
                tile[i] = b, tile[i + far] = a;
        }
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x], data[threadIdx.x + 256] = tile[threadIdx.x + 256];
}

KERNEL cub_sort(const unsigned *from, unsigned *to)   // pieces of 1024, blocks of 128
{
    using Sort = cub::BlockRadixSort<unsigned, 128, 8>;
    __shared__ Sort::TempStorage storage;
    unsigned keys[8];
    const int first = blockIdx.x * 1024 + threadIdx.x * 8;
    for (int i = 0; i < 8; i++)
        keys[i] = from[first + i];
    Sort(storage).Sort(keys);
    for (int i = 0; i < 8; i++)
        to[first + i] = keys[i];
}

KERNEL cub_scan(const int *from, int *to, int *totals)   // sums of pieces of 512 and of their squares, blocks of 128
{
    using Scan = cub::BlockScan<int, 128>;
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ Scan::TempStorage scan;
    __shared__ Reduce::TempStorage reduce;
    const int first = blockIdx.x * 512 + threadIdx.x * 4;
    int4 items = *(const int4 *)(from + first);
    int values[4] = {items.x, items.y, items.z, items.w}, square = 0;
    for (int i = 0; i < 4; i++)
        square += values[i] * values[i];
    Scan(scan).InclusiveSum(values, values);
    square = Reduce(reduce).Sum(square);
    *(int4 *)(to + first) = make_int4(values[0], values[1], values[2], values[3]);
    if (threadIdx.x == 0)
        totals[blockIdx.x] = square;
}

KERNEL compact(const int *from, int *to, int *lengths)   // the odd numbers of each piece of 256, in order
{
    __shared__ int counts[8];
    const int value = from[blockIdx.x * 256 + threadIdx.x], warp = threadIdx.x / 32;
    const unsigned odd = __ballot_sync(~0u, value & 1);
    if (threadIdx.x % 32 == 0)
        counts[warp] = __popc(odd);
    __syncthreads();
    int at = 0, total = 0;
    for (int w = 0; w < 8; w++) {
        at += w < warp ? counts[w] : 0;
        total += counts[w];
    }
    at += __popc(odd & ((1u << threadIdx.x % 32) - 1));
    if (value & 1)
        to[blockIdx.x * 256 + at] = value;
    else if (threadIdx.x - at < 256 - total)
        to[blockIdx.x * 256 + total + threadIdx.x - at] = 0;
    if (threadIdx.x == 0)
        lengths[blockIdx.x] = total;
}

KERNEL group_sums(const float *from, float *sums)   // of 16 numbers each, by cooperative groups
{
    namespace cg = cooperative_groups;
    const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = from[i];
    for (int far = tile.size() / 2; far; far /= 2)
        sum += tile.shfl_down(sum, far);
    if (tile.thread_rank() == 0)
        sums[i / 16] = sum;
}
