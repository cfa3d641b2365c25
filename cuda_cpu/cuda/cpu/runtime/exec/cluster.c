/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Clusters: one worker executes all blocks of a cluster, so that nothing here needs to be atomic. Their shared memory
 * is in one reservation, CPU_CLUSTER_STRIDE from block to block. A block without a cluster is a cluster of size 1.
 */

#include "worker.h"

static bool is_last(const struct cpu_cluster *cluster)
{
    uint32_t live = 0;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        live += cluster->blocks[rank] ? cluster->blocks[rank]->live : 0;
    return cluster->arrived >= live;
}

/* End the phase, which releases the waiting warps. */
static void complete(struct cpu_cluster *cluster)
{
    cluster->phase++;
    cluster->arrived = 0;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        struct cpu_block *block = cluster->blocks[rank];
        cluster->warps[rank] = 0;
        if (!block || !cluster->waiting[rank])
            continue;
        for (uint32_t left = cluster->waiting[rank]; left; left &= left - 1) {
            struct cpu_running *warp = &block->warps[__builtin_ctz(left)];
            warp->polls = 0;
            warp->abi.budget = CPU_FIBER_BUDGET;
        }
        block->ready |= cluster->waiting[rank];
        block->moved = true;
        cluster->waiting[rank] = 0;
    }
}

static void begin(struct cpu_cluster *cluster, uint32_t size)
{
    cluster->size = size;
    cluster->left = cluster->phase = cluster->arrived = 0;
    for (uint32_t rank = 0; rank < size; rank++) {
        cluster->warps[rank] = cluster->waiting[rank] = 0;
        cluster->blocks[rank] = NULL;
    }
}

void cpu_cluster_join(struct cpu_block *block, struct cpu_block *first, uint32_t rank, uint32_t size)
{
    struct cpu_cluster *cluster = &first->own;
    if (block == first)
        begin(cluster, size);
    block->cluster = cluster;
    block->rank = rank;
    cluster->blocks[rank] = block;
    cluster->left++;
    uint8_t *base = first->shared_base, *shared = base + (size_t)rank * CPU_CLUSTER_STRIDE;
    if (block->warps[0].abi.cluster_shared == base && block->warps[0].abi.shared == shared)
        return; /* already set in all warps */
    for (uint32_t w = 0; w < CPU_MAX_WARPS; w++) {
        block->warps[w].abi.cluster_shared = base;
        block->warps[w].abi.shared = shared;
    }
}

void cpu_cluster_arrive(struct cpu_warp *abi, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_cluster *cluster = warp->block->cluster;
    if (!lanes)
        return;
    warp->cluster_phase = cluster->phase;
    cluster->arrived += cpu_count(lanes);
    cluster->warps[warp->block->rank] |= 1u << abi->warp_id;
    if (is_last(cluster))
        complete(cluster);
}

void cpu_cluster_wait(struct cpu_warp *abi, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_block *block = warp->block;
    if (!lanes || block->cluster->phase != warp->cluster_phase)
        return;
    if (block->worker->job->path != CPU_PATH_FIBERS)
        cpu_fault_now(warp, CPU_FAULT_UNSUPPORTED, 0, 0, "a barrier in a kernel that was declared to have none");
    block->cluster->waiting[block->rank] |= 1u << abi->warp_id;
    block->ready &= ~(1u << abi->warp_id);
    cpu_warp_yield(warp);
}

void cpu_cluster_exit(struct cpu_cluster *cluster)
{
    if (cluster->arrived && is_last(cluster))
        complete(cluster);
}

bool cpu_cluster_unstick(struct cpu_cluster *cluster)
{
    bool waiting = false, all = true;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        const struct cpu_block *block = cluster->blocks[rank];
        if (!block)
            continue;
        if (block->ready)
            return true;
        waiting |= cluster->waiting[rank] != 0;
        all &= (cluster->warps[rank] & block->alive) == block->alive;
    }
    if (waiting && all)
        complete(cluster);
    return waiting && all;
}

bool cpu_cluster_leave(struct cpu_block *block)
{
    block->cluster->waiting[block->rank] = 0;
    return --block->cluster->left == 0;
}
