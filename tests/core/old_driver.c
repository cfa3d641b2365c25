/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A fake driver of CUDA 12.2 with the few functions that a launch needs: it has no cuKernelGetParamInfo (12.4) and no
 * cuKernelGetName (12.3). It records 16 bytes of each of the first 8 parameters of the last launch. */
#include <string.h>

static int object;
unsigned char noted[8][16];

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 12020; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { *flags = 0; *active = 1; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &object; return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuCtxGetCurrent(void **context) { *context = &object; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuLibraryLoadData(void **library, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f) {
    *library = &object;
    return 0;
}
int cuLibraryUnload(void *library) { return 0; }
int cuLibraryGetKernel(void **kernel, void *library, const char *name) { *kernel = &object; return 0; }
int cuLaunchKernelEx(const void *config, void *kernel, void **parameters, void **extra) {
    for (int i = 0; i < 8 && parameters && parameters[i]; i++)
        memcpy(noted[i], parameters[i], 16);
    return 0;
}
int cuGetErrorName(int status, const char **name) { *name = "CUDA_ERROR_TEST"; return 0; }
int cuGetErrorString(int status, const char **text) { *text = "test"; return 0; }
