# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Library:
    cdef cydriver.CUlibrary native
    # What the driver's compiler says, now or when the code is first used.
    cdef char* log
    cdef bint handed_out  # whether somebody has a handle, so that it must stay loaded
    cdef object __weakref__

    cdef str said(self)
