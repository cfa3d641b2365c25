# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct cimport CType, Struct


cdef class Array:
    cdef char* data
    cdef Py_ssize_t length
    cdef CType element
    cdef Struct memory
    cdef size_t bytes_used  # of a single value
    cdef char* out_ptr(self)
    cdef list to_list(self, Py_ssize_t length)


cdef Array array_of(CType element, object values, const char* label)
cdef list to_sequence(object values, CType element, const char* label)
cdef str show_pointer(CType element, char* elements, unsigned long long number)
cdef object array_in(object o, CType element, const char* label)
cdef void* array_data(object owner, unsigned long long count, const char* label, const char* count_label) except? NULL
cdef unsigned long long count_of(object number) except? 4242


cdef class ArrayType(CType):
    cdef CType element
    cdef Py_ssize_t length
