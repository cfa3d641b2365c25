# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Kernel, memcpy, memset, host, event, child graph and memory allocation nodes, and updates of their parameters."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check
from cuda.core.graph._node cimport GraphNode
from cuda.core.graph._params cimport CopyParams, FillParams, HostParams, KernelParams
from cuda.core.graph._node_factory cimport event_handle, set_attributes, state_of
from cuda.core.graph._retain cimport hold, in_use
from cuda.core.graph._state cimport State

from cuda.core._launch._kernel import Kernel
from cuda.core._launch._launch_config import LaunchConfig
from cuda.core.typing import GraphMemoryType


cdef object _owner(tuple kept, int which):
    """Return the owner of a node's operand (0 is the destination): a Buffer, or the owner given with an address."""
    if kept is None:
        return None
    return kept[which + len(kept) // 2] if isinstance(kept[which], int) else kept[which]


cdef class EmptyNode(GraphNode):
    """A node without work, which only depends on others.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> definition.empty().type.name
    'CU_GRAPH_NODE_TYPE_EMPTY'
    """


cdef class KernelNode(GraphNode):
    """A node that runs a kernel.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> node = GraphDefinition().launch(LaunchConfig(grid=4, block=128), kernel, buffer, 2.0, 100)
    >>> node.grid, node.block, node.kernel == kernel
    ((4, 1, 1), (128, 1, 1), True)
    """

    cdef cydriver.CUDA_KERNEL_NODE_PARAMS params(self) except *:
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS params
        check(cydriver.cuGraphKernelNodeGetParams(self.open_node(), &params), b"cuGraphKernelNodeGetParams")
        return params

    @property
    def grid(self) -> tuple[int, int, int]:
        """Return the number of blocks along x, y and z."""
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS params = self.params()
        return (params.gridDimX, params.gridDimY, params.gridDimZ)

    @property
    def block(self) -> tuple[int, int, int]:
        """Return the number of threads in a block along x, y and z."""
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS params = self.params()
        return (params.blockDimX, params.blockDimY, params.blockDimZ)

    @property
    def shmem_size(self) -> int:
        """Return the dynamic shared memory per block in bytes."""
        return self.params().sharedMemBytes

    @property
    def config(self):
        """Return the launch configuration."""
        cdef cydriver.CUkernelNodeAttrValue value
        grid, cluster = self.grid, None
        cdef cydriver.CUgraphNode node = self.open_node()
        check(
            cydriver.cuGraphKernelNodeGetAttribute(node, cydriver.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
            b"cuGraphKernelNodeGetAttribute",
        )
        extents = (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z)
        if min(extents) > 0 and extents != (1, 1, 1):
            cluster = extents
            grid = tuple([whole // part for whole, part in zip(grid, extents)])
        check(
            cydriver.cuGraphKernelNodeGetAttribute(node, cydriver.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
            b"cuGraphKernelNodeGetAttribute",
        )
        return LaunchConfig(grid, cluster, self.block, self.shmem_size, bool(value.cooperative))

    @property
    def kernel(self):
        """Return the kernel."""
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS params
        details = self.details()
        if details is not None:
            return details[0]
        params = self.params()
        # A captured node may hold a CUfunction, which the driver accepts in place of a CUkernel.
        return Kernel.from_handle(<uintptr_t>params.kern or <uintptr_t>params.func)

    def update(self, *, config=None, kernel=None, args=None) -> None:
        """Change the kernel, its configuration or arguments, for graphs instantiated from now on
        (cuGraphKernelNodeSetParams).

        Parameters
        ----------
        config : LaunchConfig, optional
            The launch configuration; by default unchanged.
        kernel : Kernel, optional
            The kernel; by default unchanged. Another kernel requires its `args`.
        args : tuple, optional
            All arguments; by default unchanged.

        Raises
        ------
        ValueError
            If another kernel is given without `args`, or the cluster or cooperation would be removed.
        TypeError
            If an argument is of the wrong type.
        ClosedError
            If the node was destroyed.
        CUDAError
            If cuGraphKernelNodeSetParams fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
        >>> node.update(args=(buffer, 5.0, 100))
        >>> definition.instantiate().launch(stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        5.0
        """
        cdef KernelParams params
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS native = self.params()
        cdef cydriver.CUuserObject user = NULL
        cdef cydriver.CUgraphNode node = self.open_node()
        shape, run = self.config if config is None else config, self.kernel if kernel is None else kernel
        if args is None:
            if kernel is not None and kernel != self.kernel:
                raise ValueError("args must be given for another kernel; () for one without parameters")
            params = _same_arguments(shape, run)
            params.native.kernelParams, params.native.extra = native.kernelParams, native.extra
        else:
            params = KernelParams.make(shape, run, tuple(args))
            user = self.state.keep(hold((run, params.arguments)))
        _refuse_attributes(params.config, self.config)
        cdef cydriver.CUresult status = cydriver.cuGraphKernelNodeSetParams(node, &params.native)
        if status == cydriver.CUDA_SUCCESS:
            set_attributes(node, params.config)
        if args is None and status == cydriver.CUDA_SUCCESS:
            return
        self._changed(<uintptr_t>user, <int>status, b"cuGraphKernelNodeSetParams", (run, shape))


cdef KernelParams _same_arguments(config, kernel):
    """Return the parameters of a kernel node whose arguments stay unchanged."""
    cdef KernelParams params = KernelParams.make(config, kernel, None)
    return params


cdef int _refuse_attributes(config, before) except -1:
    """Raise if an update would clear the cluster or cooperative attribute: attributes can be set but not removed."""
    if (before.cluster is not None and config.cluster is None) or (before.is_cooperative and not config.is_cooperative):
        raise ValueError("a node's cluster and cooperation cannot be taken back: add another node")
    return 0


cdef class MemcpyNode(GraphNode):
    """A node that copies memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> target = device.allocate(400, stream=stream)
    >>> node = GraphDefinition().memcpy(target, buffer, 400)
    >>> node.dst == target.handle, node.src == buffer.handle
    (True, True)
    """

    cdef cydriver.CUDA_MEMCPY3D params(self) except *:
        cdef cydriver.CUDA_MEMCPY3D params
        check(cydriver.cuGraphMemcpyNodeGetParams(self.open_node(), &params), b"cuGraphMemcpyNodeGetParams")
        return params

    @property
    def dst(self) -> int:
        """Return the destination address."""
        cdef cydriver.CUDA_MEMCPY3D params = self.params()
        return <uintptr_t>params.dstHost if params.dstMemoryType == cydriver.CU_MEMORYTYPE_HOST else params.dstDevice

    @property
    def src(self) -> int:
        """Return the source address."""
        cdef cydriver.CUDA_MEMCPY3D params = self.params()
        return <uintptr_t>params.srcHost if params.srcMemoryType == cydriver.CU_MEMORYTYPE_HOST else params.srcDevice

    @property
    def size(self) -> int:
        """Return the size in bytes."""
        cdef cydriver.CUDA_MEMCPY3D params = self.params()
        return params.WidthInBytes * (params.Height or 1) * (params.Depth or 1)

    def update(self, *, dst=None, src=None, size=None, dst_owner=None, src_owner=None) -> None:
        """Change the operands or size, for graphs instantiated from now on (cuGraphMemcpyNodeSetParams).

        Parameters
        ----------
        dst, src : Buffer, DeviceArray or int, optional
            Destination and source; by default unchanged.
        size : int, optional
            Size in bytes; by default unchanged.
        dst_owner, src_owner : object, optional
            The owner of the memory, if it is given as an address.

        Raises
        ------
        ClosedError
            If the node was destroyed.
        CUDAError
            If cuGraphMemcpyNodeSetParams fails.

        Examples
        --------
        >>> target = device.allocate(400, stream=stream)
        >>> node = GraphDefinition().memcpy(target, buffer, 400)
        >>> node.update(size=200)
        >>> node.size
        200
        """
        cdef CopyParams params
        if dst is None:
            dst, dst_owner = self.dst, _owner(self.details(), 0)
        if src is None:
            src, src_owner = self.src, _owner(self.details(), 1)
        params = CopyParams.make(dst, src, self.size if size is None else size, dst_owner, src_owner)
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(params.owners)))
        cdef cydriver.CUresult status = cydriver.cuGraphMemcpyNodeSetParams(self.native, &params.native)
        self._changed(<uintptr_t>user, <int>status, b"cuGraphMemcpyNodeSetParams", params.owners)


cdef class MemsetNode(GraphNode):
    """A node that fills memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> node = GraphDefinition().memset(buffer, np.float32(0), 100)
    >>> node.element_size, node.width, node.height
    (4, 100, 1)
    """

    cdef cydriver.CUDA_MEMSET_NODE_PARAMS params(self) except *:
        cdef cydriver.CUDA_MEMSET_NODE_PARAMS params
        check(cydriver.cuGraphMemsetNodeGetParams(self.open_node(), &params), b"cuGraphMemsetNodeGetParams")
        return params

    @property
    def dptr(self) -> int:
        """Return the destination address."""
        return self.params().dst

    @property
    def value(self) -> int:
        """Return the pattern, as an unsigned number of `element_size` bytes."""
        return self.params().value

    @property
    def element_size(self) -> int:
        """Return the size of the pattern in bytes: 1, 2 or 4."""
        return self.params().elementSize

    @property
    def width(self) -> int:
        """Return the number of elements in a row."""
        return self.params().width

    @property
    def height(self) -> int:
        """Return the number of rows."""
        return self.params().height

    @property
    def pitch(self) -> int:
        """Return the bytes from one row to the next; not used for a single row."""
        return self.params().pitch

    def update(self, *, dst=None, value=None, width=None, height=None, pitch=None, dst_owner=None) -> None:
        """Change the parameters, for graphs instantiated from now on; those not given stay unchanged
        (cuGraphMemsetNodeSetParams).

        Parameters
        ----------
        dst : Buffer, DeviceArray or int, optional
            The destination.
        value : int or bytes-like, optional
            A byte, or a pattern of 1, 2 or 4 bytes.
        width, height : int, optional
            The number of elements in a row, and of rows.
        pitch : int, optional
            Bytes from one row to the next.
        dst_owner : object, optional
            The owner of the memory, if it is given as an address.

        Raises
        ------
        ClosedError
            If the node was destroyed.
        CUDAError
            If cuGraphMemsetNodeSetParams fails.

        Examples
        --------
        >>> node = GraphDefinition().memset(buffer, 0, 400)
        >>> node.update(value=255)
        >>> node.value, node.width
        (255, 400)
        """
        cdef FillParams params
        cdef cydriver.CUDA_MEMSET_NODE_PARAMS old = self.params()
        if dst is None:
            dst, dst_owner = old.dst, _owner(self.details(), 0)
        if value is None:
            value = int(old.value).to_bytes(old.elementSize, "little")
        params = FillParams.make(
            dst, value, old.width if width is None else width, old.height if height is None else height,
            old.pitch if pitch is None else pitch, dst_owner,
        )
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(params.owners)))
        cdef cydriver.CUresult status = cydriver.cuGraphMemsetNodeSetParams(self.native, &params.native)
        self._changed(<uintptr_t>user, <int>status, b"cuGraphMemsetNodeSetParams", params.owners)


cdef class HostCallbackNode(GraphNode):
    """A node that calls a function on the host. To add another one that depends on it: ``node.join().callback(fn)``.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> node = GraphDefinition().callback(print)
    >>> node.callback
    <built-in function print>
    """

    @property
    def callback(self):
        """Return the Python callable; None for a C function, and for a node that was captured."""
        return self.details()

    def update(self, fn, *, user_data=None) -> None:
        """Change the function, for graphs instantiated from now on (cuGraphHostNodeSetParams).

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
            If the node was destroyed.
        CUDAError
            If cuGraphHostNodeSetParams fails.

        Examples
        --------
        >>> node = GraphDefinition().callback(print)
        >>> node.update(repr.__call__)
        >>> node.callback
        <method-wrapper '__call__' of builtin_function_or_method object at ...>
        """
        cdef cydriver.CUgraphNode node = self.open_node()
        cdef HostParams params = HostParams.make(fn, user_data)
        cdef cydriver.CUuserObject user = self.state.keep(params.entry)
        cdef cydriver.CUresult status = cydriver.cuGraphHostNodeSetParams(node, &params.native)
        self._changed(<uintptr_t>user, <int>status, b"cuGraphHostNodeSetParams", None)
        self.state.book.details[<uintptr_t>node] = params.function


cdef class EventRecordNode(GraphNode):
    """A node that records an event.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> event = device.create_event()
    >>> GraphDefinition().record(event).event is event
    True
    """

    @property
    def event(self):
        """Return the event; one that was not created here is wrapped."""
        cdef cydriver.CUevent event = NULL
        check(cydriver.cuGraphEventRecordNodeGetEvent(self.open_node(), &event), b"cuGraphEventRecordNodeGetEvent")
        return _event_object(event, self.details())

    def update(self, event) -> None:
        """Change the event to record, for graphs instantiated from now on (cuGraphEventRecordNodeSetEvent).

        Parameters
        ----------
        event : Event
            The event; the graph keeps it alive.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the event is closed, or the node was destroyed.
        CUDAError
            If cuGraphEventRecordNodeSetEvent fails.

        Examples
        --------
        >>> first, second = device.create_event(), device.create_event()
        >>> node = GraphDefinition().record(first)
        >>> node.update(second)
        >>> node.event is second
        True
        """
        cdef cydriver.CUevent native = event_handle(event)
        cdef cydriver.CUgraphNode node = self.open_node()
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(event)))
        cdef cydriver.CUresult status = cydriver.cuGraphEventRecordNodeSetEvent(node, native)
        self._changed(<uintptr_t>user, <int>status, b"cuGraphEventRecordNodeSetEvent", event)


cdef class EventWaitNode(GraphNode):
    """A node that waits for an event.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> event = stream.record()
    >>> GraphDefinition().wait(event).event is event
    True
    """

    @property
    def event(self):
        """Return the event; one that was not created here is wrapped."""
        cdef cydriver.CUevent event = NULL
        check(cydriver.cuGraphEventWaitNodeGetEvent(self.open_node(), &event), b"cuGraphEventWaitNodeGetEvent")
        return _event_object(event, self.details())

    def update(self, event) -> None:
        """Change the event to wait for, for graphs instantiated from now on (cuGraphEventWaitNodeSetEvent).

        Parameters
        ----------
        event : Event
            The event; the graph keeps it alive.

        Raises
        ------
        TypeError
            If `event` is not an Event.
        ClosedError
            If the event is closed, or the node was destroyed.
        CUDAError
            If cuGraphEventWaitNodeSetEvent fails.

        Examples
        --------
        >>> first, second = stream.record(), stream.record()
        >>> node = GraphDefinition().wait(first)
        >>> node.update(second)
        >>> node.event is second
        True
        """
        cdef cydriver.CUevent native = event_handle(event)
        cdef cydriver.CUgraphNode node = self.open_node()
        cdef cydriver.CUuserObject user = self.state.keep(hold(in_use(event)))
        cdef cydriver.CUresult status = cydriver.cuGraphEventWaitNodeSetEvent(node, native)
        self._changed(<uintptr_t>user, <int>status, b"cuGraphEventWaitNodeSetEvent", event)


cdef object _event_object(cydriver.CUevent native, object known):
    if known is None:
        raise ValueError("the event of this node was not given by cuda.core: its handle is all there is to be known")
    return known


cdef class ChildGraphNode(GraphNode):
    """A node that runs another graph.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> child = GraphDefinition()
    >>> inner = child.memset(buffer, 0, 400)
    >>> node = GraphDefinition().embed(child)
    >>> len(node.child_graph.nodes())
    1
    """

    @property
    def child_graph(self):
        """Return the node's own copy of the child graph; changing it changes the node."""
        from cuda.core.graph._definition import definition_of

        cdef cydriver.CUgraph graph = NULL
        check(cydriver.cuGraphChildGraphNodeGetGraph(self.open_node(), &graph), b"cuGraphChildGraphNodeGetGraph")
        return definition_of(self.state.child(self.native, graph, False))

    def update(self, child) -> None:
        """Replace the child graph by a copy of another graph, for graphs instantiated from now on
        (cuGraphNodeSetParams).

        Parameters
        ----------
        child : GraphDefinition
            The graph. The former `child_graph` becomes invalid.

        Raises
        ------
        ClosedError
            If the graph or the node was destroyed.
        CUDAError
            If cuGraphNodeSetParams fails: it needs a driver of CUDA 12.2.

        Examples
        --------
        >>> node = GraphDefinition().embed(GraphDefinition())
        >>> other = GraphDefinition()
        >>> inner = other.memset(buffer, 0, 400)
        >>> node.update(other)
        >>> len(node.child_graph.nodes())
        1
        """
        cdef State inner = state_of(child, "child")
        cdef cydriver.CUgraphNodeParams params
        cdef cydriver.CUgraphNode node = self.open_node()
        memset(&params, 0, sizeof(params))
        params.type = cydriver.CU_GRAPH_NODE_TYPE_GRAPH
        params.graph.graph = inner.open_handle()
        check(cydriver.cuGraphNodeSetParams(node, &params), b"cuGraphNodeSetParams")
        self.state.lose_children(node)


cdef class AllocNode(GraphNode):
    """A node that allocates memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> node = GraphDefinition().allocate(400)
    >>> node.bytesize, str(node.memory_type)
    (400, 'device')
    """

    cdef cydriver.CUDA_MEM_ALLOC_NODE_PARAMS params(self) except *:
        cdef cydriver.CUDA_MEM_ALLOC_NODE_PARAMS params
        check(cydriver.cuGraphMemAllocNodeGetParams(self.open_node(), &params), b"cuGraphMemAllocNodeGetParams")
        return params

    @property
    def dptr(self) -> int:
        """Return the address of the memory, the same in each launch."""
        return self.params().dptr

    @property
    def bytesize(self) -> int:
        """Return the size in bytes."""
        return self.params().bytesize

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device; for host memory the device on which the node was created."""
        details = self.details()
        return self.params().poolProps.location.id if details is None else details[1]

    @property
    def memory_type(self):
        """Return the type of the memory, a `GraphMemoryType`."""
        cdef cydriver.CUmemPoolProps properties = self.params().poolProps
        if properties.allocType == cydriver.CU_MEM_ALLOCATION_TYPE_MANAGED:
            return GraphMemoryType.MANAGED
        on_device = properties.location.type == cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        return GraphMemoryType.DEVICE if on_device else GraphMemoryType.HOST

    @property
    def peer_access(self) -> tuple:
        """Return the ordinals of the peer devices that can access the memory."""
        cdef cydriver.CUDA_MEM_ALLOC_NODE_PARAMS params
        details = self.details()
        if details is not None:
            return details[2]
        params = self.params()
        return tuple([params.accessDescs[index].location.id for index in range(params.accessDescCount)])


cdef class FreeNode(GraphNode):
    """A node that frees memory.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.

    Examples
    --------
    >>> memory = GraphDefinition().allocate(400)
    >>> memory.deallocate(memory.dptr).dptr == memory.dptr
    True
    """

    @property
    def dptr(self) -> int:
        """Return the address of the memory."""
        cdef cydriver.CUdeviceptr ptr = 0
        check(cydriver.cuGraphMemFreeNodeGetParams(self.open_node(), &ptr), b"cuGraphMemFreeNodeGetParams")
        return ptr
