# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Divide a copy between two strided arrays into the boxes that the driver copies with one call each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

# CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device.
_LARGEST_PITCH = 2**31 - 1


class Box(NamedTuple):
    """A copy of `depth` planes of `height` rows of `width` bytes; offsets, pitches and planes in bytes."""

    to: int
    start: int
    width: int
    height: int
    depth: int
    to_pitch: int
    start_pitch: int
    to_plane: int
    start_plane: int


class _Axis(NamedTuple):
    extent: int
    to: int
    start: int


def boxes(shape: tuple[int, ...], to: tuple[int, ...], start: tuple[int, ...], itemsize: int) -> Iterator[Box]:
    """Yield the boxes of a copy between arrays of one shape, with their strides in bytes."""
    if 0 in shape:
        return
    (to_base, start_base), axes = _ascending(shape, to, start)
    width = itemsize
    while axes and axes[0].to == width and axes[0].start == width:
        width *= axes.pop(0).extent
    axes = _merged(axes)
    row = axes.pop(0) if axes and _is_pitch(axes[0].to, width) and _is_pitch(axes[0].start, width) else _Axis(1, 0, 0)
    plane = _Axis(1, 0, 0)
    if axes and row.extent > 1 and _are_planes(axes[0].to, row.to, row) and _are_planes(axes[0].start, row.start, row):
        plane = axes.pop(0)
    for indices in itertools.product(*(range(axis.extent) for axis in axes)):
        pairs = list(zip(indices, axes, strict=True))
        yield Box(
            to_base + sum(index * axis.to for index, axis in pairs),
            start_base + sum(index * axis.start for index, axis in pairs),
            width,
            row.extent,
            plane.extent,
            *row[1:],
            *plane[1:],
        )


def _ascending(
    shape: tuple[int, ...], to: tuple[int, ...], start: tuple[int, ...]
) -> tuple[tuple[int, int], list[_Axis]]:
    """Return offsets and axes by ascending stride; axes with a negative stride in the destination are reversed."""
    axes = [_Axis(*axis) for axis in zip(shape, to, start, strict=True) if axis[0] != 1]
    reversed_axes = [axis for axis in axes if axis.to < 0]
    base = (
        sum((axis.extent - 1) * axis.to for axis in reversed_axes),
        sum((axis.extent - 1) * axis.start for axis in reversed_axes),
    )
    axes = [_Axis(axis.extent, -axis.to, -axis.start) if axis.to < 0 else axis for axis in axes]
    return base, sorted(axes, key=lambda axis: (axis.to, abs(axis.start)))


def _merged(axes: list[_Axis]) -> list[_Axis]:
    """Return the axes with neighbours joined that continue each other in both arrays."""
    merged: list[_Axis] = []
    for axis in axes:
        last = merged[-1] if merged else None
        if last and axis.to == last.to * last.extent and axis.start == last.start * last.extent:
            merged[-1] = last._replace(extent=last.extent * axis.extent)
        else:
            merged.append(axis)
    return merged


def _is_pitch(stride: int, width: int) -> bool:
    return width <= stride <= _LARGEST_PITCH


def _are_planes(stride: int, pitch: int, row: _Axis) -> bool:
    return stride % pitch == 0 and stride >= pitch * row.extent
