# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sparse and deferred arrays: their properties, and cuMemMapArrayAsync, which maps memory into them.

The layout is ours to choose: rows are padded so that a tile is a block of memory (array_shape.Shape). There is no tail
of small levels; each has tiles of its own. Where nothing is mapped an array reads as zeros, and writes are faults.
"""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
    CU_MEM_HANDLE_TYPE_GENERIC,
    CU_MEM_OPERATION_TYPE_MAP,
    CU_MEM_OPERATION_TYPE_UNMAP,
    CU_RESOURCE_TYPE_ARRAY,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CUDA_ARRAY_SPARSE_PROPERTIES,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    CUarrayMapInfo,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array.array_shape import TILE, Shape
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import wait
from cuda.cpu.driver.memory import virtual_memory
from cuda.cpu.driver.stream import stream as streams


def _describe(name: str, out_ptr: int, shape: Shape, levels: int) -> None:
    if not out_ptr:
        raise invalid(f"{name}: sparseProperties is NULL")
    if not shape.sparse:
        raise invalid(f"{name}: the array was not made with CUDA_ARRAY3D_SPARSE")
    target = CUDA_ARRAY_SPARSE_PROPERTIES.from_address(out_ptr)
    target.tileExtent.width, target.tileExtent.height, target.tileExtent.depth = shape.tile
    target.miptailFirstLevel, target.miptailSize, target.flags = levels, 0, 0


def cuArrayGetSparseProperties(sparseProperties: int, array: int) -> None:
    _describe("cuArrayGetSparseProperties", sparseProperties, arrays.find(array).shape, 1)


def cuMipmappedArrayGetSparseProperties(sparseProperties: int, mipmap: int) -> None:
    found = arrays.find_mipmapped(mipmap)
    _describe("cuMipmappedArrayGetSparseProperties", sparseProperties, found.shape, len(found.starts) - 1)


def _array_of(name: str, given: Any) -> Any:
    """Return the array, or level of a mipmapped one, that a CUarrayMapInfo is about."""
    level = given.subresource.sparseLevel.level
    if given.resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        found = arrays.find_mipmapped(given.resource.mipmap or 0)
        if level < len(found.starts) - 1:
            return found.level(level)
    elif given.resourceType == CU_RESOURCE_TYPE_ARRAY and not level:
        return arrays.find(given.resource.array or 0, name)
    raise invalid(f"{name}: resourceType {given.resourceType} with level {level} is no array's")


def _tiles(name: str, found: Any, part: Any) -> list[int]:
    """Return the addresses of the tiles of a box of elements, along x first."""
    shape = found.shape
    depth = (part.layer, 1) if shape.layered else (part.offsetZ, part.extentDepth)
    boxes = zip(
        "XYZ",
        (part.offsetX, part.offsetY, depth[0]),
        (part.extentWidth, part.extentHeight, depth[1]),
        (shape.width, shape.rows, shape.layers),
        shape.tile,
        strict=True,
    )
    ranges = []
    for axis, first, count, limit, tile in boxes:
        end = first + count
        if first % tile or not count or end > limit or (end % tile and end != limit):
            raise invalid(f"{name}: {count} from {first} on along {axis} are not whole tiles of {tile}, of {limit}")
        ranges.append(range(first // tile, -(-end // tile)))
    across = -(-shape.pitch // TILE)  # tiles of a row
    return [
        found.start + z * shape.slice + (y * across + x) * TILE for z in ranges[2] for y in ranges[1] for x in ranges[0]
    ]


def _whole(name: str, given: Any) -> Any:
    """Return the array of a CUarrayMapInfo if it is a deferred one, whose subresource then does not matter."""
    mipmapped = given.resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
    table, handle = (
        (arrays.mipmapped_arrays, given.resource.mipmap) if mipmapped else (arrays.arrays, given.resource.array)
    )
    found = table.get(handle or 0)
    if found is None or not found.shape.deferred:
        return None
    if not mipmapped and found.parent is not None:
        raise invalid(f"{name}: a level or plane is mapped with its array, not by itself")
    return found


def _check(name: str, given: Any) -> tuple[Any, list[int], Any]:
    """Return what holds the tiles, their addresses, and the memory to map, None to unmap."""
    found = _whole(name, given)
    if found is not None:
        tiles = list(range(found.record.start, found.record.start + found.record.size, TILE))
    else:
        found = _array_of(name, given)
        if not found.shape.sparse:
            text = "CUDA_ARRAY3D_SPARSE or CUDA_ARRAY3D_DEFERRED_MAPPING"
            raise invalid(f"{name}: the array was not made with {text}")
        if given.subresourceType != CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL:
            text = f"subresourceType is {given.subresourceType}: arrays of the CPU device have no mip tail"
            raise invalid(f"{name}: {text}")
        tiles = _tiles(name, found, given.subresource.sparseLevel)
    if given.flags or any(given.reserved) or given.memHandleType != CU_MEM_HANDLE_TYPE_GENERIC:
        raise invalid(f"{name}: flags, memHandleType and reserved must be 0")
    memory = None
    if given.memOperationType == CU_MEM_OPERATION_TYPE_MAP:
        memory = virtual_memory.memories.find(given.memHandle.memHandle)
        if given.offset % TILE or given.offset + len(tiles) * TILE > memory.size:
            text = f"{len(tiles)} tiles of {TILE} bytes from offset {given.offset} on"
            raise invalid(f"{name}: {text} do not lie in the memory of {memory.size} bytes at a multiple of {TILE}")
        if given.deviceBitMask != 1 << memory.device.ordinal:
            raise invalid(f"{name}: deviceBitMask is 0x{given.deviceBitMask:x}, not that of the memory's device")
    elif given.memOperationType != CU_MEM_OPERATION_TYPE_UNMAP:
        raise invalid(f"{name}: memOperationType is {given.memOperationType}, no CUmemOperationType")
    return found.record.keeper, tiles, memory


def cuMemMapArrayAsync(mapInfoList: int, count: int, hStream: int) -> None:
    """Map tiles of sparse arrays and all of deferred ones, or unmap them, once the stream has come to it.

    The caller waits for that.
    """
    name = "cuMemMapArrayAsync"
    stream = streams.find(hStream)
    if not mapInfoList or not count:
        raise invalid(f"{name}: mapInfoList is NULL or count is 0")
    if stream.capture is not None:
        raise CudaError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, f"{name}: the stream is capturing")
    checked = [(given, *_check(name, given)) for given in (CUarrayMapInfo * count).from_address(mapInfoList)]
    wait.for_queues(stream.context, [stream.queue_after_waits()])
    for given, keeper, tiles, memory in checked:
        for number, tile in enumerate(tiles):
            if memory is None:
                keeper.unmap(tile)
            else:
                keeper.map(tile, memory, given.offset + number * TILE)
