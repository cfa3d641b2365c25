# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between strided views, one driver copy for each contiguous piece."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cuda.core._memory._pointer import copy_bytes
from cuda.core._view._layout import row_major

if TYPE_CHECKING:
    from cuda.core._view._view import StridedMemoryView


def _viewed(obj: Any, queue: Any) -> StridedMemoryView:
    """Return a view or an array as a view."""
    from cuda.core import Buffer
    from cuda.core.utils import StridedMemoryView

    if isinstance(obj, StridedMemoryView):
        return obj
    advice = "; StridedMemoryView.from_buffer makes one of it" if isinstance(obj, Buffer) else ""
    if not advice:
        try:
            return StridedMemoryView.from_any_interface(obj, stream_ptr=queue.__cuda_stream__()[1])
        except BufferError as error:
            advice = f": {error}"
    raise TypeError(f"other must be a StridedMemoryView or an array, not {type(obj).__name__}{advice}")


def copy_view(dst: Any, src: Any, stream: Any, blocking: bool | None) -> None:
    """Copy all elements of `src` into `dst` in the order of `stream`; one of them may be an array."""
    from cuda.core._stream._stream import to_stream

    if getattr(dst, "readonly", False):  # `dst` is the view on which copy_from was called
        raise ValueError("this view is read-only")
    queue = to_stream(stream)
    dst, src = _viewed(dst, queue), _viewed(src, queue)
    if dst.readonly:
        raise ValueError("other is a read-only array")
    if dst.shape != src.shape:
        raise ValueError(f"the views have shapes {dst.shape} and {src.shape}: they must be equal")
    if dst._bytes_per_item != src._bytes_per_item:
        raise ValueError(f"the elements have {dst._bytes_per_item} and {src._bytes_per_item} bytes: they must be equal")
    for to, start, nbytes in pieces(dst, src):
        copy_bytes(dst.ptr + to, src.ptr + start, nbytes, queue)
    host_only = not (dst.is_device_accessible and src.is_device_accessible)
    if host_only if blocking is None else blocking:
        queue.sync()


def pieces(dst: Any, src: Any) -> Iterator[tuple[int, int, int]]:
    """Yield offset in `dst`, offset in `src` and size, in bytes, of pieces that are contiguous in both."""
    itemsize = dst._bytes_per_item
    axes = zip(dst.shape, dst.strides or row_major(dst.shape), src.strides or row_major(src.shape), strict=True)
    # The axis with the smallest strides in both is the innermost, whatever its position in the shape.
    sorted_axes = sorted((axis for axis in axes if axis[0] != 1), key=lambda axis: (abs(axis[1]), abs(axis[2])))
    if 0 in dst.shape:
        return
    run = 1
    while sorted_axes and sorted_axes[0][1] == run and sorted_axes[0][2] == run:
        run *= sorted_axes.pop(0)[0]
    for indices in itertools.product(*(range(axis[0]) for axis in sorted_axes)):
        to = sum(index * axis[1] for index, axis in zip(indices, sorted_axes, strict=True))
        start = sum(index * axis[2] for index, axis in zip(indices, sorted_axes, strict=True))
        yield to * itemsize, start * itemsize, run * itemsize
