// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Threads that all use the device for the first time, at once.
#include "check.h"
#include <thread>
#include <vector>

__device__ int count;
__managed__ int managed = 3;
__global__ void one() { atomicAdd(&count, 1); }
__global__ void ten() { atomicAdd(&count, 10); }

void work(int number) {
    cudaStream_t stream;
    if (number % 3 == 0) IS(managed == 3);
    OK(cudaStreamCreate(&stream));
    for (int i = 0; i < 20; i++) {
        if (number % 2)
            one<<<1, 1, 0, stream>>>();
        else
            ten<<<1, 1, 0, stream>>>();
        OK(cudaGetLastError());
    }
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; i++) threads.emplace_back(work, i);
    for (auto &each : threads) each.join();
    int got;
    OK(cudaMemcpyFromSymbol(&got, count, sizeof got));
    IS(got == 8 * 20 * 11);
    std::puts("fine");
}
