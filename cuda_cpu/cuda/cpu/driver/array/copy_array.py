# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies in one dimension between arrays and memory: boxes of one row."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CUDA_MEMCPY2D
from cuda.cpu.driver.array import copy_box
from cuda.cpu.driver.memory import copy

ARRAY, DEVICE, HOST = CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST
FIELDS = {ARRAY: "Array", DEVICE: "Device", HOST: "Host"}

End = tuple[int, int, int]  # CUmemorytype, handle or address, offset in bytes


def copy_row(name: str, target: End, source: End, size: int, stream_handle: int = copy.SYNC) -> None:
    box: Any = CUDA_MEMCPY2D(WidthInBytes=size, Height=1)
    for end, (kind, thing, offset) in (("dst", target), ("src", source)):
        setattr(box, f"{end}MemoryType", kind)
        setattr(box, f"{end}{FIELDS[kind]}", thing)
        setattr(box, f"{end}XInBytes", offset)
    copy_box.copy_box(name, box, stream_handle)


def cuMemcpyHtoA(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int) -> None:
    copy_row("cuMemcpyHtoA", (ARRAY, dstArray, dstOffset), (HOST, srcHost, 0), ByteCount)


def cuMemcpyHtoAAsync(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int, hStream: int) -> None:
    copy_row("cuMemcpyHtoAAsync", (ARRAY, dstArray, dstOffset), (HOST, srcHost, 0), ByteCount, hStream)


def cuMemcpyAtoH(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int) -> None:
    copy_row("cuMemcpyAtoH", (HOST, dstHost, 0), (ARRAY, srcArray, srcOffset), ByteCount)


def cuMemcpyAtoHAsync(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int, hStream: int) -> None:
    copy_row("cuMemcpyAtoHAsync", (HOST, dstHost, 0), (ARRAY, srcArray, srcOffset), ByteCount, hStream)


def cuMemcpyDtoA(dstArray: int, dstOffset: int, srcDevice: int, ByteCount: int) -> None:
    copy_row("cuMemcpyDtoA", (ARRAY, dstArray, dstOffset), (DEVICE, srcDevice, 0), ByteCount)


def cuMemcpyAtoD(dstDevice: int, srcArray: int, srcOffset: int, ByteCount: int) -> None:
    copy_row("cuMemcpyAtoD", (DEVICE, dstDevice, 0), (ARRAY, srcArray, srcOffset), ByteCount)


def cuMemcpyAtoA(dstArray: int, dstOffset: int, srcArray: int, srcOffset: int, ByteCount: int) -> None:
    copy_row("cuMemcpyAtoA", (ARRAY, dstArray, dstOffset), (ARRAY, srcArray, srcOffset), ByteCount)
