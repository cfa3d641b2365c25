# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of scaled dot-product attention, as operators of PyTorch.

Most calls go to the kernel of `_attention_tiles`. Here are those of few queries, or of rows too wide for it: a block of
128 threads has one query, and goes through its keys in tiles whose scores are in shared memory; a warp computes a
score. Backward, one kernel has a query per block, for its gradient, and one a key, for those of the key and the value;
both compute the probabilities again from the logarithm of their sum, so that no matrix of scores is in memory.
Consecutive heads of queries may share a head of keys. A query that sees no key has the result 0, as in PyTorch.
"""

from __future__ import annotations

import torch
from torch import Tensor

from cuda.interop.thunder import _attention_tiles as tiles
from cuda.interop.thunder import _source
from cuda.interop.torch import launch_kernel, operator

NO_MASK, OF_QUERIES, BOOLEAN, FLOAT = range(4)  # which elements a mask has; added to scores unless they are boolean
_THREADS, _TILE = 128, 1024
_SOURCE = (
    _source.PREAMBLE
    + f"#define THREADS {_THREADS}\n#define TILE {_TILE}\n"
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
    return KIND == 1 ? found + (Acc<T>)static_cast<const T *>(mask.of)[at]
         : KIND == 3 ? found + (Acc<T>)static_cast<const float *>(mask.of)[at] : found;
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
    + tiles.SOURCE
)
_KERNELS = _source.BundledKernels(_SOURCE)
_TEMPLATE = "<{q}, {load}, {kind}, {causal}>"


def kind_of(mask: Tensor | None, q: Tensor) -> int:
    """Return which elements a mask has."""
    if mask is None:
        return NO_MASK
    return BOOLEAN if mask.dtype == torch.bool else OF_QUERIES if mask.dtype == q.dtype else FLOAT


def _mask_strides(mask: Tensor | None, q: Tensor) -> tuple[int, int, int, int, int]:
    """Return the number of heads in a batch, and the strides of a contiguous mask by batch, head, query and key."""
    heads = q.shape[-3]
    if mask is None:
        return heads, 0, 0, 0, 0
    found, step = [], 1
    for size in reversed((*(1,) * (4 - mask.ndim), *mask.shape)):
        found.append(step if size != 1 else 0)
        step *= size
    return heads, found[3], found[2], found[1], found[0]


def _numbers(q: Tensor, k: Tensor, v: Tensor, scale: float) -> tuple[float, int, int, int, int, int]:
    """Return the scale, the heads of queries that share one of keys, and the sizes."""
    return scale, q.shape[-3] // k.shape[-3], q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]


def _shared(log_sum: Tensor, elements: int) -> int:
    return elements * log_sum.element_size()


@operator("cuda_core_thunder::attention", _KERNELS, kernel="attention" + _TEMPLATE)
def attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, kind: int, causal: bool, scale: float, load: int
) -> tuple[Tensor, Tensor]:
    y = q.new_empty((*q.shape[:-1], v.shape[-1]))
    log_sum = q.new_empty(q.shape[:-1], dtype=_source.accumulator(q.dtype))
    arguments = (q, k, v, y, log_sum, mask, *_mask_strides(mask, q), *_numbers(q, k, v, scale))
    queries, sizes = q.shape[-2], (q.shape[-1], v.shape[-1], log_sum.element_size())
    if tiles.has_tiles(queries, *sizes):
        grid = log_sum.numel() // queries * -(-queries // tiles.QUERIES)
        launch_kernel(
            grid, (32, tiles.WARPS), *arguments, kernel="attention_tiles" + _TEMPLATE,
            shared_bytes=tiles.shared_bytes(*sizes),
        )  # fmt: skip
    else:
        launch_kernel(log_sum.numel(), _THREADS, *arguments, shared_bytes=_shared(log_sum, _TILE + v.shape[-1]))
    return y, log_sum


@operator("cuda_core_thunder::attention_backward", _KERNELS, kernel="attention_queries" + _TEMPLATE)
def attention_backward(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, y: Tensor, log_sum: Tensor, grad: Tensor, kind: int,
    causal: bool, scale: float, load: int,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    dq, dk, dv = (torch.empty_like(each) for each in (q, k, v))
    delta, size, width = torch.empty_like(log_sum), q.shape[-1], v.shape[-1]
    rest = (mask, *_mask_strides(mask, q), *_numbers(q, k, v, scale))
    launch_kernel(
        log_sum.numel(), _THREADS, q, k, v, y, log_sum, grad, dq, delta, None, *rest,
        shared_bytes=_shared(log_sum, _TILE + size),
    )  # fmt: skip
    launch_kernel(
        k.numel() // size, _THREADS, q, k, v, log_sum, grad, delta, dk, dv, *rest,
        kernel="attention_keys" + _TEMPLATE, shared_bytes=_shared(log_sum, 2 * _TILE + size + width),
    )  # fmt: skip
    return dq, dk, dv


@operator("cuda_core_thunder::attention_slopes", _KERNELS, kernel="attention_queries" + _TEMPLATE)
def attention_slopes(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, y: Tensor, log_sum: Tensor, grad: Tensor, kind: int,
    scale: float, load: int, causal: bool = False,
) -> Tensor:  # fmt: skip
    """Return the gradients of all scores: those of an additive mask, before sums over what it is broadcast to."""
    slopes = log_sum.new_empty((*q.shape[:-1], k.shape[-2]))
    launch_kernel(
        log_sum.numel(), _THREADS, q, k, v, y, log_sum, grad, None, torch.empty_like(log_sum), slopes, mask,
        *_mask_strides(mask, q), *_numbers(q, k, v, scale), shared_bytes=_shared(log_sum, _TILE + q.shape[-1]),
    )  # fmt: skip
    return slopes
