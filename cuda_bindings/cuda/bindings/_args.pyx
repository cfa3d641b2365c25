# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Slow paths of the argument conversions in _args.pxd: rare types, and errors."""

import operator
import os
import sys

from cpython.buffer cimport PyObject_CheckBuffer
from cpython.bytes cimport PyBytes_GET_SIZE
from cpython.exc cimport PyErr_Clear
from cpython.sequence cimport PySequence_Check

from cuda.bindings._check cimport described, name_of, short_repr
from cuda.bindings._handle cimport Handle

cdef double FLOAT_MAX = 3.4028234663852886e38


class CountError(ValueError, RuntimeError):
    """Report a list that is shorter than another argument says.

    It is a ValueError, as Python's functions raise, and a RuntimeError, as NVIDIA's bindings raise.
    """


cdef object _index(object o, const char* label, object low, object high):
    """Return `o` as an int, or raise TypeError."""
    if PyErr_Occurred():
        PyErr_Clear()
    try:
        return operator.index(o)
    except TypeError:
        pass
    # As in NVIDIA's package, numbers without a fraction (2.0, NumPy's bool) and objects with only __int__ are accepted,
    # but not text and containers.
    try:
        value = int(o) if hasattr(o, "__int__") else None
    except (TypeError, ValueError, OverflowError):  # NaN, infinity
        value = None
    if value is not None and (not hasattr(o, "__float__") or o == value):
        return value
    raise TypeError(f"{name_of(label)} must be an int from {low} to {high}, not {described(o)}")


cdef unsigned long long unsigned_slow(object o, unsigned long long high, const char* label) except? 4242:
    value = _index(o, label, 0, high)
    if not 0 <= value <= high:
        raise OverflowError(f"{name_of(label)} must be an int from 0 to {high}, not {short_repr(value)}")
    return value


cdef long long signed_slow(object o, long long low, long long high, const char* label) except? 4242:
    value = _index(o, label, low, high)
    if not low <= value <= high:
        raise OverflowError(f"{name_of(label)} must be an int from {low} to {high}, not {short_repr(value)}")
    return value


cdef unsigned long long address_slow(object o, const char* label) except? 4242:
    if PyErr_Occurred():
        PyErr_Clear()
    if not hasattr(o, "__index__"):  # a float is a number but not an address
        if not hasattr(o, "__int__") or hasattr(o, "__float__"):
            raise TypeError(f"{name_of(label)} must be an int, not {described(o)}")
        o = int(o)
    return unsigned_slow(o, <unsigned long long>-1, label)


cdef double double_slow(object o, bint single, const char* label) except? 4242:
    """Return a number as a double; with `single` it must fit a C float."""
    if isinstance(o, (str, bytes, bytearray)) or not hasattr(o, "__float__") and not hasattr(o, "__index__"):
        raise TypeError(f"{name_of(label)} must be a number, not {described(o)}")
    cdef double value
    try:
        value = float(o)
    except TypeError:
        raise TypeError(f"{name_of(label)} must be a number, not {described(o)}") from None
    except OverflowError:
        raise OverflowError(f"{name_of(label)} = {short_repr(o)} does not fit a C double") from None
    if single and FLOAT_MAX < abs(value) < float("inf"):
        raise OverflowError(f"{name_of(label)} = {short_repr(o)} does not fit a C float")
    return value


cdef object memory_slow(object o, bint writable, const char* label):
    if o is None:
        return 0
    if isinstance(o, (int, Handle)):
        return int(o)
    if type(o) is bytes:
        # As NVIDIA documents it, callers let C write into a new bytes object. CPython shares objects shorter than 2
        # bytes: for these C writes to a copy.
        return memoryview(bytearray(8))[:PyBytes_GET_SIZE(o)] if writable and PyBytes_GET_SIZE(o) < 2 else o
    # NumPy's scalars support the buffer protocol, too, but are passed by value.
    if PyObject_CheckBuffer(o) and (PySequence_Check(o) or not hasattr(o, "__index__")):
        view = memoryview(o)
        if not view.c_contiguous:
            raise ValueError(f"{name_of(label)} must be contiguous memory; this {type(o).__name__} is not")
        if writable and view.readonly:
            raise TypeError(f"{name_of(label)} must be writable memory; this {type(o).__name__} is read-only")
        return view
    if hasattr(o, "_memory"):  # a record, whose size is known
        view = memoryview(o._memory())
        if writable and view.readonly:
            raise TypeError(f"{name_of(label)} must be writable memory; this {type(o).__name__} is read-only")
        return view
    if hasattr(o, "getPtr"):
        return int(o.getPtr())
    if hasattr(o, "__index__") and not isinstance(o, type):
        return operator.index(o)
    if hasattr(o, "__int__") and not hasattr(o, "__float__") and not isinstance(o, type):
        return int(o)
    raise TypeError(
        f"{name_of(label)} must be an address (int), an object with the buffer protocol or None, "
        f"not {described(o)}"
    )


cdef object string_slow(object o, const char* label):
    if type(o) is not bytes:
        if isinstance(o, str):
            o = o.encode()
        elif isinstance(o, (bytes, bytearray, memoryview)):
            o = bytes(o)
        elif isinstance(o, os.PathLike):
            o = os.fsencode(o)
        else:
            raise TypeError(f"{name_of(label)} must be str, bytes or None, not {described(o)}")
    if b"\0" in o and b"\0" in (<bytes>o).rstrip(b"\0"):  # trailing NUL characters are allowed
        raise ValueError(f"{name_of(label)} must not contain a NUL character")
    return o


cdef object callback_address(object o, const char* label):
    """Return the address of a C function given as int, handle object or ctypes function."""
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None and isinstance(o, ctypes._CFuncPtr):
        return ctypes.cast(o, ctypes.c_void_p).value or 0
    if o is None:
        return 0
    if isinstance(o, Handle):
        return int(o)
    try:
        return operator.index(o)
    except TypeError:
        raise TypeError(
            f"{name_of(label)} must be the address of a C function (int, or a ctypes function), "
            f"not {described(o)}"
        ) from None


cdef int need(object owner, unsigned long long count, const char* label) except -1:
    """Check that memory of known size has at least `count` bytes."""
    if PyLong_CheckExact(owner):
        return 0
    cdef unsigned long long length = len(owner) if type(owner) is bytes else owner.nbytes
    if length < count:
        raise ValueError(f"{name_of(label)} has {length} bytes, but {count} are needed")
    return 0


cdef int need_items(Py_ssize_t length, unsigned long long count, const char* label, const char* count_label) except -1:
    """Check that a sequence has at least as many elements as another argument says."""
    if <unsigned long long>length < count:
        raise CountError(f"{name_of(label)} has {length} elements, but {name_of(count_label)} is {count}")
    return 0
