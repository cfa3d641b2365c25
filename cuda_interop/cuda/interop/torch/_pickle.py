# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch in pickles: with their compiled code and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.interop import _pickle

known: dict[str, Any] = {}  # the operators of this process, by name
share = _pickle.share


def reduce(operator: Any, made: Callable[..., Any]) -> tuple[Any, ...]:
    """Return how to make an operator in another process: by importing it, or again if it cannot be imported: `made`.

    Only pickles of cloudpickle, which Dask uses, can contain the function of an operator that cannot be imported.
    """
    function, gradient = operator._function, operator._gradient
    found = _pickle.reduce(operator, function, made, operator.name, function, operator.kernels, operator.recipe)
    if found[0] is not made:
        return found
    return *found, None if gradient is None else (gradient.function, gradient.wrt)
