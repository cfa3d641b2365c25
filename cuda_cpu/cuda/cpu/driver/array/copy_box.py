# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies of boxes (two or three dimensions) between memory and arrays: cuMemcpy2D, cuMemcpy3D and batches of them."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_MEMCPY_OPERAND_TYPE_ARRAY,
    CU_MEMCPY_OPERAND_TYPE_POINTER,
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CU_MEMORYTYPE_UNIFIED,
    CUDA_MEMCPY2D,
    CUDA_MEMCPY3D,
    CUDA_MEMCPY3D_BATCH_OP,
    CUDA_MEMCPY3D_PEER,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.base import address, capture_state
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.memory.copy import NO_INDEX, SOURCE_ORDERS, SYNC
from cuda.cpu.driver.stream import stream as streams


class Side:
    """One end of a copy of boxes: an address, and how far apart rows and planes are."""

    __slots__ = ("address", "pageable", "pitch", "plane")

    def __init__(self, name: str, given: Any, end: str, width: int, height: int, depth: int) -> None:
        kind = getattr(given, f"{end}MemoryType")
        if kind == CU_MEMORYTYPE_ARRAY:
            self._place_in_array(name, given, end, (width, height, depth))
            return
        if kind not in (CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED):
            raise invalid(f"{name}: {end}MemoryType is {kind}, no CUmemorytype")
        x, y, z = (getattr(given, end + part, 0) for part in ("XInBytes", "Y", "Z"))
        self.pitch = getattr(given, f"{end}Pitch") or (width if height == 1 and depth == 1 else width + x)
        if self.pitch < width + x:
            raise invalid(f"{name}: {end}Pitch {self.pitch} is less than {end}XInBytes + WidthInBytes, {width + x}")
        rows = getattr(given, f"{end}Height", 0) or height + y
        if depth > 1 and rows < height + y:
            raise invalid(f"{name}: {end}Height {rows} is less than {end}Y + Height, {height + y}")
        self.plane = self.pitch * rows
        base = getattr(given, f"{end}Host" if kind == CU_MEMORYTYPE_HOST else f"{end}Device") or 0
        self.address = base + z * self.plane + y * self.pitch + x if base else 0
        size = (depth - 1) * self.plane + (height - 1) * self.pitch + width
        record = address.check(f"{name}: {end}", self.address, size, device=kind == CU_MEMORYTYPE_DEVICE)
        self.pageable = record is None

    def _place_in_array(self, name: str, given: Any, end: str, size: tuple[int, int, int]) -> None:
        found = arrays.find_plain(getattr(given, f"{end}Array") or 0, name)
        shape, at = found.shape, tuple(getattr(given, end + part, 0) for part in ("XInBytes", "Y", "Z"))
        for axis, first, count, limit in zip("xyz", at, size, (shape.row, shape.rows, shape.layers), strict=True):
            if first + count > limit:
                unit = "bytes in a row" if axis == "x" else "rows" if axis == "y" else "layers"
                raise invalid(f"{name}: {end}: {count} from {first} on along {axis}, the array has {limit} {unit}")
        if at[0] % shape.element or size[0] % shape.element:
            raise invalid(
                f"{name}: {end}XInBytes {at[0]} and WidthInBytes {size[0]} must be whole elements of an array"
            )
        self.pitch, self.plane, self.pageable = shape.pitch, shape.slice, False
        self.address = found.start + at[2] * self.plane + at[1] * self.pitch + at[0]


def copy_box(name: str, given: Any, stream_handle: int) -> None:
    """Copy what a CUDA_MEMCPY2D, CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER describes."""
    stream = streams.find(0 if stream_handle == SYNC else stream_handle)
    if stream_handle == SYNC:
        capture_state.check_safe(name)
    pinned = queue_box(name, given, stream)
    if stream.capture is None and (stream_handle == SYNC or not pinned):
        wait.for_queues(stream.context, [stream.queue], own=True, promised=stream_handle == SYNC)


def queue_box(name: str, given: Any, stream: Any) -> bool:
    """Put the copy in the queue of stream `stream`, and return whether the caller may go on before it is done."""
    width, height, depth = given.WidthInBytes, given.Height, getattr(given, "Depth", 1)
    if not (width and height and depth):
        return True
    source, target = (Side(name, given, end, width, height, depth) for end in ("src", "dst"))
    queue = stream.queue_after_waits()
    for z in range(depth):
        queue.copy_2d(
            target.address + z * target.plane,
            target.pitch,
            source.address + z * source.plane,
            source.pitch,
            width,
            height,
        )
    return not (source.pageable or target.pageable)


def _view(name: str, structure: Any, ptr: int) -> Any:
    if not ptr:
        raise invalid(f"{name}: pCopy is NULL")
    return structure.from_address(ptr)


def cuMemcpy2D(pCopy: int) -> None:
    copy_box("cuMemcpy2D", _view("cuMemcpy2D", CUDA_MEMCPY2D, pCopy), SYNC)


def cuMemcpy2DUnaligned(pCopy: int) -> None:
    copy_box("cuMemcpy2DUnaligned", _view("cuMemcpy2DUnaligned", CUDA_MEMCPY2D, pCopy), SYNC)


def cuMemcpy2DAsync(pCopy: int, hStream: int) -> None:
    copy_box("cuMemcpy2DAsync", _view("cuMemcpy2DAsync", CUDA_MEMCPY2D, pCopy), hStream)


def cuMemcpy3D(pCopy: int) -> None:
    copy_box("cuMemcpy3D", _view("cuMemcpy3D", CUDA_MEMCPY3D, pCopy), SYNC)


def cuMemcpy3DAsync(pCopy: int, hStream: int) -> None:
    copy_box("cuMemcpy3DAsync", _view("cuMemcpy3DAsync", CUDA_MEMCPY3D, pCopy), hStream)


def _peer(name: str, ptr: int) -> Any:
    given = _view(name, CUDA_MEMCPY3D_PEER, ptr)
    context.find(given.srcContext or 0), context.find(given.dstContext or 0)
    return given


def cuMemcpy3DPeer(pCopy: int) -> None:
    copy_box("cuMemcpy3DPeer", _peer("cuMemcpy3DPeer", pCopy), SYNC)


def cuMemcpy3DPeerAsync(pCopy: int, hStream: int) -> None:
    copy_box("cuMemcpy3DPeerAsync", _peer("cuMemcpy3DPeerAsync", pCopy), hStream)


def _element(name: str, given: Any) -> int:
    """Return the bytes in which an entry of a batch counts: an array's elements, where there is one."""
    ends = [end for end in (given.src, given.dst) if end.type == CU_MEMCPY_OPERAND_TYPE_ARRAY]
    sizes = {arrays.find_plain(end.op.array.array or 0, name).shape.element for end in ends} or {1}
    if len(sizes) > 1:
        raise invalid(f"{name}: the elements of the arrays have {' and '.join(map(str, sorted(sizes)))} bytes")
    return sizes.pop()


def _operand(name: str, index: int, end: str, given: Any, box: Any, element: int) -> None:
    """Write one end of an entry of a batch into a CUDA_MEMCPY3D."""
    if given.type == CU_MEMCPY_OPERAND_TYPE_ARRAY:
        found, corner = arrays.find(given.op.array.array or 0, name), given.op.array.offset
        setattr(box, f"{end}MemoryType", CU_MEMORYTYPE_ARRAY)
        setattr(box, f"{end}Array", found.handle)
        setattr(box, f"{end}XInBytes", corner.x * element)
        setattr(box, f"{end}Y", corner.y)
        setattr(box, f"{end}Z", corner.z)
        return
    if given.type != CU_MEMCPY_OPERAND_TYPE_POINTER:
        raise invalid(f"{name}: {end}.type of entry {index} is {given.type}, no CUmemcpy3DOperandType")
    linear = given.op.ptr
    setattr(box, f"{end}MemoryType", CU_MEMORYTYPE_UNIFIED)
    setattr(box, f"{end}Device", linear.ptr)
    setattr(box, f"{end}Pitch", linear.rowLength * element)
    setattr(box, f"{end}Height", linear.layerHeight)


def cuMemcpy3DBatchAsync(numOps: int, opList: int, flags: int, hStream: int) -> None:
    """Copy many boxes, all of them checked before the first is queued."""
    name = "cuMemcpy3DBatchAsync"
    if hStream in (0, streams.LEGACY):
        raise invalid(f"{name}: hStream must not be the legacy default stream")
    if flags or not (numOps and opList):
        raise invalid(f"{name}: flags is {flags}, must be 0, or there are no operations")
    boxes = []
    for i, given in enumerate((CUDA_MEMCPY3D_BATCH_OP * numOps).from_address(opList)):
        if given.srcAccessOrder not in SOURCE_ORDERS:
            raise invalid(f"{name}: srcAccessOrder of entry {i} is {given.srcAccessOrder}")
        size, element = given.extent, _element(name, given)
        box = CUDA_MEMCPY3D(WidthInBytes=size.width * element, Height=size.height, Depth=size.depth)
        for end in ("src", "dst"):
            _operand(name, i, end, getattr(given, end), box, element)
            if size.width and size.height and size.depth:
                Side(name, box, end, box.WidthInBytes, size.height, size.depth)
        boxes.append(box)
    for box in boxes:
        copy_box(name, box, hStream)


def cuMemcpy3DBatchAsync_v1(numOps: int, opList: int, flags: int, hStream: int) -> int:
    cuMemcpy3DBatchAsync(numOps, opList, flags, hStream)
    return NO_INDEX


def cuMemcpy3DWithAttributesAsync(op: int, flags: int, hStream: int) -> None:
    """Copy one box, described as an entry of a batch."""
    if not op:
        raise invalid("cuMemcpy3DWithAttributesAsync: op is NULL")
    cuMemcpy3DBatchAsync(1, op, flags, hStream)
