# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._memory._allocation cimport Allocation
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._stream._stream cimport Stream


cdef class Buffer(Allocation):
    @staticmethod
    cdef Buffer wrap_as(type kind, cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner,
                        Stream stream)

    @staticmethod
    cdef Buffer wrap(cydriver.CUdeviceptr ptr, size_t nbytes, MemoryResource mr, object owner, Stream stream)
    cdef int export(self, object exporter, Py_buffer* view, int flags) except -1
