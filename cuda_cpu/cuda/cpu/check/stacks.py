# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Python's call stacks when kernels are launched and memory is allocated, while checks are active."""

from __future__ import annotations

import sys
import threading
from typing import Any

from cuda.cpu.check.finding import Frame, Stack

MOST_FRAMES = 64
MOST_RECORDS = 100_000  # of launches and of allocations; the oldest are dropped

_OURS = ("cuda.cpu", "cuda.core", "cuda.bindings")  # modules whose frames say nothing about the program
# From these modules on outwards, the frames are those of the test runner, or of the start of a process.
_RUNNERS = ("_pytest.", "pluggy.")
_STARTS = tuple(f"multiprocessing.{name}" for name in ("process", "spawn", "forkserver", "popen_fork"))
_CARRIERS = ("multiprocessing.",)  # what a queue or pipe calls to unpickle memory of other processes

_Key = tuple[tuple[Any, int], ...]  # code objects and line numbers


class Records:
    """Call stacks by number: of a launch, an allocation or a handle."""

    def __init__(self) -> None:
        self._stacks: dict[int, _Key] = {}
        self._before: dict[int, Stack] = {}  # frames of other processes
        self._lock = threading.Lock()

    def note(self, number: int) -> None:
        """Record the caller's stack."""
        key = here()
        with self._lock:
            self._stacks.pop(number, None)
            self._stacks[number] = key
            if len(self._stacks) > MOST_RECORDS:
                oldest = next(iter(self._stacks))
                del self._stacks[oldest]
                self._before.pop(oldest, None)

    def find(self, number: int) -> Stack:
        return (*self._before.get(number, ()), *frames(self._stacks.get(number, ())))

    def precede(self, number: int, before: Stack) -> None:
        """Let the stack of a number begin with frames of another process."""
        self._before[number] = before

    def copy(self, source: int, target: int) -> None:
        """Let a number have the stack of another one."""
        if source in self._stacks:
            self._stacks[target] = self._stacks[source]
        if source in self._before:
            self._before[target] = self._before[source]

    def clear(self) -> None:
        self._lock = threading.Lock()  # in a forked child, where another thread may have held it
        self._stacks.clear()
        self._before.clear()


launches, allocations, frees, handles, nodes = (Records() for _ in range(5))  # nodes: of graphs, by Work.number


def forget_after_fork() -> None:
    for records in (launches, allocations, frees, handles, nodes):
        records.clear()


def here() -> _Key:
    """Return the code and lines of the program's own frames: without those of this package's and its callers'."""
    found: list[tuple[Any, int]] = []
    frame = sys._getframe(1)
    while frame is not None and len(found) < MOST_FRAMES:
        code, module = frame.f_code, str(frame.f_globals.get("__name__"))
        if module in _STARTS or (found and module.startswith(_RUNNERS)):
            break
        if not module.startswith(_OURS + _CARRIERS) and not code.co_filename.startswith("<frozen "):
            found.append((code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return _INTERNED.setdefault(key := tuple(found), key)


def api_name() -> str:
    """Return the function of the API that the program has called: the outermost one of ours."""
    name = ""
    frame = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("cuda.cpu."):
        if frame.f_code.co_name.startswith("cu"):
            name = frame.f_code.co_name
        frame = frame.f_back  # type: ignore[assignment]
    return name


_INTERNED: dict[_Key, _Key] = {}  # a loop that launches a million times has one stack


def frames(key: _Key) -> Stack:
    return tuple(Frame(code.co_qualname, code.co_filename, line) for code, line in key)
