# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations of PyTorch in terms of element-wise operations and sums of rows, which `_fusion` puts into kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions, get_decompositions

from cuda.interop.torch._layouts import as_in_eager

aten = torch.ops.aten

# Core ATen operations that PyTorch's own decompositions take apart further.
_FURTHER = (
    aten._softmax, aten._softmax_backward_data, aten._log_softmax, aten._log_softmax_backward_data,
    aten.native_layer_norm, aten.native_layer_norm_backward, aten.gelu, aten.gelu_backward, aten.silu,
    aten.silu_backward, aten.sigmoid_backward, aten.tanh_backward, aten.threshold_backward, aten.leaky_relu,
    aten.elu, aten.softplus, aten.hardtanh, aten.addcmul, aten.addcdiv, aten.masked_fill, aten.mse_loss,
)  # fmt: skip


def _mean(x: Tensor, dims: list[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    if not dims or not x.is_floating_point():
        return NotImplemented
    count: Any = 1
    for dim in dims:
        count = count * x.shape[dim]
    mean = (torch.sum(x, dims, True, dtype=dtype) / count).to(dtype or x.dtype)
    return mean if keepdim else mean.squeeze(dims)


def _sum(x: Tensor, dims: list[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    """Return a sum of the last dimension with that dimension, which a kernel computes, then without."""
    if not dims or len(dims) == x.ndim:
        return _full_sum(x, dtype=dtype) if not keepdim else NotImplemented
    if keepdim or dims not in ([-1], [x.ndim - 1]):
        return NotImplemented
    return torch.sum(x, dims, True, dtype=dtype).squeeze(-1)


def _full_sum(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Return a sum of all elements: a kernel adds rows, together with what is before it, and PyTorch their sums."""
    dtype = dtype or x.dtype
    if x.ndim < 2 or not dtype.is_floating_point or not x.is_floating_point():
        return NotImplemented
    wide = torch.promote_types(dtype, torch.float32)
    return torch.sum(torch.sum(x, [-1], True, dtype=wide).flatten()).to(dtype)


def _full_mean(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    total = _full_sum(x, dtype=dtype)
    return total if total is NotImplemented else total / x.numel()


def _extremum(reduction: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the decomposition of `amax` or `amin`, like that of sums."""

    def decompose(x: Tensor, dims: list[int] = (), keepdim: bool = False) -> Tensor:  # type: ignore[assignment]
        if keepdim or x.ndim < 2 or list(dims) not in ([-1], [x.ndim - 1]):
            return NotImplemented
        return reduction(x, dims, True).squeeze(-1)

    return decompose


def _var_mean(
    x: Tensor, dims: list[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Any:
    if not dims or len(dims) != 1 or not x.is_floating_point():
        return NotImplemented
    count = x.shape[dims[0]]
    mean = torch.sum(x, dims, True) / count
    off = x - mean
    divisor = torch.sym_max(count - (1 if correction is None else correction), 0)
    variance = torch.sum(off * off, dims, True) / divisor
    return (variance, mean) if keepdim else (variance.squeeze(dims[0]), mean.squeeze(dims[0]))


def _clamp(x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
    if not x.is_floating_point() and (isinstance(low, float) or isinstance(high, float)):
        return NotImplemented
    if low is not None:
        x = torch.where(x < low, low, x)
    return x if high is None else torch.where(x > high, high, x)


def _is_target(x: Tensor, target: Tensor) -> Tensor:
    """Return for each row of logits which column is its target."""
    return torch.arange(x.shape[-1], device=x.device) == target.unsqueeze(-1)


def _nll_loss_forward(x: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Any:
    if weight is not None or x.ndim != 2:
        return NotImplemented
    valid = target != ignore_index
    zero = torch.zeros((), dtype=x.dtype, device=x.device)
    picked = -torch.sum(torch.where(_is_target(x, target), x, zero), -1, True).squeeze(-1)
    loss = torch.where(valid, picked, zero)
    if reduction == 0:
        return loss, zero
    count = valid.sum().to(x.dtype)
    return (loss.sum() / count if reduction == 1 else loss.sum()), count


def _nll_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, total: Tensor
) -> Tensor:
    if weight is not None or x.ndim != 2:
        return NotImplemented
    scale = grad / total if reduction == 1 else grad
    zero = torch.zeros((), dtype=x.dtype, device=x.device)
    chosen = _is_target(x, target) & (target != ignore_index).unsqueeze(-1)
    return torch.where(chosen, -scale if reduction else -scale.unsqueeze(-1), zero)


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return the decompositions that the back-end uses."""
    own = {
        aten.sum.dim_IntList: _sum,
        aten.sum.default: _full_sum,
        aten.mean.default: _full_mean,
        aten.amax.default: _extremum(torch.amax),
        aten.amin.default: _extremum(torch.amin),
        aten.mean.dim: _mean,
        aten.var_mean.correction: _var_mean,
        aten.clamp.default: _clamp,
        aten.nll_loss_forward.default: _nll_loss_forward,
        aten.nll_loss_backward.default: _nll_loss_backward,
    }
    core = core_aten_decompositions()
    # It returns no logarithms of sums, which the backward operation takes: gradients would be wrong
    core.pop(aten._scaled_dot_product_flash_attention_for_cpu.default, None)
    return {**core, **as_in_eager(core), **get_decompositions(_FURTHER), **own}
