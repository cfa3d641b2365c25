// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Thrust: vectors and algorithms.
#include "check.h"
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

struct Square {
    __host__ __device__ double operator()(int value) const { return double(value) * value; }
};

int main() {
    const int n = 100000;
    thrust::host_vector<int> host(n);
    unsigned state = 1;
    long long sum = 0;
    double squares = 0;
    for (auto &each : host) {
        each = int((state = state * 1664525u + 1013904223u) >> 8) % 1000;
        sum += each;
        squares += Square{}(each);
    }
    thrust::device_vector<int> device = host;
    IS(thrust::reduce(device.begin(), device.end(), 0ll) == sum);
    IS(thrust::transform_reduce(device.begin(), device.end(), Square{}, 0.0, thrust::plus<double>()) == squares);
    thrust::sort(device.begin(), device.end());
    thrust::host_vector<int> sorted = device;
    std::sort(host.begin(), host.end());
    IS(sorted == host);
    thrust::device_vector<float> real(n);
    thrust::sequence(real.begin(), real.end());
    thrust::sort(real.begin(), real.end(), thrust::greater<float>()); // merges
    IS(real[0] == n - 1 && real[n - 1] == 0);
    std::puts("fine");
}
