# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver as PyTorch's adapter uses it: its device, and which memory of PyTorch kernels may use."""

from __future__ import annotations

import collections
import ctypes
import functools
import threading
from typing import Any

from cuda.cpu.programs.driver_calls import call, library, returned

_local = threading.local()
_lock = threading.Lock()
_users: collections.Counter[int] = collections.Counter()  # start of registered storage -> threads whose launch uses it


def use_device() -> None:
    """Make the primary context of device 0 current in this thread."""
    if not hasattr(_local, "storages"):
        _local.storages, _local.kept = {}, None
        call("cuInit", 0)
        context = returned(ctypes.c_void_p, "cuDevicePrimaryCtxRetain", 0)
        call("cuCtxSetCurrent", ctypes.c_void_p(context))


def attribute(number: int) -> int:
    """Return an attribute of device 0 by its number, a CUdevice_attribute."""
    use_device()
    return returned(ctypes.c_int, "cuDeviceGetAttribute", number, 0)


def register(storage: Any) -> None:
    """Let the next launch of this thread use the memory of a storage, which stays alive as long.

    A launch asks the driver for its pointers' attributes, and the checks of kernels ask which memory there is. Memory
    that the driver knows already stays as it is.
    """
    use_device()
    start, size = storage.data_ptr(), storage.nbytes()
    if not size or start in _local.storages:
        return
    with _lock:
        known = start in _users or not library.cuMemHostRegister_v2(ctypes.c_void_p(start), ctypes.c_size_t(size), 0)
        if known:
            _users[start] += 1
            _local.storages[start] = storage


def keep_storages(kept: dict[int, Any] | None) -> dict[int, Any]:
    """Begin to keep the storages of launches that a graph captures, in a dict, or end this; return the dict before."""
    use_device()
    before, _local.kept = _local.kept, kept
    return before or {}


def finish_launch(metadata: object = None) -> None:
    """Wait for the kernels of this thread, and forget the storages; a graph that is being captured keeps them.

    PyTorch's operations read and free memory of the host at once, without asking for streams: that would be too early
    while kernels use it.
    """
    use_device()
    try:
        if _local.kept is None:
            call("cuCtxSynchronize")
        else:
            _local.kept.update(_local.storages)
    finally:
        with _lock:
            for start in _local.storages:
                _users[start] -= 1
                if not _users[start]:
                    del _users[start]
                    call("cuMemHostUnregister", ctypes.c_void_p(start))
        _local.storages = {}


def add_to_triton() -> None:
    """Let Triton call `finish_launch` after each launch."""
    from triton import knobs

    knobs.runtime.launch_exit_hook.add(finish_launch)


def add_to_cutile() -> None:
    """Let cuTile's functions that launch call `finish_launch` before they return."""
    from cuda.tile import _cext

    def finished(launch: Any) -> Any:
        @functools.wraps(launch)
        def launch_and_wait(*args: Any, **kwargs: Any) -> Any:
            try:
                return launch(*args, **kwargs)
            finally:
                finish_launch()

        return launch_and_wait

    for name in ("launch", "launch_extended", "_benchmark"):
        if launch := getattr(_cext, name, None):
            setattr(_cext, name, finished(launch))
