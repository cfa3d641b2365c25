/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The null driver: the functions whose results callers need before a launch. null_driver.py generates all others from
 * cuda.h, as weak functions that return CUDA_SUCCESS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef void *handle;

#define VALUE(name, type, value) \
    int name(type *result) \
    { \
        *result = (type)(value); \
        return 0; \
    }
VALUE(cuDriverGetVersion, int, 13050)
VALUE(cuDeviceGetCount, int, 1)
VALUE(cuCtxGetDevice, int, 0)
VALUE(cuCtxGetCurrent, handle, 0x1000)
VALUE(cuDeviceGet, int, 0)
VALUE(cuDevicePrimaryCtxRetain, handle, 0x1000)
VALUE(cuStreamCreate, handle, 0x2000)
VALUE(cuStreamCreateWithPriority, handle, 0x2000)
VALUE(cuEventCreate, handle, 0x3000)
VALUE(cuEventElapsedTime, float, 1)
VALUE(cuMemAlloc, u64, 0x70000000)
VALUE(cuMemAllocAsync, u64, 0x70000000)
VALUE(cuMemAllocFromPoolAsync, u64, 0x70000000)
VALUE(cuMemAllocHost, handle, 0x70000000)
VALUE(cuMemHostAlloc, handle, 0x70000000)
VALUE(cuDeviceGetMemPool, handle, 0x4000)
VALUE(cuDeviceGetDefaultMemPool, handle, 0x4000)
VALUE(cuMemGetDefaultMemPool, handle, 0x4000)
VALUE(cuMemPoolCreate, handle, 0x4000)
VALUE(cuGraphCreate, handle, 0x6000)
VALUE(cuGraphInstantiateWithParams, handle, 0x6100)
VALUE(cuGraphInstantiate, handle, 0x6100)
VALUE(cuLibraryLoadData, handle, 0x5000)
VALUE(cuModuleLoadData, handle, 0x5000)
VALUE(cuModuleLoadDataEx, handle, 0x5000)
#undef VALUE

/* Functions whose first parameter is the object and whose last one is the result. */
#define OF_OBJECT(name, type, value) \
    int name(handle object, type *result) \
    { \
        (void)object; \
        *result = (type)(value); \
        return 0; \
    }
OF_OBJECT(cuStreamGetCtx, handle, 0x1000)
OF_OBJECT(cuStreamGetDevice, int, 0)
OF_OBJECT(cuStreamGetPriority, int, 0)
OF_OBJECT(cuStreamGetFlags, unsigned, 1)
OF_OBJECT(cuStreamGetId, u64, 1)
OF_OBJECT(cuStreamGetGreenCtx, handle, 0)
OF_OBJECT(cuCtxGetId, u64, 1)
#undef OF_OBJECT

int cuStreamGetCtx_v2(handle stream, handle *context, handle *green)
{
    (void)stream;
    *context = (handle)0x1000;
    *green = NULL;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1; /* compute capability 9.0 */
    return 0;
}

int cuFuncGetAttribute(int *value, int attribute, handle function)
{
    (void)function;
    *value = attribute == 0 ? 1024 : 0; /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    strncpy(name, "driver that does nothing", (size_t)size);
    return 0;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -1;
    return 0;
}

int cuGetErrorName(int status, const char **name)
{
    *name = status ? "CUDA_ERROR" : "CUDA_SUCCESS";
    return 0;
}

int cuGetErrorString(int status, const char **text)
{
    return cuGetErrorName(status, text);
}

/* The name of a kernel gives the kind and the number of its parameters: "mixed_3". */
int cuLibraryGetKernel(handle *kernel, handle library, const char *name)
{
    const char *digits = strrchr(name, '_');
    const unsigned long kind = name[0] == 'm' ? 0 : strncmp(name, "words", 5) == 0 ? 1 : 2;
    (void)library;
    *kernel = (handle)(0x6000 + 0x1000 * kind + (digits ? 0x10 * strtoul(digits + 1, NULL, 10) : 0));
    return 0;
}

int cuModuleGetFunction(handle *function, handle module, const char *name)
{
    return cuLibraryGetKernel(function, module, name);
}

int cuKernelGetFunction(handle *function, handle kernel)
{
    *function = kernel;
    return 0;
}

int cuKernelGetParamInfo(handle kernel, size_t index, size_t *offset, size_t *size)
{
    /* mixed: float, pointer, int, int, pointer, float, pointer, long, and so on; words: ints; wide: longs. */
    static const unsigned char mixed[] = {4, 8, 4, 4, 8, 4, 8, 8};
    const size_t kind = ((size_t)kernel - 0x6000) / 0x1000, count = ((size_t)kernel & 0xFFF) / 0x10;
    if (index >= count)
        return 1; /* CUDA_ERROR_INVALID_VALUE */
    *offset = 8 * index;
    if (size)
        *size = kind == 0 ? mixed[index % 8] : kind == 1 ? 4 : 8;
    return 0;
}

int cuFuncGetParamInfo(handle function, size_t index, size_t *offset, size_t *size)
{
    return cuKernelGetParamInfo(function, index, offset, size);
}

int cuKernelGetParamCount(handle kernel, size_t *count)
{
    *count = ((size_t)kernel & 0xFFF) / 0x10;
    return 0;
}

int cuFuncGetParamCount(handle function, size_t *count)
{
    return cuKernelGetParamCount(function, count);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, u64 flags, int *found)
{
    static void *self;
    Dl_info info;
    (void)version, (void)flags;
    if (!self && dladdr((void *)cuGetProcAddress_v2, &info))
        self = dlopen(info.dli_fname, RTLD_NOW);
    if (strcmp(name, "cuStreamGetCtx") == 0 && version >= 12050)
        name = "cuStreamGetCtx_v2"; /* the only function here whose versions have different results */
    if (strcmp(name, "cuGetProcAddress") == 0)
        name = "cuGetProcAddress_v2";
    *function = dlsym(self, name);
    if (found)
        *found = *function ? 0 : 1;
    return *function ? 0 : 500; /* CUDA_ERROR_NOT_FOUND */
}

int cuGetProcAddress(const char *name, void **function, int version, u64 flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
