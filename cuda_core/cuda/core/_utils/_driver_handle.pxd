# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uintptr_t


cdef class HandleClass:
    cdef str name
    cdef type cls

    cdef object of(self, const void* address)
