# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Primary contexts: one per device, shared by all libraries of a process, with a reference count."""

from __future__ import annotations

import threading

from cuda.cpu.abi import CUDA_ERROR_INVALID_CONTEXT
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device.context import Context, check_flags

_lock = threading.RLock()  # around the counts; never held while waiting
_contexts: dict[int, Context] = {}


def find(ordinal: int) -> Context:
    of = devices.find(ordinal)
    with _lock:
        if ordinal not in _contexts:
            _contexts[ordinal] = Context(of, 0, primary=True)
    return _contexts[ordinal]


def cuDevicePrimaryCtxRetain(dev: int) -> int:
    context = find(dev)
    with _lock:
        context.retained += 1
        usable = context.usable
    if not usable:
        with context.closing:  # not while another thread ends what the context was before
            if not context.error:
                context.usable = True
    return context.handle


def cuDevicePrimaryCtxRelease(dev: int) -> None:
    context = find(dev)
    with _lock:
        if not context.retained:
            raise CudaError(CUDA_ERROR_INVALID_CONTEXT, f"the primary context of device {dev} is not retained")
        context.retained -= 1
        last = not context.retained
    if last:
        _end(context)


def _end(context: Context) -> None:
    """Close a context that nobody retains."""
    with context.closing:
        with _lock:
            if context.retained:
                return  # another thread has retained it since
            context.usable = False
        context.close()


def cuDevicePrimaryCtxReset(dev: int) -> None:
    """Give back all that the primary context owns and forget its error; who has retained it may go on with it."""
    context = find(dev)
    with context.closing:
        context.close()
        context.flags = 0
        context.usable = context.retained > 0


def cuDevicePrimaryCtxSetFlags(dev: int, flags: int) -> None:
    check_flags("cuDevicePrimaryCtxSetFlags", flags)
    find(dev).flags = flags


def cuDevicePrimaryCtxGetState(dev: int) -> tuple[int, int]:
    context = find(dev)
    return context.flags, int(context.retained > 0)


def forget_after_fork() -> None:
    _contexts.clear()
