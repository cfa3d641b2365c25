# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What a call did, as a `Plan` for further calls with the same shapes, types and numbers.

A plan exists if the function of the operator does nothing but create empty tensors and launch kernels on these and on
the arguments as they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda.interop._signature import OPTIONAL, SCALAR, TENSOR, Parameter
from cuda.interop.torch._fast import FastPath, Plan, Step
from cuda.interop.torch._run import own, stream_of

_CREATING = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
_CPU = torch.device("cpu")


class _Created(TorchDispatchMode):
    """Record the tensors that are created without values, and whether anything else was computed."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[torch.Tensor] = []
        self.only = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in _CREATING:
            self.tensors.append(result)
        elif func is not torch.ops.aten.detach.default:  # by which a mode returns tensors that others refer to
            self.only = False
        return result


def fast_path(operator: Any, recorded: Callable[..., Any]) -> Any:
    """Return the `FastPath` of an operator, None if its parameters do not allow it; `recorded` is for other calls."""
    parameters: Sequence[Parameter] = operator.signature.parameters
    if not parameters or any(each.kind not in (TENSOR, OPTIONAL, SCALAR) for each in parameters):
        return None
    if operator.signature.returned == 0 or any(each.mutated for each in parameters):
        return None
    aligns = tuple(each.align for each in parameters)
    return FastPath(
        operator.overload,
        operator._compute,
        recorded,
        lambda args: learn(operator, args),
        own,
        lambda: stream_of(_CPU),
        aligns,
    )


def learn(operator: Any, args: Sequence[Any]) -> Any:
    """Return the `Plan` of calls like this one; None if there is none, or for errors, which the call itself raises."""
    try:
        return _learn(operator, args)
    except Exception:
        return None


def _learn(operator: Any, args: Sequence[Any]) -> Any:
    arguments, _ = operator._arguments.prepare(args)
    if any(isinstance(one, torch.Tensor) and one is not other for one, other in zip(args, arguments, strict=False)):
        return None  # it was copied
    with torch.no_grad(), _Created() as created:
        outputs, launches, names = operator._planned(arguments)
    given = [(index, each) for index, each in enumerate(arguments) if isinstance(each, torch.Tensor)]
    given += [(len(arguments) + index, each) for index, each in enumerate(created.tensors)]
    indices = {each.data_ptr(): index for index, each in given}
    results = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    if not created.only or len(created.tensors) > 16 or 0 in indices or len(indices) < len(given):
        return None  # tensors without elements, and several of one address, have no plan
    if any(indices.get(each.data_ptr(), -1) < len(arguments) for each in results):
        return None
    steps = []
    for each, name in zip(launches, names, strict=True):
        if each.is_empty:
            continue
        tensors = [
            indices.get(value.data_ptr(), -2) if isinstance(value, torch.Tensor) else -1 for value in each.arguments
        ]
        if -2 in tensors or any(isinstance(value, (list, tuple)) for value in each.arguments):
            return None
        values = tuple(None if index >= 0 else value for value, index in zip(each.arguments, tensors, strict=True))
        steps.append(Step(operator.kernels.get(name), each.config(), values, tuple(tensors)))
    made = tuple(_recipe(each, arguments) for each in created.tensors)
    chosen = tuple(indices[each.data_ptr()] - len(arguments) for each in results)
    return Plan(made, tuple(steps), chosen, operator.signature.returned is None)


def _recipe(tensor: torch.Tensor, arguments: Sequence[Any]) -> tuple[int, Any, Any, torch.dtype]:
    """Return the index of an argument like a new tensor, -1 if there is none, and its size, strides and type."""
    facts = (tuple(tensor.shape), tensor.stride(), tensor.dtype)
    for index, each in enumerate(arguments):
        if isinstance(each, torch.Tensor) and (tuple(each.shape), each.stride(), each.dtype) == facts:
            return (index, *facts)
    return (-1, *facts)
