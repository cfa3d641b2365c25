# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The function of an operator -> a plan: the outputs, the workspace, and launches whose arguments are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cuda.core import LaunchConfig
from cuda.interop._kernels import Kernels
from cuda.interop._record import record
from cuda.interop._signature import SCALAR, TENSORS, Signature
from cuda.interop.arrays._spec import Spec
from cuda.interop.arrays._types import SPELLING, short_name

_KEPT = 1024  # plans of an operator


class ArrayIndex(NamedTuple):
    """An argument of a kernel that is an array: its position among the inputs, outputs and workspace."""

    position: int


class Step(NamedTuple):
    """A launch: the kernel's name, and the arguments, in which a `ArrayIndex` stands for an array."""

    kernel: str
    config: LaunchConfig
    arguments: tuple[Any, ...]


class Plan(NamedTuple):
    """What a call does.

    Attributes
    ----------
    inputs : int
        The number of inputs, which come first among the arrays.
    outputs, workspace : tuple of Spec
        What follows them.
    steps : tuple of Step
        The launches.
    """

    inputs: int
    outputs: tuple[Spec, ...]
    workspace: tuple[Spec, ...]
    steps: tuple[Step, ...]


class Planner:
    """The plans of one operator, by shapes, types and numbers.

    Parameters
    ----------
    name : str
        The operator.
    function : callable
        It gets a `Spec` for each array, and the other arguments.
    signature : Signature
        Its parameters.
    kernels : Kernels
        Its source.
    kernel : str or None
        The name of the kernel for launches without one.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], signature: Signature, kernels: Kernels, kernel: str | None
    ) -> None:
        self.name, self.function, self.signature = name, function, signature
        self.kernels, self.kernel = kernels, kernel
        self._plans: dict[Any, Plan] = {}

    def plan(self, values: Sequence[Any]) -> Plan:
        """Return the plan for arguments: anything with `shape` and `dtype` for arrays, and numbers."""
        key = tuple(
            (type(each), each) if parameter.kind == SCALAR or each is None else (each.shape, each.dtype)
            for parameter, each in zip(self.signature.parameters, values, strict=True)
        )
        found = self._plans.get(key)
        if found is None:
            found = self._made(values)
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            self._plans[key] = found
        return found

    def names(self, plan: Plan) -> list[str]:
        """Return the names of a plan's kernels."""
        return [each.kernel for each in plan.steps]

    def _made(self, values: Sequence[Any]) -> Plan:
        specs = [
            each if parameter.kind == SCALAR or each is None else Spec(tuple(each.shape), each.dtype)
            for parameter, each in zip(self.signature.parameters, values, strict=True)
        ]
        for parameter, each in zip(self.signature.parameters, specs, strict=True):
            self._check_type(parameter, each, specs)
        returned, launches = record(self.function, specs)
        outputs = self._outputs(returned, specs)
        inputs = [each for each in specs if isinstance(each, Spec)]
        indices = {id(each): index for index, each in enumerate((*inputs, *outputs))}
        workspace: list[Spec] = []
        named = dict(zip((each.name for each in self.signature.parameters), specs, strict=True))
        steps = []
        for each in launches:
            arguments = []
            for value in each.arguments:
                if isinstance(value, Spec):
                    if id(value) not in indices:
                        indices[id(value)] = len(indices)
                        workspace.append(value)
                    value = ArrayIndex(indices[id(value)])
                arguments.append(value)
            if each.is_empty:
                continue
            try:
                config = each.config()
            except (TypeError, ValueError) as error:
                raise type(error)(f"{self.name}: {error}") from None
            steps.append(Step(each.kernel_name(self.name, self.kernel, named, SPELLING), config, tuple(arguments)))
        return Plan(len(inputs), outputs, tuple(workspace), tuple(steps))

    def _check_type(self, parameter: Any, value: Any, specs: Sequence[Any]) -> None:
        if parameter.kind == SCALAR or value is None or parameter.dtypes is None:
            return
        wanted, found = parameter.dtypes, short_name(value.dtype)
        if isinstance(wanted, str) and wanted in (names := [each.name for each in self.signature.parameters]):
            other = specs[names.index(wanted)]
            if other is not None and other.dtype != value.dtype:
                raise TypeError(
                    f"{self.name}: {parameter.name} is of {found}, must be of {short_name(other.dtype)}, as {wanted} is"
                )
            return
        accepted = [short_name(each) for each in (wanted if isinstance(wanted, tuple) else (wanted,))]
        if found not in accepted:
            raise TypeError(f"{self.name}: {parameter.name} is of {found}, must be of {' or '.join(accepted)}")

    def _outputs(self, returned: Any, specs: Sequence[Any]) -> tuple[Spec, ...]:
        count = self.signature.returned
        found = (returned,) if count is None else () if returned is None else returned
        if not isinstance(found, (tuple, list)) or len(found) != (1 if count is None else count):
            raise TypeError(f"{self.name}: the function returns {returned!r:.60}, must return {count} arrays")
        for index, each in enumerate(found):
            label = "a value" if count is None else f"output {index}"
            if not isinstance(each, Spec):
                raise TypeError(
                    f"{self.name}: the function returns {label} of {type(each).__name__}, must be one that empty, "
                    "zeros, empty_like or zeros_like made"
                )
            if any(each is other for other in specs):
                raise ValueError(f"{self.name}: the function returns an argument: return a new array")
        if len({id(each) for each in found}) < len(found):
            raise ValueError(f"{self.name}: the function returns an array twice: return a new array for each output")
        return tuple(found)


def check_kinds(name: str, signature: Signature) -> None:
    """Raise if a parameter is of a kind that arrays do not have: a list."""
    for each in signature.parameters:
        if each.kind == TENSORS:
            raise TypeError(f"{name}: parameter {each.name!r} is a list of arrays, which is not supported: name each")
