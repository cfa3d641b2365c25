# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Decompositions of PyTorch whose results lie in memory otherwise than those of the operations do in eager mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _of_both(x: Tensor, y: Tensor, *_: Any) -> Tensor:
    """Return what lies in memory as element-wise results of two operands do."""
    return torch.ne(x, y)


def _of_first(x: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(x)


# What has the layout of the result. The value is not needed, so that tracing drops it.
_LIKE: dict[Any, Callable[..., Tensor]] = {
    aten.xlogy.Tensor: _of_both,
    aten.special_xlog1py.default: _of_both,
    aten.heaviside.default: _of_both,
    aten.logaddexp.default: _of_both,
    aten.logaddexp2.default: _of_both,
    aten.binary_cross_entropy.default: _of_first,
    aten.huber_loss.default: _of_first,
}


def as_in_eager(decompositions: Mapping[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """Return those decompositions that change the layout of results, with the results in the layout of eager mode."""
    found = {each: _with_layout(decompositions[each], like) for each, like in _LIKE.items() if each in decompositions}
    forward = aten.log_sigmoid_forward.default
    if forward in decompositions:  # PyTorch's table finds nothing by get()
        found[forward] = _log_sigmoid(decompositions[forward])
    return found


def _with_layout(decompose: Callable[..., Any], like: Callable[..., Tensor]) -> Callable[..., Any]:
    def decomposed(*args: Any, **kwargs: Any) -> Any:
        result = decompose(*args, **kwargs)
        if not isinstance(result, Tensor) or not result.ndim:
            return result
        wanted = like(*args)
        if wanted.shape != result.shape or wanted.stride() == result.stride():
            return result
        strides = wanted.stride()
        order = sorted(range(result.ndim), key=lambda axis: -strides[axis])
        back = [order.index(axis) for axis in range(result.ndim)]
        return result.permute(order).contiguous().permute(back)

    return decomposed


def _log_sigmoid(decompose: Callable[..., Any]) -> Callable[..., Any]:
    """Return the decomposition of `logsigmoid`, whose results are contiguous on the CPU."""
    return lambda x: decompose(x.contiguous() if x.device.type == "cpu" else x)
