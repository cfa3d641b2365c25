# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Export of a DeviceArray to other libraries: DLPack, the CUDA Array Interface and NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from cuda.core._view import _dlpack

if TYPE_CHECKING:
    from cuda.core._array._device_array import DeviceArray


def cuda_array_interface(array: DeviceArray, address: int) -> dict[str, Any]:
    """Implement `DeviceArray.__cuda_array_interface__`."""
    if array.dtype.type.__module__ == "ml_dtypes":
        raise AttributeError(f"the CUDA Array Interface has no type {array.dtype}: use DLPack")
    stream = array.stream
    described: dict[str, Any] = {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (address if array.size else 0, False),
        "strides": None if array.is_contiguous_c else array.strides,
        "stream": None if stream is None or stream.is_closed else stream.__cuda_stream__()[1] or 1,
        "version": 3,
    }
    if array.dtype.names is not None:
        described["descr"] = array.dtype.descr
    return described


def export(array: DeviceArray, address: int, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> object:
    """Implement `DeviceArray.__dlpack__`."""
    buffer, itemsize = array.buffer, array.itemsize
    if any(stride % itemsize for stride in array.strides):
        raise BufferError(f"strides {array.strides} bytes are no multiples of the itemsize {itemsize}: copy the array")
    code = _dlpack.code_of(array.dtype)
    target = _dlpack.check_target(buffer.__dlpack_device__(), dl_device)
    if copy:
        raise BufferError("copy=True is not supported: copy the array with Device.to_device first")
    if target[0] == _dlpack.CUDA:
        _dlpack.order_streams(stream, array.stream)
    elif stream not in (None, -1) and target[0] != _dlpack.CUDA_MANAGED:
        raise BufferError(f"stream is {stream}, but memory of the host has none: pass None")
    strides = tuple(stride // itemsize for stride in array.strides)
    return _dlpack.make_capsule(buffer, address, array.shape, strides, code, target, False, max_version)


def as_numpy(array: DeviceArray, dtype: Any, copy: bool | None) -> numpy.ndarray[Any, Any]:
    """Implement `DeviceArray.__array__`."""
    if not array.buffer.is_host_accessible:
        raise TypeError("this DeviceArray is in memory of the device, which NumPy cannot read: call to_host()")
    exporter: Any = array
    made = numpy.from_dlpack(exporter)
    wanted = made if dtype is None else made.astype(dtype, copy=False)
    if copy is False and wanted is not made:
        raise ValueError(f"dtype {dtype} needs a copy of the elements, which are {array.dtype}")
    return wanted.copy() if copy and wanted is made else wanted
