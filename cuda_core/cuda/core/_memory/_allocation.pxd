# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream


cdef class Allocation:
    cdef cydriver.CUdeviceptr ptr
    cdef size_t nbytes
    cdef bint closed
    cdef int exports  # number of views and graph nodes that use the memory
    cdef bint mapped
    cdef MemoryResource mr
    cdef object _owner
    cdef Stream stream
    cdef uint64_t context_id  # id of the context of the memory, see `primary_id`; 0 if unknown
    cdef object __weakref__

    cdef cydriver.CUdeviceptr address(self) except? 0
    cdef int give_back(self, Stream stream) except -1
    cdef int add_export(self) except -1
    cdef int drop_export(self) except -1
    cdef MemoryResource resource(self)
    cdef Stream last_stream(self)
    cdef int forget(self) except -1


cdef class BufferUse:
    cdef Allocation of
