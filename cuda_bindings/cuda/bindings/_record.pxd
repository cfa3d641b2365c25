# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct cimport CType, Struct, StructKind


cdef class Record(Struct):
    cdef Py_ssize_t position(self, object index) except -1


cdef Record new_records(StructKind kind, Py_ssize_t number)
cdef Record new_record(StructKind kind, unsigned int version)
cdef Record records_in(object values, StructKind kind, const char* label)
cdef Record view_records(StructKind kind, char* p, Py_ssize_t number, Struct view)
cdef object number_view(CType element, char* p, Py_ssize_t number, Struct view)
cdef int store_text(char* p, Py_ssize_t size, object value, const char* label) except -1
cdef int store_bytes(unsigned char* p, Py_ssize_t size, object value, const char* label) except -1
cdef str load_text(const char* p, Py_ssize_t size)
