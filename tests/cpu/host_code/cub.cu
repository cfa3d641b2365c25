// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// CUB: algorithms for the whole device.
#include "check.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <numeric>
#include <vector>

using Numbers = std::vector<unsigned>;
const int n = 54321;
static unsigned *in, *out;

// CUB's functions are called twice: to learn how much memory they need, and with it.
template <class Function>
void with_memory(Function function) {
    void *memory = nullptr;
    size_t size = 0;
    OK(function(memory, size));
    OK(cudaMalloc(&memory, size));
    OK(function(memory, size));
    OK(cudaFree(memory));
}

Numbers result(int count = n) {
    Numbers got(count);
    OK(cudaMemcpy(got.data(), out, count * sizeof *out, cudaMemcpyDeviceToHost));
    return got;
}

int main() {
    Numbers host(n), want(n);
    unsigned state = 1;
    for (auto &each : host) each = (state = state * 1664525u + 1013904223u) >> 4;
    OK(cudaMalloc(&in, n * sizeof *in));
    OK(cudaMalloc(&out, n * sizeof *out));
    OK(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));

    with_memory([](void *memory, size_t &size) { return cub::DeviceReduce::Sum(memory, size, in, out, n); });
    IS(result(1)[0] == std::accumulate(host.begin(), host.end(), 0u));
    with_memory([](void *memory, size_t &size) { return cub::DeviceReduce::Max(memory, size, in, out, n); });
    IS(result(1)[0] == *std::max_element(host.begin(), host.end()));
    with_memory([](void *memory, size_t &size) { return cub::DeviceScan::InclusiveSum(memory, size, in, out, n); });
    std::partial_sum(host.begin(), host.end(), want.begin());
    IS(result() == want);
    with_memory([](void *memory, size_t &size) { return cub::DeviceRadixSort::SortKeys(memory, size, in, out, n); });
    want = host;
    std::sort(want.begin(), want.end());
    IS(result() == want);
    with_memory([](void *memory, size_t &size) {
        return cub::DeviceRadixSort::SortKeysDescending(memory, size, in, out, n);
    });
    std::reverse(want.begin(), want.end());
    IS(result() == want);
    std::puts("fine");
}
