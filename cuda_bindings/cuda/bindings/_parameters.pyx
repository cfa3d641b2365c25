# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion of kernel parameters (the void** of cuLaunchKernel) from every supported form.

- None: no parameters.
- int: the address of a ``void*`` array.
- an object with the buffer protocol whose memory is that array (a NumPy array of addresses).
- ``(values, types)``: for each parameter a value and a ctypes type; with the type None the value is a ctypes object,
  or an object whose getPtr() gives the parameter's address (handles and structs of cuda.bindings).
"""

import operator
import sys

from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cython cimport freelist
from libc.string cimport memcpy

from cuda.bindings._atomic cimport cache_read, cache_write
from cuda.bindings._args cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact, memory, pointer
from cuda.bindings._check cimport described, name_of, short_repr
from cuda.bindings._handle cimport Handle
from cuda.bindings._struct cimport CType, Struct, set_referent, u64

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1


cdef object kernel_parameters(object o, const char* label):
    """Return the owner of the parameters: a Packed, or the result of `memory`."""
    if isinstance(o, tuple):
        return _packed(o, label)
    owner = memory(o, False, label)
    if not isinstance(owner, int):
        size = memoryview(owner).nbytes
        if size % sizeof(void*):
            raise ValueError(f"{name_of(label)} must be an array of addresses; {size} bytes are no multiple of 8")
        if size == 0:
            return 0
    return owner


cdef class KernelParameters(CType):
    """A field that points to an array of addresses of parameters."""

    def __init__(self):
        self.size = sizeof(void*)

    cdef object load(self, char* p, Struct view):
        return (<size_t*>p)[0]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        owner = kernel_parameters(value, label)
        (<void**>p)[0] = parameters_pointer(owner, label)
        set_referent(view, p, owner)
        return 0

    cdef str spell(self):
        return "int or (values, types)"


cdef void* parameters_pointer(object owner, const char* label) except? <void*>4242:
    """Return the address of what `kernel_parameters` returned."""
    if type(owner) is Packed:
        return (<Packed>owner).addresses
    return pointer(owner, label)


# Codes of the simple ctypes types -> size. f and d are floats, ? is a bool, P an address, c and u are characters, the
# others are integers.
cdef dict SIZES = {
    **{"b": 1, "B": 1, "?": 1, "c": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4},
    **{"u": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "d": 8, "P": 8},
}


# Direct-mapped cache of ctypes types, indexed by bits of their addresses: attributes of types are slow to read.
cdef struct CachedType:
    PyObject* type  # kept alive
    Py_UCS4 code
    int size

cdef CachedType[64] type_cache
cdef unsigned type_cache_sequence = 0


cdef int look_up(object ctype, CachedType* found, const char* label, Py_ssize_t i) except -1:
    """Find the code and size of a simple ctypes type."""
    cdef CachedType* entry = &type_cache[<size_t><PyObject*>ctype >> 4 & 63]
    if cache_read(&type_cache_sequence, found, entry, sizeof(CachedType) // 8, <PyObject*>ctype):
        return 0
    code = getattr(ctype, "_type_", None)
    size = SIZES.get(code) if type(code) is str else None
    if size is None:
        name = name_of(label)
        raise TypeError(f"{name}[{i}]: the type must be None or a simple ctypes type, not {short_repr(ctype)}")
    cdef PyObject* before = <PyObject*>ctype
    found.type, found.code, found.size = <PyObject*>ctype, ord(code), size
    Py_INCREF(ctype)
    cache_write(&type_cache_sequence, entry, found, sizeof(CachedType) // 8, &before)
    Py_XDECREF(before)  # the former entry's type, or the reference just taken
    return 0


cdef enum:
    INLINE = 24  # number of parameters that are stored in the object itself


@freelist(8)
cdef class Packed:
    """An array of addresses, and the values that they point to."""

    cdef char** addresses
    cdef u64[2 * INLINE] inline
    cdef char** heap
    cdef list owners

    def __dealloc__(self):
        PyMem_Free(self.heap)


cdef Packed _packed(tuple o, const char* label):
    """Return the parameters of ``(values, types)``."""
    cdef Packed packed = Packed.__new__(Packed)
    cdef Py_ssize_t i, length
    if len(o) == 0:
        return packed
    if len(o) != 2 or not isinstance(o[0], (list, tuple)) or not isinstance(o[1], (list, tuple)):
        raise TypeError(
            f"{name_of(label)} must be (values, types), two tuples of the same length, not a tuple of {len(o)}"
        )
    values, types = o[0], o[1]
    length = len(values)
    if length != len(types):
        raise TypeError(f"{name_of(label)} has {length} values, but {len(types)} types")
    if length == 0:
        return packed
    packed.addresses = <char**>packed.inline
    if length > INLINE:
        packed.heap = <char**>PyMem_Calloc(2 * length, sizeof(u64))
        if packed.heap == NULL:
            raise MemoryError
        packed.addresses = packed.heap
    cdef char** addresses = packed.addresses
    # As tuples: converting a value runs Python code, which could shorten a list.
    cdef tuple all_values = values if type(values) is tuple else tuple(values)
    cdef tuple all_types = types if type(types) is tuple else tuple(types)
    for i in range(length):
        addresses[i] = <char*>&addresses[length + i]
        if all_types[i] is None:
            value = all_values[i]
            if isinstance(value, int) and hasattr(value, "_value2member_map_"):  # an enumeration, which is an int in C
                (<int*>addresses[i])[0] = <int>value
                continue
            addresses[i] = <char*><size_t>_address(value, label, i)
            if packed.owners is None:
                packed.owners = []
            packed.owners.append(value)
        else:
            store(addresses[i], all_values[i], all_types[i], label, i)
    return packed


cdef int store(char* target, object value, object ctype, const char* label, Py_ssize_t i) except -1:
    """Write a value of a simple ctypes type."""
    cdef CachedType entry
    cdef int overflow = 0
    cdef long long number
    look_up(ctype, &entry, label, i)
    cdef Py_UCS4 code = entry.code
    cdef int width = 8 * entry.size
    if code == c"f" or code == c"d":
        if PyFloat_CheckExact(value):
            if code == c"f":
                (<float*>target)[0] = <float>PyFloat_AS_DOUBLE(value)
            else:
                (<double*>target)[0] = PyFloat_AS_DOUBLE(value)
            return 0
    elif code != c"?":
        if PyLong_CheckExact(value):
            number = PyLong_AsLongLongAndOverflow(value, &overflow)
        elif code == c"P" and isinstance(value, Handle):
            number = <long long>(<Handle>value).value
        else:
            return store_slow(target, value, ctype, code, width, label, i)
        if not overflow and (width == 64 or -(1LL << width - 1) <= number < 1LL << width):
            memcpy(target, &number, 8)  # little endian: the low bytes come first in the slot of 8
            return 0
    return store_slow(target, value, ctype, code, width, label, i)


cdef object _address(object value, const char* label, Py_ssize_t i):
    """Return the address of an object that holds a parameter's value."""
    if hasattr(value, "getPtr"):
        return int(value.getPtr())
    ctypes = sys.modules.get("ctypes")
    if ctypes and isinstance(value, ctypes._SimpleCData.__mro__[1]):  # the base of all ctypes objects
        return ctypes.addressof(value)
    raise TypeError(
        f"{name_of(label)}[{i}] has type None, so it must have getPtr() or be a ctypes object, not {short_repr(value)}"
    )


cdef int store_slow(
    char* target, object value, object ctype, Py_UCS4 code, int width, const char* label, Py_ssize_t i
) except -1:
    """Write a value that is not a plain int or float, or is out of range."""
    if not isinstance(value, (int, float)) and type(getattr(value, "_type_", None)) is str:
        value = value.value  # a ctypes object
    cdef u64 bits
    if code == c"f" or code == c"d":
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"{name_of(label)}[{i}] must be a number, not {described(value)}")
        if code == c"f":
            (<float*>target)[0] = <float><double>float(value)
        else:
            (<double*>target)[0] = float(value)
        return 0
    bits = bool(value) if code == c"?" else _integer(value, ctype, code, width, label, i)
    memcpy(target, &bits, 8)
    return 0


cdef u64 _integer(object value, object ctype, Py_UCS4 code, int width, const char* label, Py_ssize_t i) except? 4242:
    """Return an integer's bits; as in C, a negative number becomes its two's complement if the type is unsigned."""
    if code == c"P" and value is None:
        return 0
    if code == c"c" and isinstance(value, bytes) and len(value) == 1:
        return value[0]
    if code == c"u" and isinstance(value, str) and len(value) == 1:
        return ord(value)
    if hasattr(value, "getPtr") and not hasattr(value, "__index__"):
        value = value.getPtr()
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name_of(label)}[{i}] must be an int for {ctype.__name__}, not {described(value)}"
        ) from None
    cdef object half = 1
    half <<= width - 1  # a Python int: a C int would overflow
    if not -half <= number < 2 * half:
        raise OverflowError(f"{name_of(label)}[{i}] = {short_repr(number)} does not fit {ctype.__name__}")
    return number & <u64>-1
