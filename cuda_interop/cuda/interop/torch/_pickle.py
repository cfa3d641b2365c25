# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators in pickles: with their compiled code, so that another process need not compile."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from cuda.interop.torch._kernels import Kernels

known: dict[str, Any] = {}  # the operators of this process, by name


def reduce(operator: Any, made: Callable[..., Any]) -> tuple[Any, ...]:
    """Return how to make an operator in another process: by importing it, or again if it cannot be imported: `made`.

    Only pickles of cloudpickle, which Dask uses, can contain the function of an operator that cannot be imported.
    """
    function, kernels, gradient = operator._function, operator.kernels, operator._gradient
    module, name = function.__module__, function.__qualname__
    if module != "__main__" and getattr(sys.modules.get(module), name, None) is operator:
        return imported, (module, name, kernels)
    state = None if gradient is None else (gradient.function, gradient.wrt)
    return made, (operator.name, function, kernels, operator.recipe), state


def imported(module: str, name: str, kernels: Kernels) -> Any:
    """Return an operator of a module, with compiled code."""
    operator = getattr(importlib.import_module(module), name)
    share(operator, kernels)
    return operator


def share(operator: Any, kernels: Kernels) -> None:
    """Give an operator compiled code for its source."""
    if operator.kernels.source != kernels.source:
        raise ValueError(f"{operator.name}: this process has an operator of this name with another source")
    operator.kernels.add_compiled(kernels)
