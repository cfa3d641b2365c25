# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of scaled dot-product attention for few queries or keys, or rows too wide for tiles, and of masks.

A block of 128 threads has one query, and goes through its keys in tiles whose scores are in shared memory; a warp
computes a score. Backward, one kernel has a query per block, for its gradient, and one a key, for those of the key and
the value; both compute the probabilities again from the logarithm of their sum.
"""

from __future__ import annotations

THREADS, TILE = 128, 1024
SOURCE = (
    f"#define THREADS {THREADS}\n#define TILE {TILE}\n"
    + r"""
#define INFINITE __int_as_float(0x7f800000)
// Numbers below count, each for a thread, or for a warp. All threads go through the loops equally often, as in for_all.
#define FOR_EACH(i, count, of, all) \
    for (int first = 0; first < (count); first += (all)) \
        if (const int i = first + (of); i < (count))
#define FOR_THREADS(i, count) FOR_EACH(i, count, (int)threadIdx.x, THREADS)
#define FOR_WARPS(i, count) FOR_EACH(i, count, (int)(threadIdx.x / 32), THREADS / 32)
#define TILES(count) int start = 0; start < count; start += TILE

// The sum, or the maximum, of a block's values, which all its threads get
template <class S, bool MOST> __device__ S reduced(S value)
{
    __shared__ S parts[THREADS / 32];
    value = MOST ? most_of_lanes(value) : add_lanes(value);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int k = 1; k < THREADS / 32; ++k)
        value = MOST ? max(value, parts[k]) : value + parts[k];
    return value;
}
// A product of rows, whose elements are the lanes': all of a warp get it
template <class T, int N> __device__ Acc<T> dot(const T *a, const T *b, int size)
{
    Acc<T> sum = 0, u[N], w[N];
    for (int start = 0; start < size; start += 32 * N)
        if (const int d = start + threadIdx.x % 32 * N; d < size) {
            load<T, N>(a + d, u), load<T, N>(b + d, w);
            for (EACH) sum += u[k] * w[k];
        }
    return add_lanes(sum);
}

// A mask, and how far apart its elements are in each dimension: 0 where it has one element for all
struct Mask {
    const void *of;
    int heads;
    long long batch, head, query, key;
    __device__ long long row(long long head_of_all, int i) const
    {
        return head_of_all / heads * batch + head_of_all % heads * head + i * query;
    }
    template <class T, int KIND> __device__ Acc<T> applied(Acc<T> score, long long at) const
    {
        return KIND == 1 ? score + (Acc<T>)static_cast<const T *>(of)[at]
             : KIND == 2 ? static_cast<const bool *>(of)[at] ? score : -INFINITE
             : KIND == 3 ? score + (Acc<T>)static_cast<const float *>(of)[at] : score;
    }
};
#define MASK_PARAMETERS const void *mask, int heads, long long batch, long long each_head, long long each_query, \
    long long each_key
#define MASK_OF_PARAMETERS {mask, heads, batch, each_head, each_query, each_key}

template <class T, int N, int KIND> __device__ Acc<T> score(
    const T *q, const T *k, int size, double scale, const Mask &mask, long long at)
{
    if (KIND == 2 && !static_cast<const bool *>(mask.of)[at])
        return -INFINITE;
    const Acc<T> found = dot<T, N>(q, k, size) * (Acc<T>)scale;
    return KIND == 2 ? found : mask.applied<T, KIND>(found, at);
}
// The probability of a score; log_sum is -inf if the query sees no key
template <class S> __device__ S likelihood(S score, S log_sum)
{
    return log_sum == -INFINITE ? 0 : exponential(score - log_sum);
}

template <class T, int N, int KIND, bool CAUSAL> __global__ void attention(
    const T *q, const T *k, const T *v, T *y, Acc<T> *log_sum, MASK_PARAMETERS, double scale, int group, int queries,
    int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *scores = reinterpret_cast<S *>(memory), *sums = scores + TILE;
    const Mask masked = MASK_OF_PARAMETERS;
    const long long row = blockIdx.x, head = row / queries, key_head = head / group;
    const int i = row % queries, seen = CAUSAL ? min(keys, i + 1) : keys;
    const long long mask_row = KIND ? masked.row(head, i) : 0;
    q += row * size, k += key_head * keys * size, v += key_head * keys * width;
    S top = -INFINITE, sum = 0;
    FOR_THREADS(d, width) sums[d] = 0;
    for (TILES(seen)) {
        const int count = min(TILE, seen - start);
        S most = top, part = 0;
        FOR_WARPS(j, count) {
            const int at = start + j;
            const S found = score<T, N, KIND>(
                q, k + (long long)at * size, size, scale, masked, mask_row + at * each_key);
            scores[j] = found;
            most = max(most, found);
        }
        most = reduced<S, true>(most);
        FOR_THREADS(j, count) {
            scores[j] = likelihood<S>(scores[j], most);
            part += scores[j];
        }
        const S factor = likelihood<S>(top, most);
        sum = sum * factor + reduced<S, false>(part);
        top = most;
        FOR_THREADS(d, width) {
            S value = sums[d] * factor;
            for (int j = 0; j < count; ++j)
                value += scores[j] * (S)v[(long long)(start + j) * width + d];
            sums[d] = value;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        log_sum[row] = sum == 0 ? -INFINITE : top + log(sum);
    FOR_THREADS(d, width)
        y[row * width + d] = (T)(sum == 0 ? 0 : sums[d] / sum);
}

// delta: the sum of gradient times result, which the other kernel needs, too. dq or slopes_of_all may be null.
template <class T, int N, int KIND, bool CAUSAL> __global__ void attention_queries(
    const T *q, const T *k, const T *v, const T *y, const Acc<T> *log_sum, const T *grad, T *dq, Acc<T> *delta,
    Acc<T> *slopes_of_all, MASK_PARAMETERS, double scale, int group, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *slopes = reinterpret_cast<S *>(memory), *sums = slopes + TILE;
    const Mask masked = MASK_OF_PARAMETERS;
    const long long row = blockIdx.x, head = row / queries, key_head = head / group;
    const int i = row % queries, seen = CAUSAL ? min(keys, i + 1) : keys;
    const long long mask_row = KIND ? masked.row(head, i) : 0;
    q += row * size, k += key_head * keys * size, v += key_head * keys * width;
    y += row * width, grad += row * width;
    S along = 0;
    FOR_THREADS(d, width) along += (S)y[d] * (S)grad[d];
    along = reduced<S, false>(along);
    if (threadIdx.x == 0)
        delta[row] = along;
    FOR_THREADS(d, size) sums[d] = 0;
    for (TILES(seen)) {
        const int count = min(TILE, seen - start);
        FOR_WARPS(j, count) {
            const int at = start + j;
            const S found = score<T, N, KIND>(
                q, k + (long long)at * size, size, scale, masked, mask_row + at * each_key);
            const S likely = likelihood<S>(found, log_sum[row]);
            const S slope = likely * (dot<T, N>(grad, v + (long long)at * width, width) - along);
            slopes[j] = slope;
            if (slopes_of_all)
                slopes_of_all[row * keys + at] = slope;
        }
        __syncthreads();
        if (dq)
            FOR_THREADS(d, size) {
                S value = sums[d];
                for (int j = 0; j < count; ++j)
                    value += slopes[j] * (S)k[(long long)(start + j) * size + d];
                sums[d] = value;
            }
        __syncthreads();
    }
    if (dq)
        FOR_THREADS(d, size) dq[row * size + d] = (T)(sums[d] * (S)scale);
}
template <class T, int N, int KIND, bool CAUSAL> __global__ void attention_keys(
    const T *q, const T *k, const T *v, const Acc<T> *log_sum, const T *grad, const Acc<T> *delta, T *dk, T *dv,
    MASK_PARAMETERS, double scale, int group, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *slopes = reinterpret_cast<S *>(memory), *likely = slopes + TILE, *dk_sums = likely + TILE;
    S *dv_sums = dk_sums + size;
    const Mask masked = MASK_OF_PARAMETERS;
    const long long row = blockIdx.x, first_head = row / keys * group;
    const int key = row % keys, seen = group * queries;
    q += first_head * queries * size, grad += first_head * queries * width;
    log_sum += first_head * queries, delta += first_head * queries, k += row * size, v += row * width;
    FOR_THREADS(d, size) dk_sums[d] = 0;
    FOR_THREADS(d, width) dv_sums[d] = 0;
    for (TILES(seen)) {
        const int count = min(TILE, seen - start);
        FOR_WARPS(j, count) {
            const int at = start + j, i = at % queries;
            S probability = 0, slope = 0;
            if (!CAUSAL || key <= i) {
                const long long mask_at = KIND ? masked.row(first_head + at / queries, i) + key * each_key : 0;
                const S found = score<T, N, KIND>(q + (long long)at * size, k, size, scale, masked, mask_at);
                probability = likelihood<S>(found, log_sum[at]);
                slope = probability * (dot<T, N>(grad + (long long)at * width, v, width) - delta[at]);
            }
            likely[j] = probability, slopes[j] = slope;
        }
        __syncthreads();
        FOR_THREADS(d, size) {
            S value = dk_sums[d];
            for (int j = 0; j < count; ++j)
                value += slopes[j] * (S)q[(long long)(start + j) * size + d];
            dk_sums[d] = value;
        }
        FOR_THREADS(d, width) {
            S value = dv_sums[d];
            for (int j = 0; j < count; ++j)
                value += likely[j] * (S)grad[(long long)(start + j) * width + d];
            dv_sums[d] = value;
        }
        __syncthreads();
    }
    FOR_THREADS(d, size) dk[row * size + d] = (T)(dk_sums[d] * (S)scale);
    FOR_THREADS(d, width) dv[row * width + d] = (T)dv_sums[d];
}
"""
)
