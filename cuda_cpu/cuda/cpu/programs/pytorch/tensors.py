# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensors that are on the device as far as programs can see, with PyTorch's own memory and operations of the host.

They are of a subclass whose operations give tensors of the subclass again, through autograd, too (__torch_dispatch__).
A mode replaces the device "cuda" in the arguments of PyTorch's functions (TorchFunctionMode).
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device
from torch.utils._pytree import tree_map_only

from cuda.cpu.programs.pytorch import driver, graphs, precision

HOST, DEVICE = torch.device("cpu"), torch.device("cuda", 0)


class DeviceTensor(torch.Tensor):
    """A tensor of the device."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if is_device(kwargs.get("device")):
            kwargs = kwargs | {"device": HOST}
        graph = graphs.capture()
        with torch._C._DisableTorchDispatch():
            if graph is not None:
                return on_device(graphs.captured_operation(graph, func, args, kwargs))
            result = precision.call(func, args, kwargs)
        return on_device(result)

    device = property(lambda self: DEVICE)
    is_cuda = property(lambda self: True)
    is_cpu = property(lambda self: False)

    def get_device(self) -> int:
        return 0

    def data_ptr(self) -> int:
        driver.register(self.untyped_storage())
        return super().data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
        return plain(self).clone().numpy()

    def tolist(self) -> Any:
        return plain(self).tolist()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        grad = f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn else ", requires_grad=True" * self.requires_grad
        return f"{repr(plain(self))[:-1]}, device='{DEVICE}'{grad})"

    def __format__(self, specification: str) -> str:
        return format(self.item(), specification) if self.dim() == 0 else super().__format__(specification)

    def __array__(self, dtype: Any = None) -> Any:
        return self.numpy()


def is_device(device: Any) -> bool:
    """Return whether an argument names the device."""
    if isinstance(device, int) and not isinstance(device, bool):
        return True
    return device is not None and torch.device(device).type == "cuda"


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return the memory of a tensor as one of the host."""
    graphs.refuse_in_capture("a copy to the host")
    with torch._C._DisableTorchDispatch():
        return tensor.detach()


def on_device(result: Any) -> Any:
    """Return the tensors of a result as tensors of the device, which share their memory."""

    def wrap(tensor: torch.Tensor) -> torch.Tensor:
        if isinstance(tensor, DeviceTensor):
            return tensor
        return torch.Tensor._make_subclass(DeviceTensor, tensor, tensor.requires_grad)

    return tree_map_only(torch.Tensor, wrap, result)


class _Move(torch.autograd.Function):
    """A copy between host and device; its gradient goes the other way."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
        ctx.source = tensor.device
        graphs.refuse_in_capture("a copy between host and device")
        with torch._C._DisableTorchDispatch():
            copy = torch.empty_like(tensor).copy_(tensor)
        return on_device(copy) if device == DEVICE else copy

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return move(gradients[0], ctx.source), None


def move(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return a tensor itself if it is on `device`, else a copy there."""
    if isinstance(tensor, DeviceTensor) == (device == DEVICE):
        return tensor
    return _Move.apply(tensor, device)


def _to(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """Do what Tensor.to does: its arguments begin with a device and a type, a type, or a tensor that has both."""
    if isinstance(other := kwargs.pop("other", args[0] if args else None), torch.Tensor):
        args = (other.device, other.dtype, *args[1:])
    elif args and type(args[0]) is int:  # which PyTorch takes for the device of its build
        args = (DEVICE, *args[1:])
    copy = kwargs.pop("copy", False)
    device, dtype, _, memory_format = torch._C._nn._parse_to(*args, **kwargs)
    moved = tensor if device is None else move(tensor, DEVICE if is_device(device) else HOST)
    return moved.to(dtype or tensor.dtype, copy=copy and moved is tensor, memory_format=memory_format)


MOVES = {
    torch.Tensor.to: _to,
    torch.Tensor.cuda: lambda tensor, *_, **__: move(tensor, DEVICE),
    torch.Tensor.cpu: lambda tensor, *_, **__: move(tensor, HOST),
}


def run(func: Any, args: Any, kwargs: Any) -> Any:
    """Call a function of PyTorch, on the device if its arguments say so."""
    if func in MOVES:
        with torch._C.DisableTorchFunction():
            return MOVES[func](*args, **kwargs)
    if func is torch.nn.functional.scaled_dot_product_attention and any(isinstance(x, DeviceTensor) for x in args):
        return precision.attention(func, args, kwargs)
    if func is torch.device or not is_device(kwargs.get("device")):
        return func(*args, **kwargs)
    result = on_device(func(*args, **(kwargs | {"device": HOST})))
    graph = graphs.capture()
    if graph is not None and "empty" not in getattr(func, "__name__", ""):
        graph.add_operation(lambda: func(*args, **(kwargs | {"device": HOST})), result)
    return result


class Mode(TorchFunctionMode):
    """Sees all calls of PyTorch's functions."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(func, args, kwargs or {})


def _with_default_device(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Do what torch.set_default_device and `with torch.device(...)` do: they are asked after all other modes."""
    kwargs = kwargs or {}
    if func in _device._device_constructors() and kwargs.get("device") is None:
        kwargs = kwargs | {"device": self.device}
    return run(func, args, kwargs)


_run_backward = torch.autograd._engine_run_backward


def _backward_with_mode(*args: Any, **kwargs: Any) -> Any:
    """Run the functions of a backward pass under the mode, which is off while it calls Tensor.backward."""
    with Mode():
        return _run_backward(*args, **kwargs)


def install() -> None:
    """Install the tensors for this thread: PyTorch's modes are those of a thread."""
    torch.autograd._engine_run_backward = _backward_with_mode
    _device.DeviceContext.__torch_function__ = _with_default_device
    torch.__future__.set_swap_module_params_on_conversion(True)  # Module.to replaces parameters, not their memory alone
    Mode().__enter__()
