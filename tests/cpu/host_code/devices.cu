// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Two devices: each has its own copy of a variable, both share a managed one.
#include "check.h"

__device__ int count = 3;
__managed__ int total = 100;
__global__ void add(int value) {
    count += value;
    total += value;
}

int main() {
    int devices, got;
    OK(cudaGetDeviceCount(&devices));
    IS(devices == 2);
    int *address = &total;
    void *places[2];
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i));
        add<<<1, 1>>>(i + 1);
        OK(cudaDeviceSynchronize());
        IS(&total == address);
        OK(cudaGetSymbolAddress(&places[i], count));
    }
    IS(places[0] != places[1] && total == 103);
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i));
        OK(cudaMemcpyFromSymbol(&got, count, sizeof got));
        IS(got == 3 + i + 1);
    }
    OK(cudaSetDevice(0));
    OK(cudaDeviceReset()); // the other device still has the managed variable
    IS(total == 103);
    OK(cudaSetDevice(1));
    add<<<1, 1>>>(1);
    OK(cudaDeviceSynchronize());
    IS(total == 104);
    OK(cudaSetDevice(0));
    add<<<1, 1>>>(1);
    OK(cudaDeviceSynchronize());
    IS(total == 105);
    OK(cudaMemcpyFromSymbol(&got, count, sizeof got));
    IS(got == 4);
    std::puts("fine");
}
