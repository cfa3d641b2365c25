# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runtime API on the CPU device: functions named as in cuda_runtime_api.h, in terms of cuda.cpu.driver.

They are called as those of the driver are (see there). Most do what a driver function does and only see to it that
there is a context: `same` lists them. A function that is in none of the modules answers cudaErrorNotSupported. Status
values of the driver are those of the runtime, number for number.
"""

from __future__ import annotations

import re

from cuda.cpu.runtime_api import copy, device, graph, kernel, memory, properties, same, system

MODULES = (copy, device, graph, kernel, memory, properties, system)

globals().update(same.functions())
for _module in MODULES:
    for _name, _value in vars(_module).items():
        if re.match("cuda[A-Z]", _name) and getattr(_value, "__module__", None) == _module.__name__:
            globals()[_name] = _value


def implemented() -> list[str]:
    """Return the names of the functions of the runtime API that are here; cudart.c has five more."""
    return sorted(name for name, value in globals().items() if re.match("cuda[A-Z]", name) and callable(value))
