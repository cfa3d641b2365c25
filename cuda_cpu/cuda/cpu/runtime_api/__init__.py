# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runtime API on the CPU device: functions named as in cuda_runtime_api.h, in terms of cuda.cpu.driver.

They are called as those of the driver are (see there). Most do what a driver function does and only see to it that
there is a context: `same` lists them. A function that is in none of the modules answers cudaErrorNotSupported. Status
values of the driver are those of the runtime, number for number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from cuda.cpu.driver import unsupported
from cuda.cpu.runtime_api import (
    array,
    copy,
    device,
    execution,
    graph,
    graph_node,
    kernel,
    memory,
    properties,
    same,
    system,
    texture,
)

MODULES = (array, copy, device, execution, graph, graph_node, kernel, memory, properties, system, texture)

globals().update(same.functions())
for _module in MODULES:
    for _name, _value in vars(_module).items():
        if re.match("cuda[A-Z]", _name) and getattr(_value, "__module__", None) == _module.__name__:
            globals()[_name] = _value


REASONS = (
    (
        r"cuda(Get(FuncBySymbol|Kernel|SymbolAddress|SymbolSize)|.*(To|From)Symbol(Async)?)",
        "symbols of host code that nvcc has compiled; cudaLibraryGetGlobal finds those of a library",
    ),
)


def reason_of(name: str) -> str:
    """Return why a function is not here: mostly what is said of the driver's."""
    return unsupported.reason_of(name, REASONS) or unsupported.reason_of(name.replace("cuda", "cu", 1))


def __getattr__(name: str) -> Callable[..., NoReturn]:
    """Return, for a function of the runtime API that is not here, one that says why."""
    reason = reason_of(name) if re.match("cuda[A-Z]", name) else ""
    if not reason:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return unsupported.refusal(name, reason)


def implemented() -> list[str]:
    """Return the names of the functions of the runtime API that are here; cudart.c has five more."""
    return sorted(name for name, value in globals().items() if re.match("cuda[A-Z]", name) and callable(value))
