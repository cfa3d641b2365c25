# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of the gradients of attention for many queries and keys, by tiles as in `_attention_tiles`.

In one kernel, a block has 32 queries, for their gradients, and goes through the keys. In the other, it has 32 keys, for
the gradients of keys and values, and goes through the queries. Both compute the probabilities again. A thread computes
two products for one of the 32 with two or four of the others at once: of query and key, and of gradient and value. The
sums are in global memory, where results of a type that is accumulated as it is are their own sums: shared memory then
has room for as wide rows as forward.
"""

from __future__ import annotations

from cuda.interop.thunder import _attention_tiles as tiles

_QUERY_BYTES = 128  # the probabilities of a tile of queries for one key
SOURCE = (
    f"#define QUERY_BYTES {_QUERY_BYTES}\n"
    + r"""
// Turn rows of this block into shared memory: those of the lanes
template <class T, int N> __device__ void turn(const T *from, int size, Acc<T> *turned)
{
    for (int d = threadIdx.y * N; d < size; d += WARPS * N) {
        Acc<T> u[N];
        load<T, N>(from + d, u);
        for (EACH) turned[(d + k) * 32 + threadIdx.x] = u[k];
    }
}
// Add to sums of some of the 32 rows, each of `size` columns, what a tile of `count` others contributes
template <class T, int AT_ONCE, int PITCH> __device__ void add_tile(
    const T *from, const Acc<T> *factors, int count, int size, int last, Acc<T> *sums)
{
    for (int row = threadIdx.y * AT_ONCE; row <= last; row += WARPS * AT_ONCE)
        for_all<1, int>(size, 0, 1, [&](int d) {
            const T *own = from + d;
            Acc<T> found[AT_ONCE], *to[AT_ONCE];
            for (EACH_ONE) to[r] = sums + (long long)min(row + r, last) * size + d, found[r] = *to[r];
            #pragma unroll 4
            for (int j = 0; j < count; ++j) {
                const Acc<T> element = (Acc<T>)own[j * size];
                for (EACH_ONE) found[r] += factors[j * PITCH + min(row + r, last)] * element;
            }
            for (EACH_ONE) *to[r] = found[r];
        });
}
// Rows below `count`, each of a warp as in add_tile: clear their sums, or make results of them
template <class T, int AT_ONCE> __device__ void clear_sums(Acc<T> *sums, int count, int size)
{
    for (int row = threadIdx.y * AT_ONCE; row < 32; row += WARPS * AT_ONCE)
        for (EACH_ONE) if (row + r < count)
            for_all<1, int>(size, 0, 1, [&](int d) { sums[(long long)(row + r) * size + d] = 0; });
}
template <class T, int AT_ONCE> __device__ void store_sums(
    const Acc<T> *sums, T *to, int count, int size, double scale)
{
    for (int row = threadIdx.y * AT_ONCE; row < 32; row += WARPS * AT_ONCE)
        for (EACH_ONE) if (row + r < count)
            for_all<1, int>(size, 0, 1, [&](int d) {
                const long long at = (long long)(row + r) * size + d;
                to[at] = (T)(sums[at] * (Acc<T>)scale);
            });
}

// delta: the sum of gradient times result of each query, which the other kernel needs, too
template <class T, int N, int KIND, bool CAUSAL> __global__ void attention_query_tiles(
    const T *q, const T *k, const T *v, const T *y, const Acc<T> *log_sum, const T *grad, T *dq, Acc<T> *sums,
    Acc<T> *delta, MASK_PARAMETERS, double scale, int group, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    constexpr int KEYS = KEY_BYTES / sizeof(S), AT_ONCE = N > 1 ? 4 : 2;
    constexpr int PITCH = KIND % 2 ? 33 : 32;  // 33 where a warp writes the mask of one query
    extern __shared__ double memory[];
    S *turned = reinterpret_cast<S *>(memory), *turned_grad = turned + 32 * size;
    S *slopes = turned_grad + 32 * width, *parts = slopes + KEYS * PITCH;
    unsigned *bits = reinterpret_cast<unsigned *>(parts + WARPS * 32);
    const Mask masked = MASK_OF_PARAMETERS;
    const int lane = threadIdx.x, warp = threadIdx.y, tiles = (queries + 31) / 32;
    const long long head = blockIdx.x / tiles, key_head = head / group;
    const int begin = blockIdx.x % tiles * 32, own = min(32, queries - begin), i = begin + min(lane, own - 1);
    const int seen = CAUSAL ? min(keys, begin + 32) : keys;
    const long long first = head * queries + begin, row = head * queries + i;
    k += key_head * keys * size, v += key_head * keys * width, dq += first * size, sums += first * size;
    turn<T, N>(q + row * size, size, turned);
    S along = 0;
    for (int d = warp * N; d < width; d += WARPS * N) {
        S u[N], w[N];
        load<T, N>(y + row * width + d, u), load<T, N>(grad + row * width + d, w);
        for (EACH) turned_grad[(d + k) * 32 + lane] = w[k], along += u[k] * w[k];
    }
    parts[warp * 32 + lane] = along;
    clear_sums<T, AT_ONCE>(sums, own, size);
    __syncthreads();
    along = 0;
    for (int w = 0; w < WARPS; ++w)
        along += parts[w * 32 + lane];
    if (warp == 0 && lane < own)
        delta[row] = along;
    const S total = log_sum[row];
    for (int start = 0; start < seen; start += KEYS) {
        const int count = min(KEYS, seen - start);
        if (KIND) {
            #pragma unroll 1
            for (OWN_ROWS)
                read_mask<T, KIND, PITCH>(
                    mask, masked.row(head, begin + min(row, own - 1)) + start * each_key, each_key == 0, count,
                    slopes + row, bits + row);
            __syncthreads();
        }
        for (int j = warp * AT_ONCE; j < count; j += WARPS * AT_ONCE) {
            S found[AT_ONCE], slope[AT_ONCE];
            const T *rows[AT_ONCE], *values[AT_ONCE];
            for (EACH_ONE) {
                const long long at = min(start + j + r, keys - 1);
                rows[r] = k + at * size, values[r] = v + at * width;
            }
            products<T, N, AT_ONCE>(turned, rows, size, found);
            products<T, N, AT_ONCE>(turned_grad, values, width, slope);
            for (EACH_ONE) {
                if (j + r >= count)
                    break;
                S *const to = slopes + (j + r) * PITCH + lane;
                S value = found[r] * (S)scale;
                if (KIND == 2)
                    value = bits[(j + r) / 32 * 32 + lane] >> (j + r) % 32 & 1 ? value : -INFINITE;
                else if (KIND)
                    value += *to;
                if (CAUSAL)
                    value = start + j + r <= i ? value : -INFINITE;
                *to = likelihood<S>(value, total) * (slope[r] - along);
            }
        }
        __syncthreads();
        add_tile<T, AT_ONCE, PITCH>(k + (long long)start * size, slopes, count, size, own - 1, sums);
        __syncthreads();
    }
    store_sums<T, AT_ONCE>(sums, dq, own, size, scale);
}

template <class T, int N, int KIND, bool CAUSAL> __global__ void attention_key_tiles(
    const T *q, const T *k, const T *v, const Acc<T> *log_sum, const T *grad, const Acc<T> *delta, T *dk, T *dv,
    Acc<T> *dk_sums, Acc<T> *dv_sums, MASK_PARAMETERS, double scale, int group, int queries, int keys, int size,
    int width)
{
    using S = Acc<T>;
    constexpr int QUERIES = QUERY_BYTES / sizeof(S), AT_ONCE = N > 1 ? 4 : 2;
    extern __shared__ double memory[];
    S *turned = reinterpret_cast<S *>(memory), *turned_values = turned + 32 * size;
    S *slopes = turned_values + 32 * width, *likely = slopes + QUERIES * 32;
    const Mask masked = MASK_OF_PARAMETERS;
    const int lane = threadIdx.x, warp = threadIdx.y, tiles = (keys + 31) / 32;
    const long long key_head = blockIdx.x / tiles;
    const int begin = blockIdx.x % tiles * 32, own = min(32, keys - begin), key = begin + min(lane, own - 1);
    const long long first = key_head * keys + begin, row = key_head * keys + key;
    dk += first * size, dk_sums += first * size, dv += first * width, dv_sums += first * width;
    turn<T, N>(k + row * size, size, turned);
    turn<T, N>(v + row * width, width, turned_values);
    clear_sums<T, AT_ONCE>(dk_sums, own, size);
    clear_sums<T, AT_ONCE>(dv_sums, own, width);
    __syncthreads();
    for (long long head = key_head * group; head < (key_head + 1) * group; ++head)
        for (int start = CAUSAL ? begin : 0; start < queries; start += QUERIES) {
            const int count = min(QUERIES, queries - start);
            for (int j = warp * AT_ONCE; j < count; j += WARPS * AT_ONCE) {
                S found[AT_ONCE], slope[AT_ONCE];
                const T *rows[AT_ONCE], *grads[AT_ONCE];
                for (EACH_ONE) {
                    const long long at = head * queries + min(start + j + r, queries - 1);
                    rows[r] = q + at * size, grads[r] = grad + at * width;
                }
                products<T, N, AT_ONCE>(turned, rows, size, found);
                products<T, N, AT_ONCE>(turned_values, grads, width, slope);
                for (EACH_ONE) {
                    if (j + r >= count)
                        break;
                    const int i = start + j + r;
                    S value = found[r] * (S)scale;
                    if (KIND)
                        value = masked.applied<T, KIND>(value, masked.row(head, i) + key * each_key);
                    if (CAUSAL)
                        value = key <= i ? value : -INFINITE;
                    const S probability = likelihood<S>(value, log_sum[head * queries + i]);
                    likely[(j + r) * 32 + lane] = probability;
                    slopes[(j + r) * 32 + lane] = probability * (slope[r] - delta[head * queries + i]);
                }
            }
            __syncthreads();
            const long long at = head * queries + start;
            add_tile<T, AT_ONCE, 32>(q + at * size, slopes, count, size, own - 1, dk_sums);
            add_tile<T, AT_ONCE, 32>(grad + at * width, likely, count, width, own - 1, dv_sums);
            __syncthreads();
        }
    store_sums<T, AT_ONCE>(dk_sums, dk, own, size, scale);
    store_sums<T, AT_ONCE>(dv_sums, dv, own, width, 1.0);
}
"""
)


def key_tile_bytes(size: int, width: int, element_bytes: int) -> int:
    """Return the bytes of shared memory of the kernel for keys and values: no more than forward."""
    return element_bytes * tiles.QUERIES * (size + width) + 2 * tiles.QUERIES * _QUERY_BYTES


def query_tile_bytes(size: int, width: int, element_bytes: int) -> int:
    """Return the bytes of shared memory of the kernel for queries: no more than forward."""
    keys = tiles.KEY_BYTES // element_bytes
    return element_bytes * (tiles.QUERIES * (size + width + keys + tiles.WARPS) + 2 * keys)
