# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core.graph._state cimport State


cdef class NodeFactory:
    cdef State state
    cdef object __weakref__

    cdef list before(self)
    cdef object new_node(self, cydriver.CUgraphNode node, cydriver.CUuserObject user, object details)
    cdef object add_conditional(self, object condition, int kind, unsigned int size)


cdef class Dependencies:
    cdef size_t count
    cdef cydriver.CUgraph graph
    cdef cydriver.CUgraphNode* nodes


cdef object node_object(State state, cydriver.CUgraphNode node)
cdef int fill_conditional(cydriver.CUgraphNodeParams* params, condition, int kind, unsigned int size) except -1
cdef int set_attributes(cydriver.CUgraphNode node, LaunchConfig config) except -1
cdef cydriver.CUevent event_handle(object event) except NULL
cdef State state_of(object graph, str name)
