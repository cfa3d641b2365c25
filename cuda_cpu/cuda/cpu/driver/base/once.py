# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Thread-safe lazy initialisation, and a global lock for API calls."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Thing = TypeVar("_Thing")
_Call = TypeVar("_Call", bound=Callable[..., Any])

counting = threading.RLock()  # around changes of counters; nothing else is locked under it
lock = threading.RLock()  # never held while waiting for the device: other threads' first uses wait for it


def made(table: MutableMapping[_Key, _Thing], key: _Key, make: Callable[[], _Thing]) -> _Thing:
    """Return `table[key]`, made by `make` at the first use."""
    found = table.get(key)
    if found is None:
        with lock:
            found = table.get(key)
            if found is None:
                found = table[key] = make()
    return found


def alone(call: _Call) -> _Call:
    """Decorate an API function to hold the global lock. It must not wait for the device."""

    @functools.wraps(call)
    def run(*arguments: Any, **named: Any) -> Any:
        with lock:
            return call(*arguments, **named)

    return run  # type: ignore[return-value]


def forget_after_fork() -> None:
    """Replace the locks: the thread that held one does not exist in the child."""
    global lock, counting
    lock, counting = threading.RLock(), threading.RLock()
