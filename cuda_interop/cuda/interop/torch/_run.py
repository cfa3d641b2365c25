# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launch a kernel of a call: on PyTorch's current stream of a GPU, or on the CPU device in the tensors' memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from cuda.core import Device, Stream, launch
from cuda.interop._errors import FAILURES, OperatorError, raise_named
from cuda.interop._kernels import Kernels
from cuda.interop._record import Launch

own = threading.local()  # its `stream` is for tensors of the CPU


def stream_of(device: torch.device) -> Stream:
    """Return PyTorch's current stream of a GPU, or for tensors of the CPU a stream of this thread."""
    if device.type == "cuda":
        # A thread has no current device until it is given one, such as those that run backward passes.
        Device(device.index or 0).set_current()
        return Stream.from_handle(torch.cuda.current_stream(device).cuda_stream)
    stream = getattr(own, "stream", None)
    if stream is None:
        gpu = Device(0)
        gpu.set_current()
        if not gpu.properties.pageable_memory_access:
            raise OperatorError(
                f"{gpu.name} cannot access the memory of tensors on the CPU: pass tensors on it (x.cuda()), or set "
                "CUDA_PYTHON_DRIVER=cpu to run on the CPU device"
            )
        stream = own.stream = gpu.create_stream()
    return stream


def run(operator: str, kernels: Kernels, each: Launch, name: str, device: torch.device) -> None:
    """Carry out a launch of a kernel; on the CPU, return when it is done."""
    if device.type == "cuda" and device.index not in (None, torch.cuda.current_device()):
        with torch.cuda.device(device):  # makes the device of before current again
            return run(operator, kernels, each, name, device)
    if each.is_empty:
        return
    stream = stream_of(device)
    ordinal = device.index or 0 if device.type == "cuda" else 0
    kept: list[Any] = []
    try:
        config = each.config()
        launch(stream, config, kernels.get(name, ordinal), *[argument(a, device, kept) for a in each.arguments])
        if device.type != "cuda":
            stream.sync()
    except FAILURES as error:
        raise_named(error, operator, name)


def argument(
    value: Any,
    device: torch.device,
    kept: list[Any],
    address: Callable[[torch.Tensor], int | None] = torch.Tensor.data_ptr,
) -> Any:
    """Return a kernel argument: the address of a tensor, of an array of addresses for a list, or the value itself."""
    if isinstance(value, torch.Tensor):
        check_argument(value, device)
        return address(value) or None
    if isinstance(value, (list, tuple)):
        for each in value:
            check_argument(each, device)
        addresses = torch.tensor([address(each) or 0 for each in value], dtype=torch.int64)
        kept.append(addresses.to(device))
        return kept[-1].data_ptr() or None
    return value


def check_argument(value: Any, device: torch.device) -> None:
    """Raise unless a kernel on a device can take something as a tensor."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"a list that is an argument of a kernel has a value of {type(value).__name__}, must have tensors"
        )
    if value.device != device:
        raise ValueError(f"a tensor on {value.device} is an argument of a kernel, the operator's are on {device}")
    if value.layout != torch.strided:
        raise ValueError(
            f"a tensor of the layout {value.layout} is an argument of a kernel, must be of the layout torch.strided"
        )
