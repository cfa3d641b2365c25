# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Texture and surface objects of the runtime API: those of the driver, with descriptors of their own."""

from __future__ import annotations

from typing import Any

from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import (
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    CU_TRSF_NORMALIZED_COORDINATES,
    CU_TRSF_READ_AS_INTEGER,
    CU_TRSF_SEAMLESS_CUBEMAP,
    CU_TRSF_SRGB,
    CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC,
    CUDA_TEXTURE_DESC,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array import texture
from cuda.cpu.driver.array.array_shape import NORMALIZED
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.runtime_api.array import describe_elements, elements_of
from cuda.cpu.runtime_api.device import ensure_context

HANDLES = {abi.cudaResourceTypeArray: ("array", "array", "hArray")}
HANDLES[abi.cudaResourceTypeMipmappedArray] = ("mipmap", "mipmap", "hMipmappedArray")
MEMORY = {
    abi.cudaResourceTypeLinear: ("linear", ("devPtr", "sizeInBytes")),
    abi.cudaResourceTypePitch2D: ("pitch2D", ("devPtr", "width", "height", "pitchInBytes")),
}
# Fields of cudaTextureDesc that are bits of CUDA_TEXTURE_DESC.flags.
FLAGS = {
    "normalizedCoords": CU_TRSF_NORMALIZED_COORDINATES,
    "sRGB": CU_TRSF_SRGB,
    "disableTrilinearOptimization": CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    "seamlessCubemap": CU_TRSF_SEAMLESS_CUBEMAP,
}
SAME = (
    "filterMode", "maxAnisotropy", "mipmapFilterMode", "mipmapLevelBias", "minMipmapLevelClamp", "maxMipmapLevelClamp",
)  # fmt: skip


def _at(name: str, parameter: str, structure: Any, ptr: int) -> Any:
    if not ptr:
        raise invalid(f"{name}: {parameter} is NULL")
    return structure.from_address(ptr)


def _resource(name: str, ptr: int) -> CUDA_RESOURCE_DESC:
    given = _at(name, "pResDesc", abi.cudaResourceDesc, ptr)
    made = CUDA_RESOURCE_DESC(resType=given.resType)
    if given.resType in HANDLES:
        ours, theirs, field = HANDLES[given.resType]
        setattr(getattr(made.res, ours), field, getattr(getattr(given.res, theirs), theirs) or 0)
    elif given.resType in MEMORY:
        part, fields = MEMORY[given.resType]
        source, target = getattr(given.res, part), getattr(made.res, part)
        target.format, target.numChannels = elements_of(name, source.desc)
        for field in fields:
            setattr(target, field, getattr(source, field))
    else:
        raise invalid(f"{name}: resType is {given.resType}, no cudaResourceType")
    return made


def _format_of(resource: CUDA_RESOURCE_DESC) -> int:
    if resource.resType == abi.cudaResourceTypeArray:
        return arrays.find(resource.res.array.hArray).shape.format
    if resource.resType == abi.cudaResourceTypeMipmappedArray:
        return arrays.find_mipmapped(resource.res.mipmap.hMipmappedArray).shape.format
    linear = resource.resType == abi.cudaResourceTypeLinear
    return resource.res.linear.format if linear else resource.res.pitch2D.format


def _settings(name: str, ptr: int, format_: int) -> CUDA_TEXTURE_DESC:
    """Return the driver's settings; refuse what this API has statuses of its own for."""
    given = _at(name, "pTexDesc", abi.cudaTextureDesc, ptr)
    made = CUDA_TEXTURE_DESC(flags=sum(bit for field, bit in FLAGS.items() if getattr(given, field)))
    made.addressMode[:], made.borderColor[:] = given.addressMode, given.borderColor
    for field in SAME:
        setattr(made, field, getattr(given, field))
    normalizes = given.readMode == abi.cudaReadModeNormalizedFloat
    integers = format_ < 0x10 and format_ not in NORMALIZED
    if not normalizes:
        made.flags |= CU_TRSF_READ_AS_INTEGER
    if normalizes and format_ in (3, 10):
        text = f"{name}: cudaReadModeNormalizedFloat is for elements of 8 or 16 bits"
        raise CudaError(abi.cudaErrorInvalidNormSetting, text)
    if integers and not normalizes and given.filterMode:
        text = f"{name}: elements that are read as integers cannot be filtered: filterMode must be _Point"
        raise CudaError(abi.cudaErrorInvalidFilterSetting, text)
    return made


def cudaCreateTextureObject(pResDesc: int, pTexDesc: int, pResViewDesc: int) -> int:
    name = "cudaCreateTextureObject"
    ensure_context()
    made = _resource(name, pResDesc)
    given = CUDA_RESOURCE_VIEW_DESC.from_address(pResViewDesc) if pResViewDesc else None  # the same in both APIs
    return texture.create(name, made, _settings(name, pTexDesc, _format_of(made)), given).handle


def cudaDestroyTextureObject(texObject: int) -> None:
    ensure_context()
    texture.cuTexObjectDestroy(texObject)


def cudaCreateSurfaceObject(pResDesc: int) -> int:
    ensure_context()
    return texture.create_surface("cudaCreateSurfaceObject", _resource("cudaCreateSurfaceObject", pResDesc)).handle


def cudaDestroySurfaceObject(surfObject: int) -> None:
    ensure_context()
    texture.cuSurfObjectDestroy(surfObject)


def _give_resource(name: str, ptr: int, given: CUDA_RESOURCE_DESC) -> None:
    target = _at(name, "pResDesc", abi.cudaResourceDesc, ptr)
    target.resType, target.flags = given.resType, 0
    if given.resType in HANDLES:
        ours, theirs, field = HANDLES[given.resType]
        setattr(getattr(target.res, theirs), theirs, getattr(getattr(given.res, ours), field))
        return
    part, fields = MEMORY[given.resType]
    source, copied = getattr(given.res, part), getattr(target.res, part)
    describe_elements(copied.desc, source.format, source.numChannels)
    for field in fields:
        setattr(copied, field, getattr(source, field))


def cudaGetTextureObjectResourceDesc(pResDesc: int, texObject: int) -> None:
    _give_resource("cudaGetTextureObjectResourceDesc", pResDesc, texture.find(texture.textures, texObject).resource)


def cudaGetSurfaceObjectResourceDesc(pResDesc: int, surfObject: int) -> None:
    _give_resource("cudaGetSurfaceObjectResourceDesc", pResDesc, texture.find(texture.surfaces, surfObject).resource)


def cudaGetTextureObjectTextureDesc(pTexDesc: int, texObject: int) -> None:
    given = texture.find(texture.textures, texObject).texture
    target = _at("cudaGetTextureObjectTextureDesc", "pTexDesc", abi.cudaTextureDesc, pTexDesc)
    for field, bit in FLAGS.items():
        setattr(target, field, int(bool(given.flags & bit)))
    target.addressMode[:], target.borderColor[:] = given.addressMode, given.borderColor
    for field in SAME:
        setattr(target, field, getattr(given, field))
    as_integers = given.flags & CU_TRSF_READ_AS_INTEGER
    target.readMode = abi.cudaReadModeElementType if as_integers else abi.cudaReadModeNormalizedFloat


def cudaGetTextureObjectResourceViewDesc(pResViewDesc: int, texObject: int) -> None:
    texture.cuTexObjectGetResourceViewDesc(pResViewDesc, texObject)
