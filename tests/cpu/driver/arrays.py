# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays, textures and surfaces from NumPy arrays: helpers of tests/cpu/driver/array."""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np

from cuda.cpu import abi, driver

FORMATS = {"uint8": 1, "uint16": 2, "uint32": 3, "int8": 8, "int16": 9, "int32": 10, "float16": 0x10, "float32": 0x20}


def describe(shape, dtype, channels=1, flags=0):
    """Return a descriptor; `shape` is (depth, height, width) or fewer, or None where the API wants 0."""
    depth, height, width = (0,) * (3 - len(shape)) + tuple(size or 0 for size in shape)
    return abi.CUDA_ARRAY3D_DESCRIPTOR(
        Width=width, Height=height, Depth=depth, Format=FORMATS[str(np.dtype(dtype))], NumChannels=channels, Flags=flags
    )


def copy(target, source, row, rows=1, layers=1, *, name="cuMemcpy3D", **fields):
    """Copy a 3D box; source and destination are NumPy arrays or array handles."""
    box = abi.CUDA_MEMCPY3D(WidthInBytes=row, Height=rows, Depth=layers)
    for end, thing in (("dst", target), ("src", source)):
        if isinstance(thing, np.ndarray):
            setattr(box, f"{end}MemoryType", abi.CU_MEMORYTYPE_HOST)
            setattr(box, f"{end}Host", thing.ctypes.data)
            setattr(box, f"{end}Pitch", row)
            setattr(box, f"{end}Height", rows)
        else:
            setattr(box, f"{end}MemoryType", abi.CU_MEMORYTYPE_ARRAY)
            setattr(box, f"{end}Array", thing)
    for field, value in fields.items():
        setattr(box, field, value)
    getattr(driver, name)(ctypes.addressof(box))


@contextlib.contextmanager
def array(data, channels=1, flags=0, height=True):
    """An array with the content of `data`; without `height` the second-to-last axis counts layers."""
    shape = data.shape[:-1] if channels > 1 else data.shape
    given = shape if height or len(shape) == 1 else (shape[0], None, shape[1])
    descriptor = describe(given, data.dtype, channels, flags)
    handle = driver.cuArray3DCreate(ctypes.addressof(descriptor))
    layers, rows, width = (1,) * (3 - len(shape)) + shape
    if not height and len(shape) == 2:
        layers, rows = rows, 1
    copy(handle, np.ascontiguousarray(data), width * channels * data.itemsize, rows, layers)
    try:
        yield handle
    finally:
        driver.cuArrayDestroy(handle)


def resource(handle=0, mipmapped=0):
    if mipmapped:
        given = abi.CUDA_RESOURCE_DESC(resType=abi.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        given.res.mipmap.hMipmappedArray = mipmapped
    else:
        given = abi.CUDA_RESOURCE_DESC(resType=abi.CU_RESOURCE_TYPE_ARRAY)
        given.res.array.hArray = handle
    return given


@contextlib.contextmanager
def texture(given, view=None, border=(0, 0, 0, 0), mode=abi.CU_TR_ADDRESS_MODE_CLAMP, **fields):
    """A texture object of a resource, or of an array's handle."""
    given = resource(given) if isinstance(given, int) else given
    settings = abi.CUDA_TEXTURE_DESC(**fields)
    settings.addressMode[:] = [mode] * 3
    settings.borderColor[:] = border
    pointer = ctypes.addressof(view) if view is not None else 0
    handle = driver.cuTexObjectCreate(ctypes.addressof(given), ctypes.addressof(settings), pointer)
    try:
        yield handle
    finally:
        driver.cuTexObjectDestroy(handle)


@contextlib.contextmanager
def surface(handle):
    given = resource(handle)
    made = driver.cuSurfObjectCreate(ctypes.addressof(given))
    try:
        yield made
    finally:
        driver.cuSurfObjectDestroy(made)
