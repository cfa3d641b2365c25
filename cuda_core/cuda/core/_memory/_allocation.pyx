# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The lifetime of a Buffer's memory: closed by the user, used by views and graphs, returned to its resource."""

cimport cython

from cuda.bindings cimport cydriver
from cuda.core._device._context cimport was_reset
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream

from cuda.core._errors import ASYNCHRONOUS, ClosedError, CUDAError, Told

# What freeing memory meets in a context that is gone or broken: the user has been, or cannot be, told.
cdef object _SILENT = ASYNCHRONOUS | {"CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_CONTEXT_IS_DESTROYED"}
# What it meets where the context was reset, and took the memory with it: a stream that nobody closed has an invalid
# handle, an address that nobody freed is no allocation, and threads have no context until they ask for the new one.
# Without a reset somebody else freed it, which is a mistake.
cdef object _AFTER_RESET = frozenset(
    ["CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_CONTEXT"]
)


cdef class Allocation:
    """Base of `Buffer`: memory that returns to its resource once it is closed and no view or graph node uses it."""

    cdef cydriver.CUdeviceptr address(self) except? 0:
        if self.closed:
            raise ClosedError("this Buffer is closed")
        return self.ptr

    cdef int give_back(self, Stream stream) except -1:
        """Return the memory to where it came from; with views of it alive, the last of them does so."""
        cdef MemoryResource mr = self.mr
        self.closed = True
        if stream is not None:
            self.stream = stream
        if self.exports:
            return 0
        self._owner = None
        self.mr = None
        if mr is not None and self.ptr:
            mr.release(self.ptr, self.nbytes, self.stream)
        return 0

    cdef int drop_export(self) except -1:
        """Count one view less."""
        self.exports -= 1
        if self.closed and self.exports == 0:
            self.forget()
        return 0

    cdef int forget(self) except -1:
        """Give the memory back where nobody asked for it, in silence if it went with its context."""
        cdef MemoryResource mr = self.mr
        cdef int ordinal = -1
        try:
            self.give_back(None)
        except CUDAError as error:
            if error.name in _SILENT or (error.name == "CUDA_ERROR_INVALID_VALUE" and mr.may_be_gone()):
                Told.failures -= error.name in ASYNCHRONOUS
                return 0
            if error.name in _AFTER_RESET:
                try:
                    ordinal = mr.device_id
                except Exception:
                    pass  # memory of the host is of no device
                if was_reset(ordinal, self.life):
                    return 0
            raise
        return 0


@cython.final
cdef class BufferUse:
    """Keep the memory of a buffer, which may be closed meanwhile, as long as this object lives."""

    def __cinit__(self, Allocation of not None):
        self.of = of
        of.exports += 1

    def __del__(self):
        self.of.drop_export()
