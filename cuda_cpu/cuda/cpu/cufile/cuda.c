/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Queries to the CPU device's libcuda.so.1, which is loaded from its path relative to this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cufile.h"

enum { INVALID_CUDA_VALUE = 1, NOT_FOUND = 500 }; /* CUresult */
enum { MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, RANGE_START = 11, RANGE_SIZE = 12 }; /* CUpointer_attribute */
enum { HOST = 1 };                                                               /* CUmemorytype */

static void *driver;

static void open_driver(void)
{
    Dl_info here;
    char path[4096];
    if (!dladdr((void *)open_driver, &here))
        return;
    const char *end = strrchr(here.dli_fname, '/');
    int length = end ? (int)(end - here.dli_fname) : 0;
    if (snprintf(path, sizeof path, "%.*s/../entry/libcuda.so.1", length, here.dli_fname) < (int)sizeof path)
        driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *function(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    return driver ? dlsym(driver, name) : NULL;
}

/* Call one of the driver's functions, if the driver could be loaded. */
#define CALL(name, types, ...)                                                                                         \
    ({                                                                                                                 \
        int (*entry) types = (int (*) types)function(name);                                                            \
        entry ? entry(__VA_ARGS__) : NOT_FOUND;                                                                        \
    })

static int attribute(void *value, int which, uint64_t address)
{
    return CALL("cuPointerGetAttribute", (void *, int, uint64_t), value, which, address);
}

int find_range(uint64_t address, struct range *range)
{
    unsigned kind = 0;
    int ordinal = 0, result = attribute(&kind, MEMORY_TYPE, address);
    if (result)
        return result;
    if ((result = attribute(&range->start, RANGE_START, address)) ||
        (result = attribute(&range->size, RANGE_SIZE, address)) ||
        (result = attribute(&ordinal, DEVICE_ORDINAL, address)))
        return result;
    range->device = kind == HOST ? -1 : ordinal;
    return 0;
}

int call_in_stream(void *stream, void (*called)(void *), void *argument)
{
    return CALL("cuLaunchHostFunc", (void *, void (*)(void *), void *), stream, called, argument);
}

int is_capturing(void *stream, bool *capturing)
{
    int state = 0, result = CALL("cuStreamIsCapturing", (void *, int *), stream, &state);
    *capturing = state != 0;
    return result;
}

int count_devices(int *count)
{
    *count = 0;
    return CALL("cuDeviceGetCount", (int *), count);
}

int device_uuid(int device, char uuid[16])
{
    return CALL("cuDeviceGetUuid", (char *, int), uuid, device);
}
