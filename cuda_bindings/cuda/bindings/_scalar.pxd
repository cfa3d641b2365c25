# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct cimport CType


cdef class Int(CType):
    cdef bint is_signed


cdef class Float(CType):
    pass


cdef class Address(CType):
    pass


cdef class Text(CType):
    pass
