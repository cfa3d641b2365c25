# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cpython.object cimport PyObject

from cuda.core._launch._kernel cimport Kernel
from cuda.core._stream._stream cimport Stream

cdef enum:
    # Sizes of a launch's buffers on the stack; kernels have at most 32764 bytes of parameters (CUDA programming guide).
    SMALL_BYTES = 4096
    SMALL_COUNT = 256
    LARGE_BYTES = 32768

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(tuple)

cdef int pack_items(
    Kernel kernel, PyObject* const* arguments, Py_ssize_t given, char* scratch, size_t capacity, void** slots,
    Stream stream, bint host_arrays,
) except -1


cdef inline int pack(
    Kernel kernel, tuple arguments, char* scratch, size_t capacity, void** slots, Stream stream, bint host_arrays
) except -1:
    return pack_items(
        kernel, PySequence_Fast_ITEMS(arguments), len(arguments), scratch, capacity, slots, stream, host_arrays
    )
