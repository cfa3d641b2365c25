# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Creation of arrays: new memory of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.core._array._device_array import DeviceArray, forget_stream, make_array
from cuda.core._array._dtypes import as_dtype, as_shape, dense_strides, nbytes_of
from cuda.core._array._transfer import copy_new, fill, operand
from cuda.core._memory._buffer import Buffer
from cuda.core._stream._stream import default_stream

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._stream._stream import Stream


def empty(device: Device, shape: Any, dtype: Any, stream: Stream | None, order: str, like: Any = None) -> DeviceArray:
    """Implement `Device.empty`; with order "K" the axes are in the order of the strides `like`."""
    found, extents = as_dtype(dtype), as_shape(shape)
    strides = dense_strides(extents, found.itemsize, order, like)
    nbytes = nbytes_of(extents, found)
    if nbytes == 0:  # drivers do not allocate nothing
        buffer = Buffer.from_handle(0, 0, mr=device.memory_resource, stream=stream)
        return make_array(buffer, 0, extents, strides, found)
    if stream is not None:
        return make_array(device.allocate(nbytes, stream=stream), 0, extents, strides, found)
    queue = default_stream()
    buffer = device.allocate(nbytes, stream=queue)
    forget_stream(buffer)
    queue.sync()
    return make_array(buffer, 0, extents, strides, found)


def to_device(device: Device, array: Any, stream: Stream | None, order: str) -> DeviceArray:
    """Implement `Device.to_device`."""
    source = operand(array, "array", stream, DeviceArray)
    made = empty(device, source.shape, source.dtype, stream, order, source.strides)
    copy_new(made, source, stream)
    return made


def full(device: Device, shape: Any, value: Any, dtype: Any, stream: Stream | None, order: str) -> DeviceArray:
    """Implement `Device.full` and `Device.zeros`."""
    made = empty(device, shape, dtype, stream, order)
    fill(made, value, stream, is_new=True)
    return made
