# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class LaunchConfig:
    cdef cydriver.CUlaunchConfig native
    cdef cydriver.CUlaunchAttribute[3] attributes
    cdef readonly tuple grid
    cdef readonly tuple cluster
    cdef readonly tuple block
    cdef readonly unsigned int shmem_size
    cdef readonly bint is_cooperative
    cdef readonly bint programmatic_stream_serialization

    cdef int add(self, int attribute) except -1
    cdef tuple key(self)
