# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The options of the decorators `operator`: errors name the operator, the option, its value and what it must be."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cuda.interop._kernels import Kernels
from cuda.interop._names import check_fields

CONTIGUOUS = ("copy", "check", "any")


def collected(names: Any) -> Any:
    """Return names of parameters as a tuple, of which one may be a text; what is neither stays for `Options.names`."""
    if isinstance(names, str):
        return (names,)
    return tuple(names) if isinstance(names, Iterable) else names


def kernels_of(name: str, source: Any, options: Any) -> Kernels:
    """Return the kernels of an operator's source, or those that are given."""
    if not isinstance(source, Kernels):
        try:
            return Kernels(source, options)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    if options is not None:
        raise ValueError(f"{name}: options is {_short(options)}, but source is a Kernels, which has options of its own")
    return source


def deferred(make: Callable[..., Any], source: Any, *rest: Any) -> Callable[[Any], Any]:
    """Return a decorator that makes an operator, whose name is known only then, of a source and a function."""
    if callable(source) and hasattr(source, "__name__"):
        raise TypeError(f"{source.__name__}: the decorator needs a source: write @operator(source), with CUDA C++")
    return functools.partial(make, source, *rest)


def check_kernel(name: str, kernel: Any, parameters: Sequence[str]) -> None:
    """Raise unless the option `kernel` is None or the name of a kernel, in whose braces are parameters."""
    if kernel is None:
        return
    if not isinstance(kernel, str):
        raise TypeError(
            f"{name}: kernel is {_short(kernel)}, must be the name of one kernel; launch_kernel(..., kernel=...) "
            "names others"
        )
    if not kernel.strip():
        raise ValueError(f"{name}: kernel is {kernel!r}, must be the name of a kernel, such as 'scale<{{x}}>'")
    check_fields(name, kernel, parameters)


def parameters_of(name: str, function: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a decorated function, which can be given by position."""
    if not callable(function) or isinstance(function, type) or not hasattr(function, "__name__"):
        raise TypeError(f"{name}: the decorator is for a function, not {_short(function)}")
    found = inspect.signature(function).parameters
    for each in found.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise TypeError(f"{name}: parameter {str(each)!r} stands for any number of arguments: name each")
        if each.kind == each.KEYWORD_ONLY:
            raise TypeError(f"{name}: parameter {each.name!r} is for keywords only, which is not supported: omit '*'")
    return found


class Options:
    """Reads the options that concern the parameters of one operator.

    Parameters
    ----------
    name : str
        The operator.
    arrays, others : sequence of str
        The parameters that are arrays or tensors, and the others.
    kind : str
        What to call an array: "Tensor".
    """

    def __init__(self, name: str, arrays: Sequence[str], others: Sequence[str], kind: str) -> None:
        self.name, self.arrays, self.others, self.kind = name, arrays, others, kind

    def names(self, option: str, given: Any) -> tuple[str, ...]:
        """Return the parameters that an option names."""
        found = collected(given)
        if not isinstance(found, tuple) or not all(isinstance(each, str) for each in found):
            example = (*self.arrays, "x")[:1]
            raise TypeError(
                f"{self.name}: {option} is {_short(given)}, must be names of parameters, such as {example!r}"
            )
        for each in found:
            self._check_name(option, each)
        return found

    def of_each(self, option: str, given: Any, default: Any, read: Callable[[str, Any], Any]) -> dict[str, Any]:
        """Return an option for each array: one value for all, or a mapping; `read` checks and converts a value."""
        if not isinstance(given, Mapping):
            return dict.fromkeys(self.arrays, read(option, given))
        for each in given:
            self._check_name(option, each)
        values = {each: read(f"{option} of {each}", value) for each, value in given.items()}
        return dict.fromkeys(self.arrays, default) | values

    def contiguous(self, label: str, given: Any) -> str:
        """Return what is done with arrays that are not contiguous."""
        if not isinstance(given, str) or given not in CONTIGUOUS:
            raise ValueError(f"{self.name}: {label} is {_short(given)}, must be one of {', '.join(CONTIGUOUS)}")
        return given

    def align(self, label: str, given: Any) -> int:
        """Return an alignment in bytes."""
        if isinstance(given, bool) or not hasattr(type(given), "__index__"):
            raise TypeError(f"{self.name}: {label} is {_short(given)}, must be a number of bytes, such as 16")
        found = operator.index(given)
        if found < 1 or found & (found - 1):
            raise ValueError(f"{self.name}: {label} is {found}, must be a power of two, such as 16")
        return found

    def dtypes(self, label: str, given: Any, convert: Callable[[Any], Any]) -> Any:
        """Return the types of elements that are accepted, a parameter that has the type, or None for any type.

        `convert` returns a type, and raises a TypeError that says what it must be.
        """
        if given is None:
            return None
        is_type = _is_type(given, convert)
        if isinstance(given, str) and (given in self.arrays or not is_type):
            self._check_name(label, given)
            return given
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            advice = f", such as [{_short(given)}]" if is_type else ""
            raise TypeError(
                f"{self.name}: {label} is {_short(given)}, must be a list of types{advice}, or the name of a parameter"
            )
        found = []
        for each in given:
            try:
                found.append(convert(each))
            except TypeError as error:
                raise TypeError(f"{self.name}: {label} has {_short(each)}, {error}") from None
        if not found:
            raise ValueError(f"{self.name}: {label} is {_short(given)}, must have a type, or be None for all types")
        return tuple(found)

    def _check_name(self, option: str, given: Any) -> None:
        if given in self.others:
            raise TypeError(f"{self.name}: {option} names {given!r}, which is no {self.kind}")
        if given not in self.arrays:
            known = ", ".join((*self.arrays, *self.others))
            raise ValueError(f"{self.name}: {option} names {_short(given)}, which is no parameter; those are {known}")


def _is_type(given: Any, convert: Callable[[Any], Any]) -> bool:
    try:
        convert(given)
    except (TypeError, ValueError):
        return False
    return True


def _short(value: Any) -> str:
    """Return how to show a value in a message."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
