# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct cimport CType, Struct


cdef class Array:
    cdef char* data
    cdef Py_ssize_t length
    cdef CType of
    cdef Struct memory
    cdef size_t bytes_used  # of a single value
    cdef char* out(self)
    cdef list take(self, Py_ssize_t length)


cdef Array filled(CType of, object values, const char* where)
cdef list listed(object values, CType of, const char* where)
cdef str show_pointer(CType of, char* elements, unsigned long long number)
cdef object array_in(object o, CType of, const char* where)
cdef void* array_data(object held, unsigned long long count, const char* where, const char* count_where) except? NULL
cdef unsigned long long count_of(object number) except? 4242


cdef class ArrayType(CType):
    cdef CType of
    cdef Py_ssize_t length
