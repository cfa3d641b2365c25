# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions of Python arguments to C values: inline fast paths, and slow paths that may raise.

`label` is "function: parameter", for error messages. Memory and strings are converted in two steps: first the object
that must stay alive (a local variable of the caller), then its address.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.long cimport PyLong_Check, PyLong_CheckExact

cdef extern from *:
    """
    /* Most ints have one digit, addresses have two: both are read without a call. */
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

cdef unsigned long long unsigned_slow(object o, unsigned long long high, const char* label) except? 4242
cdef long long signed_slow(object o, long long low, long long high, const char* label) except? 4242
cdef double double_slow(object o, bint single, const char* label) except? 4242
cdef unsigned long long address_slow(object o, const char* label) except? 4242
cdef object memory_slow(object o, bint writable, const char* label)
cdef object string_slow(object o, const char* label)
cdef object callback_address(object o, const char* label)
cdef int need(object owner, unsigned long long count, const char* label) except -1
cdef int need_items(Py_ssize_t length, unsigned long long count, const char* label, const char* count_label) except -1


cdef inline unsigned long long as_unsigned(object o, unsigned long long high, const char* label) except? 4242:
    cdef unsigned long long value
    if PyLong_Check(o):
        if is_small(o) and 0 <= small(o) and <unsigned long long>small(o) <= high:
            return small(o)
        value = medium(o) if is_medium(o) else raw_unsigned(o)
        if value <= high and (value != <unsigned long long>-1 or not PyErr_Occurred()):
            return value
    return unsigned_slow(o, high, label)


cdef inline long long as_signed(object o, long long low, long long high, const char* label) except? 4242:
    cdef long long value
    if PyLong_Check(o):
        if is_small(o) and low <= small(o) <= high:
            return small(o)
        value = raw_signed(o)
        if low <= value <= high and (value != -1 or not PyErr_Occurred()):
            return value
    return signed_slow(o, low, high, label)


cdef inline unsigned long long as_address(object o, const char* label) except? 4242:
    """Return a pointer or handle of an API without handle classes."""
    cdef unsigned long long value
    if PyLong_CheckExact(o):
        value = raw_unsigned(o)
        if value != <unsigned long long>-1 or not PyErr_Occurred():
            return value
    return address_slow(o, label)


cdef inline double as_double(object o, const char* label) except? 4242:
    if PyFloat_CheckExact(o):
        return PyFloat_AS_DOUBLE(o)
    return double_slow(o, False, label)


cdef inline double as_single(object o, const char* label) except? 4242:
    return double_slow(o, True, label)


cdef inline object memory(object o, bint writable, const char* label):
    """Return the owner of the memory of `o`: a bytes object, a memoryview, or an int (an address)."""
    if PyLong_CheckExact(o):
        return o
    return memory_slow(o, writable, label)


cdef inline void* pointer(object owner, const char* label) except? <void*>4242:
    """Return the address of what `memory` returned."""
    if PyLong_CheckExact(owner):
        return <void*><size_t>as_unsigned(owner, <size_t>-1, label)
    if type(owner) is bytes:
        return PyBytes_AS_STRING(owner)
    return PyMemoryView_GET_BUFFER(owner).buf


cdef inline object string(object o, const char* label):
    """Return a NUL-terminated bytes object for a str, bytes or path, None for None."""
    return o if o is None else string_slow(o, label)


cdef inline const char* chars(object owner) noexcept:
    return NULL if owner is None else PyBytes_AS_STRING(owner)
