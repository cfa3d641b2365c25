# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C types of integers, bit-fields, floats, addresses and text."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

from cuda.bindings._args cimport as_signed, chars, double_slow, memory, pointer, string
from cuda.bindings._check cimport described, name_of, need_readable, string_length
from cuda.bindings._struct cimport CType, Struct, all_ones, convert_int, set_referent, read_integer, sign_extended, u64


cdef class Int(CType):
    """An integer of 1, 2, 4 or 8 bytes."""

    def __init__(self, size, is_signed):
        self.size = size
        self.is_signed = is_signed

    cdef object load(self, char* p, Struct view):
        cdef u64 value = read_integer(p, self.size)
        return sign_extended(value, 8 * self.size) if self.is_signed else value

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef u64 bits = convert_int(value, 8 * self.size, self.is_signed, label)
        memcpy(p, &bits, self.size)
        return 0

    cdef str spell(self):
        return "int"


cdef class Bool(Int):
    """A bool of C, as the value of an attribute."""

    def __init__(self):
        self.size = 1

    cdef object load(self, char* p, Struct view):
        return p[0] != 0

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        p[0] = convert_int(value, 64, True, label) != 0
        return 0

    cdef str spell(self):
        return "bool"


cdef class Bits(CType):
    """A bit-field, in a storage unit of `size` bytes."""

    cdef int first, width
    cdef bint is_signed

    def __init__(self, size, first, width, is_signed):
        self.size = size
        self.first = first
        self.width = width
        self.is_signed = is_signed

    cdef object load(self, char* p, Struct view):
        cdef u64 value = read_integer(p, self.size) >> self.first & all_ones(self.width)
        return sign_extended(value, self.width) if self.is_signed else value

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef u64 bits = convert_int(value, self.width, self.is_signed, label)
        cdef u64 mask = all_ones(self.width) << self.first
        bits = read_integer(p, self.size) & ~mask | bits << self.first & mask
        memcpy(p, &bits, self.size)
        return 0

    cdef str spell(self):
        return "int"


cdef class Float(CType):
    """A float or double."""

    def __init__(self, size):
        self.size = size

    cdef object load(self, char* p, Struct view):
        return (<float*>p)[0] if self.size == 4 else (<double*>p)[0]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef double number = double_slow(value, self.size == 4, label)
        if self.size == 4:
            (<float*>p)[0] = <float>number
        else:
            (<double*>p)[0] = number
        return 0

    cdef str spell(self):
        return "float"


cdef class Address(CType):
    """A `void*`: a pointer to memory of any type."""

    def __init__(self):
        self.size = sizeof(void*)

    cdef object load(self, char* p, Struct view):
        return (<size_t*>p)[0]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        owner = memory(value, False, label)
        (<void**>p)[0] = pointer(owner, label)
        set_referent(view, p, None if value is None or isinstance(value, int) else (value, owner))
        return 0

    cdef str spell(self):
        return "int"


cdef class String(CType):
    """A `const char*`, read as bytes, or as str, and written from either."""

    cdef bint as_str

    def __init__(self, as_str=False):
        self.size = sizeof(char*)
        self.as_str = as_str

    cdef object load(self, char* p, Struct view):
        cdef char* text = (<char**>p)[0]
        if text == NULL:
            return "" if self.as_str else None
        cdef Py_ssize_t length = string_length(text)
        if length < 0:
            need_readable(text, 1, 1, b"")
            raise ValueError(f"the string at {<size_t>text:#x} runs into memory that is not readable")
        found = PyBytes_FromStringAndSize(text, length)
        return found.decode(errors="replace") if self.as_str else found

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        owner = string(value, label)
        (<const char**>p)[0] = chars(owner)
        set_referent(view, p, owner)
        return 0

    cdef str spell(self):
        return "str" if self.as_str else "bytes"

    cdef str show(self, char* p, Struct view):
        cdef char* text = (<char**>p)[0]
        return hex(<size_t>text) if text != NULL and string_length(text) < 0 else repr(self.load(p, view))


cdef bytes bytes_of(object value, const char* label, str expected):
    """Return the bytes of a buffer, or of a list or tuple of ints, which may be negative as those of a signed char."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (list, tuple)):
        return bytes([<unsigned char>as_signed(item, -128, 255, label) for item in value])
    raise TypeError(f"{name_of(label)} must be {expected}, not {described(value)}")


cdef class Name(Text):
    """An array of char that holds a string: read up to its NUL, written with one."""

    cdef object load(self, char* p, Struct view):
        return PyBytes_FromStringAndSize(p, self.size).partition(b"\0")[0]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        data = value.encode() if isinstance(value, str) else bytes_of(value, label, "str or bytes")
        if len(data) >= self.size:
            raise ValueError(f"{name_of(label)} must be shorter than {self.size} bytes, not {len(data)}")
        memset(p, 0, self.size)
        memcpy(p, <char*><bytes>data, len(data))
        return 0


cdef class Text(CType):
    """An array of char, read and written as bytes."""

    def __init__(self, length):
        self.size = length

    cdef object load(self, char* p, Struct view):
        return PyBytes_FromStringAndSize(p, self.size)

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef bytes data = bytes_of(value, label, f"bytes of length {self.size}")
        if len(data) != self.size:
            raise ValueError(f"{name_of(label)} must be bytes of length {self.size}, not {len(data)}")
        memcpy(p, <char*>data, self.size)
        return 0

    cdef str spell(self):
        return "bytes"
