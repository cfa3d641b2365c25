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

CONTIGUOUS = ("copy", "check", "any")
TENSOR, OPTIONAL, TENSORS, SCALAR = "tensor", "optional tensor", "list of tensors", "scalar"  # tensors or arrays


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
    dtypes: tuple[Any, ...] | str | None = None
    default: Any = None


@dataclasses.dataclass(frozen=True)
class Signature:
    """The parameters of an operator, and the number of tensors that it returns (None: one, not a tuple).

    Attributes
    ----------
    parameters : tuple of Parameter
        In their order.
    returned : int or None
        How many tensors the function returns.
    schema : str
        For PyTorch, how it spells this.
    hints : dict
        The annotations.
    """

    parameters: tuple[Parameter, ...]
    returned: int | None
    schema: str = ""
    hints: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    @property
    def tensors(self) -> list[str]:
        """Return the names of the parameters that are tensors."""
        return [each.name for each in self.parameters if each.kind != SCALAR]


def read(
    name: str,
    function: Callable[..., Any],
    array: type,
    mutates: Iterable[str] = (),
    contiguous: str | Mapping[str, str] = "copy",
    align: int | Mapping[str, int] = 1,
    dtypes: Sequence[Any] | Mapping[str, Any] | None = None,
) -> Signature:
    """Return the signature of a function of tensors or arrays; errors name the operator and the parameter."""
    spelled = _spelled(array)
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
            raise TypeError(
                f"{name}: parameter {each!r} needs a type: {spelled}, list[{spelled}], int, float, bool or str"
            )
        kind, default = _kind(hints[each], array), declared[each].default
        options: dict[str, Any] = {}
        if kind != SCALAR:
            options = {"mutated": each in mutated, "contiguous": _of(contiguous, each, "copy")}
            options |= {"align": _of(align, each, 1), "dtypes": _of(dtypes, each, None)}
        parameters.append(Parameter(each, kind, default=default, **options))
    for parameter in parameters:
        if parameter.contiguous not in CONTIGUOUS:
            raise ValueError(f"{name}: contiguous is {parameter.contiguous!r}, must be one of {', '.join(CONTIGUOUS)}")
        if parameter.kind == SCALAR and parameter.name in mutated:
            raise TypeError(f"{name}: mutates names {parameter.name!r}, which is no {spelled}")
    return Signature(tuple(parameters), _returned(name, hints, array), hints=hints)


def _of(given: Any, name: str, otherwise: Any) -> Any:
    if isinstance(given, Mapping):
        given = given.get(name, otherwise)
    return tuple(given) if isinstance(given, (list, set)) else given


def _spelled(array: type) -> str:
    return array.__name__.rpartition(".")[2]  # that of jax.Array is jaxlib._jax.Array


def _kind(hint: Any, array: type) -> str:
    if hint is array or typing.get_origin(hint) is array:  # np.ndarray, or NDArray[np.float32]
        return TENSOR
    arguments = [typing.get_origin(each) or each for each in typing.get_args(hint)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType) and array in arguments:
        return OPTIONAL
    if array in arguments:
        return TENSORS
    return SCALAR


def _returned(name: str, hints: Mapping[str, Any], array: type) -> int | None:
    spelled = _spelled(array)
    if "return" not in hints:
        raise TypeError(f"{name}: annotate what the function returns: {spelled}, tuple[{spelled}, ...] or None")
    hint = hints["return"]
    if hint is array or typing.get_origin(hint) is array:
        return None
    if hint is type(None):
        return 0
    found = typing.get_args(hint)
    if typing.get_origin(hint) is not tuple or {typing.get_origin(each) or each for each in found} != {array}:
        raise TypeError(f"{name}: the function returns {hint}, must be {spelled}, a tuple of {spelled}s or None")
    return len(found)
