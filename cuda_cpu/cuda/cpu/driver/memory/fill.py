# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Filling memory with a value (cuMemsetD8 and its kin)."""

from __future__ import annotations

from typing import Any

from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.stream import stream


def fill(name: str, target: int, value: int, width: int, count: int, where: int) -> None:
    if target % width:
        raise invalid(f"{name}: dstDevice 0x{target:x} is not aligned to {width} bytes")
    line = stream.find(where)
    if count:
        address.check(f"{name}: dstDevice", target, count * width, device=True)
        line.ready().fill(target, value & ((1 << 8 * width) - 1), width, count)


def fill_2d(name: str, target: int, pitch: int, value: int, width: int, columns: int, rows: int, where: int) -> None:
    queue_fill_2d(name, target, pitch, value, width, columns, rows, stream.find(where))


def queue_fill_2d(
    name: str, target: int, pitch: int, value: int, width: int, columns: int, rows: int, line: Any
) -> None:
    """Put the fill in the queue of stream `line`."""
    if target % width or (pitch % width and rows > 1):
        raise invalid(f"{name}: dstDevice 0x{target:x} and dstPitch {pitch} must be aligned to {width} bytes")
    if rows > 1 and pitch < columns * width:
        raise invalid(f"{name}: dstPitch {pitch} is less than a row, {columns * width} bytes")
    if columns and rows:
        address.check(f"{name}: dstDevice", target, (rows - 1) * pitch + columns * width, device=True)
        line.ready().fill_2d(target, pitch, value & ((1 << 8 * width) - 1), width, columns, rows)


def cuMemsetD8(target: int, value: int, count: int) -> None:
    fill("cuMemsetD8", target, value, 1, count, 0)


def cuMemsetD16(target: int, value: int, count: int) -> None:
    fill("cuMemsetD16", target, value, 2, count, 0)


def cuMemsetD32(target: int, value: int, count: int) -> None:
    fill("cuMemsetD32", target, value, 4, count, 0)


def cuMemsetD8Async(target: int, value: int, count: int, where: int) -> None:
    fill("cuMemsetD8Async", target, value, 1, count, where)


def cuMemsetD16Async(target: int, value: int, count: int, where: int) -> None:
    fill("cuMemsetD16Async", target, value, 2, count, where)


def cuMemsetD32Async(target: int, value: int, count: int, where: int) -> None:
    fill("cuMemsetD32Async", target, value, 4, count, where)


def cuMemsetD2D8(target: int, pitch: int, value: int, columns: int, rows: int) -> None:
    fill_2d("cuMemsetD2D8", target, pitch, value, 1, columns, rows, 0)


def cuMemsetD2D16(target: int, pitch: int, value: int, columns: int, rows: int) -> None:
    fill_2d("cuMemsetD2D16", target, pitch, value, 2, columns, rows, 0)


def cuMemsetD2D32(target: int, pitch: int, value: int, columns: int, rows: int) -> None:
    fill_2d("cuMemsetD2D32", target, pitch, value, 4, columns, rows, 0)


def cuMemsetD2D8Async(target: int, pitch: int, value: int, columns: int, rows: int, where: int) -> None:
    fill_2d("cuMemsetD2D8Async", target, pitch, value, 1, columns, rows, where)


def cuMemsetD2D16Async(target: int, pitch: int, value: int, columns: int, rows: int, where: int) -> None:
    fill_2d("cuMemsetD2D16Async", target, pitch, value, 2, columns, rows, where)


def cuMemsetD2D32Async(target: int, pitch: int, value: int, columns: int, rows: int, where: int) -> None:
    fill_2d("cuMemsetD2D32Async", target, pitch, value, 4, columns, rows, where)
