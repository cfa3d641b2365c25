// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Relocatable device code (-rdc=true): functions and variables of the other unit, and a kernel that launches kernels.
#include "check.h"
#include "linked.h"

__managed__ int managed = 4;
__global__ void run(int *to) {
    *to = twice(20) + table[2];
    shared_cell = 7 + managed;
}
__global__ void child(int *to) { atomicAdd(to, 1); }
__global__ void parent(int *to) { child<<<2, 4>>>(to); }

int main() {
    int *cell, got;
    OK(cudaMalloc(&cell, sizeof *cell));
    run<<<1, 1>>>(cell);
    OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
    IS(got == 49);
    OK(cudaMemcpyFromSymbol(&got, shared_cell, sizeof got));
    IS(got == 11);
    int nine = 10;
    OK(cudaMemcpyToSymbol(table, &nine, sizeof nine, 2 * sizeof nine));
    other_unit<<<1, 1>>>(cell);
    parent<<<1, 1>>>(cell);
    OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
    IS(got == 10 + 11 + 8);
    std::puts("fine");
}
