# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensor maps: the 128-byte descriptors (CUtensorMap) of copies by the Tensor Memory Accelerator (TMA).

See runtime/texture/tensor.h.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
    CU_TENSOR_MAP_INTERLEAVE_32B,
    CU_TENSOR_MAP_INTERLEAVE_NONE,
    CU_TENSOR_MAP_SWIZZLE_128B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.runtime.abi import fields, number

KIND = number("TENSOR_MAP")
SIZES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)  # bytes, by CUtensorMapDataType
LAST_TYPE = 15  # the packed types of 4 and 6 bits, which the device does not have, come last
FLOATS = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}
FLOATS |= set(range(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ + 1))
UNITS = (0, 16, 32)  # bytes that stay together, by CUtensorMapInterleave
CORNERS = {3: 15, 4: 7, 5: 4}  # rank -> bits of a corner's coordinate, without the sign


class Map(ctypes.Structure):
    """struct cpu_tensor_map."""

    _fields_ = fields("map")


def _numbers(name: str, parameter: str, ptr: int, kind: Any, count: int) -> list[int]:
    if not ptr and count:
        raise invalid(f"{name}: {parameter} is NULL")
    return list((kind * count).from_address(ptr)) if count else []


def _within(name: str, parameter: str, values: list[int], least: int, most: int) -> None:
    for index, value in enumerate(values):
        if not least <= value <= most:
            raise invalid(f"{name}: {parameter}[{index}] is {value}, must be {least} to {most}")


def _begin(
    name: str, tensor_map: int, type_: int, rank: int, start: int, sizes: int, strides: int, steps: int, least_rank: int
) -> Map:
    """Return a map of what both kinds have, checked."""
    # The manual asks for a multiple of 64; NVIDIA's cuda-core passes multiples of 16, which its driver accepts.
    if not tensor_map:
        raise invalid(f"{name}: tensorMap is NULL")
    if not 0 <= type_ <= LAST_TYPE:
        raise invalid(f"{name}: tensorDataType is {type_}, no CUtensorMapDataType")
    if type_ >= len(SIZES):
        text = f"{name}: tensorDataType is {type_}: packed elements need compute capability 10.0, which has them"
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, text)
    if not least_rank <= rank <= 5:
        raise invalid(f"{name}: tensorRank is {rank}, must be {least_rank} to 5")
    if not start or start % 16:
        raise invalid(f"{name}: globalAddress is 0x{start:x}, must be a multiple of 16 and not NULL")
    made = Map(address=start, type=type_, rank=rank, kind=KIND)
    extent = _numbers(name, "globalDim", sizes, ctypes.c_uint64, rank)
    _within(name, "globalDim", extent, 1, 1 << 32)
    apart = _numbers(name, "globalStrides", strides, ctypes.c_uint64, rank - 1)
    for index, stride in enumerate(apart):
        if stride % 16 or not 0 < stride < 1 << 40:
            text = f"{name}: globalStrides[{index}] is {stride}, must be a multiple of 16 and less than 2**40"
            raise invalid(text)
    each = _numbers(name, "elementStrides", steps, ctypes.c_uint32, rank)
    _within(name, "elementStrides", each, 1, 8)
    made.last[:rank] = [size - 1 for size in extent]
    made.stride[: rank - 1] = apart
    made.step[:rank] = each
    return made


def _finish(
    name: str, made: Map, tensor_map: int, inner: int, interleave: int, swizzle: int, promotion: int, fill: int
) -> None:
    """Check what is left, and write the map: nothing is written where something is wrong."""
    if not CU_TENSOR_MAP_INTERLEAVE_NONE <= interleave <= CU_TENSOR_MAP_INTERLEAVE_32B:
        raise invalid(f"{name}: interleave is {interleave}, no CUtensorMapInterleave")
    if interleave and made.rank < 3:
        raise invalid(f"{name}: tensorRank is {made.rank}, must be at least 3 for an interleaved tensor")
    made.unit = UNITS[interleave]
    for parameter, value in [
        ("globalAddress", made.address),
        *(("globalStrides", s) for s in made.stride[: made.rank - 1]),
    ]:
        if made.unit and value % made.unit:
            raise invalid(
                f"{name}: {parameter}: {value} is no multiple of {made.unit}, as that interleaved layout wants"
            )
    if not 0 <= swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B:
        raise invalid(f"{name}: swizzle is {swizzle}, no CUtensorMapSwizzle")
    if swizzle > CU_TENSOR_MAP_SWIZZLE_128B:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: swizzle is {swizzle}, which needs compute capability 10.0")
    bytes_ = inner * SIZES[made.type]
    if bytes_ % 16:
        raise invalid(f"{name}: the box's rows have {bytes_} bytes, must be a multiple of 16")
    if swizzle and not interleave and bytes_ > 16 << swizzle:
        raise invalid(f"{name}: the box's rows have {bytes_} bytes, at most {16 << swizzle} for that swizzle")
    if not 0 <= promotion <= 3:
        raise invalid(f"{name}: l2Promotion is {promotion}, no CUtensorMapL2promotion")
    if fill not in (0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA):
        raise invalid(f"{name}: oobFill is {fill}, no CUtensorMapFloatOOBfill")
    if fill and made.type not in FLOATS:
        raise invalid(f"{name}: oobFill asks for NaN, which elements of type {made.type} do not have")
    made.swizzle, made.fill = swizzle, fill
    ctypes.memmove(tensor_map, ctypes.addressof(made), ctypes.sizeof(made))


def cuTensorMapEncodeTiled(
    tensorMap: int,
    tensorDataType: int,
    tensorRank: int,
    globalAddress: int,
    globalDim: int,
    globalStrides: int,
    boxDim: int,
    elementStrides: int,
    interleave: int,
    swizzle: int,
    l2Promotion: int,
    oobFill: int,
) -> None:
    name = "cuTensorMapEncodeTiled"
    made = _begin(
        name, tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides, 1
    )
    extent = _numbers(name, "boxDim", boxDim, ctypes.c_uint32, tensorRank)
    _within(name, "boxDim", extent, 1, 256)
    made.box[:tensorRank] = extent
    _finish(name, made, tensorMap, extent[0], interleave, swizzle, l2Promotion, oobFill)


def cuTensorMapEncodeIm2col(
    tensorMap: int,
    tensorDataType: int,
    tensorRank: int,
    globalAddress: int,
    globalDim: int,
    globalStrides: int,
    pixelBoxLowerCorner: int,
    pixelBoxUpperCorner: int,
    channelsPerPixel: int,
    pixelsPerColumn: int,
    elementStrides: int,
    interleave: int,
    swizzle: int,
    l2Promotion: int,
    oobFill: int,
) -> None:
    name = "cuTensorMapEncodeIm2col"
    made = _begin(
        name, tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides, 3
    )
    limit = 1 << CORNERS[tensorRank]
    for which, corner, target in (
        ("Lower", pixelBoxLowerCorner, made.lower),
        ("Upper", pixelBoxUpperCorner, made.upper),
    ):
        values = _numbers(name, f"pixelBox{which}Corner", corner, ctypes.c_int32, tensorRank - 2)
        _within(name, f"pixelBox{which}Corner", values, -limit, limit - 1)
        target[: tensorRank - 2] = values
    _within(name, "channelsPerPixel", [channelsPerPixel], 1, 256)
    _within(name, "pixelsPerColumn", [pixelsPerColumn], 1, 1024)
    made.im2col, made.channels, made.pixels = 1, channelsPerPixel, pixelsPerColumn
    _finish(name, made, tensorMap, channelsPerPixel, interleave, swizzle, l2Promotion, oobFill)


def cuTensorMapReplaceAddress(tensorMap: int, globalAddress: int) -> None:
    name = "cuTensorMapReplaceAddress"
    if not tensorMap or Map.from_address(tensorMap).kind != KIND:
        raise invalid(f"{name}: tensorMap 0x{tensorMap:x} is no tensor map that was encoded here")
    if not globalAddress or globalAddress % 16:
        raise invalid(f"{name}: globalAddress is 0x{globalAddress:x}, must be a multiple of 16 and not NULL")
    Map.from_address(tensorMap).address = globalAddress
