# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments with `__array_ufunc__`: they get the call, as with NumPy's universal functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

NONE = object()  # no argument overrides the call


def result(function: Any, method: str, inputs: Sequence[Any], out: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Return what the first argument that overrides the call makes of it, `NONE` if there is none.

    Parameters
    ----------
    function : Ufunc
        What is called.
    method : str
        How: "__call__".
    inputs, out : sequence of object
        The arguments; subclasses are asked before their classes, otherwise from left to right.
    keywords : mapping
        The other arguments.
    """
    found: list[Any] = []
    for each in (*inputs, *out):
        kind = type(each)
        if kind is np.ndarray or (override := getattr(kind, "__array_ufunc__", NONE)) is NONE:
            continue
        if override is np.ndarray.__array_ufunc__ or any(type(other) is kind for other in found):
            continue
        if override is None:
            raise TypeError(f"{function.name}: operand {kind.__name__} does not support universal functions")
        position = next((k for k, other in enumerate(found) if issubclass(kind, type(other))), len(found))
        found.insert(position, each)
    if not found:
        return NONE
    passed = dict(keywords)
    if any(each is not None for each in out):
        passed["out"] = tuple(out)
    for each in found:
        answer = type(each).__array_ufunc__(each, function, method, *inputs, **passed)
        if answer is not NotImplemented:
            return answer
    names = ", ".join(type(each).__name__ for each in found)
    raise TypeError(f"{function.name}: operands of {names} return NotImplemented")
