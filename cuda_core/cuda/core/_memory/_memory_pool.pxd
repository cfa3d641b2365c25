# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream


cdef int out_of_memory(cydriver.CUresult status, const char* call, size_t size, int ordinal) except -1
cdef int free_later(cydriver.CUdeviceptr ptr, Stream stream, int ordinal) except -1
cdef int free_postponed() except -1
cdef int note_capture(Stream stream) except -1
cdef bint must_wait(Stream stream) except -1
cdef int free(cydriver.CUdeviceptr ptr, Stream stream, int ordinal) except -1


cdef class MemoryPool(MemoryResource):
    cdef cydriver.CUmemoryPool pool
    cdef int ordinal
    cdef bint owned
    cdef int closed
    cdef bint overridden
    cdef bint mapped
    cdef readonly object _sharing
    cdef dict imports
    cdef bint released  # whether a mapping was freed; the stream-ordered free may be pending
    cdef type kind

    cdef int _begin(self, int ordinal) except -1
    cdef int _keep_memory(self) except -1
    cdef cydriver.CUmemoryPool open_pool(self) except NULL
    cdef int release_import(self, cydriver.CUdeviceptr ptr, Stream stream) except -1
