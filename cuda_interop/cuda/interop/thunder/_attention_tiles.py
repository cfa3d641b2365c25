# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of scaled dot-product attention for many queries: a block has 32, and goes through the keys in tiles.

A thread computes scores of one query with two or four keys at once, and a warp 32 columns of the results of as many
queries. So an element that is loaded is multiplied several times, and both inner loops load what neighbouring threads
need from consecutive addresses: queries from shared memory, where they are turned, and values as they are.
"""

from __future__ import annotations

QUERIES, WARPS = 32, 4  # of a block
KEY_BYTES = 256  # the scores of a tile for one query
_MOST_BYTES = 48 * 1024  # of shared memory, without asking for more
_FEWEST_QUERIES = 8  # for which a block of this kernel is not mostly idle
SOURCE = (
    f"#define WARPS {WARPS}\n#define KEY_BYTES {KEY_BYTES}\n"
    + r"""
#define EACH_ONE int r = 0; r < AT_ONCE; ++r
#define OWN_ROWS int row = warp; row < 32 + warp; row += WARPS  // equally often for all warps

// What a mask gives the scores of a query with the keys of a tile: a term of each or, if it is boolean, a bit
template <class T, int KIND, int PITCH> __device__ void read_mask(
    const void *mask, long long at, bool one_for_all, int count, Acc<T> *terms, unsigned *bits)
{
    if (KIND == 2) {
        const bool *sees = static_cast<const bool *>(mask) + at;
        #pragma unroll 1
        for (int start = 0; start < count; start += 32) {
            const int j = start + threadIdx.x, last = count - 1;  // no branch for j, so that all threads vote together
            const bool own = one_for_all ? sees[0] : start + 32 <= count ? sees[j] : j <= last & sees[min(j, last)];
            const unsigned word = __ballot_sync(0xffffffff, own);
            if (threadIdx.x == 0)
                bits[start] = word;
        }
        return;
    }
    using E = typename Choice<KIND == 1, T, float>::type;
    const E *from = static_cast<const E *>(mask) + at;
    if (one_for_all) {
        const Acc<T> term = (Acc<T>)from[0];
        for_all<1, int>(count, 0, 1, [&](int j) { terms[j * PITCH] = term; });
    } else
        for_all<1, int>(count, 0, 1, [&](int j) { terms[j * PITCH] = (Acc<T>)from[j]; });
}

// Products of a thread's row, which is turned, with some rows
template <class T, int N, int AT_ONCE> __device__ void products(
    const Acc<T> *turned, const T *const (&rows)[AT_ONCE], int size, Acc<T> (&found)[AT_ONCE])
{
    Acc<T> w[AT_ONCE][N];
    for (EACH_ONE) found[r] = 0;
    #pragma unroll 4
    for (int d = 0; d < size; d += N) {
        for (EACH_ONE) load<T, N>(rows[r] + d, w[r]);
        for (EACH) {
            const Acc<T> element = turned[(d + k) * 32 + threadIdx.x];
            for (EACH_ONE) found[r] += element * w[r][k];
        }
    }
}

template <class T, int N, int KIND, bool CAUSAL> __global__ void attention_tiles(
    const T *q, const T *k, const T *v, T *y, Acc<T> *log_sum, MASK_PARAMETERS, double scale, int group, int queries,
    int keys, int size, int width)
{
    using S = Acc<T>;
    constexpr int KEYS = KEY_BYTES / sizeof(S), AT_ONCE = N > 1 ? 4 : 2;
    constexpr int PITCH = KIND % 2 ? 33 : 32;  // 33 where a warp writes the scores of one query
    extern __shared__ double memory[];
    S *turned = reinterpret_cast<S *>(memory), *sums = turned + 32 * size, *scores = sums + 32 * width;
    S *parts = scores + KEYS * PITCH, *factors = parts + WARPS * 32;
    unsigned *bits = reinterpret_cast<unsigned *>(factors + 32);
    const Mask masked = MASK_OF_PARAMETERS;
    const int lane = threadIdx.x, warp = threadIdx.y, tiles = (queries + 31) / 32;
    const long long head = blockIdx.x / tiles, key_head = head / group;
    const int begin = blockIdx.x % tiles * 32, i = min(begin + lane, queries - 1);
    const int seen = CAUSAL ? min(keys, begin + 32) : keys;
    q += head * queries * size, k += key_head * keys * size, v += key_head * keys * width;
    for (int d = warp * N; d < size; d += WARPS * N) {
        S u[N];
        load<T, N>(q + (long long)i * size + d, u);
        for (EACH) turned[(d + k) * 32 + lane] = u[k];
    }
    for (int d = warp * 32; d < 32 * width; d += WARPS * 32)
        sums[d + lane] = 0;
    S top = -INFINITE, sum = 0;
    __syncthreads();
    for (int start = 0; start < seen; start += KEYS) {
        const int count = min(KEYS, seen - start);
        S most = top, part = 0;
        if (KIND) {
            #pragma unroll 1
            for (OWN_ROWS)
                read_mask<T, KIND, PITCH>(
                    mask, masked.row(head, min(begin + row, queries - 1)) + start * each_key, each_key == 0, count,
                    scores + row, bits + row);
            __syncthreads();
        }
        for (int j = warp * AT_ONCE; j < count; j += WARPS * AT_ONCE) {
            S found[AT_ONCE];
            const T *rows[AT_ONCE];
            for (EACH_ONE) rows[r] = k + (long long)min(start + j + r, keys - 1) * size;
            products<T, N, AT_ONCE>(turned, rows, size, found);
            for (EACH_ONE) {
                if (j + r >= count)
                    break;
                S *const score = scores + (j + r) * PITCH + lane;
                S value = found[r] * (S)scale;
                if (KIND == 2)
                    value = bits[(j + r) / 32 * 32 + lane] >> (j + r) % 32 & 1 ? value : -INFINITE;
                else if (KIND)
                    value += *score;
                if (CAUSAL)
                    value = start + j + r <= i ? value : -INFINITE;
                *score = value, most = max(most, value);
            }
        }
        parts[warp * 32 + lane] = most;
        __syncthreads();
        for (int w = 0; w < WARPS; ++w)
            most = max(most, parts[w * 32 + lane]);
        const S factor = likelihood<S>(top, most);
        for (int j = warp; j < count; j += WARPS) {
            const S likely = likelihood<S>(scores[j * PITCH + lane], most);
            scores[j * PITCH + lane] = likely, part += likely;
        }
        factors[lane] = factor, sum = sum * factor + part, top = most;
        __syncthreads();
        for (int row = warp * AT_ONCE; row < 32; row += WARPS * AT_ONCE)
            for_all<1, int>(width, 0, 1, [&](int d) {
                const T *from = v + (long long)start * width + d;
                S found[AT_ONCE];
                for (EACH_ONE) found[r] = sums[(row + r) * width + d] * factors[row + r];
                #pragma unroll 4
                for (int j = 0; j < count; ++j) {
                    const S element = (S)from[j * width];
                    for (EACH_ONE) found[r] += scores[j * PITCH + row + r] * element;
                }
                for (EACH_ONE) sums[(row + r) * width + d] = found[r];
            });
        __syncthreads();
    }
    parts[warp * 32 + lane] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < WARPS; ++w)
        sum += parts[w * 32 + lane];
    if (warp == 0 && begin + lane < queries)
        log_sum[head * queries + begin + lane] = sum == 0 ? -INFINITE : top + log(sum);
    factors[lane] = sum == 0 ? 0 : 1 / sum;
    __syncthreads();
    y += (head * queries + begin) * width;
    for (OWN_ROWS)
        if (begin + row < queries)
            for_all<1, int>(width, 0, 1, [&](int d) {
                const int at = row * width + d;
                y[at] = (T)(sums[at] * factors[row]);
            });
}
"""
)


def shared_bytes(size: int, width: int, element_bytes: int) -> int:
    """Return the bytes of shared memory for columns of a key and a value, accumulated in so many bytes each."""
    keys = KEY_BYTES // element_bytes
    return element_bytes * (QUERIES * (size + width + keys + WARPS + 1) + 2 * keys)


def has_tiles(queries: int, size: int, width: int, element_bytes: int) -> bool:
    """Return whether this kernel takes such a call."""
    return queries >= _FEWEST_QUERIES and shared_bytes(size, width, element_bytes) <= _MOST_BYTES
