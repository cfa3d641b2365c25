# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""MemoryResource: the abstract base of memory resources."""

from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream

from cuda.core._stream._stream import default_stream


def _new(kind):
    """Create the resource for unpickling, which sets its attributes afterwards."""
    return kind.__new__(kind)


cdef _abstract(MemoryResource resource, str name):
    """Return the error for a method that a subclass of MemoryResource does not define."""
    return TypeError(f"{name} of MemoryResource must be implemented by {type(resource).__name__}")


cdef class MemoryResource:
    """Base of memory resources. A subclass defines `allocate`, `deallocate` and the three properties.

    Thread safety: that of the subclass; the thread that closes a buffer calls `deallocate`.

    Examples
    --------
    >>> class Logged(MemoryResource):
    ...     def allocate(self, size, *, stream):
    ...         print("allocate", size)
    ...         return Buffer.from_handle(device.allocate(size, stream=stream).handle, size, owner=self)
    ...     def deallocate(self, ptr, size, *, stream):
    ...         print("deallocate", size)
    ...     is_device_accessible, is_host_accessible, device_id = True, False, 0
    >>> Logged().allocate(64, stream=stream).size
    allocate 64
    64
    """

    def __reduce__(self):
        """Pickle a user-defined resource as its class and attributes."""
        return _new, (type(self),), getattr(self, "__dict__", None)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        """Free memory; the resources of this package override this method with a direct driver call."""
        self.deallocate(ptr, size, stream=default_stream() if stream is None else stream)
        return 0

    cdef bint may_be_gone(self):
        """Return whether memory may vanish without being freed, so that finalisers ignore invalid addresses."""
        return False

    def allocate(self, size, *, stream):
        """Allocate memory. Subclasses implement this method; code that allocates calls it.

        Parameters
        ----------
        size : int
            Size in bytes.
        stream : Stream
            The stream that orders the allocation.

        Returns
        -------
        Buffer
            Uninitialised memory, usually from `Buffer.from_handle` with ``mr=self``.

        Raises
        ------
        TypeError
            If a subclass does not implement it.

        Examples
        --------
        >>> resource = device.memory_resource
        >>> resource.allocate(64, stream=stream).size
        64
        """
        raise _abstract(self, "allocate")

    def deallocate(self, ptr, size, *, stream):
        """Free memory from `allocate`. Subclasses implement this method; `Buffer.close` calls it.

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
            If a subclass does not implement it.

        Examples
        --------
        >>> class HostMemory(MemoryResource):
        ...     def deallocate(self, ptr, size, *, stream):
        ...         print(f"free {size} bytes")
        >>> memory = np.zeros(16, np.uint8)
        >>> Buffer.from_handle(memory.ctypes.data, 16, mr=HostMemory(), stream=stream).close()
        free 16 bytes
        """
        raise _abstract(self, "deallocate")

    @property
    def is_device_accessible(self) -> bool:
        """Return whether kernels can access the memory."""
        raise _abstract(self, "is_device_accessible")

    @property
    def is_host_accessible(self) -> bool:
        """Return whether the host can access the memory."""
        raise _abstract(self, "is_host_accessible")

    @property
    def is_managed(self) -> bool:
        """Return whether it is managed memory, which migrates between host and devices."""
        return False

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device."""
        raise _abstract(self, "device_id")
