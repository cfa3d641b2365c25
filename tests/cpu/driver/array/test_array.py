# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

import arrays
import numpy as np
import pytest

from cuda.cpu import abi, driver

random = np.random.default_rng(3)
LAYERED, CUBE, GATHER = abi.CUDA_ARRAY3D_LAYERED, abi.CUDA_ARRAY3D_CUBEMAP, abi.CUDA_ARRAY3D_TEXTURE_GATHER


@pytest.mark.parametrize("shape", [(7,), (5, 7), (3, 5, 7)])
@pytest.mark.parametrize(("dtype", "channels"), [("uint8", 1), ("int16", 2), ("float32", 4), ("float16", 1)])
def test_content_survives_copies(context, shape, dtype, channels):
    data = random.integers(0, 100, (*shape, channels)).astype(dtype)
    with arrays.array(data if channels > 1 else data[..., 0], channels) as handle:
        described = abi.CUDA_ARRAY3D_DESCRIPTOR()
        driver.cuArray3DGetDescriptor(ctypes.addressof(described), handle)
        depth, height, width = (0,) * (3 - len(shape)) + shape
        assert (described.Width, described.Height, described.Depth) == (width, height, depth)
        assert (described.Format, described.NumChannels) == (arrays.FORMATS[dtype], channels)
        back = np.zeros_like(data)
        row = width * channels * data.itemsize
        arrays.copy(back, handle, row, max(height, 1), max(depth, 1))
        np.testing.assert_array_equal(back, data)


def test_copies_of_subarrays(context):
    """3D copies at offsets: between arrays, to device memory, and in a stream."""
    data = np.arange(4 * 6 * 8, dtype=np.int32).reshape(4, 6, 8)
    stream = driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING)
    with arrays.array(data) as one, arrays.array(np.zeros_like(data)) as other:
        corner = {"srcXInBytes": 8, "srcY": 1, "srcZ": 2, "dstXInBytes": 12, "dstY": 2, "dstZ": 1}
        arrays.copy(other, one, 16, 3, 2, **corner)
        result = np.zeros_like(data)
        arrays.copy(result, other, 32, 6, 4)
        expected = np.zeros_like(data)
        expected[1:3, 2:5, 3:7] = data[2:4, 1:4, 2:6]
        np.testing.assert_array_equal(result, expected)
        pointer = driver.cuMemAlloc(64)
        box = abi.CUDA_MEMCPY2D(WidthInBytes=16, Height=2, srcY=3, srcXInBytes=4, dstPitch=32)
        box.srcMemoryType, box.srcArray = abi.CU_MEMORYTYPE_ARRAY, one
        box.dstMemoryType, box.dstDevice = abi.CU_MEMORYTYPE_DEVICE, pointer
        driver.cuMemcpy2DAsync(ctypes.addressof(box), stream)
        driver.cuStreamSynchronize(stream)
        rows = np.zeros((2, 8), np.int32)
        driver.cuMemcpyDtoH(rows.ctypes.data, pointer, 64)
        np.testing.assert_array_equal(rows[:, :4], data[0, 3:5, 1:5])
        driver.cuMemFree(pointer)
    driver.cuStreamDestroy(stream)


def test_one_dimensional_array_copies(context):
    data, back = np.arange(32, dtype=np.uint16), np.zeros(8, np.uint16)
    stream = driver.cuStreamCreate(0)
    with arrays.array(data) as one, arrays.array(np.zeros_like(data)) as other:
        pointer = driver.cuMemAlloc(64)
        driver.cuMemcpyAtoD(pointer, one, 8, 16)
        driver.cuMemcpyDtoA(other, 0, pointer, 16)
        driver.cuMemcpyAtoA(other, 32, one, 0, 16)
        driver.cuMemcpyHtoA(other, 48, data.ctypes.data + 40, 8)
        driver.cuMemcpyHtoAAsync(other, 56, data.ctypes.data + 2, 8, stream)
        driver.cuMemcpyAtoHAsync(back.ctypes.data, other, 40, 16, stream)
        driver.cuStreamSynchronize(stream)
        assert back.tolist() == [4, 5, 6, 7, 20, 21, 22, 23]
        driver.cuMemcpyAtoH(back.ctypes.data, other, 0, 16)
        assert back.tolist() == [4, 5, 6, 7, 8, 9, 10, 11]
        driver.cuMemFree(pointer)
    driver.cuStreamDestroy(stream)


def test_batched_copies_count_array_elements(context):
    data, back = np.arange(24, dtype=np.float32).reshape(3, 8), np.zeros((2, 4), np.float32)
    stream = driver.cuStreamCreate(0)
    with arrays.array(data) as handle:
        entry = abi.CUDA_MEMCPY3D_BATCH_OP(srcAccessOrder=abi.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
        entry.src.type, entry.dst.type = abi.CU_MEMCPY_OPERAND_TYPE_ARRAY, abi.CU_MEMCPY_OPERAND_TYPE_POINTER
        entry.src.op.array.array, entry.src.op.array.offset.x, entry.src.op.array.offset.y = handle, 3, 1
        entry.dst.op.ptr.ptr, entry.dst.op.ptr.rowLength = back.ctypes.data, 4
        entry.extent.width, entry.extent.height, entry.extent.depth = 4, 2, 1
        driver.cuMemcpy3DBatchAsync(1, ctypes.addressof(entry), 0, stream)
        driver.cuStreamSynchronize(stream)
    np.testing.assert_array_equal(back, data[1:, 3:7])
    driver.cuStreamDestroy(stream)


def test_levels_of_a_mipmapped_array(context, refused):
    descriptor = arrays.describe((20, 9), "float32")
    made = driver.cuMipmappedArrayCreate(ctypes.addressof(descriptor), 99)
    sizes = [(9, 20), (4, 10), (2, 5), (1, 2), (1, 1)]
    contents = [np.full((h, w), 10.0 * w + h, np.float32) for w, h in sizes]
    levels = [driver.cuMipmappedArrayGetLevel(made, number) for number in range(5)]
    for level, data, (width, height) in zip(levels, contents, sizes, strict=True):
        found = abi.CUDA_ARRAY_DESCRIPTOR()
        driver.cuArrayGetDescriptor(ctypes.addressof(found), level)
        assert (found.Width, found.Height) == (width, height)
        arrays.copy(level, data, 4 * width, height)
    for level, data in zip(levels, contents, strict=True):
        back = np.zeros_like(data)
        arrays.copy(back, level, 4 * data.shape[1], len(data))
        np.testing.assert_array_equal(back, data)
    with refused("INVALID_VALUE", "level is 5, the array has 5"):
        driver.cuMipmappedArrayGetLevel(made, 5)
    with refused("INVALID_VALUE", "cannot be destroyed by itself"):
        driver.cuArrayDestroy(levels[0])
    needed = abi.CUDA_ARRAY_MEMORY_REQUIREMENTS()
    driver.cuMipmappedArrayGetMemoryRequirements(ctypes.addressof(needed), made, 0)
    assert needed.size >= sum(data.nbytes for data in contents)
    driver.cuMipmappedArrayDestroy(made)
    with refused("INVALID_HANDLE", "names no live array"):
        driver.cuArrayGetDescriptor(ctypes.addressof(found), levels[1])
    with refused("INVALID_HANDLE", "mipmapped array"):
        driver.cuMipmappedArrayDestroy(made)


@pytest.mark.parametrize(
    ("shape", "changes", "status", "says"),
    [
        ((), {}, "INVALID_VALUE", "Width is 0"),
        ((4, 4), {"NumChannels": 3}, "INVALID_VALUE", "NumChannels is 3"),
        ((4, 4), {"Format": abi.CU_AD_FORMAT_YUY2}, "NOT_SUPPORTED", "Format is 165"),
        ((4, 4), {"Format": abi.CU_AD_FORMAT_NV12}, "INVALID_VALUE", "two dimensions and 3 channels, not 1"),
        ((4, 3), {"Format": abi.CU_AD_FORMAT_NV16, "NumChannels": 3}, "INVALID_VALUE", "3 x 4 elements"),
        ((4, 4), {"Format": abi.CU_AD_FORMAT_UNORM_INT8X4}, "INVALID_VALUE", "what the format says"),
        ((4, 4), {"Flags": abi.CUDA_ARRAY3D_DEFERRED_MAPPING | abi.CUDA_ARRAY3D_SPARSE}, "INVALID_VALUE", "either"),
        ((4, 4), {"Flags": abi.CUDA_ARRAY3D_DEPTH_TEXTURE}, "INVALID_VALUE", "Flags is 0x10"),
        ((131073,), {}, "INVALID_VALUE", "1 to 131072"),
        ((2, 2, 16385), {}, "INVALID_VALUE", "Width is 16385"),
        ((0, 4, 4), {"Flags": LAYERED}, "INVALID_VALUE", "Depth is 0"),
        ((6, 4, 5), {"Flags": CUBE}, "INVALID_VALUE", "equal Width and Height"),
        ((12, 4, 4), {"Flags": CUBE}, "INVALID_VALUE", "Depth is 12, must be 1 to 6"),
        ((7, 4, 4), {"Flags": CUBE | LAYERED}, "INVALID_VALUE", "a multiple of 6"),
        ((4, 4, 4), {"Flags": GATHER}, "INVALID_VALUE", "two dimensions"),
    ],
)
def test_invalid_arrays_are_refused(context, refused, shape, changes, status, says):
    descriptor = arrays.describe(shape, "float32")
    for field, value in changes.items():
        setattr(descriptor, field, value)
    with refused(status, says):
        driver.cuArray3DCreate(ctypes.addressof(descriptor))


def test_wrong_copies_are_refused(context, refused):
    data = np.zeros((4, 8), np.float32)
    with arrays.array(data) as handle:
        for fields, says in (
            ({"row": 36}, "36 from 0 on along x, the array has 32 bytes in a row"),
            ({"row": 32, "rows": 2, "srcY": 3}, "2 from 3 on along y"),
            ({"row": 32, "layers": 2}, "2 from 0 on along z, the array has 1 layers"),
            ({"row": 6}, "whole elements"),
        ):
            with refused("INVALID_VALUE", says):
                arrays.copy(data, handle, **fields)
        with refused("INVALID_HANDLE", "the array handle is NULL"):
            arrays.copy(data, 0, 32)
    with refused("INVALID_HANDLE", "names no live array"):
        arrays.copy(data, handle, 32)


def test_arrays_count_as_memory_and_are_freed_with_their_context(refused):
    driver.cuInit(0)
    made = driver.cuCtxCreate_v2(0, 0)
    free, _ = driver.cuMemGetInfo()
    descriptor = arrays.describe((64, 64), "float32")
    handle = driver.cuArray3DCreate(ctypes.addressof(descriptor))
    assert free - driver.cuMemGetInfo()[0] >= 64 * 64 * 4
    driver.cuCtxDestroy(made)
    again = driver.cuCtxCreate_v2(0, 0)
    with contextlib.ExitStack() as stack:
        stack.callback(driver.cuCtxDestroy, again)
        assert driver.cuMemGetInfo()[0] == free
        with refused("INVALID_HANDLE"):
            driver.cuArrayDestroy(handle)
