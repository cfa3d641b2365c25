# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Memory resources without pools, which allocate and free synchronously (cuMemAllocHost, cuMemAlloc)."""

from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._pointer cimport checked_size, pointer_value
from cuda.core._memory._resource cimport MemoryResource as _Base
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport Activation, activate, activate_any, initialise, primary
from cuda.core._memory._memory_pool cimport free, free_later, must_wait, out_of_memory
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.core._stream._stream import default_stream


cdef class LegacyPinnedMemoryResource(_Base):
    """Pinned host memory, which devices can access, allocated and freed synchronously.

    Thread safety: threads may allocate and free memory at the same time.

    Examples
    --------
    >>> pinned = LegacyPinnedMemoryResource().allocate(16, stream=stream)
    >>> np.from_dlpack(pinned).view(np.float32).shape
    (4,)
    """

    def allocate(self, size, *, stream=None):
        """Allocate host memory synchronously (cuMemAllocHost).

        Parameters
        ----------
        size : int
            Size in bytes.
        stream : Stream, optional
            The stream whose work `Buffer.close` waits for.

        Returns
        -------
        Buffer
            Uninitialised memory that the host and all devices can access.

        Raises
        ------
        CUDAError
            If there is not enough memory.
        TypeError
            If `size` is no int, or `stream` no stream.
        OverflowError
            If `size` is negative or exceeds 64 bits.

        Examples
        --------
        >>> pinned = LegacyPinnedMemoryResource().allocate(400)
        >>> values = np.frombuffer(pinned, np.float32)
        >>> values[:] = 3
        >>> launch(stream, config, kernel, pinned, 2.0, 100)
        >>> stream.sync()
        >>> print(values[0])
        6.0
        """
        cdef size_t nbytes = checked_size(size)
        cdef void* ptr = NULL
        cdef cydriver.CUresult status
        order = None if stream is None else as_stream(stream, "stream")
        if nbytes == 0:
            return Buffer.wrap(0, 0, self, None, order)
        initialise()
        with nogil:
            status = cydriver.cuMemAllocHost(&ptr, nbytes)
        if status != cydriver.CUDA_SUCCESS:
            out_of_memory(status, b"cuMemAllocHost", nbytes, 0)
        return Buffer.wrap(<cydriver.CUdeviceptr><uintptr_t>ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        self.deallocate(ptr, size, stream=stream)
        return 0

    def deallocate(self, ptr, size, *, stream=None):
        """Free memory from `allocate`, after waiting for the work of the stream, if one is given (cuMemFreeHost).

        A stream that is being captured is not waited for: its work becomes part of a graph and is not running.
        `Buffer.close` calls this method.

        Parameters
        ----------
        ptr : int
            The address.
        size : int
            The size in bytes.
        stream : Stream, optional
            The stream that may still use the memory.

        Raises
        ------
        TypeError
            If `ptr` is no address, or `stream` no stream.
        CUDAError
            If the work of the stream has failed, or `ptr` is no address of such memory.

        Examples
        --------
        >>> resource = LegacyPinnedMemoryResource()
        >>> pinned = resource.allocate(400, stream=stream)
        >>> pinned.close()  # calls deallocate, which waits for the stream
        >>> stream.is_done
        True
        """
        cdef void* native = <void*><uintptr_t>pointer_value(ptr)
        cdef cydriver.CUresult status
        cdef cydriver.CUstreamCaptureMode mode = cydriver.CU_STREAM_CAPTURE_MODE_RELAXED
        cdef Stream order
        try:
            if stream is not None and not getattr(stream, "is_closed", False):
                order = as_stream(stream, "stream")
                if not (order.is_gone() or order.is_capturing()):
                    order.sync()
        finally:  # even if that work has failed
            # Relaxed mode: a capture in progress, in this thread or another, must not make this call fail.
            cydriver.cuThreadExchangeStreamCaptureMode(&mode)
            with nogil:
                status = cydriver.cuMemFreeHost(native)
            cydriver.cuThreadExchangeStreamCaptureMode(&mode)
            if status == cydriver.CUDA_ERROR_INVALID_CONTEXT:
                self._free_in_context(<uintptr_t>native)
            else:
                check(status, b"cuMemFreeHost")

    def _free_in_context(self, uintptr_t ptr):
        cdef Activation _active = activate_any()
        with nogil:
            check(cydriver.cuMemFreeHost(<void*>ptr), b"cuMemFreeHost")

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return True: the host can access the memory."""
        return True

    @property
    def device_id(self) -> int:
        """Raise RuntimeError: host memory belongs to no device."""
        raise RuntimeError("host memory belongs to no device")


cdef class SynchronousMemoryResource(_Base):
    """Device memory for devices without memory pools, allocated and freed synchronously."""

    cdef int ordinal

    def __init__(self, device_id):
        self.ordinal = int(device_id)
        primary(self.ordinal)

    def allocate(self, size, *, stream=None):
        """Allocate device memory.

        Parameters
        ----------
        size : int
            Size in bytes.
        stream : Stream, optional
            The stream whose work `Buffer.close` waits for.

        Returns
        -------
        Buffer
        """
        cdef size_t nbytes = checked_size(size)
        cdef cydriver.CUdeviceptr ptr = 0
        cdef cydriver.CUresult status
        order = default_stream() if stream is None else as_stream(stream, "stream")
        if nbytes == 0:
            return Buffer.wrap(0, 0, self, None, order)
        cdef Activation _active = activate(self.ordinal)
        with nogil:
            status = cydriver.cuMemAlloc(&ptr, nbytes)
        if status != cydriver.CUDA_SUCCESS:
            out_of_memory(status, b"cuMemAlloc", nbytes, self.ordinal)
        return Buffer.wrap(ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        if must_wait(stream):
            return free_later(ptr, stream, self.ordinal)
        self.deallocate(ptr, size, stream=stream)
        return 0

    def __reduce__(self):
        return SynchronousMemoryResource, (self.ordinal,)

    def deallocate(self, ptr, size, *, stream=None):
        """Free memory from `allocate`; the driver waits for work that may use it."""
        free(pointer_value(ptr), None, self.ordinal)

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return False: the host cannot access the memory."""
        return False

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device."""
        return self.ordinal
