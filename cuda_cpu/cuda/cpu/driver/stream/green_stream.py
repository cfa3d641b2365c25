# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Streams of green contexts, and the context that a stream belongs to."""

from __future__ import annotations

from cuda.cpu.abi import CU_STREAM_NON_BLOCKING
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import green_context
from cuda.cpu.driver.device.green_context import find
from cuda.cpu.driver.stream import stream as streams


def cuGreenCtxStreamCreate(greenCtx: int, flags: int, priority: int) -> int:
    green = find(greenCtx)
    if flags != CU_STREAM_NON_BLOCKING:
        raise invalid(f"cuGreenCtxStreamCreate: flags is {flags}, must be CU_STREAM_NON_BLOCKING")
    return streams.Stream(green.base, flags, priority, green=green).handle


def cuStreamGetGreenCtx(hStream: int) -> int:
    green = streams.find(hStream).green
    return green.green_handle if green is not None else 0


def cuStreamGetCtx_v2(hStream: int) -> tuple[int, int]:
    """Return the context, and the green context or NULL."""
    found = streams.find(hStream)
    return found.context.handle, found.green.green_handle if found.green is not None else 0


def cuStreamGetDevResource(hStream: int, resource: int, type_: int) -> None:
    green_context.write_resource("cuStreamGetDevResource", streams.find(hStream).owner, resource, type_)
