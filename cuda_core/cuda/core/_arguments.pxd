# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.core._kernel cimport Kernel
from cuda.core._stream cimport Stream

cdef enum:
    # What a launch keeps on the stack; a kernel may have 32764 bytes of parameters (CUDA programming guide).
    SMALL_BYTES = 4096
    SMALL_COUNT = 256
    LARGE_BYTES = 32768

cdef int pack(Kernel kernel, tuple arguments, char* scratch, size_t capacity, void** slots, Stream stream) except -1
