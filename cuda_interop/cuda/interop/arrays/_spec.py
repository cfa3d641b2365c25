# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays without elements, for the functions of operators: inputs as they get them, outputs and workspace."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

_NO_ELEMENTS = "the function of an operator gets arrays without elements: it cannot look at them"


class Spec:
    """The shape and the type of an array that an operator gets, returns or uses as workspace.

    Attributes
    ----------
    shape : tuple of int
        Its extents.
    dtype : numpy.dtype
        The type of its elements.
    is_zeroed : bool
        Whether its elements are zero when the first kernel begins.
    """

    __slots__ = ("dtype", "is_zeroed", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], is_zeroed: bool = False) -> None:
        self.shape, self.dtype, self.is_zeroed = shape, dtype, is_zeroed

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Return the size of an element in bytes."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of all elements in bytes."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no len()")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise TypeError(_NO_ELEMENTS)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(_NO_ELEMENTS)

    def __repr__(self) -> str:
        return f"Spec({self.shape}, {self.dtype})"


def _shape(given: Any) -> tuple[int, ...]:
    extents = given if isinstance(given, Iterable) else (given,)
    try:
        shape = tuple(operator.index(each) for each in extents)
    except TypeError:
        raise TypeError(f"shape is {given!r}, must be an int or a tuple of ints") from None
    if any(each < 0 for each in shape):
        raise ValueError(f"shape is {shape}, must have no negative extent")
    return shape


def _dtype(given: Any) -> np.dtype[Any]:
    try:
        if given is None:  # which NumPy takes for float64
            raise TypeError("there is no default")
        dtype = np.dtype(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"dtype is {given!r:.60}, must be a type of elements: {error}") from None
    if dtype.hasobject:
        raise TypeError(f"dtype is {dtype}, which kernels cannot write: its elements are objects of Python")
    return dtype


def _like(array: Any, shape: Any, dtype: Any) -> tuple[Any, Any]:
    """Return the shape and the type of an array, unless others are given."""
    if not (hasattr(array, "shape") and hasattr(array, "dtype")):
        raise TypeError(f"array is {array!r:.60}, must be an array, with shape and dtype")
    return array.shape if shape is None else shape, array.dtype if dtype is None else dtype


def empty(shape: int | Iterable[int], dtype: Any) -> Spec:
    """Create an output or workspace whose elements are not set, in the function of an operator.

    Parameters
    ----------
    shape : int or tuple of int
        The extents.
    dtype : dtype
        The type of the elements.

    Returns
    -------
    Spec
        What the function returns, or gives to `launch_kernel`.
    """
    return Spec(_shape(shape), _dtype(dtype))


def zeros(shape: int | Iterable[int], dtype: Any) -> Spec:
    """Create an output or workspace of zeros, for kernels that add to it; see `empty`."""
    return Spec(_shape(shape), _dtype(dtype), True)


def empty_like(array: Any, shape: int | Iterable[int] | None = None, dtype: Any = None) -> Spec:
    """Create an output or workspace with the shape and type of an array, unless others are given; see `empty`."""
    return empty(*_like(array, shape, dtype))


def zeros_like(array: Any, shape: int | Iterable[int] | None = None, dtype: Any = None) -> Spec:
    """Create an output or workspace of zeros with the shape and type of an array, unless others are given."""
    return zeros(*_like(array, shape, dtype))
