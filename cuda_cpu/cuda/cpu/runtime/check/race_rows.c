/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck of rows: the lanes of a warp, or of each half of it, access neighbouring memory. Nearly all accesses of most
 * kernels are rows, so the usual cases are decided here without further calls: a read of memory that the kernel does not
 * write sets bits, and a line that only the same threads have accessed gets one run.
 */
#include "race_parts.h"

#define HALF (CPU_WARP_SIZE / 2)

void cpu_race_know_site(struct cpu_running *warp, struct cpu_site *known, uint64_t site)
{
    cpu_need_stack(&warp->abi);
    cpu_race_warp = warp;
    *known = (struct cpu_site){.site = site, .number = cpu_shadow_site(races_of(warp), site) & 0x3fffffu, .is_known = true};
}

static inline bool follow_each_other(cpu_lanes lanes)
{
    uint64_t run = lanes ? (uint64_t)lanes >> __builtin_ctz(lanes) : 0;
    return !(run & (run + 1));
}

/* Load the line that the site's next read will need, if it is as far away as this one was from the last. */
static inline void prefetch(struct cpu_site *known, const struct read_area *area, uint64_t start)
{
    uint64_t next = start + 2 * (start - known->last) - area->first;
    known->last = start;
    if (next >= area->end - area->first || !area->chunks[next / CHUNK_BYTES])
        return;
    __builtin_prefetch(&area->chunks[next / CHUNK_BYTES]->lines[next % CHUNK_BYTES / LINE_BYTES], 1);
}

/* Record a read of a row of lanes that follow each other; false: it is not in memory that the kernel does not write. */
static inline bool add_read(struct cpu_running *warp, struct cpu_site *known, cpu_lanes lanes, uint64_t row, uint32_t size)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint64_t start = row + lane * size, bytes = cpu_count(lanes) * size, first = start % LINE_BYTES;
    struct read_area *area = known->area;
    if (!area || start - area->start >= area->end - area->start)
        area = known->area = cpu_reads_area(warp, start);
    if (!area || !area->chunks || bytes > area->end - start)
        return false;
    struct read_chunk *chunk = area->chunks[(start - area->first) / CHUNK_BYTES];
    if (!chunk || first + bytes > LINE_BYTES)
        return cpu_reads_add_bytes(warp, area, lane, known->number, start, start + bytes);
    struct read_line *line = &chunk->lines[(start - area->first) % CHUNK_BYTES / LINE_BYTES];
    uint64_t half = UINT64_MAX >> (64 - (bytes < 64 ? bytes : 64));
    uint64_t low = first < 64 ? half << first : 0;
    uint64_t high = first >= 64 ? half << first % 64 : first + bytes <= 64 ? 0 : UINT64_MAX >> (128 - (first + bytes));
    prefetch(known, area, start);
    if (!((low & ~line->bytes[0]) | (high & ~line->bytes[1])))
        return true;
    cpu_reads_name(line, warp, lane, known->number);
    line->bytes[0] |= low;
    line->bytes[1] |= high;
    return true;
}

/* Record a read of rows of lanes; false: it must be compared with writes. */
static inline bool add_reads(struct cpu_running *warp, struct cpu_site *known, cpu_lanes lanes, uint32_t flags, uint64_t row,
                             uint64_t second_row, uint32_t size)
{
    uint32_t space = flags & 15;
    if (!races_of(warp)->knows_written || flags & NO_READ || (space != CPU_SPACE_GLOBAL && space != CPU_SPACE_GENERIC))
        return false;
    cpu_lanes low = flags & CPU_ACCESS_ROW ? lanes : lanes & UINT32_MAX >> HALF, high = lanes & ~low;
    if (!follow_each_other(low) || !follow_each_other(high))
        return false;
    return (!low || add_read(warp, known, low, row, size)) &&
           (!high || add_read(warp, known, high, second_row - HALF * size, size));
}

/* Record an access to a line that nobody has accessed, or only the same threads, each its own word; else return false.
 * The fields are stored one by one: a copy of what was just stored in parts would have to wait for them. */
static inline bool begin_line(struct line *line, const struct row row, cpu_lanes lanes, uint32_t words, int first)
{
    struct run *only = &line->only;
    if (line->room)
        return false;
    if (line->count) {
        bool same = only->words == words && only->first == first && !only->is_uniform && only->event.block == row.block &&
                    only->event.warp == (row.bits >> 22 & 31);
        if (line->count != 1 || !same || (only->is_write && !row.is_write))
            return false;
    }
    line->count = 1;
    line->next = 0;
    line->words = words;
    only->event.block = row.block;
    only->event.time = row.time;
    only->event.lanes = lanes;
    only->event.bits = row.bits;
    only->words = words;
    only->first = (int8_t)first;
    only->is_uniform = false;
    only->is_write = row.is_write;
    return true;
}

/* Record a row of lanes; lane 0 would access `address`. */
static inline bool add_row(struct cpu_running *warp, cpu_lanes lanes, uint64_t address, const struct row row)
{
    struct cpu_races *races = races_of(warp);
    int first = (int)(address / 4 % LINE_WORDS);
    cpu_lanes here = lanes & UINT32_MAX >> first, next = lanes & ~here;
    struct line *line = here ? cpu_shadow_find(races, address) : NULL;
    if (here && line && !begin_line(line, row, here, here << first, first))
        return cpu_race_touch_row(warp, lanes, address, row);
    line = next ? cpu_shadow_find(races, address + LINE_BYTES) : NULL;
    if (next && line && !begin_line(line, row, next, next >> (LINE_WORDS - (uint32_t)first), first - (int)LINE_WORDS))
        return cpu_race_touch_row(warp, next, address, row);
    return true;
}

/* Check and record an access of rows of lanes to words; false: it must be checked lane by lane. */
static inline bool add_rows(struct cpu_running *warp, const struct cpu_site *known, cpu_lanes lanes, uint32_t flags,
                            uint64_t first, uint64_t second)
{
    const struct cpu_race_block *race = warp->block->race;
    uint32_t space = flags & 15, number = warp->abi.warp_id;
    if (race->has_clocks || (first | second) & 3 || (space != CPU_SPACE_GLOBAL && space != CPU_SPACE_SHARED))
        return false;
    const struct row row = {race->number, race->plain.own[number] + 1, known->number | number << 22,
                            flags & CPU_ACCESS_WRITE};
    if (flags & CPU_ACCESS_ROW)
        return add_row(warp, lanes, first, row);
    cpu_lanes low = lanes & UINT32_MAX >> HALF, high = lanes & ~low;
    return (!low || add_row(warp, low, first, row)) && (!high || add_row(warp, high, second - 4 * HALF, row));
}

uint32_t cpu_check_rows(struct cpu_warp *abi, cpu_lanes lanes, uint64_t site, uint32_t flags, uint64_t first,
                        uint64_t second)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    uint32_t size = 1u << (flags >> CPU_ACCESS_STEP & 3);
    struct cpu_site *known = cpu_race_site(warp, site);
    if (second == first + HALF * size)
        flags |= CPU_ACCESS_ROW;
    if (!lanes || add_reads(warp, known, lanes, flags, first, second, size))
        return true;
    return size == 4 && add_rows(warp, known, lanes, flags, first, second);
}
