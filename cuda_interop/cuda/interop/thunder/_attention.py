# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which calls of scaled dot-product attention the operator executor takes, and their gradients.

Thunder knows no grouped heads (`enable_gqa`), and refuses masks of float32 for narrower queries. In programs compiled
with the executor, `scaled_dot_product_attention` below stands for PyTorch's function: it makes such calls kernels, and
repeats keys and values where the kernels cannot take the call.
"""

from __future__ import annotations

from typing import Any

import thunder.torch as ltorch
import torch
from thunder.core.dtypes import to_dtype
from thunder.core.proxies import TensorProxy
from thunder.core.transforms import get_grad, put_grad
from torch import Tensor

from cuda.interop.thunder import _attention_kernels as kernels
from cuda.interop.thunder import _source
from cuda.interop.thunder._operators import is_supported, operator_executor, per_row, symbol, torch_type

_MOST_COLUMNS = 1024  # of a key or a value: sums in double in 48 KiB of shared memory, beside two tiles of scores


def _load(q: Tensor, k: Tensor, v: Tensor, *others: Tensor) -> int:
    return min(_source.width(q.shape[-1], q, k), _source.width(v.shape[-1], v, *others))


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Any:
    return kernels.attention(q, k, v, mask, kernels.kind_of(mask, q), causal, scale, _load(q, k, v))


def _attention_backward(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, y: Tensor, log_sum: Tensor, grad: Tensor, causal: bool,
    scale: float,
) -> Any:  # fmt: skip
    kind, load = kernels.kind_of(mask, q), _load(q, k, v, grad)
    return kernels.attention_backward(q, k, v, mask, y, log_sum, grad, kind, causal, scale, load)


def _attention_slopes(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, y: Tensor, log_sum: Tensor, grad: Tensor, scale: float
) -> Any:
    kind, load = kernels.kind_of(mask, q), _load(q, k, v, grad)
    return kernels.attention_slopes(q, k, v, mask, y, log_sum, grad, kind, scale, load)


def _meta(q: Any, k: Any, v: Any, *_: Any) -> Any:
    return TensorProxy(like=q, shape=(*q.shape[:-1], v.shape[-1])), per_row(q)


def _slopes_meta(q: Any, k: Any, *_: Any) -> Any:
    dtype = to_dtype(_source.accumulator(torch_type(q)))
    return TensorProxy(like=q, shape=(*q.shape[:-1], k.shape[-2]), dtype=dtype)


_forward = symbol("attention", _meta, _attention)
_backward = symbol(
    "attention_backward", lambda q, k, v, *_: tuple(TensorProxy(like=each) for each in (q, k, v)), _attention_backward
)
_slopes = symbol("attention_slopes", _slopes_meta, _attention_slopes)


def _scale(q: Any, scale: float | None) -> float:
    return float(q.shape[-1]) ** -0.5 if scale is None else float(scale)


def _is_mask(q: Any, k: Any, mask: Any) -> bool:
    """Return whether a mask is one that the kernels read: boolean or added to the scores, and broadcast to these."""
    if not isinstance(mask, TensorProxy) or mask.device != q.device or q.ndim > 4 or mask.ndim > q.ndim:
        return False
    scores = (*q.shape[:-1], k.shape[-2])
    fits = all(size in (1, other) for size, other in zip(mask.shape[::-1], scores[::-1], strict=False))
    return fits and torch_type(mask) in (torch.bool, torch_type(q), torch.float32)


def _shapes_fit(q: Any, k: Any, v: Any, grouped: bool) -> bool:
    """Return whether keys and values belong together, and their heads to those of the queries."""
    if not 3 <= q.ndim == k.ndim == v.ndim or not (q.numel and k.numel and v.numel):
        return False
    pairs = k.shape[:-1] == v.shape[:-1] and q.shape[-1] == k.shape[-1] and q.shape[:-3] == k.shape[:-3]
    heads = q.shape[-3] % k.shape[-3] == 0 if grouped else q.shape[-3] == k.shape[-3]
    return pairs and heads and max(q.shape[-1], v.shape[-1]) <= _MOST_COLUMNS


def _has_kernel(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *,
    scale: Any = None, grouped: bool = False,
) -> bool:  # fmt: skip
    if dropout_p != 0.0 or not is_supported(q, k, v) or not _shapes_fit(q, k, v, grouped):
        return False
    return attn_mask is None or (not is_causal and _is_mask(q, k, attn_mask))


def _transform(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None
) -> Any:
    return _forward(q, k, v, attn_mask, bool(is_causal), _scale(q, scale))[0]


def _summed(slopes: Any, mask: Any) -> Any:
    """Return the gradient of a mask from those of the scores to which it is broadcast."""
    extra = slopes.ndim - mask.ndim
    wide = [at for at, size in enumerate(mask.shape, extra) if size == 1 and slopes.shape[at] != 1]
    found = ltorch.sum(slopes, [*range(extra), *wide]) if extra or wide else slopes
    return ltorch.to(ltorch.reshape(found, tuple(mask.shape)), mask.dtype)


def _gradient(
    q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None
) -> Any:
    causal, factor = bool(is_causal), _scale(q, scale)
    y, log_sum = _forward(q, k, v, attn_mask, causal, factor)
    grad = get_grad(y)
    gradients = _backward(q, k, v, attn_mask, y, log_sum, grad, causal, factor)
    for each, found in zip((q, k, v), gradients, strict=True):
        put_grad(each, found)
    if attn_mask is not None and torch_type(attn_mask) != torch.bool:  # Thunder drops it if nothing needs it
        put_grad(attn_mask, _summed(_slopes(q, k, v, attn_mask, y, log_sum, grad, factor), attn_mask))
    return y


operator_executor.register_implementation(
    ltorch.scaled_dot_product_attention, checker=_has_kernel, execution_transform=_transform, grad_transform=_gradient
)
_direct = symbol(  # for calls that Thunder's operation refuses
    "direct_attention",
    lambda q, k, v, *_, **__: TensorProxy(like=q, shape=(*q.shape[:-1], v.shape[-1])),
    lambda q, k, v, mask=None, dropout=0.0, causal=False, *, scale=None: _attention(
        q, k, v, mask, causal, _scale(q, scale)
    )[0],
)
operator_executor.register_implementation(_direct, execution_transform=_transform, grad_transform=_gradient)


def _repeated(x: Any, count: int) -> Any:
    """Return keys or values with each head repeated."""
    *batch, heads, length, columns = x.shape
    wide = ltorch.expand(ltorch.unsqueeze(x, -3), (*batch, heads, count, length, columns))
    return ltorch.reshape(wide, (*batch, heads * count, length, columns))


def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Add attention to a trace, as PyTorch's function of this name, with grouped heads."""
    options = (attn_mask, dropout_p, is_causal)
    grouped = enable_gqa and query.ndim >= 3 and not query.shape[-3] == key.shape[-3] == value.shape[-3]
    wide_mask = isinstance(attn_mask, TensorProxy) and torch_type(attn_mask) == torch.float32 != torch_type(query)
    if grouped:
        _check_heads(query, key, value)
    if (grouped or wide_mask) and _has_kernel(query, key, value, *options, scale=scale, grouped=grouped):
        return _direct(query, key, value, *options, scale=scale)
    if grouped:
        key, value = (_repeated(each, query.shape[-3] // each.shape[-3]) for each in (key, value))
    return ltorch.scaled_dot_product_attention(query, key, value, *options, scale=scale)


def _check_heads(query: Any, key: Any, value: Any) -> None:
    """Raise if the heads of the queries are no multiple of the others."""
    heads = [each.shape[-3] for each in (query, key, value)]
    if any(count == 0 or heads[0] % count for count in heads[1:]):
        raise ValueError(
            f"scaled_dot_product_attention: query, key and value have {heads[0]}, {heads[1]} and {heads[2]} heads; "
            "those of the query must be a multiple of the others'"
        )


operator_executor._lookasides[torch.nn.functional.scaled_dot_product_attention] = scaled_dot_product_attention
