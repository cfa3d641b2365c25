# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import numpy as np
import pytest
from test_memory import memory

from cuda.cpu import abi, driver


def ask(pointer: int, attribute: str, kind=ctypes.c_uint64):
    answer = kind()
    driver.cuPointerGetAttribute(ctypes.addressof(answer), getattr(abi, f"CU_POINTER_ATTRIBUTE_{attribute}"), pointer)
    return answer.value


def test_device_memory(context, refused):
    with memory(100) as pointer:
        assert ask(pointer, "CONTEXT") == context
        assert ask(pointer + 50, "MEMORY_TYPE", ctypes.c_uint) == abi.CU_MEMORYTYPE_DEVICE
        assert ask(pointer + 50, "DEVICE_POINTER") == pointer + 50
        assert ask(pointer + 50, "RANGE_START_ADDR") == pointer
        assert ask(pointer, "RANGE_SIZE") == 100
        assert ask(pointer, "DEVICE_ORDINAL", ctypes.c_int) == 0
        assert ask(pointer, "IS_MANAGED", ctypes.c_bool) is False
        with refused("INVALID_VALUE", "no host pointer"):
            ask(pointer, "HOST_POINTER")
        with refused("INVALID_VALUE", "is not memory of the CUDA API, 0 bytes past"):
            ask(pointer + 100, "CONTEXT")
        with memory(10) as other:
            assert ask(other, "BUFFER_ID") != ask(pointer, "BUFFER_ID")


def test_host_and_managed_memory(context):
    host, managed = driver.cuMemHostAlloc(8, 0), driver.cuMemAllocManaged(8, 1)
    assert ask(host, "MEMORY_TYPE", ctypes.c_uint) == abi.CU_MEMORYTYPE_HOST
    assert ask(host + 4, "HOST_POINTER") == host + 4
    assert ask(managed, "IS_MANAGED", ctypes.c_bool) is True
    assert ask(managed, "HOST_POINTER") == managed
    driver.cuMemFreeHost(host)
    driver.cuMemFree(managed)


def test_memory_of_a_pool(context):
    pointer = driver.cuMemAllocAsync(8, 0)
    assert ask(pointer, "MEMPOOL_HANDLE") == driver.cuDeviceGetDefaultMemPool(0)
    driver.cuMemFreeAsync(pointer, 0)
    driver.cuStreamSynchronize(0)


def test_several_attributes_at_once(context, refused):
    kinds = np.array([abi.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, abi.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL], np.uint32)
    answers = np.array([99, 99], np.int32)
    kernel_params = np.array([answers.ctypes.data, answers.ctypes.data + 4], np.uint64)

    def several(pointer):
        driver.cuPointerGetAttributes(2, kinds.ctypes.data, kernel_params.ctypes.data, pointer)
        return answers.tolist()

    with memory(8) as pointer:
        assert several(pointer) == [abi.CU_MEMORYTYPE_DEVICE, 0]
    assert several(kernel_params.ctypes.data) == [0, -2]
    kinds[1] = 99
    with refused("INVALID_VALUE", "99"):
        several(0)


def test_set_attribute(context, refused):
    value = ctypes.c_uint(1)
    with memory(8) as pointer:
        which = abi.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
        driver.cuPointerSetAttribute(ctypes.addressof(value), which, pointer)
        assert ask(pointer, "SYNC_MEMOPS", ctypes.c_bool) is True
        with refused("INVALID_VALUE", "only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS"):
            driver.cuPointerSetAttribute(ctypes.addressof(value), abi.CU_POINTER_ATTRIBUTE_CONTEXT, pointer)


DEVICE = bytes(abi.CUmemLocation(type=abi.CU_MEM_LOCATION_TYPE_DEVICE))
HOST = bytes(abi.CUmemLocation(type=abi.CU_MEM_LOCATION_TYPE_HOST))


def test_advice_is_remembered(context, refused):
    pointer = driver.cuMemAllocManaged(64, 1)

    def answer(name):
        value = ctypes.c_int()
        attribute = getattr(abi, f"CU_MEM_RANGE_ATTRIBUTE_{name}")
        driver.cuMemRangeGetAttribute(ctypes.addressof(value), 4, attribute, pointer, 64)
        return value.value

    assert answer("READ_MOSTLY") == 0
    assert answer("LAST_PREFETCH_LOCATION") == answer("PREFERRED_LOCATION") == -2
    driver.cuMemAdvise(pointer, 64, abi.CU_MEM_ADVISE_SET_READ_MOSTLY, DEVICE)
    driver.cuMemAdvise(pointer, 64, abi.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, HOST)
    driver.cuMemPrefetchAsync(pointer, 64, DEVICE, 0, 0)
    assert answer("READ_MOSTLY") == 1
    assert answer("PREFERRED_LOCATION") == -1
    assert answer("PREFERRED_LOCATION_TYPE") == abi.CU_MEM_LOCATION_TYPE_HOST
    assert answer("LAST_PREFETCH_LOCATION") == 0
    driver.cuMemAdvise(pointer, 64, abi.CU_MEM_ADVISE_UNSET_READ_MOSTLY, DEVICE)
    assert answer("READ_MOSTLY") == 0
    with refused("INVALID_VALUE", "CUmem_advise"):
        driver.cuMemAdvise(pointer, 64, 99, DEVICE)
    with refused("INVALID_VALUE", "past the end"):
        driver.cuMemPrefetchAsync(pointer, 65, DEVICE, 0, 0)
    driver.cuMemFree(pointer)


@pytest.mark.parametrize("call", ["advise", "prefetch"])
def test_advice_needs_managed_memory(context, refused, call):
    with memory(8) as pointer, refused("INVALID_VALUE", "wants managed memory"):
        if call == "advise":
            driver.cuMemAdvise(pointer, 8, 1, DEVICE)
        else:
            driver.cuMemPrefetchAsync(pointer, 8, DEVICE, 0, 0)


def test_several_range_attributes(context):
    pointer = driver.cuMemAllocManaged(64, 1)
    answers = np.zeros(4, np.int32)
    kernel_params = np.array([answers.ctypes.data, answers.ctypes.data + 4], np.uint64)
    sizes = np.array([4, 12], np.uint64)
    kinds = np.array([abi.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, abi.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY], np.uint32)
    driver.cuMemAdvise(pointer, 64, abi.CU_MEM_ADVISE_SET_ACCESSED_BY, DEVICE)
    arrays = (kernel_params.ctypes.data, sizes.ctypes.data, kinds.ctypes.data)
    driver.cuMemRangeGetAttributes(*arrays, 2, pointer, 64)
    assert answers.tolist() == [0, 0, -2, -2]
    driver.cuMemFree(pointer)


def test_prefetch_of_many_ranges(context, refused):
    pointers = [driver.cuMemAllocManaged(64, abi.CU_MEM_ATTACH_GLOBAL) for _ in range(3)]
    ranges, sizes = (ctypes.c_uint64 * 3)(*pointers), (ctypes.c_size_t * 3)(64, 64, 64)
    kernel_params = (abi.CUmemLocation * 2)()
    kernel_params[0].type, kernel_params[1].type = abi.CU_MEM_LOCATION_TYPE_DEVICE, abi.CU_MEM_LOCATION_TYPE_HOST
    first = (ctypes.c_size_t * 2)(0, 2)

    def prefetch(count: int = 3) -> None:
        arrays = [ctypes.addressof(each) for each in (ranges, sizes, kernel_params, first)]
        driver.cuMemPrefetchBatchAsync(*arrays[:2], count, *arrays[2:], 2, 0, 0)

    prefetch()
    answer = ctypes.c_int()
    found = []
    for pointer in pointers:
        which = abi.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION
        driver.cuMemRangeGetAttribute(ctypes.addressof(answer), 4, which, pointer, 64)
        found.append(answer.value)
    assert found == [0, 0, -1]
    with refused("INVALID_VALUE", "at most count"):
        prefetch(1)
    first[1] = 0
    with refused("INVALID_VALUE", "must begin with 0 and increase"):
        prefetch()
    for pointer in pointers:
        driver.cuMemFree(pointer)


def test_discards(context, refused):
    pointer = driver.cuMemAllocManaged(4096, abi.CU_MEM_ATTACH_GLOBAL)
    device = driver.cuMemAlloc(64)
    kernel_params = (ctypes.c_uint64 * 2)(pointer, device)
    sizes = (ctypes.c_size_t * 2)(4096, 64)
    where = abi.CUmemLocation(type=abi.CU_MEM_LOCATION_TYPE_HOST)
    ranges, first = (ctypes.addressof(kernel_params), ctypes.addressof(sizes)), (ctypes.c_size_t * 1)(0)
    driver.cuMemDiscardBatchAsync(*ranges, 1, 0, 0)
    at = (ctypes.addressof(where), ctypes.addressof(first), 1)
    driver.cuMemDiscardAndPrefetchBatchAsync(*ranges, 1, *at, 0, 0)
    kind = ctypes.c_int()
    kind_of = (ctypes.addressof(kind), 4, abi.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, pointer, 4096)
    driver.cuMemRangeGetAttribute(*kind_of)
    assert kind.value == abi.CU_MEM_LOCATION_TYPE_HOST
    with refused("INVALID_VALUE", "wants managed memory"):
        driver.cuMemDiscardBatchAsync(*ranges, 2, 0, 0)
    buffer = (ctypes.c_uint64 * 1)(ctypes.addressof(where))  # pageable memory may be prefetched, not discarded
    with refused("INVALID_VALUE", "range 0 is no managed memory"):
        driver.cuMemDiscardBatchAsync(ctypes.addressof(buffer), ranges[1], 1, 0, 0)
    with refused("INVALID_VALUE", "flags is 1"):
        driver.cuMemDiscardBatchAsync(*ranges, 1, 1, 0)
    driver.cuMemFree(device)
    driver.cuMemFree(pointer)


def test_older_versions_take_a_device(context):
    pointer = driver.cuMemAllocManaged(4096, abi.CU_MEM_ATTACH_GLOBAL)
    driver.cuMemAdvise_v1(pointer, 4096, abi.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0)
    driver.cuMemPrefetchAsync_v1(pointer, 4096, abi.CU_DEVICE_CPU, 0)
    answer = ctypes.c_int(9)
    for attribute, expected in (
        (abi.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0),
        (abi.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, abi.CU_DEVICE_CPU),
    ):
        driver.cuMemRangeGetAttribute(ctypes.addressof(answer), 4, attribute, pointer, 4096)
        assert answer.value == expected
    driver.cuMemFree(pointer)
