# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cpython.ref cimport PyObject

from cuda.bindings cimport cydriver


cdef struct Entry:
    Entry* next
    PyObject* object

cdef Entry* hold(object obj) except NULL
cdef object in_use(object owner)
cdef void discard(void* entry) noexcept nogil
cdef void call_entry(void* entry) noexcept nogil
cdef cydriver.CUuserObject retain(cydriver.CUgraph graph, Entry* entry) except? NULL
cdef int release(cydriver.CUgraph graph, cydriver.CUuserObject user) except -1
cdef int drain() except -1
