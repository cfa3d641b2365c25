# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Filling memory with a value (cuMemsetD8 and its kin)."""

from __future__ import annotations

from typing import Any

from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.stream import stream as streams


def fill(name: str, target: int, value: int, width: int, count: int, stream_handle: int) -> None:
    if target % width:
        raise invalid(f"{name}: dstDevice 0x{target:x} is not aligned to {width} bytes")
    stream = streams.find(stream_handle)
    if count:
        address.check(f"{name}: dstDevice", target, count * width, device=True)
        stream.queue_after_waits().fill(target, value & ((1 << 8 * width) - 1), width, count)


def fill_2d(
    name: str, target: int, pitch: int, value: int, width: int, columns: int, rows: int, stream_handle: int
) -> None:
    queue_fill_2d(name, target, pitch, value, width, columns, rows, streams.find(stream_handle))


def queue_fill_2d(
    name: str, target: int, pitch: int, value: int, width: int, columns: int, rows: int, stream: Any
) -> None:
    """Put the fill in the queue of stream `stream`."""
    if target % width or (pitch % width and rows > 1):
        raise invalid(f"{name}: dstDevice 0x{target:x} and dstPitch {pitch} must be aligned to {width} bytes")
    if rows > 1 and pitch < columns * width:
        raise invalid(f"{name}: dstPitch {pitch} is less than a row, {columns * width} bytes")
    if columns and rows:
        address.check(f"{name}: dstDevice", target, (rows - 1) * pitch + columns * width, device=True)
        stream.queue_after_waits().fill_2d(target, pitch, value & ((1 << 8 * width) - 1), width, columns, rows)


def cuMemsetD8(dstDevice: int, uc: int, N: int) -> None:
    fill("cuMemsetD8", dstDevice, uc, 1, N, 0)


def cuMemsetD16(dstDevice: int, us: int, N: int) -> None:
    fill("cuMemsetD16", dstDevice, us, 2, N, 0)


def cuMemsetD32(dstDevice: int, ui: int, N: int) -> None:
    fill("cuMemsetD32", dstDevice, ui, 4, N, 0)


def cuMemsetD8Async(dstDevice: int, uc: int, N: int, hStream: int) -> None:
    fill("cuMemsetD8Async", dstDevice, uc, 1, N, hStream)


def cuMemsetD16Async(dstDevice: int, us: int, N: int, hStream: int) -> None:
    fill("cuMemsetD16Async", dstDevice, us, 2, N, hStream)


def cuMemsetD32Async(dstDevice: int, ui: int, N: int, hStream: int) -> None:
    fill("cuMemsetD32Async", dstDevice, ui, 4, N, hStream)


def cuMemsetD2D8(dstDevice: int, dstPitch: int, uc: int, Width: int, Height: int) -> None:
    fill_2d("cuMemsetD2D8", dstDevice, dstPitch, uc, 1, Width, Height, 0)


def cuMemsetD2D16(dstDevice: int, dstPitch: int, us: int, Width: int, Height: int) -> None:
    fill_2d("cuMemsetD2D16", dstDevice, dstPitch, us, 2, Width, Height, 0)


def cuMemsetD2D32(dstDevice: int, dstPitch: int, ui: int, Width: int, Height: int) -> None:
    fill_2d("cuMemsetD2D32", dstDevice, dstPitch, ui, 4, Width, Height, 0)


def cuMemsetD2D8Async(dstDevice: int, dstPitch: int, uc: int, Width: int, Height: int, hStream: int) -> None:
    fill_2d("cuMemsetD2D8Async", dstDevice, dstPitch, uc, 1, Width, Height, hStream)


def cuMemsetD2D16Async(dstDevice: int, dstPitch: int, us: int, Width: int, Height: int, hStream: int) -> None:
    fill_2d("cuMemsetD2D16Async", dstDevice, dstPitch, us, 2, Width, Height, hStream)


def cuMemsetD2D32Async(dstDevice: int, dstPitch: int, ui: int, Width: int, Height: int, hStream: int) -> None:
    fill_2d("cuMemsetD2D32Async", dstDevice, dstPitch, ui, 4, Width, Height, hStream)
