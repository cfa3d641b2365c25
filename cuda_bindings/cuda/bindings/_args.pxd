# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions of arguments. What is met on every call is inline; all that may raise is out of line.

`where` names function and parameter, for the error. Memory and strings are taken in two steps, first the object that
must stay alive (a local variable of the caller), then its address.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.long cimport PyLong_Check, PyLong_CheckExact

cdef extern from *:
    """
    /* Ints of one digit, which most are, and positive ones of two, as addresses are, are read without a call. */
    #if PY_VERSION_HEX >= 0x030C0000
    #define open_cuda_is_small(o) PyUnstable_Long_IsCompact((PyLongObject *)(o))
    #define open_cuda_small(o) PyUnstable_Long_CompactValue((PyLongObject *)(o))
    #define open_cuda_is_medium(o) (((PyLongObject *)(o))->long_value.lv_tag == (2 << 3))
    #define open_cuda_digit(o, i) ((unsigned long long)((PyLongObject *)(o))->long_value.ob_digit[i])
    #else
    #define open_cuda_is_small(o) (Py_SIZE(o) >= -1 && Py_SIZE(o) <= 1)
    #define open_cuda_small(o) ((Py_ssize_t)Py_SIZE(o) * (Py_ssize_t)((PyLongObject *)(o))->ob_digit[0])
    #define open_cuda_is_medium(o) (Py_SIZE(o) == 2)
    #define open_cuda_digit(o, i) ((unsigned long long)((PyLongObject *)(o))->ob_digit[i])
    #endif
    #define open_cuda_medium(o) (open_cuda_digit(o, 1) << PyLong_SHIFT | open_cuda_digit(o, 0))
    """
    bint is_small "open_cuda_is_small"(object) noexcept
    Py_ssize_t small "open_cuda_small"(object) noexcept
    bint is_medium "open_cuda_is_medium"(object) noexcept
    unsigned long long medium "open_cuda_medium"(object) noexcept

cdef extern from "Python.h":
    unsigned long long raw_unsigned "PyLong_AsUnsignedLongLong"(object) noexcept
    long long raw_signed "PyLong_AsLongLong"(object) noexcept
    void* PyErr_Occurred() noexcept
    bint PyFloat_CheckExact(object) noexcept
    double PyFloat_AS_DOUBLE(object) noexcept
    Py_buffer* PyMemoryView_GET_BUFFER(object) noexcept

cdef unsigned long long unsigned_slow(object o, unsigned long long high, const char* where) except? 4242
cdef long long signed_slow(object o, long long low, long long high, const char* where) except? 4242
cdef double double_slow(object o, bint single, const char* where) except? 4242
cdef unsigned long long address_slow(object o, const char* where) except? 4242
cdef object memory_slow(object o, bint writable, const char* where)
cdef object string_slow(object o, const char* where)
cdef str shown(object o)
cdef object callback_address(object o, const char* where)
cdef int need(object held, unsigned long long count, const char* where) except -1
cdef int need_items(Py_ssize_t length, unsigned long long count, const char* where, const char* count_where) except -1


cdef inline unsigned long long as_unsigned(object o, unsigned long long high, const char* where) except? 4242:
    cdef unsigned long long value
    if PyLong_Check(o):
        if is_small(o) and 0 <= small(o) and <unsigned long long>small(o) <= high:
            return small(o)
        value = medium(o) if is_medium(o) else raw_unsigned(o)
        if value <= high and (value != <unsigned long long>-1 or not PyErr_Occurred()):
            return value
    return unsigned_slow(o, high, where)


cdef inline long long as_signed(object o, long long low, long long high, const char* where) except? 4242:
    cdef long long value
    if PyLong_Check(o):
        if is_small(o) and low <= small(o) <= high:
            return small(o)
        value = raw_signed(o)
        if low <= value <= high and (value != -1 or not PyErr_Occurred()):
            return value
    return signed_slow(o, low, high, where)


cdef inline unsigned long long as_address(object o, const char* where) except? 4242:
    """Return a pointer or handle of an API without handle classes."""
    cdef unsigned long long value
    if PyLong_CheckExact(o):
        value = raw_unsigned(o)
        if value != <unsigned long long>-1 or not PyErr_Occurred():
            return value
    return address_slow(o, where)


cdef inline double as_double(object o, const char* where) except? 4242:
    if PyFloat_CheckExact(o):
        return PyFloat_AS_DOUBLE(o)
    return double_slow(o, False, where)


cdef inline double as_single(object o, const char* where) except? 4242:
    return double_slow(o, True, where)


cdef inline object memory(object o, bint writable, const char* where):
    """Return what keeps the memory of `o` in place: an int (an address), a bytes object or a memoryview."""
    if PyLong_CheckExact(o):
        return o
    return memory_slow(o, writable, where)


cdef inline void* pointer(object held, const char* where) except? <void*>4242:
    """Return the address of what `memory` returned."""
    if PyLong_CheckExact(held):
        return <void*><size_t>as_unsigned(held, <size_t>-1, where)
    if type(held) is bytes:
        return PyBytes_AS_STRING(held)
    return PyMemoryView_GET_BUFFER(held).buf


cdef inline object string(object o, const char* where):
    """Return a NUL-terminated bytes object for a str, bytes or path, None for None."""
    return o if o is None else string_slow(o, where)


cdef inline const char* chars(object held) noexcept:
    return NULL if held is None else PyBytes_AS_STRING(held)
