# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""SwiGLU, the gated unit of Llama's perceptron: a function of PyTorch, with kernels forward and backward."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from cuda.interop.thunder import _source
from cuda.interop.torch import launch_kernel, operator

_SOURCE = (
    _source.PREAMBLE
    + r"""
template <class T, int N> __global__ void swiglu(
    const T *gate, const T *up, T *y, long long rows, int n, long long gate_stride, long long up_stride)
{
    Acc<T> a[N], b[N];
    for_packs<N>(rows, n, [&](long long row, int i) {
        load<T, N>(gate + row * gate_stride + i, a), load<T, N>(up + row * up_stride + i, b);
        for (EACH) b[k] *= a[k] / (1 + exponential(-a[k]));
        store<T, N>(y + row * n + i, b);
    });
}
template <class T, int N> __global__ void swiglu_backward(
    const T *gate, const T *up, const T *grad, T *dgate, T *dup, long long rows, int n, long long gate_stride,
    long long up_stride, long long grad_stride)
{
    Acc<T> a[N], b[N], g[N];
    for_packs<N>(rows, n, [&](long long row, int i) {
        load<T, N>(gate + row * gate_stride + i, a), load<T, N>(up + row * up_stride + i, b);
        load<T, N>(grad + row * grad_stride + i, g);
        for (EACH) {
            const Acc<T> open = 1 / (1 + exponential(-a[k]));
            b[k] *= g[k] * open * (1 + a[k] * (1 - open));
            g[k] *= a[k] * open;
        }
        store<T, N>(dgate + row * n + i, b), store<T, N>(dup + row * n + i, g);
    });
}
"""
)
_KERNELS = _source.BundledKernels(_SOURCE)


def _launch(gate: Tensor, load: int, *arguments: object) -> None:
    rows, columns = gate.shape
    launch_kernel(*_source.packs(rows, columns, load), *arguments)


@operator("cuda_core_thunder::swiglu", _KERNELS, kernel="swiglu<{gate}, {load}>", contiguous="any")
def _swiglu(gate: Tensor, up: Tensor, load: int) -> Tensor:
    y = gate.new_empty(gate.shape)
    _launch(gate, load, gate, up, y, *gate.shape, gate.stride(0), up.stride(0))
    return y


@operator("cuda_core_thunder::swiglu_backward", _KERNELS, kernel="swiglu_backward<{gate}, {load}>", contiguous="any")
def _swiglu_backward(gate: Tensor, up: Tensor, grad: Tensor, load: int) -> tuple[Tensor, Tensor]:
    dgate, dup = gate.new_empty(gate.shape), gate.new_empty(gate.shape)
    strides = [each.stride(0) for each in (gate, up, grad)]
    _launch(gate, load, gate, up, grad, dgate, dup, *gate.shape, *strides)
    return dgate, dup


def backward(gate: Tensor, up: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of both arguments of `swiglu`."""
    rows = [_source.rows_of(each) for each in (gate, up, grad)]
    dgate, dup = _swiglu_backward(*rows, _source.load_of(gate.shape[-1], *rows))
    return dgate.view(gate.shape), dup.view(gate.shape)


_swiglu.gradient(lambda gate, up, grad: backward(gate, up, grad))


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """Return ``silu(gate) * up``, by one kernel; its gradients are another.

    Under `thunder.jit` with `operator_executor` it is one operation of the trace. Narrow types are computed in float.

    Parameters
    ----------
    gate, up : torch.Tensor
        Tensors of the same shape and of float64, float32, float16 or bfloat16; rows may be parts of longer ones.

    Returns
    -------
    torch.Tensor
        A contiguous tensor of the shape and type of `gate`.

    Raises
    ------
    TypeError, ValueError
        If the types, shapes or devices differ, or the type is another.
    """
    check(gate, up, gate.dtype, up.dtype)
    rows = [_source.rows_of(each) for each in (gate, up)]
    return _swiglu(*rows, _source.load_of(rows[0].shape[-1], *rows)).view(gate.shape)


def check(gate: Any, up: Any, gate_type: torch.dtype, up_type: torch.dtype) -> None:
    """Raise if these are no arguments of `swiglu`, tensors or proxies of them."""
    if gate_type not in _source.TYPES:
        raise TypeError(f"swiglu: gate is of {gate_type}, must be of float64, float32, float16 or bfloat16")
    if gate_type != up_type:
        raise TypeError(f"swiglu: up is of {up_type}, must be of {gate_type}, as gate is")
    if tuple(gate.shape) != tuple(up.shape):
        raise ValueError(f"swiglu: up has the shape {tuple(up.shape)}, must have {tuple(gate.shape)}, as gate has")
    devices = [_source.device_of(each) for each in (gate, up)]
    if devices[0] != devices[1]:
        raise ValueError(f"swiglu: up is on {devices[1]}, must be on {devices[0]}, as gate is")
