# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Green contexts: parts of a device's primary context whose streams have only some of its workers."""

from __future__ import annotations

import itertools
from typing import Any

from cuda.cpu.abi import (
    CU_GREEN_CTX_DEFAULT_STREAM,
    CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUDA_ERROR_INVALID_CONTEXT,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import context, device_resource, primary
from cuda.cpu.driver.device.device_resource import Description, Partition
from cuda.cpu.runtime import _runtime

greens = Table("green context", CUDA_ERROR_INVALID_CONTEXT)
_ids = itertools.count(1)


class GreenContext:
    """A green context. As a CUcontext it stands for `base`, its device's primary context."""

    primary = False

    def __init__(self, base: context.Context, given: Description) -> None:
        self.base = base
        self.device = base.device
        self.partition = given.partition or device_resource.all_of(base.device)
        self.queues_given = given.queues
        self.workers = self.partition.count
        self.streams: set[Any] = set()
        self.legacy: Any = None
        self.per_thread: dict[int, Any] = {}
        self.pending_waits: list[Any] = []
        self.event_queue: Any = None
        self.live = True
        self.id = next(_ids)
        self.handle = context.contexts.add(self)  # as CUcontext
        self.green_handle = greens.add(self)

    @property
    def usable(self) -> bool:
        return self.live and self.base.usable

    def check(self) -> None:
        if not self.live:
            raise CudaError(CUDA_ERROR_CONTEXT_IS_DESTROYED, f"green context 0x{self.green_handle:x} was destroyed")
        self.base.check()

    def fail(self, status: int, text: str) -> None:
        """Leave errors to the primary context, which has its own."""

    def queues(self) -> list[Any]:
        return [each.queue for each in list(self.streams)]

    def reap(self) -> None:
        self.base.reap()

    def close(self) -> None:
        """Detach the streams; what is queued in them still runs."""
        with self.base.lock:  # no stream is being made in it
            self.live = False
        _runtime.invalidate_fast_path()
        for each in list(self.streams):
            each.detach()
        if self.event_queue is not None:
            self.event_queue.close()
        greens.pop(self.green_handle, None)
        context.contexts.pop(self.handle, None)


def find(handle: int) -> GreenContext:
    found = greens.find(handle)
    found.check()
    return found


def cuGreenCtxCreate(desc: int, dev: int, flags: int) -> int:
    name = "cuGreenCtxCreate"
    given = device_resource.descriptions.find(desc)
    if flags & ~CU_GREEN_CTX_DEFAULT_STREAM or given.device.ordinal != dev:
        raise invalid(
            f"{name}: flags {flags} are no CUgreenCtxCreate_flags, or the resources are of device "
            f"{given.device.ordinal}, not {dev}"
        )
    base = context.contexts.find(primary.cuDevicePrimaryCtxRetain(dev))
    return GreenContext(base, given).green_handle


def cuGreenCtxDestroy(hCtx: int) -> None:
    found = greens.take(hCtx)
    found.close()
    primary.cuDevicePrimaryCtxRelease(found.device.ordinal)


def cuCtxFromGreenCtx(hCtx: int) -> int:
    return find(hCtx).handle


def cuGreenCtxGetId(greenCtx: int) -> int:
    return find(greenCtx).id


def write_resource(name: str, owner: Any, out_ptr: int, kind: int) -> None:
    if isinstance(owner, GreenContext):
        device_resource.give(name, out_ptr, kind, owner.partition, owner.queues_given)
    else:
        device_resource.give(name, out_ptr, kind, Partition(owner.device, 0, owner.workers or owner.device.cores))


def cuGreenCtxGetDevResource(hCtx: int, resource: int, type_: int) -> None:
    write_resource("cuGreenCtxGetDevResource", find(hCtx), resource, type_)


def cuCtxGetDevResource(hCtx: int, resource: int, type_: int) -> None:
    write_resource("cuCtxGetDevResource", context.find_owner(hCtx), resource, type_)


def forget_after_fork() -> None:
    greens.clear()
