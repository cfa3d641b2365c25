# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Event: CUevent, for synchronisation and timing."""

cimport cython
from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memcpy

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport after_wait, check, fail, is_finalizing
from cuda.core._device._context cimport (
    Activation,
    Context,
    activate,
    activate_anyway,
    is_destroyed,
    primary,
    primary_id,
)
from cuda.core._utils._driver_handle cimport HandleClass

from cuda.core._errors import ClosedError, not_pickled
from cuda.core._utils._options import as_options
from cuda.core._stream._options import EventOptions

cdef HandleClass CUEVENT = HandleClass("CUevent")


cdef class Event:
    """A point in a stream's work, created by `Device.create_event` or `Stream.record` (CUevent).

    Subtracting two events gives the time between them in milliseconds; both must be recorded with timing and have
    completed.

    Thread safety: threads may share it; a wait refers to the latest `record`.

    Examples
    --------
    >>> start = stream.record(options=EventOptions(timing_enabled=True))
    >>> launch(stream, config, kernel, buffer, 2.0, 100)
    >>> end = stream.record(options=EventOptions(timing_enabled=True))
    >>> end.sync()
    >>> end - start > 0  # milliseconds
    True
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("an Event is not made directly: use Device.create_event or Stream.record")

    @staticmethod
    cdef Event create(int device_id, object options, uint64_t context_id=0):
        cdef Event self = Event.__new__(Event)
        cdef unsigned int flags = cydriver.CU_EVENT_DISABLE_TIMING
        if options is not None:
            options = as_options(EventOptions, options, "options")
            self.ipc = bool(options.ipc_enabled)
            if self.ipc and options.timing_enabled:
                raise TypeError("ipc_enabled and timing_enabled exclude each other: a shared event takes no time")
            self.timing = bool(options.timing_enabled)
            self.blocking = bool(options.blocking_sync)
            flags = (0 if self.timing else cydriver.CU_EVENT_DISABLE_TIMING) | (
                cydriver.CU_EVENT_BLOCKING_SYNC if self.blocking else 0
            ) | (cydriver.CU_EVENT_INTERPROCESS if self.ipc else 0)
        self.device_id = device_id
        cdef Activation _active = activate(device_id)
        self.context_id = context_id or primary_id(device_id)
        with nogil:
            check(cydriver.cuEventCreate(&self.native, flags), b"cuEventCreate")
        return self

    cdef cydriver.CUevent open_handle(self) except NULL:
        if self.native == NULL:
            raise ClosedError("this Event is closed")
        return self.native

    def __dealloc__(self):
        if self.native != NULL and not is_finalizing():
            self.destroy(self.native)
            self.native = NULL

    @cython.critical_section
    def close(self):
        """Destroy the event (cuEventDestroy). Closing twice does nothing.

        Graphs that record it or wait for it can still be launched.

        Raises
        ------
        CUDAError
            If cuEventDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> event = stream.record()
        >>> event.close()
        >>> event.is_closed
        True
        """
        cdef cydriver.CUevent native = self.native
        self.native = NULL
        if native != NULL and self.uses:
            self.retired = native
        elif native != NULL:
            check(<cydriver.CUresult>self.destroy(native), b"cuEventDestroy")

    @cython.critical_section
    cdef int drop_use(self) except -1:
        """Decrement the number of graph nodes that use the event; the last one destroys an event closed meanwhile."""
        cdef cydriver.CUevent native = self.retired
        self.uses -= 1
        if self.uses == 0 and native != NULL:
            self.retired = NULL
            self.destroy(native)
        return 0

    cdef int destroy(self, cydriver.CUevent native) except -1:
        """Destroy the event, unless a reset of the device has done so: its handle is a dangling pointer then."""
        cdef cydriver.CUresult status = cydriver.CUDA_SUCCESS
        if not is_destroyed(self.device_id, self.context_id):
            with nogil:
                status = cydriver.cuEventDestroy(native)
        return status

    def __enter__(self):
        self.open_handle()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    @property
    def is_closed(self) -> bool:
        """Return whether the event was closed."""
        return self.native == NULL

    @property
    def handle(self):
        """Return the event as `cuda.bindings.driver.CUevent`; its address is 0 once closed."""
        return CUEVENT.of(self.native)

    @property
    def device(self):
        """Return the device whose streams may record this event."""
        from cuda.core import Device

        self.open_handle()
        return Device(self.device_id)

    @property
    def context(self):
        """Return the context of the event's device."""
        self.open_handle()
        return Context.wrap(primary(self.device_id), self.device_id)

    @property
    def is_timing_enabled(self) -> bool:
        """Return whether the event records timing."""
        self.open_handle()
        return self.timing

    @property
    def is_blocking_sync(self) -> bool:
        """Return whether `sync` blocks the thread rather than spins."""
        self.open_handle()
        return self.blocking

    @property
    def is_ipc_enabled(self) -> bool:
        """Return whether other processes may use the event."""
        self.open_handle()
        return self.ipc

    @property
    def ipc_descriptor(self):
        """Return a descriptor with which another process can open this event (cuIpcGetEventHandle).

        Pass it to the process by pickling. Raises RuntimeError if the event was not created with
        ``ipc_enabled=True``.
        """
        from cuda.core._stream._event_ipc import describe_event

        self.open_handle()
        if not self.ipc:
            raise RuntimeError("this Event is not shared: make it with EventOptions(ipc_enabled=True)")
        return describe_event(self)

    @classmethod
    def from_ipc_descriptor(cls, ipc_descriptor):
        """Open an event of another process (cuIpcOpenEventHandle).

        Parameters
        ----------
        ipc_descriptor : IPCEventDescriptor
            The other process's `Event.ipc_descriptor`. It is not validated: accept it only from trusted processes.

        Returns
        -------
        Event
            The same event in this process: `Stream.wait` and `sync` wait for work that the other process recorded.

        Raises
        ------
        TypeError
            If `ipc_descriptor` is not an IPCEventDescriptor.
        RuntimeError
            If this process does not see the device.
        ValueError
            If the descriptor has the wrong size.
        CUDAError
            If cuIpcOpenEventHandle fails, for example because the other process has ended.

        Examples
        --------
        >>> shared = stream.record(options=EventOptions(ipc_enabled=True))
        >>> descriptor = shared.ipc_descriptor  # pickle it to the other process, which calls:
        >>> Event.from_ipc_descriptor(descriptor).sync()  # doctest: +SKIP
        """
        from cuda.core._stream._event_ipc import device_of_event

        cdef Event self = Event.__new__(Event)
        cdef cydriver.CUipcEventHandle data
        self.device_id = device_of_event(ipc_descriptor).device_id
        payload = ipc_descriptor.payload
        if len(payload) != sizeof(data):
            raise ValueError(f"ipc_descriptor has {len(payload)} bytes, but an event's has {sizeof(data)}")
        memcpy(&data, <char*>payload, sizeof(data))
        self.ipc = True
        self.blocking = ipc_descriptor.is_blocking_sync
        cdef Activation _active = activate_anyway(self.device_id)
        check(cydriver.cuIpcOpenEventHandle(&self.native, data), b"cuIpcOpenEventHandle")
        return self

    @cython.critical_section
    def _export(self) -> bytes:
        """Return the driver's CUipcEventHandle as bytes."""
        cdef cydriver.CUipcEventHandle data
        check(cydriver.cuIpcGetEventHandle(&data, self.open_handle()), b"cuIpcGetEventHandle")
        return (<char*>&data)[:sizeof(data)]

    @property
    @cython.critical_section
    def is_done(self) -> bool:
        """Return whether the work before the event is finished; True for an event that was never recorded."""
        cdef cydriver.CUresult status = cydriver.cuEventQuery(self.open_handle())
        if status == cydriver.CUDA_ERROR_NOT_READY:
            return False
        check(status, b"cuEventQuery")
        return True

    @cython.binding(False)  # the interpreter calls methods of C faster
    def sync(self, timeout=None) -> None:
        """sync($self, timeout=None)\n--\n
        Wait until the work before the event is finished (cuEventSynchronize); the GIL is released.

        Parameters
        ----------
        timeout : float, optional
            The longest time to wait, in seconds; None for no limit.

        Raises
        ------
        ClosedError
            If the event is closed.
        CUDAError
            If that work failed.
        TimeoutError
            If the time limit expires; the work continues.

        Examples
        --------
        >>> launch(stream, config, kernel, buffer, 2.0, 100)
        >>> stream.record().sync(timeout=60)
        >>> print(np.frombuffer(buffer, np.float32)[0])
        2.0
        """
        cdef cydriver.CUevent native = self.open_handle()
        cdef cydriver.CUresult status
        if timeout is not None:
            from cuda.core._stream._waiting import wait_for

            return wait_for(self, timeout)
        with nogil:
            status = cydriver.cuEventSynchronize(native)
        check(status, b"cuEventSynchronize")
        if after_wait is not None:
            after_wait()

    def __await__(self):
        """Wait for the work before the event without blocking the event loop (asyncio, anyio or Trio)."""
        from cuda.core._stream._waiting import until_done

        self.open_handle()
        return until_done(self).__await__()

    def __sub__(self, other):
        if not isinstance(self, Event) or not isinstance(other, Event):
            return NotImplemented
        cdef Event end = self
        cdef Event start = other
        cdef float milliseconds = 0
        cdef cydriver.CUevent first, last
        cdef cydriver.CUresult status = cydriver.CUDA_SUCCESS
        cdef bint timed = start.timing and end.timing
        with cython.critical_section(start, end):
            first, last = start.open_handle(), end.open_handle()
            if timed:
                status = cydriver.cuEventElapsedTime(&milliseconds, first, last)
        if not timed:
            which = "neither event takes" if not (start.timing or end.timing) else "one of the events does not take"
            raise RuntimeError(f"{which} the time: create both with EventOptions(timing_enabled=True)")
        if status == cydriver.CUDA_ERROR_NOT_READY:
            fail(status, b"cuEventElapsedTime", "An event is still to come: call sync() on the later one first.")
        if status == cydriver.CUDA_ERROR_INVALID_HANDLE:
            advice = "Record both events, in streams of one device, before subtracting them."
            fail(status, b"cuEventElapsedTime", advice)
        check(status, b"cuEventElapsedTime")
        return milliseconds

    def __eq__(self, other):
        if not isinstance(other, Event):
            return NotImplemented
        return self is other or (self.native != NULL and self.native == (<Event>other).native)

    def __hash__(self):
        return hash(<uintptr_t>self.native) if self.native != NULL else id(self)

    def __reduce__(self):
        if not self.ipc:
            raise not_pickled(self)
        return Event.from_ipc_descriptor, (self.ipc_descriptor,)

    def __repr__(self):
        state = "closed" if self.native == NULL else f"{<uintptr_t>self.native:#x}"
        return f"<Event {state} of device {self.device_id}>"


@cython.final
cdef class EventUse:
    """Keep the driver's event alive as long as this object, even if the Event is closed."""

    def __cinit__(self, Event of not None):
        self.of = of
        with cython.critical_section(of):
            of.uses += 1

    def __del__(self):
        self.of.drop_use()
