# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory functions that differ from the driver's: empty and pitched allocations, cudaMemset3D."""

from __future__ import annotations

import ctypes

from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import (
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_HOST_POINTER,
)
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.address import Kind
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.memory import fill, memory, pointer
from cuda.cpu.runtime_api.device import ensure_context

ELEMENT = 16  # the widest access of a kernel: rows of pitched memory are aligned for it


def cudaMalloc(size: int) -> int:
    ensure_context()
    return memory.cuMemAlloc(size) if size else 0


def cudaMallocPitch(width: int, height: int) -> tuple[int, int]:
    ensure_context()
    return memory.cuMemAllocPitch(width, height, ELEMENT) if width and height else (0, 0)


def cudaMalloc3D(pitchedDevPtr: int, extent: bytes) -> None:
    if not pitchedDevPtr:
        raise invalid("cudaMalloc3D: pitchedDevPtr is NULL")
    size = abi.cudaExtent.from_buffer_copy(extent)
    start, pitch = cudaMallocPitch(size.width, size.height * size.depth)
    made = abi.cudaPitchedPtr.from_address(pitchedDevPtr)
    made.ptr, made.pitch, made.xsize, made.ysize = start, pitch, size.width, size.height


def cudaFree(devPtr: int) -> None:
    ensure_context()
    if devPtr:
        memory.cuMemFree(devPtr)


def cudaFreeHost(ptr: int) -> None:
    ensure_context()
    if ptr:
        memory.cuMemFreeHost(ptr)


def cudaMemset(devPtr: int, value: int, count: int) -> None:
    ensure_context()
    fill.cuMemsetD8(devPtr, value & 0xFF, count)


def cudaMemsetAsync(devPtr: int, value: int, count: int, stream: int) -> None:
    ensure_context()
    fill.cuMemsetD8Async(devPtr, value & 0xFF, count, stream)


def cudaMemset2D(devPtr: int, pitch: int, value: int, width: int, height: int) -> None:
    ensure_context()
    fill.cuMemsetD2D8(devPtr, pitch, value & 0xFF, width, height)


def cudaMemset2DAsync(devPtr: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    ensure_context()
    fill.cuMemsetD2D8Async(devPtr, pitch, value & 0xFF, width, height, stream)


def cudaMemset3D(pitchedDevPtr: bytes, value: int, extent: bytes) -> None:
    for start, pitch, width, height in slices(pitchedDevPtr, extent):
        cudaMemset2D(start, pitch, value, width, height)


def cudaMemset3DAsync(pitchedDevPtr: bytes, value: int, extent: bytes, stream: int) -> None:
    for start, pitch, width, height in slices(pitchedDevPtr, extent):
        cudaMemset2DAsync(start, pitch, value, width, height, stream)


def slices(target: bytes, extent: bytes) -> list[tuple[int, int, int, int]]:
    """Return address, pitch, width and height of each slice of a box; one call fills slices that lie close."""
    of, size = abi.cudaPitchedPtr.from_buffer_copy(target), abi.cudaExtent.from_buffer_copy(extent)
    if size.height == of.ysize:
        return [(of.ptr, of.pitch, size.width, size.height * size.depth)]
    step = of.pitch * of.ysize
    return [(of.ptr + z * step, of.pitch, size.width, size.height) for z in range(size.depth)]


TYPES = {
    Kind.HOST: abi.cudaMemoryTypeHost,
    Kind.REGISTERED: abi.cudaMemoryTypeHost,
    Kind.DEVICE: abi.cudaMemoryTypeDevice,
    Kind.MANAGED: abi.cudaMemoryTypeManaged,
}


def cudaPointerGetAttributes(attributes: int, ptr: int) -> None:
    """Describe any address; what the API does not know is unregistered host memory."""
    ensure_context()
    if not attributes:
        raise invalid("cudaPointerGetAttributes: attributes is NULL")
    ctypes.memset(attributes, 0, ctypes.sizeof(abi.cudaPointerAttributes))
    answer = abi.cudaPointerAttributes.from_address(attributes)
    record = address.find(ptr)
    if record is None:
        answer.type, answer.device, answer.hostPointer = abi.cudaMemoryTypeUnregistered, abi.cudaInvalidDeviceId, ptr
        return
    answer.type = TYPES[record.kind]
    at = ctypes.addressof(answer)
    fields = {"device": CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, "devicePointer": CU_POINTER_ATTRIBUTE_DEVICE_POINTER}
    if record.kind is not Kind.DEVICE:
        fields["hostPointer"] = CU_POINTER_ATTRIBUTE_HOST_POINTER
    for field, attribute in fields.items():
        pointer.cuPointerGetAttribute(at + getattr(abi.cudaPointerAttributes, field).offset, attribute, ptr)
