# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The options of arrays and textures, and what is checked about them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cuda.core._utils._options import named_options
from cuda.core.typing import AddressModeType, ArrayFormatType, FilterModeType, ReadModeType

# Format -> bytes of an element's channel.
SIZES = {
    ArrayFormatType.UINT8: 1,
    ArrayFormatType.INT8: 1,
    ArrayFormatType.UINT16: 2,
    ArrayFormatType.INT16: 2,
    ArrayFormatType.FLOAT16: 2,
    ArrayFormatType.UINT32: 4,
    ArrayFormatType.INT32: 4,
    ArrayFormatType.FLOAT32: 4,
}
FLOATS = (ArrayFormatType.FLOAT16, ArrayFormatType.FLOAT32)


@named_options
@dataclass
class OpaqueArrayOptions:
    """Choose the properties of a new array.

    Attributes
    ----------
    shape : tuple of int
        Width, or width and height, or width, height and depth, in elements.
    format : ArrayFormatType, str or NumPy dtype
        The type of a channel of an element, such as ``"float32"`` or ``numpy.float32``.
    num_channels : int
        Channels of an element: 1, 2 or 4.
    is_surface_load_store : bool
        Whether kernels may write the array through a surface.

    Examples
    --------
    >>> device.create_opaque_array(OpaqueArrayOptions(shape=(640, 480), format="uint8", num_channels=4)).size_bytes
    1228800
    """

    shape: tuple[int, ...]
    format: Any
    num_channels: int
    is_surface_load_store: bool = False


@named_options
@dataclass
class MipmappedArrayOptions:
    """Choose the properties of a new mipmapped array.

    Attributes
    ----------
    shape : tuple of int
        Width, or width and height, or width, height and depth of the largest level, in elements.
    format : ArrayFormatType, str or NumPy dtype
        The type of a channel of an element, such as ``"float32"`` or ``numpy.float32``.
    num_channels : int
        Channels of an element: 1, 2 or 4.
    num_levels : int
        How many levels, each half as large as the one before.
    is_surface_load_store : bool
        Whether kernels may write the levels through surfaces.

    Examples
    --------
    >>> options = MipmappedArrayOptions(shape=(64, 64), format="float32", num_channels=1, num_levels=3)
    >>> device.create_mipmapped_array(options).get_level(2).shape
    (16, 16)
    """

    shape: tuple[int, ...]
    format: Any
    num_channels: int
    num_levels: int
    is_surface_load_store: bool = False


_MODES = {"filter_mode": FilterModeType, "read_mode": ReadModeType, "mipmap_filter_mode": FilterModeType}


def _mode(name: str, value: object, kind: type[StrEnum]) -> None:
    """Raise ValueError for a mode that does not exist."""
    try:
        kind(value)  # type: ignore[arg-type]
    except ValueError:
        modes = ", ".join(repr(str(mode)) for mode in kind)
        raise ValueError(f"{name} must be one of {modes}, not {value!r}") from None


@named_options
@dataclass
class TextureObjectOptions:
    """Choose how a texture is read.

    Attributes
    ----------
    address_mode : AddressModeType or str, or a tuple of them
        What is read outside of the image, along all axes or along each: ``"clamp"`` its edge, ``"border"`` a colour,
        and with normalized coordinates ``"wrap"`` or ``"mirror"`` the image again.
    filter_mode : FilterModeType or str
        ``"point"``: the nearest element; ``"linear"``: a mean of the neighbours, for values that are read as float.
    read_mode : ReadModeType or str
        ``"element_type"``: elements as they are; ``"normalized_float"``: integers of 8 or 16 bits as float, from 0 or
        -1 to 1.
    normalized_coords : bool
        Whether coordinates go from 0 to 1, rather than to the extent.
    srgb : bool
        Whether elements of ``"uint8"`` are turned from sRGB to linear when read.
    disable_trilinear_optimization : bool
        Whether trilinear filtering must be done in full.
    seamless_cubemap : bool
        Whether filtering goes over the edges of a cube map.
    max_anisotropy : int
        The largest ratio of anisotropic filtering, up to 16.
    mipmap_filter_mode : FilterModeType or str
        How levels are mixed.
    mipmap_level_bias : float
        What is added to the level asked for.
    min_mipmap_level_clamp, max_mipmap_level_clamp : float
        The range of levels.
    border_color : tuple of float, optional
        Up to 4 channels of what is read outside with ``"border"``; 0 by default.

    Examples
    --------
    >>> array = device.create_opaque_array(OpaqueArrayOptions(shape=(8, 8), format="float32", num_channels=1))
    >>> options = TextureObjectOptions(filter_mode="linear", address_mode="wrap", normalized_coords=True)
    >>> texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    """

    address_mode: AddressModeType | str | tuple[AddressModeType | str, ...] = AddressModeType.CLAMP
    filter_mode: FilterModeType | str = FilterModeType.POINT
    read_mode: ReadModeType | str = ReadModeType.ELEMENT_TYPE
    normalized_coords: bool = False
    srgb: bool = False
    disable_trilinear_optimization: bool = False
    seamless_cubemap: bool = False
    max_anisotropy: int = 0
    mipmap_filter_mode: FilterModeType | str = FilterModeType.POINT
    mipmap_level_bias: float = 0.0
    min_mipmap_level_clamp: float = 0.0
    max_mipmap_level_clamp: float = 0.0
    border_color: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name, kind in _MODES.items():
            _mode(name, getattr(self, name), kind)

    def _checked(self, format: ArrayFormatType) -> TextureChoice:
        """Return what is chosen, for elements of one format; raise for what cannot go together."""
        given = self.address_mode if isinstance(self.address_mode, tuple) else (self.address_mode,)
        if not 1 <= len(given) <= 3:
            raise ValueError(f"address_mode must be one mode or a tuple of 1 to 3, not of {len(given)}")
        modes = tuple(AddressModeType(mode) for mode in given)
        filtering, reading = FilterModeType(self.filter_mode), ReadModeType(self.read_mode)
        repeated = [mode for mode in modes if mode in (AddressModeType.WRAP, AddressModeType.MIRROR)]
        if repeated and not self.normalized_coords:
            raise ValueError(f"address_mode {repeated[0].value!r} needs normalized_coords=True")
        as_float = format in FLOATS or reading == ReadModeType.NORMALIZED_FLOAT
        if reading == ReadModeType.NORMALIZED_FLOAT and format not in FLOATS and SIZES[format] == 4:
            raise ValueError(f"read_mode 'normalized_float' is for integers of 8 or 16 bits, not for {format.value}")
        if filtering == FilterModeType.LINEAR and not as_float:
            raise ValueError(
                f"filter_mode 'linear' is for values read as float: {format.value} needs read_mode 'normalized_float'"
            )
        if self.srgb and (format != ArrayFormatType.UINT8 or not as_float):
            raise ValueError("srgb is for elements of uint8 and read_mode 'normalized_float'")
        if not 0 <= self.max_anisotropy <= 16:
            raise ValueError(f"max_anisotropy must be from 0 to 16, not {self.max_anisotropy}")
        border = tuple(float(part) for part in self.border_color or ())
        if len(border) > 4:
            raise ValueError(f"border_color has {len(border)} channels, but at most 4 are there")
        return TextureChoice(
            modes + (modes[-1],) * (3 - len(modes)),
            filtering,
            reading,
            FilterModeType(self.mipmap_filter_mode),
            border + (0.0,) * (4 - len(border)),
        )


@dataclass(frozen=True)
class TextureChoice:
    """What TextureObjectOptions chose, checked and complete."""

    address: tuple[AddressModeType, ...]
    filter: FilterModeType
    read: ReadModeType
    mipmap: FilterModeType
    border: tuple[float, ...]


def checked_format(format: Any, num_channels: Any) -> ArrayFormatType:
    """Return the format of elements, or raise the error that says what is wrong with it or the channels."""
    found = _format(format)
    if num_channels not in (1, 2, 4):
        raise ValueError(f"num_channels must be 1, 2 or 4, not {num_channels!r}")
    return found


def _format(value: Any) -> ArrayFormatType:
    numpy = sys.modules.get("numpy")  # whoever has a dtype has imported it
    if numpy is not None and isinstance(value, (numpy.dtype, type)):
        found = numpy.dtype(value)
        name = found.name if found.isnative else ""
    else:
        name = value
    try:
        return ArrayFormatType(name)
    except ValueError:
        known = ", ".join(repr(str(member)) for member in ArrayFormatType)
        raise ValueError(f"format must be one of {known}, or the NumPy dtype of that name, not {value!r}") from None


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return 1 to 3 positive extents."""
    try:
        found = tuple(extent.__index__() for extent in shape)
    except (AttributeError, TypeError):
        raise TypeError(f"shape must be a tuple of 1 to 3 ints, not {shape!r}") from None
    if not 1 <= len(found) <= 3 or min(found) < 1:
        raise ValueError(f"shape must have 1 to 3 extents of at least 1, not {shape!r}")
    return found
