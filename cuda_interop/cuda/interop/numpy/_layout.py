# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How the operands of an element-wise call lie in memory: one behind the other, or axes with strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

_Array = np.ndarray[Any, Any]
_ENOUGH = 64  # elements on the last axis that keep the threads busy


class Layout(NamedTuple):
    """The axes of a call, the one of the threads last.

    Attributes
    ----------
    extents : list of int
        The length of each axis.
    strides : list of list of int
        For each operand its strides in elements.
    """

    extents: list[int]
    strides: list[list[int]]

    @property
    def is_flat(self) -> bool:
        """Return whether every operand is one element, or elements one behind the other."""
        return len(self.extents) == 1 and all(each[0] in (0, 1) for each in self.strides)


def layout_of(shape: tuple[int, ...], operands: Sequence[_Array], output: int) -> Layout:
    """Return the layout of operands that broadcast to a shape, which has elements.

    Parameters
    ----------
    shape : tuple of int
        What the operands broadcast to.
    operands : sequence of numpy.ndarray
        Their strides are multiples of the size of an element.
    output : int
        The operand whose order of axes in memory counts.
    """
    size = 1
    for each in shape:
        size *= each
    if all(each.size == 1 or (each.flags.c_contiguous and each.shape == shape) for each in operands):
        return Layout([size], [[int(each.size > 1)] for each in operands])
    strides = [_strides(each, len(shape), shape) for each in operands]
    order = [axis for axis in range(len(shape)) if shape[axis] > 1]
    order.sort(key=lambda axis: -abs(strides[output][axis]))
    return _threads_last(_merged([shape[axis] for axis in order], [[s[axis] for axis in order] for s in strides]))


def _strides(array: _Array, axes: int, shape: tuple[int, ...]) -> list[int]:
    """Return strides in elements, 0 where the array is broadcast."""
    found = [0] * (axes - array.ndim) + [
        stride // array.itemsize if extent > 1 else 0 for stride, extent in zip(array.strides, array.shape, strict=True)
    ]
    return [stride if shape[axis] > 1 else 0 for axis, stride in enumerate(found)]


def _merged(extents: list[int], strides: list[list[int]]) -> Layout:
    """Return fewer axes: two are one if every operand's elements of them lie evenly."""
    found = [extents[0]] if extents else [1]
    kept = [[each[0]] if extents else [0] for each in strides]
    for axis in range(1, len(extents)):
        if all(before[-1] == each[axis] * extents[axis] for before, each in zip(kept, strides, strict=True)):
            found[-1] *= extents[axis]
            for before, each in zip(kept, strides, strict=True):
                before[-1] = each[axis]
        else:
            found.append(extents[axis])
            for before, each in zip(kept, strides, strict=True):
                before.append(each[axis])
    return Layout(found, kept)


def _threads_last(layout: Layout) -> Layout:
    """Return the layout with an axis last that has enough elements for the threads, the longest if the last has not."""
    extents, strides = layout
    if extents[-1] >= _ENOUGH or extents[-1] == max(extents):
        return layout
    longest = extents.index(max(extents))
    for each in (extents, *strides):
        each.append(each.pop(longest))
    return layout
