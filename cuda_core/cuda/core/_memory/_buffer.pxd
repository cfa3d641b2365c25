# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream


cdef class MemoryResource:
    cdef object __weakref__
    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1
    cdef bint may_be_gone(self)


cdef class Buffer:
    cdef cydriver.CUdeviceptr ptr
    cdef size_t nbytes
    cdef bint closed
    cdef int exports
    cdef bint mapped
    cdef MemoryResource mr
    cdef object _owner
    cdef Stream stream
    cdef uint64_t life  # of the context that the memory came from, see `life_of`; 0 if unknown
    cdef object __weakref__

    @staticmethod
    cdef Buffer wrap_as(type kind, cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner,
                        Stream stream)

    @staticmethod
    cdef Buffer wrap(cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner, Stream stream)
    cdef cydriver.CUdeviceptr address(self) except? 0
    cdef int give_back(self, Stream stream) except -1
    cdef int export(self, object exporter, Py_buffer* view, int flags) except -1
    cdef int drop_export(self) except -1
    cdef int forget(self) except -1


cdef class BufferUse:
    cdef Buffer of


cdef cydriver.CUdeviceptr pointer_value(object ptr) except? 0
cdef size_t checked_size(object size) except? 0
cdef bytes _pattern(object value)
cdef int _memory_type(cydriver.CUdeviceptr ptr) except -1
