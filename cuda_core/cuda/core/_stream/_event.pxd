# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver


cdef class Event:
    cdef cydriver.CUevent native
    cdef int device_id
    cdef uint64_t context_id  # id of the context, see `primary_id`; 0 if unknown
    cdef bint timing
    cdef bint blocking
    cdef bint ipc
    cdef int uses
    cdef cydriver.CUevent retired
    cdef object __weakref__

    @staticmethod
    cdef Event create(int device_id, object options, uint64_t context_id=*)
    cdef cydriver.CUevent open_handle(self) except NULL
    cdef int destroy(self, cydriver.CUevent native) except -1
    cdef int drop_use(self) except -1


cdef class EventUse:
    cdef Event of
