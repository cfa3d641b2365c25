# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tiles staged in shared memory by asynchronous copies of the hardware, with the clock read around them."""

import ctypes

import numpy as np
from common import check
from driver_kernels import begin, functions

from cuda.bindings import driver

SOURCE = r"""
#define TILE 16
extern "C" __global__ void multiply(float *c, const float *a, const float *b, int n, long long *clocks)
{
    __shared__ __align__(16) float as[2][TILE][TILE], bs[2][TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    long long start = clock64();
    auto fetch = [&](int tile, int stage) {
        unsigned int to_a = __cvta_generic_to_shared(&as[stage][y][x]), to_b = __cvta_generic_to_shared(&bs[stage][y][x]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to_a), "l"(a + row * n + tile * TILE + x));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to_b), "l"(b + (tile * TILE + y) * n + column));
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (int tile = 0; tile < n / TILE; tile++) {
        if (tile + 1 < n / TILE) {
            fetch(tile + 1, (tile + 1) & 1);
            asm volatile("cp.async.wait_group 1;");
        } else
            asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[tile & 1][y][k] * bs[tile & 1][k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
    if (!x && !y)
        clocks[blockIdx.y * gridDim.x + blockIdx.x] = clock64() - start;
}
"""
begin()
(multiply,) = functions(SOURCE, "multiply")
size = 64
a = (np.arange(size * size, dtype=np.float32).reshape(size, size) % 7) - 3
b = (np.arange(size * size, dtype=np.float32).reshape(size, size) % 5) - 2
out, clocks = np.zeros((size, size), np.float32), np.zeros(16, np.int64)
pointers = [check(driver.cuMemAlloc(each.nbytes)) for each in (out, a, b, clocks)]
for pointer, each in zip(pointers[1:3], (a, b), strict=True):
    check(driver.cuMemcpyHtoD(pointer, each.ctypes.data, each.nbytes))
values = (*pointers[:3], size, pointers[3])
check(driver.cuLaunchKernel(multiply, 4, 4, 1, 16, 16, 1, 0, 0, (values, (None, None, None, ctypes.c_int, None)), 0))
check(driver.cuMemcpyDtoH(out, pointers[0], out.nbytes))
check(driver.cuMemcpyDtoH(clocks, pointers[3], clocks.nbytes))
print(np.array_equal(out, a @ b), out[3, :4], bool((clocks > 0).all()))
attributes = driver.CUfunction_attribute
for name in ("SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES", "MAX_DYNAMIC_SHARED_SIZE_BYTES"):
    print(name, check(driver.cuFuncGetAttribute(getattr(attributes, f"CU_FUNC_ATTRIBUTE_{name}"), multiply)))
for pointer in pointers:
    check(driver.cuMemFree(pointer))
