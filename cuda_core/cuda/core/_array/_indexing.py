# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Basic indexing as NumPy defines it: views by integers, slices, `...` and None, without copies."""

from __future__ import annotations

from typing import Any


def index_view(shape: tuple[int, ...], strides: tuple[int, ...], key: Any) -> tuple[int, Any, Any]:
    """Return offset in bytes, shape and strides of `array[key]`."""
    parts = _expanded(key if type(key) is tuple else (key,), len(shape))
    extents: list[int] = []
    steps: list[int] = []
    offset = axis = 0
    for part in parts:
        if part is None:
            extents.append(1)
            steps.append(0)
            continue
        extent, stride = shape[axis], strides[axis]
        if type(part) is slice:
            start, _, step = bounds = part.indices(extent)
            count = len(range(*bounds))
            if count:
                offset += start * stride
            extents.append(count)
            steps.append(step * stride)
        else:
            position = _position(part)
            if not -extent <= position < extent:
                raise IndexError(f"index {position} is out of bounds for axis {axis} with size {extent}")
            offset += position % extent * stride
        axis += 1
    return offset, (*extents, *shape[axis:]), (*steps, *strides[axis:])


def _expanded(parts: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """Return the parts of an index with `...` replaced by full slices."""
    given = used = 0
    for part in parts:
        given += part is ...
        used += part is not None and part is not ...
    if given > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    if not given:
        return parts
    at = next(position for position, part in enumerate(parts) if part is ...)
    return (*parts[:at], *(slice(None),) * (ndim - used), *parts[at + 1 :])


def _position(part: Any) -> int:
    if not isinstance(part, bool) and not getattr(part, "ndim", 0):
        try:
            position: int = part.__index__()
            return position
        except (AttributeError, TypeError):
            pass
    raise IndexError(
        f"a DeviceArray is indexed by ints, slices, ..., None and names of fields, not {type(part).__name__}: "
        "select elements with a kernel, or on the host, array.to_host()[...]"
    )
