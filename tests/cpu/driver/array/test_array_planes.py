# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Multi-planar arrays, as used for video formats."""

import ctypes

import arrays
import numpy as np
import pytest

from cuda.cpu import abi, driver, runtime_abi, runtime_api

FORMATS = [
    (abi.CU_AD_FORMAT_NV12, np.uint8, [(6, 8, 1), (3, 4, 2)]),
    (abi.CU_AD_FORMAT_P210, np.uint16, [(6, 8, 1), (6, 4, 2)]),
    (abi.CU_AD_FORMAT_Y444_PLANAR8, np.uint8, [(6, 8, 1)] * 3),
    (abi.CU_AD_FORMAT_UINT16_PLANAR_420, np.uint16, [(6, 8, 1), (3, 4, 1), (3, 4, 1)]),
]


def planar(format_: int) -> int:
    given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=8, Height=6, Format=format_, NumChannels=3)
    return driver.cuArray3DCreate(ctypes.addressof(given))


@pytest.mark.parametrize(("format_", "dtype", "planes"), FORMATS)
def test_copies_of_planes(context, refused, format_, dtype, planes):
    made = planar(format_)
    handles = [driver.cuArrayGetPlane(made, number) for number in range(len(planes))]
    contents = []
    for number, (handle, shape) in enumerate(zip(handles, planes, strict=True)):
        rows, width, channels = shape
        found = abi.CUDA_ARRAY_DESCRIPTOR()
        driver.cuArrayGetDescriptor(ctypes.addressof(found), handle)
        assert (found.Height, found.Width, found.NumChannels) == shape
        assert found.Format == {np.uint8: 1, np.uint16: 2}[dtype]
        contents.append(np.full(shape, 10 + number, dtype))
        arrays.copy(handle, contents[-1], width * channels * contents[-1].itemsize, rows)
    for handle, data in zip(handles, contents, strict=True):
        back = np.zeros_like(data)
        arrays.copy(back, handle, back[0].nbytes, len(back))
        np.testing.assert_array_equal(back, data)
    needed = abi.CUDA_ARRAY_MEMORY_REQUIREMENTS()
    driver.cuArrayGetMemoryRequirements(ctypes.addressof(needed), made, 0)
    assert needed.size == sum(data.nbytes for data in contents)
    assert driver.cuArrayGetPlane(made, 0) == handles[0]
    with refused("INVALID_VALUE", f"the array has {len(planes)} planes"):
        driver.cuArrayGetPlane(made, len(planes))
    with refused("INVALID_VALUE", "the array has no planes"):
        driver.cuArrayGetPlane(handles[0], 0)
    with refused("INVALID_VALUE", "cuArrayGetPlane gives an array for each"):
        arrays.copy(contents[0], made, 8)
    with refused("INVALID_VALUE", "cannot be destroyed by itself"):
        driver.cuArrayDestroy(handles[1])
    driver.cuArrayDestroy(made)
    with refused("INVALID_HANDLE", "names no live array"):
        arrays.copy(contents[1], handles[1], 8)


def test_textures_of_planes(context, refused):
    made = planar(abi.CU_AD_FORMAT_NV12)
    with arrays.texture(driver.cuArrayGetPlane(made, 1)), refused("INVALID_VALUE", "has 2 planes"):
        arrays.texture(made).__enter__()
    with refused("INVALID_VALUE", "the format has planes"):
        given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=8, Height=6, Format=abi.CU_AD_FORMAT_NV12, NumChannels=3)
        driver.cuMipmappedArrayCreate(ctypes.addressof(given), 2)
    driver.cuArrayDestroy(made)


def test_with_the_runtime_api(context):
    given = runtime_abi.cudaChannelFormatDesc(8, 8, 8, 0, runtime_abi.cudaChannelFormatKindNV12)
    made = runtime_api.cudaMallocArray(ctypes.addressof(given), 8, 6, 0)
    found = runtime_abi.cudaChannelFormatDesc()
    runtime_api.cudaGetChannelDesc(ctypes.addressof(found), made)
    assert bytes(found) == bytes(given)
    runtime_api.cudaGetChannelDesc(ctypes.addressof(found), runtime_api.cudaArrayGetPlane(made, 1))
    assert (found.x, found.y, found.z, found.f) == (8, 8, 0, runtime_abi.cudaChannelFormatKindUnsigned)
    runtime_api.cudaFreeArray(made)
