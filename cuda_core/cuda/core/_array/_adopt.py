# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of memory that exists as a DeviceArray: buffer, offset of the first element, shape, strides, type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from cuda.core._array._dtypes import as_dtype, as_shape, dense_strides, nbytes_of
from cuda.core._errors import ClosedError
from cuda.core._memory._buffer import Buffer
from cuda.core._stream._stream import default_stream, to_stream
from cuda.core._view._view import StridedMemoryView

if TYPE_CHECKING:
    from cuda.core._stream._stream import Stream

# The arguments of `make_array`.
Description = tuple[Buffer, int, tuple[int, ...], tuple[int, ...], "numpy.dtype[Any]"]


def from_buffer(buffer: Any, shape: Any, dtype: Any, order: str) -> Description:
    """Implement `DeviceArray.from_buffer`."""
    if not isinstance(buffer, Buffer):
        raise TypeError(f"buffer must be a Buffer, not {type(buffer).__name__}")
    found, extents = as_dtype(dtype), as_shape(shape)
    nbytes = nbytes_of(extents, found)
    strides = dense_strides(extents, found.itemsize, order)
    if buffer.is_closed:
        raise ClosedError("buffer is closed")
    if nbytes > buffer.size:
        raise ValueError(f"shape {extents} of {found} needs {nbytes} bytes, but the buffer has {buffer.size}")
    return buffer, 0, extents, strides, found


def from_any_interface(obj: Any, stream: Stream | None) -> Description:
    """Implement `DeviceArray.from_any_interface`."""
    if isinstance(obj, (numpy.ndarray, numpy.generic)):
        raise BufferError(f"obj is a {type(obj).__name__} in memory of the host: Device.to_device copies it")
    queue = default_stream() if stream is None else stream
    view = StridedMemoryView.from_any_interface(obj, stream_ptr=to_stream(queue).__cuda_stream__()[1])
    if not view.is_device_accessible:
        raise BufferError(f"obj is a {type(obj).__name__} in memory of the host: Device.to_device copies it")
    if view.readonly:
        raise BufferError("obj is read-only, but kernels can write to a DeviceArray: Device.to_device copies it")
    if stream is None:
        queue.sync()
    low, high = view.layout.offset_bounds
    itemsize = view._bytes_per_item
    buffer = Buffer.from_handle(view.ptr + low * itemsize, (high - low + 1) * itemsize, owner=view, stream=stream)
    strides = tuple(step * itemsize for step in view.layout.strides)
    return buffer, -low * itemsize, view.shape, strides, as_dtype(view.dtype)
