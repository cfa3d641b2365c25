# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Validation of addresses, sizes and fill patterns, pointer attributes, and copies between addresses."""

from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.bindings._args cimport is_small, small
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport initialise
from cuda.core._stream._stream cimport Stream

from cuda.core._utils._address import as_address


def pointer_device(cydriver.CUdeviceptr ptr) -> int:
    """Return the ordinal of the device on which the memory at an address is."""
    cdef int ordinal = 0
    initialise()
    check(
        cydriver.cuPointerGetAttribute(&ordinal, cydriver.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr),
        b"cuPointerGetAttribute",
    )
    return ordinal


def is_capturing(Stream stream not None) -> bool:
    """Return whether a stream is being captured."""
    cdef cydriver.CUstreamCaptureStatus status
    check(cydriver.cuStreamIsCapturing(stream.open_handle(), &status), b"cuStreamIsCapturing")
    return status != cydriver.CU_STREAM_CAPTURE_STATUS_NONE


def copy_bytes(cydriver.CUdeviceptr dst, cydriver.CUdeviceptr src, size_t nbytes, Stream stream not None) -> None:
    """Copy between any two addresses in the order of a stream."""
    cdef cydriver.CUstream native = stream.open_handle()
    cdef cydriver.CUresult status
    with nogil:
        status = cydriver.cuMemcpyAsync(dst, src, nbytes, native)
    check(status, b"cuMemcpyAsync")


def copy_box(
    cydriver.CUdeviceptr dst, bint dst_on_host, cydriver.CUdeviceptr src, bint src_on_host, box, Stream stream not None
) -> None:
    """Copy a `Box` of rows and planes between two addresses in the order of a stream."""
    cdef cydriver.CUstream native = stream.open_handle()
    cdef cydriver.CUresult status
    cdef cydriver.CUDA_MEMCPY3D copy
    cdef size_t dst_plane = box.to_plane, src_plane = box.start_plane
    memset(&copy, 0, sizeof(copy))
    dst += <cydriver.CUdeviceptr><int64_t>box.to
    src += <cydriver.CUdeviceptr><int64_t>box.start
    copy.dstMemoryType = cydriver.CU_MEMORYTYPE_HOST if dst_on_host else cydriver.CU_MEMORYTYPE_UNIFIED
    copy.srcMemoryType = cydriver.CU_MEMORYTYPE_HOST if src_on_host else cydriver.CU_MEMORYTYPE_UNIFIED
    copy.dstHost, copy.dstDevice = <void*><uintptr_t>dst, dst
    copy.srcHost, copy.srcDevice = <const void*><uintptr_t>src, src
    copy.WidthInBytes, copy.Height, copy.Depth = box.width, box.height, box.depth
    copy.dstPitch, copy.srcPitch = box.to_pitch, box.start_pitch
    if copy.Depth > 1:  # planes are given by their number of rows
        copy.dstHeight, copy.srcHeight = dst_plane // copy.dstPitch, src_plane // copy.srcPitch
    with nogil:
        status = cydriver.cuMemcpy3DAsync(&copy, native)
    check(status, b"cuMemcpy3DAsync")


cdef cydriver.CUdeviceptr pointer_value(object ptr) except? 0:
    """Return an address given as int, CUdeviceptr or None."""
    if ptr is None:
        return 0
    if PyLong_CheckExact(ptr):
        return ptr
    return as_address(ptr, "ptr must be an address as int, a CUdeviceptr or None")


cdef size_t checked_size(object size) except? 0:
    """Return a size in bytes, or raise if it is not a valid one."""
    if PyLong_CheckExact(size) and is_small(size) and small(size) >= 0:
        return small(size)
    if isinstance(size, float) and size.is_integer():
        size = int(size)
    try:
        size = size.__index__()
    except AttributeError:
        raise TypeError(f"size must be an int (bytes), not {size!r:.60} ({type(size).__name__})") from None
    if not 0 <= size < 1 << 64:
        raise OverflowError(f"size must be from 0 to {(1 << 64) - 1} bytes, not {size}")
    return size


cdef bytes fill_pattern(object value):
    """Return the bytes of a fill pattern."""
    if isinstance(value, int):
        if not 0 <= value <= 255:
            raise OverflowError(f"value must be a byte, 0 to 255, not {value}; wider patterns are given as bytes")
        return bytes((value,))
    try:
        pattern = memoryview(value).tobytes()
    except TypeError:
        raise TypeError(
            f"value must be an int or have 1, 2 or 4 bytes, such as numpy.float32(1), not {type(value).__name__}"
        ) from None
    if len(pattern) not in (1, 2, 4):
        raise ValueError(f"value must have 1, 2 or 4 bytes, not {len(pattern)}")
    return pattern


cdef int memory_type(cydriver.CUdeviceptr ptr) except -1:
    """Return the CUmemorytype of an address, 0 for memory that the driver does not know."""
    cdef unsigned int kind = 0
    cdef cydriver.CUresult status
    status = cydriver.cuPointerGetAttribute(&kind, cydriver.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr)
    if status == cydriver.CUDA_ERROR_INVALID_VALUE:
        return 0
    check(status, b"cuPointerGetAttribute")
    return <int>cydriver.CU_MEMORYTYPE_UNIFIED if is_managed_pointer(ptr) else kind


cdef bint is_managed_pointer(cydriver.CUdeviceptr ptr):
    """Return whether an address is in managed memory (CU_POINTER_ATTRIBUTE_IS_MANAGED)."""
    cdef unsigned int managed = 0
    cdef cydriver.CUresult status
    status = cydriver.cuPointerGetAttribute(&managed, cydriver.CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr)
    return status == cydriver.CUDA_SUCCESS and managed
