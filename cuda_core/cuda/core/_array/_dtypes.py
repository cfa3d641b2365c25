# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Element types and shapes of arrays: NumPy dtypes that a kernel can read as a C++ type."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy

# NumPy kind -> sizes in bytes of the types that CUDA C++ has, too. longdouble and its complex type are not among them.
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
_MEMBERS = "give numbers: bool, integers, float16 to float64, complex, a structured type of these"


def as_dtype(dtype: Any, name: str = "dtype") -> numpy.dtype[Any]:
    """Return `dtype` as a NumPy dtype; raise TypeError if no C++ type of kernels corresponds to it."""
    try:
        found = numpy.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):  # numpy.dtype(",") raises a SyntaxError
        found = _of_ml_dtypes(dtype, name)
    if dtype is None:
        raise TypeError(f"{name} must be given: numpy.float32, for example")
    if not found.isnative:
        raise TypeError(f"{name} {found} is byte-swapped: convert the array with astype({name}.newbyteorder('='))")
    if found.hasobject:
        raise TypeError(f"{name} {found} holds Python objects, which a device cannot use: {_MEMBERS}")
    if found.subdtype is not None:
        raise TypeError(f"{name} {found} is an array itself: add its shape to that of the array")
    if not _is_supported(found):
        raise TypeError(f"{name} {found} has no equivalent in CUDA C++: {_MEMBERS}, or bfloat16 or float8 of ml_dtypes")
    return found


def _of_ml_dtypes(dtype: Any, name: str) -> numpy.dtype[Any]:
    """Return the dtype that ml_dtypes defines for a name: NumPy knows it only once ml_dtypes is imported."""
    try:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, dtype))
    except (ImportError, AttributeError, TypeError):
        raise TypeError(f"{name} must be a NumPy dtype, not {dtype!r:.60}") from None


def _is_supported(dtype: numpy.dtype[Any]) -> bool:
    if dtype.names is not None:
        fields = [dtype[name] for name in dtype.names]
        return dtype.itemsize > 0 and all(_is_supported(field.base) or _is_padding(field) for field in fields)
    if dtype.type.__module__ == "ml_dtypes":
        return dtype.name.startswith(("bfloat", "float"))
    return dtype.itemsize in _SIZES.get(dtype.kind, ())


def _is_padding(dtype: numpy.dtype[Any]) -> bool:
    """Return whether a field has no type: the array interface protocols describe padding so."""
    return dtype.kind == "V" and dtype.names is None and dtype.subdtype is None


def as_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape, given as an int or a sequence of ints, as a tuple."""
    given: Any = shape if hasattr(shape, "__iter__") else (shape,)
    try:
        found = tuple(extent.__index__() for extent in given)
    except (AttributeError, TypeError):
        raise TypeError(f"shape must be an int or a tuple of ints, not {shape!r:.60}") from None
    if any(extent < 0 for extent in found):
        raise ValueError(f"shape {found} has a negative extent")
    if len(found) > 64:
        raise ValueError(f"shape has {len(found)} axes; at most 64 are supported, as in NumPy")
    return found


def nbytes_of(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> int:
    """Return the size of a dense array in bytes, or raise if no memory can be that large."""
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes > sys.maxsize:
        raise ValueError(f"shape {shape} of {dtype} has {nbytes} bytes, more than any memory")
    return nbytes


def dense_strides(shape: Sequence[int], itemsize: int, order: str = "C", like: Any = None) -> tuple[int, ...]:
    """Return the strides in bytes of a dense array; with order "K", in the order of the strides `like`."""
    axes = list(range(len(shape)))
    if order == "K" and like is not None:
        axes.sort(key=lambda axis: -abs(like[axis]))
    elif order == "F":
        axes.reverse()
    elif order not in ("C", "K"):
        raise ValueError(f"order must be 'C', 'F' or 'K', not {order!r}")
    strides, step = [0] * len(shape), itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)
