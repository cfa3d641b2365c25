# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that an address is readable memory of this process, before it is dereferenced."""

cdef bint is_readable(const void* start, size_t size) noexcept nogil
cdef int need_readable(const void* start, size_t count, size_t size, const char* label) except -1
cdef Py_ssize_t string_length(const char* text) noexcept nogil
cdef str name_of(const char* label)
cdef str short_repr(object o)
cdef str described(object o)
