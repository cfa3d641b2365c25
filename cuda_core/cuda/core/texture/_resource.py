# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ResourceDescriptor: the memory behind a texture or surface (CUDA_RESOURCE_DESC)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.core._errors import ClosedError
from cuda.core.texture._options import SIZES, checked_format

if TYPE_CHECKING:
    from cuda.core._memory._buffer import Buffer
    from cuda.core.texture._array import MipmappedArray, OpaqueArray
    from cuda.core.typing import ArrayFormatType


class ResourceDescriptor:
    """A description of the image of a texture or surface: an array, or memory in a Buffer. It keeps the image alive.

    Thread safety: immutable; threads may share it.

    Examples
    --------
    >>> memory = device.allocate(4096, stream=stream)
    >>> resource = ResourceDescriptor.from_linear(memory, format="float32", num_channels=1)
    >>> resource.kind, resource.source is memory
    ('linear', True)
    """

    __slots__ = (
        "__weakref__",
        "_format",
        "_height",
        "_kind",
        "_num_channels",
        "_pitch_bytes",
        "_size_bytes",
        "_source",
        "_width",
    )

    _format: ArrayFormatType
    _height: int | None
    _kind: str
    _num_channels: int
    _pitch_bytes: int | None
    _size_bytes: int | None
    _source: Any
    _width: int | None

    def __init__(self) -> None:
        raise RuntimeError("a ResourceDescriptor is not made directly: use one of its from_... methods")

    @classmethod
    def _make(cls, kind: str, source: Any, **fields: Any) -> ResourceDescriptor:
        self = cls.__new__(cls)
        self._kind, self._source = kind, source
        for name in ("format", "num_channels", "size_bytes", "width", "height", "pitch_bytes"):
            setattr(self, f"_{name}", fields.get(name))
        return self

    @classmethod
    def from_opaque_array(cls, array: OpaqueArray) -> ResourceDescriptor:
        """Describe an array, for a texture or a surface.

        Parameters
        ----------
        array : OpaqueArray
            The array.

        Returns
        -------
        ResourceDescriptor
            A description that keeps the array alive.

        Raises
        ------
        TypeError
            If `array` is not an OpaqueArray.
        ClosedError
            If the array is closed.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(4, 2), format="uint8", num_channels=4))
        >>> ResourceDescriptor.from_opaque_array(image).kind
        'array'
        """
        from cuda.core.texture._array import OpaqueArray

        _check(array, OpaqueArray, "array")
        return cls._make("array", array, format=array.format, num_channels=array.num_channels)

    @classmethod
    def from_mipmapped_array(cls, mipmapped_array: MipmappedArray) -> ResourceDescriptor:
        """Describe a mipmapped array, for a texture.

        Parameters
        ----------
        mipmapped_array : MipmappedArray
            The array.

        Returns
        -------
        ResourceDescriptor
            A description that keeps the array alive.

        Raises
        ------
        TypeError
            If `mipmapped_array` is not a MipmappedArray.
        ClosedError
            If the array is closed.

        Examples
        --------
        >>> from cuda.core.texture import MipmappedArrayOptions
        >>> options = MipmappedArrayOptions(shape=(8, 8), format="float32", num_channels=1, num_levels=4)
        >>> ResourceDescriptor.from_mipmapped_array(device.create_mipmapped_array(options)).kind
        'mipmapped_array'
        """
        from cuda.core.texture._array import MipmappedArray

        _check(mipmapped_array, MipmappedArray, "mipmapped_array")
        fields = {"format": mipmapped_array.format, "num_channels": mipmapped_array.num_channels}
        return cls._make("mipmapped_array", mipmapped_array, **fields)

    @classmethod
    def from_linear(
        cls, buffer: Buffer, *, format: ArrayFormatType | str, num_channels: int, size_bytes: int | None = None
    ) -> ResourceDescriptor:
        """Describe linear memory in a Buffer, for a texture that is read by index, without filtering.

        Parameters
        ----------
        buffer : Buffer
            Device memory.
        format : ArrayFormatType, str or NumPy dtype
            The type of the channels.
        num_channels : int
            The number of channels per element: 1, 2 or 4.
        size_bytes : int, optional
            The size of the part of the buffer to use; all of it by default.

        Returns
        -------
        ResourceDescriptor
            A description that keeps the buffer alive.

        Raises
        ------
        TypeError
            If `buffer` is not a Buffer.
        ValueError
            If the buffer is host memory, `size_bytes` exceeds it, or there is no such format.
        ClosedError
            If the buffer is closed.

        Examples
        --------
        >>> memory = device.allocate(4096, stream=stream)
        >>> ResourceDescriptor.from_linear(memory, format="float32", num_channels=4).size_bytes
        4096
        """
        size = _check_buffer(buffer)
        found = checked_format(format, num_channels)
        if size_bytes is not None and not 0 < size_bytes <= size:
            raise ValueError(f"size_bytes must be from 1 to the buffer's {size}, not {size_bytes}")
        fields = {"format": found, "num_channels": num_channels}
        return cls._make("linear", buffer, size_bytes=size if size_bytes is None else size_bytes, **fields)

    @classmethod
    def from_pitch2d(
        cls,
        buffer: Buffer,
        *,
        format: ArrayFormatType | str,
        num_channels: int,
        width: int,
        height: int,
        pitch_bytes: int,
    ) -> ResourceDescriptor:
        """Describe a two-dimensional image with row pitch in a Buffer, for a texture.

        Parameters
        ----------
        buffer : Buffer
            Device memory.
        format : ArrayFormatType, str or NumPy dtype
            The type of the channels.
        num_channels : int
            The number of channels per element: 1, 2 or 4.
        width, height : int
            The number of elements in a row, and of rows.
        pitch_bytes : int
            Bytes from one row to the next: a multiple of the device's requirement
            (``device.properties.texture_pitch_alignment``).

        Returns
        -------
        ResourceDescriptor
            A description that keeps the buffer alive.

        Raises
        ------
        TypeError
            If `buffer` is not a Buffer.
        ValueError
            If the buffer is host memory or too small, `pitch_bytes` less than a row, or there is no such format.
        ClosedError
            If the buffer is closed.

        Examples
        --------
        >>> memory = device.allocate(4096, stream=stream)
        >>> resource = ResourceDescriptor.from_pitch2d(
        ...     memory, format="float32", num_channels=1, width=100, height=8, pitch_bytes=512
        ... )
        >>> resource.width, resource.pitch_bytes
        (100, 512)
        """
        size = _check_buffer(buffer)
        found = checked_format(format, num_channels)
        line = width * SIZES[found] * num_channels
        if width < 1 or height < 1:
            raise ValueError(f"width and height must be at least 1, not {width} and {height}")
        if pitch_bytes < line:
            raise ValueError(f"pitch_bytes is {pitch_bytes}, but a line of {width} elements has {line} bytes")
        if (height - 1) * pitch_bytes + line > size:
            needed = (height - 1) * pitch_bytes + line
            raise ValueError(f"{height} lines of pitch_bytes {pitch_bytes} need {needed} bytes, but buffer has {size}")
        fields = {"format": found, "num_channels": num_channels, "width": width, "height": height}
        return cls._make("pitch2d", buffer, pitch_bytes=pitch_bytes, **fields)

    @property
    def kind(self) -> str:
        """Return ``"array"``, ``"mipmapped_array"``, ``"linear"`` or ``"pitch2d"``."""
        return self._kind

    @property
    def source(self) -> OpaqueArray | MipmappedArray | Buffer:
        """Return the array or Buffer."""
        return self._source

    @property
    def format(self) -> ArrayFormatType:
        """Return the type of the channels."""
        return self._format

    @property
    def num_channels(self) -> int:
        """Return the number of channels per element."""
        return self._num_channels

    @property
    def size_bytes(self) -> int | None:
        """Return the size of linear memory in bytes; None for other kinds."""
        return self._size_bytes

    @property
    def width(self) -> int | None:
        """Return the number of elements in a row of an image in a Buffer; None for other kinds."""
        return self._width

    @property
    def height(self) -> int | None:
        """Return the number of rows of an image in a Buffer; None for other kinds."""
        return self._height

    @property
    def pitch_bytes(self) -> int | None:
        """Return the bytes from one row to the next of an image in a Buffer; None for other kinds."""
        return self._pitch_bytes

    def __repr__(self) -> str:
        return f"<ResourceDescriptor {self._kind} of {self._source!r}>"


def _check(value: Any, kind: type[Any], name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    if value.is_closed:
        raise ClosedError(f"{name} is closed")


def _check_buffer(buffer: Any) -> int:
    """Return the size of a Buffer, or raise if kernels cannot access it."""
    from cuda.core._memory._buffer import Buffer

    _check(buffer, Buffer, "buffer")
    if not buffer.is_device_accessible:
        raise ValueError("buffer is memory of the host, which kernels do not reach")
    return buffer.size
