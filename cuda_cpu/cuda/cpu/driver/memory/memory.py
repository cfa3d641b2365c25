# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory: allocation on the device, pinned and registered host memory, managed memory."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_MEM_ATTACH_GLOBAL,
    CU_MEM_ATTACH_HOST,
    CU_MEMHOSTALLOC_DEVICEMAP,
    CU_MEMHOSTALLOC_PORTABLE,
    CU_MEMHOSTALLOC_WRITECOMBINED,
    CU_MEMHOSTREGISTER_DEVICEMAP,
    CU_MEMHOSTREGISTER_IOMEMORY,
    CU_MEMHOSTREGISTER_PORTABLE,
    CU_MEMHOSTREGISTER_READ_ONLY,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_OUT_OF_MEMORY,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import address, block, capture_state, host_memory, once, written
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.device import device as devices
from cuda.cpu.runtime import _runtime

PITCH_ALIGNMENT = 512  # of rows: at least every alignment that a GPU requires

_host_arena: dict[int, Any] = {}


def host_arena() -> Any:
    """Return the address range of pinned host memory, with guard pages as the device's."""
    return once.made(_host_arena, 0, lambda: host_memory.reserve(host_memory.physical(), _runtime.Arena))


def reserve(owner: context.Context, size: int, name: str, of: devices.Device | None = None, within: Any = None) -> int:
    """Return the address of `size` new bytes of the context's device, or of another one, in its arena or `within`."""
    if size <= 0:
        raise invalid(f"{name}: the size is {size}, must be at least 1")
    of = of or owner.device
    own, total = of.arena, of.memory
    for attempt in (0, 1):
        if own.used + of.mapped + size <= total:
            try:
                return (within or own).allocate(size)
            except MemoryError:
                pass
        if attempt == 0:
            wait_for_frees(owner)
            block.release_all(keep=0)
    raise CudaError(
        CUDA_ERROR_OUT_OF_MEMORY,
        f"{name}: {size} bytes requested, {max(total - own.used - of.mapped, 0)} of {total} free; "
        "CUDA_CPU_MEMORY sets how much memory the CPU device has",
    )


def wait_for_frees(owner: context.Context) -> None:
    """Wait for what is queued, since it may hold frees. Errors stay for the next call."""
    for queue in owner.queues():
        wait.until(owner, queue.wait)
    wait.collect_all(owner)
    owner.reap()


def allocate(size: int, name: str, kind: Kind = Kind.DEVICE) -> Allocation:
    owner = context.current()
    capture_state.check_safe(name)
    record = Allocation(reserve(owner, size, name), size, kind, owner, owner.device.arena)
    record.origin = name
    address.add(record)
    if kind is Kind.DEVICE:
        written.begin_unwritten(record)
    return record


def cuMemAlloc(bytesize: int) -> int:
    return allocate(bytesize, "cuMemAlloc").start


def cuMemAllocPitch(WidthInBytes: int, Height: int, ElementSizeBytes: int) -> tuple[int, int]:
    if ElementSizeBytes not in (4, 8, 16):
        raise invalid(f"cuMemAllocPitch: ElementSizeBytes is {ElementSizeBytes}, must be 4, 8 or 16")
    pitch = -(-WidthInBytes // PITCH_ALIGNMENT) * PITCH_ALIGNMENT
    return allocate(pitch * Height, "cuMemAllocPitch").start, pitch


def cuMemAllocManaged(bytesize: int, flags: int) -> int:
    if flags not in (CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST):
        raise invalid(f"cuMemAllocManaged: flags is {flags}, must be CU_MEM_ATTACH_GLOBAL or _HOST")
    return allocate(bytesize, "cuMemAllocManaged", Kind.MANAGED).start


def find_start(name: str, pointer: int, *kinds: Kind) -> Allocation:
    """Return the live allocation of one of `kinds` that starts at `pointer`."""
    record = address.exact(pointer)
    if record is not None and record.kind in kinds and getattr(record.keeper, "live", True):
        return record
    inside = address.find(pointer)
    hint = f", it lies {pointer - inside.start} bytes into {address.describe(inside)}" if inside else ""
    raise invalid(f"{name}: 0x{pointer:x} is not the start of a live allocation{hint}")


def release(record: Allocation) -> None:
    """Give memory back once nothing that is queued can use it any more."""
    capture_state.check_safe("a free outside of the streams' order")
    owner = record.context
    for queue in owner.queues():
        if not queue.is_idle():
            wait.until(owner, queue.wait)
    if not address.remove(record):
        raise address.gone("the free", record)
    if state.order is not None:
        _note_free(record)
    record.give_back()
    wait.collect_all(owner)
    owner.check_released()


def _note_free(record: Allocation) -> None:
    """Tell racecheck of a free. That of what cuMemAlloc and its kin have made waits for all streams."""
    if record.pool is None and record.kind in (Kind.DEVICE, Kind.MANAGED):
        state.order.host_waited(record.context.queues())
    else:
        state.order.changed(record, "free")


def find_freeable(name: str, pointer: int) -> Allocation:
    """Return the allocation at `pointer` that cuMemFree and cuMemFreeAsync take."""
    record = find_start(f"{name}: dptr", pointer, Kind.DEVICE, Kind.MANAGED, Kind.HOST)
    if record.kind is Kind.HOST and record.pool is None and record.keeper is None:
        raise invalid(
            f"{name}: 0x{pointer:x} is not the start of device memory: host memory is freed with cuMemFreeHost"
        )
    return record


def cuMemFree(dptr: int) -> None:
    release(find_freeable("cuMemFree", dptr))


def cuMemGetInfo() -> tuple[int, int]:
    owner = context.current()
    of = owner.device
    return max(of.memory - of.arena.used - of.mapped, 0), of.memory


def cuMemGetAddressRange(dptr: int) -> tuple[int, int]:
    context.current()
    record = address.check_device("cuMemGetAddressRange: dptr", dptr, 1)
    return record.start, record.size


HOST_FLAGS = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED


def cuMemHostAlloc(bytesize: int, Flags: int) -> int:
    owner = context.current()
    capture_state.check_safe("cuMemHostAlloc")
    if Flags & ~HOST_FLAGS or bytesize <= 0:
        raise invalid(f"cuMemHostAlloc: bytesize is {bytesize}, Flags 0x{Flags:x}")
    arena = host_arena()
    try:
        start = arena.allocate(bytesize)
    except MemoryError:
        raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"cuMemHostAlloc: the system has no {bytesize} bytes left") from None
    record = Allocation(start, bytesize, Kind.HOST, owner, arena)
    record.flags = Flags | CU_MEMHOSTALLOC_DEVICEMAP  # with unified addressing all of it is mapped
    address.add(record)
    return start


def cuMemAllocHost(bytesize: int) -> int:
    return cuMemHostAlloc(bytesize, 0)


def cuMemFreeHost(p: int) -> None:
    release(find_start("cuMemFreeHost: p", p, Kind.HOST))


def _host_record(name: str, pointer: int) -> Allocation:
    context.current()
    record = address.find(pointer)
    if record is None or not record.kind.on_host:
        raise invalid(f"{name}: 0x{pointer:x} is neither pinned nor registered host memory")
    return record


def cuMemHostGetDevicePointer(p: int, Flags: int) -> int:
    _host_record("cuMemHostGetDevicePointer", p)
    if Flags:
        raise invalid(f"cuMemHostGetDevicePointer: Flags is {Flags}, must be 0")
    return p


def cuMemHostGetFlags(p: int) -> int:
    return _host_record("cuMemHostGetFlags", p).flags


REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY


def cuMemHostRegister(p: int, bytesize: int, Flags: int) -> None:
    """Note that a range of ordinary host memory takes part in asynchronous copies. Nothing is locked."""
    owner = context.current()
    if Flags & CU_MEMHOSTREGISTER_IOMEMORY:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "cuMemHostRegister: the CPU device maps no I/O memory")
    if not p or bytesize <= 0 or Flags & ~REGISTER_FLAGS:
        raise invalid(f"cuMemHostRegister: p is 0x{p:x}, bytesize {bytesize}, Flags 0x{Flags:x}")
    other = address.overlapping(p, bytesize)
    if other is not None:
        status = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if other.kind.on_host else CUDA_ERROR_INVALID_VALUE
        raise CudaError(status, f"cuMemHostRegister: the range shares bytes with {address.describe(other)}")
    record = Allocation(p, bytesize, Kind.REGISTERED, owner)
    record.flags = Flags | CU_MEMHOSTREGISTER_DEVICEMAP
    address.add(record)


def cuMemHostUnregister(p: int) -> None:
    owner = context.current()
    record = address.exact(p)
    if record is None or record.kind is not Kind.REGISTERED:
        raise CudaError(
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, f"cuMemHostUnregister: nothing registered starts at 0x{p:x}"
        )
    wait_for_frees(owner)
    if not address.remove(record):
        raise CudaError(
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, f"cuMemHostUnregister: another thread has done so at 0x{p:x}"
        )
    if state.order is not None:
        _note_free(record)


def forget_after_fork() -> None:
    address.clear()
    _host_arena.clear()
