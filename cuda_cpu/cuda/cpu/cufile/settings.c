/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Driver properties and parameters. They are validated and stored; only the batch size and the permission to use host
   memory have an effect. */
#include <string.h>

#include "cufile.h"

#define LONGEST 1024
#define SLABS 16 /* sizes in a pool */
#define MAX_KB ((size_t)1 << 40)

/* CUFileSizeTConfigParameter_t. */
enum {
    PROFILE_STATS, QUEUE_DEPTH, IO_THREADS, THRESHOLD, PARALLELISM, DIRECT_IO, DEVICE_CACHE, BUFFER_CACHE, PINNED_MEMORY,
    BATCH_SIZE, POLL_THRESHOLD, BATCH_TIMEOUT, SIZES,
};
static struct {
    size_t value, least, most;
} sizes[SIZES] = {
    [PROFILE_STATS] = {0, 0, 3},          [QUEUE_DEPTH] = {128, 1, 128},      [IO_THREADS] = {4, 0, 1024},
    [THRESHOLD] = {8192, 0, MAX_KB},     [PARALLELISM] = {4, 0, 1024},       [DIRECT_IO] = {16384, 4, 16384},
    [DEVICE_CACHE] = {131072, 4, MAX_KB}, [BUFFER_CACHE] = {1024, 4, MAX_KB}, [PINNED_MEMORY] = {33554432, 4, MAX_KB},
    [BATCH_SIZE] = {128, 1, 256},         [POLL_THRESHOLD] = {4, 0, MAX_KB}, [BATCH_TIMEOUT] = {0, 0, 3600000},
};

/* CUFileBoolConfigParameter_t. */
enum { POLL_MODE, COMPAT_MODE, FORCE_COMPAT, SYSTEM_MEMORY = 6, POSIX_IO = 12, BOOLS = 14 };
static bool bools[BOOLS] = {[COMPAT_MODE] = true, [FORCE_COMPAT] = true, [SYSTEM_MEMORY] = true, [POSIX_IO] = true};

/* CUFileStringConfigParameter_t: log level, log file, log folder, transport. */
#define STRINGS 4
static char strings[STRINGS][LONGEST] = {"ERROR", "", "", ""};

struct pool {
    size_t sizes[SLABS], counts[SLABS];
    int length;
};
static struct pool posix_pool = {{4, 1024, 16384}, {128, 64, 64}, 3}, bounce_pool = {{1024}, {128}, 1};

bool allows_system_memory(void)
{
    return __atomic_load_n(&bools[SYSTEM_MEMORY], __ATOMIC_RELAXED);
}

size_t most_in_batch(void)
{
    return __atomic_load_n(&sizes[BATCH_SIZE].value, __ATOMIC_RELAXED);
}

static int set_size(unsigned which, size_t value)
{
    if (value < sizes[which].least || value > sizes[which].most)
        return DRIVER_UNSUPPORTED_LIMIT;
    __atomic_store_n(&sizes[which].value, value, __ATOMIC_RELAXED);
    return SUCCESS;
}

/* --- properties: of the open driver ---------------------------------------------------------------------------- */

/* CUfileDrvProps_t. */
struct properties {
    struct {
        unsigned major, minor;
        size_t poll_threshold, direct_io;
        unsigned status_flags, control_flags;
    } driver;
    unsigned features, device_cache, buffer_cache, pinned_memory, batch_size, batch_timeout;
};

EXPORT struct error cuFileDriverGetProperties(struct properties *properties)
{
    if (!is_open())
        return status(DRIVER_NOT_INITIALIZED);
    if (!properties)
        return status(INVALID_VALUE);
    memset(properties, 0, sizeof *properties); /* no nvidia-fs, no file system with special support */
    properties->driver.poll_threshold = sizes[POLL_THRESHOLD].value;
    properties->driver.direct_io = sizes[DIRECT_IO].value;
    properties->driver.control_flags = (unsigned)bools[POLL_MODE] | (unsigned)bools[COMPAT_MODE] << 1 |
                                       (unsigned)bools[POSIX_IO] << 2;
    properties->features = 1u << 1 | 1u << 2; /* batches, streams */
    properties->device_cache = (unsigned)sizes[DEVICE_CACHE].value;
    properties->buffer_cache = (unsigned)sizes[BUFFER_CACHE].value;
    properties->pinned_memory = (unsigned)sizes[PINNED_MEMORY].value;
    properties->batch_size = (unsigned)sizes[BATCH_SIZE].value;
    properties->batch_timeout = (unsigned)sizes[BATCH_TIMEOUT].value;
    return status(SUCCESS);
}

static struct error set_property(unsigned which, size_t value)
{
    if (!is_open())
        return status(DRIVER_NOT_INITIALIZED);
    if (value % 4) /* KiB, of whole pages */
        return status(INVALID_VALUE);
    return status(set_size(which, value));
}

EXPORT struct error cuFileDriverSetPollMode(bool poll, size_t threshold)
{
    struct error result = set_property(POLL_THRESHOLD, threshold);
    if (!result.error)
        bools[POLL_MODE] = poll;
    return result;
}

EXPORT struct error cuFileDriverSetMaxDirectIOSize(size_t size)
{
    return set_property(DIRECT_IO, size);
}

EXPORT struct error cuFileDriverSetMaxCacheSize(size_t size)
{
    return set_property(DEVICE_CACHE, size);
}

EXPORT struct error cuFileDriverSetMaxPinnedMemSize(size_t size)
{
    return set_property(PINNED_MEMORY, size);
}

/* --- parameters: set before the driver is opened --------------------------------------------------------------- */

EXPORT struct error cuFileGetParameterSizeT(unsigned which, size_t *value)
{
    if (which >= SIZES || !value)
        return status(INVALID_VALUE);
    *value = sizes[which].value;
    return status(SUCCESS);
}

EXPORT struct error cuFileGetParameterBool(unsigned which, bool *value)
{
    if (which >= BOOLS || !value)
        return status(INVALID_VALUE);
    *value = bools[which];
    return status(SUCCESS);
}

EXPORT struct error cuFileGetParameterString(unsigned which, char *text, int length)
{
    if (which >= STRINGS || !text || length < 1 || strlen(strings[which]) >= (size_t)length)
        return status(INVALID_VALUE);
    strcpy(text, strings[which]);
    return status(SUCCESS);
}

EXPORT struct error cuFileGetParameterMinMaxValue(unsigned which, size_t *least, size_t *most)
{
    if (which >= SIZES || !least || !most)
        return status(INVALID_VALUE);
    *least = sizes[which].least;
    *most = sizes[which].most;
    return status(SUCCESS);
}

EXPORT struct error cuFileSetParameterSizeT(unsigned which, size_t value)
{
    if (is_open())
        return status(DRIVER_ALREADY_OPEN);
    if (which >= SIZES || value < sizes[which].least || value > sizes[which].most)
        return status(INVALID_VALUE);
    return status(set_size(which, value));
}

EXPORT struct error cuFileSetParameterBool(unsigned which, bool value)
{
    if (is_open())
        return status(DRIVER_ALREADY_OPEN);
    if (which >= BOOLS)
        return status(INVALID_VALUE);
    __atomic_store_n(&bools[which], value, __ATOMIC_RELAXED);
    return status(SUCCESS);
}

EXPORT struct error cuFileSetParameterString(unsigned which, const char *text)
{
    if (is_open())
        return status(DRIVER_ALREADY_OPEN);
    if (which >= STRINGS || !text || strlen(text) >= LONGEST)
        return status(INVALID_VALUE);
    strcpy(strings[which], text);
    return status(SUCCESS);
}

static struct error set_pool(struct pool *pool, const size_t *given, const size_t *counts, int length)
{
    if (is_open())
        return status(DRIVER_ALREADY_OPEN);
    if (!given || !counts || length < 1 || length > SLABS)
        return status(INVALID_VALUE);
    for (int i = 0; i < length; i++)
        if (!given[i] || !counts[i] || given[i] % 4)
            return status(INVALID_VALUE);
    memset(pool, 0, sizeof *pool);
    memcpy(pool->sizes, given, sizeof *given * (size_t)length);
    memcpy(pool->counts, counts, sizeof *counts * (size_t)length);
    pool->length = length;
    return status(SUCCESS);
}

static struct error get_pool(const struct pool *pool, size_t *given, size_t *counts, int length)
{
    if (!given || !counts || length < pool->length)
        return status(INVALID_VALUE);
    memset(given, 0, sizeof *given * (size_t)length);
    memset(counts, 0, sizeof *counts * (size_t)length);
    memcpy(given, pool->sizes, sizeof *given * (size_t)pool->length);
    memcpy(counts, pool->counts, sizeof *counts * (size_t)pool->length);
    return status(SUCCESS);
}

EXPORT struct error cuFileSetParameterPosixPoolSlabArray(const size_t *given, const size_t *counts, int length)
{
    return set_pool(&posix_pool, given, counts, length);
}

EXPORT struct error cuFileGetParameterPosixPoolSlabArray(size_t *given, size_t *counts, int length)
{
    return get_pool(&posix_pool, given, counts, length);
}

EXPORT struct error cuFileSetParameterGpuBounceBufferSlabArray(const size_t *given, const size_t *counts, int length)
{
    return set_pool(&bounce_pool, given, counts, length);
}

EXPORT struct error cuFileGetParameterGpuBounceBufferSlabArray(size_t *given, size_t *counts, int length)
{
    return get_pool(&bounce_pool, given, counts, length);
}
