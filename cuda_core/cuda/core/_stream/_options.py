# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The options of streams and events."""

from __future__ import annotations

from dataclasses import dataclass

from cuda.core._utils._options import named_options


@named_options
@dataclass(slots=True, weakref_slot=True)
class StreamOptions:
    """Choose the properties of a new stream.

    Attributes
    ----------
    nonblocking : bool
        Whether the stream runs without waiting for the legacy default stream.
    priority : int, optional
        A lower number is more urgent; one outside the device's range is an error.

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
    """Choose the properties of a new event.

    Attributes
    ----------
    timing_enabled : bool
        Whether the event takes the time, so that events can be subtracted.
    blocking_sync : bool
        Whether `Event.sync` sleeps rather than spins.
    ipc_enabled : bool
        Whether another process may open the event; such an event takes no time.

    Examples
    --------
    >>> stream.record(options=EventOptions(timing_enabled=True)).is_timing_enabled
    True
    """

    timing_enabled: bool | None = False
    blocking_sync: bool | None = False
    ipc_enabled: bool | None = False
