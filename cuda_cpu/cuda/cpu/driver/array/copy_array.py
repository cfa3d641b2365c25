# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies in one dimension between arrays and memory: boxes of one row."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CUDA_MEMCPY2D
from cuda.cpu.driver.memory import copy

ARRAY, DEVICE, HOST = CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST
FIELDS = {ARRAY: "Array", DEVICE: "Device", HOST: "Host"}

End = tuple[int, int, int]  # CUmemorytype, handle or address, offset in bytes


def copy_row(name: str, target: End, source: End, size: int, where: int = copy.SYNC) -> None:
    box: Any = CUDA_MEMCPY2D(WidthInBytes=size, Height=1)
    for end, (kind, thing, offset) in (("dst", target), ("src", source)):
        setattr(box, f"{end}MemoryType", kind)
        setattr(box, f"{end}{FIELDS[kind]}", thing)
        setattr(box, f"{end}XInBytes", offset)
    copy.copy_box(name, box, where)


def cuMemcpyHtoA(target: int, offset: int, source: int, size: int) -> None:
    copy_row("cuMemcpyHtoA", (ARRAY, target, offset), (HOST, source, 0), size)


def cuMemcpyHtoAAsync(target: int, offset: int, source: int, size: int, where: int) -> None:
    copy_row("cuMemcpyHtoAAsync", (ARRAY, target, offset), (HOST, source, 0), size, where)


def cuMemcpyAtoH(target: int, source: int, offset: int, size: int) -> None:
    copy_row("cuMemcpyAtoH", (HOST, target, 0), (ARRAY, source, offset), size)


def cuMemcpyAtoHAsync(target: int, source: int, offset: int, size: int, where: int) -> None:
    copy_row("cuMemcpyAtoHAsync", (HOST, target, 0), (ARRAY, source, offset), size, where)


def cuMemcpyDtoA(target: int, offset: int, source: int, size: int) -> None:
    copy_row("cuMemcpyDtoA", (ARRAY, target, offset), (DEVICE, source, 0), size)


def cuMemcpyAtoD(target: int, source: int, offset: int, size: int) -> None:
    copy_row("cuMemcpyAtoD", (DEVICE, target, 0), (ARRAY, source, offset), size)


def cuMemcpyAtoA(target: int, target_offset: int, source: int, source_offset: int, size: int) -> None:
    copy_row("cuMemcpyAtoA", (ARRAY, target, target_offset), (ARRAY, source, source_offset), size)
