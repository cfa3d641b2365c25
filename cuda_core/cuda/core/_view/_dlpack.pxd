# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The structures of DLPack 1.x, as its documentation describes their layout (C API, dlpack.h)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef struct DLDevice:
    int32_t device_type
    int32_t device_id

cdef struct DLDataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct DLTensor:
    void* data
    DLDevice device
    int32_t ndim
    DLDataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

cdef struct DLManagedTensor:
    DLTensor dl_tensor
    void* manager_ctx
    void (*deleter)(DLManagedTensor*) noexcept

cdef struct DLPackVersion:
    uint32_t major
    uint32_t minor

cdef struct DLManagedTensorVersioned:
    DLPackVersion version
    void* manager_ctx
    void (*deleter)(DLManagedTensorVersioned*) noexcept
    uint64_t flags
    DLTensor dl_tensor

cdef enum:
    READ_ONLY = 1  # flags
    IS_COPIED = 2


# What an object has consumed, at most one array; its __dealloc__ calls `release`.
cdef struct Consumed:
    void* managed
    bint versioned
    DLTensor* tensor

cdef int consume(Consumed* taken, object capsule) except -1
cdef int hold(Consumed* taken, DLManagedTensorVersioned* managed) except -1
cdef void release(Consumed* taken) noexcept

cdef inline bint is_read_only(Consumed* taken) noexcept:
    return taken.versioned and (<DLManagedTensorVersioned*>taken.managed).flags & READ_ONLY


cdef tuple extents_of(DLTensor* tensor)
cdef object strides_of(DLTensor* tensor)
cdef object numpy_dtype(DLTensor* tensor)
