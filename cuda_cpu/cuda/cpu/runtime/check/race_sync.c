/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation as racecheck sees it: barriers, warp operations, fences and strong accesses merge the vector clocks of
 * threads. Also the racecheck data of a block, which holds these clocks.
 */
#include "race_parts.h"

_Thread_local struct cpu_running *cpu_race_warp;

void cpu_clock_no_memory(void)
{
    cpu_fault_now(cpu_race_warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
}

bool cpu_race_block_begin(struct cpu_block *block)
{
    const struct cpu_warp *first = &block->warps[0].abi;
    uint32_t threads = block->worker->job->warps * CPU_WARP_SIZE;
    struct cpu_race_block *race = calloc(1, sizeof *race + threads * sizeof *race->lanes);
    if (!race)
        return false;
    race->number = first->block_idx[0] +
                   first->grid_dim[0] * (first->block_idx[1] + first->grid_dim[1] * first->block_idx[2]);
    race->threads = threads;
    for (uint32_t i = 0; i < threads; i++)
        race->lanes[i].time = 1;
    block->race = race;
    cpu_shadow_forget(block->worker->job->races, (uint64_t)(uintptr_t)first->shared, first->shared_size);
    return true;
}

static void drop_meeting(struct cpu_meeting *meeting)
{
    if (meeting && !--meeting->references) {
        cpu_clock_release(meeting->clock);
        free(meeting);
    }
}

void cpu_race_block_end(struct cpu_block *block)
{
    struct cpu_race_block *race = block->race;
    if (!race)
        return;
    for (uint32_t i = 0; i < race->threads; i++) {
        cpu_clock_release(race->lanes[i].knows);
        cpu_clock_release(race->lanes[i].fenced);
    }
    for (uint32_t i = 0; i < CPU_BARRIERS; i++)
        drop_meeting(race->barriers[i]);
    for (uint32_t i = 0; i < CPU_MAX_WARPS; i++)
        drop_meeting(race->passing[i]); /* left over if the launch was stopped */
    cpu_clock_release(race->cluster[0]);
    cpu_clock_release(race->cluster[1]);
    free(race);
    block->race = NULL;
}

/* Join the clocks and own times of the lanes into `clock`. */
static struct cpu_clock *gather(struct cpu_clock *clock, const struct cpu_running *warp, cpu_lanes lanes)
{
    const struct cpu_race_block *race = warp->block->race;
    struct cpu_times *own;
    for (cpu_lanes left = lanes; left; left &= left - 1)
        clock = cpu_clock_join(clock, lane_of(warp, (unsigned)__builtin_ctz(left))->knows);
    clock = cpu_clock_own(clock, race->number, race->threads, &own);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        own->of[warp->abi.warp_id * CPU_WARP_SIZE + lane] = lane_of(warp, lane)->time;
    }
    return clock;
}

static void learn(struct lane *lane, struct cpu_clock *clock)
{
    lane->knows = cpu_clock_join(lane->knows, clock);
}

void cpu_race_fence(struct cpu_running *warp, cpu_lanes lanes)
{
    cpu_race_warp = warp;
    for (; lanes; lanes &= lanes - 1) {
        unsigned number = (unsigned)__builtin_ctz(lanes);
        struct lane *lane = lane_of(warp, number);
        cpu_clock_release(lane->fenced);
        lane->fenced = NULL;
        lane->fenced = gather(NULL, warp, 1u << number);
        lane->time++;
    }
}

void cpu_race_meet(struct cpu_running *warp, cpu_lanes lanes, const uint64_t *masks)
{
    cpu_race_warp = warp;
    for (cpu_lanes left = lanes; left;) {
        cpu_lanes named = (cpu_lanes)masks[__builtin_ctz(left)], alike = 0;
        for (cpu_lanes each = left; each; each &= each - 1)
            if ((cpu_lanes)masks[__builtin_ctz(each)] == named)
                alike |= each & -each;
        left &= ~alike;
        struct cpu_clock *clock = gather(NULL, warp, named & warp->live);
        alike &= named; /* the behaviour of other lanes is undefined */
        for (; alike; alike &= alike - 1) {
            struct lane *lane = lane_of(warp, (unsigned)__builtin_ctz(alike));
            learn(lane, clock);
            lane->time++;
        }
        cpu_clock_release(clock);
    }
}

void cpu_race_arrive(struct cpu_running *warp, uint32_t barrier, cpu_lanes lanes, bool waits)
{
    struct cpu_race_block *race = warp->block->race;
    cpu_race_warp = warp;
    if (barrier >= CPU_BARRIERS)
        return; /* the barrier service raises the fault */
    struct cpu_meeting **slot = &race->barriers[barrier];
    if (!*slot || !warp->block->barriers[barrier].warps) { /* the first warp to arrive */
        drop_meeting(*slot);
        *slot = NULL;
        *slot = taken(calloc(1, sizeof **slot));
        (*slot)->references = 1;
    }
    struct cpu_meeting *meeting = *slot;
    meeting->clock = gather(meeting->clock, warp, lanes);
    for (; lanes; lanes &= lanes - 1)
        lane_of(warp, (unsigned)__builtin_ctz(lanes))->time++;
    if (waits) {
        meeting->references++;
        race->passing[warp->abi.warp_id] = meeting;
    }
}

void cpu_race_pass(struct cpu_running *warp, cpu_lanes lanes)
{
    struct cpu_meeting **slot = &warp->block->race->passing[warp->abi.warp_id], *meeting = *slot;
    cpu_race_warp = warp;
    *slot = NULL;
    for (; meeting && lanes; lanes &= lanes - 1)
        learn(lane_of(warp, (unsigned)__builtin_ctz(lanes)), meeting->clock);
    drop_meeting(meeting);
}

void cpu_race_cluster_arrive(struct cpu_running *warp, cpu_lanes lanes)
{
    struct cpu_cluster *cluster = warp->block->cluster;
    struct cpu_clock **slot = &cluster->blocks[0]->race->cluster[cluster->phase & 1];
    cpu_race_warp = warp;
    if (!cluster->arrived) {
        cpu_clock_release(*slot);
        *slot = NULL;
    }
    *slot = gather(*slot, warp, lanes);
    for (; lanes; lanes &= lanes - 1)
        lane_of(warp, (unsigned)__builtin_ctz(lanes))->time++;
}

void cpu_race_cluster_pass(struct cpu_running *warp, cpu_lanes lanes)
{
    cpu_race_warp = warp;
    struct cpu_clock *clock = warp->block->cluster->blocks[0]->race->cluster[warp->cluster_phase & 1];
    for (; lanes; lanes &= lanes - 1)
        learn(lane_of(warp, (unsigned)__builtin_ctz(lanes)), clock);
}

static struct sync_var *sync_var_at(struct cpu_races *races, uint64_t address, bool make)
{
    struct sync_var **link = &races->sync_vars[address * 0x9e3779b97f4a7c15u >> 48];
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (!*link && make) {
        *link = taken(calloc(1, sizeof **link));
        (*link)->address = address;
    }
    return *link;
}

void cpu_race_synchronise(struct cpu_running *warp, unsigned number, uint32_t flags, uint64_t address)
{
    struct cpu_races *races = races_of(warp);
    struct lane *lane = lane_of(warp, number);
    bool tells = flags & CPU_ACCESS_WRITE && (flags & CPU_ACCESS_RELEASE || lane->fenced);
    struct sync_var *sync = sync_var_at(races, address, tells);
    if (sync && flags & CPU_ACCESS_READ)
        learn(lane, sync->clock);
    if (tells && flags & CPU_ACCESS_RELEASE) {
        sync->clock = gather(sync->clock, warp, 1u << number);
        lane->time++;
    } else if (tells) {
        sync->clock = cpu_clock_join(sync->clock, lane->fenced);
    }
}

void cpu_race_free_sync_vars(struct cpu_races *races)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (struct sync_var *each = races->sync_vars[bucket], *next; each; each = next) {
            next = each->next;
            cpu_clock_release(each->clock);
            free(each);
        }
    }
}
