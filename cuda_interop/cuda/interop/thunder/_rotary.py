# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding: a function of PyTorch, with kernels forward and backward.

A thread has elements of the first half of a row and those of the second half that are turned with them. Rows of
queries are read where they are, also as a transposed part of a projection; the result is contiguous.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from cuda.interop.thunder import _source
from cuda.interop.torch import launch_kernel, operator

_SOURCE = (
    _source.PREAMBLE
    + r"""
// x has three leading dimensions, of which the last two have the sizes heads and length; the tables, of type C, have
// strides 0 where they are broadcast. The first `turned` columns of a row are turned, the rest is copied.
template <class T, class C, int N, bool BACKWARD> __global__ void rotary(
    const T *x, const C *cosines, const C *sines, T *y, long long rows, int heads, int length, int n, int turned,
    long long x_batch, long long x_head, long long x_row, long long batch, long long head, long long each_row)
{
    using S = Acc<T>;
    const int half = turned / 2;
    for_packs<N>(rows, half + n - turned, [&](long long row, int i) {
        const long long of_head = row / length, l = row % length;
        const T *from = x + of_head / heads * x_batch + of_head % heads * x_head + l * x_row;
        T *to = y + row * n;
        S a[N], b[N];
        if (i >= half) {
            load<T, N>(from + half + i, a), store<T, N>(to + half + i, a);
            return;
        }
        const long long entry = of_head / heads * batch + of_head % heads * head + l * each_row + i;
        Acc<C> c0[N], s0[N], c1[N], s1[N];
        load<T, N>(from + i, a), load<T, N>(from + half + i, b);
        load<C, N>(cosines + entry, c0), load<C, N>(sines + entry, s0);
        load<C, N>(cosines + entry + half, c1), load<C, N>(sines + entry + half, s1);
        for (EACH) {
            const S first = a[k], second = b[k];
            a[k] = BACKWARD ? first * (S)c0[k] + second * (S)s1[k] : first * (S)c0[k] - second * (S)s0[k];
            b[k] = BACKWARD ? second * (S)c1[k] - first * (S)s0[k] : second * (S)c1[k] + first * (S)s1[k];
        }
        store<T, N>(to + i, a), store<T, N>(to + half + i, b);
    });
}
"""
)
_KERNELS = _source.BundledKernels(_SOURCE)


@operator(
    "cuda_core_thunder::rotary",
    _KERNELS,
    kernel="rotary<{x}, {cos}, {load}, {inverse}>",
    contiguous={"x": "any", "cos": "copy", "sin": "copy"},
)
def _rotary(x: Tensor, cos: Tensor, sin: Tensor, load: int, inverse: bool) -> Tensor:
    """Turn the rows of x, of four dimensions, as many as the tables have."""
    y = x.new_empty(x.shape)
    _, heads, length, columns = x.shape
    turned = cos.shape[-1]
    strides = [step if size != 1 else 0 for size, step in zip(cos.shape[:3], cos.stride()[:3], strict=True)]
    rows = x.numel() // columns
    launch_kernel(
        *_source.packs(rows, columns - turned // 2, load), x, cos, sin, y, rows, heads, length, columns, turned,
        *x.stride()[:3], *strides,
    )  # fmt: skip
    return y


@_rotary.gradient(wrt=("x",))
def _gradient(grad: Tensor, cos: Tensor, sin: Tensor, inverse: bool) -> Tensor:
    return _call(grad, cos, sin, not inverse)


def _four(x: Tensor) -> Tensor:
    """Return a tensor with four dimensions whose last is contiguous."""
    x = x if x.ndim == 4 else x.reshape((*(1,) * (4 - x.ndim), *x.shape)) if x.ndim < 4 else x.flatten(0, -4)
    return x if x.stride(-1) == 1 or x.shape[-1] == 1 else x.contiguous()


def _call(x: Tensor, cos: Tensor, sin: Tensor, inverse: bool) -> Tensor:
    wide, cos, sin = _four(x), _four(cos).contiguous(), _four(sin).contiguous()
    turned = cos.shape[-1]
    if turned == 0 or x.numel() == 0:
        return x.clone(memory_format=torch.contiguous_format)
    load = _source.load_of(math.gcd(turned // 2, x.shape[-1] - turned), wide, cos, sin)
    return _rotary(wide, cos, sin, load, inverse).view(x.shape)


def turned_back(grad: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return the gradient of the first argument of `rotary_embedding`."""
    return _call(grad, cos, sin, True)


def half_turned(x: Tensor) -> Tensor:
    """Return rows with the halves exchanged, the second negated."""
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return ``x * cos + cat([-second, first], -1) * sin``, by one kernel, where the last are the halves of the rows.

    This is the rotary embedding of Llama and GPT-NeoX. If `cos` and `sin` have fewer columns than `x`, so many are
    turned, and the rest is copied. Under `thunder.jit` with `operator_executor` it is one operation of the trace.
    Narrow types are computed in float.

    Parameters
    ----------
    x : torch.Tensor
        Queries or keys, of float64, float32, float16 or bfloat16 and of any strides.
    cos, sin : torch.Tensor
        Tables of the same shape, of the type of `x` or of float32. All their dimensions but the last are broadcast to
        those of `x`, as (length, columns) is to (batch, heads, length, columns).

    Returns
    -------
    torch.Tensor
        A contiguous tensor of the shape and type of `x`.

    Raises
    ------
    TypeError, ValueError
        If types, shapes or devices do not fit.
    """
    check(x, cos, sin, x.dtype, cos.dtype, sin.dtype)
    if torch.is_grad_enabled() and (cos.requires_grad or sin.requires_grad):  # the kernels have no gradient of tables
        head, rest = x[..., : cos.shape[-1]], x[..., cos.shape[-1] :]
        return torch.cat([(head * cos + half_turned(head) * sin).to(x.dtype), rest], -1)
    return _call(x, cos, sin, False)


def check(x: Any, cos: Any, sin: Any, *dtypes: torch.dtype) -> None:
    """Raise if these are no arguments of `rotary_embedding`, tensors or proxies of them."""
    if dtypes[0] not in _source.TYPES:
        raise TypeError(f"rotary_embedding: x is of {dtypes[0]}, must be of float64, float32, float16 or bfloat16")
    for name, dtype in zip(("cos", "sin"), dtypes[1:], strict=True):
        if dtype not in (dtypes[0], torch.float32) or dtype != dtypes[1]:
            raise TypeError(
                f"rotary_embedding: {name} is of {dtype}, must be of {dtypes[0]} or float32, cos and sin of the same"
            )
    table, shape = tuple(cos.shape), tuple(x.shape)
    if tuple(sin.shape) != table:
        raise ValueError(f"rotary_embedding: sin has the shape {tuple(sin.shape)}, must have {table}, as cos has")
    columns = table[-1] if table else 1
    if not table or not shape or columns % 2 or columns > shape[-1]:
        most = shape[-1] if shape else 0
        raise ValueError(f"rotary_embedding: cos has {columns} columns, must have an even number of at most {most}")
    leading = zip(table[-2::-1], shape[-2::-1], strict=False)
    if len(table) > len(shape) or any(size not in (1, other) for size, other in leading):
        raise ValueError(f"rotary_embedding: cos has the shape {table}, must be broadcast to the rows of x, {shape}")
    if len(shape) > 4 and any(size != 1 for size in table[:-3]):
        raise ValueError(f"rotary_embedding: cos has the shape {table}, must have 3 dimensions, as x has more than 4")
    devices = [_source.device_of(each) for each in (x, cos, sin)]
    if len(set(devices)) != 1:
        raise ValueError(f"rotary_embedding: x, cos and sin are on {', '.join(devices)}, must be on one device")
