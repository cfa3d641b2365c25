# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Execution contexts (cudaExecutionContext_t): a primary or green context; the handle is a CUcontext."""

from __future__ import annotations

from typing import Any

from cuda.cpu import runtime_abi as abi
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, green_context
from cuda.cpu.driver.stream import context_event
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime_api.device import ensure_devices, primary_context


def _find(name: str, handle: int) -> Any:
    ensure_devices()
    if not handle:
        raise invalid(f"{name}: ctx is NULL")
    return context.find_owner(handle)


def _green(name: str, handle: int) -> green_context.GreenContext:
    found = _find(name, handle)
    if not isinstance(found, green_context.GreenContext):
        raise CudaError(abi.cudaErrorInvalidValue, f"{name}: the execution context is a device's own")
    return found


def cudaGreenCtxCreate(desc: int, device: int, flags: int) -> int:
    if flags:
        raise invalid(f"cudaGreenCtxCreate: flags is {flags}, must be 0")
    ensure_devices()
    return green_context.cuCtxFromGreenCtx(green_context.cuGreenCtxCreate(desc, device, 0))


def cudaDeviceGetExecutionCtx(device: int) -> int:
    return primary_context(device)


def cudaExecutionCtxDestroy(ctx: int) -> None:
    green_context.cuGreenCtxDestroy(_green("cudaExecutionCtxDestroy", ctx).green_handle)


def cudaExecutionCtxGetDevResource(ctx: int, resource: int, type_: int) -> None:
    _find("cudaExecutionCtxGetDevResource", ctx)
    green_context.cuCtxGetDevResource(ctx, resource, type_)


def cudaExecutionCtxGetDevice(ctx: int) -> int:
    return _find("cudaExecutionCtxGetDevice", ctx).device.ordinal


def cudaExecutionCtxGetId(ctx: int) -> int:
    """Return a number of its own for each execution context: those of green ones are above all others."""
    found = _find("cudaExecutionCtxGetId", ctx)
    return found.id + (found is not found.base) * (1 << 32)


def cudaExecutionCtxStreamCreate(ctx: int, flags: int, priority: int) -> int:
    found = _find("cudaExecutionCtxStreamCreate", ctx)
    if flags not in (0, abi.cudaStreamNonBlocking):
        raise invalid(f"cudaExecutionCtxStreamCreate: flags is {flags}, must be 0 or cudaStreamNonBlocking")
    return streams.Stream(found.base, flags, priority, green=streams.green_of(found)).handle


def cudaExecutionCtxSynchronize(ctx: int) -> None:
    context.synchronize(_find("cudaExecutionCtxSynchronize", ctx))


def cudaExecutionCtxRecordEvent(ctx: int, event: int) -> None:
    name = "cudaExecutionCtxRecordEvent"
    context_event.record(name, _find(name, ctx), event)


def cudaExecutionCtxWaitEvent(ctx: int, event: int) -> None:
    name = "cudaExecutionCtxWaitEvent"
    context_event.wait(name, _find(name, ctx), event)
