# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Contexts: the state of a device in this process. Each device's primary context is retained once and kept."""

from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._check cimport check

import threading

from cuda.core._options import not_pickled, not_yet

cdef object _lock = threading.RLock()
cdef bint _initialised = False
cdef int _count = 0
cdef cydriver.CUcontext[256] _primaries


cdef int initialise() except -1:
    """Initialise the driver, once."""
    global _initialised, _count
    cdef int count = 0
    if _initialised:
        return 0
    with _lock:
        if not _initialised:
            check(cydriver.cuInit(0), b"cuInit")
            check(cydriver.cuDeviceGetCount(&count), b"cuDeviceGetCount")
            _count = min(count, 256)
            _initialised = True
    return 0


cdef cydriver.CUdevice native_device(int ordinal) except? -99:
    """Return the driver's name for a device, or raise ValueError if there is none."""
    cdef cydriver.CUdevice device = 0
    initialise()
    if not 0 <= ordinal < _count:
        there = f"the devices are 0 to {_count - 1}" if _count else "there is no device"
        raise ValueError(f"device_id is {ordinal}, but {there}")
    check(cydriver.cuDeviceGet(&device, ordinal), b"cuDeviceGet")
    return device


cdef cydriver.CUcontext primary(int ordinal) except NULL:
    """Return a device's primary context, retaining it at the first call."""
    cdef cydriver.CUdevice device = native_device(ordinal)
    cdef cydriver.CUcontext context = NULL
    if _primaries[ordinal] == NULL:
        with _lock:
            if _primaries[ordinal] == NULL:
                check(cydriver.cuDevicePrimaryCtxRetain(&context, device), b"cuDevicePrimaryCtxRetain")
                _primaries[ordinal] = context
    return _primaries[ordinal]


cdef int current_ordinal() except -2:
    """Return the device of this thread's current context, -1 if it has none."""
    cdef cydriver.CUcontext context = NULL
    cdef cydriver.CUdevice device = 0
    initialise()
    check(cydriver.cuCtxGetCurrent(&context), b"cuCtxGetCurrent")
    if context == NULL:
        return -1
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
    """Return the device of any context."""
    cdef cydriver.CUcontext popped = NULL
    check(cydriver.cuCtxPushCurrent(context), b"cuCtxPushCurrent")
    try:
        return current_ordinal()
    finally:
        check(cydriver.cuCtxPopCurrent(&popped), b"cuCtxPopCurrent")


cdef bint activate(int ordinal) except -1:
    """Make a context of the device current for the next calls; say whether one was pushed, for `deactivate`."""
    if current_ordinal() == ordinal:
        return False
    check(cydriver.cuCtxPushCurrent(primary(ordinal)), b"cuCtxPushCurrent")
    return True


cdef int deactivate(bint pushed) except -1:
    """Undo `activate`."""
    cdef cydriver.CUcontext popped = NULL
    if pushed:
        check(cydriver.cuCtxPopCurrent(&popped), b"cuCtxPopCurrent")
    return 0


cdef class Context:
    """The state of one device in this process; `Device.context` returns the one in use."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Context is not made directly: use Device.context")

    @staticmethod
    cdef Context wrap(cydriver.CUcontext native, int ordinal):
        cdef Context self = Context.__new__(Context)
        self.native = native
        self._device_id = ordinal
        return self

    @property
    def handle(self):
        """Return the context as `cuda.bindings.driver.CUcontext`, None once closed."""
        from cuda.bindings import driver

        return None if self.closed else driver.CUcontext(<uintptr_t>self.native)

    @property
    def device(self):
        """Return the device that this context belongs to."""
        from cuda.core._device import Device

        return Device(self._device_id)

    @property
    def is_closed(self) -> bool:
        """Tell whether `close` was called."""
        return self.closed

    @property
    def is_green(self) -> bool:
        """Tell whether this is a green context, which owns a part of the device: never, in this version."""
        return False

    @property
    def resources(self):
        """Raise NotImplementedError: green contexts are not in this version."""
        raise not_yet("Context.resources", "it describes green contexts")

    def create_stream(self, options=None):
        """Create a stream in this context.

        Parameters
        ----------
        options : StreamOptions, optional
            The stream's properties.

        Returns
        -------
        Stream
        """
        from cuda.core._stream import create_stream

        if self.closed:
            raise ValueError("this Context is closed")
        return create_stream(self._device_id, options)

    def close(self):
        """Let go of this object. The primary context itself belongs to the device and stays."""
        self.closed = True

    def __eq__(self, other):
        if not isinstance(other, Context):
            return NotImplemented
        return self.native == (<Context>other).native

    def __hash__(self):
        return hash(<uintptr_t>self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<Context {<uintptr_t>self.native:#x} of device {self._device_id}>"
