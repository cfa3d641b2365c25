/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The data of racecheck, shared by race.c (accesses), race_shadow.c (shadow memory) and race_sync.c (synchronisation).
 */
#ifndef CUDA_CPU_RACE_PARTS_H
#define CUDA_CPU_RACE_PARTS_H

#include <stdlib.h>

#include "clock.h"
#include "race.h"

#define PAGE_BYTES 4096u
#define BUCKETS 65536u
#define CACHED_SITES 1024u
#define MAX_POLLED 64u

/* Accesses of lanes of a warp at one time. */
struct event {
    uint32_t block, time, lanes; /* lanes 0: no event */
    uint32_t site : 22, warp : 5, is_atomic : 1, is_volatile : 1, in_block : 1; /* in_block: of scope .cta */
};

struct readers {
    uint32_t count, room, next; /* next: index of the entry to replace when full */
    struct event of[];
};

struct cell {
    struct event write, strong, read; /* write, read: weak ones */
    struct readers *more;             /* concurrent reads */
};

/* Cells for words, or for bytes once a part of a word was accessed. */
struct page {
    struct page *next;
    uint64_t number;
    uint32_t shift; /* log2 of the bytes of a cell */
    bool is_empty;  /* its cells have nothing to free */
    struct cell cells[];
};

/* A memory location that threads synchronise through (SyncVar in TSan). */
struct sync_var {
    struct sync_var *next;
    uint64_t address;
    struct cpu_clock *clock;
    struct cpu_clock *in_block; /* released at scope .cta, for threads of this block */
    uint32_t block;
};

struct cpu_races {
    struct page *pages[BUCKETS];
    struct sync_var *sync_vars[BUCKETS];
    uint64_t *sites;
    uint32_t site_count, cached[CACHED_SITES];
    size_t bytes;
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
    struct cpu_clock *clock;
};

struct cpu_race_block {
    uint32_t number; /* in the grid */
    uint32_t threads; /* rounded up to whole warps */
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

/* race_shadow.c */
/* Return the page of an address, with cells for bytes if `by_bytes`; NULL: the limit of shadow memory is reached. */
struct page *cpu_shadow_page(struct cpu_races *races, uint64_t address, bool by_bytes);
void cpu_shadow_drop_readers(struct cpu_races *races, struct cell *cell);
bool cpu_shadow_has_room(const struct cpu_races *races);
void cpu_shadow_forget(struct cpu_races *races, uint64_t address, uint64_t size);
void cpu_shadow_free(struct cpu_races *races);
uint32_t cpu_shadow_site(struct cpu_races *races, uint64_t site); /* index for a site, 32 bits */

/* race_sync.c */
/* A strong access: acquires the clocks that others have released at the location, and releases the thread's own. */
void cpu_race_synchronise(struct cpu_running *warp, unsigned number, uint32_t flags, uint64_t address);
struct copies *cpu_race_copies_of(struct lane *lane);
void cpu_race_free_sync_vars(struct cpu_races *races);

#endif
