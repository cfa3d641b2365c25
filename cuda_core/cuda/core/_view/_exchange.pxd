# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""DLPack's C exchange API: a table of C functions behind a type's ``__dlpack_c_exchange_api__`` (DLPack 1.3, C API)."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t

from cuda.core._view._dlpack cimport DLManagedTensorVersioned, DLPackVersion, DLTensor

cdef struct ExchangeHeader:
    DLPackVersion version
    ExchangeHeader* previous

cdef struct Exchange:
    ExchangeHeader header
    int (*allocate)(
        DLTensor*, DLManagedTensorVersioned**, void*, void (*)(void*, const char*, const char*) noexcept
    ) noexcept
    int (*managed_of)(PyObject*, DLManagedTensorVersioned**) except -1
    int (*object_of)(DLManagedTensorVersioned*, PyObject**) except -1
    int (*tensor_of)(PyObject*, DLTensor*) except -1  # may be NULL; describes the object, which remains the owner
    int (*current_stream)(int32_t, int32_t, void**) except -1

cdef Exchange* exchange_of(object kind) except? NULL
