# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""State: the data shared by all Python objects of one CUgraph; GraphCondition."""

cimport cython
from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check, is_finalizing
from cuda.core._device._context cimport initialise, no_context
from cuda.core.graph._retain cimport Entry, release, retain

from weakref import WeakValueDictionary

from cuda.core._errors import ClosedError, not_pickled


cdef cydriver.CUcontext current_context() except NULL:
    """Return this thread's current context, or raise with advice on how to set one."""
    cdef cydriver.CUcontext context = NULL
    initialise()
    check(cydriver.cuCtxGetCurrent(&context), b"cuCtxGetCurrent")
    if context == NULL:
        no_context(b"cuCtxGetCurrent")
    return context


cdef unsigned int checked_uint(object value, str name) except? 0:
    """Return an argument as a C unsigned int, or raise if it is out of range."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value <= 0xFFFFFFFF:
        raise OverflowError(f"{name} must be from 0 to 4294967295, not {value}")
    return value


cdef cydriver.CUgraph capture_graph(cydriver.CUstream stream) except? NULL:
    """Return the graph that a stream is captured into, NULL if it is not captured."""
    cdef cydriver.CUstreamCaptureStatus status
    cdef cydriver.CUgraph graph = NULL
    check(
        cydriver.cuStreamGetCaptureInfo(stream, &status, NULL, &graph, NULL, NULL, NULL), b"cuStreamGetCaptureInfo"
    )
    return graph if status == cydriver.CU_STREAM_CAPTURE_STATUS_ACTIVE else NULL


cdef class Book:
    """Records about a graph's nodes that live as long as the graph, independently of its Python objects.

    `details` holds properties of nodes that the driver cannot return (callback, kernel), `kept` the user objects of a
    node's parameters and the graphs that retain them, `inner` the Books of the graphs within a node.
    """

    def __cinit__(self):
        self.details, self.kept, self.inner = {}, {}, {}

    cdef list given_back(self, cydriver.CUgraph holder):
        """Return the user objects of this graph, and of those within it, that the graph `holder` retains."""
        cdef Book book
        found = [user for user, where in self.kept.values() if where == <uintptr_t>holder]
        for books in self.inner.values():
            for each in books.values():
                book = each
                found += book.given_back(holder)
        return found


cdef class State:
    """A CUgraph, destroyed with the last object that refers to it unless it belongs to a node.

    User objects are retained by the graph whose nodes need them, so that they are released and cloned with it (CUDA
    programming guide, "CUDA User Objects"). The guide does not mention bodies of conditional nodes: their user objects
    are retained by the graph with the conditional node. `nodes` holds the live Python objects of nodes, `children` the
    States of the graphs within nodes.
    """

    @staticmethod
    cdef State wrap(cydriver.CUgraph native, State parent, bint owned):
        cdef State self = State.__new__(State)
        self.native = native
        self.parent = parent
        self.owned = owned
        self.book, self.children, self.nodes = Book(), {}, WeakValueDictionary()
        return self

    def __dealloc__(self):
        if self.owned and not self.gone and not is_finalizing():
            cydriver.cuGraphDestroy(self.native)

    cdef bint alive(self):
        return not self.gone and (self.parent is None or self.parent.alive())

    cdef cydriver.CUgraph holder(self) except NULL:
        """Return the graph that retains the user objects of this one's nodes."""
        return self.parent.holder() if self.body else self.native

    cdef cydriver.CUgraph open_handle(self) except NULL:
        if not self.alive():
            raise ClosedError("this graph is gone: the node that it belonged to was destroyed or has another one now")
        return self.native

    @cython.critical_section
    cdef State child(self, cydriver.CUgraphNode node, cydriver.CUgraph native, bint body):
        """Return the State of a graph within a node: the body of a conditional node, or a child graph."""
        found = self.children.setdefault(<uintptr_t>node, WeakValueDictionary())
        cdef object state = found.get(<uintptr_t>native)
        cdef State made
        if state is None:
            made = State.wrap(native, self, False)
            made.body = body
            made.book = self.book.inner.setdefault(<uintptr_t>node, {}).setdefault(<uintptr_t>native, made.book)
            state = found[<uintptr_t>native] = made
        return state

    cdef cydriver.CUuserObject keep(self, Entry* entry) except? NULL:
        """Keep an entry alive as long as the graph, its clones and the graphs instantiated from it."""
        return retain(self.holder(), entry)

    cdef int take_back(self, cydriver.CUuserObject user) except -1:
        """Release the user object that `keep` returned."""
        return release(self.holder(), user)

    @cython.critical_section
    cdef int note(self, cydriver.CUgraphNode node, cydriver.CUuserObject user, object details) except -1:
        """Record the user object and details of a node's parameters, and release those of its former parameters."""
        cdef object before = self.book.kept.pop(<uintptr_t>node, None)
        if details is not None:
            self.book.details[<uintptr_t>node] = details
        if user != NULL:
            self.book.kept[<uintptr_t>node] = (<uintptr_t>user, <uintptr_t>self.holder())
        if before is not None:
            self.take_back(<cydriver.CUuserObject><uintptr_t>before[0])
        return 0

    cdef int forget(self, cydriver.CUgraphNode node) except -1:
        """Remove the records of a destroyed node."""
        self.book.details.pop(<uintptr_t>node, None)
        self.nodes.pop(<uintptr_t>node, None)
        self.lose_children(node)
        return self.note(node, NULL, None)

    @cython.critical_section
    cdef int lose_children(self, cydriver.CUgraphNode node) except -1:
        """Remove the records of the destroyed graphs within a node, and release the user objects kept for them."""
        cdef Book book
        for state in list(self.children.pop(<uintptr_t>node, {}).values()):
            (<State>state).gone = True
        for each in self.book.inner.pop(<uintptr_t>node, {}).values():
            book = each
            for user in book.given_back(self.holder()):
                self.take_back(<cydriver.CUuserObject><uintptr_t>user)
        return 0

    def __reduce__(self):
        raise not_pickled(self)


cdef class GraphCondition:
    """A value that kernels set with ``cudaGraphSetConditional`` and that controls conditional nodes.

    Conditions come from `GraphDefinition.create_condition` and `GraphBuilder.create_condition`. Pass one as kernel
    argument for a parameter of type ``cudaGraphConditionalHandle``.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> condition = definition.create_condition(default_value=1)
    >>> definition.if_then(condition).condition == condition
    True
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a GraphCondition is not made directly: use create_condition of a graph")

    @staticmethod
    cdef GraphCondition wrap(cydriver.CUgraphConditionalHandle native, State state):
        cdef GraphCondition self = GraphCondition.__new__(GraphCondition)
        self.native = native
        self.state = state
        return self

    @staticmethod
    cdef GraphCondition create(State state, object default_value):
        cdef cydriver.CUgraphConditionalHandle native
        cdef unsigned int value = 0, flags = 0
        if default_value is not None:
            value, flags = checked_uint(default_value, "default_value"), cydriver.CU_GRAPH_COND_ASSIGN_DEFAULT
        check(
            cydriver.cuGraphConditionalHandleCreate(&native, state.open_handle(), current_context(), value, flags),
            b"cuGraphConditionalHandleCreate",
        )
        return GraphCondition.wrap(native, state)

    @property
    def handle(self) -> int:
        """Return the condition's CUgraphConditionalHandle as an int."""
        return self.native

    def __int__(self):
        return self.native

    def __index__(self):
        return self.native

    def __eq__(self, other):
        if not isinstance(other, GraphCondition):
            return NotImplemented
        return self.native == (<GraphCondition>other).native

    def __hash__(self):
        return hash(self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<GraphCondition {self.native:#x}>"
