/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck of a warp's weak accesses to words, for all its lanes at once: each line of memory gets a run of lanes. What
 * may be a race is left to race.c, which looks at the accesses of each lane in cells that are made of the runs.
 */
#include "race_parts.h"

#define SINGLE (CPU_ACCESS_STRONG | CPU_ACCESS_RELEASE | CPU_ACCESS_ATOMIC | CPU_ACCESS_VOLATILE | CPU_ACCESS_ASYNC | \
                CPU_ACCESS_SINGLY)

/* The lanes have one time and one clock. */
struct group {
    struct cpu_running *warp;
    struct cpu_races *races;
    const struct cpu_clock *knows;
    struct event event; /* of the access, without lanes */
    bool is_write;
};

enum knowledge { NONE, SOME, ALL };

/* Return of how many lanes that made a run the group knows. */
static enum knowledge knows_of(const struct group *group, const struct run *run, cpu_lanes lanes)
{
    if (!group->warp->block->race->has_clocks)
        return cpu_race_knows(group->warp, &run->event) ? ALL : NONE;
    const struct cpu_times *times = cpu_clock_of(group->knows, run->event.block);
    if (!times)
        return NONE;
    const uint32_t *of = times->of + run->event.warp * CPU_WARP_SIZE;
    cpu_lanes known = 0;
    for (cpu_lanes left = lanes; left; left &= left - 1)
        known |= of[__builtin_ctz(left)] >= run->event.time ? left & -left : 0;
    return known == lanes ? ALL : known ? SOME : NONE;
}

/* Return whether each thread of `mine` accesses words that it has accessed itself in the run. */
static bool is_own(const struct run *run, const struct run *mine)
{
    if (run->event.block != mine->event.block || run->event.warp != mine->event.warp || run->is_uniform != mine->is_uniform)
        return false;
    cpu_lanes lanes = mine->event.lanes;
    return mine->is_uniform ? run->event.lanes == lanes && !(lanes & (lanes - 1)) : run->first == mine->first;
}

static cpu_lanes lanes_of(uint32_t words, int first)
{
    return first < 0 ? words << -first : words >> first;
}

static void cut(struct run *run, uint32_t words)
{
    run->words &= ~words;
    if (!run->is_uniform)
        run->event.lanes = lanes_of(run->words, run->first);
}

/* Return whether a run and the access to some of its words are ordered, or may be concurrent; *known: they are ordered. */
static bool is_usual(const struct group *group, const struct run *run, const struct run *mine, bool *known)
{
    *known = true;
    if (is_own(run, mine))
        return true;
    cpu_lanes lanes = run->is_uniform ? run->event.lanes : lanes_of(run->words & mine->words, run->first);
    enum knowledge knowledge = knows_of(group, run, lanes);
    *known = knowledge == ALL;
    return *known || (knowledge == NONE && !run->is_write && !mine->is_write);
}

/* Add a run to the end, or let it join an earlier one of the same access: then `*run` is that one and this. */
static bool joins(const struct run *run, struct run *mine)
{
    if (!cpu_race_is_same(&run->event, &mine->event) || run->is_write != mine->is_write ||
        run->is_uniform != mine->is_uniform || (run->is_uniform ? run->words : (uint32_t)(uint8_t)run->first) !=
        (mine->is_uniform ? mine->words : (uint32_t)(uint8_t)mine->first))
        return false;
    mine->event.lanes |= run->event.lanes;
    mine->words |= run->words;
    return true;
}

static bool append(const struct group *group, struct line *line, const struct run *mine)
{
    struct run *runs = line->room ? line->runs : &line->only, *last = &runs[line->count - 1], all = *mine;
    line->words |= mine->words;
    if (line->count && joins(last, &all)) {
        *last = all;
        return true;
    }
    runs = line->count < MAX_RUNS ? cpu_shadow_runs(group->races, line) : NULL;
    if (runs)
        runs[line->count++] = *mine;
    return runs != NULL;
}

/* Record an access to a line; false: it may be a race, or there is no room. */
static bool touch(const struct group *group, struct line *line, const struct run *access)
{
    struct run mine = *access;
    if (line->room == EXPANDED)
        return false;
    if (!(line->words & mine.words))
        return append(group, line, &mine);
    struct run *runs = line->room ? line->runs : &line->only;
    bool known[MAX_RUNS] = {false};
    uint32_t left = 0, covered = 0, words = 0;
    bool cuts = line->count > MAX_READERS;
    for (uint32_t i = 0; i < line->count; i++) {
        if (!(runs[i].words & mine.words))
            continue;
        if (!is_usual(group, &runs[i], &mine, &known[i]))
            return false;
        cuts |= mine.is_write || (!runs[i].is_write && known[i]);
    }
    if (!cuts)
        return append(group, line, &mine);
    for (uint32_t i = 0; i < line->count; i++) {
        struct run run = runs[i];
        if (mine.is_write || (!run.is_write && known[i]))
            cut(&run, mine.words);
        if (!run.words || joins(&run, &mine))
            continue;
        covered += !run.is_write && run.words == mine.words;
        words |= run.words;
        runs[left++] = run;
    }
    line->count = (uint8_t)left;
    line->words = words;
    line->next = mine.is_write ? 0 : line->next;
    if (left > MAX_READERS && covered == left && !mine.is_write) { /* as in a cell: later reads replace earlier ones */
        runs[1 + line->next++ % MAX_READERS] = mine;
        return true;
    }
    return append(group, line, &mine);
}

/* Record an access of lanes to neighbouring words of a line each; return the lanes that it is not recorded for. */
static cpu_lanes touch_words(const struct group *group, cpu_lanes lanes, uint64_t address, int first)
{
    struct line *line = cpu_shadow_find(group->races, address);
    struct run mine = {.event = group->event, .first = (int8_t)first, .is_write = group->is_write,
                       .words = first < 0 ? lanes >> -first : lanes << first};
    mine.event.lanes = lanes;
    return !line || touch(group, line, &mine) ? 0 : lanes;
}

/* The lanes access neighbouring words: that of lane 0 would be at `address`. */
static cpu_lanes touch_row(const struct group *group, cpu_lanes lanes, uint64_t address)
{
    int first = (int)(address / 4 % LINE_WORDS);
    cpu_lanes here = lanes & UINT32_MAX >> first, left = 0;
    if (here)
        left = touch_words(group, here, address, first);
    if (left && group->is_write)
        return lanes;
    if (lanes & ~here)
        left |= touch_words(group, lanes & ~here, address + LINE_BYTES, first - (int)LINE_WORDS);
    return left;
}

/* All lanes read the same words, which are in one line, or one lane accesses them. */
static cpu_lanes touch_same(const struct group *group, cpu_lanes lanes, uint64_t address, uint32_t size)
{
    struct line *line = cpu_shadow_find(group->races, address);
    struct run mine = {.event = group->event, .is_uniform = true, .is_write = group->is_write,
                       .words = ((1u << size / 4) - 1) << (address / 4 % LINE_WORDS)};
    mine.event.lanes = lanes;
    return !line || touch(group, line, &mine) ? 0 : lanes;
}

/* Return which of the lanes have the time and clock of the first of them. */
static cpu_lanes find_alike(const struct cpu_running *warp, cpu_lanes lanes)
{
    const struct lane *first = lane_of(warp, (unsigned)__builtin_ctz(lanes));
    cpu_lanes alike = 0;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++) {
        const struct lane *each = lane_of(warp, lane);
        alike |= (cpu_lanes)(each->time == first->time && each->knows == first->knows) << lane;
    }
    return alike;
}

static cpu_lanes touch_all(const struct group *group, cpu_lanes lanes, uint32_t flags, const uint64_t *addresses,
                           uint32_t size)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    if (flags & CPU_ACCESS_ROW && (lanes == UINT32_MAX || flags & CPU_ACCESS_BASES) && size == 4)
        return touch_row(group, lanes, addresses[0]);
    uint64_t same = 0, row = 0, start = addresses[first] - 4 * first;
    cpu_lanes left = 0;
    if (lanes == UINT32_MAX && !(flags & CPU_ACCESS_UNIFORM))
        for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++) {
            same |= addresses[lane] ^ addresses[0];
            row |= addresses[lane] ^ (start + 4 * lane);
        }
    else
        for (cpu_lanes each = flags & CPU_ACCESS_UNIFORM ? 0 : lanes; each; each &= each - 1) {
            unsigned lane = (unsigned)__builtin_ctz(each);
            same |= addresses[lane] ^ addresses[first];
            row |= addresses[lane] ^ (start + 4 * lane);
        }
    if (lanes & (lanes - 1) && !same)
        return group->is_write || addresses[first] % LINE_BYTES + size > LINE_BYTES
                   ? lanes : touch_same(group, lanes, addresses[first], size);
    if (!row && size == 4)
        return touch_row(group, lanes, start);
    while (lanes) { /* neighbouring lanes that read the same words, or with neighbouring words, or one lane */
        cpu_lanes run = 0;
        first = (unsigned)__builtin_ctz(lanes);
        bool pair = first < CPU_WARP_SIZE - 1 && lanes >> (first + 1) & 1;
        same = pair && !group->is_write && addresses[first + 1] == addresses[first];
        uint64_t step = same ? 0 : size;
        for (unsigned lane = first; lane < CPU_WARP_SIZE && lanes >> lane & 1; lane++) {
            if (addresses[lane] != addresses[first] + step * (lane - first) || (run && !same && size != 4))
                break;
            run |= 1u << lane;
        }
        lanes &= ~run;
        if (same || size != 4)
            left |= addresses[first] % LINE_BYTES + size > LINE_BYTES ? run : touch_same(group, run, addresses[first], size);
        else
            left |= touch_row(group, run, addresses[first] - 4 * first);
        if (left && group->is_write)
            return left | lanes; /* lanes that write the same word are compared in their order */
    }
    return left;
}

/* Return the last atomic operation on a word if a further one is ordered after all weak accesses to it, else NULL. */
static struct event *last_atomic(const struct group *group, uint64_t address)
{
    struct line *line = cpu_shadow_find(group->races, address);
    if (!line || line->room != EXPANDED || !line->cells->shift)
        return NULL;
    uint32_t word = address % LINE_BYTES / 4;
    struct cell *cell = &line->cells->of[word];
    if (line->cells->atomic_only >> word & 1)
        return &cell->strong;
    if (cell->more || cell->strong.in_block || (cell->read.lanes && !cpu_race_knows(group->warp, &cell->read)) ||
        (cell->write.lanes && !cpu_race_knows(group->warp, &cell->write)))
        return NULL;
    line->cells->atomic_only |= (uint32_t)!(cell->read.lanes | cell->write.lanes) << word;
    return &cell->strong;
}

/* Record an atomic operation of a lane, together with the last one if lanes of the same warp made it at the same time.
 * There is no branch, as it could not be predicted. The fields are stored one by one, as in race_rows.c. */
static inline void put_atomic(struct event *strong, const struct event *mine, unsigned lane)
{
    uint32_t differ = (strong->block ^ mine->block) | (strong->time ^ mine->time) | ((strong->bits ^ mine->bits) & EVENT_SOURCE);
    strong->lanes = (strong->lanes & -(uint32_t)!differ) | 1u << lane;
    strong->block = mine->block;
    strong->time = mine->time;
    strong->bits = mine->bits;
}

/* Check and record atomic operations on words; return the lanes that are left. As long as no thread has released anything,
 * they synchronise nothing. */
static cpu_lanes touch_atomics(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                               const uint64_t *addresses)
{
    const uint32_t other = CPU_ACCESS_RELEASE | CPU_ACCESS_VOLATILE | CPU_ACCESS_ASYNC | CPU_ACCESS_SINGLY |
                           CPU_ACCESS_BLOCK_SCOPE | 7u << CPU_ACCESS_MBARRIER;
    struct cpu_race_block *race = warp->block->race;
    struct group group = {.warp = warp, .races = races_of(warp)};
    struct event *last[CPU_WARP_SIZE]; /* of each lane's word: first all are looked up, so that no load waits for a store */
    cpu_lanes usual = 0;
    if (flags & other || race->has_clocks || group.races->all_sync_vars)
        return lanes;
    cpu_race_warp = warp;
    group.event = (struct event){.block = race->number, .time = cpu_race_time(warp, 0), .warp = warp->abi.warp_id,
                                 .is_atomic = true};
    group.event.site = cpu_race_site(warp, site)->number & 0x3fffffu;
    for (cpu_lanes each = lanes; each; each &= each - 1) {
        unsigned lane = (unsigned)__builtin_ctz(each);
        last[lane] = addresses[lane] & 3 ? NULL : last_atomic(&group, addresses[lane]);
        usual |= (cpu_lanes)(last[lane] != NULL) << lane;
    }
    for (cpu_lanes each = usual; each; each &= each - 1)
        put_atomic(last[__builtin_ctz(each)], &group.event, (unsigned)__builtin_ctz(each));
    return lanes & ~usual;
}

cpu_lanes cpu_race_group(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                         const uint64_t *addresses, uint32_t size)
{
    struct cpu_race_block *race = warp->block->race;
    cpu_lanes *alike = &race->alike[warp->abi.warp_id];
    if (lanes && flags & CPU_ACCESS_ATOMIC && size == 4)
        return touch_atomics(warp, lanes, site, flags, addresses);
    if (!lanes || flags & SINGLE || (size != 4 && size != 8 && size != 16))
        return lanes;
    uint64_t bits = addresses[flags & CPU_ACCESS_BASES ? 0 : __builtin_ctz(lanes)];
    for (unsigned lane = 0; lane < CPU_WARP_SIZE && !(flags & (CPU_ACCESS_UNIFORM | CPU_ACCESS_ROW)); lane++)
        bits |= lanes >> lane & 1 ? addresses[lane] : 0;
    if (bits & 3)
        return lanes;
    if (race->has_clocks && lanes & ~*alike)
        *alike = find_alike(warp, lanes);
    if (race->has_clocks && lanes & ~*alike)
        return lanes;
    const struct lane *first = lane_of(warp, (unsigned)__builtin_ctz(lanes));
    cpu_race_warp = warp;
    struct group group = {.warp = warp, .races = races_of(warp), .knows = first->knows,
                          .is_write = flags & CPU_ACCESS_WRITE,
                          .event = {.block = race->number, .time = cpu_race_time(warp, (unsigned)__builtin_ctz(lanes)), .warp = warp->abi.warp_id,
                                    .in_block = !!(flags & CPU_ACCESS_BLOCK_SCOPE)}};
    group.event.site = cpu_race_site(warp, site)->number & 0x3fffffu;
    return touch_all(&group, lanes, flags, addresses, size);
}

bool cpu_race_touch_row(struct cpu_running *warp, cpu_lanes lanes, uint64_t address, const struct row row)
{
    cpu_need_stack(&warp->abi);
    cpu_race_warp = warp;
    const struct group group = {.warp = warp, .races = races_of(warp), .is_write = row.is_write,
                                .event = {.block = row.block, .time = row.time, .bits = row.bits}};
    return !touch_row(&group, lanes, address);
}
