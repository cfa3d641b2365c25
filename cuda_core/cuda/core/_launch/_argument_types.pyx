# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Classification of kernel arguments by their Python type, cached for each type."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport uintptr_t
from libc.string cimport memcmp, memset

from cuda.bindings._atomic cimport cache_read, cache_write
from cuda.core._view._exchange cimport exchange_of

import sys

# Direct-mapped cache of types, indexed by bits of their addresses; it holds references to the types.
cdef ArgumentType[128] _known
cdef unsigned _sequence = 0


cdef int classify(object kind, ArgumentType* found) except -1:
    """Find how arguments of a type are written: its ArgumentType."""
    cdef ArgumentType* entry = &_known[<uintptr_t><PyObject*>kind >> 4 & 127]
    if cache_read(&_sequence, found, entry, sizeof(ArgumentType) // 8, <PyObject*>kind):
        return 0
    memset(found, 0, sizeof(ArgumentType))
    found.category = category_of(kind)
    if found.category == NUMPY_SCALAR:
        look_into_numpy(kind, found)
    elif found.category == CTYPES_SCALAR:
        look_into_ctypes(kind, found)
    elif found.category in (CUDA_ARRAY, DLPACK):
        found.exchange = exchange_of(kind)
        found.category = EXCHANGE if found.exchange != NULL else found.category
        found.differentiable = hasattr(kind, "requires_grad")
    cdef PyObject* before = <PyObject*>kind
    found.type = <PyObject*>kind
    Py_INCREF(kind)
    cache_write(&_sequence, entry, found, sizeof(ArgumentType) // 8, &before)
    Py_XDECREF(before)  # the former entry's type, or the reference just taken
    return 0


cdef Category category_of(object kind) except *:
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, numpy.generic):
        return NUMPY_SCALAR
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None and issubclass(kind, ctypes._SimpleCData):
        return CTYPES_SCALAR
    if ctypes is not None and issubclass(kind, (ctypes.Structure, ctypes.Union, ctypes.Array)):
        return CTYPES_AGGREGATE
    if issubclass(kind, (memoryview, bytes, bytearray)) or (numpy is not None and issubclass(kind, numpy.ndarray)):
        return HOST_ARRAY
    if hasattr(kind, "__cuda_array_interface__"):
        return CUDA_ARRAY
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__"):
        return DLPACK
    if kind.__name__ == "TensorMapDescriptor" and kind.__module__ == "cuda.core._launch._tensor_map":
        return CTYPES_AGGREGATE  # its bytes are the argument
    if hasattr(kind, "__dataclass_fields__"):
        return DATACLASS
    if hasattr(kind, "__index__") or (kind.__module__.startswith("cuda.bindings.") and hasattr(kind, "__int__")):
        return INTEGER_LIKE
    # Attributes of the instance rather than of the type are looked up when such an argument is written.
    return UNSUPPORTED


# Scalars are read in place where a sample value proves that its bytes lie where NumPy's and ctypes' C structures have
# them; otherwise by the buffer protocol, which costs more than the rest of a launch.

cdef int look_into_numpy(object kind, ArgumentType* found) except -1:
    """Find the type and storage of NumPy's scalars (PyFloatScalarObject and so on: the value follows the head)."""
    import numpy

    found.structured = issubclass(kind, numpy.void)
    found.floating = issubclass(kind, numpy.inexact)
    try:
        dtype = numpy.dtype(kind)
    except TypeError:
        return 0
    if dtype.type is not kind or dtype.kind not in "biufc":
        found.floating = found.floating or dtype.name.startswith(("bfloat", "float"))  # of ml_dtypes
        return 0
    cdef bytes pattern = bytes([1] if dtype.kind == "b" else range(1, dtype.itemsize + 1))
    cdef object sample = numpy.frombuffer(pattern, dtype)[0]
    if kind.__basicsize__ >= <Py_ssize_t>sizeof(PyObject) + dtype.itemsize and memcmp(
        <char*><PyObject*>sample + sizeof(PyObject), <const char*>pattern, len(pattern)
    ) == 0:
        found.size, found.storage = dtype.itemsize, IN_OBJECT
    return 0


cdef int look_into_ctypes(object kind, ArgumentType* found) except -1:
    """Find the type and storage of ctypes' scalars (CDataObject: a pointer to the value follows the head)."""
    import ctypes

    found.floating = kind._type_ in "fdg"
    size = ctypes.sizeof(kind)
    sample = kind.from_buffer(bytearray(size))
    cdef uintptr_t address = ctypes.addressof(sample)
    if kind.__basicsize__ >= <Py_ssize_t>(sizeof(PyObject) + sizeof(void*)) and (
        <uintptr_t*>(<char*><PyObject*>sample + sizeof(PyObject))
    )[0] == address:
        found.size, found.storage = size, POINTED_TO
    return 0
