/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The data of racecheck, shared by race.c, race_group.c and race_rows.c (accesses), race_shadow.c (shadow memory),
 * race_block.c (threads), race_sync.c and race_release.c (synchronisation).
 */
#ifndef CUDA_CPU_RACE_PARTS_H
#define CUDA_CPU_RACE_PARTS_H

#include <stdlib.h>

#include "clock.h"
#include "race.h"

#define MAX_SHADOW ((size_t)1 << 30) /* bytes of shadow memory: further pages are not checked */
#define PAGE_BYTES 4096u
#define BUCKETS 65536u
#define CACHED_PAGES 64u
#define LINE_BYTES 128u
#define LINE_WORDS 32u
#define CACHED_SITES 1024u
#define MAX_POLLED 64u

/* Accesses of lanes of a warp at one time. */
struct event {
    uint32_t block, time, lanes; /* lanes 0: no event */
    union {
        struct {
            uint32_t site : 22, warp : 5, is_atomic : 1, is_volatile : 1, in_block : 1; /* in_block: of scope .cta */
        };
        uint32_t bits;
    };
};

#define EVENT_SOURCE ((1u << 27) - 1) /* the bits of site and warp */

struct readers {
    uint32_t count, room, next; /* next: index of the entry to replace when full */
    struct event of[];
};

struct cell {
    struct event write, strong, read; /* write, read: weak ones */
    struct readers *more;             /* concurrent reads */
};

/* Cells for the words of a line, or for its bytes once a part of a word was accessed. */
struct cells {
    uint32_t shift;       /* log2 of the bytes of a cell */
    uint32_t atomic_only; /* bits of words with nothing but atomic operations of a scope wider than a block */
    struct cell of[];
};

/* Weak accesses to some words of a line that each lane of a warp, or all of them to the same words, made at one time. */
struct run {
    struct event event;
    uint32_t words; /* of the line, as bits */
    int8_t first;   /* the word of lane 0, if each lane accesses its own: that of lane i is `first` + i */
    bool is_uniform, is_write;
};

/* The usual accesses to a line are kept as runs, in their order: at most one write of each word, and the reads since.
 * Others, and what may be a race, need cells. */
struct line {
    uint8_t count, room; /* room 0: `only`; EXPANDED: `cells` */
    uint8_t next;        /* as in struct readers */
    uint32_t words;      /* of all runs */
    union {
        struct run only, *runs;
        struct cells *cells;
    };
};

#define EXPANDED 0xffu
#define MAX_RUNS 100u /* of one line, which then gets cells */
#define MAX_READERS 32u /* of one cell, after its first: later ones replace earlier ones */

struct page {
    struct page *next, *all; /* in its bucket; in the list of all */
    uint64_t number;
    struct line lines[PAGE_BYTES / LINE_BYTES];
};

/* A memory location that threads synchronise through (SyncVar in TSan). */
struct sync_var {
    struct sync_var *next, *all; /* in its bucket; in the list of all */
    uint64_t address;
    struct cpu_clock *clock;
    struct cpu_clock *in_block; /* released at scope .cta, for threads of this block */
    uint32_t block;
};

#define MAX_WRITTEN 16u
#define MAX_AREAS 64u
#define KNOWN_SITES 256u
#define CHUNK_BYTES 32768u /* of memory */

/* The bytes of a line that were read, and the first read. */
struct read_line {
    uint64_t bytes[LINE_BYTES / 64];
    uint32_t block;
    uint32_t site : 22, warp : 5, lane : 5;
};

struct read_chunk {
    struct read_chunk *next; /* of unused ones */
    struct read_line lines[CHUNK_BYTES / LINE_BYTES];
};

/* An allocation that was read; `chunks` NULL: the kernel writes it. */
struct read_area {
    uint64_t start, end, first; /* first: start, rounded down to CHUNK_BYTES */
    uint32_t allocation;
    struct read_chunk **chunks;
};

/* What was found out about a site: its number, and the allocation that it read last. */
struct cpu_site {
    uint64_t site;
    struct read_area *area; /* NULL: none */
    uint64_t last;          /* the address that it read last */
    uint32_t number;        /* 22 bits */
    bool is_known;
};

/* An access of a row of lanes to words of a line. */
struct row {
    uint32_t block, time, bits; /* as in struct event */
    bool is_write;
};

struct cpu_races {
    struct page *pages[BUCKETS];
    struct sync_var *sync_vars[BUCKETS];
    /* From here on cleared for each launch, as the parts of `pages` and `sync_vars` that were used. */
    bool knows_written; /* `written` has all allocations that the kernel writes */
    uint32_t written_count, area_count;
    struct cpu_range written[MAX_WRITTEN];
    struct read_area *areas[MAX_AREAS];
    struct cpu_site known_sites[KNOWN_SITES];
    struct page *recent[CACHED_PAGES], *all_pages;
    struct sync_var *all_sync_vars;
    size_t page_count;
    uint64_t *sites;
    uint32_t site_count, cached[CACHED_SITES];
    size_t bytes;
    struct cpu_race_block *unused; /* of a block that has ended, for the next one; or NULL */
    uint32_t polled_count;
    uint64_t polled[MAX_POLLED]; /* global addresses of strong reads */
};

/* Asynchronous copies have times of their own: their reads and writes are events of two further blocks, whose numbers have
 * one of these bits, and which the thread only knows of once it has waited for them. */
#define COPY_READS 0x40000000u
#define COPY_WRITES 0x80000000u
#define GROUPS 8u /* that are told apart: a wait that leaves more under way counts as one that leaves GROUPS - 1 */

struct copies {
    uint32_t time; /* of the next copy, from 1 */
    uint32_t groups[2], ends[2][GROUPS]; /* of cp.async and cp.async.bulk: committed so far, and the times of the last ones */
};

struct lane {
    struct cpu_clock *knows, *fenced, *fenced_block; /* fenced: the clock at its last fence; at that of any scope */
    struct copies *copies; /* NULL: none so far */
    uint32_t time;
    cpu_lanes together; /* that executed its last volatile store to shared memory with it */
};

/* The joined clocks of the threads that arrive at a barrier. */
struct cpu_meeting {
    uint32_t references;
    bool is_plain, is_over; /* see struct plain_times */
    uint32_t times[CPU_MAX_WARPS];
    struct cpu_clock *clock;
};

/* Instead of clocks, as long as all lanes of each warp have synchronised together, and by barriers of the block and the
 * warp alone: the time of each warp, and the times up to which others know of it. */
struct plain_times {
    uint32_t own[CPU_MAX_WARPS];    /* less 1 */
    uint32_t in_warp[CPU_MAX_WARPS]; /* known to the lanes of the warp itself */
    uint32_t in_block[CPU_MAX_WARPS]; /* known to all threads of the block */
};

struct cpu_race_block {
    uint32_t number; /* in the grid */
    uint32_t threads; /* rounded up to whole warps */
    uint32_t changed; /* bit w: the lanes of warp w are no longer as they are at the start of a block */
    bool has_clocks; /* of lanes; otherwise `plain` has the times of all */
    bool has_met;    /* at barriers */
    struct plain_times plain;
    cpu_lanes alike[CPU_MAX_WARPS]; /* lanes of each warp that have one time and one clock; 0: unknown */
    struct cpu_meeting *barriers[CPU_BARRIERS], *passing[CPU_MAX_WARPS];
    struct cpu_clock *cluster[2];
    struct lane lanes[];
};

extern _Thread_local struct cpu_running *cpu_race_warp; /* the warp whose access or synchronisation is being checked */

static inline void *taken(void *memory)
{
    if (!memory)
        cpu_clock_no_memory();
    return memory;
}

static inline struct cpu_races *races_of(const struct cpu_running *warp)
{
    return warp->block->worker->job->races;
}

static inline struct lane *lane_of(const struct cpu_running *warp, unsigned lane)
{
    return &warp->block->race->lanes[warp->abi.warp_id * CPU_WARP_SIZE + lane];
}

/* Return whether lanes of one warp made both events at one time, by one instruction. */
static inline bool cpu_race_is_same(const struct event *a, const struct event *b)
{
    return a->block == b->block && a->time == b->time && !((a->bits ^ b->bits) & EVENT_SOURCE);
}

/* race_shadow.c */
/* NULL: the limit of shadow memory is reached. */
struct line *cpu_shadow_line(struct cpu_races *races, uint64_t address);
struct page **cpu_shadow_bucket(struct cpu_races *races, uint64_t number);
/* Return the cells of a line, for bytes if `by_bytes`. */
struct cells *cpu_shadow_cells(struct cpu_races *races, struct line *line, bool by_bytes);
/* Return the last write and the first read since of each word of a line that has runs. */
void cpu_shadow_words(const struct line *line, struct cell words[LINE_WORDS]);
/* Free what a line refers to. */
void cpu_shadow_empty(struct cpu_races *races, struct line *line);
void cpu_shadow_add_read(struct cpu_races *races, struct cell *cell, const struct event *event);
/* Return the runs of a line, with room for one more; NULL: there is none. */
struct run *cpu_shadow_runs(struct cpu_races *races, struct line *line);
void cpu_shadow_drop_readers(struct cpu_races *races, struct cell *cell);
bool cpu_shadow_has_room(const struct cpu_races *races);
void cpu_shadow_forget(struct cpu_races *races, uint64_t address, uint64_t size);
/* Free a page at the end of a launch. Nothing may look for pages afterwards. */
void cpu_shadow_drop(struct cpu_races *races, struct page *page);
void cpu_shadow_free(struct cpu_races *races);
uint32_t cpu_shadow_site(struct cpu_races *races, uint64_t site); /* index for a site, 32 bits */

/* The same as cpu_shadow_line, which it calls where the page was not accessed recently. */
static inline struct line *cpu_shadow_find(struct cpu_races *races, uint64_t address)
{
    struct page *page = races->recent[address / PAGE_BYTES % CACHED_PAGES];
    return page && page->number == address / PAGE_BYTES ? &page->lines[address % PAGE_BYTES / LINE_BYTES]
                                                        : cpu_shadow_line(races, address);
}

/* race_rows.c */
void cpu_race_know_site(struct cpu_running *warp, struct cpu_site *known, uint64_t site);

/* Return what is known of a site. */
static inline struct cpu_site *cpu_race_site(struct cpu_running *warp, uint64_t site)
{
    struct cpu_site *known = &races_of(warp)->known_sites[(site ^ site >> 32) % KNOWN_SITES];
    if (!known->is_known || known->site != site)
        cpu_race_know_site(warp, known, site);
    return known;
}

/* race_group.c: Check and record the access of a row of lanes; false: it must be checked lane by lane. */
bool cpu_race_touch_row(struct cpu_running *warp, cpu_lanes lanes, uint64_t address, const struct row row);

/* Return the time of an access of a lane. */
static inline uint32_t cpu_race_time(const struct cpu_running *warp, unsigned lane)
{
    const struct cpu_race_block *race = warp->block->race;
    return race->has_clocks ? lane_of(warp, lane)->time : race->plain.own[warp->abi.warp_id] + 1;
}

/* Return whether lanes of a warp of a block without clocks know of an event of other lanes. */
static inline bool cpu_race_knows(const struct cpu_running *warp, const struct event *event)
{
    const struct cpu_race_block *race = warp->block->race;
    if (event->block != race->number)
        return false;
    return event->time <= race->plain.in_block[event->warp] ||
           (event->warp == warp->abi.warp_id && event->time <= race->plain.in_warp[event->warp]);
}

static inline void cpu_race_changes(struct cpu_running *warp) /* the clocks or times of its lanes */
{
    warp->block->race->alike[warp->abi.warp_id] = 0;
    warp->block->race->changed |= 1u << warp->abi.warp_id;
}

/* race_reads.c */
#define NO_READ (CPU_ACCESS_WRITE | CPU_ACCESS_STRONG | CPU_ACCESS_ATOMIC | CPU_ACCESS_VOLATILE | CPU_ACCESS_SINGLY)

static inline void cpu_reads_name(struct read_line *line, const struct cpu_running *warp, unsigned lane, uint32_t site)
{
    if (line->bytes[0] | line->bytes[1])
        return;
    line->block = warp->block->race->number;
    line->site = site;
    line->warp = warp->abi.warp_id & 31;
    line->lane = lane & 31;
}

/* Return the allocation that contains an address; NULL: none, or there are too many. */
struct read_area *cpu_reads_area(struct cpu_running *warp, uint64_t address);
/* Record a read of contiguous memory in an area by a lane and those after it; false: there is no room. */
bool cpu_reads_add_bytes(struct cpu_running *warp, struct read_area *area, unsigned lane, uint32_t site, uint64_t start,
                         uint64_t end);
void cpu_reads_sort(struct cpu_races *races); /* the areas */
/* Call add for the ranges that were read in areas from `*next` on that begin before an address; stop if it returns false. */
bool cpu_reads_visit(const struct cpu_races *races, uint32_t *next, uint64_t before, void *data,
                     bool (*add)(void *data, const struct read_line *line, uint64_t start, uint64_t end, uint32_t allocation));
void cpu_reads_free(struct cpu_races *races);

/* race_block.c */
void cpu_race_drop_meeting(struct cpu_meeting *meeting);

/* race_sync.c */
/* Give each lane a clock and a time of its own. */
void cpu_race_use_clocks(struct cpu_running *warp);
/* Join the clocks and own times of lanes into `clock`. */
struct cpu_clock *cpu_race_gather(struct cpu_clock *clock, const struct cpu_running *warp, cpu_lanes lanes);

/* race_release.c */
/* A strong access: acquires the clocks that others have released at the location, and releases the thread's own. */
void cpu_race_synchronise(struct cpu_running *warp, unsigned number, uint32_t flags, uint64_t address);
struct copies *cpu_race_copies_of(struct lane *lane);
void cpu_race_free_sync_vars(struct cpu_races *races);

#endif
