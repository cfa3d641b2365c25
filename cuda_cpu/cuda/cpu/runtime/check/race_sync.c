/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation as racecheck sees it: barriers, warp operations, fences and strong accesses merge the vector clocks of
 * threads. Also the racecheck data of a block, which holds these clocks.
 */
#include "race_parts.h"

#include <string.h>

_Thread_local struct cpu_running *cpu_race_warp;

void cpu_clock_no_memory(void)
{
    cpu_fault_now(cpu_race_warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
}

static struct cpu_race_block *new_block(uint32_t threads)
{
    struct cpu_race_block *race = calloc(1, sizeof *race + threads * sizeof *race->lanes);
    if (!race)
        return NULL;
    race->threads = threads;
    for (uint32_t i = 0; i < threads; i++)
        race->lanes[i].time = 1;
    return race;
}

bool cpu_race_block_begin(struct cpu_block *block)
{
    const struct cpu_warp *first = &block->warps[0].abi;
    uint32_t threads = block->worker->job->warps * CPU_WARP_SIZE;
    struct cpu_races *races = block->worker->job->races;
    struct cpu_race_block *race = races->unused;
    races->unused = NULL;
    if (!race && !(race = new_block(threads)))
        return false;
    race->number = first->block_idx[0] +
                   first->grid_dim[0] * (first->block_idx[1] + first->grid_dim[1] * first->block_idx[2]);
    block->race = race;
    cpu_shadow_forget(races, (uint64_t)(uintptr_t)first->shared, first->shared_size);
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
    memset(&race->plain, 0, sizeof race->plain);
    race->has_clocks = false;
    for (uint32_t i = 0; race->changed && i < race->threads; i++) {
        if (!(race->changed >> i / CPU_WARP_SIZE & 1))
            continue;
        cpu_clock_release(race->lanes[i].knows);
        cpu_clock_release(race->lanes[i].fenced);
        cpu_clock_release(race->lanes[i].fenced_block);
        free(race->lanes[i].copies);
        race->lanes[i] = (struct lane){.time = 1};
    }
    for (uint32_t i = 0; race->has_met && i < CPU_BARRIERS; i++) {
        drop_meeting(race->barriers[i]);
        race->barriers[i] = NULL;
    }
    for (uint32_t i = 0; (race->has_met || race->changed) && i < CPU_MAX_WARPS; i++) {
        drop_meeting(race->passing[i]); /* left over if the launch was stopped */
        race->passing[i] = NULL;
        race->alike[i] = 0;
    }
    cpu_clock_release(race->cluster[0]);
    cpu_clock_release(race->cluster[1]);
    race->cluster[0] = race->cluster[1] = NULL;
    race->changed = 0;
    race->has_met = false;
    block->race = NULL;
    struct cpu_races *races = block->worker->job->races;
    free(races->unused);
    races->unused = race;
}

/* Join the clocks and own times of the lanes into `clock`. */
static struct cpu_clock *gather(struct cpu_clock *clock, const struct cpu_running *warp, cpu_lanes lanes)
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
        struct cpu_clock *clock = gather(NULL, warp, 1u << number);
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
        struct cpu_clock *clock = gather(NULL, warp, named & warp->live);
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
        drop_meeting(*slot);
        *slot = NULL;
        *slot = taken(calloc(1, sizeof **slot));
        (*slot)->references = 1;
        (*slot)->is_plain = !race->has_clocks;
    }
    struct cpu_meeting *meeting = *slot;
    if (race->has_clocks) {
        cpu_race_changes(warp);
        meeting->clock = gather(meeting->clock, warp, lanes);
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
    drop_meeting(meeting);
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
    *slot = gather(*slot, warp, lanes);
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

/* --- asynchronous copies ------------------------------------------------------------------------------------------- */

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

/* --- strong accesses ----------------------------------------------------------------------------------------------- */

static void release(struct cpu_clock **to, struct cpu_running *warp, unsigned number)
{
    *to = gather(*to, warp, 1u << number);
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
        learn(lane, sync->clock);
        if (sync->block == warp->block->race->number)
            learn(lane, sync->in_block);
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
