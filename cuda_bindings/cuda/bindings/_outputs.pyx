# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions of C results to Python objects: statuses, texts, arrays."""

import os

cimport cython
from libc.errno cimport errno
from libc.string cimport memcpy

from cuda.bindings._array cimport Array
from cuda.bindings._check cimport name_of
from cuda.bindings._handle cimport Handle
from cuda.bindings._struct cimport CType, EnumKind, Struct, new_enum


cdef class Statuses:
    """Cache of an API's statuses, as members of its enumeration and as tuples with one."""

    def __init__(self, EnumKind kind):
        self.kind = kind

    cdef object prepare(self):
        if self.success is None:
            self.store(new_enum(self.kind, 0))

    @cython.critical_section
    cdef int store(self, object success) except -1:
        if self.success_alone is None:
            self.success_alone = (success,)
            self.success = success
        return 0


cdef object text(const char* p):
    """Return a C string that the library owns, None for NULL."""
    return None if p == NULL else <bytes>p


cdef object text_as_str(const char* p):
    """Return a C string that the library owns as str, None for NULL."""
    return None if p == NULL else (<bytes>p).decode(errors="replace")


cdef object text_storage(unsigned long long size, const char* label):
    """Return zeroed memory that C fills with text."""
    if size > 1 << 30:
        raise ValueError(f"{name_of(label)}: a length of {<long long>size} is out of range")
    return memoryview(bytearray(size))


cdef bytes until_nul(object storage):
    """Return the text in a bytearray that C filled."""
    return bytes(storage).partition(b"\0")[0]


cdef list viewed(void* p, CType element, unsigned long long length):
    """Return the elements of an array that the library owns."""
    cdef unsigned long long i
    return [] if p == NULL else [element.load(<char*>p + i * element.size, None) for i in range(length)]


cdef str array_text(Array array):
    """Return the text in an array of bytes, "" for an empty one."""
    return "" if array is None else array.data[:array.length].partition(b"\0")[0].decode(errors="replace")


cdef int raise_negative(object tables, str name, long long outcome) except -1:
    """Raise the exception for a negative number of bytes: OSError for -1, else that of the negated status."""
    cdef int number = errno
    if outcome == -1:
        raise OSError(number, os.strerror(number))
    raise tables.failure(name, -outcome)


cdef int store_handle(object given, unsigned long long value) except -1:
    """Store the handle behind a pointer, which the callee may have changed, in the object that was passed for it."""
    if isinstance(given, Handle):
        (<Handle>given).value = value
    return 0


cdef int copy_back(object owner, object originals) except -1:
    """Copy the structs of an array argument, as the call has left them, to the caller's objects."""
    cdef Array array
    cdef Py_ssize_t i
    if isinstance(owner, Array):
        array = owner
        for i in range(array.length):
            memcpy((<Struct>originals[i]).memory, array.data + i * array.element.size, array.element.size)
    return 0
