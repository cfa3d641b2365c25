# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators of arrays in pickles: with their compiled code, so that another process need not compile."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

from cuda.interop._kernels import Kernels

_arrived: dict[tuple[str, bytes], Kernels] = {}  # by source and options: what pickles have brought to this process


def reduce(operator: Any, function: Callable[..., Any], made: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """Return how another process gets an operator: by importing it, or by `made(*arguments)` if it cannot be imported.

    Parameters
    ----------
    operator : object
        What is pickled; it has `kernels`.
    function : callable
        What it was made of, with the name of its module and its own.
    made : callable
        Makes it again.
    *arguments : object
        The arguments of `made`.
    """
    module, name, kernels = function.__module__, function.__qualname__, operator.kernels
    if module != "__main__" and getattr(sys.modules.get(module), name, None) is operator:
        return imported, (module, name, kernels)
    return made, arguments


def imported(module: str, name: str, kernels: Kernels) -> Any:
    """Return an operator of a module, with compiled code."""
    import importlib

    operator = getattr(importlib.import_module(module), name)
    share(operator, kernels)
    return operator


def share(operator: Any, kernels: Kernels) -> None:
    """Give an operator compiled code for its source."""
    if operator.kernels.source != kernels.source:
        raise ValueError(f"{operator.name}: this process has an operator of this name with another source")
    operator.kernels.add_compiled(kernels)


def loaded(kernels: Kernels) -> Kernels:
    """Return the kernels of this process for a source that has arrived in a pickle, so that they are loaded once."""
    key = kernels.source, pickle.dumps(kernels.options)
    found = _arrived.setdefault(key, kernels)
    if found is not kernels:
        found.add_compiled(kernels)
    return found
