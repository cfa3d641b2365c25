# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The decorator `operator`: a function of NumPy arrays from CUDA C++ kernels."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cuda.core import ProgramOptions
from cuda.interop import _options, _pickle, _signature
from cuda.interop._errors import compile_named
from cuda.interop._kernels import Kernels
from cuda.interop._signature import OPTIONAL, SCALAR, Parameter
from cuda.interop.arrays import _execute
from cuda.interop.arrays._plan import Planner, check_kinds
from cuda.interop.arrays._types import dtype_of

_Array = np.ndarray[Any, Any]


class Operator:
    """A function of NumPy arrays whose kernels are CUDA C++; `operator` makes it.

    It runs on the current device of the thread, and returns when the kernels are done.

    Attributes
    ----------
    name : str
        Its name in messages: that of the function.
    kernels : Kernels
        Its source and the kernels that are compiled.
    """

    def __init__(
        self, function: Callable[..., Any], kernels: Kernels, signature: _signature.Signature, recipe: Mapping[str, Any]
    ) -> None:
        functools.update_wrapper(self, function)
        self.name = function.__name__
        self.kernels, self.signature = kernels, signature
        self._function, self._recipe = function, dict(recipe)
        self._call = inspect.signature(function)
        self._planner = Planner(self.name, function, signature, kernels, recipe["kernel"])
        self._changed = [each.name for each in signature.parameters if each.mutated]

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """Call the operator.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the function. What is no array becomes one by `numpy.asarray`.
        out : numpy.ndarray or tuple, optional
            Where to write the outputs: an array, or a tuple with an array or None for each.

        Returns
        -------
        numpy.ndarray or tuple or None
            The outputs.
        """
        values = self._prepared(args, kwargs)
        plan = self._planner.plan(values)
        outputs = self._outputs(plan.outputs, out)
        parameters = self.signature.parameters
        inputs: list[_Array] = []
        changed: list[int] = []
        for parameter, value in zip(parameters, values, strict=True):
            if parameter.kind == SCALAR or value is None:
                continue
            if parameter.mutated:
                changed.append(len(inputs))
            elif out is not None and any(np.may_share_memory(value, each) for each in outputs):
                value = value.copy()
            inputs.append(value)
        written = [each if each.flags.c_contiguous else np.empty(each.shape, each.dtype) for each in outputs]
        _execute.execute(self.name, self.kernels, plan, inputs, written, changed)
        for each, target in zip(written, outputs, strict=True):
            if each is not target:
                target[...] = each
        count = self.signature.returned
        return outputs[0] if count is None else tuple(outputs) if count else None

    def __repr__(self) -> str:
        return f"<Operator {self.name}{self._call}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _pickle.reduce(self, self._function, _restored, self._function, self.kernels, self._recipe)

    def compile(self, *args: Any, arch: str | None = None, **kwargs: Any) -> list[str]:
        """Compile ahead of time what a call with such arguments needs, without running it.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the operator. Only shapes, types and numbers matter.
        arch : str, optional
            The architecture, such as ``"90"``; by default that of device 0.

        Returns
        -------
        list of str
            The names of the kernels.
        """
        names = self._planner.names(self._planner.plan(self._prepared(args, kwargs)))
        return compile_named(self.name, self.kernels, names, arch)

    def _prepared(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments in the order of the parameters: contiguous arrays, None and numbers."""
        if kwargs or len(args) != len(self.signature.parameters):
            args = tuple(_signature.bind(self.name, self._call, args, kwargs))
        return [self._argument(*each) for each in zip(self.signature.parameters, args, strict=True)]

    def _argument(self, parameter: Parameter, value: Any) -> Any:
        if parameter.kind == SCALAR or (value is None and parameter.kind == OPTIONAL):
            return value
        label = f"{self.name}: {parameter.name}"
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"{label} is a masked array, whose mask would be lost: pass {parameter.name}.data")
        if parameter.mutated:
            return _writable(label, value)
        if value is None:
            raise TypeError(f"{label} is None, must be an array")
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError(
                f"{label} has elements of {array.dtype}, which kernels cannot use: pass an array of numbers"
            )
        if not array.dtype.isnative:
            return array.astype(array.dtype.newbyteorder("="), order="C")
        if not (array.flags.c_contiguous and array.flags.aligned):
            return array.copy(order="C")
        return array

    def _outputs(self, specs: Sequence[Any], out: Any) -> list[_Array]:
        given = (None,) * len(specs) if out is None else out if isinstance(out, tuple) else (out,)
        if len(given) != len(specs):
            raise ValueError(f"{self.name}: out has {len(given)} arrays, must have {len(specs)}")
        return [
            np.empty(spec.shape, spec.dtype) if each is None else self._given(spec, each)
            for spec, each in zip(specs, given, strict=True)
        ]

    def _given(self, spec: Any, array: Any) -> _Array:
        if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"{self.name}: out is of {type(array).__name__}, must be a numpy.ndarray")
        if array.shape != spec.shape or array.dtype != spec.dtype:
            raise ValueError(
                f"{self.name}: out has shape {array.shape} and elements of {array.dtype}, must have {spec.shape} and "
                f"{spec.dtype}"
            )
        if not array.flags.writeable:
            raise ValueError(f"{self.name}: out is read-only")
        return array


def _writable(label: str, value: Any) -> _Array:
    """Return an argument that kernels write to, if they can do that in place."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{label} must be a numpy.ndarray, since kernels write to it, not {type(value).__name__}")
    if not value.flags.writeable:
        raise ValueError(f"{label} is read-only, but kernels write to it")
    if not (value.flags.c_contiguous and value.flags.aligned and value.dtype.isnative) or value.dtype.hasobject:
        raise ValueError(
            f"{label} has strides {value.strides} and elements of {value.dtype}: kernels write to it in place, so it "
            "must be contiguous and aligned, with numbers in the byte order of the machine"
        )
    return value


def operator(
    source: str | Kernels,
    *,
    kernel: str | None = None,
    options: ProgramOptions | None = None,
    mutates: Iterable[str] = (),
    dtypes: Sequence[Any] | Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Operator]:
    """Make a function of NumPy arrays from the decorated one, which describes a call: it creates outputs and launches.

    The function gets a `Spec` (shape and type, no elements) for each array, creates outputs and workspace by `empty`,
    `zeros` and the like, calls `launch_kernel` for each kernel, and returns the outputs. Its annotations are
    `numpy.ndarray`, ``numpy.ndarray | None``, int, float, bool and str. What it asks for is kept for later calls with
    the same shapes, types and numbers.

    Parameters
    ----------
    source : str or Kernels
        CUDA C++.
    kernel : str, optional
        The name of the kernel, for launches that name none; see `launch_kernel`.
    options : ProgramOptions, optional
        Options of the compilation.
    mutates : iterable of str
        The parameters whose arrays the kernels write to.
    dtypes : sequence or mapping
        The types of elements that are accepted, for all parameters or by name; a name as the value means: the type of
        that parameter.

    Returns
    -------
    callable
        The decorator, which returns an `Operator`.

    Raises
    ------
    TypeError, ValueError
        If an annotation is missing or not supported, or an option names an unknown parameter.

    Examples
    --------
    >>> @operator(source, kernel="twice<{x}>")
    ... def twice(x: np.ndarray) -> np.ndarray:
    ...     y = empty_like(x)
    ...     launch_kernel((x.size + 255) // 256, 256, x, y, x.size)
    ...     return y
    """
    recipe = {"kernel": kernel, "mutates": _options.collected(mutates), "dtypes": dtypes}
    return _options.deferred(_made, source, options, recipe)


def _made(
    source: str | Kernels, options: ProgramOptions | None, recipe: Mapping[str, Any], function: Callable[..., Any]
) -> Operator:
    name = getattr(function, "__name__", "operator")
    kernels = _options.kernels_of(name, source, options)
    signature = _signature.read(name, function, np.ndarray, dtype_of, recipe["mutates"], dtypes=recipe["dtypes"])
    if "out" in [each.name for each in signature.parameters]:
        raise TypeError(f"{name}: parameter 'out' needs another name: out= is where a call writes the outputs")
    _options.check_kernel(name, recipe["kernel"], [each.name for each in signature.parameters])
    check_kinds(name, signature)
    return Operator(function, kernels, signature, recipe)


def _restored(function: Callable[..., Any], kernels: Kernels, recipe: Mapping[str, Any]) -> Operator:
    """Return an operator from a pickle, with compiled code."""
    return _made(_pickle.loaded(kernels), None, recipe, function)
