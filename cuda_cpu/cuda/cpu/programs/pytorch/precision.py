# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on 16-bit floats whose sums PyTorch adds with less precision on the CPU than on a GPU.

cuBLAS and PyTorch's kernels for GPUs add products of 16-bit floats in 32 bits and round once, at the end. The same
operations for the CPU round partial sums to 16 bits, or add long rows in an order with larger errors: programs that
compare their kernels with PyTorch would find differences that they do not find on a GPU. Here they are computed with
more bits and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

NARROW = (torch.float16, torch.bfloat16)
_ATEN = torch.ops.aten

# Operations whose results have the type of their arguments, and the type in which they are computed.
WIDER = {
    _ATEN.mm.default: torch.float64,
    _ATEN.bmm.default: torch.float64,
    _ATEN.addmm.default: torch.float64,
    _ATEN.baddbmm.default: torch.float64,
    _ATEN.native_layer_norm.default: torch.float32,
    _ATEN.native_layer_norm_backward.default: torch.float32,
    _ATEN.native_group_norm.default: torch.float32,
    _ATEN.native_group_norm_backward.default: torch.float32,
}
# Their second and third results, mean and reciprocal deviation of each row, have 32 bits on a GPU.
_WITH_STATISTICS = (_ATEN.native_layer_norm.default, _ATEN.native_group_norm.default)


def narrow_type(args: Any) -> torch.dtype | None:
    """Return the type of the first tensor if it is a 16-bit float."""
    first = next((each for each in args if isinstance(each, torch.Tensor)), None)
    return first.dtype if first is not None and first.dtype in NARROW else None


def call(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call an operation, with more bits if it is one of the above on 16-bit floats."""
    narrow = narrow_type(args) if func in WIDER else None
    if narrow is None:
        return func(*args, **kwargs)

    def widen(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(WIDER[func]) if tensor.dtype in NARROW else tensor

    result = func(*tree_map_only(torch.Tensor, widen, args), **tree_map_only(torch.Tensor, widen, kwargs))
    if func in _WITH_STATISTICS:
        return result[0].to(narrow), *result[1:]
    return tree_map_only(torch.Tensor, lambda tensor: tensor.to(narrow), result)


def attention(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call scaled_dot_product_attention, in 32 bits, by operations that the CPU has.

    Programs that choose a fused kernel of GPUs (torch.nn.attention.sdpa_kernel) have excluded them.
    """
    narrow = narrow_type((*args, *kwargs.values()))

    def widen(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.float() if tensor.dtype in NARROW else tensor

    allowed = torch._C._get_math_sdp_enabled()
    torch._C._set_sdp_use_math(True)
    try:
        result = function(*tree_map_only(torch.Tensor, widen, args), **tree_map_only(torch.Tensor, widen, kwargs))
    finally:
        torch._C._set_sdp_use_math(allowed)
    return result if narrow is None else result.to(narrow)
