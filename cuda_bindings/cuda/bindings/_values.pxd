# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._array cimport Array
from cuda.bindings._struct cimport CType


cdef class Selector:
    cdef object tables
    cdef str enum
    cdef list scalars
    cdef CType scalar(self, long long member)
    cdef object ctype(self, object member, unsigned long long size, const char* label)
    cdef Array box(self, object member, object value, const char* label)
    cdef Array storage(self, object member, unsigned long long size, const char* label)
    cdef object value(self, object member, Array storage, unsigned long long size)
    cdef object boxes(self, object members, object values, const char* label)
    cdef list storages(self, object members, object sizes, const char* label)
    cdef list values(self, object members, list storages, object sizes)


cdef Array pointers_to(list storages)
