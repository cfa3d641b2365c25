# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators: by another operator, or by a formula of PyTorch functions, matched by parameter names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from cuda.interop._gradient_names import GradientNames
from cuda.interop._signature import SCALAR, TENSOR, TENSORS, Signature


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
    wrt : sequence of str or None
        The parameters whose gradients it returns; by default all tensors.
    """

    def __init__(self, name: str, signature: Signature, function: Callable[..., Any], wrt: Any) -> None:
        self.names = names = GradientNames(name, signature, function, wrt)
        self.name, self.function, self.wrt, self.inputs = name, function, names.wrt, names.inputs
        self.defaults = [each.default for each in signature.parameters]
        kinds = {each.name: each.kind for each in signature.parameters}
        self.of_list = [kinds[each] for each in self.wrt] == [TENSORS]  # it may return the gradients of the list
        values, grads = [*names.inputs, *names.outputs], names.grads
        self.saves = [(each, values.index(each), kinds.get(each, TENSOR)) for each in names.takes if each not in grads]
        self.saved = tuple(index for _, index, kind in self.saves if kind != SCALAR)
        self.kept = tuple(index for _, index, kind in self.saves if kind == SCALAR)
        self.grads = [(each, grads.index(each)) for each in names.takes if each in grads]

    def setup(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Save what the gradient takes."""
        outputs = output if isinstance(output, (tuple, list)) else (output,)
        values = (*inputs, *self.defaults[len(inputs) :], *outputs)
        saved: list[torch.Tensor | None] = []
        kept: list[Any] = []  # numbers, and the lengths of lists of tensors
        for _, index, kind in self.saves:
            value = values[index]
            if kind == SCALAR:
                kept.append(value)
            elif kind == TENSORS:
                kept.append(len(value))
                saved.extend(value)
            else:
                saved.append(value)
        ctx.save_for_backward(*saved)
        ctx.kept = kept

    def backward(self, ctx: Any, *grads: Any) -> list[Any]:
        """Return a gradient for each parameter, None for those that have none."""
        values = {name: grads[index] for name, index in self.grads}
        saved, kept = iter(ctx.saved_tensors), iter(ctx.kept)
        for name, _, kind in self.saves:
            if kind == SCALAR:
                values[name] = next(kept)
            elif kind == TENSORS:
                values[name] = list(itertools.islice(saved, next(kept)))
            else:
                values[name] = next(saved)
        found = self.function(**values)
        if not isinstance(found, (tuple, list)) or (self.of_list and not _is_nested(found)):
            found = (found,)
        self.names.check_count(self.name, found)
        by_name = dict(zip(self.wrt, found, strict=True))
        return [by_name.get(name) for name in self.inputs]


def _is_nested(found: Sequence[Any]) -> bool:
    return len(found) == 1 and isinstance(found[0], (tuple, list))
