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
from cuda.cpu.driver.base import address, block, capture_state, host_memory, once
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context, device, wait
from cuda.cpu.runtime import _runtime

PITCH_ALIGNMENT = 512  # of rows: at least every alignment that a GPU asks for

_host_arena: dict[int, Any] = {}


def host_arena() -> Any:
    """Return the address range of pinned host memory, with guard pages as the device's."""
    return once.made(_host_arena, 0, lambda: host_memory.reserve(host_memory.physical(), _runtime.Arena))


def reserve(owner: context.Context, size: int, name: str, of: device.Device | None = None, within: Any = None) -> int:
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
            settle(owner)
            block.release_all(keep=0)
    raise CudaError(
        CUDA_ERROR_OUT_OF_MEMORY,
        f"{name}: {size} bytes asked, {max(total - own.used - of.mapped, 0)} of {total} free; "
        "CUDA_CPU_MEMORY sets how much memory the CPU device has",
    )


def settle(owner: context.Context) -> None:
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
    return record


def cuMemAlloc(size: int) -> int:
    return allocate(size, "cuMemAlloc").start


def cuMemAllocPitch(width: int, height: int, element: int) -> tuple[int, int]:
    if element not in (4, 8, 16):
        raise invalid(f"cuMemAllocPitch: ElementSizeBytes is {element}, must be 4, 8 or 16")
    pitch = -(-width // PITCH_ALIGNMENT) * PITCH_ALIGNMENT
    return allocate(pitch * height, "cuMemAllocPitch").start, pitch


def cuMemAllocManaged(size: int, flags: int) -> int:
    if flags not in (CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST):
        raise invalid(f"cuMemAllocManaged: flags is {flags}, must be CU_MEM_ATTACH_GLOBAL or _HOST")
    return allocate(size, "cuMemAllocManaged", Kind.MANAGED).start


def find_start(name: str, pointer: int, *kinds: Kind) -> Allocation:
    """Return the live allocation of one of `kinds` that starts at `pointer`."""
    record = address.exact(pointer)
    if record is not None and record.kind in kinds and getattr(record.keeper, "live", True):
        return record
    inside = address.find(pointer)
    what = f", it lies {pointer - inside.start} bytes into {address.describe(inside)}" if inside else ""
    raise invalid(f"{name}: 0x{pointer:x} is not the start of a live allocation{what}")


def release(record: Allocation) -> None:
    """Give memory back once nothing that is queued can use it any more."""
    capture_state.check_safe("a free outside of the streams' order")
    owner = record.context
    for queue in owner.queues():
        if not queue.is_idle():
            wait.until(owner, queue.wait)
    if not address.remove(record):
        raise address.gone("the free", record)
    record.give_back()
    wait.collect_all(owner)
    owner.check_released()


def find_freeable(name: str, pointer: int) -> Allocation:
    """Return the allocation at `pointer` that cuMemFree and cuMemFreeAsync take."""
    record = find_start(f"{name}: dptr", pointer, Kind.DEVICE, Kind.MANAGED, Kind.HOST)
    if record.kind is Kind.HOST and record.pool is None and record.keeper is None:
        raise invalid(
            f"{name}: 0x{pointer:x} is not the start of device memory: host memory is freed with cuMemFreeHost"
        )
    return record


def cuMemFree(pointer: int) -> None:
    release(find_freeable("cuMemFree", pointer))


def cuMemGetInfo() -> tuple[int, int]:
    owner = context.current()
    of = owner.device
    return max(of.memory - of.arena.used - of.mapped, 0), of.memory


def cuMemGetAddressRange(pointer: int) -> tuple[int, int]:
    context.current()
    record = address.check("cuMemGetAddressRange: dptr", pointer, 1, device=True)
    return record.start, record.size


HOST_FLAGS = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED


def cuMemHostAlloc(size: int, flags: int) -> int:
    owner = context.current()
    capture_state.check_safe("cuMemHostAlloc")
    if flags & ~HOST_FLAGS or size <= 0:
        raise invalid(f"cuMemHostAlloc: bytesize is {size}, Flags 0x{flags:x}")
    arena = host_arena()
    try:
        start = arena.allocate(size)
    except MemoryError:
        raise CudaError(CUDA_ERROR_OUT_OF_MEMORY, f"cuMemHostAlloc: the system has no {size} bytes left") from None
    record = Allocation(start, size, Kind.HOST, owner, arena)
    record.flags = flags | CU_MEMHOSTALLOC_DEVICEMAP  # with unified addressing all of it is mapped
    address.add(record)
    return start


def cuMemAllocHost(size: int) -> int:
    return cuMemHostAlloc(size, 0)


def cuMemFreeHost(pointer: int) -> None:
    release(find_start("cuMemFreeHost: p", pointer, Kind.HOST))


def _host_record(name: str, pointer: int) -> Allocation:
    context.current()
    record = address.find(pointer)
    if record is None or not record.kind.on_host:
        raise invalid(f"{name}: 0x{pointer:x} is neither pinned nor registered host memory")
    return record


def cuMemHostGetDevicePointer(pointer: int, flags: int) -> int:
    _host_record("cuMemHostGetDevicePointer", pointer)
    if flags:
        raise invalid(f"cuMemHostGetDevicePointer: Flags is {flags}, must be 0")
    return pointer


def cuMemHostGetFlags(pointer: int) -> int:
    return _host_record("cuMemHostGetFlags", pointer).flags


REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY


def cuMemHostRegister(pointer: int, size: int, flags: int) -> None:
    """Note that a range of ordinary host memory takes part in asynchronous copies. Nothing is locked."""
    owner = context.current()
    if flags & CU_MEMHOSTREGISTER_IOMEMORY:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "cuMemHostRegister: the CPU device maps no I/O memory")
    if not pointer or size <= 0 or flags & ~REGISTER_FLAGS:
        raise invalid(f"cuMemHostRegister: p is 0x{pointer:x}, bytesize {size}, Flags 0x{flags:x}")
    other = address.overlapping(pointer, size)
    if other is not None:
        status = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if other.kind.on_host else CUDA_ERROR_INVALID_VALUE
        raise CudaError(status, f"cuMemHostRegister: the range shares bytes with {address.describe(other)}")
    record = Allocation(pointer, size, Kind.REGISTERED, owner)
    record.flags = flags | CU_MEMHOSTREGISTER_DEVICEMAP
    address.add(record)


def cuMemHostUnregister(pointer: int) -> None:
    owner = context.current()
    record = address.exact(pointer)
    if record is None or record.kind is not Kind.REGISTERED:
        raise CudaError(
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, f"cuMemHostUnregister: nothing registered starts at 0x{pointer:x}"
        )
    settle(owner)
    if not address.remove(record):
        raise CudaError(
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, f"cuMemHostUnregister: another thread has done so at 0x{pointer:x}"
        )


def forget_after_fork() -> None:
    address.clear()
    _host_arena.clear()
