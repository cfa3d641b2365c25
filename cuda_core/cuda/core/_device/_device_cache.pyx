# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The Device objects of each thread, and a vectorcall fast path for `Device()` and `Device(0)`."""

from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint64_t

from cuda.bindings._args cimport is_small, small
from cuda.core._device._context cimport current_ordinal

import threading

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)

cdef extern from *:
    """
    /* The calling thread's Device objects by ordinal, for a look without a call of Python. They belong to the thread
       state of the number `owner`; that of an ended thread state is never used again. */
    static __thread struct { uint64_t owner; PyObject *devices[256]; } open_cuda_devices;

    static uint64_t open_cuda_thread_state(void) { return PyThreadState_Get()->id; }

    static PyObject *open_cuda_find_device(long long ordinal) {
        return open_cuda_devices.owner == open_cuda_thread_state() ? open_cuda_devices.devices[ordinal] : NULL;
    }

    static void open_cuda_note_device(int ordinal, PyObject *device) {
        uint64_t now = open_cuda_thread_state();
        if (open_cuda_devices.owner != now) {
            memset(&open_cuda_devices, 0, sizeof(open_cuda_devices));
            open_cuda_devices.owner = now;
        }
        open_cuda_devices.devices[ordinal] = device;
    }

    static void open_cuda_forget_devices(uint64_t owner) {
        if (open_cuda_devices.owner == owner) open_cuda_devices.owner = 0;
    }
    """
    uint64_t open_cuda_thread_state()
    PyObject* open_cuda_find_device(long long ordinal)
    void open_cuda_note_device(int ordinal, PyObject* device)
    void open_cuda_forget_devices(uint64_t owner)

# Each thread has Device objects of its own, as each has a current device of its own.
cdef object _here = threading.local()


cdef class _Devices:
    """The Device objects of one thread."""

    cdef dict found
    cdef uint64_t owner

    def __cinit__(self):
        self.found = {}
        self.owner = open_cuda_thread_state()

    def __dealloc__(self):
        open_cuda_forget_devices(self.owner)


cdef dict devices_here():
    """Return the calling thread's Device objects by ordinal."""
    try:
        found = _here.devices
    except AttributeError:
        found = _here.devices = _Devices()
    return (<_Devices>found).found


cdef int note_device(int ordinal, PyObject* device) except -1:
    """Record a Device object of the calling thread for `call_device`."""
    open_cuda_note_device(ordinal, device)
    return 0


cdef PyObject* call_device(PyObject* cls, PyObject* const* arguments, size_t flags, PyObject* names) except NULL:
    """Return an existing object for `Device()` and `Device(0)` without going through type.__call__."""
    cdef Py_ssize_t count = PyVectorcall_NARGS(flags), index
    cdef long long ordinal = -1
    if names == NULL and count == 0:
        ordinal = max(current_ordinal(), 0)
    elif names == NULL and count == 1 and PyLong_CheckExact(<object>arguments[0]) and is_small(<object>arguments[0]):
        ordinal = small(<object>arguments[0])
    cdef PyObject* found = NULL
    if 0 <= ordinal < 256:
        found = open_cuda_find_device(ordinal)
        if found != NULL:
            Py_INCREF(<object>found)
            return found
    positional = tuple([<object>arguments[index] for index in range(count)])
    keywords = {}
    if names != NULL:
        keywords = {
            name: <object>arguments[count + index] for index, name in enumerate(<tuple><object>names)
        }
    device = type.__call__(<object>cls, *positional, **keywords)
    Py_INCREF(device)
    return <PyObject*>device
