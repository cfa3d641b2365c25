# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Event:
    cdef cydriver.CUevent native
    cdef int device_id
    cdef bint timing
    cdef bint blocking
    cdef bint ipc
    cdef int uses
    cdef cydriver.CUevent retired
    cdef object __weakref__

    @staticmethod
    cdef Event create(int device_id, object options)
    cdef cydriver.CUevent open_handle(self) except NULL
    cdef int drop_use(self) except -1


cdef class EventUse:
    cdef Event of
