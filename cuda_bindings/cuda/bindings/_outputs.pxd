# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions of C results to Python objects."""

from cuda.bindings._array cimport Array
from cuda.bindings._struct cimport CType, EnumKind, new_enum


cdef class Statuses:
    """Cache of an API's statuses, as members of its enumeration and as tuples with one."""

    cdef EnumKind kind
    cdef object success
    cdef tuple success_alone
    cdef object prepare(self)
    cdef int store(self, object success) except -1


cdef object text(const char* p)
cdef object text_as_str(const char* p)
cdef object text_storage(unsigned long long size, const char* label)
cdef bytes until_nul(object storage)
cdef list viewed(void* p, CType element, unsigned long long length)
cdef str array_text(Array array)
cdef int raise_negative(object tables, str name, long long outcome) except -1
cdef int copy_back(object owner, object originals) except -1
cdef int store_handle(object given, unsigned long long value) except -1


cdef inline object status(Statuses statuses, long long value):
    """Return a status as a member of its enumeration."""
    if value == 0 and statuses.success is not None:
        return statuses.success
    statuses.prepare()
    return new_enum(statuses.kind, value)


cdef inline object status_alone(Statuses statuses, long long value):
    """Return the result of a function without outputs, a tuple with the status."""
    if value == 0 and statuses.success is not None:
        return statuses.success_alone
    statuses.prepare()
    return (new_enum(statuses.kind, value),)
