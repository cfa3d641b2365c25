# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Pointer attributes (cuPointerGetAttribute), and prefetch and advice for managed memory (cuMemAdvise)."""

from __future__ import annotations

import bisect
import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_DEVICE_CPU,
    CU_MEM_ADVISE_SET_ACCESSED_BY,
    CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_SET_READ_MOSTLY,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST,
    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
    CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
    CU_POINTER_ATTRIBUTE_BUFFER_ID,
    CU_POINTER_ATTRIBUTE_CONTEXT,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_HOST_POINTER,
    CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
    CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE,
    CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
    CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL,
    CU_POINTER_ATTRIBUTE_MAPPED,
    CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
    CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
    CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    CUDA_ERROR_INVALID_VALUE,
    CUmemLocation,
)
from cuda.cpu.driver.base import address, error
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.memory import ipc, pool
from cuda.cpu.driver.stream import stream as streams

_pointer, _uint, _int = ctypes.c_uint64, ctypes.c_uint, ctypes.c_int
_bool = ctypes.c_bool

# attribute -> C type of the answer, what is answered for a record and an address, what for an unknown pointer
ATTRIBUTES: dict[int, tuple[Any, Any, int]] = {
    CU_POINTER_ATTRIBUTE_CONTEXT: (_pointer, lambda r, p: r.context.handle if r.context else 0, 0),
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE: (
        _uint,
        lambda r, p: CU_MEMORYTYPE_HOST if r.kind.on_host else CU_MEMORYTYPE_DEVICE,
        0,
    ),
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER: (_pointer, lambda r, p: p, 0),
    CU_POINTER_ATTRIBUTE_HOST_POINTER: (_pointer, lambda r, p: 0 if r.kind is Kind.DEVICE else p, 0),
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: (_bool, lambda r, p: r.sync_memops, 0),
    CU_POINTER_ATTRIBUTE_BUFFER_ID: (_pointer, lambda r, p: r.id, 0),
    CU_POINTER_ATTRIBUTE_IS_MANAGED: (_bool, lambda r, p: r.kind is Kind.MANAGED, 0),
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: (_int, lambda r, p: r.device.ordinal, -2),  # CU_DEVICE_INVALID
    CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: (_bool, lambda r, p: ipc.can_export(r), 0),
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: (_pointer, lambda r, p: r.start, 0),
    CU_POINTER_ATTRIBUTE_RANGE_SIZE: (_pointer, lambda r, p: r.size, 0),
    CU_POINTER_ATTRIBUTE_MAPPED: (_bool, lambda r, p: 1, 0),
    CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: (_pointer, lambda r, p: getattr(r.keeper, "handle_types", 0), 0),
    CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: (_bool, lambda r, p: 0, 0),
    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: (_uint, lambda r, p: 3, 0),  # read and write
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: (_pointer, lambda r, p: r.pool.handle if r.pool else 0, 0),
    CU_POINTER_ATTRIBUTE_MAPPING_SIZE: (_pointer, lambda r, p: r.size, 0),
    CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: (_pointer, lambda r, p: r.start, 0),
    CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: (_pointer, lambda r, p: r.id, 0),
    CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: (_bool, lambda r, p: 1, 0),
    CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL: (_int, lambda r, p: -1, -1),
}


def _known(name: str, attribute: int) -> tuple[Any, Any, int]:
    if attribute not in ATTRIBUTES:
        raise invalid(f"{name}: {attribute} is no CUpointer_attribute that the CPU device has")
    return ATTRIBUTES[attribute]


def cuPointerGetAttribute(data: int, attribute: int, ptr: int) -> None:
    name = "cuPointerGetAttribute"
    context.current()
    kind, answer, _ = _known(name, attribute)
    record = address.find(ptr)
    if not data:
        raise invalid(f"{name}: data is NULL")
    if record is None:  # programs test this way whether memory is CUDA's
        message = f"{name}: 0x{ptr:x} is not memory of the CUDA API{address.nearby(ptr)}"
        raise error.answer(CUDA_ERROR_INVALID_VALUE, message)
    if attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER and record.kind is Kind.DEVICE:
        raise invalid(f"{name}: device memory has no host pointer")
    kind.from_address(data).value = answer(record, ptr)


def cuPointerGetAttributes(numAttributes: int, attributes: int, data: int, ptr: int) -> None:
    """Answer several attributes; a pointer that the API does not know gets the values for "nothing"."""
    name = "cuPointerGetAttributes"
    context.current()
    if not (numAttributes and attributes and data):
        raise invalid(f"{name}: no attributes, or an array is NULL")
    requested = (ctypes.c_uint * numAttributes).from_address(attributes)
    out_ptrs = (ctypes.c_uint64 * numAttributes).from_address(data)
    record = address.find(ptr)
    answers = [_known(name, attribute) for attribute in requested]
    for (kind, answer, nothing), out_ptr in zip(answers, out_ptrs, strict=True):
        if not out_ptr:
            raise invalid(f"{name}: an entry of data is NULL")
        kind.from_address(out_ptr).value = nothing if record is None else answer(record, ptr)


def cuPointerSetAttribute(value: int, attribute: int, ptr: int) -> None:
    context.current()
    record = address.find(ptr)
    if attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS or record is None or not value:
        raise invalid("cuPointerSetAttribute: only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS of an allocation can be set")
    record.sync_memops = bool(_uint.from_address(value).value)


PREFETCHED = 0  # a key in Allocation.advice beside the CU_MEM_ADVISE_SET_ ones


def _managed(name: str, pointer: int, count: int) -> Allocation | None:
    """Return the managed allocation of a range; None for pageable memory, which may be advised on as well."""
    context.current()
    if not count:
        raise invalid(f"{name}: count is 0")
    record = address.check(f"{name}: devPtr", pointer, count)
    if record is not None and record.kind is not Kind.MANAGED:
        raise invalid(f"{name}: wants managed memory, not {address.describe(record)}")
    return record


def cuMemPrefetchAsync(devPtr: int, count: int, location: bytes, flags: int, hStream: int) -> None:
    """Check the request and remember it: managed memory is in the only memory that there is."""
    record = _managed("cuMemPrefetchAsync", devPtr, count)
    target = pool.location_of("cuMemPrefetchAsync", CUmemLocation.from_buffer_copy(location))
    if flags:
        raise invalid(f"cuMemPrefetchAsync: flags is {flags}, must be 0")
    streams.find(hStream).queue_after_waits()
    if record is not None:
        record.advice[PREFETCHED] = target


def cuMemPrefetchAsync_v1(devPtr: int, count: int, dstDevice: int, hStream: int) -> None:
    cuMemPrefetchAsync(devPtr, count, _location(dstDevice), 0, hStream)


def _location(ordinal: int) -> bytes:
    """Return the CUmemLocation of a device, or of the host (CU_DEVICE_CPU)."""
    if ordinal == CU_DEVICE_CPU:
        return bytes(CUmemLocation(type=CU_MEM_LOCATION_TYPE_HOST))
    location = CUmemLocation(type=CU_MEM_LOCATION_TYPE_DEVICE)
    location.id = ordinal
    return bytes(location)


def _ranges(name: str, pointers: int, sizes: int, count: int, flags: int) -> list[Allocation | None]:
    """Return the managed allocations of a batch of ranges."""
    if flags or not (pointers and sizes and count):
        raise invalid(f"{name}: flags is {flags}, must be 0, or an array is NULL or empty")
    ranges = zip(*((ctypes.c_uint64 * count).from_address(each) for each in (pointers, sizes)), strict=True)
    return [_managed(name, pointer, size) for pointer, size in ranges]


def _locations(name: str, count: int, locations: int, first: int, location_count: int) -> list[tuple[int, int]]:
    """Return the location of each range: that of its index in prefetchLocIdxs up to the next one's."""
    if not (locations and first and 0 < location_count <= count):
        raise invalid(f"{name}: no array may be NULL or empty, and numPrefetchLocs at most count")
    starts = list((ctypes.c_size_t * location_count).from_address(first))
    if starts[0] != 0 or sorted(set(starts)) != starts or starts[-1] >= count:
        raise invalid(f"{name}: prefetchLocIdxs is {starts}, must begin with 0 and increase, below {count}")
    given = [pool.location_of(name, each) for each in (CUmemLocation * location_count).from_address(locations)]
    return [given[bisect.bisect_right(starts, i) - 1] for i in range(count)]


def _prefetch_batch(
    name: str, pointers: int, sizes: int, count: int,
    locations: int, first: int, location_count: int, flags: int, stream_handle: int,
) -> None:  # fmt: skip
    """Check many requests, then remember them."""
    records = _ranges(name, pointers, sizes, count, flags)
    wanted = _locations(name, count, locations, first, location_count)
    streams.find(stream_handle).queue_after_waits()
    for record, location in zip(records, wanted, strict=True):
        if record is not None:
            record.advice[PREFETCHED] = location


def cuMemPrefetchBatchAsync(
    dptrs: int,
    sizes: int,
    count: int,
    prefetchLocs: int,
    prefetchLocIdxs: int,
    numPrefetchLocs: int,
    flags: int,
    hStream: int,
) -> None:
    _prefetch_batch(
        "cuMemPrefetchBatchAsync", dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream
    )


def cuMemDiscardBatchAsync(dptrs: int, sizes: int, count: int, flags: int, hStream: int) -> None:
    """Check the request. What may be lost of managed memory stays: there is no copy of it to save."""
    records = _ranges("cuMemDiscardBatchAsync", dptrs, sizes, count, flags)
    if None in records:
        raise invalid(f"cuMemDiscardBatchAsync: range {records.index(None)} is no managed memory")
    streams.find(hStream).queue_after_waits()


def cuMemDiscardAndPrefetchBatchAsync(
    dptrs: int,
    sizes: int,
    count: int,
    prefetchLocs: int,
    prefetchLocIdxs: int,
    numPrefetchLocs: int,
    flags: int,
    hStream: int,
) -> None:
    name = "cuMemDiscardAndPrefetchBatchAsync"
    records = _ranges(name, dptrs, sizes, count, flags)
    if None in records:
        raise invalid(f"{name}: range {records.index(None)} is no managed memory")
    _prefetch_batch(name, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream)


_UNSET = {
    CU_MEM_ADVISE_UNSET_READ_MOSTLY: CU_MEM_ADVISE_SET_READ_MOSTLY,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY: CU_MEM_ADVISE_SET_ACCESSED_BY,
}
_NOWHERE = (0, -2)  # CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID
_WITHOUT_LOCATION = (
    CU_MEM_ADVISE_SET_READ_MOSTLY,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
)


def cuMemAdvise(devPtr: int, count: int, advice: int, location: bytes) -> None:
    record = _managed("cuMemAdvise", devPtr, count)
    if advice not in _UNSET and advice not in _UNSET.values():
        raise invalid(f"cuMemAdvise: {advice} is no CUmem_advise")
    target = _NOWHERE
    if advice not in _WITHOUT_LOCATION:
        target = pool.location_of("cuMemAdvise", CUmemLocation.from_buffer_copy(location))
    if record is None:
        return
    if advice in (CU_MEM_ADVISE_SET_ACCESSED_BY, CU_MEM_ADVISE_UNSET_ACCESSED_BY):
        users = record.advice.setdefault(CU_MEM_ADVISE_SET_ACCESSED_BY, {})  # in the order of the advice
        if advice == CU_MEM_ADVISE_SET_ACCESSED_BY:
            users[_ordinal(target)] = None
        else:
            users.pop(_ordinal(target), None)
    elif advice in _UNSET:
        record.advice.pop(_UNSET[advice], None)
    else:
        record.advice[advice] = target


def cuMemAdvise_v1(devPtr: int, count: int, advice: int, device: int) -> None:
    cuMemAdvise(devPtr, count, advice, _location(device))


def _ordinal(location: tuple[int, int]) -> int:
    return location[1] if location[0] == CU_MEM_LOCATION_TYPE_DEVICE or location is _NOWHERE else -1  # CU_DEVICE_CPU


def _range_answer(record: Allocation, attribute: int) -> int | None:
    preferred = record.advice.get(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, _NOWHERE)
    fetched = record.advice.get(PREFETCHED, _NOWHERE)
    return {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: int(CU_MEM_ADVISE_SET_READ_MOSTLY in record.advice),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: _ordinal(preferred),
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: _ordinal(fetched),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: preferred[0],
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: preferred[1],
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: fetched[0],
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: fetched[1],
    }.get(attribute)


def cuMemRangeGetAttribute(data: int, dataSize: int, attribute: int, devPtr: int, count: int) -> None:
    name = "cuMemRangeGetAttribute"
    record = _managed(name, devPtr, count)
    answers: list[int] | None
    if record is not None and attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        answers = list(record.advice.get(CU_MEM_ADVISE_SET_ACCESSED_BY, ()))
    else:
        answer = _range_answer(record, attribute) if record is not None else None
        answers = None if answer is None else [answer]
    if answers is None or not data or dataSize < 4 or dataSize % 4:
        raise invalid(
            f"{name}: attribute {attribute}, dataSize {dataSize} (4, or a multiple of it for "
            "ACCESSED_BY), or memory that is not managed"
        )
    ordinals = (ctypes.c_int * (dataSize // 4)).from_address(data)
    for i in range(len(ordinals)):  # CU_DEVICE_INVALID fills the rest of ACCESSED_BY
        ordinals[i] = answers[i] if i < len(answers) else -2


def cuMemRangeGetAttributes(
    data: int, dataSizes: int, attributes: int, numAttributes: int, devPtr: int, count: int
) -> None:
    if not (data and dataSizes and attributes and numAttributes):
        raise invalid("cuMemRangeGetAttributes: no attributes, or an array is NULL")
    columns = ((ctypes.c_uint64, data), (ctypes.c_size_t, dataSizes), (ctypes.c_uint, attributes))
    for out_ptr, size, attribute in zip(
        *[(kind * numAttributes).from_address(at) for kind, at in columns], strict=True
    ):
        cuMemRangeGetAttribute(out_ptr, size, attribute, devPtr, count)
