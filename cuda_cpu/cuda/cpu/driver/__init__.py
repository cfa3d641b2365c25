# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The Python half of the CPU driver: functions named as in cuda.h, which the C shell in ../entry calls.

Arguments are ints (enums, handles and addresses alike), floats, bytes for strings and by-value structs. Pointers to one
output value are not passed: a function returns those values. A failure is an `error.CudaError`. A function of
cuda.h that is not here answers CUDA_ERROR_NOT_SUPPORTED.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from types import ModuleType
from typing import NoReturn

from cuda.cpu import ending
from cuda.cpu.driver import (
    array,
    array_sparse,
    block,
    capture,
    capture_state,
    context,
    copy,
    copy_array,
    decompress,
    device,
    device_resource,
    event,
    external_memory,
    fill,
    graph,
    graph_condition,
    graph_dot,
    graph_exec,
    graph_memory,
    graph_node,
    green_context,
    ipc,
    kernel,
    launch,
    library,
    link,
    log,
    memory,
    module,
    multicast,
    occupancy,
    once,
    pointer,
    pool,
    pool_share,
    prepared_launch,
    primary,
    profiler,
    recapture,
    stream,
    stream_memory,
    tensor_map,
    texture,
    unsupported,
    user_object,
    virtual_memory,
)
from cuda.cpu.driver import error as error

MODULES: tuple[ModuleType, ...] = (
    once, device, context, primary, stream, stream_memory, event, memory, copy, fill, decompress, pool, pointer,
    library, module, kernel, launch, prepared_launch, occupancy, link, log, profiler,
    block, capture, capture_state, recapture, graph, graph_node, graph_memory, graph_exec, graph_dot, user_object,
    virtual_memory, multicast, ipc, pool_share, graph_condition, device_resource, green_context,
    external_memory, array, array_sparse, copy_array, tensor_map, texture,
)  # fmt: skip

for _module in MODULES:
    for _name, _value in vars(_module).items():
        if re.match("cu[A-Z]", _name) and getattr(_value, "__module__", None) == _module.__name__:
            globals()[_name] = _value


def __getattr__(name: str) -> Callable[..., NoReturn]:
    """Return, for a function of cuda.h that is not here, one that says why."""
    reason = unsupported.reason_of(name) if re.match("cu[A-Z]", name) else ""
    if not reason:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return unsupported.refusal(name, reason)


def implemented() -> list[str]:
    """Return the names of the functions of cuda.h that are here."""
    return sorted(name for name, value in globals().items() if re.match("cu[A-Z]", name) and callable(value))


def _forget_after_fork() -> None:
    for part in MODULES:
        forget = getattr(part, "forget_after_fork", None)
        if forget is not None:
            forget()


ending.register(context.end)  # after the runtime's own, so that it runs before
os.register_at_fork(after_in_child=_forget_after_fork)
