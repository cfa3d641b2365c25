# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream
from cuda.core.graph._state cimport State

cdef enum Phase:
    NEW, BUILDING, FINISHED, FAILED, CLOSED

cdef tuple PHASES  # what to say of each Phase in messages


cdef class Capture:
    cdef Stream captured
    cdef bint own
    cdef Phase phase
    cdef State state  # the graph
    cdef bint body  # the graph belongs to a conditional node
    cdef bint forked  # made by split, so that it must be joined
    cdef list joined  # streams of joined builders: they are closed when the capture, of which they are part, has ended
    cdef object __weakref__

    cdef int not_closed(self) except -1
    cdef int need(self, Phase phase, str what) except -1
    cdef int begin(self, cydriver.CUstreamCaptureMode mode) except -1
    cdef int end(self) except -1
    cdef int close_joined(self) except -1
    cdef int wait_for(self, Capture other) except -1
    cdef cydriver.CUgraphNode add(self, cydriver.CUgraphNodeParams* params) except NULL
