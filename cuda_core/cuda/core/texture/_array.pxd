# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


cdef class _Array:
    cdef readonly int _ordinal
    cdef readonly tuple shape
    cdef readonly object format
    cdef readonly int num_channels
    cdef readonly bint is_surface_load_store
    cdef object __weakref__

    cdef cydriver.CUDA_ARRAY3D_DESCRIPTOR descriptor(self, object options, int ordinal) except *


cdef class OpaqueArray(_Array):
    cdef cydriver.CUarray native
    cdef MipmappedArray parent  # the mipmapped array, if this is a level of one

    cdef cydriver.CUarray open_handle(self) except NULL


cdef class MipmappedArray(_Array):
    cdef cydriver.CUmipmappedArray native
    cdef readonly int num_levels

    cdef cydriver.CUmipmappedArray open_handle(self) except NULL
