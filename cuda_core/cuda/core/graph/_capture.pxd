# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream
from cuda.core.graph._state cimport State

cdef enum Phase:
    NEW, BUILDING, FINISHED, FAILED, CLOSED

cdef tuple PHASES  # description of each Phase for messages


cdef class Capture:
    cdef Stream captured
    cdef bint own
    cdef Phase phase
    cdef State state  # the graph
    cdef bint body  # whether the graph is the body of a conditional node
    cdef bint forked  # whether it was created by `split`, so that it must be joined
    cdef list joined  # streams of joined builders: they take part in the capture and are closed after it
    cdef object __weakref__

    cdef int not_closed(self) except -1
    cdef int need(self, Phase phase, str method) except -1
    cdef int begin(self, cydriver.CUstreamCaptureMode mode) except -1
    cdef int end(self) except -1
    cdef int close_joined(self) except -1
    cdef int wait_for(self, Capture other) except -1
    cdef cydriver.CUgraphNode add(self, cydriver.CUgraphNodeParams* params) except NULL
