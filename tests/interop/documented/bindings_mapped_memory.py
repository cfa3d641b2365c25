# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An address range, physical memory mapped into it in two parts, access rights, a kernel over all of it."""

import ctypes

import numpy as np
from common import check, outcome
from driver_kernels import begin, functions

from cuda.bindings import driver

device = begin()
(kernel,) = functions(
    'extern "C" __global__ void fill(unsigned *x, unsigned n) { for (unsigned i = threadIdx.x; i < n; i += 64) x[i] = i; }',
    "fill",
)
properties = driver.CUmemAllocationProp()
properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
properties.location = driver.CUmemLocation()
properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
properties.location.id = device
granularity = check(
    driver.cuMemGetAllocationGranularity(
        properties, driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    )
)
print(granularity)
base = check(driver.cuMemAddressReserve(2 * granularity, 0, 0, 0))
handles = [check(driver.cuMemCreate(granularity, properties, 0)) for _ in range(2)]
for index, handle in enumerate(handles):
    check(driver.cuMemMap(int(base) + index * granularity, granularity, 0, handle, 0))
    check(driver.cuMemRelease(handle))
access = driver.CUmemAccessDesc()
access.location = properties.location
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
check(driver.cuMemSetAccess(base, 2 * granularity, [access], 1))
print(check(driver.cuMemGetAccess(properties.location, base)))
count = 2 * granularity // 4
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, ((base, count), (None, ctypes.c_uint)), 0))
host = np.zeros(count, np.uint32)
check(driver.cuMemcpyDtoH(host.ctypes.data, base, host.nbytes))
print(np.array_equal(host, np.arange(count, dtype=np.uint32)))
print(outcome(driver.cuMemUnmap, base, granularity // 2))
check(driver.cuMemUnmap(base, 2 * granularity))
check(driver.cuMemAddressFree(base, 2 * granularity))
print(outcome(driver.cuMemAddressFree, base, 2 * granularity), outcome(driver.cuMemCreate, 17, properties, 0))
