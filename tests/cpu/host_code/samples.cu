// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Further features: lambdas and function pointers of the device, classes, clusters, launches with attributes,
// callbacks of occupancy and of streams, pitched, mapped and managed memory, and an assertion at the end.
#include "check.h"
#include <cassert>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace groups = cooperative_groups;

struct Parameters {
    float cells[3];
    int count;
};
__constant__ Parameters parameters;

using Operation = float (*)(float);
__device__ float square(float value) { return value * value; }
__device__ Operation operation = square;
__global__ void apply(Operation function, float *cells) {
    cells[threadIdx.x] = function(cells[threadIdx.x]) + parameters.cells[1] + parameters.count;
}

// Each block of a pair writes the number of the other one.
__device__ void exchange(int *to) {
    auto cluster = groups::this_cluster();
    __shared__ int own;
    own = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0) to[blockIdx.x] = *cluster.map_shared_rank(&own, 1 - cluster.block_rank());
    cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *to) { exchange(to); }
__global__ void free_pairs(int *to) { exchange(to); }

__global__ void fill(char *rows, size_t pitch) {
    reinterpret_cast<float *>(rows + blockIdx.x * pitch)[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
}

template <class Function>
__global__ void call(Function function, int *to) {
    to[threadIdx.x] = function(threadIdx.x);
}

struct Base {
    __device__ virtual int value() const { return 1; }
    __device__ virtual ~Base() {}
};
struct Derived : Base {
    __device__ int value() const override { return 2; }
};
__global__ void virtually(int *to) {
    Base *made = new Derived;
    *to = made->value();
    delete made;
}

__global__ void claim(int value) { assert(value == 0); }

void check_language(int *cells) {
    Parameters given = {{1, 2, 3}, 4};
    OK(cudaMemcpyToSymbol(parameters, &given, sizeof given));
    Operation function;
    OK(cudaMemcpyFromSymbol(&function, operation, sizeof function));
    float *managed;
    OK(cudaMallocManaged(&managed, 4 * sizeof *managed));
    for (int i = 0; i < 4; i++) managed[i] = i;
    apply<<<1, 4>>>(function, managed);
    OK(cudaDeviceSynchronize());
    IS(managed[3] == 9 + 2 + 4);
    int factor = 5;
    call<<<1, 8>>>([=] __device__(int i) { return i * factor; }, cells);
    OK(cudaDeviceSynchronize());
    IS(cells[7] == 35);
    virtually<<<1, 1>>>(cells);
    OK(cudaDeviceSynchronize());
    IS(cells[0] == 2);
}

void check_clusters(int *cells) {
    pairs<<<4, 32>>>(cells);
    OK(cudaDeviceSynchronize());
    IS(cells[0] == 1 && cells[1] == 0 && cells[2] == 3 && cells[3] == 2);
    cells[0] = cells[3] = -1;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, free_pairs, cells));
    OK(cudaDeviceSynchronize());
    IS(cells[0] == 1 && cells[3] == 2);
    int clusters, size;
    OK(cudaOccupancyMaxActiveClusters(&clusters, free_pairs, &config));
    OK(cudaOccupancyMaxPotentialClusterSize(&size, free_pairs, &config));
    IS(clusters > 0 && size > 1);
}

void check_memory() {
    char *rows;
    size_t pitch;
    float got[3][10];
    OK(cudaMallocPitch(&rows, &pitch, sizeof got[0], 3));
    fill<<<3, 10>>>(rows, pitch);
    OK(cudaMemcpy2D(got, sizeof got[0], rows, pitch, sizeof got[0], 3, cudaMemcpyDeviceToHost));
    IS(got[0][9] == 9 && got[2][9] == 209);
    int *host, *mapped, told = 0;
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaHostAlloc(&host, sizeof *host, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&mapped, host, 0));
    call<<<1, 1, 0, stream>>>([] __device__(int) { return 9; }, mapped);
    auto tell = [](cudaStream_t, cudaError_t status, void *to) { *(int *)to = status == cudaSuccess ? 77 : -1; };
    OK(cudaStreamAddCallback(stream, tell, &told, 0));
    OK(cudaStreamSynchronize(stream));
    IS(*host == 9 && told == 77);
}

int main() {
    int *cells;
    OK(cudaMallocManaged(&cells, 100 * sizeof *cells));
    check_language(cells);
    check_clusters(cells);
    check_memory();
    claim<<<1, 1>>>(1);
    FAILS(cudaErrorAssert, cudaDeviceSynchronize());
    std::puts("fine");
}
