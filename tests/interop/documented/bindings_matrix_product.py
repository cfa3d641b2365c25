# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A tiled product of matrices with dynamic shared memory, events that time it, occupancy and attributes of the function."""

import ctypes

import numpy as np
from common import check
from driver_kernels import begin, functions

from cuda.bindings import driver

device = begin()
SOURCE = """
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tiles[];
    float *of_a = tiles, *of_b = tiles + blockDim.x * blockDim.x, sum = 0;
    int row = blockIdx.y * blockDim.x + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int start = 0; start < n; start += blockDim.x) {
        of_a[threadIdx.y * blockDim.x + threadIdx.x] = a[row * n + start + threadIdx.x];
        of_b[threadIdx.y * blockDim.x + threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) sum += of_a[threadIdx.y * blockDim.x + k] * of_b[k * blockDim.x + threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""
(kernel,) = functions(SOURCE, "product")
n, tile = 64, 16
a = np.arange(n * n, dtype=np.float32).reshape(n, n) % 7
b = np.arange(n * n, dtype=np.float32).reshape(n, n) % 5
c = np.zeros_like(a)
pointers = [check(driver.cuMemAlloc(a.nbytes)) for _ in range(3)]
check(driver.cuMemcpyHtoD(pointers[0], a.ctypes.data, a.nbytes))
check(driver.cuMemcpyHtoD(pointers[1], b.ctypes.data, b.nbytes))
start, end = (check(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DEFAULT)) for _ in range(2))
check(driver.cuEventRecord(start, 0))
arguments = ((*pointers, n), (None, None, None, ctypes.c_int))
check(driver.cuLaunchKernel(kernel, n // tile, n // tile, 1, tile, tile, 1, 2 * 4 * tile * tile, 0, arguments, 0))
check(driver.cuEventRecord(end, 0))
check(driver.cuEventSynchronize(end))
check(driver.cuMemcpyDtoH(c.ctypes.data, pointers[2], c.nbytes))
print(np.array_equal(c, a @ b), check(driver.cuEventElapsedTime(start, end)) >= 0, driver.cuEventQuery(end))
attribute = driver.CUfunction_attribute
for name in ("MAX_THREADS_PER_BLOCK", "SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES"):
    print(name, check(driver.cuFuncGetAttribute(getattr(attribute, f"CU_FUNC_ATTRIBUTE_{name}"), kernel)))
check(driver.cuFuncSetAttribute(kernel, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536))
print(check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel)))
for block, shared in ((256, 0), (256, 2048), (1024, 65536)):
    print(check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel, block, shared)))
print(driver.cuLaunchKernel(kernel, 4, 4, 1, tile, tile, 1, 100_000, 0, arguments, 0))
