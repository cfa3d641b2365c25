# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scaled dot-product attention of the operator executor: kernels, and which calls it takes.

A block of 128 threads has one query; its scores are in shared memory. Backward, one kernel has a query per block, for
its gradient, and one a key, for those of the key and the value; both compute the probabilities again from the logarithm
of their sum, so that no matrix of scores is in memory.
"""

from __future__ import annotations

from typing import Any

import thunder.torch as ltorch
import torch
from thunder.core.proxies import TensorProxy
from thunder.core.transforms import get_grad, put_grad
from torch import Tensor

from cuda.interop.thunder import _kernels, _operators
from cuda.interop.torch import launch_kernel, operator

_MOST_KEYS = 8192  # scores in float in 48 KiB of shared memory, beside the rest
_THREADS = 128
_SOURCE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T> struct Accumulator { using type = float; };
template <> struct Accumulator<double> { using type = double; };
template <class T> using Acc = typename Accumulator<T>::type;
#define THREADS 128
#define EACH(i, count) int i = threadIdx.x; i < count; i += THREADS

// The sum, or the maximum, of a block's values, which all its threads get
template <class S, bool MOST> __device__ S reduced(S value)
{
    __shared__ S parts[THREADS / 32];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const S other = __shfl_xor_sync(0xffffffff, value, lanes);
        value = MOST ? max(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int k = 1; k < THREADS / 32; ++k)
        value = MOST ? max(value, parts[k]) : value + parts[k];
    return value;
}
template <class T> __device__ Acc<T> dot(const T *a, const T *b, int size)
{
    Acc<T> sum = 0;
    for (int d = 0; d < size; ++d)
        sum += (Acc<T>)a[d] * (Acc<T>)b[d];
    return sum;
}

template <class T, bool CAUSAL> __global__ void attention(
    const T *q, const T *k, const T *v, T *y, Acc<T> *log_sum, double scale, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *scores = reinterpret_cast<S *>(memory);
    const long long row = blockIdx.y * (long long)queries + blockIdx.x;
    const int seen = CAUSAL ? min(keys, (int)blockIdx.x + 1) : keys;
    q += row * size, k += blockIdx.y * (long long)keys * size, v += blockIdx.y * (long long)keys * width;
    S top = -__int_as_float(0x7f800000), sum = 0;
    for (EACH(j, seen)) {
        scores[j] = dot(q, k + (long long)j * size, size) * (S)scale;
        top = max(top, scores[j]);
    }
    top = reduced<S, true>(top);
    for (EACH(j, seen)) {
        scores[j] = exp(scores[j] - top);
        sum += scores[j];
    }
    sum = reduced<S, false>(sum);
    if (threadIdx.x == 0)
        log_sum[row] = top + log(sum);
    for (EACH(d, width)) {
        S value = 0;
        for (int j = 0; j < seen; ++j)
            value += scores[j] * (S)v[(long long)j * width + d];
        y[row * width + d] = (T)(value / sum);
    }
}

// delta: the sum of gradient times result, which the other kernel needs, too
template <class T, bool CAUSAL> __global__ void attention_queries(
    const T *q, const T *k, const T *v, const T *y, const Acc<T> *log_sum, const T *grad, T *dq, Acc<T> *delta,
    double scale, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *slopes = reinterpret_cast<S *>(memory);
    const long long row = blockIdx.y * (long long)queries + blockIdx.x;
    const int seen = CAUSAL ? min(keys, (int)blockIdx.x + 1) : keys;
    q += row * size, k += blockIdx.y * (long long)keys * size, v += blockIdx.y * (long long)keys * width;
    y += row * width, grad += row * width;
    S along = 0;
    for (EACH(d, width)) along += (S)y[d] * (S)grad[d];
    along = reduced<S, false>(along);
    if (threadIdx.x == 0)
        delta[row] = along;
    for (EACH(j, seen)) {
        const S likely = exp(dot(q, k + (long long)j * size, size) * (S)scale - log_sum[row]);
        slopes[j] = likely * (dot(grad, v + (long long)j * width, width) - along);
    }
    __syncthreads();
    for (EACH(d, size)) {
        S value = 0;
        for (int j = 0; j < seen; ++j)
            value += slopes[j] * (S)k[(long long)j * size + d];
        dq[row * size + d] = (T)(value * (S)scale);
    }
}
template <class T, bool CAUSAL> __global__ void attention_keys(
    const T *q, const T *k, const T *v, const Acc<T> *log_sum, const T *grad, const Acc<T> *delta, T *dk, T *dv,
    double scale, int queries, int keys, int size, int width)
{
    using S = Acc<T>;
    extern __shared__ double memory[];
    S *slopes = reinterpret_cast<S *>(memory), *likely = slopes + queries;
    const long long row = blockIdx.y * (long long)keys + blockIdx.x, first = blockIdx.y * (long long)queries;
    q += first * size, grad += first * width, log_sum += first, delta += first;
    k += row * size, v += row * width;
    for (EACH(i, queries)) {
        const bool sees = !CAUSAL || (int)blockIdx.x <= i;
        likely[i] = sees ? exp(dot(q + (long long)i * size, k, size) * (S)scale - log_sum[i]) : 0;
        slopes[i] = likely[i] * (dot(grad + (long long)i * width, v, width) - delta[i]);
    }
    __syncthreads();
    for (EACH(d, size)) {
        S value = 0;
        for (int i = 0; i < queries; ++i)
            value += slopes[i] * (S)q[(long long)i * size + d];
        dk[row * size + d] = (T)(value * (S)scale);
    }
    for (EACH(d, width)) {
        S value = 0;
        for (int i = 0; i < queries; ++i)
            value += likely[i] * (S)grad[(long long)i * width + d];
        dv[row * width + d] = (T)value;
    }
}
"""
_KERNELS = _kernels.BundledKernels(_SOURCE)


def _sizes(q: Tensor, k: Tensor, v: Tensor) -> tuple[int, int, int, int, int]:
    """Return the numbers of heads of all batches, of queries and of keys, and the lengths of a key and a value."""
    *batch, queries, size = q.shape
    return torch.Size(batch).numel(), queries, k.shape[-2], size, v.shape[-1]


@operator("cuda_core_thunder::attention", _KERNELS, kernel="attention<{q}, {causal}>")
def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float) -> tuple[Tensor, Tensor]:
    heads, queries, keys, size, width = _sizes(q, k, v)
    y = q.new_empty((*q.shape[:-1], width))
    log_sum = q.new_empty(q.shape[:-1], dtype=_kernels.accumulator(q.dtype))
    launch_kernel(
        (queries, heads), _THREADS, q, k, v, y, log_sum, scale, queries, keys, size, width,
        shared_bytes=keys * log_sum.element_size(),
    )  # fmt: skip
    return y, log_sum


@operator("cuda_core_thunder::attention_backward", _KERNELS, kernel="attention_queries<{q}, {causal}>")
def attention_backward(
    q: Tensor, k: Tensor, v: Tensor, y: Tensor, log_sum: Tensor, grad: Tensor, causal: bool, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    heads, queries, keys, size, width = _sizes(q, k, v)
    dq, dk, dv = (torch.empty_like(each) for each in (q, k, v))
    delta, numbers = torch.empty_like(log_sum), (scale, queries, keys, size, width)
    launch_kernel(
        (queries, heads), _THREADS, q, k, v, y, log_sum, grad, dq, delta, *numbers,
        shared_bytes=keys * log_sum.element_size(),
    )  # fmt: skip
    launch_kernel(
        (keys, heads), _THREADS, q, k, v, log_sum, grad, delta, dk, dv, *numbers,
        kernel="attention_keys<{q}, {causal}>", shared_bytes=2 * queries * log_sum.element_size(),
    )  # fmt: skip
    return dq, dk, dv


def _meta(q: Any, k: Any, v: Any, *_: Any) -> Any:
    return TensorProxy(like=q, shape=(*q.shape[:-1], v.shape[-1])), _operators.per_row(q)


_forward = _operators.symbol("attention", _meta, attention)
_backward = _operators.symbol(
    "attention_backward",
    lambda q, k, v, *_: tuple(TensorProxy(like=each) for each in (q, k, v)),
    attention_backward,
)


def _scale(q: Any, scale: float | None) -> float:
    return float(q.shape[-1]) ** -0.5 if scale is None else float(scale)


def _is_supported(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None
) -> bool:
    if attn_mask is not None or dropout_p != 0.0 or not _operators.is_supported(q, k, v):
        return False
    heads = q.ndim >= 3 and q.shape[:-2] == k.shape[:-2] == v.shape[:-2] and q.numel and k.numel and v.numel
    sizes = q.shape[-1] == k.shape[-1] and k.shape[-2] == v.shape[-2]
    bytes_of_a_score = _kernels.accumulator(_operators.torch_type(q)).itemsize
    return bool(heads) and sizes and max(k.shape[-2], 2 * q.shape[-2]) * bytes_of_a_score <= 4 * _MOST_KEYS


def _transform(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None
) -> Any:
    return _forward(q, k, v, bool(is_causal), _scale(q, scale))[0]


def _gradient(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None
) -> Any:
    causal, factor = bool(is_causal), _scale(q, scale)
    y, log_sum = _forward(q, k, v, causal, factor)
    gradients = _backward(q, k, v, y, log_sum, get_grad(y), causal, factor)
    for each, grad in zip((q, k, v), gradients, strict=True):
        put_grad(each, grad)
    return y


_operators.operator_executor.register_implementation(
    ltorch.scaled_dot_product_attention,
    checker=_is_supported,
    execution_transform=_transform,
    grad_transform=_gradient,
)
