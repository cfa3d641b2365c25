// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "variables.h"

static __device__ int own = 22;

template <class T>
__global__ void copy(T *to, const T *from) { *to = *from; }

int own_of_the_other_unit() {
    void *address;
    int value = 0;
    OK(cudaGetSymbolAddress(&address, own));
    int *made;
    OK(cudaMalloc(&made, sizeof(int)));
    copy<<<1, 1>>>(made, (int *)address);
    OK(cudaMemcpy(&value, made, sizeof value, cudaMemcpyDeviceToHost));
    OK(cudaFree(made));
    return value;
}
