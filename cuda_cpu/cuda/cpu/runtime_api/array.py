# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of the runtime API (cudaMallocArray), with channel descriptors, and copies to and from them."""

from __future__ import annotations

from typing import Any

from cuda.cpu import abi as driver_abi
from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import CU_AD_FORMAT_NV12, CU_MEMORYTYPE_ARRAY, CUDA_MEMCPY2D
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array import copy_box, external_memory
from cuda.cpu.driver.array.array_shape import BLOCKS, FORMATS, NORMALIZED, PACKED, PLANAR, SRGB_OF, Shape
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.memory import copy
from cuda.cpu.runtime_api.copy import ends, set_end
from cuda.cpu.runtime_api.device import ensure_context

KINDS = {1: 1, 2: 1, 3: 1, 8: 0, 9: 0, 10: 0, 0x10: 2, 0x20: 2}  # CUarray_format -> cudaChannelFormatKind
FORMAT_OF = {(kind, 8 * FORMATS[format_]): format_ for format_, kind in KINDS.items()}

# cudaChannelFormatKind of normalized elements <-> CUarray_format: both name bits and channels.
_NAMES = [(kind, b, c) for kind in ("Unsigned", "Signed") for b in (8, 16) for c in (1, 2, 4)]
NORMALIZED_KINDS = {
    getattr(abi, f"cudaChannelFormatKind{kind}Normalized{bits}X{channels}"): format_
    for (kind, bits, channels), format_ in zip(_NAMES, NORMALIZED, strict=True)
}
PLANAR_KINDS = {abi.cudaChannelFormatKindNV12: CU_AD_FORMAT_NV12} | {
    getattr(abi, f"cudaChannelFormatKindUnsigned{b}{kind}{sampling}"): getattr(
        driver_abi, f"CU_AD_FORMAT_UINT{b}_{kind.upper()}_{sampling}"
    )
    for b in (8, 16)
    for kind in ("SemiPlanar", "Planar")
    for sampling in (420, 422, 444)
}
BLOCK_KINDS = {
    getattr(abi, f"cudaChannelFormatKind{kind}BlockCompressed{number}{srgb}"): getattr(
        driver_abi, f"CU_AD_FORMAT_BC{number}_{'U' if kind == 'Unsigned' else 'S'}NORM{srgb and '_SRGB'}"
    )
    for kind, srgb, numbers in (
        ("Unsigned", "", (1, 2, 3, 4, 5, 7)),
        ("Unsigned", "SRGB", (1, 2, 3, 7)),
        ("Signed", "", (4, 5)),
    )
    for number in numbers
} | {
    abi.cudaChannelFormatKindUnsignedBlockCompressed6H: driver_abi.CU_AD_FORMAT_BC6H_UF16,
    abi.cudaChannelFormatKindSignedBlockCompressed6H: driver_abi.CU_AD_FORMAT_BC6H_SF16,
}
PACKED_KINDS = {abi.cudaChannelFormatKindUnsignedNormalized1010102: driver_abi.CU_AD_FORMAT_UNORM_INT_101010_2}
HALVES = (driver_abi.CU_AD_FORMAT_BC6H_UF16, driver_abi.CU_AD_FORMAT_BC6H_SF16)
KIND_OF = {
    value: key for table in (NORMALIZED_KINDS, PLANAR_KINDS, BLOCK_KINDS, PACKED_KINDS) for key, value in table.items()
}


def elements_of(name: str, desc: Any) -> tuple[int, int]:
    """Return the CUarray_format and the number of channels that a cudaChannelFormatDesc means."""
    if desc.f in NORMALIZED_KINDS:
        format_ = NORMALIZED_KINDS[desc.f]
        return format_, NORMALIZED[format_][1]
    if desc.f in PLANAR_KINDS:
        return PLANAR_KINDS[desc.f], 3
    if desc.f in PACKED_KINDS:
        format_ = PACKED_KINDS[desc.f]
        return format_, PACKED[format_][1]
    if desc.f in BLOCK_KINDS:
        format_ = BLOCK_KINDS[desc.f]
        return format_, BLOCKS[SRGB_OF.get(format_, format_)][1]
    bits = [desc.x, desc.y, desc.z, desc.w]
    channels = next((count for count in range(4) if not bits[count]), 4)
    format_ = FORMAT_OF.get((desc.f, bits[0]))
    if format_ is None or channels not in (1, 2, 4) or bits != [bits[0]] * channels + [0] * (4 - channels):
        text = f"{name}: no elements have channels of {bits} bits and kind {desc.f}"
        raise CudaError(abi.cudaErrorInvalidChannelDescriptor, text)
    return format_, channels


def describe_elements(desc: Any, format_: int, channels: int) -> None:
    """Write a cudaChannelFormatDesc."""
    plain = PLANAR[format_][1] if format_ in PLANAR else NORMALIZED.get(format_, (format_, 0))[0]
    bits = 8 * FORMATS.get(plain, 2 if plain in HALVES else 1)  # blocks have as many as what they stand for
    desc.x, desc.y, desc.z, desc.w = (10, 10, 10, 2) if plain in PACKED else [bits] * channels + [0] * (4 - channels)
    desc.f = KIND_OF[format_] if format_ in KIND_OF else KINDS[plain]


def _shape(name: str, desc: int, extent: tuple[int, int, int], flags: int) -> Shape:
    if not desc:
        raise invalid(f"{name}: desc is NULL")
    ensure_context()
    return Shape(*extent, *elements_of(name, abi.cudaChannelFormatDesc.from_address(desc)), flags)


def _extent(data: bytes) -> tuple[int, int, int]:
    return _sizes(abi.cudaExtent.from_buffer_copy(data))


def _sizes(given: Any) -> tuple[int, int, int]:
    return given.width, given.height, given.depth


def cudaMallocArray(desc: int, width: int, height: int, flags: int) -> int:
    return arrays.make("cudaMallocArray", _shape("cudaMallocArray", desc, (width, height, 0), flags)).handle


def cudaMalloc3DArray(desc: int, extent: bytes, flags: int) -> int:
    return arrays.make("cudaMalloc3DArray", _shape("cudaMalloc3DArray", desc, _extent(extent), flags)).handle


def cudaMallocMipmappedArray(desc: int, extent: bytes, numLevels: int, flags: int) -> int:
    name = "cudaMallocMipmappedArray"
    return arrays.make_mipmapped(name, _shape(name, desc, _extent(extent), flags), numLevels).handle


def cudaExternalMemoryGetMappedMipmappedArray(extMem: int, mipmapDesc: int) -> int:
    name = "cudaExternalMemoryGetMappedMipmappedArray"
    found = external_memory.memories.find(extMem)
    if not mipmapDesc:
        raise invalid(f"{name}: mipmapDesc is NULL")
    given = abi.cudaExternalMemoryMipmappedArrayDesc.from_address(mipmapDesc)
    shape = Shape(*_sizes(given.extent), *elements_of(name, given.formatDesc), given.flags)
    return external_memory.mipmapped(name, found, given.offset, shape, given.numLevels)


def cudaFreeArray(array: int) -> None:
    ensure_context()
    if array:
        arrays.destroy(arrays.find(array, "cudaFreeArray"))


def cudaFreeMipmappedArray(mipmappedArray: int) -> None:
    ensure_context()
    if mipmappedArray:
        arrays.destroy_mipmapped(arrays.find_mipmapped(mipmappedArray))


def cudaArrayGetInfo(desc: int, extent: int, array: int) -> int:
    shape = arrays.find(array, "cudaArrayGetInfo").shape
    if desc:
        describe_elements(abi.cudaChannelFormatDesc.from_address(desc), shape.format, shape.channels)
    if extent:
        target = abi.cudaExtent.from_address(extent)
        target.width, target.height, target.depth = shape.width, shape.height, shape.depth
    return shape.flags


def cudaGetChannelDesc(desc: int, array: int) -> None:
    if not desc:
        raise invalid("cudaGetChannelDesc: desc is NULL")
    cudaArrayGetInfo(desc, 0, array)


def cudaDeviceGetTexture1DLinearMaxWidth(fmtDesc: int, device: int) -> int:
    name = "cudaDeviceGetTexture1DLinearMaxWidth"
    if not fmtDesc:
        raise invalid(f"{name}: fmtDesc is NULL")
    format_, channels = elements_of(name, abi.cudaChannelFormatDesc.from_address(fmtDesc))
    return arrays.cuDeviceGetTexture1DLinearMaxWidth(format_, channels, device)


# --- copies of rectangles -------------------------------------------------------------------------------


class Rectangle:
    """A box of two dimensions whose ends are set one after the other."""

    def __init__(self, name: str, width: int, height: int, kind: int) -> None:
        ensure_context()
        self.name, self.kind = name, kind
        self.on_device = dict(zip(("dst", "src"), ends(name, kind), strict=True))
        self.box = CUDA_MEMCPY2D(WidthInBytes=width, Height=height)

    def array(self, end: str, handle: int, x: int, y: int) -> Rectangle:
        for field, value in (("MemoryType", CU_MEMORYTYPE_ARRAY), ("Array", handle), ("XInBytes", x), ("Y", y)):
            setattr(self.box, end + field, value)
        return self

    def memory(self, end: str, start: int, pitch: int) -> Rectangle:
        if pitch < self.box.WidthInBytes:
            text = f"{self.name}: width {self.box.WidthInBytes} is more than the pitch {pitch}"
            raise CudaError(abi.cudaErrorInvalidPitchValue, text)
        set_end(self.box, end, start, pitch, self.on_device[end], self.kind)
        return self

    def copy(self, stream: int = copy.SYNC) -> None:
        copy_box.copy_box(self.name, self.box, stream)


def cudaMemcpy2DToArray(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    box = Rectangle("cudaMemcpy2DToArray", width, height, kind)
    box.array("dst", dst, wOffset, hOffset).memory("src", src, spitch).copy()


def cudaMemcpy2DToArrayAsync(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    box = Rectangle("cudaMemcpy2DToArrayAsync", width, height, kind)
    box.array("dst", dst, wOffset, hOffset).memory("src", src, spitch).copy(stream)


def cudaMemcpy2DFromArray(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int
) -> None:
    box = Rectangle("cudaMemcpy2DFromArray", width, height, kind)
    box.memory("dst", dst, dpitch).array("src", src, wOffset, hOffset).copy()


def cudaMemcpy2DFromArrayAsync(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int, stream: int
) -> None:
    box = Rectangle("cudaMemcpy2DFromArrayAsync", width, height, kind)
    box.memory("dst", dst, dpitch).array("src", src, wOffset, hOffset).copy(stream)


def cudaMemcpy2DArrayToArray(
    dst: int,
    wOffsetDst: int,
    hOffsetDst: int,
    src: int,
    wOffsetSrc: int,
    hOffsetSrc: int,
    width: int,
    height: int,
    kind: int,
) -> None:
    box = Rectangle("cudaMemcpy2DArrayToArray", width, height, kind)
    box.array("dst", dst, wOffsetDst, hOffsetDst).array("src", src, wOffsetSrc, hOffsetSrc).copy()


# --- copies of bytes that go on in the next row (deprecated) ----------------------------------------------


def _runs(handle: int, x: int, y: int, count: int) -> list[tuple[int, int, int]]:
    """Return (x, y, bytes) of the rows of an array that `count` bytes from (x, y) on fill."""
    shape, found = arrays.find_plain(handle, "array").shape, []
    pitch = shape.row
    if x >= pitch or y * pitch + x + count > pitch * shape.rows:
        raise invalid(f"{count} bytes from offset {x} in row {y} on leave the array's {shape.rows} rows of {pitch}")
    while count:
        size = min(count, pitch - x)
        found.append((x, y, size))
        count, x, y = count - size, 0, y + 1
    return found


def cudaMemcpyToArray(dst: int, wOffset: int, hOffset: int, src: int, count: int, kind: int) -> None:
    cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, copy.SYNC)


def cudaMemcpyToArrayAsync(dst: int, wOffset: int, hOffset: int, src: int, count: int, kind: int, stream: int) -> None:
    for left, row, size in _runs(dst, wOffset, hOffset, count):
        Rectangle("cudaMemcpyToArray", size, 1, kind).array("dst", dst, left, row).memory("src", src, size).copy(stream)
        src += size


def cudaMemcpyFromArray(dst: int, src: int, wOffset: int, hOffset: int, count: int, kind: int) -> None:
    cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, copy.SYNC)


def cudaMemcpyFromArrayAsync(
    dst: int, src: int, wOffset: int, hOffset: int, count: int, kind: int, stream: int
) -> None:
    for left, row, size in _runs(src, wOffset, hOffset, count):
        box = Rectangle("cudaMemcpyFromArray", size, 1, kind)
        box.memory("dst", dst, size).array("src", src, left, row).copy(stream)
        dst += size


def cudaMemcpyArrayToArray(
    dst: int, wOffsetDst: int, hOffsetDst: int, src: int, wOffsetSrc: int, hOffsetSrc: int, count: int, kind: int
) -> None:
    if wOffsetDst == wOffsetSrc and arrays.find(dst).shape.row == arrays.find(src).shape.row:
        for left, row, size in _runs(src, wOffsetSrc, hOffsetSrc, count):
            box = Rectangle("cudaMemcpyArrayToArray", size, 1, kind)
            box.array("dst", dst, left, hOffsetDst + row - hOffsetSrc).array("src", src, left, row).copy()
        return
    raise invalid("cudaMemcpyArrayToArray: rows of different length, or offsets in them that differ")
