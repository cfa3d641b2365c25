# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver


# One parameter: bytes, where they are in the parameter memory, and their kind, a letter of `_signature`.
cdef struct Slot:
    size_t offset
    size_t size
    Py_UCS4 kind


cdef class Kernel:
    cdef cydriver.CUkernel native
    cdef object owner
    cdef str _name
    cdef str kinds
    cdef int count
    cdef bint known
    cdef Slot* layout
    cdef size_t nbytes
    # How much dynamic shared memory the driver was told of, and for which device (-1: none yet).
    cdef object __weakref__

    cdef int ask_layout(self) except -1
    cdef int _ask_layout(self) except -1

    cdef inline int read_layout(self) except -1:
        """Know the layout of the parameters; count is -1 if the driver cannot tell."""
        return 0 if self.known else self.ask_layout()

    cdef str label(self)
    cdef cydriver.CUfunction function(self) except NULL


cdef Kernel new_kernel(cydriver.CUkernel native, object owner, str name, str kinds)
