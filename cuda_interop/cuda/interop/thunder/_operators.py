# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The operator executor: operations of PyTorch in a trace become the kernels of `_kernels`, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import thunder.torch as ltorch
import torch
from thunder.core.dtypes import to_dtype, to_torch_dtype
from thunder.core.proxies import TensorProxy
from thunder.core.transforms import get_grad, put_grad
from thunder.extend import OperatorExecutor

from cuda.interop.thunder import _kernels, _source

operator_executor = OperatorExecutor("cuda_core_operators", version="1")


def torch_type(x: TensorProxy) -> torch.dtype:
    """Return the type of a tensor as PyTorch's."""
    return to_torch_dtype(x.dtype)


def symbol(name: str, meta: Callable[..., Any], function: Callable[..., Any], **options: Any) -> Any:
    """Return the operation of traces that calls a function."""
    return operator_executor.register_operator(f"cuda_{name}", meta=meta, fn=function, **options)


def _like(x: TensorProxy, *_: Any) -> TensorProxy:
    return TensorProxy(like=x)


def per_row(x: TensorProxy) -> TensorProxy:
    """Return the proxy of a tensor with an accumulated number for each row."""
    dtype = to_dtype(_source.accumulator(to_torch_dtype(x.dtype)))
    return TensorProxy(like=x, shape=x.shape[:-1], dtype=dtype)


def is_supported(x: Any, *others: Any) -> bool:
    """Return whether a tensor has rows of a type that the kernels have, and the others its type."""
    if not isinstance(x, TensorProxy) or x.ndim == 0 or x.numel == 0 or to_torch_dtype(x.dtype) not in _source.TYPES:
        return False
    return all(each is None or (each.dtype == x.dtype and each.device == x.device) for each in others)


# Softmax of the last dimension


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return _kernels.softmax(x, _source.width(x.shape[-1], x))


def _softmax_backward(y: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    return _kernels.softmax_backward(y, grad, _source.width(y.shape[-1], y, grad))


softmax = symbol("softmax", _like, _softmax)
softmax_backward = symbol("softmax_backward", _like, _softmax_backward)


def _can_softmax(x: Any, dim: int, *, dtype: Any = None) -> bool:
    return is_supported(x) and dim in (-1, x.ndim - 1) and dtype in (None, x.dtype, to_torch_dtype(x.dtype))


def _softmax_gradient(x: Any, dim: int, *, dtype: Any = None) -> Any:
    y = softmax(x)
    put_grad(x, softmax_backward(y, get_grad(y)))
    return y


operator_executor.register_implementation(
    "torch.softmax",
    checker=_can_softmax,
    execution_transform=lambda x, dim, *, dtype=None: softmax(x),
    grad_transform=_softmax_gradient,
)


# Layer norm and RMS norm of the last dimension


def _norm(x: Any, weight: Any, bias: Any, eps: float, centred: bool) -> Any:
    return _kernels.norm(x, weight, bias, eps, centred, _source.width(x.shape[-1], x, weight, bias))


def _norm_backward(x: Any, weight: Any, mean: Any, scale: Any, grad: Any, centred: bool) -> Any:
    width = _source.width(x.shape[-1], x, weight, grad)
    return _kernels.norm_backward(x, weight, mean, scale, grad, centred, width)


def _norm_backward_meta(x: Any, *_: Any) -> Any:
    column = TensorProxy(like=x, shape=x.shape[-1:])
    return TensorProxy(like=x), column, TensorProxy(like=column)


norm = symbol("norm", lambda x, *_: (TensorProxy(like=x), per_row(x), per_row(x)), _norm)
norm_backward = symbol("norm_backward", _norm_backward_meta, _norm_backward)


def _norm_gradient(x: Any, weight: Any, bias: Any, eps: float, centred: bool) -> Any:
    y, mean, scale = norm(x, weight, bias, eps, centred)
    dx, dweight, dbias = norm_backward(x, weight, mean, scale, get_grad(y), centred)
    put_grad(x, dx)
    if weight is not None:
        put_grad(weight, dweight)
    if bias is not None:
        put_grad(bias, dbias)
    return y


def _can_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: Any = None) -> bool:
    return is_supported(x, weight, bias) and len(shape) == 1


operator_executor.register_implementation(
    ltorch.layer_norm,
    checker=_can_norm,
    execution_transform=lambda x, shape, weight=None, bias=None, eps=1e-5: norm(x, weight, bias, eps, True)[0],
    grad_transform=lambda x, shape, weight=None, bias=None, eps=1e-5: _norm_gradient(x, weight, bias, eps, True),
)


def _eps(x: Any, eps: float | None) -> float:
    dtype = _source.accumulator(to_torch_dtype(x.dtype))
    return torch.finfo(dtype).eps if eps is None else eps


operator_executor.register_implementation(
    ltorch.rms_norm,
    checker=lambda x, shape, weight=None, eps=None: _can_norm(x, shape, weight),
    execution_transform=lambda x, shape, weight=None, eps=None: norm(x, weight, None, _eps(x, eps), False)[0],
    grad_transform=lambda x, shape, weight=None, eps=None: _norm_gradient(x, weight, None, _eps(x, eps), False),
)


# GELU


def _gelu(x: torch.Tensor, tanh: bool) -> torch.Tensor:
    return _kernels.gelu(x, tanh, _source.width(x.numel(), x))


def _gelu_backward(x: torch.Tensor, grad: torch.Tensor, tanh: bool) -> torch.Tensor:
    return _kernels.gelu_backward(x, grad, tanh, _source.width(x.numel(), x, grad))


gelu = symbol("gelu", _like, _gelu)
gelu_backward = symbol("gelu_backward", _like, _gelu_backward)


def _gelu_gradient(x: Any, *, approximate: str = "none") -> Any:
    y = gelu(x, approximate == "tanh")
    put_grad(x, gelu_backward(x, get_grad(y), approximate == "tanh"))
    return y


operator_executor.register_implementation(
    ltorch.gelu,
    checker=lambda x, *, approximate="none": is_supported(x),
    execution_transform=lambda x, *, approximate="none": gelu(x, approximate == "tanh"),
    grad_transform=_gelu_gradient,
)


# Cross-entropy of rows


def _cross_entropy(x: Any, target: Any, ignored: int) -> Any:
    return _kernels.cross_entropy(x, target, ignored, _source.width(x.shape[-1], x))


def _cross_entropy_backward(x: Any, target: Any, log_sum: Any, grad: Any, ignored: int) -> Any:
    return _kernels.cross_entropy_backward(x, target, log_sum, grad, ignored, _source.width(x.shape[-1], x))


cross_entropy = symbol("cross_entropy", lambda x, *_: (per_row(x), per_row(x)), _cross_entropy)
cross_entropy_backward = symbol("cross_entropy_backward", _like, _cross_entropy_backward)


def _can_cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> bool:
    plain = weight is None and size_average is None and reduce is None and label_smoothing == 0.0
    return (
        plain and is_supported(x) and x.ndim == 2 and target.ndim == 1 and to_torch_dtype(target.dtype) == torch.int64
    )


def _reduced(losses: Any, target: Any, ignored: int, reduction: str) -> tuple[Any, Any]:
    """Return the loss, and what the rows' losses are divided by."""
    if reduction == "none":
        return losses, None
    if reduction == "sum":
        return ltorch.sum(losses), None
    count = ltorch.sum(ltorch.to(ltorch.ne(target, ignored), losses.dtype))
    return ltorch.sum(losses) / count, count


def _cross_entropy_forward(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    losses, _ = cross_entropy(x, target, ignore_index)
    return ltorch.to(_reduced(losses, target, ignore_index, reduction)[0], x.dtype)


def _cross_entropy_gradient(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    losses, log_sum = cross_entropy(x, target, ignore_index)
    loss, count = _reduced(losses, target, ignore_index, reduction)
    result = ltorch.to(loss, x.dtype)
    grad = ltorch.to(get_grad(result), losses.dtype)
    grad = grad if count is None else grad / count
    grad = grad if reduction == "none" else ltorch.expand(grad, losses.shape)
    put_grad(x, cross_entropy_backward(x, target, log_sum, grad, ignore_index))
    return result


operator_executor.register_implementation(
    ltorch.cross_entropy,
    checker=_can_cross_entropy,
    execution_transform=_cross_entropy_forward,
    grad_transform=_cross_entropy_gradient,
)
