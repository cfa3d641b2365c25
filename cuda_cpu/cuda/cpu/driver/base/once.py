# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What is made at first use is made once, whichever threads come first; and what only one thread may do at a time."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Thing = TypeVar("_Thing")
_Call = TypeVar("_Call", bound=Callable[..., Any])

lock = threading.RLock()  # never held while waiting for the device: other threads' first uses wait for it


def made(table: MutableMapping[_Key, _Thing], key: _Key, make: Callable[[], _Thing]) -> _Thing:
    """Return `table[key]`, which `make` makes if nobody has."""
    found = table.get(key)
    if found is None:
        with lock:
            found = table.get(key)
            if found is None:
                found = table[key] = make()
    return found


def alone(call: _Call) -> _Call:
    """Let a function of the API run while no other such function does, in any thread. It must not wait."""

    @functools.wraps(call)
    def run(*arguments: Any, **named: Any) -> Any:
        with lock:
            return call(*arguments, **named)

    return run  # type: ignore[return-value]


def forget_after_fork() -> None:
    """Forget who holds the lock, a thread that did not come along."""
    global lock
    lock = threading.RLock()
