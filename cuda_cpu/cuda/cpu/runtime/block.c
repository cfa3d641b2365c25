/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A block's memory: its warps, shared memory, and the local memory of its lanes. Blocks are reused by their worker.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "worker.h"

#define PAGE ((size_t)65536) /* a multiple of every Linux page size */

static void region_release(struct cpu_region *region)
{
    if (region->base)
        munmap(region->base, region->size);
    memset(region, 0, sizeof *region);
}

/* Make the region hold `need` bytes between a guard before and one of `guard` bytes behind. */
static bool region_grow(struct cpu_region *region, size_t need, size_t guard)
{
    if (need <= region->usable)
        return true;
    region_release(region);
    size_t usable = (need + PAGE - 1) & ~(PAGE - 1);
    size_t size = PAGE + usable + guard;
    uint8_t *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    if (mprotect(base + PAGE, usable, PROT_READ | PROT_WRITE)) {
        munmap(base, size);
        return false;
    }
    *region = (struct cpu_region){.base = base, .size = size, .begin = base + PAGE, .usable = usable};
    return true;
}

/* Any 32-bit offset from shared memory stays inside the guard, unless many blocks in flight would use up the address
 * space, or the system allows no guard so large. */
static bool shared_grow(struct cpu_region *region, size_t need, uint32_t in_flight)
{
    return region_grow(region, need, in_flight < 16 ? (size_t)1 << 32 : PAGE) || region_grow(region, need, PAGE);
}

static void fill_threads(struct cpu_block *block, const struct cpu_job *job)
{
    if (!memcmp(block->shape, job->block_dim, sizeof block->shape))
        return;
    memcpy(block->shape, job->block_dim, sizeof block->shape);
    uint32_t x = 0, y = 0, z = 0;
    for (uint32_t w = 0; w < job->warps; w++) {
        struct cpu_warp *warp = &block->warps[w].abi;
        for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) {
            bool exists = z < job->block_dim[2];
            warp->thread_idx[0][lane] = exists ? x : 0;
            warp->thread_idx[1][lane] = exists ? y : 0;
            warp->thread_idx[2][lane] = exists ? z : 0;
            if (exists && ++x == job->block_dim[0]) {
                x = 0;
                if (++y == job->block_dim[1]) {
                    y = 0;
                    z++;
                }
            }
        }
    }
}

/* What is the same for all blocks of the launch. */
static void fill_warps(struct cpu_block *block, struct cpu_job *job, uint64_t stride)
{
    uint8_t *shared = block->shared.begin + block->shared.usable - (((size_t)job->shared_size + 127) & ~(size_t)127);
    for (uint32_t w = 0; w < job->warps; w++) {
        struct cpu_running *running = &block->warps[w];
        struct cpu_warp *warp = &running->abi;
        running->block = block;
        warp->runtime = &cpu_services;
        warp->params = job->params;
        warp->shared = shared;
        warp->local = block->local.begin + w * stride * CPU_WARP_SIZE;
        warp->symbols = job->grid->symbols;
        warp->local_stride = stride;
        warp->warp_id = w;
        warp->shared_size = job->shared_size;
        warp->shared_static = job->grid->shared_static;
        warp->worker = block->worker->index;
        memcpy(warp->grid_dim, job->grid_dim, sizeof warp->grid_dim);
        memcpy(warp->block_dim, job->block_dim, sizeof warp->block_dim);
        memcpy(warp->cluster_dim, job->cluster_dim, sizeof warp->cluster_dim);
        warp->grid_id = job->grid_id;
        warp->grid_workspace = job->grid_workspace;
    }
    fill_threads(block, job);
}

struct cpu_block *cpu_block_take(struct cpu_worker *worker, struct cpu_job *job)
{
    struct cpu_block *block = worker->unused;
    if (block) {
        worker->unused = block->next;
        if (block->launch == worker->launch)
            return block;
    } else {
        block = aligned_alloc(64, (sizeof *block + 63) & ~(size_t)63);
        if (!block)
            return NULL;
        memset(block, 0, sizeof *block);
        block->worker = worker;
    }
    /* An odd number of cache lines: the lanes' copies of one variable spread over all sets of the cache. */
    uint64_t stride = ((job->grid->local_bytes + cpu_stack_size() + 63) & ~(uint64_t)63) | 64;
    if (!shared_grow(&block->shared, job->shared_size + 128u, worker->in_flight) ||
        !region_grow(&block->local, stride * CPU_WARP_SIZE * job->warps, PAGE)) {
        cpu_block_give(worker, block);
        return NULL;
    }
    fill_warps(block, job, stride);
    block->launch = worker->launch;
    return block;
}

void cpu_block_start(struct cpu_block *block, struct cpu_job *job, uint64_t index)
{
    cpu_barriers_reset(block);
    uint32_t x = index % job->grid_dim[0];
    uint64_t rows = index / job->grid_dim[0];
    uint32_t y = rows % job->grid_dim[1], z = rows / job->grid_dim[1];
    uint32_t threads = job->block_dim[0] * job->block_dim[1] * job->block_dim[2];
    for (uint32_t w = 0; w < job->warps; w++) {
        struct cpu_running *running = &block->warps[w];
        uint32_t left = threads - w * CPU_WARP_SIZE;
        running->live = left >= CPU_WARP_SIZE ? UINT32_MAX : (1u << left) - 1;
        running->polls = 0;
        running->abi.lanes = running->live;
        running->abi.local_top = 0;
        running->abi.block_idx[0] = x;
        running->abi.block_idx[1] = y;
        running->abi.block_idx[2] = z;
    }
}

void cpu_block_give(struct cpu_worker *worker, struct cpu_block *block)
{
    block->next = worker->unused;
    worker->unused = block;
}

void cpu_blocks_trim(struct cpu_worker *worker, uint32_t keep)
{
    struct cpu_block **place = &worker->unused;
    while (*place && keep--)
        place = &(*place)->next;
    while (*place) {
        struct cpu_block *block = *place;
        *place = block->next;
        region_release(&block->shared);
        region_release(&block->local);
        free(block);
    }
}
