# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer


cdef class DeviceArray:
    cdef cydriver.CUdeviceptr address  # of the first element
    cdef Buffer memory
    cdef tuple extents
    cdef tuple steps  # in bytes
    cdef object element  # numpy.dtype
    cdef object __weakref__

    cdef DeviceArray part(self, cydriver.CUdeviceptr address, tuple shape, tuple strides, object dtype)
