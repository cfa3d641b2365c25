# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Record when the work of a GPU ran, by events around each launch and copy, for `python -m cuda.cpu timeline`.

If CUDA_PYTHON_TIMELINE names a folder, the loader gives callers the functions of this module in place of some of the
driver's. They call the driver's, and record events before and behind it in the same stream. Only documented functions
of the driver are used. The times of events count from a base event, at which the host waits and reads its clock.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from cuda.bindings._signals import own

VARIABLE = "CUDA_PYTHON_TIMELINE"
PER_THREAD = 2  # CU_STREAM_PER_THREAD
MOST_PENDING = 2000  # pairs of events that wait to be read
_P, _U, _S = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t


class Hook(NamedTuple):
    """A function of the driver that is recorded. `stream` is the index of the argument, None for calls of the host."""

    types: tuple[Any, ...]
    category: str
    stream: int | None = None
    size: int | None = None  # index of the argument with the bytes; for fills times `unit`
    unit: int = 1


_COPY = Hook((_P, _P, _S, _P), "copy", 3, 2)
HOOKS = {
    "cuLaunchKernel": Hook((_P, *[_U] * 7, _P, _P, _P), "kernel", 8),
    "cuLaunchKernelEx": Hook((_P, _P, _P, _P), "kernel"),
    "cuLaunchCooperativeKernel": Hook((_P, *[_U] * 7, _P, _P), "kernel", 8),
    "cuGraphLaunch": Hook((_P, _P), "graph", 1),
    **dict.fromkeys(("cuMemcpyAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync"), _COPY),
    **dict.fromkeys(("cuMemcpy2DAsync", "cuMemcpy3DAsync"), Hook((_P, _P), "copy", 1)),
    "cuMemsetD8Async": Hook((_P, ctypes.c_ubyte, _S, _P), "fill", 3, 2),
    "cuMemsetD16Async": Hook((_P, ctypes.c_ushort, _S, _P), "fill", 3, 2, 2),
    "cuMemsetD32Async": Hook((_P, _U, _S, _P), "fill", 3, 2, 4),
    "cuStreamSynchronize": Hook((_P,), "driver call"),
    "cuEventSynchronize": Hook((_P,), "driver call"),
    "cuCtxSynchronize": Hook((), "driver call"),
    "cuMemAlloc": Hook((_P, _S), "memory call"),
    "cuMemAllocAsync": Hook((_P, _S, _P), "memory call"),
    "cuMemAllocFromPoolAsync": Hook((_P, _S, _P, _P), "memory call"),
    "cuModuleLoadData": Hook((_P, _P), "driver call"),
    "cuLibraryLoadData": Hook((_P, _P, _P, _P, _U, _P, _P, _U), "driver call"),
}


class _LaunchConfig(ctypes.Structure):
    """The beginning of CUlaunchConfig."""

    _fields_ = (("shape", _U * 6), ("shared", _U), ("stream", _P))


class Pending(NamedTuple):
    """Work between two events of a context."""

    name: str
    category: str
    stream: tuple[int, int]  # context and handle
    begin: int  # events
    end: int
    details: dict[str, Any]


class Recorder:
    """The records of this process."""

    def __init__(self, path: str, folder: str, per_thread: bool) -> None:
        self.driver = ctypes.CDLL(path)
        self.folder, self.per_thread = folder, per_thread
        self.finished = False
        self.kept: list[Any] = []  # callbacks
        self.pending: list[Pending] = []
        self.records: list[tuple[str, str, str, int, int, dict[str, Any]]] = []
        self.bases: dict[int, tuple[int, int]] = {}  # context -> event, and the host's clock at it
        self.rows: dict[tuple[int, int], str] = {}
        self.lock = threading.Lock()
        self.inside = threading.local()
        atexit.register(self.finish)

    def replace(self, name: str, function: int) -> int:
        """Return the address of a function that records, and calls the one at an address."""
        hook = HOOKS.get(name)
        if hook is None:
            return function
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *hook.types)
        real = kind(function)

        def record(*given: Any) -> int:
            if getattr(self.inside, "on", False):
                return real(*given)
            self.inside.on = True
            try:
                return self._record(name, hook, real, given)
            finally:
                self.inside.on = False

        callback = kind(record)
        self.kept.append((callback, real))
        return ctypes.cast(callback, _P).value or 0

    def _record(self, name: str, hook: Hook, real: Callable[..., int], given: tuple[Any, ...]) -> int:
        began = None if hook.category.endswith("call") else self._begin(name, hook, given)
        first = time.monotonic_ns()
        status = real(*given)
        last = time.monotonic_ns()
        category = hook.category if hook.category.endswith("call") else "driver call"
        self.records.append((name, category, threading.current_thread().name, first, last, {}))
        if began is not None:
            stream, event, details = began
            end = self._event(stream)
            if status == 0 and end:
                title = self._kernel(name, given) if hook.category == "kernel" else hook.category
                self.pending.append(Pending(title, hook.category, stream, event, end, details))
                if len(self.pending) > MOST_PENDING:
                    self.collect(wait=False)
        return status

    def _begin(self, name: str, hook: Hook, given: tuple[Any, ...]) -> tuple[tuple[int, int], int, dict] | None:
        """Record the event before a call; None if the stream is captured, or there is no context."""
        details: dict[str, Any] = {}
        if name == "cuLaunchKernelEx":
            config = _LaunchConfig.from_address(given[0])
            handle, shape = config.stream or 0, list(config.shape)
        else:
            handle, shape = given[hook.stream or 0] or 0, list(given[1:7])
        if hook.category == "kernel":
            details = {"grid": shape[:3], "block": shape[3:]}
        elif hook.size is not None:
            details = {"bytes": given[hook.size] * hook.unit}
        handle = handle or (PER_THREAD if self.per_thread else 0)
        context, capturing = _P(), ctypes.c_int()
        found = self.driver.cuStreamGetCtx(_P(handle), ctypes.byref(context)) if handle > PER_THREAD else 1
        if found != 0:
            self.driver.cuCtxGetCurrent(ctypes.byref(context))
        if not context.value or self.driver.cuStreamIsCapturing(_P(handle), ctypes.byref(capturing)) or capturing.value:
            return None
        stream = context.value, handle
        with self.lock:
            if context.value not in self.bases:
                base = self._event(stream)
                if not base or self.driver.cuEventSynchronize(_P(base)):
                    return None
                self.bases[context.value] = base, time.monotonic_ns()
                atexit.register(self.finish)  # again: before what the driver has registered meanwhile
        event = self._event(stream)
        return (stream, event, details) if event else None

    def _event(self, stream: tuple[int, int]) -> int:
        """Record a new event in a stream; 0 if that is not possible."""
        event, popped = _P(), _P()
        self.driver.cuCtxPushCurrent_v2(_P(stream[0]))
        try:
            if self.driver.cuEventCreate(ctypes.byref(event), 0):
                return 0
            if self.driver.cuEventRecord(event, _P(stream[1])):
                self.driver.cuEventDestroy_v2(event)
                return 0
        finally:
            self.driver.cuCtxPopCurrent_v2(ctypes.byref(popped))
        return event.value or 0

    def _kernel(self, name: str, given: tuple[Any, ...]) -> str:
        """Return the name of a kernel, given as a CUfunction or a CUkernel."""
        text, function = ctypes.c_char_p(), _P(given[1] if name == "cuLaunchKernelEx" else given[0])
        for look_up in ("cuFuncGetName", "cuKernelGetName"):  # since CUDA 12.3
            found = getattr(self.driver, look_up, None)
            if found is not None and found(ctypes.byref(text), function) == 0 and text.value:
                return text.value.decode()
        return "kernel"

    def collect(self, *, wait: bool) -> None:
        """Read the times of what has completed, or of everything."""
        with self.lock:
            pending, self.pending = self.pending, []
            for each in pending:
                if not wait and self.driver.cuEventQuery(_P(each.end)):
                    self.pending.append(each)
                    continue
                self._read(each)

    def _read(self, each: Pending) -> None:
        base, clock = self.bases[each.stream[0]]
        start, length = ctypes.c_float(), ctypes.c_float()
        failed = (
            self.driver.cuEventSynchronize(_P(each.end))
            or self.driver.cuEventElapsedTime(ctypes.byref(start), _P(base), _P(each.begin))
            or self.driver.cuEventElapsedTime(ctypes.byref(length), _P(each.begin), _P(each.end))
        )
        for event in (each.begin, each.end):
            self.driver.cuEventDestroy_v2(_P(event))
        if not failed:  # the context still exists, and works
            row = self.rows.setdefault(each.stream, f"stream {len(self.rows) + 1}")
            begin = clock + round(start.value * 1e6)
            self.records.append((each.name, each.category, row, begin, begin + round(length.value * 1e6), each.details))

    def finish(self) -> None:
        """Write the records of this process."""
        if self.finished:
            return
        self.finished = self.inside.on = True
        self.collect(wait=True)
        path = os.path.join(self.folder, f"{os.getpid()}.json")
        try:
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"command": sys.argv, "records": self.records}, file)
        except own(OSError) as error:
            print(f"the timeline could not be written to {path}: {error.strerror}", file=sys.stderr)


_recorder: Recorder | None = None
_making = threading.Lock()


def replace(path: str, name: str, function: int, per_thread: bool) -> int:
    """Return the address of the function to call in place of the driver's."""
    global _recorder
    with _making:
        if _recorder is None:
            _recorder = Recorder(path, os.environ[VARIABLE], per_thread)
        return _recorder.replace(name, function)
