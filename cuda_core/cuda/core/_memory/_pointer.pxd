# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver

cdef cydriver.CUdeviceptr pointer_value(object ptr) except? 0
cdef size_t checked_size(object size) except? 0
cdef bytes fill_pattern(object value)
cdef int memory_type(cydriver.CUdeviceptr ptr) except -1
cdef bint is_managed_pointer(cydriver.CUdeviceptr ptr)
