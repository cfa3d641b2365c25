# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver

cdef int initialise() except -1
cdef cydriver.CUdevice native_device(int ordinal) except? -99
cdef cydriver.CUcontext primary(int ordinal) except NULL
cdef cydriver.CUcontext living_primary(int ordinal) except NULL
cdef uint64_t primary_id(int ordinal) except? 0
cdef bint is_destroyed(int ordinal, uint64_t context_id) except -1
cdef bint was_reset(int ordinal, uint64_t context_id) except -1
cdef int current_ordinal() except -2
cdef int context_ordinal(cydriver.CUcontext context) except -2
cdef int no_context(const char* call) except -1
cdef Activation activate(int ordinal)
cdef Activation activate_anyway(int ordinal)
cdef Activation activate_any()


cdef class Activation:
    pass


cdef class Context:
    cdef cydriver.CUcontext native
    cdef readonly int _device_id
    cdef int closed
    cdef cydriver.CUgreenCtx green
    cdef object __weakref__

    @staticmethod
    cdef Context wrap(cydriver.CUcontext native, int ordinal)
