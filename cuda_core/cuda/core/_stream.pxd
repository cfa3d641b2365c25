# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Stream:
    cdef cydriver.CUstream native
    cdef bint owned
    cdef bint closed
    cdef int device_id
    cdef object owner
    cdef object callbacks
    cdef object __weakref__

    @staticmethod
    cdef Stream wrap(cydriver.CUstream native, object owner)
    cdef cydriver.CUstream open_handle(self) except? NULL
    cdef int ordinal(self) except -1


cdef Stream as_stream(object obj, str argument)
