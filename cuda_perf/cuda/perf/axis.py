# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Decorators that give a benchmark axes: it runs at every combination of their values.

A function parameter with the name of an axis gets its value. The decorators stand below `@benchmark`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cuda.perf.model import Axis, Value

F = TypeVar("F", bound=Callable[..., Any])


def size(name: str, *values: int | float) -> Callable[[F], F]:
    """Add an axis of numbers: `@axis.size("n", 1024, 4096)`."""
    return _axis(name, values, "size", (int, float))


def power_of_two(name: str, *exponents: int) -> Callable[[F], F]:
    """Add an axis of powers of two, given by their exponents."""
    return _axis(name, tuple(2**each for each in exponents), "size", (int,))


def type(name: str, *values: str) -> Callable[[F], F]:
    """Add an axis of data types, given by their NumPy names."""
    return _axis(name, values, "type", (str,))


def variant(name: str, *values: str) -> Callable[[F], F]:
    """Add an axis of alternatives, such as algorithms; `compare --duet` compares two of them."""
    return _axis(name, values, "variant", (str,))


def _axis(name: str, values: tuple[Value, ...], kind: str, allowed: tuple[Any, ...]) -> Callable[[F], F]:
    if not values:
        raise ValueError(f"axis {name!r} has no values")
    if any(isinstance(value, bool) or not isinstance(value, allowed) for value in values):
        expected = " or ".join(each.__name__ for each in allowed)
        raise TypeError(f"axis {name!r} of kind {kind} has values {values}; each must be {expected}")
    if len(set(values)) < len(values):
        raise ValueError(f"axis {name!r} has a value twice: {values}")
    if any(isinstance(value, str) and set(value) & set("[],=") for value in values):
        raise ValueError(f"axis {name!r} has a value with one of the characters [ ] , = in it: {values}")

    def decorate(function: F) -> F:
        axes: list[Axis] = function.__dict__.setdefault("__axes__", [])
        if any(each.name == name for each in axes):
            raise ValueError(f"{function.__name__} has two axes {name!r}")
        axes.insert(0, Axis(name, list(values), kind))
        return function

    return decorate
