# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys

import kernels
import pytest
from graph_calls import at
from test_pointer import ask

from cuda.cpu import abi, driver

PAGE = 2 << 20
FD = abi.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
READ, WRITE = abi.CU_MEM_ACCESS_FLAGS_PROT_READ, abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE


def properties(**fields) -> int:
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED, **fields)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    return at(given)


@contextlib.contextmanager
def reserved(size: int):
    start = driver.cuMemAddressReserve(size, 0, 0, 0)
    try:
        yield start
    finally:
        driver.cuMemAddressFree(start, size)


@contextlib.contextmanager
def mapped(start: int, handle: int, size: int = PAGE, flags: int = WRITE):
    driver.cuMemMap(start, size, 0, handle, 0)
    try:
        access(start, size, flags)
        yield
    finally:
        driver.cuMemUnmap(start, size)


def access(start: int, size: int, flags: int) -> None:
    given = abi.CUmemAccessDesc(flags=flags)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    driver.cuMemSetAccess(start, size, at(given), 1)


def access_of(pointer: int) -> int:
    return driver.cuMemGetAccess(at(abi.CUmemLocation(type=abi.CU_MEM_LOCATION_TYPE_DEVICE)), pointer)


@pytest.fixture
def memory(context):
    handle = driver.cuMemCreate(PAGE, properties(requestedHandleTypes=FD), 0)
    yield handle
    driver.cuMemRelease(handle)


def test_memory_mapped_twice_is_shared(memory):
    with reserved(2 * PAGE) as start, mapped(start, memory), mapped(start + PAGE, memory):
        driver.cuMemsetD32(start, 7, 4)
        assert kernels.read(start + PAGE) == 7
        assert access_of(start) == WRITE
        with kernels.loaded(kernels.STORE) as module:
            kernels.run(module, "store", ctypes.c_uint64(start), ctypes.c_uint32(8))
            assert kernels.read(start + PAGE) == 8


def test_a_range_grows_over_mappings(memory):
    other = driver.cuMemCreate(PAGE, properties(), 0)
    with reserved(2 * PAGE) as start, mapped(start, memory), mapped(start + PAGE, other):
        driver.cuMemsetD32(start, 5, 2 * PAGE // 4)
        data = (ctypes.c_uint32 * (2 * PAGE // 4))()
        driver.cuMemcpyDtoH(ctypes.addressof(data), start, 2 * PAGE)
        assert set(data) == {5}
    driver.cuMemRelease(other)


def test_access_flags_are_enforced(memory, refused):
    value = ctypes.c_uint32(1)
    with reserved(PAGE) as start, mapped(start, memory, flags=READ):
        assert kernels.read(start) == 0
        assert access_of(start) == READ
        with refused("INVALID_VALUE", "PROT_READ"):
            driver.cuMemcpyHtoD(start, ctypes.addressof(value), 4)
        access(start, PAGE, 0)
        with refused("INVALID_VALUE", "no live device pointer"):
            kernels.read(start)


def test_attributes_of_mapped_memory(memory, refused):
    assert driver.cuMemGetAllocationGranularity(properties(), 1) == PAGE
    got = abi.CUmemAllocationProp()
    driver.cuMemGetAllocationPropertiesFromHandle(ctypes.addressof(got), memory)
    assert got.requestedHandleTypes == FD
    with reserved(PAGE) as start, mapped(start, memory):
        assert driver.cuMemRetainAllocationHandle(start + 5) == memory
        driver.cuMemRelease(memory)
        assert ask(start, "CONTEXT") == 0
        assert ask(start, "ALLOWED_HANDLE_TYPES") == FD
        with refused("INVALID_VALUE", "not the start of a live"):
            driver.cuMemFree(start)


def test_memory_lives_while_it_is_mapped(context, refused):
    free = driver.cuMemGetInfo()[0]
    handle = driver.cuMemCreate(PAGE, properties(), 0)
    with reserved(PAGE) as start, mapped(start, handle):
        driver.cuMemRelease(handle)
        with refused("INVALID_HANDLE", "no live memory allocation"):
            driver.cuMemRelease(handle)
        driver.cuMemsetD8(start, 1, 4)
        assert driver.cuMemGetInfo()[0] == free - PAGE
    assert driver.cuMemGetInfo()[0] == free


def test_export_and_import_by_descriptor(memory, refused):
    pointer = ctypes.c_int()
    driver.cuMemExportToShareableHandle(ctypes.addressof(pointer), memory, FD, 0)
    other = driver.cuMemImportFromShareableHandle(pointer.value, FD)
    os.close(pointer.value)
    with reserved(2 * PAGE) as start, mapped(start, memory), mapped(start + PAGE, other):
        driver.cuMemsetD32(start, 3, 1)
        assert kernels.read(start + PAGE) == 3
    driver.cuMemRelease(other)
    with refused("NOT_SUPPORTED", "handle type 8"):
        driver.cuMemExportToShareableHandle(ctypes.addressof(pointer), memory, 8, 0)
    with refused("INVALID_VALUE", "no file descriptor"):
        driver.cuMemImportFromShareableHandle(0, FD)
    with refused("NOT_SUPPORTED"):
        driver.cuMemImportFromShareableHandle(0, 2)
    private = driver.cuMemCreate(PAGE, properties(), 0)
    with refused("INVALID_VALUE", "not made with this handle type"):
        driver.cuMemExportToShareableHandle(ctypes.addressof(pointer), private, FD, 0)
    driver.cuMemRelease(private)


@pytest.mark.parametrize("pages", [1, 3])
def test_ranges_grow_in_place(pages):
    """The addresses after each range stay free, so that a range there can be reserved by address."""
    one, other = (driver.cuMemAddressReserve(pages * PAGE, 0, 0, 0) for _ in range(2))
    assert one % PAGE == other % PAGE == 0
    ranges = [(one, pages), (other, pages)]
    for start, _ in ranges[:2]:
        at = start + pages * PAGE
        for more in (1, pages, 7):
            assert driver.cuMemAddressReserve(more * PAGE, 0, at, 0) == at
            ranges.append((at, more))
            at += more * PAGE
    elsewhere = driver.cuMemAddressReserve(2 * PAGE, 8 * PAGE, one - PAGE, 0)  # the second page is taken
    assert not elsewhere % (8 * PAGE)
    for start, count in [*ranges, (elsewhere, 2)]:
        driver.cuMemAddressFree(start, count * PAGE)
    assert driver.cuMemAddressReserve(PAGE, 0, one, 0) == one
    driver.cuMemAddressFree(one, PAGE)


def test_wrong_ranges(memory, refused):
    with refused("INVALID_VALUE", "multiple of the granularity"):
        driver.cuMemAddressReserve(5, 0, 0, 0)
    with refused("INVALID_VALUE", "power of two"):
        driver.cuMemAddressReserve(PAGE, 3, 0, 0)
    with refused("INVALID_VALUE", "no range"):
        driver.cuMemAddressFree(0x1000, PAGE)
    with refused("INVALID_VALUE", "not within"):
        driver.cuMemMap(0, PAGE, 0, memory, 0)
    with refused("INVALID_VALUE", "nothing is mapped"):
        driver.cuMemRetainAllocationHandle(5)
    with refused("INVALID_VALUE", "nothing is mapped"):
        access_of(5)
    with reserved(PAGE) as start, mapped(start, memory):
        with refused("INVALID_VALUE", "mapped in the range"):
            driver.cuMemMap(start, PAGE, 0, memory, 0)
        with refused("INVALID_VALUE", "mapped in the range"):
            driver.cuMemAddressFree(start, PAGE)
        with refused("INVALID_VALUE", "not complete, adjacent mappings"):
            driver.cuMemUnmap(start, 5)
        with refused("INVALID_VALUE", "CUmemAccess_flags"):
            access(start, PAGE, 2)
        with refused("INVALID_VALUE", "must be 0"):
            driver.cuMemMap(start, PAGE, PAGE, memory, 0)


def test_wrong_memory(context, refused):
    with refused("INVALID_VALUE", "prop is NULL"):
        driver.cuMemCreate(PAGE, 0, 0)
    with refused("INVALID_VALUE", "type is 0"):
        driver.cuMemCreate(PAGE, at(abi.CUmemAllocationProp()), 0)
    with refused("NOT_SUPPORTED", "file descriptors"):
        driver.cuMemCreate(PAGE, properties(requestedHandleTypes=2), 0)
    with refused("INVALID_VALUE", "multiple of the granularity"):
        driver.cuMemCreate(PAGE + 1, properties(), 0)
    with refused("INVALID_VALUE", "flags is 1"):
        driver.cuMemCreate(PAGE, properties(), 1)
    with refused("OUT_OF_MEMORY"):
        driver.cuMemCreate(1 << 50, properties(), 0)
    with refused("INVALID_VALUE", "no CUmemAllocationGranularity_flags"):
        driver.cuMemGetAllocationGranularity(properties(), 7)


def test_another_process_maps_the_memory(memory):
    pointer = ctypes.c_int()
    driver.cuMemExportToShareableHandle(ctypes.addressof(pointer), memory, FD, 0)
    code = f"""
import ctypes
from cuda.cpu import abi, driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
handle = driver.cuMemImportFromShareableHandle({pointer.value}, {FD})
start = driver.cuMemAddressReserve({PAGE}, 0, 0, 0)
driver.cuMemMap(start, {PAGE}, 0, handle, 0)
given = abi.CUmemAccessDesc(flags={WRITE})
given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
driver.cuMemSetAccess(start, {PAGE}, ctypes.addressof(given), 1)
driver.cuMemsetD32(start, 77, 1)
driver.cuCtxSynchronize()
"""
    subprocess.run([sys.executable, "-c", code], pass_fds=[pointer.value], check=True, timeout=60)
    os.close(pointer.value)
    with reserved(PAGE) as start, mapped(start, memory):
        assert kernels.read(start) == 77
