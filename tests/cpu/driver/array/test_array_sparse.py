# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sparse arrays (memory is mapped into tiles) and arrays with deferred mapping."""

import contextlib
import ctypes
from ctypes import addressof

import arrays
import numpy as np
import pytest

from cuda.cpu import abi, driver
from cuda.cpu.driver.memory import virtual_memory

SPARSE, LAYERED = abi.CUDA_ARRAY3D_SPARSE, abi.CUDA_ARRAY3D_LAYERED
TILE = 1 << 16


@contextlib.contextmanager
def physical(size: int = 2 << 20):
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    given.allocFlags.usage = abi.CU_MEM_CREATE_USAGE_TILE_POOL
    memory = driver.cuMemCreate(size, addressof(given), 0)
    yield memory
    driver.cuMemRelease(memory)


def sparse(shape, dtype="float32", channels=1, flags=0) -> int:
    given = arrays.describe(shape, dtype, channels, SPARSE | flags)
    return driver.cuArray3DCreate(addressof(given))


def properties(handle: int, call=driver.cuArrayGetSparseProperties):
    found = abi.CUDA_ARRAY_SPARSE_PROPERTIES()
    call(addressof(found), handle)
    return found


def info(handle: int, memory: int, at, extent, offset: int = 0, **fields):
    """Return a CUarrayMapInfo; without memory it unmaps."""
    given = abi.CUarrayMapInfo(resourceType=abi.CU_RESOURCE_TYPE_ARRAY, offset=offset, deviceBitMask=1)
    given.resource.array = handle
    box = given.subresource.sparseLevel
    box.offsetX, box.offsetY, box.offsetZ = at
    box.extentWidth, box.extentHeight, box.extentDepth = extent
    given.memOperationType = abi.CU_MEM_OPERATION_TYPE_MAP if memory else abi.CU_MEM_OPERATION_TYPE_UNMAP
    given.memHandle.memHandle = memory
    for name, value in fields.items():
        setattr(given if hasattr(given, name) else box, name, value)
    return given


def map_(*given) -> None:
    pointer = (abi.CUarrayMapInfo * len(given))(*given)
    driver.cuMemMapArrayAsync(addressof(pointer), len(given), 0)


def read(handle: int, like, **fields):
    back = np.empty_like(like)
    arrays.copy(back, handle, back.shape[-1] * back.itemsize, *back.shape[-2::-1], **fields)
    return back


# height, width, and the extent of a tile
SHAPES = [((300, 200), (256, 64)), ((100, 20000), (16384, 1)), ((64, 16384), (16384, 1)), ((7, 3), (4, 4096))]


@pytest.mark.parametrize(("shape", "tile"), SHAPES)
def test_fully_mapped_arrays(context, shape, tile):
    height, width = shape
    made = sparse(shape)
    found = properties(made)
    assert (found.tileExtent.width, found.tileExtent.height, found.tileExtent.depth) == (*tile, 1)
    assert (found.miptailFirstLevel, found.miptailSize, found.flags) == (1, 0, 0)
    data = np.arange(height * width, dtype=np.float32).reshape(shape)
    assert not read(made, data).any()
    with physical(32 << 20) as memory:
        map_(info(made, memory, (0, 0, 0), (width, height, 1)))
        arrays.copy(made, data, 4 * width, height)
        np.testing.assert_array_equal(read(made, data), data)
    np.testing.assert_array_equal(read(made, data), data)  # mappings stay valid
    map_(info(made, 0, (0, 0, 0), (width, height, 1)))
    assert not virtual_memory.memories
    assert not read(made, data).any()
    driver.cuArrayDestroy(made)


def test_separately_mapped_tiles(context):
    """Two tiles mapped to the same memory have the same content; unmapped tiles read as zeros."""
    made = sparse((128, 512), "float32")  # rows of 2048 bytes, tiles of 32 rows
    tile = properties(made).tileExtent
    assert (tile.width, tile.height) == (512, 32)
    with physical() as memory:
        map_(info(made, memory, (0, 32, 0), (512, 32, 1), TILE), info(made, memory, (0, 96, 0), (512, 32, 1), TILE))
    data = np.arange(32 * 512, dtype=np.float32).reshape(32, 512)
    arrays.copy(made, data, 2048, 32, dstY=32)
    np.testing.assert_array_equal(read(made, data, srcY=96), data)
    for row in (0, 64):
        assert not read(made, data, srcY=row).any()
    with physical() as other:
        map_(info(made, other, (0, 96, 0), (512, 32, 1)))
    assert not read(made, data, srcY=96).any()
    np.testing.assert_array_equal(read(made, data, srcY=32), data)
    assert len(virtual_memory.memories) == 0
    driver.cuArrayDestroy(made)


def test_layered_and_3d_arrays(context):
    with physical(8 << 20) as memory:
        for flags, box in ((LAYERED, {"layer": 2}), (0, {"offsetZ": 2})):
            made = sparse((4, 64, 64), "float32", flags=flags)
            map_(info(made, memory, (0, 0, 0), (64, 64, 1), **box))
            data = np.full((64, 64), 5, np.float32)
            arrays.copy(made, data, 256, 64, dstZ=2)
            assert read(made, data, srcZ=2).all()
            assert not read(made, data, srcZ=1).any()
            driver.cuArrayDestroy(made)


def test_mipmap_levels(context):
    given = arrays.describe((64, 64), "float32", 1, SPARSE)
    made = driver.cuMipmappedArrayCreate(addressof(given), 3)
    assert properties(made, driver.cuMipmappedArrayGetSparseProperties).miptailFirstLevel == 3
    with physical() as memory:
        for level in range(3):
            part = info(0, memory, (0, 0, 0), (64 >> level, 64 >> level, 1), level * TILE, level=level)
            part.resourceType = abi.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
            part.resource.mipmap = made
            map_(part)
    with arrays.texture(arrays.resource(mipmapped=made)):
        for level in range(3):
            data = np.full((64 >> level, 64 >> level), level + 1, np.float32)
            handle = driver.cuMipmappedArrayGetLevel(made, level)
            arrays.copy(handle, data, data[0].nbytes, len(data))
            np.testing.assert_array_equal(read(handle, data), data)
    driver.cuMipmappedArrayDestroy(made)
    assert not virtual_memory.memories


def test_wrong_maps(context, refused):
    made, plain = sparse((128, 512)), arrays.describe((128, 512), "float32")
    dense = driver.cuArray3DCreate(addressof(plain))
    everything = (0, 0, 0), (512, 128, 1)
    with physical() as memory:
        for given, says in (
            (info(made, memory, (0, 1, 0), (512, 32, 1)), "32 from 1 on along Y are not whole tiles of 32, of 128"),
            (info(made, memory, (0, 0, 0), (511, 32, 1)), "along X"),
            (info(made, memory, (0, 0, 0), (512, 160, 1)), "along Y"),
            (info(made, memory, (0, 0, 0), (512, 128, 0)), "along Z"),
            (info(made, memory, *everything, offset=100), "4 tiles of 65536 bytes from offset 100"),
            (info(made, memory, *everything, offset=(2 << 20) - TILE), "do not lie in the memory"),
            (info(made, memory, *everything, deviceBitMask=2), "deviceBitMask is 0x2"),
            (info(made, memory, *everything, memOperationType=3), "memOperationType is 3"),
            (info(made, memory, *everything, subresourceType=1), "no mip tail"),
            (info(made, memory, *everything, flags=1), "must be 0"),
            (info(made, memory, *everything, level=1), "with level 1"),
            (info(dense, memory, *everything), "was not made with CUDA_ARRAY3D_SPARSE"),
        ):
            with refused("INVALID_VALUE", says):
                map_(given)
        with refused("INVALID_HANDLE", "memory allocation"):
            map_(info(made, 5, *everything))
        stream = driver.cuStreamCreate(0)
        driver.cuStreamBeginCapture(stream, abi.CU_STREAM_CAPTURE_MODE_RELAXED)
        with refused("STREAM_CAPTURE_UNSUPPORTED", "capturing"):
            given = info(made, memory, *everything)
            driver.cuMemMapArrayAsync(addressof(given), 1, stream)
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))
        driver.cuStreamDestroy(stream)
    with refused("INVALID_VALUE", "was not made with"):
        properties(dense)
    driver.cuArrayDestroy(made)
    driver.cuArrayDestroy(dense)


def test_sparse_arrays_are_destroyed_with_their_context(refused):
    driver.cuInit(0)
    context = driver.cuCtxCreate_v2(0, 0)
    with physical() as memory:
        made = sparse((64, 64))
        map_(info(made, memory, (0, 0, 0), (64, 64, 1)))
        driver.cuCtxDestroy(context)
    assert not virtual_memory.memories
    with refused("INVALID_HANDLE"):
        driver.cuArrayDestroy(made)


def test_writing_an_unmapped_tile_is_a_fault(refused):
    driver.cuInit(0)
    context = driver.cuCtxCreate_v2(0, 0)
    made = sparse((64, 64), flags=abi.CUDA_ARRAY3D_SURFACE_LDST)
    data = np.ones((64, 64), np.float32)
    with refused("ILLEGAL_ADDRESS"):
        arrays.copy(made, data, 256, 64)
        driver.cuCtxSynchronize()
    driver.cuCtxDestroy(context)
    assert ctypes.sizeof(abi.CUarrayMapInfo) == 96


def deferred(shape, levels: int = 0) -> int:
    given = arrays.describe(shape, "float32", 1, abi.CUDA_ARRAY3D_DEFERRED_MAPPING)
    pointer = addressof(given)
    return driver.cuMipmappedArrayCreate(pointer, levels) if levels else driver.cuArray3DCreate(pointer)


def whole(memory: int, offset: int = 0, **resource):
    """Return a CUarrayMapInfo for all of a deferred array, which ignores the offsets and extents."""
    given = info(0, memory, (1, 2, 3), (4, 5, 6), offset, subresourceType=1)
    for kind, handle in resource.items():
        given.resourceType = getattr(abi, f"CU_RESOURCE_TYPE_{'MIPMAPPED_' if kind == 'mipmap' else ''}ARRAY")
        setattr(given.resource, kind, handle)
    return given


@pytest.mark.parametrize("shape", [(300, 200), (7, 3), (3, 40, 50)])
def test_deferred_arrays_are_mapped_at_once(context, shape):
    made = deferred(shape)
    needed = abi.CUDA_ARRAY_MEMORY_REQUIREMENTS()
    driver.cuArrayGetMemoryRequirements(addressof(needed), made, 0)
    data = np.random.default_rng(3).random(shape, np.float32)
    assert needed.size >= data.nbytes
    assert needed.size % needed.alignment == 0
    assert not read(made, data).any()
    with physical(2 << 20) as memory:
        map_(whole(memory, 2 * needed.alignment, array=made))
        arrays.copy(made, data, 4 * shape[-1], *shape[-2::-1])
        np.testing.assert_array_equal(read(made, data), data)
    map_(whole(0, array=made))
    assert not virtual_memory.memories
    assert not read(made, data).any()
    driver.cuArrayDestroy(made)


def test_levels_of_deferred_mipmapped_arrays_are_mapped_at_once(context, refused):
    made = deferred((64, 64), 3)
    needed = abi.CUDA_ARRAY_MEMORY_REQUIREMENTS()
    driver.cuMipmappedArrayGetMemoryRequirements(addressof(needed), made, 0)
    with physical() as memory:
        with refused("INVALID_VALUE", "a level or plane is mapped with its array"):
            map_(whole(memory, array=driver.cuMipmappedArrayGetLevel(made, 1)))
        with refused("INVALID_VALUE", "do not lie in the memory"):
            map_(whole(memory, (2 << 20) - needed.size + TILE, mipmap=made))
        map_(whole(memory, mipmap=made))
    for level in range(3):
        data = np.full((64 >> level, 64 >> level), level + 1, np.float32)
        arrays.copy(driver.cuMipmappedArrayGetLevel(made, level), data, data[0].nbytes, len(data))
    for level in range(3):
        data = np.full((64 >> level, 64 >> level), level + 1, np.float32)
        np.testing.assert_array_equal(read(driver.cuMipmappedArrayGetLevel(made, level), data), data)
    driver.cuMipmappedArrayDestroy(made)
    assert not virtual_memory.memories


def test_writing_a_deferred_array_without_memory_is_a_fault(context, refused):
    made = deferred((4, 4))
    with refused("ILLEGAL_ADDRESS"):
        arrays.copy(made, np.ones((4, 4), np.float32), 16, 4)
    driver.cuDevicePrimaryCtxReset(0)
