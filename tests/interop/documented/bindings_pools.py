# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory in the order of a stream: default pool, a pool with a threshold, attributes, what remains reserved."""

import ctypes

from common import check, outcome
from driver_kernels import begin

from cuda.bindings import driver

device = begin()
stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
attribute = driver.CUmemPool_attribute
pool = check(driver.cuDeviceGetDefaultMemPool(device))
print(int(pool) == int(check(driver.cuDeviceGetMemPool(device))))
properties = driver.CUmemPoolProps()
properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
properties.location.id = 0
own = check(driver.cuMemPoolCreate(properties))
print(int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD))))
check(driver.cuMemPoolSetAttribute(own, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, driver.cuuint64_t(1 << 30)))
print(int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD))))
pointer = check(driver.cuMemAllocFromPoolAsync(1 << 20, own, stream))
print(int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT))))
check(driver.cuMemsetD8Async(pointer, 7, 1 << 20, stream))
back = (ctypes.c_ubyte * 16)()
check(driver.cuMemcpyDtoHAsync(ctypes.addressof(back), pointer, 16, stream))
check(driver.cuMemFreeAsync(pointer, stream))
check(driver.cuStreamSynchronize(stream))
print(list(back)[:4], int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT))))
print(int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_USED_MEM_HIGH))))
check(driver.cuMemPoolTrimTo(own, 0))
print(int(check(driver.cuMemPoolGetAttribute(own, attribute.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT))))
print(outcome(driver.cuMemAllocFromPoolAsync, 1 << 50, own, stream), outcome(driver.cuMemAllocAsync, 0, stream))
check(driver.cuMemPoolDestroy(own))
