# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The small option classes, and how every class takes its options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class StreamOptions:
    """Choose the properties of a new stream.

    Attributes
    ----------
    nonblocking : bool
        Whether the stream runs without waiting for the legacy default stream.
    priority : int, optional
        A lower number is more urgent; one outside the device's range is an error.
    """

    nonblocking: bool = True
    priority: int | None = None


@dataclass
class EventOptions:
    """Choose the properties of a new event.

    Attributes
    ----------
    timing_enabled : bool
        Whether the event takes the time, so that events can be subtracted.
    blocking_sync : bool
        Whether `Event.sync` sleeps rather than spins.
    ipc_enabled : bool
        Whether another process may open the event; not in this version.
    """

    timing_enabled: bool | None = False
    blocking_sync: bool | None = False
    ipc_enabled: bool | None = False


@dataclass
class DeviceMemoryResourceOptions:
    """Choose the properties of a new pool of device memory.

    Attributes
    ----------
    ipc_enabled : bool
        Whether other processes may open the pool; not in this version.
    max_size : int
        The pool's largest size in bytes; 0 leaves it to the driver.
    """

    ipc_enabled: bool = False
    max_size: int = 0


def as_options(kind: type, value: Any, what: str) -> Any:
    """Return `value` as an instance of the option class `kind`: None is the defaults, a dict its fields."""
    if value is None:
        return kind()
    if isinstance(value, kind):
        return value
    if isinstance(value, dict):
        return kind(**value)
    raise TypeError(f"{what} must be {kind.__name__}, a dict of its fields or None, not {type(value).__name__}")


def not_yet(what: str, reason: str) -> NotImplementedError:
    """Make the error for a member of the public API that this version lacks."""
    return NotImplementedError(f"{what} is not in this version of cuda.core: {reason}")


def not_pickled(obj: Any) -> TypeError:
    """Make the error for pickling or copying what only this process can have."""
    return TypeError(f"a {type(obj).__name__} belongs to this process: it can be neither pickled nor copied")
