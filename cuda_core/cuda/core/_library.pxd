# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class Library:
    cdef cydriver.CUlibrary native
    cdef object __weakref__
