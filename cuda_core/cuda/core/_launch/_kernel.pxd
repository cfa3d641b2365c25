# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_load


# One parameter: size, offset in the parameter memory, and kind, a letter of `_signature`.
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
    cdef int known
    cdef Slot* layout
    cdef size_t nbytes
    # The maximum dynamic shared memory set at the driver, and for which device (-1: not set yet).
    cdef object __weakref__

    cdef int ask_layout(self) except -1
    cdef int _ask_layout(self) except -1
    cdef int set_layout(self, Slot* layout, int count, size_t nbytes) except -1
    cdef int set_name(self, str name) except -1

    cdef inline int read_layout(self) except -1:
        """Query the layout of the parameters once; `count` becomes -1 if the driver does not report it."""
        return 0 if atomic_load(&self.known) else self.ask_layout()

    cdef str label(self)
    cdef cydriver.CUfunction function(self) except NULL


cdef Kernel new_kernel(cydriver.CUkernel native, object owner, str name, str kinds)
