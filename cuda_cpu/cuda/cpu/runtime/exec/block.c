/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Initialises the state of a block: its warps, shared memory, and the local memory of its lanes. Workers reuse blocks.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "queue/graph.h"
#include "worker.h"

#define VECTOR_BYTES 64 /* of the widest vectors */
#define PAGE ((size_t)65536) /* a multiple of every Linux page size */

static void region_release(struct cpu_region *region)
{
    if (region->base)
        munmap(region->base, region->size);
    memset(region, 0, sizeof *region);
}

/* Grow the region to `need` bytes in each slot, with a guard before it and one of `guard` bytes behind it. */
static bool region_grow(struct cpu_region *region, size_t need, uint32_t slots, size_t guard)
{
    if (need <= region->usable && slots <= region->slots)
        return true;
    region_release(region);
    size_t usable = (need + PAGE - 1) & ~(PAGE - 1);
    size_t size = PAGE + (slots - 1) * CPU_CLUSTER_STRIDE + usable + guard;
    uint8_t *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (mprotect(base + PAGE + slot * CPU_CLUSTER_STRIDE, usable, PROT_READ | PROT_WRITE)) {
            munmap(base, size);
            return false;
        }
    }
    *region = (struct cpu_region){.base = base, .size = size, .begin = base + PAGE, .usable = usable, .slots = slots};
    return true;
}

/* Grow shared memory. The guard covers every 32-bit offset from its start, unless many blocks in flight would exhaust
 * the address space, or the system does not allow a guard of this size. */
static bool shared_grow(struct cpu_region *region, size_t need, uint32_t slots, uint32_t in_flight)
{
    return region_grow(region, need, slots, in_flight < 16 ? (size_t)1 << 32 : PAGE) ||
           region_grow(region, need, slots, PAGE);
}

bool cpu_block_share(struct cpu_block *block, struct cpu_job *job)
{
    uint32_t slots = job->path == CPU_PATH_FIBERS ? job->cluster : 1;
    size_t alignment = job->compiled->alignment > 128 ? job->compiled->alignment : 128;
    /* A masked load that reaches into the guard takes hundreds of cycles, though it reads nothing there. */
    size_t behind = job->pitch == job->block_dim[0] ? 0 : VECTOR_BYTES;
    size_t size = (job->shared_size + behind + alignment - 1) & ~(alignment - 1);
    if (!shared_grow(&block->shared, size, slots, block->worker->in_flight))
        return false;
    block->shared_base = block->shared.begin + block->shared.usable - size;
    return true;
}

/* Return a mask: bit b is set if %tid.x grows by one from lane to lane in each aligned group of 2**b lanes (lanes that
 * do not exist excepted). If so in all warps of a block, threads with another y or z begin at multiples of 2**b lanes. */
static uint32_t runs_of(const struct cpu_warp *warp)
{
    uint32_t runs = 0;
    for (uint32_t b = 0; 1u << b <= CPU_WARP_SIZE; b++) {
        bool run = true;
        for (uint32_t lane = 1; lane < CPU_WARP_SIZE; lane++)
            if (warp->lanes >> lane & 1 && lane & ((1u << b) - 1))
                run &= warp->thread_idx[0][lane] == warp->thread_idx[0][lane - 1] + 1;
        runs |= (uint32_t)run << b;
    }
    return runs;
}

static void fill_threads(struct cpu_block *block, const struct cpu_job *job)
{
    uint32_t shape[4] = {job->block_dim[0], job->block_dim[1], job->block_dim[2], job->pitch};
    if (!memcmp(block->shape, shape, sizeof shape))
        return;
    memcpy(block->shape, shape, sizeof shape);
    uint32_t x = 0, y = 0, z = 0, runs = UINT32_MAX;
    for (uint32_t w = 0; w < job->warps; w++) {
        struct cpu_warp *warp = &block->warps[w].abi;
        warp->lanes = 0;
        for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) {
            bool exists = z < job->block_dim[2];
            warp->thread_idx[0][lane] = exists ? x : 0;
            warp->thread_idx[1][lane] = exists ? y : 0;
            warp->thread_idx[2][lane] = exists ? z : 0;
            warp->lanes |= (cpu_lanes)(exists && x < job->block_dim[0]) << lane;
            if (exists && ++x == job->pitch) {
                x = 0;
                if (++y == job->block_dim[1]) {
                    y = 0;
                    z++;
                }
            }
        }
        runs &= runs_of(warp);
    }
    for (uint32_t w = 0; w < job->warps; w++)
        block->warps[w].abi.rows = runs;
}

static void fill_warp(struct cpu_block *block, uint32_t w)
{
    const struct cpu_filling *filling = &block->filling;
    struct cpu_running *running = &block->warps[w];
    struct cpu_warp *warp = &running->abi;
    running->block = block;
    warp->runtime = filling->runtime;
    warp->params = filling->params;
    warp->local = filling->local + w * filling->local_stride * CPU_WARP_SIZE;
    warp->symbols = filling->symbols;
    warp->local_stride = filling->local_stride;
    warp->warp_id = w;
    warp->shared_size = filling->shared_size;
    warp->shared_static = filling->shared_static;
    warp->worker = block->worker->index;
    warp->warp_count = filling->warps;
    warp->row_pitch = filling->pitch;
    warp->warp_bytes = sizeof *running;
    memcpy(warp->grid_dim, filling->grid_dim, sizeof warp->grid_dim);
    memcpy(warp->block_dim, filling->block_dim, sizeof warp->block_dim);
    memcpy(warp->cluster_dim, filling->cluster_dim, sizeof warp->cluster_dim);
    warp->grid_workspace = filling->grid_workspace;
    warp->graph_exec = filling->graph_exec;
    warp->counters = filling->counters;
    warp->ranges = filling->ranges;
    warp->sole = filling->sole;
}

/* Fill in the fields that are the same for all blocks of a launch. Nearly all of them also stay the same from one
 * launch of a kernel to the next. */
static void fill_warps(struct cpu_block *block, struct cpu_job *job, uint64_t stride)
{
    struct cpu_filling wanted = {
        .runtime = job->profile ? &cpu_profile_services : job->compiled->checks ? &cpu_check_services : &cpu_services,
        .params = job->params,
        .local = block->local.begin,
        .symbols = job->compiled->symbols,
        .counters = block->worker->counters,
        .ranges = block->worker->ranges,
        .sole = block->worker->sole,
        .local_stride = stride,
        .grid_workspace = job->grid_workspace,
        .graph_exec = cpu_graph_run_handle(job->graph),
        .shared_size = job->shared_size,
        .shared_static = job->compiled->shared_static,
        .warps = job->warps,
        .pitch = job->pitch,
    };
    memcpy(wanted.grid_dim, job->grid_dim, sizeof wanted.grid_dim);
    memcpy(wanted.block_dim, job->block_dim, sizeof wanted.block_dim);
    memcpy(wanted.cluster_dim, job->cluster_dim, sizeof wanted.cluster_dim);
    if (memcmp(&wanted, &block->filling, sizeof wanted)) {
        block->filling = wanted;
        for (uint32_t w = 0; w < job->warps; w++)
            fill_warp(block, w);
        fill_threads(block, job);
        block->warps[0].abi.last_lanes = block->warps[job->warps - 1].abi.lanes;
    }
    for (uint32_t w = 0; w < job->warps; w++)
        block->warps[w].abi.grid_id = job->grid_id;
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
    /* An odd number of cache lines, so that the lanes' copies of a variable spread over all sets of the cache. */
    uint64_t alignment = job->compiled->alignment > CPU_ALIGNMENT ? job->compiled->alignment : CPU_ALIGNMENT;
    uint64_t stride = ((job->compiled->local_bytes + cpu_stack_size() + alignment - 1) & -alignment) | alignment;
    if (!region_grow(&block->local, stride * CPU_WARP_SIZE * job->warps, 1, PAGE)) {
        cpu_block_give(worker, block);
        return NULL;
    }
    fill_warps(block, job, stride);
    block->following = UINT64_MAX;
    block->launch = worker->launch;
    return block;
}

/* Compute %ctaid from a block's index. The blocks of a cluster have consecutive indices. */
static void locate(const struct cpu_job *job, uint64_t index, uint32_t block_idx[3])
{
    uint64_t cluster = index / job->cluster;
    uint32_t rank = index % job->cluster;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t size = job->cluster_dim[axis], count = job->grid_dim[axis] / size;
        block_idx[axis] = (uint32_t)(cluster % count) * size + rank % size;
        cluster /= count;
        rank /= size;
    }
}

/* Advance %ctaid to the next block, without clusters. */
static void step(const struct cpu_job *job, uint32_t block_idx[3])
{
    for (int axis = 0; axis < 3 && ++block_idx[axis] == job->grid_dim[axis]; axis++)
        block_idx[axis] = 0;
}

/* Volatile, to access each element separately: a wide load of elements that were stored one by one cannot be forwarded
 * from the store buffer, so it would wait for all earlier stores, among them those of the previous block. */
static void store_block_idx(struct cpu_warp *warp, const uint32_t block_idx[3])
{
    for (int axis = 0; axis < 3; axis++)
        *(volatile uint32_t *)&warp->block_idx[axis] = block_idx[axis];
}

uint64_t cpu_block_start(struct cpu_block *block, struct cpu_job *job, uint64_t index, uint64_t end)
{
    cpu_barriers_reset(block);
    const volatile uint32_t *before = block->warps[0].abi.block_idx;
    uint32_t block_idx[3] = {before[0], before[1], before[2]};
    if (!index)
        block_idx[0] = block_idx[1] = block_idx[2] = 0; /* the divisions of locate() take longer than a short block */
    else if (index == block->following && job->cluster == 1)
        step(job, block_idx);
    else
        locate(job, index, block_idx);
    /* Machine code that iterates over blocks does not implement the block order of clusters. */
    uint64_t count = job->path == CPU_PATH_BLOCKS && job->cluster == 1 ? end - index : 1;
    block->warps[0].abi.blocks = (uint32_t)count;
    block->following = index + count;
    /* Where the machine code iterates over the warps, it reads the block's values from the first one. */
    uint32_t warps = job->path == CPU_PATH_BLOCKS ? 1 : job->warps;
    for (uint32_t w = 0; w < warps; w++) {
        struct cpu_running *running = &block->warps[w];
        running->live = running->abi.lanes;
        running->polls = 0;
        running->illegal = 0;
        running->abi.local_top = 0;
        store_block_idx(&running->abi, block_idx);
    }
    return count;
}

/* Tell the kernel whether the block had atomic operations that a sole worker makes faster. */
static void collect_scattered(struct cpu_block *block, const struct cpu_job *job)
{
    uint32_t warps = job->path == CPU_PATH_BLOCKS ? 1 : job->warps;
    for (uint32_t w = 0; w < warps; w++) {
        struct cpu_warp *warp = &block->warps[w].abi;
        if (!warp->scattered)
            continue;
        warp->scattered = 0;
        if (!atomic_load_explicit(&job->compiled->scattered, memory_order_relaxed))
            atomic_store_explicit(&job->compiled->scattered, true, memory_order_relaxed);
    }
}

void cpu_block_give(struct cpu_worker *worker, struct cpu_block *block)
{
    collect_scattered(block, worker->job);
    block->next = worker->unused;
    worker->unused = block;
}

void cpu_blocks_trim(struct cpu_worker *worker, uint32_t keep)
{
    struct cpu_block **link = &worker->unused;
    while (*link && keep--)
        link = &(*link)->next;
    while (*link) {
        struct cpu_block *block = *link;
        *link = block->next;
        region_release(&block->shared);
        region_release(&block->local);
        free(block);
    }
}
