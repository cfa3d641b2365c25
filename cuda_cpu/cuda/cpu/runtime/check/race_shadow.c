/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory of racecheck: the last write of each word of memory and the reads since, as runs (of lanes of a warp) or
 * in a cell for each word (for each byte once parts of a word were accessed). Pages are in a hash table.
 */
#include "race_parts.h"

#include <pthread.h>
#include <string.h>

#define MAX_SITES (1u << 22)

#define MAX_UNUSED 16384u

/* Cleared pages of launches that have ended. */
static struct {
    pthread_mutex_t lock;
    struct page *first;
    uint32_t count;
} unused = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct page *new_page(void)
{
    pthread_mutex_lock(&unused.lock);
    struct page *page = unused.first;
    if (page) {
        unused.first = page->next;
        unused.count--;
        page->next = NULL;
    }
    pthread_mutex_unlock(&unused.lock);
    return page ? page : calloc(1, sizeof *page);
}

static void free_page(struct page *page)
{
    memset(page, 0, sizeof *page);
    pthread_mutex_lock(&unused.lock);
    bool keeps = unused.count < MAX_UNUSED;
    if (keeps) {
        page->next = unused.first;
        unused.first = page;
        unused.count++;
    }
    pthread_mutex_unlock(&unused.lock);
    if (!keeps)
        free(page);
}

struct page **cpu_shadow_bucket(struct cpu_races *races, uint64_t number)
{
    return &races->pages[number * 0x9e3779b97f4a7c15u >> 48];
}

static struct readers *copy_readers(struct cpu_races *races, const struct readers *readers)
{
    if (!readers)
        return NULL;
    struct readers *copy = taken(malloc(sizeof *copy + readers->room * sizeof *copy->of));
    memcpy(copy, readers, sizeof *copy + readers->count * sizeof *copy->of);
    races->bytes += copy->room * sizeof *copy->of;
    return copy;
}

static size_t cells_bytes(uint32_t shift)
{
    return sizeof(struct cells) + (LINE_BYTES >> shift) * sizeof(struct cell);
}

static bool joins(struct event *event, const struct event *mine)
{
    bool same = event->lanes && cpu_race_is_same(event, mine);
    event->lanes |= same ? mine->lanes : 0;
    return same;
}

/* Let a read join an earlier one of other lanes by the same instruction, as in race.c. */
static bool joins_read(struct cell *cell, const struct event *event)
{
    if (joins(&cell->read, event))
        return true;
    for (uint32_t i = 0; cell->more && i < cell->more->count; i++)
        if (joins(&cell->more->of[i], event))
            return true;
    return false;
}

static void add_runs(struct cpu_races *races, struct cells *cells, const struct line *line)
{
    const struct run *runs = line->room ? line->runs : &line->only;
    for (uint32_t i = 0; i < line->count; i++) {
        for (uint32_t left = runs[i].words; left; left &= left - 1) {
            uint32_t word = (uint32_t)__builtin_ctz(left);
            struct event event = runs[i].event;
            event.lanes = runs[i].is_uniform ? event.lanes : 1u << (word - (uint32_t)runs[i].first);
            for (uint32_t at = word * 4 >> cells->shift; at < (word + 1) * 4 >> cells->shift; at++)
                if (runs[i].is_write)
                    cells->of[at].write = event;
                else if (!joins_read(&cells->of[at], &event))
                    cpu_shadow_add_read(races, &cells->of[at], &event);
        }
    }
    for (uint32_t at = 0; at < LINE_BYTES >> cells->shift; at++)
        if (cells->of[at].more)
            cells->of[at].more->next = line->next;
}

void cpu_shadow_words(const struct line *line, struct cell words[LINE_WORDS])
{
    const struct run *runs = line->room ? line->runs : &line->only;
    memset(words, 0, LINE_WORDS * sizeof *words);
    for (uint32_t i = 0; i < line->count; i++) {
        for (uint32_t left = runs[i].words; left; left &= left - 1) {
            struct cell *word = &words[__builtin_ctz(left)];
            struct event *event = runs[i].is_write ? &word->write : &word->read;
            if (event->lanes)
                continue;
            *event = runs[i].event;
            if (!runs[i].is_uniform)
                event->lanes = 1u << (__builtin_ctz(left) - runs[i].first);
        }
    }
}

/* Replace cells for words by cells for bytes. */
static struct cells *split(struct cpu_races *races, struct cells *words)
{
    struct cells *bytes = taken(calloc(1, cells_bytes(0)));
    for (uint32_t i = 0; i < LINE_BYTES; i++) {
        bytes->of[i] = words->of[i / 4];
        if (i % 4)
            bytes->of[i].more = copy_readers(races, bytes->of[i].more);
    }
    races->bytes += cells_bytes(0) - cells_bytes(2);
    free(words);
    return bytes;
}

struct cells *cpu_shadow_cells(struct cpu_races *races, struct line *line, bool by_bytes)
{
    if (line->room != EXPANDED) {
        uint32_t shift = by_bytes ? 0 : 2;
        struct cells *cells = taken(calloc(1, cells_bytes(shift)));
        races->bytes += cells_bytes(shift);
        cells->shift = shift;
        add_runs(races, cells, line);
        if (line->room)
            free(line->runs);
        races->bytes -= line->room * sizeof *line->runs;
        *line = (struct line){.room = EXPANDED, .cells = cells};
    } else if (by_bytes && line->cells->shift) {
        line->cells = split(races, line->cells);
    }
    return line->cells;
}

struct run *cpu_shadow_runs(struct cpu_races *races, struct line *line)
{
    if (line->count < (line->room ? line->room : 1u))
        return line->room ? line->runs : &line->only;
    uint32_t room = line->room ? 2u * line->room : 8;
    if (!cpu_shadow_has_room(races))
        return NULL;
    struct run only = line->only, *runs = taken(realloc(line->room ? line->runs : NULL, room * sizeof *runs));
    if (!line->room)
        *runs = only;
    races->bytes += (room - line->room) * sizeof *runs;
    line->room = (uint8_t)room;
    return line->runs = runs;
}

void cpu_shadow_add_read(struct cpu_races *races, struct cell *cell, const struct event *event)
{
    struct readers *more = cell->more;
    if (!cell->read.lanes) {
        cell->read = *event;
        return;
    }
    uint32_t room = more ? 2 * more->room : 2;
    if (more && more->count < more->room) {
        more->of[more->count++] = *event;
    } else if (room <= MAX_READERS && cpu_shadow_has_room(races)) {
        more = taken(realloc(more, sizeof *more + room * sizeof *more->of));
        if (!cell->more)
            more->count = more->next = 0;
        races->bytes += (room - (cell->more ? more->room : 0)) * sizeof *more->of;
        more->room = room;
        more->of[more->count++] = *event;
        cell->more = more;
    } else if (more && more->count) {
        more->of[more->next++ % more->count] = *event;
    }
}

/* NULL: MAX_SHADOW is reached. */
struct line *cpu_shadow_line(struct cpu_races *races, uint64_t address)
{
    uint64_t number = address / PAGE_BYTES;
    struct page **recent = &races->recent[number % CACHED_PAGES];
    if (!*recent || (*recent)->number != number) {
        struct page **slot = cpu_shadow_bucket(races, number);
        while (*slot && (*slot)->number != number)
            slot = &(*slot)->next;
        if (!*slot) {
            if (races->bytes + sizeof(struct page) > MAX_SHADOW || !(*slot = new_page()))
                return NULL;
            races->bytes += sizeof(struct page);
            (*slot)->number = number;
            (*slot)->all = races->all_pages;
            races->all_pages = *slot;
            races->page_count++;
        }
        *recent = *slot;
    }
    return &(*recent)->lines[address % PAGE_BYTES / LINE_BYTES];
}

void cpu_shadow_drop_readers(struct cpu_races *races, struct cell *cell)
{
    if (cell->more)
        races->bytes -= cell->more->room * sizeof *cell->more->of;
    free(cell->more);
    cell->more = NULL;
}

void cpu_shadow_empty(struct cpu_races *races, struct line *line)
{
    if (line->room == EXPANDED) {
        for (uint32_t i = 0; i < LINE_BYTES >> line->cells->shift; i++)
            cpu_shadow_drop_readers(races, &line->cells->of[i]);
        races->bytes -= cells_bytes(line->cells->shift);
        free(line->cells);
    } else if (line->room) {
        races->bytes -= line->room * sizeof *line->runs;
        free(line->runs);
    }
    *line = (struct line){0};
}

void cpu_shadow_forget(struct cpu_races *races, uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    for (; address < end; address = (address | (LINE_BYTES - 1)) + 1) {
        struct line *line = cpu_shadow_line(races, address);
        uint64_t start = address & -(uint64_t)LINE_BYTES;
        if (line && address == start && end - start >= LINE_BYTES) {
            cpu_shadow_empty(races, line);
            continue;
        }
        struct cells *cells = line ? cpu_shadow_cells(races, line, false) : NULL;
        for (uint32_t i = 0; cells && i < LINE_BYTES >> cells->shift; i++) {
            uint64_t at = start + ((uint64_t)i << cells->shift);
            if (at + (1u << cells->shift) <= address || at >= end)
                continue;
            cpu_shadow_drop_readers(races, &cells->of[i]);
            cells->of[i] = (struct cell){0};
        }
    }
}

uint32_t cpu_shadow_site(struct cpu_races *races, uint64_t site)
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

bool cpu_shadow_has_room(const struct cpu_races *races)
{
    return races->bytes < MAX_SHADOW;
}

void cpu_shadow_drop(struct cpu_races *races, struct page *page)
{
    for (uint32_t i = 0; i < PAGE_BYTES / LINE_BYTES; i++)
        if (page->lines[i].room)
            cpu_shadow_empty(races, &page->lines[i]);
    *cpu_shadow_bucket(races, page->number) = NULL;
    free_page(page);
}

void cpu_shadow_free(struct cpu_races *races)
{
    for (struct page *page = races->all_pages, *next; page; page = next) {
        next = page->all;
        cpu_shadow_drop(races, page);
    }
    free(races->sites);
}
