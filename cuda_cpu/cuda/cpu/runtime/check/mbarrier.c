/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * synccheck of mbarrier objects (PTX manual, 9.7.14.16). A record for each object in the shared memory of a block; the
 * state itself is in the program's memory (emit/instructions/memory/mbarrier.py has its format).
 *
 * An arrival in a phase must be ordered after the end of the phase before it, or it could as well count for that one.
 * `events` of the cluster number the ends of phases, and each warp has the last number that it can know of.
 */
#include "sync.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 0xfffffu
#define BYTES 0x3fffffu
#define PHASE 62
#define FAILS 256 /* waits in a row that fail, until a warp counts as waiting for ever */

enum state { LIVE, INVALID, SPOILED };

struct record {
    uint64_t address, site; /* site: of its initialisation, or invalidation */
    enum state state;
    uint64_t ended;      /* event: the end of the preceding phase; 0: none */
    uint64_t ended_site; /* the instruction that ended it */
    uint32_t ended_warp, ended_lane;
    const struct cpu_block *ended_block;
};

/* What a warp waits for, since it last did anything else. */
struct wait {
    uint64_t address, site;
    uint32_t fails;
    cpu_lanes lanes, stranded; /* stranded: lanes at barriers, or at operations of the warp */
};

struct cpu_sync_block {
    struct record *records;
    uint32_t count, room;
    struct wait waits[CPU_MAX_WARPS];
    uint64_t knows[CPU_MAX_WARPS];      /* the last event that each warp can know of */
    uint64_t arrived[CPU_BARRIERS + 1][2]; /* the last event before the last arrival, by barrier and parity of its phase */
    uint32_t phase[CPU_BARRIERS], phases[CPU_MAX_WARPS]; /* of each barrier; of the barrier that a warp has arrived at */
};

bool cpu_sync_block_begin(struct cpu_block *block)
{
    block->sync = calloc(1, sizeof *block->sync);
    return block->sync != NULL;
}

void cpu_sync_block_end(struct cpu_block *block)
{
    if (block->sync)
        free(block->sync->records);
    free(block->sync);
    block->sync = NULL;
}

void cpu_sync_acquired(struct cpu_running *warp)
{
    struct cpu_sync_block *sync = warp->block->sync;
    sync->knows[warp->abi.warp_id] = warp->block->cluster->events;
    sync->waits[warp->abi.warp_id] = (struct wait){0};
}

static struct cpu_sync_block *of_barrier(const struct cpu_running *warp, uint32_t barrier)
{
    return barrier == CPU_BARRIERS ? warp->block->cluster->blocks[0]->sync : warp->block->sync;
}

void cpu_sync_arrive(struct cpu_running *warp, uint32_t barrier)
{
    struct cpu_sync_block *sync = warp->block->sync;
    if (!sync || barrier > CPU_BARRIERS)
        return;
    if (barrier < CPU_BARRIERS && !warp->block->barriers[barrier].warps) /* the first warp to arrive */
        sync->phase[barrier]++;
    uint32_t phase = warp->block->cluster->phase;
    if (barrier < CPU_BARRIERS)
        phase = sync->phases[warp->abi.warp_id] = sync->phase[barrier];
    of_barrier(warp, barrier)->arrived[barrier][phase & 1] = warp->block->cluster->events;
}

void cpu_sync_pass(struct cpu_running *warp, uint32_t barrier)
{
    struct cpu_sync_block *sync = warp->block->sync;
    uint32_t w = warp->abi.warp_id;
    if (!sync)
        return;
    uint32_t phase = barrier < CPU_BARRIERS ? sync->phases[w] : warp->cluster_phase;
    uint64_t arrived = of_barrier(warp, barrier)->arrived[barrier][phase & 1];
    sync->knows[w] = sync->knows[w] > arrived ? sync->knows[w] : arrived;
    sync->waits[w] = (struct wait){0};
}

/* Return the block whose shared memory contains the address, or NULL. */
static struct cpu_block *owner(const struct cpu_running *warp, uint64_t address, uint64_t *start)
{
    const struct cpu_cluster *cluster = warp->block->cluster;
    *start = cpu_check_shared(warp, address);
    return *start ? cluster->blocks[(*start - (uint64_t)(uintptr_t)warp->abi.cluster_shared) / CPU_CLUSTER_STRIDE] : NULL;
}

static struct record *find(struct cpu_sync_block *sync, uint64_t address)
{
    for (uint32_t i = 0; i < sync->count; i++)
        if (sync->records[i].address == address)
            return &sync->records[i];
    return NULL;
}

static struct record *add(struct cpu_running *warp, struct cpu_sync_block *sync, uint64_t address)
{
    if (sync->count == sync->room) {
        uint32_t room = sync->room ? 2 * sync->room : 8;
        struct record *more = realloc(sync->records, room * sizeof *more);
        if (!more)
            cpu_fault_now(warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for synccheck");
        sync->records = more;
        sync->room = room;
    }
    struct record *record = &sync->records[sync->count++];
    *record = (struct record){.address = address};
    return record;
}

/* An operation of one lane. */
struct operation {
    struct cpu_running *warp;
    unsigned lane;
    uint64_t site, address, offset;
    struct record *record;
};

static void found(const struct operation *op, uint32_t kind, uint64_t value, uint64_t size, uint64_t other_site)
{
    struct cpu_finding finding = {.kind = kind, .site = op->site, .address = value, .size = size,
                                  .offset = op->offset, .other_site = other_site};
    if (other_site && kind == CPU_FOUND_MBARRIER_EARLY) {
        const struct cpu_warp *other = &op->record->ended_block->warps[op->record->ended_warp].abi;
        memcpy(finding.other_block, other->block_idx, sizeof finding.other_block);
        for (int axis = 0; axis < 3; axis++)
            finding.other_thread[axis] = other->thread_idx[axis][op->record->ended_lane];
    }
    cpu_check_report(op->warp, op->lane, &finding);
}

static void initialise(struct operation *op, struct cpu_sync_block *sync, uint64_t count)
{
    if (op->record && op->record->state == LIVE)
        found(op, CPU_FOUND_MBARRIER_TWICE, count, 0, 0);
    if (count - 1 >= COUNT)
        found(op, CPU_FOUND_MBARRIER_COUNT, count, COUNT, 0);
    struct record *record = op->record ? op->record : add(op->warp, sync, op->address);
    *record = (struct record){.address = op->address, .site = op->site, .state = LIVE};
}

/* Return the state that an operation leaves, as mbarrier.update does. */
static uint64_t updated(uint64_t old, uint64_t arrived, uint64_t dropped, uint64_t bytes)
{
    uint64_t pending = (old & COUNT) - arrived, expected = (old >> 20 & COUNT) - dropped;
    uint64_t left = ((old >> 40) + bytes) & BYTES, phase = old >> PHASE;
    if (!(pending | left)) {
        pending = expected;
        phase++;
    }
    return phase << PHASE | left << 40 | expected << 20 | (pending & COUNT);
}

static bool ended_elsewhere(const struct operation *op)
{
    const struct record *record = op->record;
    const struct cpu_block *block = op->warp->block;
    bool own = record->ended_block == block && record->ended_warp == op->warp->abi.warp_id &&
               record->ended_lane == op->lane;
    return record->ended > block->sync->knows[op->warp->abi.warp_id] && !own;
}

static uint64_t update(struct operation *op, uint64_t old, uint64_t arrived, uint64_t dropped, uint64_t bytes)
{
    struct record *record = op->record;
    if (arrived > (old & COUNT)) {
        found(op, CPU_FOUND_MBARRIER_OVER, arrived, old & COUNT, 0);
        record->state = SPOILED;
        return old;
    }
    if (arrived && ended_elsewhere(op)) {
        found(op, CPU_FOUND_MBARRIER_EARLY, old >> 20 & COUNT, 0, record->ended_site);
        record->state = SPOILED;
    }
    uint64_t new = updated(old, arrived, dropped, bytes);
    if (new >> PHASE != old >> PHASE) {
        record->ended = ++op->warp->block->cluster->events;
        record->ended_site = op->site;
        record->ended_block = op->warp->block;
        record->ended_warp = op->warp->abi.warp_id;
        record->ended_lane = op->lane;
    }
    return new;
}

/* --- waits --------------------------------------------------------------------------------------------------------- */

static bool waits_for_ever(const struct cpu_block *block, uint32_t w)
{
    const struct wait *wait = &block->sync->waits[w];
    return wait->fails >= FAILS && !(block->warps[w].live & ~(wait->lanes | wait->stranded));
}

/* Return whether no warp of the cluster will ever arrive anywhere. */
static bool is_stuck(const struct cpu_cluster *cluster)
{
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        const struct cpu_block *block = cluster->blocks[rank];
        for (uint32_t left = block->alive & block->ready; left; left &= left - 1)
            if (!waits_for_ever(block, (uint32_t)__builtin_ctz(left)))
                return false;
    }
    return true;
}

static void end_stuck(struct cpu_running *warp)
{
    const struct cpu_cluster *cluster = warp->block->cluster;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        struct cpu_block *block = cluster->blocks[rank];
        for (uint32_t left = block->alive & block->ready; left; left &= left - 1) {
            struct cpu_running *each = &block->warps[__builtin_ctz(left)];
            const struct wait *wait = &block->sync->waits[each->abi.warp_id];
            struct operation op = {each, (unsigned)__builtin_ctz(wait->lanes), wait->site, wait->address, 0, NULL};
            uint64_t start;
            struct cpu_block *home = owner(each, wait->address, &start);
            const struct record *record = find(home->sync, wait->address);
            uint64_t state;
            memcpy(&state, (const void *)(uintptr_t)wait->address, sizeof state);
            op.offset = wait->address - start;
            if (record && record->state == LIVE) /* else its use was reported */
                found(&op, CPU_FOUND_MBARRIER_STUCK, wait->lanes, state, 0);
        }
        cpu_check_stuck(block);
    }
    cpu_check_end(warp->block->worker->job);
    cpu_job_fault(warp->block->worker->job, warp, CPU_FAULT_BARRIER, 0, 0, "every warp of the block waits at an mbarrier");
    cpu_worker_abort(warp->block->worker);
}

static void wait_failed(const struct operation *op, cpu_lanes lanes, cpu_lanes stranded)
{
    struct wait *wait = &op->warp->block->sync->waits[op->warp->abi.warp_id];
    wait->address = op->address;
    wait->site = op->site;
    wait->lanes |= lanes;
    wait->stranded = stranded;
    if (++wait->fails % FAILS == 0 && is_stuck(op->warp->block->cluster))
        end_stuck(op->warp);
}

/* Return whether a wait succeeds. */
static bool is_over(const struct operation *op, uint64_t now, bool by_parity, uint64_t waited)
{
    uint64_t phases = (now >> PHASE) - (by_parity ? waited & 1 : waited >> PHASE);
    if (by_parity)
        return phases & 1;
    if ((phases & 3) > 1 && op->record->state == LIVE)
        found(op, CPU_FOUND_MBARRIER_STALE, phases & 3, 0, 0);
    return phases & 3;
}

/* --- operations ---------------------------------------------------------------------------------------------------- */

/* Report an operation on an object that is not valid; return whether it is. */
static bool is_valid(const struct operation *op)
{
    if (!op->record)
        found(op, CPU_FOUND_MBARRIER_NONE, 0, 0, 0);
    else if (op->record->state == INVALID)
        found(op, CPU_FOUND_MBARRIER_INVALID, 0, 0, 0);
    return op->record && op->record->state != INVALID;
}

void cpu_sync_mbarrier(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                       const uint64_t *addresses, const uint64_t *values)
{
    uint32_t what = flags >> CPU_ACCESS_MBARRIER & 7;
    bool waits = what == CPU_MBARRIER_WAIT || what == CPU_MBARRIER_PARITY, passes = !waits;
    uint64_t state = 0, last = 0;
    struct operation op = {warp, 0, site, 0, 0, NULL};
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        op.lane = (unsigned)__builtin_ctz(left);
        op.address = addresses[op.lane];
        uint64_t start;
        struct cpu_block *home = owner(warp, op.address, &start);
        if (!home || !home->sync || op.address & 7)
            continue;
        op.offset = op.address - start;
        op.record = find(home->sync, op.address);
        if (op.address != last)
            memcpy(&state, (const void *)(uintptr_t)op.address, sizeof state);
        last = op.address;
        const uint64_t *row = values + op.lane;
        if (what == CPU_MBARRIER_INIT) {
            initialise(&op, home->sync, row[0]);
        } else if (is_valid(&op)) {
            if (what == CPU_MBARRIER_INVAL) {
                op.record->state = INVALID;
            } else if (what == CPU_MBARRIER_UPDATE && op.record->state == LIVE) {
                state = update(&op, state, row[0], row[CPU_WARP_SIZE], row[2 * CPU_WARP_SIZE]);
            } else if (waits) {
                passes |= is_over(&op, state, what == CPU_MBARRIER_PARITY, row[0]);
            }
        }
    }
    if (!last)
        return;
    if (!waits)
        warp->block->sync->waits[warp->abi.warp_id] = (struct wait){0};
    else if (passes)
        cpu_sync_acquired(warp);
    else
        wait_failed(&op, lanes, (cpu_lanes)values[CPU_WARP_SIZE + __builtin_ctz(lanes)]);
}
