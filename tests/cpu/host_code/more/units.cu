// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
#include "../units.h"

__device__ int total;
__constant__ float weights[2] = {4, 8};
static __device__ int calls = 100;
namespace {
__device__ int own() { return 2; }
__global__ void count(int *to) { *to = ++calls + own(); }
} // namespace

__device__ int next() { return ++calls; }
extern "C" __device__ int named(int x) { return x + 1; }
__device__ int corners_of(const Shape &shape) { return shape.corners() + 1; }

int count_in_other_file() {
    int *cell, got;
    OK(cudaMalloc(&cell, sizeof *cell));
    fill<<<1, 1>>>(cell, 3);
    OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
    IS(got == 6);
    count<<<1, 1>>>(cell);
    OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaFree(cell));
    return got;
}
