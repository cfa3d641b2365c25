# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How an operator's calls are recorded for gradients: a function of torch.autograd, and the kernel of a dispatch key.

Calls that the fast path serves go to the function directly, which computes and saves in C (`FastPath.forward`). All
others come from the dispatcher with the set of keys for what is left to do. There, the function also serves
`torch.func.grad` and its relatives, whose tensors are wrappers: the operator below is called with gradients enabled, as
a lower level may record it, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch._C import _functorch as functorch
from torch.autograd import forward_ad

from cuda.interop._signature import SCALAR, TENSORS

_below_autograd = torch._C._AutoDispatchBelowAutograd
_keys_below = torch._C._after_autograd_keyset
_has_transforms = torch._C._are_functorch_transforms_active


def recorded(operator: Any) -> Callable[..., Any]:
    """Return the `forward` of an operator for the dispatcher's calls.

    It gets how the operator is called, which is the dispatch keys and the lengths of lists of tensors, and the
    operator's arguments, of which lists are spread.
    """

    def forward(ctx: Any, how: tuple[Any, list[int] | None], *flat: Any) -> Any:
        keys, ctx.lengths = how
        args = _grouped(operator, flat, ctx.lengths) if ctx.lengths else flat
        with _lower_levels(), _below_autograd():
            result = operator.overload.redispatch(keys & _keys_below, *args)
        if operator._gradient is not None:
            operator._gradient.setup(ctx, args, result)
        return result

    return forward


def recorder(operator: Any, forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that calls an operator by a `forward` and records the call."""
    has_lists = any(each.kind == TENSORS for each in operator.signature.parameters)

    def backward(ctx: Any, *grads: Any) -> Any:
        if operator._gradient is None:
            raise RuntimeError(
                f"{operator.name} has no gradient: declare it by @{operator.__name__}.gradient, or call the operator "
                "without gradients, under torch.no_grad()"
            )
        found = operator._gradient.backward(ctx, *grads)
        if has_lists:
            found = _spread(operator, found, ctx.lengths)
        needs = ctx.needs_input_grad[1:]
        return (None, *(each if need else None for each, need in zip(found, needs, strict=False)))

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    # What `apply` of torch.autograd.Function does for tensors of function transforms, the dispatcher takes care of here
    made: Any = type(operator.name.rpartition("::")[2], (torch.autograd.function._SingleLevelFunction,), members)
    return made.apply


def register(operator: Any, library: torch.library.Library, name: str) -> None:
    """Register the kernel of the dispatch key Autograd."""
    kinds = [each.kind for each in operator.signature.parameters]
    has_lists = TENSORS in kinds
    record, overload = operator._record, operator.overload

    def autograd(keys: Any, *args: Any) -> Any:
        if forward_ad._current_level >= 0:
            _refuse_tangents(operator, args)
        if not (torch.is_grad_enabled() and torch._C._any_requires_grad(*args)):
            with _below_autograd():
                return overload.redispatch(keys & _keys_below, *args)
        lengths: list[int] | None = None
        flat: Sequence[Any] = args
        if has_lists:
            lengths, flat = _flat(kinds, args)
        with _single_level():
            return record((keys, lengths), *flat)

    library.impl(name, autograd, "Autograd", with_keyset=True)


def refuse(operator: Any, library: torch.library.Library, name: str) -> None:
    """Register the kernel of the dispatch key Autograd of an operator that changes arguments, which has no gradient."""
    overload = operator.overload

    def autograd(keys: Any, *args: Any) -> Any:
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*args):
            changed = next(each.name for each in operator.signature.parameters if each.mutated)
            raise RuntimeError(
                f"{operator.name} changes {changed}, so that it has no gradient, but an argument requires one: call it "
                "under torch.no_grad(), or with detached tensors"
            )
        with _below_autograd():
            return overload.redispatch(keys & _keys_below, *args)

    library.impl(name, autograd, "Autograd", with_keyset=True)


@contextlib.contextmanager
def _single_level() -> Iterator[None]:
    """Allow functions of torch.autograd on the tensors of the uppermost function transform, if there is one."""
    if not _has_transforms():
        yield
        return
    before = functorch.get_single_level_autograd_function_allowed()
    functorch.set_single_level_autograd_function_allowed(True)
    try:
        yield
    finally:
        functorch.set_single_level_autograd_function_allowed(before)


@contextlib.contextmanager
def _lower_levels() -> Iterator[None]:
    """Let the levels of function transforms below this one record, which `forward` of a function would not."""
    if not _has_transforms():
        yield
        return
    with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
        yield


def _refuse_tangents(operator: Any, args: Sequence[Any]) -> None:
    """Raise if an argument has a tangent, which would be lost."""
    for parameter, value in zip(operator.signature.parameters, args, strict=False):
        if parameter.kind == SCALAR or value is None:
            continue
        for each in value if parameter.kind == TENSORS else (value,):
            if forward_ad.unpack_dual(each).tangent is not None:
                raise NotImplementedError(
                    f"{operator.name} has no derivative in forward mode, but its argument {parameter.name} has a "
                    "tangent: use reverse mode (torch.func.grad, vjp or jacrev) instead of jvp, jacfwd or hessian"
                )


def _flat(kinds: Sequence[str], args: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Return the lengths of lists of tensors, and the arguments with these lists spread."""
    lengths: list[int] = []
    flat: list[Any] = []
    for kind, value in zip(kinds, args, strict=False):
        if kind == TENSORS:
            lengths.append(len(value))
            flat.extend(value)
        else:
            flat.append(value)
    return lengths, flat


def _grouped(operator: Any, flat: Sequence[Any], lengths: Sequence[int]) -> tuple[Any, ...]:
    """Return arguments with lists of tensors of their lengths."""
    rest, counts, args = list(flat), iter(lengths), []
    for parameter in operator.signature.parameters:
        if not rest and parameter.kind != TENSORS:
            break  # the dispatcher omits arguments that equal their defaults
        if parameter.kind == TENSORS:
            count = next(counts)
            args.append(rest[:count])
            del rest[:count]
        else:
            args.append(rest.pop(0))
    return tuple(args)


def _spread(operator: Any, found: Sequence[Any], lengths: Sequence[int]) -> list[Any]:
    """Return the gradients of all tensors: None for each of a list without gradients."""
    counts, spread = iter(lengths), []
    for parameter, grads in zip(operator.signature.parameters, found, strict=False):
        if parameter.kind != TENSORS:
            spread.append(grads)
            continue
        count = next(counts)
        if grads is not None and len(grads) != count:
            raise RuntimeError(
                f"{operator.name}: its gradient returns {len(grads)} gradients of {parameter.name}, must be {count}"
            )
        spread.extend([None] * count if grads is None else grads)
    return spread
