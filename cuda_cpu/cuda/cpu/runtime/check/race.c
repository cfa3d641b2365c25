/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck: finds data races. Each thread has a time, which advances when it synchronises, and a vector clock: the
 * times of other threads up to which their accesses happen before its own. An access races with an earlier one in the
 * shadow memory if the clock does not include that one, unless both are of kinds that may be concurrent.
 */
#include "operation.h"
#include "race_parts.h"

#include <stddef.h>
#include <string.h>

static struct cpu_races *_Atomic unused; /* of a launch that has ended, cleared; or NULL */

bool cpu_races_begin(struct cpu_job *job)
{
    job->races = atomic_exchange(&unused, NULL);
    if (!job->races)
        job->races = calloc(1, sizeof *job->races);
    return job->races != NULL;
}

void cpu_races_end(struct cpu_job *job)
{
    if (job->races) {
        if (atomic_load_explicit(&cpu_operations_on, memory_order_relaxed))
            cpu_operation_launched(job);
        cpu_reads_free(job->races);
        cpu_shadow_free(job->races);
        cpu_race_free_sync_vars(job->races);
        free(job->races->unused);
        const size_t tables = offsetof(struct cpu_races, knows_written);
        memset((uint8_t *)job->races + tables, 0, sizeof *job->races - tables);
        free(atomic_exchange(&unused, job->races));
    }
    job->races = NULL;
}

void cpu_race_forget(struct cpu_running *warp, uint64_t address, uint64_t size)
{
    cpu_shadow_forget(races_of(warp), address, size);
}

struct access {
    struct cpu_running *warp;
    struct cpu_races *races;
    struct lane *state;
    unsigned lane;
    cpu_lanes lanes;
    uint64_t site;
    uint32_t number, flags;
    const uint64_t *addresses, *values;
    uint64_t size;
    bool shared;
};

/* Return whether an earlier event happens before the access. */
static bool knows(const struct access *access, const struct event *event)
{
    const struct cpu_race_block *race = access->warp->block->race;
    cpu_lanes others = event->lanes;
    if (event->block == race->number && event->warp == access->warp->abi.warp_id)
        others &= ~(1u << access->lane);
    if (!others)
        return true;
    if (!race->has_clocks)
        return cpu_race_knows(access->warp, event);
    const struct cpu_times *times = cpu_clock_of(access->state->knows, event->block);
    for (; times && others; others &= others - 1)
        if (times->of[event->warp * CPU_WARP_SIZE + (unsigned)__builtin_ctz(others)] < event->time)
            return false;
    return !others;
}

static bool wrote_in_warp(const struct access *access, const struct event *event)
{
    return event->block == access->warp->block->race->number && event->warp == access->warp->abi.warp_id;
}

/* Return whether the thread took part in a write with others: it reads the same value, or that race was reported. */
static bool wrote_too(const struct access *access, const struct event *event)
{
    return event->lanes >> access->lane & 1 && wrote_in_warp(access, event);
}

static uint8_t value_byte(const struct access *access, unsigned lane, uint64_t at)
{
    uint32_t step = 1u << (access->flags >> CPU_ACCESS_STEP & 3);
    return (uint8_t)(access->values[at / step * CPU_WARP_SIZE + lane] >> 8 * (at % step));
}

/* Return whether a write stores the value already written there: then the order of the two has no effect. */
static bool writes_the_same(const struct access *access, const struct event *before, uint64_t address, uint64_t end)
{
    if (!access->values)
        return false;
    uint64_t mine = access->addresses[access->lane];
    bool together = before->site == access->number && before->block == access->warp->block->race->number &&
                    before->warp == access->warp->abi.warp_id && before->time == cpu_race_time(access->warp, access->lane);
    cpu_lanes others = together ? before->lanes & access->lanes & ((1u << access->lane) - 1) : 0;
    bool by_others = false;
    for (; others; others &= others - 1) { /* compare values: this instruction has not stored anything yet */
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
    struct cpu_finding finding = {.kind = kind, .site = access->site, .flags = access->flags, .address = address,
                                  .size = access->size, .offset = address};
    const uint32_t *grid = access->warp->abi.grid_dim;
    finding.other_site = access->races->sites[before->site];
    uint32_t block = before->block & ~(COPY_READS | COPY_WRITES);
    finding.other_block[0] = block % grid[0];
    finding.other_block[1] = block / grid[0] % grid[1];
    finding.other_block[2] = block / grid[0] / grid[1];
    bool same = before->block == access->warp->block->race->number &&
                before->warp == access->warp->abi.warp_id;
    cpu_lanes others = same ? before->lanes & ~(1u << access->lane) : before->lanes;
    unsigned lane = (unsigned)__builtin_ctz(others);
    for (int axis = 0; axis < 3; axis++)
        finding.other_thread[axis] = access->warp->block->warps[before->warp].abi.thread_idx[axis][lane];
    cpu_check_note(access->warp, access->lane, access->shared ? CPU_SPACE_SHARED : CPU_SPACE_GLOBAL, &finding);
}

static bool merge(struct event *event, const struct event *mine)
{
    bool same = cpu_race_is_same(event, mine);
    if (same)
        event->lanes |= mine->lanes;
    return same;
}

static void report_reads(const struct access *access, struct cell *cell, uint64_t address)
{
    uint32_t count = cell->more ? cell->more->count : 0;
    if (cell->read.lanes && !knows(access, &cell->read))
        found(access, &cell->read, CPU_FOUND_WRITE_AFTER_READ, address);
    for (uint32_t i = 0; i < count; i++)
        if (!knows(access, &cell->more->of[i]))
            found(access, &cell->more->of[i], CPU_FOUND_WRITE_AFTER_READ, address);
}

static void record_read(const struct access *access, struct cell *cell, const struct event *mine)
{
    struct readers *more = cell->more;
    uint32_t count = more ? more->count : 0, left = 0;
    if (cell->read.lanes && merge(&cell->read, mine))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (merge(&more->of[i], mine))
            return;
    for (uint32_t i = 0; i < count; i++) /* a clock that includes this read includes those that it knows of */
        if (!knows(access, &more->of[i]))
            more->of[left++] = more->of[i];
    if (more)
        more->count = left;
    if (cell->read.lanes && knows(access, &cell->read)) {
        cell->read = left ? more->of[0] : (struct event){0};
        if (left)
            memmove(more->of, more->of + 1, --more->count * sizeof *more->of);
    }
    cpu_shadow_add_read(access->races, cell, mine);
}

static void write_over(struct event *event, const struct event *mine)
{
    if (!event->lanes || !merge(event, mine))
        *event = *mine;
}

/* Return whether other threads made the event, and nothing orders the access after it. */
static bool is_unordered(const struct access *access, const struct event *event)
{
    return event->lanes && !knows(access, event);
}

/* Return whether lanes of a warp exchange data by volatile accesses alone, as was done before sm_70: nothing but their
 * common execution of the store orders them. */
static bool relies_on_lockstep(const struct access *access, const struct event *write)
{
    if (!access->shared || !(access->flags & CPU_ACCESS_VOLATILE) || !write->is_volatile || !wrote_in_warp(access, write))
        return false;
    const struct cpu_running *warp = access->warp;
    return lane_of(warp, (unsigned)__builtin_ctz(write->lanes))->together >> access->lane & 1;
}

/* Note a location through which other launches may synchronise with this one. */
static void note_polled(const struct access *access, uint64_t address)
{
    struct cpu_races *races = access->races;
    if (access->shared || races->polled_count == MAX_POLLED)
        return;
    for (uint32_t i = 0; i < races->polled_count; i++)
        if (races->polled[i] == address)
            return;
    races->polled[races->polled_count++] = address;
}

/* Strong accesses do not race with each other, unless the scope of one does not include the other's thread. Only atomic
 * operations race with weak accesses to global memory: programs often have a volatile access on one side alone. */
static void look_strong(const struct access *access, struct cell *cell, uint64_t address, const struct event *mine)
{
    bool writes = access->flags & CPU_ACCESS_WRITE, atomic = access->flags & CPU_ACCESS_ATOMIC;
    bool in_block = cell->strong.in_block || mine->in_block;
    bool narrow = in_block && cell->strong.block != mine->block && !access->shared;
    if ((narrow || relies_on_lockstep(access, &cell->strong)) && is_unordered(access, &cell->strong))
        found(access, &cell->strong, writes ? CPU_FOUND_WRITE_AFTER_WRITE : CPU_FOUND_READ_AFTER_WRITE, address);
    if (!writes) {
        note_polled(access, address);
        return;
    }
    if ((access->shared || atomic) && is_unordered(access, &cell->write))
        found(access, &cell->write, CPU_FOUND_WRITE_AFTER_WRITE, address);
    if (atomic)
        report_reads(access, cell, address);
    write_over(&cell->strong, mine);
}

/* Check an access to a cell, and record it. */
static void look(const struct access *access, struct cell *cell, uint64_t address, uint64_t end,
                 const struct event *mine)
{
    bool writes = access->flags & CPU_ACCESS_WRITE;
    if (access->flags & CPU_ACCESS_STRONG) {
        look_strong(access, cell, address, mine);
        return;
    }
    uint32_t kind = writes ? CPU_FOUND_WRITE_AFTER_WRITE : CPU_FOUND_READ_AFTER_WRITE;
    if (is_unordered(access, &cell->write) &&
        !(writes ? writes_the_same(access, &cell->write, address, end) : wrote_too(access, &cell->write)))
        found(access, &cell->write, kind, address);
    if ((cell->strong.is_atomic || (writes && access->shared)) && is_unordered(access, &cell->strong))
        found(access, &cell->strong, kind, address);
    if (!writes) {
        record_read(access, cell, mine);
        return;
    }
    report_reads(access, cell, address);
    cpu_shadow_drop_readers(access->races, cell);
    cell->read = cell->strong = (struct event){0};
    write_over(&cell->write, mine);
}

/* Return the event that an access is recorded as. */
static struct event event_of(const struct access *access)
{
    uint32_t flags = access->flags, lane_bit = 1u << access->lane;
    struct event event = {.block = access->warp->block->race->number, .time = cpu_race_time(access->warp, access->lane), .lanes = lane_bit,
                          .site = access->number, .warp = access->warp->abi.warp_id,
                          .is_atomic = !!(flags & CPU_ACCESS_ATOMIC), .is_volatile = !!(flags & CPU_ACCESS_VOLATILE),
                          .in_block = !!(flags & CPU_ACCESS_BLOCK_SCOPE)};
    if (flags & CPU_ACCESS_ASYNC && !(flags >> CPU_ACCESS_MBARRIER & 7)) {
        event.block |= flags & CPU_ACCESS_WRITE ? COPY_WRITES : COPY_READS;
        event.time = cpu_race_copies_of(access->state)->time;
    }
    return event;
}

void cpu_race_access(struct cpu_running *warp, cpu_lanes lanes, unsigned lane, uint64_t site, uint32_t flags,
                     const uint64_t *addresses, uint64_t size, const uint64_t *values)
{
    uint64_t address = addresses[lane], end = address + size;
    struct cpu_races *races = races_of(warp);
    cpu_race_warp = warp;
    if (flags & CPU_ACCESS_ASYNC)
        cpu_race_use_clocks(warp);
    if (flags & CPU_ACCESS_STRONG)
        cpu_race_synchronise(warp, lane, flags, address);
    struct access access = {warp, races, lane_of(warp, lane), lane, lanes, site, cpu_shadow_site(races, site), flags,
                            addresses, values, size, cpu_check_shared(warp, address) != 0};
    const struct event mine = event_of(&access);
    bool by_bytes = (address | size) & 3;
    if (access.shared && flags & CPU_ACCESS_VOLATILE && flags & CPU_ACCESS_WRITE)
        access.state->together = lanes, cpu_race_changes(warp);
    while (address < end) {
        struct line *line = cpu_shadow_find(races, address);
        struct cells *cells = line ? cpu_shadow_cells(races, line, by_bytes) : NULL;
        uint64_t stop = (address | (LINE_BYTES - 1)) + 1;
        stop = stop < end ? stop : end;
        if (cells)
            cells->atomic_only = 0;
        for (; cells && address < stop; address += 1u << cells->shift)
            look(&access, &cells->of[address % LINE_BYTES >> cells->shift], address, address + (1u << cells->shift),
                 &mine);
        address = stop;
    }
}
