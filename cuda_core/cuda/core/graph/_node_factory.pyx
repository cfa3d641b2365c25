# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""NodeFactory: the methods of graphs and nodes that add nodes."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._memory._pointer cimport checked_size, pointer_value
from cuda.core._utils._check cimport check, fail
from cuda.core._device._context cimport current_ordinal
from cuda.core._stream._event cimport Event
from cuda.core._launch._launch cimport explain
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core.graph._params cimport CopyParams, FillParams, HostParams, KernelParams
from cuda.core.graph._retain cimport hold, in_use
from cuda.core.graph._state cimport GraphCondition, State, checked_uint, current_context

from cuda.core._errors import ClosedError
from cuda.core.typing import GraphMemoryType


cdef class Dependencies:
    """The dependencies of a new node."""

    def __cinit__(self, NodeFactory parent, extra=()):
        self.graph = parent.state.open_handle()
        handles = dict.fromkeys([*parent.before(), *extra])
        self.count = len(handles)
        self.nodes = <cydriver.CUgraphNode*>malloc((self.count or 1) * sizeof(cydriver.CUgraphNode))
        if self.nodes == NULL:
            raise MemoryError
        for index, handle in enumerate(handles):
            self.nodes[<size_t>index] = <cydriver.CUgraphNode><uintptr_t>handle

    def __dealloc__(self):
        free(self.nodes)


cdef object node_object(State state, cydriver.CUgraphNode node):
    """Return the Python object for a node, of which there is one at a time."""
    from cuda.core.graph import GraphNode

    found = state.nodes.get(<uintptr_t>node)
    return GraphNode._of(state, <uintptr_t>node) if found is None else found


cdef class NodeFactory:
    """Base of `GraphDefinition`, whose new nodes have no dependencies, and `GraphNode`, which new nodes depend on."""

    cdef list before(self):
        return []

    cdef object new_node(self, cydriver.CUgraphNode node, cydriver.CUuserObject user, object details):
        self.state.note(node, user, details)
        return node_object(self.state, node)

    def launch(self, config, kernel, *args):
        """Add a node that runs a kernel (cuGraphAddKernelNode).

        Parameters
        ----------
        config : LaunchConfig
            The launch configuration.
        kernel : Kernel
            The kernel.
        *args : object
            Its arguments, as in `cuda.core.launch`. The graph keeps them alive.

        Returns
        -------
        KernelNode
            The new node.

        Raises
        ------
        TypeError
            If `config`, `kernel` or an argument is of the wrong type.
        CUDAError
            If the node cannot be added; the message names the limit that the configuration exceeds.

        Examples
        --------
        >>> from cuda.core.graph import GraphDefinition
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        2.0
        """
        cdef KernelParams params = KernelParams.make(config, kernel, args)
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUuserObject user = self.state.keep(hold((kernel, args)))
        cdef cydriver.CUresult status
        status = cydriver.cuGraphAddKernelNode(&node, deps.graph, deps.nodes, deps.count, &params.native)
        try:
            if status != cydriver.CUDA_SUCCESS:
                fail(status, b"cuGraphAddKernelNode", explain(status, params.config, params.kernel, None))
            set_attributes(node, params.config)
        except BaseException:
            undo(self.state, node, user)
            raise
        return self.new_node(node, user, (kernel, config))

    def memcpy(self, dst, src, size, *, dst_owner=None, src_owner=None):
        """Add a node that copies memory (cuGraphAddMemcpyNode).

        Parameters
        ----------
        dst, src : Buffer, DeviceArray or int
            Destination and source: a Buffer, or an address on the device or the host.
        size : int
            Size in bytes.
        dst_owner, src_owner : object, optional
            The owner of the memory, if it is given as an address; the graph keeps it alive, as it keeps Buffers.

        Returns
        -------
        MemcpyNode
            The new node.

        Raises
        ------
        TypeError
            If an operand is neither a Buffer nor an address.
        ValueError
            If a Buffer is smaller than `size`.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> target = device.allocate(400, stream=stream)
        >>> node = GraphDefinition().memcpy(target, buffer, 400)
        >>> node.size
        400
        """
        cdef CopyParams params = CopyParams.make(dst, src, size, dst_owner, src_owner)
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUcontext context = current_context()
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(params.owners)))
        cdef cydriver.CUresult status
        status = cydriver.cuGraphAddMemcpyNode(&node, deps.graph, deps.nodes, deps.count, &params.native, context)
        return self._added(<uintptr_t>node, <uintptr_t>user, <int>status, b"cuGraphAddMemcpyNode", params.owners)

    def memset(self, dst, value, width, height=1, pitch=0, *, dst_owner=None):
        """Add a node that fills memory (cuGraphAddMemsetNode).

        Parameters
        ----------
        dst : Buffer, DeviceArray or int
            The destination: a Buffer or an address.
        value : int or bytes-like
            A byte (0 to 255), or a pattern of 1, 2 or 4 bytes such as ``numpy.float32(1)``.
        width : int
            The number of elements in a row; an element has the size of the pattern.
        height : int
            The number of rows.
        pitch : int
            Bytes from one row to the next; not used for a single row.
        dst_owner : object, optional
            The owner of the memory, if it is given as an address; the graph keeps it alive, as it keeps a Buffer.

        Returns
        -------
        MemsetNode
            The new node.

        Raises
        ------
        TypeError
            If `dst` is neither a Buffer nor an address, or `value` no pattern.
        ValueError
            If the pattern has another size, or a Buffer is too small.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, np.float32(0.5), 100)
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[99])
        0.5
        """
        cdef FillParams params = FillParams.make(dst, value, width, height, pitch, dst_owner)
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUcontext context = current_context()
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(params.owners)))
        cdef cydriver.CUresult status
        status = cydriver.cuGraphAddMemsetNode(&node, deps.graph, deps.nodes, deps.count, &params.native, context)
        return self._added(<uintptr_t>node, <uintptr_t>user, <int>status, b"cuGraphAddMemsetNode", params.owners)

    def callback(self, fn, *, user_data=None):
        """Add a node that calls a function on the host (cuGraphAddHostNode); it must not call CUDA.

        Parameters
        ----------
        fn : callable
            Called without arguments, with the GIL held; its exceptions go to ``sys.unraisablehook``. Or a
            ctypes function that takes a ``void *``, which is called without the GIL if it was created by
            ``ctypes.CDLL``.
        user_data : int or bytes-like, optional
            For a ctypes function: its argument as an int, or bytes, of which it gets the address of a copy.

        Returns
        -------
        HostCallbackNode
            The new node.

        Raises
        ------
        TypeError
            If `fn` is not callable.
        ValueError
            If `user_data` is given for a Python function.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> calls = []
        >>> definition = GraphDefinition()
        >>> node = definition.callback(lambda: calls.append(len(calls)))
        >>> graph = definition.instantiate()
        >>> graph.launch(stream), graph.launch(stream), stream.sync()
        (None, None, None)
        >>> calls
        [0, 1]
        """
        cdef Dependencies deps = Dependencies(self)
        cdef HostParams params = HostParams.make(fn, user_data)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUuserObject user = self.state.keep(params.entry)
        cdef cydriver.CUresult status
        status = cydriver.cuGraphAddHostNode(&node, deps.graph, deps.nodes, deps.count, &params.native)
        return self._added(<uintptr_t>node, <uintptr_t>user, <int>status, b"cuGraphAddHostNode", params.function)

    def embed(self, child):
        """Add a child graph node, which runs a copy of another graph (cuGraphAddChildGraphNode).

        Parameters
        ----------
        child : GraphDefinition
            The graph; later changes of it do not affect the node.

        Returns
        -------
        ChildGraphNode
            The new node.

        Raises
        ------
        TypeError
            If `child` is not a GraphDefinition.
        ClosedError
            If `child` was destroyed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> child, definition = GraphDefinition(), GraphDefinition()
        >>> first = child.launch(config, kernel, buffer, 2.0, 100)
        >>> node = definition.embed(child).embed(child)  # twice, one after the other
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        4.0
        """
        if not isinstance(child, NodeFactory):
            raise TypeError(
                f"child must be a GraphDefinition, not {type(child).__name__}: a builder's is its graph_definition"
            )
        cdef State inner = state_of(child, "child")
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUresult status = cydriver.cuGraphAddChildGraphNode(
            &node, deps.graph, deps.nodes, deps.count, inner.open_handle()
        )
        return self._added(<uintptr_t>node, 0, <int>status, b"cuGraphAddChildGraphNode", None)

    def join(self, *nodes):
        """Add an empty node that depends on other nodes (cuGraphAddEmptyNode).

        Parameters
        ----------
        *nodes : GraphNode
            The dependencies, besides the node on which this is called.

        Returns
        -------
        EmptyNode
            The new node; nodes added to it run after all dependencies.

        Raises
        ------
        TypeError
            If an item is not a GraphNode.
        ValueError
            If a node is of another graph.
        ClosedError
            If a node was destroyed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> low, high = definition.memset(buffer, 0, 200), definition.memset(int(buffer.handle) + 200, 1, 200)
        >>> after_both = low.join(high)
        >>> len(after_both.pred)
        2
        """
        cdef Dependencies deps = Dependencies(self, [handle_of(each, self.state) for each in nodes])
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUresult status = cydriver.cuGraphAddEmptyNode(&node, deps.graph, deps.nodes, deps.count)
        return self._added(<uintptr_t>node, 0, <int>status, b"cuGraphAddEmptyNode", None)

    def record(self, event):
        """Add a node that records an event (cuGraphAddEventRecordNode).

        Parameters
        ----------
        event : Event
            The event; the graph keeps it alive.

        Returns
        -------
        EventRecordNode
            The new node.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the event is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> event = device.create_event()
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100).record(event)
        >>> definition.instantiate().launch(stream)
        >>> event.sync()
        """
        return self._event(event, True)

    def wait(self, event):
        """Add a node that waits for an event (cuGraphAddEventWaitNode).

        Parameters
        ----------
        event : Event
            The event; the graph keeps it alive.

        Returns
        -------
        EventWaitNode
            The new node.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the event is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> event = stream.record()
        >>> definition = GraphDefinition()
        >>> node = definition.wait(event).launch(config, kernel, buffer, 2.0, 100)
        >>> [type(each).__name__ for each in node.pred]
        ['EventWaitNode']
        """
        return self._event(event, False)

    def _event(self, event, bint record):
        cdef cydriver.CUevent native = event_handle(event)
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUresult status
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(event)))
        if record:
            status = cydriver.cuGraphAddEventRecordNode(&node, deps.graph, deps.nodes, deps.count, native)
            return self._added(<uintptr_t>node, <uintptr_t>user, <int>status, b"cuGraphAddEventRecordNode", event)
        status = cydriver.cuGraphAddEventWaitNode(&node, deps.graph, deps.nodes, deps.count, native)
        return self._added(<uintptr_t>node, <uintptr_t>user, <int>status, b"cuGraphAddEventWaitNode", event)

    def allocate(self, size, *, device=None, memory_type=GraphMemoryType.DEVICE, peer_access=None):
        """Add a node that allocates memory each time the graph runs, always at the same address
        (cuGraphAddMemAllocNode).

        Parameters
        ----------
        size : int
            Size in bytes.
        device : Device or int, optional
            The device of the memory; by default the current one.
        memory_type : GraphMemoryType or str
            ``"device"``, ``"host"`` (pinned) or ``"managed"``.
        peer_access : list of Device or int, optional
            Other devices that can access the memory.

        Returns
        -------
        AllocNode
            Its `dptr` is the address.

        Raises
        ------
        ValueError
            If `memory_type` is unknown.
        OverflowError
            If `size` is negative or exceeds 64 bits.
        MemoryError
            If the host has no memory.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> memory = definition.allocate(400)
        >>> filled = memory.memset(memory.dptr, 0, 400)
        >>> node = filled.deallocate(memory.dptr)
        >>> definition.instantiate().launch(stream)
        """
        cdef cydriver.CUDA_MEM_ALLOC_NODE_PARAMS params
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUmemAccessDesc* access = NULL
        cdef cydriver.CUresult status
        cdef size_t index
        kind = GraphMemoryType(memory_type)
        current_context()
        cdef int ordinal = current_ordinal() if device is None else int(device)
        peers = [int(peer) for peer in peer_access or ()]
        memset(&params, 0, sizeof(params))
        params.bytesize = checked_size(size)
        managed = kind == GraphMemoryType.MANAGED
        params.poolProps.allocType = (
            cydriver.CU_MEM_ALLOCATION_TYPE_MANAGED if managed else cydriver.CU_MEM_ALLOCATION_TYPE_PINNED
        )
        if kind == GraphMemoryType.HOST:
            params.poolProps.location.type = cydriver.CU_MEM_LOCATION_TYPE_HOST
        else:
            params.poolProps.location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
            params.poolProps.location.id = ordinal
        cdef Dependencies deps = Dependencies(self)
        if peers:
            access = <cydriver.CUmemAccessDesc*>malloc(len(peers) * sizeof(cydriver.CUmemAccessDesc))
            if access == NULL:
                raise MemoryError
            memset(access, 0, len(peers) * sizeof(cydriver.CUmemAccessDesc))
            for index in range(len(peers)):
                access[index].location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
                access[index].location.id = peers[index]
                access[index].flags = cydriver.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        params.accessDescs, params.accessDescCount = access, len(peers)
        try:
            status = cydriver.cuGraphAddMemAllocNode(&node, deps.graph, deps.nodes, deps.count, &params)
        finally:
            free(access)
        details = (kind, ordinal, tuple(peers))
        return self._added(<uintptr_t>node, 0, <int>status, b"cuGraphAddMemAllocNode", details)

    def deallocate(self, dptr):
        """Add a node that frees memory which another node allocates (cuGraphAddMemFreeNode).

        Parameters
        ----------
        dptr : int
            The address: `AllocNode.dptr`.

        Returns
        -------
        FreeNode
            The new node. It must run after all uses of the memory.

        Raises
        ------
        TypeError
            If `dptr` is no address.
        CUDAError
            If the node cannot be added, for example because no node allocates at this address.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> memory = definition.allocate(400)
        >>> node = memory.memcpy(memory.dptr, buffer, 400).deallocate(memory.dptr)
        >>> node.dptr == memory.dptr
        True
        """
        cdef Dependencies deps = Dependencies(self)
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUdeviceptr ptr = pointer_value(dptr)
        cdef cydriver.CUresult status = cydriver.cuGraphAddMemFreeNode(&node, deps.graph, deps.nodes, deps.count, ptr)
        return self._added(<uintptr_t>node, 0, <int>status, b"cuGraphAddMemFreeNode", None)

    def if_then(self, condition):
        """Add a node whose body graph runs if a condition is not 0 (cuGraphAddNode).

        Parameters
        ----------
        condition : GraphCondition
            The condition.

        Returns
        -------
        IfNode
            Add the nodes of the body to its `then`.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> body = definition.if_then(definition.create_condition(default_value=1)).then
        >>> node = body.launch(config, kernel, buffer, 5.0, 100)
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        return self.add_conditional(condition, cydriver.CU_GRAPH_COND_TYPE_IF, 1)

    def if_else(self, condition):
        """Add a node with two body graphs: the first runs if a condition is not 0, the second if it is 0
        (cuGraphAddNode).

        Parameters
        ----------
        condition : GraphCondition
            The condition.

        Returns
        -------
        IfElseNode
            Add the nodes of the bodies to its `then` and `else_`.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> branch = definition.if_else(definition.create_condition(default_value=0))
        >>> then = branch.then.launch(config, kernel, buffer, 5.0, 100)
        >>> otherwise = branch.else_.launch(config, kernel, buffer, 7.0, 100)
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        7.0
        """
        return self.add_conditional(condition, cydriver.CU_GRAPH_COND_TYPE_IF, 2)

    def while_loop(self, condition):
        """Add a node whose body graph is repeated while a condition is not 0 (cuGraphAddNode).

        Parameters
        ----------
        condition : GraphCondition
            The condition; unless its default value or an earlier kernel makes it nonzero, the body does not run.

        Returns
        -------
        WhileNode
            Add the nodes of the body to its `body`.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> step = Module.from_source('''
        ... extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(unsigned long long, unsigned);
        ... extern "C" __global__ void step(float *x, unsigned long long more)
        ... {
        ...     cudaGraphSetConditional(more, ++x[0] < 10);
        ... }
        ... ''').step
        >>> definition = GraphDefinition()
        >>> again = definition.create_condition(default_value=1)
        >>> node = definition.while_loop(again).body.launch(LaunchConfig(grid=1, block=1), step, buffer, again)
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        10.0
        """
        return self.add_conditional(condition, cydriver.CU_GRAPH_COND_TYPE_WHILE, 1)

    def switch(self, condition, count):
        """Add a node with several body graphs; the value of a condition is the index of the one that runs
        (cuGraphAddNode).

        Parameters
        ----------
        condition : GraphCondition
            The condition; nothing runs if its value is `count` or more.
        count : int
            The number of body graphs.

        Returns
        -------
        SwitchNode
            Add the nodes of the bodies to its `branches`.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        ValueError
            If `count` is not at least 1.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> choice = definition.switch(definition.create_condition(default_value=2), 3)
        >>> nodes = [body.launch(config, kernel, buffer, 10.0 * i, 100) for i, body in enumerate(choice.branches)]
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        20.0
        """
        cdef unsigned int size = checked_uint(count, "count")
        if size == 0:
            raise ValueError("count must be at least 1, not 0")
        return self.add_conditional(condition, cydriver.CU_GRAPH_COND_TYPE_SWITCH, size)

    cdef object add_conditional(self, object condition, int kind, unsigned int size):
        cdef cydriver.CUgraphNodeParams params
        cdef cydriver.CUgraphNode node = NULL
        cdef unsigned int index
        cdef Dependencies deps = Dependencies(self)
        fill_conditional(&params, condition, kind, size)
        cdef cydriver.CUresult status = cydriver.cuGraphAddNode(
            &node, deps.graph, deps.nodes, NULL, deps.count, &params
        )
        details = None
        if status == cydriver.CUDA_SUCCESS:
            graphs = [<uintptr_t>params.conditional.phGraph_out[index] for index in range(size)]
            details = (params.conditional.handle, kind, graphs)
        return self._added(<uintptr_t>node, 0, <int>status, b"cuGraphAddNode", details)

    def _added(self, uintptr_t node, uintptr_t user, int status, bytes call, details):
        """Return the object for an added node; if adding it failed, release its user object and raise."""
        cdef const char* name = call
        if status != 0:
            undo(self.state, NULL, <cydriver.CUuserObject>user)
            check(<cydriver.CUresult>status, name)
        return self.new_node(<cydriver.CUgraphNode>node, <cydriver.CUuserObject>user, details)


cdef int fill_conditional(cydriver.CUgraphNodeParams* params, condition, int kind, unsigned int size) except -1:
    """Fill the parameters of a conditional node."""
    if not isinstance(condition, GraphCondition):
        raise TypeError(f"condition must be a GraphCondition, not {type(condition).__name__}")
    memset(params, 0, sizeof(cydriver.CUgraphNodeParams))
    params.type = cydriver.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.handle = (<GraphCondition>condition).native
    params.conditional.type = <cydriver.CUgraphConditionalNodeType>kind
    params.conditional.size = size
    params.conditional.ctx = current_context()
    return 0


cdef int undo(State state, cydriver.CUgraphNode node, cydriver.CUuserObject user) except -1:
    """Undo the addition of a node that could not be completed."""
    if node != NULL:
        cydriver.cuGraphDestroyNode(node)
    if user != NULL:
        state.take_back(user)
    return 0


cdef int set_attributes(cydriver.CUgraphNode node, LaunchConfig config) except -1:
    """Set the launch attributes of a kernel node."""
    cdef unsigned int index
    for index in range(config.native.numAttrs):
        check(
            cydriver.cuGraphKernelNodeSetAttribute(node, config.attributes[index].id, &config.attributes[index].value),
            b"cuGraphKernelNodeSetAttribute",
        )
    return 0


cdef cydriver.CUevent event_handle(object event) except NULL:
    if not isinstance(event, Event):
        raise TypeError(f"event must be an Event, not {type(event).__name__}")
    return (<Event>event).open_handle()


cdef State state_of(object graph, str name):
    """Return the State of a GraphDefinition or of a finished GraphBuilder."""
    from cuda.core.graph import GraphBuilder, GraphDefinition

    if isinstance(graph, GraphBuilder):
        graph = graph._finished(name)
    if not isinstance(graph, GraphDefinition):
        raise TypeError(f"{name} must be a GraphDefinition or a GraphBuilder, not {type(graph).__name__}")
    return (<NodeFactory>graph).state


def handle_of(node, State state):
    """Return the address of a node, or raise if it belongs to another graph."""
    from cuda.core.graph import GraphNode

    if not isinstance(node, GraphNode):
        raise TypeError(f"a node must be a GraphNode, not {type(node).__name__}")
    if not node.is_valid:
        raise ClosedError("the node was destroyed")
    if (<NodeFactory>node).state is not state:
        raise ValueError("the node is of another graph")
    return int(node.handle)
