// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Thrust and CUB's device-wide functions, as nvcc's users include them: without options.
#include <cstdio>
#include <cub/device/device_scan.cuh>
#include <cuda/std/cmath>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

struct Root {
    __host__ __device__ double operator()(int x) const { return cuda::std::sqrt(double(x)) + cuda::std::pow(x, 0.5); }
};

bool sorts() {
    thrust::host_vector<int> given(5000);
    for (int i = 0; i < 5000; i++) given[i] = i * 1237 % 5000;
    thrust::device_vector<int> sorted = given;
    thrust::sort(sorted.begin(), sorted.end());
    given = sorted;
    for (int i = 0; i < 5000; i++)
        if (given[i] != i) return false;
    return true;
}

bool reduces() {
    thrust::device_vector<int> values(5);
    thrust::sequence(values.begin(), values.end());
    double sum = thrust::transform_reduce(values.begin(), values.end(), Root(), 0.0, cuda::std::plus<double>());
    return std::fabs(sum - 2 * (1 + std::sqrt(2.0) + std::sqrt(3.0) + 2)) < 1e-12;
}

bool scans() {
    thrust::device_vector<int> ones(3000, 1), sums(3000);
    int *from = thrust::raw_pointer_cast(ones.data()), *to = thrust::raw_pointer_cast(sums.data());
    size_t size = 0;
    if (cub::DeviceScan::ExclusiveSum(nullptr, size, from, to, 3000)) return false;
    thrust::device_vector<char> space(size);
    if (cub::DeviceScan::ExclusiveSum(thrust::raw_pointer_cast(space.data()), size, from, to, 3000)) return false;
    return sums[0] == 0 && sums[1] == 1 && sums[2999] == 2999;
}

int main() { std::puts(sorts() && reduces() && scans() ? "fine" : "wrong"); }
