# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between DeviceArrays and other arrays, with any strides, in the order of a stream or complete on return."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from cuda.core._array._boxes import boxes
from cuda.core._array._dtypes import as_dtype, dense_strides
from cuda.core._device._context import sync_device
from cuda.core._memory._array_copy import hold, viewed
from cuda.core._memory._buffer import Buffer
from cuda.core._memory._memory_pool import is_any_captured
from cuda.core._memory._pointer import copy_box, copy_bytes, is_capturing
from cuda.core._stream._stream import default_stream, to_stream
from cuda.core._view._view import StridedMemoryView

if TYPE_CHECKING:
    from cuda.core._array._device_array import DeviceArray
    from cuda.core._stream._stream import Stream


class Operand(NamedTuple):
    """One side of a copy: address of the first element, shape, strides in bytes, type, and the owner of the memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    on_host: bool
    owner: Any


def own_operand(array: Any) -> Operand:
    """Return a DeviceArray as an Operand."""
    array.buffer.__enter__()  # raises if it is closed
    return Operand(array.ptr, array.shape, array.strides, array.dtype, False, array)


def operand(
    obj: Any, name: str, stream: Any, kind: type, *, written: bool = False, like: DeviceArray | None = None
) -> Operand:
    """Return an array as an Operand; `kind` is DeviceArray, and a Buffer has the shape and type of `like`."""
    if isinstance(obj, kind):
        return own_operand(obj)
    if isinstance(obj, Buffer):
        return _of_buffer(obj, name, like)
    if isinstance(obj, numpy.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: give {name}.filled(value)")
    array: Any = obj
    if isinstance(obj, numpy.generic) and not written:
        array = numpy.asarray(obj)
    elif not isinstance(obj, (numpy.ndarray, StridedMemoryView)):
        array = viewed(obj, name, default_stream() if stream is None else to_stream(stream))
    if isinstance(array, numpy.ndarray):
        if written and not array.flags.writeable:
            raise ValueError(f"{name} is a read-only {type(obj).__name__}: give an array that can be written")
        dtype = as_dtype(array.dtype, f"{name}.dtype")
        return Operand(array.ctypes.data, array.shape, array.strides, dtype, True, (obj, array))
    if written and array.readonly:
        raise ValueError(f"{name} is a read-only {type(obj).__name__}: give an array that can be written")
    itemsize = array._bytes_per_item
    strides = tuple(step * itemsize for step in array.layout.strides)
    dtype = as_dtype(array.dtype, f"{name}.dtype")
    return Operand(array.ptr, array.shape, strides, dtype, not array.is_device_accessible, (obj, array))


def _of_buffer(buffer: Buffer, name: str, like: DeviceArray | None) -> Operand:
    if like is None:
        raise TypeError(f"{name} is a Buffer, which has neither shape nor type: use DeviceArray.from_buffer")
    buffer.__enter__()
    if buffer.size != like.nbytes:
        raise ValueError(f"{name} is a Buffer of {buffer.size} bytes, but the array has {like.nbytes}")
    strides = dense_strides(like.shape, like.itemsize)
    return Operand(buffer.handle, like.shape, strides, like.dtype, False, buffer)


def copy(array: DeviceArray, other: Any, stream: Any, written: bool) -> None:
    """Implement `copy_from` and, if `other` is `written`, `copy_to`."""
    name = "dst" if written else "src"
    mine = own_operand(array)
    theirs = operand(other, name, stream, type(array), written=written, like=array)
    if theirs.shape != mine.shape:
        raise ValueError(f"{name} has shape {theirs.shape}, but the array {mine.shape}: they must be equal")
    if theirs.dtype != mine.dtype:
        raise TypeError(
            f"{name} has dtype {theirs.dtype}, but the array {mine.dtype}: elements are not converted; "
            f"use astype({mine.dtype}) on the host, or a kernel"
        )
    to, start = (theirs, mine) if written else (mine, theirs)
    _ordered([array, other], stream, lambda queue: _enqueue(to, start, queue))


def copy_new(array: DeviceArray, source: Operand, stream: Any) -> None:
    """Copy into an array that no other work uses yet."""
    mine = own_operand(array)
    _ordered([source.owner], stream, lambda queue: _enqueue(mine, source, queue))


def _ordered(arrays: list[Any], stream: Any, enqueue: Callable[[Stream], None]) -> None:
    """Run `enqueue` with a stream; without one, after all work of the arrays' devices, and wait for it."""
    if stream is not None:
        enqueue(stream)
        return
    if is_any_captured():
        raise RuntimeError(
            "give stream=: a graph builder is building, and waiting for the device would invalidate its capture"
        )
    for ordinal in {_ordinal(array) for array in arrays}:
        if ordinal is not None:
            sync_device(ordinal)
    queue = default_stream()
    enqueue(queue)
    queue.sync()


def _ordinal(array: Any) -> int | None:
    """Return the device of a DeviceArray or Buffer, -1 for memory of the host, None for arrays of other libraries."""
    buffer = getattr(array, "buffer", array)
    if not isinstance(buffer, Buffer):
        return None
    return -1 if buffer.is_host_accessible else buffer.device_id


def _enqueue(to: Operand, start: Operand, stream: Any) -> None:
    queue = to_stream(stream)
    if start.on_host and not to.on_host:
        start = _rearranged(start, to.strides)
    owners = [side.owner for side in (to, start) if isinstance(side.owner, tuple)]  # arrays of other libraries
    keep = getattr(stream, "_keep", None)
    if owners and is_capturing(queue) and keep is None:
        raise ValueError(
            "the stream is captured, but nothing would keep the array until the graph runs: give the GraphBuilder as "
            "stream, or copy a DeviceArray"
        )
    for box in boxes(to.shape, to.strides, start.strides, to.dtype.itemsize):
        if box.height == 1:
            copy_bytes(to.address + box.to, start.address + box.start, box.width, queue)
        else:
            copy_box(to.address, to.on_host, start.address, start.on_host, box, queue)
    if keep is not None:
        keep(to.owner, start.owner)
    elif owners:
        hold(queue, owners)


def _rearranged(source: Operand, strides: tuple[int, ...]) -> Operand:
    """Return an array of the host, copied if necessary, with its axes in the order of the destination's strides."""
    array = source.owner[1]
    dense = dense_strides(source.shape, source.dtype.itemsize, "K", strides)
    if not isinstance(array, numpy.ndarray) or array.strides == dense or array.size < 2:
        return source
    made: Any = numpy.ndarray(array.shape, array.dtype, strides=dense)
    made[...] = array
    return source._replace(address=made.ctypes.data, strides=made.strides, owner=(made, made))


def to_host(array: DeviceArray, stream: Any) -> numpy.ndarray[Any, Any]:
    """Implement `DeviceArray.to_host`."""
    mine = own_operand(array)
    strides = dense_strides(mine.shape, mine.dtype.itemsize, "K", mine.strides)
    made: Any = numpy.ndarray(mine.shape, mine.dtype, strides=strides)
    theirs = Operand(made.ctypes.data, made.shape, made.strides, made.dtype, True, (made, made))
    if stream is not None and is_capturing(to_stream(stream)):
        raise ValueError("stream is captured: the result of to_host would only be there once the graph has run")
    _ordered([array], stream, lambda queue: _enqueue(theirs, mine, queue))
    if stream is not None:
        to_stream(stream).sync()
    return made


def fill(array: DeviceArray, value: Any, stream: Any, *, is_new: bool = False) -> None:
    """Implement `DeviceArray.fill`."""
    item = numpy.zeros((), array.dtype)  # padding of structures included
    if value is None or isinstance(value, (str, bytes)) or (array.dtype.names is None and numpy.ndim(value)):
        raise TypeError(f"value must be a scalar of {array.dtype}, not {value!r:.60}")
    item[()] = value
    pattern = _pattern(item.tobytes())
    whole = array.is_contiguous_c or array.is_contiguous_f
    own_operand(array)
    if not array.size:
        return
    if pattern and whole and array.ptr == array.buffer.handle and array.nbytes == array.buffer.size:
        _ordered([] if is_new else [array], stream, lambda queue: array.buffer.fill(pattern, stream=queue))
    else:
        copy(array, numpy.broadcast_to(item, array.shape), stream, False)


def _pattern(item: bytes) -> bytes:
    """Return 1, 2 or 4 bytes that repeat to the bytes of an element, b"" if there are none."""
    for width in (1, 2, 4):
        if len(item) % width == 0 and item[:width] * (len(item) // width) == item:
            return item[:width]
    return b""
