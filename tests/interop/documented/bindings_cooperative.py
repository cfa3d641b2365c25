# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A cooperative launch: the blocks of a grid wait for each other in a conjugate gradient method."""

import ctypes

import numpy as np
from common import check
from driver_kernels import begin, functions

from cuda.bindings import driver

SOURCE = r"""
__device__ unsigned int arrived;
__device__ volatile unsigned int turn;

__device__ void grid_sync()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned int mine = turn;
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            turn = mine + 1;
        } else
            while (turn == mine);
    }
    __syncthreads();
}

__device__ void apply(const double *p, double *q, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        q[i] = 2.5 * p[i] - (i ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
}

__device__ double dot(const double *a, const double *b, int n, double *sums)
{
    __shared__ double part[64];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 32; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
    grid_sync();
    double total = 0;
    for (int i = 0; i < gridDim.x; i++)
        total += sums[i];
    grid_sync();
    return total;
}

extern "C" __global__ void solve(double *x, double *r, double *p, double *q, double *sums, int n, int rounds)
{
    double before = dot(r, r, n, sums);
    for (int k = 0; k < rounds && before > 1e-20; k++) {
        apply(p, q, n);
        grid_sync();
        double alpha = before / dot(p, q, n, sums);
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        grid_sync();
        double after = dot(r, r, n, sums), beta = after / before;
        before = after;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            p[i] = r[i] + beta * p[i];
        grid_sync();
    }
}
"""
device = begin()
attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
print(check(driver.cuDeviceGetAttribute(attribute, device)))
(solve,) = functions(SOURCE, "solve")
count, blocks = 500, 2
right = np.sin(np.arange(count))
pointers = [check(driver.cuMemAlloc(right.nbytes)) for _ in range(5)]
x, r, p, q, sums = pointers
check(driver.cuMemsetD8(x, 0, right.nbytes))
for each in (r, p):
    check(driver.cuMemcpyHtoD(each, right, right.nbytes))
arguments = ((*pointers, count, 200), (None,) * 5 + (ctypes.c_int, ctypes.c_int))
check(driver.cuLaunchCooperativeKernel(solve, blocks, 1, 1, 64, 1, 1, 0, 0, arguments))
check(driver.cuCtxSynchronize())
found = np.zeros(count)
check(driver.cuMemcpyDtoH(found, x, found.nbytes))
matrix = 2.5 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1)
print(np.allclose(matrix @ found, right), round(float(found[7]), 9))
status = driver.cuLaunchCooperativeKernel(solve, 100000, 1, 1, 64, 1, 1, 0, 0, arguments)[0]
print(status.name)
for pointer in pointers:
    check(driver.cuMemFree(pointer))
