# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        pass
    object PyType_GenericAlloc(PyTypeObject*, Py_ssize_t)


cdef class Handle:
    cdef unsigned long long value


cdef inline Handle new_of(type cls, unsigned long long value):
    """Return an object of a handle class, without the checks of its __init__."""
    cdef Handle handle = PyType_GenericAlloc(<PyTypeObject*>cls, 0)
    handle.value = value
    return handle
