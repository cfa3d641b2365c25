# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""GraphBuilder: graphs built by stream capture."""

cimport cython
from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._array._device_array cimport DeviceArray
from cuda.core._memory._buffer cimport Buffer
from cuda.core._utils._check cimport check, is_finalizing
from cuda.core._device._context cimport Activation, activate
from cuda.core._memory._memory_pool cimport free_postponed
from cuda.core._stream._stream cimport Stream
from cuda.core.graph._capture cimport BUILDING, CLOSED, FINISHED, NEW, PHASES, Capture, Phase
from cuda.core.graph._params cimport HostParams
from cuda.core.graph._node_factory cimport fill_conditional, state_of
from cuda.core.graph._retain cimport hold
from cuda.core.graph._state cimport GraphCondition, State, checked_uint

from cuda.core._errors import CUDAError, ClosedError, not_pickled
from cuda.core._memory._graph_memory_resource import GraphMemoryResource
from cuda.core._stream._stream import create_stream
from cuda.core.graph._definition import definition_of, print_dot

_MODES = {
    "relaxed": cydriver.CU_STREAM_CAPTURE_MODE_RELAXED,
    "thread_local": cydriver.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    "global": cydriver.CU_STREAM_CAPTURE_MODE_GLOBAL,
}


cdef class GraphBuilder(Capture):
    """Build a graph by stream capture: work submitted to the builder, as to a stream, becomes nodes of the graph.

    Builders come from `Device.create_graph_builder` and `Stream.create_graph_builder`, and are accepted wherever a
    stream is. Kernels, arguments of launches, Buffers that are copied or filled, and callbacks are kept alive as long
    as the graph, or a graph instantiated from it, may use them. Objects used by work that is captured directly from
    `stream` must be kept alive by the caller.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> builder = device.create_graph_builder().begin_building()
    >>> launch(builder, config, kernel, buffer, 2.0, 100)
    >>> graph = builder.end_building().complete()
    >>> graph.launch(stream)
    """

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            "a GraphBuilder is not made directly: use Device.create_graph_builder or Stream.create_graph_builder"
        )

    @staticmethod
    def _on_stream(Stream stream not None, bint own):
        """Create a builder that captures a stream; if it is its `own`, the builder closes it."""
        cdef GraphBuilder self = GraphBuilder.__new__(GraphBuilder)
        stream.open_handle()
        stream.capturable = True
        self.captured, self.own, self.joined = stream, own, []
        return self

    @property
    @cython.critical_section
    def stream(self):
        """Return the stream that is captured."""
        self.not_closed()
        return self.captured

    @cython.critical_section
    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version, 0, and the stream's address."""
        self.not_closed()
        return self.captured.__cuda_stream__()

    @property
    @cython.critical_section
    def is_building(self) -> bool:
        """Return whether a capture is in progress.

        Raises RuntimeError if the capture was invalidated by a call that cannot be captured.
        """
        cdef cydriver.CUstreamCaptureStatus status = cydriver.CU_STREAM_CAPTURE_STATUS_ACTIVE
        self.not_closed()
        if self.phase == BUILDING:
            check(cydriver.cuStreamIsCapturing(self.captured.open_handle(), &status), b"cuStreamIsCapturing")
        if status == cydriver.CU_STREAM_CAPTURE_STATUS_INVALIDATED:
            raise RuntimeError("an earlier call for this builder could not be captured: its graph is lost, close it")
        return self.phase == BUILDING

    @property
    def is_closed(self) -> bool:
        """Return whether the builder was closed."""
        return self.phase == CLOSED

    @property
    def is_join_required(self) -> bool:
        """Return whether the builder was created by `split`, so that it must be joined before the capture ends."""
        return self.forked

    @cython.critical_section
    def begin_building(self, mode="relaxed"):
        """Begin the capture (cuStreamBeginCapture).

        Parameters
        ----------
        mode : str
            Which potentially unsafe calls, such as synchronous allocations, are allowed during the capture:
            ``"relaxed"``, all; ``"thread_local"``, those of other threads; ``"global"``, none.

        Returns
        -------
        GraphBuilder
            This builder.

        Raises
        ------
        TypeError, ValueError
            If `mode` is another one.
        RuntimeError
            If the builder has begun before.
        ClosedError
            If the builder is closed.
        CUDAError
            If the capture cannot begin, for example because the stream is being captured already.

        Examples
        --------
        >>> with device.create_graph_builder().begin_building() as builder:
        ...     builder.is_building
        True
        """
        if mode is not None and not isinstance(mode, str):
            raise TypeError(f"mode must be 'relaxed', 'thread_local' or 'global', not a {type(mode).__name__}")
        if mode not in _MODES:
            raise ValueError(f"mode must be 'relaxed', 'thread_local' or 'global', not {mode!r}")
        self.need(NEW, "begin_building")
        self.begin(<cydriver.CUstreamCaptureMode><int>_MODES[mode])
        return self

    @cython.critical_section
    def end_building(self):
        """End the capture (cuStreamEndCapture); all builders created by `split` must be joined.

        Returns
        -------
        GraphBuilder
            This builder.

        Raises
        ------
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If the capture was invalidated by a call that cannot be captured, or a builder was not joined.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> launch(builder, config, kernel, buffer, 2.0, 100)
        >>> len(builder.end_building().graph_definition.nodes())
        1
        """
        self.need(BUILDING, "end_building")
        self.end()
        return self

    @cython.critical_section
    def complete(self, options=None):
        """Instantiate the graph (cuGraphInstantiateWithParams).

        Parameters
        ----------
        options : GraphCompleteOptions, optional
            Options of the instantiation.

        Returns
        -------
        Graph
            An executable graph; the builder can be closed.

        Raises
        ------
        RuntimeError
            If the capture was not ended.
        ClosedError
            If the builder is closed.
        CUDAError
            If the graph cannot be instantiated; the message says why.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> buffer.fill(0, stream=builder)
        >>> with builder.end_building().complete() as graph:
        ...     graph.launch(stream)
        ...     stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        0.0
        """
        from cuda.core.graph import Graph

        self.need(FINISHED, "complete")
        return Graph._instantiate(self.state, options)

    @property
    @cython.critical_section
    def graph_definition(self):
        """Return the graph as a GraphDefinition, to which nodes can be added.

        Raises RuntimeError while a capture is in progress. For the body of a conditional node it is available before
        the capture, too.
        """
        if self.phase != NEW or not self.body:
            self.need(FINISHED, "graph_definition")
        return definition_of(self.state)

    @cython.critical_section
    def _finished(self, str name):
        """Return the graph of a finished builder that is the argument `name` of a call."""
        self.not_closed()
        if self.phase != FINISHED:
            raise ValueError(
                f"{name} must be a builder that has finished, but it {PHASES[self.phase]}: call end_building first"
            )
        return definition_of(self.state)

    @cython.critical_section
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
        RuntimeError
            If the capture was not ended.
        ClosedError
            If the builder is closed.
        CUDAError
            If the file cannot be written.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> launch(builder, config, kernel, buffer, 2.0, 100)
        >>> builder.end_building().debug_dot_print("graph.dot")
        >>> from pathlib import Path
        >>> "digraph" in Path("graph.dot").read_text()
        True
        """
        self.need(FINISHED, "debug_dot_print")
        print_dot(self.state, path, options)

    @cython.critical_section
    def split(self, count):
        """Fork the capture into several builders, whose work may run concurrently.

        Parameters
        ----------
        count : int
            The number of builders including this one, at least 2.

        Returns
        -------
        tuple of GraphBuilder
            This builder, and new ones that must be joined.

        Raises
        ------
        TypeError
            If `count` is not an int.
        ValueError
            If `count` is less than 2.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> left, right = builder.split(2)
        >>> other = device.allocate(400, stream=stream)
        >>> launch(left, config, kernel, buffer, 2.0, 100)
        >>> launch(right, config, kernel, other, 2.0, 100)
        >>> graph = GraphBuilder.join(left, right).end_building().complete()
        """
        cdef GraphBuilder branch
        self.need(BUILDING, "split")
        if not hasattr(count, "__index__"):
            raise TypeError(f"count must be an int, not {type(count).__name__}")
        if count < 2:
            raise ValueError(f"count must be at least 2, not {count!r}")
        event = self.captured.record()
        branches = [self]
        try:
            for _ in range(count - 1):
                branch = GraphBuilder._on_stream(create_stream(self.captured.ordinal()), True)
                branch.captured.wait(event)
                branch.state, branch.phase, branch.forked = self.state, BUILDING, True
                branches.append(branch)
        except BaseException:
            for each in branches[1:]:
                each.close()
            raise
        return tuple(branches)

    @staticmethod
    def join(*graph_builders):
        """Join builders: later work waits for the work of all of them.

        Parameters
        ----------
        *graph_builders : GraphBuilder
            At least 2 builders of one graph. Those created by `split` are closed.

        Returns
        -------
        GraphBuilder
            The builder that was not created by `split`, or the first.

        Raises
        ------
        TypeError
            If an item is not a GraphBuilder.
        ValueError
            If fewer than 2 builders are given, or one twice.
        RuntimeError
            If one of them is not capturing.
        ClosedError
            If one of them is closed.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> branches = builder.split(3)
        >>> GraphBuilder.join(*branches) is builder
        True
        >>> graph = builder.end_building().complete()
        """
        cdef GraphBuilder first, other
        if not all(isinstance(each, GraphBuilder) for each in graph_builders):
            raise TypeError("join takes only graph builders")
        if len(graph_builders) < 2:
            raise ValueError("join takes at least 2 graph builders")
        if len({id(each) for each in graph_builders}) < len(graph_builders):
            raise ValueError("join takes a builder only once")
        roots = [each for each in graph_builders if not each.is_join_required]
        first = roots[0] if roots else graph_builders[0]
        for each in graph_builders:
            (<GraphBuilder>each).need(BUILDING, "join")
        for each in graph_builders:
            other = each
            if other is not first:
                first.wait_for(other)
                with cython.critical_section(first, other):
                    first.joined += [other.captured, *other.joined]
                    other.own, other.joined = False, []
                other.close()
        return first

    @cython.critical_section
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
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If the condition cannot be created.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> condition = builder.create_condition(default_value=1)
        >>> body = builder.if_then(condition)
        >>> graph = builder.end_building().complete()
        """
        self.need(BUILDING, "create_condition")
        cdef Activation _active = activate(self.captured.ordinal())
        return GraphCondition.create(self.state, default_value)

    def if_then(self, condition):
        """Add work that runs if a condition is not 0.

        Parameters
        ----------
        condition : GraphCondition
            The condition.

        Returns
        -------
        GraphBuilder
            The builder of the body, with its own `begin_building` and `end_building`.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> body = builder.if_then(builder.create_condition(default_value=1)).begin_building()
        >>> launch(body, config, kernel, buffer, 5.0, 100)
        >>> body.end_building(), builder.end_building().complete().launch(stream)
        (<GraphBuilder that has finished>, None)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        return self._conditional(condition, cydriver.CU_GRAPH_COND_TYPE_IF, 1)[0]

    def if_else(self, condition):
        """Add work that runs if a condition is not 0, and work that runs if it is 0.

        Parameters
        ----------
        condition : GraphCondition
            The condition.

        Returns
        -------
        tuple of GraphBuilder
            The builders of the two bodies.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> for body, factor in zip(builder.if_else(builder.create_condition(default_value=0)), (5.0, 7.0)):
        ...     launch(body.begin_building(), config, kernel, buffer, factor, 100)
        ...     done = body.end_building()
        >>> builder.end_building().complete().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        7.0
        """
        return self._conditional(condition, cydriver.CU_GRAPH_COND_TYPE_IF, 2)

    def while_loop(self, condition):
        """Add work that is repeated while a condition is not 0.

        Parameters
        ----------
        condition : GraphCondition
            The condition; it is evaluated before the first iteration.

        Returns
        -------
        GraphBuilder
            The builder of the body.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
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
        >>> builder = device.create_graph_builder().begin_building()
        >>> again = builder.create_condition(default_value=1)
        >>> body = builder.while_loop(again).begin_building()
        >>> launch(body, LaunchConfig(grid=1, block=1), step, buffer, again)
        >>> done = body.end_building()
        >>> builder.end_building().complete().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        10.0
        """
        return self._conditional(condition, cydriver.CU_GRAPH_COND_TYPE_WHILE, 1)[0]

    def switch(self, condition, count):
        """Add several bodies; the value of a condition is the index of the one that runs.

        Parameters
        ----------
        condition : GraphCondition
            The condition; nothing runs if its value is `count` or more.
        count : int
            The number of bodies.

        Returns
        -------
        tuple of GraphBuilder
            The builders of the bodies.

        Raises
        ------
        TypeError
            If `condition` is not a GraphCondition.
        ValueError
            If `count` is not at least 1.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> for index, body in enumerate(builder.switch(builder.create_condition(default_value=1), 2)):
        ...     launch(body.begin_building(), config, kernel, buffer, 10.0 * index, 100)
        ...     done = body.end_building()
        >>> builder.end_building().complete().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        10.0
        """
        cdef unsigned int size = checked_uint(count, "count")
        if size == 0:
            raise ValueError("count must be at least 1, not 0")
        return self._conditional(condition, cydriver.CU_GRAPH_COND_TYPE_SWITCH, size)

    @cython.critical_section
    def _conditional(self, condition, int kind, unsigned int size):
        cdef cydriver.CUgraphNodeParams params
        cdef cydriver.CUgraphNode node
        cdef GraphBuilder branch
        self.need(BUILDING, "a conditional node")
        cdef Activation _active = activate(self.captured.ordinal())
        fill_conditional(&params, condition, kind, size)
        node = self.add(&params)
        graphs = [<uintptr_t>params.conditional.phGraph_out[index] for index in range(size)]
        self.state.note(node, NULL, (params.conditional.handle, kind, graphs))
        branches = []
        for graph in graphs:
            branch = GraphBuilder._on_stream(create_stream(self.captured.ordinal()), True)
            branch.state = self.state.child(node, <cydriver.CUgraph><uintptr_t>graph, True)
            branch.body = True
            branches.append(branch)
        return tuple(branches)

    @cython.critical_section
    def embed(self, child):
        """Add a child graph node with a copy of another graph.

        Parameters
        ----------
        child : GraphBuilder or GraphDefinition
            The graph. A builder must have finished.

        Raises
        ------
        TypeError
            If `child` is neither.
        ValueError
            If no capture is in progress, or `child` has not finished.
        ClosedError
            If the builder or `child` is closed.
        CUDAError
            If the node cannot be added.

        Examples
        --------
        >>> inner = device.create_graph_builder().begin_building()
        >>> launch(inner, config, kernel, buffer, 2.0, 100)
        >>> outer = device.create_graph_builder().begin_building()
        >>> outer.embed(inner.end_building())
        >>> outer.end_building().complete().launch(stream)
        """
        cdef cydriver.CUgraphNodeParams params
        cdef State inner = state_of(child, "child")
        self.not_closed()
        if self.phase != BUILDING:
            raise ValueError(f"embed needs a builder that is building, but this one {PHASES[self.phase]}")
        memset(&params, 0, sizeof(params))
        params.type = cydriver.CU_GRAPH_NODE_TYPE_GRAPH
        params.graph.graph = inner.open_handle()
        self.add(&params)

    @cython.critical_section
    def callback(self, fn, *, user_data=None) -> None:
        """Add a host callback at this point (cuLaunchHostFunc); it must not call CUDA.

        Parameters
        ----------
        fn : callable
            Called without arguments; its exceptions go to ``sys.unraisablehook``. Or a ctypes function that takes a
            ``void *``.
        user_data : int or bytes-like, optional
            For a ctypes function: its argument as an int, or bytes, of which it gets the address of a copy.

        Raises
        ------
        TypeError
            If `fn` is not callable.
        ValueError
            If `user_data` is given for a Python function.
        RuntimeError
            If no capture is in progress.
        ClosedError
            If the builder is closed.
        CUDAError
            If cuLaunchHostFunc fails.

        Examples
        --------
        >>> calls = []
        >>> builder = device.create_graph_builder().begin_building()
        >>> builder.callback(lambda: calls.append("called"))
        >>> builder.end_building().complete().launch(stream)
        >>> stream.sync()
        >>> calls
        ['called']
        """
        self.need(BUILDING, "callback")
        cdef cydriver.CUstream stream = self.captured.open_handle()
        cdef HostParams params = HostParams.make(fn, user_data)
        cdef cydriver.CUuserObject user = self.state.keep(params.entry)
        cdef cydriver.CUresult status
        with nogil:
            status = cydriver.cuLaunchHostFunc(stream, params.native.fn, params.native.userData)
        if status != cydriver.CUDA_SUCCESS:
            self.state.take_back(user)
            check(status, b"cuLaunchHostFunc")

    @cython.critical_section
    def _keep(self, *things) -> None:
        """Keep the objects that captured work uses alive as long as the graph, except memory that it allocates."""
        if self.phase == BUILDING:
            self.state.keep(hold([thing for thing in things if not _is_of_a_graph(thing)]))

    @cython.critical_section
    def close(self):
        """Release the graph, and close the stream if it was created for this builder. Closing twice does nothing.

        Graphs from `complete` stay valid. A capture in progress is ended (cuStreamEndCapture) and its graph
        destroyed.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> builder.close()
        >>> builder.is_closed
        True
        """
        cdef cydriver.CUgraph graph = NULL
        cdef Phase phase = self.phase
        self.phase = CLOSED
        if phase == CLOSED:
            return
        if phase == BUILDING and not self.forked and not self.captured.closed:
            if cydriver.cuStreamEndCapture(self.captured.native, &graph) == cydriver.CUDA_SUCCESS and not self.body:
                self.state.owned = True
            elif not self.body:
                self.state.gone = True
        self.state = None
        if not self.forked:
            free_postponed()
        self.close_joined()
        if self.own:
            self.captured.close()

    def __del__(self):
        if self.phase != CLOSED and self.captured is not None and not is_finalizing():
            try:
                self.close()
            except CUDAError:
                pass  # the context is destroyed

    def __enter__(self):
        if self.phase == CLOSED:
            raise ClosedError("this GraphBuilder is closed")
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<GraphBuilder that {PHASES[self.phase]}>"


cdef bint _is_of_a_graph(object thing) except -1:
    """Return whether an object is a Buffer or DeviceArray whose memory an allocation node of a graph allocates."""
    cdef Buffer buffer
    if isinstance(thing, DeviceArray):
        thing = (<DeviceArray>thing).memory
    if not isinstance(thing, Buffer):
        return False
    buffer = thing
    return isinstance(buffer.resource(), GraphMemoryResource)
