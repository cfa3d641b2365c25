# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Conversion of a CUresult into an exception."""

from cuda.bindings cimport cydriver

cdef extern from "Python.h":
    int Py_MakePendingCalls() except -1  # runs signal handlers, too

import sys
import warnings

from cuda.core._errors import driver_error

dev_mode = sys.flags.dev_mode

after_wait = None


def call_after_waits(function) -> None:
    """Set the function that each synchronisation of this package calls afterwards."""
    global after_wait
    after_wait = function


cdef int warn_unclosed(str shown, object source) except -1:
    """Issue a ResourceWarning for an object that was garbage-collected without close(), as Python does for files."""
    advice = f"unclosed {shown}: it was given back only now; close it, or use it in a with statement"
    warnings.warn(advice, ResourceWarning, stacklevel=1, source=source)
    return 0


cdef int fail(cydriver.CUresult status, const char* call, str advice="") except -1 with gil:
    """Raise the exception for `status`, or first that of a pending signal handler, which interrupted the call."""
    Py_MakePendingCalls()
    raise error_of(status, call, advice)


cdef object error_of(cydriver.CUresult status, const char* call, str advice=""):
    """Return the exception for `status`."""
    cdef const char* name = NULL
    cdef const char* description = NULL
    cydriver.cuGetErrorName(status, &name)
    cydriver.cuGetErrorString(status, &description)
    return driver_error(
        name.decode() if name != NULL else f"CUDA error {<int>status}",
        description.decode() if description != NULL else "the driver has no description of it",
        <int>status,
        call.decode(),
        advice,
    )
