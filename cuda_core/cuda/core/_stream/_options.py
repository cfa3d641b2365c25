# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The options of streams and events."""

from __future__ import annotations

from dataclasses import dataclass

from cuda.core._utils._options import named_options


@named_options
@dataclass(slots=True, weakref_slot=True)
class StreamOptions:
    """Options for a new stream.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    nonblocking : bool
        Whether the stream does not synchronise with the legacy default stream.
    priority : int, optional
        The priority; lower numbers are more urgent. A number outside the device's range is an error.

    Examples
    --------
    >>> device.create_stream(options=StreamOptions(priority=0)).priority
    0
    """

    nonblocking: bool = True
    priority: int | None = None


@named_options
@dataclass(slots=True, weakref_slot=True)
class EventOptions:
    """Options for a new event.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    timing_enabled : bool
        Whether the event records timing, so that events can be subtracted.
    blocking_sync : bool
        Whether `Event.sync` blocks the thread rather than spins.
    ipc_enabled : bool
        Whether another process can open the event; such an event records no timing.

    Examples
    --------
    >>> stream.record(options=EventOptions(timing_enabled=True)).is_timing_enabled
    True
    """

    timing_enabled: bool | None = False
    blocking_sync: bool | None = False
    ipc_enabled: bool | None = False


def stream_advice(obj: object) -> str:
    """Return advice for an object that was given instead of a stream."""
    if isinstance(obj, StreamOptions):
        return "give options by name: options=StreamOptions(...)"
    if isinstance(obj, int) and obj > 2:
        return "Stream.from_handle wraps an address"
    return "Device.default_stream is the default stream"
