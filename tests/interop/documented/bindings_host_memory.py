# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of the host that kernels use: allocated, mapped, registered; flags and pointers' attributes."""

import ctypes

import numpy as np
from common import check, outcome
from driver_kernels import begin, functions

from cuda.bindings import driver

begin()
(add,) = functions(
    'extern "C" __global__ void add(const float *a, const float *b, float *c) { int i = threadIdx.x; c[i] = a[i] + b[i]; }',
    "add",
)
count = 128
pointers = [check(driver.cuMemHostAlloc(4 * count, driver.CU_MEMHOSTALLOC_DEVICEMAP)) for _ in range(2)]
a, b = (np.ctypeslib.as_array((ctypes.c_float * count).from_address(int(pointer))) for pointer in pointers)
a[:], b[:] = np.arange(count), 1
c = np.zeros(4096, np.float32)
check(driver.cuMemHostRegister(c.ctypes.data, c.nbytes, driver.CU_MEMHOSTREGISTER_DEVICEMAP))
on_device = [check(driver.cuMemHostGetDevicePointer(int(pointer), 0)) for pointer in (*pointers, c.ctypes.data)]
check(driver.cuLaunchKernel(add, 1, 1, 1, count, 1, 1, 0, 0, (tuple(on_device), (None,) * 3), 0))
check(driver.cuCtxSynchronize())
print(np.array_equal(c[:count], a + b), check(driver.cuMemHostGetFlags(int(pointers[0]))))
attribute = driver.CUpointer_attribute
for name in ("MEMORY_TYPE", "IS_MANAGED", "RANGE_SIZE", "MAPPED", "DEVICE_ORDINAL"):
    print(
        name, int(check(driver.cuPointerGetAttribute(getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}"), on_device[0])))
    )
several = [attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED]
print([int(value) for value in check(driver.cuPointerGetAttributes(2, several, on_device[1]))])
print(outcome(driver.cuMemHostRegister, c.ctypes.data, c.nbytes, 0))
check(driver.cuMemHostUnregister(c.ctypes.data))
print(outcome(driver.cuMemHostUnregister, c.ctypes.data), outcome(driver.cuMemFreeHost, c.ctypes.data))
del a, b
for pointer in pointers:
    check(driver.cuMemFreeHost(int(pointer)))
