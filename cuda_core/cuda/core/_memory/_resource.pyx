# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The base of memory resources."""

from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream

from cuda.core._stream._stream import default_stream


def _new(kind):
    """Make the resource that is unpickled; its attributes follow."""
    return kind.__new__(kind)


cdef _abstract(MemoryResource resource, str name):
    """Return the error for what a subclass of MemoryResource lacks."""
    return TypeError(f"{name} of MemoryResource must be implemented by {type(resource).__name__}")


cdef class MemoryResource:
    """Provide memory. For a kind of your own define `allocate`, `deallocate` and the three properties in a subclass.

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
        """Send a resource of the user's by its class and attributes."""
        return _new, (type(self),), getattr(self, "__dict__", None)

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        """Take memory back; the resources of this package override it with a direct call."""
        self.deallocate(ptr, size, stream=default_stream() if stream is None else stream)
        return 0

    cdef bint may_be_gone(self):
        """Return whether memory can go by itself, so that a finaliser need not tell that there is none to take back."""
        return False

    def allocate(self, size, *, stream):
        """Allocate memory.

        Parameters
        ----------
        size : int
            Bytes.
        stream : Stream
            The stream in whose order the memory becomes usable.

        Returns
        -------
        Buffer
        """
        raise _abstract(self, "allocate")

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
        raise _abstract(self, "deallocate")

    @property
    def is_device_accessible(self) -> bool:
        """Return whether kernels can use the memory."""
        raise _abstract(self, "is_device_accessible")

    @property
    def is_host_accessible(self) -> bool:
        """Return whether the host can use the memory."""
        raise _abstract(self, "is_host_accessible")

    @property
    def is_managed(self) -> bool:
        """Return whether the memory moves between host and device by itself."""
        return False

    @property
    def device_id(self) -> int:
        """Return the ordinal of the device whose memory it is."""
        raise _abstract(self, "device_id")
