# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""GraphNode: base of all nodes, with their edges to other nodes."""

cimport cython
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check
from cuda.core.graph._node_factory cimport NodeFactory, node_object
from cuda.core.graph._state cimport State

from cuda.core._errors import ClosedError, not_pickled


cdef cydriver.CUresult _adjacent(
    cydriver.CUgraphNode node,
    bint after,
    cydriver.CUgraphNode* found,
    cydriver.CUgraphEdgeData* edges,
    size_t* count,
) except *:
    if after:
        return cydriver.cuGraphNodeGetDependentNodes(node, found, edges, count)
    return cydriver.cuGraphNodeGetDependencies(node, found, edges, count)


cdef class GraphNode(NodeFactory):
    """A node of a graph. Its methods add nodes that depend on it; `pred` and `succ` are sets that change its edges.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> first = definition.memset(buffer, 0, 400)
    >>> second = first.launch(config, kernel, buffer, 2.0, 100)
    >>> first.succ == {second}, second.pred == {first}
    (True, True)
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"a {type(self).__name__} is not made directly: use a method of a graph or node")

    @staticmethod
    def _of(State state, uintptr_t address):
        """Create the Python object for a CUgraphNode."""
        from cuda.core import graph

        cdef int kind = _kind(<cydriver.CUgraphNode>address)
        if kind == <int>cydriver.CU_GRAPH_NODE_TYPE_CONDITIONAL:
            cls = graph.ConditionalNode._class_of(state, address)
        else:
            cls = getattr(graph, _CLASSES[kind]) if kind in _CLASSES else GraphNode
        cdef GraphNode self = cls.__new__(cls)
        self.native = <cydriver.CUgraphNode>address
        self.state = state
        return state.nodes.setdefault(address, self)

    cdef list before(self):
        return [<uintptr_t>self.open_node()]

    cdef cydriver.CUgraphNode open_node(self) except NULL:
        self.state.open_handle()
        if self.native == NULL:
            raise ClosedError("this node was destroyed")
        return self.native

    @property
    def handle(self):
        """Return the node as `cuda.bindings.driver.CUgraphNode`, None once destroyed."""
        from cuda.bindings import driver

        return driver.CUgraphNode(<uintptr_t>self.native) if self.is_valid else None

    @property
    def is_valid(self) -> bool:
        """Return whether the node is still part of its graph."""
        return self.native != NULL and self.state.alive()

    @property
    def graph(self):
        """Return the graph that the node is part of."""
        from cuda.core.graph._definition import definition_of

        return definition_of(self)

    @property
    def type(self):
        """Return the type of the node as `cuda.bindings.driver.CUgraphNodeType`."""
        from cuda.bindings import driver

        return driver.CUgraphNodeType(_kind(self.open_node()))

    @property
    def pred(self):
        """Return the set of nodes that this one depends on; changing or assigning it changes the edges."""
        from cuda.core.graph._adjacency import AdjacencySet

        return AdjacencySet(self, False)

    @pred.setter
    def pred(self, nodes):
        self.pred._assign(nodes)

    @property
    def succ(self):
        """Return the set of nodes that depend on this one; changing or assigning it changes the edges."""
        from cuda.core.graph._adjacency import AdjacencySet

        return AdjacencySet(self, True)

    @succ.setter
    def succ(self, nodes):
        self.succ._assign(nodes)

    def _neighbours(self, bint after):
        """Return the predecessors of this node or, if `after`, its successors."""
        cdef size_t count = 0, index
        cdef cydriver.CUgraphNode node = self.open_node()
        check(_adjacent(node, after, NULL, NULL, &count), b"cuGraphNodeGetDependencies")
        cdef cydriver.CUgraphNode* found = <cydriver.CUgraphNode*>malloc((count or 1) * sizeof(cydriver.CUgraphNode))
        cdef cydriver.CUgraphEdgeData* edges
        edges = <cydriver.CUgraphEdgeData*>malloc((count or 1) * sizeof(cydriver.CUgraphEdgeData))
        try:
            if found == NULL or edges == NULL:
                raise MemoryError
            if count:
                check(_adjacent(node, after, found, edges, &count), b"cuGraphNodeGetDependencies")
            return [node_object(self.state, found[index]) for index in range(count)]
        finally:
            free(found)
            free(edges)

    def _connect(self, other, bint after, bint connected):
        """Add or remove the edge between this node and another one of its graph."""
        cdef cydriver.CUgraphNode first = self.open_node(), last
        if not isinstance(other, GraphNode):
            raise TypeError(f"a node must be a GraphNode, not {type(other).__name__}")
        if (<GraphNode>other).state is not self.state:
            raise ValueError("the node is of another graph")
        last = (<GraphNode>other).open_node()
        if not after:
            first, last = last, first
        cdef cydriver.CUgraph graph = self.state.open_handle()
        if connected:
            check(cydriver.cuGraphAddDependencies(graph, &first, &last, NULL, 1), b"cuGraphAddDependencies")
        else:
            check(cydriver.cuGraphRemoveDependencies(graph, &first, &last, NULL, 1), b"cuGraphRemoveDependencies")

    @cython.critical_section
    def destroy(self) -> None:
        """Remove the node and its edges from the graph (cuGraphDestroyNode). A second call does nothing.

        Raises
        ------
        CUDAError
            If cuGraphDestroyNode fails, for example for a node of a child graph.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, 0, 400)
        >>> node.destroy()
        >>> node.is_valid, definition.nodes()
        (False, set())
        """
        cdef cydriver.CUgraphNode node = self.native
        if not self.is_valid:
            return
        check(cydriver.cuGraphDestroyNode(node), b"cuGraphDestroyNode")
        self.native = NULL
        self.state.forget(node)

    cdef object details(self):
        """Return the details recorded when the node was created here, None for other nodes."""
        return self.state.book.details.get(<uintptr_t>self.open_node())

    def _changed(self, uintptr_t user, int status, bytes call, details):
        """Finish an update: keep the objects that the new parameters refer to alive, or raise its error."""
        cdef const char* name = call
        if status != 0:
            if user:
                self.state.take_back(<cydriver.CUuserObject>user)
            check(<cydriver.CUresult>status, name)
        self.state.note(self.native, <cydriver.CUuserObject>user, details)

    def __eq__(self, other):
        if not isinstance(other, GraphNode):
            return NotImplemented
        return self is other or (self.native != NULL and self.native == (<GraphNode>other).native)

    def __hash__(self):
        return id(self) if self.native == NULL else hash(<uintptr_t>self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        state = f"{<uintptr_t>self.native:#x}" if self.is_valid else "destroyed"
        return f"<{type(self).__name__} {state}>"


cdef int _kind(cydriver.CUgraphNode node) except -1:
    cdef cydriver.CUgraphNodeType kind
    check(cydriver.cuGraphNodeGetType(node, &kind), b"cuGraphNodeGetType")
    return <int>kind


_CLASSES = {
    <int>cydriver.CU_GRAPH_NODE_TYPE_KERNEL: "KernelNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_MEMCPY: "MemcpyNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_MEMSET: "MemsetNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_HOST: "HostCallbackNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_GRAPH: "ChildGraphNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_EMPTY: "EmptyNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_WAIT_EVENT: "EventWaitNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_EVENT_RECORD: "EventRecordNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_MEM_ALLOC: "AllocNode",
    <int>cydriver.CU_GRAPH_NODE_TYPE_MEM_FREE: "FreeNode",
}
