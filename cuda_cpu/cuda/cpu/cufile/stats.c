/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Statistics: counters between cuFileStatsStart() and cuFileStatsStop(), for levels 1 to 3. */
#include <string.h>
#include <time.h>

#include "cufile.h"

#define MAX_LEVEL 3
#define SIZE_CLASSES 32
#define SECOND 1000000

struct counter {
    uint64_t fine, failed;
};

/* CUfileStatsLevel1_t and so on. */
struct level_1 {
    struct counter operations[6]; /* enum operation, up to BUFFERS_GONE */
    uint64_t read_bytes, write_bytes, read_bandwidth, write_bandwidth, read_latency, write_latency;
    uint64_t reads_per_second, writes_per_second, read_latency_sum, write_latency_sum;
    struct counter submitted, completed, set_up, cancelled, destroyed;
    struct counter enqueued, posix_enqueued, processed, posix_processed;
    struct counter nvfs, p2p, aio, io_uring, mixed, total;
    uint64_t batch_read_bytes, batch_write_bytes, batch_read_bandwidth, batch_write_bandwidth;
    uint64_t submit_latency, completion_latency, submits_per_second, completes_per_second;
    uint64_t submit_latency_sum, completion_latency_sum, last_read_bytes, last_write_bytes;
    struct counter vector_reads, vector_writes;
    uint64_t vector_read_bytes, vector_write_bytes, vector_read_bandwidth, vector_write_bandwidth;
    uint64_t vector_read_latency, vector_write_latency, vector_reads_per_second, vector_writes_per_second;
    uint64_t vector_read_latency_sum, vector_write_latency_sum;
};

struct level_2 {
    struct level_1 basic;
    uint64_t read_sizes[SIZE_CLASSES], write_sizes[SIZE_CLASSES]; /* class c: less than 2**c KiB */
};

struct of_device {
    char uuid[16];
    uint64_t read_bytes, read_bandwidth, read_utilization, read_duration, reads, p2p_reads, nvfs_reads, posix_reads;
    uint64_t unaligned_reads, routed_reads, sparse_regions, inline_regions, failed_reads;
    uint64_t write_bytes, write_bandwidth, write_utilization, write_duration, writes, p2p_writes, nvfs_writes;
    uint64_t posix_writes, unaligned_writes, routed_writes, failed_writes;
    uint64_t mapped, mapped_fine, mapped_failed, unmapped, registered_bytes;
};

struct level_3 {
    struct level_2 detailed;
    uint32_t devices;
    struct of_device each[MAX_DEVICES];
};

static struct {
    pthread_mutex_t lock;
    int level;
    bool running;
    int64_t since, counted; /* start of counting, and time counted before it: microseconds */
    struct level_3 counts;
} stats = {.lock = PTHREAD_MUTEX_INITIALIZER};

int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec / 1000;
}

static void count(struct counter *counter, bool fine, uint64_t number)
{
    *(fine ? &counter->fine : &counter->failed) += number;
}

/* Take the lock if statistics are being collected; if true, the caller releases it. */
static bool begin(void)
{
    pthread_mutex_lock(&stats.lock);
    if (stats.running && stats.level)
        return true;
    pthread_mutex_unlock(&stats.lock);
    return false;
}

void note(enum operation operation, bool fine)
{
    if (!begin())
        return;
    count(&stats.counts.detailed.basic.operations[operation], fine, 1);
    pthread_mutex_unlock(&stats.lock);
}

static unsigned class_of(uint64_t size)
{
    unsigned class = 0;
    while (class < SIZE_CLASSES - 1 && size >> 10 >> class)
        class++;
    return class;
}

static void note_plain(bool write, ssize_t moved, uint64_t time, int device)
{
    struct level_2 *all = &stats.counts.detailed;
    struct level_1 *basic = &all->basic;
    uint64_t size = moved > 0 ? (uint64_t)moved : 0;
    count(&basic->operations[write ? WRITES : READS], moved >= 0, 1);
    *(write ? &basic->write_bytes : &basic->read_bytes) += size;
    *(write ? &basic->write_latency_sum : &basic->read_latency_sum) += time;
    if (stats.level > 1 && moved >= 0)
        (write ? all->write_sizes : all->read_sizes)[class_of(size)]++;
    if (stats.level < 3 || device < 0 || device >= MAX_DEVICES)
        return;
    struct of_device *of = &stats.counts.each[device];
    *(write ? &of->write_bytes : &of->read_bytes) += size;
    *(write ? &of->write_duration : &of->read_duration) += time;
    *(write ? &of->writes : &of->reads) += 1;
    *(write ? &of->posix_writes : &of->posix_reads) += moved >= 0;
    *(write ? &of->failed_writes : &of->failed_reads) += moved < 0;
}

void note_io(enum operation operation, ssize_t moved, int64_t began, int device)
{
    uint64_t time = (uint64_t)(now_us() - began), size = moved > 0 ? (uint64_t)moved : 0;
    struct level_1 *basic = &stats.counts.detailed.basic;
    if (!begin())
        return;
    if (operation == READS || operation == WRITES) {
        note_plain(operation == WRITES, moved, time, device);
    } else {
        bool write = operation == VECTOR_WRITES;
        count(write ? &basic->vector_writes : &basic->vector_reads, moved >= 0, 1);
        *(write ? &basic->vector_write_bytes : &basic->vector_read_bytes) += size;
        *(write ? &basic->vector_write_latency_sum : &basic->vector_read_latency_sum) += time;
    }
    pthread_mutex_unlock(&stats.lock);
}

void note_batch(enum batch_operation operation, bool fine, uint64_t number)
{
    struct level_1 *basic = &stats.counts.detailed.basic;
    struct counter *const counters[BATCH_OPERATIONS][2] = {
        [SET_UP] = {&basic->set_up},       [SUBMITTED] = {&basic->submitted, &basic->total},
        [COMPLETED] = {&basic->completed}, [CANCELLED] = {&basic->cancelled},
        [DESTROYED] = {&basic->destroyed}, [ENQUEUED] = {&basic->enqueued, &basic->posix_enqueued},
        [PROCESSED] = {&basic->processed, &basic->posix_processed},
    };
    if (!begin())
        return;
    for (int i = 0; i < 2 && counters[operation][i]; i++)
        count(counters[operation][i], fine, number);
    pthread_mutex_unlock(&stats.lock);
}

void note_batch_io(bool write, ssize_t moved)
{
    struct level_1 *basic = &stats.counts.detailed.basic;
    if (moved < 0 || !begin())
        return;
    *(write ? &basic->batch_write_bytes : &basic->batch_read_bytes) += (uint64_t)moved;
    *(write ? &basic->last_write_bytes : &basic->last_read_bytes) = (uint64_t)moved;
    pthread_mutex_unlock(&stats.lock);
}

void note_batch_time(int64_t began)
{
    struct level_1 *basic = &stats.counts.detailed.basic;
    uint64_t time = (uint64_t)(now_us() - began);
    if (!begin())
        return;
    basic->submit_latency_sum += time; /* what is submitted is complete by then */
    basic->completion_latency_sum += time;
    pthread_mutex_unlock(&stats.lock);
}

EXPORT struct error cuFileSetStatsLevel(int level)
{
    if (level < 0 || level > MAX_LEVEL)
        return status(INVALID_VALUE);
    pthread_mutex_lock(&stats.lock);
    stats.level = level;
    pthread_mutex_unlock(&stats.lock);
    return status(SUCCESS);
}

EXPORT struct error cuFileGetStatsLevel(int *level)
{
    if (!level)
        return status(INVALID_VALUE);
    pthread_mutex_lock(&stats.lock);
    *level = stats.level;
    pthread_mutex_unlock(&stats.lock);
    return status(SUCCESS);
}

static struct error run(bool running)
{
    pthread_mutex_lock(&stats.lock);
    int64_t now = now_us();
    if (stats.running)
        stats.counted += now - stats.since;
    stats.since = now;
    stats.running = running;
    pthread_mutex_unlock(&stats.lock);
    return status(SUCCESS);
}

EXPORT struct error cuFileStatsStart(void)
{
    return run(true);
}

EXPORT struct error cuFileStatsStop(void)
{
    return run(false);
}

EXPORT struct error cuFileStatsReset(void)
{
    pthread_mutex_lock(&stats.lock);
    memset(&stats.counts, 0, sizeof stats.counts);
    stats.counted = 0;
    stats.since = now_us();
    pthread_mutex_unlock(&stats.lock);
    return status(SUCCESS);
}

static uint64_t share(uint64_t sum, uint64_t number)
{
    return number ? sum / number : 0;
}

static uint64_t rate(uint64_t number, uint64_t time)
{
    return time ? (uint64_t)((double)number * SECOND / (double)time) : 0;
}

/* Compute the averages and rates that derive from the counters. */
static void complete(struct level_1 *basic, uint64_t span)
{
    const struct counter *reads = &basic->operations[READS], *writes = &basic->operations[WRITES];
    uint64_t read = reads->fine + reads->failed, written = writes->fine + writes->failed;
    basic->read_bandwidth = rate(basic->read_bytes, basic->read_latency_sum);
    basic->write_bandwidth = rate(basic->write_bytes, basic->write_latency_sum);
    basic->read_latency = share(basic->read_latency_sum, read);
    basic->write_latency = share(basic->write_latency_sum, written);
    basic->reads_per_second = rate(read, span);
    basic->writes_per_second = rate(written, span);
    uint64_t submits = basic->submitted.fine + basic->submitted.failed;
    basic->submit_latency = share(basic->submit_latency_sum, submits);
    basic->completion_latency = share(basic->completion_latency_sum, submits);
    basic->batch_read_bandwidth = rate(basic->batch_read_bytes, basic->submit_latency_sum);
    basic->batch_write_bandwidth = rate(basic->batch_write_bytes, basic->submit_latency_sum);
    basic->submits_per_second = rate(basic->submitted.fine, span);
    basic->completes_per_second = rate(basic->completed.fine, span);
    uint64_t vector_reads = basic->vector_reads.fine + basic->vector_reads.failed;
    uint64_t vector_writes = basic->vector_writes.fine + basic->vector_writes.failed;
    basic->vector_read_bandwidth = rate(basic->vector_read_bytes, basic->vector_read_latency_sum);
    basic->vector_write_bandwidth = rate(basic->vector_write_bytes, basic->vector_write_latency_sum);
    basic->vector_read_latency = share(basic->vector_read_latency_sum, vector_reads);
    basic->vector_write_latency = share(basic->vector_write_latency_sum, vector_writes);
    basic->vector_reads_per_second = rate(vector_reads, span);
    basic->vector_writes_per_second = rate(vector_writes, span);
}

static struct error get(void *out, size_t size, int level)
{
    static struct level_3 copy; /* 5 KiB: with the lock held */
    if (!out)
        return status(INVALID_VALUE);
    pthread_mutex_lock(&stats.lock);
    bool enabled = stats.level >= level;
    if (enabled) {
        int64_t span = stats.counted + (stats.running ? now_us() - stats.since : 0);
        copy = stats.counts;
        complete(&copy.detailed.basic, (uint64_t)span);
        memcpy(out, &copy, size);
    }
    pthread_mutex_unlock(&stats.lock);
    return status(enabled ? SUCCESS : INVALID_VALUE);
}

EXPORT struct error cuFileGetStatsL1(struct level_1 *out)
{
    return get(out, sizeof *out, 1);
}

EXPORT struct error cuFileGetStatsL2(struct level_2 *out)
{
    return get(out, sizeof *out, 2);
}

EXPORT struct error cuFileGetStatsL3(struct level_3 *out)
{
    int found = 0;
    struct error error = get(out, sizeof *out, 3);
    if (error.error || count_devices(&found))
        return error;
    out->devices = (uint32_t)(found < MAX_DEVICES ? found : MAX_DEVICES);
    for (uint32_t i = 0; i < out->devices; i++) {
        struct of_device *each = &out->each[i];
        device_uuid((int)i, each->uuid);
        each->read_bandwidth = rate(each->read_bytes, each->read_duration);
        each->write_bandwidth = rate(each->write_bytes, each->write_duration);
    }
    return error;
}
