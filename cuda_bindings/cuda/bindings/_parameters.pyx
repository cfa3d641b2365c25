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

from libc.string cimport strlen

from cuda.bindings._args cimport memory, pointer
from cuda.bindings._array cimport Array
from cuda.bindings._scalar cimport Address
from cuda.bindings._struct cimport CType, Struct, keep


cdef object kernel_parameters(object o, const char* where):
    """Return what holds the parameters: an Array of addresses, or what `memory` returns."""
    if isinstance(o, tuple):
        return _packed(o, where)
    return memory(o, False, where)


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
        return (<Array>held).data
    return pointer(held, where)


cdef Array _packed(tuple o, const char* where):
    cdef str name = where[:strlen(where)].decode()
    if len(o) == 0:
        return Array(Address(), 0)
    if len(o) != 2 or not all(isinstance(part, (list, tuple)) for part in o):
        raise TypeError(f"{name} must be (values, types), two tuples of the same length, not a tuple of {len(o)}")
    values, types = o
    if len(values) != len(types):
        raise TypeError(f"{name} has {len(values)} values, but {len(types)} types")
    cdef Array array = Array(Address(), len(values))
    cdef Py_ssize_t i
    for i in range(array.length):
        held, address = _one(values[i], types[i], f"{name}[{i}]")
        (<size_t*>array.data)[i] = address
        keep(array.memory, array.data + i * sizeof(void*), held)
    return array


def _one(value, ctype, name):
    """Return a kernel parameter's storage, and its address."""
    import ctypes

    if ctype is None:
        if hasattr(value, "getPtr"):
            return value, int(value.getPtr())
        if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._Pointer)):
            return value, ctypes.addressof(value)
        raise TypeError(f"{name} has type None, so it must have getPtr() or be a ctypes object, not {value!r:.80}")
    if not (isinstance(ctype, type) and issubclass(ctype, ctypes._SimpleCData)):
        raise TypeError(f"{name}: the type must be None or a simple ctypes type, not {ctype!r:.80}")
    if isinstance(value, ctype):
        return value, ctypes.addressof(value)
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    storage = ctype(_number(value, ctype, ctypes, name))
    return storage, ctypes.addressof(storage)


def _number(value, ctype, ctypes, name):
    """Return what `ctype` is made of, in its range."""
    if ctype in (ctypes.c_float, ctypes.c_double):
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be a number, not {type(value).__name__} ({value!r:.80})")
        return float(value)
    if ctype is ctypes.c_bool:
        return bool(value)
    if ctype is ctypes.c_void_p and value is None:
        return 0
    if ctype in (ctypes.c_char, ctypes.c_wchar) and isinstance(value, (bytes, str)):
        return value
    if hasattr(value, "getPtr") and not hasattr(value, "__index__"):
        value = value.getPtr()
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an int for {ctype.__name__}, not {type(value).__name__} ({value!r:.80})") from None
    bits = 8 * ctypes.sizeof(ctype)
    # A negative number is its two's complement where an unsigned type is asked for, as in C.
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise OverflowError(f"{name} = {number} does not fit {ctype.__name__}")
    return number
