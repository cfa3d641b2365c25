# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Shapes of arrays: element formats, extents, and the memory layout of rows and layers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda.cpu import abi
from cuda.cpu.abi import (
    CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_DEFERRED_MAPPING,
    CUDA_ARRAY3D_LAYERED,
    CUDA_ARRAY3D_SPARSE,
    CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_ARRAY3D_TEXTURE_GATHER,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import device_attribute

TILE = 1 << 16  # bytes of a sparse array that are mapped as one
FLAGS = (
    CUDA_ARRAY3D_LAYERED
    | CUDA_ARRAY3D_SURFACE_LDST
    | CUDA_ARRAY3D_CUBEMAP
    | CUDA_ARRAY3D_TEXTURE_GATHER
    | CUDA_ARRAY3D_SPARSE
    | CUDA_ARRAY3D_DEFERRED_MAPPING
)

# Bytes of a channel by CUarray_format. Those that are normalized themselves mean a plain one with so many channels.
FORMATS = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 0x10: 2, 0x20: 4}
NORMALIZED = {
    getattr(abi, f"CU_AD_FORMAT_{kind}_INT{bits}X{channels}"): (plain, channels)
    for kind, bits, plain in (("UNORM", 8, 1), ("UNORM", 16, 2), ("SNORM", 8, 8), ("SNORM", 16, 9))
    for channels in (1, 2, 4)
}

# Formats of several planes: how many columns and rows of the first one an element of the others stands for, bytes of a
# channel (which CUarray_format then is unsigned, and has the same number), channels of each plane.
_SAMPLING = {"420": (2, 2), "422": (2, 1), "444": (1, 1)}
_SEMI, _APART = (1, 2), (1, 1, 1)
PLANAR = {
    abi.CU_AD_FORMAT_NV12: ((2, 2), 1, _SEMI),
    abi.CU_AD_FORMAT_P010: ((2, 2), 2, _SEMI),
    abi.CU_AD_FORMAT_P016: ((2, 2), 2, _SEMI),
    abi.CU_AD_FORMAT_NV16: ((2, 1), 1, _SEMI),
    abi.CU_AD_FORMAT_P210: ((2, 1), 2, _SEMI),
    abi.CU_AD_FORMAT_P216: ((2, 1), 2, _SEMI),
    abi.CU_AD_FORMAT_YUV444_8bit_SemiPlanar: ((1, 1), 1, _SEMI),
    abi.CU_AD_FORMAT_YUV444_16bit_SemiPlanar: ((1, 1), 2, _SEMI),
    abi.CU_AD_FORMAT_Y444_PLANAR8: ((1, 1), 1, _APART),
    abi.CU_AD_FORMAT_Y444_PLANAR10: ((1, 1), 2, _APART),
} | {
    getattr(abi, f"CU_AD_FORMAT_UINT{8 * width}_{kind}_{sampling}"): (scale, width, channels)
    for kind, channels in (("SEMIPLANAR", _SEMI), ("PLANAR", _APART))
    for width in (1, 2)
    for sampling, scale in _SAMPLING.items()
}


# Block-compressed formats: bytes of a block of 4 x 4 elements, and channels.
BLOCKS = {
    abi.CU_AD_FORMAT_BC1_UNORM: (8, 4),
    abi.CU_AD_FORMAT_BC2_UNORM: (16, 4),
    abi.CU_AD_FORMAT_BC3_UNORM: (16, 4),
    abi.CU_AD_FORMAT_BC4_UNORM: (8, 1),
    abi.CU_AD_FORMAT_BC4_SNORM: (8, 1),
    abi.CU_AD_FORMAT_BC5_UNORM: (16, 2),
    abi.CU_AD_FORMAT_BC5_SNORM: (16, 2),
    abi.CU_AD_FORMAT_BC6H_UF16: (16, 3),
    abi.CU_AD_FORMAT_BC6H_SF16: (16, 3),
    abi.CU_AD_FORMAT_BC7_UNORM: (16, 4),
}
# Elements whose channels have different sizes: their bytes, and channels. Red has the lowest bits.
PACKED = {abi.CU_AD_FORMAT_UNORM_INT_101010_2: (4, 4)}
# Block-compressed formats in the sRGB encoding.
SRGB_OF = {
    getattr(abi, f"CU_AD_FORMAT_BC{number}_UNORM_SRGB"): getattr(abi, f"CU_AD_FORMAT_BC{number}_UNORM")
    for number in (1, 2, 3, 7)
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
        return SRGB_OF.get(self.format, NORMALIZED.get(self.format, (self.format, 0))[0])

    @property
    def block(self) -> int:
        """Return how many elements, and how many rows of them, lie in what `element` counts the bytes of."""
        return 4 if self.plain_format in BLOCKS else 1

    @property
    def element(self) -> int:
        plain = self.plain_format
        sized = BLOCKS.get(plain) or PACKED.get(plain)
        return sized[0] if sized else FORMATS[plain] * self.channels

    @property
    def row(self) -> int:
        """Return the bytes of the elements, or blocks, of a row."""
        return -(-self.width // self.block) * self.element

    @property
    def sparse(self) -> bool:
        return bool(self.flags & CUDA_ARRAY3D_SPARSE)

    @property
    def deferred(self) -> bool:
        """Return whether memory is mapped into all of the array later."""
        return bool(self.flags & CUDA_ARRAY3D_DEFERRED_MAPPING)

    @property
    def pitch(self) -> int:
        """Return the bytes from row to row; in sparse arrays such that a tile of rows is one block of memory."""
        if not self.sparse:
            return self.row
        return 1 << (self.row - 1).bit_length() if self.row <= TILE else -(-self.row // TILE) * TILE

    @property
    def slice(self) -> int:
        """Return the bytes from layer to layer."""
        size = self.pitch * self.rows
        return -(-size // TILE) * TILE if self.sparse else size

    @property
    def tile(self) -> tuple[int, int, int]:
        """Return the elements, rows and layers of a tile of a sparse array."""
        return min(self.pitch, TILE) // self.element, max(TILE // self.pitch, 1), 1

    @property
    def planes(self) -> list[Shape]:
        """Return the planes of a format of several, [] for others."""
        scale, format_, channels = PLANAR.get(self.format, ((1, 1), 0, ()))
        flags = self.flags
        return [
            replace(
                self,
                width=self.width // (scale[0] if number else 1),
                height=self.height // (scale[1] if number else 1),
                format=format_,
                channels=count,
                flags=flags,
            )
            for number, count in enumerate(channels)
        ]

    @property
    def rows(self) -> int:
        """Return the rows in memory."""
        return -(-max(self.height, 1) // self.block)

    @property
    def layers(self) -> int:
        return max(self.depth, 1)

    @property
    def layered(self) -> bool:
        return bool(self.flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP))

    @property
    def size(self) -> int:
        return sum(plane.size for plane in self.planes) or self.slice * self.layers

    def level(self, number: int) -> Shape:
        """Return the shape of a smaller level of detail."""
        depth = self.depth if self.layered else self.depth and max(self.depth >> number, 1)
        height = self.height and max(self.height >> number, 1)
        return Shape(max(self.width >> number, 1), height, depth, self.format, self.channels, self.flags)


def check_shape(name: str, shape: Shape, *, mipmapped: bool = False) -> None:
    """Refuse what no array can be: see cuArray3DCreate."""
    if shape.format in PLANAR:
        check_planar(name, shape)
    elif shape.plain_format in BLOCKS:
        check_blocks(name, shape)
    elif shape.format in PACKED:
        check_packed(name, shape)
    elif shape.format not in FORMATS and shape.format not in NORMALIZED:
        text = f"{name}: Format is {shape.format}: the CPU device has plain, normalized, planar and block-compressed"
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED, f"{text} elements, none of packed video: what kernels see is not said"
        )
    elif shape.channels not in (1, 2, 4) or NORMALIZED.get(shape.format, (0, shape.channels))[1] != shape.channels:
        raise invalid(f"{name}: NumChannels is {shape.channels}, must be 1, 2 or 4 and what the format says")
    if shape.deferred and shape.sparse:
        raise invalid(f"{name}: an array is either CUDA_ARRAY3D_SPARSE or CUDA_ARRAY3D_DEFERRED_MAPPING")
    if shape.flags & ~FLAGS:
        raise invalid(f"{name}: Flags is 0x{shape.flags:x}, of which the CPU device has 0x{FLAGS:x}")
    extent = (shape.width, shape.height, shape.depth)
    for dimension, value, limit in zip(("Width", "Height", "Depth"), extent, limits_of(shape, mipmapped), strict=True):
        least = 1 if limit else 0
        if not least <= value <= limit:
            raise invalid(f"{name}: {dimension} is {value}, must be {least} to {limit} for such an array")
    if shape.flags & CUDA_ARRAY3D_CUBEMAP:
        layers = "6" if not shape.flags & CUDA_ARRAY3D_LAYERED else "a multiple of 6"
        if shape.width != shape.height or shape.depth % 6 or (layers == "6" and shape.depth != 6):
            raise invalid(f"{name}: a cubemap has equal Width and Height, and its Depth is {layers}")
    if shape.flags & CUDA_ARRAY3D_TEXTURE_GATHER and (shape.depth or not shape.height):
        raise invalid(f"{name}: CUDA_ARRAY3D_TEXTURE_GATHER is for arrays of two dimensions")


def check_planar(name: str, shape: Shape) -> None:
    scale, _, _ = PLANAR[shape.format]
    if shape.channels != 3 or shape.depth or not shape.height or shape.flags & ~CUDA_ARRAY3D_SURFACE_LDST:
        raise invalid(f"{name}: arrays of several planes have two dimensions and 3 channels, not {shape.channels}")
    if shape.width % scale[0] or shape.height % scale[1]:
        text = f"{shape.width} x {shape.height} elements, must be multiples of {scale[0]} and {scale[1]}"
        raise invalid(f"{name}: {text}")


def check_blocks(name: str, shape: Shape) -> None:
    channels = BLOCKS[shape.plain_format][1]
    if shape.channels != channels:
        raise invalid(f"{name}: NumChannels is {shape.channels}, the format has {channels}")
    if not shape.height or shape.width % 4 or shape.height % 4:
        text = f"{name}: {shape.width} x {shape.height} elements, block-compressed ones come in blocks of 4 x 4"
        raise invalid(text)
    if shape.flags & (CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_SPARSE):
        text = f"{name}: block-compressed arrays of the CPU device are neither surfaces nor sparse"
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, text)


def check_packed(name: str, shape: Shape) -> None:
    channels = PACKED[shape.format][1]
    if shape.channels != channels:
        raise invalid(f"{name}: NumChannels is {shape.channels}, the format has {channels}")
    if shape.flags & CUDA_ARRAY3D_SURFACE_LDST:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: surfaces of the CPU device have channels of one size")


def limits_of(shape: Shape, mipmapped: bool) -> tuple[int, int, int]:
    """Return the greatest width, height and depth, 0 for those that must be 0."""
    kind = "SURFACE" if shape.flags & CUDA_ARRAY3D_SURFACE_LDST else "TEXTURE"
    stem = f"MAXIMUM_{kind}"

    def limit(name: str) -> int:
        return device_attribute.FIXED[f"{stem}{name}"]

    if shape.flags & CUDA_ARRAY3D_CUBEMAP:
        if not shape.flags & CUDA_ARRAY3D_LAYERED:
            return limit("CUBEMAP_WIDTH"), limit("CUBEMAP_WIDTH"), 6
        width = limit("CUBEMAP_LAYERED_WIDTH")
        return width, width, limit("CUBEMAP_LAYERED_LAYERS")
    if shape.flags & CUDA_ARRAY3D_LAYERED:
        if shape.height:
            return limit("2D_LAYERED_WIDTH"), limit("2D_LAYERED_HEIGHT"), limit("2D_LAYERED_LAYERS")
        return limit("1D_LAYERED_WIDTH"), 0, limit("1D_LAYERED_LAYERS")
    if shape.depth:
        return limit("3D_WIDTH"), limit("3D_HEIGHT"), limit("3D_DEPTH")
    if mipmapped:
        stem = "MAXIMUM_TEXTURE"
        if shape.height:
            return limit("2D_MIPMAPPED_WIDTH"), limit("2D_MIPMAPPED_HEIGHT"), 0
        return limit("1D_MIPMAPPED_WIDTH"), 0, 0
    if shape.flags & CUDA_ARRAY3D_TEXTURE_GATHER:
        stem = "MAXIMUM_TEXTURE"
        return limit("2D_GATHER_WIDTH"), limit("2D_GATHER_HEIGHT"), 0
    return (limit("2D_WIDTH"), limit("2D_HEIGHT"), 0) if shape.height else (limit("1D_WIDTH"), 0, 0)
