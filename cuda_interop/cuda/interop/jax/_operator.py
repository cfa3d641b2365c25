# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The decorator `operator`: a function of JAX arrays from CUDA C++ kernels."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from cuda.core import ProgramOptions
from cuda.interop import _options, _pickle, _signature
from cuda.interop._errors import compile_named
from cuda.interop._gradient_names import GradientNames
from cuda.interop._kernels import Kernels
from cuda.interop._signature import OPTIONAL, SCALAR
from cuda.interop.arrays._plan import Planner, check_kinds
from cuda.interop.arrays._types import dtype_of
from cuda.interop.jax import _axes, _handler, _vmap

_SCALARS = (bool, int, float, str, type(None))


class Operator:
    """A function of JAX arrays whose kernels are CUDA C++; `operator` makes it.

    It works in `jax.jit`, `jax.vmap`, `jax.shard_map` and `jax.pmap`, and with `gradient` in `jax.grad`. On JAX's CPU
    device k, the kernels run on CUDA's device k, in the memory of the arrays if the device can access it.

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
        self._key = _handler.register(f"{function.__module__}.{function.__qualname__}", self._planner, kernels)
        self._gradient: tuple[Callable[..., Any], GradientNames] | None = None
        run = _vmap.with_rule(self.name, self._bound, signature, recipe["leading"])
        self._differentiable = jax.custom_vjp(run, nondiff_argnums=(0,))
        self._differentiable.defvjp(self._forward, self._backward)
        self._compiled = jax.jit(self._differentiable, static_argnums=0)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the function: arrays, or what `jax.numpy.asarray` makes arrays of, and numbers that are not
            traced.

        Returns
        -------
        jax.Array or tuple of jax.Array
            The outputs.
        """
        bound = _signature.bind(self.name, self._call, args, kwargs)
        static, arrays = [], []
        for parameter, value in zip(self.signature.parameters, bound, strict=True):
            if parameter.kind == SCALAR:
                if isinstance(value, np.generic):
                    value = value.item()
                if not isinstance(value, _SCALARS):
                    raise TypeError(
                        f"{self.name}: {parameter.name} is {value!r:.60}, must be a number of Python: it is part of "
                        "the compiled program (static_argnums of jax.jit); for values of arrays, annotate jax.Array"
                    )
                static.append(value)
            elif value is None and parameter.kind == OPTIONAL:
                static.append(None)
            else:
                static.append(True)
                arrays.append(_array(f"{self.name}: {parameter.name}", value))
        axes = _axes.varying(arrays)
        return self._compiled(_Static(static), *(_axes.varying_over(each, axes) for each in arrays))

    def __repr__(self) -> str:
        return f"<Operator {self.name}{self._call}>"

    def __reduce__(self) -> tuple[Any, ...]:
        found = _pickle.reduce(self, self._function, _restored, self._function, self.kernels, self._recipe)
        if found[0] is not _restored or self._gradient is None:
            return found
        function, names = self._gradient
        return *found, (function, names.wrt)

    def __setstate__(self, state: tuple[Callable[..., Any], Sequence[str]]) -> None:
        self.gradient(state[0], wrt=state[1])

    def gradient(
        self, function: Callable[..., Any] | None = None, *, wrt: Sequence[str] | None = None
    ) -> Callable[..., Any]:
        """Declare the gradient: a function of JAX operations and operators; also as a decorator.

        Parameters
        ----------
        function : callable
            Its parameters are matched by name: parameters of the operator, its outputs `out` (`out_0`, `out_1` and
            so on if it returns a tuple), and their gradients `grad` (`grad_0` and so on). It returns a gradient for
            each parameter in `wrt`; None where there is none. If it is differentiable itself, so are the gradients.
        wrt : sequence of str, optional
            The parameters that have a gradient; by default all arrays.

        Returns
        -------
        callable
            The function.

        Raises
        ------
        TypeError, ValueError
            If the function or `wrt` has a parameter of another name.
        """
        if function is None:
            return functools.partial(self.gradient, wrt=wrt)
        names = GradientNames(self.name, self.signature, function, wrt)
        self._gradient = function, names
        return function

    def compile(self, *args: Any, arch: str | None = None, **kwargs: Any) -> list[str]:
        """Compile ahead of time what a call with such arguments needs.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the operator: arrays or `jax.ShapeDtypeStruct`, and numbers.
        arch : str, optional
            The architecture, such as ``"90"``; by default that of device 0.

        Returns
        -------
        list of str
            The names of the kernels.
        """
        bound = _signature.bind(self.name, self._call, args, kwargs)
        for parameter, value in zip(self.signature.parameters, bound, strict=True):
            if parameter.kind == SCALAR or (value is None and parameter.kind == OPTIONAL):
                continue
            if not (hasattr(value, "shape") and hasattr(value, "dtype")):
                raise TypeError(f"{self.name}: {parameter.name} is {value!r:.60}, must be an array or ShapeDtypeStruct")
        names = self._planner.names(self._planner.plan(bound))
        return compile_named(self.name, self.kernels, names, arch)

    def _bound(self, static: _Static, *arrays: Any) -> tuple[Any, ...]:
        """Return the outputs, as a call of XLA's custom function."""
        plan = self._planner.plan(self._values(static, arrays))
        for index, each in enumerate(plan.outputs):
            if jax.dtypes.canonicalize_dtype(each.dtype) != each.dtype:
                raise TypeError(
                    f"{self.name}: output {index} is of {each.dtype}, which JAX has only with "
                    "jax.config.update('jax_enable_x64', True)"
                )
        results = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in plan.outputs]
        called = jax.ffi.ffi_call(_handler.TARGET, results, vmap_method="sequential")
        axes, outputs = _axes.varying(arrays), called(*arrays, call=_handler.call_text(self._key, static.values))
        return tuple(_axes.varying_over(each, axes) for each in outputs)

    def _values(self, static: _Static, arrays: Sequence[Any]) -> list[Any]:
        """Return the arguments of the function, in their order."""
        given = iter(arrays)
        return [
            value if parameter.kind == SCALAR or value is None else next(given)
            for parameter, value in zip(self.signature.parameters, static.values, strict=True)
        ]

    def _forward(self, static: _Static, *arrays: Any) -> tuple[Any, Any]:
        if self._gradient is None:
            raise TypeError(f"{self.name} has no gradient: declare one, @{self.name}.gradient")
        outputs = self._differentiable(static, *arrays)  # so that this has gradients, too
        return outputs, (arrays, outputs)

    def _backward(self, static: _Static, saved: Any, grads: Any) -> tuple[Any, ...]:
        assert self._gradient is not None
        function, names = self._gradient
        arrays, outputs = saved
        values = dict(zip(names.inputs, self._values(static, arrays), strict=True))
        found_outputs = (outputs, grads) if self.signature.returned is not None else ((outputs,), (grads,))
        for labels, given in zip((names.outputs, names.grads), found_outputs, strict=True):
            values |= dict(zip(labels, given, strict=True))
        found = function(**{each: values[each] for each in names.takes})
        found = found if isinstance(found, (tuple, list)) else (found,)
        names.check_count(self.name, found)
        by_name = dict(zip(names.wrt, found, strict=True))
        parameters = zip(self.signature.parameters, static.values, strict=True)
        return tuple(by_name.get(each.name) for each, value in parameters if each.kind != SCALAR and value is not None)


def _array(label: str, value: Any) -> Any:
    """Return an argument as an array of JAX."""
    if value is None:
        raise TypeError(f"{label} is None, must be an array")
    try:
        array = jax.numpy.asarray(value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError  # those of JAX take other arguments
        raise kind(f"{label} is {type(value).__name__}, must be an array: {error}") from error
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended):
        raise TypeError(f"{label} has elements of {array.dtype}, must have numbers, such as jax.random.key_data has")
    return array


class _Static:
    """The part of a call that is not arrays: hashable, and equal only for numbers of the same type."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)
        self._key = tuple((type(each), repr(each)) for each in values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"{self.values}"


def operator(
    source: str | Kernels,
    *,
    kernel: str | None = None,
    options: ProgramOptions | None = None,
    dtypes: Sequence[Any] | Mapping[str, Any] | None = None,
    leading: Collection[str] = (),
) -> Callable[[Callable[..., Any]], Operator]:
    """Make a function of JAX arrays from the decorated one, which describes a call: it creates outputs and launches.

    The function gets a `Spec` (shape and type, no elements) for each array, creates outputs and workspace by `empty`,
    `zeros` and the like, calls `launch_kernel` for each kernel, and returns the outputs. Its annotations are
    `jax.Array`, ``jax.Array | None``, int, float, bool and str; numbers are part of the compiled program.

    Parameters
    ----------
    source : str or Kernels
        CUDA C++.
    kernel : str, optional
        The name of the kernel, for launches that name none; see `launch_kernel`.
    options : ProgramOptions, optional
        Options of the compilation.
    dtypes : sequence or mapping
        The types of elements that are accepted, for all parameters or by name; a name as the value means: the type of
        that parameter.
    leading : collection of str
        Parameters that may have any number of leading axes, which the outputs have, too: `jax.vmap` is one call then.

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
    ... def twice(x: jax.Array) -> jax.Array:
    ...     y = empty_like(x)
    ...     launch_kernel((x.size + 255) // 256, 256, x, y, x.size)
    ...     return y
    """
    recipe = {"kernel": kernel, "dtypes": dtypes, "leading": _options.collected(leading)}
    return _options.deferred(_made, source, options, recipe)


def _made(
    source: str | Kernels, options: ProgramOptions | None, recipe: Mapping[str, Any], function: Callable[..., Any]
) -> Operator:
    name = getattr(function, "__name__", "operator")
    kernels = _options.kernels_of(name, source, options)
    signature = _signature.read(name, function, jax.Array, dtype_of, dtypes=recipe["dtypes"])
    signature.options.names("leading", recipe["leading"])
    _options.check_kernel(name, recipe["kernel"], [each.name for each in signature.parameters])
    check_kinds(name, signature)
    if signature.returned == 0:
        raise TypeError(f"{name}: the function returns None, must return arrays: JAX's arrays do not change")
    return Operator(function, kernels, signature, recipe)


def _restored(function: Callable[..., Any], kernels: Kernels, recipe: Mapping[str, Any]) -> Operator:
    """Return an operator from a pickle, with compiled code."""
    return _made(_pickle.loaded(kernels), None, recipe, function)
