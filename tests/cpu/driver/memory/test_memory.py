# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

from hypothesis import given
from hypothesis import strategies as st
from test_device import in_new_process

from cuda.cpu import abi, driver
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.address import Allocation, Kind


@contextlib.contextmanager
def memory(size: int):
    pointer = driver.cuMemAlloc(size)
    try:
        yield pointer
    finally:
        driver.cuMemFree(pointer)


def test_memory_is_aligned_and_accounted_for(context):
    free, total = driver.cuMemGetInfo()
    with memory(1000) as pointer:
        assert pointer % 256 == 0
        assert driver.cuMemGetInfo() == (free - 1024, total)
        assert driver.cuMemGetAddressRange(pointer + 999) == (pointer, 1000)


def test_wrong_sizes_and_pointers(context, refused):
    with refused("INVALID_VALUE", "size is 0"):
        driver.cuMemAlloc(0)
    with memory(100) as pointer:
        for wrong, says in ((pointer + 4, "4 bytes into the device allocation"), (0, "0x0"), (12345, "0x3039")):
            with refused("INVALID_VALUE", says):
                driver.cuMemFree(wrong)
        with refused("INVALID_VALUE", "no live device pointer"):
            driver.cuMemGetAddressRange(pointer + 100)
    with refused("INVALID_VALUE"):
        driver.cuMemFree(pointer)


def test_the_out_of_memory_message_states_free_and_total(context, refused):
    free, total = driver.cuMemGetInfo()
    with refused("OUT_OF_MEMORY", f"{free} of {total} free"):
        driver.cuMemAlloc(total + 1)
    assert driver.cuMemGetInfo() == (free, total)


def test_all_of_the_memory_can_be_allocated_repeatedly():
    code = """
driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
for _ in range(3):
    pointers = [driver.cuMemAlloc(1 << 20) for _ in range(8)]
    try:
        driver.cuMemAlloc(1)
    except CudaError as error:
        assert error.status == 2
    [driver.cuMemFreeAsync(p, 0) for p in pointers]
print(driver.cuMemAlloc(8 << 20) > 0)  # waits for the frees that are queued
"""
    assert in_new_process(code, CUDA_CPU_MEMORY="8M") == "True"


def test_pitched_memory(context, refused):
    pointer, pitch = driver.cuMemAllocPitch(100, 3, 4)
    assert pitch == 512
    assert driver.cuMemGetAddressRange(pointer) == (pointer, 3 * 512)
    driver.cuMemFree(pointer)
    with refused("INVALID_VALUE", "ElementSizeBytes is 3"):
        driver.cuMemAllocPitch(100, 3, 3)


def test_managed_memory_is_host_accessible(context, refused):
    pointer = driver.cuMemAllocManaged(8, abi.CU_MEM_ATTACH_GLOBAL)
    driver.cuMemsetD8(pointer, 3, 8)
    driver.cuCtxSynchronize()
    assert ctypes.string_at(pointer, 8) == b"\3" * 8
    driver.cuMemFree(pointer)
    with refused("INVALID_VALUE", "flags is 7"):
        driver.cuMemAllocManaged(8, 7)


def test_pinned_host_memory(context, refused):
    pointer = driver.cuMemHostAlloc(100, abi.CU_MEMHOSTALLOC_PORTABLE)
    assert driver.cuMemHostGetDevicePointer(pointer, 0) == pointer
    assert driver.cuMemHostGetFlags(pointer) == abi.CU_MEMHOSTALLOC_PORTABLE | abi.CU_MEMHOSTALLOC_DEVICEMAP
    with refused("INVALID_VALUE", "not the start"):
        driver.cuMemFree(pointer)
    with refused("INVALID_VALUE", "Flags is 1"):
        driver.cuMemHostGetDevicePointer(pointer, 1)
    driver.cuMemFreeHost(pointer)
    with refused("INVALID_VALUE"):
        driver.cuMemFreeHost(pointer)
    with refused("INVALID_VALUE", "neither pinned nor registered"):
        driver.cuMemHostGetFlags(pointer)
    for size, flags in ((0, 0), (10, 64)):
        with refused("INVALID_VALUE", "cuMemHostAlloc"):
            driver.cuMemHostAlloc(size, flags)


def test_registered_host_memory(context, refused):
    buffer = ctypes.create_string_buffer(100)
    pointer = ctypes.addressof(buffer)
    driver.cuMemHostRegister(pointer, 100, 0)
    with refused("HOST_MEMORY_ALREADY_REGISTERED"):
        driver.cuMemHostRegister(pointer + 50, 100, 0)
    assert driver.cuMemHostGetDevicePointer(pointer + 3, 0) == pointer + 3
    driver.cuMemHostUnregister(pointer)
    with refused("HOST_MEMORY_NOT_REGISTERED"):
        driver.cuMemHostUnregister(pointer)
    with refused("INVALID_VALUE"):
        driver.cuMemHostRegister(0, 100, 0)
    with refused("NOT_SUPPORTED", "I/O"):
        driver.cuMemHostRegister(pointer, 100, abi.CU_MEMHOSTREGISTER_IOMEMORY)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 40)), max_size=20), st.integers(0, 2600))
def test_the_address_table_finds_the_allocation_of_an_address(layout, asked):
    """Compare with a linear search; `layout` has gaps and sizes."""
    records, pointer = [], 1 << 50
    try:
        for gap, size in layout:
            record = Allocation(pointer + gap, size, Kind.DEVICE, None)
            address.add(record)
            records.append(record)
            pointer += gap + size
        asked += 1 << 50
        holding = [record for record in records if record.start <= asked < record.start + record.size]
        assert address.find(asked) is (holding[0] if holding else None)
        touching = [r for r in records if r.start < asked + 30 and asked < r.start + r.size]
        assert (address.overlapping(asked, 30) in touching) if touching else not address.overlapping(asked, 30)
    finally:
        for record in records:
            address.remove(record)
