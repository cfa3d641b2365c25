# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uintptr_t

from cuda.core._view._dlpack cimport Consumed


cdef class Strided:
    cdef uintptr_t address
    cdef Consumed taken
    cdef object extents
    cdef object steps
    cdef int described  # whether `extents` and `steps` are filled in; else they are still in `taken`
    cdef readonly object dtype
    cdef readonly object exporting_obj
    cdef public object _keep
    cdef public object _itemsize
    cdef public object _dlpack_kind
    cdef readonly int device_id
    cdef readonly bint is_device_accessible
    cdef bint read_only
    cdef object __weakref__

    cdef int describe(self) except -1
    cdef int take(self, object obj, object stream_ptr) except -1
    cdef bint take_exchanged(self, object obj, object stream_ptr) except -1
    cdef int take_dlpack(self, object obj, object stream_ptr) except -1
    cdef int take_cuda(self, object obj, object stream_ptr) except -1
    cdef int take_host(self, object obj) except -1
    cdef int take_interface(self, object obj, dict interface) except -1
    cdef int take_numpy(self, object obj) except -1
