# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Graph: CUgraphExec, its launch, and updates of its nodes without a new instantiation."""

cimport cython
from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check, fail, is_finalizing
from cuda.core._stream._stream cimport Stream, as_stream
from cuda.core.graph._node cimport GraphNode
from cuda.core.graph._params cimport CopyParams, FillParams, HostParams, KernelParams
from cuda.core.graph._node_factory cimport event_handle, state_of
from cuda.core.graph._retain cimport Entry, discard, hold, in_use, retain
from cuda.core.graph._state cimport State, capture_graph, current_context

from cuda.core._errors import CUDAError, ClosedError, not_pickled
from cuda.core._utils._options import as_options
from cuda.core.graph import _work_node
from cuda.core.graph._options import GraphCompleteOptions


# Explanations of CUgraphInstantiateResult and CUgraphExecUpdateResult for error messages.
_RESULTS = {
    <int>cydriver.CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE: "The structure of the graph is not valid.",
    <int>cydriver.CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED:
        "A node does what its graph must not do: one that kernels launch, or a body of a conditional node.",
    <int>cydriver.CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED:
        "A graph that kernels launch must stay within one context.",
    <int>cydriver.CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED: "A condition is not used by any node of the graph.",
}
_UPDATES = {
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED: "it has other nodes or edges",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED: "a node is of another type",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED: "a node runs another kernel",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED: "a parameter changed that cannot be changed",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED: "something about a node cannot be changed",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE: "a node's kernel is of another context",
    <int>cydriver.CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED: "a node's attributes changed",
}


cdef class Graph:
    """An executable graph, created by `GraphBuilder.complete` or `GraphDefinition.instantiate`.

    ``graph[node]`` is the executable form of a node of its definition, whose parameters can be updated.
    Launches of one graph do not overlap.

    Thread safety: threads may share it; launches of one graph do not overlap.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
    >>> graph = definition.instantiate()
    >>> graph[node].update(config=config, kernel=kernel, args=(buffer, 5.0, 100))
    >>> graph.launch(stream)
    >>> stream.sync()
    >>> print(np.frombuffer(buffer, np.float32)[0])
    5.0
    """

    cdef cydriver.CUgraphExec native
    cdef Stream latest  # stream of the last launch, after which objects in `kept` can be released
    cdef dict kept  # node address -> objects that parameters set by updates refer to
    cdef object __weakref__

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Graph is not made directly: use GraphBuilder.complete or GraphDefinition.instantiate")

    @staticmethod
    def _instantiate(State state not None, options):
        """Instantiate a graph; see `GraphDefinition.instantiate`."""
        cdef cydriver.CUDA_GRAPH_INSTANTIATE_PARAMS params
        cdef Graph self = Graph.__new__(Graph)
        cdef cydriver.CUgraph graph = state.open_handle()
        cdef cydriver.CUresult status
        chosen = as_options(GraphCompleteOptions, options, "options")
        memset(&params, 0, sizeof(params))
        if chosen.auto_free_on_launch:
            params.flags |= cydriver.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
        if chosen.device_launch:
            params.flags |= cydriver.CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
        if chosen.use_node_priority:
            params.flags |= cydriver.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
        if chosen.upload_stream is not None:
            params.flags |= cydriver.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
            params.hUploadStream = as_stream(chosen.upload_stream, "upload_stream").native
        self.kept = {}
        with nogil:
            status = cydriver.cuGraphInstantiateWithParams(&self.native, graph, &params)
        if status != cydriver.CUDA_SUCCESS:
            fail(status, b"cuGraphInstantiateWithParams", _RESULTS.get(<int>params.result_out, ""))
        return self

    cdef cydriver.CUgraphExec open_handle(self) except NULL:
        if self.native == NULL:
            raise ClosedError("this Graph is closed")
        return self.native

    cdef int let_go(self, object owners) except -1:
        """Release objects that replaced parameters referred to, once no launch can use them."""
        cdef cydriver.CUresult status = cydriver.CUDA_ERROR_INVALID_HANDLE
        cdef cydriver.CUstreamCaptureStatus capturing = cydriver.CU_STREAM_CAPTURE_STATUS_NONE
        cdef Entry* entry
        if not owners:
            return 0
        entry = hold(owners)
        if self.latest is None:
            discard(entry)
            return 0
        if not self.latest.closed:
            status = cydriver.cuStreamIsCapturing(self.latest.native, &capturing)
            if status == cydriver.CUDA_SUCCESS and capturing != cydriver.CU_STREAM_CAPTURE_STATUS_NONE:
                return 0  # the end of earlier launches cannot be observed: leak rather than crash
            if status == cydriver.CUDA_SUCCESS:
                with nogil:
                    status = cydriver.cuLaunchHostFunc(self.latest.native, discard, entry)
        if status != cydriver.CUDA_SUCCESS:
            with nogil:  # the stream is closed: wait for the whole context
                cydriver.cuCtxSynchronize()
            discard(entry)
        return 0

    @cython.critical_section
    def close(self) -> None:
        """Destroy the graph once its launches are finished, without waiting (cuGraphExecDestroy).

        Closing twice does nothing.

        Raises
        ------
        CUDAError
            If cuGraphExecDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> graph = GraphDefinition().instantiate()
        >>> graph.close()
        >>> graph.is_closed
        True
        """
        cdef cydriver.CUgraphExec native = self.native
        self.native = NULL
        if native != NULL:
            owners, self.kept = list(self.kept.values()), {}
            self.let_go(owners)
            self.latest = None
            with nogil:
                check(cydriver.cuGraphExecDestroy(native), b"cuGraphExecDestroy")

    def __del__(self):
        if self.native != NULL and not is_finalizing():
            try:
                self.close()
            except CUDAError:
                pass  # the context, and the graph with it, is destroyed

    def __enter__(self):
        self.open_handle()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    @property
    def is_closed(self) -> bool:
        """Return whether the graph was closed."""
        return self.native == NULL

    @property
    def handle(self):
        """Return the graph as `cuda.bindings.driver.CUgraphExec`; its address is 0 once closed."""
        from cuda.bindings import driver

        return driver.CUgraphExec(<uintptr_t>self.native)

    @cython.critical_section
    def launch(self, stream) -> None:
        """Launch the graph asynchronously in a stream (cuGraphLaunch).

        Parameters
        ----------
        stream : Stream
            The stream, or any object with ``__cuda_stream__``. A stream that is captured gets the graph as a node.

        Raises
        ------
        TypeError
            If `stream` is no stream, or a GraphBuilder: use `GraphBuilder.embed`.
        ClosedError
            If the graph or the stream is closed.
        CUDAError
            If cuGraphLaunch fails. Errors of the running graph are raised by a later call, usually `Stream.sync`.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> graph = definition.instantiate()
        >>> for _ in range(3):
        ...     graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        8.0
        """
        cdef Stream queue = <Stream>stream if type(stream) is Stream else _no_builder(stream)
        cdef cydriver.CUgraphExec native = self.open_handle()
        cdef cydriver.CUstream native_stream = queue.open_handle()
        cdef cydriver.CUresult status
        if self.kept:
            self.keep_in_capture(native_stream)
        self.latest = queue
        queue.begin_use()
        with nogil:
            status = cydriver.cuGraphLaunch(native, native_stream)
        queue.end_use()
        check(status, b"cuGraphLaunch")

    cdef int keep_in_capture(self, cydriver.CUstream stream) except -1:
        """Make the graph being captured keep the objects of this one's parameters, since it gets a copy of them."""
        cdef cydriver.CUgraph graph = capture_graph(stream)
        if graph != NULL:
            retain(graph, hold(list(self.kept.values())))
        return 0

    def upload(self, stream) -> None:
        """Upload the graph to the device ahead of its first launch (cuGraphUpload).

        Parameters
        ----------
        stream : Stream
            The stream of the upload.

        Raises
        ------
        TypeError
            If `stream` is no stream.
        ClosedError
            If the graph or the stream is closed.
        CUDAError
            If cuGraphUpload fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> graph = definition.instantiate()
        >>> graph.upload(stream)
        >>> graph.launch(stream)
        """
        cdef Stream queue = as_stream(stream, "stream")
        cdef cydriver.CUgraphExec native = self.open_handle()
        with nogil:
            check(cydriver.cuGraphUpload(native, queue.native), b"cuGraphUpload")

    @cython.critical_section
    def update(self, source) -> None:
        """Update the parameters of all nodes from another graph of the same topology, for later launches
        (cuGraphExecUpdate).

        Parameters
        ----------
        source : GraphBuilder or GraphDefinition
            The graph. A builder must have finished.

        Raises
        ------
        ClosedError
            If one of the graphs is closed.
        CUDAError
            If the graphs differ in more than parameters; then nothing changes.

        Examples
        --------
        >>> before, after = GraphDefinition(), GraphDefinition()
        >>> nodes = [each.launch(config, kernel, buffer, x, 100) for each, x in ((before, 2.0), (after, 5.0))]
        >>> graph = before.instantiate()
        >>> graph.update(after)
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        cdef cydriver.CUgraphExecUpdateResultInfo info
        cdef cydriver.CUgraphExec native = self.open_handle()
        cdef cydriver.CUgraph graph = state_of(source, "source").open_handle()
        cdef cydriver.CUresult status
        memset(&info, 0, sizeof(info))
        with nogil:
            status = cydriver.cuGraphExecUpdate(native, graph, &info)
        if status == cydriver.CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE:
            why = _UPDATES.get(<int>info.result, "it differs in more than parameters")
            fail(status, b"cuGraphExecUpdate", f"source cannot replace this graph: {why}.")
        check(status, b"cuGraphExecUpdate")
        owners, self.kept = list(self.kept.values()), {}
        self.let_go(owners)

    def __getitem__(self, node):
        """Return the executable form of a node of the definition that this graph was instantiated from."""
        if not isinstance(node, GraphNode):
            raise TypeError(f"node must be a GraphNode, not {type(node).__name__}")
        self.open_handle()
        (<GraphNode>node).open_node()
        for kind, executable in _EXECUTABLE.items():
            if isinstance(node, kind):
                return _view(executable, self, node)
        raise TypeError(f"a {type(node).__name__} has no parameters that could be changed in an executable graph")

    @cython.critical_section
    cdef int changed(
        self, cydriver.CUgraphNode node, cydriver.CUresult status, const char* call, object owners
    ) except -1:
        """Keep the objects that a node's new parameters refer to alive, or raise the error of the update."""
        if status == cydriver.CUDA_ERROR_INVALID_VALUE:
            return fail(status, call, "The node must be of the definition that this graph was made from.")
        check(status, call)
        if owners is None:
            return 0
        before = self.kept.pop(<uintptr_t>node, None)
        self.kept[<uintptr_t>node] = owners
        return self.let_go(before)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<Graph {'closed' if self.native == NULL else f'{<uintptr_t>self.native:#x}'}>"


cdef Stream _no_builder(object stream):
    """Return another library's object as a stream; raise for a builder, to which graphs are added with `embed`."""
    from cuda.core.graph import GraphBuilder

    if isinstance(stream, GraphBuilder):
        raise TypeError("stream must be a Stream, not a GraphBuilder: GraphBuilder.embed adds a graph to another one")
    return as_stream(stream, "stream")


def _view(cls, Graph graph, GraphNode node):
    cdef ExecutableGraphNode self = cls.__new__(cls)
    self.graph, self.node = graph, node
    return self


cdef class ExecutableGraphNode:
    """A node of an executable graph, from ``graph[node]``. Updates take effect with the next launch.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.memset(buffer, 0, 400)
    >>> graph = definition.instantiate()
    >>> isinstance(graph[node], ExecutableGraphNode)
    True
    """

    cdef Graph graph
    cdef GraphNode node

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"a {type(self).__name__} is not made directly: use graph[node]")

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.graph!r}>"


cdef class _Switched(ExecutableGraphNode):
    """A node that can be disabled."""

    def _set(self, unsigned int enabled):
        check(
            cydriver.cuGraphNodeSetEnabled(self.graph.open_handle(), self.node.open_node(), enabled),
            b"cuGraphNodeSetEnabled",
        )

    def disable(self) -> None:
        """Disable the node: it does nothing (cuGraphNodeSetEnabled).

        Raises
        ------
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphNodeSetEnabled fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> graph = definition.instantiate()
        >>> graph[node].disable()
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        1.0
        """
        self._set(0)

    def enable(self) -> None:
        """Enable the node again (cuGraphNodeSetEnabled).

        Raises
        ------
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphNodeSetEnabled fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, 0, 400)
        >>> graph = definition.instantiate()
        >>> graph[node].disable()
        >>> graph[node].enable()
        >>> graph[node].is_enabled
        True
        """
        self._set(1)

    @property
    def is_enabled(self) -> bool:
        """Return whether the node is enabled."""
        cdef unsigned int enabled = 0
        check(
            cydriver.cuGraphNodeGetEnabled(self.graph.open_handle(), self.node.open_node(), &enabled),
            b"cuGraphNodeGetEnabled",
        )
        return bool(enabled)


cdef class ExecutableKernelNode(_Switched):
    """A node of an executable graph that runs a kernel.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
    >>> graph = definition.instantiate()
    >>> graph[node].is_enabled
    True
    """

    def update(self, *, config, kernel, args) -> None:
        """Change the kernel, its configuration and arguments (cuGraphExecKernelNodeSetParams).

        Parameters
        ----------
        config : LaunchConfig
            The launch configuration, without cluster and is_cooperative: the node keeps these as they are.
        kernel : Kernel
            The kernel.
        args : tuple
            All its arguments.

        Raises
        ------
        ValueError
            If `config` has a cluster or is cooperative.
        TypeError
            If an argument is of the wrong type.
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphExecKernelNodeSetParams fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> graph = definition.instantiate()
        >>> graph[node].update(config=config, kernel=kernel, args=(buffer, 5.0, 100))
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        if getattr(config, "cluster", None) is not None or getattr(config, "is_cooperative", False):
            raise ValueError("config must have no cluster and not be cooperative: an executable node keeps its own")
        cdef KernelParams params = KernelParams.make(config, kernel, tuple(args))
        cdef cydriver.CUresult status = cydriver.cuGraphExecKernelNodeSetParams(
            self.graph.open_handle(), self.node.open_node(), &params.native
        )
        self.graph.changed(self.node.native, status, b"cuGraphExecKernelNodeSetParams", (kernel, params.arguments))


cdef class ExecutableMemcpyNode(_Switched):
    """A node of an executable graph that copies memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> target = device.allocate(400, stream=stream)
    >>> definition = GraphDefinition()
    >>> node = definition.memcpy(target, buffer, 400)
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableMemcpyNode'
    """

    def update(self, *, dst, src, size) -> None:
        """Change the operands and size of the copy (cuGraphExecMemcpyNodeSetParams).

        Parameters
        ----------
        dst, src : Buffer, DeviceArray or int
            Destination and source, in the same types of memory as before.
        size : int
            Size in bytes.

        Raises
        ------
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphExecMemcpyNodeSetParams fails.

        Examples
        --------
        >>> target = device.allocate(400, stream=stream)
        >>> definition = GraphDefinition()
        >>> node = definition.memcpy(target, buffer, 400)
        >>> graph = definition.instantiate()
        >>> graph[node].update(dst=target, src=buffer, size=200)
        >>> graph.launch(stream)
        """
        cdef CopyParams params = CopyParams.make(dst, src, size, None, None)
        cdef cydriver.CUresult status = cydriver.cuGraphExecMemcpyNodeSetParams(
            self.graph.open_handle(), self.node.open_node(), &params.native, current_context()
        )
        self.graph.changed(self.node.native, status, b"cuGraphExecMemcpyNodeSetParams", in_use(params.owners))


cdef class ExecutableMemsetNode(_Switched):
    """A node of an executable graph that fills memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.memset(buffer, 0, 400)
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableMemsetNode'
    """

    def update(self, *, dst, value, width, height=1, pitch=0) -> None:
        """Change the destination, pattern and size (cuGraphExecMemsetNodeSetParams).

        Parameters
        ----------
        dst : Buffer, DeviceArray or int
            The destination.
        value : int or bytes-like
            A byte, or a pattern of 1, 2 or 4 bytes.
        width, height : int
            The number of elements in a row, and of rows.
        pitch : int
            Bytes from one row to the next.

        Raises
        ------
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphExecMemsetNodeSetParams fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.memset(buffer, np.float32(0), 100)
        >>> graph = definition.instantiate()
        >>> graph[node].update(dst=buffer, value=np.float32(3), width=100)
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        3.0
        """
        cdef FillParams params = FillParams.make(dst, value, width, height, pitch, None)
        cdef cydriver.CUresult status = cydriver.cuGraphExecMemsetNodeSetParams(
            self.graph.open_handle(), self.node.open_node(), &params.native, current_context()
        )
        self.graph.changed(self.node.native, status, b"cuGraphExecMemsetNodeSetParams", in_use(params.owners))


cdef class ExecutableHostCallbackNode(ExecutableGraphNode):
    """A node of an executable graph that calls a function on the host.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.callback(print)
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableHostCallbackNode'
    """

    def update(self, fn, *, user_data=None) -> None:
        """Change the function (cuGraphExecHostNodeSetParams).

        Parameters
        ----------
        fn : callable
            As for `GraphNode.callback`.
        user_data : int or bytes-like, optional
            For a ctypes function.

        Raises
        ------
        TypeError
            If `fn` is not callable.
        ValueError
            If `user_data` is given for a Python function.
        ClosedError
            If the graph is closed or the node was destroyed.
        CUDAError
            If cuGraphExecHostNodeSetParams fails.

        Examples
        --------
        >>> calls = []
        >>> definition = GraphDefinition()
        >>> node = definition.callback(lambda: calls.append("first"))
        >>> graph = definition.instantiate()
        >>> graph[node].update(lambda: calls.append("second"))
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> calls
        ['second']
        """
        cdef cydriver.CUgraphExec graph = self.graph.open_handle()
        cdef cydriver.CUgraphNode node = self.node.open_node()
        cdef HostParams params = HostParams.make(fn, user_data)
        owner = Held.of(params.entry)
        cdef cydriver.CUresult status = cydriver.cuGraphExecHostNodeSetParams(graph, node, &params.native)
        self.graph.changed(self.node.native, status, b"cuGraphExecHostNodeSetParams", owner)


cdef class Held:
    """The owner of an entry whose address the driver holds."""

    cdef Entry* entry

    @staticmethod
    cdef Held of(Entry* entry):
        cdef Held self = Held.__new__(Held)
        self.entry = entry
        return self

    def __dealloc__(self):
        discard(self.entry)


cdef class ExecutableEventRecordNode(ExecutableGraphNode):
    """A node of an executable graph that records an event.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.record(device.create_event())
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableEventRecordNode'
    """

    def update(self, event) -> None:
        """Change the event to record (cuGraphExecEventRecordNodeSetEvent).

        Parameters
        ----------
        event : Event
            The event.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the graph or the event is closed, or the node was destroyed.
        CUDAError
            If cuGraphExecEventRecordNodeSetEvent fails.

        Examples
        --------
        >>> first, second = device.create_event(), device.create_event()
        >>> definition = GraphDefinition()
        >>> node = definition.record(first)
        >>> graph = definition.instantiate()
        >>> graph[node].update(second)
        >>> graph.launch(stream)
        """
        cdef cydriver.CUresult status = cydriver.cuGraphExecEventRecordNodeSetEvent(
            self.graph.open_handle(), self.node.open_node(), event_handle(event)
        )
        self.graph.changed(self.node.native, status, b"cuGraphExecEventRecordNodeSetEvent", in_use(event))


cdef class ExecutableEventWaitNode(ExecutableGraphNode):
    """A node of an executable graph that waits for an event.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.wait(device.create_event())
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableEventWaitNode'
    """

    def update(self, event) -> None:
        """Change the event to wait for (cuGraphExecEventWaitNodeSetEvent).

        Parameters
        ----------
        event : Event
            The event.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the graph or the event is closed, or the node was destroyed.
        CUDAError
            If cuGraphExecEventWaitNodeSetEvent fails.

        Examples
        --------
        >>> first, second = stream.record(), stream.record()
        >>> definition = GraphDefinition()
        >>> node = definition.wait(first)
        >>> graph = definition.instantiate()
        >>> graph[node].update(second)
        >>> graph.launch(stream)
        """
        cdef cydriver.CUresult status = cydriver.cuGraphExecEventWaitNodeSetEvent(
            self.graph.open_handle(), self.node.open_node(), event_handle(event)
        )
        self.graph.changed(self.node.native, status, b"cuGraphExecEventWaitNodeSetEvent", in_use(event))


cdef class ExecutableChildGraphNode(ExecutableGraphNode):
    """A node of an executable graph that runs another graph.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition, child = GraphDefinition(), GraphDefinition()
    >>> inner = child.memset(buffer, 0, 400)
    >>> node = definition.embed(child)
    >>> graph = definition.instantiate()
    >>> type(graph[node]).__name__
    'ExecutableChildGraphNode'
    """

    def update(self, child) -> None:
        """Update the parameters of all nodes from another graph of the same topology
        (cuGraphExecChildGraphNodeSetParams).

        Parameters
        ----------
        child : GraphDefinition
            The graph.

        Raises
        ------
        ClosedError
            If a graph is closed, or the node was destroyed.
        CUDAError
            If the graphs differ in more than parameters.

        Examples
        --------
        >>> definition, child, other = GraphDefinition(), GraphDefinition(), GraphDefinition()
        >>> nodes = [each.launch(config, kernel, buffer, x, 100) for each, x in ((child, 2.0), (other, 5.0))]
        >>> node = definition.embed(child)
        >>> graph = definition.instantiate()
        >>> graph[node].update(other)
        >>> graph.launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        cdef State inner = state_of(child, "child")
        cdef cydriver.CUresult status = cydriver.cuGraphExecChildGraphNodeSetParams(
            self.graph.open_handle(), self.node.open_node(), inner.open_handle()
        )
        self.graph.changed(NULL, status, b"cuGraphExecChildGraphNodeSetParams", None)


_EXECUTABLE = {
    _work_node.KernelNode: ExecutableKernelNode,
    _work_node.MemcpyNode: ExecutableMemcpyNode,
    _work_node.MemsetNode: ExecutableMemsetNode,
    _work_node.HostCallbackNode: ExecutableHostCallbackNode,
    _work_node.EventRecordNode: ExecutableEventRecordNode,
    _work_node.EventWaitNode: ExecutableEventWaitNode,
    _work_node.ChildGraphNode: ExecutableChildGraphNode,
}
