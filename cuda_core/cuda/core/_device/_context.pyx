# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Contexts: primary contexts, each retained once until the process ends, and green contexts."""

cimport cython
from libc.stdint cimport uint64_t, uintptr_t

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_swap
from cuda.core._utils._check cimport check, fail, is_finalizing
from cuda.core._utils._driver_handle cimport HandleClass

import atexit
import os
import threading

from cuda.core._errors import ClosedError, not_pickled

# The live green contexts by address, so that a query for a context returns the object that owns it.
cdef object _greens = None

cdef HandleClass CUCONTEXT = HandleClass("CUcontext")
cdef object _lock = threading.RLock()
cdef bint _initialised = False
cdef int _count = 0
cdef cydriver.CUcontext[256] _primaries
cdef cydriver.CUdevice[256] _handles
cdef bint[256] _has_handle
cdef uint64_t[256] _first_ids  # the id of each context (cuCtxGetId) when it was first retained
cdef bint _has_ids = True


cdef int initialise() except -1:
    """Initialise the driver, once."""
    global _initialised, _count
    cdef int count = 0
    if _initialised:
        return 0
    with _lock:
        if not _initialised:
            with nogil:
                check(cydriver.cuInit(0), b"cuInit")
            check(cydriver.cuDeviceGetCount(&count), b"cuDeviceGetCount")
            _count = min(count, 256)
            atexit.register(_end, os.getpid())  # registered after the driver's own handler, so that it runs before it
            _initialised = True
    return 0


def _end(process):
    """Report failed work that no call has raised; a forked child has none."""
    for ordinal in range(_count if process == os.getpid() else 0):
        if _primaries[ordinal] != NULL:
            from cuda.core._utils._at_exit import report_failure

            report_failure(<uintptr_t>_primaries[ordinal])


cdef cydriver.CUdevice native_device(int ordinal) except? -99:
    """Return the driver's handle of a device, or raise ValueError if there is none."""
    if 0 <= ordinal < 256 and _has_handle[ordinal]:
        return _handles[ordinal]
    initialise()
    if not 0 <= ordinal < _count:
        there = f"the devices are 0 to {_count - 1}" if _count else "there is no device"
        raise ValueError(f"device_id is {ordinal}, but {there}")
    check(cydriver.cuDeviceGet(&_handles[ordinal], ordinal), b"cuDeviceGet")
    _has_handle[ordinal] = True
    return _handles[ordinal]


cdef cydriver.CUcontext primary(int ordinal) except NULL:
    """Return a device's primary context, retaining it at the first call."""
    cdef cydriver.CUcontext context = NULL
    if 0 <= ordinal < 256 and _primaries[ordinal] != NULL:
        return _primaries[ordinal]
    cdef cydriver.CUdevice device = native_device(ordinal)
    if _primaries[ordinal] == NULL:
        with _lock:
            if _primaries[ordinal] == NULL:
                with nogil:
                    check(cydriver.cuDevicePrimaryCtxRetain(&context, device), b"cuDevicePrimaryCtxRetain")
                _primaries[ordinal] = context
                _first_ids[ordinal] = primary_id(ordinal)
    return _primaries[ordinal]


cdef cydriver.CUcontext living_primary(int ordinal) except NULL:
    """Return a device's primary context; after a reset has destroyed it, its replacement."""
    cdef cydriver.CUcontext context = primary(ordinal)
    cdef cydriver.CUdevice device = native_device(ordinal)
    cdef unsigned int flags = 0
    cdef int active = 1
    check(cydriver.cuDevicePrimaryCtxGetState(device, &flags, &active), b"cuDevicePrimaryCtxGetState")
    if active:
        return context
    with _lock:
        with nogil:
            check(cydriver.cuDevicePrimaryCtxRetain(&context, device), b"cuDevicePrimaryCtxRetain")
        _primaries[ordinal] = context
    return context


cdef uint64_t primary_id(int ordinal) except? 0:
    """Return the id of a device's primary context, which changes when the device is reset; 0 if unknown."""
    cdef unsigned long long found = 0
    global _has_ids
    if not (_has_ids and 0 <= ordinal < 256) or _primaries[ordinal] == NULL:
        return 0
    try:
        if cydriver.cuCtxGetId(_primaries[ordinal], &found) != cydriver.CUDA_SUCCESS:
            return 0
    except RuntimeError:
        _has_ids = False  # a driver before CUDA 12.0
    return found


cdef bint is_destroyed(int ordinal, uint64_t context_id) except -1:
    """Return whether a reset has destroyed the context that had an id, and all that was in it; False for the id 0."""
    cdef unsigned long long now = 0
    cdef cydriver.CUresult status
    if context_id == 0:
        return False
    status = cydriver.cuCtxGetId(_primaries[ordinal], &now)
    if status == cydriver.CUDA_SUCCESS:
        return now != context_id
    return status in (cydriver.CUDA_ERROR_CONTEXT_IS_DESTROYED, cydriver.CUDA_ERROR_INVALID_CONTEXT)


cdef bint was_reset(int ordinal, uint64_t context_id) except -1:
    """Return whether a device (-1: any) was reset since its context had the id `context_id`.

    The id 0 stands for the time at which the device was first retained. True if the driver does not report context ids.
    """
    cdef uint64_t now
    cdef int other
    if ordinal < 0:
        for other in range(_count):
            if _primaries[other] != NULL and was_reset(other, 0):
                return True
        return False
    now = primary_id(ordinal)
    return now == 0 or now != (context_id or _first_ids[ordinal])


cdef int current_ordinal() except -2:
    """Return the device of this thread's current context, -1 if it has none."""
    cdef cydriver.CUcontext context = NULL
    cdef cydriver.CUdevice device = 0
    cdef int ordinal
    initialise()
    check(cydriver.cuCtxGetCurrent(&context), b"cuCtxGetCurrent")
    if context == NULL:
        return -1
    for ordinal in range(_count):
        if _primaries[ordinal] == context:  # the address is stable: the context stays retained until exit
            return ordinal
    check(cydriver.cuCtxGetDevice(&device), b"cuCtxGetDevice")
    return _ordinal_of(device)


cdef int _ordinal_of(cydriver.CUdevice device) except -2:
    cdef cydriver.CUdevice candidate = 0
    cdef int ordinal
    for ordinal in range(_count):
        check(cydriver.cuDeviceGet(&candidate, ordinal), b"cuDeviceGet")
        if candidate == device:
            return ordinal
    return -1


cdef int context_ordinal(cydriver.CUcontext context) except -2:
    """Return the ordinal of a context's device."""
    cdef Activation _active = _push(context)
    return current_ordinal()


cdef int no_context(const char* call) except -1:
    """Raise CUDA_ERROR_INVALID_CONTEXT for `call` in a thread without a current context."""
    advice = "This thread has no current device: call Device(...).set_current() in it first."
    return fail(cydriver.CUDA_ERROR_INVALID_CONTEXT, call, advice)


def use_primary(int ordinal) -> None:
    """Retain a device's primary context, into which memory is to be mapped; raise in a thread without a context."""
    if current_ordinal() == -1:
        no_context(b"cuCtxGetCurrent")
    primary(ordinal)


@cython.final
cdef class Activation:
    """A pushed context, popped when this object is released: at the end of the function whose local variable has it.

    This costs nothing where the context is current already and the variable is None; __enter__ and __exit__ would cost
    60 ns, half of an event's creation. Cython releases local variables when a function returns or raises.
    """

    def __dealloc__(self):
        cdef cydriver.CUcontext popped = NULL
        cydriver.cuCtxPopCurrent(&popped)


cdef Activation _push(cydriver.CUcontext context):
    check(cydriver.cuCtxPushCurrent(context), b"cuCtxPushCurrent")
    return Activation.__new__(Activation)


cdef Activation activate(int ordinal):
    """Make a context of the device current until the result is released; None if it is current already.

    Raises in a thread without a current context: users choose the device of a thread with `Device.set_current`.
    """
    cdef int current = current_ordinal()
    if current == ordinal:
        return None
    if current == -1:
        no_context(b"cuCtxGetCurrent")
    return _push(primary(ordinal))


cdef Activation activate_anyway(int ordinal):
    """Like `activate`, but also in a thread without a context: for finalisers and calls that need no current device."""
    return None if current_ordinal() == ordinal else _push(primary(ordinal))


cdef Activation activate_any():
    """Like `activate` for device 0 in a thread without a context; None in others."""
    return None if current_ordinal() >= 0 else _push(primary(0))


def any_context() -> object:
    """Make device 0 current in a thread without a context, until the result is released: for calls that need any."""
    return activate_any()


def sync_device(int ordinal) -> None:
    """Wait for all work of a device; -1 stands for the current one."""
    cdef cydriver.CUresult status
    cdef Activation _active = None if ordinal < 0 else activate(ordinal)
    with nogil:
        status = cydriver.cuCtxSynchronize()
    check(status, b"cuCtxSynchronize")


cdef class Context:
    """The state of one device in this process; `Device.context` returns the one in use.

    Thread safety: threads may share it; of several `close` calls one destroys the context.

    Examples
    --------
    >>> device.context.device == device
    True
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Context is not made directly: use Device.context")

    @staticmethod
    cdef Context wrap(cydriver.CUcontext native, int ordinal):
        cdef Context self
        if _greens is not None and (known := _greens.get(<uintptr_t>native)) is not None:
            return known
        self = Context.__new__(Context)
        self.native = native
        self._device_id = ordinal
        return self

    @staticmethod
    def _create_green(int ordinal, options):
        """Create a green context; see `Device.create_context`."""
        global _greens
        from cuda.core._device._device_resources import create_green

        primary(ordinal)  # a green context belongs to the primary context
        cdef Context self = Context.__new__(Context)
        cdef uintptr_t green, native
        green, native = create_green(ordinal, options)
        self.green = <cydriver.CUgreenCtx>green
        self.native = <cydriver.CUcontext>native
        self._device_id = ordinal
        with _lock:
            if _greens is None:
                from weakref import WeakValueDictionary

                _greens = WeakValueDictionary()
            _greens[native] = self
        return self

    def __dealloc__(self):
        if self.green != NULL and not is_finalizing():
            with nogil:
                cydriver.cuGreenCtxDestroy(self.green)

    @property
    def handle(self):
        """Return the context as `cuda.bindings.driver.CUcontext`, None once closed."""
        return None if self.closed else CUCONTEXT.of(self.native)

    @property
    def device(self):
        """Return the device that this context belongs to."""
        from cuda.core import Device

        return Device(self._device_id)

    @property
    def is_closed(self) -> bool:
        """Return whether `close` was called."""
        return bool(self.closed)

    @property
    def is_green(self) -> bool:
        """Return whether this is a green context, to which part of the device's resources is assigned."""
        return self.green != NULL

    @property
    def resources(self):
        """Return the device resources of the context: multiprocessors and work queues (cuCtxGetDevResource)."""
        from cuda.core._device._device_resources import of_context

        self._check_open()
        return of_context(CUCONTEXT.of(self.native))

    def _check_open(self):
        if self.closed:
            raise ClosedError("this Context is closed")

    def create_stream(self, options=None):
        """Create a stream in this context; in a green context it uses only the resources of the context.

        Parameters
        ----------
        options : StreamOptions, optional
            The stream's properties.

        Returns
        -------
        Stream
            A stream of this context, which it keeps alive.

        Raises
        ------
        ClosedError
            If the context is closed.
        ValueError
            If `options` do not fit: streams of green contexts are nonblocking.
        CUDAError
            If cuGreenCtxStreamCreate or cuStreamCreate fails.

        Examples
        --------
        >>> second = device.context.create_stream()
        >>> second.context == device.context
        True
        """
        from cuda.core import Stream

        self._check_open()
        return Stream._in_context(self, options)

    def close(self):
        """Destroy a green context (cuGreenCtxDestroy). The primary context belongs to the device and stays.

        Closing twice does nothing.

        Raises
        ------
        RuntimeError
            If the context is current in this thread.
        CUDAError
            If cuGreenCtxDestroy fails.

        Examples
        --------
        >>> context = device.create_context(ContextOptions([device.resources.sm]))
        >>> context.close()
        >>> context.is_closed
        True
        """
        cdef cydriver.CUcontext current = NULL
        cdef cydriver.CUgreenCtx green = self.green
        if self.closed:
            return
        check(cydriver.cuCtxGetCurrent(&current), b"cuCtxGetCurrent")
        if current == self.native:
            raise RuntimeError("this Context is current in this thread: set another one first (set_current)")
        if atomic_swap(&self.closed, True):
            return  # another thread was faster
        self.green = NULL
        if green != NULL:
            if _greens is not None:
                _greens.pop(<uintptr_t>self.native, None)
            with nogil:
                check(cydriver.cuGreenCtxDestroy(green), b"cuGreenCtxDestroy")

    def __enter__(self):
        self._check_open()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    def __eq__(self, other):
        if not isinstance(other, Context):
            return NotImplemented
        return self.native == (<Context>other).native

    def __hash__(self):
        return hash(<uintptr_t>self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        kind = "green Context" if self.green != NULL else "Context"
        return f"<{kind} {'closed' if self.closed else f'{<uintptr_t>self.native:#x}'} of device {self._device_id}>"
