# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA arrays and mipmapped arrays: device memory that only copies, textures and surfaces reach.

Elements lie row by row and layer by layer, without padding but in sparse arrays; the faces of cubemaps are layers, and
planes lie one behind the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.cpu.abi import (
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_ARRAY_DESCRIPTOR,
    CUDA_ARRAY_MEMORY_REQUIREMENTS,
    CUDA_ERROR_INVALID_HANDLE,
)
from cuda.cpu.driver.array import array_tiles
from cuda.cpu.driver.array.array_shape import FORMATS, TILE, Shape, check_shape
from cuda.cpu.driver.base import address, once
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.driver.memory import memory

arrays = Table("array")
mipmapped_arrays = Table("mipmapped array")

ALIGNMENT = 512  # of an array's memory, and of each of its levels


class Array:
    """An array, or a level of a mipmapped one or a plane of another one (then `parent` owns the memory)."""

    def __init__(self, record: address.Allocation, start: int, shape: Shape, parent: Any = None) -> None:
        self.record = record
        self.start = start
        self.shape = shape
        self.parent = parent
        self.planes: dict[int, Array] = {}  # made at the first use
        self.handle = arrays.add(self)

    def plane(self, number: int) -> Array:
        shapes = self.shape.planes
        start = self.start + sum(shape.size for shape in shapes[:number])
        return once.made(self.planes, number, lambda: Array(self.record, start, shapes[number], self))


class MipmappedArray:
    """Levels of detail in one allocation. The Array of a level is made at the first use."""

    def __init__(self, record: address.Allocation, shape: Shape, levels: int) -> None:
        self.record = record
        self.shape = shape
        self.starts = starts(record.start, shape, levels)
        self.made: dict[int, Array] = {}
        self.handle = mipmapped_arrays.add(self)

    def level(self, number: int) -> Array:
        start, shape = self.starts[number], self.shape.level(number)
        return once.made(self.made, number, lambda: Array(self.record, start, shape, self))


def starts(first: int, shape: Shape, levels: int) -> list[int]:
    """Return the address of each level, followed by the end of the memory."""
    found, step = [first], TILE if shape.sparse else ALIGNMENT
    for number in range(levels):
        found.append(-(-(found[-1] + shape.level(number).size) // step) * step)
    return found


def find(handle: int, name: str = "") -> Array:
    """Return a live array; those of a context that was destroyed are gone with it."""
    return _live(arrays, handle, name)


def find_plain(handle: int, name: str) -> Array:
    """Return a live array whose elements lie in one plane."""
    found = find(handle, name)
    if found.shape.planes:
        count = len(found.shape.planes)
        raise invalid(f"{name}: the array has {count} planes: cuArrayGetPlane gives an array for each")
    return found


def find_mipmapped(handle: int) -> MipmappedArray:
    return _live(mipmapped_arrays, handle, "")


def _live(table: Table, handle: int, name: str) -> Any:
    found = table.get(handle)
    if found is not None and address.exact(found.record.start) is not found.record:
        table.pop(handle, None)
    if table.get(handle) is None:
        shown = "NULL" if not handle else f"0x{handle:x}, which names no live {table.kind}"
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"{name and name + ': '}the {table.kind} handle is {shown}")
    return found


# --- creation -----------------------------------------------------------------------------------------


def shape_from(name: str, ptr: int, structure: Any) -> Shape:
    if not ptr:
        raise invalid(f"{name}: the descriptor is NULL")
    given = structure.from_address(ptr)
    depth, flags = getattr(given, "Depth", 0), getattr(given, "Flags", 0)
    return Shape(given.Width, given.Height, depth, given.Format, given.NumChannels, flags)


def _allocate(name: str, shape: Shape, size: int) -> address.Allocation:
    return array_tiles.reserve(size) if shape.sparse or shape.deferred else memory.allocate(size, name)


def make(name: str, shape: Shape) -> Array:
    check_shape(name, shape)
    record = _allocate(name, shape, shape.size)
    return Array(record, record.start, shape)


def make_mipmapped(
    name: str, shape: Shape, levels: int, allocate: Callable[[int], address.Allocation] | None = None
) -> MipmappedArray:
    """Make a mipmapped array; `allocate(size)` returns memory to use instead of new memory."""
    check_shape(name, shape, mipmapped=True)
    extent = (shape.width, shape.height, 0 if shape.layered else shape.depth)
    levels = min(levels, max(extent).bit_length())
    if levels < 1 or shape.planes:
        raise invalid(f"{name}: numMipmapLevels is {levels}, must be at least 1, or the format has planes")
    size = starts(0, shape, levels)[-1]
    record = _allocate(name, shape, size) if allocate is None else allocate(size)
    return MipmappedArray(record, shape, levels)


def destroy(found: Array) -> None:
    if found.parent is not None:
        raise invalid("a level or plane goes with its array, it cannot be destroyed by itself")
    arrays.take(found.handle)
    for plane in list(found.planes.values()):
        arrays.pop(plane.handle, None)
    memory.release(found.record)


def destroy_mipmapped(found: MipmappedArray) -> None:
    mipmapped_arrays.take(found.handle)
    for level in list(found.made.values()):
        arrays.pop(level.handle, None)
    memory.release(found.record)


# --- entry points -------------------------------------------------------------------------------------


def cuArrayCreate(pAllocateArray: int) -> int:
    return make("cuArrayCreate", shape_from("cuArrayCreate", pAllocateArray, CUDA_ARRAY_DESCRIPTOR)).handle


def cuArray3DCreate(pAllocateArray: int) -> int:
    return make("cuArray3DCreate", shape_from("cuArray3DCreate", pAllocateArray, CUDA_ARRAY3D_DESCRIPTOR)).handle


def cuArrayDestroy(hArray: int) -> None:
    destroy(find(hArray))


def cuArrayGetPlane(hArray: int, planeIdx: int) -> int:
    found = find(hArray)
    count = len(found.shape.planes)
    if planeIdx >= count:
        raise invalid(f"cuArrayGetPlane: planeIdx is {planeIdx}, the array has {count or 'no'} planes")
    return found.plane(planeIdx).handle


def cuMipmappedArrayCreate(pMipmappedArrayDesc: int, numMipmapLevels: int) -> int:
    shape = shape_from("cuMipmappedArrayCreate", pMipmappedArrayDesc, CUDA_ARRAY3D_DESCRIPTOR)
    return make_mipmapped("cuMipmappedArrayCreate", shape, numMipmapLevels).handle


def cuMipmappedArrayGetLevel(hMipmappedArray: int, level: int) -> int:
    found = find_mipmapped(hMipmappedArray)
    count = len(found.starts) - 1
    if level >= count:
        raise invalid(f"cuMipmappedArrayGetLevel: level is {level}, the array has {count}")
    return found.level(level).handle


def cuMipmappedArrayDestroy(hMipmappedArray: int) -> None:
    destroy_mipmapped(find_mipmapped(hMipmappedArray))


def _describe(name: str, out_ptr: int, structure: Any, handle: int) -> None:
    shape = find(handle).shape
    if not out_ptr:
        raise invalid(f"{name}: the descriptor is NULL")
    target = structure.from_address(out_ptr)
    values = {"Width": shape.width, "Height": shape.height, "Depth": shape.depth, "Format": shape.format}
    for field, value in (values | {"NumChannels": shape.channels, "Flags": shape.flags}).items():
        if hasattr(target, field):
            setattr(target, field, value)


def cuArrayGetDescriptor(pArrayDescriptor: int, hArray: int) -> None:
    _describe("cuArrayGetDescriptor", pArrayDescriptor, CUDA_ARRAY_DESCRIPTOR, hArray)


def cuArray3DGetDescriptor(pArrayDescriptor: int, hArray: int) -> None:
    _describe("cuArray3DGetDescriptor", pArrayDescriptor, CUDA_ARRAY3D_DESCRIPTOR, hArray)


def _require(name: str, out_ptr: int, found: Array | MipmappedArray, size: int, ordinal: int) -> None:
    devices.find(ordinal)
    if not out_ptr:
        raise invalid(f"{name}: memoryRequirements is NULL")
    target = CUDA_ARRAY_MEMORY_REQUIREMENTS.from_address(out_ptr)
    target.size, target.alignment = (found.record.size, TILE) if found.shape.deferred else (size, ALIGNMENT)


def cuArrayGetMemoryRequirements(memoryRequirements: int, array: int, device: int) -> None:
    found = find(array)
    _require("cuArrayGetMemoryRequirements", memoryRequirements, found, found.shape.size, device)


def cuMipmappedArrayGetMemoryRequirements(memoryRequirements: int, mipmap: int, device: int) -> None:
    found = find_mipmapped(mipmap)
    _require(
        "cuMipmappedArrayGetMemoryRequirements", memoryRequirements, found, found.starts[-1] - found.starts[0], device
    )


def cuDeviceGetTexture1DLinearMaxWidth(format_: int, numChannels: int, dev: int) -> int:
    devices.find(dev)
    if format_ not in FORMATS or numChannels not in (1, 2, 4):
        raise invalid(
            f"cuDeviceGetTexture1DLinearMaxWidth: no elements have format {format_} and {numChannels} channels"
        )
    return device_attribute.FIXED["MAXIMUM_TEXTURE1D_LINEAR_WIDTH"]
