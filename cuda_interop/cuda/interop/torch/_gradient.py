# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators: by another operator, or by a formula of PyTorch functions, matched by parameter names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

from cuda.interop.torch._signature import TENSORS, Signature


class Gradient:
    """How the gradients of an operator are computed.

    Parameters
    ----------
    name : str
        The operator.
    signature : Signature
        Its signature.
    function : callable
        Its parameters have names of the operator's parameters and outputs (`out`, or `out_0`, `out_1` and so on), or
        `grad` (`grad_0` and so on): the gradient of an output.
    wrt : sequence of str
        The parameters whose gradients it returns.
    """

    def __init__(self, name: str, signature: Signature, function: Callable[..., Any], wrt: Sequence[str]) -> None:
        self.name, self.function, self.wrt = name, function, tuple(wrt)
        self.inputs = [each.name for each in signature.parameters]
        count = 1 if signature.returned is None else signature.returned
        suffixes = [""] if signature.returned is None else [f"_{index}" for index in range(count)]
        self.outputs = [f"out{suffix}" for suffix in suffixes]
        self.grads = [f"grad{suffix}" for suffix in suffixes]
        self.lists = {each.name for each in signature.parameters if each.kind == TENSORS}
        self.defaults = [each.default for each in signature.parameters]
        self.takes = list(inspect.signature(function).parameters)
        known = [*self.inputs, *self.outputs, *self.grads]
        if unknown := [each for each in self.takes if each not in known]:
            raise TypeError(f"{name}: its gradient takes {unknown[0]!r}, must be one of {', '.join(known)}")
        if unknown := [each for each in self.wrt if each not in signature.tensors]:
            raise ValueError(f"{name}: wrt names {unknown[0]!r}, must be one of {', '.join(signature.tensors)}")

    def setup(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Save what the gradient takes."""
        inputs = [*inputs, *self.defaults[len(inputs) :]]
        outputs = output if isinstance(output, (tuple, list)) else (output,)
        values = dict(zip(self.inputs, inputs, strict=True)) | dict(zip(self.outputs, outputs, strict=True))
        saved: list[torch.Tensor] = []
        ctx.plan = {}
        for name in self.takes:
            if name in self.grads:
                continue
            value = values[name]
            if isinstance(value, torch.Tensor):
                ctx.plan[name] = len(saved)
                saved.append(value)
            elif name in self.lists:
                ctx.plan[name] = range(len(saved), len(saved) + len(value))
                saved.extend(value)
            else:
                ctx.plan[name] = (value,)
        ctx.save_for_backward(*saved)
        ctx.absent = [value is None for value in inputs]

    def backward(self, ctx: Any, *grads: Any) -> Any:
        """Return a gradient for each input, None for those that have none."""
        saved = ctx.saved_tensors
        values = dict(zip(self.grads, grads, strict=True))
        for name, where in ctx.plan.items():
            if isinstance(where, int):
                values[name] = saved[where]
            else:
                values[name] = [saved[each] for each in where] if isinstance(where, range) else where[0]
        found = self.function(**{name: values[name] for name in self.takes})
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) != len(self.wrt):
            raise RuntimeError(
                f"{self.name}: its gradient returns {len(found)} values, but there are {len(self.wrt)} parameters to "
                f"differentiate ({', '.join(self.wrt)}): name those that have a gradient, wrt=(...)"
            )
        by_name = dict(zip(self.wrt, found, strict=True))
        results = [None if absent else by_name.get(name) for name, absent in zip(self.inputs, ctx.absent, strict=True)]
        return tuple(results) if len(results) > 1 else results[0]
