/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * One launch: who takes which blocks, and the straight run of kernels whose warps wait for nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

/* What a worker keeps from one launch to the next. */
#define MOST_BLOCKS_KEPT 32
#define MOST_STACKS_KEPT 256
#define ALONE_NS 20000 /* shorter launches are not worth waking helpers for */

bool cpu_job_fault(struct cpu_job *job, struct cpu_running *warp, uint32_t kind, uint32_t line, uint64_t address,
                   const char *message)
{
    bool first = !atomic_exchange(&job->recorded, 1);
    if (first) {
        struct cpu_fault_record *fault = &job->fault;
        *fault = (struct cpu_fault_record){.kind = kind, .line = line, .address = address};
        strncpy(fault->kernel, job->grid->name, sizeof fault->kernel - 1);
        if (message)
            strncpy(fault->message, message, sizeof fault->message - 1);
        if (warp) {
            memcpy(fault->block, warp->abi.block_idx, sizeof fault->block);
            fault->warp = warp->abi.warp_id;
        }
    }
    atomic_store(&job->stop, kind);
    return first;
}

/* Take the next blocks, in order: a block may wait for an earlier one, which then is in flight or done. */
bool cpu_job_take(struct cpu_job *job, uint64_t *begin, uint64_t *end)
{
    if (atomic_load_explicit(&job->stop, memory_order_relaxed))
        return false;
    *begin = atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
    if (*begin >= job->blocks)
        return false;
    *end = job->blocks - *begin < job->chunk ? job->blocks : *begin + job->chunk;
    if (!job->published && *end < job->blocks && cpu_pool_workers() > 1 && *begin && cpu_now() - job->start > ALONE_NS) {
        job->published = true; /* by the queue's thread, which is alone so far */
        cpu_pool_publish(job);
    }
    return true;
}

struct share {
    struct cpu_job *job;
    struct cpu_worker *worker;
    struct cpu_block *block;
};

static void run_direct(void *argument)
{
    struct share *share = argument;
    struct cpu_job *job = share->job;
    struct cpu_block *block = share->block;
    void (*entry)(struct cpu_warp *) = job->grid->entry;
    uint64_t limit = cpu_stack_limit(share->worker->stack), index, end;
    while (cpu_job_take(job, &index, &end)) {
        for (; index < end && !atomic_load_explicit(&job->stop, memory_order_relaxed); index++) {
            cpu_block_start(block, job, index);
            for (uint32_t w = 0; w < job->warps; w++) {
                struct cpu_running *warp = &block->warps[w];
                share->worker->current = warp;
                warp->abi.budget = CPU_DIRECT_BUDGET;
                warp->abi.stack_limit = limit;
                entry(&warp->abi);
            }
        }
    }
}

void cpu_job_work(struct cpu_job *job, struct cpu_worker *worker)
{
    worker->job = job;
    worker->current = NULL;
    worker->launch++;
    if (job->fibers) {
        cpu_job_run_fibers(job, worker);
    } else {
        struct share share = {job, worker, cpu_block_take(worker, job)};
        if (!share.block || (!cpu_worker_call(worker, run_direct, &share) && !atomic_load(&job->stop)))
            cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a block");
        if (share.block)
            cpu_block_give(worker, share.block);
    }
    cpu_blocks_trim(worker, MOST_BLOCKS_KEPT);
    cpu_stacks_trim(&worker->stacks, MOST_STACKS_KEPT);
    worker->job = NULL;
    worker->current = NULL;
}

static uint32_t chunk_of(const struct cpu_job *job)
{
    if (job->fibers)
        return 1;
    uint64_t chunk = job->blocks / (cpu_pool_workers() * 8u);
    return chunk < 1 ? 1 : chunk > 64 ? 64 : (uint32_t)chunk;
}

void cpu_job_run(struct cpu_job *job, struct cpu_worker *worker)
{
    struct cpu_grid *grid = job->grid;
    uint32_t block_time = atomic_load(&grid->block_time);
    uint32_t threads = job->block_dim[0] * job->block_dim[1] * job->block_dim[2];
    void *workspace = NULL;
    job->blocks = (uint64_t)job->grid_dim[0] * job->grid_dim[1] * job->grid_dim[2];
    job->warps = (threads + CPU_WARP_SIZE - 1) / CPU_WARP_SIZE;
    job->fibers = grid->needs_fibers || job->cooperative;
    job->chunk = chunk_of(job);
    if (job->cooperative) {
        workspace = calloc(1, 4096);
        job->grid_workspace = (uint64_t)(uintptr_t)workspace;
    }
    job->start = cpu_now();
    job->published = job->blocks > 1 && cpu_pool_workers() > 1 &&
                     (job->cooperative || !block_time || job->blocks > ALONE_NS / block_time);
    if (job->published)
        cpu_pool_publish(job);
    cpu_job_work(job, worker);
    uint32_t workers = 1;
    if (job->published)
        workers += cpu_pool_retract(job);
    free(workspace);
    uint32_t stop = atomic_load(&job->stop);
    if (stop && !atomic_load(&job->recorded) && atomic_load(&job->next) < job->blocks)
        cpu_job_fault(job, NULL, stop, 0, 0, NULL);
    uint64_t time = (uint64_t)(cpu_now() - job->start) * workers / job->blocks;
    atomic_store(&grid->block_time, time < 1 ? 1 : time > UINT32_MAX ? UINT32_MAX : (uint32_t)time);
}
