# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._stream._stream cimport Stream


cdef class MemoryResource:
    cdef object __weakref__
    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1
    cdef bint may_be_gone(self)
