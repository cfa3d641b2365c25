# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations of a grid on managed memory, together with those of the host; advice and ranges of the memory."""

import ctypes

import numpy as np
from common import check
from driver_kernels import begin, functions

from cuda.bindings import driver

SOURCE = """
extern "C" __global__ void update(int *data)
{
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    for (int i = 0; i < 10; i++) {
        atomicAdd_system(&data[0], 10);
        atomicExch_system(&data[1], tid);
        atomicMax_system(&data[2], tid);
        atomicMin_system(&data[3], tid);
        atomicInc_system((unsigned int *)&data[4], 17);
        atomicDec_system((unsigned int *)&data[5], 137);
        atomicCAS_system(&data[6], tid - 1, tid);
        atomicAnd_system(&data[7], 2 * tid + 7);
        atomicOr_system(&data[8], 1 << tid % 32);
        atomicXor_system(&data[9], tid);
    }
}
"""
device = begin()
names = ("MANAGED_MEMORY", "CONCURRENT_MANAGED_ACCESS", "PAGEABLE_MEMORY_ACCESS")
for name in names:
    attribute = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    print(name, check(driver.cuDeviceGetAttribute(attribute, device)))
(update,) = functions(SOURCE, "update")
flag = driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value
pointer = check(driver.cuMemAllocManaged(40, flag))
data = np.frombuffer((ctypes.c_int * 10).from_address(int(pointer)), np.int32)
data[:] = 0
data[7], data[8], data[9] = 0xFF, 0, 0xFF
location = driver.CUmemLocation()
location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
location.id = 0
check(driver.cuMemAdvise(pointer, 40, driver.CUmem_advise.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location))
check(driver.cuMemPrefetchAsync(pointer, 40, location, 0, 0))
check(driver.cuLaunchKernel(update, 64, 1, 1, 256, 1, 1, 0, 0, ((pointer,), (None,)), 0))
check(driver.cuCtxSynchronize())
print(data[0], data[2], data[3], data[4], data[7:10])
kind = driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY
print(check(driver.cuMemRangeGetAttribute(4, kind, pointer, 40)))
for name in ("IS_MANAGED", "MEMORY_TYPE", "MAPPED", "RANGE_SIZE"):
    attribute = getattr(driver.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{name}")
    print(name, int(check(driver.cuPointerGetAttribute(attribute, pointer))))
del data
check(driver.cuMemFree(pointer))
