# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of tensor maps (TMA): enumerations with the values of cuda.h, and TensorMapDescriptorOptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from cuda.core._utils._options import named_options

__all__ = [
    "TensorMapDataType",
    "TensorMapDescriptorOptions",
    "TensorMapInterleave",
    "TensorMapL2Promotion",
    "TensorMapOOBFill",
    "TensorMapSwizzle",
]


class TensorMapDataType(IntEnum):
    """The element type of a tensor map."""

    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    INT32 = 3
    UINT64 = 4
    INT64 = 5
    FLOAT16 = 6
    FLOAT32 = 7
    FLOAT64 = 8
    BFLOAT16 = 9
    FLOAT32_FTZ = 10
    TFLOAT32 = 11
    TFLOAT32_FTZ = 12


class TensorMapInterleave(IntEnum):
    """The interleaving of channels, in slices of 16 or 32 bytes."""

    NONE = 0
    INTERLEAVE_16B = 1
    INTERLEAVE_32B = 2


class TensorMapSwizzle(IntEnum):
    """The permutation of 16-byte chunks in shared memory, within spans of this many bytes."""

    NONE = 0
    SWIZZLE_32B = 1
    SWIZZLE_64B = 2
    SWIZZLE_128B = 3
    SWIZZLE_128B_ATOM_32B = 4
    SWIZZLE_128B_ATOM_32B_FLIP_8B = 5
    SWIZZLE_128B_ATOM_64B = 6


class TensorMapL2Promotion(IntEnum):
    """The granularity, in bytes, with which data is fetched into the L2 cache."""

    NONE = 0
    L2_64B = 1
    L2_128B = 2
    L2_256B = 3


class TensorMapOOBFill(IntEnum):
    """The fill value outside of the array: 0, or a NaN that FMA instructions treat as 0."""

    NONE = 0
    NAN_REQUEST_ZERO_FMA = 1


_KINDS = {
    "interleave": TensorMapInterleave,
    "swizzle": TensorMapSwizzle,
    "l2_promotion": TensorMapL2Promotion,
    "oob_fill": TensorMapOOBFill,
}


@named_options
@dataclass
class TensorMapDescriptorOptions:
    """Options of `StridedMemoryView.as_tensor_map`.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    box_dim : tuple of int
        The extents of the box that one copy moves, in elements, axes in the order of the array's shape.
    element_strides : tuple of int, optional
        Along each axis, n to copy every n-th element; 1 by default.
    data_type : numpy.dtype or TensorMapDataType, optional
        The type of the elements; the array's own by default.
    interleave : TensorMapInterleave
        The interleaving of channels.
    swizzle : TensorMapSwizzle
        The permutation of 16-byte chunks in shared memory.
    l2_promotion : TensorMapL2Promotion
        The granularity with which data is fetched into the L2 cache.
    oob_fill : TensorMapOOBFill
        The fill value outside of the array.

    Examples
    --------
    >>> from cuda.core.utils import StridedMemoryView
    >>> options = TensorMapDescriptorOptions(box_dim=(10, 4))
    >>> view = StridedMemoryView.from_buffer(device.allocate(1600, stream=stream), (20, 20), dtype=np.dtype("f4"))
    >>> view.as_tensor_map(options=options).device == device
    True
    """

    box_dim: tuple[int, ...]
    element_strides: tuple[int, ...] | None = None
    data_type: Any = None
    interleave: TensorMapInterleave = TensorMapInterleave.NONE
    swizzle: TensorMapSwizzle = TensorMapSwizzle.NONE
    l2_promotion: TensorMapL2Promotion = TensorMapL2Promotion.NONE
    oob_fill: TensorMapOOBFill = TensorMapOOBFill.NONE

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, not {value!r} ({type(value).__name__})")


# NumPy's name of a type -> TensorMapDataType. Tensor copies only move bits, so that signed and narrow floating types
# without a type of their own are moved as unsigned ones of the same size.
_TYPES = {
    "bool": TensorMapDataType.UINT8,
    "int8": TensorMapDataType.UINT8,
    "uint8": TensorMapDataType.UINT8,
    "int16": TensorMapDataType.UINT16,
    "uint16": TensorMapDataType.UINT16,
    "int32": TensorMapDataType.INT32,
    "uint32": TensorMapDataType.UINT32,
    "int64": TensorMapDataType.INT64,
    "uint64": TensorMapDataType.UINT64,
    "float16": TensorMapDataType.FLOAT16,
    "float32": TensorMapDataType.FLOAT32,
    "float64": TensorMapDataType.FLOAT64,
    "bfloat16": TensorMapDataType.BFLOAT16,
}
SIZES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)  # bytes, in the order of TensorMapDataType
FLOATS = range(TensorMapDataType.FLOAT16, TensorMapDataType.TFLOAT32_FTZ + 1)


def data_type_of(chosen: Any, dtype: Any, itemsize: int) -> TensorMapDataType:
    """Return the type of the elements: the one chosen, which must have the array's size, or the array's."""
    if isinstance(chosen, TensorMapDataType):
        found = chosen
    else:
        import numpy

        if chosen is None and dtype is None:
            raise ValueError("data_type must be given: the view has no dtype")
        name = numpy.dtype(dtype if chosen is None else chosen).name
        if name.startswith("float8"):
            name = "uint8"
        if name not in _TYPES:
            raise TypeError(f"tensor copies have no elements of type {name}; they have {', '.join(_TYPES)}")
        found = _TYPES[name]
    if SIZES[found] != itemsize:
        raise ValueError(f"data_type {found.name} has {SIZES[found]} bytes, but the view's elements have {itemsize}")
    return found


def numbers(values: Any, count: int, name: str, most: int) -> tuple[int, ...]:
    """Return the values, checked to be one int from 1 to `most` for each axis."""
    try:
        found = tuple(value.__index__() for value in values)
    except (AttributeError, TypeError):
        raise TypeError(f"{name} must be a tuple of ints, not {values!r}") from None
    if len(found) != count:
        raise ValueError(f"{name} has {len(found)} extents, but the view has {count} axes")
    if found and not (min(found) >= 1 and max(found) <= most):
        raise ValueError(f"{name} is {found}, but each must be from 1 to {most}")
    return found
