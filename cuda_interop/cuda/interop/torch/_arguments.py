# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call: checked against the signature, made contiguous and aligned where that is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from cuda.interop._signature import OPTIONAL, SCALAR, TENSORS, Parameter, Signature
from cuda.interop.torch._types import short_name


class Arguments:
    """The checks of one operator's arguments."""

    def __init__(self, name: str, signature: Signature) -> None:
        self.name = name
        self.signature = signature

    def prepare(self, given: Sequence[Any]) -> tuple[list[Any], torch.device | None]:
        """Return arguments for the function, and the device of the tensors."""
        device: torch.device | None = None
        prepared: list[Any] = []
        types: dict[str, torch.dtype] = {}
        equal: list[tuple[str, torch.dtype, str]] = []  # tensors that must be of the type of a parameter
        if len(given) < len(self.signature.parameters):  # the dispatcher omits arguments that equal their defaults
            given = [*given, *(each.default for each in self.signature.parameters[len(given) :])]
        for parameter, value in zip(self.signature.parameters, given, strict=True):
            if parameter.kind == SCALAR or (value is None and parameter.kind == OPTIONAL):
                prepared.append(value)
                continue
            many = parameter.kind == TENSORS
            tensors = []
            for index, tensor in enumerate(value if many else [value]):
                label = f"{parameter.name}[{index}]" if many else parameter.name
                if not isinstance(tensor, torch.Tensor):
                    raise TypeError(f"{self.name}: {label} must be a Tensor, not {type(tensor).__name__}")
                device = self._device(label, tensor, device)
                if isinstance(parameter.dtypes, str):
                    equal.append((label, tensor.dtype, parameter.dtypes))
                else:
                    self._check_type(parameter, label, tensor)
                tensors.append(self._laid_out(parameter, label, tensor))
            if tensors:
                types[parameter.name] = tensors[0].dtype
            prepared.append(tensors if many else tensors[0])
        for label, dtype, other in equal:
            if dtype != types.get(other, dtype):
                wanted = f"{short_name(types[other])}, as {other} is"
                raise TypeError(f"{self.name}: {label} is of {short_name(dtype)}, must be of {wanted}")
        return prepared, device

    def check_dispatched(self, given: Sequence[Any]) -> None:
        """Raise for arguments that the dispatcher refuses: None instead of a tensor, tensors that are not dense."""
        for parameter, value in zip(self.signature.parameters, given, strict=True):
            if parameter.kind == SCALAR or (value is None and parameter.kind == OPTIONAL):
                continue
            for each in value if isinstance(value, (list, tuple)) else [value]:
                if not isinstance(each, torch.Tensor):
                    raise TypeError(f"{self.name}: {parameter.name} must be a Tensor, not {type(each).__name__}")
                if each.layout != torch.strided or each.is_quantized or each.is_nested:
                    kind = "quantized" if each.is_quantized else "nested" if each.is_nested else str(each.layout)
                    raise TypeError(f"{self.name}: {parameter.name} is a {kind} tensor, must be a dense one of numbers")
        lists = [each.name for each in self.signature.parameters if each.kind == TENSORS]
        if lists and not any(
            isinstance(each, torch.Tensor) or (isinstance(each, (list, tuple)) and each) for each in given
        ):
            raise ValueError(f"{self.name}: {lists[0]} is an empty list, and no other argument is a tensor to run on")

    def check_changed(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Raise for tensors that kernels would change but PyTorch negates or conjugates when it reads them."""
        named = {each.name: value for each, value in zip(self.signature.parameters, args, strict=False)} | dict(kwargs)
        for parameter in self.signature.parameters:
            value = named.get(parameter.name)
            for each in value if isinstance(value, (list, tuple)) else [value]:
                if not parameter.mutated or not isinstance(each, torch.Tensor):
                    continue
                if each.is_neg() or each.is_conj():
                    kind, resolve = ("negated", "resolve_neg") if each.is_neg() else ("conjugated", "resolve_conj")
                    raise ValueError(
                        f"{self.name}: {parameter.name} is a view that is {kind} when it is read, so kernels cannot "
                        f"change it: pass y = {parameter.name}.{resolve}(), and copy y back after the call"
                    )

    def _device(self, label: str, tensor: torch.Tensor, before: torch.device | None) -> torch.device:
        if before is not None and tensor.device != before:
            raise ValueError(f"{self.name}: {label} is on {tensor.device}, but the tensors before it are on {before}")
        return tensor.device

    def _check_type(self, parameter: Parameter, label: str, tensor: torch.Tensor) -> None:
        if parameter.dtypes is not None and tensor.dtype not in parameter.dtypes:
            names = " or ".join(short_name(each) for each in parameter.dtypes)
            raise TypeError(f"{self.name}: {label} is of {short_name(tensor.dtype)}, must be of {names}")

    def _laid_out(self, parameter: Parameter, label: str, tensor: torch.Tensor) -> torch.Tensor:
        """Return the tensor, or a contiguous and aligned copy if that is allowed."""
        copies = parameter.contiguous == "copy" and not parameter.mutated
        if parameter.contiguous != "any" and not tensor.is_contiguous():
            if not copies:
                advice = f"pass {label}.contiguous()"
                if parameter.mutated:
                    advice = f"copy {label}.contiguous() back after the call, or declare contiguous='any'"
                raise ValueError(
                    f"{self.name}: {label} of shape {tuple(tensor.shape)} has strides {tensor.stride()}, must be "
                    f"contiguous: {advice}"
                )
            tensor = tensor.contiguous()
        if parameter.align > 1 and not _is_abstract(tensor) and tensor.data_ptr() % parameter.align:
            if not copies:
                raise ValueError(
                    f"{self.name}: {label} begins at {tensor.data_ptr():#x}, must be aligned to {parameter.align} "
                    f"bytes: pass a copy that is"
                )
            tensor = _aligned(tensor, parameter.align)
        return tensor


def _aligned(tensor: torch.Tensor, align: int) -> torch.Tensor:
    """Return a contiguous copy whose address is a multiple of `align`, which may be more than the allocator's."""
    size = tensor.element_size()
    memory = tensor.new_empty(tensor.numel() + -(-align // size))
    start = -memory.data_ptr() % align // size
    return memory[start : start + tensor.numel()].view(tensor.shape).copy_(tensor)


def _is_abstract(tensor: torch.Tensor) -> bool:
    """Return whether a tensor has a shape and no memory."""
    return isinstance(tensor, FakeTensor) or tensor.is_meta
