# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Texture and surface objects. A handle is the address of a structure that machine code reads.

Its layout is that of runtime/texture/texture.h.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_AD_FORMAT_UNSIGNED_INT32,
    CU_RESOURCE_TYPE_ARRAY,
    CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CU_RESOURCE_TYPE_PITCH2D,
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    CU_TRSF_NORMALIZED_COORDINATES,
    CU_TRSF_READ_AS_INTEGER,
    CU_TRSF_SEAMLESS_CUBEMAP,
    CU_TRSF_SRGB,
    CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC,
    CUDA_TEXTURE_DESC,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array.array_shape import BLOCKS, FORMATS, NORMALIZED, PACKED, SRGB_OF, Shape
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, device_attribute, wait
from cuda.cpu.runtime.abi import fields, number

TEXTURE_KIND, SURFACE_KIND = number("TEXTURE_KIND"), number("SURFACE_KIND")
INTEGERS, NORMALIZED_COORDINATES, SRGB, SEAMLESS, LINEAR = (
    number(f"TEXTURE_{name}") for name in ("INTEGERS", "NORMALIZED", "SRGB", "SEAMLESS", "LINEAR")
)


class Level(ctypes.Structure):
    """struct cpu_level."""

    _fields_ = fields("level")


class Layout(ctypes.Structure):
    """struct cpu_texture."""

    _fields_ = [*fields("texture"), ("level", Level * number("MAX_LEVELS"))]


# --- handles --------------------------------------------------------------------------------------------

STRIDE = -(-ctypes.sizeof(Layout) // 64) * 64
SLAB = 64  # structures that are allocated together, for ever: a handle that is gone still leads to a structure

_free: list[int] = []
_slabs: list[Any] = []


class Object:
    """A texture or surface object and what it was made from."""

    def __init__(self, resource: Any, texture: Any = None, view: Any = None) -> None:
        self.context = context.current()
        if not _free:
            _slabs.append(ctypes.create_string_buffer(STRIDE * SLAB + 64))
            first = -(-ctypes.addressof(_slabs[-1]) // 64) * 64
            _free.extend(first + STRIDE * number for number in range(SLAB))
        self.handle = _free.pop(0)
        self.layout = Layout.from_address(self.handle)
        ctypes.memset(self.handle, 0, STRIDE)
        self.resource, self.texture, self.view = map(_copied, (resource, texture, view))

    def destroy(self) -> None:
        self.layout.kind = 0
        _free.append(self.handle)


textures: dict[int, Object] = {}
surfaces: dict[int, Object] = {}


def destroy(table: dict[int, Object], handle: int) -> None:
    """Destroy an object once nothing that is queued can use it any more; programs do not wait for their kernels."""
    found = find(table, handle)
    for queue in found.context.queues():
        if not queue.is_idle():
            wait.until(found.context, queue.wait)
    if table.pop(handle, None) is None:
        find(table, handle)  # raises: another thread was faster
    found.destroy()


def _copied(given: Any) -> Any:
    return type(given).from_buffer_copy(given) if given is not None else None


def find(table: dict[int, Object], handle: int) -> Object:
    found = table.get(handle)
    if found is None:
        kind = "texture" if table is textures else "surface"
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"0x{handle:x} names no live {kind} object")
    return found


# --- resources ------------------------------------------------------------------------------------------

# CUresourceViewFormat: formats in the enumeration's order, each with one, two and four channels.
VIEW_FORMATS = {
    3 * i + j + 1: (f, c) for i, f in enumerate((1, 8, 2, 9, 3, 10, 16, 32)) for j, c in enumerate((1, 2, 4))
}
# Blocks: of arrays of two or four channels of 32 unsigned bits, 4 x 4 elements of the view in each of the array's.
VIEW_BLOCKS = {max(VIEW_FORMATS) + 1 + i: (format_, BLOCKS[format_][1]) for i, format_ in enumerate(BLOCKS)}
VIEW_FORMATS |= VIEW_BLOCKS
VIEW_LAST = max(VIEW_FORMATS)


def _fill_level(level: Level, start: int, shape: Shape) -> None:
    level.base, level.pitch, level.slice = start, shape.pitch, shape.slice
    level.width, level.height, level.depth = shape.width, shape.height, shape.depth


def _from_memory(name: str, kind: int, resource: Any, layout: Layout) -> Shape:
    """Fill in linear or pitched memory."""
    linear = kind == CU_RESOURCE_TYPE_LINEAR
    given = resource.res.linear if linear else resource.res.pitch2D
    if given.format not in FORMATS or given.numChannels not in (1, 2, 4):
        raise invalid(f"{name}: no elements have format {given.format} and {given.numChannels} channels")
    start, fixed = given.devPtr or 0, device_attribute.FIXED
    if start % fixed["TEXTURE_ALIGNMENT"]:
        raise invalid(f"{name}: devPtr 0x{start:x} is no multiple of {fixed['TEXTURE_ALIGNMENT']}")
    element = FORMATS[given.format] * given.numChannels
    if linear:
        width, height, limits = given.sizeInBytes // element, 0, (fixed["MAXIMUM_TEXTURE1D_LINEAR_WIDTH"], 0)
        pitch = size = given.sizeInBytes
    else:
        width, height, pitch = given.width, given.height, given.pitchInBytes
        limits = (fixed["MAXIMUM_TEXTURE2D_LINEAR_WIDTH"], fixed["MAXIMUM_TEXTURE2D_LINEAR_HEIGHT"])
        size = pitch * (height - 1) + width * element
        if pitch % fixed["TEXTURE_PITCH_ALIGNMENT"] or pitch < width * element:
            text = f"a multiple of {fixed['TEXTURE_PITCH_ALIGNMENT']} and at least {width * element}"
            raise invalid(f"{name}: pitchInBytes is {pitch}, must be {text}")
        if not 0 < height <= limits[1]:
            raise invalid(f"{name}: height is {height}, must be 1 to {limits[1]}")
    if not 0 < width <= limits[0]:
        raise invalid(f"{name}: {width} elements of {element} bytes in a row, must be 1 to {limits[0]}")
    address.check(f"{name}: devPtr", start, size, device=True)
    shape = Shape(width, height, 0, given.format, given.numChannels, 0)
    _fill_level(layout.level[0], start, shape)
    layout.level[0].pitch, layout.levels = pitch, 1
    layout.flags |= LINEAR if linear else 0
    return shape


def _from_array(name: str, resource: Any, layout: Layout, view: Any) -> Shape:
    """Fill in an array or the levels of a mipmapped one, or the part of it that a view shows."""
    if resource.resType == CU_RESOURCE_TYPE_ARRAY:
        plain = arrays.find_plain(resource.res.array.hArray or 0, name)
        shape, starts = plain.shape, [plain.start]
    else:
        mipmapped = arrays.find_mipmapped(resource.res.mipmap.hMipmappedArray or 0)
        shape, starts = mipmapped.shape, mipmapped.starts[:-1]
    first, last, layer = 0, len(starts) - 1, 0
    if view is not None:
        shape, first, last, layer = _viewed(name, view, shape, len(starts))
    for index, start in enumerate(starts[first : last + 1]):
        smaller = shape.level(first + index)
        _fill_level(layout.level[index], start + layer * smaller.slice, smaller)
    layout.levels = last - first + 1
    return shape


def _viewed(name: str, view: Any, shape: Shape, levels: int) -> tuple[Shape, int, int, int]:
    """Return the shape as a view has it, its first and last level, and its first layer."""
    if view.format > VIEW_LAST:
        raise invalid(f"{name}: format of a view is {view.format}, no CUresourceViewFormat")
    format_, channels = VIEW_FORMATS.get(view.format, (shape.format, shape.channels))
    depth, layer = shape.depth, 0
    if shape.layered:
        layer, last = view.firstLayer, view.lastLayer
        if not layer <= last < shape.depth:
            raise invalid(f"{name}: layers {layer} to {last} of a view, the array has {shape.depth}")
        depth = last - layer + 1
    scale = 4 if view.format in VIEW_BLOCKS else 1
    if scale == 4 and shape.format != CU_AD_FORMAT_UNSIGNED_INT32:
        raise invalid(f"{name}: a view of blocks shows an array of 32-bit unsigned integers, not format {shape.format}")
    result = Shape(shape.width * scale, shape.height * scale, depth, format_, channels, shape.flags)
    if result.element != shape.element:
        text = f"{name}: elements of a view have {result.element} bytes, those of the array {shape.element}"
        raise invalid(text)
    if (view.width, view.height) != (result.width, result.height):
        text = f"a view of {view.width} x {view.height}, the array has {result.width} x {result.height}"
        raise invalid(f"{name}: {text}")
    if not view.firstMipmapLevel <= view.lastMipmapLevel < levels:
        text = f"levels {view.firstMipmapLevel} to {view.lastMipmapLevel} of a view, the array has {levels}"
        raise invalid(f"{name}: {text}")
    return result, view.firstMipmapLevel, view.lastMipmapLevel, layer


def _fill(name: str, resource: Any, layout: Layout, view: Any = None) -> Shape:
    if resource.flags:
        raise invalid(f"{name}: flags of the resource are {resource.flags}, must be 0")
    kind = resource.resType
    if kind in (CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D):
        if view is not None:
            raise invalid(f"{name}: views are for arrays")
        shape = _from_memory(name, kind, resource, layout)
    elif kind in (CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY):
        shape = _from_array(name, resource, layout, view)
    else:
        raise invalid(f"{name}: resType is {kind}, no CUresourcetype")
    layout.format, layout.channels, layout.element = shape.plain_format, shape.channels, shape.element
    return shape


# --- textures -------------------------------------------------------------------------------------------

TEXTURE_FLAGS = (
    CU_TRSF_READ_AS_INTEGER
    | CU_TRSF_NORMALIZED_COORDINATES
    | CU_TRSF_SRGB
    | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
    | CU_TRSF_SEAMLESS_CUBEMAP
)
OURS = {
    CU_TRSF_READ_AS_INTEGER: INTEGERS,
    CU_TRSF_NORMALIZED_COORDINATES: NORMALIZED_COORDINATES,
    CU_TRSF_SRGB: SRGB,
    CU_TRSF_SEAMLESS_CUBEMAP: SEAMLESS,
}


def _check_texture(name: str, given: Any, shape: Shape, linear: bool) -> None:
    for axis, mode in enumerate(given.addressMode):
        if mode > 3:
            raise invalid(f"{name}: addressMode[{axis}] is {mode}, no CUaddress_mode")
    for field in ("filterMode", "mipmapFilterMode"):
        if getattr(given, field) > 1:
            raise invalid(f"{name}: {field} is {getattr(given, field)}, no CUfilter_mode")
    if given.flags & ~TEXTURE_FLAGS:
        raise invalid(f"{name}: flags of the texture are 0x{given.flags:x}, of which 0x{TEXTURE_FLAGS:x} are known")
    plain = shape.format not in NORMALIZED
    as_integers = plain and (given.flags & CU_TRSF_READ_AS_INTEGER or shape.format in (3, 10)) and shape.format < 16
    if given.filterMode and as_integers and not linear:
        raise invalid(f"{name}: elements that are read as integers cannot be filtered: filterMode must be _POINT")
    if given.flags & CU_TRSF_SRGB and shape.plain_format != 1:
        raise invalid(f"{name}: CU_TRSF_SRGB is for unsigned elements of 8 bits")
    if shape.flags & CUDA_ARRAY3D_CUBEMAP and not given.flags & CU_TRSF_NORMALIZED_COORDINATES:
        raise invalid(f"{name}: cubemaps need CU_TRSF_NORMALIZED_COORDINATES")


def create(name: str, resource: Any, given: Any, view: Any) -> Object:
    made = Object(resource, given, view)
    layout = made.layout
    try:
        shape = _fill(name, resource, layout, view)
        linear = resource.resType == CU_RESOURCE_TYPE_LINEAR
        _check_texture(name, given, shape, linear)
    except BaseException:
        made.destroy()
        raise
    layout.flags |= sum(ours for theirs, ours in OURS.items() if given.flags & theirs)
    if shape.format in NORMALIZED or shape.format in PACKED or shape.block > 1:
        layout.flags &= ~INTEGERS
    layout.flags |= SRGB if shape.format in SRGB_OF else 0
    layout.address, layout.filter = given.addressMode, given.filterMode
    layout.mip_filter, layout.border = given.mipmapFilterMode, given.borderColor
    layout.bias, layout.least = given.mipmapLevelBias, given.minMipmapLevelClamp
    layout.most = given.maxMipmapLevelClamp
    layout.kind = TEXTURE_KIND
    textures[made.handle] = made
    return made


def _view(name: str, parameter: str, structure: Any, ptr: int) -> Any:
    if not ptr:
        raise invalid(f"{name}: {parameter} is NULL")
    return structure.from_address(ptr)


def cuTexObjectCreate(pResDesc: int, pTexDesc: int, pResViewDesc: int) -> int:
    name = "cuTexObjectCreate"
    return create(
        name,
        _view(name, "pResDesc", CUDA_RESOURCE_DESC, pResDesc),
        _view(name, "pTexDesc", CUDA_TEXTURE_DESC, pTexDesc),
        CUDA_RESOURCE_VIEW_DESC.from_address(pResViewDesc) if pResViewDesc else None,
    ).handle


def cuTexObjectDestroy(texObject: int) -> None:
    destroy(textures, texObject)


def _give(name: str, out_ptr: int, given: Any) -> None:
    if not out_ptr:
        raise invalid(f"{name}: the descriptor is NULL")
    ctypes.memmove(out_ptr, ctypes.addressof(given), ctypes.sizeof(given))


def cuTexObjectGetResourceDesc(pResDesc: int, texObject: int) -> None:
    _give("cuTexObjectGetResourceDesc", pResDesc, find(textures, texObject).resource)


def cuTexObjectGetTextureDesc(pTexDesc: int, texObject: int) -> None:
    _give("cuTexObjectGetTextureDesc", pTexDesc, find(textures, texObject).texture)


def cuTexObjectGetResourceViewDesc(pResViewDesc: int, texObject: int) -> None:
    found = find(textures, texObject)
    if found.view is None:
        raise invalid("cuTexObjectGetResourceViewDesc: the texture object was made without a view")
    _give("cuTexObjectGetResourceViewDesc", pResViewDesc, found.view)


# --- surfaces -------------------------------------------------------------------------------------------


def create_surface(name: str, resource: Any) -> Object:
    context.current()
    if resource.resType != CU_RESOURCE_TYPE_ARRAY:
        raise invalid(f"{name}: resType is {resource.resType}, must be CU_RESOURCE_TYPE_ARRAY")
    if not arrays.find(resource.res.array.hArray or 0, name).shape.flags & CUDA_ARRAY3D_SURFACE_LDST:
        raise invalid(f"{name}: the array was made without CUDA_ARRAY3D_SURFACE_LDST")
    made = Object(resource)
    try:
        _fill(name, resource, made.layout)
    except BaseException:
        made.destroy()
        raise
    made.layout.kind = SURFACE_KIND
    surfaces[made.handle] = made
    return made


def cuSurfObjectCreate(pResDesc: int) -> int:
    name = "cuSurfObjectCreate"
    return create_surface(name, _view(name, "pResDesc", CUDA_RESOURCE_DESC, pResDesc)).handle


def cuSurfObjectDestroy(surfObject: int) -> None:
    destroy(surfaces, surfObject)


def cuSurfObjectGetResourceDesc(pResDesc: int, surfObject: int) -> None:
    _give("cuSurfObjectGetResourceDesc", pResDesc, find(surfaces, surfObject).resource)
