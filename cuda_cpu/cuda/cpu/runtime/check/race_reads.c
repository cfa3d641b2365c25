/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck of reads of allocations that the kernel does not write. They cannot race within the launch, so that only the
 * bytes are recorded, as bits, for the comparison with other operations (operation.c).
 */
#include "race_parts.h"

#include <pthread.h>
#include <string.h>

#define MAX_UNUSED 4096u
#define MAX_AREA ((uint64_t)1 << 40)

static struct {
    pthread_mutex_t lock;
    struct read_chunk *first; /* cleared */
    uint32_t count;
} unused = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cpu_reads_begin(struct cpu_running *warp, const uint32_t *offsets, uint32_t count)
{
    struct cpu_races *races = races_of(warp);
    if (races->knows_written || count > MAX_WRITTEN)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value;
        struct cpu_allocation found;
        memcpy(&value, warp->abi.params + offsets[i], sizeof value);
        if (cpu_table_find(value, &found))
            races->written[races->written_count++] = (struct cpu_range){.start = found.start, .size = found.size};
    }
    races->knows_written = true;
}

static bool is_written(const struct cpu_races *races, const struct cpu_allocation *allocation)
{
    for (uint32_t i = 0; i < races->written_count; i++) {
        const struct cpu_range *each = &races->written[i];
        if (allocation->start < each->start + each->size && each->start < allocation->start + allocation->size)
            return true;
    }
    return false;
}

struct read_area *cpu_reads_area(struct cpu_running *warp, uint64_t address)
{
    struct cpu_races *races = races_of(warp);
    struct cpu_allocation found;
    cpu_need_stack(&warp->abi);
    cpu_race_warp = warp;
    for (uint32_t i = 0; i < races->area_count; i++)
        if (address - races->areas[i]->start < races->areas[i]->end - races->areas[i]->start)
            return races->areas[i];
    if (races->area_count == MAX_AREAS || !cpu_table_find(address, &found) || found.size > MAX_AREA)
        return NULL;
    struct read_area *area = taken(calloc(1, sizeof *area));
    area->start = found.start;
    area->end = found.start + found.size;
    area->first = found.start & -(uint64_t)CHUNK_BYTES;
    area->allocation = (uint32_t)found.id;
    if (!is_written(races, &found))
        area->chunks = taken(calloc((area->end - area->first + CHUNK_BYTES - 1) / CHUNK_BYTES, sizeof *area->chunks));
    return races->areas[races->area_count++] = area;
}

static struct read_chunk *new_chunk(struct cpu_running *warp)
{
    cpu_race_warp = warp;
    pthread_mutex_lock(&unused.lock);
    struct read_chunk *chunk = unused.first;
    if (chunk) {
        unused.first = chunk->next;
        unused.count--;
    }
    pthread_mutex_unlock(&unused.lock);
    races_of(warp)->bytes += sizeof *chunk;
    return chunk ? chunk : taken(calloc(1, sizeof *chunk));
}

static void free_chunk(struct read_chunk *chunk)
{
    memset(chunk, 0, sizeof *chunk);
    pthread_mutex_lock(&unused.lock);
    bool keeps = unused.count < MAX_UNUSED;
    if (keeps) {
        chunk->next = unused.first;
        unused.first = chunk;
        unused.count++;
    }
    pthread_mutex_unlock(&unused.lock);
    if (!keeps)
        free(chunk);
}

static inline struct read_line *line_at(struct cpu_running *warp, struct read_area *area, uint64_t address)
{
    uint64_t at = address - area->first;
    struct read_chunk **chunk = &area->chunks[at / CHUNK_BYTES];
    if (!*chunk)
        *chunk = new_chunk(warp);
    return &(*chunk)->lines[at % CHUNK_BYTES / LINE_BYTES];
}

bool cpu_reads_add_bytes(struct cpu_running *warp, struct read_area *area, unsigned lane, uint32_t site, uint64_t start,
                         uint64_t end)
{
    if (races_of(warp)->bytes > MAX_SHADOW)
        return false;
    do {
        struct read_line *line = line_at(warp, area, start);
        uint64_t stop = (start | (LINE_BYTES - 1)) + 1, first = start % LINE_BYTES;
        stop = stop < end ? stop : end;
        uint64_t last = first + (stop - start) - 1;
        cpu_reads_name(line, warp, lane, site);
        uint64_t from = UINT64_MAX << first % 64, upto = UINT64_MAX >> (63 - last % 64);
        if (last < 64) {
            line->bytes[0] |= from & upto;
        } else if (first >= 64) {
            line->bytes[1] |= from & upto;
        } else {
            line->bytes[0] |= from;
            line->bytes[1] |= upto;
        }
        start = stop;
    } while (start < end);
    return true;
}

static bool follow_each_other(cpu_lanes lanes)
{
    uint64_t run = lanes ? (uint64_t)lanes >> __builtin_ctz(lanes) : 0;
    return !(run & (run + 1));
}

/* Return the lanes, among some that follow each other, if they read neighbouring memory; else 0. */
static cpu_lanes row_of(cpu_lanes lanes, const uint64_t *addresses, uint32_t size)
{
    if (!lanes)
        return 0;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t differ = 0, start = addresses[first] - first * size;
    if (!follow_each_other(lanes))
        return 0;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++)
        differ |= (addresses[lane] ^ (start + lane * size)) & -(uint64_t)(lanes >> lane & 1);
    return differ ? 0 : lanes;
}

/* Record a row of lanes that follow each other; return whether they are in the area. */
static bool add_row(struct cpu_running *warp, struct read_area *area, cpu_lanes lanes, uint32_t site,
                    const uint64_t *addresses, uint32_t size)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t start = addresses[first], end = start + cpu_count(lanes) * size;
    if (start < area->start || end > area->end)
        return false;
    return cpu_reads_add_bytes(warp, area, first, site, start, end);
}

/* Record reads of each lane; return whether all are in the area. */
static bool add_lanes(struct cpu_running *warp, struct read_area *area, cpu_lanes lanes, uint32_t site,
                      const uint64_t *addresses, uint32_t size)
{
    uint64_t last = area->end - size, before = UINT64_MAX;
    if (area->end - area->start < size)
        return false;
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        uint64_t address = addresses[__builtin_ctz(left)];
        if (address < area->start || address > last)
            return false;
        if (address == before)
            continue;
        before = address;
        if (address & (size - 1) || size & (size - 1)) {
            if (!cpu_reads_add_bytes(warp, area, (unsigned)__builtin_ctz(left), site, address, address + size))
                return false;
            continue;
        }
        struct read_line *line = line_at(warp, area, address);
        cpu_reads_name(line, warp, (unsigned)__builtin_ctz(left), site);
        line->bytes[address / 64 % 2] |= (((uint64_t)1 << size) - 1) << address % 64;
    }
    return true;
}

bool cpu_reads_add(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *addresses,
                   uint32_t size)
{
    uint32_t space = flags & 15;
    if (!races_of(warp)->knows_written || flags & NO_READ || !lanes || size > 32)
        return false;
    if (space != CPU_SPACE_GLOBAL && space != CPU_SPACE_GENERIC)
        return false;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    struct cpu_site *known = cpu_race_site(warp, site);
    uint64_t address = addresses[flags & CPU_ACCESS_UNIFORM ? 0 : first];
    struct read_area *area = known->area;
    uint32_t number = known->number;
    if (!area || address - area->start >= area->end - area->start)
        area = known->area = cpu_reads_area(warp, address);
    if (!area || !area->chunks || races_of(warp)->bytes > MAX_SHADOW)
        return false;
    if (flags & CPU_ACCESS_UNIFORM)
        return add_lanes(warp, area, lanes & -lanes, number, addresses, size);
    if (flags & CPU_ACCESS_ROW && follow_each_other(lanes))
        return add_row(warp, area, lanes, number, addresses, size);
    bool has_next = first < CPU_WARP_SIZE / 2 - 1 && lanes >> (first + 1) & 1;
    if (has_next && addresses[first + 1] != addresses[first] + size) /* neither the warp nor its first half is a row */
        return add_lanes(warp, area, lanes, number, addresses, size);
    cpu_lanes rows = row_of(lanes, addresses, size);
    if (rows)
        return add_row(warp, area, rows, number, addresses, size);
    const cpu_lanes half = UINT32_MAX >> 16; /* as in blocks 16 threads wide */
    if ((row_of(lanes & half, addresses, size) | row_of(lanes & ~half, addresses, size)) == lanes)
        return add_row(warp, area, lanes & half, number, addresses, size) &&
               add_row(warp, area, lanes & ~half, number, addresses, size);
    return add_lanes(warp, area, lanes, number, addresses, size);
}

/* --- at the end of the launch -------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct read_area *left = *(struct read_area *const *)a, *right = *(struct read_area *const *)b;
    return left->start < right->start ? -1 : left->start > right->start;
}

typedef bool adder(void *data, const struct read_line *line, uint64_t start, uint64_t end, uint32_t allocation);

void cpu_reads_sort(struct cpu_races *races)
{
    qsort(races->areas, races->area_count, sizeof *races->areas, by_start);
}

/* Full lines of one instruction that follow each other. */
struct full_lines {
    const struct read_line *first; /* NULL: none */
    uint64_t start, end;
};

struct visit {
    void *data;
    adder *add;
    uint32_t allocation;
    struct full_lines full;
};

static bool end_full(struct visit *visit)
{
    struct full_lines full = visit->full;
    visit->full.first = NULL;
    return !full.first || visit->add(visit->data, full.first, full.start, full.end, visit->allocation);
}

static bool visit_line(struct visit *visit, const struct read_line *line, uint64_t start)
{
    if ((line->bytes[0] & line->bytes[1]) == UINT64_MAX) {
        struct full_lines *full = &visit->full;
        if (full->first && full->end == start && full->first->site == line->site) {
            full->end += LINE_BYTES;
            return true;
        }
        if (!end_full(visit))
            return false;
        *full = (struct full_lines){line, start, start + LINE_BYTES};
        return true;
    }
    if (!end_full(visit))
        return false;
    for (uint32_t half = 0; half < LINE_BYTES / 64; half++) {
        for (uint64_t left = line->bytes[half]; left;) {
            unsigned first = (unsigned)__builtin_ctzll(left);
            uint64_t rest = ~(left >> first);
            unsigned count = rest ? (unsigned)__builtin_ctzll(rest) : 64;
            uint64_t at = start + 64 * half + first;
            if (!visit->add(visit->data, line, at, at + count, visit->allocation))
                return false;
            left &= count < 64 ? ~((((uint64_t)1 << count) - 1) << first) : 0;
        }
    }
    return true;
}

static bool visit_area(const struct read_area *area, void *data, adder *add)
{
    struct visit visit = {.data = data, .add = add, .allocation = area->allocation};
    uint64_t start = area->first;
    for (uint64_t c = 0; area->chunks && start < area->end; c++, start += CHUNK_BYTES)
        for (uint32_t n = 0; area->chunks[c] && n < CHUNK_BYTES / LINE_BYTES; n++)
            if (!visit_line(&visit, &area->chunks[c]->lines[n], start + n * LINE_BYTES))
                return false;
    return end_full(&visit);
}

bool cpu_reads_visit(const struct cpu_races *races, uint32_t *next, uint64_t before, void *data, adder *add)
{
    bool fits = true;
    for (; fits && *next < races->area_count && races->areas[*next]->start < before; ++*next)
        fits = visit_area(races->areas[*next], data, add);
    return fits;
}

void cpu_reads_free(struct cpu_races *races)
{
    for (uint32_t i = 0; i < races->area_count; i++) {
        struct read_area *area = races->areas[i];
        for (uint64_t c = 0; area->chunks && area->first + c * CHUNK_BYTES < area->end; c++)
            if (area->chunks[c])
                free_chunk(area->chunks[c]);
        free(area->chunks);
        free(area);
    }
}
