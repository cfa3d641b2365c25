# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Allocation: the lifetime of a Buffer's memory, which views and graph nodes may use after the Buffer is closed."""

cimport cython

from cuda.bindings cimport cydriver
from cuda.core._device._context cimport was_reset
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream
from cuda.core._utils._check cimport is_finalizing

from cuda.bindings._signals import of_handler
from cuda.core._errors import ASYNCHRONOUS, ClosedError, CUDAError, Reported

# Errors of freeing memory in a destroyed or failed context, which finalisers ignore: other calls report the failure.
cdef object _SILENT = ASYNCHRONOUS | {"CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_CONTEXT_IS_DESTROYED"}
# Errors of freeing memory after a device reset, which has freed it already: a stream that is still open has an invalid
# handle, an address is no longer an allocation, and threads have no context until they set the new one.
# Without a reset they mean that other code has freed the memory, which is a bug.
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
        """Return the memory to its resource, or leave that to the last of its views if there are any.

        The caller has entered the critical section of this object, unless there is no other reference to it.
        """
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

    @cython.critical_section
    cdef int add_export(self) except -1:
        self.exports += 1
        return 0

    @cython.critical_section
    cdef MemoryResource resource(self):
        return self.mr

    @cython.critical_section
    cdef Stream last_stream(self):
        return self.stream

    @cython.critical_section
    cdef int drop_export(self) except -1:
        """Decrement the number of views; the last one returns the memory of a closed buffer."""
        self.exports -= 1
        if self.closed and self.exports == 0:
            self.forget()
        return 0

    cdef int forget(self) except -1:
        """Return the memory in a finaliser; errors are ignored if it was freed together with its context.

        At interpreter shutdown the driver frees it: what a resource of cuda.core needs may be gone.
        """
        cdef MemoryResource mr = self.mr
        if is_finalizing() and type(mr).__module__.startswith("cuda.core"):
            return 0
        cdef int ordinal = -1
        try:
            self.give_back(None)
        except CUDAError as error:
            if error.name in _SILENT or (error.name == "CUDA_ERROR_INVALID_VALUE" and mr.may_be_gone()):
                Reported.failures -= error.name in ASYNCHRONOUS
                return 0
            if error.name in _AFTER_RESET:
                try:
                    ordinal = mr.device_id
                except Exception as failure:
                    if of_handler(failure.__traceback__):
                        raise
                    # host memory has no device
                if was_reset(ordinal, self.context_id):
                    return 0
            raise
        return 0


@cython.final
cdef class BufferUse:
    """Keep a buffer's memory allocated as long as this object lives, even if the buffer is closed."""

    def __cinit__(self, Allocation of not None):
        self.of = of
        of.add_export()

    def __del__(self):
        self.of.drop_export()
