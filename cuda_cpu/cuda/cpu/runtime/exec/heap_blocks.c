/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Live allocations of malloc in device code by the launches that made them, for leakcheck. The caller holds the heap's
 * lock, except in cpu_heap_track.
 */
#include "heap_blocks.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096 /* a power of two */

static _Atomic bool tracking;
static struct cpu_heap_block *buckets[BUCKETS];

static struct cpu_heap_block **bucket_of(uint64_t address)
{
    return &buckets[address / 16 % BUCKETS];
}

void cpu_heap_track(bool on)
{
    tracking = on;
}

void cpu_heap_note(uint64_t address, uint64_t size, const struct cpu_job *job)
{
    if (!tracking || !address)
        return;
    struct cpu_heap_block *block = calloc(1, sizeof *block), **link = bucket_of(address);
    if (!block)
        return;
    block->address = address;
    block->size = size;
    block->grid_id = job->grid_id;
    strncpy(block->kernel, job->compiled->name, sizeof block->kernel - 1);
    block->next = *link;
    *link = block;
}

void cpu_heap_forget(uint64_t address)
{
    for (struct cpu_heap_block **link = bucket_of(address); *link; link = &(*link)->next) {
        struct cpu_heap_block *block = *link;
        if (block->address != address)
            continue;
        *link = block->next;
        free(block);
        return;
    }
}

struct cpu_heap_block *cpu_heap_blocks_take(void)
{
    struct cpu_heap_block *taken = NULL;
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct cpu_heap_block *block = buckets[i];
            buckets[i] = block->next;
            block->next = taken;
            taken = block;
        }
    return taken;
}
