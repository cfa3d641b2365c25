# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA arrays and mipmapped arrays: device memory that only copies, textures and surfaces reach.

Elements lie row by row and layer by layer, without padding; the faces of cubemaps are layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cuda.cpu import abi
from cuda.cpu.abi import (
    CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_DEFERRED_MAPPING,
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_ARRAY3D_LAYERED,
    CUDA_ARRAY3D_SPARSE,
    CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_ARRAY3D_TEXTURE_GATHER,
    CUDA_ARRAY_DESCRIPTOR,
    CUDA_ARRAY_MEMORY_REQUIREMENTS,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.driver import address, device, device_attribute, memory
from cuda.cpu.driver.error import CudaError, invalid
from cuda.cpu.driver.handle import Table

arrays = Table("array")
mipmapped_arrays = Table("mipmapped array")

ALIGNMENT = 512  # of an array's memory, and of each of its levels
FLAGS = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER

# Bytes of a channel by CUarray_format. Those that are normalized themselves mean a plain one with so many channels.
FORMATS = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 0x10: 2, 0x20: 4}
NORMALIZED = {
    getattr(abi, f"CU_AD_FORMAT_{kind}_INT{bits}X{channels}"): (plain, channels)
    for kind, bits, plain in (("UNORM", 8, 1), ("UNORM", 16, 2), ("SNORM", 8, 8), ("SNORM", 16, 9))
    for channels in (1, 2, 4)
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What an array holds. Height and depth are 0 where the array has fewer dimensions, as the API has it."""

    width: int
    height: int
    depth: int  # or layers
    format: int
    channels: int
    flags: int

    @property
    def plain_format(self) -> int:
        return NORMALIZED.get(self.format, (self.format, 0))[0]

    @property
    def element(self) -> int:
        return FORMATS[self.plain_format] * self.channels

    @property
    def pitch(self) -> int:
        return self.width * self.element

    @property
    def rows(self) -> int:
        return max(self.height, 1)

    @property
    def layers(self) -> int:
        return max(self.depth, 1)

    @property
    def layered(self) -> bool:
        return bool(self.flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP))

    @property
    def size(self) -> int:
        return self.pitch * self.rows * self.layers

    def level(self, number: int) -> Shape:
        """Return the shape of a smaller level of detail."""
        depth = self.depth if self.layered else self.depth and max(self.depth >> number, 1)
        height = self.height and max(self.height >> number, 1)
        return Shape(max(self.width >> number, 1), height, depth, self.format, self.channels, self.flags)


class Array:
    """An array, or a level of a mipmapped one (then `parent` owns the memory)."""

    def __init__(self, record: address.Allocation, start: int, shape: Shape, parent: Any = None) -> None:
        self.record = record
        self.start = start
        self.shape = shape
        self.parent = parent
        self.handle = arrays.add(self)


class MipmappedArray:
    """Levels of detail in one allocation. An array stands for each as soon as it is asked for."""

    def __init__(self, record: address.Allocation, shape: Shape, levels: int) -> None:
        self.record = record
        self.shape = shape
        self.starts = starts(record.start, shape, levels)
        self.made: dict[int, Array] = {}
        self.handle = mipmapped_arrays.add(self)

    def level(self, number: int) -> Array:
        if number not in self.made:
            self.made[number] = Array(self.record, self.starts[number], self.shape.level(number), self)
        return self.made[number]


def starts(first: int, shape: Shape, levels: int) -> list[int]:
    """Return where each level begins, and behind the last one where the memory ends."""
    places = [first]
    for number in range(levels):
        places.append(-(-(places[-1] + shape.level(number).size) // ALIGNMENT) * ALIGNMENT)
    return places


def find(handle: int, name: str = "") -> Array:
    """Return a live array; those of a context that was destroyed are gone with it."""
    return _live(arrays, handle, name)


def find_mipmapped(handle: int) -> MipmappedArray:
    return _live(mipmapped_arrays, handle, "")


def _live(table: Table, handle: int, name: str) -> Any:
    found = table.get(handle)
    if found is not None and address.exact(found.record.start) is not found.record:
        del table[handle]
    if table.get(handle) is None:
        what = "NULL" if not handle else f"0x{handle:x}, which names no live {table.kind}"
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"{name and name + ': '}the {table.kind} handle is {what}")
    return found


# --- creation -----------------------------------------------------------------------------------------


def check_shape(name: str, shape: Shape, *, mipmapped: bool = False) -> None:
    """Refuse what no array can be: see cuArray3DCreate."""
    if shape.format not in FORMATS and shape.format not in NORMALIZED:
        text = f"{name}: Format is {shape.format}: the CPU device has plain and normalized elements of 8 to 32 bits"
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, text)
    if shape.channels not in (1, 2, 4) or NORMALIZED.get(shape.format, (0, shape.channels))[1] != shape.channels:
        raise invalid(f"{name}: NumChannels is {shape.channels}, must be 1, 2 or 4 and what the format says")
    if shape.flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING):
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: the CPU device has no sparse arrays, nor deferred mapping")
    if shape.flags & ~FLAGS:
        raise invalid(f"{name}: Flags is 0x{shape.flags:x}, of which the CPU device has 0x{FLAGS:x}")
    extent = (shape.width, shape.height, shape.depth)
    for what, value, limit in zip(("Width", "Height", "Depth"), extent, limits_of(shape, mipmapped), strict=True):
        least = 1 if limit else 0
        if not least <= value <= limit:
            raise invalid(f"{name}: {what} is {value}, must be {least} to {limit} for such an array")
    if shape.flags & CUDA_ARRAY3D_CUBEMAP:
        layers = "6" if not shape.flags & CUDA_ARRAY3D_LAYERED else "a multiple of 6"
        if shape.width != shape.height or shape.depth % 6 or (layers == "6" and shape.depth != 6):
            raise invalid(f"{name}: a cubemap has equal Width and Height, and its Depth is {layers}")
    if shape.flags & CUDA_ARRAY3D_TEXTURE_GATHER and (shape.depth or not shape.height):
        raise invalid(f"{name}: CUDA_ARRAY3D_TEXTURE_GATHER is for arrays of two dimensions")


def limits_of(shape: Shape, mipmapped: bool) -> tuple[int, int, int]:
    """Return the greatest width, height and depth, 0 for those that must be 0."""
    kind = "SURFACE" if shape.flags & CUDA_ARRAY3D_SURFACE_LDST else "TEXTURE"
    stem = f"MAXIMUM_{kind}"

    def limit(*names: str) -> tuple[int, ...]:
        return tuple(device_attribute.FIXED[f"{stem}{name}"] for name in names)

    if shape.flags & CUDA_ARRAY3D_CUBEMAP:
        if not shape.flags & CUDA_ARRAY3D_LAYERED:
            return (*limit("CUBEMAP_WIDTH") * 2, 6)
        width, layers = limit("CUBEMAP_LAYERED_WIDTH", "CUBEMAP_LAYERED_LAYERS")
        return (width, width, layers)
    if shape.flags & CUDA_ARRAY3D_LAYERED:
        if shape.height:
            return limit("2D_LAYERED_WIDTH", "2D_LAYERED_HEIGHT", "2D_LAYERED_LAYERS")
        width, layers = limit("1D_LAYERED_WIDTH", "1D_LAYERED_LAYERS")
        return (width, 0, layers)
    if shape.depth:
        return limit("3D_WIDTH", "3D_HEIGHT", "3D_DEPTH")
    if mipmapped:
        stem = "MAXIMUM_TEXTURE"
        if shape.height:
            return (*limit("2D_MIPMAPPED_WIDTH", "2D_MIPMAPPED_HEIGHT"), 0)
        return (*limit("1D_MIPMAPPED_WIDTH"), 0, 0)
    if shape.flags & CUDA_ARRAY3D_TEXTURE_GATHER:
        stem = "MAXIMUM_TEXTURE"
        return (*limit("2D_GATHER_WIDTH", "2D_GATHER_HEIGHT"), 0)
    return (*limit("2D_WIDTH", "2D_HEIGHT"), 0) if shape.height else (*limit("1D_WIDTH"), 0, 0)


def shape_from(name: str, place: int, structure: Any) -> Shape:
    if not place:
        raise invalid(f"{name}: the descriptor is NULL")
    given = structure.from_address(place)
    depth, flags = getattr(given, "Depth", 0), getattr(given, "Flags", 0)
    return Shape(given.Width, given.Height, depth, given.Format, given.NumChannels, flags)


def make(name: str, shape: Shape) -> Array:
    check_shape(name, shape)
    record = memory.allocate(shape.size, name)
    return Array(record, record.start, shape)


def make_mipmapped(name: str, shape: Shape, levels: int) -> MipmappedArray:
    check_shape(name, shape, mipmapped=True)
    extent = (shape.width, shape.height, 0 if shape.layered else shape.depth)
    levels = min(levels, max(extent).bit_length())
    if levels < 1:
        raise invalid(f"{name}: numMipmapLevels is {levels}, must be at least 1")
    record = memory.allocate(starts(0, shape, levels)[-1], name)
    return MipmappedArray(record, shape, levels)


def destroy(found: Array) -> None:
    if found.parent is not None:
        raise invalid("a level goes with its mipmapped array, it cannot be destroyed by itself")
    arrays.pop(found.handle, None)
    memory.release(found.record)


def destroy_mipmapped(found: MipmappedArray) -> None:
    for level in found.made.values():
        arrays.pop(level.handle, None)
    mipmapped_arrays.pop(found.handle, None)
    memory.release(found.record)


# --- entry points -------------------------------------------------------------------------------------


def cuArrayCreate(place: int) -> int:
    return make("cuArrayCreate", shape_from("cuArrayCreate", place, CUDA_ARRAY_DESCRIPTOR)).handle


def cuArray3DCreate(place: int) -> int:
    return make("cuArray3DCreate", shape_from("cuArray3DCreate", place, CUDA_ARRAY3D_DESCRIPTOR)).handle


def cuArrayDestroy(handle: int) -> None:
    destroy(find(handle))


def cuMipmappedArrayCreate(place: int, levels: int) -> int:
    shape = shape_from("cuMipmappedArrayCreate", place, CUDA_ARRAY3D_DESCRIPTOR)
    return make_mipmapped("cuMipmappedArrayCreate", shape, levels).handle


def cuMipmappedArrayGetLevel(handle: int, number: int) -> int:
    found = find_mipmapped(handle)
    count = len(found.starts) - 1
    if number >= count:
        raise invalid(f"cuMipmappedArrayGetLevel: level is {number}, the array has {count}")
    return found.level(number).handle


def cuMipmappedArrayDestroy(handle: int) -> None:
    destroy_mipmapped(find_mipmapped(handle))


def _describe(name: str, place: int, structure: Any, handle: int) -> None:
    shape = find(handle).shape
    if not place:
        raise invalid(f"{name}: the descriptor is NULL")
    target = structure.from_address(place)
    values = {"Width": shape.width, "Height": shape.height, "Depth": shape.depth, "Format": shape.format}
    for field, value in (values | {"NumChannels": shape.channels, "Flags": shape.flags}).items():
        if hasattr(target, field):
            setattr(target, field, value)


def cuArrayGetDescriptor(place: int, handle: int) -> None:
    _describe("cuArrayGetDescriptor", place, CUDA_ARRAY_DESCRIPTOR, handle)


def cuArray3DGetDescriptor(place: int, handle: int) -> None:
    _describe("cuArray3DGetDescriptor", place, CUDA_ARRAY3D_DESCRIPTOR, handle)


def _require(name: str, place: int, size: int, ordinal: int) -> None:
    device.find(ordinal)
    if not place:
        raise invalid(f"{name}: memoryRequirements is NULL")
    target = CUDA_ARRAY_MEMORY_REQUIREMENTS.from_address(place)
    target.size, target.alignment = size, ALIGNMENT


def cuArrayGetMemoryRequirements(place: int, handle: int, ordinal: int) -> None:
    _require("cuArrayGetMemoryRequirements", place, find(handle).shape.size, ordinal)


def cuMipmappedArrayGetMemoryRequirements(place: int, handle: int, ordinal: int) -> None:
    found = find_mipmapped(handle)
    _require("cuMipmappedArrayGetMemoryRequirements", place, found.starts[-1] - found.starts[0], ordinal)


def cuDeviceGetTexture1DLinearMaxWidth(format: int, channels: int, ordinal: int) -> int:
    device.find(ordinal)
    if format not in FORMATS or channels not in (1, 2, 4):
        raise invalid(f"cuDeviceGetTexture1DLinearMaxWidth: no elements have format {format} and {channels} channels")
    return device_attribute.FIXED["MAXIMUM_TEXTURE1D_LINEAR_WIDTH"]
