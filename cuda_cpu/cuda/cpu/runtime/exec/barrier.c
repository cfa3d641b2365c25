/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sixteen barriers of a block (PTX manual, "bar, barrier"). Arriving lanes are counted, and exited lanes are not
 * waited for. All warps of a block run on one worker, so nothing here needs to be atomic.
 */
#include <stdlib.h>

#include "worker.h"

void cpu_barriers_reset(struct cpu_block *block)
{
    for (; block->touched; block->touched &= block->touched - 1)
        block->barriers[__builtin_ctz(block->touched)] = (struct cpu_barrier){0};
}

static bool complete(const struct cpu_block *block, const struct cpu_barrier *barrier)
{
    return barrier->expected ? barrier->threads >= barrier->expected : barrier->lanes >= block->live;
}

static void release(struct cpu_block *block, struct cpu_barrier *barrier)
{
    for (uint32_t left = barrier->waiting; left; left &= left - 1) {
        struct cpu_running *warp = &block->warps[__builtin_ctz(left)];
        warp->reduced_count = barrier->holds;
        warp->reduced_all = !barrier->fails;
        warp->polls = 0;
        warp->abi.budget = CPU_FIBER_BUDGET;
    }
    block->ready |= barrier->waiting;
    block->moved = true;
    *barrier = (struct cpu_barrier){0};
}

static struct cpu_barrier *arrive(struct cpu_running *warp, uint32_t id, uint32_t threads, cpu_lanes lanes,
                                  cpu_lanes predicate)
{
    if (id >= CPU_BARRIERS)
        cpu_fault_now(warp, CPU_FAULT_BARRIER, 0, id, "a barrier's number must be below 16");
    struct cpu_barrier *barrier = &warp->block->barriers[id];
    uint32_t bit = 1u << warp->abi.warp_id, count = cpu_count(lanes);
    warp->block->touched |= 1u << id;
    if (threads > barrier->expected)
        barrier->expected = threads;
    barrier->lanes += count;
    /* A thread count counts whole warps (PTX manual), including lanes that have exited or do not exist. */
    barrier->threads += count + (barrier->warps & bit ? 0 : cpu_count(~warp->live));
    barrier->warps |= bit;
    barrier->holds += cpu_count(predicate & lanes);
    barrier->fails |= (predicate & lanes) != lanes;
    return barrier;
}

static void sync_lanes(struct cpu_running *warp, uint32_t id, uint32_t threads, cpu_lanes lanes, cpu_lanes predicate)
{
    struct cpu_block *block = warp->block;
    uint32_t bit = 1u << warp->abi.warp_id;
    if (block->worker->job->path != CPU_PATH_FIBERS && block->worker->job->warps > 1)
        cpu_fault_now(warp, CPU_FAULT_UNSUPPORTED, 0, 0, "a barrier in a kernel that was declared to have none");
    struct cpu_barrier *barrier = arrive(warp, id, threads, lanes, predicate);
    barrier->waiting |= bit;
    if (block->worker->job->path == CPU_PATH_FIBERS && !complete(block, barrier)) {
        block->ready &= ~bit;
        cpu_warp_yield(warp);
    } else {
        release(block, barrier);
    }
}

void cpu_barrier_sync(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes)
{
    if (lanes)
        sync_lanes((struct cpu_running *)abi, id, threads, lanes, 0);
}

uint32_t cpu_barrier_reduce(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes, uint32_t op,
                            cpu_lanes predicate)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    if (!lanes)
        return 0;
    sync_lanes(warp, id, threads, lanes, predicate);
    return op == 0 ? warp->reduced_count : op == 1 ? warp->reduced_all : warp->reduced_count != 0;
}

void cpu_barrier_arrive(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    if (!lanes)
        return;
    struct cpu_barrier *barrier = arrive(warp, id, threads, lanes, 0);
    if (complete(warp->block, barrier))
        release(warp->block, barrier);
}

void cpu_exit_lanes(struct cpu_warp *abi, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_block *block = warp->block;
    lanes &= warp->live;
    warp->live &= ~lanes;
    block->live -= cpu_count(lanes);
    for (uint32_t left = block->touched; left; left &= left - 1) {
        struct cpu_barrier *barrier = &block->barriers[__builtin_ctz(left)];
        if (barrier->waiting && !barrier->expected && complete(block, barrier))
            release(block, barrier);
    }
    cpu_cluster_exit(block->cluster);
}

/* Some lanes of a warp may arrive without the others (a barrier inside a branch). All lanes of a warp share a fiber, so
 * once nothing else can run, a waiting warp counts for all its lanes, as it did before sm_70. */
bool cpu_barriers_unstick(struct cpu_block *block)
{
    for (uint32_t left = block->touched; left; left &= left - 1) {
        struct cpu_barrier *barrier = &block->barriers[__builtin_ctz(left)];
        uint32_t warps = cpu_count(barrier->warps);
        bool all = barrier->expected ? warps * CPU_WARP_SIZE >= barrier->expected
                                     : (barrier->warps & block->alive) == block->alive;
        if (barrier->waiting && all) {
            release(block, barrier);
            return true;
        }
    }
    return false;
}
