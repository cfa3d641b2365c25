# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Conditional nodes: if, if-else, while and switch."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core.graph._node cimport GraphNode
from cuda.core.graph._state cimport GraphCondition, State

from cuda.core.typing import GraphConditionalType


cdef class ConditionalNode(GraphNode):
    """A node whose body graphs depend on a condition: base of IfNode, IfElseNode, WhileNode and SwitchNode.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.if_then(definition.create_condition())
    >>> isinstance(node, ConditionalNode), str(node.cond_type)
    (True, 'if')
    """

    @staticmethod
    def _class_of(State state, uintptr_t address):
        """Return the class for a conditional node."""
        details = state.book.details.get(address)
        if details is None:
            details = _ask_conditional(state, <cydriver.CUgraphNode>address)
        if details is None:
            return ConditionalNode
        if details[1] == <int>cydriver.CU_GRAPH_COND_TYPE_WHILE:
            return WhileNode
        if details[1] == <int>cydriver.CU_GRAPH_COND_TYPE_SWITCH:
            return SwitchNode
        return IfNode if len(details[2]) == 1 else IfElseNode

    @property
    def condition(self):
        """Return the condition; None if unknown: for nodes not created here, with a driver before CUDA 13.2."""
        details = self._known()
        return None if details is None else GraphCondition.wrap(details[0], self.state)

    @property
    def cond_type(self):
        """Return the type, a `GraphConditionalType`; None if unknown."""
        details = self._known()
        return None if details is None else _CONDITIONALS[details[1]]

    @property
    def branches(self) -> tuple:
        """Return the body graphs; an empty tuple if unknown."""
        from cuda.core.graph._definition import definition_of

        details = self._known()
        if details is None:
            return ()
        return tuple(
            [
                definition_of(self.state.child(self.native, <cydriver.CUgraph><uintptr_t>graph, True))
                for graph in details[2]
            ]
        )

    def _known(self):
        """Return the condition's handle, type and body graphs: as recorded on creation, or from the driver."""
        details = self.details()
        if details is None:
            details = _ask_conditional(self.state, self.native)
            if details is not None:
                self.state.book.details[<uintptr_t>self.native] = details
        return details


cdef object _ask_conditional(State state, cydriver.CUgraphNode node):
    cdef cydriver.CUgraphNodeParams params
    memset(&params, 0, sizeof(params))
    try:
        if cydriver.cuGraphNodeGetParams(node, &params) != cydriver.CUDA_SUCCESS:
            return None
    except RuntimeError:
        return None  # a driver before CUDA 13.2
    if params.conditional.phGraph_out == NULL:
        return None
    graphs = [<uintptr_t>params.conditional.phGraph_out[index] for index in range(params.conditional.size)]
    return params.conditional.handle, <int>params.conditional.type, graphs


_CONDITIONALS = {
    <int>cydriver.CU_GRAPH_COND_TYPE_IF: GraphConditionalType("if"),
    <int>cydriver.CU_GRAPH_COND_TYPE_WHILE: GraphConditionalType("while"),
    <int>cydriver.CU_GRAPH_COND_TYPE_SWITCH: GraphConditionalType("switch"),
}


cdef class IfNode(ConditionalNode):
    """A node whose body graph runs if a condition is not 0.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.if_then(definition.create_condition(default_value=1))
    >>> inner = node.then.memset(buffer, 0, 400)
    >>> node.then.nodes() == {inner}
    True
    """

    @property
    def then(self):
        """Return the body graph."""
        return self.branches[0]


cdef class IfElseNode(ConditionalNode):
    """A node with two body graphs, one for a condition that is not 0 and one for 0.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.if_else(definition.create_condition(default_value=1))
    >>> node.branches == (node.then, node.else_)
    True
    """

    @property
    def then(self):
        """Return the graph that runs if the condition is not 0."""
        return self.branches[0]

    @property
    def else_(self):
        """Return the graph that runs if the condition is 0."""
        return self.branches[1]


cdef class WhileNode(ConditionalNode):
    """A node whose body graph is repeated while a condition is not 0.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.while_loop(definition.create_condition(default_value=0))
    >>> node.body.nodes()
    set()
    """

    @property
    def body(self):
        """Return the body graph."""
        return self.branches[0]


cdef class SwitchNode(ConditionalNode):
    """A node with several body graphs; the value of a condition is the index of the one that runs.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.switch(definition.create_condition(default_value=0), 4)
    >>> len(node.branches)
    4
    """
