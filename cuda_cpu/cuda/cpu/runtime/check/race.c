/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has a time, which goes on whenever others may learn of what it has done, and a clock: up to which times it
 * knows what others did. The shadow memory holds the last write and the later reads of each location, with their times. An
 * access races with one of these if its thread does not know of it, unless both are of the kinds that may meet.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define PAGE_BYTES 4096u
#define BUCKETS 65536u
#define MAX_BYTES ((size_t)1 << 30) /* of shadow memory: what is accessed beyond is not looked at */
#define MAX_SITES (1u << 22)
#define CACHED_SITES 1024u
#define MAX_READERS 32u /* of one cell: later ones overwrite earlier ones */

/* What lanes of a warp did at a time. */
struct event {
    uint32_t block, time, lanes; /* no lanes: nothing */
    uint32_t site : 22, warp : 5;
};

struct readers {
    uint32_t count, room, next; /* next: to be given up, where there is no more room */
    struct event of[];
};

struct cell {
    struct event write, strong, read; /* write, read: weak ones */
    struct readers *more;             /* reads that do not know of each other */
};

/* Cells of words, or of bytes once a part of a word was accessed. */
struct page {
    struct page *next;
    uint64_t number;
    uint32_t shift; /* bytes of a cell: 1 << shift */
    struct cell cells[];
};

/* A location by which threads synchronise (TSan: SyncVar). */
struct sync_var {
    struct sync_var *next;
    uint64_t address;
    struct cpu_clock *clock;
};

struct cpu_races {
    struct page *pages[BUCKETS];
    struct sync_var *sync_vars[BUCKETS];
    uint64_t *sites;
    uint32_t site_count, cached[CACHED_SITES];
    size_t bytes;
};

struct lane {
    struct cpu_clock *knows, *fenced; /* fenced: what it knew at its last fence */
    uint32_t time;
};

/* What those who come to a barrier know. */
struct cpu_meeting {
    uint32_t references;
    struct cpu_clock *clock;
};

struct cpu_race_block {
    uint32_t number; /* in the grid */
    uint32_t threads; /* of whole warps */
    struct cpu_meeting *barriers[CPU_BARRIERS], *passing[CPU_MAX_WARPS];
    struct cpu_clock *cluster[2];
    struct lane lanes[];
};

static _Thread_local struct cpu_running *checked_warp;

void cpu_clock_no_memory(void)
{
    cpu_fault_now(checked_warp, CPU_FAULT_UNSUPPORTED, 0, 0, "out of host memory for racecheck");
}

static void *taken(void *memory)
{
    if (!memory)
        cpu_clock_no_memory();
    return memory;
}

static struct cpu_races *races_of(const struct cpu_running *warp)
{
    return warp->block->worker->job->races;
}

static struct lane *lane_of(const struct cpu_running *warp, unsigned lane)
{
    return &warp->block->race->lanes[warp->abi.warp_id * CPU_WARP_SIZE + lane];
}

/* --- begin and end ------------------------------------------------------------------------------------------------- */

bool cpu_races_begin(struct cpu_job *job)
{
    job->races = calloc(1, sizeof *job->races);
    return job->races != NULL;
}

void cpu_races_end(struct cpu_job *job)
{
    struct cpu_races *races = job->races;
    for (uint32_t bucket = 0; races && bucket < BUCKETS; bucket++) {
        for (struct page *page = races->pages[bucket], *next; page; page = next) {
            next = page->next;
            for (uint32_t i = 0; i < PAGE_BYTES >> page->shift; i++)
                free(page->cells[i].more);
            free(page);
        }
        for (struct sync_var *each = races->sync_vars[bucket], *next; each; each = next) {
            next = each->next;
            cpu_clock_release(each->clock);
            free(each);
        }
    }
    if (races)
        free(races->sites);
    free(races);
    job->races = NULL;
}

static void forget(struct cpu_races *races, uint64_t address, uint64_t size);

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
    forget(block->worker->job->races, (uint64_t)(uintptr_t)first->shared, first->shared_size);
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
        drop_meeting(race->passing[i]); /* of a launch that was stopped */
    cpu_clock_release(race->cluster[0]);
    cpu_clock_release(race->cluster[1]);
    free(race);
    block->race = NULL;
}

/* --- shadow memory ------------------------------------------------------------------------------------------------- */

static struct page **bucket_of(struct cpu_races *races, uint64_t number)
{
    return &races->pages[number * 0x9e3779b97f4a7c15u >> 48];
}

static size_t page_bytes(uint32_t shift)
{
    return sizeof(struct page) + (PAGE_BYTES >> shift) * sizeof(struct cell);
}

static struct readers *copy_readers(struct cpu_races *races, const struct readers *readers)
{
    if (!readers)
        return NULL;
    struct readers *copy = taken(malloc(sizeof *copy + readers->count * sizeof *copy->of));
    memcpy(copy, readers, sizeof *copy + readers->count * sizeof *copy->of);
    copy->room = readers->count;
    races->bytes += copy->room * sizeof *copy->of;
    return copy;
}

/* Give each byte a cell of its own. */
static struct page *split(struct cpu_races *races, struct page **slot)
{
    struct page *words = *slot, *bytes = taken(calloc(1, page_bytes(0)));
    bytes->next = words->next;
    bytes->number = words->number;
    for (uint32_t i = 0; i < PAGE_BYTES; i++) {
        bytes->cells[i] = words->cells[i / 4];
        if (i % 4)
            bytes->cells[i].more = copy_readers(races, bytes->cells[i].more);
    }
    races->bytes += page_bytes(0) - page_bytes(2);
    *slot = bytes;
    free(words);
    return bytes;
}

/* NULL: there is no room to look at more. */
static struct page *page_at(struct cpu_races *races, uint64_t address, bool by_bytes)
{
    uint64_t number = address / PAGE_BYTES;
    struct page **slot = bucket_of(races, number);
    while (*slot && (*slot)->number != number)
        slot = &(*slot)->next;
    if (!*slot) {
        uint32_t shift = by_bytes ? 0 : 2;
        if (races->bytes + page_bytes(shift) > MAX_BYTES || !(*slot = calloc(1, page_bytes(shift))))
            return NULL;
        races->bytes += page_bytes(shift);
        (*slot)->number = number;
        (*slot)->shift = shift;
    }
    return by_bytes && (*slot)->shift ? split(races, slot) : *slot;
}

static void drop_readers(struct cpu_races *races, struct cell *cell)
{
    if (cell->more)
        races->bytes -= cell->more->room * sizeof *cell->more->of;
    free(cell->more);
    cell->more = NULL;
}

static void forget(struct cpu_races *races, uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    for (uint64_t number = address / PAGE_BYTES; size && number <= (end - 1) / PAGE_BYTES; number++) {
        struct page *page = *bucket_of(races, number);
        while (page && page->number != number)
            page = page->next;
        for (uint32_t i = 0; page && i < PAGE_BYTES >> page->shift; i++) {
            uint64_t at = number * PAGE_BYTES + ((uint64_t)i << page->shift);
            if (at + (1u << page->shift) <= address || at >= end)
                continue;
            drop_readers(races, &page->cells[i]);
            page->cells[i] = (struct cell){0};
        }
    }
}

void cpu_race_forget(struct cpu_running *warp, uint64_t address, uint64_t size)
{
    forget(races_of(warp), address, size);
}

static uint32_t site_number(struct cpu_races *races, uint64_t site)
{
    uint32_t *cached = &races->cached[site * 0x9e3779b97f4a7c15u >> 54], number = 0;
    if (*cached < races->site_count && races->sites[*cached] == site)
        return *cached;
    while (number < races->site_count && races->sites[number] != site)
        number++;
    if (number == races->site_count && number < MAX_SITES - 1) {
        if (!(number & (number - 1)))
            races->sites = taken(realloc(races->sites, (number ? 2 * number : 1) * sizeof *races->sites));
        races->sites[races->site_count++] = site;
    }
    return *cached = number;
}

/* --- order --------------------------------------------------------------------------------------------------------- */

/* Let the clock know all that lanes know and have done. */
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
    checked_warp = warp;
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
    checked_warp = warp;
    for (cpu_lanes left = lanes; left;) {
        cpu_lanes named = (cpu_lanes)masks[__builtin_ctz(left)], alike = 0;
        for (cpu_lanes each = left; each; each &= each - 1)
            if ((cpu_lanes)masks[__builtin_ctz(each)] == named)
                alike |= each & -each;
        left &= ~alike;
        struct cpu_clock *clock = gather(NULL, warp, named & warp->live);
        alike &= named; /* what others do is undefined */
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
    checked_warp = warp;
    if (barrier >= CPU_BARRIERS)
        return; /* a fault in a moment */
    struct cpu_meeting **slot = &race->barriers[barrier];
    if (!*slot || !warp->block->barriers[barrier].warps) { /* nobody else has come yet */
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
    checked_warp = warp;
    *slot = NULL;
    for (; meeting && lanes; lanes &= lanes - 1)
        learn(lane_of(warp, (unsigned)__builtin_ctz(lanes)), meeting->clock);
    drop_meeting(meeting);
}

void cpu_race_cluster_arrive(struct cpu_running *warp, cpu_lanes lanes)
{
    struct cpu_cluster *cluster = warp->block->cluster;
    struct cpu_clock **slot = &cluster->blocks[0]->race->cluster[cluster->phase & 1];
    checked_warp = warp;
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
    checked_warp = warp;
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

/* A strong access: its thread learns what others have made known there, and makes known what it may. */
static void exchange(struct cpu_running *warp, unsigned number, uint32_t what, uint64_t address)
{
    struct cpu_races *races = races_of(warp);
    struct lane *lane = lane_of(warp, number);
    bool tells = what & CPU_ACCESS_WRITE && (what & CPU_ACCESS_RELEASE || lane->fenced);
    struct sync_var *sync = sync_var_at(races, address, tells);
    if (sync && what & CPU_ACCESS_READ)
        learn(lane, sync->clock);
    if (tells && what & CPU_ACCESS_RELEASE) {
        sync->clock = gather(sync->clock, warp, 1u << number);
        lane->time++;
    } else if (tells) {
        sync->clock = cpu_clock_join(sync->clock, lane->fenced);
    }
}

/* --- accesses ------------------------------------------------------------------------------------------------------ */

struct access {
    struct cpu_running *warp;
    struct cpu_races *races;
    const struct lane *state;
    unsigned lane;
    cpu_lanes lanes;
    uint64_t site;
    uint32_t number, what;
    const uint64_t *addresses, *values;
    uint64_t size;
    bool shared;
};

/* Whether the thread knows of what others have done. */
static bool knows(const struct access *access, const struct event *event)
{
    const struct cpu_race_block *race = access->warp->block->race;
    cpu_lanes others = event->lanes;
    if (event->block == race->number && event->warp == access->warp->abi.warp_id)
        others &= ~(1u << access->lane);
    if (!others)
        return true;
    const struct cpu_times *times = cpu_clock_of(access->state->knows, event->block);
    for (; times && others; others &= others - 1)
        if (times->of[event->warp * CPU_WARP_SIZE + (unsigned)__builtin_ctz(others)] < event->time)
            return false;
    return !others;
}

/* Whether the thread itself has written there at the same time as others: the same, or that was a race. */
static bool wrote_too(const struct access *access, const struct event *event)
{
    return event->lanes >> access->lane & 1 && event->block == access->warp->block->race->number &&
           event->warp == access->warp->abi.warp_id;
}

static uint8_t value_byte(const struct access *access, unsigned lane, uint64_t at)
{
    uint32_t step = 1u << (access->what >> CPU_ACCESS_STEP & 3);
    return (uint8_t)(access->values[at / step * CPU_WARP_SIZE + lane] >> 8 * (at % step));
}

/* Whether a write leaves what the one before has written there: then nobody can tell which was the last. */
static bool writes_the_same(const struct access *access, const struct event *before, uint64_t address, uint64_t end)
{
    if (!access->values)
        return false;
    uint64_t mine = access->addresses[access->lane];
    bool together = before->site == access->number && before->block == access->warp->block->race->number &&
                    before->warp == access->warp->abi.warp_id && before->time == access->state->time;
    cpu_lanes others = together ? before->lanes & access->lanes & ((1u << access->lane) - 1) : 0;
    bool by_others = false;
    for (; others; others &= others - 1) { /* nothing is stored yet of what this instruction does */
        unsigned other = (unsigned)__builtin_ctz(others);
        uint64_t theirs = access->addresses[other];
        if (address < theirs || end > theirs + access->size)
            continue;
        by_others = true;
        for (uint64_t at = address; at < end; at++)
            if (value_byte(access, access->lane, at - mine) != value_byte(access, other, at - theirs))
                return false;
    }
    for (uint64_t at = address; at < end && !by_others; at++)
        if (value_byte(access, access->lane, at - mine) != *(const uint8_t *)(uintptr_t)at)
            return false;
    return true;
}

static void found(const struct access *access, const struct event *before, uint32_t kind, uint64_t address)
{
    struct cpu_finding finding = {.kind = kind, .site = access->site, .what = access->what, .address = address,
                                  .size = access->size, .offset = address};
    const uint32_t *grid = access->warp->abi.grid_dim;
    finding.other_site = access->races->sites[before->site];
    finding.other_block[0] = before->block % grid[0];
    finding.other_block[1] = before->block / grid[0] % grid[1];
    finding.other_block[2] = before->block / grid[0] / grid[1];
    bool same = before->block == access->warp->block->race->number &&
                before->warp == access->warp->abi.warp_id;
    cpu_lanes others = same ? before->lanes & ~(1u << access->lane) : before->lanes;
    unsigned lane = (unsigned)__builtin_ctz(others);
    for (int axis = 0; axis < 3; axis++)
        finding.other_thread[axis] = access->warp->block->warps[before->warp].abi.thread_idx[axis][lane];
    cpu_check_note(access->warp, access->lane, access->shared, &finding);
}

static bool merge(struct event *event, const struct event *mine)
{
    bool same = event->block == mine->block && event->time == mine->time && event->warp == mine->warp &&
                event->site == mine->site;
    if (same)
        event->lanes |= mine->lanes;
    return same;
}

static void check_reads(const struct access *access, struct cell *cell, uint64_t address)
{
    uint32_t count = cell->more ? cell->more->count : 0;
    if (cell->read.lanes && !knows(access, &cell->read))
        found(access, &cell->read, CPU_FOUND_WRITE_AFTER_READ, address);
    for (uint32_t i = 0; i < count; i++)
        if (!knows(access, &cell->more->of[i]))
            found(access, &cell->more->of[i], CPU_FOUND_WRITE_AFTER_READ, address);
    drop_readers(access->races, cell);
    cell->read = (struct event){0};
}

static void record_read(const struct access *access, struct cell *cell, const struct event *mine)
{
    if (!cell->read.lanes) {
        cell->read = *mine;
        return;
    }
    if (merge(&cell->read, mine))
        return;
    struct readers *more = cell->more;
    if (knows(access, &cell->read) && !more) {
        cell->read = *mine; /* whoever knows of this read knows of that */
        return;
    }
    for (uint32_t i = 0; more && i < more->count; i++)
        if (merge(&more->of[i], mine))
            return;
    uint32_t room = more ? 2 * more->room : 2;
    if (more && more->count < more->room) {
        more->of[more->count++] = *mine;
    } else if (room <= MAX_READERS && access->races->bytes < MAX_BYTES) {
        more = taken(realloc(more, sizeof *more + room * sizeof *more->of));
        if (!cell->more)
            more->count = more->next = 0;
        access->races->bytes += (room - (cell->more ? more->room : 0)) * sizeof *more->of;
        more->room = room;
        more->of[more->count++] = *mine;
        cell->more = more;
    } else if (more) {
        more->of[more->next++ % more->count] = *mine;
    }
}

static void write_over(struct event *event, const struct event *mine)
{
    if (!event->lanes || !merge(event, mine))
        *event = *mine;
}

/* Those that are strong may meet each other, and others in global memory; a read may meet strong writes anywhere. */
static void look(const struct access *access, struct cell *cell, uint64_t address, uint64_t end)
{
    bool strong = access->what & CPU_ACCESS_STRONG, writes = access->what & CPU_ACCESS_WRITE;
    const struct event mine = {.block = access->warp->block->race->number, .time = access->state->time,
                               .lanes = 1u << access->lane, .site = access->number, .warp = access->warp->abi.warp_id};
    if (strong && !(writes && access->shared)) {
        if (writes)
            write_over(&cell->strong, &mine);
        return;
    }
    if (cell->write.lanes && !knows(access, &cell->write) &&
        !(writes ? writes_the_same(access, &cell->write, address, end) : wrote_too(access, &cell->write)))
        found(access, &cell->write, writes ? CPU_FOUND_WRITE_AFTER_WRITE : CPU_FOUND_READ_AFTER_WRITE, address);
    if (!writes) {
        record_read(access, cell, &mine);
    } else if (strong) {
        write_over(&cell->strong, &mine);
    } else {
        if (access->shared && cell->strong.lanes && !knows(access, &cell->strong))
            found(access, &cell->strong, CPU_FOUND_WRITE_AFTER_WRITE, address);
        check_reads(access, cell, address);
        write_over(&cell->write, &mine);
        cell->strong = (struct event){0};
    }
}

void cpu_race_access(struct cpu_running *warp, cpu_lanes lanes, unsigned lane, uint64_t site, uint32_t what,
                     const uint64_t *addresses, uint64_t size, const uint64_t *values)
{
    uint64_t address = addresses[lane], end = address + size;
    struct cpu_races *races = races_of(warp);
    checked_warp = warp;
    if (what & CPU_ACCESS_STRONG)
        exchange(warp, lane, what, address);
    struct access access = {warp, races, lane_of(warp, lane), lane, lanes, site, site_number(races, site), what,
                            addresses, values, size, cpu_check_shared(warp, address) != 0};
    bool by_bytes = (address | size) & 3;
    while (address < end) {
        struct page *page = page_at(races, address, by_bytes);
        uint64_t stop = (address | (PAGE_BYTES - 1)) + 1;
        stop = stop < end ? stop : end;
        for (; page && address < stop; address += 1u << page->shift)
            look(&access, &page->cells[address % PAGE_BYTES >> page->shift], address, address + (1u << page->shift));
        address = stop;
    }
}
