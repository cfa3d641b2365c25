# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Stream: CUstream, an ordered queue of work of a device."""

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_load, atomic_store, atomic_swap
from cuda.core._utils._check cimport after_wait, check, dev_mode, is_finalizing, warn_unclosed
from cuda.core._utils._driver_handle cimport HandleClass
from cuda.core._device._context cimport (
    Activation,
    Context,
    activate,
    context_ordinal,
    current_ordinal,
    is_destroyed,
    primary_id,
    no_context,
)
from cuda.core._stream._event cimport Event
from cuda.core._stream._host_callback cimport call_back

import os

from cuda.core._errors import ClosedError, not_pickled, wrong_protocol
from cuda.core._utils._address import as_address
from cuda.core._utils._options import as_options
from cuda.core._stream._options import StreamOptions, stream_advice


cdef HandleClass CUSTREAM = HandleClass("CUstream")


cdef class Stream:
    """A queue of work on a device; its operations run in order (CUstream).

    Streams come from `Device.create_stream`, and `from_handle` wraps one of another library. A stream is destroyed
    when it is closed or garbage-collected; its work still finishes. `cuda.core.LEGACY_DEFAULT_STREAM` and
    `cuda.core.PER_THREAD_DEFAULT_STREAM` are the default streams. Objects of other libraries with
    ``__cuda_stream__`` are accepted wherever a Stream is.

    Thread safety: threads may share it; work is ordered as the calls are, and the last call in progress destroys a
    closed stream.

    Examples
    --------
    >>> with device.create_stream() as second:
    ...     second.wait(stream.record())
    ...     second.sync()
    ...     second.is_done
    True
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Stream is not made directly: use Device.create_stream or Stream.from_handle")

    @staticmethod
    cdef Stream wrap(cydriver.CUstream native, object owner):
        cdef Stream self = Stream.__new__(Stream)
        self.native = native
        self.owner = owner
        self.device_id = -1
        return self

    @staticmethod
    def _in_context(Context context not None, options):
        """Create a stream; see `Context.create_stream`."""
        if context.green != NULL:
            return create_green_stream(context, options)
        return create_stream(context._device_id, options)

    @staticmethod
    def from_handle(handle):
        """Wrap a stream that other code owns; closing the result does not destroy the stream.

        Parameters
        ----------
        handle : int or cuda.bindings.driver.CUstream
            The stream's address; it must outlive the returned object. 1 is the legacy default stream, 2 that of each
            thread.

        Returns
        -------
        Stream
            A stream with the same handle; it equals every other Stream of this handle.

        Raises
        ------
        TypeError
            If `handle` is no number. An address that is no stream's is not detected.

        Examples
        --------
        >>> same = Stream.from_handle(int(stream.handle))
        >>> same == stream
        True
        """
        address = as_address(handle, "handle must be a stream's address as int, or a CUstream")
        cdef Stream self = Stream.wrap(<cydriver.CUstream><uintptr_t>address, None)
        self.capturable = True
        return self

    cdef cydriver.CUstream open_handle(self) except? NULL:
        if self.closed:
            raise ClosedError("this Stream is closed")
        return self.native

    cdef int ordinal(self) except -1:
        """Return the ordinal of the stream's device, for a default stream that of the current device."""
        cdef cydriver.CUcontext context = NULL
        if self.device_id >= 0:
            return self.device_id
        cdef int found
        if <uintptr_t>self.native <= 2:
            found = current_ordinal()
        else:
            check(cydriver.cuStreamGetCtx(self.open_handle(), &context), b"cuStreamGetCtx")
            found = context_ordinal(context)
            self.device_id = found
        if found < 0:
            no_context(b"cuCtxGetCurrent")
        return found

    cdef bint ask_capturing(self) except -1:
        cdef cydriver.CUstreamCaptureStatus status = cydriver.CU_STREAM_CAPTURE_STATUS_NONE
        if not self.is_gone() and cydriver.cuStreamIsCapturing(self.native, &status) == cydriver.CUDA_SUCCESS:
            return status != cydriver.CU_STREAM_CAPTURE_STATUS_NONE
        return False

    cdef bint is_outlived(self) except -1:
        """Return whether a reset of the device has destroyed the stream with its context."""
        return is_destroyed(self.device_id, self.context_id)

    cdef int destroy(self) except -1:
        """Destroy a doomed stream, unless a reset has done so: its handle is a dangling pointer then."""
        if not atomic_swap(&self.doomed, False):
            return 0  # another thread does
        owner = self.take_owner()  # a green context is destroyed after its streams
        if not self.is_outlived():
            with nogil:
                check(cydriver.cuStreamDestroy(self.native), b"cuStreamDestroy")
        del owner
        return 0

    def __dealloc__(self):
        if self.owned and not self.closed and not is_finalizing():
            if not self.is_outlived():
                with nogil:
                    cydriver.cuStreamDestroy(self.native)
            if dev_mode:
                warn_unclosed(f"<Stream {<uintptr_t>self.native:#x}>", None)

    def close(self):
        """Destroy the stream once its work is finished, without waiting (cuStreamDestroy).

        Closing twice does nothing. The default streams and streams that other code owns are not destroyed.

        Raises
        ------
        CUDAError
            If cuStreamDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> second = device.create_stream()
        >>> second.close()
        >>> second.is_closed
        True
        """
        if <uintptr_t>self.native in (1, 2) or atomic_swap(&self.closed, True):
            return
        if not self.owned:
            self.take_owner()
            return
        atomic_store(&self.doomed, True)
        if atomic_load(&self.users) == 0:
            self.destroy()

    def __enter__(self):
        self.open_handle()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    @property
    def is_closed(self) -> bool:
        """Return whether the stream was closed."""
        return bool(self.closed)

    @property
    def handle(self):
        """Return the stream as `cuda.bindings.driver.CUstream`; its address is 0 once closed."""
        self.capturable = True
        return CUSTREAM.of(NULL if self.closed else self.native)

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version, 0, and the stream's address."""
        self.capturable = True
        return (0, <uintptr_t>self.open_handle())

    @property
    def is_nonblocking(self) -> bool:
        """Return whether the stream does not synchronise with the legacy default stream."""
        cdef unsigned int flags = 0
        check(cydriver.cuStreamGetFlags(self.open_handle(), &flags), b"cuStreamGetFlags")
        return bool(flags & cydriver.CU_STREAM_NON_BLOCKING)

    @property
    def priority(self) -> int:
        """Return the stream's priority, an int without unit; a lower number is more urgent (cuStreamGetPriority)."""
        cdef int priority = 0
        check(cydriver.cuStreamGetPriority(self.open_handle(), &priority), b"cuStreamGetPriority")
        return priority

    @property
    def device(self):
        """Return the stream's device."""
        from cuda.core import Device

        self.open_handle()
        return Device(self.ordinal())

    @property
    def context(self):
        """Return the context of the stream: its green context, if it was created in one."""
        cdef cydriver.CUcontext context = NULL
        owner = self.current_owner()
        if isinstance(owner, Context) and owner.is_green:
            self.open_handle()
            return owner
        check(cydriver.cuStreamGetCtx(self.open_handle(), &context), b"cuStreamGetCtx")
        return Context.wrap(context, self.ordinal())

    @property
    def resources(self):
        """Return the device resources of the stream's context: multiprocessors and work queues
        (cuStreamGetDevResource).
        """
        from cuda.core._device._device_resources import of_stream

        self.open_handle()
        self.ordinal()
        return of_stream(self.handle)

    def create_graph_builder(self):
        """Create a builder that captures this stream's work into a graph.

        Returns
        -------
        GraphBuilder
            A builder whose `begin_building` starts the capture. Closing it does not close the stream.

        Examples
        --------
        >>> builder = stream.create_graph_builder().begin_building()
        >>> launch(builder, config, kernel, buffer, 2.0, 100)
        >>> graph = builder.end_building().complete()
        >>> graph.launch(stream)
        """
        from cuda.core.graph import GraphBuilder

        return GraphBuilder._on_stream(self, False)

    @property
    def is_done(self) -> bool:
        """Return whether all work in the stream is finished."""
        cdef cydriver.CUresult status = cydriver.cuStreamQuery(self.open_handle())
        if status == cydriver.CUDA_ERROR_NOT_READY:
            return False
        check(status, b"cuStreamQuery")
        return True

    @cython.binding(False)  # the interpreter calls methods of C faster
    def sync(self, timeout=None) -> None:
        """sync($self, timeout=None)\n--\n
        Wait until all work in the stream is finished (cuStreamSynchronize); the GIL is released.

        Parameters
        ----------
        timeout : float, optional
            The longest time to wait, in seconds; None for no limit.

        Raises
        ------
        ClosedError
            If the stream is closed.
        CUDAError
            If that work failed.
        TimeoutError
            If the time limit expires; the work continues.
        Exception
            The exception of a callback of `add_callback`; an exception group if there were several.

        Examples
        --------
        >>> launch(stream, config, kernel, buffer, 2.0, 100)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        2.0
        """
        cdef cydriver.CUstream native = self.open_handle()
        cdef cydriver.CUresult status
        if timeout is None:
            self.begin_use()
            with nogil:
                status = cydriver.cuStreamSynchronize(native)
            self.end_use()
            check(status, b"cuStreamSynchronize")
            if after_wait is not None:
                after_wait()
        else:
            from cuda.core._stream._waiting import wait_for

            wait_for(self, timeout)
        if self.callbacks is not None:
            self.callbacks.surface()

    def __await__(self):
        """Wait for the work now in the stream without blocking the event loop (asyncio, anyio or Trio)."""
        from cuda.core._stream._waiting import until_done

        return until_done(self.record(), self.callbacks).__await__()

    def add_callback(self, callback) -> None:
        """Call a function once the work now in the stream is finished; later work waits for it (cuLaunchHostFunc).

        It runs on a thread of the driver and must not call CUDA, which would deadlock. If it raises, the next `sync`
        of this Stream (or ``await``) raises the exception. It is not called if that work fails.

        Parameters
        ----------
        callback : callable
            Called without arguments; its result is ignored.

        Raises
        ------
        TypeError
            If `callback` is not callable.
        RuntimeError
            If the stream is being captured: a graph may run many times.
        ClosedError
            If the stream is closed.
        CUDAError
            If cuLaunchHostFunc fails.

        Examples
        --------
        >>> finished = []
        >>> stream.add_callback(lambda: finished.append("work"))
        >>> stream.sync()
        >>> finished
        ['work']
        """
        cdef cydriver.CUstream native = self.open_handle()
        cdef cydriver.CUstreamCaptureStatus capturing
        cdef cydriver.CUresult status
        if not callable(callback):
            raise TypeError(f"callback must be callable, not {type(callback).__name__}")
        check(cydriver.cuStreamIsCapturing(native, &capturing), b"cuStreamIsCapturing")
        if capturing != cydriver.CU_STREAM_CAPTURE_STATUS_NONE:
            raise RuntimeError("this Stream is being captured: a callback runs once, but a graph may run many times")
        if self.callbacks is None:
            from cuda.core._stream._waiting import Callbacks

            self.set_callbacks(Callbacks())
        entry = (self.callbacks, callback)
        cdef void* context = <void*><PyObject*>entry
        Py_INCREF(entry)  # released by call_back, which may run before cuLaunchHostFunc returns
        with nogil:  # with a full queue the driver waits for earlier callbacks, which need the GIL
            status = cydriver.cuLaunchHostFunc(native, call_back, context)
        if status != cydriver.CUDA_SUCCESS:
            Py_DECREF(entry)
        check(status, b"cuLaunchHostFunc")

    def record(self, event=None, options=None):
        """Record an event at this point of the stream's work (cuEventRecord).

        Parameters
        ----------
        event : Event, optional
            The event to record; a new one if none is given.
        options : EventOptions, optional
            The properties of a new event; not used if `event` is given.

        Returns
        -------
        Event
            The recorded event: `event`, or the new one.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the stream or the event is closed.
        CUDAError
            If cuEventRecord fails, for example for an event of another device.

        Examples
        --------
        >>> launch(stream, config, kernel, buffer, 2.0, 100)
        >>> event = stream.record()
        >>> event.sync()
        >>> event.is_done
        True
        """
        cdef Event recorded
        if event is None:
            self.open_handle()
            recorded = Event.create(self.ordinal(), options, self.context_id)
        elif isinstance(event, Event):
            recorded = event
        else:
            raise TypeError(f"event must be an Event, not {type(event).__name__}")
        cdef cydriver.CUevent marker = recorded.open_handle()
        cdef cydriver.CUstream native = self.open_handle()
        cdef cydriver.CUresult status
        self.begin_use()
        with nogil:
            status = cydriver.cuEventRecord(marker, native)
        self.end_use()
        check(status, b"cuEventRecord")
        return recorded

    def wait(self, event_or_stream) -> None:
        """Make later work of this stream wait for an event, or for the work now in another stream; the host does not
        wait.

        Parameters
        ----------
        event_or_stream : Event, Stream or None
            The event or stream to wait for (cuStreamWaitEvent); any object with `__cuda_stream__` is accepted as a
            stream. None stands for nothing to wait for.

        Raises
        ------
        ValueError
            If `event_or_stream` is neither.
        TypeError
            If `__cuda_stream__` does not return a version and an address.
        ClosedError
            If one of the streams or the event is closed.
        CUDAError
            If cuStreamWaitEvent fails.

        Examples
        --------
        >>> with device.create_stream() as second:
        ...     second.wait(stream)
        ...     launch(second, config, kernel, buffer, 3.0, 100)
        ...     second.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        3.0
        """
        cdef Event event
        if event_or_stream is None:
            return
        if isinstance(event_or_stream, Event):
            event = event_or_stream
        elif isinstance(event_or_stream, Stream) or hasattr(event_or_stream, "__cuda_stream__"):
            event = as_stream(event_or_stream, "event_or_stream").record()
        else:
            raise ValueError(
                "event_or_stream must be an Event, a Stream or an object with __cuda_stream__, "
                f"not {event_or_stream!r:.60} ({type(event_or_stream).__name__})"
            )
        cdef cydriver.CUstream native = self.open_handle()
        with cython.critical_section(event):
            self.begin_use()
            try:
                check(cydriver.cuStreamWaitEvent(native, event.open_handle(), 0), b"cuStreamWaitEvent")
            finally:
                self.end_use()

    def __eq__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        cdef Stream stream = other
        return self is stream or (not self.closed and not stream.closed and self.native == stream.native)

    def __hash__(self):
        return hash(<uintptr_t>self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        state = "closed" if self.closed else f"{<uintptr_t>self.native:#x}"
        return f"<Stream {state}>"


cdef Stream as_stream(object obj, str argument):
    """Return `obj` as a Stream, by its `__cuda_stream__` if it is another library's."""
    if isinstance(obj, Stream):
        (<Stream>obj).open_handle()
        return <Stream>obj
    protocol = getattr(obj, "__cuda_stream__", None)
    if protocol is None:
        raise TypeError(
            f"{argument} must be a Stream or an object with __cuda_stream__, not {type(obj).__name__}; "
            f"{stream_advice(obj)}"
        )
    answer = protocol() if callable(protocol) else protocol
    try:
        version, handle = answer
        address = as_address(handle, "")
    except (TypeError, ValueError):
        raise wrong_protocol(
            f"{argument}: {type(obj).__name__}.__cuda_stream__ must return (version, address), not {answer!r}"
        ) from None
    if version != 0:
        raise wrong_protocol(f"{argument}: version {version} of the __cuda_stream__ protocol is unknown; 0 is known")
    cdef Stream self = Stream.wrap(<cydriver.CUstream><uintptr_t>address, obj)
    self.capturable = True
    return self


cdef int check_priority(int urgency) except -1:
    """Raise if the current device has no such priority."""
    cdef int lowest = 0, highest = 0
    check(cydriver.cuCtxGetStreamPriorityRange(&lowest, &highest), b"cuCtxGetStreamPriorityRange")
    if not highest <= urgency <= lowest:
        raise ValueError(f"priority is {urgency}, but the device's are {highest} (urgent) to {lowest}")
    return 0


def create_stream(int device_id, options=None) -> Stream:
    """Create a stream of a device; see `Device.create_stream`."""
    cdef Stream self = Stream.wrap(NULL, None)
    cdef unsigned int flags = cydriver.CU_STREAM_NON_BLOCKING
    cdef int urgency = 0
    cdef bint plain = True
    if options is not None:
        options = as_options(StreamOptions, options, "options")
        plain = options.priority is None
        urgency = options.priority or 0
        if not options.nonblocking:
            flags = cydriver.CU_STREAM_DEFAULT
    cdef Activation _active = activate(device_id)
    if plain:
        with nogil:
            check(cydriver.cuStreamCreate(&self.native, flags), b"cuStreamCreate")
    else:
        check_priority(urgency)
        with nogil:
            check(
                cydriver.cuStreamCreateWithPriority(&self.native, flags, urgency), b"cuStreamCreateWithPriority"
            )
    self.owned = True
    self.device_id = device_id
    self.context_id = primary_id(device_id)
    return self


def create_green_stream(Context context not None, options=None) -> Stream:
    """Create a stream in a green context, which it keeps alive; see `Context.create_stream`."""
    cdef Stream self = Stream.wrap(NULL, context)
    cdef int urgency = 0
    if options is not None:
        options = as_options(StreamOptions, options, "options")
        if not options.nonblocking:
            raise ValueError("options.nonblocking must be True: streams of green contexts never wait for it")
        urgency = options.priority or 0
    cdef Activation _active = activate(context._device_id)
    check_priority(urgency)
    with nogil:
        check(
            cydriver.cuGreenCtxStreamCreate(&self.native, context.green, cydriver.CU_STREAM_NON_BLOCKING, urgency),
            b"cuGreenCtxStreamCreate",
        )
    self.owned = True
    self.device_id = context._device_id
    return self


def to_stream(obj, str argument="stream") -> Stream:
    """Return `obj` as a Stream, or raise the TypeError that names `argument`."""
    return as_stream(obj, argument)


# The handles that cuda.h gives the default streams: CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
LEGACY_DEFAULT_STREAM = Stream.from_handle(1)
PER_THREAD_DEFAULT_STREAM = Stream.from_handle(2)


def default_stream() -> Stream:
    """Return the default stream that CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM chooses."""
    chosen = os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0")
    return LEGACY_DEFAULT_STREAM if chosen in ("", "0") else PER_THREAD_DEFAULT_STREAM
