/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   A program that uses the driver API, with embedded PTX. It prints the status of each call, then the result. With an
   argument, it first waits until a signal such as SIGINT ends it. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

extern int cuInit(unsigned);
extern int cuDevicePrimaryCtxRetain(void **, int);
extern int cuCtxSetCurrent(void *);
extern int cuModuleLoadData(void **, const void *);
extern int cuModuleGetFunction(void **, void *, const char *);
extern int cuModuleGetGlobal_v2(uint64_t *, size_t *, void *, const char *);
extern int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
extern int cuMemcpyDtoH_v2(void *, uint64_t, size_t);

#include "image.h"

int main(int count, char **arguments) {
    void *context, *module, *function;
    uint64_t cell;
    size_t size;
    int value = 20, got = 0;
    void *params[] = {&value};
    printf("%d", cuInit(0));
    printf("%d", cuDevicePrimaryCtxRetain(&context, 0));
    printf("%d", cuCtxSetCurrent(context));
    printf("%d", cuModuleLoadData(&module, IMAGE));
    printf("%d", cuModuleGetFunction(&function, module, "add"));
    printf("%d", cuModuleGetGlobal_v2(&cell, &size, module, "cell"));
    printf("%d", cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, NULL, params, NULL));
    printf("%d", cuMemcpyDtoH_v2(&got, cell, 4));
    printf(" %d %zu %s\n", got, size, arguments[0]);
    fflush(stdout);
    if (count > 1) pause();
    return 3;
}
