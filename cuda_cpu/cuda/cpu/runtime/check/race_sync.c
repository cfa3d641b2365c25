/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Barriers, warp operations and fences as racecheck sees them: they merge the vector clocks of threads. Strong accesses
 * and asynchronous copies are in race_release.c, the data of a block in race_block.c.
 */
#include "race_parts.h"

_Thread_local struct cpu_running *cpu_race_warp;

void cpu_clock_no_memory(void)
{
    cpu_fault_now(cpu_race_warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
}

struct cpu_clock *cpu_race_gather(struct cpu_clock *clock, const struct cpu_running *warp, cpu_lanes lanes)
{
    const struct cpu_race_block *race = warp->block->race;
    struct cpu_clock *last = NULL;
    struct cpu_times *own;
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        struct cpu_clock *knows = lane_of(warp, (unsigned)__builtin_ctz(left))->knows;
        if (knows != last)
            clock = cpu_clock_join(clock, knows);
        last = knows;
    }
    clock = cpu_clock_own(clock, race->number, race->threads, &own);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        own->of[warp->abi.warp_id * CPU_WARP_SIZE + lane] = lane_of(warp, lane)->time;
    }
    return clock;
}

static void note_times(struct cpu_times *times, const struct cpu_race_block *race, uint32_t warp, bool own)
{
    for (uint32_t w = 0; w < race->threads / CPU_WARP_SIZE; w++) {
        uint32_t time = race->plain.in_block[w];
        if (own && w == warp && race->plain.in_warp[w] > time)
            time = race->plain.in_warp[w];
        for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
            times->of[w * CPU_WARP_SIZE + lane] = time;
    }
}

static void use_clocks_at(struct cpu_meeting *meeting, const struct cpu_race_block *race)
{
    struct cpu_times *times;
    if (!meeting || !meeting->is_plain)
        return;
    meeting->is_plain = false;
    meeting->clock = cpu_clock_own(NULL, race->number, race->threads, &times);
    note_times(times, race, 0, false);
    for (uint32_t w = 0; w < race->threads / CPU_WARP_SIZE; w++)
        for (uint32_t lane = 0; lane < CPU_WARP_SIZE && meeting->times[w]; lane++)
            times->of[w * CPU_WARP_SIZE + lane] = meeting->times[w];
}

void cpu_race_use_clocks(struct cpu_running *warp)
{
    struct cpu_race_block *race = warp->block->race;
    if (race->has_clocks)
        return;
    race->has_clocks = true;
    for (uint32_t w = 0; w < race->threads / CPU_WARP_SIZE; w++) {
        struct cpu_times *times;
        struct cpu_clock *clock = cpu_clock_own(NULL, race->number, race->threads, &times);
        note_times(times, race, w, true);
        for (uint32_t i = w * CPU_WARP_SIZE; i < (w + 1) * CPU_WARP_SIZE; i++) {
            race->lanes[i].time = race->plain.own[w] + 1;
            race->lanes[i].knows = cpu_clock_retain(clock);
        }
        cpu_clock_release(clock);
        race->changed |= 1u << w;
        race->alike[w] = 0;
        use_clocks_at(race->passing[w], race);
    }
    for (uint32_t i = 0; i < CPU_BARRIERS; i++)
        use_clocks_at(race->barriers[i], race);
}

static void learn(struct lane *lane, struct cpu_clock *clock)
{
    lane->knows = cpu_clock_join(lane->knows, clock);
}

/* Let lanes learn of a clock. Most of them have the same clock before, and so afterwards. */
static void learn_all(struct cpu_running *warp, cpu_lanes lanes, struct cpu_clock *clock)
{
    struct cpu_clock *before = NULL, *after = NULL;
    for (bool first = true; lanes; lanes &= lanes - 1, first = false) {
        struct lane *lane = lane_of(warp, (unsigned)__builtin_ctz(lanes));
        if (first || lane->knows != before) {
            cpu_clock_release(before);
            before = cpu_clock_retain(lane->knows);
            learn(lane, clock);
            after = lane->knows;
        } else {
            cpu_clock_release(lane->knows);
            lane->knows = cpu_clock_retain(after);
        }
    }
    cpu_clock_release(before);
}

/* Give lanes a clock that includes theirs. */
static void give_all(struct cpu_running *warp, cpu_lanes lanes, struct cpu_clock *clock)
{
    for (; lanes; lanes &= lanes - 1) {
        struct lane *lane = lane_of(warp, (unsigned)__builtin_ctz(lanes));
        cpu_clock_retain(clock);
        cpu_clock_release(lane->knows);
        lane->knows = clock;
    }
}

/* Let lanes meet whose last meeting gave them a clock that nobody else has: change it, instead of a copy. */
static bool meet_again(struct cpu_running *warp, cpu_lanes lanes)
{
    const struct cpu_race_block *race = warp->block->race;
    struct cpu_clock *clock = lane_of(warp, (unsigned)__builtin_ctz(lanes))->knows;
    struct cpu_times *times = cpu_clock_alone(clock, race->number, cpu_count(lanes));
    for (cpu_lanes left = times ? lanes : 0; left; left &= left - 1)
        if (lane_of(warp, (unsigned)__builtin_ctz(left))->knows != clock)
            return false;
    for (; times && lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        times->of[warp->abi.warp_id * CPU_WARP_SIZE + lane] = lane_of(warp, lane)->time++;
    }
    return times != NULL;
}

void cpu_race_fence(struct cpu_running *warp, cpu_lanes lanes, bool in_block)
{
    cpu_race_warp = warp;
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    for (; lanes; lanes &= lanes - 1) {
        unsigned number = (unsigned)__builtin_ctz(lanes);
        struct lane *lane = lane_of(warp, number);
        struct cpu_clock *clock = cpu_race_gather(NULL, warp, 1u << number);
        cpu_clock_release(lane->fenced_block);
        lane->fenced_block = clock;
        if (!in_block) {
            cpu_clock_release(lane->fenced);
            lane->fenced = cpu_clock_retain(clock);
        }
        lane->time++;
    }
}

/* Return whether all lanes of the warp meet. */
static bool meets_in_full(const struct cpu_running *warp, cpu_lanes lanes, const uint64_t *masks)
{
    uint64_t differ = 0;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++)
        differ |= lanes >> lane & 1 ? (uint32_t)masks[lane] ^ (uint64_t)lanes : 0;
    return lanes == warp->abi.lanes && !differ;
}

bool cpu_race_meet_all(struct cpu_running *warp, cpu_lanes lanes)
{
    struct plain_times *plain = &warp->block->race->plain;
    if (warp->block->race->has_clocks || lanes != UINT32_MAX)
        return false;
    plain->in_warp[warp->abi.warp_id] = ++plain->own[warp->abi.warp_id];
    return true;
}

void cpu_race_meet(struct cpu_running *warp, cpu_lanes lanes, const uint64_t *masks)
{
    struct plain_times *plain = &warp->block->race->plain;
    cpu_race_warp = warp;
    if (!warp->block->race->has_clocks && meets_in_full(warp, lanes, masks)) {
        plain->in_warp[warp->abi.warp_id] = ++plain->own[warp->abi.warp_id];
        return;
    }
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    for (cpu_lanes left = lanes; left;) {
        cpu_lanes named = (cpu_lanes)masks[__builtin_ctz(left)], alike = 0;
        for (cpu_lanes each = left; each; each &= each - 1)
            if ((cpu_lanes)masks[__builtin_ctz(each)] == named)
                alike |= each & -each;
        left &= ~alike;
        alike &= named; /* the behaviour of other lanes is undefined */
        if (alike == (named & warp->live) && meet_again(warp, alike))
            continue;
        struct cpu_clock *clock = cpu_race_gather(NULL, warp, named & warp->live);
        give_all(warp, alike, clock);
        for (; alike; alike &= alike - 1)
            lane_of(warp, (unsigned)__builtin_ctz(alike))->time++;
        cpu_clock_release(clock);
    }
}

void cpu_race_arrive(struct cpu_running *warp, uint32_t barrier, uint32_t threads, cpu_lanes lanes, bool waits)
{
    struct cpu_race_block *race = warp->block->race;
    uint32_t w = warp->abi.warp_id;
    cpu_race_warp = warp;
    if (barrier >= CPU_BARRIERS)
        return; /* the barrier service raises the fault */
    if (threads || !waits || lanes != warp->abi.lanes)
        cpu_race_use_clocks(warp);
    race->has_met = true;
    struct cpu_meeting **slot = &race->barriers[barrier];
    if (!*slot || !warp->block->barriers[barrier].warps) { /* the first warp to arrive */
        cpu_race_drop_meeting(*slot);
        *slot = NULL;
        *slot = taken(calloc(1, sizeof **slot));
        (*slot)->references = 1;
        (*slot)->is_plain = !race->has_clocks;
    }
    struct cpu_meeting *meeting = *slot;
    if (race->has_clocks) {
        cpu_race_changes(warp);
        meeting->clock = cpu_race_gather(meeting->clock, warp, lanes);
        for (; lanes; lanes &= lanes - 1)
            lane_of(warp, (unsigned)__builtin_ctz(lanes))->time++;
    } else {
        meeting->times[w] = ++race->plain.own[w];
    }
    if (waits) {
        meeting->references++;
        race->passing[w] = meeting;
    }
}

/* All warps have arrived at a barrier, and the first of them passes it. */
static void end_meeting(struct cpu_race_block *race, struct cpu_meeting *meeting)
{
    for (uint32_t w = 0; !meeting->is_over && w < race->threads / CPU_WARP_SIZE; w++)
        if (meeting->times[w] > race->plain.in_block[w])
            race->plain.in_block[w] = meeting->times[w];
    meeting->is_over = true;
}

void cpu_race_pass(struct cpu_running *warp, cpu_lanes lanes)
{
    struct cpu_meeting **slot = &warp->block->race->passing[warp->abi.warp_id], *meeting = *slot;
    cpu_race_warp = warp;
    *slot = NULL;
    if (meeting && meeting->is_plain) {
        end_meeting(warp->block->race, meeting);
    } else if (meeting) {
        cpu_race_changes(warp);
        give_all(warp, lanes, meeting->clock);
    }
    cpu_race_drop_meeting(meeting);
}

void cpu_race_cluster_arrive(struct cpu_running *warp, cpu_lanes lanes)
{
    struct cpu_cluster *cluster = warp->block->cluster;
    struct cpu_clock **slot = &cluster->blocks[0]->race->cluster[cluster->phase & 1];
    cpu_race_warp = warp;
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    if (!cluster->arrived) {
        cpu_clock_release(*slot);
        *slot = NULL;
    }
    *slot = cpu_race_gather(*slot, warp, lanes);
    for (; lanes; lanes &= lanes - 1)
        lane_of(warp, (unsigned)__builtin_ctz(lanes))->time++;
}

void cpu_race_cluster_pass(struct cpu_running *warp, cpu_lanes lanes)
{
    cpu_race_warp = warp;
    cpu_race_use_clocks(warp);
    cpu_race_changes(warp);
    learn_all(warp, lanes, warp->block->cluster->blocks[0]->race->cluster[warp->cluster_phase & 1]);
}
