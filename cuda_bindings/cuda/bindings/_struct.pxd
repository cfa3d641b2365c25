# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C types as objects, and structs as views of C memory."""

from cpython.long cimport PyLong_CheckExact

from cuda.bindings._args cimport PyErr_Occurred, raw_unsigned
from cuda.bindings._handle cimport Handle

cdef extern from "Python.h":
    ctypedef struct PyObject
    void* TYPE_OF "Py_TYPE"(object) noexcept


ctypedef unsigned long long u64
ctypedef long long i64


cdef class CType:
    cdef readonly Py_ssize_t size
    cdef public str format  # in NumPy's notation
    cdef object load(self, char* p, Struct view)
    cdef int store(self, char* p, object value, Struct view, const char* label) except -1
    cdef str spell(self)
    cdef str show(self, char* p, Struct view)


cdef class Kind(CType):
    """A named type with a Python class, made on first use: a handle, an enumeration or a struct."""

    cdef readonly str name
    cdef object make_class  # function that creates the class, called with the name
    cdef object cls
    cdef void* cls_address
    cdef object get(self)
    cdef object make(self)


cdef class HandleKind(Kind):
    cdef readonly bint is_signed
    cdef readonly tuple accepts  # names of other handle classes whose objects are accepted


cdef class EnumKind(Kind):
    cdef readonly bint is_signed
    cdef dict members  # members created so far, by value


cdef class StructKind(Kind):
    cdef readonly Py_ssize_t align
    cdef readonly bint addresses  # whether an address is accepted in place of a struct


cdef class Struct:
    cdef char* memory
    cdef char* block  # the allocation, if the memory is owned
    cdef bint owned
    cdef Struct root  # the struct that owns the memory, None for itself
    cdef dict referents  # address of a pointer field -> object that it points to
    cdef Py_ssize_t elements  # number of structs; 1 except in records
    cdef bint readonly
    cdef object column(self, str name)
    cdef int set_column(self, str name, object value) except -1
    cdef int need_writable(self, str name) except -1


cdef u64 read_integer(char* p, Py_ssize_t size) noexcept
cdef i64 sign_extended(u64 value, int bits) noexcept
cdef u64 all_ones(int bits) noexcept
cdef u64 convert_int(object value, int bits, bint is_signed, const char* label) except? 4242
cdef int allocate(Struct struct, Py_ssize_t size, Py_ssize_t align) except -1
cdef Struct root_of(Struct view)
cdef int set_referent(Struct view, char* p, object value) except -1
cdef unsigned long long handle_slow(object o, HandleKind kind, const char* label) except? 4242
cdef object new_handle(HandleKind kind, unsigned long long value)
cdef object new_enum(EnumKind kind, long long value)
cdef object new_struct(StructKind kind)
cdef void* struct_slow(object o, StructKind kind, bint optional, const char* label) except? NULL
cdef int need_count(Struct struct, const char* label) except -1
cdef int need_address(Struct struct, StructKind kind) except -1


cdef inline unsigned long long as_handle(object o, HandleKind kind, const char* label) except? 4242:
    cdef u64 value
    if TYPE_OF(o) == kind.cls_address:
        return (<Handle>o).value
    if PyLong_CheckExact(o) and kind.size == 8:
        value = raw_unsigned(o)
        if value != <u64>-1 or not PyErr_Occurred():
            return value
    return handle_slow(o, kind, label)


cdef inline void* as_struct(object o, StructKind kind, bint optional, const char* label) except? NULL:
    if TYPE_OF(o) == kind.cls_address and (<Struct>o).memory != NULL:
        return (<Struct>o).memory
    return struct_slow(o, kind, optional, label)
