# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""MemoryPool: CUmemoryPool, the stream-ordered allocator behind the pooled memory resources."""

from libc.stdint cimport UINT64_MAX, int32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memset

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_swap
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._pointer cimport checked_size, pointer_value
from cuda.core._memory._resource cimport MemoryResource as _Base
from cuda.core._utils._check cimport check, dev_mode, fail, is_finalizing, warn_unclosed
from cuda.core._device._context cimport Activation, activate_anyway, initialise, native_device, primary
from cuda.core._stream._stream cimport Stream, as_stream

import threading
import weakref

from cuda.core._errors import ClosedError, not_pickled

# Guards `MemoryPool.imports`, which finalisers of any thread change.
cdef object _lock = threading.RLock()


cdef int out_of_memory(cydriver.CUresult status, const char* call, size_t size, int ordinal) except -1:
    """Raise for a failed allocation, with the requested and the available size."""
    cdef size_t unused = 0, total = 0
    cdef Activation _active
    if size == 0 and status == cydriver.CUDA_ERROR_INVALID_VALUE:
        return fail(status, call, "size must be at least 1 byte, not 0")
    advice = f"Asked for {size} bytes"
    if status == cydriver.CUDA_ERROR_OUT_OF_MEMORY:
        if ordinal >= 0:
            _active = activate_anyway(ordinal)
            if cydriver.cuMemGetInfo(&unused, &total) == cydriver.CUDA_SUCCESS:
                advice += f"; {unused} of {total} are free"
        return fail(status, call, advice + ". Close buffers that are no longer needed, or allocate less.")
    return fail(status, call)


cdef int free(cydriver.CUdeviceptr ptr, Stream stream, int ordinal) except -1:
    """Free memory in the order of a stream; if the stream is closed, synchronise and free at once."""
    cdef cydriver.CUresult status
    cdef cydriver.CUstream native = NULL
    cdef Activation _active
    if stream is not None and stream.is_outlived():
        return 0  # a reset of the device has freed the memory
    if stream is not None and not stream.is_gone() and stream.try_use():
        native = stream.native
        with nogil:
            status = cydriver.cuMemFreeAsync(ptr, native)
        stream.end_use()
        if status == cydriver.CUDA_ERROR_INVALID_HANDLE and stream.closed:
            native = NULL  # another thread has closed it meanwhile
        elif status != cydriver.CUDA_ERROR_INVALID_CONTEXT:
            return check(status, b"cuMemFreeAsync")
    if native == NULL and must_wait(None):  # the wait below would invalidate a capture
        return free_later(ptr, None, ordinal)
    # A finaliser may run in a thread without a current context.
    _active = activate_anyway(max(ordinal, 0))
    with nogil:
        if native == NULL:  # not cuMemFree: NVIDIA's driver would count the memory as used for ever
            check(cydriver.cuCtxSynchronize(), b"cuCtxSynchronize")
        status = cydriver.cuMemFreeAsync(ptr, native)
    return check(status, b"cuMemFreeAsync")


# Memory to be freed in the order of streams that were being captured: (address, stream, ordinal).
cdef list _postponed = []
# Weak references to streams that graph builders capture, or have captured.
cdef list _captured = []


cdef int note_capture(Stream stream) except -1:
    """Note that a stream is being captured: meanwhile no memory is freed after waiting for the device."""
    _captured.append(weakref.ref(stream))
    return 0


cdef bint must_wait(Stream stream) except -1:
    """Return whether a capture forbids to free memory in the order of a stream; without one, after all work."""
    if stream is not None:
        return stream.is_capturing()
    cdef Stream each
    for reference in list(_captured):
        each = reference()
        if each is not None and each.ask_capturing():
            return True
        try:
            _captured.remove(reference)
        except ValueError:
            pass  # another thread was faster
    return False


def is_any_captured() -> bool:
    """Return whether a graph builder captures a stream, so that waiting for the device would invalidate the capture."""
    return must_wait(None)


cdef int free_later(cydriver.CUdeviceptr ptr, Stream stream, int ordinal) except -1:
    """Free memory once no capture forbids it any more."""
    _postponed.append((ptr, stream, ordinal))
    return 0


cdef int free_postponed() except -1:
    """Free the memory passed to `free_later` that may be freed now."""
    cdef list found = [], later = []
    try:
        while True:
            entry = _postponed.pop()  # by one thread only
            (later if must_wait(entry[1]) else found).append(entry)
    except IndexError:
        _postponed.extend(later)
    for ptr, stream, ordinal in found:
        free(ptr, stream, ordinal)
    return 0


cdef class MemoryPool(_Base):
    """Base of the resources for device, pinned and managed memory: a pool that it created, or one of the driver's.

    Buffers are allocated from it, and go back to it, in the order of a stream.
    """

    def __cinit__(self, *args, **kwargs):
        # If a Python subclass overrides deallocate, that is called rather than the driver directly.
        self.overridden = type(self).deallocate is not MemoryPool.deallocate
        self.ordinal = -1

    def __init__(self, *args, **kwargs):
        raise TypeError("MemoryPool is a base class: use DeviceMemoryResource, PinnedMemoryResource or "
                        "ManagedMemoryResource")

    def _use_current(self, int ordinal, int allocation, int location_type, int location_id):
        """Use the driver's pool for a location, and let it keep freed memory."""
        cdef cydriver.CUmemLocation location
        self._begin(ordinal)
        if location_type == cydriver.CU_MEM_LOCATION_TYPE_DEVICE:
            check(cydriver.cuDeviceGetMemPool(&self.pool, native_device(ordinal)), b"cuDeviceGetMemPool")
        else:
            memset(&location, 0, sizeof(location))
            location.type = <cydriver.CUmemLocationType>location_type
            location.id = location_id
            check(
                cydriver.cuMemGetMemPool(&self.pool, &location, <cydriver.CUmemAllocationType>allocation),
                b"cuMemGetMemPool",
            )
        # With a release threshold of 0 a pool returns freed memory to the system at each synchronisation.
        if self._attribute(cydriver.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == 0:
            self._keep_memory()

    def _create(self, int ordinal, int allocation, int location_type, int location_id, max_size=0, sharing=None):
        """Create a pool. `sharing` is an `_ipc.Sharing` if other processes may open it."""
        cdef cydriver.CUmemPoolProps properties
        self._begin(ordinal)
        memset(&properties, 0, sizeof(properties))
        properties.allocType = <cydriver.CUmemAllocationType>allocation
        properties.location.type = <cydriver.CUmemLocationType>location_type
        properties.location.id = location_id
        properties.maxSize = checked_size(max_size)
        if sharing is not None:
            properties.handleTypes = cydriver.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        with nogil:
            check(cydriver.cuMemPoolCreate(&self.pool, &properties), b"cuMemPoolCreate")
        self.owned = True
        self._sharing = sharing
        self._keep_memory()

    def _open(self, int ordinal, int descriptor, sharing):
        """Open another process's pool by its file descriptor."""
        self._begin(ordinal)
        check(
            cydriver.cuMemPoolImportFromShareableHandle(
                &self.pool, <void*><uintptr_t>descriptor, cydriver.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0
            ),
            b"cuMemPoolImportFromShareableHandle",
        )
        self.owned = self.mapped = True
        self.imports = {}
        self._sharing = sharing

    cdef int _begin(self, int ordinal) except -1:
        if self.pool != NULL:
            raise RuntimeError(f"this {type(self).__name__} is made already")
        if ordinal >= 0:
            primary(ordinal)
        else:
            initialise()
        self.ordinal = ordinal
        return 0

    cdef int _keep_memory(self) except -1:
        cdef uint64_t threshold = UINT64_MAX
        return check(
            cydriver.cuMemPoolSetAttribute(self.pool, cydriver.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            b"cuMemPoolSetAttribute",
        )

    def _use_buffers(self, type kind):
        """Make `allocate` return instances of a subclass of Buffer."""
        self.kind = kind

    def __dealloc__(self):
        if self.owned and not self.closed and not is_finalizing():
            with nogil:
                cydriver.cuMemPoolDestroy(self.pool)
            if dev_mode:
                warn_unclosed(f"<{type(self).__name__} of device {self.ordinal}>", None)

    cdef cydriver.CUmemoryPool open_pool(self) except NULL:
        if self.closed or self.pool == NULL:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self.pool

    def close(self) -> None:
        """Release the pool; if owned, it is destroyed once the last buffer is closed (cuMemPoolDestroy).

        Closing twice does nothing. Buffers of the pool stay valid.

        Raises
        ------
        CUDAError
            If cuMemPoolDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
        >>> pool.close()
        >>> pool.is_closed
        True
        """
        if atomic_swap(&self.closed, True):
            return
        if self._sharing is not None:
            self._sharing.close()
        if self.owned:
            with nogil:
                check(cydriver.cuMemPoolDestroy(self.pool), b"cuMemPoolDestroy")

    def __enter__(self):
        self.open_pool()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    def allocate(self, size, *, stream):
        """Allocate memory of the pool, in the order of a stream (cuMemAllocFromPoolAsync).

        Parameters
        ----------
        size : int
            Size in bytes, at least 1.
        stream : Stream
            The stream that orders the allocation, and later the deallocation.

        Returns
        -------
        Buffer
            Uninitialised memory. Work in other streams must wait for `stream` before it uses it.

        Raises
        ------
        CUDAError
            If `size` is 0, or there is not enough memory.
        RuntimeError
            If the stream is being captured: `GraphMemoryResource` allocates in graphs.
        TypeError
            If the pool is another process's, `size` no int or `stream` no stream.
        OverflowError
            If `size` is negative or exceeds 64 bits.
        ClosedError
            If the pool is closed.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device)
        >>> memory = pool.allocate(1 << 20, stream=stream)
        >>> memory.size, memory.memory_resource is pool
        (1048576, True)
        """
        cdef size_t nbytes = checked_size(size)
        cdef Stream order = as_stream(stream, "stream")
        cdef cydriver.CUmemoryPool pool = self.open_pool()
        cdef cydriver.CUstream native = order.native
        cdef cydriver.CUdeviceptr ptr = 0
        cdef cydriver.CUresult status
        if self.mapped:
            raise TypeError(
                f"this {type(self).__name__} is another process's pool: only that process can allocate from it"
            )
        if _postponed:
            free_postponed()
        if order.is_capturing():
            raise RuntimeError(
                f"stream is being captured: allocate from this {type(self).__name__} before or after that, or from a "
                "GraphMemoryResource, whose memory is allocated and freed by the graph"
            )
        order.begin_use()
        with nogil:
            status = cydriver.cuMemAllocFromPoolAsync(&ptr, nbytes, pool, native)
        order.end_use()
        if status != cydriver.CUDA_SUCCESS:
            out_of_memory(status, b"cuMemAllocFromPoolAsync", nbytes, self.ordinal)
        if self.kind is None:
            return Buffer.wrap(ptr, nbytes, self, None, order)
        return Buffer.wrap_as(self.kind, ptr, nbytes, self, None, order)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        if self.mapped:
            return self.release_import(ptr, stream)
        if self.overridden:
            return _Base.release(self, ptr, size, stream)
        if must_wait(stream):
            return free_later(ptr, stream, self.ordinal)
        return free(ptr, stream, self.ordinal)

    def deallocate(self, ptr, size, *, stream):
        """Free memory from `allocate`, in the order of a stream (cuMemFreeAsync); `Buffer.close` does this for a
        buffer.

        Parameters
        ----------
        ptr : int
            The address.
        size : int
            The size in bytes.
        stream : Stream
            The stream after whose present work the memory is freed.

        Raises
        ------
        TypeError
            If `ptr` is no address, or `stream` no stream.
        CUDAError
            If cuMemFreeAsync fails, for example because the memory is not of a pool.

        Examples
        --------
        >>> memory = device.allocate(256, stream=stream)
        >>> memory.close()  # calls deallocate
        >>> memory.is_closed
        True
        """
        free(pointer_value(ptr), as_stream(stream, "stream"), self.ordinal)

    @property
    def handle(self):
        """Return the pool as `cuda.bindings.driver.CUmemoryPool`; its address is 0 once closed."""
        from cuda.bindings import driver

        return driver.CUmemoryPool(0 if self.closed else <uintptr_t>self.pool)

    @property
    def attributes(self):
        """Return the pool's attributes: sizes in bytes, and the rules for reuse of memory."""
        self.open_pool()
        return PoolAttributes(self)

    def _attribute(self, int which):
        cdef uint64_t value = 0
        check(
            cydriver.cuMemPoolGetAttribute(self.open_pool(), <cydriver.CUmemPool_attribute>which, &value),
            b"cuMemPoolGetAttribute",
        )
        return value

    def _can_access(self, int other) -> bool:
        """Return whether a device can access the pool's memory."""
        cdef cydriver.CUmemLocation location
        cdef cydriver.CUmemAccess_flags flags
        memset(&location, 0, sizeof(location))
        location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        location.id = other
        check(cydriver.cuMemPoolGetAccess(&flags, self.open_pool(), &location), b"cuMemPoolGetAccess")
        return flags == cydriver.CU_MEM_ACCESS_FLAGS_PROT_READWRITE

    def _set_access(self, int other, bint allowed):
        """Grant or revoke a device's access to the pool's memory."""
        cdef cydriver.CUmemAccessDesc access
        memset(&access, 0, sizeof(access))
        access.location.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = other
        if allowed:
            access.flags = cydriver.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        check(cydriver.cuMemPoolSetAccess(self.open_pool(), &access, 1), b"cuMemPoolSetAccess")

    def _export_pool(self) -> int:
        """Return a new file descriptor with which another process can open the pool."""
        cdef int32_t descriptor = -1
        check(
            cydriver.cuMemPoolExportToShareableHandle(
                &descriptor, self.open_pool(), cydriver.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0
            ),
            b"cuMemPoolExportToShareableHandle",
        )
        return descriptor

    def _export_pointer(self, cydriver.CUdeviceptr ptr) -> bytes:
        """Return the driver's CUmemPoolPtrExportData for an allocation as bytes."""
        cdef cydriver.CUmemPoolPtrExportData data
        self.open_pool()
        self._sharing.handle_of(self)  # the driver exports allocations only after their pool
        check(cydriver.cuMemPoolExportPointer(&data, ptr), b"cuMemPoolExportPointer")
        return (<char*>&data)[:sizeof(data)]

    def _import_buffer(self, bytes payload, size_t size, Stream stream not None):
        """Open another process's allocation; buffers of the same allocation share one mapping."""
        cdef cydriver.CUmemPoolPtrExportData data
        cdef cydriver.CUdeviceptr ptr = 0
        cdef Activation _active
        if not self.mapped:
            raise RuntimeError(
                f"this {type(self).__name__} is not another process's pool: a buffer is opened with the resource that "
                "from_allocation_handle, or multiprocessing, made of the allocating process's"
            )
        if len(payload) != sizeof(data):
            raise ValueError(f"ipc_descriptor has {len(payload)} bytes, but an allocation's has {sizeof(data)}")
        memcpy(&data, <char*>payload, sizeof(data))
        with _lock:
            shared = self.imports.get(payload)
            if shared is None:
                _active = activate_anyway(max(self.ordinal, 0))  # unpickling may precede Device.set_current
                if self.released:  # the driver imports an allocation again only once it is unmapped
                    self.released = False
                    with nogil:
                        check(cydriver.cuCtxSynchronize(), b"cuCtxSynchronize")
                check(cydriver.cuMemPoolImportPointer(&ptr, self.open_pool(), &data), b"cuMemPoolImportPointer")
                shared = self.imports[payload] = [ptr, 0]
            shared[1] += 1
            ptr = shared[0]
        cdef Buffer buffer = Buffer.wrap(ptr, size, self, None, stream)
        buffer.mapped = True
        return buffer

    def _payload_of(self, cydriver.CUdeviceptr ptr) -> bytes:
        """Return the export data of another process's allocation; a third process can open it with them, too."""
        with _lock:
            for payload, shared in self.imports.items():
                if shared[0] == ptr:
                    return payload
        raise RuntimeError("this Buffer is part of another process's allocation: send the Buffer of the whole")

    cdef int release_import(self, cydriver.CUdeviceptr ptr, Stream stream) except -1:
        """Release one buffer of another process's allocation; the last one unmaps it."""
        with _lock:
            payload, shared = next((item for item in self.imports.items() if item[1][0] == ptr), (None, None))
            if shared is None:
                return 0
            shared[1] -= 1
            if shared[1]:
                return 0
            del self.imports[payload]
            self.released = True
        return free(ptr, stream, self.ordinal)

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device; -1 for host memory, or if it is not on one certain device."""
        return self.ordinal

    @property
    def is_closed(self) -> bool:
        """Return whether the resource was closed."""
        return bool(self.closed)

    @property
    def is_handle_owned(self) -> bool:
        """Return whether this object has created or opened the pool, and destroys it."""
        return self.owned and not self.closed

    @property
    def is_ipc_enabled(self) -> bool:
        """Return whether other processes can open the pool."""
        return self._sharing is not None and not self.closed

    @property
    def is_mapped(self) -> bool:
        """Return whether another process has created the pool; only that process can allocate from it."""
        return self.mapped

    @property
    def uuid(self):
        """Return the UUID under which processes share the pool, None if it is not shared."""
        return None if self._sharing is None or self.closed else self._sharing.uuid

    def __reduce__(self):
        if self._sharing is None:
            raise RuntimeError(
                f"this {type(self).__name__} cannot be sent or copied: other processes cannot open it, since it was "
                "not made with ipc_enabled=True"
            )
        self.open_pool()
        return self._sharing.reduce_resource(self)

    def __repr__(self):
        where = f"of device {self.ordinal}" if self.ordinal >= 0 else "of the host"
        return f"<{type(self).__name__} {'closed' if self.closed else 'open'} {where}>"


class PoolAttributes:
    """The attributes of a memory pool (CUmemPool_attribute).

    Thread safety: threads may share it; each access asks the driver.
    """

    __slots__ = ("__weakref__", "_resource")

    def __init__(self, resource):
        self._resource = resource

    def __eq__(self, other):
        if not isinstance(other, PoolAttributes):
            return NotImplemented
        return self._resource == other._resource

    def __hash__(self):
        return hash((PoolAttributes, self._resource))

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<PoolAttributes {', '.join(f'{name}={getattr(self, name)}' for name, *_ in _ATTRIBUTES)}>"


def _pool_attribute(int which, str doc, kind):
    return property(lambda self: kind(self._resource._attribute(which)), doc=doc)


_ATTRIBUTES = (
    ("reuse_follow_event_dependencies", cydriver.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, bool,
     "Return whether memory freed in another stream is reused where events order the two."),
    ("reuse_allow_opportunistic", cydriver.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, bool,
     "Return whether memory freed in another stream is reused once that work is finished."),
    ("reuse_allow_internal_dependencies", cydriver.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, bool,
     "Return whether the driver may make a stream wait in order to reuse memory."),
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
)
for _name, _which, _kind, _doc in _ATTRIBUTES:
    setattr(PoolAttributes, _name, _pool_attribute(_which, _doc, _kind))
