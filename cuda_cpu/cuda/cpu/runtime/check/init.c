/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * initcheck: compares the accesses of kernels with the shadow memory. Shared memory is not written when its block
 * starts, nor is local memory when a function allocates it.
 */
#include "init.h"

/* Destinations of an asynchronous copy, from the check of its destination to that of its source. */
static _Thread_local struct {
    cpu_lanes lanes;
    uint64_t addresses[CPU_WARP_SIZE];
} targets;

void cpu_init_block_begin(struct cpu_block *block)
{
    const struct cpu_warp *first = &block->warps[0].abi;
    cpu_init_mark((uint64_t)(uintptr_t)first->shared, first->shared_size, false);
}

/* The memory may become something else, which counts as written. */
void cpu_init_block_end(struct cpu_block *block)
{
    const struct cpu_warp *first = &block->warps[0].abi;
    cpu_init_mark((uint64_t)(uintptr_t)first->shared, first->shared_size, true);
    cpu_init_mark((uint64_t)(uintptr_t)block->local.begin, block->local.usable, true);
}

/* All lanes of a warp have one stack pointer, so no lane uses the new frame. */
static void begin_local(const struct cpu_warp *abi, uint32_t size)
{
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        cpu_init_mark((uint64_t)(uintptr_t)abi->local + lane * abi->local_stride + abi->local_top - size, size, false);
}

static void report(struct cpu_running *warp, unsigned lane, uint64_t site, uint32_t flags, uint64_t size, uint64_t found)
{
    const struct cpu_block *block = warp->block;
    bool local = found - (uint64_t)(uintptr_t)block->local.begin < block->local.usable;
    struct cpu_finding finding = {.kind = CPU_FOUND_UNWRITTEN, .site = site, .flags = flags, .address = found,
                                  .size = size, .offset = found};
    cpu_check_note(warp, lane,
                   local ? CPU_SPACE_LOCAL : cpu_check_shared(warp, found) ? CPU_SPACE_SHARED : CPU_SPACE_GLOBAL,
                   &finding);
}

/* A copy does not use the data, so its destination gets the state of the source. */
static void copy_states(cpu_lanes lanes, uint32_t size, const uint64_t *addresses, const uint64_t *sizes)
{
    for (lanes &= targets.lanes; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        cpu_init_copy(targets.addresses[lane], addresses[lane], sizes ? sizes[lane] : size);
    }
    targets.lanes = 0;
}

void cpu_init_access(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                     const uint64_t *addresses, const uint64_t *sizes)
{
    bool copied = flags & CPU_ACCESS_COPIED;
    if (flags & CPU_ACCESS_FRESH) {
        begin_local(&warp->abi, size);
        return;
    }
    if (copied && flags & CPU_ACCESS_READ) {
        copy_states(lanes, size, addresses, sizes);
        return;
    }
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = addresses[lane], bytes = sizes ? sizes[lane] : size;
        uint64_t found = flags & CPU_ACCESS_READ ? cpu_init_find(address, bytes) : 0;
        if (found)
            report(warp, lane, site, flags, bytes, found);
        if (flags & CPU_ACCESS_WRITE)
            cpu_init_mark(address, bytes, true);
        targets.addresses[lane] = address;
    }
    targets.lanes = copied ? lanes : 0;
}
