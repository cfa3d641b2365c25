# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The functions `swiglu` and `rotary_embedding` as operations of traces, with gradients.

Thunder records what these functions stand for as several operations, which no executor is asked for together. In
programs compiled with the operator executor, a call of one of the functions is one line of the trace.
"""

from __future__ import annotations

from typing import Any

import thunder.torch as ltorch
from thunder.core.proxies import TensorProxy
from thunder.core.transforms import get_grad, put_grad

from cuda.interop.thunder import _rotary, _swiglu
from cuda.interop.thunder._operators import operator_executor, symbol, torch_type


def _types(name: str, **tensors: Any) -> list[Any]:
    for argument, value in tensors.items():
        if not isinstance(value, TensorProxy):
            raise TypeError(f"{name}: {argument} must be a Tensor, not {type(value).__name__}")
    return [torch_type(each) for each in tensors.values()]


def _swiglu_meta(gate: Any, up: Any) -> Any:
    _swiglu.check(gate, up, *_types("swiglu", gate=gate, up=up))
    return TensorProxy(like=gate)


def _swiglu_gradient(gate: Any, up: Any) -> Any:
    y = swiglu(gate, up)
    for each, grad in zip((gate, up), swiglu_backward(gate, up, get_grad(y)), strict=True):
        put_grad(each, grad)
    return y


swiglu = symbol("swiglu", _swiglu_meta, _swiglu.swiglu, replaces=_swiglu.swiglu)
swiglu_backward = symbol(
    "swiglu_backward", lambda gate, up, grad: (TensorProxy(like=gate), TensorProxy(like=up)), _swiglu.backward
)
operator_executor.register_implementation(swiglu, swiglu, grad_transform=_swiglu_gradient)


def _rotary_meta(x: Any, cos: Any, sin: Any) -> Any:
    _rotary.check(x, cos, sin, *_types("rotary_embedding", x=x, cos=cos, sin=sin))
    return TensorProxy(like=x)


def _of_table(grad: Any, table: Any) -> Any:
    """Return the gradient of a table from that of the rows to which it is broadcast."""
    extra = grad.ndim - table.ndim
    wide = [at for at, size in enumerate(table.shape, extra) if size == 1 and grad.shape[at] != 1]
    found = ltorch.sum(grad, [*range(extra), *wide]) if extra or wide else grad
    return ltorch.to(ltorch.reshape(found, tuple(table.shape)), table.dtype)


def _rotary_gradient(x: Any, cos: Any, sin: Any) -> Any:
    y = rotary(x, cos, sin)
    grad, columns = get_grad(y), cos.shape[-1]
    put_grad(x, rotary_backward(grad, cos, sin))
    turned, part = x[..., :columns], grad[..., :columns]  # Thunder drops what follows if the tables need no gradients
    first, second = ltorch.chunk(turned, 2, -1)
    put_grad(cos, _of_table(part * turned, cos))
    put_grad(sin, _of_table(part * ltorch.cat([-second, first], -1), sin))
    return y


rotary = symbol("rotary", _rotary_meta, _rotary.rotary_embedding, replaces=_rotary.rotary_embedding)
rotary_backward = symbol("rotary_backward", lambda grad, *_: TensorProxy(like=grad), _rotary.turned_back)
operator_executor.register_implementation(rotary, rotary, grad_transform=_rotary_gradient)
