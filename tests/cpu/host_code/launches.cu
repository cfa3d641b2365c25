// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Kernels by their stubs, wherever the runtime API takes them; launches that are wrong, and a kernel that fails.
#include "check.h"
#include <cooperative_groups.h>
#include <cstring>
#include <cuda_runtime.h>
#include <thread>

namespace groups = cooperative_groups;

__global__ void add(int *to, int value) { atomicAdd(to, value); }
__global__ void __launch_bounds__(64) narrow(int *to) { *to = blockDim.x; }
__global__ void dynamic(int *to) {
    extern __shared__ int room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (!threadIdx.x) *to = room[blockDim.x - 1];
}
__global__ void together(int *cells, int *to) {
    auto grid = groups::this_grid();
    cells[grid.thread_rank()] = 1;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned i = 0; i < grid.size(); i++) *to += cells[i];
}
__global__ void wild(int *nowhere) { *nowhere = 1; }
struct Large { double cells[40]; };
__global__ void by_value(Large given, double *to) { *to = given.cells[39]; }

static int *cell;

int value() {
    int got;
    OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaMemset(cell, 0, sizeof got));
    return got;
}

int launched_while_computed() {
    add<<<2, 3>>>(cell, 1); // pushes a configuration while another one waits
    return 10;
}

void check_functions() {
    cudaFuncAttributes about;
    OK(cudaFuncGetAttributes(&about, narrow));
    IS(about.maxThreadsPerBlock == 64);
    OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    OK(cudaFuncGetAttributes(&about, dynamic));
    IS(about.maxDynamicSharedSizeBytes == 60000);
    dynamic<<<1, 256, 60000>>>(cell);
    IS(value() == 255);
    int blocks, grid, block;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, narrow, 64, 0));
    IS(blocks > 0);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, narrow));
    IS(grid > 0 && block == 64);
    size_t bytes;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 1, 32));
    IS(bytes > 0);
    const char *name;
    OK(cudaFuncGetName(&name, (const void *)add));
    IS(std::strstr(name, "add"));
    size_t offset, size;
    OK(cudaFuncGetParamInfo((const void *)add, 1, &offset, &size));
    IS(offset == 8 && size == 4);
    OK(cudaFuncSetCacheConfig(add, cudaFuncCachePreferL1));
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, add));
    cudaFunction_t function;
    OK(cudaGetFuncBySymbol(&function, (const void *)add));
    int one = 7;
    void *arguments[] = {&cell, &one};
    OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(2), arguments, 0, 0));
    OK(cudaLaunchKernel((const void *)function, dim3(1), dim3(2), arguments, 0, 0));
    OK(cudaLaunchKernel(add, dim3(1), dim3(2), arguments, 0, 0));
    IS(value() == 42);
    cudaLaunchConfig_t config = {};
    config.gridDim = 3;
    config.blockDim = 5;
    for (int i = 0; i < 3; i++) OK(cudaLaunchKernelEx(&config, add, cell, 2));
    IS(value() == 90);
}

void check_cooperative() {
    int *cells;
    OK(cudaMalloc(&cells, 256 * sizeof *cells));
    void *arguments[] = {&cells, &cell};
    OK(cudaLaunchCooperativeKernel(together, 4, 64, arguments));
    IS(value() == 256);
    FAILS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(together, 1 << 20, 64, arguments));
    IS(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    OK(cudaFree(cells));
}

void check_wrong() {
    add<<<1, 2048>>>(cell, 1);
    IS(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    IS(cudaGetLastError() == cudaSuccess);
    add<<<0, 1>>>(cell, 1);
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    add<<<dim3(1, 1, 70000), 1>>>(cell, 1);
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    dynamic<<<1, 32, 1 << 30>>>(cell);
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    narrow<<<1, 65>>>(cell);
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    int on_host;
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&on_host, dim3(1), dim3(1), nullptr, 0, 0));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((void *)nullptr, dim3(1), dim3(1), nullptr, 0, 0));
    cudaFuncAttributes about;
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&about, &on_host));
    cudaGetLastError();
    OK(cudaDeviceSynchronize());
    IS(value() == 0);
}

int main() {
    OK(cudaMalloc(&cell, sizeof *cell));
    OK(cudaMemset(cell, 0, sizeof *cell));
    add<<<2, 4>>>(cell, launched_while_computed());
    IS(value() == 86);
    for (int i = 0; i < 300; i++) add<<<1, 1>>>(cell, 1);
    IS(value() == 300);
    Large large = {};
    large.cells[39] = 4.5;
    double *real, got;
    OK(cudaMalloc(&real, sizeof *real));
    by_value<<<1, 1>>>(large, real);
    OK(cudaMemcpy(&got, real, sizeof got, cudaMemcpyDeviceToHost));
    IS(got == 4.5);
    std::thread threads[4];
    for (auto &each : threads)
        each = std::thread([] {
            for (int i = 0; i < 50; i++) add<<<1, 2, 0, cudaStreamPerThread>>>(cell, 1);
            OK(cudaStreamSynchronize(cudaStreamPerThread));
        });
    for (auto &each : threads) each.join();
    IS(value() == 400);
    check_functions();
    check_cooperative();
    check_wrong();
    wild<<<1, 1>>>((int *)64);
    OK(cudaGetLastError());
    FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    FAILS(cudaErrorIllegalAddress, cudaMalloc(&real, 8));
    std::puts("fine");
}
