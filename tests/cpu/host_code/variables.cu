// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Kernels and variables of two units; templates; initial values; symbols of every kind.
#include "check.h"
#include "variables.h"

__constant__ float factor = 2;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int count;
static __device__ int own = 11; // the other unit has one of the same name
__managed__ int total = 5;
__managed__ double shared_by_all[3] = {1.5, 2.5};
namespace {
__device__ short hidden[5] = {9, 8, 7};
}

template <class T, int Times>
__global__ void saxpy(int n, const T *x, T *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int round = 0; round < Times; round++) y[i] += T(factor) * x[i];
        atomicAdd(&count, 1);
        atomicAdd(&total, 1);
    }
}

__global__ void read_all(int *out) {
    out[0] = own + table[3] + hidden[1];
    shared_by_all[2] = shared_by_all[0] + shared_by_all[1];
}

template <class T, int Times>
void check_saxpy() {
    const int n = 1000;
    T *x, *y, host[n];
    for (T &each : host) each = 1;
    OK(cudaMalloc(&x, sizeof host));
    OK(cudaMalloc(&y, sizeof host));
    OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice));
    saxpy<T, Times><<<(n + 255) / 256, 256>>>(n, x, y);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 1 + 2 * Times && host[n - 1] == 1 + 2 * Times);
    OK(cudaFree(x));
    OK(cudaFree(y));
}

int main() {
    IS(total == 5 && shared_by_all[1] == 2.5); // before any launch
    check_saxpy<float, 1>();
    check_saxpy<double, 3>();
    int counted = -1;
    OK(cudaMemcpyFromSymbol(&counted, count, sizeof counted));
    IS(counted == 2000);
    OK(cudaDeviceSynchronize());
    IS(total == 2005);
    total = 1;

    float three = 3;
    OK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    saxpy<float, 1><<<1, 1>>>(0, nullptr, nullptr);
    int middle[2] = {20, 30}, all[4];
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyToSymbolAsync(table, middle, sizeof middle, 2 * sizeof(int), cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyFromSymbolAsync(all, table, sizeof all, 0, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    IS(all[0] == 1 && all[1] == 2 && all[2] == 20 && all[3] == 30);

    int *out, got[1];
    OK(cudaMalloc(&out, sizeof got));
    read_all<<<1, 1, 0, stream>>>(out);
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0] == 11 + 30 + 8);
    IS(shared_by_all[2] == 4);
    IS(own_of_the_other_unit() == 22);

    void *address, *again;
    size_t size;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    IS(size == 16);
    OK(cudaMemcpy(all, address, sizeof all, cudaMemcpyDeviceToHost));
    IS(all[3] == 30);
    OK(cudaGetSymbolAddress(&again, hidden));
    IS(again != address);
    OK(cudaGetSymbolAddress(&again, total)); // by its value, which is the variable itself
    IS(again == &total);
    OK(cudaGetSymbolSize(&size, shared_by_all));
    IS(size == sizeof shared_by_all);

    int on_host = 0;
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, on_host));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, middle, sizeof middle, 12));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyFromSymbol(all, table, 4, 0, cudaMemcpyHostToDevice));
    IS(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);

    OK(cudaDeviceReset()); // variables begin anew
    OK(cudaMemcpyFromSymbol(&counted, count, sizeof counted));
    OK(cudaMemcpyFromSymbol(all, table, sizeof all));
    IS(counted == 0 && all[2] == 3);
    std::puts("fine");
}
