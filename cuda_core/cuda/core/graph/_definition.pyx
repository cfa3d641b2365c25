# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""GraphDefinition: CUgraph, built node by node."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport initialise
from cuda.core.graph._node_factory cimport NodeFactory, node_object
from cuda.core.graph._state cimport GraphCondition, State

import os

from cuda.core._errors import not_pickled
from cuda.core._utils._options import as_options
from cuda.core.graph._options import GraphDebugPrintOptions


def definition_of(of):
    """Return the GraphDefinition of a State, or of the graph that a node is part of."""
    cdef GraphDefinition self = GraphDefinition.__new__(GraphDefinition)
    self.state = <State>of if isinstance(of, State) else (<NodeFactory>of).state
    return self


cdef class GraphDefinition(NodeFactory):
    """A graph that is built node by node.

    Its methods add nodes without dependencies; those of a node add nodes that depend on it. `instantiate` creates a
    Graph to launch. A Buffer, kernel, event or function that a node uses is kept alive by the graph and by graphs
    instantiated from it. The graph is destroyed when neither it nor one of its nodes is referenced any more.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> graph = GraphDefinition()
    >>> filled = graph.memset(buffer, 0, buffer.size)
    >>> node = filled.launch(config, kernel, buffer, 2.0, 100)
    >>> graph.instantiate().launch(stream)
    """

    def __init__(self):
        cdef cydriver.CUgraph native = NULL
        initialise()
        check(cydriver.cuGraphCreate(&native, 0), b"cuGraphCreate")
        self.state = State.wrap(native, None, True)

    @property
    def handle(self):
        """Return the graph as `cuda.bindings.driver.CUgraph`, None once destroyed."""
        from cuda.bindings import driver

        return driver.CUgraph(<uintptr_t>self.state.native) if self.is_valid else None

    @property
    def is_valid(self) -> bool:
        """Return whether the graph exists: one that belongs to a node is destroyed with it."""
        return self.state.alive()

    def empty(self):
        """Add an empty node, which can serve as a barrier between other nodes (cuGraphAddEmptyNode).

        Returns
        -------
        EmptyNode
            The new node.

        Raises
        ------
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> start = definition.empty()
        >>> branches = [start.memset(buffer, 0, 100), start.memset(int(buffer.handle) + 100, 0, 100)]
        >>> len(start.succ)
        2
        """
        return self.join()

    def create_condition(self, default_value=None):
        """Create a condition for conditional nodes of this graph (cuGraphConditionalHandleCreate).

        Parameters
        ----------
        default_value : int, optional
            Its value at the start of each launch; by default the value that the previous launch left.

        Returns
        -------
        GraphCondition
            Pass it to kernels that set it, and to `if_then`, `while_loop` or `switch`.

        Raises
        ------
        TypeError
            If `default_value` is no int.
        OverflowError
            If it is negative or exceeds 32 bits.
        ClosedError
            If the graph was destroyed.
        CUDAError
            If the condition cannot be created.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> condition = definition.create_condition(default_value=0)
        >>> definition.if_then(condition).condition == condition
        True
        """
        return GraphCondition.create(self.state, default_value)

    def nodes(self) -> set:
        """Return all nodes (cuGraphGetNodes).

        Returns
        -------
        set of GraphNode
            The nodes, without those of child graphs.

        Raises
        ------
        ClosedError
            If the graph was destroyed.
        MemoryError
            If the host has no memory.
        CUDAError
            If cuGraphGetNodes fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, 0, 400)
        >>> definition.nodes() == {node}
        True
        """
        cdef cydriver.CUgraph graph = self.state.open_handle()
        cdef size_t count = 0, index
        check(cydriver.cuGraphGetNodes(graph, NULL, &count), b"cuGraphGetNodes")
        cdef cydriver.CUgraphNode* found = <cydriver.CUgraphNode*>malloc((count or 1) * sizeof(cydriver.CUgraphNode))
        if found == NULL:
            raise MemoryError
        try:
            if count:
                check(cydriver.cuGraphGetNodes(graph, found, &count), b"cuGraphGetNodes")
            return {node_object(self.state, found[index]) for index in range(count)}
        finally:
            free(found)

    def edges(self) -> set:
        """Return all edges, as pairs of nodes: the second waits for the first.

        Returns
        -------
        set of tuple of GraphNode
            The edges.

        Raises
        ------
        ClosedError
            If the graph was destroyed.
        MemoryError
            If the host has no memory.
        CUDAError
            If the driver fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> first = definition.memset(buffer, 0, 400)
        >>> second = first.launch(config, kernel, buffer, 2.0, 100)
        >>> definition.edges() == {(first, second)}
        True
        """
        return {(node, after) for node in self.nodes() for after in node.succ}

    def instantiate(self, options=None):
        """Instantiate the graph (cuGraphInstantiateWithParams).

        Parameters
        ----------
        options : GraphCompleteOptions, optional
            Options of the instantiation.

        Returns
        -------
        Graph
            Later changes of this definition do not affect it; see `Graph.update`.

        Raises
        ------
        TypeError
            If `options` are of another type.
        ClosedError
            If the graph was destroyed.
        CUDAError
            If the graph cannot be instantiated; the message says why.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> graph = definition.instantiate()
        >>> graph.launch(stream)
        """
        from cuda.core.graph import Graph

        return Graph._instantiate(self.state, options)

    def debug_dot_print(self, path, options=None) -> None:
        """Write the graph to a file in DOT, the language of Graphviz (cuGraphDebugDotPrint).

        Parameters
        ----------
        path : str
            The file.
        options : GraphDebugPrintOptions, optional
            The details to include.

        Raises
        ------
        TypeError
            If `path` is no path, or `options` are of another type.
        ValueError
            If `path` contains a NUL character.
        ClosedError
            If the graph was destroyed.
        CUDAError
            If the file cannot be written.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, 0, 400)
        >>> definition.debug_dot_print("graph.dot")
        >>> from pathlib import Path
        >>> "digraph" in Path("graph.dot").read_text()
        True
        """
        print_dot(self.state, path, options)

    def __eq__(self, other):
        if not isinstance(other, GraphDefinition):
            return NotImplemented
        return self.state is (<NodeFactory>other).state

    def __hash__(self):
        return hash(<uintptr_t>self.state.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        state = f"{<uintptr_t>self.state.native:#x}" if self.is_valid else "gone"
        return f"<GraphDefinition {state}>"


def print_dot(State state not None, path, options) -> None:
    """Implement `debug_dot_print`."""
    cdef bytes name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"path must not contain a NUL character: {path!r:.60}")
    cdef const char* text = name
    cdef unsigned int flags = as_options(GraphDebugPrintOptions, options, "options")._flags()
    check(cydriver.cuGraphDebugDotPrint(state.open_handle(), text, flags), b"cuGraphDebugDotPrint")
