# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Library:
    cdef cydriver.CUlibrary native
    # Log of the driver's compiler, written on loading or on first use of the code.
    cdef char* log
    cdef bint handed_out  # whether a handle was handed out, so that the code must stay loaded
    cdef object __weakref__

    cdef str said(self)
