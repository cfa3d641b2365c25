# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Memory resources: pools of device memory, and memory of the host that devices reach."""

from libc.stdint cimport UINT64_MAX, uint64_t, uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._buffer cimport Buffer, MemoryResource as _Base, checked_size, pointer_value
from cuda.core._check cimport check, fail, is_finalizing
from cuda.core._context cimport activate, deactivate, native_device, primary
from cuda.core._stream cimport Stream, as_stream

from cuda.core._buffer import MemoryResource
from cuda.core._options import DeviceMemoryResourceOptions, as_options, not_pickled, not_yet
from cuda.core._stream import default_stream

__all__ = ["DeviceMemoryResource", "LegacyPinnedMemoryResource", "MemoryResource"]


cdef int _out_of_memory(cydriver.CUresult status, const char* call, size_t size, int ordinal) except -1:
    """Raise for a failed allocation, saying how much was asked for and how much there is."""
    cdef size_t free = 0, total = 0
    advice = f"Asked for {size} bytes"
    if status == cydriver.CUDA_ERROR_OUT_OF_MEMORY:
        pushed = activate(ordinal)
        if cydriver.cuMemGetInfo(&free, &total) == cydriver.CUDA_SUCCESS:
            advice += f"; {free} of {total} are free"
        deactivate(pushed)
        return fail(status, call, advice + ". Close buffers that are no longer needed, or allocate less.")
    return fail(status, call)


cdef int _free(cydriver.CUdeviceptr ptr, Stream stream, int ordinal) except -1:
    """Free device memory in the order of a stream; at once, which waits, if the stream is closed."""
    cdef cydriver.CUresult status
    cdef cydriver.CUstream native = NULL
    cdef bint pushed = False
    if stream is not None and not stream.closed:
        native = stream.native
        with nogil:
            status = cydriver.cuMemFreeAsync(ptr, native)
        if status != cydriver.CUDA_ERROR_INVALID_CONTEXT:
            return check(status, b"cuMemFreeAsync")
    # A finaliser may run in a thread without a current context.
    pushed = activate(ordinal)
    try:
        with nogil:
            if native != NULL:
                status = cydriver.cuMemFreeAsync(ptr, native)
            else:
                status = cydriver.cuMemFree(ptr)
        return check(status, b"cuMemFreeAsync" if native != NULL else b"cuMemFree")
    finally:
        deactivate(pushed)


cdef class DeviceMemoryResource(_Base):
    """DeviceMemoryResource(device_id, options=None)\n--\n\nA pool of device memory.

    Buffers are allocated from it, and go back to it, in the order of a stream.

    Parameters
    ----------
    device_id : Device or int
        Whose memory.
    options : DeviceMemoryResourceOptions, optional
        The properties of a new pool. Without, it is the device's own pool, which everybody shares.
    """

    cdef cydriver.CUmemoryPool pool
    cdef int ordinal
    cdef bint owned
    cdef bint closed
    cdef bint overridden

    def __cinit__(self, *args, **kwargs):
        # A Python subclass may define deallocate: then it, and not the direct call, takes memory back.
        self.overridden = type(self).deallocate is not DeviceMemoryResource.deallocate

    def __init__(self, device_id, options=None):
        cdef uint64_t threshold = 0
        if self.pool != NULL:
            raise RuntimeError("this DeviceMemoryResource is made already")
        self.ordinal = int(device_id)
        cdef cydriver.CUdevice device = native_device(self.ordinal)
        primary(self.ordinal)
        if options is not None:
            self._create(as_options(DeviceMemoryResourceOptions, options, "options"))
        else:
            check(cydriver.cuDeviceGetMemPool(&self.pool, device), b"cuDeviceGetMemPool")
        # A pool returns its memory at each synchronisation unless told to keep it.
        check(
            cydriver.cuMemPoolGetAttribute(self.pool, cydriver.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            b"cuMemPoolGetAttribute",
        )
        if threshold == 0:
            threshold = UINT64_MAX
            check(
                cydriver.cuMemPoolSetAttribute(self.pool, cydriver.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                b"cuMemPoolSetAttribute",
            )

    def _create(self, options):
        cdef cydriver.CUmemPoolProps properties
        if options.ipc_enabled:
            raise not_yet("DeviceMemoryResourceOptions.ipc_enabled", "memory is not shared between processes")
        memset(&properties, 0, sizeof(properties))
        properties.allocType = cydriver.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = self.ordinal
        properties.maxSize = checked_size(options.max_size)
        check(cydriver.cuMemPoolCreate(&self.pool, &properties), b"cuMemPoolCreate")
        self.owned = True

    def __dealloc__(self):
        if self.owned and not self.closed and not is_finalizing():
            cydriver.cuMemPoolDestroy(self.pool)

    cdef cydriver.CUmemoryPool open_pool(self) except NULL:
        if self.closed or self.pool == NULL:
            raise ValueError("this DeviceMemoryResource is closed")
        return self.pool

    def close(self) -> None:
        """Let go of the pool; its memory is freed once the last buffer is closed. Closing twice does nothing."""
        if self.closed:
            return
        self.closed = True
        if self.owned:
            check(cydriver.cuMemPoolDestroy(self.pool), b"cuMemPoolDestroy")

    def allocate(self, size, *, stream):
        """Allocate device memory.

        Parameters
        ----------
        size : int
            Bytes.
        stream : Stream
            The stream in whose order the memory becomes usable, and later free.

        Returns
        -------
        Buffer

        Raises
        ------
        CUDAError
            If there is not so much memory.
        """
        cdef size_t nbytes = checked_size(size)
        cdef Stream order = as_stream(stream, "stream")
        cdef cydriver.CUmemoryPool pool = self.open_pool()
        cdef cydriver.CUstream native = order.native
        cdef cydriver.CUdeviceptr ptr = 0
        cdef cydriver.CUresult status
        if nbytes == 0:
            return Buffer.wrap(0, 0, self, None, order)
        with nogil:
            status = cydriver.cuMemAllocFromPoolAsync(&ptr, nbytes, pool, native)
        if status == cydriver.CUDA_ERROR_INVALID_CONTEXT:
            # The default stream is that of the current context, and this thread has none.
            pushed = activate(self.ordinal)
            status = cydriver.cuMemAllocFromPoolAsync(&ptr, nbytes, pool, native)
            deactivate(pushed)
        if status != cydriver.CUDA_SUCCESS:
            _out_of_memory(status, b"cuMemAllocFromPoolAsync", nbytes, self.ordinal)
        return Buffer.wrap(ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        if self.overridden:
            return _Base.release(self, ptr, size, stream)
        return _free(ptr, stream, self.ordinal)

    def deallocate(self, ptr, size, *, stream):
        """Take back memory that `allocate` gave.

        Parameters
        ----------
        ptr : int
            Its address.
        size : int
            Its size in bytes.
        stream : Stream
            The stream after whose present work the memory is free.
        """
        _free(pointer_value(ptr), as_stream(stream, "stream"), self.ordinal)

    @property
    def handle(self):
        """Return the pool as `cuda.bindings.driver.CUmemoryPool`, None once closed."""
        from cuda.bindings import driver

        return None if self.closed else driver.CUmemoryPool(<uintptr_t>self.pool)

    @property
    def device_id(self) -> int:
        """Return the ordinal of the device whose memory it is."""
        return self.ordinal

    @property
    def attributes(self):
        """Return what the driver tells of the pool: sizes in bytes, and how it reuses memory."""
        self.open_pool()
        return PoolAttributes(self)

    def _attribute(self, int which):
        cdef uint64_t value = 0
        check(
            cydriver.cuMemPoolGetAttribute(self.open_pool(), <cydriver.CUmemPool_attribute>which, &value),
            b"cuMemPoolGetAttribute",
        )
        return value

    @property
    def peer_accessible_by(self):
        """Return the ordinals of the other devices that may use this pool's memory; set it to devices or ordinals."""
        return tuple(other for other in _ordinals() if other != self.ordinal and self._access(other))

    @peer_accessible_by.setter
    def peer_accessible_by(self, devices):
        wanted = {int(device) for device in devices} - {self.ordinal}
        for other in wanted:
            native_device(other)
        for other in _ordinals():
            if other != self.ordinal and (other in wanted) != self._access(other):
                self._set_access(other, other in wanted)

    def _access(self, int other) -> bool:
        cdef cydriver.CUmemLocation location
        cdef cydriver.CUmemAccess_flags flags
        memset(&location, 0, sizeof(location))
        location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        location.id = other
        check(cydriver.cuMemPoolGetAccess(&flags, self.open_pool(), &location), b"cuMemPoolGetAccess")
        return flags == cydriver.CU_MEM_ACCESS_FLAGS_PROT_READWRITE

    def _set_access(self, int other, bint allowed):
        cdef cydriver.CUmemAccessDesc access
        memset(&access, 0, sizeof(access))
        access.location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = other
        if allowed:
            access.flags = cydriver.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        check(cydriver.cuMemPoolSetAccess(self.open_pool(), &access, 1), b"cuMemPoolSetAccess")

    @property
    def is_closed(self) -> bool:
        """Tell whether the resource was closed."""
        return self.closed

    @property
    def is_handle_owned(self) -> bool:
        """Tell whether this object made the pool, and destroys it."""
        return self.owned

    @property
    def is_device_accessible(self) -> bool:
        """Tell whether kernels can use the memory: they can."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Tell whether the host can use the memory: it cannot."""
        return False

    @property
    def is_ipc_enabled(self) -> bool:
        """Tell whether other processes may open the pool: never, in this version."""
        return False

    @property
    def is_mapped(self) -> bool:
        """Tell whether another process made the pool: never, in this version."""
        return False

    @property
    def uuid(self):
        """Return the name under which processes share the pool: none, in this version."""
        return None

    @property
    def allocation_handle(self):
        """Raise NotImplementedError: memory is not shared between processes in this version."""
        raise not_yet("DeviceMemoryResource.allocation_handle", "memory is not shared between processes")

    @classmethod
    def from_allocation_handle(cls, device_id, alloc_handle):
        """Raise NotImplementedError: memory is not shared between processes in this version."""
        raise not_yet("DeviceMemoryResource.from_allocation_handle", "memory is not shared between processes")

    @staticmethod
    def from_registry(uuid):
        """Raise NotImplementedError: memory is not shared between processes in this version."""
        raise not_yet("DeviceMemoryResource.from_registry", "memory is not shared between processes")

    def register(self, uuid):
        """Raise NotImplementedError: memory is not shared between processes in this version."""
        raise not_yet("DeviceMemoryResource.register", "memory is not shared between processes")

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<DeviceMemoryResource {'closed' if self.closed else 'open'} of device {self.ordinal}>"


class PoolAttributes:
    """What the driver tells of a pool of memory."""

    __slots__ = ("_resource",)

    def __init__(self, resource):
        self._resource = resource


def _pool_attribute(int which, str doc, kind):
    return property(lambda self: kind(self._resource._attribute(which)), doc=doc)


for _name, _which, _kind, _doc in (
    ("reuse_follow_event_dependencies", cydriver.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, bool,
     "Tell whether memory freed in another stream is reused where events order the two."),
    ("reuse_allow_opportunistic", cydriver.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, bool,
     "Tell whether memory freed in another stream is reused once that work is finished."),
    ("reuse_allow_internal_dependencies", cydriver.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, bool,
     "Tell whether the driver may make a stream wait in order to reuse memory."),
    ("release_threshold", cydriver.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, int,
     "Return how many bytes the pool keeps when work is synchronised."),
    ("reserved_mem_current", cydriver.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, int,
     "Return how many bytes the pool holds."),
    ("reserved_mem_high", cydriver.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, int,
     "Return how many bytes the pool has held at most."),
    ("used_mem_current", cydriver.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, int,
     "Return how many of its bytes are in use."),
    ("used_mem_high", cydriver.CU_MEMPOOL_ATTR_USED_MEM_HIGH, int,
     "Return how many of its bytes have been in use at most."),
):
    setattr(PoolAttributes, _name, _pool_attribute(_which, _doc, _kind))


def _ordinals():
    cdef int count = 0
    check(cydriver.cuDeviceGetCount(&count), b"cuDeviceGetCount")
    return range(count)


cdef class LegacyPinnedMemoryResource(_Base):
    """Memory of the host that does not move, so that devices reach it and copies run at full speed."""

    def allocate(self, size, *, stream=None):
        """Allocate host memory.

        Parameters
        ----------
        size : int
            Bytes.
        stream : Stream, optional
            The stream whose work `Buffer.close` waits for.

        Returns
        -------
        Buffer
        """
        cdef size_t nbytes = checked_size(size)
        cdef void* ptr = NULL
        cdef cydriver.CUresult status
        order = None if stream is None else as_stream(stream, "stream")
        if nbytes == 0:
            return Buffer.wrap(0, 0, self, None, order)
        cdef bint pushed = _some_context()
        try:
            with nogil:
                status = cydriver.cuMemAllocHost(&ptr, nbytes)
            if status != cydriver.CUDA_SUCCESS:
                _out_of_memory(status, b"cuMemAllocHost", nbytes, 0)
        finally:
            deactivate(pushed)
        return Buffer.wrap(<cydriver.CUdeviceptr><uintptr_t>ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        self.deallocate(ptr, size, stream=stream)
        return 0

    def deallocate(self, ptr, size, *, stream=None):
        """Take back memory that `allocate` gave, waiting first for the work of the stream, if one is given.

        Parameters
        ----------
        ptr : int
            Its address.
        size : int
            Its size in bytes.
        stream : Stream, optional
            The stream that may still use the memory.
        """
        cdef void* native = <void*><uintptr_t>pointer_value(ptr)
        cdef cydriver.CUresult status
        if stream is not None and not getattr(stream, "is_closed", False):
            as_stream(stream, "stream").sync()
        cdef bint pushed = _some_context()
        try:
            with nogil:
                status = cydriver.cuMemFreeHost(native)
            check(status, b"cuMemFreeHost")
        finally:
            deactivate(pushed)

    @property
    def is_device_accessible(self) -> bool:
        """Tell whether kernels can use the memory: they can."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Tell whether the host can use the memory: it can."""
        return True

    @property
    def device_id(self) -> int:
        """Raise RuntimeError: host memory belongs to no device."""
        raise RuntimeError("host memory belongs to no device")


cdef bint _some_context() except -1:
    """Make device 0 current in a thread that has no device; say whether it was done, for `deactivate`."""
    cdef cydriver.CUcontext context = NULL
    primary(0)
    check(cydriver.cuCtxGetCurrent(&context), b"cuCtxGetCurrent")
    return activate(0) if context == NULL else False


cdef class SynchronousMemoryResource(_Base):
    """Device memory of a device that has no pools: it is allocated and freed at once."""

    cdef int ordinal

    def __init__(self, device_id):
        self.ordinal = int(device_id)
        primary(self.ordinal)

    def allocate(self, size, *, stream=None):
        """Allocate device memory.

        Parameters
        ----------
        size : int
            Bytes.
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
        cdef bint pushed = activate(self.ordinal)
        try:
            with nogil:
                status = cydriver.cuMemAlloc(&ptr, nbytes)
            if status != cydriver.CUDA_SUCCESS:
                _out_of_memory(status, b"cuMemAlloc", nbytes, self.ordinal)
        finally:
            deactivate(pushed)
        return Buffer.wrap(ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        self.deallocate(ptr, size, stream=stream)
        return 0

    def deallocate(self, ptr, size, *, stream=None):
        """Take back memory that `allocate` gave; the driver waits for work that may use it."""
        _free(pointer_value(ptr), None, self.ordinal)

    @property
    def is_device_accessible(self) -> bool:
        """Tell whether kernels can use the memory: they can."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Tell whether the host can use the memory: it cannot."""
        return False

    @property
    def device_id(self) -> int:
        """Return the ordinal of the device whose memory it is."""
        return self.ordinal
