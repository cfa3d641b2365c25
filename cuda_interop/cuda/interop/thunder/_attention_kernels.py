# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scaled dot-product attention as operators of PyTorch, whose kernels keep no matrix of scores in memory.

Most calls go to the kernels of `_attention_tiles` and `_attention_backward_tiles`, where a block has 32 queries or
keys; those of few, or of rows too wide for these, go to the kernels of `_attention_rows`, where it has one.
Consecutive heads of queries may share a head of keys. A query that sees no key has the result 0, as in PyTorch.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from cuda.interop.thunder import _attention_backward_tiles as backward_tiles
from cuda.interop.thunder import _attention_rows as rows
from cuda.interop.thunder import _attention_tiles as tiles
from cuda.interop.thunder import _source
from cuda.interop.torch import launch_kernel, operator

NO_MASK, OF_QUERIES, BOOLEAN, FLOAT = range(4)  # which elements a mask has; added to scores unless they are boolean
_SOURCE = _source.PREAMBLE + rows.SOURCE + tiles.SOURCE + backward_tiles.SOURCE
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


def _tiles_of(x: Tensor) -> int:
    """Return how many blocks the queries or keys of all heads need."""
    *heads, length, _ = x.shape
    return math.prod(heads) * -(-length // tiles.QUERIES)


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
        launch_kernel(
            _tiles_of(q), (32, tiles.WARPS), *arguments, kernel="attention_tiles" + _TEMPLATE,
            shared_bytes=tiles.shared_bytes(*sizes),
        )  # fmt: skip
    else:
        launch_kernel(log_sum.numel(), rows.THREADS, *arguments, shared_bytes=_shared(log_sum, rows.TILE + v.shape[-1]))
    return y, log_sum


@operator("cuda_core_thunder::attention_backward", _KERNELS, kernel="attention_queries" + _TEMPLATE)
def attention_backward(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, y: Tensor, log_sum: Tensor, grad: Tensor, kind: int,
    causal: bool, scale: float, load: int,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    dq, dk, dv = found = [torch.empty_like(each) for each in (q, k, v)]
    delta, size, width = torch.empty_like(log_sum), q.shape[-1], v.shape[-1]
    rest = (mask, *_mask_strides(mask, q), *_numbers(q, k, v, scale))
    sizes = (size, width, log_sum.element_size())
    if tiles.has_tiles(min(q.shape[-2], k.shape[-2]), *sizes):
        sums = [each if each.dtype == log_sum.dtype else torch.empty_like(each, dtype=log_sum.dtype) for each in found]
        launch_kernel(
            _tiles_of(q), (32, tiles.WARPS), q, k, v, y, log_sum, grad, dq, sums[0], delta, *rest,
            kernel="attention_query_tiles" + _TEMPLATE, shared_bytes=backward_tiles.query_tile_bytes(*sizes),
        )  # fmt: skip
        launch_kernel(
            _tiles_of(k), (32, tiles.WARPS), q, k, v, log_sum, grad, delta, dk, dv, *sums[1:], *rest,
            kernel="attention_key_tiles" + _TEMPLATE, shared_bytes=backward_tiles.key_tile_bytes(*sizes),
        )  # fmt: skip
        return dq, dk, dv
    launch_kernel(
        log_sum.numel(), rows.THREADS, q, k, v, y, log_sum, grad, dq, delta, None, *rest,
        shared_bytes=_shared(log_sum, rows.TILE + size),
    )  # fmt: skip
    launch_kernel(
        k.numel() // size, rows.THREADS, q, k, v, log_sum, grad, delta, dk, dv, *rest,
        kernel="attention_keys" + _TEMPLATE, shared_bytes=_shared(log_sum, 2 * rows.TILE + size + width),
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
        log_sum.numel(), rows.THREADS, q, k, v, y, log_sum, grad, None, torch.empty_like(log_sum), slopes, mask,
        *_mask_strides(mask, q), *_numbers(q, k, v, scale), shared_bytes=_shared(log_sum, rows.TILE + q.shape[-1]),
    )  # fmt: skip
    return slopes
