# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The signature of an operator: its parameters, what it returns, and what its tensors must be."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cuda.interop._options import Options, parameters_of

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
    options : Options
        Reads further options that name parameters.
    schema : str
        For PyTorch, how it spells this.
    hints : dict
        The annotations.
    """

    parameters: tuple[Parameter, ...]
    returned: int | None
    options: Options = dataclasses.field(compare=False)
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
    convert: Callable[[Any], Any],
    mutates: Any = (),
    contiguous: Any = "copy",
    align: Any = 1,
    dtypes: Any = None,
) -> Signature:
    """Return the signature of a function of tensors or arrays; errors name the operator and the parameter.

    `convert` returns a type of elements for what `dtypes` has, or raises a TypeError.
    """
    spelled = _spelled(array)
    declared = parameters_of(name, function)
    try:
        hints = typing.get_type_hints(function)
    except (NameError, SyntaxError, AttributeError) as error:
        raise TypeError(f"{name}: an annotation has no meaning: {error}") from error
    for each in declared:
        if each not in hints:
            raise TypeError(
                f"{name}: parameter {each!r} needs a type: {spelled}, list[{spelled}], int, float, bool or str"
            )
    kinds = {each: _kind(hints[each], array) for each in declared}
    arrays = [each for each in declared if kinds[each] != SCALAR]
    options = Options(name, arrays, [each for each in declared if kinds[each] == SCALAR], spelled)
    mutated = options.names("mutates", mutates)
    layouts = options.of_each("contiguous", contiguous, "copy", options.contiguous)
    aligns = options.of_each("align", align, 1, options.align)
    accepted = options.of_each("dtypes", dtypes, None, lambda label, given: options.dtypes(label, given, convert))
    parameters = []
    for each, kind in kinds.items():
        of_array: dict[str, Any] = {}
        if kind != SCALAR:
            of_array = {"mutated": each in mutated, "contiguous": layouts[each], "align": aligns[each]}
            of_array["dtypes"] = accepted[each]
        parameters.append(Parameter(each, kind, default=declared[each].default, **of_array))
    return Signature(tuple(parameters), _returned(name, hints, array), options, hints=hints)


@dataclasses.dataclass(frozen=True)
class Outputs:
    """What the functions of a framework's operators return.

    Attributes
    ----------
    type : type
        What an output is.
    noun : str
        What to call it: "tensor".
    wanted : str
        What it must be: "a Tensor".
    memory : callable
        Returns what arrays have in common if one is an argument, or a part of it.
    """

    type: type
    noun: str
    wanted: str
    memory: Callable[[Any], int] = id

    def check(self, name: str, count: int | None, returned: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return what a function has returned as a tuple; raise if it is not what its annotation says.

        Parameters
        ----------
        name : str
            The operator.
        count : int or None
            `Signature.returned`.
        returned : object
            What the function has returned.
        arguments : sequence of object
            Its arguments.
        """
        found = (returned,) if count is None else () if returned is None else returned
        if not isinstance(found, (tuple, list)) or len(found) != (1 if count is None else count):
            raise TypeError(f"{name}: the function returns {returned!r:.60}, must return {count} {self.noun}s")
        given = [each for value in arguments for each in (value if isinstance(value, (list, tuple)) else (value,))]
        taken = {self.memory(each) for each in given if isinstance(each, self.type)}
        for index, each in enumerate(found):
            label = "a value" if count is None else f"output {index}"
            if not isinstance(each, self.type):
                raise TypeError(f"{name}: the function returns {label} of {type(each).__name__}, must be {self.wanted}")
            if self.memory(each) in taken:
                raise ValueError(
                    f"{name}: the function returns an argument, or a part of one: return a new {self.noun}, or None "
                    "with mutates=(...)"
                )
        if len({id(each) for each in found}) < len(found):
            raise ValueError(
                f"{name}: the function returns the same {self.noun} twice: return a new one for each output"
            )
        return tuple(found)


def bind(name: str, function: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of a call in the order of the parameters, with defaults."""
    try:
        bound = function.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name}: {error}; its parameters are {', '.join(function.parameters)}") from None
    bound.apply_defaults()
    return list(bound.arguments.values())


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
