# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""What can be done with a bare address."""

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport initialise
from cuda.core._stream._stream cimport Stream


def pointer_device(cydriver.CUdeviceptr ptr) -> int:
    """Return the ordinal of the device whose memory an address is in."""
    cdef int ordinal = 0
    initialise()
    check(
        cydriver.cuPointerGetAttribute(&ordinal, cydriver.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr),
        b"cuPointerGetAttribute",
    )
    return ordinal


def is_capturing(Stream stream not None) -> bool:
    """Tell whether a stream is being captured."""
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
