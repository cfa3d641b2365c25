# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

import pytest
from test_device import in_new_process

from cuda.cpu import abi, driver

PINNED = abi.CU_MEM_ALLOCATION_TYPE_PINNED
DEVICE, HOST = abi.CU_MEM_LOCATION_TYPE_DEVICE, abi.CU_MEM_LOCATION_TYPE_HOST


def properties(**fields):
    given = abi.CUmemPoolProps(allocType=fields.pop("allocType", PINNED))
    given.location.type = fields.pop("location", DEVICE)
    given.location.id = fields.pop("id", 0)
    for name, value in fields.items():
        setattr(given, name, value)
    return given


def create(**fields) -> int:
    given = properties(**fields)
    return driver.cuMemPoolCreate(ctypes.addressof(given))


@contextlib.contextmanager
def pool(**fields):
    handle = create(**fields)
    try:
        yield handle
    finally:
        driver.cuMemPoolDestroy(handle)


def value(handle: int, attribute: int) -> int:
    pointer = ctypes.c_uint64()
    driver.cuMemPoolGetAttribute(handle, attribute, ctypes.addressof(pointer))
    return pointer.value


def test_allocation_in_stream_order(spinning, refused):
    stream = driver.cuStreamCreate(0)
    free = driver.cuMemGetInfo()[0]
    flag = spinning(stream)
    pointer = driver.cuMemAllocAsync(1000, stream)
    driver.cuMemsetD8Async(pointer, 1, 1000, stream)
    driver.cuMemFreeAsync(pointer, stream)
    assert driver.cuMemGetInfo()[0] == free - 4096, "freed before its turn"
    with refused("INVALID_VALUE", "not the start of a live"):
        driver.cuMemFreeAsync(pointer, stream)
    flag.raise_()
    driver.cuStreamSynchronize(stream)
    assert driver.cuMemGetInfo()[0] == free
    driver.cuStreamDestroy(stream)


def test_default_pool_is_the_device_s(context, refused):
    default = driver.cuDeviceGetDefaultMemPool(0)
    assert driver.cuDeviceGetMemPool(0) == default
    location = abi.CUmemLocation(type=DEVICE)
    assert driver.cuMemGetDefaultMemPool(ctypes.addressof(location), PINNED) == default
    with refused("INVALID_VALUE", "default pool"):
        driver.cuMemPoolDestroy(default)
    with pool() as own:
        driver.cuDeviceSetMemPool(0, own)
        assert driver.cuDeviceGetMemPool(0) == driver.cuMemGetMemPool(ctypes.addressof(location), PINNED) == own
        pointer = driver.cuMemAllocAsync(64, 0)
        assert value(own, abi.CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 64
        driver.cuMemFreeAsync(pointer, 0)
    assert driver.cuDeviceGetMemPool(0) == default
    driver.cuMemSetMemPool(ctypes.addressof(location), PINNED, default)
    driver.cuCtxSynchronize()


def test_memory_accounting_of_a_pool(context):
    with pool() as own:
        pointer = driver.cuMemAllocFromPoolAsync(100, own, 0)
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 4096
        driver.cuMemFree(pointer)
        assert value(own, abi.CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0
        assert value(own, abi.CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 100
        zero = ctypes.c_uint64()
        driver.cuMemPoolSetAttribute(own, abi.CU_MEMPOOL_ATTR_USED_MEM_HIGH, ctypes.addressof(zero))
        assert value(own, abi.CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 0
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 4096
        driver.cuMemPoolTrimTo(own, 4096)
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 4096
        driver.cuMemPoolTrimTo(own, 0)
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == 4096
        driver.cuMemPoolSetAttribute(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, ctypes.addressof(zero))
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == 0


def change(handle: int, attribute: int, number: int) -> None:
    pointer = ctypes.c_uint64(number)
    driver.cuMemPoolSetAttribute(handle, attribute, ctypes.addressof(pointer))


def test_a_stream_reuses_its_own_freed_memory(spinning):
    stream, other = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
    with pool() as own:
        change(own, abi.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0)
        flag = spinning(stream)
        pointer = driver.cuMemAllocFromPoolAsync(10_000, own, stream)
        driver.cuMemsetD8Async(pointer, 1, 10_000, stream)
        driver.cuMemFreeAsync(pointer, stream)
        elsewhere = driver.cuMemAllocFromPoolAsync(10_000, own, other)
        assert elsewhere != pointer, "another stream got memory that is still in use"
        again = driver.cuMemAllocFromPoolAsync(10_000, own, stream)
        assert again == pointer
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 2 * 12288
        flag.raise_()
        for each, where in ((again, stream), (elsewhere, other)):
            driver.cuMemFreeAsync(each, where)
        driver.cuCtxSynchronize()
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0
    driver.cuStreamDestroy(stream), driver.cuStreamDestroy(other)


def test_another_stream_waits_for_memory_that_is_freed_later(spinning):
    stream, other = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
    with pool() as own:
        flag = spinning(stream)
        pointer = driver.cuMemAllocFromPoolAsync(4, own, stream)
        driver.cuMemFreeAsync(pointer, stream)
        assert driver.cuMemAllocFromPoolAsync(4, own, other) == pointer
        driver.cuMemsetD8Async(pointer, 1, 4, other)
        with pytest.raises(driver.error.CudaError):
            driver.cuStreamQuery(other)
        flag.raise_()
        driver.cuMemFreeAsync(pointer, other)
        driver.cuCtxSynchronize()
    driver.cuStreamDestroy(stream), driver.cuStreamDestroy(other)


def test_the_release_threshold(context):
    with pool() as own:
        change(own, abi.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 1 << 20)
        held = [driver.cuMemAllocFromPoolAsync(600 << 10, own, 0) for _ in range(3)]
        for pointer in held:
            driver.cuMemFreeAsync(pointer, 0)
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 1800 << 10
        driver.cuStreamSynchronize(0)
        assert value(own, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 600 << 10
        assert driver.cuMemAllocFromPoolAsync(600 << 10, own, 0) in held
        driver.cuMemFreeAsync(held[0], 0)


def test_smaller_memory_in_a_block_ends_at_the_guard_page(context):
    with pool() as own:
        change(own, abi.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 1 << 20)
        large = driver.cuMemAllocFromPoolAsync(4096, own, 0)
        driver.cuMemFreeAsync(large, 0)
        small = driver.cuMemAllocFromPoolAsync(100, own, 0)
        assert small == large + 4096 - 256
        driver.cuMemFreeAsync(small, 0)


def test_reserved_memory_is_released_when_the_device_is_full():
    code = """
import ctypes
from cuda.cpu import abi
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
pool = driver.cuDeviceGetDefaultMemPool(0)
threshold = ctypes.c_uint64(1 << 40)
driver.cuMemPoolSetAttribute(pool, abi.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ctypes.addressof(threshold))
driver.cuMemFreeAsync(driver.cuMemAllocAsync(12 << 20, 0), 0)
driver.cuStreamSynchronize(0)
held = driver.cuMemGetInfo()[0]
driver.cuMemFree(driver.cuMemAlloc(8 << 20))
print(held >> 20, driver.cuMemGetInfo()[0] >> 20)
"""
    assert in_new_process(code, CUDA_CPU_MEMORY="16M") == "4 16"


def test_attributes(context, refused):
    with pool(maxSize=1 << 20) as own:
        assert value(own, abi.CU_MEMPOOL_ATTR_MAX_POOL_SIZE) == 1 << 20
        threshold = ctypes.c_uint64(2**40)
        driver.cuMemPoolSetAttribute(own, abi.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ctypes.addressof(threshold))
        assert value(own, abi.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == 2**40
        switch = ctypes.c_int(0)
        driver.cuMemPoolSetAttribute(own, abi.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, ctypes.addressof(switch))
        assert value(own, abi.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC) == 0
        assert value(own, abi.CU_MEMPOOL_ATTR_LOCATION_TYPE) == DEVICE
        for which in (abi.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, abi.CU_MEMPOOL_ATTR_MAX_POOL_SIZE, 99):
            with refused("INVALID_VALUE", f"attribute {which}"):
                driver.cuMemPoolSetAttribute(own, which, ctypes.addressof(threshold))
        with refused("INVALID_VALUE", "99"):
            driver.cuMemPoolGetAttribute(own, 99, ctypes.addressof(threshold))
        with refused("OUT_OF_MEMORY", "of a pool with"):
            driver.cuMemAllocFromPoolAsync(2 << 20, own, 0)


def test_host_pool(context):
    with pool(location=HOST) as own:
        pointer = driver.cuMemAllocFromPoolAsync(16, own, 0)
        assert driver.cuMemHostGetDevicePointer(pointer, 0) == pointer
        ctypes.memset(pointer, 1, 16)
        driver.cuMemFreeAsync(pointer, 0)
        driver.cuStreamSynchronize(0)


def test_allocations_outlive_their_pool(context, refused):
    own = create()
    pointer = driver.cuMemAllocFromPoolAsync(16, own, 0)
    driver.cuMemPoolDestroy(own)
    driver.cuMemsetD8(pointer, 0, 16)
    with refused("INVALID_HANDLE"):
        driver.cuMemAllocFromPoolAsync(16, own, 0)
    driver.cuMemFreeAsync(pointer, 0)
    driver.cuStreamSynchronize(0)
    with refused("INVALID_HANDLE", "no live memory pool"):
        driver.cuMemPoolTrimTo(own, 0)


def test_access(context, refused):
    with pool() as own:
        location = abi.CUmemLocation(type=DEVICE)
        assert driver.cuMemPoolGetAccess(own, ctypes.addressof(location)) == abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        given = abi.CUmemAccessDesc(location=location, flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READ)
        driver.cuMemPoolSetAccess(own, ctypes.addressof(given), 1)
        assert driver.cuMemPoolGetAccess(own, ctypes.addressof(location)) == abi.CU_MEM_ACCESS_FLAGS_PROT_READ
        given.flags = 2
        with refused("INVALID_VALUE", "CUmemAccess_flags"):
            driver.cuMemPoolSetAccess(own, ctypes.addressof(given), 1)
        given.flags = abi.CU_MEM_ACCESS_FLAGS_PROT_NONE
        with refused("INVALID_VALUE", "cannot lose its access"):
            driver.cuMemPoolSetAccess(own, ctypes.addressof(given), 1)
        assert driver.cuMemPoolGetAccess(own, ctypes.addressof(location)) == abi.CU_MEM_ACCESS_FLAGS_PROT_READ


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"allocType": 9}, "INVALID_VALUE", "allocType is 9"),
        ({"handleTypes": 2}, "NOT_SUPPORTED", "file descriptors"),
        ({"location": 77}, "INVALID_VALUE", "location type 77"),
        ({"id": 5}, "INVALID_DEVICE", "device 5"),
    ],
)
def test_wrong_properties(context, refused, fields, status, says):
    with refused(status, says):
        create(**fields)


def test_wrong_sizes_and_pools(context, refused):
    with refused("INVALID_VALUE", "size is 0"):
        driver.cuMemAllocAsync(0, 0)
    with refused("INVALID_VALUE", "size is 0"):
        driver.cuMemAllocFromPoolAsync(0, driver.cuDeviceGetDefaultMemPool(0), 0)
    with refused("INVALID_HANDLE", "NULL"):
        driver.cuMemAllocFromPoolAsync(4, 0, 0)
    host = driver.cuMemHostAlloc(4, 0)
    with refused("INVALID_VALUE", "cuMemFreeHost"):
        driver.cuMemFreeAsync(host, 0)
    driver.cuMemFreeHost(host)


def test_a_pool_of_another_device():
    code = """
import ctypes
from cuda.cpu import abi
driver.cuInit(0)
contexts = [driver.cuDevicePrimaryCtxRetain(ordinal) for ordinal in (0, 1)]
driver.cuCtxSetCurrent(contexts[0])
pool = driver.cuDeviceGetDefaultMemPool(1)
pointer = driver.cuMemAllocFromPoolAsync(1 << 20, pool, 0)
ordinal = ctypes.c_int()
driver.cuPointerGetAttribute(ctypes.addressof(ordinal), abi.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer)
used = []
for context in contexts:
    driver.cuCtxSetCurrent(context)
    free, total = driver.cuMemGetInfo()
    used.append(total - free)
print(ordinal.value, used)
"""
    assert in_new_process(code, CUDA_CPU_DEVICES="2", CUDA_CPU_MEMORY="16M") == f"1 {[0, 1 << 20]}"


def localized(properties, kind: int, ordinal: int, domain: int):
    properties.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN
    properties.location.localized.deviceId, properties.location.localized.localityDomainId = ordinal, domain
    setattr(properties, "allocType" if hasattr(properties, "allocType") else "type", kind)
    return ctypes.addressof(properties)


def test_the_one_locality_domain_is_the_device(context, refused):
    """As on GPUs with a single locality domain (CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN)."""
    assert driver.cuDeviceGetAttribute(abi.CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT, 0) == 1
    pinned, managed = abi.CU_MEM_ALLOCATION_TYPE_PINNED, abi.CU_MEM_ALLOCATION_TYPE_MANAGED
    given = abi.CUmemPoolProps()
    handle = driver.cuMemPoolCreate(localized(given, pinned, 0, 0))
    assert value(handle, abi.CU_MEMPOOL_ATTR_LOCATION_TYPE) == abi.CU_MEM_LOCATION_TYPE_DEVICE
    domain = ctypes.c_int()
    driver.cuMemPoolGetAttribute(handle, abi.CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID, ctypes.addressof(domain))
    assert domain.value == -1
    pointer = driver.cuMemAllocFromPoolAsync(64, handle, 0)
    domain.value = 5
    driver.cuPointerGetAttribute(ctypes.addressof(domain), abi.CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL, pointer)
    assert domain.value == -1
    driver.cuMemFree(pointer)
    driver.cuMemPoolDestroy(handle)
    wanted = abi.CUmemAllocationProp()
    made = driver.cuMemCreate(2 << 20, localized(wanted, pinned, 0, 0), 0)
    driver.cuMemRelease(made)
    with refused("INVALID_VALUE", "one domain, 0"):
        driver.cuMemPoolCreate(localized(given, pinned, 0, 1))
    with refused("INVALID_DEVICE"):
        driver.cuMemPoolCreate(localized(given, pinned, 9, 0))
    with refused("INVALID_VALUE", "location type 6"):
        driver.cuMemPoolCreate(localized(given, managed, 0, 0))
