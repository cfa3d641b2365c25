// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The driver API (cuda.h) in a program with kernels of its own: modules, launches, and what the two APIs share.
#include "check.h"

#include <cstring>
#include <cuda.h>

#define DONE(call) IS((call) == CUDA_SUCCESS)

const char *CODE = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry set(.param .u64 to, .param .u32 value) {
    .reg .u64 %a;
    .reg .u32 %v;
    ld.param.u64 %a, [to];
    ld.param.u32 %v, [value];
    st.global.u32 [%a], %v;
    ret;
}
)";

__global__ void twice(int *x) { *x *= 2; }

int main() {
    CUdevice device;
    CUcontext context, current;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    char name[100];
    int value = 21, got = 0, version = 0;
    DONE(cuInit(0));
    DONE(cuDeviceGet(&device, 0));
    DONE(cuDeviceGetName(name, sizeof name, device));
    IS(std::strncmp(name, "CPU device", 10) == 0);
    DONE(cuDriverGetVersion(&version));
    IS(version >= CUDA_VERSION / 1000 * 1000);
    DONE(cuDevicePrimaryCtxRetain(&context, device));
    DONE(cuCtxSetCurrent(context));
    DONE(cuModuleLoadData(&module, CODE));
    DONE(cuModuleGetFunction(&function, module, "set"));
    DONE(cuMemAlloc(&memory, sizeof(int)));
    void *arguments[] = {&memory, &value};
    DONE(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, arguments, nullptr));
    twice<<<1, 1>>>((int *)memory);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    CUstream same = stream;
    DONE(cuStreamSynchronize(same));
    DONE(cuMemcpyDtoH(&got, memory, sizeof got));
    IS(got == 42);
    DONE(cuCtxGetCurrent(&current));
    IS(current == context);
    const char *text = nullptr;
    IS(cuMemFree(12345) == CUDA_ERROR_INVALID_VALUE);
    DONE(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    IS(std::strcmp(text, "CUDA_ERROR_INVALID_VALUE") == 0);
    DONE(cuMemFree(memory));
    DONE(cuModuleUnload(module));
    std::puts("fine");
}
