# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of arrays and textures, and their validation."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cuda.core._utils._options import named_options
from cuda.core.typing import AddressModeType, ArrayFormatType, FilterModeType, ReadModeType

# Format -> size of a channel in bytes.
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
    """Options for a new array.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    shape : tuple of int
        Width, or width and height, or width, height and depth, in elements.
    format : ArrayFormatType, str or NumPy dtype
        The type of the elements' channels, such as ``"float32"`` or ``numpy.float32``.
    num_channels : int
        The number of channels per element: 1, 2 or 4.
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
    """Options for a new mipmapped array.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    shape : tuple of int
        Width, or width and height, or width, height and depth of the largest level, in elements.
    format : ArrayFormatType, str or NumPy dtype
        The type of the elements' channels, such as ``"float32"`` or ``numpy.float32``.
    num_channels : int
        The number of channels per element: 1, 2 or 4.
    num_levels : int
        The number of levels, each half as large as the one before.
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
    """Options of a texture object.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    address_mode : AddressModeType or str, or a tuple of them
        The result of reads outside of the image, for all axes or for each: ``"clamp"``, the nearest edge; ``"border"``,
        the border colour; ``"wrap"`` or ``"mirror"``, the image repeated, with normalized coordinates only.
    filter_mode : FilterModeType or str
        ``"point"``: the nearest element; ``"linear"``: linear interpolation, for values that are read as float.
    read_mode : ReadModeType or str
        ``"element_type"``: elements as they are; ``"normalized_float"``: integers of 8 or 16 bits as float, from 0 or
        -1 to 1.
    normalized_coords : bool
        Whether coordinates range from 0 to 1 rather than from 0 to the extent.
    srgb : bool
        Whether elements of ``"uint8"`` are converted from sRGB to linear values when read.
    disable_trilinear_optimization : bool
        Whether to disable the driver's optimisation of trilinear filtering.
    seamless_cubemap : bool
        Whether filtering crosses the edges of a cube map's faces.
    max_anisotropy : int
        The maximum ratio of anisotropic filtering, up to 16.
    mipmap_filter_mode : FilterModeType or str
        The filter mode between mipmap levels.
    mipmap_level_bias : float
        The offset that is added to the requested level.
    min_mipmap_level_clamp, max_mipmap_level_clamp : float
        The range of levels.
    border_color : tuple of float, optional
        The border colour for ``"border"``, 4 channels whatever the array has; 0 by default.

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
        self._border()

    def _border(self) -> tuple[float, ...]:
        if self.border_color is None:
            return (0.0,) * 4
        try:
            border = tuple(float(part) for part in self.border_color)
        except (TypeError, ValueError):
            border = ()
        if len(border) != 4:
            raise ValueError(f"border_color must be a tuple of 4 numbers, not {self.border_color!r:.60}")
        return border

    def _checked(self, format: ArrayFormatType) -> TextureChoice:
        """Return the settings for elements of one format, or raise for an invalid combination."""
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
        return TextureChoice(
            modes + (modes[-1],) * (3 - len(modes)),
            filtering,
            reading,
            FilterModeType(self.mipmap_filter_mode),
            self._border(),
        )


@dataclass(frozen=True)
class TextureChoice:
    """The settings of TextureObjectOptions, validated and with defaults filled in."""

    address: tuple[AddressModeType, ...]
    filter: FilterModeType
    read: ReadModeType
    mipmap: FilterModeType
    border: tuple[float, ...]


def checked_format(format: Any, num_channels: Any) -> ArrayFormatType:
    """Return the format of elements, or raise if it or the number of channels is invalid."""
    found = _format(format)
    if num_channels not in (1, 2, 4):
        raise ValueError(f"num_channels must be 1, 2 or 4, not {num_channels!r}")
    return found


def _format(value: Any) -> ArrayFormatType:
    numpy = sys.modules.get("numpy")  # without NumPy imported, `format` cannot be a dtype
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
    """Return a shape, validated to be 1 to 3 positive extents."""
    try:
        found = tuple(extent.__index__() for extent in shape)
    except (AttributeError, TypeError):
        raise TypeError(f"shape must be a tuple of 1 to 3 ints, not {shape!r}") from None
    if not 1 <= len(found) <= 3 or min(found) < 1:
        raise ValueError(f"shape must have 1 to 3 extents of at least 1, not {shape!r}")
    return found
