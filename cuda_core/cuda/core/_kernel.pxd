# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Kernel:
    cdef cydriver.CUkernel native
    cdef object owner
    cdef str _name
    cdef str kinds
    cdef int count
    cdef bint prepared
    cdef size_t* sizes
    cdef size_t* offsets
    cdef size_t nbytes
    # How much dynamic shared memory the driver was told of, and for which device (-1: none yet).
    cdef unsigned int announced
    cdef int announced_on
    cdef object __weakref__

    cdef int prepare(self) except -1
    cdef str label(self)
    cdef cydriver.CUfunction function(self) except NULL
