# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The signature of an operator: its parameters, what it returns, and what its tensors must be."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

CONTIGUOUS = ("copy", "check", "any")
TENSOR, OPTIONAL, TENSORS, SCALAR = "tensor", "optional tensor", "list of tensors", "scalar"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of an operator.

    Attributes
    ----------
    name : str
        Its name in the function.
    kind : str
        TENSOR, OPTIONAL, TENSORS or SCALAR.
    mutated : bool
        Whether kernels write to it.
    contiguous : str
        "copy": other tensors are copied first, "check": refused, "any": passed as they are.
    align : int
        The address is a multiple of this.
    dtypes : tuple or str or None
        The types of elements that it takes, or the name of the parameter whose type it must have.
    default : object
        The value if the argument is absent.
    """

    name: str
    kind: str
    mutated: bool = False
    contiguous: str = "copy"
    align: int = 1
    dtypes: tuple[torch.dtype, ...] | str | None = None
    default: Any = None


@dataclasses.dataclass(frozen=True)
class Signature:
    """The parameters of an operator, its schema, and the number of tensors that it returns (None: one, not a tuple)."""

    parameters: tuple[Parameter, ...]
    schema: str
    returned: int | None

    @property
    def tensors(self) -> list[str]:
        """Return the names of the parameters that are tensors."""
        return [each.name for each in self.parameters if each.kind != SCALAR]


def read(
    name: str,
    function: Callable[..., Any],
    mutates: Iterable[str],
    contiguous: str | Mapping[str, str],
    align: int | Mapping[str, int],
    dtypes: Sequence[torch.dtype] | Mapping[str, Any] | None,
) -> Signature:
    """Return the signature of a function; errors name the operator and the parameter."""
    hints = typing.get_type_hints(function)
    declared = inspect.signature(function).parameters
    names = list(declared)
    mutated = {mutates} if isinstance(mutates, str) else set(mutates)
    tables = {"mutates": mutated}
    tables |= {
        key: set(given)
        for key, given in (("contiguous", contiguous), ("align", align), ("dtypes", dtypes))
        if isinstance(given, Mapping)
    }
    for key, given in tables.items():
        if unknown := sorted(given - set(names)):
            raise ValueError(f"{name}: {key} names {unknown[0]!r}, which is no parameter; those are {', '.join(names)}")
    parameters = []
    for each in names:
        if each not in hints:
            raise TypeError(f"{name}: parameter {each!r} needs a type: Tensor, list[Tensor], int, float, bool or str")
        kind, default = _kind(hints[each]), declared[each].default
        options: dict[str, Any] = {}
        if kind != SCALAR:
            options = {"mutated": each in mutated, "contiguous": _of(contiguous, each, "copy")}
            options |= {"align": _of(align, each, 1), "dtypes": _of(dtypes, each, None)}
        parameters.append(Parameter(each, kind, default=default, **options))
    for parameter in parameters:
        if parameter.contiguous not in CONTIGUOUS:
            raise ValueError(f"{name}: contiguous is {parameter.contiguous!r}, must be one of {', '.join(CONTIGUOUS)}")
        if parameter.kind == SCALAR and parameter.name in mutated:
            raise TypeError(f"{name}: mutates names {parameter.name!r}, which is no tensor")
    returned = _returned(name, hints)
    return Signature(tuple(parameters), _schema(name, function, hints, mutated), returned)


def _of(given: Any, name: str, otherwise: Any) -> Any:
    if isinstance(given, Mapping):
        given = given.get(name, otherwise)
    return tuple(given) if isinstance(given, (list, set)) else given


def _kind(hint: Any) -> str:
    if hint is torch.Tensor:
        return TENSOR
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType) and torch.Tensor in arguments:
        return OPTIONAL
    if torch.Tensor in arguments:
        return TENSORS
    return SCALAR


def _returned(name: str, hints: Mapping[str, Any]) -> int | None:
    if "return" not in hints:
        raise TypeError(f"{name}: annotate what the function returns: Tensor, tuple[Tensor, ...] or None")
    hint = hints["return"]
    if hint is torch.Tensor:
        return None
    if hint is type(None):
        return 0
    found = typing.get_args(hint)
    if typing.get_origin(hint) is not tuple or set(found) != {torch.Tensor}:
        raise TypeError(f"{name}: the function returns {hint}, must be Tensor, a tuple of Tensors or None")
    return len(found)


def _schema(name: str, function: Callable[..., Any], hints: Mapping[str, Any], mutated: set[str]) -> str:
    """Return the schema by PyTorch's own rules, from resolved annotations."""

    def prototype() -> None: ...

    signature = inspect.signature(function)
    parameters = [each.replace(annotation=hints[each.name]) for each in signature.parameters.values()]
    returned = None if hints.get("return") is type(None) else hints.get("return")
    prototype.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=returned
    )
    try:
        return torch.library.infer_schema(prototype, mutates_args=mutated)
    except ValueError as error:
        raise TypeError(f"{name}: {error}") from None
