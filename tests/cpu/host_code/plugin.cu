// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// A library that is opened at run time; PLUGIN distinguishes its copies.
#include "check.h"

__device__ int cell = PLUGIN;
__managed__ int calls;
__global__ void add(int value) {
    cell += value;
    calls++;
}

extern "C" int plugin(int value) {
    int got;
    add<<<1, 1>>>(value);
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&got, cell, sizeof got));
    return got * 100 + calls;
}

extern "C" const void *plugin_kernel() { return (const void *)add; }
