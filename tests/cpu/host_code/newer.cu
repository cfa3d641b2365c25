// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Functions that only newer devices have: the compilation for the host, which parses kernels, must know them, too.
#include <cstdio>

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__device__ float total;

__global__ void kernel(float x) {
    __nv_bfloat16 least = __hmin(__float2bfloat16(x), __float2bfloat16(2 * x));
    atomicAdd(&total, (float)__nv_fp8_e4m3(__bfloat162float(least)));
    __threadfence_cluster();
    if (threadIdx.x == 0) printf("tanh %.2f\n", __tanhf(x));
}

int main() {
    float sum;
    kernel<<<1, 4>>>(1.5f);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("sum %g, round %d\n", sum, (int)cudaRoundZero);
    return cudaDeviceSynchronize();
}
