# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The rule of torch.vmap for an operator: one call where leading axes are free, otherwise a call for each element."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch

from cuda.interop._signature import Signature


def rule(name: str, call: Callable[..., Any], signature: Signature, leading: Collection[str]) -> Callable[..., Any]:
    """Return the rule of an operator.

    Parameters
    ----------
    name, call : str, callable
        The operator.
    signature : Signature
        Its signature.
    leading : collection of str
        Parameters that may have any number of leading axes, which the outputs then have, too.
    """
    names = [each.name for each in signature.parameters]
    changed = [each.name for each in signature.parameters if each.mutated]
    defaults = [each.default for each in signature.parameters]

    def batched(info: Any, in_dims: Sequence[Any], *args: Any) -> Any:
        if changed:
            raise NotImplementedError(
                f"{name} changes {changed[0]}, which torch.vmap does not support: call it outside of vmap"
            )
        size = info.batch_size
        omitted = len(names) - len(args)  # arguments that equal their defaults
        args, in_dims = (*args, *defaults[len(args) :]), (*in_dims, *[None] * omitted)
        mapped = {name for name, axis in zip(names, in_dims, strict=True) if _is_mapped(axis)}
        if mapped <= set(leading):
            moved = [
                _in_front(value, axis, size) if name in leading else value
                for name, axis, value in zip(names, in_dims, args, strict=True)
            ]
            return _marked(call(*moved), signature)
        slices = [_slices(value, axis, max(size, 1)) for value, axis in zip(args, in_dims, strict=True)]
        results = [call(*each) for each in zip(*slices, strict=True)]
        if signature.returned is None:
            return torch.stack(results)[:size], 0
        return _marked(tuple(torch.stack(each)[:size] for each in zip(*results, strict=True)), signature)

    return batched


def _is_mapped(axis: Any) -> bool:
    return any(each is not None for each in axis) if isinstance(axis, (list, tuple)) else axis is not None


def _in_front(value: Any, axis: Any, size: int) -> Any:
    """Return a tensor with the mapped axis in front."""
    if value is None:
        return None
    if axis is None:
        return value.unsqueeze(0).expand(size, *value.shape)
    return value.movedim(axis, 0)


def _slices(value: Any, axis: Any, size: int) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        axes = axis if isinstance(axis, (list, tuple)) else [axis] * len(value)
        columns = [_slices(each, each_axis, size) for each, each_axis in zip(value, axes, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)] if columns else [[]] * size
    if axis is None:
        return [value] * size
    if not value.shape[axis]:  # of no elements: one of zeros has results of the right shape
        return [value.new_zeros(value.movedim(axis, 0).shape[1:])]
    return list(value.unbind(axis))


def _marked(results: Any, signature: Signature) -> tuple[Any, Any]:
    """Return results with the axes that are mapped: the first of each."""
    return results, 0 if signature.returned is None else (0,) * (signature.returned or 0)
