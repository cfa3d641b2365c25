# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The function of an operator -> a plan: the outputs, the workspace, and launches whose arguments are known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from cuda.core import LaunchConfig
from cuda.interop._kernels import Kernels
from cuda.interop._record import record
from cuda.interop._signature import SCALAR, TENSORS, Outputs, Signature
from cuda.interop.arrays._spec import Spec
from cuda.interop.arrays._types import SPELLING, short_name

_KEPT = 1024  # plans of an operator
_OUTPUTS = Outputs(Spec, "array", "one that empty, zeros, empty_like or zeros_like made")


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
        try:
            found = self._plans.get(key)
        except TypeError:
            self._refuse_unhashable(values)
            raise
        if found is None:
            found = self._made(values)
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            self._plans[key] = found
        return found

    def _refuse_unhashable(self, values: Sequence[Any]) -> None:
        for parameter, each in zip(self.signature.parameters, values, strict=True):
            if parameter.kind == SCALAR and not isinstance(each, Hashable):
                raise TypeError(
                    f"{self.name}: {parameter.name} is {each!r:.60}, must be a number or a text: annotate it as an "
                    "array to pass one"
                )

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
        outputs = _OUTPUTS.check(self.name, self.signature.returned, returned, specs)
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
        if isinstance(wanted, str):
            other = specs[[each.name for each in self.signature.parameters].index(wanted)]
            if other is not None and other.dtype != value.dtype:
                raise TypeError(
                    f"{self.name}: {parameter.name} is of {found}, must be of {short_name(other.dtype)}, as {wanted} is"
                )
            return
        accepted = [short_name(each) for each in wanted]
        if found not in accepted:
            raise TypeError(f"{self.name}: {parameter.name} is of {found}, must be of {' or '.join(accepted)}")


def check_kinds(name: str, signature: Signature) -> None:
    """Raise if a parameter is of a kind that arrays do not have: a list."""
    for each in signature.parameters:
        if each.kind == TENSORS:
            raise TypeError(f"{name}: parameter {each.name!r} is a list of arrays, which is not supported: name each")
