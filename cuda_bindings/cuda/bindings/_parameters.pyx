# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel parameters, in every form that cuda.bindings takes.

- None: no parameters.
- int: the address of a ``void*`` array.
- an object with the buffer protocol whose memory is that array (a NumPy array of addresses).
- ``(values, types)``: for each parameter a value and a ctypes type; with the type None the value is a ctypes object,
  or an object whose getPtr() gives the parameter's address (handles and structs of cuda.bindings).
"""

import operator
import sys

from libc.string cimport memcpy, strlen

from cuda.bindings._args cimport memory, pointer
from cuda.bindings._array cimport Array
from cuda.bindings._scalar cimport Address
from cuda.bindings._struct cimport CType, Struct, keep, u64

cdef Address ADDRESS = Address()


cdef object kernel_parameters(object o, const char* where):
    """Return what holds the parameters: an Array of addresses, or what `memory` returns."""
    if isinstance(o, tuple):
        return _packed(o, where)
    held = memory(o, False, where)
    if not isinstance(held, int):
        size = memoryview(held).nbytes
        if size % sizeof(void*):
            raise ValueError(f"{_text(where)} must be an array of addresses; {size} bytes are no multiple of 8")
        if size == 0:
            return 0
    return held


cdef class KernelParameters(CType):
    """A field that points to an array of addresses of parameters."""

    def __init__(self):
        self.size = sizeof(void*)

    cdef object load(self, char* p, Struct view):
        return (<size_t*>p)[0]

    cdef int store(self, char* p, object value, Struct view, const char* where) except -1:
        held = kernel_parameters(value, where)
        (<void**>p)[0] = parameters_pointer(held, where)
        keep(view, p, held)
        return 0

    cdef str spell(self):
        return "int or (values, types)"


cdef void* parameters_pointer(object held, const char* where) except? <void*>4242:
    """Return the address of what `kernel_parameters` returned."""
    if isinstance(held, Array):
        return (<Array>held).out()
    return pointer(held, where)


# Codes of the simple ctypes types -> bytes. f and d are floats, ? is a bool, P an address, the others are integers.
cdef dict SIZES = {
    **{"b": 1, "B": 1, "?": 1, "c": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4},
    **{"l": 8, "L": 8, "q": 8, "Q": 8, "d": 8, "P": 8},
}


cdef Array _packed(tuple o, const char* where):
    """Return an array of addresses, followed by the values that they point to."""
    cdef Py_ssize_t i, length
    if len(o) == 0:
        return Array(ADDRESS, 0)
    if len(o) != 2 or not all(isinstance(part, (list, tuple)) for part in o):
        raise TypeError(
            f"{_text(where)} must be (values, types), two tuples of the same length, not a tuple of {len(o)}"
        )
    values, types = o
    length = len(values)
    if length != len(types):
        raise TypeError(f"{_text(where)} has {length} values, but {len(types)} types")
    cdef Array array = Array(ADDRESS, 2 * length)
    cdef char** addresses = <char**>array.data
    for i in range(length):
        addresses[i] = <char*>&addresses[length + i]
        ctype = types[i]
        if ctype is None:
            value = values[i]
            addresses[i] = <char*><size_t>_address(value, where, i)
            keep(array.memory, <char*>&addresses[i], value)
        else:
            _store(addresses[i], values[i], ctype, where, i)
    return array


cdef object _address(object value, const char* where, Py_ssize_t i):
    """Return the address of an object that holds a parameter's value."""
    if hasattr(value, "getPtr"):
        return int(value.getPtr())
    ctypes = sys.modules.get("ctypes")
    if ctypes and isinstance(value, ctypes._SimpleCData.__mro__[1]):  # the base of all ctypes objects
        return ctypes.addressof(value)
    raise TypeError(
        f"{_text(where)}[{i}] has type None, so it must have getPtr() or be a ctypes object, not {value!r:.80}"
    )


cdef int _store(char* target, object value, object ctype, const char* where, Py_ssize_t i) except -1:
    """Write a value of a simple ctypes type."""
    code = getattr(ctype, "_type_", None)
    size = SIZES.get(code) if type(code) is str else None
    if size is None:
        raise TypeError(f"{_text(where)}[{i}]: the type must be None or a simple ctypes type, not {ctype!r:.80}")
    if not isinstance(value, (int, float)) and type(getattr(value, "_type_", None)) is str:
        value = value.value  # a ctypes object
    cdef u64 bits
    if code in "fd":
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"{_text(where)}[{i}] must be a number, not {type(value).__name__} ({value!r:.80})")
        if code == "f":
            (<float*>target)[0] = <float><double>float(value)
        else:
            (<double*>target)[0] = float(value)
        return 0
    bits = bool(value) if code == "?" else _integer(value, ctype, code, 8 * <int>size, where, i)
    memcpy(target, &bits, size)
    return 0


cdef u64 _integer(object value, object ctype, str code, int width, const char* where, Py_ssize_t i) except? 4242:
    """Return an integer's bits; a negative number is its two's complement where the type is unsigned, as in C."""
    if code == "P" and value is None:
        return 0
    if code == "c" and isinstance(value, bytes) and len(value) == 1:
        return value[0]
    if hasattr(value, "getPtr") and not hasattr(value, "__index__"):
        value = value.getPtr()
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{_text(where)}[{i}] must be an int for {ctype.__name__}, not {type(value).__name__} ({value!r:.80})"
        ) from None
    cdef object half = 1
    half <<= width - 1  # an int of Python's, for C's would wrap
    if not -half <= number < 2 * half:
        raise OverflowError(f"{_text(where)}[{i}] = {number} does not fit {ctype.__name__}")
    return number & <u64>-1


cdef str _text(const char* where):
    return where[:strlen(where)].decode()
