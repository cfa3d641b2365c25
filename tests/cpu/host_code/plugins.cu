// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Opens libraries with kernels, while the device is in use; closes them, and opens them again.
#include "check.h"
#include <dlfcn.h>

__global__ void nothing() {}

void *opened(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) std::puts(dlerror());
    IS(library);
    return library;
}

int call(void *library, int value) { return ((int (*)(int))dlsym(library, "plugin"))(value); }

int main(int, char **paths) {
    nothing<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    void *one = opened(paths[1]), *two = opened(paths[2]);
    IS(call(one, 1) == 201 && call(two, 1) == 301);
    IS(call(one, 1) == 302);
    const void *kernel = ((const void *(*)())dlsym(one, "plugin_kernel"))();
    int value = 1;
    void *arguments[] = {&value};
    OK(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0));
    for (int i = 0; i < 3; i++) {
        IS(dlclose(one) == 0);
        FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0));
        OK(cudaGetLastError() == cudaErrorInvalidDeviceFunction ? cudaSuccess : cudaErrorUnknown);
        IS(call(two, 1) == 402 + i * 101);
        one = opened(paths[1]);
        IS(call(one, 5) == 601); // it begins anew
        kernel = ((const void *(*)())dlsym(one, "plugin_kernel"))();
    }
    OK(cudaDeviceSynchronize());
    std::puts("fine");
}
