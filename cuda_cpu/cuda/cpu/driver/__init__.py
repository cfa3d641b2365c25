# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The Python half of the CPU driver: functions named as in cuda.h, which the C shell in ../entry calls.

Arguments are ints (enums, handles and addresses alike), floats, bytes for strings and by-value structs. Pointers to one
output value are not passed: a function returns those values. A failure is an `error.CudaError`. A function of
cuda.h that is not defined here is not supported (CUDA_ERROR_NOT_SUPPORTED).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import NoReturn

from cuda.cpu import at_exit
from cuda.cpu.driver.base import error as error
from cuda.cpu.driver.base import unsupported
from cuda.cpu.driver.code import profiling
from cuda.cpu.driver.device import context
from cuda.cpu.driver.functions import MODULES

for _module in MODULES:
    for _name, _value in vars(_module).items():
        if re.match("cu[A-Z]", _name) and getattr(_value, "__module__", None) == _module.__name__:
            globals()[_name] = _value


def __getattr__(name: str) -> Callable[..., NoReturn]:
    """Return, for an unsupported function of cuda.h, one that raises the reason."""
    reason = unsupported.reason_of(name) if re.match("cu[A-Z]", name) else ""
    if not reason:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return unsupported.refusal(name, reason)


def implemented() -> list[str]:
    """Return the names of the supported functions of cuda.h."""
    return sorted(name for name, value in globals().items() if re.match("cu[A-Z]", name) and callable(value))


def _forget_after_fork() -> None:
    profiling.forget_after_fork()
    for part in MODULES:
        forget = getattr(part, "forget_after_fork", None)
        if forget is not None:
            forget()


at_exit.register(context.end)  # after the runtime's own, so that it runs before
profiling.begin()
os.register_at_fork(after_in_child=_forget_after_fork)
