# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Events of devices and of the driver, and waiting for them."""

from __future__ import annotations

import time
from _thread import RLock
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cuda.core._errors import ClosedError
from cuda.core._stream._waiting import sleeper
from cuda.core.system._codes import mask, member
from cuda.core.system._library import nvml
from cuda.core.system.typing import EventType, SystemEventType

if TYPE_CHECKING:
    from cuda.core.system._device import Device


_closing = RLock()  # of the threads that close one set, one gives it back
Found = TypeVar("Found")

_SHORTEST, _LONGEST = 0.5e-3, 50e-3  # seconds between two polls of a task


async def _poll(ask: Callable[[], Found], timeout_ms: int | None) -> Found:
    """Poll until there is a result, less often the longer it takes, without blocking the event loop.

    A wait of NVML blocks its thread and cannot be interrupted: a thread that waited on behalf of a task would consume
    the next event even after the task was cancelled.
    """
    end = None if timeout_ms is None else time.monotonic() + _timeout(timeout_ms) / 1000
    timed_out, sleep, pause = nvml().TimeoutError, sleeper(), _SHORTEST
    while True:
        try:
            return ask()
        except timed_out:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise
        await sleep(pause if left is None else min(pause, left))
        pause = min(2 * pause, _LONGEST)


def _timeout(timeout_ms: int) -> int:
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int):
        raise TypeError(f"timeout_ms must be an int, not {type(timeout_ms).__name__}")
    if not 0 <= timeout_ms < 1 << 32:
        raise ValueError(f"timeout_ms must be from 0 to {(1 << 32) - 1} milliseconds, not {timeout_ms}")
    return timeout_ms


class EventData:
    """An event of a device.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def device(self) -> Device:
        """Return the device that reported the event."""
        from cuda.core.system import Device

        return Device._of(int(self._data.device_))

    @property
    def event_type(self) -> EventType:
        """Return the type of the event."""
        return member(EventType, self._data.event_type)

    @property
    def event_data(self) -> int:
        """Return additional data: for an XID error its number."""
        return int(self._data.event_data)

    @property
    def gpu_instance_id(self) -> int:
        """Return the id of the GPU instance."""
        return int(self._data.gpu_instance_id)

    @property
    def compute_instance_id(self) -> int:
        """Return the id of the compute instance."""
        return int(self._data.compute_instance_id)

    def __repr__(self) -> str:
        return f"<EventData {self.event_type} {self.event_data}>"


class _EventSet:
    """An event set of NVML, freed with this object."""

    __slots__ = ("_library", "_set")
    _library: Any
    _set: Any

    def _give_back(self, library: Any, handle: Any) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Free the event set. Closing twice does nothing.

        Examples
        --------
        >>> events = system.Device(0).register_events("xid_critical_error")
        >>> events.close()
        """
        with _closing:
            handle, self._set = getattr(self, "_set", None), None
        if handle is not None:
            self._give_back(self._library, handle)

    def _open(self) -> Any:
        if self._set is None:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self._set

    def __enter__(self) -> Any:
        self._open()
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class DeviceEvents(_EventSet):
    """Registered events of a device; created by `Device.register_events`.

    Thread safety: threads may share it; of several `close` calls one frees the set.
    """

    __slots__ = ()

    def __init__(self, device: Device, events: EventType | str | Sequence[EventType | str]) -> None:
        wanted = mask(EventType, events, "events")
        self._library = nvml()
        self._set = self._library.event_set_create()
        try:
            self._library.device_register_events(device._handle, wanted, self._set)
        except BaseException:
            self.close()
            raise

    def _give_back(self, library: Any, handle: Any) -> None:
        library.event_set_free(handle)

    def wait(self, timeout_ms: int = 0) -> EventData:
        """Wait for the next event (nvmlEventSetWait).

        Parameters
        ----------
        timeout_ms : int
            The longest time to wait, in milliseconds; 0 does not wait.

        Returns
        -------
        EventData
            The event: its type, device and additional data.

        Raises
        ------
        TimeoutError
            NVML's (`cuda.core.system.TimeoutError`), if no event occurs.
        TypeError
            If `timeout_ms` is not an int.
        ValueError
            If it is negative or does not fit in 32 bits.
        ClosedError
            If the events were closed.

        Examples
        --------
        >>> with system.Device(0).register_events("xid_critical_error") as events:
        ...     try:
        ...         print("error", events.wait(timeout_ms=10).event_data)
        ...     except system.TimeoutError:
        ...         print("no error")
        no error
        """
        return EventData(self._library.event_set_wait_v2(self._open(), _timeout(timeout_ms)))

    async def wait_async(self, timeout_ms: int | None = None) -> EventData:
        """Wait for the next event in a task of asyncio, Trio or anyio; the event loop runs other tasks meanwhile.

        ``await events`` does the same without a limit. A task that is cancelled takes no event away.

        Parameters
        ----------
        timeout_ms : int, optional
            The longest time to wait, in milliseconds; None for no limit.

        Returns
        -------
        EventData
            The event: its type, device and additional data.

        Raises
        ------
        TimeoutError
            NVML's (`cuda.core.system.TimeoutError`), if no event occurs.
        TypeError, ValueError, ClosedError, NvmlError
            As `wait`.

        Examples
        --------
        >>> import asyncio
        >>> async def watch():
        ...     with system.Device(0).register_events("xid_critical_error") as events:
        ...         return (await events.wait_async(timeout_ms=10)).event_data
        >>> try:
        ...     print("error", asyncio.run(watch()))
        ... except system.TimeoutError:
        ...     print("no error")
        no error
        """
        return await _poll(self.wait, timeout_ms)

    def __await__(self) -> Generator[Any, Any, EventData]:
        return self.wait_async().__await__()


class SystemEvent:
    """An event of the driver about a GPU.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def event_type(self) -> SystemEventType:
        """Return the type of the event."""
        return member(SystemEventType, self._data.event_type)

    @property
    def gpu_id(self) -> int:
        """Return the id of the GPU."""
        return int(self._data.gpu_id)

    @property
    def device(self) -> Device:
        """Return the GPU."""
        from cuda.core.system import Device

        return Device(self.gpu_id)

    def __repr__(self) -> str:
        return f"<SystemEvent {self.event_type} of GPU {self.gpu_id}>"


class SystemEvents(Sequence):
    """Events of the driver, a sequence of SystemEvent.

    Thread safety: immutable; threads may share it.
    """

    def __init__(self, data: Any) -> None:
        self._events = [SystemEvent(item) for item in data]

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, index: Any) -> Any:
        return self._events[index]


class RegisteredSystemEvents(_EventSet):
    """Registered events of the driver; created by `register_events`.

    Thread safety: threads may share it; of several `close` calls one frees the set.
    """

    __slots__ = ()

    def __init__(self, events: SystemEventType | str | Sequence[SystemEventType | str]) -> None:
        wanted = mask(SystemEventType, events, "events")
        self._library = nvml()
        self._set = self._library.system_event_set_create()
        try:
            self._library.system_register_events(wanted, self._set)
        except BaseException:
            self.close()
            raise

    def _give_back(self, library: Any, handle: Any) -> None:
        library.system_event_set_free(handle)

    def wait(self, timeout_ms: int = 0, buffer_size: int = 1) -> SystemEvents:
        """Wait for events (nvmlSystemEventSetWait).

        Parameters
        ----------
        timeout_ms : int
            The longest time to wait, in milliseconds; 0 does not wait.
        buffer_size : int
            The maximum number of events to return.

        Returns
        -------
        SystemEvents
            A sequence of events.

        Raises
        ------
        TimeoutError
            NVML's (`cuda.core.system.TimeoutError`), if no event occurs.
        TypeError
            If `timeout_ms` is not an int.
        ValueError
            If `timeout_ms` or `buffer_size` is out of range.
        ClosedError
            If the events were closed.

        Examples
        --------
        >>> try:
        ...     with system.register_events("bind") as events:
        ...         found = events.wait(timeout_ms=0)
        ... except system.NvmlError:
        ...     found = []
        """
        if buffer_size < 1:
            raise ValueError(f"buffer_size must be at least 1, not {buffer_size}")
        return SystemEvents(self._library.system_event_set_wait(self._open(), _timeout(timeout_ms), buffer_size))

    async def wait_async(self, timeout_ms: int | None = None, buffer_size: int = 1) -> SystemEvents:
        """Wait for events in a task of asyncio, Trio or anyio; the event loop runs other tasks meanwhile.

        ``await events`` does the same without a limit. A task that is cancelled takes no event away.

        Parameters
        ----------
        timeout_ms : int, optional
            The longest time to wait, in milliseconds; None for no limit.
        buffer_size : int
            The maximum number of events to return.

        Returns
        -------
        SystemEvents
            A sequence of events.

        Raises
        ------
        TimeoutError
            NVML's (`cuda.core.system.TimeoutError`), if no event occurs.
        TypeError, ValueError, ClosedError, NvmlError
            As `wait`.

        Examples
        --------
        >>> import asyncio
        >>> async def watch():
        ...     with system.register_events("bind") as events:
        ...         return await events.wait_async(timeout_ms=10)
        >>> try:
        ...     found = asyncio.run(watch())
        ... except system.NvmlError:
        ...     found = []
        """
        return await _poll(lambda: self.wait(0, buffer_size), timeout_ms)

    def __await__(self) -> Generator[Any, Any, SystemEvents]:
        return self.wait_async().__await__()
