# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Handles of cuda.core objects as classes of cuda.bindings.driver, which is imported on first use."""

from libc.stdint cimport uintptr_t

from cuda.bindings._handle cimport new_of


cdef class HandleClass:
    """One of the handle classes of cuda.bindings.driver."""

    def __cinit__(self, str name):
        self.name = name

    cdef object of(self, const void* address):
        """Return a handle object with this address."""
        if self.cls is None:
            from cuda.bindings import driver

            self.cls = getattr(driver, self.name)
        return new_of(self.cls, <uintptr_t>address)
