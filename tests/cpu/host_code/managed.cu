// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// __managed__ variables: host code has their initial values before any call, and sees what kernels write.
#include "check.h"

struct Pair {
    short small;
    double values[2];
};

__managed__ int counter = -4;
__device__ __managed__ Pair pair = {3, {0.5, -2}};
static __managed__ __device__ unsigned char bytes[300];
__managed__ float *pointer;
inline __managed__ long long shared_by_files = 1LL << 40;
namespace {
__managed__ bool hidden = true;
}
int early = counter + pair.small; // before main

__global__ void change() {
    atomicAdd(&counter, pair.small);
    if (threadIdx.x) return;
    pair.values[1] *= 2;
    bytes[299] = 7 + hidden;
    shared_by_files++;
    if (pointer) *pointer = 2.5f;
}

int main() {
    IS(early == -1 && pair.values[0] == 0.5 && bytes[299] == 0 && pointer == nullptr && hidden);
    pair.small = 100;
    OK(cudaMallocManaged(&pointer, sizeof *pointer));
    change<<<1, 2>>>();
    OK(cudaDeviceSynchronize());
    IS(counter == 196 && bytes[299] == 8 && *pointer == 2.5f && pair.values[1] == -4);
    IS(shared_by_files == (1LL << 40) + 1);
    void *address;
    size_t size;
    OK(cudaGetSymbolAddress(&address, counter));
    OK(cudaGetSymbolSize(&size, pair));
    IS(address == &counter && size == sizeof(Pair));
    int nine = 9;
    OK(cudaMemcpyToSymbol(counter, &nine, sizeof nine));
    IS(counter == 9);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, &pair));
    IS(attributes.type == cudaMemoryTypeManaged);
    OK(cudaDeviceReset());
    counter = 0;
    pointer = nullptr;
    change<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    IS(counter == 100);
    std::puts("fine");
}
