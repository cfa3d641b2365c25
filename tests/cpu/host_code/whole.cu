// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What python -m cuda.cpu cc is for: kernels of the usual kinds, and host code with the C and C++ libraries.
#include "whole.h"

#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <numeric>
#include <string>
#include <vector>

__constant__ float weights[4];
__device__ int calls = 40;

template <class T> __global__ void weigh(const T *x, T *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) atomicAdd(&calls, 2);
    if (i < n) y[i] = weights[i % 4] * x[i] + std::max(T(1), T(0));
}

__global__ void total(const int *x, int n, int *out) {
    __shared__ int partial[128];
    extern __shared__ int seen[];
    partial[threadIdx.x] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) partial[threadIdx.x] += x[i];
    for (int width = blockDim.x / 2; width; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) partial[threadIdx.x] += partial[threadIdx.x + width];
    }
    seen[threadIdx.x] = partial[0];
    if (threadIdx.x == 0) atomicAdd(out, seen[0]);
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) printf("sum %d of %d\n", *out, n);
}

__host__ __device__ int square(int x) { return x * x; }

template <class Function> __global__ void apply(Function function, int *values) {
    values[threadIdx.x] = function(values[threadIdx.x]);
}

__global__ void fetch(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }

void check_symbols_and_templates() {
    const int n = 1000;
    std::vector<double> x(n), y(n);
    std::iota(x.begin(), x.end(), 0);
    float host[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(weights, host, sizeof host));
    double *in, *out;
    OK(cudaMalloc(&in, n * sizeof(double)));
    OK(cudaMalloc(&out, n * sizeof(double)));
    OK(cudaMemcpy(in, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    weigh<<<dim3(8), dim3(128)>>>(in, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(y.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) IS(y[i] == host[i % 4] * x[i] + 1);
    int counted = 0;
    OK(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
    IS(counted == 42);
    OK(cudaFree(in));
    OK(cudaFree(out));
}

void check_cooperative_launch() {
    int n = 10000, *values, *out;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    OK(cudaMallocManaged(&out, sizeof(int)));
    std::iota(values, values + n, 0);
    *out = 0;
    void *arguments[] = {&values, &n, &out};
    OK(cudaLaunchCooperativeKernel(total, 4, 128, arguments, 128 * sizeof(int)));
    OK(cudaDeviceSynchronize());
    IS(*out == 49995000);
}

void check_streams_and_events() {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    std::vector<int> host(500, 14);
    int *values;
    OK(cudaMallocAsync(&values, 500 * sizeof(int), stream));
    OK(cudaEventRecord(begin, stream));
    OK(cudaMemcpyAsync(values, host.data(), 500 * sizeof(int), cudaMemcpyHostToDevice, stream));
    triple(values, 500, stream);
    int added = 1;
    apply<<<1, 500, 0, stream>>>([=] __device__(int x) { return x + added - square(1); }, values);
    OK(cudaMemcpyAsync(host.data(), values, 500 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    float time = -1;
    OK(cudaEventElapsedTime(&time, begin, end));
    IS(time >= 0);
    IS(std::count(host.begin(), host.end(), 42) == 500);
    OK(cudaFreeAsync(values, stream));
    OK(cudaStreamDestroy(stream));
}

void check_textures() {
    float *texels, *out;
    OK(cudaMallocManaged(&texels, 8 * sizeof(float)));
    OK(cudaMallocManaged(&out, 8 * sizeof(float)));
    for (int i = 0; i < 8; i++) texels[i] = std::sqrt(float(i));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = texels;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 8 * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch<<<1, 8>>>(texture, out);
    OK(cudaDeviceSynchronize());
    IS(out[7] == std::sqrt(7.0f));
}

void check_errors() {
    int grid = 0, block = 0;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, weigh<float>));
    IS(grid > 0 && block % 32 == 0);
    weigh<float><<<1, 5000>>>(nullptr, nullptr, 0);
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    IS(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
}

int main() {
    IS(devices_by_host_code() == 1 && WEIGHT_COUNT == 4 && square(3) == 9);
    check_symbols_and_templates();
    check_cooperative_launch();
    check_streams_and_events();
    check_textures();
    check_errors();
    std::puts("fine");
}
