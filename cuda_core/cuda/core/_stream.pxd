# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver


cdef class Stream:
    cdef cydriver.CUstream native
    cdef bint owned
    cdef bint closed
    cdef int device_id
    cdef uint64_t life  # of the context, see `life_of`; 0 if unknown
    cdef object owner
    cdef object callbacks
    cdef object __weakref__

    @staticmethod
    cdef Stream wrap(cydriver.CUstream native, object owner)
    cdef cydriver.CUstream open_handle(self) except? NULL
    cdef int ordinal(self) except -1


cdef Stream as_stream(object obj, str argument)
