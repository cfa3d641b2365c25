# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cpython.object cimport PyObject

from cuda.core._view._exchange cimport Exchange

cdef enum Category:
    UNSUPPORTED, NUMPY_SCALAR, CTYPES_SCALAR, CTYPES_AGGREGATE, DATACLASS, INTEGER_LIKE, CUDA_ARRAY, DLPACK, HOST_ARRAY
    EXCHANGE

# Storage of a scalar's bytes: buffer protocol only, inline after the object's head, or behind a pointer stored there.
cdef enum Storage:
    BY_BUFFER, IN_OBJECT, POINTED_TO

cdef struct ArgumentType:
    PyObject* type
    Category category
    Storage storage
    Py_ssize_t size  # of the value, for scalars whose storage is known
    bint floating
    bint structured
    Exchange* exchange  # of an array's type with DLPack's C exchange API
    bint differentiable  # the type has `requires_grad`

cdef int classify(object kind, ArgumentType* found) except -1
