# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of 64 bits that reports overflow."""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #define open_cuda_multiply(a, b, product) __builtin_mul_overflow(a, b, product)
    #define open_cuda_add(a, b, sum) __builtin_add_overflow(a, b, sum)
    """
    # These return whether the result overflows.
    bint multiply "open_cuda_multiply" (int64_t a, int64_t b, int64_t* product) nogil
    bint add "open_cuda_add" (int64_t a, int64_t b, int64_t* sum) nogil


cdef inline bint add_distance(int64_t stride, int64_t extent, int64_t* reach) noexcept nogil:
    """Add the distance from the first to the last element along an axis; return whether that overflows."""
    cdef int64_t distance
    if multiply(stride, extent - 1, &distance):
        return True
    if distance < 0:
        return multiply(distance, -1, &distance) or add(reach[0], distance, reach)
    return add(reach[0], distance, reach)
