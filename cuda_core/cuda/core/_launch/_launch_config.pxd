# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class LaunchConfig:
    cdef cydriver.CUlaunchConfig native
    cdef cydriver.CUlaunchAttribute[3] attributes
    cdef unsigned int[3] grid_extent  # in clusters if `cluster` is set, whereas `native` counts blocks
    cdef unsigned int[3] cluster_extent
    cdef bint has_cluster
    cdef unsigned int shared
    cdef bint cooperative
    cdef bint programmatic
    cdef bint with_host_arrays
    cdef object __weakref__

    cdef int count_blocks(self) except -1
    cdef int set_attributes(self) except -1
    cdef int add(self, int attribute) except -1
    cdef tuple key(self)
