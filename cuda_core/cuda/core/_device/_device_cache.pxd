# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cpython.object cimport PyObject

ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) except NULL

cdef dict devices_here()
cdef int note_device(int ordinal, PyObject* device) except -1
cdef PyObject* call_device(PyObject* cls, PyObject* const* arguments, size_t flags, PyObject* names) except NULL
