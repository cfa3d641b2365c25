/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Strong accesses and asynchronous copies as racecheck sees them: a thread releases its vector clock, or the completion of
 * its copies, at a location of memory, from which others acquire it.
 */
#include "race_parts.h"

static struct sync_var *sync_var_at(struct cpu_races *races, uint64_t address, bool make)
{
    struct sync_var **link = &races->sync_vars[address * 0x9e3779b97f4a7c15u >> 48];
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (!*link && make) {
        *link = taken(calloc(1, sizeof **link));
        (*link)->address = address;
        (*link)->all = races->all_sync_vars;
        races->all_sync_vars = *link;
    }
    return *link;
}

struct copies *cpu_race_copies_of(struct lane *lane)
{
    if (!lane->copies) {
        cpu_race_changes(cpu_race_warp);
        lane->copies = taken(calloc(1, sizeof *lane->copies));
        lane->copies->time = 1;
    }
    return lane->copies;
}

/* Add to a clock that a thread's copies up to a time are complete. */
static void add_copies(struct cpu_clock **clock, struct cpu_running *warp, unsigned number, uint32_t upto, bool only_reads)
{
    struct cpu_race_block *race = warp->block->race;
    for (uint32_t kind = COPY_READS; kind; kind <<= 1) {
        struct cpu_times *times;
        *clock = cpu_clock_own(*clock, race->number | kind, race->threads, &times);
        uint32_t *time = &times->of[warp->abi.warp_id * CPU_WARP_SIZE + number];
        *time = *time > upto ? *time : upto;
        if (only_reads)
            return;
    }
}

static void complete(struct cpu_clock **clock, struct cpu_running *warp, unsigned number)
{
    struct copies *copies = cpu_race_copies_of(lane_of(warp, number));
    add_copies(clock, warp, number, copies->time++, false);
}

void cpu_race_copies(struct cpu_running *warp, cpu_lanes lanes, uint32_t order, uint32_t count)
{
    bool bulk = order == CPU_ORDER_COMMIT_BULK || order == CPU_ORDER_WAIT_BULK || order == CPU_ORDER_WAIT_BULK_READ;
    cpu_race_warp = warp;
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    count = count < GROUPS ? count : GROUPS - 1;
    for (; lanes; lanes &= lanes - 1) {
        unsigned number = (unsigned)__builtin_ctz(lanes);
        struct lane *lane = lane_of(warp, number);
        struct copies *copies = lane->copies;
        if (!copies)
            continue;
        uint32_t *groups = &copies->groups[bulk], *ends = copies->ends[bulk];
        if (order == CPU_ORDER_COMMIT || order == CPU_ORDER_COMMIT_BULK)
            ends[(*groups)++ % GROUPS] = copies->time++;
        else if (order == CPU_ORDER_WAIT_ALL)
            complete(&lane->knows, warp, number);
        else if (*groups > count)
            add_copies(&lane->knows, warp, number, ends[(*groups - count - 1) % GROUPS],
                       order == CPU_ORDER_WAIT_BULK_READ);
    }
}

static void release(struct cpu_clock **to, struct cpu_running *warp, unsigned number)
{
    *to = cpu_race_gather(*to, warp, 1u << number);
    lane_of(warp, number)->time++;
}

/* Release at scope .cta: only threads of the block learn of it. */
static void release_in_block(struct sync_var *sync, struct cpu_running *warp, unsigned number, struct cpu_clock *fenced)
{
    uint32_t block = warp->block->race->number;
    if (sync->block != block) {
        cpu_clock_release(sync->in_block);
        sync->in_block = NULL;
    }
    sync->block = block;
    if (fenced)
        sync->in_block = cpu_clock_join(sync->in_block, fenced);
    else
        release(&sync->in_block, warp, number);
}

void cpu_race_synchronise(struct cpu_running *warp, unsigned number, uint32_t flags, uint64_t address)
{
    struct lane *lane = lane_of(warp, number);
    bool completes = flags & CPU_ACCESS_ASYNC && flags >> CPU_ACCESS_MBARRIER & 7;
    bool releases = flags & CPU_ACCESS_RELEASE, in_block = flags & CPU_ACCESS_BLOCK_SCOPE;
    bool tells = flags & CPU_ACCESS_WRITE && (releases || completes || lane->fenced_block);
    struct sync_var *sync = sync_var_at(races_of(warp), address, tells);
    if (!sync && !tells)
        return;
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    bool arrives = (flags >> CPU_ACCESS_MBARRIER & 7) == CPU_MBARRIER_UPDATE;
    if (sync && flags & CPU_ACCESS_READ && !arrives) {
        lane->knows = cpu_clock_join(lane->knows, sync->clock);
        if (sync->block == warp->block->race->number)
            lane->knows = cpu_clock_join(lane->knows, sync->in_block);
    }
    if (!tells)
        return;
    if (completes)
        complete(&sync->clock, warp, number);
    if (releases && !in_block)
        release(&sync->clock, warp, number);
    else if (releases)
        release_in_block(sync, warp, number, NULL);
    else if (lane->fenced && !in_block)
        sync->clock = cpu_clock_join(sync->clock, lane->fenced);
    if (!releases && lane->fenced_block)
        release_in_block(sync, warp, number, lane->fenced_block);
}

void cpu_race_free_sync_vars(struct cpu_races *races)
{
    for (struct sync_var *each = races->all_sync_vars, *next; each; each = next) {
        next = each->all;
        races->sync_vars[each->address * 0x9e3779b97f4a7c15u >> 48] = NULL;
        cpu_clock_release(each->clock);
        cpu_clock_release(each->in_block);
        free(each);
    }
}
