# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between a Buffer and an array; the array is kept alive until its copy is done."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from cuda.core._errors import ASYNCHRONOUS, CUDAError, Reported
from cuda.core._memory._pointer import copy_bytes, is_capturing
from cuda.core._utils import _check
from cuda.core._view._view import StridedMemoryView

if TYPE_CHECKING:
    from cuda.core._memory._buffer import Buffer
    from cuda.core._stream._event import Event
    from cuda.core._stream._stream import Stream

# Objects used by copies that may still run, each with the event recorded after its copy.
_held: deque[tuple[Event, Any]] = deque()


class _Array:
    """An array as contiguous memory: address, size in bytes, and the objects that keep it alive."""

    def __init__(self, obj: Any, name: str, stream: Stream, *, written: bool) -> None:
        import numpy

        array: Any = obj
        if not isinstance(obj, (numpy.ndarray, StridedMemoryView)):
            array = viewed(obj, name, stream)
        self.keep = obj, array
        if isinstance(array, numpy.ndarray):
            self._take_numpy(array, name)
            read_only = not array.flags.writeable
        else:
            self._take_view(array, name)
            read_only = array.readonly
        if written and read_only:
            raise ValueError(f"{name} is a read-only {type(obj).__name__}: give an array that can be written")

    def _take_numpy(self, array: Any, name: str) -> None:
        if array.dtype.hasobject:
            raise TypeError(f"{name} has dtype {array.dtype}, Python objects: give an array of numbers")
        if not array.flags.c_contiguous:
            raise not_contiguous(name, array.shape, array.strides, "bytes")
        self.address, self.size = array.ctypes.data, array.nbytes
        self.description = f"{array.dtype}, shape {array.shape}"

    def _take_view(self, view: Any, name: str) -> None:
        strides = view.strides
        if not (strides is None or view.size == 0 or _is_row_major(view.shape, strides)):
            raise not_contiguous(name, view.shape, strides, "elements")
        self.address, self.size = view.ptr, view.size * view._bytes_per_item
        self.description = f"{view.dtype}, shape {view.shape}"


def viewed(obj: Any, name: str, stream: Stream) -> Any:
    """Return an array, or anything with the buffer protocol, as a NumPy array or a view."""
    import numpy

    try:
        memory = memoryview(obj)
    except (TypeError, BufferError, ValueError):
        memory = None
    if memory is not None:
        try:
            return numpy.asarray(memory)
        except (TypeError, ValueError):  # a format that NumPy does not know
            if not memory.c_contiguous:
                raise not_contiguous(name, memory.shape, memory.strides, "bytes") from None
            return numpy.frombuffer(memory.cast("B"), numpy.uint8)
    if any(hasattr(obj, each) for each in ("__dlpack__", "__cuda_array_interface__", "__array_interface__")):
        return StridedMemoryView.from_any_interface(obj, stream_ptr=stream.__cuda_stream__()[1])
    advice = f"; numpy.asarray({name}, dtype) makes one" if isinstance(obj, (list, tuple, int, float, complex)) else ""
    raise TypeError(
        f"{name} must be a Buffer or an array (NumPy's, or one with the buffer protocol, DLPack or the CUDA Array "
        f"Interface), not {type(obj).__name__}{advice}"
    )


def _is_row_major(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def not_contiguous(name: str, shape: Any, strides: Any, unit: str) -> ValueError:
    """Return the error for an array that is not C-contiguous."""
    return ValueError(
        f"{name} of shape {shape} has strides {strides} ({unit}): give an array in C order without gaps, "
        "such as numpy.ascontiguousarray makes"
    )


def copy_array(buffer: Buffer, obj: Any, stream: Stream, options: Any, keep: Any, written: bool) -> None:
    """Copy `obj` into the buffer, or, if `written`, the buffer into `obj`, in the order of a stream.

    `keep` is the method of a graph builder that keeps objects alive, None for a stream.
    """
    name, other = ("dst", "src") if written else ("src", "dst")
    capturing = is_capturing(stream)
    if capturing and keep is None:
        raise ValueError(
            f"{name} is an array and the stream is captured, but nothing would keep the array until the graph runs: "
            "give the GraphBuilder as stream, or copy a Buffer"
        )
    array = _Array(obj, name, stream, written=written)
    if array.size != buffer.size:
        raise ValueError(
            f"{name} has {array.size} bytes ({array.description}) and {other}, a Buffer, {buffer.size}: "
            "they must be of one size"
        )
    to, of = (array.address, buffer.handle) if written else (buffer.handle, array.address)
    if options is not None:
        from cuda.core._memory._batch import copy_with_options

        copy_with_options(to, of, array.size, stream, options)
    elif array.size:
        copy_bytes(to, of, array.size, stream)
    if capturing:
        keep(buffer, array.keep)
    else:
        hold(stream, array.keep)


def hold(stream: Stream, keep: Any) -> None:
    """Keep the objects that a copy uses alive until it is done."""
    release()
    event = stream.record()
    if not event.is_done:
        _held.append((event, keep))


def release() -> None:
    """Release the objects of copies that are done."""
    for _ in range(len(_held)):
        try:
            event, keep = _held.popleft()
        except IndexError:  # another thread was faster
            break
        if not _is_over(event):
            _held.append((event, keep))


def _is_over(event: Event) -> bool:
    try:
        return event.is_done
    except CUDAError as error:  # the context has failed or is gone, and its work with it
        Reported.failures -= error.name in ASYNCHRONOUS  # this query must not count as a report to the user
        return True


_check.call_after_waits(release)
