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

from cuda.cpu.driver.base import unsupported
from cuda.cpu.runtime_api import (
    array,
    copy,
    device,
    execution,
    graph,
    graph_node,
    host_code,
    kernel,
    memory,
    properties,
    same,
    symbol,
    system,
    texture,
)

MODULES = (
    array,
    copy,
    device,
    execution,
    graph,
    graph_node,
    host_code,
    kernel,
    memory,
    properties,
    symbol,
    system,
    texture,
)

globals().update(same.functions())
for _module in MODULES:
    for _name, _value in vars(_module).items():
        if re.match("cuda[A-Z]", _name) and getattr(_value, "__module__", None) == _module.__name__:
            globals()[_name] = _value

# Called by host_code.c: no functions of the API.
host_code_added = host_code.host_code_added
host_code_removed = host_code.host_code_removed
host_code_needed = host_code.host_code_needed


def reason_of(name: str) -> str:
    """Return why a function is not supported, as for the driver's function."""
    return unsupported.reason_of(name.replace("cuda", "cu", 1))


def __getattr__(name: str) -> Callable[..., NoReturn]:
    """Return, for an unsupported function of the runtime API, one that raises the reason."""
    reason = reason_of(name) if re.match("cuda[A-Z]", name) else ""
    if not reason:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return unsupported.refusal(name, reason)


def implemented() -> list[str]:
    """Return the names of the functions of the runtime API that are here; cudart.c has five more."""
    return sorted(name for name, value in globals().items() if re.match("cuda[A-Z]", name) and callable(value))
