# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core.graph._node_factory cimport NodeFactory


cdef class GraphNode(NodeFactory):
    cdef cydriver.CUgraphNode native

    cdef cydriver.CUgraphNode open_node(self) except NULL
    cdef object details(self)
