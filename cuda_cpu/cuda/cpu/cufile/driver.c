/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Opening and closing the driver, its version, and queries about hardware that CPU devices lack. */
#include "cufile.h"

#define VERSION 1200 /* 1.20: the version of cufile.h that this implements */

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long uses;

bool is_open(void)
{
    pthread_mutex_lock(&lock);
    bool open = uses > 0;
    pthread_mutex_unlock(&lock);
    return open;
}

void open_once(void)
{
    pthread_mutex_lock(&lock);
    uses = uses ? uses : 1;
    pthread_mutex_unlock(&lock);
}

EXPORT struct error cuFileDriverOpen(void)
{
    pthread_mutex_lock(&lock);
    uses++;
    pthread_mutex_unlock(&lock);
    return status(SUCCESS);
}

EXPORT struct error cuFileDriverClose_v2(void)
{
    pthread_mutex_lock(&lock);
    long before = uses;
    uses = before ? before - 1 : 0;
    pthread_mutex_unlock(&lock);
    if (!before)
        return status(DRIVER_NOT_INITIALIZED);
    if (before == 1) {
        close_files();
        forget_buffers();
    }
    return status(SUCCESS);
}

EXPORT struct error cuFileDriverClose(void)
{
    return cuFileDriverClose_v2();
}

EXPORT long cuFileUseCount(void)
{
    pthread_mutex_lock(&lock);
    long count = uses;
    pthread_mutex_unlock(&lock);
    return count;
}

EXPORT struct error cuFileGetVersion(int *version)
{
    if (!version)
        return status(INVALID_VALUE);
    *version = VERSION;
    return status(SUCCESS);
}

EXPORT struct error cuFileExportPCIeTopology(const char *filename)
{
    return status(filename ? PLATFORM_NOT_SUPPORTED : INVALID_VALUE);
}

EXPORT struct error cuFileGetBARSizeInKB(int device, size_t *size)
{
    int count;
    int result = count_devices(&count);
    if (result)
        return (struct error){CUDA_DRIVER_ERROR, result};
    if (!size)
        return status(INVALID_VALUE);
    return status(device < 0 || device >= count ? DEVICE_NOT_FOUND : PLATFORM_NOT_SUPPORTED);
}

#define FILE_SYSTEMS 15 /* CU_FILE_MAX_TARGET_TYPES */

EXPORT struct error cuFileDriverGetP2PFlags(int system, int *flags)
{
    if (system < 0 || system >= FILE_SYSTEMS || !flags)
        return status(INVALID_VALUE);
    *flags = 0; /* none: there is no peer-to-peer DMA */
    return status(SUCCESS);
}

EXPORT struct error cuFileDriverSetP2PFlags(int system, int flags)
{
    if (system < 0 || system >= FILE_SYSTEMS)
        return status(INVALID_VALUE);
    return status(flags ? PLATFORM_NOT_SUPPORTED : SUCCESS);
}
