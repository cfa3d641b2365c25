/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fiber scheduler: each warp runs on a fiber of its own, which is correct for every kernel. A worker goes through its
 * blocks in flight round robin, and resumes each ready warp until it waits, polls or ends.
 */
#include <sched.h>
#include <string.h>

#include "check/init.h"
#include "check/race.h"
#include "check/sync.h"
#include "worker.h"

/* Number of rounds in which all warps only polled, until more blocks are started (a warp may wait for a later block),
 * and until the core is yielded to other threads. */
#define IDLE_ROUNDS_TO_ADMIT 64
#define IDLE_ROUNDS_TO_ADMIT_AGAIN 4
#define IDLE_ROUNDS_TO_YIELD 32
#define MAX_WARPS_ADMITTED 1024

static void run_warp(void *argument)
{
    struct cpu_running *warp = argument;
    struct cpu_block *block = warp->block;
    block->worker->job->compiled->entry(&warp->abi);
    cpu_exit_lanes(&warp->abi, warp->live);
    uint32_t bit = 1u << warp->abi.warp_id;
    block->alive &= ~bit;
    block->ready &= ~bit;
    block->moved = true;
    cpu_fiber_jump(block->worker->thread_context);
}

void cpu_warp_yield(struct cpu_running *warp)
{
    cpu_fiber_switch(&warp->context, warp->block->worker->thread_context);
}

static bool resume_warp(struct cpu_worker *worker, struct cpu_running *warp)
{
    if (!warp->stack) {
        warp->stack = cpu_stack_take(&worker->stacks, worker->job->compiled->frames);
        if (!warp->stack) {
            cpu_job_fault(worker->job, warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a fiber");
            return false;
        }
        warp->context = cpu_fiber_prepare(warp->stack, run_warp, warp);
        warp->abi.stack_limit = cpu_stack_limit(warp->stack);
        warp->abi.budget = CPU_FIBER_BUDGET;
    }
    worker->current = warp;
    if (!cpu_worker_resume(worker, &warp->context, warp->stack))
        return false;
    if (!(warp->block->alive >> warp->abi.warp_id & 1)) {
        cpu_stack_give(&worker->stacks, warp->stack); /* the next warp gets it while it is in the cache */
        warp->stack = NULL;
    }
    return true;
}

/* Resume the ready warps of a block; false: the launch must stop. */
static bool schedule_block(struct cpu_worker *worker, struct cpu_block *block)
{
    for (uint32_t left = block->ready; left; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctz(left);
        if (!resume_warp(worker, &block->warps[w]))
            return false;
    }
    if (block->alive && !block->ready && !cpu_barriers_unstick(block) && !cpu_cluster_unstick(block->cluster)) {
        struct cpu_running *warp = &block->warps[__builtin_ctz(block->alive)];
        if (worker->job->compiled->checks & CPU_SYNCCHECK)
            cpu_check_stuck(block);
        cpu_job_fault(worker->job, warp, CPU_FAULT_BARRIER, 0, 0, "every warp of the block waits at a barrier");
        return false;
    }
    return !atomic_load_explicit(&worker->job->stop, memory_order_relaxed);
}

/* Add the next block of the launch, or all blocks of its next cluster, to the ring behind `*last`; false: none left. */
static bool admit(struct cpu_job *job, struct cpu_worker *worker, struct cpu_block **last)
{
    uint64_t index, end;
    if (!cpu_job_take(job, worker, &index, &end))
        return false;
    struct cpu_block *first = NULL;
    for (uint32_t rank = 0; index < end; index++, rank++) {
        struct cpu_block *block = cpu_block_take(worker, job);
        if (!block || (rank == 0 && !cpu_block_share(block, job))) {
            cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for a block");
            if (block)
                cpu_block_give(worker, block);
            return false;
        }
        first = first ? first : block;
        cpu_block_start(block, job, index, index + 1);
        block->alive = block->ready = job->warps == CPU_MAX_WARPS ? UINT32_MAX : (1u << job->warps) - 1;
        block->live = job->block_dim[0] * job->block_dim[1] * job->block_dim[2];
        block->moved = true;
        cpu_cluster_join(block, first, rank, job->cluster);
        if (job->races && !cpu_race_block_begin(block))
            cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
        if (job->compiled->checks & CPU_SYNCCHECK && !cpu_sync_block_begin(block))
            cpu_job_fault(job, NULL, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for synccheck");
        if (job->compiled->checks & CPU_INITCHECK)
            cpu_init_block_begin(block);
        block->next = *last ? (*last)->next : block;
        if (*last)
            (*last)->next = block;
        else
            *last = block;
        worker->in_flight++;
    }
    return true;
}

/* Remove the block behind `last` from the ring, with the fibers that a stopped launch leaves; return the new last. */
static struct cpu_block *dismiss(struct cpu_worker *worker, struct cpu_block *last)
{
    struct cpu_block *block = last->next;
    for (uint32_t w = 0; w < CPU_MAX_WARPS; w++) {
        struct cpu_running *warp = &block->warps[w];
        if (warp->stack)
            cpu_stack_give(&worker->stacks, warp->stack);
        warp->stack = NULL;
        warp->context = NULL;
    }
    last->next = block->next;
    worker->in_flight--;
    if (cpu_cluster_leave(block)) {
        struct cpu_cluster cluster = *block->cluster;
        for (uint32_t rank = 0; rank < cluster.size; rank++)
            if (cluster.blocks[rank]) {
                cpu_race_block_end(cluster.blocks[rank]);
                cpu_sync_block_end(cluster.blocks[rank]);
                if (worker->job->compiled->checks & CPU_INITCHECK)
                    cpu_init_block_end(cluster.blocks[rank]);
                cpu_block_give(worker, cluster.blocks[rank]);
            }
    }
    return block == last ? NULL : last;
}

static bool wants_block(const struct cpu_job *job, const struct cpu_worker *worker, uint32_t idle_rounds)
{
    if (!worker->in_flight || job->cooperative)
        return true;
    return idle_rounds >= IDLE_ROUNDS_TO_ADMIT && worker->in_flight * job->warps < MAX_WARPS_ADMITTED;
}

void cpu_job_run_fibers(struct cpu_job *job, struct cpu_worker *worker)
{
    struct cpu_block *last = NULL; /* of the ring; its successor runs next */
    uint32_t idle = 0, since_moved = 0;
    bool more = true;
    worker->in_flight = 0;
    for (;;) {
        if (more && wants_block(job, worker, idle)) {
            more = admit(job, worker, &last);
            idle -= idle < IDLE_ROUNDS_TO_ADMIT ? idle : IDLE_ROUNDS_TO_ADMIT_AGAIN;
        }
        if (!last || atomic_load_explicit(&job->stop, memory_order_relaxed))
            break;
        struct cpu_block *block = last->next;
        block->moved = false;
        if (!schedule_block(worker, block))
            break;
        if (block->moved)
            since_moved = idle = 0;
        else if (++since_moved >= worker->in_flight) {
            since_moved = 0;
            if (++idle >= IDLE_ROUNDS_TO_YIELD)
                sched_yield();
        }
        last = block->alive ? block : dismiss(worker, last);
    }
    if (last) /* stopped with warps in flight: cancelled by the host, unless a fault was recorded */
        cpu_job_fault(job, worker->current, atomic_load(&job->stop), 0, 0, NULL);
    while (last)
        last = dismiss(worker, last);
}
