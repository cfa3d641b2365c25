# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of the operator executor, as operators of PyTorch.

A warp has a row. Loads and stores have `width` elements; narrow types are accumulated in float. The gradients of
weights are sums of columns: of chunks of rows first, then of the chunks.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from cuda.interop.thunder._source import PREAMBLE, BundledKernels, accumulator
from cuda.interop.torch import launch_kernel, operator

_SOURCE = (
    PREAMBLE
    + r"""
template <int N, class Function> __device__ void for_columns(int n, Function function)  // by a warp
{
    for_all<N, int>(n, 0, 1, function);
}
#define ROWS long long row = blockIdx.x * (long long)blockDim.y + threadIdx.y; row < rows; row += gridDim.x * blockDim.y

template <class T, int N> __global__ void softmax(const T *x, T *y, long long rows, int n)
{
    using S = Acc<T>;
    constexpr bool KEPT = sizeof(T) == sizeof(S);  // y has the exponentials first, unless it would round them
    S v[N];
    for (ROWS) {
        S top = -__int_as_float(0x7f800000), sum = 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) top = max(top, v[k]);
        });
        top = most_of_lanes(top);
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) v[k] = exponential(v[k] - top), sum += v[k];
            if (KEPT) store<T, N>(y + row * n + i, v);
        });
        const S factor = 1 / add_lanes(sum);
        for_columns<N>(n, [&](int i) {
            load<T, N>((KEPT ? y : x) + row * n + i, v);
            for (EACH) v[k] = (KEPT ? v[k] : exponential(v[k] - top)) * factor;
            store<T, N>(y + row * n + i, v);
        });
    }
}
template <class T, int N> __global__ void softmax_backward(const T *y, const T *grad, T *dx, long long rows, int n)
{
    using S = Acc<T>;
    S v[N], g[N];
    for (ROWS) {
        S sum = 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(y + row * n + i, v), load<T, N>(grad + row * n + i, g);
            for (EACH) sum += v[k] * g[k];
        });
        sum = add_lanes(sum);
        for_columns<N>(n, [&](int i) {
            load<T, N>(y + row * n + i, v), load<T, N>(grad + row * n + i, g);
            for (EACH) v[k] *= g[k] - sum;
            store<T, N>(dx + row * n + i, v);
        });
    }
}

// Layer norm, and RMS norm if it is not centred
template <class T, int N, bool CENTRED> __global__ void norm(
    const T *x, const T *weight, const T *bias, T *y, Acc<T> *mean, Acc<T> *scale, double eps, long long rows, int n)
{
    using S = Acc<T>;
    S v[N], w[N], b[N];
    for (ROWS) {
        S sum = 0, squares = 0;
        if (CENTRED)
            for_columns<N>(n, [&](int i) {
                load<T, N>(x + row * n + i, v);
                for (EACH) sum += v[k];
            });
        const S middle = CENTRED ? add_lanes(sum) / n : 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) squares += (v[k] - middle) * (v[k] - middle);
        });
        const S factor = rsqrt(add_lanes(squares) / n + (S)eps);
        if (threadIdx.x == 0)
            mean[row] = middle, scale[row] = factor;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) w[k] = 1, b[k] = 0;
            if (weight) load<T, N>(weight + i, w);
            if (bias) load<T, N>(bias + i, b);
            for (EACH) v[k] = (v[k] - middle) * factor * w[k] + b[k];
            store<T, N>(y + row * n + i, v);
        });
    }
}
template <class T, int N, bool CENTRED> __global__ void norm_backward(
    const T *x, const T *weight, const Acc<T> *mean, const Acc<T> *scale, const T *grad, T *dx, long long rows, int n)
{
    using S = Acc<T>;
    S v[N], w[N], g[N];
    for (EACH) w[k] = 1;
    for (ROWS) {
        const S middle = mean[row], factor = scale[row];
        S along = 0, sum = 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v), load<T, N>(grad + row * n + i, g);
            if (weight) load<T, N>(weight + i, w);
            for (EACH) along += g[k] * w[k] * (v[k] - middle) * factor, sum += g[k] * w[k];
        });
        along = add_lanes(along) / n, sum = CENTRED ? add_lanes(sum) / n : 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v), load<T, N>(grad + row * n + i, g);
            if (weight) load<T, N>(weight + i, w);
            for (EACH) v[k] = factor * (g[k] * w[k] - sum - (v[k] - middle) * factor * along);
            store<T, N>(dx + row * n + i, v);
        });
    }
}
template <class T> __global__ void norm_weights(
    const T *x, const Acc<T> *mean, const Acc<T> *scale, const T *grad, Acc<T> *parts, long long rows, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, chunks = gridDim.y;
    if (i >= n)
        return;
    Acc<T> dweight = 0, dbias = 0;
    for (long long row = blockIdx.y; row < rows; row += chunks) {
        const Acc<T> g = (Acc<T>)grad[row * n + i];
        dweight += g * ((Acc<T>)x[row * n + i] - mean[row]) * scale[row], dbias += g;
    }
    parts[blockIdx.y * n + i] = dweight, parts[(chunks + blockIdx.y) * n + i] = dbias;
}
template <class T> __global__ void add_parts(const Acc<T> *parts, T *dweight, T *dbias, int chunks, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Acc<T> first = 0, second = 0;
    for (int chunk = 0; chunk < chunks; ++chunk)
        first += parts[chunk * n + i], second += parts[(chunks + chunk) * n + i];
    dweight[i] = (T)first, dbias[i] = (T)second;
}

template <class S> __device__ S gelu_of(S x, bool tanh_form)
{
    return tanh_form ? x / 2 * (1 + tanh((S)0.79788456080286536 * (x + (S)0.044715 * x * x * x)))
                     : x / 2 * (1 + error_function(x * (S)0.70710678118654752));
}
template <class S> __device__ S slope_of(S x, bool tanh_form)
{
    if (!tanh_form)
        return (1 + error_function(x * (S)0.70710678118654752)) / 2
             + x * (S)0.39894228040143268 * exponential(-x * x / 2);
    const S t = tanh((S)0.79788456080286536 * (x + (S)0.044715 * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * (S)0.79788456080286536 * (1 + (S)0.134145 * x * x);
}
template <class T, int N, bool TANH> __global__ void gelu(const T *x, T *y, long long count)
{
    Acc<T> v[N];
    for_all<N, long long>(count, blockIdx.x, gridDim.x, [&](long long i) {
        load<T, N>(x + i, v);
        for (EACH) v[k] = gelu_of(v[k], TANH);
        store<T, N>(y + i, v);
    });
}
template <class T, int N, bool TANH> __global__ void gelu_backward(const T *x, const T *grad, T *dx, long long count)
{
    Acc<T> v[N], g[N];
    for_all<N, long long>(count, blockIdx.x, gridDim.x, [&](long long i) {
        load<T, N>(x + i, v), load<T, N>(grad + i, g);
        for (EACH) v[k] = g[k] * slope_of(v[k], TANH);
        store<T, N>(dx + i, v);
    });
}

template <class T, int N> __global__ void cross_entropy(
    const T *x, const long long *target, Acc<T> *loss, Acc<T> *log_sum, long long ignored, long long rows, int n)
{
    using S = Acc<T>;
    S v[N];
    for (ROWS) {
        S top = -__int_as_float(0x7f800000), sum = 0;
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) top = max(top, v[k]);
        });
        top = most_of_lanes(top);
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) sum += exponential(v[k] - top);
        });
        sum = top + log(add_lanes(sum));
        const long long wanted = target[row];
        if (threadIdx.x == 0)
            log_sum[row] = sum, loss[row] = wanted == ignored ? 0 : sum - (S)x[row * n + wanted];
    }
}
template <class T, int N> __global__ void cross_entropy_backward(
    const T *x, const long long *target, const Acc<T> *log_sum, const Acc<T> *grad, T *dx, long long ignored,
    long long rows, int n)
{
    Acc<T> v[N];
    for (ROWS) {
        const long long wanted = target[row];
        const Acc<T> g = wanted == ignored ? 0 : grad[row];
        for_columns<N>(n, [&](int i) {
            load<T, N>(x + row * n + i, v);
            for (EACH) v[k] = g * (exponential(v[k] - log_sum[row]) - (i + k == wanted ? 1 : 0));
            store<T, N>(dx + row * n + i, v);
        });
    }
}
"""
)


_KERNELS = BundledKernels(_SOURCE)
_ROWS_OF_A_BLOCK = 8
_MOST_BLOCKS = 4096
_MOST_CHUNKS = 64


def _define(name: str, kernel: str) -> Any:
    return operator(f"cuda_core_thunder::{name}", _KERNELS, kernel=kernel)


def _per_row(x: Tensor) -> Tensor:
    return x.new_empty(x.shape[:-1], dtype=accumulator(x.dtype))


def _rows(x: Tensor, *arguments: object) -> None:
    """Launch the kernel with a warp for each row of x."""
    rows = x.numel() // max(x.shape[-1], 1)
    grid = min(-(-rows // _ROWS_OF_A_BLOCK), _MOST_BLOCKS)
    launch_kernel(grid, (32, _ROWS_OF_A_BLOCK), *arguments, rows, x.shape[-1])


def _elements(x: Tensor, width: int, *arguments: object) -> None:
    launch_kernel(min(-(-x.numel() // (256 * width)), _MOST_BLOCKS), 256, *arguments, x.numel())


@_define("softmax", "softmax<{x}, {width}>")
def softmax(x: Tensor, width: int) -> Tensor:
    y = torch.empty_like(x)
    _rows(x, x, y)
    return y


@_define("softmax_backward", "softmax_backward<{y}, {width}>")
def softmax_backward(y: Tensor, grad: Tensor, width: int) -> Tensor:
    dx = torch.empty_like(y)
    _rows(y, y, grad, dx)
    return dx


@_define("norm", "norm<{x}, {width}, {centred}>")
def norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float, centred: bool, width: int
) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, scale = torch.empty_like(x), _per_row(x), _per_row(x)
    _rows(x, x, weight, bias, y, mean, scale, eps)
    return y, mean, scale


@_define("norm_backward", "norm_backward<{x}, {width}, {centred}>")
def norm_backward(
    x: Tensor, weight: Tensor | None, mean: Tensor, scale: Tensor, grad: Tensor, centred: bool, width: int
) -> tuple[Tensor, Tensor, Tensor]:
    dx, columns = torch.empty_like(x), x.shape[-1]
    dweight, dbias = x.new_empty(columns), x.new_empty(columns)
    rows = x.numel() // max(columns, 1)
    chunks = max(1, min(_MOST_CHUNKS, rows // 16))
    parts = x.new_empty((2, chunks, columns), dtype=mean.dtype)
    _rows(x, x, weight, mean, scale, grad, dx)
    blocks = -(-columns // 64)
    launch_kernel((blocks, chunks), 64, x, mean, scale, grad, parts, rows, columns, kernel="norm_weights<{x}>")
    launch_kernel(blocks, 64, parts, dweight, dbias, chunks, columns, kernel="add_parts<{x}>")
    return dx, dweight, dbias


@_define("gelu", "gelu<{x}, {width}, {tanh}>")
def gelu(x: Tensor, tanh: bool, width: int) -> Tensor:
    y = torch.empty_like(x)
    _elements(x, width, x, y)
    return y


@_define("gelu_backward", "gelu_backward<{x}, {width}, {tanh}>")
def gelu_backward(x: Tensor, grad: Tensor, tanh: bool, width: int) -> Tensor:
    dx = torch.empty_like(x)
    _elements(x, width, x, grad, dx)
    return dx


@_define("cross_entropy", "cross_entropy<{x}, {width}>")
def cross_entropy(x: Tensor, target: Tensor, ignored: int, width: int) -> tuple[Tensor, Tensor]:
    loss, log_sum = _per_row(x), _per_row(x)
    _rows(x, x, target, loss, log_sum, ignored)
    return loss, log_sum


@_define("cross_entropy_backward", "cross_entropy_backward<{x}, {width}>")
def cross_entropy_backward(
    x: Tensor, target: Tensor, log_sum: Tensor, grad: Tensor, ignored: int, width: int
) -> Tensor:
    dx = torch.empty_like(x)
    _rows(x, x, target, log_sum, grad, dx, ignored)
    return dx
