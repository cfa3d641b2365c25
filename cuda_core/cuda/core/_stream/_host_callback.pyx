# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The C function that the driver calls for `Stream.add_callback`."""

from cpython.ref cimport Py_DECREF, PyObject

import atexit

# Whether the interpreter is shutting down: the GIL must not be acquired from then on.
cdef bint ending = False


@atexit.register
def _end():
    global ending
    ending = True


cdef void call_back(void* context) noexcept nogil:
    """Run a callback on the driver's thread, unless the interpreter is shutting down."""
    if not ending:
        call_back_with_gil(context)


cdef void call_back_with_gil(void* context) noexcept with gil:
    cdef object callbacks, function
    callbacks, function = <object><PyObject*>context
    Py_DECREF(<object><PyObject*>context)
    callbacks.run(function)
