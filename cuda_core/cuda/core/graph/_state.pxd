# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core.graph._retain cimport Entry


cdef class Book:
    cdef dict details
    cdef dict kept
    cdef dict inner

    cdef list given_back(self, cydriver.CUgraph holder)


cdef class State:
    cdef cydriver.CUgraph native
    cdef State parent
    cdef bint owned
    cdef bint body
    cdef bint gone
    cdef Book book
    cdef dict children
    cdef object nodes
    cdef object __weakref__

    @staticmethod
    cdef State wrap(cydriver.CUgraph native, State parent, bint owned)
    cdef bint alive(self)
    cdef cydriver.CUgraph holder(self) except NULL
    cdef cydriver.CUgraph open_handle(self) except NULL
    cdef State child(self, cydriver.CUgraphNode node, cydriver.CUgraph native, bint body)
    cdef cydriver.CUuserObject keep(self, Entry* entry) except? NULL
    cdef int take_back(self, cydriver.CUuserObject user) except -1
    cdef int note(self, cydriver.CUgraphNode node, cydriver.CUuserObject user, object details) except -1
    cdef int lose_children(self, cydriver.CUgraphNode node) except -1
    cdef int forget(self, cydriver.CUgraphNode node) except -1


cdef class GraphCondition:
    cdef cydriver.CUgraphConditionalHandle native
    cdef State state
    cdef object __weakref__

    @staticmethod
    cdef GraphCondition create(State state, object default_value)

    @staticmethod
    cdef GraphCondition wrap(cydriver.CUgraphConditionalHandle native, State state)


cdef cydriver.CUcontext current_context() except NULL
cdef cydriver.CUgraph capture_graph(cydriver.CUstream stream) except? NULL
cdef unsigned int checked_uint(object value, str name) except? 0
