# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct cimport CType


cdef class Address(CType):
    pass


cdef class Text(CType):
    pass
