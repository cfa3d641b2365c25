# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""GraphMemoryResource: memory that a graph allocates and frees when it runs."""

from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._pointer cimport checked_size, pointer_value
from cuda.core._memory._resource cimport MemoryResource as _Base
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport native_device, primary
from cuda.core._memory._memory_pool cimport free, out_of_memory
from cuda.core._stream._stream cimport Stream, as_stream

import threading

cdef object _lock = threading.Lock()
cdef dict _resources = {}


cdef class GraphMemory(_Base):
    """The Cython base of GraphMemoryResource."""

    cdef int ordinal

    def allocate(self, size, *, stream):
        """Add an allocation node to the graph that a stream is being captured into (cuMemAllocAsync).

        Parameters
        ----------
        size : int
            Size in bytes, at least 1.
        stream : Stream or GraphBuilder
            The stream or builder that is being captured.

        Returns
        -------
        Buffer
            Memory that exists while the graph runs; closing the buffer adds the node that frees it.

        Raises
        ------
        RuntimeError
            If the stream is not being captured.
        TypeError
            If `size` is no int, or `stream` no stream.
        OverflowError
            If `size` is negative or exceeds 64 bits.
        CUDAError
            If `size` is 0, or there is not enough memory.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> temporary = GraphMemoryResource(device).allocate(400, stream=builder)
        >>> temporary.copy_from(buffer, stream=builder)
        >>> temporary.close()
        >>> builder.end_building().complete().launch(stream)
        """
        cdef size_t nbytes = checked_size(size)
        cdef Stream order = as_stream(stream, "stream")
        cdef cydriver.CUdeviceptr ptr = 0
        cdef cydriver.CUstreamCaptureStatus capturing
        check(cydriver.cuStreamIsCapturing(order.native, &capturing), b"cuStreamIsCapturing")
        if capturing == cydriver.CU_STREAM_CAPTURE_STATUS_NONE:
            raise RuntimeError(
                "stream is not being captured: GraphMemoryResource allocates within graphs, "
                "DeviceMemoryResource elsewhere"
            )
        cdef cydriver.CUresult status = cydriver.cuMemAllocAsync(&ptr, nbytes, order.native)
        if status != cydriver.CUDA_SUCCESS:
            out_of_memory(status, b"cuMemAllocAsync", nbytes, self.ordinal)
        return Buffer.wrap(ptr, nbytes, self, None, order)

    cdef bint may_be_gone(self):
        return True  # the memory of a graph that was not launched, or was destroyed, does not exist

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        return free(ptr, stream, self.ordinal)

    def deallocate(self, ptr, size, *, stream):
        """Add a node that frees an allocation to the graph being captured, or free it in a stream after a launch.

        `Buffer.close` calls this method (cuMemFreeAsync).

        Parameters
        ----------
        ptr : int
            Its address.
        size : int
            Its size in bytes.
        stream : Stream or GraphBuilder
            The stream or builder that is being captured, or the stream after whose work the memory is freed.

        Raises
        ------
        TypeError
            If `ptr` is no address, or `stream` no stream.
        CUDAError
            If cuMemFreeAsync fails.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> result = GraphMemoryResource(device).allocate(400, stream=builder)
        >>> builder.end_building().complete().launch(stream)
        >>> result.close(stream)  # the memory outlived the run, because the graph does not free it
        """
        free(pointer_value(ptr), as_stream(stream, "stream"), self.ordinal)

    def trim(self) -> None:
        """Return memory that no graph uses to the device (cuDeviceGraphMemTrim).

        Raises
        ------
        CUDAError
            If cuDeviceGraphMemTrim fails.

        Examples
        --------
        >>> resource = GraphMemoryResource(device)
        >>> resource.trim()
        >>> resource.attributes.reserved_mem_current >= resource.attributes.used_mem_current
        True
        """
        check(cydriver.cuDeviceGraphMemTrim(native_device(self.ordinal)), b"cuDeviceGraphMemTrim")

    def close(self) -> None:
        """Do nothing: the memory belongs to the device and its graphs.

        Examples
        --------
        >>> GraphMemoryResource(device).close()
        >>> GraphMemoryResource(device) is GraphMemoryResource(device)
        True
        """

    @property
    def attributes(self):
        """Return how much memory graphs use, in bytes; the high-water marks can be reset to 0."""
        return GraphMemoryAttributes(self)

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device."""
        return self.ordinal

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return False: the host cannot access the memory."""
        return False

    def _attribute(self, int which):
        cdef uint64_t value = 0
        check(
            cydriver.cuDeviceGetGraphMemAttribute(
                native_device(self.ordinal), <cydriver.CUgraphMem_attribute>which, &value
            ),
            b"cuDeviceGetGraphMemAttribute",
        )
        return value

    def _reset(self, int which, value):
        cdef uint64_t zero = 0
        if value != 0:
            raise AttributeError(f"the highest amount can only be reset to 0, not set to {value}")
        check(
            cydriver.cuDeviceSetGraphMemAttribute(
                native_device(self.ordinal), <cydriver.CUgraphMem_attribute>which, &zero
            ),
            b"cuDeviceSetGraphMemAttribute",
        )

    def __reduce__(self):
        return type(self), (self.ordinal,)

    def __repr__(self):
        return f"<GraphMemoryResource of device {self.ordinal}>"


class GraphMemoryResource(GraphMemory):
    """Memory for graphs: an allocation during the capture of a stream becomes a node of the graph.

    The address is known at once; the memory exists while the graph runs, from the node that allocates it to the one
    that frees it. The memory of a buffer that is still open when the capture ends outlives the run; free it after the
    launch with `Buffer.close` on a stream.

    Thread safety: threads may allocate and free memory at the same time.

    Parameters
    ----------
    device_id : Device or int
        The device whose memory is allocated.

    Notes
    -----
    There is one object per device, so that ``GraphMemoryResource(0) is GraphMemoryResource(0)``.

    Examples
    --------
    >>> GraphMemoryResource(0).attributes.used_mem_current
    0
    """

    def __new__(cls, device_id):
        cdef GraphMemory self
        cdef int ordinal = int(device_id)
        primary(ordinal)
        with _lock:
            self = _resources.get((cls, ordinal))
            if self is None:
                self = _resources[cls, ordinal] = GraphMemory.__new__(cls)
                self.ordinal = ordinal
            return self


class GraphMemoryAttributes:
    """The memory usage of a device's graphs (CUgraphMem_attribute).

    Thread safety: threads may share it; each access asks the driver.
    """

    __slots__ = ("_resource",)

    def __init__(self, resource):
        self._resource = resource

    def __repr__(self):
        return f"<GraphMemoryAttributes {', '.join(f'{name}={getattr(self, name)}' for name, *_ in _ATTRIBUTES)}>"


def _graph_attribute(int which, str doc, bint resets):
    def read(self):
        return self._resource._attribute(which)

    def reset(self, value):
        self._resource._reset(which, value)

    return property(read, reset if resets else None, doc=doc)


_ATTRIBUTES = (
    ("reserved_mem_current", cydriver.CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, False,
     "Return how many bytes are reserved for graphs."),
    ("reserved_mem_high", cydriver.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, True,
     "Return how many bytes have been reserved for graphs at most; set it to 0 to restart counting."),
    ("used_mem_current", cydriver.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, False,
     "Return how many bytes graphs are using."),
    ("used_mem_high", cydriver.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, True,
     "Return how many bytes graphs have used at most; set it to 0 to restart counting."),
)
for _name, _which, _resets, _doc in _ATTRIBUTES:
    setattr(GraphMemoryAttributes, _name, _graph_attribute(_which, _doc, _resets))
