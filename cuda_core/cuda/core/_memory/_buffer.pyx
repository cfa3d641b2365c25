# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Buffer: an allocation of device, host or managed memory."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._memory._allocation cimport Allocation
from cuda.core._memory._pointer cimport checked_size, fill_pattern, is_managed_pointer, memory_type, pointer_value
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream, as_stream
from cuda.core._utils._check cimport check, dev_mode, is_finalizing, warn_unclosed

import sys

from cuda.core._errors import NotHostError


cdef class Buffer(Allocation):
    """An allocation of device, host or managed memory.

    Buffers come from `Device.allocate` or a memory resource. The memory is freed, in the order of the buffer's stream,
    when the buffer is closed or garbage-collected. While arrays that share it by DLPack or the buffer protocol, or
    graph nodes that copy or fill it, are alive, it stays allocated.

    Thread safety: threads may share it; of several `close` calls one frees the memory. Streams and events alone
    order accesses to it.

    Examples
    --------
    >>> with device.allocate(400, stream=stream) as data:
    ...     data.copy_from(buffer, stream=stream)
    ...     data.size
    400
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Buffer is not made directly: use Device.allocate or Buffer.from_handle")

    @staticmethod
    cdef Buffer wrap(cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner, Stream stream):
        cdef Buffer self = Buffer.__new__(Buffer)
        self.ptr = ptr
        self.nbytes = nbytes
        self.mr = mr
        self._owner = owner
        self.stream = stream
        self.context_id = 0 if stream is None else stream.context_id
        return self

    @staticmethod
    cdef Buffer wrap_as(type kind, cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner,
                        Stream stream):
        """Implement `wrap` for a subclass."""
        cdef Buffer self = kind.__new__(kind)
        self.ptr = ptr
        self.nbytes = nbytes
        self.mr = mr
        self._owner = owner
        self.stream = stream
        self.context_id = 0 if stream is None else stream.context_id
        return self

    @staticmethod
    def _wrap_handle(kind, ptr, size, mr, owner, stream):
        """Implement `from_handle` for Buffer or a subclass."""
        if mr is not None and owner is not None:
            raise ValueError("give mr, which takes the memory back, or owner, which keeps it; not both")
        if mr is not None and not isinstance(mr, MemoryResource):
            raise TypeError(f"mr must be a MemoryResource, not {type(mr).__name__}")
        queue = None if stream is None else as_stream(stream, "stream")
        cdef size_t nbytes = checked_size(size)
        if nbytes > <size_t>sys.maxsize:
            raise OverflowError(f"size must be from 0 to {sys.maxsize} bytes, not {nbytes}")
        return Buffer.wrap_as(kind, pointer_value(ptr), nbytes, mr, owner, queue)

    @staticmethod
    def from_handle(ptr, size, mr=None, owner=None, *, stream=None):
        """Wrap memory at an address, which other code has allocated.

        Parameters
        ----------
        ptr : int or cuda.bindings.driver.CUdeviceptr
            The address.
        size : int
            Size in bytes.
        mr : MemoryResource, optional
            The resource whose `deallocate` is called when the buffer is closed.
        owner : object, optional
            The owner of the memory, kept alive as long as the buffer. Give `mr` or `owner`, not both.
        stream : Stream, optional
            The stream that orders the deallocation by `mr`; the default stream if none is given.

        Returns
        -------
        Buffer
            A buffer of this memory. Without `mr`, closing it does not free the memory.

        Raises
        ------
        ValueError
            If both `mr` and `owner` are given.
        OverflowError
            If `size` is negative or exceeds 63 bits.
        TypeError
            If `mr` is not a MemoryResource, `ptr` no address or `stream` no stream.

        Examples
        --------
        >>> memory = np.zeros(100, np.float32)
        >>> wrapped = Buffer.from_handle(memory.ctypes.data, memory.nbytes, owner=memory)
        >>> wrapped.size, wrapped.owner is memory
        (400, True)
        """
        return Buffer._wrap_handle(Buffer, ptr, size, mr, owner, stream)

    @classmethod
    def from_ipc_descriptor(cls, mr, ipc_descriptor, *, stream):
        """Open memory that another process has allocated, by its descriptor (cuMemPoolImportPointer).

        Parameters
        ----------
        mr : DeviceMemoryResource or PinnedMemoryResource
            The other process's resource as opened here: its `is_mapped` is true.
        ipc_descriptor : IPCBufferDescriptor
            The other process's `Buffer.ipc_descriptor`. It is not validated: accept it only from trusted processes.
        stream : Stream
            The stream after whose work the memory is unmapped when the buffer is closed.

        Returns
        -------
        Buffer
            The same memory in this process; its `is_mapped` is true.

        Raises
        ------
        TypeError
            If `mr` or `ipc_descriptor` are of another type, or `stream` is no stream.
        CUDAError
            If the memory cannot be opened, for example because the other process has freed it.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
        >>> shared = pool.allocate(4096, stream=stream)
        >>> handle, descriptor = pool.allocation_handle, shared.ipc_descriptor
        >>> # Another process, to which both were pickled, calls:
        >>> opened = DeviceMemoryResource.from_allocation_handle(device, handle)
        >>> memory = Buffer.from_ipc_descriptor(opened, descriptor, stream=stream)
        >>> memory.size, memory.is_mapped
        (4096, True)
        """
        from cuda.core._memory._ipc import open_buffer

        return open_buffer(mr, ipc_descriptor, as_stream(stream, "stream"))

    def __del__(self):
        unclosed = dev_mode and not self.closed and self.mr is not None and self.ptr != 0 and not is_finalizing()
        shown = repr(self) if unclosed else None
        if not self.closed or self.mr is not None:
            self.forget()
        if unclosed:
            warn_unclosed(shown, self)

    @cython.critical_section
    def _check_movable(self):
        """Raise if views or graph nodes refer to the memory, so that its address cannot change."""
        if self.exports:
            raise BufferError(
                f"this Buffer cannot get another address: {self.exports} arrays or nodes of graphs refer to its memory"
            )

    @cython.critical_section
    def _move(self, cydriver.CUdeviceptr ptr, size_t nbytes):
        """Set the address and size after the memory was resized."""
        self.ptr = ptr
        self.nbytes = nbytes

    @cython.critical_section
    def close(self, stream=None) -> None:
        """Free the memory by its memory resource, in the order of a stream. Closing twice does nothing.

        The host does not wait. Arrays that share the memory keep it allocated until the last one is gone.

        Parameters
        ----------
        stream : Stream, optional
            The stream after whose present work the memory is freed; by default the one of its allocation.

        Raises
        ------
        TypeError
            If `stream` is no stream.
        CUDAError
            If freeing fails, for example because work in the stream has failed.

        Examples
        --------
        >>> memory = device.allocate(400, stream=stream)
        >>> memory.close()
        >>> memory.is_closed, memory.size
        (True, 0)
        """
        queue = None if self.closed or stream is None else as_stream(stream, "stream")
        if not self.closed:
            self.give_back(queue)

    def set_deallocation_stream(self, stream) -> None:
        """Set the stream after whose work the memory is freed.

        Parameters
        ----------
        stream : Stream
            The stream that `close` and the finaliser use from now on.

        Raises
        ------
        TypeError
            If `stream` is no stream.
        ClosedError
            If the buffer or the stream is closed.

        Examples
        --------
        >>> memory = device.allocate(400, stream=stream)
        >>> second = device.create_stream()
        >>> second.wait(stream)
        >>> memory.set_deallocation_stream(second)
        """
        self.address()
        cdef Stream queue = as_stream(stream, "stream")
        with cython.critical_section(self):
            self.stream = queue

    def __enter__(self):
        self.address()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    @property
    def handle(self) -> int:
        """Return the address; 0 once closed."""
        return 0 if self.closed else self.ptr

    @property
    def size(self) -> int:
        """Return the size in bytes; 0 once closed."""
        return 0 if self.closed else self.nbytes

    @property
    def is_closed(self) -> bool:
        """Return whether the buffer was closed."""
        return self.closed

    @property
    def memory_resource(self):
        """Return the resource that frees the memory, or None."""
        return self.resource()

    @property
    @cython.critical_section
    def owner(self):
        """Return the object that owns the memory if the buffer only refers to it, else None."""
        return self._owner

    @property
    def is_mapped(self) -> bool:
        """Return whether another process has allocated the memory."""
        return self.mapped

    @property
    def ipc_descriptor(self):
        """Return a descriptor with which another process that has opened the memory resource can open this memory.

        Raises RuntimeError if the memory's resource was not created with ``ipc_enabled=True``, or belongs to another
        process (cuMemPoolExportPointer).
        """
        from cuda.core._memory._ipc import describe_buffer

        self.address()
        return describe_buffer(self)

    @property
    def is_device_accessible(self) -> bool:
        """Return whether kernels can access the memory."""
        mr = self.resource()
        if mr is not None:
            return mr.is_device_accessible
        return memory_type(self.address()) != 0

    @property
    def is_host_accessible(self) -> bool:
        """Return whether the host can access the memory."""
        mr = self.resource()
        if mr is not None:
            return mr.is_host_accessible
        return memory_type(self.address()) != <int>cydriver.CU_MEMORYTYPE_DEVICE

    @property
    def is_managed(self) -> bool:
        """Return whether it is managed memory, which migrates between host and devices."""
        mr = self.resource()
        if mr is not None:
            return mr.is_managed or is_managed_pointer(self.address())
        return memory_type(self.address()) == <int>cydriver.CU_MEMORYTYPE_UNIFIED

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device (cuPointerGetAttribute); -1 for memory unknown to the driver.

        Raises RuntimeError for pinned memory, which belongs to no device.
        """
        cdef int ordinal = 0
        mr = self.resource()
        if mr is not None:
            return mr.device_id
        if memory_type(self.address()) == 0:
            return -1
        check(
            cydriver.cuPointerGetAttribute(&ordinal, cydriver.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, self.address()),
            b"cuPointerGetAttribute",
        )
        return ordinal

    def copy_to(self, dst=None, *, stream, options=None):
        """Copy this buffer into another one or into an array, in the order of a stream (cuMemcpyAsync).

        Parameters
        ----------
        dst : Buffer or array, optional
            A buffer or C-contiguous array of the same size in bytes; by default a new buffer from the same resource.
            Arrays are NumPy arrays and objects with the buffer protocol, DLPack or the CUDA Array Interface, on the
            host or the device. The array is kept alive until the copy is done; call `Stream.sync` before you read
            it.
        stream : Stream
            The stream of the operation.
        options : CopyOptions, optional
            Access order and location hints; not supported in a stream that is being captured.

        Returns
        -------
        Buffer or array
            `dst`, or the new buffer.

        Raises
        ------
        ValueError
            If the sizes differ, or the array is read-only or has gaps.
        TypeError
            If `dst` is neither a Buffer nor an array, or `stream` no stream.
        ClosedError
            If one of the buffers is closed.
        CUDAError
            If cuMemcpyAsync fails.

        Examples
        --------
        >>> memory = device.allocate(400, stream=stream)
        >>> memory.fill(np.float32(1.5), stream=stream)
        >>> array = memory.copy_to(np.empty(100, np.float32), stream=stream)
        >>> stream.sync()
        >>> print(array[99])
        1.5
        """
        if dst is None:
            self.address()
            mr = self.resource()
            if mr is None:
                raise ValueError("give dst: this Buffer has no memory resource to allocate another one from")
            dst = mr.allocate(self.nbytes, stream=stream)
        if isinstance(dst, Buffer):
            _copy(<Buffer>dst, self, as_stream(stream, "stream"), options)
        else:
            _copy_array(self, dst, as_stream(stream, "stream"), options, True)
        return dst

    def copy_from(self, src, *, stream, options=None) -> None:
        """Copy another buffer or an array into this one, in the order of a stream (cuMemcpyAsync).

        Parameters
        ----------
        src : Buffer or array
            A buffer or C-contiguous array of the same size in bytes; see `copy_to`. Do not change the array before
            the copy is done.
        stream : Stream
            The stream of the operation.
        options : CopyOptions, optional
            Access order and location hints; not supported in a stream that is being captured.

        Raises
        ------
        ValueError
            If the sizes differ, or the array has gaps.
        TypeError
            If `src` is neither a Buffer nor an array, or `stream` no stream.
        ClosedError
            If one of the buffers is closed.
        CUDAError
            If cuMemcpyAsync fails.

        Examples
        --------
        >>> memory = device.allocate(400, stream=stream)
        >>> memory.copy_from(np.arange(100, dtype=np.float32), stream=stream)
        >>> launch(stream, config, kernel, memory, 2.0, 100)
        >>> result = memory.copy_to(np.empty(100, np.float32), stream=stream)
        >>> stream.sync()
        >>> print(result[:4])
        [0. 2. 4. 6.]
        """
        if isinstance(src, Buffer):
            _copy(self, <Buffer>src, as_stream(stream, "stream"), options)
        else:
            _copy_array(self, src, as_stream(stream, "stream"), options, False)

    def fill(self, value, *, stream) -> None:
        """Fill the buffer with a pattern of 1, 2 or 4 bytes, in the order of a stream (cuMemsetD8Async, D16, D32).

        Parameters
        ----------
        value : int or bytes-like
            A byte (0 to 255), or 1, 2 or 4 bytes such as ``numpy.float32(1)``; must divide the buffer's size.
        stream : Stream
            The stream of the operation.

        Raises
        ------
        ValueError
            If `value` has another number of bytes, or one that does not divide the buffer's size.
        OverflowError
            If `value` is an int that is no byte.
        TypeError
            If `value` is neither an int nor bytes-like, or `stream` no stream.
        ClosedError
            If the buffer is closed.
        CUDAError
            If the driver rejects the operation.

        Examples
        --------
        >>> buffer.fill(np.float32(0.25), stream=stream)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[:3])
        [0.25 0.25 0.25]
        """
        cdef Stream queue = as_stream(stream, "stream")
        cdef cydriver.CUdeviceptr ptr = self.address()
        cdef cydriver.CUstream native = queue.native
        cdef cydriver.CUresult status
        pattern = fill_pattern(value)
        cdef size_t width = len(pattern)
        cdef uint32_t bits = int.from_bytes(pattern, sys.byteorder)
        cdef size_t count = self.nbytes // width
        if self.nbytes % width:
            raise ValueError(f"value has {width} bytes, but the buffer's {self.nbytes} are no multiple of that")
        if count == 0:
            return
        queue.begin_use()
        with nogil:
            if width == 1:
                status = cydriver.cuMemsetD8Async(ptr, <uint8_t>bits, count, native)
            elif width == 2:
                status = cydriver.cuMemsetD16Async(ptr, <uint16_t>bits, count, native)
            else:
                status = cydriver.cuMemsetD32Async(ptr, bits, count, native)
        queue.end_use()
        check(status, {1: b"cuMemsetD8Async", 2: b"cuMemsetD16Async", 4: b"cuMemsetD32Async"}[width])
        if queue.owner is not None:
            _keep_in_graph(queue, (self,))

    cdef int export(self, object exporter, Py_buffer* view, int flags) except -1:
        """Fill in a Py_buffer for the memory, which `exporter` releases."""
        if not self.is_host_accessible:
            raise NotHostError("this is device memory: copy it to a buffer that the host can read")
        with cython.critical_section(self):
            PyBuffer_FillInfo(view, exporter, <void*><uintptr_t>self.address(), self.nbytes, False, flags)
            self.exports += 1
        return 0

    def __getbuffer__(self, Py_buffer* view, int flags):
        self.export(self, view, flags)

    def __releasebuffer__(self, Py_buffer* view):
        self.drop_export()

    def __buffer__(self, int flags, /):
        """Return a memoryview of memory that the host can use (PEP 688)."""
        return memoryview(_Exporter(self))  # since Python 3.12, memoryview(self) of a subclass calls this method again

    __array_ufunc__ = None  # NumPy's operators leave a Buffer alone

    def __array__(self, dtype=None, copy=None):
        """Raise TypeError: NumPy calls this for memory that the host cannot read."""
        self.address()
        raise TypeError(
            "this Buffer is memory of the device, which NumPy cannot read: copy it to an array, "
            "array = numpy.empty(shape, dtype); buffer.copy_to(array, stream=stream); stream.sync()"
        )

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Export the memory as a one-dimensional array of bytes, int8.

        Parameters
        ----------
        stream : int, optional
            The consumer's stream: it waits for the work of the buffer's stream; -1 does not wait.
        max_version : tuple of int, optional
            The newest version of DLPack that the consumer supports.
        dl_device : tuple of int, optional
            The device that the consumer requests: it must be the memory's.
        copy : bool, optional
            Whether to export a copy, allocated from the buffer's resource.

        Returns
        -------
        capsule
        """
        from cuda.core._view._dlpack import export_buffer

        return export_buffer(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and device id."""
        from cuda.core._view._dlpack import device_of

        return device_of(self)

    def __eq__(self, other):
        if not isinstance(other, Buffer):
            return NotImplemented
        cdef Buffer buffer = other
        return self is buffer or (
            not self.closed and not buffer.closed and self.ptr == buffer.ptr and self.nbytes == buffer.nbytes
        )

    def __hash__(self):
        return hash((self.ptr, self.nbytes))

    def __reduce__(self):
        from cuda.core._memory._ipc import reduce_buffer

        return reduce_buffer(self)

    def _repr_html_(self):
        from cuda.core._utils._html import of_buffer

        return of_buffer(self)

    def __repr__(self):
        state = "closed" if self.closed else f"at {self.ptr:#x}"
        return f"<{type(self).__name__} {state}, {self.nbytes} bytes>"


cdef int _copy(Buffer dst, Buffer src, Stream stream, object options) except -1:
    cdef cydriver.CUdeviceptr to = dst.address(), start = src.address()
    cdef size_t nbytes = src.nbytes
    cdef cydriver.CUstream native = stream.native
    cdef cydriver.CUresult status
    if dst.nbytes != nbytes:
        raise ValueError(f"dst has {dst.nbytes} bytes and src {nbytes}: they must be of one size")
    if options is not None:
        from cuda.core._memory._batch import copy_with_options

        copy_with_options(to, start, nbytes, stream, options)
        return 0
    if nbytes == 0:
        return 0
    stream.begin_use()
    with nogil:
        status = cydriver.cuMemcpyAsync(to, start, nbytes, native)
    stream.end_use()
    check(status, b"cuMemcpyAsync")
    return 0 if stream.owner is None else _keep_in_graph(stream, (dst, src))


cdef int _copy_array(Buffer buffer, object array, Stream stream, object options, bint written) except -1:
    from cuda.core._memory._array_copy import copy_array

    buffer.address()
    keep = None if stream.owner is None else getattr(stream.current_owner(), "_keep", None)
    copy_array(buffer, array, stream, options, keep, written)
    return 0


cdef int _keep_in_graph(Stream stream, tuple operands) except -1:
    """If `stream` stands for a graph builder, make its graph keep the operands alive."""
    keep = getattr(stream.current_owner(), "_keep", None)
    if keep is not None:
        keep(*operands)
    return 0


@cython.final
@cython.internal
cdef class _Exporter:
    """Export a Buffer's memory by the buffer protocol without calling its `__buffer__`."""

    cdef Buffer of

    def __init__(self, Buffer of):
        self.of = of

    def __getbuffer__(self, Py_buffer* view, int flags):
        self.of.export(self, view, flags)

    def __releasebuffer__(self, Py_buffer* view):
        self.of.drop_export()
