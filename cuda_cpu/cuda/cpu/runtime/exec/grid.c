/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Execution of one launch: distribution of blocks to workers, execution without fibers, measurement for tier-up.
 */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/race.h"
#include "counters/counters.h"
#include "worker.h"

/* Blocks and stacks that a worker caches between launches. */
#define MAX_UNUSED_BLOCKS 32
#define MAX_UNUSED_STACKS 256
#define POLL_NS 4000   /* polling interval at which an inline launch checks whether it has to be suspended */
#define MAX_AT_ONCE 64
#define ALONE_NS 100000 /* for which one worker tries how fast it is */
#define FEWEST_LAUNCHES 16 /* between two comparisons */
#define MOST_LAUNCHES 256

/* Return the warp of CUDA that the first thread of a warp of a block is in; another one if rows are padded. */
static uint32_t warp_of_threads(const struct cpu_job *job, const struct cpu_running *any, uint32_t number)
{
    const uint32_t(*index)[CPU_WARP_SIZE] = any->block->warps[number].abi.thread_idx;
    const uint32_t *size = job->block_dim;
    return ((index[2][0] * size[1] + index[1][0]) * size[0] + index[0][0]) / CPU_WARP_SIZE;
}

bool cpu_job_fault(struct cpu_job *job, struct cpu_running *warp, uint32_t kind, uint32_t line, uint64_t address,
                   const char *message)
{
    bool first = !atomic_exchange(&job->recorded, 1);
    if (first) {
        struct cpu_fault_record *fault = &job->fault;
        *fault = (struct cpu_fault_record){.kind = kind, .line = line, .address = address};
        fault->grid_id = job->grid_id;
        fault->symbols = job->compiled->symbols;
        strncpy(fault->kernel, job->compiled->name, sizeof fault->kernel - 1);
        if (message)
            strncpy(fault->message, message, sizeof fault->message - 1);
        if (warp) {
            const struct cpu_warp *first = &warp->block->warps[0].abi;
            memcpy(fault->block, first->block_idx, sizeof fault->block);
            fault->warp = warp_of_threads(job, warp, job->path == CPU_PATH_BLOCKS ? first->current : warp->abi.warp_id);
        }
    }
    atomic_store(&job->stop, kind);
    return first;
}

uint64_t cpu_grid_number(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

struct cpu_eventcount cpu_hot;

/* Add `time` nanoseconds to the kernel's run time. */
static void count_time(struct cpu_compiled_kernel *compiled, int64_t time)
{
    int64_t left = atomic_load_explicit(&compiled->until_hot, memory_order_relaxed);
    if (left <= 0)
        return;
    /* The update of one of two concurrent launches may be lost, which is harmless. */
    if (atomic_compare_exchange_strong(&compiled->until_hot, &left, left > time ? left - time : CPU_HOT) && left <= time)
        cpu_eventcount_notify_all(&cpu_hot);
}

/* Make the kernel hot if the launch in progress alone takes long enough. */
static void check_time(const struct cpu_job *job)
{
    int64_t left = atomic_load_explicit(&job->compiled->until_hot, memory_order_relaxed);
    if (left <= 0)
        return;
    int64_t time = cpu_now() - job->start;
    if (time >= left)
        count_time(job->compiled, time);
}

/* Return whether one worker is to begin with the blocks of a launch that has enough for several.
 *
 * Where scattered atomic operations pass cache lines from core to core, several workers can take several times as long
 * as one, which needs no locked instructions. So such kernels are executed in both ways in turn, and then in the faster
 * one for some launches. */
static bool begins_alone(struct cpu_job *job)
{
    struct cpu_compiled_kernel *compiled = job->compiled;
    bool scattered = atomic_load_explicit(&compiled->scattered, memory_order_relaxed);
    if (!scattered || job->cooperative || job->path == CPU_PATH_FIBERS)
        return false;
    int32_t left = atomic_load_explicit(&compiled->alone, memory_order_relaxed);
    if (left) /* the update of one of two concurrent launches may be lost, which is harmless */
        atomic_store_explicit(&compiled->alone, left > 0 ? left - 1 : left + 1, memory_order_relaxed);
    job->compares = !left;
    return left >= 0;
}

/* Return whether a launch that one worker has begun is long enough for others. */
static bool needs_helpers(const struct cpu_job *job)
{
    if (job->alone && !job->compares)
        return false;
    return cpu_now() - job->start > (job->alone ? ALONE_NS : CPU_HELPER_NS);
}

/* Choose how the next launches are executed, after one that was executed in both ways. */
static void choose_workers(const struct cpu_job *job, int64_t elapsed)
{
    double time = (double)(elapsed - job->alone_time), blocks = (double)(job->blocks - job->alone_blocks);
    if (time < ALONE_NS / 2)
        return;
    bool slower = time * (double)job->alone_blocks > (double)job->alone_time * blocks;
    int32_t before = atomic_load_explicit(&job->compiled->compared, memory_order_relaxed);
    int32_t launches = before && (before > 0) == slower ? 2 * abs(before) : FEWEST_LAUNCHES;
    launches = launches < MOST_LAUNCHES ? launches : MOST_LAUNCHES;
    int32_t next = slower ? launches : -launches;
    atomic_store_explicit(&job->compiled->compared, next, memory_order_relaxed);
    atomic_store_explicit(&job->compiled->alone, next, memory_order_relaxed);
}

/* Take the next blocks. They are taken in order, so that an earlier block that one waits for is in flight or done. */
static uint64_t advance(struct cpu_job *job)
{
    if (job->published)
        return atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
    uint64_t begin = atomic_load_explicit(&job->next, memory_order_relaxed); /* no other thread takes blocks */
    atomic_store_explicit(&job->next, begin + job->chunk, memory_order_relaxed);
    return begin;
}

bool cpu_job_take(struct cpu_job *job, struct cpu_worker *worker, uint64_t *begin, uint64_t *end)
{
    if (atomic_load_explicit(&job->stop, memory_order_relaxed))
        return false;
    *begin = advance(job);
    if (*begin >= job->blocks)
        return false;
    if (worker->deadline && *begin && cpu_now() > worker->deadline)
        cpu_worker_suspend(worker);
    *end = job->blocks - *begin < job->chunk ? job->blocks : *begin + job->chunk;
    check_time(job);
    if (!job->published && !job->races && *end < job->blocks && cpu_pool_workers() > 1 && *begin && needs_helpers(job)) {
        job->alone_blocks = *begin;
        job->alone_time = cpu_now() - job->start;
        cpu_sole_end(worker);
        job->published = true; /* set by the queue's thread before helpers join */
        cpu_pool_publish(job);
    }
    cpu_pool_watch(job);
    return true;
}

static void run_without_fibers(void *argument)
{
    struct cpu_worker *worker = argument;
    struct cpu_job *job = worker->job;
    struct cpu_block *block = worker->block;
    uint64_t limit = cpu_stack_limit(worker->stack), index, end;
    cpu_cluster_join(block, block, 0, 1);
    uint32_t calls = job->path == CPU_PATH_BLOCKS ? 1 : job->warps;
    for (uint32_t w = 0; w < job->warps; w++)
        block->warps[w].abi.stack_limit = limit;
    while (cpu_job_take(job, worker, &index, &end)) {
        void (*entry)(struct cpu_warp *) = atomic_load_explicit(&job->compiled->entry, memory_order_acquire);
        while (index < end && !atomic_load_explicit(&job->stop, memory_order_relaxed)) {
            index += cpu_block_start(block, job, index, end);
            if (job->races && !cpu_race_block_begin(block))
                cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
            for (uint32_t w = 0; w < calls; w++) {
                struct cpu_running *warp = &block->warps[w];
                worker->current = warp;
                warp->abi.budget = worker->budget;
                entry(&warp->abi);
            }
            cpu_race_block_end(block);
        }
    }
}

/* Execute this worker's blocks without fibers; false: suspended. */
static bool work_without_fibers(struct cpu_job *job, struct cpu_worker *worker)
{
    bool done;
    if (worker->suspended) {
        done = cpu_worker_continue(worker);
    } else {
        worker->block = cpu_block_take(worker, job);
        done = worker->block && cpu_block_share(worker->block, job) && cpu_worker_call(worker, run_without_fibers, worker);
    }
    if (worker->suspended)
        return false;
    if (!done && !atomic_load(&job->stop))
        cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a block");
    if (worker->block) {
        cpu_race_block_end(worker->block); /* left over if the launch was stopped */
        cpu_block_give(worker, worker->block);
    }
    return true;
}

bool cpu_job_work(struct cpu_job *job, struct cpu_worker *worker)
{
    if (!worker->suspended) {
        worker->job = job;
        worker->current = NULL;
        worker->launch++;
        cpu_sole_enter(worker, !job->published && atomic_load_explicit(&job->compiled->scattered, memory_order_relaxed));
    }
    if (job->profile && !worker->counters && !cpu_profile_join(job, worker))
        cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a profile");
    if (job->compiled->checks && !worker->ranges && !(worker->ranges = cpu_ranges_new()))
        cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for checks");
    if (worker->ranges && job->compiled->checks & CPU_MEMCHECK && !worker->suspended)
        memset(worker->ranges->of, 0, sizeof worker->ranges->of); /* other allocations may be right than in the last launch */
    if (job->path == CPU_PATH_FIBERS)
        cpu_job_run_fibers(job, worker);
    else if (!work_without_fibers(job, worker))
        return false;
    if (job->profile)
        cpu_profile_leave(job, worker);
    cpu_sole_leave(worker);
    cpu_blocks_trim(worker, MAX_UNUSED_BLOCKS);
    cpu_stacks_trim(&worker->stacks, MAX_UNUSED_STACKS);
    worker->job = NULL;
    worker->current = NULL;
    return true;
}

/* Number of blocks to take at once: an eighth of a worker's share, or, without helpers, at least POLL_NS of work. */
static uint32_t chunk_of(const struct cpu_job *job, uint32_t block_time)
{
    if (job->path == CPU_PATH_FIBERS)
        return job->cluster;
    uint64_t chunk = job->blocks / (cpu_pool_workers() * 8u);
    uint64_t alone = job->published || !block_time ? 1 : POLL_NS / block_time;
    chunk = chunk > alone ? chunk : alone;
    return chunk < 1 ? 1 : chunk > MAX_AT_ONCE ? MAX_AT_ONCE : (uint32_t)chunk;
}

static void begin(struct cpu_job *job, const struct cpu_worker *worker)
{
    struct cpu_compiled_kernel *compiled = job->compiled;
    uint32_t block_time = atomic_load(&compiled->block_time);
    job->pitch = compiled->path == CPU_PATH_PADDED ? cpu_padded_pitch(job->block_dim) : job->block_dim[0];
    uint32_t lanes = job->pitch * job->block_dim[1] * job->block_dim[2];
    job->blocks = (uint64_t)job->grid_dim[0] * job->grid_dim[1] * job->grid_dim[2];
    job->warps = (lanes + CPU_WARP_SIZE - 1) / CPU_WARP_SIZE;
    job->path = job->cooperative && compiled->path == CPU_PATH_WARPS ? CPU_PATH_FIBERS : compiled->path;
    if (job->path == CPU_PATH_PADDED)
        job->path = CPU_PATH_BLOCKS;
    job->cluster = job->cluster_dim[0] * job->cluster_dim[1] * job->cluster_dim[2];
    if (job->cooperative)
        job->grid_workspace = (uint64_t)(uintptr_t)calloc(1, 4096);
    job->start = worker->deadline ? worker->since : cpu_now();
    if (compiled->checks & CPU_RACECHECK && !cpu_races_begin(job))
        cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
    job->profile = NULL;
    if (job->compiled->counters && !cpu_profile_begin(job))
        cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a profile");
    job->published = !job->races && job->blocks > 1 && cpu_pool_workers() > 1 &&
                     (job->cooperative || !block_time || job->blocks > CPU_HELPER_NS / block_time);
    job->chunk = chunk_of(job, block_time);
    job->compares = false;
    job->alone = job->published && begins_alone(job);
    job->published &= !job->alone;
    /* Blocks that may wait for others need all workers, however short they were. */
    job->block_time = job->cooperative || job->path == CPU_PATH_FIBERS ? 0 : block_time;
    if (job->published)
        cpu_pool_publish(job);
}

bool cpu_job_run(struct cpu_job *job, struct cpu_worker *worker)
{
    struct cpu_compiled_kernel *compiled = job->compiled;
    if (!worker->suspended)
        begin(job, worker);
    if (!cpu_job_work(job, worker))
        return false;
    int64_t own = job->published ? cpu_now() - job->start : 0;
    if (job->published)
        cpu_pool_retract(job);
    free((void *)(uintptr_t)job->grid_workspace);
    if (job->races)
        cpu_races_end(job);
    if (job->profile)
        cpu_profile_end(job);
    if (job->findings)
        cpu_check_finish(job);
    uint32_t stop = atomic_load(&job->stop);
    if (stop && !atomic_load(&job->recorded) && atomic_load(&job->next) < job->blocks)
        cpu_job_fault(job, NULL, stop, 0, 0, NULL);
    int64_t elapsed = cpu_now() - job->start;
    count_time(compiled, elapsed);
    if (job->compares && job->published && !stop)
        choose_workers(job, elapsed);
    int64_t work = job->published ? own + atomic_load_explicit(&job->helped, memory_order_relaxed) : elapsed;
    uint64_t time = (uint64_t)(work > 0 ? work : 0) / job->blocks;
    atomic_store_explicit(&compiled->block_time, time < 1 ? 1 : time > UINT32_MAX ? UINT32_MAX : (uint32_t)time,
                          memory_order_relaxed);
    return true;
}
